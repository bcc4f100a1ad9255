//! Law 2: derivatives are what difference quotients converge to, and each other's adjoints.

use super::batching::VmapPass;
use super::{Fault, LawFailure, PassError, agree, agree_within, evaluated, hold, well_formed};
use crate::arrays::{from_scalars, generic, rolled, stacked};
use crate::tolerance::{Mismatch, OpClass, compare_all, tolerance};
use jx_ir::{Array, Builder, DType, Func, Scalar, TensorType, Var};

/// A pass of a program and the inputs that are differentiated.
pub type WrtPass<'a> = &'a dyn Fn(&Func, &[usize]) -> Result<Func, PassError>;

/// The passes under test.
#[derive(Clone, Copy)]
pub struct Passes<'a> {
    /// Inputs ++ tangents of `wrt` to outputs ++ tangents of float outputs.
    pub jvp: WrtPass<'a>,
    /// Inputs ++ cotangents of float outputs to outputs ++ cotangents of `wrt`.
    pub vjp: WrtPass<'a>,
    /// Inputs to the gradients of the first output, after the other outputs; no value.
    pub grad: WrtPass<'a>,
}

/// Whether a law could be judged on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// There was nothing to judge: no float inputs, values that are not finite, or difference quotients
    /// that do not converge.
    Skipped,
}

/// The inputs of type `f64`: the others stay where they are.
fn moving(func: &Func) -> Vec<usize> {
    (0..func.n_inputs()).filter(|&i| func.input_types()[i].dtype == DType::F64).collect()
}

/// A direction: generic numbers of the types of the inputs in `wrt`.
fn direction(func: &Func, wrt: &[usize], salt: u64) -> Vec<Array> {
    wrt.iter().zip(salt..).map(|(&i, salt)| generic(&func.input_types()[i], -1.0, 1.0, salt)).collect()
}

fn is_finite(arrays: &[Array]) -> bool {
    arrays.iter().all(|x| x.scalars().all(|s| s.as_f64().is_finite()))
}

fn float_results(func: &Func, results: &[Array]) -> Vec<Array> {
    debug_assert_eq!(func.n_outputs(), results.len());
    results.iter().filter(|x| x.dtype().is_float()).cloned().collect()
}

/// `inputs` moved by `h` along the direction.
fn moved(inputs: &[Array], wrt: &[usize], direction: &[Array], h: f64) -> Vec<Array> {
    let mut moved = inputs.to_vec();
    for (&i, v) in wrt.iter().zip(direction) {
        let sums = inputs[i].scalars().zip(v.scalars());
        let sums = sums.map(|(x, v)| Scalar::from_f64(DType::F64, x.as_f64() + h * v.as_f64()));
        moved[i] = from_scalars(&inputs[i].ty(), sums);
    }
    moved
}

/// `a · x + b · y`, elementwise.
fn combined(a: f64, x: &[Array], b: f64, y: &[Array]) -> Vec<Array> {
    let one = |(x, y): (&Array, &Array)| {
        let sums = x.scalars().zip(y.scalars());
        from_scalars(&x.ty(), sums.map(|(x, y)| Scalar::from_f64(x.dtype(), a * x.as_f64() + b * y.as_f64())))
    };
    x.iter().zip(y).map(one).collect()
}

/// The derivative of the float results along the direction as a central difference with Richardson's
/// extrapolation: (4 D(h/2) - D(h)) / 3, whose error is of order h⁴.
fn quotient(func: &Func, inputs: &[Array], wrt: &[usize], v: &[Array], h: f64) -> Result<Vec<Array>, Fault> {
    let central = |h: f64| -> Result<Vec<Array>, Fault> {
        let at = |h: f64| -> Result<Vec<Array>, Fault> {
            let results = evaluated("the program", func, &moved(inputs, wrt, v, h))?;
            Ok(float_results(func, &results))
        };
        Ok(combined(0.5 / h, &at(h)?, -0.5 / h, &at(-h)?))
    };
    Ok(combined(4.0 / 3.0, &central(0.5 * h)?, -1.0 / 3.0, &central(h)?))
}

/// Steps of difference quotients, long ones first: the first two that agree are believed.
const STEPS: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];

/// Whether `got` is the derivative of the float results along `v`.
fn is_derivative(
    what: &str,
    got: &[Array],
    func: &Func,
    inputs: &[Array],
    wrt: &[usize],
    v: &[Array],
) -> Result<Verdict, Fault> {
    let tol = |dtype| tolerance(dtype, OpClass::Differences);
    let tight = |dtype| {
        let t = tol(dtype);
        crate::tolerance::Tolerance { relative: 0.1 * t.relative, of_largest: 0.1 * t.of_largest, ..t }
    };
    let mut before: Option<Vec<Array>> = None;
    for h in STEPS {
        let estimate = quotient(func, inputs, wrt, v, h)?;
        if !is_finite(&estimate) {
            return Ok(Verdict::Skipped);
        }
        if compare_all(got, &estimate, tol).is_ok() {
            return Ok(Verdict::Holds);
        }
        if before.is_some_and(|b| compare_all(&b, &estimate, tight).is_ok()) {
            agree_within(what, got, &estimate, &tol)?;
        }
        before = Some(estimate);
    }
    Ok(Verdict::Skipped)
}

/// Law 2: `jvp` gives the program's own results, and tangents that difference quotients converge to.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn jvp_matches_differences(func: &Func, inputs: &[Array], passes: Passes) -> Result<Verdict, LawFailure> {
    hold("jvp equals central differences", func, inputs, &|func, inputs| {
        let wrt = moving(func);
        let want = evaluated("the program", func, inputs)?;
        if wrt.is_empty() || !is_finite(&float_results(func, &want)) {
            return Ok(Verdict::Skipped);
        }
        let v = direction(func, &wrt, 11);
        let pushed = well_formed("jvp", (passes.jvp)(func, &wrt))?;
        let got = evaluated("the jvp", &pushed, &[inputs, &v].concat())?;
        let (results, tangents) = got.split_at(want.len().min(got.len()));
        agree("the results of jvp beside the program's", results, &want, OpClass::Accumulated)?;
        is_derivative("tangents beside differences", tangents, func, inputs, &wrt, &v)
    })
}

fn dot(x: &[Array], y: &[Array]) -> (f64, f64) {
    let products = x
        .iter()
        .zip(y)
        .flat_map(|(x, y)| x.scalars().zip(y.scalars()).map(|(x, y)| x.as_f64() * y.as_f64()).collect::<Vec<_>>());
    products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()))
}

/// Law 2: `⟨J v, w⟩ = ⟨v, Jᵀ w⟩` for generic `v` and `w`, smooth or not: both modes agree at kinks and ties.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn vjp_is_the_adjoint_of_jvp(func: &Func, inputs: &[Array], passes: Passes) -> Result<Verdict, LawFailure> {
    hold("⟨J v, w⟩ = ⟨v, Jᵀ w⟩", func, inputs, &|func, inputs| {
        let wrt = moving(func);
        let all_wide = func.output_types().all(|ty| !ty.dtype.is_float() || ty.dtype == DType::F64);
        if wrt.is_empty() || !all_wide {
            return Ok(Verdict::Skipped);
        }
        let want = evaluated("the program", func, inputs)?;
        let v = direction(func, &wrt, 21);
        let w: Vec<Array> = func
            .output_types()
            .filter(|ty| ty.dtype.is_float())
            .zip(51..)
            .map(|(ty, salt)| generic(ty, -1.0, 1.0, salt))
            .collect();
        let pushed = well_formed("jvp", (passes.jvp)(func, &wrt))?;
        let pulled = well_formed("vjp", (passes.vjp)(func, &wrt))?;
        let jv = evaluated("the jvp", &pushed, &[inputs, &v].concat())?.split_off(want.len());
        let mut results = evaluated("the vjp", &pulled, &[inputs, &w].concat())?;
        let jtw = results.split_off(want.len());
        agree("the results of vjp beside the program's", &results, &want, OpClass::Accumulated)?;
        let types_fit = jtw.len() == v.len() && jtw.iter().zip(&v).all(|(x, v)| x.ty() == v.ty());
        if !types_fit {
            let why = format!("cotangents of other types than the inputs: {jtw:?}");
            return Err(Fault::IllFormed { pass: "vjp", why });
        }
        if !is_finite(&jv) || !is_finite(&jtw) {
            return Ok(Verdict::Skipped);
        }
        let ((forward, forward_size), (reverse, reverse_size)) = (dot(&jv, &w), dot(&v, &jtw));
        // Both are sums of rounded products: their error is in proportion to the sum of magnitudes.
        if (forward - reverse).abs() <= 1e-10 * forward_size.max(reverse_size) + 1e-300 {
            return Ok(Verdict::Holds);
        }
        let scalar = |v: f64| Scalar::from_f64(DType::F64, v);
        let (got, wanted) = (scalar(reverse), scalar(forward));
        let ulps = crate::tolerance::ulps_between(got, wanted);
        let mismatch = Mismatch::Element { index: vec![], got, want: wanted, ulps, n_differ: 1, n_elements: 1 };
        Err(Fault::Differ { what: "⟨v, Jᵀ w⟩ beside ⟨J v, w⟩".to_owned(), index: 0, mismatch })
    })
}

/// The scalar `Σ ⟨w, y⟩` over the float results `y`, with generic `w`.
fn weighted_sum(func: &Func) -> Func {
    let (mut b, vars) = Builder::with_inputs(func.input_types());
    let results = b.inline(func, &vars);
    let mut total = b.full(&TensorType::scalar(DType::F64), 0.0);
    for (y, salt) in results.into_iter().zip(71..) {
        let ty: TensorType = b.ty(y).clone();
        if ty.dtype == DType::F64 {
            let w = b.constant(generic(&ty, -1.0, 1.0, salt));
            total = add_inner_product(&mut b, total, w, y);
        }
    }
    b.finish(&[total])
}

fn add_inner_product(b: &mut Builder, total: Var, x: Var, y: Var) -> Var {
    let product = b.mul(x, y);
    let axes: Vec<usize> = (0..b.shape(product).len()).collect();
    let sum = b.reduce_sum(product, &axes);
    b.add(total, sum)
}

/// Law 2, order 2: jvp of grad equals central differences of grad, and grad of `⟨grad, v⟩` equals jvp of grad.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn second_order_matches_differences(func: &Func, inputs: &[Array], passes: Passes) -> Result<Verdict, LawFailure> {
    hold("second derivatives equal differences of first ones", func, inputs, &|func, inputs| {
        let wrt = moving(func);
        if wrt.is_empty() {
            return Ok(Verdict::Skipped);
        }
        let scalar = weighted_sum(func);
        let gradient = well_formed("grad", (passes.grad)(&scalar, &wrt))?;
        let first = evaluated("the gradient", &gradient, inputs)?;
        if !is_finite(&first) {
            return Ok(Verdict::Skipped);
        }
        let v = direction(func, &wrt, 31);
        let pushed = well_formed("jvp of grad", (passes.jvp)(&gradient, &wrt))?;
        let tangents = evaluated("the jvp of grad", &pushed, &[inputs, &v].concat())?.split_off(first.len());
        let verdict = is_derivative("jvp of grad beside differences", &tangents, &gradient, inputs, &wrt, &v)?;
        // ⟨grad, v⟩ with v as a constant, differentiated again: the Hessian is symmetric.
        let (mut b, vars) = Builder::with_inputs(gradient.input_types());
        let results = b.inline(&gradient, &vars);
        let mut total = b.full(&TensorType::scalar(DType::F64), 0.0);
        for (g, v) in results.into_iter().zip(&v) {
            let v = b.constant(v.clone());
            total = add_inner_product(&mut b, total, v, g);
        }
        let twice = well_formed("grad of grad", (passes.grad)(&b.finish(&[total]), &wrt))?;
        let got = evaluated("the grad of grad", &twice, inputs)?;
        if verdict == Verdict::Holds {
            agree_within("grad of grad beside jvp of grad", &got, &tangents, &|dtype| {
                tolerance(dtype, OpClass::Differences)
            })?;
        }
        Ok(verdict)
    })
}

/// Law 2: the gradient of the sum of a map is the map of the gradients, summed over examples for an
/// input that they share.
///
/// # Errors
/// If not; the failure holds the smallest such program found.
pub fn grad_commutes_with_vmap(
    func: &Func,
    inputs: &[Array],
    passes: Passes,
    vmap: VmapPass,
) -> Result<Verdict, LawFailure> {
    hold("grad ∘ vmap = vmap ∘ grad", func, inputs, &|func, inputs| {
        let wrt = moving(func);
        if wrt.is_empty() {
            return Ok(Verdict::Skipped);
        }
        let size = 2;
        // The last of several inputs is shared by all examples.
        let shared = |i: usize| i > 0 && i + 1 == inputs.len();
        let in_axes: Vec<Option<usize>> = (0..inputs.len()).map(|i| (!shared(i)).then_some(0)).collect();
        let batched: Vec<Array> = inputs
            .iter()
            .enumerate()
            .map(|(i, x)| if shared(i) { x.clone() } else { stacked(&x.ty(), &[x.clone(), rolled(x, 1)], 0) })
            .collect();
        let scalar = weighted_sum(func);
        let mapped = well_formed("vmap", vmap(&scalar, &in_axes, &[Some(0)], size))?;
        let (mut b, vars) = Builder::with_inputs(mapped.input_types());
        let sums = b.inline(&mapped, &vars);
        let total = b.reduce_sum(sums[0], &[0]);
        let left = well_formed("grad of vmap", (passes.grad)(&b.finish(&[total]), &wrt))?;
        let gradient = well_formed("grad", (passes.grad)(&scalar, &wrt))?;
        let out_axes = vec![Some(0); gradient.n_outputs()];
        let right = well_formed("vmap of grad", vmap(&gradient, &in_axes, &out_axes, size))?;
        let (mut b, vars) = Builder::with_inputs(right.input_types());
        let mut results = b.inline(&right, &vars);
        for (&i, g) in wrt.iter().zip(&mut results) {
            if shared(i) {
                *g = b.reduce_sum(*g, &[0]);
            }
        }
        let right = b.finish(&results);
        let got = evaluated("the grad of vmap", &left, &batched)?;
        let want = evaluated("the vmap of grad", &right, &batched)?;
        if !is_finite(&want) {
            return Ok(Verdict::Skipped);
        }
        agree("grad of vmap beside vmap of grad", &got, &want, OpClass::Program)?;
        Ok(Verdict::Holds)
    })
}
