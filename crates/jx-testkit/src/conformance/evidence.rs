//! Why a result that is not JAX's is right nonetheless: documented conventions and faults of the reference.
//!
//! Nothing is excused by name. Each reason is shown on the elements that differ, by the values there or by
//! running the program again.

use super::compare::{ElementMismatch, Verdict, compare};
use super::run::Run;
use super::translate::Translated;
use super::variants::{Kind, variant_func};
use jx_ir::{Array, Builder, DType, Func, IndexMode, Prim, Scalar, TensorType, Var};

/// The step of difference quotients in `f64`, relative to the larger of 1 and the point.
const STEP: f64 = 1e-6;

/// The most elements of a gradient whose difference quotients are taken.
const MAX_QUOTIENTS: usize = 64;

/// A check whose output differs, with what may explain it.
pub(super) struct Evidence<'a> {
    pub(super) run: Run<'a>,
    pub(super) base: &'a Translated,
    pub(super) kind: &'a Kind,
    pub(super) inputs: &'a [Array],
    pub(super) got: &'a [Array],
    pub(super) want: &'a [Array],
    /// What JAX gives for the program itself on the same inputs, if that is among the checks.
    pub(super) base_want: Option<&'a [Array]>,
}

impl Evidence<'_> {
    /// The reason that holds for every element of output `i` that differs, if one does.
    pub(super) fn reason(&self, i: usize, elements: &[ElementMismatch]) -> Option<&'static str> {
        if self.base.notes.unstable_keys.is_some_and(|keys| i >= keys || matches!(self.kind, Kind::Grad { .. })) {
            return Some("unsure: the order of equal keys in an unstable sort");
        }
        if self.base.notes.total_order && self.inputs.iter().any(has_negative_nan) {
            return Some("convention: NaN sorts above every number, whatever its sign");
        }
        if self.is_the_value_of_base(i) {
            return Some("JAX's jvp gives another value than its own program");
        }
        if !self.kind.differentiates() {
            return None;
        }
        if self.differs_by_broken_promise(i) {
            return Some("convention: the gradient of a read out of bounds is its exact dual");
        }
        let values = (self.run)(&self.base.func, self.inputs.get(..self.base.func.n_inputs())?).unwrap_or_default();
        let all = |holds: &dyn Fn(&ElementMismatch) -> bool| elements.iter().all(holds);
        if all(&|e| e.got.as_f64().is_nan() && self.value_is_nan(i, e.index, &values)) {
            return Some("convention: where the value is NaN, the derivative is");
        }
        if all(&|e| e.want.as_f64().is_nan() && e.got.as_f64().is_finite() && self.seed_is_zero(e.index)) {
            return Some("convention: a zero cotangent wins where JAX has NaN");
        }
        if elements.len() <= MAX_QUOTIENTS && all(&|e| self.quotient_confirms(i, e).unwrap_or(false)) {
            return Some("difference quotients in f64 confirm the derivative, and not JAX's");
        }
        None
    }

    /// Whether output `i` of a jvp is a value for which JAX gives two answers, one of them this.
    fn is_the_value_of_base(&self, i: usize) -> bool {
        let is_value = matches!(self.kind, Kind::Jvp { .. }) && i < self.base.func.n_outputs();
        let Some(want) = self.base_want.and_then(|w| w.get(i)).filter(|_| is_value) else { return false };
        compare(&self.got[i], want, None) == Verdict::Agree && compare(&self.want[i], want, None) != Verdict::Agree
    }

    /// Whether the result is JAX's if reads that were promised in bounds give a constant when they are not.
    fn differs_by_broken_promise(&self, i: usize) -> bool {
        let filled = rewritten(
            &self.base.func,
            |ty| ty.clone(),
            |prim| {
                if let Prim::Gather { dims, slice_sizes, mode: IndexMode::PromiseInBounds, .. } = prim {
                    let (dims, slice_sizes) = (dims.clone(), slice_sizes.clone());
                    return Some(Prim::Gather { dims, slice_sizes, mode: IndexMode::FillOrDrop, fill_value: None });
                }
                Some(prim.clone())
            },
        );
        let Some(filled) = filled.filter(|f| *f != self.base.func) else { return false };
        let Ok(func) = variant_func(&filled, self.kind) else { return false };
        let results = (self.run)(&func, self.inputs).unwrap_or_default();
        results.get(i).is_some_and(|got| compare(got, &self.want[i], None) == Verdict::Agree)
    }

    /// Whether the program's value is NaN at the element of a result that differs.
    fn value_is_nan(&self, i: usize, index: usize, values: &[Array]) -> bool {
        let n = self.want[i].n_elements();
        values.iter().any(|v| v.n_elements() == n && v.dtype().is_float() && v.get(index).as_f64().is_nan())
    }

    /// Whether the tangents, or the cotangents, are zero at an element.
    fn seed_is_zero(&self, index: usize) -> bool {
        let seeds = &self.inputs[self.base.func.n_inputs()..];
        !seeds.is_empty() && seeds.iter().all(|s| index < s.n_elements() && s.get(index).as_f64() == 0.0)
    }

    /// Whether a difference quotient of the program in `f64` agrees with the result and not with JAX's.
    fn quotient_confirms(&self, i: usize, e: &ElementMismatch) -> Option<bool> {
        let wide = in_f64(&self.base.func)?;
        let (primal, seeds) = self.inputs.split_at(self.base.func.n_inputs());
        let point: Vec<Array> = primal.iter().map(widened).collect::<Option<_>>()?;
        let at = |move_by: f64, which: usize, direction: &dyn Fn(usize) -> f64| -> Option<Array> {
            let x = &point[which];
            let moved = x
                .to_f64_vec()
                .into_iter()
                .enumerate()
                .map(|(j, v)| Scalar::from_f64(DType::F64, v + move_by * direction(j)));
            Array::from_scalars(&x.ty(), moved).ok()
        };
        let derivative = match self.kind {
            Kind::Jvp { tangent_of, out_tangent_of } => {
                let output = *out_tangent_of.get(i.checked_sub(self.base.func.n_outputs())?)?;
                let value = |h: f64| -> Option<f64> {
                    let mut x = point.clone();
                    for (&which, dx) in tangent_of.iter().zip(seeds) {
                        x[which] = at(h, which, &|j| dx.get(j).as_f64())?;
                    }
                    Some((self.run)(&wide, &x).ok()?.get(output)?.get(e.index).as_f64())
                };
                quotient(STEP, |h| Some(value(h)? - value(-h)?))?
            }
            Kind::Grad { wrt, cotangent_of } => {
                let step = STEP * primal[*wrt].get(e.index).as_f64().abs().max(1.0);
                let outputs = |h: f64| -> Option<Vec<Array>> {
                    let mut x = point.clone();
                    x[*wrt] = at(h, *wrt, &|j| if j == e.index { 1.0 } else { 0.0 })?;
                    (self.run)(&wide, &x).ok()
                };
                let difference = |h: f64| -> Option<f64> {
                    // Differences first, then their sum: what does not move must leave no rounding behind.
                    let (above, below) = (outputs(h)?, outputs(-h)?);
                    let mut total = 0.0;
                    for (&o, ct) in cotangent_of.iter().zip(seeds) {
                        for ((y1, y0), c) in above.get(o)?.scalars().zip(below.get(o)?.scalars()).zip(ct.scalars()) {
                            total += if y1 == y0 { 0.0 } else { (y1.as_f64() - y0.as_f64()) * c.as_f64() };
                        }
                    }
                    Some(total)
                };
                quotient(step, difference)?
            }
            Kind::Base
            | Kind::Vmap { .. }
            | Kind::VmapMixed { .. }
            | Kind::Vmap2 { .. }
            | Kind::VmapGrad { .. }
            | Kind::Hvp { .. } => return None,
        };
        let (got, want) = ((e.got.as_f64() - derivative).abs(), (e.want.as_f64() - derivative).abs());
        let rounding = e.got.as_f64().abs() * if e.got.dtype() == DType::F64 { STEP } else { 1e-2 };
        Some(got <= rounding && want > 8.0 * got)
    }
}

/// The derivative at 0 of a function of which `difference(h)` is `f(h) - f(-h)`: central differences of
/// fourth order, `(8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h`, since near a pole those of second order
/// are no better than the references in question.
fn quotient(step: f64, difference: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    Some((8.0 * difference(step)? - difference(2.0 * step)?) / (12.0 * step))
}

fn has_negative_nan(x: &Array) -> bool {
    let sign = 1_u64 << (8 * x.dtype().size_bytes() - 1);
    x.dtype().is_float() && x.scalars().any(|s| s.as_f64().is_nan() && s.bits() & sign != 0)
}

/// The values in `f64`, if they are floats.
fn widened(x: &Array) -> Option<Array> {
    if !x.dtype().is_float() {
        return Some(x.clone());
    }
    let ty = x.ty().with_dtype(DType::F64);
    Array::from_scalars(&ty, x.scalars().map(|s| Scalar::from_f64(DType::F64, s.as_f64()))).ok()
}

/// An elementwise program in `f64`; `None` for others.
fn in_f64(func: &Func) -> Option<Func> {
    let wide = |ty: &TensorType| if ty.dtype.is_float() { ty.with_dtype(DType::F64) } else { ty.clone() };
    rewritten(func, wide, |prim| {
        if let Prim::Full { value, shape } = prim
            && value.dtype().is_float()
        {
            return Some(Prim::Full { value: Scalar::from_f64(DType::F64, value.as_f64()), shape: shape.clone() });
        }
        elementwise(prim).then(|| prim.clone())
    })
}

/// Whether a primitive keeps its meaning in `f64`, element by element.
fn elementwise(prim: &Prim) -> bool {
    matches!(
        prim,
        Prim::Unary(_)
            | Prim::Binary(_)
            | Prim::IntegerPow { .. }
            | Prim::Compare(_)
            | Prim::SelectN
            | Prim::Clamp
            | Prim::Full { .. }
            | Prim::BroadcastInDim { .. }
            | Prim::Reshape { .. }
            | Prim::StopGradient
    )
}

/// A program with other input types and primitives, if every primitive has its counterpart and all fit.
fn rewritten(
    func: &Func,
    ty: impl Fn(&TensorType) -> TensorType,
    prim: impl Fn(&Prim) -> Option<Prim>,
) -> Option<Func> {
    let types: Vec<TensorType> = func.input_types().iter().map(ty).collect();
    let (mut b, mut vars) = Builder::with_inputs(&types);
    for eqn in func.eqns() {
        let inputs: Vec<Var> = eqn.inputs.iter().map(|v| vars[v.index()]).collect();
        vars.extend(b.try_emit(prim(&eqn.prim)?, &inputs).ok()?);
    }
    let outputs: Vec<Var> = func.outputs().iter().map(|v| vars[v.index()]).collect();
    Some(b.finish(&outputs))
}
