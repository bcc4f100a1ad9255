//! Conversion between dtypes.

use crate::{DType, TensorType, TypeError};

/// Every dtype converts to every other.
pub(super) fn infer(dtype: DType, x: &TensorType) -> Result<TensorType, TypeError> {
    Ok(x.with_dtype(dtype))
}
