//! The meaning of reductions, index-valued and cumulative ones included.

use super::movement::{places, row_major};
use super::value::{Float, Int, Sum, Value, Wide, any, float, int, number};
use super::{array, elements};
use crate::{ArgReduceOp, Array, CumulativeOp, DTypeKind, Element, ReduceOp, TensorType};
use std::cmp::Ordering;

pub(super) fn reduce(op: ReduceOp, axes: &[usize], x: &Array, ty: &TensorType) -> Array {
    // The result place that each element of `x`, in order, goes into: reduced axes do not move it.
    let mut strides = vec![0; x.shape().len()];
    let kept = (0..strides.len()).filter(|a| !axes.contains(a)).collect::<Vec<_>>();
    for (&axis, stride) in kept.iter().zip(row_major(&ty.shape)) {
        strides[axis] = stride;
    }
    let into = places(x.shape(), &strides, 0);
    let kind = ty.dtype.kind();
    match op {
        ReduceOp::Sum if kind == DTypeKind::Float => float!(ty.dtype, T => {
            let sums = fold(x, &into, ty, Sum::default(), |sum, v: T| sum.add(v.to_f64()));
            array(&ty.shape, sums.into_iter().map(|sum| <T as Float>::from_f64(sum.value())).collect())
        }),
        ReduceOp::Prod if kind == DTypeKind::Float => float!(ty.dtype, T => {
            let products = fold(x, &into, ty, 1.0, |product, v: T| *product *= v.to_f64());
            array(&ty.shape, products.into_iter().map(<T as Float>::from_f64).collect())
        }),
        ReduceOp::Sum => int!(ty.dtype, T => combined(op, x, &into, ty, <T as Int>::add)),
        ReduceOp::Prod => int!(ty.dtype, T => combined(op, x, &into, ty, <T as Int>::mul)),
        ReduceOp::Max => any!(ty.dtype, T => combined(op, x, &into, ty, <T as Value>::greater)),
        ReduceOp::Min => any!(ty.dtype, T => combined(op, x, &into, ty, <T as Value>::lesser)),
        ReduceOp::And if kind == DTypeKind::Bool => combined(op, x, &into, ty, |v: bool, w| v & w),
        ReduceOp::Or if kind == DTypeKind::Bool => combined(op, x, &into, ty, |v: bool, w| v | w),
        ReduceOp::Xor if kind == DTypeKind::Bool => combined(op, x, &into, ty, |v: bool, w| v ^ w),
        ReduceOp::And => int!(ty.dtype, T => combined(op, x, &into, ty, <T as Int>::and)),
        ReduceOp::Or => int!(ty.dtype, T => combined(op, x, &into, ty, <T as Int>::or)),
        ReduceOp::Xor => int!(ty.dtype, T => combined(op, x, &into, ty, <T as Int>::xor)),
    }
}

/// For each element of the result, the elements of `x` that go into it joined to `init` in order.
fn fold<T: Element, A: Clone>(x: &Array, into: &[usize], ty: &TensorType, init: A, join: impl Fn(&mut A, T)) -> Vec<A> {
    let mut results = vec![init; ty.n_elements()];
    for (&place, &v) in into.iter().zip(elements::<T>(x)) {
        join(&mut results[place], v);
    }
    results
}

/// A [`fold`] within the dtype, from the op's identity.
fn combined<T: Value>(op: ReduceOp, x: &Array, into: &[usize], ty: &TensorType, combine: fn(T, T) -> T) -> Array {
    let identity = T::from_bits(op.identity(ty.dtype).bits());
    array(&ty.shape, fold(x, into, ty, identity, |acc, v| *acc = combine(*acc, v)))
}

/// The places of the elements along an axis, for every index of the other axes in row-major order.
pub(super) fn lines(shape: &[usize], axis: usize) -> Vec<Vec<usize>> {
    let strides = row_major(shape);
    let mut others = shape.to_vec();
    others[axis] = 1;
    if shape.contains(&0) {
        return Vec::new();
    }
    places(&others, &strides, 0).into_iter().map(|p| places(&shape[axis..=axis], &strides[axis..=axis], p)).collect()
}

/// An index beyond the index dtype wraps.
pub(super) fn arg_reduce(op: ArgReduceOp, axis: usize, x: &Array, ty: &TensorType) -> Array {
    let shape = x.shape();
    let indices: Vec<usize> = any!(x.dtype(), T => {
        let x = elements::<T>(x);
        let is_nan = |v: T| v.partial_cmp(&v).is_none();
        let beats = |v: T, best: T| {
            let beyond = match op {
                ArgReduceOp::Max => v.partial_cmp(&best) == Some(Ordering::Greater),
                ArgReduceOp::Min => v.partial_cmp(&best) == Some(Ordering::Less),
            };
            beyond || (is_nan(v) && !is_nan(best))
        };
        let first_extreme = |line: &Vec<usize>| {
            (1..line.len()).fold(0, |best, i| if beats(x[line[i]], x[line[best]]) { i } else { best })
        };
        lines(shape, axis).iter().map(first_extreme).collect()
    });
    number!(ty.dtype, T => array(&ty.shape, indices.into_iter().map(|i| T::narrow(Wide::Int(i as i128))).collect()))
}

pub(super) fn cumulative(op: CumulativeOp, axis: usize, reverse: bool, x: &Array) -> Array {
    let mut lines = lines(x.shape(), axis);
    if reverse {
        lines.iter_mut().for_each(|line| line.reverse());
    }
    let float = x.dtype().is_float();
    match op {
        CumulativeOp::Sum if float => float!(x.dtype(), T => {
            scan(x, &lines, Sum::default(), |sum, v: T| { sum.add(v.to_f64()); <T as Float>::from_f64(sum.value()) })
        }),
        CumulativeOp::Prod if float => float!(x.dtype(), T => {
            scan(x, &lines, 1.0, |product, v: T| { *product *= v.to_f64(); <T as Float>::from_f64(*product) })
        }),
        CumulativeOp::LogSumExp => float!(x.dtype(), T => {
            scan(x, &lines, LogSumExp::default(), |acc, v: T| { acc.add(v.to_f64()); <T as Float>::from_f64(acc.value()) })
        }),
        CumulativeOp::Sum => int!(x.dtype(), T => running(ReduceOp::Sum, x, &lines, <T as Int>::add)),
        CumulativeOp::Prod => int!(x.dtype(), T => running(ReduceOp::Prod, x, &lines, <T as Int>::mul)),
        CumulativeOp::Max => number!(x.dtype(), T => running(ReduceOp::Max, x, &lines, <T as Value>::greater)),
        CumulativeOp::Min => number!(x.dtype(), T => running(ReduceOp::Min, x, &lines, <T as Value>::lesser)),
    }
}

/// The array of what `step` gives at each element of each line in turn, `init` being its state at a
/// line's start.
fn scan<T: Element, A: Clone>(x: &Array, lines: &[Vec<usize>], init: A, step: impl Fn(&mut A, T) -> T) -> Array {
    let values = elements::<T>(x);
    let mut results = values.to_vec();
    for line in lines {
        let mut state = init.clone();
        for &p in line {
            results[p] = step(&mut state, values[p]);
        }
    }
    array(x.shape(), results)
}

/// A [`scan`] within the dtype, from the op's identity.
fn running<T: Value>(op: ReduceOp, x: &Array, lines: &[Vec<usize>], combine: fn(T, T) -> T) -> Array {
    let identity = T::from_bits(op.identity(x.dtype()).bits());
    scan(x, lines, identity, |acc, v| {
        *acc = combine(*acc, v);
        *acc
    })
}

/// `ln Σ eˣ` as `greatest + ln(scaled)`, where `scaled = Σ e^(x - greatest)` is at least 1 and so
/// neither overflows nor vanishes.
#[derive(Clone, Copy)]
struct LogSumExp {
    greatest: f64,
    scaled: f64,
}

impl Default for LogSumExp {
    /// The sum of nothing.
    fn default() -> LogSumExp {
        LogSumExp { greatest: f64::NEG_INFINITY, scaled: 0.0 }
    }
}

impl LogSumExp {
    fn add(&mut self, x: f64) {
        if x == self.greatest {
            // Of equal infinities the difference would be NaN.
            self.scaled += 1.0;
        } else if x < self.greatest {
            self.scaled += (x - self.greatest).exp();
        } else {
            // Also for NaN, which then stays.
            self.scaled = self.scaled * (self.greatest - x).exp() + 1.0;
            self.greatest = x;
        }
    }

    fn value(self) -> f64 {
        if self.greatest == f64::NEG_INFINITY { self.greatest } else { self.greatest + self.scaled.ln() }
    }
}

#[cfg(test)]
#[path = "reduce_tests.rs"]
mod tests;
