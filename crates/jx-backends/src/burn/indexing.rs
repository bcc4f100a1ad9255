//! Reads and writes at computed places.
//!
//! Windows become flat places in the operand, computed on the device from the indices: a read is one
//! `select`, a write one `scatter_nd`, whatever the number of axes.

use super::Target;
use super::convert::{is_nan, is_narrow, no_wider, widen, wrap};
use super::movement::{around, permuted, places};
use super::program::{Lowered, exactly};
use super::tensor::{Value, int_dtype};
use burn_backend::tensor::{BoolTensor, IndexingUpdateOp, IntTensor};
use burn_backend::{Backend, IntDType, Shape, Slice};
use jx_ir::{Array, DType, DTypeKind, GatherDims, IndexMode, Scalar, ScatterDims, ScatterOp, TensorType};

/// Indices of any integer dtype as `i64`; what an `i64` does not hold is out of any range, as is the greatest.
fn index<B: Backend>(x: Value<B>, dtype: DType) -> IntTensor<B> {
    let x = x.int();
    let x = if dtype == DType::U64 { B::int_clamp_max(x, (i64::MAX as u64).into()) } else { x };
    B::int_cast(x, IntDType::I64)
}

/// The row-major strides of a shape, in elements.
fn strides(shape: &[usize]) -> Vec<usize> {
    (0..shape.len()).map(|axis| shape[axis + 1..].iter().product()).collect()
}

/// The offset of every index of a shape, in row-major order.
fn offsets(shape: &[usize], strides: &[usize]) -> Vec<usize> {
    let axes = shape.iter().zip(strides);
    axes.fold(vec![0], |offsets, (&n, &stride)| {
        offsets.iter().flat_map(|&o| (0..n).map(move |i| o + i * stride)).collect()
    })
}

/// The range of starts of a window that lies inside an axis.
fn clamped<B: Backend>(start: IntTensor<B>, extent: usize, size: usize) -> IntTensor<B> {
    B::int_clamp(start, 0.into(), ((extent - size) as i64).into())
}

fn needs_i64<B: Backend>(target: &Target<B>) -> Result<(), String> {
    if target.has(DType::I64) { Ok(()) } else { Err(format!("{} has no i64 to compute places in", target.device)) }
}

pub(super) fn dynamic_slice<B: Backend>(target: &Target<B>, sizes: &[usize], operands: &[&TensorType]) -> Lowered<B> {
    needs_i64(target)?;
    let result = target.physical(sizes);
    let shape = operands[0].shape.clone();
    let start_dtypes: Vec<DType> = operands[1..].iter().map(|ty| ty.dtype).collect();
    // For each axis that is cut, the places within the window.
    let windows: Vec<Option<Value<B>>> = sizes
        .iter()
        .zip(&shape)
        .map(|(&size, &extent)| (size < extent).then(|| places(target, &(0..size).collect::<Vec<_>>())))
        .collect();
    let sizes = sizes.to_vec();
    Ok(Box::new(move |_, operands| {
        let mut operands = operands.into_iter();
        let mut x = operands.next().expect("a dynamic slice has an operand");
        let mut shape = shape.clone();
        for (axis, start) in operands.enumerate() {
            let Some(window) = &windows[axis] else { continue };
            let size = sizes[axis];
            let start = clamped::<B>(index(start, start_dtypes[axis]), shape[axis], size);
            let places = B::int_add(B::int_expand(start, Shape::from(vec![size])), window.clone().int());
            x = x.reshape(&around(&shape, axis)).select(1, places);
            shape[axis] = size;
        }
        vec![x.reshape(&result)]
    }))
}

pub(super) fn dynamic_update_slice<B: Backend>(target: &Target<B>, operands: &[&TensorType]) -> Lowered<B> {
    let (x, update) = (operands[0], operands[1]);
    if update.n_elements() == 0 {
        return kernel_of_first();
    }
    needs_i64(target)?;
    let x_strides = strides(&x.shape);
    let window = places(target, &offsets(&update.shape, &x_strides));
    let (n, m, dtype) = (x.n_elements(), update.n_elements(), x.dtype);
    let start_dtypes: Vec<DType> = operands[2..].iter().map(|ty| ty.dtype).collect();
    let (extents, sizes) = (x.shape.clone(), update.shape.clone());
    let physical = target.physical(&x.shape);
    Ok(Box::new(move |target, operands| {
        let mut operands = operands.into_iter();
        let (x, update) = (operands.next().expect("the operand"), operands.next().expect("the update"));
        let mut all = window.clone().int();
        for (axis, start) in operands.enumerate() {
            let start = clamped::<B>(index(start, start_dtypes[axis]), extents[axis], sizes[axis]);
            let start = B::int_mul_scalar(start, (x_strides[axis] as i64).into());
            all = B::int_add(all, B::int_expand(start, Shape::from(vec![m])));
        }
        let (x, update) = (as_number(x.reshape(&[n]), dtype), as_number(update.reshape(&[m]), dtype));
        let written = x.scatter(all, update, IndexingUpdateOp::Assign, m);
        vec![from_number(target, written, dtype).reshape(&physical)]
    }))
}

/// Truth values as numbers, which scatter takes; others as they are.
fn as_number<B: Backend>(x: Value<B>, dtype: DType) -> Value<B> {
    if dtype == DType::Bool { Value::Int(B::bool_into_int(x.bool(), int_dtype(DType::I64))) } else { x }
}

fn from_number<B: Backend>(target: &Target<B>, x: Value<B>, dtype: DType) -> Value<B> {
    if dtype == DType::Bool { Value::Bool(B::int_greater_elem(x.int(), 0.into(), target.bool_dtype)) } else { x }
}

/// The windows of a gather or scatter, known but for the indices.
struct Windows<B: Backend> {
    /// How many there are.
    n_batch: usize,
    /// How many elements each has.
    n_window: usize,
    index_dtype: DType,
    /// For each component of an index vector the operand axis' extent, the window's, and the axis' stride.
    components: Vec<(usize, usize, usize)>,
    /// For each window where batch axes put it.
    base: Value<B>,
    /// Within each window.
    within: Value<B>,
}

impl<B: Backend> Windows<B> {
    fn new(target: &Target<B>, dims: &GatherDims, sizes: &[usize], x: &TensorType, indices: &TensorType) -> Self {
        let x_strides = strides(&x.shape);
        let batch = &indices.shape[..indices.rank() - 1];
        let mut batch_strides = vec![0; batch.len()];
        for (&axis, &of_indices) in dims.operand_batching_dims.iter().zip(&dims.start_indices_batching_dims) {
            batch_strides[of_indices] = x_strides[axis];
        }
        // Collapsed and batch axes have extent 1 in the window, so they change no order.
        let within = offsets(sizes, &x_strides);
        Windows {
            n_batch: batch.iter().product(),
            n_window: within.len(),
            index_dtype: indices.dtype,
            components: dims.start_index_map.iter().map(|&a| (x.shape[a], sizes[a], x_strides[a])).collect(),
            base: places(target, &offsets(batch, &batch_strides)),
            within: places(target, &within),
        }
    }

    fn len(&self) -> usize {
        self.n_batch * self.n_window
    }

    /// The flat place of every element of every window, and where a window was out of range; starts
    /// are clamped.
    fn locate(&self, target: &Target<B>, indices: Value<B>) -> (IntTensor<B>, Option<BoolTensor<B>>) {
        let (n, k) = (self.n_batch, self.components.len());
        let mut base = self.base.clone().int();
        let mut outside: Option<BoolTensor<B>> = None;
        // Without components the indices have no elements.
        let indices = (k > 0).then(|| indices.reshape(&[n, k]));
        for (c, &(extent, size, stride)) in self.components.iter().enumerate() {
            let column = [Slice::new(0, Some(n as isize), 1), Slice::new(c as isize, Some(c as isize + 1), 1)];
            let start = indices.clone().expect("there are components").slice(&column).reshape(&[n]);
            let start = index(start, self.index_dtype);
            let inside = clamped::<B>(start.clone(), extent, size);
            let moved = B::bool_not(B::int_equal(start, inside.clone(), target.bool_dtype));
            outside = Some(match outside {
                None => moved,
                Some(outside) => B::bool_or(outside, moved),
            });
            base = B::int_add(base, B::int_mul_scalar(inside, (stride as i64).into()));
        }
        let base = Value::<B>::Int(base).reshape(&[n, 1]).expand(&[n, self.n_window]);
        let within = self.within.clone().reshape(&[1, self.n_window]).expand(&[n, self.n_window]);
        let all = Value::<B>::Int(B::int_add(base.int(), within.int())).reshape(&[self.len()]);
        let each = |outside| Value::<B>::Bool(outside).reshape(&[n, 1]).expand(&[n, self.n_window]);
        (all.int(), outside.map(|outside| each(outside).reshape(&[self.len()]).bool()))
    }
}

pub(super) fn gather<B: Backend>(
    target: &Target<B>,
    dims: &GatherDims,
    sizes: &[usize],
    mode: IndexMode,
    fill_value: Option<Scalar>,
    operands: &[&TensorType],
    result: &TensorType,
) -> Lowered<B> {
    needs_i64(target)?;
    let (x, indices) = (operands[0], operands[1]);
    if x.n_elements() == 0 || sizes.contains(&0) {
        return Err("a window has no elements to read".to_owned());
    }
    let windows = Windows::new(target, dims, sizes, x, indices);
    let fill = match mode {
        IndexMode::Clip | IndexMode::PromiseInBounds => None,
        IndexMode::FillOrDrop => {
            let value = fill_value.unwrap_or_else(|| IndexMode::default_fill(x.dtype));
            Some(Value::upload(target, Array::full(vec![1], value)))
        }
    };
    // What is read has the batch axes before the window's.
    let n_batch_axes = indices.rank() - 1;
    let (mut batch, mut window) = (0..n_batch_axes, n_batch_axes..result.rank());
    let order: Vec<usize> = (0..result.rank())
        .filter_map(|d| if dims.offset_dims.contains(&d) { window.next() } else { batch.next() })
        .collect();
    let mut read_shape = vec![0; result.rank()];
    order.iter().zip(&result.shape).for_each(|(&from, &n)| read_shape[from] = n);
    if !order.is_sorted() && result.rank() > target.max_rank {
        return Err(format!("{} permutes {} axes at most", target.device, target.max_rank));
    }
    let (n, physical) = (x.n_elements(), target.physical(&result.shape));
    Ok(Box::new(move |target, operands| {
        let [x, indices] = exactly(operands);
        let (all, outside) = windows.locate(target, indices);
        let mut read = x.reshape(&[n]).select(0, all);
        if let (Some(fill), Some(outside)) = (&fill, outside) {
            read = read.mask_where(outside, fill.clone().expand(&[windows.len()]));
        }
        if !order.is_sorted() {
            read = permuted(read.reshape(&read_shape), &order, &read_shape);
        }
        vec![read.reshape(&physical)]
    }))
}

pub(super) fn scatter<B: Backend>(
    target: &Target<B>,
    op: ScatterOp,
    dims: &ScatterDims,
    mode: IndexMode,
    operands: &[&TensorType],
) -> Lowered<B> {
    let (x, indices, updates) = (operands[0], operands[1], operands[2]);
    if updates.n_elements() == 0 {
        return kernel_of_first();
    }
    needs_i64(target)?;
    let dtype = x.dtype;
    match op {
        ScatterOp::Add if dtype.is_int() && !is_narrow(dtype) => return Err(no_wider(dtype)),
        ScatterOp::Mul if dtype.is_int() => {
            return Err("Burn's product of many integers panics where it overflows".to_owned());
        }
        ScatterOp::Set | ScatterOp::Add | ScatterOp::Mul | ScatterOp::Min | ScatterOp::Max => {}
    }
    let sizes = dims.window_sizes(x, updates);
    let windows = Windows::new(target, &dims.to_gather(), &sizes, x, indices);
    let drops = match mode {
        IndexMode::Clip => false,
        IndexMode::FillOrDrop | IndexMode::PromiseInBounds => true,
    };
    // Updates are taken with the batch axes before the window's.
    let is_window = |d: &usize| dims.update_window_dims.contains(d);
    let order: Vec<usize> =
        (0..updates.rank()).filter(|d| !is_window(d)).chain((0..updates.rank()).filter(is_window)).collect();
    if !order.is_sorted() && updates.rank() > target.max_rank {
        return Err(format!("{} permutes {} axes at most", target.device, target.max_rank));
    }
    let (n, m, update_shape) = (x.n_elements(), updates.n_elements(), updates.shape.clone());
    let physical = target.physical(&x.shape);
    Ok(Box::new(move |target, operands| {
        let [x, indices, updates] = exactly(operands);
        let updates = if order.is_sorted() { updates } else { permuted(updates, &order, &update_shape) };
        let updates = updates.reshape(&[m]);
        let (mut all, outside) = windows.locate(target, indices);
        if let (true, Some(outside)) = (drops, outside) {
            all = B::int_mask_fill(all, outside, (n as i64).into());
        }
        // What is dropped goes into one more element, taken off again.
        let x = x.reshape(&[n]);
        let spare = x.clone().slice(&[Slice::new(0, Some(1), 1)]);
        let x = Value::cat(vec![x, spare], 0);
        let written = join(target, op, dtype, x, all, updates, [n + 1, m]);
        vec![written.slice(&[Slice::new(0, Some(n as isize), 1)]).reshape(&physical)]
    }))
}

fn kernel_of_first<B: Backend>() -> Lowered<B> {
    Ok(Box::new(|_, mut operands| {
        operands.truncate(1);
        operands
    }))
}

/// Flat updates joined into a flat `x`, of lengths `[n, m]`.
fn join<B: Backend>(
    target: &Target<B>,
    op: ScatterOp,
    dtype: DType,
    x: Value<B>,
    all: IntTensor<B>,
    updates: Value<B>,
    [n, m]: [usize; 2],
) -> Value<B> {
    let how = match op {
        ScatterOp::Set => IndexingUpdateOp::Assign,
        ScatterOp::Add => IndexingUpdateOp::Add,
        ScatterOp::Mul => IndexingUpdateOp::Mul,
        ScatterOp::Min => IndexingUpdateOp::Min,
        ScatterOp::Max => IndexingUpdateOp::Max,
    };
    let extreme = matches!(op, ScatterOp::Min | ScatterOp::Max);
    match dtype.kind() {
        DTypeKind::Bool => {
            let written = as_number(x, dtype).scatter(all, as_number(updates, dtype), how, m);
            from_number(target, written, dtype)
        }
        DTypeKind::Signed | DTypeKind::Unsigned if op == ScatterOp::Add => {
            let (x, updates) = (Value::<B>::Int(widen::<B>(x.int())), Value::<B>::Int(widen::<B>(updates.int())));
            Value::Int(wrap::<B>(x.scatter(all, updates, how, m).int(), dtype))
        }
        DTypeKind::Float if extreme => {
            // Comparisons pass a NaN among the updates over, so those are counted and filled in.
            let nan = B::bool_into_int(is_nan(target, updates.clone().float()), IntDType::I64);
            let none = Value::<B>::Int(B::int_zeros(Shape::from(vec![n]), &target.native, IntDType::I64));
            let count = none.scatter(all.clone(), Value::Int(nan), IndexingUpdateOp::Add, m).int();
            let any = B::int_greater_elem(count, 0.into(), target.bool_dtype);
            let written = x.scatter(all, updates, how, m).float();
            Value::Float(B::float_mask_fill(written, any, f64::NAN.into()))
        }
        DTypeKind::Signed | DTypeKind::Unsigned | DTypeKind::Float => x.scatter(all, updates, how, m),
    }
}
