//! Reductions and running reductions.
//!
//! Each reduction has three forms: `x.sum()` over all axes, `x.sum_axes([0, -1])` over some, which go
//! away, and `x.sum_keepdims([0, -1])`, which leaves them with extent 1.

use super::elementwise::root_of_square;
use super::value::Ints;
use super::{accumulator, axes_of, axis_of, known, mistake, require_float};
use crate::Tensor;
use crate::trace::{Place, emit1};
use jx_ir::{ArgReduceOp, CumulativeOp, DType, Prim, ReduceOp};
use std::panic::Location;

/// All axes of a tensor.
fn all_axes(x: Tensor) -> Vec<usize> {
    (0..x.rank()).collect()
}

/// The reduced tensor with the axes back, of extent 1.
fn restore(reduced: Tensor, x: Tensor, axes: &[usize], place: Place) -> Tensor {
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    let shape = (0..ty.rank()).map(|a| if axes.contains(&a) { 1 } else { ty.shape[a] }).collect();
    emit1(Prim::Reshape { shape }, &[reduced], place)
}

fn reduce(op: ReduceOp, x: Tensor, axes: &[usize], place: Place) -> Tensor {
    emit1(Prim::Reduce { op, axes: axes.to_vec() }, &[x], place)
}

/// A sum or product in a dtype that holds it, rounded to the operand's; truth values count as `i32`.
#[track_caller]
fn accumulate(op: ReduceOp, x: Tensor, axes: &[usize]) -> Tensor {
    let Some(ty) = known(x, Location::caller()) else { return Tensor::POISON };
    let (inner, outer) =
        if ty.dtype == DType::Bool { (DType::I32, DType::I32) } else { (accumulator(ty.dtype), ty.dtype) };
    reduce(op, x.astype(inner), axes, Location::caller()).astype(outer)
}

#[track_caller]
fn sum_over(x: Tensor, axes: &[usize]) -> Tensor {
    accumulate(ReduceOp::Sum, x, axes)
}

#[track_caller]
fn prod_over(x: Tensor, axes: &[usize]) -> Tensor {
    accumulate(ReduceOp::Prod, x, axes)
}

/// An extreme, which nothing has.
fn extreme(op: ReduceOp, x: Tensor, axes: &[usize], place: Place) -> Tensor {
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    if let Some(&axis) = axes.iter().find(|&&a| ty.shape[a] == 0) {
        let message = format!("axis {axis} of {ty} is empty, and there is no extreme of nothing");
        return mistake(op.name(), message, place, &[x]);
    }
    reduce(op, x, axes, place)
}

#[track_caller]
fn max_over(x: Tensor, axes: &[usize]) -> Tensor {
    extreme(ReduceOp::Max, x, axes, Location::caller())
}

#[track_caller]
fn min_over(x: Tensor, axes: &[usize]) -> Tensor {
    extreme(ReduceOp::Min, x, axes, Location::caller())
}

#[track_caller]
fn all_over(x: Tensor, axes: &[usize]) -> Tensor {
    reduce(ReduceOp::And, x.astype(DType::Bool), axes, Location::caller())
}

#[track_caller]
fn any_over(x: Tensor, axes: &[usize]) -> Tensor {
    reduce(ReduceOp::Or, x.astype(DType::Bool), axes, Location::caller())
}

/// How many elements each result of a reduction has.
fn count(x: Tensor, axes: &[usize]) -> f64 {
    let shape = x.shape();
    axes.iter().map(|&a| shape.get(a).copied().unwrap_or(1) as f64).product()
}

#[track_caller]
fn mean_over(x: Tensor, axes: &[usize]) -> Tensor {
    if !require_float("mean", x, Location::caller()) {
        return Tensor::POISON;
    }
    let dtype = x.dtype();
    let total = reduce(ReduceOp::Sum, x.astype(accumulator(dtype)), axes, Location::caller());
    (total / count(x, axes)).astype(dtype)
}

#[track_caller]
fn var_over(x: Tensor, axes: &[usize]) -> Tensor {
    if !require_float("var", x, Location::caller()) {
        return Tensor::POISON;
    }
    let dtype = x.dtype();
    let x = x.astype(accumulator(dtype));
    let centre = restore(mean_over(x, axes), x, axes, Location::caller());
    mean_over((x - centre).square(), axes).astype(dtype)
}

#[track_caller]
fn std_over(x: Tensor, axes: &[usize]) -> Tensor {
    if !require_float("std", x, Location::caller()) {
        return Tensor::POISON;
    }
    root_of_square(var_over(x, axes))
}

/// The greatest value along the axes, kept, without derivative, 0 where it is not finite: what may be
/// subtracted from `x` before `exp`.
#[track_caller]
pub(crate) fn shift_of(x: Tensor, axes: &[usize]) -> Tensor {
    let greatest = restore(reduce(ReduceOp::Max, x, axes, Location::caller()), x, axes, Location::caller());
    let greatest = greatest.stop_gradient();
    super::numpy::where_(greatest.is_finite(), greatest, 0.0)
}

#[track_caller]
fn logsumexp_over(x: Tensor, axes: &[usize]) -> Tensor {
    let place = Location::caller();
    if !require_float("logsumexp", x, place) {
        return Tensor::POISON;
    }
    let dtype = x.dtype();
    let x = x.astype(accumulator(dtype));
    let shift = shift_of(x, axes);
    let total = reduce(ReduceOp::Sum, (x - shift).exp(), axes, place);
    // If all of x is -inf the sum is 0: its logarithm is -inf, and nothing moves it.
    let none = total.equal(0.0);
    let log = super::numpy::where_(none, f64::NEG_INFINITY, super::numpy::where_(none, 1.0, total).log());
    let shift = emit1(Prim::Reshape { shape: log.shape() }, &[shift], place);
    (log + shift).astype(dtype)
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $axes:ident $keep:ident $over:ident;)*) => {
        impl Tensor {
            $(
                $(#[$doc])*
                ///
                /// Over all axes.
                #[track_caller]
                #[must_use]
                pub fn $name(self) -> Tensor {
                    $over(self, &all_axes(self))
                }
                $(#[$doc])*
                ///
                /// Over these axes, which go away; negative ones count from the end.
                #[track_caller]
                #[must_use]
                pub fn $axes(self, axes: impl Ints) -> Tensor {
                    match axes_of(stringify!($name), &axes.to_ints(), self, Location::caller()) {
                        Some(axes) => $over(self, &axes),
                        None => Tensor::POISON,
                    }
                }
                $(#[$doc])*
                ///
                /// Over these axes, which stay with extent 1; negative ones count from the end.
                #[track_caller]
                #[must_use]
                pub fn $keep(self, axes: impl Ints) -> Tensor {
                    match axes_of(stringify!($name), &axes.to_ints(), self, Location::caller()) {
                        Some(axes) => restore($over(self, &axes), self, &axes, Location::caller()),
                        None => Tensor::POISON,
                    }
                }
            )*
        }
        $(
            $(#[$doc])*
            ///
            /// Over all axes; the methods of [`Tensor`] take axes.
            #[track_caller]
            #[must_use]
            pub fn $name(x: Tensor) -> Tensor {
                x.$name()
            }
        )*
    };
}
reductions! {
    /// The sum; wraps for integers. Truth values are counted, as `i32`. Halves are added up in `f32`.
    sum sum_axes sum_keepdims sum_over;
    /// The product; wraps for integers. Halves are multiplied in `f32`.
    prod prod_axes prod_keepdims prod_over;
    /// The arithmetic mean of floats; NaN of nothing.
    mean mean_axes mean_keepdims mean_over;
    /// The greatest element; NaN if any is. Equal ones share the cotangent. Of nothing it is a mistake.
    max max_axes max_keepdims max_over;
    /// The least element; NaN if any is. Equal ones share the cotangent. Of nothing it is a mistake.
    min min_axes min_keepdims min_over;
    /// Whether all are true; a number is true unless it is 0.
    all all_axes all_keepdims all_over;
    /// Whether any is true; a number is true unless it is 0.
    any any_axes any_keepdims any_over;
    /// The mean squared distance from the mean.
    var var_axes var_keepdims var_over;
    /// The square root of the variance; its gradient at a constant is 0.
    std std_axes std_keepdims std_over;
    /// `ln Σ eˣ` without overflow; `-inf`, with gradient 0, if all are `-inf`.
    logsumexp logsumexp_axes logsumexp_keepdims logsumexp_over;
}

macro_rules! along_axis {
    ($($(#[$doc:meta])* $name:ident |$axis:ident| $prim:expr;)*) => {
        impl Tensor {
            $(
                $(#[$doc])*
                #[track_caller]
                #[must_use]
                pub fn $name(self, axis: i64) -> Tensor {
                    let place = Location::caller();
                    let Some($axis) = axis_of(stringify!($name), axis, self, place) else { return Tensor::POISON };
                    emit1($prim, &[self], place)
                }
            )*
        }
        $(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(x: Tensor, axis: i64) -> Tensor {
                x.$name(axis)
            }
        )*
    };
}
along_axis! {
    /// The index of the greatest element along an axis as `i32`, the first among equals; a NaN counts as greatest.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.argmax(-1));
    /// let x = Array::from([[1.0_f32, 5.0, 5.0], [9.0, 0.0, 1.0]]);
    /// assert_eq!(f.call(x)?.to_vec::<i32>()?, [1, 0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    argmax |axis| Prim::ArgReduce { op: ArgReduceOp::Max, axis, index_dtype: DType::I32 };
    /// The index of the least element along an axis as `i32`, the first among equals; a NaN counts as least.
    argmin |axis| Prim::ArgReduce { op: ArgReduceOp::Min, axis, index_dtype: DType::I32 };
    /// The running sum along an axis.
    cumsum |axis| Prim::Cumulative { op: CumulativeOp::Sum, axis, reverse: false };
    /// The running product along an axis.
    cumprod |axis| Prim::Cumulative { op: CumulativeOp::Prod, axis, reverse: false };
    /// The running maximum along an axis.
    cummax |axis| Prim::Cumulative { op: CumulativeOp::Max, axis, reverse: false };
    /// The running minimum along an axis.
    cummin |axis| Prim::Cumulative { op: CumulativeOp::Min, axis, reverse: false };
    /// The running `ln Σ eˣ` along an axis, without overflow.
    cumlogsumexp |axis| Prim::Cumulative { op: CumulativeOp::LogSumExp, axis, reverse: false };
}
