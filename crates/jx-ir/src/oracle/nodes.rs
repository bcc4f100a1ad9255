//! Nested programs: calls, and maps as the loop over examples.

use super::movement::{concatenate, reshape, slice};
use super::{EvalError, eval};
use crate::{Array, Func, TensorType};

pub(super) fn call(func: &Func, inputs: &[&Array]) -> Result<Vec<Array>, EvalError> {
    eval(func, &inputs.iter().map(|&x| x.clone()).collect::<Vec<_>>())
}

pub(super) fn vmap(
    func: &Func,
    in_axes: &[Option<usize>],
    out_axes: &[Option<usize>],
    size: usize,
    inputs: &[&Array],
) -> Result<Vec<Array>, EvalError> {
    let mut examples = Vec::with_capacity(size);
    for i in 0..size {
        let operands =
            inputs.iter().zip(in_axes).map(|(&x, axis)| axis.map_or_else(|| x.clone(), |a| example(x, a, i)));
        examples.push(eval(func, &operands.collect::<Vec<_>>())?);
    }
    // Results on which all examples agree exist without any example: they depend on no mapped input.
    let common = if size == 0 && out_axes.contains(&None) {
        let types = func.input_types().iter();
        let operands = types.zip(inputs).zip(in_axes).map(|((ty, &x), axis)| match axis {
            Some(_) => Array::zeros(ty),
            None => x.clone(),
        });
        eval(func, &operands.collect::<Vec<_>>())?
    } else {
        examples.first().cloned().unwrap_or_default()
    };
    let results = out_axes.iter().zip(func.output_types()).enumerate();
    Ok(results
        .map(|(k, (axis, ty))| match axis {
            None => common[k].clone(),
            Some(axis) => stack(&examples.iter().map(|e| &e[k]).collect::<Vec<_>>(), *axis, ty),
        })
        .collect())
}

/// Example `i` along an axis, which goes away.
fn example(x: &Array, axis: usize, i: usize) -> Array {
    let (mut start, mut limit) = (vec![0; x.shape().len()], x.shape().to_vec());
    start[axis] = i;
    limit[axis] = i + 1;
    let row = slice(x, &start, &limit, &vec![1; x.shape().len()]);
    let mut shape = x.shape().to_vec();
    shape.remove(axis);
    reshape(&row, &shape)
}

/// The examples along a new axis.
fn stack(examples: &[&Array], axis: usize, ty: &TensorType) -> Array {
    let mut shape = ty.shape.clone();
    shape.insert(axis, 1);
    let rows: Vec<Array> = examples.iter().map(|x| reshape(x, &shape)).collect();
    if rows.is_empty() {
        shape[axis] = 0;
        return Array::zeros(&ty.with_shape(shape));
    }
    concatenate(&rows.iter().collect::<Vec<_>>(), axis)
}
