//! Contraction: a batch axis on both operands is one more batch axis; on one of them it is one more
//! free axis, so that the shared operand is read once and not copied.

use super::{shifted, with_first};
use crate::BatchError;
use crate::vmap::{Batcher, Value};
use jx_ir::{DType, DotDims, Prim};

/// Operands `lhs, rhs`.
pub(super) fn dot_general_batch(
    cx: &mut Batcher,
    dims: &DotDims,
    out_dtype: DType,
    inputs: &[Value],
) -> Result<Vec<Value>, BatchError> {
    let [lhs, rhs] = inputs[..] else { panic!("dot_general has two operands, not {}", inputs.len()) };
    let mut dims = dims.clone();
    // The result's axes are batch, free of lhs, free of rhs. A new free axis is the first of its operand.
    let n_batch = dims.lhs_batch.len();
    let n_lhs_free = dims.lhs_free(cx.example_ty(lhs).rank()).len();
    if lhs.is_batched() {
        dims.lhs_contracting = shifted(&dims.lhs_contracting);
        dims.lhs_batch = shifted(&dims.lhs_batch);
    }
    if rhs.is_batched() {
        dims.rhs_contracting = shifted(&dims.rhs_contracting);
        dims.rhs_batch = shifted(&dims.rhs_batch);
    }
    let batch_axis = match (lhs.is_batched(), rhs.is_batched()) {
        (true, true) => {
            dims.lhs_batch = with_first(0, &dims.lhs_batch);
            dims.rhs_batch = with_first(0, &dims.rhs_batch);
            0
        }
        (true, false) => n_batch,
        (false, _) => n_batch + n_lhs_free,
    };
    let out = cx.emit1(Prim::DotGeneral { dims, out_dtype }, &[lhs.var(), rhs.var()])?;
    Ok(vec![Value::Batched(cx.move_axis(out, batch_axis, 0)?)])
}
