//! Derivatives and transposes of selection and clamping. Comparisons have none.

use super::{Operand, instantiate, keep_where, require_zero, sum};
use crate::AutodiffError;
use jx_ir::{Builder, Prim, Var};

/// The tangent of the case that is selected.
pub(super) fn select_n_jvp(b: &mut Builder, x: &[Var], dx: &[Option<Var>]) -> Var {
    let mut operands = vec![x[0]];
    for (&x, &dx) in x.iter().zip(dx).skip(1) {
        operands.push(instantiate(b, dx, x));
    }
    b.emit1(Prim::SelectN, &operands)
}

/// The cotangent where the case is selected, and 0 elsewhere.
pub(super) fn select_n_transpose(
    b: &mut Builder,
    which: Var,
    cases: &[Operand<'_>],
    ct: Var,
) -> Result<Vec<Option<Var>>, AutodiffError> {
    let ty = b.ty(ct).clone();
    let zeros = b.zeros(&ty);
    let mut result = vec![None];
    for (i, case) in cases.iter().enumerate() {
        require_zero(b, "select_n", case)?;
        result.push(match case {
            Operand::Known(_) => None,
            Operand::Linear(_) => {
                let mut operands = vec![zeros; cases.len() + 1];
                operands[0] = which;
                operands[i + 1] = ct;
                Some(b.emit1(Prim::SelectN, &operands))
            }
        });
    }
    Ok(result)
}

/// d clamp(lo, x, hi): that of `x` strictly between the bounds, that of a bound beyond it; at a bound
/// as in JAX, 0 for all three.
pub(super) fn clamp_jvp(b: &mut Builder, [lo, x, hi]: [Var; 3], [dlo, dx, dhi]: [Option<Var>; 3]) -> Option<Var> {
    let t_lo = dlo.map(|dlo| {
        let (below, ordered) = (b.lt(x, lo), b.lt(lo, hi));
        let mask = b.and(below, ordered);
        keep_where(b, mask, dlo)
    });
    let t_x = dx.map(|dx| {
        let (above, below) = (b.gt(x, lo), b.lt(x, hi));
        let mask = b.and(above, below);
        keep_where(b, mask, dx)
    });
    // The upper bound is applied last, so it also wins against a greater lower bound.
    let t_hi = dhi.map(|dhi| {
        let (above, crossed) = (b.gt(x, hi), b.gt(lo, hi));
        let mask = b.or(above, crossed);
        keep_where(b, mask, dhi)
    });
    let t = sum(b, t_lo, t_x);
    sum(b, t, t_hi)
}
