//! Reductions along axes, index-valued and cumulative ones included.
//!
//! Each is done on three axes: those before the reduced one, itself, those after it.

use super::Target;
use super::convert::{is_nan, is_narrow, no_wider, widen, wrap};
use super::movement::{around, full};
use super::program::{Lowered, kernel1};
use super::tensor::{Value, float_dtype};
use burn_backend::tensor::{BoolTensor, FloatTensor, IntTensor};
use burn_backend::{Backend, FloatDType, IntDType};
use jx_ir::{ArgReduceOp, CumulativeOp, DType, DTypeKind, ReduceOp, TensorType};

/// What one axis of three is reduced by; its extent becomes 1.
type Line<B> = Box<dyn Fn(&Target<B>, Value<B>) -> Value<B> + Send + Sync>;

pub(super) fn reduce<B: Backend>(
    target: &Target<B>,
    op: ReduceOp,
    axes: &[usize],
    x: &TensorType,
    result: &TensorType,
) -> Lowered<B> {
    if x.n_elements() == 0 {
        return Ok(full(target, op.identity(x.dtype), &result.shape));
    }
    if axes.is_empty() {
        return kernel1::<B>(|_, x| x);
    }
    if !target.has(DType::I64) {
        return Err(format!("{} has no i64 to count in", target.device));
    }
    let dtype = x.dtype;
    let line: Line<B> = match dtype.kind() {
        DTypeKind::Bool => Box::new(move |t, x| Value::Bool(bools(t, op, x.bool()))),
        DTypeKind::Float => match op {
            ReduceOp::Sum => Box::new(|_, x| Value::Float(B::float_sum_dim(x.float(), 1))),
            ReduceOp::Prod => {
                Box::new(move |t, x| Value::Float(in_f64(t, dtype, x.float(), |x| B::float_prod_dim(x, 1))))
            }
            ReduceOp::Max | ReduceOp::Min => Box::new(move |t, x| {
                let x = x.float();
                let nan = any(t, is_nan(t, x.clone()));
                let extreme = if op == ReduceOp::Max { B::float_max_dim(x, 1) } else { B::float_min_dim(x, 1) };
                Value::Float(B::float_mask_fill(extreme, nan, f64::NAN.into()))
            }),
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => {
                panic!("{} has no meaning for floats, and its shape rule should say so", op.name())
            }
        },
        DTypeKind::Signed | DTypeKind::Unsigned => match op {
            ReduceOp::Max => Box::new(|_, x| Value::Int(B::int_max_dim(x.int(), 1))),
            ReduceOp::Min => Box::new(|_, x| Value::Int(B::int_min_dim(x.int(), 1))),
            ReduceOp::Sum if is_narrow(dtype) => {
                Box::new(move |_, x| Value::Int(wrap::<B>(B::int_sum_dim(widen::<B>(x.int()), 1), dtype)))
            }
            ReduceOp::Sum => return Err(no_wider(dtype)),
            ReduceOp::Prod => return Err("Burn's product of many integers panics where it overflows".to_owned()),
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => {
                return Err("Burn reduces by no bitwise op".to_owned());
            }
        },
    };
    // From the last axis on, so that those still to come keep their numbers.
    let mut shape = x.shape.clone();
    let mut passes = Vec::with_capacity(axes.len());
    let mut axes = axes.to_vec();
    axes.sort_unstable_by(|a, b| b.cmp(a));
    for axis in axes {
        passes.push(around(&shape, axis));
        shape.remove(axis);
    }
    let physical = target.physical(&result.shape);
    kernel1::<B>(move |t, x| passes.iter().fold(x, |x, pass| line(t, x.reshape(pass))).reshape(&physical))
}

/// Products of `f32`s in `f64` where there is one: halfway they may leave the range that they end in.
fn in_f64<B: Backend>(
    target: &Target<B>,
    dtype: DType,
    x: FloatTensor<B>,
    f: impl FnOnce(FloatTensor<B>) -> FloatTensor<B>,
) -> FloatTensor<B> {
    if dtype == DType::F64 || !target.has(DType::F64) {
        return f(x);
    }
    B::float_cast(f(B::float_cast(x, FloatDType::F64)), float_dtype(dtype))
}

/// How many hold along the middle axis.
fn count<B: Backend>(mask: BoolTensor<B>) -> IntTensor<B> {
    B::int_sum_dim(B::bool_into_int(mask, IntDType::I64), 1)
}

fn any<B: Backend>(target: &Target<B>, mask: BoolTensor<B>) -> BoolTensor<B> {
    B::int_greater_elem(count::<B>(mask), 0.into(), target.bool_dtype)
}

fn bools<B: Backend>(target: &Target<B>, op: ReduceOp, x: BoolTensor<B>) -> BoolTensor<B> {
    match op {
        ReduceOp::Or | ReduceOp::Max => any(target, x),
        ReduceOp::And | ReduceOp::Min => B::bool_not(any(target, B::bool_not(x))),
        ReduceOp::Xor => {
            let odd = B::bitwise_and_scalar(count::<B>(x), 1.into());
            B::int_equal_elem(odd, 1.into(), target.bool_dtype)
        }
        ReduceOp::Sum | ReduceOp::Prod => {
            panic!("{} has no meaning for truth values, and its shape rule should say so", op.name())
        }
    }
}

pub(super) fn arg_reduce<B: Backend>(
    target: &Target<B>,
    op: ArgReduceOp,
    axis: usize,
    index_dtype: DType,
    x: &TensorType,
    result: &TensorType,
) -> Lowered<B> {
    if !target.has(DType::I64) {
        return Err(format!("{} has no i64 to wrap indices in", target.device));
    }
    let (lines, kind) = (around(&x.shape, axis), x.dtype.kind());
    let physical = target.physical(&result.shape);
    kernel1::<B>(move |t, x| {
        let x = x.reshape(&lines);
        let index = match kind {
            DTypeKind::Bool => int_arg::<B>(op, B::bool_into_int(x.bool(), IntDType::I64)),
            DTypeKind::Signed | DTypeKind::Unsigned => int_arg::<B>(op, x.int()),
            DTypeKind::Float => float_arg(t, op, x.float()),
        };
        let index = B::int_cast(index, IntDType::I64);
        // An index beyond the index dtype wraps; it is never negative, so it fits the 64-bit ones.
        let index = if is_narrow(index_dtype) {
            wrap::<B>(index, index_dtype)
        } else {
            B::int_cast(index, super::tensor::int_dtype(index_dtype))
        };
        Value::Int(index).reshape(&physical)
    })
}

/// The first among equals, as Burn has it.
fn int_arg<B: Backend>(op: ArgReduceOp, x: IntTensor<B>) -> IntTensor<B> {
    match op {
        ArgReduceOp::Max => B::int_argmax(x, 1),
        ArgReduceOp::Min => B::int_argmin(x, 1),
    }
}

/// The first NaN if there is one, which Burn passes over.
fn float_arg<B: Backend>(target: &Target<B>, op: ArgReduceOp, x: FloatTensor<B>) -> IntTensor<B> {
    let nan = is_nan(target, x.clone());
    let first_nan = B::int_argmax(B::bool_into_int(nan.clone(), IntDType::I64), 1);
    let index = match op {
        ArgReduceOp::Max => B::float_argmax(x, 1, IntDType::I64),
        ArgReduceOp::Min => B::float_argmin(x, 1, IntDType::I64),
    };
    B::int_mask_where(index, any(target, nan), B::int_cast(first_nan, IntDType::I64))
}

pub(super) fn cumulative<B: Backend>(
    target: &Target<B>,
    op: CumulativeOp,
    axis: usize,
    reverse: bool,
    x: &TensorType,
) -> Lowered<B> {
    if !target.has(DType::I64) {
        return Err(format!("{} has no i64 to count in", target.device));
    }
    let dtype = x.dtype;
    let float = dtype.is_float();
    let line: Line<B> = match op {
        CumulativeOp::Sum if float => Box::new(|_, x| Value::Float(B::float_cumsum(x.float(), 1))),
        CumulativeOp::Prod if float => {
            Box::new(move |t, x| Value::Float(in_f64(t, dtype, x.float(), |x| B::float_cumprod(x, 1))))
        }
        CumulativeOp::Max | CumulativeOp::Min if float => Box::new(move |t, x| {
            let x = x.float();
            // From the first NaN on all is NaN; Burn goes on with the numbers.
            let nan = B::bool_into_int(is_nan(t, x.clone()), IntDType::I64);
            let seen = B::int_greater_elem(B::int_cumsum(nan, 1), 0.into(), t.bool_dtype);
            let extreme = if op == CumulativeOp::Max { B::float_cummax(x, 1) } else { B::float_cummin(x, 1) };
            Value::Float(B::float_mask_fill(extreme, seen, f64::NAN.into()))
        }),
        CumulativeOp::Max => Box::new(|_, x| Value::Int(B::int_cummax(x.int(), 1))),
        CumulativeOp::Min => Box::new(|_, x| Value::Int(B::int_cummin(x.int(), 1))),
        CumulativeOp::Sum if is_narrow(dtype) => {
            Box::new(move |_, x| Value::Int(wrap::<B>(B::int_cumsum(widen::<B>(x.int()), 1), dtype)))
        }
        CumulativeOp::Sum => return Err(no_wider(dtype)),
        CumulativeOp::Prod => return Err("Burn's product of many integers panics where it overflows".to_owned()),
        CumulativeOp::LogSumExp => return Err("Burn has no running log-sum-exp".to_owned()),
    };
    let (lines, physical) = (around(&x.shape, axis), target.physical(&x.shape));
    kernel1::<B>(move |t, x| {
        let x = x.reshape(&lines);
        let x = if reverse { x.flip(&[1]) } else { x };
        let y = line(t, x);
        let y = if reverse { y.flip(&[1]) } else { y };
        y.reshape(&physical)
    })
}
