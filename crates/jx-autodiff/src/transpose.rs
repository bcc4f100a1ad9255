//! Transposition: a linear program run backwards, from cotangents of outputs to those of inputs.
//!
//! A value read twice receives the sum of its cotangents. That is done here and never in a rule.

use crate::AutodiffError;
use crate::linearize::depends_on_linear;
use crate::prune::{copy, flatten, prune};
use crate::rules::{self, Operand};
use jx_ir::{Builder, Func, TypeError, Var};

/// The transpose of a program that is linear in its inputs from `n_known` on: inputs are the known
/// ones, then a cotangent for each float output; outputs are cotangents of the other inputs.
///
/// # Errors
/// [`AutodiffError::NotLinear`] if an equation is not linear; also if an input from `n_known` on is not
/// float, or if the program holds a transformation node.
///
/// ```
/// use jx_ir::{Builder, DType, TensorType};
/// let mut b = Builder::new();
/// let x = b.input(TensorType::new(DType::F32, [2, 3]));
/// let y = b.reduce_sum(x, &[1]);
/// let spread = jx_autodiff::transpose(&b.finish(&[y]), 0)?;
/// assert_eq!(spread.input_types()[0].to_string(), "f32[2]");
/// assert_eq!(spread.output_types().next().unwrap().to_string(), "f32[2,3]");
/// # Ok::<(), jx_autodiff::AutodiffError>(())
/// ```
pub fn transpose(linear: &Func, n_known: usize) -> Result<Func, AutodiffError> {
    let n_inputs = linear.n_inputs();
    if n_known > n_inputs {
        return Err(AutodiffError::KnownInputs { n_known, n_inputs });
    }
    for (index, ty) in linear.input_types().iter().enumerate().skip(n_known) {
        if !ty.dtype.is_float() {
            return Err(TypeError::WrtNotFloat { prim: "transpose", index, found: ty.clone() }.into());
        }
    }
    let flat = flatten("transpose", linear)?;
    let floats = flat.output_types().filter(|ty| ty.dtype.is_float());
    let (mut b, args) = Builder::with_inputs(flat.input_types()[..n_known].iter().chain(floats));
    let (known, cts) = args.split_at(n_known);
    let mut cts = cts.iter().copied();
    let cts: Vec<Option<Var>> =
        flat.output_types().map(|ty| if ty.dtype.is_float() { cts.next() } else { None }).collect();
    let outputs = transpose_into(&mut b, &flat, known, &cts)?;
    Ok(prune(&b.finish(&outputs)))
}

/// The cotangents of the inputs of `linear` after the known ones, given those of its outputs (`None`
/// is zero).
pub(crate) fn transpose_into(
    b: &mut Builder,
    linear: &Func,
    known: &[Var],
    cts: &[Option<Var>],
) -> Result<Vec<Var>, AutodiffError> {
    let is_linear = depends_on_linear(linear, known.len());
    let mut values: Vec<Option<Var>> = known.iter().copied().map(Some).collect();
    values.resize(linear.n_vars(), None);
    for eqn in linear.eqns().iter().filter(|e| e.outputs.iter().all(|v| !is_linear[v.index()])) {
        copy(b, eqn, &mut values);
    }

    let mut table: Vec<Option<Var>> = vec![None; linear.n_vars()];
    for (v, &ct) in linear.outputs().iter().zip(cts) {
        accumulate(b, &mut table, *v, ct);
    }
    for eqn in linear.eqns().iter().rev() {
        let cts: Vec<Option<Var>> = eqn.outputs.iter().map(|v| table[v.index()]).collect();
        if cts.iter().all(Option::is_none) || !eqn.inputs.iter().any(|v| is_linear[v.index()]) {
            continue;
        }
        let operands: Vec<Operand<'_>> = eqn
            .inputs
            .iter()
            .map(|&v| match values[v.index()] {
                Some(known) => Operand::Known(known),
                None => Operand::Linear(linear.ty(v)),
            })
            .collect();
        let outer = b.set_origin(eqn.origin.clone());
        let back = rules::transpose(b, &eqn.prim, &operands, &cts);
        for (&v, ct) in eqn.inputs.iter().zip(back?) {
            if is_linear[v.index()] {
                accumulate(b, &mut table, v, ct);
            }
        }
        b.set_origin(outer);
    }
    let inputs = linear.inputs().skip(known.len());
    Ok(inputs
        .map(|v| match table[v.index()] {
            Some(ct) => ct,
            None => b.zeros(linear.ty(v)),
        })
        .collect())
}

fn accumulate(b: &mut Builder, table: &mut [Option<Var>], var: Var, ct: Option<Var>) {
    let slot = &mut table[var.index()];
    *slot = match (*slot, ct) {
        (Some(sum), Some(ct)) => Some(b.add(sum, ct)),
        (one, None) | (None, one) => one,
    };
}
