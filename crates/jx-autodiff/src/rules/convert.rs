//! Derivative and transpose of conversion between float dtypes.

use crate::AutodiffError;
use jx_ir::{Builder, DType, Prim, TensorType, Var};

/// The tangent converted as the value is; none if the result is not float.
pub(super) fn jvp(b: &mut Builder, dtype: DType, dx: Var) -> Option<Var> {
    dtype.is_float().then(|| b.convert(dx, dtype))
}

/// The cotangent converted back.
pub(super) fn transpose(
    b: &mut Builder,
    prim: &Prim,
    x: &TensorType,
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    if b.dtype(ct).is_float() {
        return Ok(vec![Some(b.convert(ct, x.dtype))]);
    }
    Err(AutodiffError::NotLinear { prim: prim.name() })
}
