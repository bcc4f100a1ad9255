//! Products of vectors, matrices and tensors, by NumPy's rules.

use super::value::Ints;
use super::{axes_of, known, mistake};
use crate::Tensor;
use crate::tensor::require_one_dtype;
use crate::trace::{Place, emit1};
use jx_ir::{DotDims, Prim, TensorType};
use std::panic::Location;

/// Both types, if the dtypes agree; otherwise the mistake is recorded.
fn operands(op: &'static str, x: Tensor, y: Tensor, place: Place) -> Option<(TensorType, TensorType)> {
    let (lhs, rhs) = (known(x, place)?, known(y, place)?);
    require_one_dtype(x, y, op, place).then_some((lhs, rhs))
}

/// A contraction with result axes batch, free axes of `x`, free axes of `y`.
pub(crate) fn contract(x: Tensor, y: Tensor, dims: DotDims, place: Place) -> Tensor {
    emit1(Prim::DotGeneral { dims, out_dtype: x.dtype() }, &[x, y], place)
}

/// Records that two extents that are summed over differ.
fn unequal(op: &'static str, x: Tensor, y: Tensor, axes: (usize, usize), place: Place) -> Tensor {
    let (lhs, rhs) = (x.ty(), y.ty());
    let (n, m) = (lhs.shape[axes.0], rhs.shape[axes.1]);
    let message = format!(
        "axis {} of {lhs} has extent {n}, but axis {} of {rhs}, with which it is summed, has extent {m}",
        axes.0, axes.1
    );
    mistake(op, message, place, &[x, y])
}

impl Tensor {
    /// The matrix product of the last two axes; axes before them broadcast. A vector stands for a row on
    /// the left and a column on the right, and that axis goes away.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|a: Tensor, x: Tensor| a.matmul(x));
    /// let a = Array::from([[1.0_f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(f.call((a, [1.0_f32, 1.0]))?.to_vec::<f32>()?, [3.0, 7.0]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn matmul(self, y: Tensor) -> Tensor {
        let place = Location::caller();
        let x = self;
        let Some((lhs, rhs)) = operands("matmul", x, y, place) else { return Tensor::POISON };
        if lhs.rank() == 0 || rhs.rank() == 0 {
            let message = format!("the operands {lhs} and {rhs} must not be scalars; multiply them with `*`");
            return mistake("matmul", message, place, &[x, y]);
        }
        let (row, column) = (lhs.rank() - 1, rhs.rank().saturating_sub(2));
        if lhs.shape[row] != rhs.shape[column] {
            return unequal("matmul", x, y, (row, column), place);
        }
        let dims = |n_batch: usize| DotDims {
            lhs_batch: (0..n_batch).collect(),
            rhs_batch: (0..n_batch).collect(),
            lhs_contracting: vec![row],
            rhs_contracting: vec![column],
        };
        let (x_batch, y_batch) = (row.saturating_sub(1), column);
        if x_batch == 0 && y_batch == 0 {
            return contract(x, y, dims(0), place);
        }
        if y_batch == 0 {
            // One right operand for all: its free axis already comes last.
            return contract(x, y, dims(0), place);
        }
        // Both get the broadcast batch axes in front.
        let head = |ty: &TensorType, n: usize| ty.with_shape(&ty.shape[..n]);
        let Some(batch) = broadcast_batch(&head(&lhs, x_batch), &head(&rhs, y_batch)) else {
            let message = format!("the axes before the last two of {lhs} and {rhs} do not broadcast");
            return mistake("matmul", message, place, &[x, y]);
        };
        let n = batch.len();
        let with_batch = |ty: &TensorType, n_own: usize| [&batch[..], &ty.shape[n_own..]].concat();
        let x = x.broadcast_to(with_batch(&lhs, x_batch));
        let y = y.broadcast_to(with_batch(&rhs, y_batch));
        let dims = DotDims {
            lhs_batch: (0..n).collect(),
            rhs_batch: (0..n).collect(),
            lhs_contracting: vec![n + row - x_batch],
            rhs_contracting: vec![n],
        };
        contract(x, y, dims, place)
    }

    /// NumPy's `dot`: the sum over the last axis of `x` and the last but one (or only) axis of `y`; a
    /// product with a scalar.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor, y: Tensor| x.dot(y));
    /// assert_eq!(f.call(([1.0_f32, 2.0], [3.0_f32, 4.0]))?.item::<f32>()?, 11.0);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn dot(self, y: Tensor) -> Tensor {
        let place = Location::caller();
        let Some((lhs, rhs)) = operands("dot", self, y, place) else { return Tensor::POISON };
        if lhs.rank() == 0 || rhs.rank() == 0 {
            return self * y;
        }
        let (row, column) = (lhs.rank() - 1, rhs.rank().saturating_sub(2));
        if lhs.shape[row] != rhs.shape[column] {
            return unequal("dot", self, y, (row, column), place);
        }
        let dims = DotDims { lhs_contracting: vec![row], rhs_contracting: vec![column], ..DotDims::default() };
        contract(self, y, dims, place)
    }

    /// The sum of products over the last axes of both.
    #[track_caller]
    #[must_use]
    pub fn inner(self, y: Tensor) -> Tensor {
        let place = Location::caller();
        let Some((lhs, rhs)) = operands("inner", self, y, place) else { return Tensor::POISON };
        if lhs.rank() == 0 || rhs.rank() == 0 {
            return self * y;
        }
        self.tensordot_axes(y, -1, -1)
    }

    /// The product of every element of `x` with every element of `y`, both as vectors.
    #[track_caller]
    #[must_use]
    pub fn outer(self, y: Tensor) -> Tensor {
        let place = Location::caller();
        match operands("outer", self, y, place) {
            Some(_) => contract(self.ravel(), y.ravel(), DotDims::default(), place),
            None => Tensor::POISON,
        }
    }

    /// The sum of products of all elements, both as vectors.
    #[track_caller]
    #[must_use]
    pub fn vdot(self, y: Tensor) -> Tensor {
        self.ravel().dot(y.ravel())
    }

    /// The sum of products over the last `n` axes of `x` and the first `n` of `y`.
    #[track_caller]
    #[must_use]
    pub fn tensordot(self, y: Tensor, n: usize) -> Tensor {
        let place = Location::caller();
        let Some((lhs, rhs)) = operands("tensordot", self, y, place) else { return Tensor::POISON };
        if n > lhs.rank() || n > rhs.rank() {
            let message = format!("{n} axes are summed, but the operands are {lhs} and {rhs}");
            return mistake("tensordot", message, place, &[self, y]);
        }
        let x_axes: Vec<usize> = (lhs.rank() - n..lhs.rank()).collect();
        let y_axes: Vec<usize> = (0..n).collect();
        self.tensordot_axes(y, x_axes, y_axes)
    }

    /// The sum of products over axes of `x` paired with axes of `y`.
    ///
    /// ```
    /// use jx::prelude::*;
    /// let f = jit(|x: Tensor, y: Tensor| x.tensordot_axes(y, [0], [1]));
    /// let (x, y) = (Array::zeros([2, 3], DType::F32), Array::zeros([4, 2], DType::F32));
    /// assert_eq!(f.call((x, y))?.shape(), [3, 4]);
    /// # Ok::<(), jx::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn tensordot_axes(self, y: Tensor, x_axes: impl Ints, y_axes: impl Ints) -> Tensor {
        let place = Location::caller();
        let op = "tensordot";
        let Some((lhs, rhs)) = operands(op, self, y, place) else { return Tensor::POISON };
        let (x_axes, y_axes) = (x_axes.to_ints(), y_axes.to_ints());
        if x_axes.len() != y_axes.len() {
            let message = format!("the axes {x_axes:?} of {lhs} do not pair with the axes {y_axes:?} of {rhs}");
            return mistake(op, message, place, &[self, y]);
        }
        let (Some(x_axes), Some(y_axes)) = (axes_of(op, &x_axes, self, place), axes_of(op, &y_axes, y, place)) else {
            return Tensor::POISON;
        };
        let mut pairs = x_axes.iter().zip(&y_axes);
        if let Some((&a, &b)) = pairs.find(|&(&a, &b)| lhs.shape[a] != rhs.shape[b]) {
            return unequal(op, self, y, (a, b), place);
        }
        let dims = DotDims { lhs_contracting: x_axes, rhs_contracting: y_axes, ..DotDims::default() };
        contract(self, y, dims, place)
    }

    /// The elements with equal indices on the last two axes, as the last axis.
    #[track_caller]
    #[must_use]
    pub fn diagonal(self) -> Tensor {
        let place = Location::caller();
        let Some(ty) = known(self, place) else { return Tensor::POISON };
        let [.., n, m] = ty.shape[..] else {
            return mistake("diagonal", format!("the operand must have two axes, but it is {ty}"), place, &[self]);
        };
        let k = n.min(m);
        let i = super::numpy::arange(k, jx_ir::DType::I32);
        self.index(crate::s![..., i, i])
    }

    /// The sum of the diagonal of the last two axes.
    #[track_caller]
    #[must_use]
    pub fn trace(self) -> Tensor {
        self.diagonal().sum_axes(-1)
    }
}

/// The batch axes that two stacks of matrices broadcast to.
fn broadcast_batch(x: &TensorType, y: &TensorType) -> Option<Vec<usize>> {
    let rank = x.rank().max(y.rank());
    let extent = |ty: &TensorType, axis: usize| (axis + ty.rank()).checked_sub(rank).map_or(1, |a| ty.shape[a]);
    (0..rank)
        .map(|axis| match (extent(x, axis), extent(y, axis)) {
            (n, m) if n == m || m == 1 => Some(n),
            (1, m) => Some(m),
            (_, _) => None,
        })
        .collect()
}

macro_rules! free_functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*);)*) => {$(
        $(#[$doc])*
        #[track_caller]
        #[must_use]
        pub fn $name(x: Tensor $(, $arg: $ty)*) -> Tensor {
            x.$name($($arg),*)
        }
    )*};
}
free_functions! {
    /// See [`Tensor::matmul`].
    matmul(y: Tensor);
    /// See [`Tensor::dot`].
    dot(y: Tensor);
    /// See [`Tensor::inner`].
    inner(y: Tensor);
    /// See [`Tensor::outer`].
    outer(y: Tensor);
    /// See [`Tensor::vdot`].
    vdot(y: Tensor);
    /// See [`Tensor::tensordot`].
    tensordot(y: Tensor, n: usize);
    /// See [`Tensor::tensordot_axes`].
    tensordot_axes(y: Tensor, x_axes: impl Ints, y_axes: impl Ints);
    /// See [`Tensor::diagonal`].
    diagonal();
    /// See [`Tensor::trace`].
    trace();
}
