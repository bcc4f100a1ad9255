//! Reductions along axes, index-valued and cumulative ones included.

use super::op_enum;
use crate::error::dtype_error;
use crate::{DType, DTypeKind, Scalar, TensorType, TypeError};

op_enum! {
    /// A combiner of a reduction.
    ReduceOp {
        /// Sum; wraps for integers.
        Sum = "reduce_sum",
        /// Product; wraps for integers.
        Prod = "reduce_prod",
        /// Greatest; NaN if any is NaN.
        Max = "reduce_max",
        /// Least; NaN if any is NaN.
        Min = "reduce_min",
        /// Bitwise or logical "and" of all.
        And = "reduce_and",
        /// Bitwise or logical "or" of all.
        Or = "reduce_or",
        /// Bitwise or logical "exclusive or" of all.
        Xor = "reduce_xor",
    }
}

op_enum! {
    /// Which extreme an index-valued reduction finds.
    ArgReduceOp {
        /// The greatest.
        Max = "argmax",
        /// The least.
        Min = "argmin",
    }
}

op_enum! {
    /// A combiner of a running reduction.
    CumulativeOp {
        /// Running sum.
        Sum = "cumsum",
        /// Running product.
        Prod = "cumprod",
        /// Running maximum.
        Max = "cummax",
        /// Running minimum.
        Min = "cummin",
        /// Running `ln Σ eˣ`, without overflow.
        LogSumExp = "cumlogsumexp",
    }
}

impl ReduceOp {
    /// Whether the op works on a dtype.
    #[must_use]
    pub fn accepts(self, dtype: DType) -> bool {
        match self {
            ReduceOp::Sum | ReduceOp::Prod => dtype.kind() != DTypeKind::Bool,
            ReduceOp::Max | ReduceOp::Min => true,
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => dtype.kind() != DTypeKind::Float,
        }
    }

    /// The value that changes nothing: what a reduction of no elements gives.
    #[must_use]
    pub fn identity(self, dtype: DType) -> Scalar {
        match self {
            ReduceOp::Sum | ReduceOp::Or | ReduceOp::Xor => Scalar::zero(dtype),
            ReduceOp::Prod => Scalar::one(dtype),
            ReduceOp::Max => Scalar::min_value(dtype),
            ReduceOp::Min => Scalar::max_value(dtype),
            ReduceOp::And => Scalar::from_bits(dtype, u64::MAX),
        }
    }
}

impl CumulativeOp {
    /// Whether the op works on a dtype.
    #[must_use]
    pub fn accepts(self, dtype: DType) -> bool {
        match self {
            CumulativeOp::Sum | CumulativeOp::Prod | CumulativeOp::Max | CumulativeOp::Min => {
                dtype.kind() != DTypeKind::Bool
            }
            CumulativeOp::LogSumExp => dtype.is_float(),
        }
    }
}

pub(super) fn infer(op: ReduceOp, axes: &[usize], x: &TensorType) -> Result<TensorType, TypeError> {
    TypeError::require_axes(op.name(), axes, x)?;
    if !op.accepts(x.dtype) {
        let expected = match op {
            ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => "numbers",
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => "truth values and integers",
        };
        return Err(dtype_error(op.name(), expected, x));
    }
    let kept = (0..x.rank()).filter(|a| !axes.contains(a));
    Ok(x.with_shape(kept.map(|a| x.shape[a]).collect::<Vec<_>>()))
}

pub(super) fn infer_arg_reduce(
    op: ArgReduceOp,
    axis: usize,
    index_dtype: DType,
    x: &TensorType,
) -> Result<TensorType, TypeError> {
    let prim = op.name();
    TypeError::require_axes(prim, &[axis], x)?;
    if !index_dtype.is_int() {
        let operand = x.clone();
        let rule = "the result is an index, so an integer dtype";
        return Err(TypeError::Param { prim, param: "index_dtype", found: index_dtype.to_string(), operand, rule });
    }
    if x.shape[axis] == 0 {
        let operand = x.clone();
        let rule = "the axis has at least one element, for there is no extreme of nothing";
        return Err(TypeError::Param { prim, param: "axis", found: axis.to_string(), operand, rule });
    }
    let mut shape = x.shape.clone();
    shape.remove(axis);
    Ok(TensorType::new(index_dtype, shape))
}

pub(super) fn infer_cumulative(op: CumulativeOp, axis: usize, x: &TensorType) -> Result<TensorType, TypeError> {
    TypeError::require_axes(op.name(), &[axis], x)?;
    if !op.accepts(x.dtype) {
        let expected = if op == CumulativeOp::LogSumExp { "floats" } else { "numbers" };
        return Err(dtype_error(op.name(), expected, x));
    }
    Ok(x.clone())
}
