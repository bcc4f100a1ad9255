//! Samples of movement and of tensors made of nothing.

use super::{CORE, Sample};
use crate::arrays::generic;
use jx_ir::{Array, DType, Prim, Scalar, TensorType};
use std::sync::Arc;

/// A setting of a movement op: what it shows, the primitive, the shapes of its operands.
type Setting = (String, Prim, Vec<Vec<usize>>);

fn reshape(what: &str, from: &[usize], to: &[usize]) -> Setting {
    (what.to_owned(), Prim::Reshape { shape: to.to_vec() }, vec![from.to_vec()])
}

fn transpose(from: &[usize], permutation: &[usize]) -> Setting {
    (
        format!("permuted by {permutation:?} of {from:?}"),
        Prim::Transpose { permutation: permutation.to_vec() },
        vec![from.to_vec()],
    )
}

fn broadcast(what: &str, from: &[usize], to: &[usize], dims: &[usize]) -> Setting {
    let prim = Prim::BroadcastInDim { shape: to.to_vec(), broadcast_dimensions: dims.to_vec() };
    (what.to_owned(), prim, vec![from.to_vec()])
}

fn slice(what: &str, from: &[usize], start: &[usize], limit: &[usize], strides: &[usize]) -> Setting {
    let prim = Prim::Slice { start: start.to_vec(), limit: limit.to_vec(), strides: strides.to_vec() };
    (what.to_owned(), prim, vec![from.to_vec()])
}

fn pad(what: &str, from: &[usize], low: &[i64], high: &[i64], interior: &[usize]) -> Setting {
    let prim = Prim::Pad { low: low.to_vec(), high: high.to_vec(), interior: interior.to_vec() };
    (what.to_owned(), prim, vec![from.to_vec(), vec![]])
}

fn concatenate(what: &str, shapes: &[&[usize]], dimension: usize) -> Setting {
    (what.to_owned(), Prim::Concatenate { dimension }, shapes.iter().map(|s| s.to_vec()).collect())
}

fn rev(from: &[usize], dimensions: &[usize]) -> Setting {
    (format!("{from:?} along {dimensions:?}"), Prim::Rev { dimensions: dimensions.to_vec() }, vec![from.to_vec()])
}

/// The first setting of each op is run in every dtype.
fn settings() -> Vec<Vec<Setting>> {
    vec![
        vec![
            reshape("split and merge", &[2, 6], &[3, 2, 2]),
            reshape("to a scalar", &[1, 1], &[]),
            reshape("from a scalar", &[], &[1]),
            reshape("same shape", &[2, 3], &[2, 3]),
            reshape("empty", &[0, 3], &[2, 0]),
        ],
        vec![
            transpose(&[2, 3, 4], &[2, 0, 1]),
            transpose(&[2, 3], &[1, 0]),
            transpose(&[2, 3], &[0, 1]),
            transpose(&[], &[]),
            transpose(&[0, 3], &[1, 0]),
        ],
        vec![
            broadcast("new axes on both sides", &[3], &[2, 3, 2], &[1]),
            broadcast("stretched", &[1, 3], &[2, 3], &[0, 1]),
            broadcast("scalar", &[], &[2, 2], &[]),
            broadcast("stretched and new", &[3, 1], &[3, 2, 4], &[0, 2]),
            broadcast("to empty", &[1, 2], &[0, 2], &[0, 1]),
            broadcast("unchanged", &[2, 3], &[2, 3], &[0, 1]),
        ],
        vec![
            slice("strided", &[5, 4], &[1, 0], &[5, 3], &[2, 1]),
            slice("stride beyond the end", &[5], &[1], &[5], &[7]),
            slice("whole", &[2, 3], &[0, 0], &[2, 3], &[1, 1]),
            slice("to empty", &[2, 3], &[1, 2], &[1, 3], &[1, 1]),
            slice("scalar", &[], &[], &[], &[]),
            slice("strides both", &[4, 6], &[0, 1], &[4, 6], &[3, 2]),
        ],
        vec![
            pad("before, after and between", &[2, 3], &[1, 0], &[2, 1], &[0, 2]),
            pad("negative", &[4, 3], &[-1, 2], &[-2, -1], &[0, 0]),
            pad("negative after interior", &[3], &[-2], &[-1], &[2]),
            pad("cut to nothing", &[3], &[-2], &[-1], &[0]),
            pad("of nothing", &[0, 2], &[1, 0], &[1, 1], &[1, 0]),
            pad("scalar", &[], &[], &[], &[]),
        ],
        vec![
            concatenate("three", &[&[2, 1], &[2, 3], &[2, 2]], 1),
            concatenate("one", &[&[2, 3]], 0),
            concatenate("with empty", &[&[0, 2], &[3, 2], &[0, 2]], 0),
            concatenate("middle axis", &[&[2, 1, 2], &[2, 2, 2]], 1),
        ],
        vec![rev(&[2, 3], &[1]), rev(&[2, 3], &[1, 0]), rev(&[2, 3], &[]), rev(&[0, 3], &[0])],
    ]
}

fn constants(dtype: DType, samples: &mut Vec<Sample>) {
    let value = generic(&TensorType::new(dtype, [2, 3]), -2.0, 3.0, 1);
    samples.push(Sample::one(format!("constant {dtype}"), Prim::Constant(Arc::new(value)), vec![]));
    for value in crate::arrays::edges(dtype) {
        samples.push(Sample::one(
            format!("full {dtype} of bits {:#x}", value.bits()),
            Prim::Full { value, shape: vec![2, 2] },
            vec![],
        ));
    }
    let value = Scalar::one(dtype);
    samples.push(Sample::one(format!("full {dtype} scalar"), Prim::Full { value, shape: vec![] }, vec![]));
    samples.push(Sample::one(format!("full {dtype} empty"), Prim::Full { value, shape: vec![0, 3] }, vec![]));
    if dtype == DType::Bool {
        return;
    }
    for (shape, dimension) in [(vec![5], 0), (vec![2, 3], 0), (vec![2, 3, 2], 1), (vec![0], 0)] {
        let name = format!("iota {dtype} {shape:?} along {dimension}");
        let prim = Prim::Iota { ty: TensorType::new(dtype, shape), dimension };
        samples.push(Sample::one(name, prim, vec![]));
    }
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for dtype in DType::ALL {
        constants(dtype, &mut samples);
        for op_settings in settings() {
            let n = if CORE.contains(&dtype) { op_settings.len() } else { 1 };
            for (what, prim, shapes) in op_settings.into_iter().take(n) {
                let name = format!("{} {dtype} {what}", prim.name());
                let operand = |(salt, shape): (u64, Vec<usize>)| -> Array {
                    generic(&TensorType::new(dtype, shape), -2.0, 3.0, salt)
                };
                let inputs = (1..).zip(shapes).map(operand).collect();
                samples.push(Sample::one(name, prim, inputs).smooth_if(true));
            }
        }
    }
    samples
}
