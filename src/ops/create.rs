//! Tensors made of nothing: constants, counts and grids.

use super::{known, mistake};
use crate::Tensor;
use crate::tensor::full;
use crate::trace::emit1;
use jx_ir::{DType, Prim, Scalar, TensorType};
use std::panic::Location;

/// The tensor of zeros.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| x + zeros([2, 3], DType::F32));
/// assert_eq!(f.call(1.0_f32)?.shape(), [2, 3]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn zeros(shape: impl Into<Vec<usize>>, dtype: DType) -> Tensor {
    full(&shape.into(), dtype, 0.0)
}

/// The tensor of ones.
#[track_caller]
#[must_use]
pub fn ones(shape: impl Into<Vec<usize>>, dtype: DType) -> Tensor {
    full(&shape.into(), dtype, 1.0)
}

/// Zeros of the type of `x`.
#[track_caller]
#[must_use]
pub fn zeros_like(x: Tensor) -> Tensor {
    full_like(x, 0.0)
}

/// Ones of the type of `x`.
#[track_caller]
#[must_use]
pub fn ones_like(x: Tensor) -> Tensor {
    full_like(x, 1.0)
}

/// A tensor of the type of `x` whose every element is `value`, rounded to the dtype.
#[track_caller]
#[must_use]
pub fn full_like(x: Tensor, value: f64) -> Tensor {
    match known(x, Location::caller()) {
        Some(ty) => full(&ty.shape, ty.dtype, value),
        None => Tensor::POISON,
    }
}

/// `0, 1, 2, …` along `axis` of a shape, equal along the others; `axis` counts from the end if negative.
#[track_caller]
#[must_use]
pub fn iota(shape: impl Into<Vec<usize>>, dtype: DType, axis: i64) -> Tensor {
    let place = Location::caller();
    let ty = TensorType::new(dtype, shape);
    match crate::tensor::axis_from_zero(axis, ty.rank()) {
        Some(dimension) => emit1(Prim::Iota { ty, dimension }, &[], place),
        None => mistake("iota", format!("axis {axis} is out of range for {ty}"), place, &[]),
    }
}

/// `0, 1, …, n - 1`.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| x * arange(3, DType::F32));
/// assert_eq!(f.call(2.0_f32)?.to_vec::<f32>()?, [0.0, 2.0, 4.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn arange(n: usize, dtype: DType) -> Tensor {
    iota([n], dtype, 0)
}

/// `start, start + step, …` up to but without `stop`, each computed in `f64` and rounded to the dtype.
#[track_caller]
#[must_use]
pub fn arange_step(start: f64, stop: f64, step: f64, dtype: DType) -> Tensor {
    let n = ((stop - start) / step).ceil();
    if step == 0.0 || !n.is_finite() {
        let message = format!("from {start} to {stop} there are no finite number of steps of {step}");
        return mistake("arange_step", message, Location::caller(), &[]);
    }
    let values = (0..n.max(0.0) as usize).map(|i| Scalar::from_f64(dtype, start + i as f64 * step));
    constant(dtype, values.collect(), Location::caller())
}

/// `n` values from `start` to `stop`, both included, evenly spaced; computed in `f64` and rounded to the dtype.
#[track_caller]
#[must_use]
pub fn linspace(start: f64, stop: f64, n: usize, dtype: DType) -> Tensor {
    let place = Location::caller();
    if !dtype.is_float() {
        return mistake("linspace", format!("the dtype must be a float, not {dtype}"), place, &[]);
    }
    let last = n.saturating_sub(1).max(1);
    let value = |i: usize| {
        let exact = if i == last { stop } else { start + (stop - start) * (i as f64 / last as f64) };
        Scalar::from_f64(dtype, exact)
    };
    constant(dtype, (0..n).map(value).collect(), place)
}

/// A vector known while tracing.
fn constant(dtype: DType, values: Vec<Scalar>, place: crate::trace::Place) -> Tensor {
    let ty = TensorType::new(dtype, [values.len()]);
    match jx_ir::Array::from_scalars(&ty, values.into_iter()) {
        Ok(array) => emit1(Prim::Constant(std::sync::Arc::new(array)), &[], place),
        Err(why) => mistake("constant", why.to_string(), place, &[]),
    }
}

/// The `n × n` identity matrix.
#[track_caller]
#[must_use]
pub fn eye(n: usize, dtype: DType) -> Tensor {
    let shape = [n, n];
    iota(shape, DType::I32, 0).equal(iota(shape, DType::I32, 1)).astype(dtype)
}

/// The `n × m` matrix with ones at and below diagonal `k` and zeros above; `k` counts upwards from the
/// main diagonal.
#[track_caller]
#[must_use]
pub fn tri(n: usize, m: usize, k: i64, dtype: DType) -> Tensor {
    lower_mask(n, m, k).astype(dtype)
}

#[track_caller]
fn lower_mask(n: usize, m: usize, k: i64) -> Tensor {
    let shape = [n, m];
    iota(shape, DType::I64, 1).less_equal(iota(shape, DType::I64, 0) + k)
}

/// The lower triangles of the matrices on the last two axes, with zeros above diagonal `k`.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| jx::numpy::tril(x, 0));
/// let x = Array::from([[1.0_f32, 2.0], [3.0, 4.0]]);
/// assert_eq!(f.call(x)?.to_vec::<f32>()?, [1.0, 0.0, 3.0, 4.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn tril(x: Tensor, k: i64) -> Tensor {
    triangle("tril", x, k, true)
}

/// The upper triangles of the matrices on the last two axes, with zeros below diagonal `k`.
#[track_caller]
#[must_use]
pub fn triu(x: Tensor, k: i64) -> Tensor {
    triangle("triu", x, k.saturating_sub(1), false)
}

#[track_caller]
fn triangle(op: &'static str, x: Tensor, k: i64, lower: bool) -> Tensor {
    let place = Location::caller();
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    let [.., n, m] = ty.shape[..] else {
        return mistake(op, format!("the operand must be a matrix or a stack of them, not {ty}"), place, &[x]);
    };
    let mask = lower_mask(n, m, k);
    let zero = crate::tensor::scalar(ty.dtype, 0.0);
    if lower { super::numpy::where_(mask, x, zero) } else { super::numpy::where_(mask, zero, x) }
}
