//! Jacobians and Hessians: derivatives along every basis direction at once.

use super::linear::vjp;
use super::{differentiate, map::vmap};
use crate::error::ErrorKind;
use crate::function::{Args, Function};
use crate::trace::{self, Place, emit1};
use crate::{Tensor, Tree};
use jx_ir::{CompareOp, DType, Prim, TensorType};
use std::panic::Location;

/// The Jacobian with respect to the first argument, by forward mode: cheap where the argument is small.
///
/// The result has the tree of the function's result with, at each leaf, the tree of the argument; the
/// leaf for `y` and `x` has shape `y.shape ++ x.shape`.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(jacfwd(|x: Tensor| x * x));
/// let j = f.call([1.0_f32, 2.0])?;
/// assert_eq!(j.to_vec::<f32>()?, [2.0, 0.0, 0.0, 4.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn jacfwd<'f, A, F>(f: F) -> A::Boxed<'f, <F::Output as Tree>::Leaves<A::First>>
where
    A: Args + 'f,
    F: Function<A> + 'f,
    <F::Output as Tree>::Leaves<A::First>: 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| forward(&f, &args, place))
}

/// The Jacobian with respect to the first argument, by reverse mode: cheap where the result is small.
/// Its tree and shapes are those of [`jacfwd`].
///
/// ```
/// use jx::prelude::*;
/// let f = jit(jacrev(|x: Tensor| x * x));
/// let j = f.call([1.0_f32, 2.0])?;
/// assert_eq!(j.to_vec::<f32>()?, [2.0, 0.0, 0.0, 4.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn jacrev<'f, A, F>(f: F) -> A::Boxed<'f, <F::Output as Tree>::Leaves<A::First>>
where
    A: Args + 'f,
    F: Function<A> + 'f,
    <F::Output as Tree>::Leaves<A::First>: 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| reverse(&f, args, place))
}

/// The Hessian with respect to the first argument: forward over reverse mode.
///
/// For a scalar-valued function of one tensor it has shape `x.shape ++ x.shape`.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(hessian(|x: Tensor| (x * x * x).sum()));
/// let h = f.call([1.0_f32, 2.0])?;
/// assert_eq!(h.to_vec::<f32>()?, [6.0, 0.0, 0.0, 12.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
#[allow(clippy::type_complexity, reason = "the type says which tree holds which")]
pub fn hessian<'f, A, F>(f: F) -> A::Boxed<'f, <<F::Output as Tree>::Leaves<A::First> as Tree>::Leaves<A::First>>
where
    A: Args + 'f,
    F: Function<A> + 'f,
    <F::Output as Tree>::Leaves<A::First>: 'f,
    <<F::Output as Tree>::Leaves<A::First> as Tree>::Leaves<A::First>: 'f,
{
    let place = Location::caller();
    A::boxed(move |args: A| forward(&Reverse { f: &f, place }, &args, place))
}

/// `jacrev(f)` as a function of the argument tuple.
struct Reverse<'a, F> {
    f: &'a F,
    place: Place,
}

impl<A: Args, F: Function<A>> Function<A> for Reverse<'_, F> {
    type Output = <F::Output as Tree>::Leaves<A::First>;

    fn apply(&self, args: A) -> Self::Output {
        reverse(self.f, args, self.place)
    }
}

/// A function of the argument tuple, by reference.
struct ByRef<'a, F>(&'a F);

impl<A: Args, F: Function<A>> Function<A> for ByRef<'_, F> {
    type Output = F::Output;

    fn apply(&self, args: A) -> F::Output {
        self.0.apply(args)
    }
}

/// How the leaves of a tree lie in one long row of all their elements.
struct Layout {
    types: Vec<TensorType>,
}

impl Layout {
    /// The layout of these leaves, `None` after an error is kept unless all are floats.
    fn of(leaves: &[Tensor], paths: &[String], transform: &'static str, place: Place) -> Option<Layout> {
        let mut types = Vec::with_capacity(leaves.len());
        for (&leaf, path) in leaves.iter().zip(paths) {
            let ty = trace::type_of(leaf)?;
            if !ty.dtype.is_float() {
                trace::fail(ErrorKind::WrtNotFloat { transform, path: path.clone(), ty }, place, Vec::new());
                return None;
            }
            types.push(ty);
        }
        Some(Layout { types })
    }

    fn n(&self) -> usize {
        self.types.iter().map(TensorType::n_elements).sum()
    }

    /// For each leaf its part of every unit vector of the whole row: shape `[n] ++ leaf.shape`.
    fn basis(&self, place: Place) -> Vec<Tensor> {
        let n = self.n();
        let mut offset = 0;
        let part = |ty: &TensorType| {
            let size = ty.n_elements();
            let index = |dimension| {
                let ty = TensorType::new(DType::I64, [n, size]);
                emit1(Prim::Iota { ty, dimension }, &[], place)
            };
            let start = Prim::Full { value: jx_ir::Scalar::from_i64(DType::I64, offset as i64), shape: vec![n, size] };
            let start = emit1(start, &[], place);
            offset += size;
            let column = emit1(Prim::Binary(jx_ir::BinaryOp::Add), &[index(1), start], place);
            let on = emit1(Prim::Compare(CompareOp::Eq), &[index(0), column], place);
            let on = emit1(Prim::Convert { dtype: ty.dtype }, &[on], place);
            emit1(Prim::Reshape { shape: ty.batched(n).shape }, &[on], place)
        };
        self.types.iter().map(part).collect()
    }
}

/// `t`, whose axis 0 runs over a whole row, cut into the leaves of `layout`: each of shape
/// `rest ++ leaf.shape` if `last`, else `leaf.shape ++ rest`.
fn cut(t: Tensor, layout: &Layout, last: bool, place: Place) -> Vec<Tensor> {
    let Some(ty) = trace::type_of(t) else { return vec![Tensor::POISON; layout.types.len()] };
    let rest = &ty.shape[1..];
    let mut offset = 0;
    let mut leaf = |leaf_ty: &TensorType| {
        let size = leaf_ty.n_elements();
        let (mut start, mut limit) = (vec![0; ty.rank()], ty.shape.clone());
        start[0] = offset;
        limit[0] = offset + size;
        offset += size;
        let strides = vec![1; ty.rank()];
        let rows = emit1(Prim::Slice { start, limit, strides }, &[t], place);
        let shape = [&leaf_ty.shape[..], rest].concat();
        let block = emit1(Prim::Reshape { shape }, &[rows], place);
        if !last {
            return block;
        }
        let k = leaf_ty.rank();
        let permutation = (k..k + rest.len()).chain(0..k).collect();
        emit1(Prim::Transpose { permutation }, &[block], place)
    };
    layout.types.iter().map(&mut leaf).collect()
}

fn forward<A: Args, F: Function<A>>(f: &F, args: &A, place: Place) -> <F::Output as Tree>::Leaves<A::First> {
    let first = args.first().clone();
    let range = super::leaf_range(args, 0);
    let layout = Layout::of(&first.leaves(), &first.spec().paths("argument 0"), "jacfwd", place);
    let basis = layout.as_ref().map_or_else(Vec::new, |l| l.basis(place));
    // One direction: the first argument moves, the others have zero tangents.
    let directional = |direction: Vec<Tensor>| {
        let mut direction = direction.into_iter();
        let mut i = 0;
        let tangents = args.map(&mut |leaf| {
            let moves = range.contains(&i);
            i += 1;
            match (moves, trace::type_of(leaf)) {
                (true, _) => direction.next().unwrap_or(Tensor::POISON),
                (false, Some(ty)) => differentiate::zeros(&ty, place),
                (false, None) => Tensor::POISON,
            }
        });
        differentiate::jvp(ByRef(f), args.clone(), tangents).1
    };
    let size = layout.as_ref().map_or(0, Layout::n);
    let columns = vmap(directional, crate::axes(0).size(size))(basis);
    let layout = layout.unwrap_or(Layout { types: Vec::new() });
    columns.map_leaves(&mut |column| super::rebuild(&first, &cut(column, &layout, true, place)))
}

fn reverse<A: Args, F: Function<A>>(f: &F, args: A, place: Place) -> <F::Output as Tree>::Leaves<A::First> {
    let first = args.first().clone();
    let _ = Layout::of(&first.leaves(), &first.spec().paths("argument 0"), "jacrev", place);
    let (output, pullback) = vjp(ByRef(f), args);
    let layout = Layout::of(&output.leaves(), &output.spec().paths("the result"), "jacrev", place);
    let basis = layout.as_ref().map_or_else(Vec::new, |l| l.basis(place));
    let size = layout.as_ref().map_or(0, Layout::n);
    let rows = |cotangents: Vec<Tensor>| pullback(super::rebuild(&output, &cotangents)).first().clone();
    let rows = vmap(rows, crate::axes(0).size(size))(basis);
    let layout = layout.unwrap_or(Layout { types: Vec::new() });
    // For each leaf of the argument its rows, cut into the leaves of the result.
    let parts: Vec<Vec<Tensor>> = rows.leaves().into_iter().map(|row| cut(row, &layout, false, place)).collect();
    let mut k = 0;
    output.map_leaves(&mut |_| {
        let leaves: Vec<Tensor> = parts.iter().map(|p| p.get(k).copied().unwrap_or(Tensor::POISON)).collect();
        k += 1;
        super::rebuild(&first, &leaves)
    })
}
