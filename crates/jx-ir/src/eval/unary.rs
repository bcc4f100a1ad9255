//! The meaning of elementwise functions of one operand.

use super::value::{Float, Int, float, int};
use super::{map, special};
use crate::{Array, DTypeKind, UnaryOp};

pub(super) fn unary(op: UnaryOp, x: &Array) -> Array {
    match x.dtype().kind() {
        DTypeKind::Bool => map(x, bool_function(op)),
        DTypeKind::Signed | DTypeKind::Unsigned => int!(x.dtype(), T => map(x, int_function::<T>(op))),
        DTypeKind::Float if op == UnaryOp::IsFinite => float!(x.dtype(), T => map(x, |v: T| v.to_f64().is_finite())),
        DTypeKind::Float => {
            let f = float_function(op);
            float!(x.dtype(), T => map(x, |v: T| <T as Float>::from_f64(f(v.to_f64()))))
        }
    }
}

/// Ends the process on an op that the shape rule lets no element of this kind through to.
fn refused(op: UnaryOp, kind: &str) -> ! {
    panic!("{} has no meaning for {kind}, and its shape rule should say so", op.name())
}

fn bool_function(op: UnaryOp) -> fn(bool) -> bool {
    if op == UnaryOp::Not { |v| !v } else { refused(op, "truth values") }
}

fn int_function<T: Int>(op: UnaryOp) -> fn(T) -> T {
    match op {
        UnaryOp::Neg => T::neg,
        UnaryOp::Abs => T::abs,
        UnaryOp::Sign => T::sign,
        UnaryOp::Not => T::not,
        UnaryOp::PopulationCount => T::population_count,
        UnaryOp::Clz => T::clz,
        UnaryOp::Square => |v| v.mul(v),
        UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Cbrt
        | UnaryOp::Exp
        | UnaryOp::Exp2
        | UnaryOp::Expm1
        | UnaryOp::Log
        | UnaryOp::Log1p
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Logistic
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::Digamma => refused(op, "integers"),
    }
}

/// The function in `f64`. Where std's loses digits that libm's keeps (the inverse hyperbolic ones near
/// their ends), it is libm's.
fn float_function(op: UnaryOp) -> fn(f64) -> f64 {
    match op {
        UnaryOp::Neg => |v| -v,
        UnaryOp::Abs => f64::abs,
        UnaryOp::Sign => |v| if v == 0.0 || v.is_nan() { v } else { v.signum() },
        UnaryOp::Floor => f64::floor,
        UnaryOp::Ceil => f64::ceil,
        UnaryOp::Round => f64::round,
        UnaryOp::RoundEven => f64::round_ties_even,
        UnaryOp::Square => |v| v * v,
        UnaryOp::Sqrt => f64::sqrt,
        UnaryOp::Rsqrt => |v| 1.0 / v.sqrt(),
        UnaryOp::Cbrt => f64::cbrt,
        UnaryOp::Exp => f64::exp,
        UnaryOp::Exp2 => f64::exp2,
        UnaryOp::Expm1 => f64::exp_m1,
        UnaryOp::Log => f64::ln,
        UnaryOp::Log1p => f64::ln_1p,
        UnaryOp::Sin => f64::sin,
        UnaryOp::Cos => f64::cos,
        UnaryOp::Tan => f64::tan,
        UnaryOp::Asin => f64::asin,
        UnaryOp::Acos => f64::acos,
        UnaryOp::Atan => f64::atan,
        UnaryOp::Sinh => f64::sinh,
        UnaryOp::Cosh => f64::cosh,
        UnaryOp::Tanh => f64::tanh,
        UnaryOp::Asinh => libm::asinh,
        UnaryOp::Acosh => special::acosh,
        UnaryOp::Atanh => libm::atanh,
        UnaryOp::Logistic => special::logistic,
        UnaryOp::Erf => libm::erf,
        UnaryOp::Erfc => libm::erfc,
        UnaryOp::ErfInv => special::erf_inv,
        UnaryOp::Lgamma => libm::lgamma,
        UnaryOp::Digamma => special::digamma,
        UnaryOp::IsFinite | UnaryOp::Not | UnaryOp::PopulationCount | UnaryOp::Clz => refused(op, "floats"),
    }
}

/// `xⁿ` by repeated squaring: in the dtype for integers, in `f64` for floats.
pub(super) fn integer_pow(exponent: i32, x: &Array) -> Array {
    let n = exponent.unsigned_abs();
    if x.dtype().is_int() {
        return int!(x.dtype(), T => map(x, |v: T| power(v, n, T::ONE, T::mul)));
    }
    float!(x.dtype(), T => map(x, |v: T| {
        let y = power(v.to_f64(), n, 1.0, |a, b| a * b);
        <T as Float>::from_f64(if exponent < 0 { 1.0 / y } else { y })
    }))
}

fn power<T: Copy>(base: T, exponent: u32, one: T, mul: fn(T, T) -> T) -> T {
    let (mut result, mut square, mut n) = (one, base, exponent);
    while n > 0 {
        if n % 2 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        n /= 2;
    }
    result
}

#[cfg(test)]
#[path = "unary_tests.rs"]
mod tests;
