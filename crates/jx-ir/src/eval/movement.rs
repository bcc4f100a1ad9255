//! The meaning of movement: each result element is an operand element at a computed place.

use super::value::{Value, Wide, any, number};
use super::{array, elements};
use crate::{Array, Element, TensorType};

/// How far apart neighbours along each axis lie in row-major order. Products wrap: an array whose
/// strides do has no elements.
pub(super) fn row_major(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].wrapping_mul(shape[axis]);
    }
    strides
}

/// `base + Σ iₐ strides[a]` for every index `i` of a shape, in row-major order. Arithmetic wraps, so a
/// stride may stand for a negative one.
pub(super) fn places(shape: &[usize], strides: &[usize], base: usize) -> Vec<usize> {
    if shape.contains(&0) {
        return Vec::new();
    }
    let mut places = vec![base];
    for (&n, &stride) in shape.iter().zip(strides) {
        places = places.iter().flat_map(|&p| (0..n).map(move |i| p.wrapping_add(i.wrapping_mul(stride)))).collect();
    }
    places
}

/// The elements of `x` at some places, as an array of that shape.
pub(super) fn take(x: &Array, places: &[usize], shape: &[usize]) -> Array {
    any!(x.dtype(), T => {
        let x = elements::<T>(x);
        array(shape, places.iter().map(|&p| x[p]).collect())
    })
}

/// The elements of `x` at some places, and `fill` where there is none.
pub(super) fn take_or<T: Element>(x: &[T], places: impl Iterator<Item = Option<usize>>, fill: T) -> Vec<T> {
    places.map(|place| place.map_or(fill, |p| x[p])).collect()
}

pub(super) fn iota(ty: &TensorType, dimension: usize) -> Array {
    // One row for each step along the axis; its place is the count.
    let mut strides = vec![0; ty.rank()];
    strides[dimension] = 1;
    let counts = places(&ty.shape, &strides, 0);
    number!(ty.dtype, T => array(&ty.shape, counts.iter().map(|&i| T::narrow(Wide::Int(i as i128))).collect()))
}

pub(super) fn reshape(shape: &[usize], x: &Array) -> Array {
    x.reshaped(shape).unwrap_or_else(|why| panic!("the shape rule let this reshape through: {why}"))
}

pub(super) fn transpose(permutation: &[usize], x: &Array) -> Array {
    let strides = row_major(x.shape());
    let shape: Vec<usize> = permutation.iter().map(|&a| x.shape()[a]).collect();
    let strides: Vec<usize> = permutation.iter().map(|&a| strides[a]).collect();
    take(x, &places(&shape, &strides, 0), &shape)
}

pub(super) fn broadcast_in_dim(shape: &[usize], broadcast_dimensions: &[usize], x: &Array) -> Array {
    let mut strides = vec![0; shape.len()];
    for ((&d, &n), stride) in broadcast_dimensions.iter().zip(x.shape()).zip(row_major(x.shape())) {
        // An axis of extent 1 is read again and again.
        strides[d] = if n == 1 { 0 } else { stride };
    }
    take(x, &places(shape, &strides, 0), shape)
}

pub(super) fn slice(start: &[usize], steps: &[usize], x: &Array, ty: &TensorType) -> Array {
    let strides = row_major(x.shape());
    let base = start.iter().zip(&strides).fold(0usize, |base, (&i, &s)| base.wrapping_add(i.wrapping_mul(s)));
    let strides: Vec<usize> = steps.iter().zip(&strides).map(|(&step, &s)| step.wrapping_mul(s)).collect();
    take(x, &places(&ty.shape, &strides, base), &ty.shape)
}

pub(super) fn pad(low: &[i64], interior: &[usize], x: &Array, value: &Array, ty: &TensorType) -> Array {
    // The operand coordinate at a result coordinate along an axis, if it is not padding.
    let source = |axis: usize, i: usize| {
        let (from_first, step) = (i as i128 - i128::from(low[axis]), interior[axis] as i128 + 1);
        let coordinate = from_first / step;
        let inside = from_first >= 0 && from_first % step == 0 && coordinate < x.shape()[axis] as i128;
        inside.then_some(coordinate as usize)
    };
    let mut sources = if ty.shape.contains(&0) { Vec::new() } else { vec![Some(0)] };
    if !sources.is_empty() {
        for (axis, stride) in row_major(x.shape()).into_iter().enumerate() {
            let along: Vec<Option<usize>> = (0..ty.shape[axis]).map(|i| source(axis, i)).collect();
            let place = |p: Option<usize>, i: Option<usize>| Some(p?.wrapping_add(i?.wrapping_mul(stride)));
            sources = sources.iter().flat_map(|&p| along.iter().map(move |&i| place(p, i))).collect();
        }
    }
    any!(x.dtype(), T => array(&ty.shape, take_or::<T>(elements(x), sources.into_iter(), elements(value)[0])))
}

pub(super) fn concatenate(dimension: usize, inputs: &[&Array], ty: &TensorType) -> Array {
    if ty.n_elements() == 0 {
        return Array::zeros(ty);
    }
    let outer: usize = ty.shape[..dimension].iter().product();
    any!(ty.dtype, T => {
        let parts: Vec<&[T]> = inputs.iter().map(|&x| elements(x)).collect();
        let mut values: Vec<T> = Vec::with_capacity(ty.n_elements());
        for o in 0..outer {
            for part in &parts {
                let n = part.len() / outer;
                values.extend_from_slice(&part[o * n..][..n]);
            }
        }
        array(&ty.shape, values)
    })
}

pub(super) fn rev(dimensions: &[usize], x: &Array) -> Array {
    if x.n_elements() == 0 {
        return x.clone();
    }
    let (mut strides, mut base) = (row_major(x.shape()), 0);
    for &axis in dimensions {
        base += (x.shape()[axis] - 1) * strides[axis];
        strides[axis] = strides[axis].wrapping_neg();
    }
    take(x, &places(x.shape(), &strides, base), x.shape())
}

#[cfg(test)]
#[path = "movement_tests.rs"]
mod tests;
