//! Samples of random bits.

use super::Sample;
use crate::arrays::{edges, from_scalars, numbers};
use jx_ir::{Array, DType, Prim, TensorType};

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    // The test vectors of the paper's reference code: all zeros, all ones, digits of pi.
    let vectors: [[u32; 4]; 3] = [[0; 4], [u32::MAX; 4], [0x1319_8a2e, 0x0370_7344, 0x243f_6a88, 0x85a3_08d3]];
    for (words, what) in vectors.into_iter().zip(["zeros", "ones", "pi"]) {
        let inputs = words.map(Array::scalar).to_vec();
        samples.push(Sample::one(format!("threefry2x32 of {what}"), Prim::Threefry2x32, inputs));
    }
    let ty = TensorType::new(DType::U32, [edges(DType::U32).len()]);
    let x = from_scalars(&ty, edges(DType::U32).into_iter());
    let inputs = [1, 3, 5, 7].map(|k| crate::arrays::rolled(&x, k)).to_vec();
    samples.push(Sample::one("threefry2x32 at its edges", Prim::Threefry2x32, inputs));
    let inputs = [1.0, 2.0, 3.0, 4.0].map(|k| numbers(DType::U32, &[2, 2], &[k, 9.0 * k, 77.0, k * k])).to_vec();
    samples.push(Sample::one("threefry2x32 of a matrix", Prim::Threefry2x32, inputs));
    let inputs = vec![numbers(DType::U32, &[0], &[]); 4];
    samples.push(Sample::one("threefry2x32 of nothing", Prim::Threefry2x32, inputs));
    samples
}
