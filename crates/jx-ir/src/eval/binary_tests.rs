//! Tests of elementwise functions of two operands. Values are those of JAX 0.10.2 (`jax.lax`, x64).

use crate::eval::testing::{assert_near, assert_same, numbers, one, vector};
use crate::{BinaryOp, DType, Element, Prim};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

#[track_caller]
fn check<T: Element>(op: BinaryOp, x: &[T], y: &[T], want: &[T]) {
    assert_same(&one(&Prim::Binary(op), &[&vector(x), &vector(y)]), &vector(want));
}

#[test]
fn integer_division_truncates_and_has_a_value_over_zero() {
    let (x, y) = ([7_i8, -7, 7, -7, 5, -128, 127], [2_i8, 2, -2, -2, 0, -1, 0]);
    check(BinaryOp::Div, &x, &y, &[3, -3, -3, 3, -1, -128, -1]);
    check(BinaryOp::Rem, &x, &y, &[1, -1, 1, -1, 5, 0, 127]);
    check(BinaryOp::Div, &[7_u64, 7], &[2, 0], &[3, u64::MAX]);
    check(BinaryOp::Rem, &[7_u64, 7], &[4, 0], &[3, 7]);
}

#[test]
fn float_division_and_remainder_follow_ieee() {
    check(BinaryOp::Div, &[1.0, -1.0, 0.0, 1.0], &[0.0, 0.0, 0.0, -0.0], &[INF, -INF, NAN, -INF]);
    check(
        BinaryOp::Rem,
        &[5.0, -5.0, 5.0, INF, -0.0, 5.0],
        &[3.0, 3.0, INF, 2.0, 1.0, 0.0],
        &[2.0, -2.0, 5.0, NAN, -0.0, NAN],
    );
}

#[test]
fn shifts_beyond_the_width_shift_everything_out() {
    check(BinaryOp::ShiftLeft, &[1_i8, 1, 1, -1], &[7, 8, -1, 3], &[-128, 0, 0, -8]);
    check(BinaryOp::ShiftRightLogical, &[-1_i8; 4], &[7, 8, -1, 3], &[1, 0, 0, 31]);
    check(BinaryOp::ShiftRightArithmetic, &[-128_i8, -128, 127, -1], &[3, 8, -1, 100], &[-16, -1, 0, -1]);
    check(BinaryOp::ShiftRightArithmetic, &[0x80_u8, 0x80], &[3, 200], &[0xf0, 0xff]);
    check(BinaryOp::ShiftLeft, &[1_u64, 1], &[63, 64], &[1 << 63, 0]);
}

#[test]
fn integers_wrap_and_bits_combine() {
    check(BinaryOp::Add, &[127_i8, 100], &[1, 100], &[-128, -56]);
    check(BinaryOp::Sub, &[0_u32], &[1], &[u32::MAX]);
    check(BinaryOp::Mul, &[i64::MAX], &[2], &[-2]);
    check(BinaryOp::And, &[0b1100_u8], &[0b1010], &[0b1000]);
    check(BinaryOp::Or, &[true, false], &[false, false], &[true, false]);
    check(BinaryOp::Xor, &[true, false], &[true, true], &[false, true]);
    check(BinaryOp::Max, &[true, false], &[false, false], &[true, false]);
    check(BinaryOp::Min, &[true, true], &[false, true], &[false, true]);
    check(BinaryOp::Max, &[u64::MAX, 3], &[1, 5], &[u64::MAX, 5]);
}

#[test]
fn extremes_propagate_nan_and_order_zeros() {
    let (x, y) = ([0.0, -0.0, NAN, 1.0], [-0.0, 0.0, 1.0, NAN]);
    check(BinaryOp::Max, &x, &y, &[0.0, 0.0, NAN, NAN]);
    check(BinaryOp::Min, &x, &y, &[-0.0, -0.0, NAN, NAN]);
}

#[test]
fn powers_have_the_edges_of_jax() {
    let x = [0.0, -1.0, -2.0, NAN, 1.0, 0.0, -0.0, -8.0, INF, -1.0];
    let y = [0.0, 0.5, 3.0, 0.0, NAN, -1.0, -1.0, 1.0 / 3.0, -1.0, INF];
    check(BinaryOp::Pow, &x, &y, &[1.0, NAN, -8.0, 1.0, 1.0, INF, -INF, NAN, 0.0, 1.0]);
}

#[test]
fn angles_have_the_edges_of_jax() {
    use std::f64::consts::{FRAC_PI_4, PI};
    let (y, x) = ([0.0, -0.0, 0.0, -0.0, 1.0, INF, NAN], [0.0, 0.0, -0.0, -0.0, -INF, INF, 1.0]);
    let got = one(&Prim::Binary(BinaryOp::Atan2), &[&vector(&y), &vector(&x)]);
    assert_near(&got.to_f64_vec(), &[0.0, -0.0, PI, -PI, PI, FRAC_PI_4, NAN], 1.0);
}

#[test]
fn the_next_value_is_one_step_of_the_dtype() {
    let x = [0.0, 1.0, INF, 0.0, 1.0, NAN, 0.0, -0.0, -1.0];
    let y = [1.0, 1.0, 0.0, -1.0, INF, 1.0, -0.0, 0.0, 0.0];
    let want = [5e-324, 1.0, f64::MAX, -5e-324, 1.0 + f64::EPSILON, NAN, -0.0, 0.0, -1.0 + f64::EPSILON / 2.0];
    check(BinaryOp::NextAfter, &x, &y, &want);
    check(BinaryOp::NextAfter, &[1.0_f32, 0.0], &[2.0, -1.0], &[1.0 + f32::EPSILON, -1e-45]);
    let next = one(&Prim::Binary(BinaryOp::NextAfter), &[&numbers(DType::F16, &[1.0]), &numbers(DType::F16, &[2.0])]);
    assert_eq!(next.to_f64_vec(), [1.0009765625]);
}

#[test]
fn a_zero_factor_wins_over_infinity_and_nan_and_finite_products_keep_their_sign() {
    let x = [0.0, -0.0, INF, NAN, 0.0, -0.0, 2.0, NAN, INF];
    let y = [INF, NAN, 0.0, -0.0, -3.0, 3.0, INF, 1.0, NAN];
    check(BinaryOp::MulNoNan, &x, &y, &[0.0, 0.0, 0.0, 0.0, -0.0, -0.0, INF, NAN, NAN]);
}

#[test]
fn f32_arithmetic_by_way_of_f64_is_f32_arithmetic() {
    // Bit patterns spread over all exponents, subnormal ones included.
    let bits = |seed: u32| (0..4000_u32).map(move |i| f32::from_bits(i.wrapping_add(seed).wrapping_mul(0x9e37_79b9)));
    let (x, y): (Vec<f32>, Vec<f32>) = (bits(1).collect(), bits(77).collect());
    type Direct = fn(f32, f32) -> f32;
    let direct: [(BinaryOp, Direct); 5] = [
        (BinaryOp::Add, |a, b| a + b),
        (BinaryOp::Sub, |a, b| a - b),
        (BinaryOp::Mul, |a, b| a * b),
        (BinaryOp::Div, |a, b| a / b),
        (BinaryOp::Rem, |a, b| a % b),
    ];
    for (op, f) in direct {
        let want: Vec<f32> = x.iter().zip(&y).map(|(&a, &b)| f(a, b)).collect();
        check(op, &x, &y, &want);
    }
}

#[test]
fn every_op_works_on_every_dtype_that_it_accepts() {
    for &op in BinaryOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            let (x, y) = (numbers(dtype, &[0.0, 1.0, 5.0]), numbers(dtype, &[1.0, 1.0, 2.0]));
            assert_eq!(one(&Prim::Binary(op), &[&x, &y]).ty(), x.ty(), "{} of {dtype}", op.name());
        }
    }
}
