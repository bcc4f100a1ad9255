//! Contraction.

use super::convert::convert;
use super::numbers::{Float, Int, array, by_kind, elements, strides};
use super::reduce::{add_compensated, finish_compensated};
use crate::{Array, DType, DotDims};

pub(super) fn dot_general(lhs: &Array, rhs: &Array, dims: &DotDims, out_dtype: DType) -> Array {
    let (lhs_free, rhs_free) = (dims.lhs_free(lhs.shape().len()), dims.rhs_free(rhs.shape().len()));
    let extents = |x: &Array, axes: &[usize]| -> Vec<usize> { axes.iter().map(|&a| x.shape()[a]).collect() };
    let shape = [extents(lhs, &dims.lhs_batch), extents(lhs, &lhs_free), extents(rhs, &rhs_free)].concat();
    let (lhs_batch, rhs_batch) = (offsets(lhs, &dims.lhs_batch), offsets(rhs, &dims.rhs_batch));
    let (lhs_rows, rhs_rows) = (offsets(lhs, &lhs_free), offsets(rhs, &rhs_free));
    let (lhs_sum, rhs_sum) = (offsets(lhs, &dims.lhs_contracting), offsets(rhs, &dims.rhs_contracting));
    // For each element of the result the pairs of offsets whose products it sums.
    let mut pairs: Vec<(usize, usize)> = Vec::with_capacity(shape.iter().product());
    for (&lb, &rb) in lhs_batch.iter().zip(&rhs_batch) {
        for &l in &lhs_rows {
            pairs.extend(rhs_rows.iter().map(|&r| (lb + l, rb + r)));
        }
    }
    by_kind!(out_dtype,
    bool => unreachable!("the shape rule refuses bool for dot_general"),
    int T => {
        let (lhs, rhs) = (convert(lhs, out_dtype), convert(rhs, out_dtype));
        let (lhs, rhs) = (elements::<T>(&lhs), elements::<T>(&rhs));
        let total = |&(l, r): &(usize, usize)| {
            let products = lhs_sum.iter().zip(&rhs_sum).map(|(&i, &j)| {
                lhs[l + i].to_i128().wrapping_mul(rhs[r + j].to_i128())
            });
            <T as Int>::wrapped(products.fold(0_i128, i128::wrapping_add))
        };
        array(&shape, pairs.iter().map(total).collect())
    },
    float T => {
        let (lhs, rhs) = (lhs.to_f64_vec(), rhs.to_f64_vec());
        let total = |&(l, r): &(usize, usize)| {
            let (mut sum, mut lost) = (0.0, 0.0);
            for (&i, &j) in lhs_sum.iter().zip(&rhs_sum) {
                (sum, lost) = add_compensated(sum, lost, lhs[l + i] * rhs[r + j]);
            }
            <T as Float>::from_f64(finish_compensated(sum, lost))
        };
        array(&shape, pairs.iter().map(total).collect())
    })
}

/// The offset of every index over some axes, in row-major order of those axes.
fn offsets(x: &Array, axes: &[usize]) -> Vec<usize> {
    let strides = strides(x.shape());
    axes.iter().fold(vec![0], |offsets, &a| {
        offsets.iter().flat_map(|o| (0..x.shape()[a]).map(|i| o + i * strides[a]).collect::<Vec<_>>()).collect()
    })
}
