//! The primitives themselves, with the names and parameters of `jax.lax`, for what the NumPy-like
//! functions do not reach. No broadcasting, no negative axes: operands and parameters fit exactly.
//!
//! ```
//! use jx::ir::DotDims;
//! use jx::prelude::*;
//! let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![0], ..DotDims::default() };
//! let f = jit(move |x: Tensor, y: Tensor| lax::dot_general(x, y, dims.clone(), DType::F32));
//! let x = Array::from([[1.0_f32, 2.0]]);
//! assert_eq!(f.call((x, [3.0_f32, 4.0]))?.to_vec::<f32>()?, [11.0]);
//! # Ok::<(), jx::Error>(())
//! ```

use crate::Tensor;
use crate::trace::{emit, emit1};
use jx_ir::{CumulativeOp, DType, DotDims, GatherDims, IndexMode, Prim, ReduceOp, Scalar, ScatterDims, ScatterOp};
use std::panic::Location;

/// The window of the operand that begins at `starts`, one integer scalar an axis; a start is clamped so that
/// the window lies inside.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor, i: Tensor| lax::dynamic_slice(x, &[i], &[2]));
/// let y = f.call(([1.0_f32, 2.0, 3.0], 5_i32))?;
/// assert_eq!(y.to_vec::<f32>()?, [2.0, 3.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn dynamic_slice(x: Tensor, starts: &[Tensor], slice_sizes: &[usize]) -> Tensor {
    let prim = Prim::DynamicSlice { slice_sizes: slice_sizes.to_vec() };
    emit1(prim, &[&[x], starts].concat(), Location::caller())
}

/// The operand with the window at `starts` replaced by `update`; a start is clamped so that the window lies inside.
#[track_caller]
#[must_use]
pub fn dynamic_update_slice(x: Tensor, update: Tensor, starts: &[Tensor]) -> Tensor {
    emit1(Prim::DynamicUpdateSlice, &[&[x, update], starts].concat(), Location::caller())
}

/// Windows of the operand at computed places; see [`Prim::Gather`].
#[track_caller]
#[must_use]
pub fn gather(
    x: Tensor,
    indices: Tensor,
    dims: GatherDims,
    slice_sizes: &[usize],
    mode: IndexMode,
    fill_value: Option<Scalar>,
) -> Tensor {
    let prim = Prim::Gather { dims, slice_sizes: slice_sizes.to_vec(), mode, fill_value };
    emit1(prim, &[x, indices], Location::caller())
}

/// The operand with windows combined into it at computed places; see [`Prim::Scatter`].
#[track_caller]
#[must_use]
pub fn scatter(
    op: ScatterOp,
    x: Tensor,
    indices: Tensor,
    updates: Tensor,
    dims: ScatterDims,
    mode: IndexMode,
    unique_indices: bool,
) -> Tensor {
    emit1(Prim::Scatter { op, dims, mode, unique_indices }, &[x, indices, updates], Location::caller())
}

/// Sums of products over contracted axes for every index of the batch axes; see [`Prim::DotGeneral`].
#[track_caller]
#[must_use]
pub fn dot_general(x: Tensor, y: Tensor, dims: DotDims, out_dtype: DType) -> Tensor {
    emit1(Prim::DotGeneral { dims, out_dtype }, &[x, y], Location::caller())
}

/// `cases[which]`, elementwise; an integer `which` is clamped into range, a `bool` one has two cases, the
/// first for `false`.
#[track_caller]
#[must_use]
pub fn select_n(which: Tensor, cases: &[Tensor]) -> Tensor {
    emit1(Prim::SelectN, &[&[which], cases].concat(), Location::caller())
}

/// Axis `i` of the operand is axis `broadcast_dimensions[i]` of the result; extents of 1 stretch.
#[track_caller]
#[must_use]
pub fn broadcast_in_dim(x: Tensor, shape: &[usize], broadcast_dimensions: &[usize]) -> Tensor {
    let (shape, broadcast_dimensions) = (shape.to_vec(), broadcast_dimensions.to_vec());
    emit1(Prim::BroadcastInDim { shape, broadcast_dimensions }, &[x], Location::caller())
}

/// The operand with copies of a scalar before, after and between its elements: for each axis `(low, high,
/// interior)`. Negative `low` and `high` cut elements off.
#[track_caller]
#[must_use]
pub fn pad(x: Tensor, value: Tensor, config: &[(i64, i64, usize)]) -> Tensor {
    let low = config.iter().map(|c| c.0).collect();
    let high = config.iter().map(|c| c.1).collect();
    let interior = config.iter().map(|c| c.2).collect();
    emit1(Prim::Pad { low, high, interior }, &[x, value], Location::caller())
}

/// The operand combined along some axes, which go away; a set of no elements gives the identity.
#[track_caller]
#[must_use]
pub fn reduce(op: ReduceOp, x: Tensor, axes: &[usize]) -> Tensor {
    emit1(Prim::Reduce { op, axes: axes.to_vec() }, &[x], Location::caller())
}

/// The running combination along an axis, from the end to the start if `reverse`.
#[track_caller]
#[must_use]
pub fn cumulative(op: CumulativeOp, x: Tensor, axis: usize, reverse: bool) -> Tensor {
    emit1(Prim::Cumulative { op, axis, reverse }, &[x], Location::caller())
}

/// The Threefry-2x32 block cipher, elementwise on `u32`: keys `k0, k1`, counters `x0, x1`.
#[track_caller]
#[must_use]
pub fn threefry2x32(k0: Tensor, k1: Tensor, x0: Tensor, x1: Tensor) -> (Tensor, Tensor) {
    let results = emit(Prim::Threefry2x32, &[k0, k1, x0, x1], Location::caller());
    match results[..] {
        [a, b] => (a, b),
        [] | [_] | [_, _, ..] => (Tensor::POISON, Tensor::POISON),
    }
}
