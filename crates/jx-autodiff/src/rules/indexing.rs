//! Derivatives and transposes of reads and writes at computed places.
//!
//! A read and the addition of updates at the same places are each other's transpose, also where an
//! index is out of range: a place that is not read gets nothing, and one that is read by a clamped
//! index is written by a clamped index.

mod scatter;

pub(super) use scatter::{scatter_jvp, scatter_transpose};

use super::{Operand, require_zero};
use crate::AutodiffError;
use jx_ir::{Builder, GatherDims, IndexMode, Prim, Scalar, ScatterOp, TensorType, Var};

/// The windows of the tangent; where the value is a fill value, the tangent is 0.
pub(super) fn gather_jvp(b: &mut Builder, prim: &Prim, dx: Var, indices: Var) -> Var {
    let Prim::Gather { dims, slice_sizes, mode, .. } = prim else { panic!("{prim:?} is no gather") };
    gather_or_zero(b, dx, indices, dims, slice_sizes, *mode)
}

/// Cotangents are added up where the values were read.
pub(super) fn gather_transpose(
    b: &mut Builder,
    dims: &GatherDims,
    mode: IndexMode,
    x: &TensorType,
    indices: Var,
    ct: Var,
) -> Var {
    let mode = match mode {
        // A promised index acts as a clamped one on a read, but is dropped by a write.
        IndexMode::Clip | IndexMode::PromiseInBounds => IndexMode::Clip,
        IndexMode::FillOrDrop => IndexMode::FillOrDrop,
    };
    let zeros = b.zeros(x);
    b.scatter(ScatterOp::Add, [zeros, indices, ct], &dims.to_scatter(), mode)
}

/// The windows of `x`, 0 where mode `fill_or_drop` fills.
fn gather_or_zero(
    b: &mut Builder,
    x: Var,
    indices: Var,
    dims: &GatherDims,
    slice_sizes: &[usize],
    mode: IndexMode,
) -> Var {
    let fill_value = match mode {
        IndexMode::FillOrDrop => Some(Scalar::zero(b.dtype(x))),
        IndexMode::Clip | IndexMode::PromiseInBounds => None,
    };
    let prim = Prim::Gather { dims: dims.clone(), slice_sizes: slice_sizes.to_vec(), mode, fill_value };
    b.emit1(prim, &[x, indices])
}

/// `x[…, index[…, i, …], …]`: elements along one axis at places of the same axis, as
/// `jax.numpy.take_along_axis`. Indices are in range.
pub(super) fn take_along_axis(b: &mut Builder, x: Var, index: Var, axis: usize) -> Var {
    let shape = b.shape(x).to_vec();
    if shape.contains(&0) {
        return x;
    }
    let others: Vec<usize> = (0..shape.len()).filter(|&a| a != axis).collect();
    let dims = GatherDims {
        offset_dims: Vec::new(),
        collapsed_slice_dims: vec![axis],
        start_index_map: vec![axis],
        operand_batching_dims: others.clone(),
        start_indices_batching_dims: others,
    };
    let indices = b.reshape(index, &[&b.shape(index).to_vec()[..], &[1]].concat());
    b.gather(x, indices, &dims, &vec![1; shape.len()], IndexMode::PromiseInBounds)
}

/// The cotangent of the window put back into zeros.
pub(super) fn dynamic_slice_transpose(
    b: &mut Builder,
    x: &TensorType,
    starts: &[Operand<'_>],
    ct: Var,
) -> Vec<Option<Var>> {
    let starts: Vec<Var> = starts.iter().filter_map(Operand::known).collect();
    let zeros = b.zeros(x);
    let mut result = vec![Some(b.dynamic_update_slice(zeros, ct, &starts))];
    result.resize(starts.len() + 1, None);
    result
}

/// The operand loses the window's cotangent, which goes to the update.
pub(super) fn dynamic_update_slice_transpose(
    b: &mut Builder,
    [x, update]: [Operand<'_>; 2],
    starts: &[Operand<'_>],
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let prim = Prim::DynamicUpdateSlice.name();
    require_zero(b, prim, &x)?;
    require_zero(b, prim, &update)?;
    let starts: Vec<Var> = starts.iter().filter_map(Operand::known).collect();
    let window = match update {
        Operand::Known(v) => b.ty(v).clone(),
        Operand::Linear(ty) => ty.clone(),
    };
    let ct_x = match x {
        Operand::Known(_) => None,
        Operand::Linear(_) => {
            let zeros = b.zeros(&window);
            Some(b.dynamic_update_slice(ct, zeros, &starts))
        }
    };
    let ct_update = match update {
        Operand::Known(_) => None,
        Operand::Linear(_) => Some(b.dynamic_slice(ct, &starts, &window.shape)),
    };
    let mut result = vec![ct_x, ct_update];
    result.resize(starts.len() + 2, None);
    Ok(result)
}
