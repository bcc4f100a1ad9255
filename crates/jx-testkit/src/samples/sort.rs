//! Samples of sorting.

use super::Sample;
use crate::arrays::{edges, from_scalars, generic, numbers};
use jx_ir::{DType, Prim, TensorType};

pub(super) fn samples() -> Vec<Sample> {
    let sort = |dimension, num_keys| Prim::Sort { dimension, num_keys };
    let mut samples = Vec::new();
    for dtype in DType::ALL {
        let x = generic(&TensorType::new(dtype, [2, 5]), -9.0, 9.0, 1);
        samples.push(Sample::one(format!("sort {dtype}"), sort(1, 1), vec![x]).smooth_if(true));
        // NaN last, zeros of both signs equal: the second operand shows that the order is stable.
        let values = edges(dtype);
        let n = 2 * values.len();
        let keys = from_scalars(&TensorType::new(dtype, [n]), values.iter().chain(values.iter().rev()).copied());
        let places: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let inputs = vec![keys, numbers(DType::I32, &[n], &places)];
        samples.push(Sample::one(format!("sort {dtype} edges with places"), sort(0, 1), inputs));
    }
    let f64s = |shape: &[usize], salt| generic(&TensorType::new(DType::F64, shape), -2.0, 2.0, salt);
    samples.push(Sample::one("sort along 0", sort(0, 1), vec![f64s(&[4, 2], 2)]).smooth_if(true));
    samples.push(Sample::one("sort along the middle", sort(1, 1), vec![f64s(&[2, 3, 2], 3)]).smooth_if(true));
    let carried = vec![f64s(&[5], 4), f64s(&[5], 5), f64s(&[5], 6)];
    samples.push(Sample::one("sort carrying two", sort(0, 1), carried).smooth_if(true));
    // Ties in the first key are broken by the second, then by place.
    let keys = vec![
        numbers(DType::I32, &[6], &[2.0, 1.0, 2.0, 1.0, 2.0, 1.0]),
        numbers(DType::F64, &[6], &[0.5, 0.25, -0.5, 0.25, 0.5, -1.0]),
        f64s(&[6], 7),
    ];
    samples.push(Sample::one("sort by two keys", sort(0, 2), keys.clone()));
    samples.push(Sample::one("sort by one key with ties", sort(0, 1), keys).smooth_if(true));
    let ints = vec![numbers(DType::I64, &[2, 3], &[3.0, 1.0, 2.0, 2.0, 2.0, 1.0]), f64s(&[2, 3], 8)];
    samples.push(Sample::one("sort floats by ints", sort(1, 1), ints).smooth_if(true));
    samples.push(Sample::one("sort of nothing", sort(1, 1), vec![f64s(&[2, 0], 1)]).smooth_if(true));
    samples.push(Sample::one("sort of no rows", sort(1, 1), vec![f64s(&[0, 3], 1)]).smooth_if(true));
    samples.push(Sample::one("sort of single elements", sort(0, 1), vec![f64s(&[1, 3], 1)]).smooth_if(true));
    samples
}
