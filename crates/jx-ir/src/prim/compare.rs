//! Comparison, selection and clamping.

use super::op_enum;
use crate::error::dtype_error;
use crate::{DType, TensorType, TypeError};

op_enum! {
    /// An elementwise comparison, as `bool`. Comparisons with NaN are false, but `ne` is true.
    CompareOp {
        /// `x = y`.
        Eq = "eq",
        /// `x ≠ y`.
        Ne = "ne",
        /// `x < y`.
        Lt = "lt",
        /// `x ≤ y`.
        Le = "le",
        /// `x > y`.
        Gt = "gt",
        /// `x ≥ y`.
        Ge = "ge",
    }
}

pub(super) fn infer(op: CompareOp, x: &TensorType, y: &TensorType) -> Result<TensorType, TypeError> {
    TypeError::require_same(op.name(), x, y)?;
    Ok(x.with_dtype(DType::Bool))
}

pub(super) fn infer_select_n(inputs: &[&TensorType]) -> Result<TensorType, TypeError> {
    let prim = "select_n";
    let (which, cases) = match inputs {
        [which, cases @ ..] if !cases.is_empty() => (which, cases),
        [] | [_] | [_, ..] => return Err(TypeError::Arity { prim, expected: 3, found: inputs.len() }),
    };
    if which.dtype == DType::Bool {
        if cases.len() > 2 {
            return Err(TypeError::Arity { prim, expected: 3, found: inputs.len() });
        }
    } else if !which.dtype.is_int() {
        return Err(dtype_error(prim, "a bool or integer selector", which));
    }
    for case in cases {
        TypeError::require_same(prim, cases[0], case)?;
    }
    if which.shape != cases[0].shape {
        let (lhs, rhs) = ((*which).clone(), cases[0].clone());
        return Err(TypeError::ShapeMismatch { prim, lhs, rhs });
    }
    Ok(cases[0].clone())
}

pub(super) fn infer_clamp(lo: &TensorType, x: &TensorType, hi: &TensorType) -> Result<TensorType, TypeError> {
    TypeError::require_same("clamp", x, lo)?;
    TypeError::require_same("clamp", x, hi)?;
    if x.dtype == DType::Bool {
        return Err(dtype_error("clamp", "numbers", x));
    }
    Ok(x.clone())
}
