//! Exact rules for movement: chains of the same move become one, moves that change nothing go away, and
//! a moved `full` is a `full`.

use super::fold::{Folder, Rewrite, full};
use jx_ir::{DType, DTypeKind, Prim, ReduceOp, Scalar, TensorType, Var};

/// A simpler form of an equation that moves elements or reduces a `full`, if a rule has one.
pub(super) fn rewrite(f: &Folder, prim: &Prim, inputs: &[Var], ty: &TensorType) -> Option<Rewrite> {
    let x = *inputs.first()?;
    if let Some(value) = f.full(x) {
        return of_full(f, prim, inputs, value, ty);
    }
    match prim {
        Prim::Reshape { shape } if shape[..] == f.ty(x).shape => Some(Rewrite::Var(x)),
        Prim::Reshape { .. } => match f.definition(x)? {
            (Prim::Reshape { .. }, inner) => Some(Rewrite::Prim(prim.clone(), inner.to_vec())),
            (_, _) => None,
        },
        Prim::Transpose { permutation } => transpose(f, permutation, x),
        Prim::BroadcastInDim { shape, broadcast_dimensions } => broadcast(f, shape, broadcast_dimensions, x),
        Prim::Slice { start, limit: _, strides } => slice(f, start, strides, x, ty),
        Prim::Rev { dimensions } => rev(f, dimensions, x),
        Prim::Pad { low, high, interior } => {
            let nothing = low.iter().chain(high).all(|&n| n == 0) && interior.iter().all(|&n| n == 0);
            nothing.then_some(Rewrite::Var(x))
        }
        Prim::Concatenate { dimension } => concatenate(f, *dimension, inputs),
        Prim::DynamicSlice { slice_sizes } => dynamic_slice(f, slice_sizes, inputs),
        // The only place for a window of the operand's own size is all of it.
        Prim::DynamicUpdateSlice if f.ty(inputs[1]) == f.ty(x) => Some(Rewrite::Var(inputs[1])),
        Prim::DynamicUpdateSlice
        | Prim::Unary(_)
        | Prim::IntegerPow { .. }
        | Prim::Binary(_)
        | Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient
        | Prim::Full { .. }
        | Prim::Constant(_)
        | Prim::Iota { .. }
        | Prim::Gather { .. }
        | Prim::Scatter { .. }
        | Prim::Reduce { .. }
        | Prim::ArgReduce { .. }
        | Prim::Cumulative { .. }
        | Prim::DotGeneral { .. }
        | Prim::Sort { .. }
        | Prim::Threefry2x32
        | Prim::Call { .. }
        | Prim::Vmap { .. }
        | Prim::Grad { .. }
        | Prim::Jvp { .. } => None,
    }
}

/// Moves and reductions of equal elements.
fn of_full(f: &Folder, prim: &Prim, inputs: &[Var], value: Scalar, ty: &TensorType) -> Option<Rewrite> {
    match prim {
        Prim::Reshape { .. }
        | Prim::Transpose { .. }
        | Prim::BroadcastInDim { .. }
        | Prim::Slice { .. }
        | Prim::Rev { .. }
        | Prim::DynamicSlice { .. } => Some(full(value, ty)),
        Prim::Pad { .. } | Prim::Concatenate { .. } => {
            let all_equal = inputs.iter().all(|&v| f.full(v) == Some(value));
            all_equal.then(|| full(value, ty))
        }
        Prim::DynamicUpdateSlice if f.ty(inputs[1]) == ty => Some(Rewrite::Var(inputs[1])),
        Prim::DynamicUpdateSlice => (f.full(inputs[1]) == Some(value)).then(|| full(value, ty)),
        Prim::Reduce { op, axes } => {
            let n: usize = axes.iter().map(|&a| f.ty(inputs[0]).shape[a]).product();
            reduced(*op, value, n).map(|value| full(value, ty))
        }
        Prim::Unary(_)
        | Prim::IntegerPow { .. }
        | Prim::Binary(_)
        | Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient
        | Prim::Full { .. }
        | Prim::Constant(_)
        | Prim::Iota { .. }
        | Prim::Gather { .. }
        | Prim::Scatter { .. }
        | Prim::ArgReduce { .. }
        | Prim::Cumulative { .. }
        | Prim::DotGeneral { .. }
        | Prim::Sort { .. }
        | Prim::Threefry2x32
        | Prim::Call { .. }
        | Prim::Vmap { .. }
        | Prim::Grad { .. }
        | Prim::Jvp { .. } => None,
    }
}

/// The reduction of `n` equal elements, where it has the same bits in every order of combination.
fn reduced(op: ReduceOp, value: Scalar, n: usize) -> Option<Scalar> {
    let dtype = value.dtype();
    if n == 0 {
        return Some(op.identity(dtype));
    }
    match op {
        ReduceOp::Max | ReduceOp::Min | ReduceOp::And | ReduceOp::Or => Some(value),
        ReduceOp::Xor => Some(if n % 2 == 1 { value } else { Scalar::zero(dtype) }),
        // Wrapping sums are products modulo a power of two.
        ReduceOp::Sum if dtype.is_int() => Some(Scalar::from_bits(dtype, value.bits().wrapping_mul(n as u64))),
        // Sums of integers are exact in floats as long as the greatest is.
        ReduceOp::Sum => {
            let (x, exact_below) = (value.as_f64(), exact_integers(dtype)?);
            let total = x * n as f64;
            let is_exact = x.fract() == 0.0 && total.abs() <= exact_below && value.bits() != negative_zero(dtype);
            is_exact.then(|| Scalar::from_f64(dtype, total))
        }
        ReduceOp::Prod if value == Scalar::one(dtype) => Some(value),
        ReduceOp::Prod => None,
    }
}

/// The float up to which all integers are floats of that dtype.
fn exact_integers(dtype: DType) -> Option<f64> {
    match dtype {
        DType::F16 => Some(f64::from(1 << 11)),
        DType::BF16 => Some(f64::from(1 << 8)),
        DType::F32 => Some(f64::from(1 << 24)),
        DType::F64 => Some((1_u64 << 53) as f64),
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => None,
    }
}

fn negative_zero(dtype: DType) -> u64 {
    Scalar::from_f64(dtype, -0.0).bits()
}

fn transpose(f: &Folder, permutation: &[usize], x: Var) -> Option<Rewrite> {
    if permutation.iter().copied().eq(0..permutation.len()) {
        return Some(Rewrite::Var(x));
    }
    let (Prim::Transpose { permutation: inner }, &[y]) = f.definition(x)? else { return None };
    // Axis i of the result is axis permutation[i] of x, which is axis inner[permutation[i]] of y.
    let permutation = permutation.iter().map(|&a| inner[a]).collect();
    Some(Rewrite::Prim(Prim::Transpose { permutation }, vec![y]))
}

fn broadcast(f: &Folder, shape: &[usize], dims: &[usize], x: Var) -> Option<Rewrite> {
    if shape == f.ty(x).shape && dims.iter().copied().eq(0..shape.len()) {
        return Some(Rewrite::Var(x));
    }
    let (Prim::BroadcastInDim { broadcast_dimensions: inner, .. }, &[y]) = f.definition(x)? else { return None };
    // Axis i of y is axis inner[i] of x, which is axis dims[inner[i]] of the result.
    let broadcast_dimensions = inner.iter().map(|&a| dims[a]).collect();
    Some(Rewrite::Prim(Prim::BroadcastInDim { shape: shape.to_vec(), broadcast_dimensions }, vec![y]))
}

fn slice(f: &Folder, start: &[usize], strides: &[usize], x: Var, ty: &TensorType) -> Option<Rewrite> {
    if ty.shape == f.ty(x).shape {
        return Some(Rewrite::Var(x));
    }
    let (Prim::Slice { start: inner_start, strides: inner_strides, .. }, &[y]) = f.definition(x)? else { return None };
    if ty.n_elements() == 0 {
        return None;
    }
    // Element i of the result is element start + stride·i of x, so it is element
    // inner_start + inner_stride·(start + stride·i) of y.
    let axes = 0..start.len();
    let new_start: Vec<usize> = axes.clone().map(|a| inner_start[a] + inner_strides[a] * start[a]).collect();
    // A step past the end is of no use, and a product of steps might not fit.
    let steps = |a: usize| if ty.shape[a] == 1 { 1 } else { inner_strides[a] * strides[a] };
    let new_strides: Vec<usize> = axes.clone().map(steps).collect();
    let limit = axes.map(|a| new_start[a] + new_strides[a] * (ty.shape[a] - 1) + 1).collect();
    Some(Rewrite::Prim(Prim::Slice { start: new_start, limit, strides: new_strides }, vec![y]))
}

fn rev(f: &Folder, dimensions: &[usize], x: Var) -> Option<Rewrite> {
    if dimensions.iter().all(|&a| f.ty(x).shape[a] <= 1) {
        return Some(Rewrite::Var(x));
    }
    let (Prim::Rev { dimensions: inner }, &[y]) = f.definition(x)? else { return None };
    // An axis reversed twice is as it was.
    let once = |a: &usize| dimensions.contains(a) != inner.contains(a);
    let dimensions = (0..f.ty(x).rank()).filter(once).collect();
    Some(Rewrite::Prim(Prim::Rev { dimensions }, vec![y]))
}

fn concatenate(f: &Folder, dimension: usize, inputs: &[Var]) -> Option<Rewrite> {
    if let &[x] = inputs {
        return Some(Rewrite::Var(x));
    }
    let kept: Vec<Var> = inputs.iter().copied().filter(|&v| f.ty(v).shape[dimension] != 0).collect();
    if kept.is_empty() || kept.len() == inputs.len() {
        return None;
    }
    Some(Rewrite::Prim(Prim::Concatenate { dimension }, kept))
}

fn dynamic_slice(f: &Folder, slice_sizes: &[usize], inputs: &[Var]) -> Option<Rewrite> {
    let (&x, starts) = inputs.split_first()?;
    let shape = &f.ty(x).shape;
    if shape[..] == *slice_sizes {
        return Some(Rewrite::Var(x));
    }
    let mut start = Vec::with_capacity(starts.len());
    for ((&v, &extent), &n) in starts.iter().zip(shape).zip(slice_sizes) {
        let last = extent - n;
        let value = f.full(v)?;
        // Clamped so that the window lies inside; a large u64 is no negative number.
        let negative = value.dtype().kind() == DTypeKind::Signed && value.as_i64() < 0;
        start.push(if negative { 0 } else { usize::try_from(value.bits()).map_or(last, |i| i.min(last)) });
    }
    let limit = start.iter().zip(slice_sizes).map(|(&i, &n)| i + n).collect();
    Some(Rewrite::Prim(Prim::Slice { start, limit, strides: vec![1; slice_sizes.len()] }, vec![x]))
}
