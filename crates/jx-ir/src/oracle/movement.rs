//! Movement: the same elements in other places.

use super::numbers::{array, by_dtype, elements, for_each_index, offset, strides};
use crate::{Array, Element, Scalar, TensorType};

/// The array of that shape whose element at each index is the element of `x` at the offset that
/// `source` gives, or `fill` where it gives none.
pub(super) fn rearrange(
    x: &Array,
    shape: &[usize],
    fill: Scalar,
    mut source: impl FnMut(&[usize]) -> Option<usize>,
) -> Array {
    let mut sources = Vec::with_capacity(shape.iter().product());
    for_each_index(shape, |index| sources.push(source(index)));
    by_dtype!(x.dtype(), T => {
        let x = elements::<T>(x);
        let fill = <T as Element>::from_bits(fill.bits());
        array(shape, sources.iter().map(|s| s.map_or(fill, |i| x[i])).collect())
    })
}

/// As [`rearrange`], every element having a source.
fn permute(x: &Array, shape: &[usize], mut source: impl FnMut(&[usize]) -> usize) -> Array {
    rearrange(x, shape, Scalar::zero(x.dtype()), |index| Some(source(index)))
}

pub(super) fn iota(ty: &TensorType, dimension: usize) -> Array {
    let mut values = Vec::with_capacity(ty.n_elements());
    for_each_index(&ty.shape, |index| values.push(Scalar::from_i64(ty.dtype, index[dimension] as i64)));
    Array::from_scalars(ty, values.into_iter()).expect("a value for each index")
}

pub(super) fn reshape(x: &Array, shape: &[usize]) -> Array {
    x.reshaped(shape).expect("the shape rule checked the number of elements")
}

pub(super) fn transpose(x: &Array, permutation: &[usize]) -> Array {
    let strides = strides(x.shape());
    let shape: Vec<usize> = permutation.iter().map(|&a| x.shape()[a]).collect();
    permute(x, &shape, |index| index.iter().zip(permutation).map(|(i, &a)| i * strides[a]).sum())
}

pub(super) fn broadcast_in_dim(x: &Array, shape: &[usize], dims: &[usize]) -> Array {
    let strides = strides(x.shape());
    permute(x, shape, |index| {
        let along = dims.iter().enumerate();
        along.map(|(a, &d)| if x.shape()[a] == 1 { 0 } else { index[d] * strides[a] }).sum()
    })
}

pub(super) fn slice(x: &Array, start: &[usize], limit: &[usize], steps: &[usize]) -> Array {
    let strides = strides(x.shape());
    let shape: Vec<usize> = (0..start.len()).map(|a| (limit[a] - start[a]).div_ceil(steps[a])).collect();
    permute(x, &shape, |index| (0..index.len()).map(|a| (start[a] + index[a] * steps[a]) * strides[a]).sum())
}

pub(super) fn pad(x: &Array, value: &Array, low: &[i64], high: &[i64], interior: &[usize]) -> Array {
    let strides = strides(x.shape());
    let shape: Vec<usize> = (0..low.len())
        .map(|a| {
            let n = x.shape()[a] as i128;
            let total = n + (n - 1).max(0) * interior[a] as i128 + i128::from(low[a]) + i128::from(high[a]);
            usize::try_from(total).expect("the shape rule checked the extent")
        })
        .collect();
    rearrange(x, &shape, value.get(0), |index| {
        let mut source = 0;
        for (a, &i) in index.iter().enumerate() {
            let inner = i128::try_from(i).ok()? - i128::from(low[a]);
            let step = interior[a] as i128 + 1;
            let at = usize::try_from(inner / step).ok()?;
            if inner < 0 || inner % step != 0 || at >= x.shape()[a] {
                return None;
            }
            source += at * strides[a];
        }
        Some(source)
    })
}

pub(super) fn concatenate(inputs: &[&Array], dimension: usize) -> Array {
    let mut shape = inputs[0].shape().to_vec();
    shape[dimension] = inputs.iter().map(|x| x.shape()[dimension]).sum();
    // A block of an operand is what lies below one index of the axes before `dimension`.
    let outer: usize = shape[..dimension].iter().product();
    by_dtype!(inputs[0].dtype(), T => {
        let mut values = Vec::with_capacity(shape.iter().product());
        for i in 0..outer {
            for x in inputs {
                let block: usize = x.shape()[dimension..].iter().product();
                values.extend_from_slice(&elements::<T>(x)[i * block..(i + 1) * block]);
            }
        }
        array(&shape, values)
    })
}

pub(super) fn rev(x: &Array, dimensions: &[usize]) -> Array {
    let (shape, strides) = (x.shape(), strides(x.shape()));
    permute(x, shape, |index| {
        let flipped =
            index.iter().enumerate().map(|(a, &i)| if dimensions.contains(&a) { shape[a] - 1 - i } else { i });
        offset(&flipped.collect::<Vec<_>>(), &strides)
    })
}
