//! The meaning of a map over examples: the loop.

use super::movement::{places, row_major, take};
use super::value::any;
use super::{EvalError, array, elements, run};
use crate::{Array, Func, TensorType};

/// The parameters of a `vmap`.
pub(super) struct Map<'a> {
    pub(super) func: &'a Func,
    pub(super) in_axes: &'a [Option<usize>],
    pub(super) out_axes: &'a [Option<usize>],
    pub(super) size: usize,
}

/// The program on each example, its results stacked. Where examples cannot differ in any element of a
/// result (no operand is mapped, or there are no such elements), the program is run on one of them; if
/// there is none, on zeros, for a result without an axis depends on no mapped operand.
pub(super) fn vmap(
    map: &Map<'_>,
    inputs: &[&Array],
    types: &[&TensorType],
    depth: usize,
) -> Result<Vec<Array>, EvalError> {
    let example = |i: usize| -> Vec<Array> {
        let operands = inputs.iter().zip(map.in_axes).zip(map.func.input_types());
        operands
            .map(|((&x, &axis), ty)| match axis {
                None => x.clone(),
                Some(_) if map.size == 0 => Array::zeros(ty),
                Some(axis) => row(x, axis, i, ty),
            })
            .collect()
    };
    let mapped = map.in_axes.iter().any(Option::is_some);
    let stacked = map.out_axes.iter().zip(types).any(|(axis, ty)| axis.is_some() && ty.n_elements() > 0);
    let n_runs = if mapped && stacked { map.size } else { 1 };
    let runs: Vec<Vec<Array>> =
        (0..n_runs).map(|i| run(map.func, example(i), depth)).collect::<Result<_, EvalError>>()?;
    let result = |(k, (&axis, &ty)): (usize, (&Option<usize>, &&TensorType))| match axis {
        None => runs[0][k].clone(),
        Some(_) if ty.n_elements() == 0 => Array::zeros(ty),
        Some(axis) => {
            let rows: Vec<&Array> = (0..map.size).map(|i| &runs[if n_runs == 1 { 0 } else { i }][k]).collect();
            stack(&rows, axis, ty)
        }
    };
    Ok(map.out_axes.iter().zip(types).enumerate().map(result).collect())
}

/// Entry `i` along an axis of `x`, of type `ty`.
fn row(x: &Array, axis: usize, i: usize, ty: &TensorType) -> Array {
    let mut strides = row_major(x.shape());
    let base = strides.remove(axis).wrapping_mul(i);
    take(x, &places(&ty.shape, &strides, base), &ty.shape)
}

/// The array of type `ty` whose entries along an axis are `rows`; it has elements.
fn stack(rows: &[&Array], axis: usize, ty: &TensorType) -> Array {
    let outer: usize = ty.shape[..axis].iter().product();
    let inner: usize = ty.shape[axis + 1..].iter().product();
    any!(ty.dtype, T => {
        let rows: Vec<&[T]> = rows.iter().map(|&row| elements(row)).collect();
        let parts = (0..outer).flat_map(|o| rows.iter().flat_map(move |row| &row[o * inner..][..inner]));
        array(&ty.shape, parts.copied().collect())
    })
}
