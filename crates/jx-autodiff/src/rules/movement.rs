//! Transposes of movement. Its derivatives are the movements themselves, for all of it is linear.

use super::{Operand, keep_where, require_zero};
use crate::AutodiffError;
use jx_ir::{Builder, DType, Prim, Scalar, TensorType, Var};

/// The inverse permutation.
pub(super) fn transpose_transpose(b: &mut Builder, permutation: &[usize], ct: Var) -> Var {
    let mut inverse = vec![0; permutation.len()];
    for (i, &axis) in permutation.iter().enumerate() {
        inverse[axis] = i;
    }
    b.transpose(ct, &inverse)
}

/// An element that was repeated receives the sum over its copies: along new axes and stretched ones.
pub(super) fn broadcast_in_dim_transpose(b: &mut Builder, dims: &[usize], x: &TensorType, ct: Var) -> Var {
    let shape = b.shape(ct).to_vec();
    let stretched = |&d: &usize| match dims.iter().position(|&to| to == d) {
        Some(axis) => x.shape[axis] != shape[d],
        None => true,
    };
    let axes: Vec<usize> = (0..shape.len()).filter(stretched).collect();
    let total = b.reduce_sum(ct, &axes);
    b.reshape(total, &x.shape)
}

/// Zeros where elements were left out.
pub(super) fn slice_transpose(b: &mut Builder, start: &[usize], strides: &[usize], x: &TensorType, ct: Var) -> Var {
    let taken = b.shape(ct).to_vec();
    let (mut high, mut interior) = (Vec::new(), Vec::new());
    for (axis, &n) in taken.iter().enumerate() {
        let span = if n == 0 { 0 } else { (n - 1) * strides[axis] + 1 };
        high.push(signed(x.shape[axis] - start[axis] - span));
        interior.push(strides[axis] - 1);
    }
    let low: Vec<i64> = start.iter().map(|&n| signed(n)).collect();
    let zero = b.full_scalar(&[], Scalar::zero(x.dtype));
    b.pad(ct, zero, &low, &high, &interior)
}

/// The cotangents of what was padded, by undoing the padding, and of the padding value, by summing
/// over the places that it fills.
pub(super) fn pad_transpose(
    b: &mut Builder,
    [low, high]: [&[i64]; 2],
    interior: &[usize],
    [x, value]: [Operand<'_>; 2],
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    require_zero(b, "pad", &x)?;
    require_zero(b, "pad", &value)?;
    let x_shape = match x {
        Operand::Known(v) => b.shape(v).to_vec(),
        Operand::Linear(ty) => ty.shape.clone(),
    };
    let ct_value = match value {
        Operand::Known(_) => None,
        Operand::Linear(_) => {
            let inside = b.zeros(&TensorType::new(DType::Bool, x_shape));
            let outside = b.full_scalar(&[], Scalar::one(DType::Bool));
            let padding = b.pad(inside, outside, low, high, interior);
            let kept = keep_where(b, padding, ct);
            let axes: Vec<usize> = (0..low.len()).collect();
            Some(b.reduce_sum(kept, &axes))
        }
    };
    let ct_x = match x {
        Operand::Known(_) => None,
        Operand::Linear(ty) => {
            let negated = |widths: &[i64]| widths.iter().map(|&n| -n).collect::<Vec<_>>();
            let zero = b.full_scalar(&[], Scalar::zero(ty.dtype));
            let trimmed = b.pad(ct, zero, &negated(low), &negated(high), &vec![0; low.len()]);
            let limit = b.shape(trimmed).to_vec();
            let strides: Vec<usize> = interior.iter().map(|&n| n + 1).collect();
            Some(b.slice(trimmed, &vec![0; low.len()], &limit, &strides))
        }
    };
    Ok(vec![ct_x, ct_value])
}

/// Each operand receives its part.
pub(super) fn concatenate_transpose(
    b: &mut Builder,
    dimension: usize,
    x: &[Operand<'_>],
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let mut start = 0;
    let mut result = Vec::with_capacity(x.len());
    for operand in x {
        let prim = Prim::Concatenate { dimension };
        require_zero(b, prim.name(), operand)?;
        match operand {
            Operand::Known(v) => {
                start += b.shape(*v)[dimension];
                result.push(None);
            }
            Operand::Linear(ty) => {
                let limit = start + ty.shape[dimension];
                result.push(Some(b.slice_axis(ct, dimension, start, limit)));
                start = limit;
            }
        }
    }
    Ok(result)
}

/// An extent as a padding width; the type rules keep extents below 2^63.
fn signed(n: usize) -> i64 {
    i64::try_from(n).expect("extents fit in i64")
}
