//! Running programs, and the laws that a derivative obeys.

use jx_autodiff::{grad, jvp, linearize, transpose, vjp};
use jx_ir::{Array, Builder, DType, Func, Scalar, TensorType, Var, eval, verify};

/// The outputs of a program, which must be well formed and run.
#[track_caller]
pub(crate) fn run(func: &Func, inputs: &[Array]) -> Vec<Array> {
    if let Err(why) = verify(func) {
        panic!("{why}\n{func}");
    }
    eval(func, inputs).unwrap_or_else(|why| panic!("{why}\n{func}"))
}

pub(crate) fn f64s(shape: &[usize], values: &[f64]) -> Array {
    Array::from_vec(shape, values.to_vec()).expect("as many values as the shape has")
}

pub(crate) fn i32s(shape: &[usize], values: &[i32]) -> Array {
    Array::from_vec(shape, values.to_vec()).expect("as many values as the shape has")
}

pub(crate) fn ty(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F64, shape)
}

/// The program of one `f64` input of that shape.
pub(crate) fn func1(shape: &[usize], body: impl FnOnce(&mut Builder, Var) -> Var) -> Func {
    let mut b = Builder::new();
    let x = b.input(ty(shape));
    let y = body(&mut b, x);
    b.finish(&[y])
}

/// The program of several inputs of these types.
pub(crate) fn func_of(types: &[TensorType], body: impl FnOnce(&mut Builder, &[Var]) -> Var) -> Func {
    let (mut b, x) = Builder::with_inputs(types);
    let y = body(&mut b, &x);
    b.finish(&[y])
}

/// The sum of all elements.
pub(crate) fn total(b: &mut Builder, x: Var) -> Var {
    let axes: Vec<usize> = (0..b.ty(x).rank()).collect();
    b.reduce_sum(x, &axes)
}

/// The gradient with respect to input 0 of the sum of the first output.
#[track_caller]
pub(crate) fn grad_of_sum(func: &Func, inputs: &[Array]) -> Vec<f64> {
    let summed = sum_of_outputs(func, None);
    run(&grad(&summed, &[0], false).expect("a gradient"), inputs).last().expect("a gradient").to_f64_vec()
}

/// The tangent of output 0 along `dx` in input 0.
#[track_caller]
pub(crate) fn jvp0(func: &Func, inputs: &[Array], dx: &Array) -> Vec<f64> {
    let inputs = [inputs, std::slice::from_ref(dx)].concat();
    run(&jvp(func, &[0]).expect("a jvp"), &inputs)[func.n_outputs()].to_f64_vec()
}

/// Numbers in [-1, 1), the same at each run.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn array(&mut self, ty: &TensorType) -> Array {
        let values: Vec<Scalar> = (0..ty.n_elements()).map(|_| Scalar::from_f64(ty.dtype, self.next())).collect();
        Array::from_scalars(ty, values.into_iter()).expect("as many values as the shape has")
    }
}

/// `Σ w · outputs` over the float outputs; weights 1 without `weights`.
fn sum_of_outputs(func: &Func, weights: Option<&mut Numbers>) -> Func {
    let (mut b, x) = Builder::with_inputs(func.input_types());
    let y = b.inline(func, &x);
    let mut weights = weights;
    let mut sum: Option<Var> = None;
    for y in y {
        if !b.dtype(y).is_float() {
            continue;
        }
        let weighted = match weights.as_deref_mut() {
            Some(numbers) => {
                let w = numbers.array(&b.ty(y).clone());
                let w = b.constant(w);
                b.mul(y, w)
            }
            None => y,
        };
        let part = total(&mut b, weighted);
        let part = b.convert(part, DType::F64);
        sum = Some(match sum {
            Some(sum) => b.add(sum, part),
            None => part,
        });
    }
    b.finish(&[sum.expect("a float output")])
}

/// `x + h dx`.
fn moved(x: &Array, dx: &Array, h: f64) -> Array {
    let values = x.scalars().zip(dx.scalars()).map(|(x, dx)| Scalar::from_f64(x.dtype(), x.as_f64() + h * dx.as_f64()));
    Array::from_scalars(&x.ty(), values).expect("the same type")
}

fn dot(x: &[Array], y: &[Array]) -> f64 {
    x.iter().zip(y).flat_map(|(x, y)| x.scalars().zip(y.scalars())).map(|(x, y)| x.as_f64() * y.as_f64()).sum()
}

#[track_caller]
pub(crate) fn assert_close(what: &str, found: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(found.len(), want.len(), "{what}: the number of values");
    for (i, (&f, &w)) in found.iter().zip(want).enumerate() {
        let error = (f - w).abs() / w.abs().max(1.0);
        assert!(f == w || error <= tolerance, "{what}: value {i} is {f}, not {w}\nfound {found:?}\nwant  {want:?}");
    }
}

/// Fourth-order central difference of a program's float outputs along `dx` in the inputs `wrt`.
#[track_caller]
fn difference(func: &Func, inputs: &[Array], wrt: &[usize], dx: &[Array]) -> Vec<f64> {
    let h = 2.0_f64.powi(-11);
    let at = |h: f64| -> Vec<f64> {
        let mut x = inputs.to_vec();
        for (&i, dx) in wrt.iter().zip(dx) {
            x[i] = moved(&inputs[i], dx, h);
        }
        let outputs = run(func, &x);
        outputs.iter().filter(|y| y.dtype().is_float()).flat_map(Array::to_f64_vec).collect()
    };
    let (p1, m1, p2, m2) = (at(h), at(-h), at(2.0 * h), at(-2.0 * h));
    (0..p1.len()).map(|i| (8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * h)).collect()
}

fn flat(arrays: &[Array]) -> Vec<f64> {
    arrays.iter().flat_map(Array::to_f64_vec).collect()
}

/// The laws at a point where the program is smooth: jvp against differences, linearize and its
/// transpose against jvp, ⟨J v, w⟩ = ⟨v, Jᵀ w⟩, and the jvp of the gradient against its differences.
#[track_caller]
pub(crate) fn check(name: &str, func: &Func, inputs: &[Array], wrt: &[usize]) {
    const TOLERANCE: f64 = 2e-8;
    let mut numbers = Numbers::new(7);
    let v: Vec<Array> = wrt.iter().map(|&i| numbers.array(&inputs[i].ty())).collect();
    let n_out = func.n_outputs();

    let pushed = jvp(func, wrt).unwrap_or_else(|why| panic!("{name}: {why}"));
    let both = run(&pushed, &[inputs, &v].concat());
    let tangents = &both[n_out..];
    assert_eq!(both[..n_out], run(func, inputs), "{name}: the values of jvp");
    assert_close(&format!("{name}: jvp"), &flat(tangents), &difference(func, inputs, wrt, &v), TOLERANCE);

    let lin = linearize(func, wrt).expect("as jvp");
    let outputs = run(&lin.primal, inputs);
    let residuals = &outputs[n_out..];
    assert_eq!(residuals.len(), lin.n_residuals, "{name}: residuals");
    let linear = run(&lin.linear, &[residuals, &v].concat());
    assert_eq!(linear, tangents, "{name}: linearize");

    let w: Vec<Array> = tangents.iter().map(|t| numbers.array(&t.ty())).collect();
    let pulled = run(&vjp(func, wrt).unwrap_or_else(|why| panic!("{name}: {why}")), &[inputs, &w].concat());
    let cts = &pulled[n_out..];
    assert_eq!(pulled[..n_out], both[..n_out], "{name}: the values of vjp");
    assert_close(&format!("{name}: transpose"), &[dot(&v, cts)], &[dot(tangents, &w)], 1e-10);
    let back = transpose(&lin.linear, lin.n_residuals).expect("as vjp");
    assert_eq!(run(&back, &[residuals, &w].concat()), cts, "{name}: transpose of linearize");

    let scalar = sum_of_outputs(func, Some(&mut numbers));
    let gradient = grad(&scalar, wrt, false).expect("as vjp");
    let second = jvp(&gradient, wrt).unwrap_or_else(|why| panic!("{name}, second order: {why}"));
    let found = run(&second, &[inputs, &v].concat());
    let want = difference(&gradient, inputs, wrt, &v);
    assert_close(&format!("{name}: second order"), &flat(&found[wrt.len()..]), &want, 50.0 * TOLERANCE);

    let v2: Vec<Array> = wrt.iter().map(|&i| numbers.array(&inputs[i].ty())).collect();
    let twice = run(&vjp(&gradient, wrt).expect("reverse over reverse"), &[inputs, &v2].concat());
    let left = dot(&v, &twice[wrt.len()..]);
    assert_close(&format!("{name}: reverse over reverse"), &[left], &[dot(&found[wrt.len()..], &v2)], 1e-9);
}
