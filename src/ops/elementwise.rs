//! Elementwise functions of one and two operands, as methods and free functions.
//!
//! Operands of two-operand functions broadcast as in NumPy and must have one dtype; a number takes the
//! tensor's. Angles are in radians. Real functions give NaN outside their domain.

use super::value::{Value, pair};
use super::{known, mistake};
use crate::Tensor;
use crate::tensor::{IntoTensor, binary, compare, full, unary};
use crate::trace::emit1;
use jx_ir::{BinaryOp, CompareOp, DType, DTypeKind, Prim, UnaryOp};
use std::ops;
use std::panic::Location;

macro_rules! unary_functions {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        impl Tensor {
            $(
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $name(self) -> Tensor {
                    unary(UnaryOp::$op, self, Location::caller())
                }
            )*
        }
        $(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(x: Tensor) -> Tensor {
                x.$name()
            }
        )*
    };
}
unary_functions! {
    /// `-x`; wraps for integers.
    negative Neg;
    /// `|x|`; its derivative at 0 is 0.
    abs Abs;
    /// -1, 0 or 1 as `x` is below, at or above 0.
    sign Sign;
    /// The greatest integer not above `x`.
    floor Floor;
    /// The least integer not below `x`.
    ceil Ceil;
    /// The nearest integer, halves to even as in NumPy.
    round RoundEven;
    /// How many bits are set, for integers.
    population_count PopulationCount;
    /// How many bits above the highest set one are clear, for integers.
    clz Clz;
    /// Every bit, or a truth value, inverted.
    bitwise_not Not;
    /// `x²`.
    square Square;
    /// `√x`.
    sqrt Sqrt;
    /// `1/√x`.
    rsqrt Rsqrt;
    /// `∛x`, of the sign of `x`.
    cbrt Cbrt;
    /// `eˣ`.
    exp Exp;
    /// `2ˣ`.
    exp2 Exp2;
    /// `eˣ - 1`, accurate near 0.
    expm1 Expm1;
    /// `ln x`.
    log Log;
    /// `ln(1 + x)`, accurate near 0.
    log1p Log1p;
    /// `sin x`.
    sin Sin;
    /// `cos x`.
    cos Cos;
    /// `tan x`.
    tan Tan;
    /// `arcsin x`, in [-π/2, π/2].
    asin Asin;
    /// `arccos x`, in [0, π].
    acos Acos;
    /// `arctan x`, in [-π/2, π/2].
    atan Atan;
    /// `sinh x`.
    sinh Sinh;
    /// `cosh x`.
    cosh Cosh;
    /// `tanh x`.
    tanh Tanh;
    /// `arsinh x`.
    asinh Asinh;
    /// `arcosh x`.
    acosh Acosh;
    /// `artanh x`.
    atanh Atanh;
    /// The error function `2/√π ∫₀ˣ e^(-t²) dt`.
    erf Erf;
    /// `1 - erf x`, accurate for large `x`.
    erfc Erfc;
    /// The inverse of [`erf`].
    erf_inv ErfInv;
    /// `ln |Γ(x)|`.
    lgamma Lgamma;
    /// `d/dx ln Γ(x)`.
    digamma Digamma;
}

macro_rules! composed_unary {
    ($($(#[$doc:meta])* $name:ident |$x:ident| $body:expr;)*) => {
        impl Tensor {
            $(
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $name(self) -> Tensor {
                    let $x = self;
                    $body
                }
            )*
        }
        $(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(x: Tensor) -> Tensor {
                x.$name()
            }
        )*
    };
}
composed_unary! {
    /// `1/x`.
    reciprocal |x| 1.0 / x;
    /// `log₂ x`.
    log2 |x| x.log() / std::f64::consts::LN_2;
    /// `log₁₀ x`.
    log10 |x| x.log() / std::f64::consts::LN_10;
    /// Whether `x` is neither infinite nor NaN; true of every integer and truth value.
    is_finite |x| if x.dtype().is_float() || x.is_poison() {
        unary(UnaryOp::IsFinite, x, Location::caller())
    } else {
        full(&x.shape(), DType::Bool, 1.0)
    };
    /// Whether `x` is NaN.
    is_nan |x| x.not_equal(x);
    /// Whether `x` is infinite, of either sign.
    is_inf |x| if x.dtype().is_float() || x.is_poison() {
        x.abs().equal(f64::INFINITY)
    } else {
        full(&x.shape(), DType::Bool, 0.0)
    };
}

impl Tensor {
    /// The values in another dtype. Float to integer truncates and saturates, NaN to 0; integer to integer
    /// wraps; anything to `bool` is `x ≠ 0`; to a float rounds to nearest, ties to even.
    #[track_caller]
    #[must_use]
    pub fn astype(self, dtype: DType) -> Tensor {
        if self.dtype() == dtype && !self.is_poison() {
            return self;
        }
        emit1(Prim::Convert { dtype }, &[self], Location::caller())
    }

    /// The tensor as it is, but with zero derivative.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let g = jit(grad(|x: Tensor| x * x.stop_gradient()));
    /// assert_eq!(g.call(3.0_f32)?.item::<f32>()?, 3.0);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn stop_gradient(self) -> Tensor {
        emit1(Prim::StopGradient, &[self], Location::caller())
    }

    /// `xⁿ` by repeated multiplication; a negative `n` needs a float dtype.
    #[track_caller]
    #[must_use]
    pub fn powi(self, exponent: i32) -> Tensor {
        emit1(Prim::IntegerPow { exponent }, &[self], Location::caller())
    }

    /// `xʸ` for a number `y`, on floats.
    #[track_caller]
    #[must_use]
    pub fn powf(self, exponent: f64) -> Tensor {
        self.pow(exponent)
    }

    /// `(sin x, cos x)`.
    #[track_caller]
    #[must_use]
    pub fn sin_cos(self) -> (Tensor, Tensor) {
        (self.sin(), self.cos())
    }
}

/// The tensor as it is, but with zero derivative.
#[track_caller]
#[must_use]
pub fn stop_gradient(x: Tensor) -> Tensor {
    x.stop_gradient()
}

macro_rules! binary_functions {
    ($($(#[$doc:meta])* $name:ident($x:ident, $y:ident) $op:literal => $body:expr;)*) => {
        impl Tensor {
            $(
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $name(self, y: impl IntoTensor) -> Tensor {
                    let ($x, $y) = (self, y.into_tensor(self, $op, Location::caller()));
                    $body
                }
            )*
        }
        $(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(x: impl Value, y: impl Value) -> Tensor {
                let [x, y] = pair(x, y, $op, Location::caller());
                x.$name(y)
            }
        )*
    };
}
binary_functions! {
    /// The greater of the two, elementwise; NaN if either is. Equal operands share the cotangent.
    maximum(x, y) "max" => binary(BinaryOp::Max, x, y, Location::caller());
    /// The lesser of the two, elementwise; NaN if either is. Equal operands share the cotangent.
    minimum(x, y) "min" => binary(BinaryOp::Min, x, y, Location::caller());
    /// `xʸ` on floats; NaN for a negative `x` and a `y` that is no integer. `x⁰` is 1.
    pow(x, y) "pow" => binary(BinaryOp::Pow, x, y, Location::caller());
    /// The angle of the point `(y, x)` for operands `y, x`, in [-π, π]; its gradient at the origin is 0.
    atan2(x, y) "atan2" => binary(BinaryOp::Atan2, x, y, Location::caller());
    /// The next value after `x` in the direction of `y`.
    nextafter(x, y) "nextafter" => binary(BinaryOp::NextAfter, x, y, Location::caller());
    /// The remainder of truncated division, of the sign of `x`: the operator `%`.
    fmod(x, y) "rem" => binary(BinaryOp::Rem, x, y, Location::caller());
    /// The remainder of floored division, of the sign of `y`: NumPy's `%`.
    remainder(x, y) "remainder" => floored_remainder(x, y);
    /// `⌊x / y⌋`: NumPy's `//`.
    floor_divide(x, y) "floor_divide" => floored_quotient(x, y);
    /// `√(x² + y²)` without overflow; its gradient at the origin is 0.
    hypot(x, y) "hypot" => hypotenuse(x, y);
    /// `ln(eˣ + eʸ)` without overflow.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let g = jit(grad(|x: Tensor| x.logaddexp(0.0)));
    /// assert_eq!(g.call(0.0_f64)?.item::<f64>()?, 0.5);
    /// # Ok::<(), jx::Error>(())
    /// ```
    logaddexp(x, y) "logaddexp" => log_of_sum(x, y);
    /// `x` with its bits moved up by `y`: the operator `<<`.
    left_shift(x, y) "shift_left" => binary(BinaryOp::ShiftLeft, x, y, Location::caller());
    /// `x` with its bits moved down by `y`: the operator `>>`. Signed integers keep their sign.
    right_shift(x, y) "shift_right" => if x.dtype().kind() == DTypeKind::Signed {
        binary(BinaryOp::ShiftRightArithmetic, x, y, Location::caller())
    } else {
        binary(BinaryOp::ShiftRightLogical, x, y, Location::caller())
    };
    /// The bits set in both.
    bitwise_and(x, y) "and" => binary(BinaryOp::And, x, y, Location::caller());
    /// The bits set in either.
    bitwise_or(x, y) "or" => binary(BinaryOp::Or, x, y, Location::caller());
    /// The bits set in one of the two.
    bitwise_xor(x, y) "xor" => binary(BinaryOp::Xor, x, y, Location::caller());
}

/// `x rem y`, moved by `y` where its sign is not that of `y`.
#[track_caller]
fn floored_remainder(x: Tensor, y: Tensor) -> Tensor {
    let r = x % y;
    if x.dtype().kind() == DTypeKind::Unsigned {
        return r;
    }
    let moved = r.not_equal(0) & r.less(0).not_equal(y.less(0));
    super::numpy::where_(moved, r + y, r)
}

/// The truncated quotient, less 1 where the division leaves a rest of the other sign.
#[track_caller]
fn floored_quotient(x: Tensor, y: Tensor) -> Tensor {
    match x.dtype().kind() {
        DTypeKind::Unsigned => x / y,
        DTypeKind::Bool => {
            mistake("floor_divide", "works on numbers, not on bool".to_owned(), Location::caller(), &[x])
        }
        DTypeKind::Signed => {
            let q = x / y;
            let r = x % y;
            super::numpy::where_(r.not_equal(0) & r.less(0).not_equal(y.less(0)), q - 1, q)
        }
        DTypeKind::Float => {
            // x - (x mod y) is a multiple of y up to rounding, so rounding its quotient is exact.
            let r = floored_remainder(x, y);
            super::numpy::where_(r.is_nan(), (x / y).floor(), ((x - r) / y).round())
        }
    }
}

/// Both operands divided by the greater magnitude, which the derivative may take as constant: the
/// function is homogeneous.
#[track_caller]
fn hypotenuse(x: Tensor, y: Tensor) -> Tensor {
    let place = Location::caller();
    if known(x, place).is_none() || known(y, place).is_none() {
        return Tensor::POISON;
    }
    let greatest = x.abs().maximum(y.abs()).stop_gradient();
    let scale = super::numpy::where_(greatest.is_finite() & greatest.greater(0.0), greatest, 1.0);
    let (u, v) = (x / scale, y / scale);
    let infinite = x.is_inf() | y.is_inf();
    super::numpy::where_(infinite, f64::INFINITY, scale * root_of_square(u.square() + v.square()))
}

/// `√s` for `s ≥ 0`, with derivative 0 at 0: for norms and deviations, where `s` is a sum of squares.
#[track_caller]
pub(crate) fn root_of_square(s: Tensor) -> Tensor {
    let zero = s.equal(0.0);
    super::numpy::where_(zero, 0.0, super::numpy::where_(zero, 1.0, s).sqrt())
}

/// `hi + ln(1 + e^(lo - hi))`. Which is which is a selection, not a maximum: both choices are the same
/// smooth function, so derivatives of every order are right at a tie.
#[track_caller]
fn log_of_sum(x: Tensor, y: Tensor) -> Tensor {
    let first = compare(CompareOp::Ge, x, y, Location::caller());
    let hi = super::numpy::where_(first, x, y);
    let lo = super::numpy::where_(first, y, x);
    let finite = hi.is_finite();
    let (h, l) = (super::numpy::where_(finite, hi, 0.0), super::numpy::where_(finite, lo, 0.0));
    super::numpy::where_(finite, h + (l - h).exp().log1p(), hi)
}

impl<Y: IntoTensor> ops::Shl<Y> for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn shl(self, rhs: Y) -> Tensor {
        self.left_shift(rhs)
    }
}

impl<Y: IntoTensor> ops::Shr<Y> for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn shr(self, rhs: Y) -> Tensor {
        self.right_shift(rhs)
    }
}

macro_rules! shifts_of_numbers {
    ($($t:ty),*) => {$(
        impl ops::Shl<Tensor> for $t {
            type Output = Tensor;
            #[track_caller]
            fn shl(self, rhs: Tensor) -> Tensor {
                left_shift(self, rhs)
            }
        }
        impl ops::Shr<Tensor> for $t {
            type Output = Tensor;
            #[track_caller]
            fn shr(self, rhs: Tensor) -> Tensor {
                right_shift(self, rhs)
            }
        }
    )*};
}
shifts_of_numbers!(i8, i16, i32, i64, u8, u16, u32, u64, usize, &crate::Array);
