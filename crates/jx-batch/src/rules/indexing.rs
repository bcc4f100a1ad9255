//! Reads and writes at computed places.
//!
//! Places that differ from example to example are index vectors of a gather or scatter. The batch axis
//! of operand and indices is then paired by `operand_batching_dims`: no index component counts examples,
//! so a batch of more than 127 examples is as good with `i8` indices as with any other.

use super::{shifted, with_first};
use crate::BatchError;
use crate::vmap::{Batcher, Value};
use jx_ir::{BinaryOp, DType, GatherDims, IndexMode, Prim, Scalar, ScatterDims, ScatterOp, Var};

/// Operands `x, i₀, i₁, …`.
pub(super) fn dynamic_slice_batch(
    cx: &mut Batcher,
    slice_sizes: &[usize],
    inputs: &[Value],
) -> Result<Vec<Value>, BatchError> {
    let (x, starts) = (inputs[0], &inputs[1..]);
    let free = free_axes(&cx.example_ty(x).shape, slice_sizes);
    if !free.iter().any(|&axis| starts[axis].is_batched()) {
        let starts = shared_starts(cx, starts)?;
        if !x.is_batched() {
            let prim = Prim::DynamicSlice { slice_sizes: slice_sizes.to_vec() };
            return cx.emit_shared(prim, &with_first(x, &starts));
        }
        let prim = Prim::DynamicSlice { slice_sizes: with_first(cx.size(), slice_sizes) };
        let operands = operands_with_batch_start(cx, &[x.var()], &starts)?;
        return Ok(vec![Value::Batched(cx.emit1(prim, &operands)?)]);
    }
    // One window an example: a gather whose index vectors hold the starts, in the mode that clamps alike.
    let indices = Value::Batched(index_vectors(cx, starts, &free)?);
    let dims =
        GatherDims { offset_dims: (0..slice_sizes.len()).collect(), start_index_map: free, ..GatherDims::default() };
    gather_batch(cx, &dims, slice_sizes, IndexMode::Clip, None, &[x, indices])
}

/// Operands `x, update, i₀, i₁, …`.
pub(super) fn dynamic_update_slice_batch(cx: &mut Batcher, inputs: &[Value]) -> Result<Vec<Value>, BatchError> {
    let (x, update, starts) = (inputs[0], inputs[1], &inputs[2..]);
    let sizes = cx.example_ty(update).shape;
    let free = free_axes(&cx.example_ty(x).shape, &sizes);
    if !free.iter().any(|&axis| starts[axis].is_batched()) {
        let starts = shared_starts(cx, starts)?;
        if !x.is_batched() && !update.is_batched() {
            let operands = with_first(x, &with_first(update, &starts));
            return cx.emit_shared(Prim::DynamicUpdateSlice, &operands);
        }
        let (x, update) = (cx.batched(x)?, cx.batched(update)?);
        let operands = operands_with_batch_start(cx, &[x, update], &starts)?;
        return Ok(vec![Value::Batched(cx.emit1(Prim::DynamicUpdateSlice, &operands)?)]);
    }
    let indices = Value::Batched(index_vectors(cx, starts, &free)?);
    let dims = ScatterDims {
        update_window_dims: (0..sizes.len()).collect(),
        scatter_dims_to_operand_dims: free,
        ..ScatterDims::default()
    };
    // Each example has one window, in its own row, so no two updates meet.
    scatter_batch(cx, ScatterOp::Set, &dims, IndexMode::Clip, true, &[x, indices, update])
}

/// The axes along which a window can move. Along the others it covers the operand, and whatever its
/// start, it is clamped to 0.
fn free_axes(shape: &[usize], window: &[usize]) -> Vec<usize> {
    (0..shape.len()).filter(|&a| window[a] < shape[a]).collect()
}

/// The starts where those along free axes are shared: the others cannot matter, so 0 is as good as one
/// for each example.
fn shared_starts(cx: &mut Batcher, starts: &[Value]) -> Result<Vec<Value>, BatchError> {
    let shared = starts.iter().map(|&start| {
        if !start.is_batched() {
            return Ok(start);
        }
        let dtype = cx.example_ty(start).dtype;
        Ok(Value::Shared(cx.full(&[], Scalar::zero(dtype))?))
    });
    shared.collect()
}

/// The tensors, then shared starts with one for the batch axis, which every window covers, before them.
fn operands_with_batch_start(cx: &mut Batcher, tensors: &[Var], starts: &[Value]) -> Result<Vec<Var>, BatchError> {
    let mut operands = tensors.to_vec();
    let dtype = starts.first().map_or(DType::I32, |&start| cx.example_ty(start).dtype);
    operands.push(cx.full(&[], Scalar::zero(dtype))?);
    operands.extend(starts.iter().map(|s| s.var()));
    Ok(operands)
}

/// The starts along `axes` as an index vector an example: `[size, axes.len()]`.
fn index_vectors(cx: &mut Batcher, starts: &[Value], axes: &[usize]) -> Result<Var, BatchError> {
    let starts: Vec<Value> = axes.iter().map(|&axis| starts[axis]).collect();
    let dtypes: Vec<DType> = starts.iter().map(|&start| cx.example_ty(start).dtype).collect();
    let one_dtype = dtypes.iter().all(|&dtype| dtype == dtypes[0]);
    let mut components = Vec::with_capacity(starts.len());
    for (start, dtype) in starts.into_iter().zip(dtypes) {
        let start = if one_dtype { start } else { as_i64(cx, start, dtype)? };
        let column = cx.batched(start)?;
        components.push(cx.emit1(Prim::Reshape { shape: vec![cx.size(), 1] }, &[column])?);
    }
    match components[..] {
        [only] => Ok(only),
        [] | [_, ..] => cx.emit1(Prim::Concatenate { dimension: 1 }, &components),
    }
}

/// An index as an `i64` that is clamped to the same place.
fn as_i64(cx: &mut Batcher, index: Value, dtype: DType) -> Result<Value, BatchError> {
    let mut index = index;
    if dtype == DType::U64 {
        // Conversion wraps, and beyond the greatest i64 would turn "after the end" into "before the start".
        let greatest = Scalar::from_bits(DType::U64, i64::MAX as u64);
        let greatest = Value::Shared(cx.full(&[], greatest)?);
        index = elementwise(cx, Prim::Binary(BinaryOp::Min), &[index, greatest])?;
    }
    if dtype == DType::I64 {
        return Ok(index);
    }
    elementwise(cx, Prim::Convert { dtype: DType::I64 }, &[index])
}

fn elementwise(cx: &mut Batcher, prim: Prim, inputs: &[Value]) -> Result<Value, BatchError> {
    Ok(super::batch(cx, &prim, inputs)?[0])
}

/// Operands `x, indices`.
pub(super) fn gather_batch(
    cx: &mut Batcher,
    dims: &GatherDims,
    slice_sizes: &[usize],
    mode: IndexMode,
    fill_value: Option<Scalar>,
    inputs: &[Value],
) -> Result<Vec<Value>, BatchError> {
    let [x, indices] = inputs[..] else { panic!("gather has two operands, not {}", inputs.len()) };
    let mut slice_sizes = slice_sizes.to_vec();
    let axes = WindowAxes {
        window: dims.offset_dims.clone(),
        dropped: dims.collapsed_slice_dims.clone(),
        index_map: dims.start_index_map.clone(),
        operand_batch: dims.operand_batching_dims.clone(),
        indices_batch: dims.start_indices_batching_dims.clone(),
    };
    if x.is_batched() {
        // Windows are whole along a batch axis that they carry, and one element along one that is paired.
        let extent = if indices.is_batched() { cx.size().min(1) } else { cx.size() };
        slice_sizes = with_first(extent, &slice_sizes);
    }
    let axes = axes.batched(x, indices);
    let dims = GatherDims {
        offset_dims: axes.window,
        collapsed_slice_dims: axes.dropped,
        start_index_map: axes.index_map,
        operand_batching_dims: axes.operand_batch,
        start_indices_batching_dims: axes.indices_batch,
    };
    let out = cx.emit1(Prim::Gather { dims, slice_sizes, mode, fill_value }, &[x.var(), indices.var()])?;
    Ok(vec![Value::Batched(out)])
}

/// Operands `x, indices, updates`. Examples do not meet, and within one the updates keep their order.
pub(super) fn scatter_batch(
    cx: &mut Batcher,
    op: ScatterOp,
    dims: &ScatterDims,
    mode: IndexMode,
    unique_indices: bool,
    inputs: &[Value],
) -> Result<Vec<Value>, BatchError> {
    let [x, indices, updates] = inputs[..] else { panic!("scatter has three operands, not {}", inputs.len()) };
    // Every example has a result of its own, so an operand each, and an update each.
    let (x, updates) = (Value::Batched(cx.batched(x)?), cx.batched(updates)?);
    let axes = WindowAxes {
        window: dims.update_window_dims.clone(),
        dropped: dims.inserted_window_dims.clone(),
        index_map: dims.scatter_dims_to_operand_dims.clone(),
        operand_batch: dims.operand_batching_dims.clone(),
        indices_batch: dims.scatter_indices_batching_dims.clone(),
    };
    let axes = axes.batched(x, indices);
    let dims = ScatterDims {
        update_window_dims: axes.window,
        inserted_window_dims: axes.dropped,
        scatter_dims_to_operand_dims: axes.index_map,
        operand_batching_dims: axes.operand_batch,
        scatter_indices_batching_dims: axes.indices_batch,
    };
    let out = cx.emit1(Prim::Scatter { op, dims, mode, unique_indices }, &[x.var(), indices.var(), updates])?;
    Ok(vec![Value::Batched(out)])
}

/// How axes correspond, in the words that gather and scatter have in common.
struct WindowAxes {
    /// Axes of the gather's result or the scatter's updates that are window axes.
    window: Vec<usize>,
    /// Operand axes of window extent 1 that those do not have.
    dropped: Vec<usize>,
    /// The operand axis that each index component moves along.
    index_map: Vec<usize>,
    /// Operand axes paired with axes of the indices.
    operand_batch: Vec<usize>,
    /// The axes of the indices paired with them.
    indices_batch: Vec<usize>,
}

impl WindowAxes {
    /// The same with a batch axis before axis 0 of the operand, the indices or both, and before that
    /// of result or updates.
    fn batched(self, x: Value, indices: Value) -> WindowAxes {
        let on_operand = |axes: Vec<usize>| if x.is_batched() { shifted(&axes) } else { axes };
        let on_indices = |axes: Vec<usize>| if indices.is_batched() { shifted(&axes) } else { axes };
        let mut axes = WindowAxes {
            window: shifted(&self.window),
            dropped: on_operand(self.dropped),
            index_map: on_operand(self.index_map),
            operand_batch: on_operand(self.operand_batch),
            indices_batch: on_indices(self.indices_batch),
        };
        match (x.is_batched(), indices.is_batched()) {
            // Each example has its own row of the operand and its own indices: the two axes go together.
            (true, true) => {
                axes.operand_batch = with_first(0, &axes.operand_batch);
                axes.indices_batch = with_first(0, &axes.indices_batch);
            }
            // Every example is read or written at the same places: the batch axis is part of each window.
            (true, false) => axes.window = with_first(0, &axes.window),
            // The batch axis of the indices, their first, becomes the first of the result that is no window axis.
            (false, _) => {}
        }
        axes
    }
}
