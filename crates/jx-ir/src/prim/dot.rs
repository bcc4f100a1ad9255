//! Contraction: sums of products over shared axes.

use crate::error::dtype_error;
use crate::{DType, TensorType, TypeError};
use serde::{Deserialize, Serialize};

/// Which axes of two operands are contracted and which are batch; entry `i` of a `lhs` list pairs
/// with entry `i` of the `rhs` list.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DotDims {
    /// Contracted axes of the first operand.
    pub lhs_contracting: Vec<usize>,
    /// Contracted axes of the second operand.
    pub rhs_contracting: Vec<usize>,
    /// Batch axes of the first operand.
    pub lhs_batch: Vec<usize>,
    /// Batch axes of the second operand.
    pub rhs_batch: Vec<usize>,
}

impl DotDims {
    /// The axes of a first operand of rank `rank` that are neither contracted nor batch, in order.
    #[must_use]
    pub fn lhs_free(&self, rank: usize) -> Vec<usize> {
        free(rank, &self.lhs_contracting, &self.lhs_batch)
    }

    /// The axes of a second operand of rank `rank` that are neither contracted nor batch, in order.
    #[must_use]
    pub fn rhs_free(&self, rank: usize) -> Vec<usize> {
        free(rank, &self.rhs_contracting, &self.rhs_batch)
    }
}

fn free(rank: usize, contracting: &[usize], batch: &[usize]) -> Vec<usize> {
    (0..rank).filter(|a| !contracting.contains(a) && !batch.contains(a)).collect()
}

pub(super) fn infer(
    dims: &DotDims,
    out_dtype: DType,
    lhs: &TensorType,
    rhs: &TensorType,
) -> Result<TensorType, TypeError> {
    let prim = "dot_general";
    if lhs.dtype != rhs.dtype {
        return Err(TypeError::DTypeMismatch { prim, lhs: lhs.clone(), rhs: rhs.clone() });
    }
    if lhs.dtype == DType::Bool || out_dtype == DType::Bool {
        return Err(dtype_error(prim, "numbers", lhs));
    }
    let bad = |param, found: &[usize], operand: &TensorType, rule| TypeError::Param {
        prim,
        param,
        found: format!("{found:?}"),
        operand: operand.clone(),
        rule,
    };
    if dims.lhs_contracting.len() != dims.rhs_contracting.len() {
        return Err(bad("rhs_contracting", &dims.rhs_contracting, rhs, "both operands contract equally many axes"));
    }
    if dims.lhs_batch.len() != dims.rhs_batch.len() {
        return Err(bad("rhs_batch", &dims.rhs_batch, rhs, "both operands have equally many batch axes"));
    }
    TypeError::require_axes(prim, &[&dims.lhs_contracting[..], &dims.lhs_batch].concat(), lhs)?;
    TypeError::require_axes(prim, &[&dims.rhs_contracting[..], &dims.rhs_batch].concat(), rhs)?;
    let lhs_paired = dims.lhs_contracting.iter().chain(&dims.lhs_batch);
    let rhs_paired = dims.rhs_contracting.iter().chain(&dims.rhs_batch);
    if lhs_paired.zip(rhs_paired).any(|(&l, &r)| lhs.shape[l] != rhs.shape[r]) {
        return Err(TypeError::ShapeMismatch { prim, lhs: lhs.clone(), rhs: rhs.clone() });
    }
    let batch = dims.lhs_batch.iter().map(|&a| lhs.shape[a]);
    let lhs_free = dims.lhs_free(lhs.rank()).into_iter().map(|a| lhs.shape[a]);
    let rhs_free = dims.rhs_free(rhs.rank()).into_iter().map(|a| rhs.shape[a]);
    Ok(TensorType::new(out_dtype, batch.chain(lhs_free).chain(rhs_free).collect::<Vec<_>>()))
}
