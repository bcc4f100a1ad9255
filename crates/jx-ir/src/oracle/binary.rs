//! Elementwise functions of two operands.

use super::numbers::{Float, Int, by_kind, zip};
use crate::{Array, BinaryOp, Element, Scalar};

pub(super) fn binary(op: BinaryOp, x: &Array, y: &Array) -> Array {
    by_kind!(x.dtype(),
    bool => zip::<bool, bool>(x, y, |x, y| bool_binary(op, x, y)),
    int T => zip::<T, T>(x, y, |x, y| int_binary(op, x, y)),
    float T => if op == BinaryOp::NextAfter {
        zip::<T, T>(x, y, next_after)
    } else {
        zip::<T, T>(x, y, |x, y| <T as Float>::from_f64(float_binary(op, Float::to_f64(x), Float::to_f64(y))))
    })
}

pub(super) fn bool_binary(op: BinaryOp, x: bool, y: bool) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Min => x & y,
        BinaryOp::Or | BinaryOp::Max => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Pow
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => unreachable!("the shape rule refuses bool for {op:?}"),
    }
}

pub(super) fn int_binary<T: Int>(op: BinaryOp, x: T, y: T) -> T {
    let (a, b) = (x.to_i128(), y.to_i128());
    // The amount of a shift is unsigned, whatever the dtype.
    let shift = y.zero_extended();
    let beyond = shift >= u64::from(T::BITS);
    match op {
        BinaryOp::Add => T::wrapped(a + b),
        BinaryOp::Sub => T::wrapped(a - b),
        BinaryOp::Mul => T::wrapped(a.wrapping_mul(b)),
        BinaryOp::Div => T::wrapped(if b == 0 { -1 } else { a / b }),
        BinaryOp::Rem => T::wrapped(if b == 0 { a } else { a % b }),
        BinaryOp::Max => x.max(y),
        BinaryOp::Min => x.min(y),
        BinaryOp::And => T::wrapped(a & b),
        BinaryOp::Or => T::wrapped(a | b),
        BinaryOp::Xor => T::wrapped(a ^ b),
        BinaryOp::ShiftLeft => T::wrapped(if beyond { 0 } else { a << shift }),
        BinaryOp::ShiftRightLogical => T::wrapped(if beyond { 0 } else { i128::from(x.zero_extended() >> shift) }),
        BinaryOp::ShiftRightArithmetic => {
            // As a signed integer of the same width, unsigned dtypes too.
            let unused = 128 - T::BITS;
            let signed = (a << unused) >> unused;
            T::wrapped(signed >> shift.min(u64::from(T::BITS - 1)))
        }
        BinaryOp::MulNoNan | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => {
            unreachable!("the shape rule refuses integers for {op:?}")
        }
    }
}

pub(super) fn float_binary(op: BinaryOp, x: f64, y: f64) -> f64 {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::MulNoNan => {
            if x == 0.0 {
                0.0
            } else {
                x * y
            }
        }
        BinaryOp::Div => x / y,
        BinaryOp::Rem => x % y,
        BinaryOp::Pow => x.powf(y),
        BinaryOp::Max => {
            if x > y || x.is_nan() {
                x
            } else {
                y
            }
        }
        BinaryOp::Min => {
            if x < y || x.is_nan() {
                x
            } else {
                y
            }
        }
        BinaryOp::Atan2 => x.atan2(y),
        BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => unreachable!("{op:?} is no function of real numbers"),
    }
}

/// The neighbour of `x` towards `y`, on the bits: sign and magnitude order floats.
fn next_after<T: Float>(x: T, y: T) -> T {
    let (a, b) = (x.to_f64(), y.to_f64());
    if a.is_nan() || b.is_nan() {
        return T::from_f64(f64::NAN);
    }
    if a == b {
        return y;
    }
    let sign = 1_u64 << (8 * T::DTYPE.size_bytes() - 1);
    if a == 0.0 {
        return <T as Element>::from_bits(if b > 0.0 { 1 } else { sign | 1 });
    }
    let bits = x.to_scalar().bits();
    let away_from_zero = (b > a) == (a > 0.0);
    let next = if away_from_zero { bits + 1 } else { bits - 1 };
    <T as Element>::from_bits(Scalar::from_bits(T::DTYPE, next).bits())
}
