//! Sorting along an axis, and what is read off a sorted axis.

use super::movement::slice_axis;
use super::numpy::where_;
use super::{axis_of, known, mistake, require_float};
use crate::Tensor;
use crate::trace::{Place, emit};
use jx_ir::{DType, Prim, TensorType};
use std::panic::Location;

/// Operands of one shape reordered along an axis so that the first `num_keys` ascend.
fn sort_prim(operands: &[Tensor], dimension: usize, num_keys: usize, place: Place) -> Vec<Tensor> {
    let mut sorted = emit(Prim::Sort { dimension, num_keys }, operands, place);
    sorted.resize(operands.len(), Tensor::POISON);
    sorted
}

/// `0, 1, 2, …` along an axis of the shape of `x`, as `i32`.
fn positions(x: Tensor, axis: usize, place: Place) -> Tensor {
    let ty = TensorType::new(DType::I32, x.shape());
    crate::trace::emit1(Prim::Iota { ty, dimension: axis }, &[], place)
}

impl Tensor {
    /// The elements in ascending order along an axis; NaN comes last.
    #[track_caller]
    #[must_use]
    pub fn sort(self, axis: i64) -> Tensor {
        let place = Location::caller();
        match axis_of("sort", axis, self, place) {
            Some(axis) => sort_prim(&[self], axis, 1, place)[0],
            None => Tensor::POISON,
        }
    }

    /// The indices, as `i32`, that sort along an axis; equal elements keep their order.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.argsort(0));
    /// assert_eq!(f.call([3.0_f32, 1.0, 2.0, 1.0])?.to_vec::<i32>()?, [1, 3, 2, 0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn argsort(self, axis: i64) -> Tensor {
        let place = Location::caller();
        match axis_of("argsort", axis, self, place) {
            Some(axis) => sort_prim(&[self, positions(self, axis, place)], axis, 1, place)[1],
            None => Tensor::POISON,
        }
    }

    /// The `k` greatest elements along the last axis, greatest first, and their indices as `i32`; of
    /// equal ones the first comes first, and NaN counts as greatest.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.top_k(2));
    /// let (values, indices) = f.call([3.0_f32, 7.0, 5.0, 7.0])?;
    /// assert_eq!(values.to_vec::<f32>()?, [7.0, 7.0]);
    /// assert_eq!(indices.to_vec::<i32>()?, [1, 3]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn top_k(self, k: usize) -> (Tensor, Tensor) {
        let place = Location::caller();
        let poisoned = (Tensor::POISON, Tensor::POISON);
        let Some(axis) = axis_of("top_k", -1, self, place) else { return poisoned };
        let Some(ty) = known(self, place) else { return poisoned };
        if k > ty.shape[axis] {
            let message = format!("k = {k} is more than the last axis of {ty} has");
            mistake("top_k", message, place, &[self]);
            return poisoned;
        }
        // Sorted from the back, equal elements end up in reverse order; reversing all restores it.
        let reversed = self.flip(-1);
        let sorted = sort_prim(&[reversed, positions(self, axis, place).flip(-1)], axis, 1, place);
        let (values, indices) = (sorted[0].flip(-1), sorted[1].flip(-1));
        (slice_axis(values, axis, 0, k, place), slice_axis(indices, axis, 0, k, place))
    }

    /// The middle value along an axis of floats, which goes away: the mean of the two middle ones if
    /// their number is even; NaN if any is NaN.
    #[track_caller]
    #[must_use]
    pub fn median(self, axis: i64) -> Tensor {
        let place = Location::caller();
        let Some(from_zero) = axis_of("median", axis, self, place) else { return Tensor::POISON };
        if !require_float("median", self, place) {
            return Tensor::POISON;
        }
        let n = self.shape()[from_zero];
        if n == 0 {
            let message = format!("axis {axis} of {} is empty, and nothing has a median", self.ty());
            return mistake("median", message, place, &[self]);
        }
        let sorted = sort_prim(&[self], from_zero, 1, place)[0];
        let low = slice_axis(sorted, from_zero, (n - 1) / 2, (n - 1) / 2 + 1, place);
        let high = slice_axis(sorted, from_zero, n / 2, n / 2 + 1, place);
        let middle = where_(low.equal(high), low, low * 0.5 + high * 0.5);
        let last = slice_axis(sorted, from_zero, n - 1, n, place);
        where_(last.is_nan(), last, middle).squeeze_axes(axis)
    }
}

/// See [`Tensor::sort`].
#[track_caller]
#[must_use]
pub fn sort(x: Tensor, axis: i64) -> Tensor {
    x.sort(axis)
}

/// See [`Tensor::argsort`].
#[track_caller]
#[must_use]
pub fn argsort(x: Tensor, axis: i64) -> Tensor {
    x.argsort(axis)
}

/// See [`Tensor::top_k`].
#[track_caller]
#[must_use]
pub fn top_k(x: Tensor, k: usize) -> (Tensor, Tensor) {
    x.top_k(k)
}

/// See [`Tensor::median`].
#[track_caller]
#[must_use]
pub fn median(x: Tensor, axis: i64) -> Tensor {
    x.median(axis)
}

/// Tensors of one shape, all reordered along an axis so that the first `num_keys` of them ascend
/// lexicographically; equal keys keep their order.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|key: Tensor, value: Tensor| jx::numpy::sort_by_keys([key, value], 0, 1));
/// let sorted = f.call(([2_i32, 1], [10.0_f32, 20.0]))?;
/// assert_eq!(sorted[1].to_vec::<f32>()?, [20.0, 10.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn sort_by_keys(tensors: impl AsRef<[Tensor]>, axis: i64, num_keys: usize) -> Vec<Tensor> {
    let place = Location::caller();
    let tensors = tensors.as_ref();
    let Some(&first) = tensors.first() else {
        mistake("sort", "at least one tensor is needed".to_owned(), place, &[]);
        return Vec::new();
    };
    match axis_of("sort", axis, first, place) {
        Some(axis) => sort_prim(tensors, axis, num_keys, place),
        None => vec![Tensor::POISON; tensors.len()],
    }
}
