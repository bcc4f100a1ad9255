//! The Threefry-2x32 block cipher, of bitwise ops.
//!
//! Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011; 20 rounds, with a key
//! injection after every fourth.

use super::Target;
use super::convert::{wrap, zero_extend};
use super::program::{Lowered, exactly};
use super::tensor::Value;
use burn_backend::Backend;
use burn_backend::tensor::IntTensor;
use jx_ir::DType;

const ROTATIONS: [[i64; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// The parity word of the key schedule (Skein's constant).
const PARITY: i64 = 0x1BD1_1BDA;
/// The 32 bits of a word.
const WORD: i64 = 0xffff_ffff;

pub(super) fn threefry2x32<B: Backend>(target: &Target<B>) -> Lowered<B> {
    if !target.has(DType::I64) {
        return Err(format!("{} has no i64 to hold 32-bit words in", target.device));
    }
    Ok(Box::new(|_, operands| {
        let operands: [Value<B>; 4] = exactly(operands);
        let [k0, k1, a, b] = operands.map(|x| zero_extend::<B>(x.int(), DType::U32));
        let parity = B::bitwise_xor_scalar(B::bitwise_xor(k0.clone(), k1.clone()), PARITY.into());
        let schedule = [k0, k1, parity];
        let (mut a, mut b) = (add::<B>(a, schedule[0].clone()), add::<B>(b, schedule[1].clone()));
        for group in 0..5 {
            for rotation in ROTATIONS[group % 2] {
                a = add::<B>(a, b.clone());
                b = B::bitwise_xor(rotate_left::<B>(b, rotation), a.clone());
            }
            a = add::<B>(a, schedule[(group + 1) % 3].clone());
            let injected = B::int_add_scalar(schedule[(group + 2) % 3].clone(), (group as i64 + 1).into());
            b = add::<B>(b, injected);
        }
        vec![Value::Int(wrap::<B>(a, DType::U32)), Value::Int(wrap::<B>(b, DType::U32))]
    }))
}

/// The sum of words modulo 2³².
fn add<B: Backend>(x: IntTensor<B>, y: IntTensor<B>) -> IntTensor<B> {
    B::bitwise_and_scalar(B::int_add(x, y), WORD.into())
}

fn rotate_left<B: Backend>(x: IntTensor<B>, by: i64) -> IntTensor<B> {
    let left = B::bitwise_left_shift_scalar(x.clone(), by.into());
    let right = B::bitwise_right_shift_scalar(x, (32 - by).into());
    B::bitwise_and_scalar(B::bitwise_or(left, right), WORD.into())
}
