//! The derivative rules, a file a family: for every primitive its tangents, and for the linear ones
//! their transpose beside it.

mod binary;
mod compare;
mod convert;
mod dot;
mod indexing;
mod movement;
mod reduce;
mod sort;
mod unary;

use crate::{AutodiffError, literal};
use jx_ir::{Builder, DType, Prim, TensorType, Var};

/// An operand of an equation that is transposed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'a> {
    /// A value that the equation is not to be transposed in.
    Known(Var),
    /// A value to which a cotangent is sent.
    Linear(&'a TensorType),
}

impl Operand<'_> {
    fn known(&self) -> Option<Var> {
        match self {
            Operand::Known(v) => Some(*v),
            Operand::Linear(_) => None,
        }
    }
}

/// The primitive's results and their tangents; at least one of `dx` is not zero.
pub(crate) fn jvp(
    b: &mut Builder,
    prim: &Prim,
    x: &[Var],
    dx: &[Option<Var>],
) -> Result<(Vec<Var>, Vec<Option<Var>>), AutodiffError> {
    if let Prim::Sort { dimension, num_keys } = prim {
        return Ok(sort::jvp(b, *dimension, *num_keys, x, dx));
    }
    if prim.nested().is_some() {
        return Err(unexpanded("jvp", prim));
    }
    let y = b.emit(prim.clone(), x);
    let dy = tangents(b, prim, x, dx, &y)?;
    Ok((y, dy))
}

/// The tangents of the primitive's results `y`; at least one of `dx` is not zero.
pub(crate) fn tangents(
    b: &mut Builder,
    prim: &Prim,
    x: &[Var],
    dx: &[Option<Var>],
    y: &[Var],
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let one = match (prim, x, dx) {
        (Prim::Unary(op), &[x], &[Some(dx)]) => unary::jvp(b, *op, x, y[0], dx)?,
        (Prim::IntegerPow { exponent }, &[x], &[Some(dx)]) => unary::integer_pow_jvp(b, *exponent, x, y[0], dx),
        (Prim::Binary(op), &[x0, x1], &[dx0, dx1]) => binary::jvp(b, *op, [x0, x1], y[0], [dx0, dx1]),
        (Prim::SelectN, ..) => Some(compare::select_n_jvp(b, x, dx)),
        (Prim::Clamp, &[lo, x, hi], &[dlo, dx, dhi]) => compare::clamp_jvp(b, [lo, x, hi], [dlo, dx, dhi]),
        (Prim::Convert { dtype }, _, &[Some(dx)]) => convert::jvp(b, *dtype, dx),
        // What is linear in all of its operands moves tangents as it moves values.
        (
            Prim::Reshape { .. }
            | Prim::Transpose { .. }
            | Prim::BroadcastInDim { .. }
            | Prim::Slice { .. }
            | Prim::Pad { .. }
            | Prim::Concatenate { .. }
            | Prim::Rev { .. },
            ..,
        ) => Some(linear_jvp(b, prim, x, dx, x.len())),
        (Prim::DynamicSlice { .. }, ..) => Some(linear_jvp(b, prim, x, dx, 1)),
        (Prim::DynamicUpdateSlice, ..) => Some(linear_jvp(b, prim, x, dx, 2)),
        (Prim::Gather { .. }, &[_, indices], &[Some(dx), _]) => Some(indexing::gather_jvp(b, prim, dx, indices)),
        (Prim::Scatter { .. }, &[x, indices, updates], &[dx, _, du]) => {
            Some(indexing::scatter_jvp(b, prim, [x, indices, updates], y[0], dx, du))
        }
        (Prim::Reduce { op, axes }, &[x], &[Some(dx)]) => reduce::jvp(b, *op, axes, x, y[0], dx),
        (Prim::Cumulative { op, axis, reverse }, &[x], &[Some(dx)]) => {
            Some(reduce::cumulative_jvp(b, *op, *axis, *reverse, [x, y[0]], dx))
        }
        (Prim::DotGeneral { dims, out_dtype }, &[x0, x1], &[dx0, dx1]) => {
            dot::jvp(b, dims, *out_dtype, [x0, x1], [dx0, dx1])
        }
        (Prim::Sort { dimension, num_keys }, ..) => return Ok(sort::jvp(b, *dimension, *num_keys, x, dx).1),
        // Piecewise constant, of no operand, or cut off by the user.
        (
            Prim::Compare(_)
            | Prim::StopGradient
            | Prim::Full { .. }
            | Prim::Constant(_)
            | Prim::Iota { .. }
            | Prim::ArgReduce { .. }
            | Prim::Threefry2x32,
            ..,
        ) => return Ok(vec![None; y.len()]),
        (Prim::Call { .. } | Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. }, ..) => {
            return Err(unexpanded("jvp", prim));
        }
        (
            Prim::Unary(_)
            | Prim::IntegerPow { .. }
            | Prim::Binary(_)
            | Prim::Clamp
            | Prim::Convert { .. }
            | Prim::Gather { .. }
            | Prim::Scatter { .. }
            | Prim::Reduce { .. }
            | Prim::Cumulative { .. }
            | Prim::DotGeneral { .. },
            ..,
        ) => panic!("{prim:?} has other operands, or no tangent that is not zero: {x:?}, {dx:?}"),
    };
    Ok(vec![one])
}

/// The cotangents of the operands, given those of the results (not all zero); what is returned for
/// a known operand is ignored.
pub(crate) fn transpose(
    b: &mut Builder,
    prim: &Prim,
    x: &[Operand<'_>],
    cts: &[Option<Var>],
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let not_linear = || AutodiffError::NotLinear { prim: prim.name() };
    let &[Some(ct)] = cts else { return Err(not_linear()) };
    match (prim, x) {
        (Prim::Unary(op), _) => unary::transpose(b, *op, ct),
        (Prim::Binary(op), &[x0, x1]) => binary::transpose(b, *op, [x0, x1], ct),
        (Prim::SelectN, &[Operand::Known(which), ref cases @ ..]) => compare::select_n_transpose(b, which, cases, ct),
        (Prim::Convert { .. }, &[Operand::Linear(ty)]) => convert::transpose(b, prim, ty, ct),
        (Prim::StopGradient, _) => Ok(vec![None]),
        (Prim::Reshape { .. }, &[Operand::Linear(ty)]) => Ok(vec![Some(b.reshape(ct, &ty.shape))]),
        (Prim::Transpose { permutation }, _) => Ok(vec![Some(movement::transpose_transpose(b, permutation, ct))]),
        (Prim::BroadcastInDim { broadcast_dimensions, .. }, &[Operand::Linear(ty)]) => {
            Ok(vec![Some(movement::broadcast_in_dim_transpose(b, broadcast_dimensions, ty, ct))])
        }
        (Prim::Slice { start, strides, .. }, &[Operand::Linear(ty)]) => {
            Ok(vec![Some(movement::slice_transpose(b, start, strides, ty, ct))])
        }
        (Prim::Pad { low, high, interior }, &[x, value]) => {
            movement::pad_transpose(b, [low, high], interior, [x, value], ct)
        }
        (Prim::Concatenate { dimension }, _) => movement::concatenate_transpose(b, *dimension, x, ct),
        (Prim::Rev { dimensions }, _) => Ok(vec![Some(b.rev(ct, dimensions))]),
        (Prim::DynamicSlice { .. }, &[Operand::Linear(ty), ref starts @ ..]) => {
            Ok(indexing::dynamic_slice_transpose(b, ty, starts, ct))
        }
        (Prim::DynamicUpdateSlice, &[x, update, ref starts @ ..]) => {
            indexing::dynamic_update_slice_transpose(b, [x, update], starts, ct)
        }
        (Prim::Gather { dims, mode, .. }, &[Operand::Linear(ty), Operand::Known(indices)]) => {
            Ok(vec![Some(indexing::gather_transpose(b, dims, *mode, ty, indices, ct)), None])
        }
        (Prim::Scatter { .. }, &[x, Operand::Known(indices), updates]) => {
            indexing::scatter_transpose(b, prim, [x, updates], indices, ct)
        }
        (Prim::Reduce { op, axes }, &[Operand::Linear(ty)]) => reduce::transpose(b, *op, axes, ty, ct),
        (Prim::Cumulative { op, axis, reverse }, _) => reduce::cumulative_transpose(b, *op, *axis, *reverse, ct),
        (Prim::DotGeneral { dims, .. }, &[lhs, rhs]) => dot::transpose(b, dims, [lhs, rhs], ct),
        (Prim::Call { .. } | Prim::Vmap { .. } | Prim::Grad { .. } | Prim::Jvp { .. }, _) => {
            Err(unexpanded("transpose", prim))
        }
        // These are not linear, or not in the operand that is.
        (
            Prim::IntegerPow { .. }
            | Prim::Binary(_)
            | Prim::Compare(_)
            | Prim::SelectN
            | Prim::Clamp
            | Prim::Convert { .. }
            | Prim::Full { .. }
            | Prim::Constant(_)
            | Prim::Iota { .. }
            | Prim::Reshape { .. }
            | Prim::BroadcastInDim { .. }
            | Prim::Slice { .. }
            | Prim::Pad { .. }
            | Prim::DynamicSlice { .. }
            | Prim::DynamicUpdateSlice
            | Prim::Gather { .. }
            | Prim::Scatter { .. }
            | Prim::Reduce { .. }
            | Prim::ArgReduce { .. }
            | Prim::DotGeneral { .. }
            | Prim::Sort { .. }
            | Prim::Threefry2x32,
            _,
        ) => Err(not_linear()),
    }
}

fn unexpanded(pass: &'static str, prim: &Prim) -> AutodiffError {
    AutodiffError::Unexpanded { pass, prim: prim.name() }
}

/// The primitive itself on tangents in place of its first `n_linear` operands.
fn linear_jvp(b: &mut Builder, prim: &Prim, x: &[Var], dx: &[Option<Var>], n_linear: usize) -> Var {
    let mut operands = x.to_vec();
    for i in 0..n_linear {
        operands[i] = instantiate(b, dx[i], x[i]);
    }
    b.emit1(prim.clone(), &operands)
}

/// The tangent of `x` as a tensor.
pub(crate) fn instantiate(b: &mut Builder, dx: Option<Var>, x: Var) -> Var {
    match dx {
        Some(dx) => dx,
        None => {
            let ty = b.ty(x).clone();
            b.zeros(&ty)
        }
    }
}

/// `dx · d`, zero wherever `dx` is zero, even if `d` is infinite or NaN there.
fn scale(b: &mut Builder, dx: Var, d: Var) -> Var {
    if literal::is_one(b, dx) {
        d
    } else if literal::is_one(b, d) {
        dx
    } else if literal::is_finite(b, d) {
        b.mul(dx, d)
    } else {
        b.mul_no_nan(dx, d)
    }
}

/// The sum of two contributions, either of which may be zero.
fn sum(b: &mut Builder, t0: Option<Var>, t1: Option<Var>) -> Option<Var> {
    match (t0, t1) {
        (Some(t0), Some(t1)) => Some(b.add(t0, t1)),
        (t, None) | (None, t) => t,
    }
}

/// `t` where `mask` holds, else 0: a choice and not a product, for `t` may be infinite or NaN elsewhere.
fn keep_where(b: &mut Builder, mask: Var, t: Var) -> Var {
    let ty = b.ty(t).clone();
    let zeros = b.zeros(&ty);
    b.select(mask, t, zeros)
}

/// That a known operand beside a linear one is zero; with another, the equation is affine, not linear.
fn require_zero(b: &Builder, prim: &'static str, x: &Operand<'_>) -> Result<(), AutodiffError> {
    match x.known() {
        Some(v) if !literal::is_zero(b, v) => Err(AutodiffError::NotLinear { prim }),
        Some(_) | None => Ok(()),
    }
}

/// The dtype that counts up to `n` things: `i32` if they fit.
fn index_dtype(n: usize) -> DType {
    if i32::try_from(n).is_ok() { DType::I32 } else { DType::I64 }
}

/// `1/n` in `dtype`, elementwise, for integer counts of winners; 1 where there are none.
///
/// The count is rounded in a wide float, for `f16` and `bf16` do not hold large counts.
fn equal_share(b: &mut Builder, n: Var, dtype: DType) -> Var {
    let one = b.full_like(n, 1.0);
    let n = b.max(n, one);
    let n = b.convert(n, if dtype == DType::F64 { DType::F64 } else { DType::F32 });
    let one = b.full_like(n, 1.0);
    let share = b.div(one, n);
    b.convert(share, dtype)
}
