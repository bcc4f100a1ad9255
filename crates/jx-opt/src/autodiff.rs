//! The passes of `jx-autodiff` for programs that still hold nodes: each expands first.

use crate::{OptError, expand};
use jx_autodiff::{AutodiffError, Linearized};
use jx_ir::Func;

/// The program's outputs and their tangents, from its inputs and the tangents of those in `wrt`.
///
/// # Errors
/// If the program cannot be expanded or differentiated.
pub fn jvp(func: &Func, wrt: &[usize]) -> Result<Func, OptError> {
    jx_autodiff::jvp(&expand(func)?, wrt).map_err(|source| failed("jvp", source))
}

/// The program split at a point into its primal part, which keeps residuals, and its linear part.
///
/// # Errors
/// If the program cannot be expanded or differentiated.
pub fn linearize(func: &Func, wrt: &[usize]) -> Result<Linearized, OptError> {
    jx_autodiff::linearize(&expand(func)?, wrt).map_err(|source| failed("linearize", source))
}

/// The transpose of a program that is linear in all but its first `n_known` inputs: from those and the
/// cotangents of the outputs to the cotangents of the other inputs.
///
/// # Errors
/// If the program cannot be expanded or is not linear.
pub fn transpose(linear: &Func, n_known: usize) -> Result<Func, OptError> {
    jx_autodiff::transpose(&expand(linear)?, n_known).map_err(|source| failed("transpose", source))
}

/// The program's outputs and the cotangents of the inputs in `wrt`, from its inputs and the cotangents
/// of its float outputs.
///
/// # Errors
/// If the program cannot be expanded or differentiated.
pub fn vjp(func: &Func, wrt: &[usize]) -> Result<Func, OptError> {
    jx_autodiff::vjp(&expand(func)?, wrt).map_err(|source| failed("vjp", source))
}

/// The gradients of the program's first output, a float scalar; before them its value if `value`, and
/// its other outputs.
///
/// # Errors
/// If the program cannot be expanded or differentiated.
pub fn grad(func: &Func, wrt: &[usize], value: bool) -> Result<Func, OptError> {
    jx_autodiff::grad(&expand(func)?, wrt, value).map_err(|source| failed("grad", source))
}

fn failed(node: &'static str, source: AutodiffError) -> OptError {
    OptError::Autodiff { node, origin: None, source: Box::new(source) }
}
