//! The law of `vmap`: the batched program gives, bit for bit, what the loop over examples gives.

use jx_batch::vmap;
use jx_ir::{Array, Builder, DType, DTypeKind, Func, Prim, Scalar, TensorType, Var, eval, verify};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A type from a dtype and a shape.
pub(crate) fn ty<const N: usize>(dtype: DType, shape: [usize; N]) -> TensorType {
    TensorType::new(dtype, shape)
}

/// The program that applies one primitive to inputs of these types.
pub(crate) fn of_prim(prim: Prim, inputs: &[TensorType]) -> Func {
    build(inputs, |b, x| b.try_emit(prim, x).expect("the sample is well typed"))
}

/// The program that `body` makes on inputs of these types.
pub(crate) fn build(inputs: &[TensorType], body: impl FnOnce(&mut Builder, &[Var]) -> Vec<Var>) -> Func {
    let (mut b, x) = Builder::with_inputs(inputs);
    let outputs = body(&mut b, &x);
    b.finish(&outputs)
}

/// Values of a type, the same for the same seed: mostly small ones of both signs, so that they are
/// in the range of an index about as often as not, and some of the dtype's extremes.
pub(crate) fn sample(ty: &TensorType, seed: u64) -> Array {
    let mut state = seed;
    // Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let specials = [0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, 6e4];
    let dtype = ty.dtype;
    let values = (0..ty.n_elements()).map(|_| {
        let (kind, bits) = (next() % 4, next());
        match dtype.kind() {
            DTypeKind::Bool => Scalar::from_bits(dtype, bits & 1),
            DTypeKind::Signed | DTypeKind::Unsigned => match (kind, bits % 3) {
                (0, 0) => Scalar::min_value(dtype),
                (0, 1) => Scalar::max_value(dtype),
                (0, _) => Scalar::from_bits(dtype, bits >> 2),
                (_, _) => Scalar::from_i64(dtype, (bits % 7) as i64 - 1),
            },
            DTypeKind::Float if kind == 0 => Scalar::from_f64(dtype, specials[(bits % 10) as usize]),
            DTypeKind::Float => Scalar::from_f64(dtype, (bits >> 11) as f64 / (1u64 << 50) as f64 - 4.0),
        }
    });
    let values: Vec<Scalar> = values.collect();
    Array::from_scalars(ty, values.into_iter()).expect("one value for each element")
}

/// The types of the batched inputs.
fn batched_types(func: &Func, in_axes: &[Option<usize>], size: usize) -> Vec<TensorType> {
    let batched = func.input_types().iter().zip(in_axes).map(|(ty, axis)| {
        let mut ty = ty.clone();
        if let Some(axis) = axis {
            ty.shape.insert(*axis, size);
        }
        ty
    });
    batched.collect()
}

/// The program whose one equation is the loop over examples.
pub(crate) fn looped(func: &Func, in_axes: &[Option<usize>], out_axes: &[Option<usize>], size: usize) -> Func {
    let node =
        Prim::Vmap { func: Arc::new(func.clone()), in_axes: in_axes.to_vec(), out_axes: out_axes.to_vec(), size };
    of_prim(node, &batched_types(func, in_axes, size))
}

/// That the batched program and the loop agree on these values.
pub(crate) fn check_on(
    func: &Func,
    in_axes: &[Option<usize>],
    out_axes: &[Option<usize>],
    size: usize,
    inputs: &[Array],
) {
    let looped = looped(func, in_axes, out_axes, size);
    let batched = vmap(func, in_axes, out_axes, size).expect("the axes fit");
    verify(&batched).expect("a batched program is well formed");
    let want = eval(&looped, inputs).expect("the loop runs");
    let got = eval(&batched, inputs).expect("the batched program runs");
    assert_eq!(got, want, "\nof {inputs:?}\nby {looped}\nas {batched}");
}

/// Where the batch axis is among the axes of a tensor.
#[derive(Clone, Copy)]
enum Place {
    First,
    Middle,
    Last,
    /// Each of these in turn, by the tensor's number.
    InTurn,
}

impl Place {
    fn axis(self, number: usize, example_rank: usize) -> usize {
        match self {
            Place::First => 0,
            Place::Middle => example_rank.div_ceil(2),
            Place::Last => example_rank,
            Place::InTurn => [Place::Last, Place::First, Place::Middle][number % 3].axis(0, example_rank),
        }
    }
}

/// That batched program and loop agree for every choice of mapped inputs, at several places of the
/// batch axis and sizes; 3 is also the extent of many axes of the samples, so that a batch axis that
/// meets an example's axis is not refused but wrong.
pub(crate) fn check(func: &Func) {
    let n = func.n_inputs();
    for subset in 1_u32..1 << n {
        let mapped = |i: usize| subset >> i & 1 == 1;
        let depends = func.depends_on(mapped);
        let mut seen = BTreeSet::new();
        for (ins, outs) in [
            (Place::First, Some(Place::First)),
            (Place::First, Some(Place::Last)),
            (Place::Middle, None),
            (Place::Last, Some(Place::Middle)),
            (Place::InTurn, Some(Place::InTurn)),
        ] {
            let in_axes: Vec<Option<usize>> = func
                .input_types()
                .iter()
                .enumerate()
                .map(|(i, ty)| mapped(i).then(|| ins.axis(i, ty.rank())))
                .collect();
            // Without a place, results that no mapped input reaches are given once.
            let out_axes: Vec<Option<usize>> = func
                .output_types()
                .zip(&depends)
                .enumerate()
                .map(|(i, (ty, &depends))| match outs {
                    Some(place) => Some(place.axis(i, ty.rank())),
                    None => depends.then_some(0),
                })
                .collect();
            if !seen.insert((in_axes.clone(), out_axes.clone())) {
                continue;
            }
            for size in [0, 1, 3] {
                let types = batched_types(func, &in_axes, size);
                let inputs: Vec<Array> = types.iter().zip(1..).map(|(ty, seed)| sample(ty, seed)).collect();
                check_on(func, &in_axes, &out_axes, size, &inputs);
            }
        }
    }
}

/// [`check`] of one primitive.
pub(crate) fn check_prim(prim: Prim, inputs: &[TensorType]) {
    check(&of_prim(prim, inputs));
}
