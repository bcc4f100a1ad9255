//! Reductions along axes.

use super::binary::{bool_binary, float_binary, int_binary};
use super::numbers::{Float, array, by_dtype, by_kind, elements, for_each_index, strides};
use crate::{ArgReduceOp, Array, BinaryOp, CumulativeOp, DType, Element, ReduceOp, Scalar, TensorType};

pub(super) fn reduce(op: ReduceOp, x: &Array, axes: &[usize]) -> Array {
    let kept: Vec<usize> = (0..x.shape().len()).filter(|a| !axes.contains(a)).collect();
    let shape: Vec<usize> = kept.iter().map(|&a| x.shape()[a]).collect();
    let out_strides = strides(&shape);
    let mut targets = Vec::with_capacity(x.n_elements());
    for_each_index(x.shape(), |index| targets.push(kept.iter().zip(&out_strides).map(|(&a, s)| index[a] * s).sum()));
    let n: usize = shape.iter().product();
    let identity = op.identity(x.dtype());
    let combine = match op {
        ReduceOp::Sum => BinaryOp::Add,
        ReduceOp::Prod => BinaryOp::Mul,
        ReduceOp::Max => BinaryOp::Max,
        ReduceOp::Min => BinaryOp::Min,
        ReduceOp::And => BinaryOp::And,
        ReduceOp::Or => BinaryOp::Or,
        ReduceOp::Xor => BinaryOp::Xor,
    };
    by_kind!(x.dtype(),
    bool => array(&shape, fold(&targets, n, identity.bits() != 0, elements::<bool>(x), |acc, x| {
        bool_binary(combine, acc, x)
    })),
    int T => {
        let start = <T as Element>::from_bits(identity.bits());
        array(&shape, fold(&targets, n, start, elements::<T>(x), |acc, x| int_binary(combine, acc, x)))
    },
    float T => {
        let x: Vec<f64> = elements::<T>(x).iter().map(|&x| Float::to_f64(x)).collect();
        let totals = if op == ReduceOp::Sum {
            sums(&targets, n, &x)
        } else {
            fold(&targets, n, identity.as_f64(), &x, |acc, x| float_binary(combine, acc, x))
        };
        array(&shape, totals.into_iter().map(<T as Float>::from_f64).collect())
    })
}

fn fold<T: Copy>(targets: &[usize], n: usize, start: T, x: &[T], f: impl Fn(T, T) -> T) -> Vec<T> {
    let mut totals = vec![start; n];
    for (&to, &x) in targets.iter().zip(x) {
        totals[to] = f(totals[to], x);
    }
    totals
}

/// Compensated sums. Source: Neumaier, ZAMM 54 (1974).
fn sums(targets: &[usize], n: usize, x: &[f64]) -> Vec<f64> {
    let mut totals = vec![(0.0, 0.0); n];
    for (&to, &x) in targets.iter().zip(x) {
        let (sum, lost): (f64, f64) = totals[to];
        totals[to] = add_compensated(sum, lost, x);
    }
    totals.into_iter().map(|(sum, lost)| finish_compensated(sum, lost)).collect()
}

pub(super) fn add_compensated(sum: f64, lost: f64, x: f64) -> (f64, f64) {
    let total = sum + x;
    let rest = if sum.abs() >= x.abs() { (sum - total) + x } else { (x - total) + sum };
    (total, lost + rest)
}

/// What was lost is no number once a sum has left the finite range; then the plain sum stands.
pub(super) fn finish_compensated(sum: f64, lost: f64) -> f64 {
    if sum.is_finite() { sum + lost } else { sum }
}

/// The offsets of the elements along one line of an axis, for every line in row-major order of the others.
fn lines(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let strides = strides(shape);
    let mut rest = shape.to_vec();
    rest[axis] = 1;
    let mut lines = Vec::new();
    for_each_index(&rest, |index| {
        let base: usize = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
        lines.push((0..shape[axis]).map(|i| base + i * strides[axis]).collect());
    });
    lines
}

pub(super) fn arg_reduce(op: ArgReduceOp, x: &Array, axis: usize, index_dtype: DType) -> Array {
    let mut shape = x.shape().to_vec();
    shape.remove(axis);
    let lines = lines(x.shape(), axis);
    let found: Vec<usize> = by_dtype!(x.dtype(), T => {
        let x = elements::<T>(x);
        let first = |line: &Vec<usize>| {
            (1..line.len()).fold(0, |best, i| if more_extreme(op, x[line[i]], x[line[best]]) { i } else { best })
        };
        lines.iter().map(first).collect()
    });
    let values = found.into_iter().map(|i| Scalar::from_i64(index_dtype, i as i64));
    Array::from_scalars(&TensorType::new(index_dtype, shape), values).expect("an index for each line")
}

/// Whether `a` is more extreme than `b`; NaN is as extreme as can be.
fn more_extreme<T: PartialOrd>(op: ArgReduceOp, a: T, b: T) -> bool {
    let is_nan = |v: &T| v.partial_cmp(v).is_none();
    let beyond = match op {
        ArgReduceOp::Max => a > b,
        ArgReduceOp::Min => a < b,
    };
    !is_nan(&b) && (is_nan(&a) || beyond)
}

pub(super) fn cumulative(op: CumulativeOp, x: &Array, axis: usize, reverse: bool) -> Array {
    let mut lines = lines(x.shape(), axis);
    if reverse {
        lines.iter_mut().for_each(|line| line.reverse());
    }
    let combine = match op {
        CumulativeOp::Sum | CumulativeOp::LogSumExp => BinaryOp::Add,
        CumulativeOp::Prod => BinaryOp::Mul,
        CumulativeOp::Max => BinaryOp::Max,
        CumulativeOp::Min => BinaryOp::Min,
    };
    by_kind!(x.dtype(),
    bool => unreachable!("the shape rule refuses bool for {op:?}"),
    int T => {
        let mut y = elements::<T>(x).to_vec();
        for line in &lines {
            for i in 1..line.len() {
                y[line[i]] = int_binary(combine, y[line[i - 1]], y[line[i]]);
            }
        }
        array(x.shape(), y)
    },
    float T => {
        let mut y: Vec<f64> = elements::<T>(x).iter().map(|&x| Float::to_f64(x)).collect();
        for line in &lines {
            match op {
                CumulativeOp::Sum => running_sum(&mut y, line),
                CumulativeOp::LogSumExp => running_log_sum_exp(&mut y, line),
                CumulativeOp::Prod | CumulativeOp::Max | CumulativeOp::Min => {
                    for i in 1..line.len() {
                        y[line[i]] = float_binary(combine, y[line[i - 1]], y[line[i]]);
                    }
                }
            }
        }
        array(x.shape(), y.into_iter().map(<T as Float>::from_f64).collect())
    })
}

fn running_sum(y: &mut [f64], line: &[usize]) {
    let (mut sum, mut lost) = (0.0, 0.0);
    for (i, &at) in line.iter().enumerate() {
        // The first element is itself, sign of zero included.
        (sum, lost) = if i == 0 { (y[at], 0.0) } else { add_compensated(sum, lost, y[at]) };
        y[at] = finish_compensated(sum, lost);
    }
}

/// `ln Σ eˣ` as a maximum `m` and a sum of `e^(x - m)`, so that nothing overflows.
fn running_log_sum_exp(y: &mut [f64], line: &[usize]) {
    let (mut max, mut sum) = (f64::NEG_INFINITY, 0.0_f64);
    for &at in line {
        let x = y[at];
        if x.is_nan() || max.is_nan() {
            max = f64::NAN;
        } else if x > max {
            sum = if max == f64::NEG_INFINITY { 1.0 } else { sum * (max - x).exp() + 1.0 };
            max = x;
        } else if x == max && x.is_finite() {
            sum += 1.0;
        } else if x > f64::NEG_INFINITY && max < f64::INFINITY {
            sum += (x - max).exp();
        }
        y[at] = if max.is_finite() { max + sum.ln() } else { max };
    }
}
