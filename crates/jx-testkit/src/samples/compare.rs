//! Samples of comparison, selection and clamping.

use super::Sample;
use super::binary::edge_pairs;
use crate::arrays::{edges, from_scalars, generic, numbers};
use jx_ir::{CompareOp, DType, Prim, TensorType};

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for &op in CompareOp::ALL {
        for dtype in DType::ALL {
            let name = format!("{} {dtype}", op.name());
            let ty = TensorType::new(dtype, [2, 3]);
            let inputs = vec![generic(&ty, -2.0, 3.0, 1), generic(&ty, -2.0, 3.0, 2)];
            samples.push(Sample::one(&*name, Prim::Compare(op), inputs).smooth_if(true));
            let inputs = edge_pairs(dtype).to_vec();
            samples.push(Sample::one(format!("{name} at its edges"), Prim::Compare(op), inputs));
        }
    }
    for dtype in DType::ALL {
        let ty = TensorType::new(dtype, [2, 3]);
        let which = generic(&TensorType::new(DType::Bool, [2, 3]), 0.0, 1.0, 3);
        let cases = [generic(&ty, -2.0, 3.0, 1), generic(&ty, -2.0, 3.0, 2)];
        let inputs = [vec![which], cases.to_vec()].concat();
        samples.push(Sample::one(format!("select_n {dtype}"), Prim::SelectN, inputs).smooth_if(true));
        if dtype == DType::Bool {
            continue;
        }
        let bounds = [generic(&ty, -1.1, -0.5, 4), generic(&ty, -3.0, 3.0, 5), generic(&ty, 0.4, 1.3, 6)];
        samples.push(Sample::one(format!("clamp {dtype}"), Prim::Clamp, bounds.to_vec()).smooth_if(true));
        let x = from_scalars(&TensorType::new(dtype, [edges(dtype).len()]), edges(dtype).into_iter());
        // With lo above hi, hi wins: min(max(x, lo), hi).
        let [lo, hi] = [2.0, 1.0].map(|v| numbers(dtype, &[x.n_elements()], &vec![v; x.n_elements()]));
        samples.push(Sample::one(format!("clamp {dtype} with lo above hi"), Prim::Clamp, vec![lo, x.clone(), hi]));
        let [y, z] = [crate::arrays::rolled(&x, 1), crate::arrays::rolled(&x, 5)];
        samples.push(Sample::one(format!("clamp {dtype} at its edges"), Prim::Clamp, vec![y, x, z]));
    }
    for dtype in DType::ALL.into_iter().filter(|d| d.is_int()) {
        // Out of range on both sides: the selector is clamped (a negative number wraps for unsigned dtypes).
        let which = numbers(dtype, &[6], &[0.0, 1.0, 2.0, 3.0, 100.0, -1.0]);
        let ty = TensorType::new(DType::F64, [6]);
        let cases = (1..4).map(|salt| generic(&ty, -2.0, 3.0, salt));
        let inputs = std::iter::once(which).chain(cases).collect();
        samples.push(Sample::one(format!("select_n by {dtype} of three"), Prim::SelectN, inputs).smooth_if(true));
    }
    let one = [numbers(DType::Bool, &[2], &[0.0, 1.0]), numbers(DType::F64, &[2], &[1.5, 2.5])];
    samples.push(Sample::one("select_n of one case", Prim::SelectN, one.to_vec()).smooth_if(true));
    let scalar =
        [numbers(DType::Bool, &[], &[1.0]), numbers(DType::F64, &[], &[1.5]), numbers(DType::F64, &[], &[f64::NAN])];
    samples.push(Sample::one("select_n of scalars", Prim::SelectN, scalar.to_vec()));
    samples
}
