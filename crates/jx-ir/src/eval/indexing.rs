//! The meaning of reads and writes at computed places. Indices are widened to `i128` first, so that
//! neither a negative one nor a `u64` beyond `i64` wraps into range.

use super::movement::{places, row_major, take, take_or};
use super::value::{Float, Int, Value, any, float, int};
use super::{array, elements};
use crate::{Array, DTypeKind, GatherDims, IndexMode, Scalar, ScatterDims, ScatterOp, TensorType};

fn indices(x: &Array) -> Vec<i128> {
    int!(x.dtype(), T => elements::<T>(x).iter().map(|&i| i.widen().to_int()).collect())
}

/// The place of the first element of a window whose starts are clamped so that it lies inside.
fn clamped_start(shape: &[usize], window: &[usize], starts: &[&Array]) -> usize {
    let starts = starts.iter().map(|&i| indices(i)[0]);
    let axes = shape.iter().zip(window).zip(row_major(shape));
    starts.zip(axes).fold(0usize, |base, (start, ((&n, &size), stride))| {
        let start = start.clamp(0, (n - size) as i128) as usize;
        base.wrapping_add(start.wrapping_mul(stride))
    })
}

pub(super) fn dynamic_slice(slice_sizes: &[usize], x: &Array, starts: &[&Array]) -> Array {
    let base = clamped_start(x.shape(), slice_sizes, starts);
    take(x, &places(slice_sizes, &row_major(x.shape()), base), slice_sizes)
}

pub(super) fn dynamic_update_slice(x: &Array, update: &Array, starts: &[&Array]) -> Array {
    let base = clamped_start(x.shape(), update.shape(), starts);
    let places = places(update.shape(), &row_major(x.shape()), base);
    any!(x.dtype(), T => {
        let mut values = elements::<T>(x).to_vec();
        for (p, &v) in places.into_iter().zip(elements::<T>(update)) {
            values[p] = v;
        }
        array(x.shape(), values)
    })
}

/// The place in the operand of the first element of each window, in row-major order of the batch axes
/// of `index_vectors`; `None` for a window that is not wholly inside and is not clamped.
fn window_places(
    dims: &GatherDims,
    sizes: &[usize],
    shape: &[usize],
    index_vectors: &Array,
    clamp: bool,
) -> Vec<Option<usize>> {
    let strides = row_major(shape);
    let rank = index_vectors.shape().len() - 1;
    let (batch, n_components) = (&index_vectors.shape()[..rank], index_vectors.shape()[rank]);
    let batch_strides = row_major(batch);
    let n_batch = if batch.contains(&0) { 0 } else { batch.iter().product() };
    let components = indices(index_vectors);
    // The start along an axis of the operand, so that the window lies inside if it is not clamped.
    let place = |axis: usize, start: i128| {
        // A collapsed axis always has one element of a window.
        let size = if dims.offset_axis(axis) { sizes[axis] } else { 1 };
        let last = shape[axis] as i128 - size as i128;
        if last < 0 || !(clamp || (0..=last).contains(&start)) {
            return None;
        }
        Some((start.clamp(0, last) as usize).wrapping_mul(strides[axis]))
    };
    let window = |b: usize| {
        let mut base = 0usize;
        // A collapsed axis that no component moves along must still have an element.
        for axis in (0..shape.len()).filter(|&a| !dims.start_index_map.contains(&a)) {
            let paired = dims.operand_batching_dims.iter().position(|&a| a == axis);
            let start = paired.map_or(0, |k| {
                let d = dims.start_indices_batching_dims[k];
                b / batch_strides[d] % batch[d]
            });
            base = base.wrapping_add(place(axis, start as i128)?);
        }
        for (k, &axis) in dims.start_index_map.iter().enumerate() {
            base = base.wrapping_add(place(axis, components[b * n_components + k])?);
        }
        Some(base)
    };
    (0..n_batch).map(window).collect()
}

impl GatherDims {
    /// Whether an operand axis is an axis of the window in the result.
    fn offset_axis(&self, axis: usize) -> bool {
        !self.collapsed_slice_dims.contains(&axis) && !self.operand_batching_dims.contains(&axis)
    }
}

/// The places, within a window and within the operand, of the window's elements in row-major order.
fn window_elements(dims: &GatherDims, sizes: &[usize], shape: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let strides = row_major(shape);
    let kept: Vec<usize> = (0..shape.len()).filter(|&a| dims.offset_axis(a)).collect();
    let kept_sizes: Vec<usize> = kept.iter().map(|&a| sizes[a]).collect();
    let kept_strides: Vec<usize> = kept.iter().map(|&a| strides[a]).collect();
    let places = places(&kept_sizes, &kept_strides, 0);
    (kept_sizes, places)
}

/// For each axis of an array of windows its stride among the windows and its stride within one; one
/// of the two is 0.
fn split_strides(shape: &[usize], window_axes: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let strides_of = |in_window: bool| {
        let axes: Vec<usize> = (0..shape.len()).filter(|a| window_axes.contains(a) == in_window).collect();
        let extents: Vec<usize> = axes.iter().map(|&a| shape[a]).collect();
        let mut strides = vec![0; shape.len()];
        for (&axis, stride) in axes.iter().zip(row_major(&extents)) {
            strides[axis] = stride;
        }
        strides
    };
    (strides_of(false), strides_of(true))
}

pub(super) fn gather(
    dims: &GatherDims,
    slice_sizes: &[usize],
    mode: IndexMode,
    fill_value: Option<Scalar>,
    [x, index_vectors]: [&Array; 2],
    ty: &TensorType,
) -> Array {
    if ty.n_elements() == 0 {
        return Array::zeros(ty);
    }
    let clamp = match mode {
        IndexMode::Clip | IndexMode::PromiseInBounds => true,
        IndexMode::FillOrDrop => false,
    };
    let windows = window_places(dims, slice_sizes, x.shape(), index_vectors, clamp);
    let (_, within) = window_elements(dims, slice_sizes, x.shape());
    let (batch_strides, window_strides) = split_strides(&ty.shape, &dims.offset_dims);
    let which = places(&ty.shape, &batch_strides, 0).into_iter();
    let element = places(&ty.shape, &window_strides, 0).into_iter();
    let sources = which.zip(element).map(|(b, w)| Some(windows[b]? + within[w]));
    let fill = fill_value.unwrap_or_else(|| IndexMode::default_fill(ty.dtype));
    any!(ty.dtype, T => {
        let fill = <T as crate::Element>::from_bits(fill.bits());
        array(&ty.shape, take_or::<T>(elements(x), sources, fill))
    })
}

pub(super) fn scatter(
    op: ScatterOp,
    dims: &ScatterDims,
    mode: IndexMode,
    [x, index_vectors, updates]: [&Array; 3],
) -> Array {
    if updates.n_elements() == 0 {
        return x.clone();
    }
    let clamp = match mode {
        IndexMode::Clip => true,
        IndexMode::FillOrDrop | IndexMode::PromiseInBounds => false,
    };
    let sizes = dims.window_sizes(&x.ty(), &updates.ty());
    let gather_dims = dims.to_gather();
    let windows = window_places(&gather_dims, &sizes, x.shape(), index_vectors, clamp);
    let (window_shape, within) = window_elements(&gather_dims, &sizes, x.shape());

    // Where each window's updates lie: first the place of the window, then that within it.
    let window_axes = &dims.update_window_dims;
    let strides = row_major(updates.shape());
    let batch_axes = (0..strides.len()).filter(|a| !window_axes.contains(a));
    let (batch_shape, batch_strides): (Vec<usize>, Vec<usize>) =
        batch_axes.map(|a| (updates.shape()[a], strides[a])).unzip();
    let window_strides: Vec<usize> = window_axes.iter().map(|&a| strides[a]).collect();
    let update_windows = places(&batch_shape, &batch_strides, 0);
    let update_within = places(&window_shape, &window_strides, 0);

    // Pairs of an operand place and an update place, in the order in which they are applied.
    let kept = windows.into_iter().zip(update_windows).filter_map(|(window, update)| Some((window?, update)));
    let writes = kept
        .flat_map(|(window, update)| within.iter().zip(&update_within).map(move |(&w, &u)| (window + w, update + u)));
    match op {
        ScatterOp::Set => any!(x.dtype(), T => write::<T>(x, updates, writes, |_, v| v)),
        ScatterOp::Min => any!(x.dtype(), T => write::<T>(x, updates, writes, <T as Value>::lesser)),
        ScatterOp::Max => any!(x.dtype(), T => write::<T>(x, updates, writes, <T as Value>::greater)),
        ScatterOp::Add if x.dtype().kind() != DTypeKind::Float => {
            int!(x.dtype(), T => write::<T>(x, updates, writes, <T as Int>::add))
        }
        ScatterOp::Mul if x.dtype().kind() != DTypeKind::Float => {
            int!(x.dtype(), T => write::<T>(x, updates, writes, <T as Int>::mul))
        }
        ScatterOp::Add => float!(x.dtype(), T => accumulate::<T>(x, updates, writes, |a, b| a + b)),
        ScatterOp::Mul => float!(x.dtype(), T => accumulate::<T>(x, updates, writes, |a, b| a * b)),
    }
}

/// `x` with each update combined into its place, one after the other.
fn write<T: Value>(
    x: &Array,
    updates: &Array,
    writes: impl Iterator<Item = (usize, usize)>,
    combine: impl Fn(T, T) -> T,
) -> Array {
    let (mut values, updates) = (elements::<T>(x).to_vec(), elements::<T>(updates));
    for (place, update) in writes {
        values[place] = combine(values[place], updates[update]);
    }
    array(x.shape(), values)
}

/// As [`write`], but in `f64`, and what was written to is rounded once at the end.
fn accumulate<T: Float>(
    x: &Array,
    updates: &Array,
    writes: impl Iterator<Item = (usize, usize)>,
    combine: impl Fn(f64, f64) -> f64,
) -> Array {
    let (mut values, updates) = (elements::<T>(x).to_vec(), elements::<T>(updates));
    let mut totals: Vec<Option<f64>> = vec![None; values.len()];
    for (place, update) in writes {
        let total = totals[place].unwrap_or_else(|| values[place].to_f64());
        totals[place] = Some(combine(total, updates[update].to_f64()));
    }
    for (value, total) in values.iter_mut().zip(totals) {
        if let Some(total) = total {
            *value = <T as Float>::from_f64(total);
        }
    }
    array(x.shape(), values)
}

#[cfg(test)]
#[path = "indexing_tests.rs"]
mod tests;
