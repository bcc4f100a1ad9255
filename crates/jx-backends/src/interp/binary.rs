//! Elementwise functions of two operands.

use super::arg::{Arg, zip};
use super::real::Real;
use super::unary::only;
use jx_ir::{Array, BinaryOp, EvalError, Prim};

/// Whether [`apply`] takes a splat for one operand.
pub(super) fn takes_splat(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Pow
        | BinaryOp::Atan2 => true,
        BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => false,
    }
}

/// `op(x, y)` for every pair of elements.
pub(super) fn apply<T: Real>(op: BinaryOp, x: Arg<'_>, y: Arg<'_>) -> Result<Array, EvalError> {
    Ok(match op {
        BinaryOp::Add => zip(x, y, |a: T, b: T| a + b),
        BinaryOp::Sub => zip(x, y, |a: T, b: T| a - b),
        BinaryOp::Mul => zip(x, y, |a: T, b: T| a * b),
        BinaryOp::MulNoNan => zip(x, y, mul_no_nan::<T>),
        BinaryOp::Div => zip(x, y, |a: T, b: T| a / b),
        BinaryOp::Rem => zip(x, y, |a: T, b: T| a % b),
        BinaryOp::Max => zip(x, y, max::<T>),
        BinaryOp::Min => zip(x, y, min::<T>),
        BinaryOp::Pow => zip(x, y, |a: T, b: T| a.via_f64(|a| a.powf(b.to_f64()))),
        BinaryOp::Atan2 => zip(x, y, |a: T, b: T| a.via_f64(|a| a.atan2(b.to_f64()))),
        BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => return only(&Prim::Binary(op), &[x.array(), y.array()]),
    })
}

/// The product; 0 where one operand is 0 and the other infinite or NaN.
pub(super) fn mul_no_nan<T: Real>(a: T, b: T) -> T {
    let product = a * b;
    if product.is_nan() && (a == T::ZERO || b == T::ZERO) { T::ZERO } else { product }
}

/// The greater; NaN if either is. `0.0` is above `-0.0`.
pub(super) fn max<T: Real>(a: T, b: T) -> T {
    if a > b || a.is_nan() || (a == b && b.is_negative()) { a } else { b }
}

/// The lesser; NaN if either is. `-0.0` is below `0.0`.
pub(super) fn min<T: Real>(a: T, b: T) -> T {
    if a < b || a.is_nan() || (a == b && a.is_negative()) { a } else { b }
}
