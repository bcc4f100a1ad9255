//! From the program as the user wrote it to the first-order program that a backend compiles.
//!
//! [`expand`] replaces the transformation nodes, innermost first, by what `jx-autodiff` and `jx-batch`
//! make of them, and inlines calls. [`simplify`] shortens a program without changing a bit of its
//! results. [`Optimizer`] does both and keeps what each pass made. [`linearize`], [`jvp`], [`grad`],
//! [`vjp`] and [`transpose`] are the passes of `jx-autodiff` for programs that still hold nodes.
//!
//! The optimiser over an e-graph, which finds cheaper forms than one walk can, takes the place of
//! [`simplify`] here; the signatures stay.
//!
//! ```
//! use jx_ir::{Builder, DType, Prim, TensorType};
//! use jx_opt::Optimizer;
//! use std::sync::Arc;
//!
//! let scalar = TensorType::scalar(DType::F32);
//! let mut b = Builder::new();
//! let x = b.input(scalar.clone());
//! let y = b.square(x);
//! let square = Arc::new(b.finish(&[y]));
//!
//! let mut b = Builder::new();
//! let x = b.input(scalar);
//! let dx = b.emit1(Prim::Grad { func: square, wrt: vec![0], value: false }, &[x]);
//! let func = b.finish(&[dx]);
//!
//! let optimised = Optimizer::new().run(&func)?;
//! assert!(optimised.eqns().iter().all(|eqn| eqn.prim.nested().is_none()));
//! # Ok::<(), jx_opt::OptError>(())
//! ```

mod autodiff;
mod error;
mod expand;
mod pipeline;
mod simplify;

pub use autodiff::{grad, jvp, linearize, transpose, vjp};
pub use error::OptError;
pub use expand::expand;
pub use pipeline::{Level, Optimizer};
pub use simplify::simplify;
