//! Elementwise functions of one operand.

use super::numbers::{Float, Int, by_kind, map};
use super::special;
use crate::{Array, UnaryOp};

pub(super) fn unary(op: UnaryOp, x: &Array) -> Array {
    by_kind!(x.dtype(),
    bool => map::<bool, bool>(x, |x| !x),
    int T => if op == UnaryOp::PopulationCount || op == UnaryOp::Clz {
        let f = if op == UnaryOp::Clz { clz::<T> } else { population_count::<T> };
        map::<T, T>(x, f)
    } else {
        map::<T, T>(x, |x| int_unary(op, x))
    },
    float T => if op == UnaryOp::IsFinite {
        map::<T, bool>(x, |x| Float::to_f64(x).is_finite())
    } else {
        map::<T, T>(x, |x| <T as Float>::from_f64(float_unary(op, Float::to_f64(x))))
    })
}

fn clz<T: Int>(x: T) -> T {
    T::wrapped(i128::from(x.zero_extended().leading_zeros() - (64 - T::BITS)))
}

fn population_count<T: Int>(x: T) -> T {
    T::wrapped(i128::from(x.zero_extended().count_ones()))
}

fn int_unary<T: Int>(op: UnaryOp, x: T) -> T {
    let v = x.to_i128();
    match op {
        UnaryOp::Neg => T::wrapped(-v),
        UnaryOp::Abs => T::wrapped(v.abs()),
        UnaryOp::Sign => T::wrapped(v.signum()),
        UnaryOp::Square => T::wrapped(v.wrapping_mul(v)),
        UnaryOp::Not => T::wrapped(!v),
        UnaryOp::PopulationCount => population_count(x),
        UnaryOp::Clz => clz(x),
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
        | UnaryOp::Digamma => unreachable!("the shape rule refuses integers for {op:?}"),
    }
}

fn float_unary(op: UnaryOp, x: f64) -> f64 {
    match op {
        UnaryOp::Neg => -x,
        UnaryOp::Abs => x.abs(),
        UnaryOp::Sign if x == 0.0 || x.is_nan() => x,
        UnaryOp::Sign => x.signum(),
        UnaryOp::Floor => x.floor(),
        UnaryOp::Ceil => x.ceil(),
        UnaryOp::Round => x.round(),
        UnaryOp::RoundEven => x.round_ties_even(),
        UnaryOp::Square => x * x,
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Rsqrt => 1.0 / x.sqrt(),
        UnaryOp::Cbrt => x.cbrt(),
        UnaryOp::Exp => x.exp(),
        UnaryOp::Exp2 => x.exp2(),
        UnaryOp::Expm1 => x.exp_m1(),
        UnaryOp::Log => x.ln(),
        UnaryOp::Log1p => x.ln_1p(),
        UnaryOp::Sin => x.sin(),
        UnaryOp::Cos => x.cos(),
        UnaryOp::Tan => x.tan(),
        UnaryOp::Asin => x.asin(),
        UnaryOp::Acos => x.acos(),
        UnaryOp::Atan => x.atan(),
        UnaryOp::Sinh => x.sinh(),
        UnaryOp::Cosh => x.cosh(),
        UnaryOp::Tanh => x.tanh(),
        // The libm forms, which neither lose small arguments nor overflow on large ones.
        UnaryOp::Asinh => libm::asinh(x),
        UnaryOp::Acosh => libm::acosh(x),
        UnaryOp::Atanh => libm::atanh(x),
        UnaryOp::Logistic => special::logistic(x),
        UnaryOp::Erf => libm::erf(x),
        UnaryOp::Erfc => libm::erfc(x),
        UnaryOp::ErfInv => special::erf_inv(x),
        UnaryOp::Lgamma => libm::lgamma(x),
        UnaryOp::Digamma => special::digamma(x),
        UnaryOp::Not | UnaryOp::PopulationCount | UnaryOp::Clz | UnaryOp::IsFinite => {
            unreachable!("{op:?} does not map floats to floats")
        }
    }
}

pub(super) fn integer_pow(exponent: i32, x: &Array) -> Array {
    by_kind!(x.dtype(),
    bool => unreachable!("the shape rule refuses bool for integer_pow"),
    int T => map::<T, T>(x, |x| {
        power(x, exponent.unsigned_abs(), T::ONE, |a: T, b: T| T::wrapped(a.to_i128() * b.to_i128()))
    }),
    float T => map::<T, T>(x, |x| {
        let y = power(Float::to_f64(x), exponent.unsigned_abs(), 1.0, |a, b| a * b);
        <T as Float>::from_f64(if exponent < 0 { 1.0 / y } else { y })
    }))
}

/// `xⁿ` by repeated squaring.
fn power<T: Copy>(x: T, mut n: u32, one: T, mul: impl Fn(T, T) -> T) -> T {
    let (mut square, mut y) = (x, one);
    while n > 0 {
        if n & 1 == 1 {
            y = mul(y, square);
        }
        n >>= 1;
        if n > 0 {
            square = mul(square, square);
        }
    }
    y
}
