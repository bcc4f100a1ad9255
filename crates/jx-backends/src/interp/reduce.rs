//! Reductions of floats along axes, as rows of a matrix or as columns.

use super::arg::{array, slice};
use super::binary::{max, min};
use super::movement::Strided;
use super::real::Real;
use jx_ir::{Array, ReduceOp, TensorType};

/// A reduction laid out as `[outer, n, inner]`, the middle axis going away.
#[derive(Clone, Debug)]
pub(super) struct Reduce {
    op: ReduceOp,
    /// Brings the operand into that layout if it is not, the reduced axes last.
    arrange: Option<Strided>,
    outer: usize,
    n: usize,
    inner: usize,
    /// The result's shape.
    shape: Vec<usize>,
}

/// How many elements are summed before their sum joins the total: errors grow with the number of
/// blocks and the length of one, not with their product.
const BLOCK: usize = 1024;

/// How many columns are combined at a time, so that the partial results stay in the first cache.
const COLUMNS: usize = 512;

impl Reduce {
    /// The plan, if the op has a kernel: those of floats.
    pub(super) fn new(op: ReduceOp, axes: &[usize], x: &TensorType) -> Option<Reduce> {
        match op {
            ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => {}
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => return None,
        }
        let kept: Vec<usize> = (0..x.rank()).filter(|a| !axes.contains(a)).collect();
        let shape: Vec<usize> = kept.iter().map(|&a| x.shape[a]).collect();
        let n: usize = axes.iter().map(|&a| x.shape[a]).product();
        let first = axes.iter().min().copied().unwrap_or(0);
        let end = axes.iter().max().map_or(0, |&a| a + 1);
        if end - first == axes.len() {
            let outer = x.shape[..first].iter().product();
            let inner = x.shape[end..].iter().product();
            return Some(Reduce { op, arrange: None, outer, n, inner, shape });
        }
        let outer = shape.iter().product();
        let mut axes = axes.to_vec();
        axes.sort_unstable();
        let permutation = [kept, axes].concat();
        let arrange = Some(Strided::transpose(x, &permutation));
        Some(Reduce { op, arrange, outer, n, inner: 1, shape })
    }

    /// The result.
    pub(super) fn run<T: Real>(&self, x: &Array) -> Array {
        let moved;
        let x = match &self.arrange {
            Some(strided) => {
                moved = strided.copy(slice::<T>(x));
                &moved[..]
            }
            None => slice::<T>(x),
        };
        let narrow = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect();
        let values = match self.op {
            // Sums are taken in f64: an f32 sum then has one rounding.
            ReduceOp::Sum => narrow(self.fold::<T, _, 8>(x, 0.0, |acc, v| acc + v.to_f64(), |a, b| a + b)),
            // Products overflow and underflow on the way, so their order shows: it is the operand's.
            ReduceOp::Prod => narrow(self.fold::<T, _, 1>(x, 1.0, |acc, v| acc * v.to_f64(), |a, b| a * b)),
            ReduceOp::Max => self.fold::<T, _, 8>(x, -T::INFINITY, max, max),
            ReduceOp::Min => self.fold::<T, _, 8>(x, T::INFINITY, min, min),
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => panic!("the plan has no kernel for {}", self.op.name()),
        };
        array(&self.shape, values)
    }

    /// Each result by `step`, in `LANES` interleaved parts along a row, `join`ed.
    fn fold<T: Real, A: Copy, const LANES: usize>(
        &self,
        x: &[T],
        init: A,
        step: impl Fn(A, T) -> A,
        join: impl Fn(A, A) -> A,
    ) -> Vec<A> {
        let mut out = Vec::with_capacity(self.outer * self.inner);
        if self.inner == 1 {
            let rows = (0..self.outer).map(|row| &x[row * self.n..][..self.n]);
            out.extend(rows.map(|row| fold_row::<T, A, LANES>(row, init, &step, &join)));
            return out;
        }
        for outer in 0..self.outer {
            let matrix = &x[outer * self.n * self.inner..][..self.n * self.inner];
            for first in (0..self.inner).step_by(COLUMNS) {
                let width = COLUMNS.min(self.inner - first);
                let mut total = [init; COLUMNS];
                for block in (0..self.n).step_by(BLOCK) {
                    let mut acc = [init; COLUMNS];
                    for row in block..(block + BLOCK).min(self.n) {
                        let values = &matrix[row * self.inner + first..][..width];
                        for (a, &v) in acc.iter_mut().zip(values) {
                            *a = step(*a, v);
                        }
                    }
                    for (t, &a) in total.iter_mut().zip(&acc[..width]) {
                        *t = join(*t, a);
                    }
                }
                out.extend_from_slice(&total[..width]);
            }
        }
        out
    }
}

/// Interleaved partial results, joined in order, for every block of the row.
fn fold_row<T: Copy, A: Copy, const LANES: usize>(
    row: &[T],
    init: A,
    step: impl Fn(A, T) -> A,
    join: impl Fn(A, A) -> A,
) -> A {
    let mut total = init;
    for block in row.chunks(BLOCK) {
        let mut lanes = [init; LANES];
        let (groups, tail) = block.as_chunks::<LANES>();
        for group in groups {
            for (lane, &v) in lanes.iter_mut().zip(group) {
                *lane = step(*lane, v);
            }
        }
        for (lane, &v) in lanes.iter_mut().zip(tail) {
            *lane = step(*lane, v);
        }
        total = lanes.into_iter().fold(total, &join);
    }
    total
}
