//! Samples of elementwise functions of two operands.

use super::Sample;
use crate::arrays::{edges, from_scalars, generic};
use jx_ir::{Array, BinaryOp, DType, Prim, Scalar, TensorType};

/// Intervals for the two operands in which the op is defined, smooth at generic points, and well
/// conditioned in every dtype.
#[must_use]
pub fn domain(op: BinaryOp) -> [(f64, f64); 2] {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::MulNoNan | BinaryOp::Atan2 | BinaryOp::NextAfter => {
            [(-2.1, 2.3), (-2.2, 2.4)]
        }
        BinaryOp::Max | BinaryOp::Min => [(-3.1, 3.3), (-3.2, 3.4)],
        BinaryOp::Div => [(-9.5, 9.5), (1.2, 3.8)],
        BinaryOp::Rem => [(-9.5, 9.5), (1.2, 3.8)],
        BinaryOp::Pow => [(0.5, 2.0), (-2.0, 2.0)],
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => [(-50.0, 90.0), (-40.0, 100.0)],
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightLogical | BinaryOp::ShiftRightArithmetic => {
            [(-50.0, 90.0), (0.0, 7.0)]
        }
    }
}

/// Whether the op's derivative is that of a real function; of the others none is defined.
fn is_real(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Pow
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Atan2 => true,
        BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => false,
    }
}

/// Each edge of the dtype beside each.
pub(super) fn edge_pairs(dtype: DType) -> [Array; 2] {
    let values = edges(dtype);
    let n = values.len();
    let ty = TensorType::new(dtype, [n * n]);
    let pick = |place: &dyn Fn(usize) -> usize| -> Array {
        from_scalars(&ty, (0..n * n).map(|i| -> Scalar { values[place(i)] }))
    };
    [pick(&|i| i / n), pick(&|i| i % n)]
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for &op in BinaryOp::ALL {
        let [(x_lo, x_hi), (y_lo, y_hi)] = domain(op);
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            let ty = TensorType::new(dtype, [2, 3]);
            let name = format!("{} {dtype}", op.name());
            let inputs = vec![generic(&ty, x_lo, x_hi, 1), generic(&ty, y_lo, y_hi, 2)];
            samples.push(Sample::one(&*name, Prim::Binary(op), inputs).smooth_if(is_real(op)));
            let inputs = edge_pairs(dtype).to_vec();
            samples.push(Sample::one(format!("{name} at its edges"), Prim::Binary(op), inputs));
        }
    }
    for (shape, what) in [(vec![], "scalar"), (vec![0, 2], "empty"), (vec![1, 2, 1, 2], "rank 4")] {
        let ty = TensorType::new(DType::F64, shape);
        let inputs = vec![generic(&ty, -1.0, 1.0, 3), generic(&ty, 1.0, 2.0, 4)];
        samples.push(Sample::one(format!("div {what}"), Prim::Binary(BinaryOp::Div), inputs).smooth_if(true));
    }
    samples
}
