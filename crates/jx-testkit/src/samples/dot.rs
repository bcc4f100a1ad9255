//! Samples of contraction.

use super::{CORE, Sample};
use crate::arrays::generic;
use jx_ir::{DType, DotDims, Prim, TensorType};

/// A setting: what it shows, the operands' shapes, contracted axes and batch axes of each.
type Setting = (&'static str, [&'static [usize]; 2], [&'static [usize]; 2], [&'static [usize]; 2]);

/// The first setting is run in every dtype.
const SETTINGS: [Setting; 15] = [
    ("matrix by matrix", [&[2, 3], &[3, 4]], [&[1], &[0]], [&[], &[]]),
    ("vector by vector", [&[3], &[3]], [&[0], &[0]], [&[], &[]]),
    ("matrix by vector", [&[2, 3], &[3]], [&[1], &[0]], [&[], &[]]),
    ("vector by matrix", [&[2], &[2, 3]], [&[0], &[0]], [&[], &[]]),
    ("outer", [&[2], &[3]], [&[], &[]], [&[], &[]]),
    ("scalars", [&[], &[]], [&[], &[]], [&[], &[]]),
    ("both transposed", [&[3, 2], &[4, 3]], [&[0], &[1]], [&[], &[]]),
    ("batch first", [&[2, 3, 4], &[2, 4, 2]], [&[2], &[1]], [&[0], &[0]]),
    ("batch in the middle", [&[3, 2, 4], &[4, 3, 2]], [&[2], &[0]], [&[1], &[2]]),
    ("two contracted, permuted", [&[2, 3, 4], &[4, 5, 3]], [&[1, 2], &[2, 0]], [&[], &[]]),
    ("two batch, permuted", [&[2, 3, 4], &[3, 4, 2]], [&[2], &[1]], [&[0, 1], &[2, 0]]),
    ("batch order reversed", [&[2, 3, 2], &[2, 2, 3]], [&[2], &[0]], [&[1, 0], &[2, 1]]),
    ("batch only", [&[2, 3], &[3, 2]], [&[], &[]], [&[0, 1], &[1, 0]]),
    ("nothing contracted over", [&[2, 0], &[0, 3]], [&[1], &[0]], [&[], &[]]),
    ("empty result", [&[0, 2], &[2, 3]], [&[1], &[0]], [&[], &[]]),
];

fn dims(contracting: [&[usize]; 2], batch: [&[usize]; 2]) -> DotDims {
    let [lhs_contracting, rhs_contracting] = contracting.map(<[usize]>::to_vec);
    let [lhs_batch, rhs_batch] = batch.map(<[usize]>::to_vec);
    DotDims { lhs_contracting, rhs_contracting, lhs_batch, rhs_batch }
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for dtype in DType::ALL.into_iter().filter(|&d| d != DType::Bool) {
        let n = if CORE.contains(&dtype) { SETTINGS.len() } else { 1 };
        for (what, [lhs, rhs], contracting, batch) in SETTINGS.into_iter().take(n) {
            let inputs = vec![
                generic(&TensorType::new(dtype, lhs), -2.0, 3.0, 1),
                generic(&TensorType::new(dtype, rhs), -3.0, 2.0, 2),
            ];
            let prim = Prim::DotGeneral { dims: dims(contracting, batch), out_dtype: dtype };
            samples.push(Sample::one(format!("dot_general {dtype} {what}"), prim, inputs).smooth_if(true));
        }
    }
    // Sums in a wider dtype: 100 · 100 · 3 does not fit an i8.
    let wider = [
        (DType::I8, DType::I32),
        (DType::U8, DType::U32),
        (DType::I16, DType::I64),
        (DType::F16, DType::F32),
        (DType::BF16, DType::F32),
        (DType::F32, DType::F64),
    ];
    for (from, out_dtype) in wider {
        let lhs = generic(&TensorType::new(from, [2, 3]), 60.0, 127.0, 1);
        let rhs = generic(&TensorType::new(from, [3, 2]), 60.0, 127.0, 2);
        let prim = Prim::DotGeneral { dims: dims([&[1], &[0]], [&[], &[]]), out_dtype };
        samples.push(Sample::one(format!("dot_general {from} summed in {out_dtype}"), prim, vec![lhs, rhs]));
    }
    samples
}
