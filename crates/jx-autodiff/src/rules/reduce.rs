//! Derivatives and transposes of reductions.

mod cumulative;

pub(super) use cumulative::{cumulative_jvp, cumulative_transpose, shift, strides};

use super::{equal_share, index_dtype, keep_where, scale};
use crate::AutodiffError;
use jx_ir::{Builder, CumulativeOp, ReduceOp, TensorType, Var};

/// The tangent of `y`, the reduction of `x` along `axes`.
pub(super) fn jvp(b: &mut Builder, op: ReduceOp, axes: &[usize], x: Var, y: Var, dx: Var) -> Option<Var> {
    match op {
        ReduceOp::Sum => Some(b.reduce_sum(dx, axes)),
        ReduceOp::Prod => Some(prod_jvp(b, axes, x, dx)),
        ReduceOp::Max | ReduceOp::Min => Some(extreme_jvp(b, axes, x, y, dx)),
        // Of integers and truth values, which have no tangents.
        ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => None,
    }
}

/// A sum sends the cotangent back to every element that it summed.
pub(super) fn transpose(
    b: &mut Builder,
    op: ReduceOp,
    axes: &[usize],
    x: &TensorType,
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    match op {
        ReduceOp::Sum => Ok(vec![Some(b.broadcast_back(ct, &x.shape, axes))]),
        ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min | ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => {
            Err(AutodiffError::NotLinear { prim: op.name() })
        }
    }
}

/// The mean of the tangents of the winners.
fn extreme_jvp(b: &mut Builder, axes: &[usize], x: Var, y: Var, dx: Var) -> Var {
    let x_ty = b.ty(x).clone();
    let best = b.broadcast_back(y, &x_ty.shape, axes);
    let winners = b.eq(x, best);
    let ones = b.convert(winners, index_dtype(x_ty.n_elements()));
    let n_winners = b.reduce_sum(ones, axes);
    let share = equal_share(b, n_winners, x_ty.dtype);
    let won = keep_where(b, winners, dx);
    let total = b.reduce_sum(won, axes);
    // The share is in (0, 1], so a plain product is safe.
    b.mul(total, share)
}

/// d Π x = Σ dxᵢ Π_{j≠i} xⱼ. The products that leave one out are those before times those after it, so
/// nothing is divided and zeros are no exception.
fn prod_jvp(b: &mut Builder, axes: &[usize], x: Var, dx: Var) -> Var {
    let rank = b.ty(x).rank();
    let kept: Vec<usize> = (0..rank).filter(|a| !axes.contains(a)).collect();
    let last = kept.len();
    let mut shape: Vec<usize> = kept.iter().map(|&a| b.shape(x)[a]).collect();
    shape.push(axes.iter().map(|&a| b.shape(x)[a]).product());
    let permutation = [&kept[..], axes].concat();
    let merge = |b: &mut Builder, v: Var| {
        let v = b.transpose(v, &permutation);
        b.reshape(v, &shape)
    };
    let (x, dx) = (merge(b, x), merge(b, dx));
    let up_to = b.cumulative(CumulativeOp::Prod, x, last, false);
    let from = b.cumulative(CumulativeOp::Prod, x, last, true);
    let before = shift(b, up_to, last, 1, 1.0);
    let after = shift(b, from, last, -1, 1.0);
    let others = b.mul(before, after);
    let terms = scale(b, dx, others);
    b.reduce_sum(terms, &[last])
}
