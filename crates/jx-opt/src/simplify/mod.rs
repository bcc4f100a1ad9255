//! Exact simplification: shorter programs, the same bits.
//!
//! Each pass is one walk over the equations and does a bounded amount of work for each, so the whole is
//! linear in the program.

mod algebra;
mod cse;
mod dce;
mod fold;
mod movement;
#[cfg(test)]
mod tests;

pub(crate) use cse::cse;
pub(crate) use dce::dce;
pub(crate) use fold::fold_final;

use fold::fold;
use jx_ir::Func;

/// The program without equations that nothing reads, that repeat another, or whose value or whose
/// effect is known: each output keeps every bit, `-0.0` and NaN included. Nodes are left as they are,
/// and so is `stop_gradient`, since the result may be differentiated.
///
/// ```
/// use jx_ir::{Builder, DType, TensorType};
/// let mut b = Builder::new();
/// let x = b.input(TensorType::scalar(DType::F32));
/// let (s, t) = (b.sin(x), b.sin(x));
/// let sum = b.add(s, t);
/// assert_eq!(jx_opt::simplify(&b.finish(&[sum])).eqns().len(), 2);
/// ```
#[must_use]
pub fn simplify(func: &Func) -> Func {
    dce(&cse(&fold(&cse(&dce(func)))))
}
