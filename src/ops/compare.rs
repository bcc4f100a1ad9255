//! Comparisons, logic on truth values, selection and clipping.
//!
//! `x.equal(y)`, `x.less(y)`, … compare elementwise, with the short forms `eq ne lt le gt ge`. Rust's
//! `x == y` on tensors asks whether both are the same value of the trace, and is a plain `bool`.

use super::known;
use super::value::{Value, pair};
use crate::Tensor;
use crate::tensor::{IntoTensor, binary, broadcast_together, compare, require_one_dtype};
use crate::trace::emit1;
use jx_ir::{BinaryOp, CompareOp, DType, DTypeKind, Prim};
use std::panic::Location;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $short:ident $op:ident;)*) => {
        impl Tensor {
            $(
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $name(self, y: impl IntoTensor) -> Tensor {
                    compare(CompareOp::$op, self, y, Location::caller())
                }
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $short(self, y: impl IntoTensor) -> Tensor {
                    compare(CompareOp::$op, self, y, Location::caller())
                }
            )*
        }
        $(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(x: impl Value, y: impl Value) -> Tensor {
                let [x, y] = pair(x, y, CompareOp::$op.name(), Location::caller());
                x.$name(y)
            }
        )*
    };
}
comparisons! {
    /// Whether `x = y`, elementwise as `bool`; false for NaN.
    equal eq Eq;
    /// Whether `x ≠ y`, elementwise as `bool`; true for NaN.
    not_equal ne Ne;
    /// Whether `x < y`, elementwise as `bool`; false for NaN.
    less lt Lt;
    /// Whether `x ≤ y`, elementwise as `bool`; false for NaN.
    less_equal le Le;
    /// Whether `x > y`, elementwise as `bool`; false for NaN.
    greater gt Gt;
    /// Whether `x ≥ y`, elementwise as `bool`; false for NaN.
    greater_equal ge Ge;
}

macro_rules! logic {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        impl Tensor {
            $(
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $name(self, y: impl IntoTensor) -> Tensor {
                    let y = y.into_tensor(self, stringify!($name), Location::caller());
                    binary(BinaryOp::$op, self.astype(DType::Bool), y.astype(DType::Bool), Location::caller())
                }
            )*
        }
        $(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(x: impl Value, y: impl Value) -> Tensor {
                let [x, y] = pair(x, y, stringify!($name), Location::caller());
                x.$name(y)
            }
        )*
    };
}
logic! {
    /// Whether both are true; a number is true unless it is 0.
    logical_and And;
    /// Whether either is true; a number is true unless it is 0.
    logical_or Or;
    /// Whether just one is true; a number is true unless it is 0.
    logical_xor Xor;
}

impl Tensor {
    /// Whether it is false; a number is false if it is 0.
    #[track_caller]
    #[must_use]
    pub fn logical_not(self) -> Tensor {
        !self.astype(DType::Bool)
    }

    /// `min(max(x, lo), hi)`, elementwise; NaN stays NaN.
    #[track_caller]
    #[must_use]
    pub fn clip(self, lo: impl IntoTensor, hi: impl IntoTensor) -> Tensor {
        let place = Location::caller();
        let (lo, hi) = (lo.into_tensor(self, "clamp", place), hi.into_tensor(self, "clamp", place));
        if !require_one_dtype(self, lo, "clamp", place) || !require_one_dtype(self, hi, "clamp", place) {
            return Tensor::POISON;
        }
        let [x, lo, hi] = broadcast_together([self, lo, hi], "clamp", place);
        emit1(Prim::Clamp, &[lo, x, hi], place)
    }
}

/// Whether it is false; a number is false if it is 0.
#[track_caller]
#[must_use]
pub fn logical_not(x: Tensor) -> Tensor {
    x.logical_not()
}

/// `min(max(x, lo), hi)`, elementwise; NaN stays NaN.
#[track_caller]
#[must_use]
pub fn clip(x: Tensor, lo: impl IntoTensor, hi: impl IntoTensor) -> Tensor {
    x.clip(lo, hi)
}

/// `x` where the condition holds and `y` elsewhere; all three broadcast. Either of `x` and `y` may be a
/// number. A condition of numbers holds where it is not 0.
///
/// The branch that is not taken gets the cotangent 0, and no NaN comes out of it.
///
/// ```
/// use jx::prelude::*;
/// let f = |x: Tensor| where_(x.lt(1.0), x, x.sqrt()).sum();
/// let g = jit(grad(f)).call([0.0_f32, 0.25, 4.0])?;
/// assert_eq!(g.to_vec::<f32>()?, [1.0, 1.0, 0.25]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn where_(condition: Tensor, x: impl Value, y: impl Value) -> Tensor {
    let place = Location::caller();
    let op = "where_";
    let [x, y] = pair(x, y, op, place);
    if known(condition, place).is_none() || !require_one_dtype(x, y, op, place) {
        return Tensor::POISON;
    }
    let [condition, x, y] = broadcast_together([condition.astype(DType::Bool), x, y], op, place);
    emit1(Prim::SelectN, &[condition, y, x], place)
}

/// Whether all elements differ by at most `atol + rtol |y|`, as a `bool` scalar.
#[track_caller]
#[must_use]
pub fn all_close(x: Tensor, y: impl IntoTensor, rtol: f64, atol: f64) -> Tensor {
    let y = y.into_tensor(x, "all_close", Location::caller());
    match x.dtype().kind() {
        DTypeKind::Float => ((x - y).abs().less_equal(y.abs() * rtol + atol) | x.equal(y)).all(),
        DTypeKind::Bool | DTypeKind::Signed | DTypeKind::Unsigned => x.equal(y).all(),
    }
}
