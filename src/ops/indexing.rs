//! Reads at integer tensors: the gather behind `x.index(i)`, `take` and `take_along_axis`.
//!
//! What an index out of range does: `x.index(t)` and `x.at(t).get()` clip it, `take` and
//! `take_along_axis` give NaN (for integers the extreme value of [`IndexMode::default_fill`]), and
//! `x.at(t).set(v)` and its kin drop it. `x.at(t).mode(..)` chooses. Negative indices count from the end
//! first. Integers written in the program are checked when it is traced.

use super::numpy::where_;
use super::slicing::{Indices, Selection, select};
use super::{axis_of, known, mistake};
use crate::Tensor;
use crate::tensor::full;
use crate::trace::emit1;
use jx_ir::{DType, DTypeKind, GatherDims, IndexMode, Prim, TensorType};
use std::panic::Location;

/// Indices of an axis of extent `n` counted from 0, in a dtype that holds them; `None` with the mistake
/// recorded if they are no integers.
#[track_caller]
fn from_zero(op: &'static str, indices: Tensor, n: usize, dtype: DType) -> Option<Tensor> {
    let place = Location::caller();
    let ty = known(indices, place)?;
    match ty.dtype.kind() {
        DTypeKind::Signed => {
            let i = indices.astype(dtype);
            Some(where_(i.less(0), i + n, i))
        }
        DTypeKind::Unsigned => {
            let widest = 8 * ty.dtype.size_bytes();
            // A large unsigned index would turn negative: it is beyond the end all the same.
            let capped = if widest < 32 { indices } else { indices.minimum(n) };
            Some(capped.astype(dtype))
        }
        DTypeKind::Bool => {
            let advice = "a mask would make the shape depend on values; use `where_`";
            mistake(op, format!("an index must be integers, not {ty}: {advice}"), place, &[indices]);
            None
        }
        DTypeKind::Float => {
            mistake(op, format!("an index must be integers, not {ty}; use `.astype(DType::I32)`"), place, &[indices]);
            None
        }
    }
}

/// The dtype in which all indices are computed.
fn index_dtype(indices: &[(usize, Tensor)], shape: &[usize]) -> DType {
    let wide = |t: &(usize, Tensor)| matches!(t.1.dtype(), DType::I64 | DType::U64);
    let large = shape.iter().any(|&d| d > i32::MAX as usize / 2);
    if large || indices.iter().any(wide) { DType::I64 } else { DType::I32 }
}

/// What a gather or scatter at the index tensors of a selection needs.
pub(crate) struct Places {
    /// Index vectors on the last axis.
    pub(crate) indices: Tensor,
    pub(crate) dims: GatherDims,
    pub(crate) slice_sizes: Vec<usize>,
    /// The type of what is read, or written.
    pub(crate) result: TensorType,
}

/// The places of a selection in its window, of type `ty`; `None` with the mistake recorded.
#[track_caller]
pub(crate) fn places(op: &'static str, selection: &Selection, ty: &TensorType) -> Option<Places> {
    let place = Location::caller();
    let dtype = index_dtype(&selection.tensors, &ty.shape);
    let mut components = Vec::with_capacity(selection.tensors.len());
    for &(axis, indices) in &selection.tensors {
        components.push(from_zero(op, indices, ty.shape[axis], dtype)?);
    }
    // One shape for all: that of their sum.
    let mut batch = components[0];
    for &component in &components[1..] {
        batch = crate::tensor::broadcast_together([batch, component], op, place)[0];
    }
    let batch = known(batch, place)?.shape;
    let mut columns = Vec::with_capacity(components.len());
    for component in components {
        columns.push(component.broadcast_to(batch.as_slice()).expand_dims(-1));
    }
    let indices = if let [only] = columns[..] { only } else { super::numpy::concatenate(columns, -1) };
    let axes: Vec<usize> = selection.tensors.iter().map(|t| t.0).collect();
    let kept: Vec<usize> = (0..ty.rank()).filter(|a| !axes.contains(a)).collect();
    let n_before = selection.n_before.min(kept.len());
    let offset_dims: Vec<usize> = (0..n_before).chain(n_before + batch.len()..kept.len() + batch.len()).collect();
    let mut shape: Vec<usize> = kept.iter().map(|&a| ty.shape[a]).collect();
    shape.splice(n_before..n_before, batch.iter().copied());
    let mut slice_sizes = ty.shape.clone();
    for &axis in &axes {
        slice_sizes[axis] = 1;
    }
    let empty = axes.iter().find(|&&a| ty.shape[a] == 0);
    if let (Some(axis), false) = (empty, shape.contains(&0)) {
        let operands: Vec<Tensor> = selection.tensors.iter().map(|t| t.1).collect();
        mistake(op, format!("axis {axis} of {ty} is empty, and no index is in range"), place, &operands);
        return None;
    }
    let dims =
        GatherDims { offset_dims, collapsed_slice_dims: axes.clone(), start_index_map: axes, ..GatherDims::default() };
    Some(Places { indices, dims, slice_sizes, result: ty.with_shape(shape) })
}

/// What an index selects.
#[track_caller]
pub(crate) fn read(op: &'static str, x: Tensor, selection: &Selection, mode: IndexMode) -> Tensor {
    let place = Location::caller();
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    let window = if selection.window.is_whole(&ty) { x } else { selection.window.read(x, &ty, place) };
    if selection.tensors.is_empty() {
        return window;
    }
    let inner = ty.with_shape(selection.window.shape.clone());
    let Some(at) = places(op, selection, &inner) else { return Tensor::POISON };
    if at.result.n_elements() == 0 {
        return full(&at.result.shape, ty.dtype, 0.0);
    }
    let prim = Prim::Gather { dims: at.dims, slice_sizes: at.slice_sizes, mode, fill_value: None };
    emit1(prim, &[window, at.indices], place)
}

impl Tensor {
    /// The part that an index selects, as NumPy's `x[i]`: an integer, a range, an integer tensor, or several
    /// of these made by [`s!`](crate::s). Index tensors out of range are clipped.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor, i: Tensor| (x.index(-1), x.index(i)));
    /// let (last, chosen) = f.call(([1.0_f32, 2.0, 3.0], [2_i32, 0, 99]))?;
    /// assert_eq!(last.item::<f32>()?, 3.0);
    /// assert_eq!(chosen.to_vec::<f32>()?, [3.0, 1.0, 3.0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn index(self, index: impl Indices) -> Tensor {
        match select("index", self, &index.into_indices(), Location::caller()) {
            Some(selection) => read("index", self, &selection, IndexMode::Clip),
            None => Tensor::POISON,
        }
    }

    /// The part that an index made by [`s!`](crate::s) selects: [`Tensor::index`].
    #[track_caller]
    #[must_use]
    pub fn slice(self, index: impl Indices) -> Tensor {
        self.index(index)
    }

    /// The slices at these places along an axis, which the axes of `indices` replace. A place out of range
    /// gives NaN (integers: the extreme value of [`IndexMode::default_fill`]), as `jax.numpy.take` does.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor, i: Tensor| x.take(i, 0));
    /// let y = f.call(([1.0_f32, 2.0, 3.0], [-1_i32, 3]))?.to_vec::<f32>()?;
    /// assert_eq!(y[0], 3.0);
    /// assert!(y[1].is_nan());
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn take(self, indices: Tensor, axis: i64) -> Tensor {
        let place = Location::caller();
        let Some(axis) = axis_of("take", axis, self, place) else { return Tensor::POISON };
        let mut entries = vec![super::slicing::Index::from(..); axis];
        entries.push(indices.into());
        match select("take", self, &entries, place) {
            Some(selection) => read("take", self, &selection, IndexMode::FillOrDrop),
            None => Tensor::POISON,
        }
    }

    /// Along an axis the elements at the places that `indices` gives for each position of the others,
    /// which broadcast. A place out of range gives NaN, as in [`Tensor::take`].
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.take_along_axis(x.argsort(1), 1));
    /// let y = f.call(Array::from([[3.0_f32, 1.0], [5.0, 9.0]]))?;
    /// assert_eq!(y.to_vec::<f32>()?, [1.0, 3.0, 5.0, 9.0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn take_along_axis(self, indices: Tensor, axis: i64) -> Tensor {
        let place = Location::caller();
        let op = "take_along_axis";
        let Some(axis) = axis_of(op, axis, self, place) else { return Tensor::POISON };
        let (Some(ty), Some(at)) = (known(self, place), known(indices, place)) else { return Tensor::POISON };
        let agrees = |a: usize| a == axis || ty.shape[a] == at.shape[a] || ty.shape[a] == 1 || at.shape[a] == 1;
        if ty.rank() != at.rank() || !(0..ty.rank()).all(agrees) {
            let message = format!("{ty} and its indices {at} must agree on every axis but {axis}");
            return mistake(op, message, place, &[self, indices]);
        }
        let (mut operand, mut result) = (ty.shape.clone(), at.shape.clone());
        for a in (0..ty.rank()).filter(|&a| a != axis) {
            let extent = if ty.shape[a] == 1 { at.shape[a] } else { ty.shape[a] };
            (operand[a], result[a]) = (extent, extent);
        }
        let Some(i) = from_zero(op, indices, ty.shape[axis], index_dtype(&[(axis, indices)], &ty.shape)) else {
            return Tensor::POISON;
        };
        if result.contains(&0) {
            return full(&result, ty.dtype, 0.0);
        }
        if ty.shape[axis] == 0 {
            return mistake(op, format!("axis {axis} of {ty} is empty, and no index is in range"), place, &[self]);
        }
        let others: Vec<usize> = (0..ty.rank()).filter(|&a| a != axis).collect();
        let dims = GatherDims {
            offset_dims: Vec::new(),
            collapsed_slice_dims: vec![axis],
            start_index_map: vec![axis],
            operand_batching_dims: others.clone(),
            start_indices_batching_dims: others,
        };
        let i = i.broadcast_to(result.as_slice()).expand_dims(-1);
        let slice_sizes = vec![1; ty.rank()];
        let prim = Prim::Gather { dims, slice_sizes, mode: IndexMode::FillOrDrop, fill_value: None };
        emit1(prim, &[self.broadcast_to(operand.as_slice()), i], place)
    }
}

/// See [`Tensor::take`].
#[track_caller]
#[must_use]
pub fn take(x: Tensor, indices: Tensor, axis: i64) -> Tensor {
    x.take(indices, axis)
}

/// See [`Tensor::take_along_axis`].
#[track_caller]
#[must_use]
pub fn take_along_axis(x: Tensor, indices: Tensor, axis: i64) -> Tensor {
    x.take_along_axis(indices, axis)
}
