//! `x.at(i)`: reads, and functional updates, of the part that an index selects.

use super::indexing::{places, read};
use super::known;
use super::slicing::{Indices, Selection, select};
use crate::Tensor;
use crate::tensor::{IntoTensor, require_one_dtype};
use crate::trace::emit1;
use jx_ir::{BinaryOp, IndexMode, Prim, ScatterOp};
use std::panic::Location;

/// The part of a tensor that an index selects, to read or to update; made by [`Tensor::at`].
#[derive(Clone, Debug)]
pub struct At {
    x: Tensor,
    selection: Option<Selection>,
    mode: Option<IndexMode>,
    unique: bool,
}

impl Tensor {
    /// The part that an index selects, to read or to update: `x.at(i).set(v)` is a new tensor, as in JAX.
    ///
    /// An index is an integer, a range, an integer tensor, or several of these made by [`s!`](crate::s).
    /// Where index tensors meet an element more than once, `set` leaves the last value and the others
    /// combine all. Index tensors out of range are clipped by `get` and dropped by updates, unless
    /// [`At::mode`] says otherwise.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor, i: Tensor| x.at(i).add(1.0).at(0).set(9.0));
    /// let y = f.call(([0.0_f32, 0.0, 0.0], [2_i32, 2, 7]))?;
    /// assert_eq!(y.to_vec::<f32>()?, [9.0, 0.0, 2.0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn at(self, index: impl Indices) -> At {
        let selection = select("at", self, &index.into_indices(), Location::caller());
        At { x: self, selection, mode: None, unique: false }
    }
}

impl At {
    /// What an index tensor out of range does.
    #[must_use]
    pub fn mode(self, mode: IndexMode) -> At {
        At { mode: Some(mode), ..self }
    }

    /// The caller's word that no two updates meet.
    #[must_use]
    pub fn unique_indices(self) -> At {
        At { unique: true, ..self }
    }

    /// The selected part.
    #[track_caller]
    #[must_use]
    pub fn get(self) -> Tensor {
        match &self.selection {
            Some(selection) => read("at", self.x, selection, self.mode.unwrap_or(IndexMode::Clip)),
            None => Tensor::POISON,
        }
    }

    /// The tensor with the selected part replaced by `value`, which broadcasts to its shape.
    #[track_caller]
    #[must_use]
    pub fn set(self, value: impl IntoTensor) -> Tensor {
        self.update(ScatterOp::Set, value)
    }

    /// The tensor with `value` added to the selected part.
    #[track_caller]
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "the name is JAX's, and the result is no `At`")]
    pub fn add(self, value: impl IntoTensor) -> Tensor {
        self.update(ScatterOp::Add, value)
    }

    /// The tensor with the selected part multiplied by `value`.
    #[track_caller]
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "the name is JAX's, and the result is no `At`")]
    pub fn mul(self, value: impl IntoTensor) -> Tensor {
        self.update(ScatterOp::Mul, value)
    }

    /// The tensor with the selected part replaced by `value` where that is less.
    #[track_caller]
    #[must_use]
    pub fn min(self, value: impl IntoTensor) -> Tensor {
        self.update(ScatterOp::Min, value)
    }

    /// The tensor with the selected part replaced by `value` where that is greater.
    #[track_caller]
    #[must_use]
    pub fn max(self, value: impl IntoTensor) -> Tensor {
        self.update(ScatterOp::Max, value)
    }

    #[track_caller]
    fn update(self, op: ScatterOp, value: impl IntoTensor) -> Tensor {
        let place = Location::caller();
        let x = self.x;
        let value = value.into_tensor(x, "at", place);
        let (Some(selection), Some(ty)) = (&self.selection, known(x, place)) else { return Tensor::POISON };
        if !require_one_dtype(x, value, "at", place) {
            return Tensor::POISON;
        }
        let whole = selection.window.is_whole(&ty);
        // A static part is read, updated and written back; index tensors then work inside it.
        let region = if whole { x } else { selection.window.read(x, &ty, place) };
        let updated = if selection.tensors.is_empty() {
            combine(op, region, value.broadcast_to(region.shape()))
        } else {
            let inner = ty.with_shape(selection.window.shape.clone());
            let Some(at) = places("at", selection, &inner) else { return Tensor::POISON };
            let value = value.broadcast_to(at.result.shape.as_slice());
            if at.result.n_elements() == 0 {
                return x;
            }
            let dims = at.dims.to_scatter();
            let mode = self.mode.unwrap_or(IndexMode::FillOrDrop);
            let prim = Prim::Scatter { op, dims, mode, unique_indices: self.unique };
            emit1(prim, &[region, at.indices, value], place)
        };
        if whole { updated } else { selection.window.write(x, &ty, updated, place) }
    }
}

/// The elements that are there joined by as many others.
#[track_caller]
fn combine(op: ScatterOp, old: Tensor, new: Tensor) -> Tensor {
    let op = match op {
        ScatterOp::Set => return new,
        ScatterOp::Add => BinaryOp::Add,
        ScatterOp::Mul => BinaryOp::Mul,
        ScatterOp::Min => BinaryOp::Min,
        ScatterOp::Max => BinaryOp::Max,
    };
    crate::tensor::binary(op, old, new, Location::caller())
}
