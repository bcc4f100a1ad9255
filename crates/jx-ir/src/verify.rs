//! `verify`: whether a program is well formed, and if not, where and why.
//!
//! It checks that
//! - variables are numbered densely in order of definition: inputs, then results equation by equation;
//! - every operand is defined before its use, and every output is defined;
//! - each type can be addressed, and each result's stored type is the one that [`Prim::infer`](crate::Prim::infer) gives;
//! - nested programs are well formed too, and not more than [`MAX_NESTING`] deep.
//!
//! It takes nothing for granted, so a program fresh from a file cannot make it panic; deserialising a
//! [`Func`] ends with it. Passes call it in tests and debug builds.

#[cfg(test)]
mod tests;

use crate::print::{self, Style};
use crate::{Eqn, Func, TensorType, TypeError, Var};
use serde::{Deserialize, Deserializer, de::Error as _};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// How deep functions may be nested in a program that is read or verified. Passes recurse over them,
/// so this bounds the stack.
pub const MAX_NESTING: usize = 64;

/// An equation of a program, by its index among its equations, and the name of its primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The index, from 0.
    pub eqn_idx: usize,
    /// The primitive's name.
    pub prim: &'static str,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "equation {} ({})", self.eqn_idx, self.prim)
    }
}

/// Why a program is not well formed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyError {
    /// The equations whose nested program is gone into, outermost first.
    pub path: Vec<Place>,
    /// The equation at fault, if it is one.
    pub place: Option<Place>,
    /// What is wrong.
    pub fault: Box<VerifyFault>,
    /// The equation among its neighbours in text form, marked with `>`; empty if no equation is at fault.
    pub context: String,
}

/// What is wrong with a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyFault {
    /// More inputs than variables.
    #[error("there are {n_inputs} inputs, but only {n_vars} variables have a type")]
    Inputs {
        /// How many inputs it claims.
        n_inputs: usize,
        /// How many types there are.
        n_vars: usize,
    },
    /// An input that could not be addressed.
    #[error("input {input} is {ty}, which has too many elements to address")]
    InputTooLarge {
        /// The input.
        input: Var,
        /// Its type.
        ty: TensorType,
    },
    /// An operand that is not defined before the equation.
    #[error("operand {operand} is not defined before its use; {n_defined} variables are, from %0 on")]
    Undefined {
        /// The operand.
        operand: Var,
        /// How many variables are defined there.
        n_defined: usize,
    },
    /// A primitive that refuses its operands.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// Another number of results than the primitive's.
    #[error("the primitive has {expected} results, but {found} variables are defined")]
    ResultCount {
        /// How many results it has.
        expected: usize,
        /// How many variables the equation defines.
        found: usize,
    },
    /// A result that is not numbered next.
    #[error("result {found} should be %{expected}: variables are numbered in order of definition")]
    Numbering {
        /// The number that is next.
        expected: usize,
        /// The variable that stands there.
        found: Var,
    },
    /// A result that has no type.
    #[error("result {result} has no type: the program has types for {n_vars} variables only")]
    Untyped {
        /// The result.
        result: Var,
        /// How many types there are.
        n_vars: usize,
    },
    /// A stored type that is not the inferred one.
    #[error("result {result} is stored as {stored}, but the primitive gives {inferred}")]
    ResultType {
        /// The result.
        result: Var,
        /// The type stored for it.
        stored: TensorType,
        /// The type that it has.
        inferred: TensorType,
    },
    /// Types of variables that nothing defines.
    #[error("{n_vars} variables have a type, but only {n_defined} are defined")]
    Spare {
        /// How many types there are.
        n_vars: usize,
        /// How many variables are defined.
        n_defined: usize,
    },
    /// An output that is no variable of the program.
    #[error("output {index} is {output}, which is not defined")]
    Output {
        /// Which output, from 0.
        index: usize,
        /// The variable that it names.
        output: Var,
    },
    /// Programs nested too deep.
    #[error("programs are nested more than {limit} deep")]
    TooDeep {
        /// The greatest depth.
        limit: usize,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let innermost_first = self.path.iter().rev().map(|place| format!("in func of {place}"));
        for part in self.place.iter().map(Place::to_string).chain(innermost_first) {
            write!(f, "{separator}{part}")?;
            separator = ", ";
        }
        if !separator.is_empty() {
            f.write_str(": ")?;
        }
        write!(f, "{}", self.fault)?;
        if !self.context.is_empty() {
            write!(f, "\n{}", self.context)?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.fault)
    }
}

/// Whether the program is well formed.
///
/// # Errors
/// If it is not: where and why.
///
/// ```
/// use jx_ir::{Func, verify};
/// let func: Func = "func(%x: f32[3]) { %y = sin %x; return %y }".parse()?;
/// assert_eq!(verify(&func), Ok(()));
/// # Ok::<(), jx_ir::ParseError>(())
/// ```
pub fn verify(func: &Func) -> Result<(), VerifyError> {
    Verifier::default().func(func)
}

#[derive(Default)]
struct Verifier {
    path: Vec<Place>,
    /// The nested programs found well formed, and how deep they were: a program may hold one many
    /// times over, and its text would be exponential.
    seen: HashSet<(*const Func, usize)>,
}

impl Verifier {
    fn fault(&self, fault: VerifyFault) -> VerifyError {
        VerifyError { path: self.path.clone(), place: None, fault: Box::new(fault), context: String::new() }
    }

    fn func(&mut self, func: &Func) -> Result<(), VerifyError> {
        let n_vars = func.types.len();
        if self.path.len() >= MAX_NESTING {
            return Err(self.fault(VerifyFault::TooDeep { limit: MAX_NESTING }));
        }
        let Some(inputs) = func.types.get(..func.n_inputs) else {
            return Err(self.fault(VerifyFault::Inputs { n_inputs: func.n_inputs, n_vars }));
        };
        for (input, ty) in (0..).map(Var).zip(inputs) {
            if TypeError::require_size("input", ty.clone()).is_err() {
                return Err(self.fault(VerifyFault::InputTooLarge { input, ty: ty.clone() }));
            }
        }
        let mut n_defined = func.n_inputs;
        for (eqn_idx, eqn) in func.eqns.iter().enumerate() {
            let place = Place { eqn_idx, prim: eqn.prim.name() };
            if let Some(nested) = eqn.prim.nested() {
                self.nested(place, nested)?;
            }
            n_defined = check_eqn(func, eqn, n_defined).map_err(|fault| VerifyError {
                place: Some(place),
                context: context(func, eqn_idx),
                ..self.fault(fault)
            })?;
        }
        if n_defined != n_vars {
            return Err(self.fault(VerifyFault::Spare { n_vars, n_defined }));
        }
        match func.outputs.iter().enumerate().find(|(_, output)| output.index() >= n_vars) {
            Some((index, &output)) => Err(self.fault(VerifyFault::Output { index, output })),
            None => Ok(()),
        }
    }

    fn nested(&mut self, place: Place, nested: &Arc<Func>) -> Result<(), VerifyError> {
        if self.seen.insert((Arc::as_ptr(nested), self.path.len())) {
            self.path.push(place);
            self.func(nested)?;
            self.path.pop();
        }
        Ok(())
    }
}

/// How many variables are defined after the equation. What it nests is well formed already.
fn check_eqn(func: &Func, eqn: &Eqn, n_defined: usize) -> Result<usize, VerifyFault> {
    let n_vars = func.types.len();
    if let Some(&operand) = eqn.inputs.iter().find(|operand| operand.index() >= n_defined) {
        return Err(VerifyFault::Undefined { operand, n_defined });
    }
    let operands: Vec<&TensorType> = eqn.inputs.iter().map(|&operand| func.ty(operand)).collect();
    let inferred = eqn.prim.infer(&operands)?;
    if inferred.len() != eqn.outputs.len() {
        return Err(VerifyFault::ResultCount { expected: inferred.len(), found: eqn.outputs.len() });
    }
    for (expected, (&result, inferred)) in (n_defined..).zip(eqn.outputs.iter().zip(inferred)) {
        if result.index() != expected {
            return Err(VerifyFault::Numbering { expected, found: result });
        }
        match func.types.get(expected) {
            None => return Err(VerifyFault::Untyped { result, n_vars }),
            Some(stored) if *stored != inferred => {
                return Err(VerifyFault::ResultType { result, stored: stored.clone(), inferred });
            }
            Some(_) => {}
        }
    }
    Ok(n_defined + eqn.outputs.len())
}

/// The equation and two neighbours on each side, one a line; `>` marks it.
fn context(func: &Func, eqn_idx: usize) -> String {
    let first = eqn_idx.saturating_sub(2);
    let neighbours = func.eqns.iter().enumerate().skip(first).take(eqn_idx - first + 3);
    let lines = neighbours.map(|(i, eqn)| {
        let mark = if i == eqn_idx { "> " } else { "  " };
        let text = fmt::from_fn(|f| print::write_eqn(f, eqn, &func.types, 0, Style::ELIDED));
        format!("{mark}{text}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The serialised form of a [`Func`], read into one that may be ill formed.
#[derive(Deserialize)]
#[serde(remote = "Func")]
struct Unverified {
    name: Option<Arc<str>>,
    n_inputs: usize,
    types: Vec<TensorType>,
    eqns: Vec<Eqn>,
    outputs: Vec<Var>,
}

thread_local! {
    /// How many programs are being deserialised, each in the one before.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Counts one program more while it lives.
struct Depth(usize);

impl Depth {
    fn enter() -> Depth {
        Depth(DEPTH.replace(DEPTH.get() + 1))
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}

impl<'de> Deserialize<'de> for Func {
    /// A program that is not well formed is an error, so none exists. The whole is verified once, when
    /// the outermost program has been read; the depth is bounded on the way, for the format may not.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Func, D::Error> {
        let depth = Depth::enter();
        if depth.0 >= MAX_NESTING {
            return Err(D::Error::custom(VerifyFault::TooDeep { limit: MAX_NESTING }));
        }
        let func = Unverified::deserialize(deserializer)?;
        if depth.0 == 0 {
            verify(&func).map_err(D::Error::custom)?;
        }
        Ok(func)
    }
}
