//! Norms and products of vectors and matrices, as `jax.numpy.linalg`.
//!
//! ```
//! use jx::prelude::*;
//! let f = jit(|x: Tensor| linalg::norm(x));
//! assert_eq!(f.call([3.0_f32, 4.0])?.item::<f32>()?, 5.0);
//! let g = jit(grad(|x: Tensor| linalg::norm(x)));
//! assert_eq!(g.call([0.0_f32, 0.0])?.to_vec::<f32>()?, [0.0, 0.0]);
//! # Ok::<(), jx::Error>(())
//! ```

use crate::Tensor;
use crate::ops::elementwise::root_of_square;
use crate::ops::numpy::where_;
use crate::ops::value::Ints;
use crate::ops::{known, mistake, require_float};
use std::panic::Location;

/// Which norm of a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Norm {
    /// How many elements are not 0.
    Zero,
    /// `Σ |x|`.
    One,
    /// `√Σ x²`.
    Two,
    /// `max |x|`.
    Infinity,
    /// `min |x|`.
    NegInfinity,
    /// `(Σ |x|ᵖ)^(1/p)`.
    P(f64),
}

/// Which norm of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatrixNorm {
    /// `√Σ x²` over all elements.
    Frobenius,
    /// The greatest sum of magnitudes of a column.
    One,
    /// The greatest sum of magnitudes of a row.
    Infinity,
}

/// `√Σ x²` over all elements; its gradient at the origin is 0.
#[track_caller]
#[must_use]
pub fn norm(x: Tensor) -> Tensor {
    if !require_float("norm", x, Location::caller()) {
        return Tensor::POISON;
    }
    root_of_square(x.square().sum())
}

/// `√Σ x²` over some axes, which go away; its gradient at the origin is 0.
#[track_caller]
#[must_use]
pub fn norm_axes(x: Tensor, axes: impl Ints) -> Tensor {
    norm_ord(x, Norm::Two, axes)
}

/// `√Σ x²` over some axes, which stay with extent 1; its gradient at the origin is 0.
#[track_caller]
#[must_use]
pub fn norm_keepdims(x: Tensor, axes: impl Ints) -> Tensor {
    if !require_float("norm", x, Location::caller()) {
        return Tensor::POISON;
    }
    root_of_square(x.square().sum_keepdims(axes))
}

/// A norm over some axes, taken as one vector, which go away. Gradients at the origin are 0.
///
/// ```
/// use jx::linalg::Norm;
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| (linalg::norm_ord(x, Norm::One, -1), linalg::norm_ord(x, Norm::Infinity, -1)));
/// let (one, infinity) = f.call(Array::from([[3.0_f32, -4.0]]))?;
/// assert_eq!((one.to_vec::<f32>()?, infinity.to_vec::<f32>()?), (vec![7.0], vec![4.0]));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[must_use]
pub fn norm_ord(x: Tensor, norm: Norm, axes: impl Ints) -> Tensor {
    if !require_float("norm", x, Location::caller()) {
        return Tensor::POISON;
    }
    match norm {
        Norm::Zero => x.not_equal(0.0).astype(x.dtype()).sum_axes(axes),
        Norm::One => x.abs().sum_axes(axes),
        Norm::Two => root_of_square(x.square().sum_axes(axes)),
        Norm::Infinity => x.abs().max_axes(axes),
        Norm::NegInfinity => x.abs().min_axes(axes),
        Norm::P(p) => {
            // At 0 both powers may have an infinite derivative; there the norm does not move.
            let still = x.equal(0.0);
            let powers = where_(still, if p > 0.0 { 0.0 } else { f64::INFINITY }, where_(still, 1.0, x).abs().powf(p));
            let total = powers.sum_axes(axes);
            let origin = total.equal(0.0);
            let at_origin = if p > 0.0 { 0.0 } else { f64::INFINITY };
            where_(origin, at_origin, where_(origin, 1.0, total).powf(1.0 / p))
        }
    }
}

/// A norm of the matrices on the last two axes, which go away.
#[track_caller]
#[must_use]
pub fn matrix_norm(x: Tensor, norm: MatrixNorm) -> Tensor {
    let place = Location::caller();
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    if ty.rank() < 2 {
        return mistake(
            "matrix_norm",
            format!("the operand must be a matrix or a stack of them, not {ty}"),
            place,
            &[x],
        );
    }
    match norm {
        MatrixNorm::Frobenius => norm_axes(x, [-2, -1]),
        MatrixNorm::One => x.abs().sum_axes(-2).max_axes(-1),
        MatrixNorm::Infinity => x.abs().sum_axes(-1).max_axes(-1),
    }
}

/// The sums of products over the last axes of two stacks of vectors, which broadcast.
#[track_caller]
#[must_use]
pub fn vecdot(x: Tensor, y: Tensor) -> Tensor {
    (x * y).sum_axes(-1)
}

/// The square matrices on the last two axes multiplied with themselves `n` times in all; the identity for 0.
#[track_caller]
#[must_use]
pub fn matrix_power(x: Tensor, n: u32) -> Tensor {
    let place = Location::caller();
    let Some(ty) = known(x, place) else { return Tensor::POISON };
    let [.., rows, columns] = ty.shape[..] else {
        return mistake("matrix_power", format!("the operand must be a matrix, not {ty}"), place, &[x]);
    };
    if rows != columns {
        return mistake("matrix_power", format!("the matrix must be square, not {ty}"), place, &[x]);
    }
    let mut result: Option<Tensor> = None;
    let (mut power, mut n) = (x, n);
    while n > 0 {
        if n & 1 == 1 {
            result = Some(match result {
                Some(r) => r.matmul(power),
                None => power,
            });
        }
        n >>= 1;
        if n > 0 {
            power = power.matmul(power);
        }
    }
    match result {
        Some(result) => result,
        None => crate::ops::numpy::eye(rows, ty.dtype).broadcast_to(ty.shape),
    }
}

/// The product of matrices from left to right; the first and the last may be vectors. The optimiser
/// chooses the order.
#[track_caller]
#[must_use]
pub fn multi_dot(factors: impl AsRef<[Tensor]>) -> Tensor {
    let factors = factors.as_ref();
    let Some((&first, rest)) = factors.split_first() else {
        return mistake("multi_dot", "at least one matrix is needed".to_owned(), Location::caller(), &[]);
    };
    let mut product = first;
    for &factor in rest {
        product = product.matmul(factor);
    }
    product
}
