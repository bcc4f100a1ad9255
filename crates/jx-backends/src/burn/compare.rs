//! Comparison, selection and clamping.

use super::Target;
use super::binary::{float_extreme, int_extreme};
use super::program::{Lowered, exactly, kernel2};
use super::tensor::Value;
use burn_backend::Backend;
use burn_backend::tensor::{BoolTensor, FloatTensor, IntTensor};
use jx_ir::{CompareOp, DType, DTypeKind, TensorType};

pub(super) fn compare<B: Backend>(op: CompareOp, x: &TensorType) -> Lowered<B> {
    match x.dtype.kind() {
        DTypeKind::Bool => kernel2::<B>(move |_, x, y| Value::Bool(bools::<B>(op, x.bool(), y.bool()))),
        DTypeKind::Signed | DTypeKind::Unsigned => {
            kernel2::<B>(move |t, x, y| Value::Bool(ints(t, op, x.int(), y.int())))
        }
        DTypeKind::Float => kernel2::<B>(move |t, x, y| Value::Bool(floats(t, op, x.float(), y.float()))),
    }
}

/// `false` is below `true`.
fn bools<B: Backend>(op: CompareOp, x: BoolTensor<B>, y: BoolTensor<B>) -> BoolTensor<B> {
    match op {
        CompareOp::Eq => B::bool_equal(x, y),
        CompareOp::Ne => B::bool_not(B::bool_equal(x, y)),
        CompareOp::Lt => B::bool_and(B::bool_not(x), y),
        CompareOp::Le => B::bool_or(B::bool_not(x), y),
        CompareOp::Gt => B::bool_and(x, B::bool_not(y)),
        CompareOp::Ge => B::bool_or(x, B::bool_not(y)),
    }
}

fn ints<B: Backend>(target: &Target<B>, op: CompareOp, x: IntTensor<B>, y: IntTensor<B>) -> BoolTensor<B> {
    let of_bool = target.bool_dtype;
    match op {
        CompareOp::Eq => B::int_equal(x, y, of_bool),
        CompareOp::Ne => B::bool_not(B::int_equal(x, y, of_bool)),
        CompareOp::Lt => B::int_lower(x, y, of_bool),
        CompareOp::Le => B::int_lower_equal(x, y, of_bool),
        CompareOp::Gt => B::int_greater(x, y, of_bool),
        CompareOp::Ge => B::int_greater_equal(x, y, of_bool),
    }
}

fn floats<B: Backend>(target: &Target<B>, op: CompareOp, x: FloatTensor<B>, y: FloatTensor<B>) -> BoolTensor<B> {
    let of_bool = target.bool_dtype;
    match op {
        CompareOp::Eq => B::float_equal(x, y, of_bool),
        CompareOp::Ne => B::bool_not(B::float_equal(x, y, of_bool)),
        CompareOp::Lt => B::float_lower(x, y, of_bool),
        CompareOp::Le => B::float_lower_equal(x, y, of_bool),
        CompareOp::Gt => B::float_greater(x, y, of_bool),
        CompareOp::Ge => B::float_greater_equal(x, y, of_bool),
    }
}

pub(super) fn select_n<B: Backend>(operands: &[&TensorType]) -> Lowered<B> {
    if let [_, _] = operands {
        return Ok(Box::new(|_, operands| {
            let [_, only] = exactly(operands);
            vec![only]
        }));
    }
    if operands[0].dtype == DType::Bool {
        return Ok(Box::new(|_, operands| {
            let [which, on_false, on_true] = exactly(operands);
            vec![on_false.mask_where(which.bool(), on_true)]
        }));
    }
    Ok(Box::new(|target, operands| {
        let mut operands = operands.into_iter();
        let which = operands.next().expect("a selection has a selector").int();
        let first = operands.next().expect("a selection has a case");
        // Case i wherever the selector is not below it, in order: the last such case stays, so a
        // selector out of range gives the first or the last.
        let chosen = (1_i64..).zip(operands).fold(first, |chosen, (i, case)| {
            let reaches = B::int_greater_equal_elem(which.clone(), i.into(), target.bool_dtype);
            chosen.mask_where(reaches, case)
        });
        vec![chosen]
    }))
}

pub(super) fn clamp<B: Backend>(x: &TensorType) -> Lowered<B> {
    let float = x.dtype.is_float();
    Ok(Box::new(move |target, operands| {
        let [lo, x, hi] = exactly(operands);
        vec![if float {
            let raised = float_extreme(target, true, x.float(), lo.float());
            Value::Float(float_extreme(target, false, raised, hi.float()))
        } else {
            let raised = int_extreme(target, true, x.int(), lo.int());
            Value::Int(int_extreme(target, false, raised, hi.int()))
        }]
    }))
}
