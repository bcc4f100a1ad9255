//! Derivatives and transposes of running reductions.

use super::super::indexing::take_along_axis;
use super::super::{index_dtype, scale};
use crate::AutodiffError;
use jx_ir::{Builder, CumulativeOp, Prim, Scalar, UnaryOp, Var};

/// The tangent of `y`, the running combination of `x` along an axis.
pub(in super::super) fn cumulative_jvp(
    b: &mut Builder,
    op: CumulativeOp,
    axis: usize,
    reverse: bool,
    [x, y]: [Var; 2],
    dx: Var,
) -> Var {
    match op {
        CumulativeOp::Sum => b.cumulative(op, dx, axis, reverse),
        CumulativeOp::Prod => cumprod_jvp(b, axis, reverse, x, dx),
        CumulativeOp::Max | CumulativeOp::Min => extreme_jvp(b, op, axis, reverse, [x, y], dx),
        CumulativeOp::LogSumExp => cumlogsumexp_jvp(b, axis, reverse, x, dx),
    }
}

/// A running sum's transpose runs the other way.
pub(in super::super) fn cumulative_transpose(
    b: &mut Builder,
    op: CumulativeOp,
    axis: usize,
    reverse: bool,
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    match op {
        CumulativeOp::Sum => Ok(vec![Some(b.cumulative(op, ct, axis, !reverse))]),
        CumulativeOp::Prod | CumulativeOp::Max | CumulativeOp::Min | CumulativeOp::LogSumExp => {
            Err(AutodiffError::NotLinear { prim: op.name() })
        }
    }
}

/// `x` moved by `by` places along an axis, `fill` where nothing comes in.
pub(in super::super) fn shift(b: &mut Builder, x: Var, axis: usize, by: i64, fill: f64) -> Var {
    let rank = b.ty(x).rank();
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    low[axis] = by;
    high[axis] = -by;
    let fill = b.full_scalar(&[], Scalar::from_f64(b.dtype(x), fill));
    b.pad(x, fill, &low, &high, &vec![0; rank])
}

/// 1, 2, 4, … below `n`: the strides of a scan by doubling.
pub(in super::super) fn strides(n: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1usize), |s| s.checked_mul(2)).take_while(move |&s| s < n)
}

/// Products and their tangents over windows that double: p' = p·q and t' = t·q + u·p, where q and u are the
/// product and the tangent of the window before. No division, so zeros are no exception.
fn cumprod_jvp(b: &mut Builder, axis: usize, reverse: bool, x: Var, dx: Var) -> Var {
    let (mut p, mut t) = (x, dx);
    for s in strides(b.shape(x)[axis]) {
        let by = if reverse { -(s as i64) } else { s as i64 };
        let q = shift(b, p, axis, by, 1.0);
        let u = shift(b, t, axis, by, 0.0);
        let (kept, joined) = (scale(b, t, q), scale(b, u, p));
        t = b.add(kept, joined);
        p = b.mul(p, q);
    }
    t
}

/// The tangent of the element that holds the record, the first among equals.
///
/// An element is a new record if it beats the one before it; the last record's index is a running
/// extreme of indices.
fn extreme_jvp(b: &mut Builder, op: CumulativeOp, axis: usize, reverse: bool, [x, y]: [Var; 2], dx: Var) -> Var {
    let ty = b.ty(x).clone();
    let n = ty.shape[axis];
    let (beats, worst) = match op {
        CumulativeOp::Min => (Builder::lt as fn(&mut Builder, Var, Var) -> Var, f64::INFINITY),
        CumulativeOp::Max | CumulativeOp::Sum | CumulativeOp::Prod | CumulativeOp::LogSumExp => {
            (Builder::gt as fn(&mut Builder, Var, Var) -> Var, f64::NEG_INFINITY)
        }
    };
    let before = shift(b, y, axis, if reverse { -1 } else { 1 }, worst);
    let better = beats(b, x, before);
    // The first NaN holds every record after it.
    let (is_nan, was_number) = (b.ne(x, x), b.eq(before, before));
    let first_nan = b.and(is_nan, was_number);
    let record = b.or(better, first_nan);
    let index_ty = ty.with_dtype(index_dtype(n));
    let index = b.iota(&index_ty, axis);
    let start = b.full_like(index, if reverse { n.saturating_sub(1) as f64 } else { 0.0 });
    let marked = b.select(record, index, start);
    let latest = if reverse { CumulativeOp::Min } else { CumulativeOp::Max };
    let holder = b.cumulative(latest, marked, axis, reverse);
    take_along_axis(b, dx, holder, axis)
}

/// `ln Σ eˣ` and its tangent over windows that double. Two windows join with weights e^a/(e^a + e^c) and
/// e^c/(e^a + e^c), which are in [0, 1]; their common scale is cut off from differentiation, for nothing
/// depends on it.
fn cumlogsumexp_jvp(b: &mut Builder, axis: usize, reverse: bool, x: Var, dx: Var) -> Var {
    let n = b.shape(x)[axis];
    let (mut v, mut t) = (x, dx);
    for s in strides(n) {
        // The window at i joins the one at i - s (i + s in reverse); the first s have none before them.
        let (head, later, earlier) =
            if reverse { ((n - s, n), (0, n - s), (s, n)) } else { ((0, s), (s, n), (0, n - s)) };
        let part = |b: &mut Builder, v: Var, (lo, hi): (usize, usize)| b.slice_axis(v, axis, lo, hi);
        let (a, c) = (part(b, v, earlier), part(b, v, later));
        let top = b.max(a, c);
        let finite = b.unary(UnaryOp::IsFinite, top);
        let zero = b.full_like(top, 0.0);
        let top = b.select(finite, top, zero);
        let top = b.stop_gradient(top);
        let (da, dc) = (b.sub(a, top), b.sub(c, top));
        let (ea, ec) = (b.exp(da), b.exp(dc));
        let total = b.add(ea, ec);
        let log = b.log(total);
        let joined_v = b.add(top, log);
        // Two windows of -inf have no weight at all.
        let (one, none) = (b.full_like(total, 1.0), b.eq(total, zero));
        let divisor = b.select(none, one, total);
        let (wa, wc) = (b.div(ea, divisor), b.div(ec, divisor));
        let (ta, tc) = (part(b, t, earlier), part(b, t, later));
        let (ta, tc) = (scale(b, ta, wa), scale(b, tc, wc));
        let joined_t = b.add(ta, tc);
        let join = |b: &mut Builder, whole: Var, joined: Var| {
            let rest = part(b, whole, head);
            let parts = if reverse { [joined, rest] } else { [rest, joined] };
            b.emit1(Prim::Concatenate { dimension: axis }, &parts)
        };
        t = join(b, t, joined_t);
        v = join(b, v, joined_v);
    }
    t
}
