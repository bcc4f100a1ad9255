//! Why a program cannot be differentiated, and the checks of what the caller asked for.

use jx_ir::{Func, TensorType, TypeError};

/// Why a program cannot be differentiated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AutodiffError {
    /// The inputs named, or the outputs, are not ones that can be differentiated.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// The program holds a transformation that was not expanded.
    #[error(
        "{pass}: the program still holds a `{prim}` node; expand the transformations inside it first, from the innermost out"
    )]
    Unexpanded {
        /// Which pass met it.
        pass: &'static str,
        /// The node's name: `vmap`, `grad` or `jvp`.
        prim: &'static str,
    },
    /// Transposition met an equation that is not linear in the inputs to be transposed.
    #[error("transpose: `{prim}` is not linear here; linearize the function first")]
    NotLinear {
        /// The primitive's name.
        prim: &'static str,
    },
    /// A derivative that is not implemented.
    #[error("the derivative of `{prim}` is not supported: {why}")]
    Unsupported {
        /// The primitive's name.
        prim: &'static str,
        /// What is missing.
        why: &'static str,
    },
    /// More known inputs than inputs.
    #[error("transpose: {n_known} inputs are said to be known, but the program has only {n_inputs}")]
    KnownInputs {
        /// How many are said to be known.
        n_known: usize,
        /// How many inputs there are.
        n_inputs: usize,
    },
}

/// That `wrt` names distinct float inputs of the program.
pub(crate) fn require_wrt(prim: &'static str, func: &Func, wrt: &[usize]) -> Result<(), TypeError> {
    for (i, &index) in wrt.iter().enumerate() {
        let Some(ty) = func.input_types().get(index) else {
            return Err(TypeError::Arity { prim, expected: index + 1, found: func.n_inputs() });
        };
        if !ty.dtype.is_float() {
            return Err(TypeError::WrtNotFloat { prim, index, found: ty.clone() });
        }
        if wrt[..i].contains(&index) {
            let (operand, rule) = (ty.clone(), "each input is named once");
            return Err(TypeError::Param { prim, param: "wrt", found: format!("{wrt:?}"), operand, rule });
        }
    }
    Ok(())
}

/// That the program's first output is a float scalar; its type.
pub(crate) fn require_scalar(func: &Func) -> Result<TensorType, TypeError> {
    match func.output_types().next() {
        Some(ty) if ty.rank() == 0 && ty.dtype.is_float() => Ok(ty.clone()),
        Some(ty) => Err(TypeError::GradOfNonScalar { found: ty.to_string() }),
        None => Err(TypeError::GradOfNonScalar { found: "nothing".to_owned() }),
    }
}
