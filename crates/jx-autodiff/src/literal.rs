//! What is known of a value from the equations that made it: whether it is a literal that is finite,
//! zero or one. "No" is always a safe answer.

use jx_ir::{Builder, Eqn, Prim, Scalar, Var};

/// Constants beyond this many elements are not looked through.
const MAX_ELEMENTS: usize = 1024;

/// Nor are longer chains of movements, so that the question stays cheap.
const MAX_DEPTH: usize = 4;

/// The equation of `b` that defines `var`, unless it is an input.
fn definition(b: &Builder, var: Var) -> Option<&Eqn> {
    let eqns = b.eqns();
    let after = eqns.partition_point(|e| e.outputs.first().is_none_or(|&out| out <= var));
    eqns[..after].last().filter(|e| e.outputs.contains(&var))
}

/// Whether `var` is a literal, or literals moved around, and all of its elements satisfy `holds`.
fn all(b: &Builder, var: Var, depth: usize, holds: &dyn Fn(Scalar) -> bool) -> bool {
    let Some(eqn) = definition(b, var) else { return false };
    match &eqn.prim {
        Prim::Full { value, .. } => holds(*value),
        Prim::Constant(array) => array.n_elements() <= MAX_ELEMENTS && array.scalars().all(holds),
        Prim::Reshape { .. }
        | Prim::Transpose { .. }
        | Prim::BroadcastInDim { .. }
        | Prim::Slice { .. }
        | Prim::Pad { .. }
        | Prim::Concatenate { .. }
        | Prim::Rev { .. } => depth > 0 && eqn.inputs.iter().all(|&v| all(b, v, depth - 1, holds)),
        Prim::Unary(_)
        | Prim::IntegerPow { .. }
        | Prim::Binary(_)
        | Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient
        | Prim::Iota { .. }
        | Prim::DynamicSlice { .. }
        | Prim::DynamicUpdateSlice
        | Prim::Gather { .. }
        | Prim::Scatter { .. }
        | Prim::Reduce { .. }
        | Prim::ArgReduce { .. }
        | Prim::Cumulative { .. }
        | Prim::DotGeneral { .. }
        | Prim::Sort { .. }
        | Prim::Threefry2x32
        | Prim::Call { .. }
        | Prim::Vmap { .. }
        | Prim::Grad { .. }
        | Prim::Jvp { .. } => false,
    }
}

/// Whether every element is known to be neither infinite nor NaN.
pub(crate) fn is_finite(b: &Builder, var: Var) -> bool {
    all(b, var, MAX_DEPTH, &|s| s.as_f64().is_finite())
}

/// Whether every element is known to be zero, of either sign.
pub(crate) fn is_zero(b: &Builder, var: Var) -> bool {
    all(b, var, MAX_DEPTH, &|s| s.as_f64() == 0.0)
}

/// Whether every element is known to be 1.
pub(crate) fn is_one(b: &Builder, var: Var) -> bool {
    all(b, var, MAX_DEPTH, &|s| s.as_f64() == 1.0)
}

/// Whether every element is known to be finite and not zero.
pub(crate) fn is_finite_divisor(b: &Builder, var: Var) -> bool {
    all(b, var, MAX_DEPTH, &|s| s.as_f64().is_finite() && s.as_f64() != 0.0)
}
