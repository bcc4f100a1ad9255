//! The operations on tensors: values against NumPy's and JAX's, compiled and op by op, gradients at the
//! edges, numbers on both sides for every dtype, and mistakes.

mod errors;
mod gradients;
mod indexing;
mod numbers;
mod random;
mod values;

use jx::prelude::*;

/// `f` of vectors or matrices of `f64`, compiled and op by op, is `expected`, up to rounding.
#[track_caller]
fn check1(f: impl Fn(Tensor) -> Tensor + Copy, x: &Array, expected: &[f64]) {
    let compiled = jit(f).call(x).expect("the function is compiled and runs");
    assert_close(&compiled, expected, "jit");
    let stepped = eager(f).call(x).expect("the function runs op by op");
    assert_close(&stepped, expected, "eager");
}

/// `f` of two arrays, compiled and op by op, is `expected`, up to rounding.
#[track_caller]
fn check2(f: impl Fn(Tensor, Tensor) -> Tensor + Copy, x: &Array, y: &Array, expected: &[f64]) {
    let compiled = jit(f).call((x, y)).expect("the function is compiled and runs");
    assert_close(&compiled, expected, "jit");
    let stepped = eager(f).call((x, y)).expect("the function runs op by op");
    assert_close(&stepped, expected, "eager");
}

/// Within 32 units in the last place of the dtype, NaN equal to NaN.
#[track_caller]
fn assert_close(found: &Array, expected: &[f64], mode: &str) {
    let epsilon = match found.dtype() {
        DType::F64 => f64::EPSILON,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F16 => 2.0_f64.powi(-10),
        DType::BF16 => 2.0_f64.powi(-7),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => 0.0,
    };
    let values = found.to_host().expect("the result is on the host").to_f64_vec();
    let close =
        |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 32.0 * epsilon * b.abs().max(1.0);
    let same = values.len() == expected.len() && values.iter().zip(expected).all(|(&a, &b)| close(a, b));
    assert!(same, "{mode} gives\n{values:?}\nnot\n{expected:?}");
}

fn f64s(values: &[f64]) -> Array {
    Array::from(values.to_vec())
}

/// `0, 1, 2, …` under a shape, as `f64`.
fn count(shape: &[usize]) -> Array {
    let n = shape.iter().product::<usize>();
    Array::from_vec(shape, (0..n).map(|i| i as f64).collect()).expect("the count is the shape's")
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
