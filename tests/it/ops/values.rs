//! Values of elementwise functions, movement, reductions, sorting, products, `nn` and `linalg`.

#![allow(clippy::approx_constant, clippy::excessive_precision, reason = "the reference's digits, as it printed them")]

use super::{INF, NAN, check1, check2, count, f64s};
use jx::linalg::{MatrixNorm, Norm};
use jx::numpy as jnp;
use jx::prelude::*;

#[test]
fn unary_functions_are_numpys() {
    #[allow(clippy::type_complexity, reason = "a row: function, argument, value")]
    let table: [(fn(Tensor) -> Tensor, f64, f64); 38] = [
        (jnp::negative, 2.0, -2.0),
        (jnp::abs, -2.5, 2.5),
        (jnp::sign, -2.5, -1.0),
        (jnp::floor, -2.5, -3.0),
        (jnp::ceil, -2.5, -2.0),
        (jnp::round, 2.5, 2.0),
        (jnp::round, 3.5, 4.0),
        (jnp::square, 3.0, 9.0),
        (jnp::sqrt, 2.0, 1.4142135623730951),
        (jnp::rsqrt, 4.0, 0.5),
        (jnp::cbrt, -27.0, -3.0),
        (jnp::reciprocal, 4.0, 0.25),
        (jnp::exp, 1.0, 2.718281828459045),
        (jnp::exp2, 3.0, 8.0),
        (jnp::expm1, 1e-10, 1.00000000005e-10),
        (jnp::log, 10.0, 2.302585092994046),
        (jnp::log2, 8.0, 3.0),
        (jnp::log10, 1000.0, 3.0),
        (jnp::log1p, 1e-10, 9.9999999995e-11),
        (jnp::sin, 1.0, 0.8414709848078965),
        (jnp::cos, 1.0, 0.5403023058681398),
        (jnp::tan, 1.0, 1.5574077246549023),
        (jnp::asin, 0.5, 0.5235987755982989),
        (jnp::acos, 0.5, 1.0471975511965979),
        (jnp::atan, 0.5, 0.4636476090008061),
        (jnp::sinh, 1.0, 1.1752011936438014),
        (jnp::cosh, 1.0, 1.5430806348152437),
        (jnp::tanh, 1.0, 0.7615941559557649),
        (jnp::asinh, 1.0, 0.881373587019543),
        (jnp::acosh, 2.0, 1.3169578969248166),
        (jnp::atanh, 0.5, 0.5493061443340548),
        (jnp::erf, 0.5, 0.5204998778130465),
        (jnp::erfc, 2.0, 0.004677734981047266),
        (jnp::erf_inv, 0.5, 0.4769362762044699),
        (jnp::lgamma, 4.5, 2.4537365708424423),
        (jnp::digamma, 4.5, 1.3888709263595289),
        (nn::sigmoid, 0.5, 0.6224593312018546),
        (nn::softplus, -20.0, 2.061153620314381e-09),
    ];
    for (i, (f, x, expected)) in table.into_iter().enumerate() {
        let y = jit(f).call(x).unwrap_or_else(|e| panic!("row {i}: {e}")).item::<f64>().expect("one f64");
        assert!((y - expected).abs() <= 4e-15 * expected.abs().max(1e-9), "row {i}: {y} is not {expected}");
    }
}

#[test]
fn classification_tells_floats_apart_and_holds_for_integers() {
    let x = f64s(&[1.0, INF, -INF, NAN]);
    check1(|x| x.is_finite(), &x, &[1.0, 0.0, 0.0, 0.0]);
    check1(|x| x.is_inf(), &x, &[0.0, 1.0, 1.0, 0.0]);
    check1(|x| x.is_nan(), &x, &[0.0, 0.0, 0.0, 1.0]);
    let n = Array::from([1_i32, 2]);
    check1(|x| x.is_finite(), &n, &[1.0, 1.0]);
    check1(|x| x.is_inf() | x.is_nan(), &n, &[0.0, 0.0]);
}

#[test]
fn division_and_remainders_follow_their_signs() {
    let x = f64s(&[7.0, -7.0, 7.0, -7.0, 6.0]);
    let y = f64s(&[3.0, 3.0, -3.0, -3.0, 3.0]);
    check2(|x, y| x % y, &x, &y, &[1.0, -1.0, 1.0, -1.0, 0.0]);
    check2(jnp::remainder, &x, &y, &[1.0, 2.0, -2.0, -1.0, 0.0]);
    check2(jnp::floor_divide, &x, &y, &[2.0, -3.0, -3.0, 2.0, 2.0]);
    let x = Array::from([7_i32, -7, 7, -7, 6]);
    let y = Array::from([3_i32, 3, -3, -3, 3]);
    check2(jnp::remainder, &x, &y, &[1.0, 2.0, -2.0, -1.0, 0.0]);
    check2(jnp::floor_divide, &x, &y, &[2.0, -3.0, -3.0, 2.0, 2.0]);
}

#[test]
fn two_operand_functions_are_numpys() {
    let (x, y) = (f64s(&[3.0, -1.0, NAN]), f64s(&[4.0, 2.0, 1.0]));
    check2(jnp::maximum, &x, &y, &[4.0, 2.0, NAN]);
    check2(jnp::minimum, &x, &y, &[3.0, -1.0, NAN]);
    check2(jnp::hypot, &x, &y, &[5.0, 5.0_f64.sqrt(), NAN]);
    check2(jnp::atan2, &x, &y, &[0.6435011087932844, -0.4636476090008061, NAN]);
    check2(jnp::logaddexp, &x, &y, &[4.313261687518223, 2.0485873515737421, NAN]);
    check2(jnp::pow, &x, &y, &[81.0, 1.0, NAN]);
    check1(|x| jnp::hypot(x, 0.0), &f64s(&[1e300, -INF, 0.0]), &[1e300, INF, 0.0]);
    check1(|x| jnp::logaddexp(x, x), &f64s(&[-INF, INF, 1000.0]), &[-INF, INF, 1000.693147180559945]);
    check1(|x| x.powi(-2) + x.powf(0.5), &f64s(&[4.0]), &[2.0625]);
    check1(|x| x.nextafter(2.0) - x, &f64s(&[1.0]), &[f64::EPSILON]);
}

#[test]
fn bits_shift_and_combine() {
    let x = Array::from([-8_i32, 5]);
    check1(|x| x >> 1, &x, &[-4.0, 2.0]);
    check1(|x| (x << 2) | 1, &x, &[-31.0, 21.0]);
    check1(|x| 1 << x.clip(0, 3), &x, &[1.0, 8.0]);
    check1(|x| x.population_count() + x.clz(), &Array::from([7_u8, 0]), &[8.0, 8.0]);
    check1(|x| x >> 4_u8, &Array::from([0xf0_u8]), &[15.0]);
    check1(|x| x.logical_not().logical_or(x.equal(5)), &Array::from([0_i32, 5, 6]), &[1.0, 1.0, 0.0]);
}

#[test]
fn comparisons_select_and_clip() {
    let x = f64s(&[-1.0, 0.5, 3.0, NAN]);
    check1(|x| where_(x.lt(1.0), 0.0, x), &x, &[0.0, 0.0, 3.0, NAN]);
    check1(|x| where_(x.ge(0.5), x, -1.0), &x, &[-1.0, 0.5, 3.0, -1.0]);
    check1(|x| x.clip(0.0, 1.0), &x, &[0.0, 0.5, 1.0, NAN]);
    check1(|x| jnp::less(0.0, x).astype(DType::F64), &x, &[0.0, 1.0, 1.0, 0.0]);
    check1(|x| where_(x.ne(x), true, x.eq(3.0)), &x, &[0.0, 0.0, 1.0, 1.0]);
    check2(|c, x| where_(c, x, 0.0), &Array::from([[1_i32], [0]]), &f64s(&[1.0, 2.0]), &[1.0, 2.0, 0.0, 0.0]);
}

#[test]
fn constructors_are_numpys() {
    let x = count(&[1]);
    check1(|x| x + linspace(0.0, 1.0, 5, DType::F64), &x, &[0.0, 0.25, 0.5, 0.75, 1.0]);
    check1(|x| x + jnp::arange_step(1.0, 2.0, 0.25, DType::F64), &x, &[1.0, 1.25, 1.5, 1.75]);
    check1(|x| x + eye(2, DType::F64), &x, &[1.0, 0.0, 0.0, 1.0]);
    check1(|x| x + jnp::tri(2, 3, 1, DType::F64), &x, &[1.0, 1.0, 0.0, 1.0, 1.0, 1.0]);
    check1(|x| jnp::triu(x, 1), &count(&[2, 3]), &[0.0, 1.0, 2.0, 0.0, 0.0, 5.0]);
    check1(|x| jnp::tril(x, -1), &count(&[2, 3]), &[0.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
    check1(|x| x + jnp::iota([2, 2], DType::F64, -2), &x, &[0.0, 0.0, 1.0, 1.0]);
    check1(|x| ones_like(x) * 3.0 + jnp::full_like(x, 2.0), &x, &[5.0]);
}

#[test]
fn movement_is_numpys() {
    let x = count(&[2, 3]);
    check1(|x| x.t(), &x, &[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    check1(|x| x.roll(1, -1), &x, &[2.0, 0.0, 1.0, 5.0, 3.0, 4.0]);
    check1(|x| x.roll(-4, 1), &x, &[1.0, 2.0, 0.0, 4.0, 5.0, 3.0]);
    check1(|x| x.flip(-1), &x, &[2.0, 1.0, 0.0, 5.0, 4.0, 3.0]);
    check1(|x| x.flip([0, 1]), &x, &[5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    check1(|x| x.repeat(2, 0).ravel(), &x, &[0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 3.0, 4.0, 5.0]);
    check1(|x| x.tile(2), &f64s(&[1.0, 2.0]), &[1.0, 2.0, 1.0, 2.0]);
    check1(|x| x.tile([2, 1]), &f64s(&[1.0, 2.0]), &[1.0, 2.0, 1.0, 2.0]);
    check1(|x| x.pad(&[(0, 1), (1, 0)], 9.0), &x, &[9.0, 0.0, 1.0, 2.0, 9.0, 3.0, 4.0, 5.0, 9.0, 9.0, 9.0, 9.0]);
    check1(|x| stack(x.split(3, 1), 0), &x, &[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    check1(|x| x.split_at(&[1], 1)[1], &x, &[1.0, 2.0, 4.0, 5.0]);
    check1(|x| concatenate([x, x], -1), &count(&[1, 2]), &[0.0, 1.0, 0.0, 1.0]);
    let shapes = jit(|x: Tensor| {
        (
            (x.moveaxis([0, 1], [-1, 0]), x.swapaxes(0, -1), x.transpose([1, 2, 0])),
            (x.expand_dims([0, -1]), x.squeeze(), x.squeeze_axes(1), x.broadcast_to([5, 2, 4, 3]), x.reshape([-1, 2])),
        )
    });
    let ((a, b, c), (d, e, f, g, h)) = shapes.call(count(&[2, 1, 3])).expect("the shapes fit");
    let found = [a.shape(), b.shape(), c.shape(), d.shape(), e.shape(), f.shape(), g.shape(), h.shape()];
    let expected: [&[usize]; 8] =
        [&[1, 3, 2], &[3, 1, 2], &[1, 3, 2], &[1, 2, 1, 3, 1], &[2, 3], &[2, 3], &[5, 2, 4, 3], &[3, 2]];
    assert_eq!(found, expected);
}

#[test]
fn reductions_are_numpys() {
    let x = count(&[2, 3]);
    check1(|x| x.sum(), &x, &[15.0]);
    check1(|x| x.sum_axes(0), &x, &[3.0, 5.0, 7.0]);
    check1(|x| x.sum_axes([0, -1]), &x, &[15.0]);
    check1(|x| x - x.mean_keepdims(-1), &x, &[-1.0, 0.0, 1.0, -1.0, 0.0, 1.0]);
    check1(|x| (x + 1.0).prod_axes(1), &x, &[6.0, 120.0]);
    check1(|x| x.max_axes(0) - x.min_axes(0), &x, &[3.0, 3.0, 3.0]);
    check1(|x| x.var_axes(1), &x, &[2.0 / 3.0, 2.0 / 3.0]);
    check1(|x| x.std(), &x, &[1.707825127659933]);
    check1(|x| x.gt(2.0).sum(), &x, &[3.0]);
    check1(|x| x.all_axes(1).astype(DType::I32) + x.any_axes(1).astype(DType::I32), &x, &[1.0, 2.0]);
    check1(|x| x.argmin(0), &x, &[0.0, 0.0, 0.0]);
    check1(|x| x.logsumexp_axes(1), &x, &[2.4076059644443806, 5.407605964444380]);
    check1(|x| x.logsumexp(), &f64s(&[-INF, -INF]), &[-INF]);
    check1(|x| x.logsumexp(), &f64s(&[INF, 1.0]), &[INF]);
    check1(|x| x.logsumexp(), &f64s(&[1000.0, -INF]), &[1000.0]);
    check1(|x| x.sum() + x.prod(), &f64s(&[]), &[1.0]);
    check1(|x| x.mean(), &f64s(&[]), &[NAN]);
    check1(|x| x.cumsum(1), &x, &[0.0, 1.0, 3.0, 3.0, 7.0, 12.0]);
    check1(|x| x.cumprod(-1), &x, &[0.0, 0.0, 0.0, 3.0, 12.0, 60.0]);
    check1(|x| x.cummax(0) - x.cummin(0), &x, &[0.0, 0.0, 0.0, 3.0, 3.0, 3.0]);
    check1(|x| x.cumlogsumexp(0), &f64s(&[0.0, 0.0]), &[0.0, 2.0_f64.ln()]);
}

#[test]
fn sums_of_halves_do_not_overflow() {
    let x = Array::full([100], jx::f16::from_f32(1000.0));
    check1(|x| x.mean(), &x, &[1000.0]);
    check1(|x| nn::softmax(x, 0).sum(), &x, &[1.0]);
}

#[test]
fn sorting_is_stable_and_puts_nan_last() {
    let x = f64s(&[2.0, NAN, 1.0, 2.0]);
    check1(|x| x.sort(0), &x, &[1.0, 2.0, 2.0, NAN]);
    check1(|x| x.argsort(-1), &x, &[2.0, 0.0, 3.0, 1.0]);
    check1(|x| x.top_k(3).1, &x, &[1.0, 0.0, 3.0]);
    check1(|x| x.median(0), &x, &[NAN]);
    check1(|x| x.median(1), &Array::from([[4.0, 1.0, 3.0, 2.0], [INF, INF, 0.0, INF]]), &[2.5, INF]);
}

#[test]
fn products_are_numpys() {
    let (a, b) = (count(&[2, 3]), count(&[3, 2]));
    check2(matmul, &a, &b, &[10.0, 13.0, 28.0, 40.0]);
    check2(matmul, &count(&[3]), &b, &[10.0, 13.0]);
    check2(matmul, &a, &count(&[3]), &[5.0, 14.0]);
    check2(matmul, &count(&[2, 1, 2]), &count(&[2, 2]), &[2.0, 3.0, 6.0, 11.0]);
    check2(matmul, &count(&[2, 2]), &count(&[2, 2, 1]), &[1.0, 3.0, 3.0, 13.0]);
    check2(matmul, &count(&[2, 1, 1, 2]), &count(&[2, 2, 1]), &[1.0, 3.0, 3.0, 13.0]);
    check2(matmul, &count(&[2]), &count(&[2, 2, 1]), &[1.0, 3.0]);
    check2(dot, &count(&[2, 2]), &count(&[2, 2, 1]), &[1.0, 3.0, 3.0, 13.0]);
    check2(jnp::inner, &a, &count(&[3]), &[5.0, 14.0]);
    check2(jnp::outer, &count(&[2]), &count(&[3]), &[0.0, 0.0, 0.0, 0.0, 1.0, 2.0]);
    check2(jnp::vdot, &a, &b, &[55.0]);
    check2(|x, y| x.tensordot(y, 2), &count(&[2, 2]), &count(&[2, 2]), &[14.0]);
    check1(|x| x.trace(), &count(&[2, 3]), &[4.0]);
    check1(|x| x.diagonal(), &count(&[2, 2, 3]), &[0.0, 4.0, 6.0, 10.0]);
}

#[test]
fn einsum_is_numpys() {
    let (a, b) = (count(&[2, 3]), count(&[3, 2]));
    check2(|a, b| einsum("ij,jk->ik", [a, b]), &a, &b, &[10.0, 13.0, 28.0, 40.0]);
    check2(|a, b| einsum("ij,jk", [a, b]), &a, &b, &[10.0, 13.0, 28.0, 40.0]);
    check2(|a, b| einsum("ij,jk->k", [a, b]), &a, &b, &[38.0, 53.0]);
    check2(|a, b| einsum("ij , ji ->", [a, b]), &a, &b, &[50.0]);
    check1(|a| einsum("ba", [a]), &a, &[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    check1(|a| einsum("ii->i", [a]), &count(&[2, 2]), &[0.0, 3.0]);
    check1(|a| einsum("iij->j", [a]), &count(&[2, 2, 2]), &[6.0, 8.0]);
    check1(|a| einsum("...i->...", [a]), &count(&[2, 1, 2]), &[1.0, 5.0]);
    check2(|a, b| einsum("...ij,...jk", [a, b]), &count(&[2, 1, 2]), &count(&[2, 1]), &[1.0, 3.0]);
    check2(|a, b| einsum("...,...->...", [a, b]), &count(&[2, 1]), &count(&[3]), &[0.0, 0.0, 0.0, 0.0, 1.0, 2.0]);
    check2(|a, b| einsum("bi,bj->bij", [a, b]), &count(&[1, 2]), &count(&[1, 2]), &[0.0, 0.0, 0.0, 1.0]);
    check2(|a, b| einsum("i,ij,j->", [b, a, b]), &count(&[2, 2]), &f64s(&[1.0, 2.0]), &[18.0]);
}

#[test]
fn networks_functions_are_jaxs() {
    let x = f64s(&[-1.0, 0.0, 2.0]);
    check1(nn::relu, &x, &[0.0, 0.0, 2.0]);
    check1(nn::relu, &f64s(&[NAN]), &[NAN]);
    check1(nn::relu6, &f64s(&[-1.0, 3.0, 7.0]), &[0.0, 3.0, 6.0]);
    check1(|x| nn::leaky_relu(x, 0.1), &x, &[-0.1, 0.0, 2.0]);
    check1(|x| nn::elu(x, 1.0), &x, &[-0.6321205588285577, 0.0, 2.0]);
    check1(nn::selu, &x, &[-1.1113307378125625, 0.0, 2.101401974710961]);
    check1(nn::silu, &x, &[-0.2689414213699951, 0.0, 1.7615941559557646]);
    check1(nn::gelu, &x, &[-0.15880800939172324, 0.0, 1.954597694087775]);
    check1(nn::gelu_exact, &x, &[-0.15865525393145707, 0.0, 1.9544997361036416]);
    check1(nn::softplus, &x, &[0.31326168751822286, 0.6931471805599453, 2.1269280110429727]);
    check1(nn::log_sigmoid, &f64s(&[-800.0, 0.0]), &[-800.0, -0.6931471805599453]);
    check1(|x| nn::softmax(x, -1), &f64s(&[1e4, 1e4, -INF]), &[0.5, 0.5, 0.0]);
    check1(|x| nn::log_softmax(x, 0), &x, &[-3.1698460195562856, -2.1698460195562856, -0.16984601955628554]);
    check1(|i| nn::one_hot(i, 3, DType::F32), &Array::from([2_u8, 7]), &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    check1(|x| nn::standardize(x, -1, 0.0), &f64s(&[-1.0, 1.0]), &[-1.0, 1.0]);
}

#[test]
fn norms_are_numpys() {
    let x = Array::from([[3.0, -4.0], [0.0, 1.0]]);
    check1(linalg::norm, &x, &[26.0_f64.sqrt()]);
    check1(|x| linalg::norm_axes(x, -1), &x, &[5.0, 1.0]);
    check1(|x| x / linalg::norm_keepdims(x, -1), &x, &[0.6, -0.8, 0.0, 1.0]);
    check1(|x| linalg::norm_ord(x, Norm::One, 1), &x, &[7.0, 1.0]);
    check1(|x| linalg::norm_ord(x, Norm::Zero, 1), &x, &[2.0, 1.0]);
    check1(|x| linalg::norm_ord(x, Norm::NegInfinity, 1), &x, &[3.0, 0.0]);
    check1(|x| linalg::norm_ord(x, Norm::P(3.0), 1), &x, &[91.0_f64.cbrt(), 1.0]);
    check1(|x| linalg::matrix_norm(x, MatrixNorm::One), &x, &[5.0]);
    check1(|x| linalg::matrix_norm(x, MatrixNorm::Infinity), &x, &[7.0]);
    check1(|x| linalg::matrix_power(x, 3), &Array::from([[1.0, 1.0], [0.0, 1.0]]), &[1.0, 3.0, 0.0, 1.0]);
    check1(|x| linalg::matrix_power(x, 0), &x, &[1.0, 0.0, 0.0, 1.0]);
    check1(|x| linalg::multi_dot([x, x, x]) - linalg::matrix_power(x, 3), &x, &[0.0; 4]);
    check1(|x| linalg::vecdot(x, x), &x, &[25.0, 1.0]);
}
