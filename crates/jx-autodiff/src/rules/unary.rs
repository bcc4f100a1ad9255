//! Derivatives of the elementwise functions of one operand, and of integer powers.
//!
//! Each is written so that it keeps every value that can be represented: from the input where the
//! result has lost it (`tanh`, `expm1`, `logistic`), without squares that overflow. They are
//! differentiated again for higher orders, so a smooth function's derivative has no kink (`abs`, `max`)
//! where it is used.

mod polygamma;

use super::scale;
use crate::AutodiffError;
use jx_ir::{Builder, CompareOp, DType, UnaryOp, Var};
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2};

/// The tangent of `y = op(x)`: the local derivative, from `x` or `y`, times `dx`.
pub(super) fn jvp(b: &mut Builder, op: UnaryOp, x: Var, y: Var, dx: Var) -> Result<Option<Var>, AutodiffError> {
    let d = match op {
        // d(-x) = -dx
        UnaryOp::Neg => return Ok(Some(b.neg(dx))),
        // Piecewise constant, or not of floats.
        UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite
        | UnaryOp::Not
        | UnaryOp::PopulationCount
        | UnaryOp::Clz => return Ok(None),
        // |x|' = sign x, which is 0 at 0
        UnaryOp::Abs => b.sign(x),
        // (x²)' = 2x
        UnaryOp::Square => b.add(x, x),
        // (√x)' = ½/√x
        UnaryOp::Sqrt => {
            let half = b.full_like(x, 0.5);
            b.div(half, y)
        }
        // (1/√x)' = -½ (1/√x)/x
        UnaryOp::Rsqrt => {
            let q = b.div(y, x);
            times(b, q, -0.5)
        }
        // (∛x)' = 1/(3 ∛x²)
        UnaryOp::Cbrt => {
            let squared = b.mul(y, y);
            let denominator = times(b, squared, 3.0);
            reciprocal(b, denominator)
        }
        // (eˣ)' = eˣ
        UnaryOp::Exp => y,
        // (2ˣ)' = ln 2 · 2ˣ
        UnaryOp::Exp2 => times(b, y, LN_2),
        // (eˣ - 1)' = eˣ; y + 1 would be 0 at -40
        UnaryOp::Expm1 => b.exp(x),
        // (ln x)' = 1/x
        UnaryOp::Log => reciprocal(b, x),
        // (ln(1 + x))' = 1/(1 + x)
        UnaryOp::Log1p => {
            let one = b.full_like(x, 1.0);
            let denominator = b.add(one, x);
            reciprocal(b, denominator)
        }
        // sin' = cos
        UnaryOp::Sin => b.cos(x),
        // cos' = -sin
        UnaryOp::Cos => {
            let sin = b.sin(x);
            b.neg(sin)
        }
        // tan' = 1 + tan²
        UnaryOp::Tan => {
            let one = b.full_like(x, 1.0);
            let squared = b.square(y);
            b.add(one, squared)
        }
        // arcsin' = 1/√(1 - x²)
        UnaryOp::Asin => {
            let u = one_minus_square(b, x);
            b.rsqrt(u)
        }
        // arccos' = -1/√(1 - x²)
        UnaryOp::Acos => {
            let u = one_minus_square(b, x);
            let root = b.rsqrt(u);
            b.neg(root)
        }
        UnaryOp::Atan => atan_derivative(b, x),
        // sinh' = cosh
        UnaryOp::Sinh => b.cosh(x),
        // cosh' = sinh
        UnaryOp::Cosh => b.sinh(x),
        UnaryOp::Tanh => tanh_derivative(b, x, y),
        UnaryOp::Asinh => asinh_derivative(b, x),
        // arcosh' = 1/(√(x-1) √(x+1)): x² would overflow, and x² - 1 cancels near 1
        UnaryOp::Acosh => {
            let one = b.full_like(x, 1.0);
            let (below, above) = (b.sub(x, one), b.add(x, one));
            let (below, above) = (b.sqrt(below), b.sqrt(above));
            let product = b.mul(below, above);
            reciprocal(b, product)
        }
        // artanh' = 1/(1 - x²)
        UnaryOp::Atanh => {
            let u = one_minus_square(b, x);
            reciprocal(b, u)
        }
        // σ' = σ(x) σ(-x); 1 - σ(x) would be 0 at 40
        UnaryOp::Logistic => {
            let minus_x = b.neg(x);
            let other = b.logistic(minus_x);
            b.mul(y, other)
        }
        // erf' = 2/√π e^(-x²)
        UnaryOp::Erf => gaussian(b, x, FRAC_2_SQRT_PI),
        UnaryOp::Erfc => gaussian(b, x, -FRAC_2_SQRT_PI),
        // (erf⁻¹)' = 1/erf'(y) = √π/2 e^(y²)
        UnaryOp::ErfInv => {
            let squared = b.square(y);
            let e = b.exp(squared);
            times(b, e, 1.0 / FRAC_2_SQRT_PI)
        }
        // (ln |Γ|)' = ψ
        UnaryOp::Lgamma => b.unary(UnaryOp::Digamma, x),
        UnaryOp::Digamma => polygamma::trigamma(b, x),
    };
    Ok(Some(scale(b, dx, d)))
}

/// The tangent of `y = xⁿ`: n xⁿ⁻¹ dx.
pub(super) fn integer_pow_jvp(b: &mut Builder, exponent: i32, x: Var, y: Var, dx: Var) -> Option<Var> {
    let d = match exponent {
        0 => return None,
        1 => return Some(dx),
        2 => b.add(x, x),
        // (1/x)' = -y²: x² would overflow to 0 where 1/x² is subnormal
        -1 => {
            let squared = b.mul(y, y);
            b.neg(squared)
        }
        n => match n.checked_sub(1) {
            Some(below) => {
                let power = b.integer_pow(x, below);
                times(b, power, f64::from(n))
            }
            None => {
                let power = b.div(y, x);
                times(b, power, f64::from(n))
            }
        },
    };
    Some(scale(b, dx, d))
}

/// Of this family only negation is linear.
pub(super) fn transpose(b: &mut Builder, op: UnaryOp, ct: Var) -> Result<Vec<Option<Var>>, AutodiffError> {
    match op {
        UnaryOp::Neg => Ok(vec![Some(b.neg(ct))]),
        UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite
        | UnaryOp::Not
        | UnaryOp::PopulationCount
        | UnaryOp::Clz
        | UnaryOp::Square
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
        | UnaryOp::Digamma => Err(AutodiffError::NotLinear { prim: op.name() }),
    }
}

fn times(b: &mut Builder, x: Var, factor: f64) -> Var {
    let factor = b.full_like(x, factor);
    b.mul(x, factor)
}

fn reciprocal(b: &mut Builder, x: Var) -> Var {
    let one = b.full_like(x, 1.0);
    b.div(one, x)
}

/// `c · e^(-x²)`.
fn gaussian(b: &mut Builder, x: Var, c: f64) -> Var {
    let squared = b.square(x);
    let exponent = b.neg(squared);
    let e = b.exp(exponent);
    times(b, e, c)
}

/// `1 - x²`, and accurate derivatives of it: as `(1-x)(1+x)` it does not cancel near ±1, and as `1 - x²`
/// its own derivative, `-2x`, does not cancel near 0.
fn one_minus_square(b: &mut Builder, x: Var) -> Var {
    let (one, quarter) = (b.full_like(x, 1.0), b.full_like(x, 0.25));
    let squared = b.square(x);
    let small = b.compare(CompareOp::Lt, squared, quarter);
    let direct = b.sub(one, squared);
    let (below, above) = (b.sub(one, x), b.add(one, x));
    let product = b.mul(below, above);
    b.select(small, direct, product)
}

/// `tanh' = sech² = 1 - tanh²` near 0, and `4e/(1+e)²` with `e = e^(-2|x|)` elsewhere, where `1 - tanh²` cancels;
/// there `|x|` has no kink.
fn tanh_derivative(b: &mut Builder, x: Var, y: Var) -> Var {
    let (one, quarter) = (b.full_like(x, 1.0), b.full_like(x, 0.25));
    let squared = b.square(y);
    let small = b.compare(CompareOp::Lt, squared, quarter);
    let near = b.sub(one, squared);
    let distance = b.abs(x);
    let exponent = times(b, distance, -2.0);
    let e = b.exp(exponent);
    let above = b.add(one, e);
    let denominator = b.square(above);
    let numerator = times(b, e, 4.0);
    let far = b.div(numerator, denominator);
    b.select(small, near, far)
}

/// A square so large that adding 1 to it changes nothing: 4 units in the last place of 1, inverted.
/// It does not overflow, nor does the square of a value just above its root.
fn large_square(dtype: DType) -> f64 {
    let digits = match dtype {
        DType::F64 => 52,
        DType::F32 => 23,
        DType::F16 => 10,
        DType::BF16 => 7,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => panic!("only floats have tangents, not {dtype}"),
    };
    2.0_f64.powi(digits + 2)
}

/// `x²`, whether it is large, and `1 + x²`.
fn one_plus_square(b: &mut Builder, x: Var) -> (Var, Var) {
    let limit = large_square(b.dtype(x));
    let (one, limit) = (b.full_like(x, 1.0), b.full_like(x, limit));
    let squared = b.square(x);
    let large = b.gt(squared, limit);
    (large, b.add(one, squared))
}

/// `arctan' = 1/(1 + x²)`; `1/x²` as `(1/x)²` once 1 is lost in `x²`, for `x²` overflows before that vanishes.
fn atan_derivative(b: &mut Builder, x: Var) -> Var {
    let (large, u) = one_plus_square(b, x);
    let near = reciprocal(b, u);
    let inverse = reciprocal(b, x);
    let far = b.square(inverse);
    b.select(large, far, near)
}

/// `arsinh' = 1/√(1 + x²)`; `1/|x|` once 1 is lost in `x²`, where `|x|` has no kink.
fn asinh_derivative(b: &mut Builder, x: Var) -> Var {
    let (large, u) = one_plus_square(b, x);
    let near = b.rsqrt(u);
    let distance = b.abs(x);
    let far = reciprocal(b, distance);
    b.select(large, far, near)
}
