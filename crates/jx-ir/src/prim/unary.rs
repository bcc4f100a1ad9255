//! Elementwise functions of one operand.

use super::op_enum;
use crate::error::dtype_error;
use crate::{DType, DTypeKind, TensorType, TypeError};

op_enum! {
    /// An elementwise function of one operand. Real functions give NaN outside their domain; angles
    /// are in radians.
    UnaryOp {
        /// `-x`; wraps for integers.
        Neg = "neg",
        /// `|x|`; the least signed integer stays itself, unsigned ones too.
        Abs = "abs",
        /// -1, 0 or 1 as `x` is below, at or above 0; `±0.0` and NaN give themselves.
        Sign = "sign",
        /// The greatest integer not above `x`.
        Floor = "floor",
        /// The least integer not below `x`.
        Ceil = "ceil",
        /// The nearest integer, halves away from zero.
        Round = "round",
        /// The nearest integer, halves to even.
        RoundEven = "round_even",
        /// Whether `x` is neither infinite nor NaN, as `bool`.
        IsFinite = "is_finite",
        /// The complement: of each bit, or of a truth value.
        Not = "not",
        /// How many bits are set.
        PopulationCount = "population_count",
        /// How many bits above the highest set one are clear; the width for 0.
        Clz = "clz",
        /// `x²`.
        Square = "square",
        /// `√x`; NaN below 0.
        Sqrt = "sqrt",
        /// `1/√x`.
        Rsqrt = "rsqrt",
        /// `∛x`, of the sign of `x`.
        Cbrt = "cbrt",
        /// `eˣ`.
        Exp = "exp",
        /// `2ˣ`.
        Exp2 = "exp2",
        /// `eˣ - 1`, accurate near 0.
        Expm1 = "expm1",
        /// `ln x`; `-inf` at 0, NaN below.
        Log = "log",
        /// `ln(1 + x)`, accurate near 0; NaN below -1.
        Log1p = "log1p",
        /// `sin x`.
        Sin = "sin",
        /// `cos x`.
        Cos = "cos",
        /// `tan x`.
        Tan = "tan",
        /// `arcsin x`, in [-π/2, π/2].
        Asin = "asin",
        /// `arccos x`, in [0, π].
        Acos = "acos",
        /// `arctan x`, in [-π/2, π/2].
        Atan = "atan",
        /// `sinh x`.
        Sinh = "sinh",
        /// `cosh x`.
        Cosh = "cosh",
        /// `tanh x`.
        Tanh = "tanh",
        /// `arsinh x`.
        Asinh = "asinh",
        /// `arcosh x`; NaN below 1.
        Acosh = "acosh",
        /// `artanh x`; NaN beyond ±1.
        Atanh = "atanh",
        /// `1/(1 + e⁻ˣ)`.
        Logistic = "logistic",
        /// The error function `2/√π ∫₀ˣ e^(-t²) dt`.
        Erf = "erf",
        /// `1 - erf x`, accurate for large `x`.
        Erfc = "erfc",
        /// The inverse of `erf` on (-1, 1); ±inf at ±1, NaN beyond.
        ErfInv = "erf_inv",
        /// `ln |Γ(x)|`.
        Lgamma = "lgamma",
        /// `d/dx ln Γ(x)`.
        Digamma = "digamma",
    }
}

/// The kinds of dtype that an op works on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Domain {
    Float,
    Numeric,
    Int,
    BoolOrInt,
}

impl UnaryOp {
    fn domain(self) -> Domain {
        match self {
            UnaryOp::Neg | UnaryOp::Square | UnaryOp::Sign | UnaryOp::Abs => Domain::Numeric,
            UnaryOp::Not => Domain::BoolOrInt,
            UnaryOp::PopulationCount | UnaryOp::Clz => Domain::Int,
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
            | UnaryOp::Digamma => Domain::Float,
        }
    }

    /// Whether the op works on a dtype.
    #[must_use]
    pub fn accepts(self, dtype: DType) -> bool {
        let kind = dtype.kind();
        match self.domain() {
            Domain::Float => kind == DTypeKind::Float,
            Domain::Numeric => kind != DTypeKind::Bool,
            Domain::Int => dtype.is_int(),
            Domain::BoolOrInt => kind != DTypeKind::Float,
        }
    }
}

pub(super) fn infer(op: UnaryOp, x: &TensorType) -> Result<TensorType, TypeError> {
    if !op.accepts(x.dtype) {
        let expected = match op.domain() {
            Domain::Float => "floats",
            Domain::Numeric => "numbers",
            Domain::Int => "integers",
            Domain::BoolOrInt => "truth values and integers",
        };
        return Err(dtype_error(op.name(), expected, x));
    }
    Ok(if op == UnaryOp::IsFinite { x.with_dtype(DType::Bool) } else { x.clone() })
}

pub(super) fn infer_integer_pow(exponent: i32, x: &TensorType) -> Result<TensorType, TypeError> {
    if x.dtype == DType::Bool {
        return Err(dtype_error("integer_pow", "numbers", x));
    }
    if exponent < 0 && !x.dtype.is_float() {
        return Err(dtype_error("integer_pow", "floats when the exponent is negative", x));
    }
    Ok(x.clone())
}
