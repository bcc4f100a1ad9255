//! Samples of conversion between dtypes, each to each, and of `stop_gradient`.

use super::Sample;
use crate::arrays::{edges, from_scalars, generic};
use jx_ir::{DType, Prim, TensorType};

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for from in DType::ALL {
        for dtype in DType::ALL {
            let x = generic(&TensorType::new(from, [2, 3]), -3.0, 90.0, 1);
            let name = format!("convert {from} to {dtype}");
            samples.push(Sample::one(&*name, Prim::Convert { dtype }, vec![x]).smooth_if(true));
            let x = from_scalars(&TensorType::new(from, [edges(from).len()]), edges(from).into_iter());
            samples.push(Sample::one(format!("{name} at its edges"), Prim::Convert { dtype }, vec![x]));
        }
        let x = generic(&TensorType::new(from, [2, 3]), -2.0, 2.0, 1);
        samples.push(Sample::one(format!("stop_gradient {from}"), Prim::StopGradient, vec![x]));
    }
    samples
}
