//! Reads and writes at computed places.

use super::binary::{float_binary, int_binary};
use super::movement::rearrange;
use super::numbers::{Float, by_kind, elements, for_each_index, offset, strides};
use crate::{Array, BinaryOp, DType, Element, GatherDims, IndexMode, Scalar, ScatterDims, ScatterOp};

/// The value of an index, whatever its integer dtype.
fn index_value(index: Scalar) -> i128 {
    if index.dtype() == DType::U64 { i128::from(index.bits()) } else { i128::from(index.as_i64()) }
}

/// The start clamped so that a window of extent `size` lies within an axis of extent `extent`.
fn clamp_start(start: i128, size: usize, extent: usize) -> usize {
    usize::try_from(start.clamp(0, (extent - size) as i128)).expect("clamped into range")
}

fn clamped_starts(starts: &[&Array], sizes: &[usize], shape: &[usize]) -> Vec<usize> {
    let axes = starts.iter().zip(sizes).zip(shape);
    axes.map(|((start, &size), &extent)| clamp_start(index_value(start.get(0)), size, extent)).collect()
}

pub(super) fn dynamic_slice(x: &Array, starts: &[&Array], sizes: &[usize]) -> Array {
    let starts = clamped_starts(starts, sizes, x.shape());
    let strides = strides(x.shape());
    rearrange(x, sizes, Scalar::zero(x.dtype()), |index| Some(offset(index, &strides) + offset(&starts, &strides)))
}

pub(super) fn dynamic_update_slice(x: &Array, update: &Array, starts: &[&Array]) -> Array {
    let starts = clamped_starts(starts, update.shape(), x.shape());
    let strides = strides(x.shape());
    let mut writes = Vec::with_capacity(update.n_elements());
    for_each_index(update.shape(), |index| writes.push(Some(offset(index, &strides) + offset(&starts, &strides))));
    write(ScatterOp::Set, x, update, &writes)
}

/// The start of the window of one index vector, per operand axis; `None` if it is out of range and not clamped.
fn window_start(
    dims: &GatherDims,
    indices: &Array,
    batch: &[usize],
    sizes: &[usize],
    shape: &[usize],
    clamp: bool,
) -> Option<Vec<usize>> {
    let index_strides = strides(indices.shape());
    let base = offset(batch, &index_strides);
    let mut start = vec![0_i128; shape.len()];
    for (component, &axis) in dims.start_index_map.iter().enumerate() {
        start[axis] = index_value(indices.get(base + component));
    }
    for (&axis, &of_indices) in dims.operand_batching_dims.iter().zip(&dims.start_indices_batching_dims) {
        start[axis] = batch[of_indices] as i128;
    }
    let each = start.into_iter().zip(sizes).zip(shape);
    each.map(|((start, &size), &extent)| {
        let clamped = clamp_start(start, size, extent);
        (clamp || clamped as i128 == start).then_some(clamped)
    })
    .collect()
}

pub(super) fn gather(
    x: &Array,
    indices: &Array,
    dims: &GatherDims,
    sizes: &[usize],
    mode: IndexMode,
    fill_value: Option<Scalar>,
) -> Array {
    let fill = fill_value.unwrap_or_else(|| IndexMode::default_fill(x.dtype()));
    let clamp = match mode {
        IndexMode::Clip | IndexMode::PromiseInBounds => true,
        IndexMode::FillOrDrop => false,
    };
    let kept: Vec<usize> = (0..x.shape().len())
        .filter(|a| !dims.collapsed_slice_dims.contains(a) && !dims.operand_batching_dims.contains(a))
        .collect();
    let batch_shape = &indices.shape()[..indices.shape().len() - 1];
    let rank = batch_shape.len() + kept.len();
    let (mut batch_extents, mut window_extents) = (batch_shape.iter(), kept.iter().map(|&a| &sizes[a]));
    let shape: Vec<usize> = (0..rank)
        .map(|d| if dims.offset_dims.contains(&d) { window_extents.next() } else { batch_extents.next() })
        .map(|n| *n.expect("the shape rule checked the ranks"))
        .collect();
    let x_strides = strides(x.shape());
    rearrange(x, &shape, fill, |index| {
        let batch: Vec<usize> = (0..rank).filter(|d| !dims.offset_dims.contains(d)).map(|d| index[d]).collect();
        let mut at = window_start(dims, indices, &batch, sizes, x.shape(), clamp)?;
        for (&a, &d) in kept.iter().zip(&dims.offset_dims) {
            at[a] += index[d];
        }
        Some(offset(&at, &x_strides))
    })
}

pub(super) fn scatter(
    op: ScatterOp,
    x: &Array,
    indices: &Array,
    updates: &Array,
    dims: &ScatterDims,
    mode: IndexMode,
) -> Array {
    let sizes = dims.window_sizes(&x.ty(), &updates.ty());
    let gather_dims = dims.to_gather();
    let clamp = match mode {
        IndexMode::Clip => true,
        IndexMode::FillOrDrop | IndexMode::PromiseInBounds => false,
    };
    let kept: Vec<usize> = (0..x.shape().len())
        .filter(|a| !dims.inserted_window_dims.contains(a) && !dims.operand_batching_dims.contains(a))
        .collect();
    let x_strides = strides(x.shape());
    let window = &dims.update_window_dims;
    let mut writes = Vec::with_capacity(updates.n_elements());
    for_each_index(updates.shape(), |index| {
        let batch: Vec<usize> = (0..index.len()).filter(|d| !window.contains(d)).map(|d| index[d]).collect();
        let start = window_start(&gather_dims, indices, &batch, &sizes, x.shape(), clamp);
        writes.push(start.map(|mut at| {
            for (&a, &d) in kept.iter().zip(window) {
                at[a] += index[d];
            }
            offset(&at, &x_strides)
        }));
    });
    // In row-major order of the indices, each window in row-major order. Two writes meet only if they
    // come from different windows or not at all, so the order of the updates' own axes may differ.
    let mut order: Vec<(Vec<usize>, usize)> = Vec::with_capacity(writes.len());
    for_each_index(updates.shape(), |index| {
        let batch = (0..index.len()).filter(|d| !window.contains(d)).map(|d| index[d]).collect();
        order.push((batch, order.len()));
    });
    order.sort();
    let ordered: Vec<(usize, usize)> = order.iter().filter_map(|&(_, i)| writes[i].map(|to| (to, i))).collect();
    write_ordered(op, x, updates, &ordered)
}

/// `x` with element `i` of `updates` joined at `writes[i]`, in order.
fn write(op: ScatterOp, x: &Array, updates: &Array, writes: &[Option<usize>]) -> Array {
    let ordered: Vec<(usize, usize)> = writes.iter().enumerate().filter_map(|(i, w)| w.map(|to| (to, i))).collect();
    write_ordered(op, x, updates, &ordered)
}

fn write_ordered(op: ScatterOp, x: &Array, updates: &Array, writes: &[(usize, usize)]) -> Array {
    let combine = match op {
        ScatterOp::Set => None,
        ScatterOp::Add => Some(BinaryOp::Add),
        ScatterOp::Mul => Some(BinaryOp::Mul),
        ScatterOp::Min => Some(BinaryOp::Min),
        ScatterOp::Max => Some(BinaryOp::Max),
    };
    let mut out = x.clone();
    by_kind!(x.dtype(),
    bool => join::<bool>(&mut out, updates, writes, |x, u| {
        combine.map_or(u, |op| super::binary::bool_binary(op, x, u))
    }),
    int T => join::<T>(&mut out, updates, writes, |x, u| combine.map_or(u, |op| int_binary(op, x, u))),
    float T => join::<T>(&mut out, updates, writes, |x, u| combine.map_or(u, |op| {
        <T as Float>::from_f64(float_binary(op, Float::to_f64(x), Float::to_f64(u)))
    })));
    out
}

fn join<T: Element>(out: &mut Array, updates: &Array, writes: &[(usize, usize)], f: impl Fn(T, T) -> T) {
    let updates = elements::<T>(updates);
    let out = out.as_mut_slice::<T>().expect("the dtype was matched on");
    for &(to, from) in writes {
        out[to] = f(out[to], updates[from]);
    }
}
