//! Sorting along an axis.

use crate::{TensorType, TypeError};

pub(super) fn infer(dimension: usize, num_keys: usize, inputs: &[&TensorType]) -> Result<Vec<TensorType>, TypeError> {
    let prim = "sort";
    let Some(first) = inputs.first() else {
        return Err(TypeError::Arity { prim, expected: 1, found: 0 });
    };
    TypeError::require_axes(prim, &[dimension], first)?;
    for x in inputs {
        if x.shape != first.shape {
            return Err(TypeError::ShapeMismatch { prim, lhs: (*first).clone(), rhs: (*x).clone() });
        }
    }
    if num_keys == 0 || num_keys > inputs.len() {
        let operand = (*first).clone();
        let rule = "at least one operand is a key, and no more than there are";
        return Err(TypeError::Param { prim, param: "num_keys", found: num_keys.to_string(), operand, rule });
    }
    Ok(inputs.iter().map(|&x| x.clone()).collect())
}
