//! Elementwise functions of one operand.

use super::arg::{Arg, map, map_to};
use super::real::Real;
use jx_ir::{Array, EvalError, Prim, UnaryOp, eval_prim};

/// `op(x)` for every element.
pub(super) fn apply<T: Real>(op: UnaryOp, x: Arg<'_>) -> Result<Array, EvalError> {
    Ok(match op {
        UnaryOp::Neg => map(x, |v: T| -v),
        UnaryOp::Abs => map(x, T::abs),
        UnaryOp::Sign => map(x, |v: T| {
            if v > T::ZERO {
                T::ONE
            } else if v < T::ZERO {
                -T::ONE
            } else {
                v
            }
        }),
        UnaryOp::Floor => map(x, T::floor),
        UnaryOp::Ceil => map(x, T::ceil),
        UnaryOp::Round => map(x, T::round),
        UnaryOp::RoundEven => map(x, T::round_even),
        UnaryOp::IsFinite => map_to(&x, T::is_finite),
        UnaryOp::Square => map(x, |v: T| v * v),
        UnaryOp::Sqrt => map(x, T::sqrt),
        UnaryOp::Rsqrt => map(x, |v: T| v.via_f64(|v| 1.0 / v.sqrt())),
        UnaryOp::Cbrt => map(x, |v: T| v.via_f64(f64::cbrt)),
        UnaryOp::Exp => map(x, T::exp),
        UnaryOp::Exp2 => map(x, T::exp2),
        UnaryOp::Expm1 => map(x, |v: T| v.via_f64(f64::exp_m1)),
        UnaryOp::Log => map(x, T::ln),
        UnaryOp::Log1p => map(x, |v: T| v.via_f64(f64::ln_1p)),
        UnaryOp::Sin => map(x, T::sin),
        UnaryOp::Cos => map(x, T::cos),
        UnaryOp::Tan => map(x, |v: T| v.via_f64(f64::tan)),
        UnaryOp::Asin => map(x, |v: T| v.via_f64(f64::asin)),
        UnaryOp::Acos => map(x, |v: T| v.via_f64(f64::acos)),
        UnaryOp::Atan => map(x, |v: T| v.via_f64(f64::atan)),
        UnaryOp::Sinh => map(x, |v: T| v.via_f64(f64::sinh)),
        UnaryOp::Cosh => map(x, |v: T| v.via_f64(f64::cosh)),
        UnaryOp::Tanh => map(x, |v: T| v.via_f64(f64::tanh)),
        // 1/(1 + e⁻ˣ) has no cancellation: e⁻ˣ overflows to infinity where the value is below the
        // least positive f64 anyhow.
        UnaryOp::Logistic => map(x, |v: T| v.via_f64(|v| 1.0 / (1.0 + (-v).exp()))),
        // Rare, or long enough that the loop around them does not matter. `not` and the bit counts are
        // not of floats.
        UnaryOp::Not
        | UnaryOp::PopulationCount
        | UnaryOp::Clz
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::Digamma => return only(&Prim::Unary(op), &[x.array()]),
    })
}

/// `xⁿ` for every element; `1/x⁻ⁿ` for negative `n`.
pub(super) fn integer_pow<T: Real>(exponent: i32, x: Arg<'_>) -> Array {
    // i32::MIN has no opposite; its power is that of one multiplication less, once more.
    let power = |v: f64| match exponent.checked_neg() {
        Some(positive) if exponent < 0 => 1.0 / v.powi(positive),
        Some(_) => v.powi(exponent),
        None => 1.0 / (v.powi(i32::MAX) * v),
    };
    map(x, |v: T| v.via_f64(power))
}

/// The only result of the reference meaning of a primitive.
pub(super) fn only(prim: &Prim, inputs: &[&Array]) -> Result<Array, EvalError> {
    let mut results = eval_prim(prim, inputs)?;
    Ok(results.pop().expect("an elementwise primitive has one result"))
}
