//! Functions of neural networks, as `jax.nn`.
//!
//! ```
//! use jx::prelude::*;
//! let loss = |logits: Tensor, label: Tensor| -(nn::log_softmax(logits, -1) * nn::one_hot(label, 3, DType::F32)).sum();
//! let g = jit(grad(loss)).call(([0.0_f32, 0.0, 0.0], 1_i32))?.to_vec::<f32>()?;
//! assert!((g[1] + 2.0 / 3.0).abs() < 1e-6);
//! # Ok::<(), jx::Error>(())
//! ```

use crate::Tensor;
use crate::ops::numpy::{self, where_};
use crate::ops::reduce::shift_of;
use crate::ops::value::Ints;
use crate::ops::{accumulator, axes_of, mistake, require_float};
use crate::tensor::unary;
use jx_ir::{DType, UnaryOp};
use std::panic::Location;

/// `max(x, 0)`; its derivative at 0 is 0.
#[track_caller]
#[must_use]
pub fn relu(x: Tensor) -> Tensor {
    where_(x.less_equal(0), 0, x)
}

/// `min(max(x, 0), 6)`; its derivatives at 0 and 6 are 0.
#[track_caller]
#[must_use]
pub fn relu6(x: Tensor) -> Tensor {
    where_(x.less_equal(0), 0, where_(x.greater_equal(6), 6, x))
}

/// `x` where it is not negative, else `slope · x`.
#[track_caller]
#[must_use]
pub fn leaky_relu(x: Tensor, slope: f64) -> Tensor {
    where_(x.greater_equal(0.0), x, x * slope)
}

/// `x` where it is positive, else `alpha (eˣ - 1)`.
#[track_caller]
#[must_use]
pub fn elu(x: Tensor, alpha: f64) -> Tensor {
    let positive = x.greater(0.0);
    where_(positive, x, where_(positive, 0.0, x).expm1() * alpha)
}

/// `λ · elu(x, α)` with the constants that keep mean 0 and variance 1.
///
/// Source: Klambauer et al., "Self-Normalizing Neural Networks", 2017.
#[track_caller]
#[must_use]
pub fn selu(x: Tensor) -> Tensor {
    elu(x, 1.673_263_242_354_377_2) * 1.050_700_987_355_480_5
}

/// `1/(1 + e⁻ˣ)`.
#[track_caller]
#[must_use]
pub fn sigmoid(x: Tensor) -> Tensor {
    unary(UnaryOp::Logistic, x, Location::caller())
}

/// `ln(1/(1 + e⁻ˣ))` without overflow.
#[track_caller]
#[must_use]
pub fn log_sigmoid(x: Tensor) -> Tensor {
    -softplus(-x)
}

/// `ln(1 + eˣ)` without overflow; its derivative is the sigmoid, ½ at 0.
#[track_caller]
#[must_use]
pub fn softplus(x: Tensor) -> Tensor {
    x.logaddexp(0.0)
}

/// `x · sigmoid(x)`, also called swish.
#[track_caller]
#[must_use]
pub fn silu(x: Tensor) -> Tensor {
    x * sigmoid(x)
}

/// `½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))`: the approximation of [`gelu_exact`] that `jax.nn.gelu` takes
/// by default.
#[track_caller]
#[must_use]
pub fn gelu(x: Tensor) -> Tensor {
    let inner = (x + x.powi(3) * 0.044_715) * (2.0 / std::f64::consts::PI).sqrt();
    x * ((inner.tanh() + 1.0) * 0.5)
}

/// `x Φ(x)` with the normal distribution's `Φ`.
#[track_caller]
#[must_use]
pub fn gelu_exact(x: Tensor) -> Tensor {
    x * (-x * std::f64::consts::FRAC_1_SQRT_2).erfc() * 0.5
}

/// `eˣ / Σ eˣ` along axes (one, or several), without overflow. Elements of `-inf` get 0.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| nn::softmax(x, -1));
/// let y = f.call([0.0_f32, 0.0, f32::NEG_INFINITY])?;
/// assert_eq!(y.to_vec::<f32>()?, [0.5, 0.5, 0.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn softmax(x: Tensor, axes: impl Ints) -> Tensor {
    let Some(axes) = float_axes("softmax", x, &axes) else { return Tensor::POISON };
    let dtype = x.dtype();
    let x = x.astype(accumulator(dtype));
    let e = (x - shift_of(x, &axes)).exp();
    (e / e.sum_keepdims(axes)).astype(dtype)
}

/// `x - ln Σ eˣ` along axes (one, or several), without overflow.
#[track_caller]
#[must_use]
pub fn log_softmax(x: Tensor, axes: impl Ints) -> Tensor {
    let Some(axes) = float_axes("log_softmax", x, &axes) else { return Tensor::POISON };
    let dtype = x.dtype();
    let x = x.astype(accumulator(dtype));
    let shifted = x - shift_of(x, &axes);
    (shifted - shifted.exp().sum_keepdims(axes).log()).astype(dtype)
}

#[track_caller]
fn float_axes(op: &'static str, x: Tensor, axes: &impl Ints) -> Option<Vec<usize>> {
    let place = Location::caller();
    if !require_float(op, x, place) {
        return None;
    }
    axes_of(op, &axes.to_ints(), x, place)
}

/// `ln Σ eˣ` along axes, without overflow; see [`Tensor::logsumexp`].
#[track_caller]
#[must_use]
pub fn logsumexp(x: Tensor, axes: impl Ints) -> Tensor {
    x.logsumexp_axes(axes)
}

/// `x` less its mean, divided by `√(variance + epsilon)`, along axes.
#[track_caller]
#[must_use]
pub fn standardize(x: Tensor, axes: impl Ints, epsilon: f64) -> Tensor {
    let axes = axes.to_ints();
    let centred = x - x.mean_keepdims(&axes);
    centred * (centred.square().mean_keepdims(axes) + epsilon).rsqrt()
}

/// A new last axis of extent `n` with 1 at the place that `indices` gives and 0 elsewhere; all zeros for
/// a place out of range.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|i: Tensor| nn::one_hot(i, 3, DType::F32));
/// assert_eq!(f.call([2_i32, 0])?.to_vec::<f32>()?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn one_hot(indices: Tensor, n: usize, dtype: DType) -> Tensor {
    if !indices.dtype().is_int() && !indices.is_poison() {
        let message = format!("the indices must be integers, not {}", indices.ty());
        return mistake("one_hot", message, Location::caller(), &[indices]);
    }
    // Counted in a dtype that holds both n and every index.
    let wide = match indices.dtype() {
        DType::U64 => DType::U64,
        DType::U32 => DType::U32,
        DType::I64 => DType::I64,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::U8
        | DType::U16
        | DType::F16
        | DType::BF16
        | DType::F32
        | DType::F64 => DType::I32,
    };
    indices.astype(wide).expand_dims(-1).equal(numpy::arange(n, wide)).astype(dtype)
}
