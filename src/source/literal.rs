//! Values known while tracing: literals as elements of a dtype, and arithmetic on numbers.

use super::ast::{BinaryOp, Number};
use super::interpreter::{Evaluated, error};
use super::value::Value;
use super::{SourceError, SourceFault};
use crate::DType;
use crate::tensor::number_to_scalar;
use jx_ir::{Loc, Scalar};

/// Whether a list's element is a tensor, or holds one.
pub(super) fn holds_tensor(value: &Value) -> bool {
    match value {
        Value::Tensor(_) => true,
        Value::List(items) => items.iter().any(holds_tensor),
        Value::Number(_)
        | Value::Bool(_)
        | Value::None
        | Value::Text(_)
        | Value::DType(_)
        | Value::Tuple(_)
        | Value::Function(_) => false,
    }
}

/// The numbers of a literal in row-major order, and its shape.
pub(super) fn flatten(value: &Value, dtype: DType, at: &Loc, out: &mut Vec<Scalar>) -> Evaluated<Vec<usize>> {
    let out_of_range = || SourceError::new(SourceFault::NumberRange { value: value.describe(), dtype }, at);
    match value {
        Value::Number(n) => {
            out.push(number_to_scalar(dtype, n.float, n.int.map(i128::from)).ok_or_else(out_of_range)?);
            Ok(Vec::new())
        }
        Value::Bool(b) => {
            if dtype != DType::Bool {
                return Err(out_of_range());
            }
            out.push(Scalar::from_i64(dtype, i64::from(*b)));
            Ok(Vec::new())
        }
        Value::List(items) => {
            let mut row: Option<Vec<usize>> = None;
            for item in items {
                let shape = flatten(item, dtype, at, out)?;
                if row.get_or_insert_with(|| shape.clone()) != &shape {
                    return error(SourceFault::Ragged, at);
                }
            }
            let mut shape = vec![items.len()];
            shape.extend(row.unwrap_or_default());
            Ok(shape)
        }
        Value::Tensor(_) | Value::None | Value::Text(_) | Value::DType(_) | Value::Tuple(_) | Value::Function(_) => {
            error(SourceFault::NotATensor { found: value.describe() }, at)
        }
    }
}

/// The result on two numbers, where it is a number.
pub(super) fn fold(op: BinaryOp, a: Number, b: Number) -> Option<Value> {
    let number = |int: Option<i64>, float: f64| Value::Number(int.map_or(Number::from_float(float), Number::from_int));
    let ints = a.int.zip(b.int);
    let (x, y) = (a.float, b.float);
    Some(match op {
        BinaryOp::Add => number(ints.and_then(|(a, b)| a.checked_add(b)), x + y),
        BinaryOp::Sub => number(ints.and_then(|(a, b)| a.checked_sub(b)), x - y),
        BinaryOp::Mul => number(ints.and_then(|(a, b)| a.checked_mul(b)), x * y),
        BinaryOp::Div => Value::Number(Number::from_float(x / y)),
        BinaryOp::Rem => number(ints.and_then(|(a, b)| a.checked_rem(b)), x % y),
        BinaryOp::Pow => number(ints.and_then(|(a, b)| a.checked_pow(u32::try_from(b).ok()?)), x.powf(y)),
        BinaryOp::Eq => Value::Bool(x == y),
        BinaryOp::Ne => Value::Bool(x != y),
        BinaryOp::Lt => Value::Bool(x < y),
        BinaryOp::Le => Value::Bool(x <= y),
        BinaryOp::Gt => Value::Bool(x > y),
        BinaryOp::Ge => Value::Bool(x >= y),
        BinaryOp::MatMul | BinaryOp::And | BinaryOp::Or => return None,
    })
}

/// The result on two truth values, where it is one.
pub(super) fn fold_bools(op: BinaryOp, a: bool, b: bool) -> Option<bool> {
    match op {
        BinaryOp::And => Some(a && b),
        BinaryOp::Or => Some(a || b),
        BinaryOp::Eq => Some(a == b),
        BinaryOp::Ne => Some(a != b),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::MatMul
        | BinaryOp::Pow
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => None,
    }
}
