//! Samples of nested programs: calls and transformations.

use super::{Family, Sample};
use crate::arrays::generic;
use jx_ir::{Array, Builder, DType, DotDims, Func, Prim, TensorType};
use std::sync::Arc;

fn f64s(shape: &[usize], salt: u64) -> Array {
    generic(&TensorType::new(DType::F64, shape), -1.5, 1.5, salt)
}

/// `(w, x) ↦ (tanh(w · x), Σ w, 2)` with `w: f64[3]`: results that depend on both, on one, on none.
fn affine() -> Arc<Func> {
    let ty = TensorType::new(DType::F64, [3]);
    let (mut b, vars) = Builder::with_inputs([&ty, &ty]);
    let dims = DotDims { lhs_contracting: vec![0], rhs_contracting: vec![0], ..DotDims::default() };
    let dot = b.dot_general(vars[0], vars[1], &dims, DType::F64);
    let y = b.tanh(dot);
    let total = b.reduce_sum(vars[0], &[0]);
    let two = b.full(&TensorType::scalar(DType::F64), 2.0);
    Arc::new(b.finish(&[y, total, two]).with_name("affine"))
}

/// `(x, i) ↦ Σ sin(x)² · x[i]`, a scalar.
fn loss() -> Arc<Func> {
    let types = [TensorType::new(DType::F64, [3]), TensorType::scalar(DType::I32)];
    let (mut b, vars) = Builder::with_inputs(&types);
    let s = b.sin(vars[0]);
    let squared = b.square(s);
    let one = b.dynamic_slice(vars[0], &[vars[1]], &[1]);
    let one = b.broadcast_in_dim(one, &[3], &[0]);
    let product = b.mul(squared, one);
    let total = b.reduce_sum(product, &[0]);
    Arc::new(b.finish(&[total, s]).with_name("loss"))
}

fn index(i: i32) -> Array {
    Array::scalar(i)
}

fn vmap(func: Arc<Func>, in_axes: &[Option<usize>], out_axes: &[Option<usize>], size: usize) -> Prim {
    Prim::Vmap { func, in_axes: in_axes.to_vec(), out_axes: out_axes.to_vec(), size }
}

pub(super) fn samples() -> Vec<Sample> {
    let one = |name: &str, prim, inputs| Sample::one(name, prim, inputs).smooth_if(true);
    let indices = Array::from_vec([2], vec![0_i32, 2]).unwrap_or_else(|why| panic!("test data: {why}"));
    // A vmap of a vmap: every w with every x.
    let inner = Sample::one(
        "inner",
        vmap(affine(), &[None, Some(0)], &[Some(0), None, None], 2),
        vec![f64s(&[3], 1), f64s(&[2, 3], 2)],
    );
    let pairs = vmap(Arc::new(inner.func), &[Some(1), None], &[Some(1), Some(0), None], 4);
    vec![
        one("call", Prim::Call { func: affine() }, vec![f64s(&[3], 1), f64s(&[3], 2)]),
        one("call with an index", Prim::Call { func: loss() }, vec![f64s(&[3], 1), index(1)]),
        one(
            "vmap of both",
            vmap(affine(), &[Some(0), Some(1)], &[Some(0), Some(0), None], 2),
            vec![f64s(&[2, 3], 1), f64s(&[3, 2], 2)],
        ),
        one(
            "vmap of one, results shared",
            vmap(affine(), &[None, Some(0)], &[Some(0), None, Some(0)], 4),
            vec![f64s(&[3], 1), f64s(&[4, 3], 2)],
        ),
        one(
            "vmap of none",
            vmap(affine(), &[None, None], &[Some(0), None, Some(0)], 3),
            vec![f64s(&[3], 1), f64s(&[3], 2)],
        ),
        one(
            "vmap over nothing",
            vmap(affine(), &[None, Some(0)], &[Some(0), None, Some(0)], 0),
            vec![f64s(&[3], 1), f64s(&[0, 3], 2)],
        ),
        one(
            "vmap with an index",
            vmap(loss(), &[Some(1), Some(0)], &[Some(0), Some(1)], 2),
            vec![f64s(&[3, 2], 1), indices],
        ),
        one("vmap of vmap", pairs, vec![f64s(&[3, 4], 1), f64s(&[2, 3], 2)]),
    ]
}

/// Samples with derivative nodes: `eval` refuses them until they are expanded.
#[must_use]
pub fn derivatives() -> Vec<Sample> {
    let x = f64s(&[3], 1);
    let grad = |value| Prim::Grad { func: loss(), wrt: vec![0], value };
    let gradient = Sample::one("grad", grad(false), vec![x.clone(), index(1)]);
    // The gradient's program as a scalar function again, to differentiate it once more.
    let types: Vec<TensorType> = gradient.inputs.iter().map(Array::ty).collect();
    let (mut b, vars) = Builder::with_inputs(&types);
    let results = b.inline(&gradient.func, &vars);
    let total = b.reduce_sum(results[1], &[0]);
    let summed = Arc::new(b.finish(&[total]));
    let jvp = Prim::Jvp { func: loss(), wrt: vec![0] };
    let batched = Sample::one(
        "vmap of grad",
        vmap(Arc::new(gradient.func.clone()), &[Some(0), None], &[Some(0), Some(1)], 2),
        vec![f64s(&[2, 3], 1), index(0)],
    );
    debug_assert_eq!(batched.family, Family::Nodes);
    vec![
        gradient,
        Sample::one("value and grad", grad(true), vec![x.clone(), index(2)]),
        Sample::one("jvp", jvp, vec![x.clone(), index(0), f64s(&[3], 5)]),
        Sample::one(
            "grad of grad",
            Prim::Grad { func: summed.clone(), wrt: vec![0], value: true },
            vec![x.clone(), index(1)],
        ),
        Sample::one("jvp of grad", Prim::Jvp { func: summed, wrt: vec![0] }, vec![x, index(1), f64s(&[3], 6)]),
        batched,
    ]
}
