//! `grad` and its kin, and `jvp`.

use super::{leaf_range, rebuild, scope, trace_body};
use crate::error::ErrorKind;
use crate::function::{ArgNums, Args, Function};
use crate::trace::{self, Place};
use crate::{Tensor, Tree};
use jx_ir::Prim;
use std::panic::Location;

/// The gradient of a scalar-valued function with respect to its first argument.
///
/// The result has the tree of that argument. At ties, kinks and the origin the conventions of the
/// crate's documentation hold.
///
/// # Errors
/// A result that is no float scalar, and an argument that holds anything but floats, are reported by
/// the call that traces it.
///
/// ```
/// use jx::prelude::*;
/// let f = |x: Tensor| (x * x).sin();
/// let g = jit(grad(grad(f)));
/// let y = g.call(0.0_f64)?.item::<f64>()?;
/// assert_eq!(y, 2.0);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn grad<'f, A, F>(f: F) -> A::Boxed<'f, A::First>
where
    A: Args + 'f,
    A::First: 'f,
    F: Function<A, Output = Tensor> + 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| gradient("grad", &f, &args, &[0], args.first(), place, |t| (*t, ())).1)
}

/// The gradient with respect to the arguments that `argnums` chooses: `Arg::<1>` or a tuple of them.
///
/// ```
/// use jx::prelude::*;
/// let f = |x: Tensor, y: Tensor| x * y;
/// let g = jit(grad_argnums(f, (Arg::<0>, Arg::<1>)));
/// let (dx, dy) = g.call((2.0_f32, 3.0_f32))?;
/// assert_eq!((dx.item::<f32>()?, dy.item::<f32>()?), (3.0, 2.0));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn grad_argnums<'f, A, F, N>(f: F, _argnums: N) -> A::Boxed<'f, N::Chosen>
where
    A: Args + 'f,
    F: Function<A, Output = Tensor> + 'f,
    N: ArgNums<A> + 'f,
    N::Chosen: 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| gradient("grad", &f, &args, &N::numbers(), &N::choose(&args), place, |t| (*t, ())).1)
}

/// The gradient with respect to the first argument of a function that returns a scalar and something
/// else: the gradient and that (JAX's `has_aux`).
///
/// ```
/// use jx::prelude::*;
/// let f = |x: Tensor| (x * x, x + 1.0);
/// let (g, aux) = jit(grad_aux(f)).call(3.0_f32)?;
/// assert_eq!((g.item::<f32>()?, aux.item::<f32>()?), (6.0, 4.0));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn grad_aux<'f, A, F, X>(f: F) -> A::Boxed<'f, (A::First, X)>
where
    A: Args + 'f,
    A::First: 'f,
    X: Tree + 'f,
    F: Function<A, Output = (Tensor, X)> + 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| {
        let ((_, aux), g) = gradient("grad", &f, &args, &[0], args.first(), place, |(t, aux)| (*t, aux.clone()));
        (g, aux)
    })
}

/// The value of a scalar-valued function and its gradient with respect to the first argument.
///
/// ```
/// use jx::prelude::*;
/// let (y, g) = jit(value_and_grad(|x: Tensor| x * x)).call(3.0_f32)?;
/// assert_eq!((y.item::<f32>()?, g.item::<f32>()?), (9.0, 6.0));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn value_and_grad<'f, A, F>(f: F) -> A::Boxed<'f, (Tensor, A::First)>
where
    A: Args + 'f,
    A::First: 'f,
    F: Function<A, Output = Tensor> + 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| {
        let ((y, ()), g) = gradient("value_and_grad", &f, &args, &[0], args.first(), place, |t| (*t, ()));
        (y, g)
    })
}

/// The value of a scalar-valued function and its gradient with respect to the arguments that `argnums` chooses.
#[track_caller]
pub fn value_and_grad_argnums<'f, A, F, N>(f: F, _argnums: N) -> A::Boxed<'f, (Tensor, N::Chosen)>
where
    A: Args + 'f,
    F: Function<A, Output = Tensor> + 'f,
    N: ArgNums<A> + 'f,
    N::Chosen: 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| {
        let chosen = N::choose(&args);
        let ((y, ()), g) = gradient("value_and_grad", &f, &args, &N::numbers(), &chosen, place, |t| (*t, ()));
        (y, g)
    })
}

/// As [`value_and_grad`], for a function that returns a scalar and something else:
/// `((value, aux), gradient)`.
#[track_caller]
pub fn value_and_grad_aux<'f, A, F, X>(f: F) -> A::Boxed<'f, ((Tensor, X), A::First)>
where
    A: Args + 'f,
    A::First: 'f,
    X: Tree + 'f,
    F: Function<A, Output = (Tensor, X)> + 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| {
        gradient("value_and_grad", &f, &args, &[0], args.first(), place, |(t, aux)| (*t, aux.clone()))
    })
}

/// The value, the other results and the gradients of `f` with respect to the arguments `numbers`,
/// whose tree is `chosen`.
fn gradient<A: Args, F: Function<A>, X: Tree, G: Tree>(
    transform: &'static str,
    f: &F,
    args: &A,
    numbers: &[usize],
    chosen: &G,
    place: Place,
    split: impl Fn(&F::Output) -> (Tensor, X),
) -> ((Tensor, X), G) {
    let wrt = numbers.iter().flat_map(|&n| leaf_range(args, n)).collect();
    gradient_of_leaves(transform, f, args, wrt, chosen, place, split)
}

/// As [`gradient`], with respect to the leaves `wrt` of the arguments, whose tree is `chosen`.
pub(crate) fn gradient_of_leaves<A: Args, F: Function<A>, X: Tree, G: Tree>(
    transform: &'static str,
    f: &F,
    args: &A,
    wrt: Vec<usize>,
    chosen: &G,
    place: Place,
    split: impl Fn(&F::Output) -> (Tensor, X),
) -> ((Tensor, X), G) {
    let poisoned_grad = chosen.map(&mut |_| Tensor::POISON);
    check_wrt(transform, args, &wrt, place);
    let (body, poisoned) = trace_body(scope(transform, place), f, args, |_, ty| ty);
    let Some(body) = body else { return (split(&poisoned), poisoned_grad) };
    let found = body.func.output_types().next();
    if let Some(found) = found
        && !(found.rank() == 0 && found.dtype.is_float())
    {
        trace::fail(ErrorKind::GradOfNonScalar { transform, found: found.clone() }, place, Vec::new());
        return (split(&poisoned), poisoned_grad);
    }
    let n_outputs = body.func.n_outputs();
    let value = transform == "value_and_grad";
    let n_aux = n_outputs - 1;
    let results = trace::emit(Prim::Grad { func: body.func, wrt, value }, &body.operands, place);
    let (values, rest) = results.split_at(usize::from(value));
    let (aux, grads) = rest.split_at(n_aux.min(rest.len()));
    let y = values.first().copied().unwrap_or(Tensor::POISON);
    let output = rebuild(&body.output, &[&[y], aux].concat());
    (split(&output), rebuild(chosen, grads))
}

/// Keeps an error unless all these leaves are floats.
fn check_wrt<A: Args>(transform: &'static str, args: &A, wrt: &[usize], place: Place) {
    let leaves = args.leaves();
    let paths = args.spec().argument_paths();
    for &i in wrt {
        if let Some(ty) = trace::type_of(leaves[i])
            && !ty.dtype.is_float()
        {
            trace::fail(ErrorKind::WrtNotFloat { transform, path: paths[i].clone(), ty }, place, Vec::new());
        }
    }
}

/// The result of `f` at `primals` and its derivative along `tangents` (forward mode).
///
/// `tangents` has the tree of the arguments; those of leaves that are not floats are ignored, and
/// results that are not floats have zero tangents.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor, dx: Tensor| jvp(|x: Tensor| x * x, (x,), (dx,)));
/// let (y, dy) = f.call((3.0_f32, 1.0_f32))?;
/// assert_eq!((y.item::<f32>()?, dy.item::<f32>()?), (9.0, 6.0));
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn jvp<A: Args, F: Function<A>>(f: F, primals: A, tangents: A) -> (F::Output, F::Output) {
    let place = Location::caller();
    let transform = "jvp";
    let (xs, dxs) = (primals.leaves(), tangents.leaves());
    let paths = primals.spec().argument_paths();
    if primals.spec() != tangents.spec() {
        let detail = format!("there are {} and {}, or other keys", xs.len(), dxs.len());
        let (left, right) = ("the primals", "the tangents");
        trace::fail(ErrorKind::TreeMismatch { transform, left, right, detail }, place, Vec::new());
    }
    let mut wrt = Vec::new();
    for (i, (&x, &dx)) in xs.iter().zip(&dxs).enumerate() {
        let (Some(x), Some(dx)) = (trace::type_of(x), trace::type_of(dx)) else { continue };
        if !x.dtype.is_float() {
            continue;
        }
        wrt.push(i);
        if x != dx {
            let detail = format!("{} is {x} and its tangent is {dx}", paths[i]);
            let (left, right) = ("the primals", "the tangents");
            trace::fail(ErrorKind::TreeMismatch { transform, left, right, detail }, place, Vec::new());
        }
    }
    let (body, poisoned) = trace_body(scope(transform, place), &f, &primals, |_, ty| ty);
    let Some(body) = body else { return (poisoned.clone(), poisoned) };
    let mut operands = body.operands;
    operands.extend(wrt.iter().map(|&i| dxs[i]));
    let n = body.func.n_outputs();
    let types: Vec<_> = body.func.output_types().cloned().collect();
    let results = trace::emit(Prim::Jvp { func: body.func, wrt }, &operands, place);
    let (ys, dys) = results.split_at(n);
    (rebuild(&body.output, ys), fill_floats(&body.output, &types, dys, place))
}

/// The tree with its float leaves taken from `results` and zeros at the others.
pub(super) fn fill_floats<R: Tree>(tree: &R, types: &[jx_ir::TensorType], results: &[Tensor], place: Place) -> R {
    let mut results = results.iter().copied();
    let all: Vec<Tensor> = types
        .iter()
        .map(|ty| match ty.dtype.is_float() {
            true => results.next().unwrap_or(Tensor::POISON),
            false => zeros(ty, place),
        })
        .collect();
    rebuild(tree, &all)
}

/// The zeros of a type.
pub(super) fn zeros(ty: &jx_ir::TensorType, place: Place) -> Tensor {
    let prim = Prim::Full { value: jx_ir::Scalar::zero(ty.dtype), shape: ty.shape.clone() };
    trace::emit1(prim, &[], place)
}
