//! Movement: the same elements in other places, and tensors made of nothing.

use crate::error::dtype_error;
use crate::{DType, TensorType, TypeError};

pub(super) fn infer_iota(ty: &TensorType, dimension: usize) -> Result<TensorType, TypeError> {
    if dimension >= ty.rank() {
        return Err(TypeError::Axis { prim: "iota", axis: dimension, operand: ty.clone() });
    }
    if ty.dtype == DType::Bool {
        return Err(dtype_error("iota", "numbers", ty));
    }
    Ok(ty.clone())
}

pub(super) fn infer_reshape(shape: &[usize], x: &TensorType) -> Result<TensorType, TypeError> {
    let n = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    // A product that overflows may still be 0: some later extent can be.
    if n.unwrap_or(usize::from(!shape.contains(&0)) * usize::MAX) != x.n_elements() {
        return Err(TypeError::Reshape { operand: x.clone(), shape: shape.to_vec() });
    }
    Ok(x.with_shape(shape))
}

pub(super) fn infer_transpose(permutation: &[usize], x: &TensorType) -> Result<TensorType, TypeError> {
    TypeError::require_axes("transpose", permutation, x)?;
    if permutation.len() != x.rank() {
        return Err(TypeError::Param {
            prim: "transpose",
            param: "permutation",
            found: format!("{permutation:?}"),
            operand: x.clone(),
            rule: "it names every axis once",
        });
    }
    Ok(x.with_shape(permutation.iter().map(|&a| x.shape[a]).collect::<Vec<_>>()))
}

pub(super) fn infer_broadcast_in_dim(
    shape: &[usize],
    broadcast_dimensions: &[usize],
    x: &TensorType,
) -> Result<TensorType, TypeError> {
    let bad = |rule| TypeError::Param {
        prim: "broadcast_in_dim",
        param: "broadcast_dimensions",
        found: format!("{broadcast_dimensions:?} to {shape:?}"),
        operand: x.clone(),
        rule,
    };
    if broadcast_dimensions.len() != x.rank() {
        return Err(bad("it has one entry for each axis of the operand"));
    }
    if !broadcast_dimensions.is_sorted_by(|a, b| a < b) {
        return Err(bad("its entries strictly increase"));
    }
    for (&d, &n) in broadcast_dimensions.iter().zip(&x.shape) {
        match shape.get(d) {
            None => return Err(bad("its entries are axes of the result")),
            Some(&m) if n != m && n != 1 => return Err(bad("each extent is 1 or that of the result's axis")),
            Some(_) => {}
        }
    }
    Ok(x.with_shape(shape))
}

pub(super) fn infer_slice(
    start: &[usize],
    limit: &[usize],
    strides: &[usize],
    x: &TensorType,
) -> Result<TensorType, TypeError> {
    let bad = |rule| TypeError::Param {
        prim: "slice",
        param: "start, limit, strides",
        found: format!("{start:?}, {limit:?}, {strides:?}"),
        operand: x.clone(),
        rule,
    };
    if [start.len(), limit.len(), strides.len()] != [x.rank(); 3] {
        return Err(bad("each has one entry for each axis"));
    }
    let mut shape = Vec::with_capacity(x.rank());
    for axis in 0..x.rank() {
        let (lo, hi, step) = (start[axis], limit[axis], strides[axis]);
        if step == 0 {
            return Err(bad("strides are at least 1"));
        }
        if lo > hi || hi > x.shape[axis] {
            return Err(bad("0 ≤ start ≤ limit ≤ extent on each axis"));
        }
        shape.push((hi - lo).div_ceil(step));
    }
    Ok(x.with_shape(shape))
}

pub(super) fn infer_pad(
    low: &[i64],
    high: &[i64],
    interior: &[usize],
    x: &TensorType,
    value: &TensorType,
) -> Result<TensorType, TypeError> {
    let bad = |rule| TypeError::Param {
        prim: "pad",
        param: "low, high, interior",
        found: format!("{low:?}, {high:?}, {interior:?}"),
        operand: x.clone(),
        rule,
    };
    if value.rank() != 0 {
        return Err(TypeError::Rank { prim: "pad", what: "the padding value", expected: 0, found: value.clone() });
    }
    if value.dtype != x.dtype {
        return Err(TypeError::DTypeMismatch { prim: "pad", lhs: x.clone(), rhs: value.clone() });
    }
    if [low.len(), high.len(), interior.len()] != [x.rank(); 3] {
        return Err(bad("each has one entry for each axis"));
    }
    let mut shape = Vec::with_capacity(x.rank());
    for axis in 0..x.rank() {
        let n = x.shape[axis] as i128;
        let inner = n + (n - 1).max(0) * interior[axis] as i128;
        let total = inner + i128::from(low[axis]) + i128::from(high[axis]);
        // As in JAX, cutting more than there is leaves an empty axis only if it does so exactly.
        let total = usize::try_from(total).map_err(|_| bad("no axis is cut to less than nothing"))?;
        shape.push(total);
    }
    Ok(x.with_shape(shape))
}

pub(super) fn infer_concatenate(dimension: usize, inputs: &[&TensorType]) -> Result<TensorType, TypeError> {
    let prim = "concatenate";
    let Some(first) = inputs.first() else {
        return Err(TypeError::Arity { prim, expected: 1, found: 0 });
    };
    if dimension >= first.rank() {
        return Err(TypeError::Axis { prim, axis: dimension, operand: (*first).clone() });
    }
    let mut shape = first.shape.clone();
    shape[dimension] = 0;
    for x in inputs {
        let (lhs, rhs) = ((*first).clone(), (*x).clone());
        if x.dtype != first.dtype {
            return Err(TypeError::DTypeMismatch { prim, lhs, rhs });
        }
        let agrees = |axis: usize| axis == dimension || x.shape[axis] == first.shape[axis];
        if x.rank() != first.rank() || !(0..x.rank()).all(agrees) {
            return Err(TypeError::ShapeMismatch { prim, lhs, rhs });
        }
        shape[dimension] = shape[dimension]
            .checked_add(x.shape[dimension])
            .ok_or(TypeError::TooLarge { prim, shape: shape.clone() })?;
    }
    Ok(first.with_shape(shape))
}
