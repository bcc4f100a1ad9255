//! The meaning of elementwise functions of two operands.

use super::value::{Float, Int, Value, any, float, int};
use super::zip;
use crate::{Array, BinaryOp, DTypeKind};

pub(super) fn binary(op: BinaryOp, x: &Array, y: &Array) -> Array {
    let dtype = x.dtype();
    match dtype.kind() {
        // These choose an operand, so there is nothing to round.
        _ if op == BinaryOp::Max => any!(dtype, T => zip(x, y, <T as Value>::greater)),
        _ if op == BinaryOp::Min => any!(dtype, T => zip(x, y, <T as Value>::lesser)),
        DTypeKind::Bool => zip(x, y, bool_function(op)),
        DTypeKind::Signed | DTypeKind::Unsigned => int!(dtype, T => zip(x, y, int_function::<T>(op))),
        DTypeKind::Float if op == BinaryOp::NextAfter => float!(dtype, T => zip(x, y, next_after::<T>)),
        DTypeKind::Float => {
            let f = float_function(op);
            float!(dtype, T => zip(x, y, |v: T, w: T| <T as Float>::from_f64(f(v.to_f64(), w.to_f64()))))
        }
    }
}

/// Ends the process on an op that the shape rule lets no element of this kind through to.
fn refused(op: BinaryOp, kind: &str) -> ! {
    panic!("{} has no meaning for {kind}, and its shape rule should say so", op.name())
}

fn bool_function(op: BinaryOp) -> fn(bool, bool) -> bool {
    match op {
        BinaryOp::And => |x, y| x & y,
        BinaryOp::Or => |x, y| x | y,
        BinaryOp::Xor => |x, y| x ^ y,
        BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Add
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
        | BinaryOp::ShiftRightArithmetic => refused(op, "truth values"),
    }
}

fn int_function<T: Int>(op: BinaryOp) -> fn(T, T) -> T {
    match op {
        BinaryOp::Add => T::add,
        BinaryOp::Sub => T::sub,
        BinaryOp::Mul => T::mul,
        BinaryOp::Div => T::div,
        BinaryOp::Rem => T::rem,
        BinaryOp::And => T::and,
        BinaryOp::Or => T::or,
        BinaryOp::Xor => T::xor,
        BinaryOp::ShiftLeft => T::shift_left,
        BinaryOp::ShiftRightLogical => T::shift_right_logical,
        BinaryOp::ShiftRightArithmetic => T::shift_right_arithmetic,
        BinaryOp::Max | BinaryOp::Min | BinaryOp::MulNoNan | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => {
            refused(op, "integers")
        }
    }
}

/// The function in `f64`. To round a sum, difference, product or quotient of `f32`s there and then to
/// `f32` gives what rounding it at once gives, for an `f64` has more than twice the digits and two.
fn float_function(op: BinaryOp) -> fn(f64, f64) -> f64 {
    match op {
        BinaryOp::Add => |x, y| x + y,
        BinaryOp::Sub => |x, y| x - y,
        BinaryOp::Mul => |x, y| x * y,
        BinaryOp::MulNoNan => |x, y| if (x * y).is_nan() && (x == 0.0 || y == 0.0) { 0.0 } else { x * y },
        BinaryOp::Div => |x, y| x / y,
        BinaryOp::Rem => |x, y| x % y,
        BinaryOp::Pow => f64::powf,
        BinaryOp::Atan2 => f64::atan2,
        BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => refused(op, "floats"),
    }
}

/// The next value after `x` in the direction of `y`: `y` if they are equal, NaN if either is NaN.
fn next_after<T: Float>(x: T, y: T) -> T {
    let (v, w) = (x.to_f64(), y.to_f64());
    if v.is_nan() || w.is_nan() {
        return <T as Float>::from_f64(f64::NAN);
    }
    if v == w {
        return y;
    }
    // Bits of one sign ascend with magnitude.
    let bits = x.to_scalar().bits();
    if v == 0.0 {
        let sign = <T as Float>::from_f64(-0.0).to_scalar().bits();
        return T::from_bits(if w < 0.0 { sign | 1 } else { 1 });
    }
    T::from_bits(if (v < w) == (v > 0.0) { bits + 1 } else { bits - 1 })
}

#[cfg(test)]
#[path = "binary_tests.rs"]
mod tests;
