//! Programs for tests of text and verification: one that has every primitive, op and dtype, and nests.

use crate::{
    ArgReduceOp, Array, BinaryOp, Builder, CompareOp, CumulativeOp, DType, DTypeKind, DotDims, Func, GatherDims,
    IndexMode, Loc, Origin, Prim, ReduceOp, Scalar, ScatterDims, ScatterOp, TensorType, UnaryOp, Var, f16,
};
use std::sync::Arc;

/// How many variants [`Prim`] has; [`variant`] numbers them.
pub(crate) const N_VARIANTS: usize = 32;

/// The number of a primitive's variant. A new variant breaks this match, and then the count above and
/// the test that [`every_prim`] has them all.
pub(crate) fn variant(prim: &Prim) -> usize {
    match prim {
        Prim::Unary(_) => 0,
        Prim::IntegerPow { .. } => 1,
        Prim::Binary(_) => 2,
        Prim::Compare(_) => 3,
        Prim::SelectN => 4,
        Prim::Clamp => 5,
        Prim::Convert { .. } => 6,
        Prim::StopGradient => 7,
        Prim::Full { .. } => 8,
        Prim::Constant(_) => 9,
        Prim::Iota { .. } => 10,
        Prim::Reshape { .. } => 11,
        Prim::Transpose { .. } => 12,
        Prim::BroadcastInDim { .. } => 13,
        Prim::Slice { .. } => 14,
        Prim::Pad { .. } => 15,
        Prim::Concatenate { .. } => 16,
        Prim::Rev { .. } => 17,
        Prim::DynamicSlice { .. } => 18,
        Prim::DynamicUpdateSlice => 19,
        Prim::Gather { .. } => 20,
        Prim::Scatter { .. } => 21,
        Prim::Reduce { .. } => 22,
        Prim::ArgReduce { .. } => 23,
        Prim::Cumulative { .. } => 24,
        Prim::DotGeneral { .. } => 25,
        Prim::Sort { .. } => 26,
        Prim::Threefry2x32 => 27,
        Prim::Call { .. } => 28,
        Prim::Vmap { .. } => 29,
        Prim::Grad { .. } => 30,
        Prim::Jvp { .. } => 31,
    }
}

pub(crate) fn f32s(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F32, shape)
}

/// `x ↦ Σ x²` on a vector, under a name.
pub(crate) fn sum_of_squares(name: &str) -> Func {
    let mut b = Builder::new();
    let x = b.input(f32s(&[3]));
    let y = b.square(x);
    let total = b.reduce_sum(y, &[0]);
    b.finish(&[total]).with_name(name)
}

/// The gradient of [`sum_of_squares`], mapped over a batch, called.
pub(crate) fn mapped_gradient() -> Func {
    let mut b = Builder::new();
    let x = b.input(f32s(&[3]));
    let grad = Prim::Grad { func: Arc::new(sum_of_squares("loss")), wrt: vec![0], value: true };
    let results = b.emit(grad, &[x]);
    let per_example = Arc::new(b.finish(&results));
    let mut b = Builder::new();
    let xs = b.input(f32s(&[3, 5]));
    let (in_axes, out_axes) = (vec![Some(1)], vec![Some(0), Some(1)]);
    let results = b.emit(Prim::Vmap { func: per_example, in_axes, out_axes, size: 5 }, &[xs]);
    b.finish(&results).with_name("per_example")
}

/// Scalars whose text is easily wrong, of every dtype.
pub(crate) fn scalars() -> Vec<Scalar> {
    let mut all = Vec::new();
    for dtype in DType::ALL {
        all.extend([Scalar::zero(dtype), Scalar::one(dtype), Scalar::min_value(dtype), Scalar::max_value(dtype)]);
        if dtype.kind() == DTypeKind::Float {
            let values = [-0.0, 0.1, -1.5e-3, 65504.0, 3.4e38, f64::MIN_POSITIVE, 5e-324, f64::NAN];
            all.extend(values.map(|v| Scalar::from_f64(dtype, v)));
            // The least subnormal, a signalling NaN, and a negative NaN with all payload bits set.
            all.extend([1, Scalar::max_value(dtype).bits() + 1, u64::MAX].map(|b| Scalar::from_bits(dtype, b)));
        }
    }
    all
}

/// A program that has every variant of [`Prim`], every op of every family and every dtype.
pub(crate) fn every_prim() -> Func {
    let mut b = Builder::new();
    let x = b.input(f32s(&[2, 3]));
    let y = b.input(f32s(&[2, 3]));
    let i = b.input(TensorType::new(DType::I32, [2, 3]));
    let p = b.input(TensorType::new(DType::Bool, [2, 3]));
    let zero = b.input(f32s(&[]));
    let at = b.input(TensorType::scalar(DType::I32));
    b.set_origin(Origin(Some(Loc { file: "src/model.rs".into(), line: 7, column: 5 })));
    elementwise(&mut b, [x, y, i, p]);
    b.set_origin(Origin(None));
    made_of_nothing(&mut b);
    movement(&mut b, x, zero);
    indexing(&mut b, x, at);
    reductions(&mut b, [x, i]);
    nodes(&mut b, x);
    let last = Var(b.n_vars() as u32 - 1);
    b.finish(&[x, last, last]).with_name("every \"prim\"\n\\ of jx::{{closure}} — all")
}

fn elementwise(b: &mut Builder, [x, y, i, p]: [Var; 4]) {
    let of = |accepts: &dyn Fn(DType) -> bool| if accepts(DType::F32) { [x, y] } else { [i, i] };
    for &op in UnaryOp::ALL {
        b.unary(op, of(&|d| op.accepts(d))[0]);
    }
    for &op in BinaryOp::ALL {
        let [lhs, rhs] = of(&|d| op.accepts(d));
        b.binary(op, lhs, rhs);
    }
    for &op in CompareOp::ALL {
        b.compare(op, x, y);
    }
    b.integer_pow(x, -3);
    b.select(p, x, y);
    b.emit(Prim::SelectN, &[i, x, y, x]);
    b.clamp(x, y, x);
    b.stop_gradient(x);
    for dtype in DType::ALL {
        b.emit(Prim::Convert { dtype }, &[x]);
    }
}

fn made_of_nothing(b: &mut Builder) {
    for value in scalars() {
        b.full_scalar(&[2, 0], value);
        let array = Array::from_scalars(&TensorType::new(value.dtype(), [1, 1]), [value].into_iter());
        b.constant(array.expect("one element"));
    }
    b.constant(Array::from_vec([2, 3], vec![1.0f32, -0.0, f32::NAN, f32::INFINITY, 1e-45, 0.1]).expect("six elements"));
    b.constant(Array::from_vec([3, 0, 2], Vec::<f16>::new()).expect("no elements"));
    b.emit(Prim::Constant(Arc::new(Array::scalar(7i64))), &[]);
    b.iota(&TensorType::new(DType::U8, [4, 2]), 1);
}

fn movement(b: &mut Builder, x: Var, zero: Var) {
    b.reshape(x, &[3, 2, 1]);
    b.transpose(x, &[1, 0]);
    b.broadcast_in_dim(x, &[4, 2, 3], &[1, 2]);
    b.emit(Prim::Slice { start: vec![0, 1], limit: vec![2, 3], strides: vec![1, usize::MAX] }, &[x]);
    b.pad(x, zero, &[-1, 2], &[0, -2], &[0, 3]);
    b.concatenate(&[x, x, x], 1);
    b.rev(x, &[1, 0]);
}

fn indexing(b: &mut Builder, x: Var, at: Var) {
    b.dynamic_slice(x, &[at, at], &[1, 2]);
    let row = b.slice_axis(x, 0, 0, 1);
    b.dynamic_update_slice(x, row, &[at, at]);
    let indices = b.iota(&TensorType::new(DType::I32, [2, 2, 1]), 0);
    let dims = GatherDims {
        offset_dims: vec![],
        collapsed_slice_dims: vec![1],
        start_index_map: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![0],
    };
    for &mode in IndexMode::ALL {
        let updates = b.gather(x, indices, &dims, &[1, 1], mode);
        for &op in ScatterOp::ALL {
            let scatter = Prim::Scatter { op, dims: dims.to_scatter(), mode, unique_indices: op == ScatterOp::Add };
            b.emit(scatter, &[x, indices, updates]);
        }
    }
    let rows = GatherDims {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        ..GatherDims::default()
    };
    let which = b.iota(&TensorType::new(DType::I32, [5, 1]), 0);
    let fill_value = Some(Scalar::from_f64(DType::F32, -1.0));
    let gather = Prim::Gather { dims: rows, slice_sizes: vec![1, 3], mode: IndexMode::FillOrDrop, fill_value };
    b.emit(gather, &[x, which]);
    let plain = ScatterDims {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        ..ScatterDims::default()
    };
    let updates = b.zeros(&f32s(&[5, 3]));
    b.scatter(ScatterOp::Set, [x, which, updates], &plain, IndexMode::Clip);
}

fn reductions(b: &mut Builder, [x, i]: [Var; 2]) {
    for &op in ReduceOp::ALL {
        b.reduce(op, if op.accepts(DType::F32) { x } else { i }, &[0]);
    }
    b.emit(Prim::Reduce { op: ReduceOp::Sum, axes: vec![] }, &[x]);
    for &op in ArgReduceOp::ALL {
        b.arg_reduce(op, x, 1, DType::U16);
    }
    for &op in CumulativeOp::ALL {
        b.cumulative(op, x, 1, op == CumulativeOp::Max);
    }
    let dims = DotDims { lhs_contracting: vec![1], rhs_contracting: vec![1], lhs_batch: vec![0], rhs_batch: vec![0] };
    b.dot_general(x, x, &dims, DType::F64);
    b.sort(&[x, i], 1, 1);
    let k = b.iota(&TensorType::new(DType::U32, [4]), 0);
    b.emit(Prim::Threefry2x32, &[k, k, k, k]);
}

fn nodes(b: &mut Builder, x: Var) {
    let row = b.slice_axis(x, 0, 0, 1);
    let row = b.reshape(row, &[3]);
    let loss = Arc::new(sum_of_squares("loss"));
    b.emit(Prim::Call { func: loss.clone() }, &[row]);
    b.emit(Prim::Grad { func: loss.clone(), wrt: vec![0], value: false }, &[row]);
    b.emit(Prim::Jvp { func: loss.clone(), wrt: vec![0] }, &[row, row]);
    let (mut inner, inputs) = Builder::with_inputs(&[f32s(&[3]), f32s(&[3])]);
    let sum = inner.add(inputs[0], inputs[1]);
    let func = Arc::new(inner.finish(&[sum, inputs[1]]));
    let (in_axes, out_axes) = (vec![Some(0), None], vec![Some(1), None]);
    b.emit(Prim::Vmap { func, in_axes, out_axes, size: 2 }, &[x, row]);
    // A program that takes and gives nothing.
    b.emit(Prim::Call { func: Arc::new(Builder::new().finish(&[]).with_name("")) }, &[]);
    b.emit(Prim::Vmap { func: loss, in_axes: vec![None], out_axes: vec![None], size: usize::MAX }, &[row]);
}

/// A program of functions nested `depth` deep, itself counted.
pub(crate) fn nested(depth: usize) -> Func {
    let mut func = Builder::new().finish(&[]);
    for _ in 1..depth {
        let mut b = Builder::new();
        b.emit(Prim::Call { func: Arc::new(func) }, &[]);
        func = b.finish(&[]);
    }
    func
}
