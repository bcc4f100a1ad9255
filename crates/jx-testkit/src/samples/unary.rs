//! Samples of elementwise functions of one operand.

use super::Sample;
use crate::arrays::{edges, from_scalars, generic};
use jx_ir::{DType, Prim, TensorType, UnaryOp};

/// An interval in which the op is defined, smooth at generic points, and well conditioned in every
/// float dtype.
#[must_use]
pub fn domain(op: UnaryOp) -> (f64, f64) {
    match op {
        UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite
        | UnaryOp::Square => (-4.3, 4.6),
        // Integers only; a range of integers.
        UnaryOp::Not | UnaryOp::PopulationCount | UnaryOp::Clz => (-9.0, 100.0),
        UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Log => (0.2, 4.0),
        UnaryOp::Cbrt => (0.3, 3.0),
        UnaryOp::Exp | UnaryOp::Exp2 | UnaryOp::Expm1 => (-2.0, 2.0),
        UnaryOp::Log1p => (-0.6, 3.0),
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Atan | UnaryOp::Asinh => (-3.0, 3.0),
        UnaryOp::Tan => (-1.2, 1.2),
        UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Atanh | UnaryOp::ErfInv => (-0.8, 0.8),
        UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Tanh | UnaryOp::Logistic => (-2.0, 2.0),
        UnaryOp::Acosh => (1.3, 4.0),
        UnaryOp::Erf | UnaryOp::Erfc => (-1.5, 1.5),
        UnaryOp::Lgamma | UnaryOp::Digamma => (0.4, 5.0),
    }
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for &op in UnaryOp::ALL {
        let (lo, hi) = domain(op);
        for dtype in DType::ALL.into_iter().filter(|&d| op.accepts(d)) {
            let x = generic(&TensorType::new(dtype, [2, 3]), lo, hi, 1);
            let name = format!("{} {dtype}", op.name());
            samples.push(Sample::one(&*name, Prim::Unary(op), vec![x]).smooth_if(true));
            let values = edges(dtype);
            let x = from_scalars(&TensorType::new(dtype, [values.len()]), values.into_iter());
            samples.push(Sample::one(format!("{name} at its edges"), Prim::Unary(op), vec![x]));
        }
    }
    for exponent in [-3, -1, 0, 1, 2, 3, 7] {
        for dtype in DType::ALL {
            if dtype == DType::Bool || (exponent < 0 && !dtype.is_float()) {
                continue;
            }
            let x = generic(&TensorType::new(dtype, [5]), -2.1, 2.2, 2);
            let name = format!("integer_pow {exponent} {dtype}");
            let prim = Prim::IntegerPow { exponent };
            samples.push(Sample::one(&*name, prim.clone(), vec![x]).smooth_if(true));
            let values = edges(dtype);
            let x = from_scalars(&TensorType::new(dtype, [values.len()]), values.into_iter());
            samples.push(Sample::one(format!("{name} at its edges"), prim, vec![x]));
        }
    }
    for (shape, what) in [(vec![], "scalar"), (vec![0, 2], "empty"), (vec![1, 2, 1, 2], "rank 4")] {
        let x = generic(&TensorType::new(DType::F64, shape), -1.0, 1.0, 3);
        samples.push(Sample::one(format!("tanh {what}"), Prim::Unary(UnaryOp::Tanh), vec![x]).smooth_if(true));
    }
    samples
}
