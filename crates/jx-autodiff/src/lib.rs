//! Derivatives of jx programs, as programs: [`jvp`], [`linearize`], [`transpose`], [`vjp`] and [`grad`].
//!
//! Forward mode runs a program together with its tangents ([`jvp`]). [`linearize`] splits that into
//! what does not depend on tangents and the linear rest, and [`transpose`] runs a linear program
//! backwards. Reverse mode is those three and nothing else, so each primitive has one derivative rule,
//! and only the linear primitives that those rules emit have a transpose. Both stand side by side in
//! `rules/<family>.rs`.
//!
//! What holds everywhere:
//! - Only float values have tangents, of the value's own dtype.
//! - A zero tangent or cotangent gives a zero contribution, whatever the local derivative; factors
//!   are applied with `mul_no_nan` unless they are known to be finite.
//! - Ties share: `max`, `min` and their reductions split a cotangent equally among equal winners.
//!   `|x|` has derivative 0 at 0, and so has `atan2` at the origin.
//! - Programs in and out hold no `vmap`, `grad` or `jvp` nodes; calls are inlined on the way.
//!
//! ```
//! use jx_ir::{Builder, DType, TensorType};
//! let mut b = Builder::new();
//! let x = b.input(TensorType::new(DType::F32, [3]));
//! let y = b.square(x);
//! let total = b.reduce_sum(y, &[0]);
//! let func = b.finish(&[total]);
//!
//! let gradient = jx_autodiff::grad(&func, &[0], false)?;
//! assert_eq!(gradient.n_inputs(), 1);
//! assert_eq!(gradient.output_types().next().unwrap().to_string(), "f32[3]");
//! # Ok::<(), jx_autodiff::AutodiffError>(())
//! ```

mod error;
mod jvp;
mod linearize;
mod literal;
mod prune;
mod rules;
mod transpose;
mod vjp;

pub use error::AutodiffError;
pub use jvp::jvp;
pub use linearize::{Linearized, linearize};
pub use transpose::transpose;
pub use vjp::{grad, vjp};
