//! Movement: the batch axis comes along untouched.

use super::{shifted, with_first};
use crate::BatchError;
use crate::vmap::{Batcher, Value};
use jx_ir::{DType, Prim, Scalar};

pub(super) fn reshape_batch(shape: &[usize], size: usize) -> Prim {
    Prim::Reshape { shape: with_first(size, shape) }
}

pub(super) fn transpose_batch(permutation: &[usize]) -> Prim {
    Prim::Transpose { permutation: with_first(0, &shifted(permutation)) }
}

pub(super) fn broadcast_in_dim_batch(shape: &[usize], dims: &[usize], size: usize) -> Prim {
    Prim::BroadcastInDim { shape: with_first(size, shape), broadcast_dimensions: with_first(0, &shifted(dims)) }
}

pub(super) fn slice_batch(start: &[usize], limit: &[usize], strides: &[usize], size: usize) -> Prim {
    Prim::Slice { start: with_first(0, start), limit: with_first(size, limit), strides: with_first(1, strides) }
}

/// Operands `x, padding_value`.
pub(super) fn pad_batch(
    cx: &mut Batcher,
    low: &[i64],
    high: &[i64],
    interior: &[usize],
    inputs: &[Value],
) -> Result<Vec<Value>, BatchError> {
    let [x, value] = inputs[..] else { panic!("pad has two operands, not {}", inputs.len()) };
    let pad = Prim::Pad { low: low.to_vec(), high: high.to_vec(), interior: interior.to_vec() };
    let pad_rows = Prim::Pad { low: with_first(0, low), high: with_first(0, high), interior: with_first(0, interior) };
    let Value::Batched(values) = value else {
        let padded = cx.emit1(pad_rows, &[x.var(), value.var()])?;
        return Ok(vec![Value::Batched(padded)]);
    };

    // `pad` puts one scalar into all rows, so rows are padded with zero and each row's own value is
    // selected where padding is. Where that is does not depend on the example.
    let ty = cx.example_ty(x);
    let zero = cx.full(&[], Scalar::zero(ty.dtype))?;
    let padded = match x {
        Value::Batched(x) => Value::Batched(cx.emit1(pad_rows, &[x, zero])?),
        Value::Shared(x) => Value::Shared(cx.emit1(pad.clone(), &[x, zero])?),
    };
    let inside = cx.full(&ty.shape, Scalar::zero(DType::Bool))?;
    let outside = cx.full(&[], Scalar::one(DType::Bool))?;
    let is_padding = Value::Shared(cx.emit1(pad, &[inside, outside])?);
    let shape = with_first(cx.size(), &cx.example_ty(padded).shape);
    let values = Value::Batched(cx.broadcast_in_dim(values, shape, vec![0])?);
    cx.emit_batched(Prim::SelectN, &[is_padding, padded, values])
}
