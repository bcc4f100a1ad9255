//! The Threefry-2x32 block cipher.
//!
//! Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011; 20 rounds, with a key
//! injection after every fourth.

use super::numbers::{array, elements};
use crate::Array;

const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// The parity word of the key schedule (Skein's constant).
const PARITY: u32 = 0x1BD1_1BDA;

pub(super) fn threefry2x32(inputs: &[&Array]) -> Vec<Array> {
    let [k0, k1, x0, x1] = [0, 1, 2, 3].map(|i: usize| elements::<u32>(inputs[i]));
    let blocks = (0..x0.len()).map(|i| block([k0[i], k1[i]], [x0[i], x1[i]]));
    let (y0, y1): (Vec<u32>, Vec<u32>) = blocks.map(|[a, b]| (a, b)).unzip();
    vec![array(inputs[2].shape(), y0), array(inputs[3].shape(), y1)]
}

fn block(key: [u32; 2], [mut a, mut b]: [u32; 2]) -> [u32; 2] {
    let schedule = [key[0], key[1], key[0] ^ key[1] ^ PARITY];
    a = a.wrapping_add(schedule[0]);
    b = b.wrapping_add(schedule[1]);
    for group in 0..5_u32 {
        for rotation in ROTATIONS[group as usize % 2] {
            a = a.wrapping_add(b);
            b = b.rotate_left(rotation) ^ a;
        }
        let next = group as usize + 1;
        a = a.wrapping_add(schedule[next % 3]);
        b = b.wrapping_add(schedule[(next + 1) % 3]).wrapping_add(group + 1);
    }
    [a, b]
}
