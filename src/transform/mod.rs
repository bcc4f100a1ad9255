//! The transformations: each takes a function and gives back a plain closure, so that they nest.
//!
//! Inside a trace a transformed function traces its body into a program of its own and records one
//! node that holds it; the optimiser expands the node when the whole is compiled.

mod differentiate;
mod jacobian;
mod linear;
mod map;

pub(crate) use differentiate::gradient_of_leaves;
pub use differentiate::{
    grad, grad_argnums, grad_aux, jvp, value_and_grad, value_and_grad_argnums, value_and_grad_aux,
};
pub use jacobian::{hessian, jacfwd, jacrev};
pub use linear::{linearize, vjp};
pub use map::vmap;

use crate::function::{Args, Function};
use crate::trace::{self, InputSpec, Place, Scope, Traced};
use crate::{Tensor, Tree};
use jx_ir::{Func, TensorType};
use std::sync::Arc;

/// A user's function traced into a closed program, with the operands that its node takes.
pub(crate) struct Body<R> {
    pub(crate) func: Arc<Func>,
    /// The leaves of the arguments, then the tensors of the enclosing trace that the function captured.
    pub(crate) operands: Vec<Tensor>,
    n_args: usize,
    pub(crate) output: R,
}

/// Traces `f` on arguments like `args`, whose leaves have the types that `leaf_type` gives from their
/// own. `None` if a mistake is known, in which case the result's leaves are poisoned.
pub(crate) fn trace_body<A: Args, F: Function<A>>(
    scope: Scope,
    f: &F,
    args: &A,
    leaf_type: impl Fn(usize, TensorType) -> TensorType,
) -> (Option<Body<F::Output>>, F::Output) {
    let leaves = args.leaves();
    let paths = args.spec().argument_paths();
    let inputs = leaves
        .iter()
        .zip(&paths)
        .enumerate()
        .map(|(i, (&leaf, path))| InputSpec { ty: leaf_type(i, leaf.ty()), path: Arc::from(path.as_str()) });
    // A poisoned or leaked argument is reported where it is used first: here.
    for &leaf in &leaves {
        if trace::type_of(leaf).is_none() {
            trace::unusable(leaf, scope.transform, scope.place);
        }
    }
    let traced: Traced<F::Output> = trace::trace(
        scope,
        inputs.collect(),
        |arguments| {
            let mut next = arguments.iter().copied();
            f.apply(args.map(&mut |_| next.next().unwrap_or(Tensor::POISON)))
        },
        Tree::leaves,
    );
    let poisoned = traced.output.map(&mut |_| Tensor::POISON);
    if trace::has_error() || !trace::is_tracing() {
        if !trace::is_tracing() {
            trace::fail(crate::error::ErrorKind::NoTrace { op: scope.transform }, scope.place, Vec::new());
        }
        return (None, poisoned);
    }
    let n_args = leaves.len();
    let mut operands = leaves;
    operands.extend(traced.captures);
    let func = Arc::new(traced.func);
    (Some(Body { func, operands, n_args, output: traced.output }), poisoned)
}

/// The tree with its leaves replaced by `results`, in order.
pub(crate) fn rebuild<R: Tree>(tree: &R, results: &[Tensor]) -> R {
    let mut next = results.iter().copied();
    tree.map(&mut |_| next.next().unwrap_or(Tensor::POISON))
}

/// The numbers of the leaves of argument `number`, among all leaves.
fn leaf_range<A: Args>(args: &A, number: usize) -> std::ops::Range<usize> {
    let crate::tree::Spec::Node(children) = args.spec() else { return 0..0 };
    let start = children[..number].iter().map(|(_, c)| c.n_leaves()).sum();
    start..start + children[number].1.n_leaves()
}

/// The place and name of a transformation, for messages.
fn scope(transform: &'static str, place: Place) -> Scope {
    Scope { transform, place }
}
