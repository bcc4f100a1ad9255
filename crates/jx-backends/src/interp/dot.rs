//! Contraction as batched matrix products of `[batch, m, k]` and `[batch, k, n]`.

use super::arg::{array, slice};
use super::movement::Strided;
use super::real::Real;
use jx_ir::{Array, DotDims, TensorType};
use std::borrow::Cow;

/// A contraction laid out as batched matrix products.
#[derive(Clone, Debug)]
pub(super) struct Dot {
    /// Brings the first operand to `[batch, m, k]`, if it is not.
    lhs: Option<Strided>,
    /// Brings the second operand to `[batch, k, n]`, if it is not.
    rhs: Option<Strided>,
    batch: usize,
    m: usize,
    k: usize,
    n: usize,
    /// The result's shape.
    shape: Vec<usize>,
}

/// How many products are summed before their sum joins the result, so that errors stay small and a
/// packed panel stays in the first cache.
const BLOCK: usize = 256;

/// How many rows of the result are computed at a time.
const ROWS: usize = 4;

impl Dot {
    pub(super) fn new(dims: &DotDims, lhs: &TensorType, rhs: &TensorType, result: &TensorType) -> Dot {
        let product = |ty: &TensorType, axes: &[usize]| axes.iter().map(|&a| ty.shape[a]).product::<usize>();
        let (lhs_free, rhs_free) = (dims.lhs_free(lhs.rank()), dims.rhs_free(rhs.rank()));
        let arrange = |ty: &TensorType, axes: [&[usize]; 3]| {
            let strided = Strided::transpose(ty, &axes.concat());
            (!strided.is_identity(ty)).then_some(strided)
        };
        Dot {
            lhs: arrange(lhs, [&dims.lhs_batch, &lhs_free, &dims.lhs_contracting]),
            rhs: arrange(rhs, [&dims.rhs_batch, &dims.rhs_contracting, &rhs_free]),
            batch: product(lhs, &dims.lhs_batch),
            m: product(lhs, &lhs_free),
            k: product(lhs, &dims.lhs_contracting),
            n: product(rhs, &rhs_free),
            shape: result.shape.clone(),
        }
    }

    /// The result; `WIDTH` columns of it are kept in registers.
    pub(super) fn run<T: Real, const WIDTH: usize>(&self, lhs: &Array, rhs: &Array) -> Array {
        let (m, k, n) = (self.m, self.k, self.n);
        let a = arranged::<T>(&self.lhs, lhs);
        let b = arranged::<T>(&self.rhs, rhs);
        let mut c = vec![T::ZERO; self.batch * m * n];
        for i in 0..self.batch {
            let (a, b) = (&a[i * m * k..][..m * k], &b[i * k * n..][..k * n]);
            let c = &mut c[i * m * n..][..m * n];
            if n == 1 {
                matrix_vector(k, a, b, c);
            } else if m == 1 {
                vector_matrix(n, a, b, c);
            } else {
                matrix_matrix::<T, WIDTH>([m, k, n], a, b, c);
            }
        }
        array(&self.shape, c)
    }
}

fn arranged<'a, T: Real>(strided: &Option<Strided>, x: &'a Array) -> Cow<'a, [T]> {
    match strided {
        Some(strided) => Cow::Owned(strided.copy(slice::<T>(x))),
        None => Cow::Borrowed(slice::<T>(x)),
    }
}

/// Each result is one dot product, summed in eight interleaved parts.
fn matrix_vector<T: Real>(k: usize, a: &[T], b: &[T], c: &mut [T]) {
    for (i, c) in c.iter_mut().enumerate() {
        let row = &a[i * k..][..k];
        for (x, y) in row.chunks(BLOCK).zip(b.chunks(BLOCK)) {
            let mut lanes = [T::ZERO; 8];
            let ((xs, x_tail), (ys, y_tail)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
            for (x, y) in xs.iter().zip(ys) {
                for l in 0..8 {
                    lanes[l] += x[l] * y[l];
                }
            }
            for ((lane, &x), &y) in lanes.iter_mut().zip(x_tail).zip(y_tail) {
                *lane += x * y;
            }
            let [s, t, u, v, w, x, y, z] = lanes;
            *c += ((s + t) + (u + v)) + ((w + x) + (y + z));
        }
    }
}

/// The rows of `b`, weighted and summed.
fn vector_matrix<T: Real>(n: usize, a: &[T], b: &[T], c: &mut [T]) {
    let mut sum = vec![T::ZERO; n];
    for (weights, rows) in a.chunks(BLOCK).zip(b.chunks(BLOCK * n.max(1))) {
        sum.fill(T::ZERO);
        for (&weight, row) in weights.iter().zip(rows.chunks_exact(n.max(1))) {
            for (s, &v) in sum.iter_mut().zip(row) {
                *s += weight * v;
            }
        }
        for (c, &s) in c.iter_mut().zip(&sum) {
            *c += s;
        }
    }
}

/// Tiles of `ROWS` by `WIDTH` results, over panels of `b` packed so that they are read in order.
fn matrix_matrix<T: Real, const WIDTH: usize>([m, k, n]: [usize; 3], a: &[T], b: &[T], c: &mut [T]) {
    let mut panel = [[T::ZERO; WIDTH]; BLOCK];
    for first_k in (0..k).step_by(BLOCK) {
        let depth = BLOCK.min(k - first_k);
        for column in (0..n).step_by(WIDTH) {
            let width = WIDTH.min(n - column);
            for (p, packed) in panel[..depth].iter_mut().enumerate() {
                packed[..width].copy_from_slice(&b[(first_k + p) * n + column..][..width]);
                packed[width..].fill(T::ZERO);
            }
            let panel = &panel[..depth];
            let row = |i: usize| &a[i * k + first_k..][..depth];
            let mut i = 0;
            while i < m {
                let rows = ROWS.min(m - i);
                let mut tile = [[T::ZERO; WIDTH]; ROWS];
                if rows == ROWS {
                    let [r0, r1, r2, r3] = [row(i), row(i + 1), row(i + 2), row(i + 3)];
                    for ((((values, &x0), &x1), &x2), &x3) in panel.iter().zip(r0).zip(r1).zip(r2).zip(r3) {
                        for (sums, x) in tile.iter_mut().zip([x0, x1, x2, x3]) {
                            for (s, &v) in sums.iter_mut().zip(values) {
                                *s += x * v;
                            }
                        }
                    }
                } else {
                    for (r, sums) in tile[..rows].iter_mut().enumerate() {
                        for (values, &x) in panel.iter().zip(row(i + r)) {
                            for (s, &v) in sums.iter_mut().zip(values) {
                                *s += x * v;
                            }
                        }
                    }
                }
                for (r, sums) in tile[..rows].iter().enumerate() {
                    for (c, &s) in c[(i + r) * n + column..][..width].iter_mut().zip(sums) {
                        *c += s;
                    }
                }
                i += rows;
            }
        }
    }
}
