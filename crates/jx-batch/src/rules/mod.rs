//! The batching rules: for each primitive, what it becomes when an operand has a batch axis.
//!
//! An elementwise primitive of any family is itself, on one more axis; that is one arm here. The other
//! families have a file each. Where a rule gives a primitive only, it is that primitive on all operands
//! with their batch axis first.

mod dot;
mod indexing;
mod movement;
mod nodes;
mod reduce;
mod sort;

use crate::BatchError;
use crate::vmap::{Batcher, Value};
use jx_ir::Prim;

/// The results of a primitive on values of the batch.
pub(crate) fn batch(cx: &mut Batcher, prim: &Prim, inputs: &[Value]) -> Result<Vec<Value>, BatchError> {
    let size = cx.size();
    // What no mapped input reaches is the same for all examples and done once.
    let shared = !inputs.iter().any(|v| v.is_batched());
    let on_batch = match prim {
        Prim::Call { func } => return nodes::call_batch(cx, func, inputs),
        Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. } => {
            return Err(BatchError::Unexpanded { prim: prim.name() });
        }
        prim if shared => return cx.emit_shared(prim.clone(), inputs),

        // Operands of one type stay operands of one type: the shared ones are spread first, so that no
        // axis of an example ever meets the batch axis.
        Prim::Unary(_)
        | Prim::IntegerPow { .. }
        | Prim::Binary(_)
        | Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient
        | Prim::Threefry2x32 => prim.clone(),

        // These have no operands, so they are shared.
        Prim::Full { .. } | Prim::Constant(_) | Prim::Iota { .. } => return cx.emit_shared(prim.clone(), inputs),

        Prim::Reshape { shape } => movement::reshape_batch(shape, size),
        Prim::Transpose { permutation } => movement::transpose_batch(permutation),
        Prim::BroadcastInDim { shape, broadcast_dimensions } => {
            movement::broadcast_in_dim_batch(shape, broadcast_dimensions, size)
        }
        Prim::Slice { start, limit, strides } => movement::slice_batch(start, limit, strides, size),
        Prim::Pad { low, high, interior } => return movement::pad_batch(cx, low, high, interior, inputs),
        Prim::Concatenate { dimension } => Prim::Concatenate { dimension: dimension + 1 },
        Prim::Rev { dimensions } => Prim::Rev { dimensions: shifted(dimensions) },

        Prim::DynamicSlice { slice_sizes } => return indexing::dynamic_slice_batch(cx, slice_sizes, inputs),
        Prim::DynamicUpdateSlice => return indexing::dynamic_update_slice_batch(cx, inputs),
        Prim::Gather { dims, slice_sizes, mode, fill_value } => {
            return indexing::gather_batch(cx, dims, slice_sizes, *mode, *fill_value, inputs);
        }
        Prim::Scatter { op, dims, mode, unique_indices } => {
            return indexing::scatter_batch(cx, *op, dims, *mode, *unique_indices, inputs);
        }

        Prim::Reduce { op, axes } => reduce::reduce_batch(*op, axes),
        Prim::ArgReduce { op, axis, index_dtype } => reduce::arg_reduce_batch(*op, *axis, *index_dtype),
        Prim::Cumulative { op, axis, reverse } => reduce::cumulative_batch(*op, *axis, *reverse),
        Prim::DotGeneral { dims, out_dtype } => return dot::dot_general_batch(cx, dims, *out_dtype, inputs),
        Prim::Sort { dimension, num_keys } => sort::sort_batch(*dimension, *num_keys),
    };
    cx.emit_batched(on_batch, inputs)
}

/// The axes of an example as axes of a batch.
fn shifted(axes: &[usize]) -> Vec<usize> {
    axes.iter().map(|a| a + 1).collect()
}

/// A list with one entry for each axis of an example, and `first` for the batch axis before it.
fn with_first<T: Copy>(first: T, rest: &[T]) -> Vec<T> {
    let mut all = Vec::with_capacity(rest.len() + 1);
    all.push(first);
    all.extend_from_slice(rest);
    all
}
