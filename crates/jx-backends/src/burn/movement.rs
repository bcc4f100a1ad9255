//! Movement: the same elements in other places, and tensors made of nothing.
//!
//! What concerns one axis is done on three: those before it, itself, those after it, so the number of
//! axes does not matter. The rest needs as many axes as the operand has.

use super::Target;
use super::program::{Kernel, Lowered, exactly, kernel1};
use super::tensor::Value;
use burn_backend::{Backend, Slice};
use jx_ir::{Array, DType, Scalar, TensorType};

/// A shape as three axes around one of them.
pub(super) fn around(shape: &[usize], axis: usize) -> [usize; 3] {
    [shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()]
}

/// The axes that an op works on, if it takes that many.
fn within<B: Backend>(target: &Target<B>, rank: usize) -> Result<(), String> {
    if rank > target.max_rank {
        return Err(format!("{} takes {} axes at most, and this has {rank}", target.device, target.max_rank));
    }
    Ok(())
}

/// One element uploaded when the program is compiled, stretched in each run.
pub(super) fn full<B: Backend>(target: &Target<B>, value: Scalar, shape: &[usize]) -> Kernel<B> {
    let physical = target.physical(shape);
    let one = Value::upload(target, Array::full(vec![1], value));
    Box::new(move |_, _| vec![one.clone().reshape(&vec![1; physical.len()]).expand(&physical)])
}

pub(super) fn iota<B: Backend>(ty: &TensorType, dimension: usize) -> Lowered<B> {
    let [outer, n, inner] = around(&ty.shape, dimension);
    let line = Array::from_scalars(
        &TensorType::new(ty.dtype, [n]),
        (0..n).map(|i| match ty.dtype.is_float() {
            true => Scalar::from_f64(ty.dtype, i as f64),
            false => Scalar::from_i64(ty.dtype, i as i64),
        }),
    )
    .map_err(|why| why.to_string())?;
    let shape = ty.shape.clone();
    Ok(Box::new(move |target, _| {
        let line = Value::upload(target, line.clone()).reshape(&[1, n, 1]);
        vec![line.expand(&[outer, n, inner]).reshape(&target.physical(&shape))]
    }))
}

pub(super) fn reshape<B: Backend>(target: &Target<B>, shape: &[usize]) -> Lowered<B> {
    let physical = target.physical(shape);
    kernel1::<B>(move |_, x| x.reshape(&physical))
}

/// The axes permuted and the result made contiguous, for not every op of Burn's takes strides.
pub(super) fn permuted<B: Backend>(x: Value<B>, permutation: &[usize], shape: &[usize]) -> Value<B> {
    if permutation.is_sorted() {
        return x;
    }
    let shape: Vec<usize> = permutation.iter().map(|&a| shape[a]).collect();
    x.permute(permutation).reshape(&[shape.iter().product()]).reshape(&shape)
}

pub(super) fn transpose<B: Backend>(target: &Target<B>, permutation: &[usize], x: &TensorType) -> Lowered<B> {
    let (permutation, shape) = (permutation.to_vec(), x.shape.clone());
    if permutation.is_sorted() {
        return kernel1::<B>(|_, x| x);
    }
    within(target, shape.len())?;
    kernel1::<B>(move |_, x| permuted(x, &permutation, &shape))
}

pub(super) fn broadcast_in_dim<B: Backend>(
    target: &Target<B>,
    shape: &[usize],
    broadcast_dimensions: &[usize],
    x: &TensorType,
) -> Lowered<B> {
    let physical = target.physical(shape);
    if x.n_elements() == 1 {
        return kernel1::<B>(move |_, x| x.reshape(&vec![1; physical.len()]).expand(&physical));
    }
    within(target, shape.len())?;
    let mut ones = vec![1; shape.len()];
    broadcast_dimensions.iter().zip(&x.shape).for_each(|(&d, &n)| ones[d] = n);
    kernel1::<B>(move |_, x| x.reshape(&ones).expand(&physical))
}

/// Entries of an axis from `start` on, below `end`, by a step.
fn steps(start: usize, end: usize, step: usize) -> Slice {
    Slice::new(start as isize, Some(end as isize), step as isize)
}

pub(super) fn slice<B: Backend>(target: &Target<B>, start: &[usize], limit: &[usize], strides: &[usize]) -> Lowered<B> {
    if start.is_empty() {
        return kernel1::<B>(|_, x| x);
    }
    within(target, start.len())?;
    let slices: Vec<Slice> =
        start.iter().zip(limit).zip(strides).map(|((&lo, &hi), &step)| steps(lo, hi, step.min(hi))).collect();
    kernel1::<B>(move |_, x| x.slice(&slices))
}

pub(super) fn pad<B: Backend>(
    target: &Target<B>,
    low: &[i64],
    interior: &[usize],
    x: &TensorType,
    result: &TensorType,
) -> Lowered<B> {
    let shape = target.physical(&result.shape);
    // The part of each axis that stays, and where it goes.
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for axis in 0..x.rank() {
        let (step, first) = (interior[axis] as i128 + 1, i128::from(low[axis]));
        let inside = |&i: &usize| (0..result.shape[axis] as i128).contains(&(first + i as i128 * step));
        let mut kept = (0..x.shape[axis]).filter(inside);
        let Some(begin) = kept.next() else {
            // No element stays.
            return Ok(Box::new(move |_, operands| {
                let [_, value] = exactly(operands);
                vec![value.reshape(&vec![1; shape.len()]).expand(&shape)]
            }));
        };
        let end = kept.next_back().unwrap_or(begin) + 1;
        let place = |i: usize| usize::try_from(first + i as i128 * step).expect("it lies inside");
        from.push(steps(begin, end, 1));
        // With one element there is no step to take, and a huge one need not be taken by Burn.
        let step = if end - begin > 1 { interior[axis] + 1 } else { 1 };
        to.push(steps(place(begin), place(end - 1) + 1, step));
    }
    if x.rank() == 0 {
        return Ok(Box::new(|_, mut operands| {
            operands.truncate(1);
            operands
        }));
    }
    within(target, x.rank())?;
    Ok(Box::new(move |_, operands| {
        let [x, value] = exactly(operands);
        let filled = value.reshape(&vec![1; shape.len()]).expand(&shape);
        vec![filled.slice_assign(&to, x.slice(&from))]
    }))
}

pub(super) fn concatenate<B: Backend>(
    target: &Target<B>,
    dimension: usize,
    operands: &[&TensorType],
    result: &TensorType,
) -> Lowered<B> {
    let parts: Vec<Option<[usize; 3]>> =
        operands.iter().map(|ty| (ty.n_elements() > 0).then(|| around(&ty.shape, dimension))).collect();
    let shape = target.physical(&result.shape);
    Ok(Box::new(move |_, operands| {
        let parts = operands.into_iter().zip(&parts);
        let parts: Vec<Value<B>> = parts.filter_map(|(x, part)| part.map(|part| x.reshape(&part))).collect();
        vec![Value::cat(parts, 1).reshape(&shape)]
    }))
}

pub(super) fn rev<B: Backend>(target: &Target<B>, dimensions: &[usize], x: &TensorType) -> Lowered<B> {
    if dimensions.is_empty() {
        return kernel1::<B>(|_, x| x);
    }
    let (dimensions, shape) = (dimensions.to_vec(), x.shape.clone());
    let physical = target.physical(&shape);
    kernel1::<B>(move |_, x| {
        let flipped = dimensions.iter().fold(x, |x, &axis| x.reshape(&around(&shape, axis)).flip(&[1]));
        flipped.reshape(&physical)
    })
}

/// Integers from the host, as a flat `i64` value.
pub(super) fn places<B: Backend>(target: &Target<B>, places: &[usize]) -> Value<B> {
    let ty = TensorType::new(DType::I64, [places.len()]);
    let values = places.iter().map(|&p| Scalar::from_i64(DType::I64, p as i64));
    let array = Array::from_scalars(&ty, values).expect("as many values as places");
    Value::upload(target, array)
}
