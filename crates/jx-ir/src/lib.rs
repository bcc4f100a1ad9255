//! The programs of jx: closed, typed, in single static assignment form.
//!
//! A [`Func`] is a list of equations over tensors of static shape. [`Prim`] says what an equation does,
//! transformations included: `vmap`, `grad` and `jvp` are nodes that hold the program that they
//! transform, until the passes (in their own crates) expand them. [`Builder`] makes programs, each
//! equation typed as it is added.
//!
//! This crate is useful alone as a small tensor IR; it knows nothing of tracing, optimising or devices.
//!
//! ```
//! use jx_ir::{Builder, DType, TensorType};
//! let mut b = Builder::new();
//! let x = b.input(TensorType::new(DType::F32, [2, 3]));
//! let y = b.sin(x);
//! let z = b.reduce_sum(y, &[1]);
//! let func = b.finish(&[z]);
//! assert_eq!(func.ty(z).to_string(), "f32[2]");
//! ```

mod array;
mod build;
mod error;
mod eval;
mod func;
mod loc;
mod params;
pub mod parse;
mod prim;
mod print;
#[cfg(test)]
mod samples;
mod scalar;
mod types;
mod verify;

pub use array::{Array, ArrayError, Element};
pub use build::Builder;
pub use error::TypeError;
pub use eval::{EvalError, eval, eval_prim};
pub use func::{Eqn, Func, Var};
pub use half::{bf16, f16};
pub use loc::{Loc, Origin};
pub use params::{Param, ParamError};
pub use parse::{ParseError, ParseFault};
pub use prim::{
    ArgReduceOp, BinaryOp, CompareOp, CumulativeOp, DotDims, GatherDims, IndexMode, Prim, ReduceOp, ScatterDims,
    ScatterOp, UnaryOp,
};
pub use scalar::Scalar;
pub use types::{DType, DTypeKind, TensorType};
pub use verify::{MAX_NESTING, Place, VerifyError, VerifyFault, verify};
