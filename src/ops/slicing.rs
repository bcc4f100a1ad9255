//! Indices as a user writes them, `s![1.., ..;2, -1, NEW]`, and the static part of what they select.

use super::mistake;
use super::movement::reshape_to;
use crate::Tensor;
use crate::tensor::axis_from_zero;
use crate::trace::{Place, emit1};
use jx_ir::{DType, Prim, Scalar, TensorType};
use std::ops;

/// One entry of an index: what it selects on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// One element; the axis goes away. Negative places count from the end.
    At(i64),
    /// Every `step`-th element from `start` up to but without `stop`; negative places count from the end,
    /// and those beyond it mean the end, as in Python. A negative step goes backwards.
    Range {
        /// The first element; by default the first, or the last of a negative step.
        start: Option<i64>,
        /// One past the last element; by default all.
        stop: Option<i64>,
        /// The step, not 0.
        step: i64,
    },
    /// As many whole axes as there are left.
    Ellipsis,
    /// A new axis of extent 1.
    New,
    /// The elements at these places, an integer tensor.
    Tensor(Tensor),
}

/// The marker of a new axis in [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

/// A new axis of extent 1 in [`s!`](crate::s), NumPy's `None`.
pub const NEW: NewAxis = NewAxis;

impl Index {
    /// The range with another step; what is no range stays as it is.
    #[must_use]
    pub fn step(self, step: i64) -> Index {
        match self {
            Index::Range { start, stop, step: old } => Index::Range { start, stop, step: old.saturating_mul(step) },
            Index::At(_) | Index::Ellipsis | Index::New | Index::Tensor(_) => self,
        }
    }
}

impl From<NewAxis> for Index {
    fn from(_: NewAxis) -> Index {
        Index::New
    }
}

impl From<Tensor> for Index {
    fn from(indices: Tensor) -> Index {
        Index::Tensor(indices)
    }
}

impl From<ops::RangeFull> for Index {
    fn from(_: ops::RangeFull) -> Index {
        Index::Range { start: None, stop: None, step: 1 }
    }
}

/// A place beyond `i64` is beyond every axis.
fn place_of<T: TryInto<i64>>(place: T) -> i64 {
    place.try_into().unwrap_or(i64::MAX)
}

/// One past a place that is included; past the last one (-1) there is nothing to name.
fn past(place: i64) -> Option<i64> {
    place.checked_add(1).filter(|&p| p != 0)
}

macro_rules! index_from {
    ($($t:ty),*) => {$(
        impl From<$t> for Index {
            fn from(place: $t) -> Index {
                Index::At(place_of(place))
            }
        }
        impl From<ops::Range<$t>> for Index {
            fn from(r: ops::Range<$t>) -> Index {
                Index::Range { start: Some(place_of(r.start)), stop: Some(place_of(r.end)), step: 1 }
            }
        }
        impl From<ops::RangeFrom<$t>> for Index {
            fn from(r: ops::RangeFrom<$t>) -> Index {
                Index::Range { start: Some(place_of(r.start)), stop: None, step: 1 }
            }
        }
        impl From<ops::RangeTo<$t>> for Index {
            fn from(r: ops::RangeTo<$t>) -> Index {
                Index::Range { start: None, stop: Some(place_of(r.end)), step: 1 }
            }
        }
        impl From<ops::RangeInclusive<$t>> for Index {
            fn from(r: ops::RangeInclusive<$t>) -> Index {
                Index::Range { start: Some(place_of(*r.start())), stop: past(place_of(*r.end())), step: 1 }
            }
        }
        impl From<ops::RangeToInclusive<$t>> for Index {
            fn from(r: ops::RangeToInclusive<$t>) -> Index {
                Index::Range { start: None, stop: past(place_of(r.end)), step: 1 }
            }
        }
    )*};
}
index_from!(i32, i64, usize);

/// What selects part of a tensor: one [`Index`] or what becomes one, or several, made by [`s!`](crate::s).
pub trait Indices {
    /// The entries in order.
    fn into_indices(self) -> Vec<Index>;
}

impl<T: Into<Index>> Indices for T {
    fn into_indices(self) -> Vec<Index> {
        vec![self.into()]
    }
}

impl<const N: usize> Indices for [Index; N] {
    fn into_indices(self) -> Vec<Index> {
        self.to_vec()
    }
}

impl Indices for Vec<Index> {
    fn into_indices(self) -> Vec<Index> {
        self
    }
}

/// An index of several axes, as NumPy's `x[...]`: integers, ranges with a step after `;`, `..` for a whole
/// axis, `...` for as many whole axes as are left, `NEW` for a new axis, and integer tensors.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| x.slice(s![1.., -1, NEW, ..;-1]));
/// let x = Array::from_vec([2, 2, 2], (0..8).map(|i| i as f32).collect())?;
/// let y = f.call(x)?;
/// assert_eq!(y.shape(), [1, 1, 2]);
/// assert_eq!(y.to_vec::<f32>()?, [7.0, 6.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[macro_export]
macro_rules! s {
    (@ [$($done:tt)*]) => { [$($done)*] };
    // A range from a later to an earlier place is no mistake here: one may count from the end, or the
    // step may be negative.
    (@from $index:expr) => {
        $crate::Index::from({
            #[allow(clippy::reversed_empty_ranges)]
            let index = $index;
            index
        })
    };
    (@ [$($done:tt)*] ... $(, $($rest:tt)*)?) => {
        $crate::s!(@ [$($done)* $crate::Index::Ellipsis,] $($($rest)*)?)
    };
    (@ [$($done:tt)*] $index:expr ; $step:expr $(, $($rest:tt)*)?) => {
        $crate::s!(@ [$($done)* $crate::s!(@from $index).step($step),] $($($rest)*)?)
    };
    (@ [$($done:tt)*] $index:expr $(, $($rest:tt)*)?) => {
        $crate::s!(@ [$($done)* $crate::s!(@from $index),] $($($rest)*)?)
    };
    ($($rest:tt)*) => { $crate::s!(@ [] $($rest)*) };
}

/// The static part of an index: a strided box of the operand, seen under another shape.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    start: Vec<usize>,
    limit: Vec<usize>,
    strides: Vec<usize>,
    flipped: Vec<usize>,
    /// The box's extents, one for each axis of the operand.
    extents: Vec<usize>,
    /// The shape without the axes of single elements and with the new ones.
    pub(crate) shape: Vec<usize>,
}

/// An index worked out for an operand.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub(crate) window: Window,
    /// Axes of the window indexed by tensors.
    pub(crate) tensors: Vec<(usize, Tensor)>,
    /// How many kept axes of the window come before the axes that the index tensors give the result.
    pub(crate) n_before: usize,
}

/// Works out an index for `x`; `None` with the mistake recorded if it does not fit.
pub(crate) fn select(op: &'static str, x: Tensor, entries: &[Index], place: Place) -> Option<Selection> {
    let ty = super::known(x, place)?;
    let fail = |message: String| -> Option<Selection> {
        mistake(op, message, place, &[x]);
        None
    };
    let named = entries.iter().filter(|e| !matches!(e, Index::Ellipsis | Index::New)).count();
    if named > ty.rank() {
        return fail(format!("{named} axes are indexed, but {ty} has {}", ty.rank()));
    }
    if entries.iter().filter(|e| matches!(e, Index::Ellipsis)).count() > 1 {
        return fail("an index has at most one `...`".to_owned());
    }
    let whole = Index::from(..);
    let left = vec![whole; ty.rank() - named];
    let entries: Vec<Index> = match entries.iter().position(|e| matches!(e, Index::Ellipsis)) {
        Some(i) => [&entries[..i], &left, &entries[i + 1..]].concat(),
        None => [entries, &left].concat(),
    };
    let mut window = Window::whole(&ty);
    let mut tensors = Vec::new();
    let mut axis = 0;
    for &entry in &entries {
        match entry {
            Index::New => window.shape.push(1),
            Index::Tensor(indices) => {
                tensors.push((window.shape.len(), indices));
                window.shape.push(ty.shape[axis]);
                axis += 1;
            }
            Index::At(i) => {
                let Some(i) = axis_from_zero(i, ty.shape[axis]) else {
                    return fail(format!(
                        "index {i} is out of range for axis {axis} of {ty}, of extent {}",
                        ty.shape[axis]
                    ));
                };
                (window.start[axis], window.limit[axis], window.extents[axis]) = (i, i + 1, 1);
                axis += 1;
            }
            Index::Range { start, stop, step } => {
                if step == 0 {
                    return fail(format!("the step of axis {axis} must not be 0"));
                }
                window.range(axis, ty.shape[axis], start, stop, step);
                window.shape.push(window.extents[axis]);
                axis += 1;
            }
            // Replaced by whole axes above.
            Index::Ellipsis => {}
        }
    }
    Some(Selection { n_before: axes_before_tensors(&entries), window, tensors })
}

/// Where the axes of the index tensors go, as in NumPy: in their place if they stand side by side,
/// single elements counting as index tensors, else first.
fn axes_before_tensors(entries: &[Index]) -> usize {
    let advanced = |e: &&Index| matches!(e, Index::At(_) | Index::Tensor(_));
    let Some(first) = entries.iter().position(|e| advanced(&e)) else { return 0 };
    let n = entries.iter().filter(advanced).count();
    if entries[first..].iter().take(n).all(|e| advanced(&e)) { first } else { 0 }
}

impl Window {
    /// All of an operand, with no axis in its view yet.
    fn whole(ty: &TensorType) -> Window {
        let rank = ty.rank();
        Window {
            start: vec![0; rank],
            limit: ty.shape.clone(),
            strides: vec![1; rank],
            flipped: Vec::new(),
            extents: ty.shape.clone(),
            shape: Vec::new(),
        }
    }

    /// Restricts an axis of extent `n` to a range, by Python's rules.
    fn range(&mut self, axis: usize, n: usize, start: Option<i64>, stop: Option<i64>, step: i64) {
        let n = n as i64;
        let bound = |place: i64| (if place < 0 { place.saturating_add(n) } else { place }).clamp(0, n);
        let stride = step.unsigned_abs() as usize;
        let (lo, hi) = if step > 0 {
            let lo = start.map_or(0, bound);
            (lo, stop.map_or(n, bound).max(lo))
        } else {
            // Backwards from `start` down to one above `stop`.
            let from = start.map_or(n, |s| if s < 0 { s.saturating_add(n).max(-1) + 1 } else { s.min(n - 1) + 1 });
            let down_to = stop.map_or(0, |s| if s < 0 { s.saturating_add(n).max(-1) + 1 } else { s.min(n - 1) + 1 });
            let count = (from - down_to).max(0) as usize;
            // The box begins where the backward walk ends.
            let skipped = if count == 0 { 0 } else { (count - 1) % stride };
            self.flipped.push(axis);
            (if count == 0 { from } else { down_to + skipped as i64 }, from)
        };
        (self.start[axis], self.limit[axis], self.strides[axis]) = (lo as usize, hi as usize, stride);
        self.extents[axis] = ((hi - lo) as usize).div_ceil(stride);
    }

    /// Whether it is the operand as it is.
    pub(crate) fn is_whole(&self, ty: &TensorType) -> bool {
        self.extents == ty.shape && self.flipped.is_empty() && self.shape == ty.shape
    }

    /// The elements of the window.
    pub(crate) fn read(&self, x: Tensor, ty: &TensorType, place: Place) -> Tensor {
        let mut y = x;
        if self.extents != ty.shape {
            let (start, limit, strides) = (self.start.clone(), self.limit.clone(), self.strides.clone());
            y = emit1(Prim::Slice { start, limit, strides }, &[y], place);
        }
        if !self.flipped.is_empty() {
            y = emit1(Prim::Rev { dimensions: self.flipped.clone() }, &[y], place);
        }
        if self.shape != self.extents { reshape_to(y, self.shape.clone(), place) } else { y }
    }

    /// The operand with the window replaced by `y`, which has its shape.
    pub(crate) fn write(&self, x: Tensor, ty: &TensorType, y: Tensor, place: Place) -> Tensor {
        if self.extents.contains(&0) {
            return x;
        }
        let mut y = reshape_to(y, self.extents.clone(), place);
        if !self.flipped.is_empty() {
            y = emit1(Prim::Rev { dimensions: self.flipped.clone() }, &[y], place);
        }
        if self.extents == ty.shape {
            return y;
        }
        let strided = |a: usize| self.strides[a] > 1 && self.extents[a] > 1;
        if !(0..ty.rank()).any(strided) {
            let mut operands = vec![x, y];
            for &start in &self.start {
                let value = Scalar::from_i64(DType::I64, start as i64);
                operands.push(emit1(Prim::Full { value, shape: Vec::new() }, &[], place));
            }
            return emit1(Prim::DynamicUpdateSlice, &operands, place);
        }
        // Spread out to the operand's shape, and taken where the window is.
        let low: Vec<i64> = self.start.iter().map(|&s| s as i64).collect();
        let interior: Vec<usize> = self.strides.iter().map(|s| s - 1).collect();
        let reach = |a: usize| self.start[a] + (self.extents[a] - 1) * self.strides[a] + 1;
        let high: Vec<i64> = (0..ty.rank()).map(|a| ty.shape[a] as i64 - reach(a) as i64).collect();
        let pad = Prim::Pad { low, high, interior };
        let full = |value: Scalar, shape: &[usize]| emit1(Prim::Full { value, shape: shape.to_vec() }, &[], place);
        let zero = full(Scalar::zero(ty.dtype), &[]);
        let spread = emit1(pad.clone(), &[y, zero], place);
        let inside = full(Scalar::one(DType::Bool), &self.extents);
        let mask = emit1(pad, &[inside, full(Scalar::zero(DType::Bool), &[])], place);
        emit1(Prim::SelectN, &[mask, x, spread], place)
    }
}
