//! Sorting.

use super::movement::rearrange;
use super::numbers::{for_each_index, offset, strides};
use crate::{Array, DType, Scalar};
use std::cmp::Ordering;

pub(super) fn sort(inputs: &[&Array], dimension: usize, num_keys: usize) -> Vec<Array> {
    let shape = inputs[0].shape();
    let strides = strides(shape);
    let keys: Vec<Vec<Scalar>> = inputs[..num_keys].iter().map(|x| x.scalars().collect()).collect();
    let mut rest = shape.to_vec();
    rest[dimension] = rest[dimension].min(1);
    let mut sources = vec![0; inputs[0].n_elements()];
    for_each_index(&rest, |index| {
        let base = offset(index, &strides);
        let mut order: Vec<usize> = (0..shape[dimension]).collect();
        let at = |i: usize| base + i * strides[dimension];
        // A stable sort keeps the order of equal elements.
        order.sort_by(|&i, &j| {
            keys.iter().map(|k| compare(k[at(i)], k[at(j)])).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        });
        for (to, from) in order.into_iter().enumerate() {
            sources[at(to)] = at(from);
        }
    });
    let by_source =
        |x: &&Array| rearrange(x, shape, Scalar::zero(x.dtype()), |index| Some(sources[offset(index, &strides)]));
    inputs.iter().map(by_source).collect()
}

/// Ascending; NaN after everything, zeros of either sign equal.
fn compare(x: Scalar, y: Scalar) -> Ordering {
    if x.dtype().is_float() {
        let (x, y) = (x.as_f64(), y.as_f64());
        return x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()));
    }
    if x.dtype() == DType::U64 { x.bits().cmp(&y.bits()) } else { x.as_i64().cmp(&y.as_i64()) }
}
