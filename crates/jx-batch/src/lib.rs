//! Batching: from the program of one example the program of many, as a pass from [`Func`](jx_ir::Func)
//! to `Func`.
//!
//! [`vmap`] has one rule for each family of primitives. The program that it is given holds no
//! transformation nodes; whoever expands nested ones (`jx-opt`) goes from the innermost out, so this
//! crate needs no rule for the nodes of others.
//!
//! ```
//! use jx_ir::{Builder, DType, TensorType};
//! let mut b = Builder::new();
//! let w = b.input(TensorType::scalar(DType::F32));
//! let x = b.input(TensorType::scalar(DType::F32));
//! let y = b.mul(w, x);
//! let func = b.finish(&[y]);
//! // One weight for all of ten examples.
//! let batched = jx_batch::vmap(&func, &[None, Some(0)], &[Some(0)], 10)?;
//! assert_eq!(batched.output_types().next().unwrap().to_string(), "f32[10]");
//! # Ok::<(), jx_batch::BatchError>(())
//! ```

mod error;
mod rules;
mod vmap;

pub use error::BatchError;
pub use vmap::vmap;
