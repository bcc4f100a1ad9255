//! Operations on tensors under NumPy's and JAX's names: methods of [`Tensor`] and free functions.
//!
//! Everything here is a composition of the IR's primitives, recorded at the caller's place. Every public
//! function is `#[track_caller]`, and one that calls others passes the user's place on, so no closures
//! stand between them. A mistake is recorded and gives [`Tensor::POISON`]; nothing panics.

pub(crate) mod at;
pub(crate) mod compare;
pub(crate) mod create;
pub(crate) mod dot;
pub(crate) mod elementwise;
pub(crate) mod indexing;
pub mod lax;
pub(crate) mod movement;
pub(crate) mod reduce;
pub(crate) mod slicing;
pub(crate) mod sort;
pub(crate) mod value;

use crate::Tensor;
use crate::error::ErrorKind;
use crate::tensor::axis_from_zero;
use crate::trace::{self, Place};
use jx_ir::{DType, TensorType};
pub use value::{Ints, Value};

/// The free functions, as in `jax.numpy`.
///
/// ```
/// use jx::numpy as jnp;
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| jnp::where_(x.gt(0.0), jnp::log1p(x), jnp::zeros_like(x)));
/// assert_eq!(f.call([-1.0_f32, 0.0])?.to_vec::<f32>()?, [0.0, 0.0]);
/// # Ok::<(), jx::Error>(())
/// ```
pub mod numpy {
    pub use super::compare::{
        all_close, clip, equal, greater, greater_equal, less, less_equal, logical_and, logical_not, logical_or,
        logical_xor, not_equal, where_,
    };
    pub use super::create::{
        arange, arange_step, eye, full_like, iota, linspace, ones, ones_like, tri, tril, triu, zeros, zeros_like,
    };
    pub use super::dot::{diagonal, dot, inner, matmul, outer, tensordot, tensordot_axes, trace, vdot};
    pub use super::elementwise::*;
    pub use super::indexing::{take, take_along_axis};
    pub use super::movement::{
        broadcast_to, concatenate, expand_dims, flip, moveaxis, pad, ravel, repeat, reshape, roll, split, split_at,
        squeeze, stack, swapaxes, tile, transpose,
    };
    pub use super::reduce::{
        all, any, argmax, argmin, cumlogsumexp, cummax, cummin, cumprod, cumsum, logsumexp, max, mean, min, prod, std,
        sum, var,
    };
    pub use super::sort::{argsort, median, sort, sort_by_keys, top_k};
    pub use crate::einsum::einsum;
    pub use crate::tensor::{full, scalar, tensor};
}

/// The type of a tensor; `None` after a mistake, which is then recorded if it is the first.
pub(crate) fn known(x: Tensor, place: Place) -> Option<TensorType> {
    let ty = trace::type_of(x);
    if ty.is_none() {
        trace::unusable(x, "use of a tensor", place);
    }
    ty
}

/// Records that a parameter does not fit.
pub(crate) fn mistake(op: &'static str, message: String, place: Place, operands: &[Tensor]) -> Tensor {
    trace::fail_on(ErrorKind::Param { op, message }, place, operands);
    Tensor::POISON
}

/// An axis counted from 0; `None` with the mistake recorded if it is out of range.
pub(crate) fn axis_of(op: &'static str, axis: i64, x: Tensor, place: Place) -> Option<usize> {
    let operand = known(x, place)?;
    let found = axis_from_zero(axis, operand.rank());
    if found.is_none() {
        trace::fail_on(ErrorKind::Axis { op, axis, operand }, place, &[x]);
    }
    found
}

/// Distinct axes counted from 0; `None` with the mistake recorded otherwise.
pub(crate) fn axes_of(op: &'static str, axes: &[i64], x: Tensor, place: Place) -> Option<Vec<usize>> {
    let mut found = Vec::with_capacity(axes.len());
    for &given in axes {
        let axis = axis_of(op, given, x, place)?;
        if found.contains(&axis) {
            mistake(op, format!("axis {given} is named twice in {axes:?}"), place, &[x]);
            return None;
        }
        found.push(axis);
    }
    Some(found)
}

/// Records a mistake unless the tensor is of a float dtype; whether it is.
pub(crate) fn require_float(op: &'static str, x: Tensor, place: Place) -> bool {
    let Some(ty) = known(x, place) else { return false };
    if !ty.dtype.is_float() {
        let advice = "convert it first with `.astype(DType::F32)`";
        mistake(op, format!("works on floats, but the operand is {ty}; {advice}"), place, &[x]);
        return false;
    }
    true
}

/// The dtype that a sum or product of values of this dtype is kept in: halves lose too much.
pub(crate) fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::F32
        | DType::F64 => dtype,
    }
}
