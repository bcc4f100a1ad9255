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

#[cfg(test)]
mod tests {
    use crate::eval::testing::{shaped, vector};
    use crate::eval::{EvalError, eval, eval_prim};
    use crate::{Array, Builder, DType, Func, MAX_NESTING, Prim, TensorType, samples};
    use std::sync::Arc;

    /// `(w, x) ↦ (w · x, Σ w)`, elementwise and summed.
    fn scaled() -> Arc<Func> {
        let ty = samples::f32s(&[2]);
        let (mut b, v) = Builder::with_inputs([&ty, &ty]);
        let (product, total) = (b.mul(v[0], v[1]), b.reduce_sum(v[0], &[0]));
        Arc::new(b.finish(&[product, total]))
    }

    fn map(in_axes: [Option<usize>; 2], out_axes: [Option<usize>; 2], size: usize, inputs: [&Array; 2]) -> Vec<Array> {
        let prim = Prim::Vmap { func: scaled(), in_axes: in_axes.into(), out_axes: out_axes.into(), size };
        eval_prim(&prim, &inputs).unwrap()
    }

    #[test]
    fn a_map_is_the_loop_over_its_examples() {
        let w = vector(&[10.0_f32, 100.0]);
        let xs = shaped(&[2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let out = map([None, Some(1)], [Some(0), None], 3, [&w, &xs]);
        assert_eq!(out[0], shaped(&[3, 2], &[10.0_f32, 400.0, 20.0, 500.0, 30.0, 600.0]));
        assert_eq!(out[1], Array::scalar(110.0_f32));
        let out = map([None, Some(1)], [Some(1), Some(0)], 3, [&w, &xs]);
        assert_eq!(out[0], shaped(&[2, 3], &[10.0_f32, 20.0, 30.0, 400.0, 500.0, 600.0]));
        assert_eq!(out[1], vector(&[110.0_f32; 3]));
        let out = map([Some(1), Some(1)], [Some(0), Some(0)], 3, [&xs, &xs]);
        assert_eq!(out[1], vector(&[5.0_f32, 7.0, 9.0]));
    }

    #[test]
    fn a_map_over_nothing_still_has_its_shared_results() {
        let w = vector(&[10.0_f32, 100.0]);
        let out = map([None, Some(0)], [Some(1), None], 0, [&w, &shaped::<f32>(&[0, 2], &[])]);
        assert_eq!(out, [shaped::<f32>(&[2, 0], &[]), Array::scalar(110.0_f32)]);
    }

    #[test]
    fn a_map_of_equal_examples_runs_one() {
        let w = vector(&[1.0_f32, 2.0]);
        let out = map([None, None], [Some(0), None], 2, [&w, &w]);
        assert_eq!(out, [shaped(&[2, 2], &[1.0_f32, 4.0, 1.0, 4.0]), Array::scalar(3.0_f32)]);
        // As many as there can be would otherwise never end.
        let out = map([None, None], [None, None], usize::MAX, [&w, &w]);
        assert_eq!(out, [vector(&[1.0_f32, 4.0]), Array::scalar(3.0_f32)]);
    }

    #[test]
    fn a_map_over_many_examples_without_elements_ends() {
        let ty = samples::f32s(&[0]);
        let (mut b, v) = Builder::with_inputs([&ty]);
        let y = b.neg(v[0]);
        let func = Arc::new(b.finish(&[y]));
        let n = usize::MAX / 4;
        let prim = Prim::Vmap { func, in_axes: vec![Some(1)], out_axes: vec![Some(1)], size: n };
        let xs = shaped::<f32>(&[0, n], &[]);
        assert_eq!(eval_prim(&prim, &[&xs]), Ok(vec![xs]));
    }

    #[test]
    fn maps_and_calls_nest() {
        let square = {
            let (mut b, v) = Builder::with_inputs([&TensorType::scalar(DType::F32)]);
            let y = b.square(v[0]);
            Arc::new(b.finish(&[y]))
        };
        let row = {
            let (mut b, v) = Builder::with_inputs([&samples::f32s(&[2])]);
            let prim = Prim::Vmap { func: square, in_axes: vec![Some(0)], out_axes: vec![Some(0)], size: 2 };
            let y = b.emit(prim, &v);
            let y = b.emit(Prim::Call { func: Arc::new(identity()) }, &y);
            Arc::new(b.finish(&y))
        };
        let prim = Prim::Vmap { func: row, in_axes: vec![Some(1)], out_axes: vec![Some(0)], size: 2 };
        let x = shaped(&[2, 2], &[1.0_f32, 2.0, 3.0, 4.0]);
        assert_eq!(eval_prim(&prim, &[&x]), Ok(vec![shaped(&[2, 2], &[1.0_f32, 9.0, 4.0, 16.0])]));
    }

    fn identity() -> Func {
        let (b, v) = Builder::with_inputs([&samples::f32s(&[2])]);
        b.finish(&v)
    }

    #[test]
    fn a_derivative_inside_a_map_is_named() {
        let inputs = [Array::zeros(&samples::f32s(&[3, 5]))];
        assert_eq!(eval(&samples::mapped_gradient(), &inputs), Err(EvalError::Unexpanded { prim: "grad" }));
    }

    #[test]
    fn the_depth_of_nesting_is_bounded() {
        assert_eq!(eval(&samples::nested(MAX_NESTING), &[]), Ok(vec![]));
        let too_deep = Err(EvalError::TooDeep { limit: MAX_NESTING });
        assert_eq!(eval(&samples::nested(MAX_NESTING + 1), &[]), too_deep);
    }
}
