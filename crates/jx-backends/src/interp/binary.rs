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
        | BinaryOp::Min => true,
        BinaryOp::Pow
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
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
        BinaryOp::MulNoNan => zip(x, y, |a: T, b: T| if a == T::ZERO { T::ZERO } else { a * b }),
        BinaryOp::Div => zip(x, y, |a: T, b: T| a / b),
        BinaryOp::Rem => zip(x, y, |a: T, b: T| a % b),
        BinaryOp::Max => zip(x, y, max::<T>),
        BinaryOp::Min => zip(x, y, min::<T>),
        BinaryOp::Pow
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => return only(&Prim::Binary(op), &[x.array(), y.array()]),
    })
}

/// The greater; NaN if either is.
pub(super) fn max<T: Real>(a: T, b: T) -> T {
    if a > b || a.is_nan() { a } else { b }
}

/// The lesser; NaN if either is.
pub(super) fn min<T: Real>(a: T, b: T) -> T {
    if a < b || a.is_nan() { a } else { b }
}
