//! Conformance cases: JAX's own primitive harnesses with JAX's results, run on the passes of jx.
//!
//! A case is a jaxpr in JSON with inputs and expected outputs for the program itself and for JAX's `vmap`,
//! `jvp` and `grad` of it. [`Reader`] reads them, [`translate`] makes a [`Func`](jx_ir::Func) of a jaxpr,
//! [`variant_func`] puts the transformation around it as a node, [`Runner`] compares and counts. What
//! expands, compiles and runs a program comes from the caller, as a closure.
//!
//! The files are data from elsewhere: whatever they hold, what comes back is a value or a typed error.

mod compare;
mod evidence;
mod params;
mod read;
mod report;
mod run;
#[cfg(test)]
mod tests;
mod translate;
mod variants;
mod wire;

pub use read::{Case, ReadError, Reader, Variant, groups};
pub use report::{Failure, GroupReport, Report, Tally};
pub use run::{Run, RunError, Runner};
pub use translate::{Notes, TranslateError, Translated, translate};
pub use variants::{Kind, VariantError, variant_func};
pub use wire::{ArrayError, Atom, Jaxpr, JaxprEqn, JsonArray};
