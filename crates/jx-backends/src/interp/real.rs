//! What the kernels ask of `f32` and `f64`.

use jx_ir::Element;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Rem, Sub};

/// A float dtype with kernels.
pub(super) trait Real:
    Element
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    const ZERO: Self;
    const ONE: Self;
    const INFINITY: Self;
    fn to_f64(self) -> f64;
    fn from_f64(x: f64) -> Self;
    fn is_nan(self) -> bool;
    fn is_finite(self) -> bool;
    /// Whether its sign is minus, also of a zero.
    fn is_negative(self) -> bool;
    fn abs(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn round(self) -> Self;
    fn round_even(self) -> Self;
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn exp2(self) -> Self;
    fn ln(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;

    /// A function that is computed in `f64`, where its `f32` form is off by more than 2 units in the
    /// last place on some platforms.
    fn via_f64(self, f: impl Fn(f64) -> f64) -> Self {
        Self::from_f64(f(self.to_f64()))
    }
}

macro_rules! real {
    ($t:ident, $to:expr, $from:expr) => {
        impl Real for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const INFINITY: $t = $t::INFINITY;
            fn to_f64(self) -> f64 {
                $to(self)
            }
            fn from_f64(x: f64) -> $t {
                $from(x)
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn is_finite(self) -> bool {
                self.is_finite()
            }
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            fn abs(self) -> $t {
                self.abs()
            }
            fn floor(self) -> $t {
                self.floor()
            }
            fn ceil(self) -> $t {
                self.ceil()
            }
            fn round(self) -> $t {
                self.round()
            }
            fn round_even(self) -> $t {
                self.round_ties_even()
            }
            fn sqrt(self) -> $t {
                self.sqrt()
            }
            fn exp(self) -> $t {
                self.exp()
            }
            fn exp2(self) -> $t {
                self.exp2()
            }
            fn ln(self) -> $t {
                self.ln()
            }
            fn sin(self) -> $t {
                self.sin()
            }
            fn cos(self) -> $t {
                self.cos()
            }
        }
    };
}

real!(f32, f64::from, |x: f64| x as f32);
real!(f64, |x: f64| x, |x: f64| x);
