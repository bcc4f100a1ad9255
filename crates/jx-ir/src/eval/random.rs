//! The meaning of the Threefry-2x32 block cipher.

use super::{array, elements};
use crate::Array;

/// Rotations of the rounds, four by four, the two rows in turn.
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];

/// The constant that the key schedule mixes in.
const PARITY: u32 = 0x1bd1_1bda;

/// Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011 (20 rounds).
fn cipher(key: [u32; 2], [mut x0, mut x1]: [u32; 2]) -> [u32; 2] {
    let schedule = [key[0], key[1], key[0] ^ key[1] ^ PARITY];
    x0 = x0.wrapping_add(schedule[0]);
    x1 = x1.wrapping_add(schedule[1]);
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x0 = x0.wrapping_add(x1);
            x1 = x1.rotate_left(rotation) ^ x0;
        }
        x0 = x0.wrapping_add(schedule[(group + 1) % 3]);
        x1 = x1.wrapping_add(schedule[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    [x0, x1]
}

pub(super) fn threefry2x32(inputs: &[&Array]) -> Vec<Array> {
    let all: Vec<&[u32]> = inputs.iter().map(|&x| elements(x)).collect();
    let words = (0..all[0].len()).map(|i| cipher([all[0][i], all[1][i]], [all[2][i], all[3][i]]));
    let (first, second) = words.map(|[a, b]| (a, b)).unzip();
    vec![array(inputs[2].shape(), first), array(inputs[3].shape(), second)]
}

#[cfg(test)]
mod tests {
    use crate::eval::eval_prim;
    use crate::eval::testing::vector;
    use crate::{Array, Prim};

    fn encrypt(operands: [&[u32]; 4]) -> Vec<Array> {
        let operands = operands.map(vector);
        eval_prim(&Prim::Threefry2x32, &operands.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn words_are_those_of_jax() {
        // JAX 0.10.2, jax._src.random.threefry2x32.threefry_2x32; also the vectors of Random123.
        let ones = u32::MAX;
        let out = encrypt([
            &[0, ones, 0x1319_8a2e],
            &[0, ones, 0x0370_7344],
            &[0, ones, 0x243f_6a88],
            &[0, ones, 0x85a3_08d3],
        ]);
        assert_eq!(out[0], vector(&[0x6b20_0159_u32, 0x1cb9_96fc, 0xc492_3a9c]));
        assert_eq!(out[1], vector(&[0x99ba_4efe_u32, 0xbb00_2be7, 0x483d_f7a0]));
    }

    #[test]
    fn a_block_of_counters_is_that_of_jax() {
        // JAX 0.10.2: threefry_2x32([0, 42], arange(8)), whose halves are the two words.
        let out = encrypt([&[0; 4], &[42; 4], &[0, 1, 2, 3], &[4, 5, 6, 7]]);
        assert_eq!(out[0], vector(&[0xb013_aee3_u32, 0x997e_0266, 0x43e4_4385, 0x3dbc_1e1f]));
        assert_eq!(out[1], vector(&[0xc34e_ddf6_u32, 0x48eb_cd9f, 0x0a56_f817, 0x00d2_26af]));
    }
}
