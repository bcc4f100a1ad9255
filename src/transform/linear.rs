//! `linearize` and `vjp`: the derivative at a point as a function of its own.

use super::differentiate::{fill_floats, zeros};
use super::{Body, rebuild, scope, trace_body};
use crate::error::ErrorKind;
use crate::function::{Args, Function};
use crate::trace::{self, Place};
use crate::{Tensor, Tree};
use jx_ir::{Prim, TensorType};
use std::panic::Location;
use std::sync::Arc;

/// `f` at `primals`, and its derivative there as a linear function of tangents.
///
/// The value is computed once, with what the derivative needs of it; the linear function may then be
/// applied any number of times.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor| {
///     let (y, f_lin) = linearize(|x: Tensor| x.sin(), (x,));
///     (y, f_lin(x * 0.0 + 1.0), f_lin(x * 0.0 + 2.0))
/// });
/// let (y, d1, d2) = f.call(0.0_f32)?;
/// assert_eq!((y.item::<f32>()?, d1.item::<f32>()?, d2.item::<f32>()?), (0.0, 1.0, 2.0));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn linearize<'f, A, F>(f: F, primals: A) -> (F::Output, A::Boxed<'f, F::Output>)
where
    A: Args + 'f,
    F: Function<A>,
    F::Output: 'f,
{
    let place = Location::caller();
    let point = Linearization::at("linearize", &f, &primals, place).unwrap_or_else(Linearization::failed);
    let output = point.output.clone();
    let pushforward = move |tangents: A| {
        let Some(known) = &point.known else { return point.output.map(&mut |_| Tensor::POISON) };
        let leaves = tangents.leaves();
        let mut operands = known.residuals.clone();
        operands.extend(known.wrt.iter().filter_map(|&i| leaves.get(i)));
        let results = trace::emit(Prim::Call { func: known.linear.clone() }, &operands, place);
        fill_floats(&point.output, &known.output_types, &results, place)
    };
    (output, A::boxed(pushforward))
}

/// `f` at `primals`, and its pullback there: from cotangents of the results to those of the arguments
/// (reverse mode).
///
/// Cotangents of results that are not floats are ignored; those of arguments that are not floats are zero.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor, y: Tensor, ct: Tensor| {
///     let (_, pullback) = vjp(|x: Tensor, y: Tensor| x * y, (x, y));
///     pullback(ct)
/// });
/// let (dx, dy) = f.call((2.0_f32, 3.0_f32, 10.0_f32))?;
/// assert_eq!((dx.item::<f32>()?, dy.item::<f32>()?), (30.0, 20.0));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[allow(clippy::type_complexity, reason = "a pair of the result and a closure reads best as that")]
pub fn vjp<'f, A, F>(f: F, primals: A) -> (F::Output, Box<dyn Fn(F::Output) -> A + 'f>)
where
    A: Args + 'f,
    F: Function<A>,
    F::Output: 'f,
{
    let place = Location::caller();
    let point = Linearization::at("vjp", &f, &primals, place).unwrap_or_else(Linearization::failed);
    let output = point.output.clone();
    let pullback = move |cotangents: F::Output| {
        let Some(known) = &point.known else { return primals.map(&mut |_| Tensor::POISON) };
        let transposed = match jx_opt::transpose(&known.linear, known.residuals.len()) {
            Ok(func) => Arc::new(func),
            Err(why) => {
                trace::fail(ErrorKind::Opt(why), place, Vec::new());
                return primals.map(&mut |_| Tensor::POISON);
            }
        };
        let mut operands = known.residuals.clone();
        let floats = cotangents.leaves().into_iter().zip(&known.output_types).filter(|(_, ty)| ty.dtype.is_float());
        operands.extend(floats.map(|(ct, _)| ct));
        let mut results = trace::emit(Prim::Call { func: transposed }, &operands, place).into_iter();
        let mut leaf = |i: usize, ty: &TensorType| match known.wrt.contains(&i) {
            true => results.next().unwrap_or(Tensor::POISON),
            false => zeros(ty, place),
        };
        let all: Vec<Tensor> = known.input_types.iter().enumerate().map(|(i, ty)| leaf(i, ty)).collect();
        rebuild(&primals, &all)
    };
    (output, Box::new(pullback))
}

/// A function linearized at a point of the open trace.
pub(super) struct Linearization<R> {
    pub(super) output: R,
    /// `None` after a mistake, which the call that traces this reports.
    pub(super) known: Option<Known>,
}

pub(super) struct Known {
    /// Residuals and tangents to tangents of the float results.
    linear: Arc<jx_ir::Func>,
    residuals: Vec<Tensor>,
    /// The leaves of the arguments that are floats.
    wrt: Vec<usize>,
    input_types: Vec<TensorType>,
    output_types: Vec<TensorType>,
}

impl<R: Tree> Linearization<R> {
    fn failed(output: R) -> Linearization<R> {
        Linearization { output, known: None }
    }

    /// The linearization of `f`, or its poisoned result.
    fn at<A: Args, F: Function<A, Output = R>>(
        transform: &'static str,
        f: &F,
        primals: &A,
        place: Place,
    ) -> Result<Linearization<R>, R> {
        let (body, poisoned) = trace_body(scope(transform, place), f, primals, |_, ty| ty);
        let Some(body) = body else { return Err(poisoned) };
        let Body { func, operands, n_args, output, .. } = body;
        let wrt: Vec<usize> = (0..n_args).filter(|&i| func.input_types()[i].dtype.is_float()).collect();
        let parts = match jx_opt::linearize(&func, &wrt) {
            Ok(parts) => parts,
            Err(why) => {
                trace::fail(ErrorKind::Opt(why), place, Vec::new());
                return Err(poisoned);
            }
        };
        let results = trace::emit(Prim::Call { func: Arc::new(parts.primal) }, &operands, place);
        let (values, residuals) = results.split_at(func.n_outputs().min(results.len()));
        let known = Known {
            linear: Arc::new(parts.linear),
            residuals: residuals.to_vec(),
            wrt,
            input_types: func.input_types()[..n_args].to_vec(),
            output_types: func.output_types().cloned().collect(),
        };
        Ok(Linearization { output: rebuild(&output, values), known: Some(known) })
    }
}
