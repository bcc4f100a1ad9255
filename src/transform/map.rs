//! `vmap`: a function of one example, made a function of many.

use super::{rebuild, scope, trace_body};
use crate::axes::{IntoMapAxes, MapAxes};
use crate::error::ErrorKind;
use crate::function::{Args, Function};
use crate::trace::{self, Place};
use crate::{Tensor, Tree};
use jx_ir::{Prim, TensorType};
use std::panic::Location;

/// The function that applies `f` to every example along the mapped axes, all at once.
///
/// `axes` says which axis of each argument counts the examples: an axis, `None` for an argument that all
/// examples share, or a tuple of these (a prefix of the arguments' tree); [`axes`](crate::axes()) adds
/// options. Axes count from 0, or from the end if negative.
///
/// # Errors
/// Axes that do not fit the arguments, and sizes that differ, are reported by the call that traces it.
///
/// ```
/// use jx::prelude::*;
/// fn predict((w, b): (Tensor, Tensor), x: Tensor) -> Tensor { w * x + b }
///
/// let f = jit(vmap(predict, (None, 0)));
/// let y = f.call(((2.0_f32, 1.0_f32), [0.0_f32, 1.0, 2.0]))?;
/// assert_eq!(y.to_vec::<f32>()?, [1.0, 3.0, 5.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn vmap<'f, A, F>(f: F, axes: impl IntoMapAxes) -> A::Boxed<'f, F::Output>
where
    A: Args + 'f,
    F: Function<A> + 'f,
    F::Output: 'f,
{
    let place = Location::caller();
    let axes = axes.into_map_axes();
    A::boxed(move |args| map(&f, &axes, args, place))
}

fn map<A: Args, F: Function<A>>(f: &F, axes: &MapAxes, args: A, place: Place) -> F::Output {
    let plan = plan_inputs(axes, &args, place);
    let example = |i: usize, mut ty: TensorType| {
        if let Some((in_axes, _)) = &plan
            && let Some(axis) = in_axes[i]
        {
            ty.shape.remove(axis);
        }
        ty
    };
    let (body, poisoned) = trace_body(scope("vmap", place), f, &args, example);
    let (Some(body), Some((mut in_axes, size))) = (body, plan) else { return poisoned };
    in_axes.resize(body.operands.len(), None);
    let Some(out_axes) = plan_outputs(axes, &body.output, &body.func, &in_axes, place) else { return poisoned };
    let prim = Prim::Vmap { func: body.func, in_axes, out_axes, size };
    rebuild(&body.output, &trace::emit(prim, &body.operands, place))
}

/// The axis of each leaf, from 0, and the number of examples.
fn plan_inputs<A: Args>(axes: &MapAxes, args: &A, place: Place) -> Option<(Vec<Option<usize>>, usize)> {
    let leaves: Vec<Tensor> = args.leaves();
    let spec = args.spec();
    let paths = spec.argument_paths();
    let types: Vec<TensorType> = leaves.iter().map(|&t| trace::type_of(t)).collect::<Option<_>>()?;
    let fail = |kind| {
        trace::fail(kind, place, Vec::new());
        None
    };
    let spread = match axes.inputs.spread(&sole_argument(&axes.inputs, spec), "the arguments") {
        Ok(spread) => spread,
        Err(why) => return fail(ErrorKind::AxesPrefix { which: "in_axes", why }),
    };
    let mut in_axes = Vec::with_capacity(leaves.len());
    let mut first: Option<(String, usize, usize)> = None;
    for ((axis, ty), path) in spread.into_iter().zip(&types).zip(&paths) {
        let Some(axis) = axis else {
            in_axes.push(None);
            continue;
        };
        let Some(from_zero) = crate::tensor::axis_from_zero(axis, ty.rank()) else {
            let (path, ty) = (path.clone(), ty.clone());
            return fail(ErrorKind::MappedAxis { which: "in_axes", axis, path, ty });
        };
        let size = ty.shape[from_zero];
        let shown = format!("{path}: {ty}");
        match &first {
            Some(first) if first.2 != size => {
                return fail(ErrorKind::MapSizes { first: first.clone(), second: (shown, from_zero, size) });
            }
            Some(_) => {}
            None => first = Some((shown, from_zero, size)),
        }
        in_axes.push(Some(from_zero));
    }
    match (first, axes.size) {
        (Some(first), Some(size)) if first.2 != size => fail(ErrorKind::MapSizes {
            first: ("the size given to `axes(..).size(..)`".to_owned(), 0, size),
            second: first,
        }),
        (Some((_, _, size)), _) | (None, Some(size)) => Some((in_axes, size)),
        (None, None) => fail(ErrorKind::NothingMapped),
    }
}

/// For a function of one argument the axes may be given for that argument alone, not in a tuple of one.
fn sole_argument(axes: &crate::tree::AxisTree, spec: crate::tree::Spec) -> crate::tree::Spec {
    use crate::tree::{AxisTree, Spec};
    match (axes, spec) {
        (AxisTree::Parts(parts), Spec::Node(mut children)) if children.len() == 1 && parts.len() != 1 => {
            children.remove(0).1
        }
        (AxisTree::Named(_), Spec::Node(mut children)) if children.len() == 1 => children.remove(0).1,
        (_, spec) => spec,
    }
}

fn plan_outputs<R: Tree>(
    axes: &MapAxes,
    output: &R,
    func: &jx_ir::Func,
    in_axes: &[Option<usize>],
    place: Place,
) -> Option<Vec<Option<usize>>> {
    let fail = |kind| {
        trace::fail(kind, place, Vec::new());
        None
    };
    let spec = output.spec();
    let spread = match axes.outputs.spread(&spec, "the result") {
        Ok(spread) => spread,
        Err(why) => return fail(ErrorKind::AxesPrefix { which: "out_axes", why }),
    };
    let depends = func.depends_on(|i| in_axes[i].is_some());
    let mut out_axes = Vec::with_capacity(spread.len());
    for (((axis, ty), depends), path) in
        spread.into_iter().zip(func.output_types()).zip(depends).zip(spec.paths("the result"))
    {
        match axis {
            None if depends => return fail(ErrorKind::OutAxisNone { path }),
            None => out_axes.push(None),
            Some(axis) => match crate::tensor::axis_from_zero(axis, ty.rank() + 1) {
                Some(axis) => out_axes.push(Some(axis)),
                None => return fail(ErrorKind::MappedAxis { which: "out_axes", axis, path, ty: ty.clone() }),
            },
        }
    }
    Some(out_axes)
}
