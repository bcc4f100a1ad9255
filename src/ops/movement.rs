//! Movement: the same elements under other shapes, in other orders, repeated, joined and split.

use super::value::Ints;
use super::{axes_of, axis_of, known, mistake};
use crate::Tensor;
use crate::tensor::IntoTensor;
use crate::trace::{Place, emit1};
use jx_ir::Prim;
use std::panic::Location;

/// Extents as given, or `None` if one is negative.
pub(crate) fn extents(shape: &[i64]) -> Option<Vec<usize>> {
    shape.iter().map(|&d| usize::try_from(d).ok()).collect()
}

/// A reshape to extents that are known to fit.
pub(crate) fn reshape_to(x: Tensor, shape: Vec<usize>, place: Place) -> Tensor {
    emit1(Prim::Reshape { shape }, &[x], place)
}

/// Part of a tensor along one axis; bounds are in range.
pub(crate) fn slice_axis(x: Tensor, axis: usize, start: usize, limit: usize, place: Place) -> Tensor {
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    let mut starts = vec![0; ty.rank()];
    let mut limits = ty.shape.clone();
    starts[axis] = start;
    limits[axis] = limit;
    emit1(Prim::Slice { start: starts, limit: limits, strides: vec![1; ty.rank()] }, &[x], place)
}

impl Tensor {
    /// The elements in row-major order under another shape, in which one extent may be -1: what is left.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.reshape([2, -1]));
    /// assert_eq!(f.call([1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.shape(), [2, 3]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn reshape(self, shape: impl Ints) -> Tensor {
        let place = Location::caller();
        let Some(ty) = known(self, place) else { return Tensor::POISON };
        let mut shape = shape.to_ints();
        let rest: Vec<usize> = (0..shape.len()).filter(|&i| shape[i] == -1).collect();
        if let [open] = rest[..] {
            let others = shape.iter().filter(|&&d| d != -1).try_fold(1_i64, |n, &d| n.checked_mul(d));
            match others {
                Some(others) if others > 0 && ty.n_elements() as i64 % others == 0 => {
                    shape[open] = ty.n_elements() as i64 / others;
                }
                Some(_) | None => {
                    let n = ty.n_elements();
                    let message =
                        format!("{ty} has {n} elements, for which no extent in place of -1 in {shape:?} fits");
                    return mistake("reshape", message, place, &[self]);
                }
            }
        }
        match extents(&shape) {
            Some(shape) if shape == ty.shape => self,
            Some(shape) => reshape_to(self, shape, place),
            None => {
                let message = format!("the shape {shape:?} has a negative extent; only one may be -1");
                mistake("reshape", message, place, &[self])
            }
        }
    }

    /// The elements in row-major order as a vector.
    #[track_caller]
    #[must_use]
    pub fn ravel(self) -> Tensor {
        let n = self.ty().n_elements();
        self.reshape(n)
    }

    /// The elements in row-major order as a vector: [`Tensor::ravel`].
    #[track_caller]
    #[must_use]
    pub fn flatten(self) -> Tensor {
        self.ravel()
    }

    /// The axes in reverse order; the transpose of a matrix.
    #[track_caller]
    #[must_use]
    pub fn t(self) -> Tensor {
        let permutation: Vec<usize> = (0..self.rank()).rev().collect();
        emit1(Prim::Transpose { permutation }, &[self], Location::caller())
    }

    /// The axes in another order: axis `i` of the result is axis `permutation[i]` of the operand.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.transpose([2, 0, 1]));
    /// assert_eq!(f.call(Array::zeros([2, 3, 4], DType::F32))?.shape(), [4, 2, 3]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn transpose(self, permutation: impl Ints) -> Tensor {
        let place = Location::caller();
        match axes_of("transpose", &permutation.to_ints(), self, place) {
            Some(permutation) => emit1(Prim::Transpose { permutation }, &[self], place),
            None => Tensor::POISON,
        }
    }

    /// Two axes exchanged.
    #[track_caller]
    #[must_use]
    pub fn swapaxes(self, a: i64, b: i64) -> Tensor {
        let place = Location::caller();
        let (Some(a), Some(b)) = (axis_of("swapaxes", a, self, place), axis_of("swapaxes", b, self, place)) else {
            return Tensor::POISON;
        };
        let mut permutation: Vec<usize> = (0..self.rank()).collect();
        permutation.swap(a, b);
        emit1(Prim::Transpose { permutation }, &[self], place)
    }

    /// The axes `from` moved to `to`, the others keeping their order.
    #[track_caller]
    #[must_use]
    pub fn moveaxis(self, from: impl Ints, to: impl Ints) -> Tensor {
        let place = Location::caller();
        let (from, to) = (from.to_ints(), to.to_ints());
        if from.len() != to.len() {
            let message = format!("as many axes are moved as there are places, but {from:?} go to {to:?}");
            return mistake("moveaxis", message, place, &[self]);
        }
        let from = axes_of("moveaxis", &from, self, place);
        let to = axes_of("moveaxis", &to, self, place);
        let (Some(from), Some(to)) = (from, to) else { return Tensor::POISON };
        let mut others = (0..self.rank()).filter(|a| !from.contains(a));
        let mut permutation = Vec::with_capacity(self.rank());
        for axis in 0..self.rank() {
            permutation.extend(match to.iter().position(|&t| t == axis) {
                Some(k) => Some(from[k]),
                None => others.next(),
            });
        }
        emit1(Prim::Transpose { permutation }, &[self], place)
    }

    /// The tensor without its axes of extent 1.
    #[track_caller]
    #[must_use]
    pub fn squeeze(self) -> Tensor {
        let shape: Vec<usize> = self.shape().into_iter().filter(|&d| d != 1).collect();
        self.reshape(shape)
    }

    /// The tensor without these axes, which have extent 1.
    #[track_caller]
    #[must_use]
    pub fn squeeze_axes(self, axes: impl Ints) -> Tensor {
        let place = Location::caller();
        let Some(axes) = axes_of("squeeze", &axes.to_ints(), self, place) else { return Tensor::POISON };
        let Some(ty) = known(self, place) else { return Tensor::POISON };
        if let Some(&axis) = axes.iter().find(|&&a| ty.shape[a] != 1) {
            let message = format!("axis {axis} of {ty} has extent {}, and only axes of extent 1 go", ty.shape[axis]);
            return mistake("squeeze", message, place, &[self]);
        }
        let shape = (0..ty.rank()).filter(|a| !axes.contains(a)).map(|a| ty.shape[a]).collect();
        reshape_to(self, shape, place)
    }

    /// The tensor with new axes of extent 1, which are these axes of the result.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.expand_dims([0, -1]));
    /// assert_eq!(f.call([1.0_f32, 2.0])?.shape(), [1, 2, 1]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn expand_dims(self, axes: impl Ints) -> Tensor {
        let place = Location::caller();
        let Some(ty) = known(self, place) else { return Tensor::POISON };
        let axes = axes.to_ints();
        let rank = ty.rank() + axes.len();
        let mut new = vec![false; rank];
        for &axis in &axes {
            match crate::tensor::axis_from_zero(axis, rank) {
                Some(a) if !new[a] => new[a] = true,
                Some(_) | None => {
                    let message = format!("the new axes {axes:?} must be distinct axes of the result, of rank {rank}");
                    return mistake("expand_dims", message, place, &[self]);
                }
            }
        }
        let mut old = ty.shape.into_iter();
        let shape = new.into_iter().filter_map(|new| if new { Some(1) } else { old.next() }).collect();
        reshape_to(self, shape, place)
    }

    /// The tensor broadcast to a shape, aligned from the right as in NumPy.
    #[track_caller]
    #[must_use]
    pub fn broadcast_to(self, shape: impl Ints) -> Tensor {
        let place = Location::caller();
        let Some(ty) = known(self, place) else { return Tensor::POISON };
        let given = shape.to_ints();
        let fits = |shape: &[usize]| {
            shape.len() >= ty.rank()
                && ty.shape.iter().rev().zip(shape.iter().rev()).all(|(&from, &to)| from == to || from == 1)
        };
        match extents(&given) {
            Some(shape) if shape == ty.shape => self,
            Some(shape) if fits(&shape) => {
                let broadcast_dimensions = (shape.len() - ty.rank()..shape.len()).collect();
                emit1(Prim::BroadcastInDim { shape, broadcast_dimensions }, &[self], place)
            }
            Some(_) | None => {
                let rule = "extents, aligned from the right, must be equal or 1 in the operand";
                mistake("broadcast_to", format!("{ty} does not broadcast to {given:?}: {rule}"), place, &[self])
            }
        }
    }

    /// The elements in reverse order along these axes.
    #[track_caller]
    #[must_use]
    pub fn flip(self, axes: impl Ints) -> Tensor {
        let place = Location::caller();
        match axes_of("flip", &axes.to_ints(), self, place) {
            Some(dimensions) => emit1(Prim::Rev { dimensions }, &[self], place),
            None => Tensor::POISON,
        }
    }

    /// The elements moved `shift` places up along an axis; those that leave at the end come in at the start.
    #[track_caller]
    #[must_use]
    pub fn roll(self, shift: i64, axis: i64) -> Tensor {
        let place = Location::caller();
        let Some(axis) = axis_of("roll", axis, self, place) else { return Tensor::POISON };
        let n = self.shape()[axis];
        let shift = if n == 0 { 0 } else { shift.rem_euclid(n as i64) as usize };
        if shift == 0 {
            return self;
        }
        let tail = slice_axis(self, axis, n - shift, n, place);
        let head = slice_axis(self, axis, 0, n - shift, place);
        emit1(Prim::Concatenate { dimension: axis }, &[tail, head], place)
    }

    /// The tensor with copies of a value around it: for each axis how many before and after.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.pad(&[(1, 2)], 0.0));
    /// assert_eq!(f.call([7.0_f32])?.to_vec::<f32>()?, [0.0, 7.0, 0.0, 0.0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn pad(self, widths: &[(usize, usize)], value: impl IntoTensor) -> Tensor {
        let place = Location::caller();
        let value = value.into_tensor(self, "pad", place);
        let width = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let low = widths.iter().map(|w| width(w.0)).collect();
        let high = widths.iter().map(|w| width(w.1)).collect();
        emit1(Prim::Pad { low, high, interior: vec![0; widths.len()] }, &[self, value], place)
    }

    /// The tensor repeated as a whole, `reps[i]` times along axis `i`; missing axes are new ones before
    /// the first, as in NumPy.
    #[track_caller]
    #[must_use]
    pub fn tile(self, reps: impl Ints) -> Tensor {
        let place = Location::caller();
        let Some(ty) = known(self, place) else { return Tensor::POISON };
        let given = reps.to_ints();
        let Some(mut reps) = extents(&given) else {
            return mistake("tile", format!("repetitions {given:?} must not be negative"), place, &[self]);
        };
        let rank = reps.len().max(ty.rank());
        reps.splice(0..0, vec![1; rank - reps.len()]);
        let mut shape = vec![1; rank - ty.rank()];
        shape.extend(&ty.shape);
        // Each axis becomes a pair: which copy, and where in it.
        let pairs: Vec<usize> = reps.iter().zip(&shape).flat_map(|(&r, &d)| [r, d]).collect();
        let broadcast_dimensions = (rank - ty.rank()..rank).map(|a| 2 * a + 1).collect();
        let all = emit1(Prim::BroadcastInDim { shape: pairs, broadcast_dimensions }, &[self], place);
        reshape_to(all, reps.iter().zip(&shape).map(|(r, d)| r.saturating_mul(*d)).collect(), place)
    }

    /// Each element repeated `n` times along an axis.
    #[track_caller]
    #[must_use]
    pub fn repeat(self, n: usize, axis: i64) -> Tensor {
        let place = Location::caller();
        let Some(axis) = axis_of("repeat", axis, self, place) else { return Tensor::POISON };
        let mut shape = self.shape();
        shape.insert(axis + 1, n);
        let broadcast_dimensions = (0..shape.len()).filter(|&a| a != axis + 1).collect();
        let all = emit1(Prim::BroadcastInDim { shape: shape.clone(), broadcast_dimensions }, &[self], place);
        shape.remove(axis + 1);
        shape[axis] = shape[axis].saturating_mul(n);
        reshape_to(all, shape, place)
    }

    /// `n` parts of equal extent along an axis.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor| x.split(2, 0));
    /// let parts = f.call([1.0_f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(parts[1].to_vec::<f32>()?, [3.0, 4.0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn split(self, n: usize, axis: i64) -> Vec<Tensor> {
        let place = Location::caller();
        let Some(from_zero) = axis_of("split", axis, self, place) else { return vec![Tensor::POISON; n] };
        let extent = self.shape()[from_zero];
        if n == 0 || !extent.is_multiple_of(n) {
            let message = format!("{} cannot be split into {n} equal parts along axis {axis}", self.ty());
            return vec![mistake("split", message, place, &[self]); n];
        }
        let part = extent / n;
        (0..n).map(|i| slice_axis(self, from_zero, i * part, (i + 1) * part, place)).collect()
    }

    /// The parts between these ascending places along an axis: one more than there are places.
    #[track_caller]
    #[must_use]
    pub fn split_at(self, places: &[usize], axis: i64) -> Vec<Tensor> {
        let place = Location::caller();
        let n = places.len() + 1;
        let Some(from_zero) = axis_of("split_at", axis, self, place) else { return vec![Tensor::POISON; n] };
        let extent = self.shape()[from_zero];
        if !places.is_sorted() || places.last().is_some_and(|&p| p > extent) {
            let message = format!("the places {places:?} must ascend within 0..={extent}, the extent of axis {axis}");
            return vec![mistake("split_at", message, place, &[self]); n];
        }
        let starts = std::iter::once(0).chain(places.iter().copied());
        let limits = places.iter().copied().chain(std::iter::once(extent));
        starts.zip(limits).map(|(start, limit)| slice_axis(self, from_zero, start, limit, place)).collect()
    }
}

/// The tensors one after the other along an axis; their other extents agree.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor, y: Tensor| concatenate([x, y], 0));
/// let z = f.call(([1.0_f32, 2.0], [3.0_f32]))?;
/// assert_eq!(z.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn concatenate(tensors: impl AsRef<[Tensor]>, axis: i64) -> Tensor {
    let place = Location::caller();
    let tensors = tensors.as_ref();
    let Some(&first) = tensors.first() else {
        return mistake("concatenate", "at least one tensor is needed".to_owned(), place, &[]);
    };
    match axis_of("concatenate", axis, first, place) {
        Some(dimension) => emit1(Prim::Concatenate { dimension }, tensors, place),
        None => Tensor::POISON,
    }
}

/// The tensors, of one shape, along a new axis, which is this axis of the result.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| stack([x, x * 2.0], -1));
/// assert_eq!(f.call([1.0_f32, 2.0])?.to_vec::<f32>()?, [1.0, 2.0, 2.0, 4.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn stack(tensors: impl AsRef<[Tensor]>, axis: i64) -> Tensor {
    let place = Location::caller();
    let tensors = tensors.as_ref();
    let mut expanded = Vec::with_capacity(tensors.len());
    for &x in tensors {
        let (Some(ty), Some(first)) = (known(x, place), known(tensors[0], place)) else { return Tensor::POISON };
        if ty.shape != first.shape {
            let message = format!("all tensors must have one shape, but there are {first} and {ty}");
            return mistake("stack", message, place, &[tensors[0], x]);
        }
        expanded.push(x.expand_dims(axis));
    }
    concatenate(expanded, axis)
}

macro_rules! free_functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        #[must_use]
        pub fn $name(x: Tensor $(, $arg: $ty)*) -> $out {
            x.$name($($arg),*)
        }
    )*};
}
free_functions! {
    /// See [`Tensor::reshape`].
    reshape(shape: impl Ints) -> Tensor;
    /// See [`Tensor::ravel`].
    ravel() -> Tensor;
    /// See [`Tensor::transpose`].
    transpose(permutation: impl Ints) -> Tensor;
    /// See [`Tensor::swapaxes`].
    swapaxes(a: i64, b: i64) -> Tensor;
    /// See [`Tensor::moveaxis`].
    moveaxis(from: impl Ints, to: impl Ints) -> Tensor;
    /// See [`Tensor::squeeze`].
    squeeze() -> Tensor;
    /// See [`Tensor::expand_dims`].
    expand_dims(axes: impl Ints) -> Tensor;
    /// See [`Tensor::broadcast_to`].
    broadcast_to(shape: impl Ints) -> Tensor;
    /// See [`Tensor::flip`].
    flip(axes: impl Ints) -> Tensor;
    /// See [`Tensor::roll`].
    roll(shift: i64, axis: i64) -> Tensor;
    /// See [`Tensor::pad`].
    pad(widths: &[(usize, usize)], value: impl IntoTensor) -> Tensor;
    /// See [`Tensor::tile`].
    tile(reps: impl Ints) -> Tensor;
    /// See [`Tensor::repeat`].
    repeat(n: usize, axis: i64) -> Tensor;
    /// See [`Tensor::split`].
    split(n: usize, axis: i64) -> Vec<Tensor>;
    /// See [`Tensor::split_at`].
    split_at(places: &[usize], axis: i64) -> Vec<Tensor>;
}
