//! Gradients at ties, at the origin, at infinities and in branches that are not taken.

use super::{INF, check1, f64s};
use jx::linalg::Norm;
use jx::prelude::*;

/// The gradient of `f` at `x`, compiled and op by op.
#[track_caller]
fn gradient(f: impl Fn(Tensor) -> Tensor + Copy, x: &[f64], expected: &[f64]) {
    check1(|x| grad(f)(x), &f64s(x), expected);
}

#[test]
fn norms_have_gradient_zero_at_the_origin() {
    let origin = [0.0, 0.0];
    gradient(linalg::norm, &origin, &origin);
    gradient(|x| linalg::norm(x).square(), &origin, &origin);
    gradient(|x| linalg::norm_ord(x, Norm::One, 0), &origin, &origin);
    gradient(|x| linalg::norm_ord(x, Norm::Infinity, 0), &origin, &origin);
    gradient(|x| linalg::norm_ord(x, Norm::P(3.0), 0), &origin, &origin);
    gradient(|x| linalg::norm_ord(x, Norm::P(1.5), 0), &[0.0, 2.0], &[0.0, 1.0]);
    gradient(|x| x.index(0).hypot(x.index(1)), &origin, &origin);
    gradient(|x| x.index(0).atan2(x.index(1)), &origin, &origin);
    gradient(linalg::norm, &[3.0, 4.0], &[0.6, 0.8]);
    gradient(|x| x.index(0).hypot(x.index(1)), &[3.0, 4.0], &[0.6, 0.8]);
}

#[test]
fn the_deviation_of_a_constant_has_gradient_zero() {
    gradient(|x| x.std(), &[2.0, 2.0, 2.0], &[0.0; 3]);
    gradient(|x| x.std(), &[1.0, 3.0], &[-0.5, 0.5]);
}

#[test]
fn softmax_and_logsumexp_are_safe_at_minus_infinity() {
    let masked = [0.0, 0.0, -INF];
    gradient(|x| x.logsumexp(), &masked, &[0.5, 0.5, 0.0]);
    gradient(|x| x.logsumexp(), &[-INF, -INF], &[0.0, 0.0]);
    gradient(|x| nn::softmax(x, 0).square().sum(), &masked, &[0.0, 0.0, 0.0]);
    gradient(|x| nn::softmax(x, 0).square().sum(), &[0.0, 3.0_f64.ln()], &[-0.1875, 0.1875]);
    gradient(|x| nn::log_softmax(x, 0).index(0), &masked, &[0.5, -0.5, 0.0]);
}

#[test]
fn smooth_functions_keep_their_derivatives_at_a_tie() {
    gradient(|x| nn::softplus(x).sum(), &[0.0, -800.0, 800.0], &[0.5, 0.0, 1.0]);
    gradient(|x| nn::log_sigmoid(x).sum(), &[0.0], &[0.5]);
    gradient(|x| x.index(0).logaddexp(x.index(1)), &[0.0, 0.0], &[0.5, 0.5]);
    gradient(|x| x.index(0).logaddexp(x.index(1)), &[-INF, 0.0], &[0.0, 1.0]);
    gradient(|x| grad(|x: Tensor| nn::softplus(x).sum())(x).sum(), &[0.0], &[0.25]);
    gradient(|x| nn::relu(x).sum(), &[-1.0, 0.0, 1.0], &[0.0, 0.0, 1.0]);
    gradient(|x| nn::relu6(x).sum(), &[0.0, 3.0, 6.0], &[0.0, 1.0, 0.0]);
    gradient(|x| nn::elu(x, 1.0).sum(), &[800.0], &[1.0]);
    gradient(|x| x.max(), &[1.0, 1.0, 0.0, 1.0], &[1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0 / 3.0]);
}

#[test]
fn a_branch_not_taken_sends_nothing_back() {
    gradient(|x| where_(x.lt(1.0), x, x.sqrt()).sum(), &[0.0, 0.25, 4.0], &[1.0, 1.0, 0.25]);
    gradient(|x| x.sqrt().maximum(1e-10).sum(), &[0.0], &[0.0]);
    gradient(|x| where_(x.is_nan(), 0.0, x.square()).sum(), &[f64::NAN, 1.0, 2.0], &[0.0, 2.0, 4.0]);
    gradient(|x| x.clip(0.0, 1.0).sum(), &[-1.0, 0.5, 2.0], &[0.0, 1.0, 0.0]);
}

#[test]
fn gradients_pass_through_products_and_sorting() {
    gradient(|x| einsum("i,j,i->", [x, x, x]), &[1.0, 2.0], &[11.0, 17.0]);
    gradient(|x| x.reshape([2, 2]).matmul(x.reshape([2, 2])).trace(), &[1.0, 2.0, 3.0, 4.0], &[2.0, 6.0, 4.0, 8.0]);
    gradient(|x| (x.sort(0) * arange(3, DType::F64)).sum(), &[5.0, 1.0, 3.0], &[2.0, 0.0, 1.0]);
    gradient(|x| x.top_k(1).0.sum(), &[5.0, 1.0, 3.0], &[1.0, 0.0, 0.0]);
    gradient(|x| x.median(0), &[5.0, 1.0, 3.0, 4.0], &[0.0, 0.0, 0.5, 0.5]);
}
