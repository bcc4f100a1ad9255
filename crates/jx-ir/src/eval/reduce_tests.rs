//! Tests of reductions. Values are those of JAX 0.10.2 (`jax.lax`, x64) where not evident.

use crate::eval::testing::{assert_near, assert_same, numbers, one, shaped, vector};
use crate::{ArgReduceOp, Array, CumulativeOp, DType, Prim, ReduceOp};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn reduce(op: ReduceOp, axes: &[usize], x: &Array) -> Array {
    one(&Prim::Reduce { op, axes: axes.to_vec() }, &[x])
}

fn cumulative(op: CumulativeOp, reverse: bool, x: &Array) -> Array {
    one(&Prim::Cumulative { op, axis: 0, reverse }, &[x])
}

fn arg(op: ArgReduceOp, x: &Array) -> Array {
    one(&Prim::ArgReduce { op, axis: 0, index_dtype: DType::I32 }, &[x])
}

#[test]
fn axes_go_away_in_any_order() {
    let x = shaped(&[2, 3, 2], &(0..12).collect::<Vec<i32>>());
    assert_eq!(reduce(ReduceOp::Sum, &[1], &x), shaped(&[2, 2], &[6, 9, 24, 27]));
    assert_eq!(reduce(ReduceOp::Sum, &[2, 0], &x), vector(&[14, 22, 30]));
    assert_eq!(reduce(ReduceOp::Sum, &[0, 1, 2], &x), Array::scalar(66));
    assert_eq!(reduce(ReduceOp::Sum, &[], &x), x);
}

#[test]
fn nothing_reduces_to_the_identity_in_every_dtype() {
    for &op in ReduceOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            let empty = reduce(op, &[0], &numbers(dtype, &[]));
            assert_eq!(empty, Array::from_scalar(op.identity(dtype)), "{} of {dtype}", op.name());
            let x = numbers(dtype, &[1.0]);
            let single = reduce(op, &[0], &x);
            assert_eq!(single.get(0), x.get(0), "{} of {dtype}", op.name());
        }
    }
    assert_eq!(reduce(ReduceOp::Prod, &[0], &shaped::<f32>(&[0, 2], &[])), vector(&[1.0_f32, 1.0]));
    assert_eq!(reduce(ReduceOp::Sum, &[0], &shaped::<f32>(&[2, 0], &[])), vector::<f32>(&[]));
}

#[test]
fn sums_are_rounded_once() {
    let mut x = vec![1.0_f32; 101];
    x[0] = 16777216.0;
    assert_eq!(reduce(ReduceOp::Sum, &[0], &vector(&x)), Array::scalar(16777316.0_f32));
    assert_eq!(reduce(ReduceOp::Sum, &[0], &vector(&[1e100, 1.0, -1e100])), Array::scalar(1.0));
    assert_eq!(reduce(ReduceOp::Sum, &[0], &vector(&[0.1; 10])), Array::scalar(1.0));
    assert_eq!(reduce(ReduceOp::Sum, &[0], &numbers(DType::BF16, &[256.0, 1.0, 1.0])).to_f64_vec(), [258.0]);
    assert_same(&reduce(ReduceOp::Sum, &[0], &vector(&[INF, -INF, 1.0])), &Array::scalar(NAN));
    assert_same(&reduce(ReduceOp::Sum, &[0], &vector(&[-0.0, -0.0])), &Array::scalar(0.0));
    // The product passes beyond the f32 range and comes back.
    assert_eq!(reduce(ReduceOp::Prod, &[0], &vector(&[1e30_f32, 1e30, 1e-30])), Array::scalar(1e30_f32));
}

#[test]
fn integer_sums_and_products_wrap() {
    assert_eq!(reduce(ReduceOp::Sum, &[0], &vector(&[100_i8, 100])), Array::scalar(-56_i8));
    assert_eq!(reduce(ReduceOp::Prod, &[0], &vector(&[16_u8, 17])), Array::scalar(16_u8));
    assert_eq!(reduce(ReduceOp::Sum, &[0], &vector(&[u64::MAX, 2])), Array::scalar(1_u64));
}

#[test]
fn extremes_propagate_nan_and_bits_combine() {
    assert_same(&reduce(ReduceOp::Max, &[0], &vector(&[1.0, NAN, INF])), &Array::scalar(NAN));
    assert_same(&reduce(ReduceOp::Min, &[0], &vector(&[NAN, 1.0])), &Array::scalar(NAN));
    assert_same(&reduce(ReduceOp::Max, &[0], &vector(&[-0.0, 0.0])), &Array::scalar(0.0));
    assert_eq!(reduce(ReduceOp::Max, &[0], &vector(&[-INF])), Array::scalar(-INF));
    assert_eq!(reduce(ReduceOp::Max, &[0], &vector(&[false, true])), Array::scalar(true));
    assert_eq!(reduce(ReduceOp::And, &[0], &vector(&[0b110_i16, 0b011])), Array::scalar(0b010_i16));
    assert_eq!(reduce(ReduceOp::Or, &[0], &vector(&[false, true])), Array::scalar(true));
    assert_eq!(reduce(ReduceOp::Xor, &[0], &vector(&[true, true, true])), Array::scalar(true));
    assert_eq!(reduce(ReduceOp::Xor, &[0], &vector(&[0b110_u32, 0b011])), Array::scalar(0b101_u32));
}

#[test]
fn the_first_extreme_wins_and_nan_is_extreme() {
    let x = vector(&[1.0, NAN, 3.0, NAN]);
    assert_eq!(arg(ArgReduceOp::Max, &x), Array::scalar(1));
    assert_eq!(arg(ArgReduceOp::Min, &x), Array::scalar(1));
    assert_eq!(arg(ArgReduceOp::Max, &vector(&[0.0, -0.0, 0.0])), Array::scalar(0));
    assert_eq!(arg(ArgReduceOp::Min, &vector(&[0.0, -0.0])), Array::scalar(0));
    assert_eq!(arg(ArgReduceOp::Max, &vector(&[false, true, true])), Array::scalar(1));
    assert_eq!(arg(ArgReduceOp::Min, &vector(&[true, false])), Array::scalar(1));
    assert_eq!(arg(ArgReduceOp::Max, &vector(&[1, 1 << 63, u64::MAX])), Array::scalar(2));
}

#[test]
fn the_index_is_along_the_axis_in_the_index_dtype() {
    let x = shaped(&[2, 3], &[1_i8, 5, 5, 9, -1, 0]);
    let along = |axis, index_dtype| one(&Prim::ArgReduce { op: ArgReduceOp::Max, axis, index_dtype }, &[&x]);
    assert_eq!(along(1, DType::U8), vector(&[1_u8, 0]));
    assert_eq!(along(0, DType::I64), vector(&[1_i64, 0, 0]));
    let empty = one(
        &Prim::ArgReduce { op: ArgReduceOp::Min, axis: 1, index_dtype: DType::I32 },
        &[&shaped::<f32>(&[0, 3], &[])],
    );
    assert_eq!(empty, vector::<i32>(&[]));
}

#[test]
fn running_results_go_either_way() {
    let x = vector(&[1_i32, -2, 3]);
    assert_eq!(cumulative(CumulativeOp::Sum, false, &x), vector(&[1, -1, 2]));
    assert_eq!(cumulative(CumulativeOp::Sum, true, &x), vector(&[2, 1, 3]));
    assert_eq!(cumulative(CumulativeOp::Prod, true, &x), vector(&[-6, -6, 3]));
    assert_eq!(cumulative(CumulativeOp::Max, false, &x), vector(&[1, 1, 3]));
    assert_eq!(cumulative(CumulativeOp::Min, true, &x), vector(&[-2, -2, 3]));
    assert_same(&cumulative(CumulativeOp::Max, false, &vector(&[1.0, NAN, 3.0])), &vector(&[1.0, NAN, NAN]));
    assert_same(&cumulative(CumulativeOp::Min, false, &vector(&[1.0, NAN, -3.0])), &vector(&[1.0, NAN, NAN]));
    let x = shaped(&[2, 2], &[1.0_f32, 2.0, 3.0, 4.0]);
    let along = |axis| one(&Prim::Cumulative { op: CumulativeOp::Sum, axis, reverse: false }, &[&x]);
    assert_eq!(along(0), shaped(&[2, 2], &[1.0_f32, 2.0, 4.0, 6.0]));
    assert_eq!(along(1), shaped(&[2, 2], &[1.0_f32, 3.0, 3.0, 7.0]));
    assert_eq!(cumulative(CumulativeOp::Sum, false, &vector::<f64>(&[])), vector::<f64>(&[]));
}

#[test]
fn running_sums_are_rounded_for_each_element_once() {
    let x = numbers(DType::BF16, &[1.0, 2.0, 3.0, 300.0, 1.0]);
    // JAX 0.10.2 rounds on the way and gives 308 for the last, whose value is 307.
    assert_eq!(cumulative(CumulativeOp::Sum, false, &x).to_f64_vec(), [1.0, 3.0, 6.0, 306.0, 308.0]);
    assert_eq!(cumulative(CumulativeOp::Sum, false, &vector(&[1e100, 1.0, -1e100])), vector(&[1e100, 1e100, 1.0]));
}

#[test]
fn running_log_sums_neither_overflow_nor_lose_infinities() {
    let x = vector(&[-INF, -INF, 1.0, 1000.0, 2.0, INF, 3.0, INF]);
    let y = cumulative(CumulativeOp::LogSumExp, false, &x);
    assert_same(&y, &vector(&[-INF, -INF, 1.0, 1000.0, 1000.0, INF, INF, INF]));
    let y = cumulative(CumulativeOp::LogSumExp, false, &vector(&[1.0, NAN, INF]));
    assert_same(&y, &vector(&[1.0, NAN, NAN]));
    let y = cumulative(CumulativeOp::LogSumExp, true, &vector(&[1.0, 2.0, 3.0]));
    assert_near(&y.to_f64_vec(), &[3.4076059644443806, 3.313261687518223, 3.0], 2.0);
    let y = cumulative(CumulativeOp::LogSumExp, false, &vector(&[-INF, INF, -INF]));
    assert_same(&y, &vector(&[-INF, INF, INF]));
}

#[test]
fn every_op_works_on_every_dtype_that_it_accepts() {
    for &op in CumulativeOp::ALL {
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            let x = numbers(dtype, &[1.0, 2.0]);
            assert_eq!(cumulative(op, true, &x).ty(), x.ty(), "{} of {dtype}", op.name());
        }
    }
    for &op in ArgReduceOp::ALL {
        for dtype in DType::ALL {
            let want = i32::from(op == ArgReduceOp::Max);
            assert_eq!(arg(op, &numbers(dtype, &[0.0, 1.0])), Array::scalar(want), "{} of {dtype}", op.name());
        }
    }
}
