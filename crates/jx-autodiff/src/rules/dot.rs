//! Derivative and transpose of contraction, linear in each of its operands.

use super::{Operand, sum};
use crate::AutodiffError;
use jx_ir::{Builder, DType, DotDims, Var};

/// d(x·y) = dx·y + x·dy.
pub(super) fn jvp(
    b: &mut Builder,
    dims: &DotDims,
    out_dtype: DType,
    [x, y]: [Var; 2],
    [dx, dy]: [Option<Var>; 2],
) -> Option<Var> {
    if !out_dtype.is_float() {
        return None;
    }
    let t0 = dx.map(|dx| b.dot_general(dx, y, dims, out_dtype));
    let t1 = dy.map(|dy| b.dot_general(x, dy, dims, out_dtype));
    sum(b, t0, t1)
}

/// The cotangent contracted with the known operand over that one's free axes.
pub(super) fn transpose(
    b: &mut Builder,
    dims: &DotDims,
    [lhs, rhs]: [Operand<'_>; 2],
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let n_batch = dims.lhs_batch.len();
    let ct_rank = b.ty(ct).rank();
    match (lhs, rhs) {
        (Operand::Linear(lhs), Operand::Known(rhs)) => {
            let n_lhs_free = dims.lhs_free(lhs.rank()).len();
            let rhs_free = dims.rhs_free(b.ty(rhs).rank());
            let back = Back {
                ct_contracting: (n_batch + n_lhs_free..ct_rank).collect(),
                known_contracting: rhs_free,
                known_batch: dims.rhs_batch.clone(),
                linear_batch: &dims.lhs_batch,
                linear_free: dims.lhs_free(lhs.rank()),
                pairs: dims.rhs_contracting.iter().copied().zip(dims.lhs_contracting.iter().copied()).collect(),
            };
            Ok(vec![Some(back.contract(b, ct, rhs, lhs.dtype)), None])
        }
        (Operand::Known(lhs), Operand::Linear(rhs)) => {
            let lhs_free = dims.lhs_free(b.ty(lhs).rank());
            let back = Back {
                ct_contracting: (n_batch..n_batch + lhs_free.len()).collect(),
                known_contracting: lhs_free,
                known_batch: dims.lhs_batch.clone(),
                linear_batch: &dims.rhs_batch,
                linear_free: dims.rhs_free(rhs.rank()),
                pairs: dims.lhs_contracting.iter().copied().zip(dims.rhs_contracting.iter().copied()).collect(),
            };
            Ok(vec![None, Some(back.contract(b, ct, lhs, rhs.dtype))])
        }
        (Operand::Linear(_), Operand::Linear(_)) | (Operand::Known(_), Operand::Known(_)) => {
            Err(AutodiffError::NotLinear { prim: "dot_general" })
        }
    }
}

/// How the cotangent is contracted with the known operand, and where the axes of the result belong.
struct Back<'a> {
    ct_contracting: Vec<usize>,
    known_contracting: Vec<usize>,
    known_batch: Vec<usize>,
    linear_batch: &'a [usize],
    linear_free: Vec<usize>,
    /// Axes that were contracted: of the known operand, and of the linear one.
    pairs: Vec<(usize, usize)>,
}

impl Back<'_> {
    fn contract(mut self, b: &mut Builder, ct: Var, known: Var, dtype: DType) -> Var {
        let wide = wider(b.dtype(ct), dtype);
        let (ct, known) = (b.convert(ct, wide), b.convert(known, wide));
        let dims = DotDims {
            lhs_contracting: self.ct_contracting,
            rhs_contracting: self.known_contracting,
            lhs_batch: (0..self.known_batch.len()).collect(),
            rhs_batch: self.known_batch,
        };
        let product = b.dot_general(ct, known, &dims, wide);
        // Its axes are batch, the linear operand's free ones, and what was contracted in the order of
        // the known operand's axes; each is put where the linear operand has it.
        self.pairs.sort_unstable();
        let contracted = self.pairs.iter().map(|&(_, linear)| linear);
        let axes: Vec<usize> = self.linear_batch.iter().copied().chain(self.linear_free).chain(contracted).collect();
        let mut permutation = vec![0; axes.len()];
        for (i, &axis) in axes.iter().enumerate() {
            permutation[axis] = i;
        }
        let placed = b.transpose(product, &permutation);
        b.convert(placed, dtype)
    }
}

/// A dtype that holds the values of both floats.
fn wider(a: DType, c: DType) -> DType {
    if a == c || a.size_bytes() > c.size_bytes() {
        a
    } else if a.size_bytes() < c.size_bytes() {
        c
    } else {
        // Two of 16 bits: one has the greater range, the other more digits.
        DType::F32
    }
}
