//! Reverse mode: the values of a linearized program followed by the transpose of its linear part, in
//! one program that computes nothing twice.

use crate::AutodiffError;
use crate::error::{require_scalar, require_wrt};
use crate::jvp::float_outputs;
use crate::linearize::linearize_outputs;
use crate::prune::prune;
use crate::transpose::transpose_into;
use jx_ir::{Builder, Func};

/// The program of values and pulled-back cotangents: inputs are `func`'s, then a cotangent for each
/// float output; outputs are `func`'s, then a cotangent for each input of `wrt`.
///
/// # Errors
/// As [`jvp`](crate::jvp).
pub fn vjp(func: &Func, wrt: &[usize]) -> Result<Func, AutodiffError> {
    require_wrt("vjp", func, wrt)?;
    let floats = float_outputs(func);
    let lin = linearize_outputs(func, wrt, &floats)?;
    let ct_types = floats.iter().map(|&i| func.ty(func.outputs()[i]));
    let (mut b, args) = Builder::with_inputs(func.input_types().iter().chain(ct_types));
    let (x, cts) = args.split_at(func.n_inputs());
    let mut outputs = b.inline(&lin.primal, x);
    let residuals = outputs.split_off(func.n_outputs());
    let cts: Vec<_> = cts.iter().copied().map(Some).collect();
    outputs.extend(transpose_into(&mut b, &lin.linear, &residuals, &cts)?);
    Ok(prune(&b.finish(&outputs)))
}

/// The gradient of the program's first output, a float scalar. Outputs: the value if `value`, then
/// the program's other outputs, then the gradient for each input of `wrt`.
///
/// # Errors
/// As [`jvp`](crate::jvp), and if the first output is not a float scalar.
pub fn grad(func: &Func, wrt: &[usize], value: bool) -> Result<Func, AutodiffError> {
    require_wrt("grad", func, wrt)?;
    let ty = require_scalar(func)?;
    let lin = linearize_outputs(func, wrt, &[0])?;
    let (mut b, x) = Builder::with_inputs(func.input_types());
    let mut outputs = b.inline(&lin.primal, &x);
    let residuals = outputs.split_off(func.n_outputs());
    let one = b.full(&ty, 1.0);
    let gradients = transpose_into(&mut b, &lin.linear, &residuals, &[Some(one)])?;
    if !value {
        outputs.remove(0);
    }
    outputs.extend(gradients);
    Ok(prune(&b.finish(&outputs)))
}
