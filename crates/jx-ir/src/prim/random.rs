//! The counter-based random bits that everything random is made of.

use super::operands;
use crate::error::dtype_error;
use crate::{DType, TensorType, TypeError};

pub(super) fn infer_threefry2x32(inputs: &[&TensorType]) -> Result<Vec<TensorType>, TypeError> {
    let prim = "threefry2x32";
    let all: [&TensorType; 4] = operands(prim, inputs)?;
    for x in all {
        TypeError::require_same(prim, all[0], x)?;
    }
    if all[0].dtype != DType::U32 {
        return Err(dtype_error(prim, "u32", all[0]));
    }
    Ok(vec![all[2].clone(), all[3].clone()])
}
