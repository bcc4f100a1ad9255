//! Shorthand for the evaluator's tests.

use super::eval_prim;
use crate::{Array, DType, Element, Prim, Scalar};

/// The vector of these values.
pub(super) fn vector<T: Element>(values: &[T]) -> Array {
    Array::from_vec([values.len()], values.to_vec()).unwrap()
}

/// The array of this shape and these values in row-major order.
pub(super) fn shaped<T: Element>(shape: &[usize], values: &[T]) -> Array {
    Array::from_vec(shape, values.to_vec()).unwrap()
}

/// The vector of these numbers, rounded to a dtype.
pub(super) fn numbers(dtype: DType, values: &[f64]) -> Array {
    let ty = crate::TensorType::new(dtype, [values.len()]);
    Array::from_scalars(&ty, values.iter().map(|&v| Scalar::from_f64(dtype, v))).unwrap()
}

/// The only result of a primitive on operands that it takes.
pub(super) fn one(prim: &Prim, inputs: &[&Array]) -> Array {
    let mut results = eval_prim(prim, inputs).unwrap();
    assert_eq!(results.len(), 1);
    results.remove(0)
}

/// That two arrays are of one type and have the same bits, but that any NaN equals any other.
#[track_caller]
pub(super) fn assert_same(got: &Array, want: &Array) {
    assert_eq!(got.ty(), want.ty());
    for (i, (g, w)) in got.scalars().zip(want.scalars()).enumerate() {
        let both_nan = g.as_f64().is_nan() && w.as_f64().is_nan();
        assert!(g == w || both_nan, "element {i} is {g}, not {w}, in {got} for {want}");
    }
}

/// That each `f64` is within `ulps` units of the last place of the one wanted.
#[track_caller]
pub(super) fn assert_near(got: &[f64], want: &[f64], ulps: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let same = g == w && g.is_sign_negative() == w.is_sign_negative() || g.is_nan() && w.is_nan();
        assert!(same || (g - w).abs() <= ulps * f64::EPSILON * w.abs(), "element {i} is {g:e}, not {w:e}");
    }
}
