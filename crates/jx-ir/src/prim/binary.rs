//! Elementwise functions of two operands of one type.

use super::op_enum;
use crate::error::dtype_error;
use crate::{DType, DTypeKind, TensorType, TypeError};

op_enum! {
    /// An elementwise function of two operands of one type.
    BinaryOp {
        /// `x + y`; wraps for integers.
        Add = "add",
        /// `x - y`; wraps for integers.
        Sub = "sub",
        /// `x · y`; wraps for integers.
        Mul = "mul",
        /// `x · y`, but 0 where one is 0 and the other infinite or NaN. Derivatives are applied with it, so
        /// that a zero cotangent wins over an infinite local derivative, and a zero local derivative over
        /// the infinite one of what it is fed to. If one operand is finite and not 0, or both are finite,
        /// it is the plain product, sign of zero included.
        MulNoNan = "mul_no_nan",
        /// `x / y`. Integers truncate; `x/0` is -1 (all bits set), the least integer over -1 is itself.
        Div = "div",
        /// The remainder of truncated division, of the sign of `x`. For integers `x rem 0` is `x`.
        Rem = "rem",
        /// `xʸ`; NaN for a negative `x` and a `y` that is no integer; `x⁰` is 1.
        Pow = "pow",
        /// The greater, `0.0` above `-0.0`; NaN if either is NaN. "Or" for `bool`.
        Max = "max",
        /// The lesser, `-0.0` below `0.0`; NaN if either is NaN. "And" for `bool`.
        Min = "min",
        /// The angle of the point `(y, x)`: operands `y, x`, in [-π, π].
        Atan2 = "atan2",
        /// The next value after `x` in the direction of `y`.
        NextAfter = "nextafter",
        /// Bitwise or logical "and".
        And = "and",
        /// Bitwise or logical "or".
        Or = "or",
        /// Bitwise or logical "exclusive or".
        Xor = "xor",
        /// `x` shifted left by `y` bits; 0 for `y` beyond the width.
        ShiftLeft = "shift_left",
        /// `x` shifted right by `y` bits, zeros moving in; 0 for `y` beyond the width.
        ShiftRightLogical = "shift_right_logical",
        /// `x` shifted right by `y` bits, copies of the sign moving in; only the sign for `y` beyond the width.
        ShiftRightArithmetic = "shift_right_arithmetic",
    }
}

impl BinaryOp {
    /// Whether the op works on a dtype.
    #[must_use]
    pub fn accepts(self, dtype: DType) -> bool {
        let kind = dtype.kind();
        match self {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => kind != DTypeKind::Bool,
            BinaryOp::Max | BinaryOp::Min => true,
            BinaryOp::MulNoNan | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => kind == DTypeKind::Float,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => kind != DTypeKind::Float,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRightLogical | BinaryOp::ShiftRightArithmetic => dtype.is_int(),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => "numbers",
            BinaryOp::Max | BinaryOp::Min => "any dtype",
            BinaryOp::MulNoNan | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => "floats",
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => "truth values and integers",
            BinaryOp::ShiftLeft | BinaryOp::ShiftRightLogical | BinaryOp::ShiftRightArithmetic => "integers",
        }
    }
}

pub(super) fn infer(op: BinaryOp, x: &TensorType, y: &TensorType) -> Result<TensorType, TypeError> {
    TypeError::require_same(op.name(), x, y)?;
    if !op.accepts(x.dtype) {
        return Err(dtype_error(op.name(), op.expected(), x));
    }
    Ok(x.clone())
}
