//! jx: composable function transformations for Rust.
//!
//! Write a function of tensors once, then [`grad`], [`vmap`] and [`jit`] it, nested in any order.
//!
//! ```
//! use jx::prelude::*;
//!
//! fn predict((w, b): (Tensor, Tensor), x: Tensor) -> Tensor { w * x + b }
//!
//! fn squared_error(params: (Tensor, Tensor), x: Tensor, y: Tensor) -> Tensor {
//!     (predict(params, x) - y).square()
//! }
//!
//! let per_example = jit(vmap(grad(squared_error), (None, 0, 0)));
//! let (dw, db) = per_example.call(((2.0_f32, 1.0_f32), [0.0_f32, 1.0], [0.5_f32, 3.0]))?;
//! assert_eq!(dw.to_vec::<f32>()?, [0.0, 0.0]);
//! assert_eq!(db.to_vec::<f32>()?, [1.0, 0.0]);
//! # Ok::<(), jx::Error>(())
//! ```
//!
//! # Conventions where a derivative is a matter of choice
//!
//! One table, the same in forward and reverse mode, eager and compiled, under `vmap` and at second order:
//!
//! | where | what |
//! |---|---|
//! | ties of `maximum`, `minimum`, `max`, `min` | those that tie share the derivative equally |
//! | `abs` at 0, of either sign | 0; `abs(x)²` still has second derivative 2 |
//! | `norm`, `std`, `hypot` and their like at the origin | 0 |
//! | `atan2(0, 0)` | 0 |
//! | a zero cotangent or tangent, whatever the local derivative | contributes 0, also where that is infinite or NaN |
//! | `sort`, `argmax` and their like among equals | the first |
//! | `floor`, `ceil`, `round`, `sign`, comparisons | 0 |
//! | reads and writes out of range | as their mode says, and the derivative is the exact dual |

mod array;
mod axes;
mod einsum;
mod error;
mod function;
mod jit;
pub mod linalg;
pub mod nn;
mod ops;
mod program;
pub mod random;
pub mod source;
mod tensor;
mod trace;
mod transform;
pub mod tree;

pub use array::Array;
pub use axes::{IntoAxes, IntoMapAxes, MapAxes, axes, named};
pub use einsum::einsum;
pub use error::{Error, ErrorKind, Operand};
pub use function::{Arg, ArgNums, Args, CallArgs, Function, form};
pub use jit::{Eager, Jit, eager, jit};
pub use jx_backends::{Device, DeviceInfo, devices};
pub use jx_derive::Tree;
pub use jx_ir::{self as ir, DType, Element, Scalar, TensorType, bf16, f16};
pub use ops::at::At;
pub use ops::numpy::*;
pub use ops::slicing::{Index, Indices, NEW, NewAxis};
pub use ops::{Ints, Value, lax, numpy};
pub use program::{CompiledProgram, Program};
pub use tensor::{IntoTensor, Tensor, full, scalar, tensor};
pub use transform::{
    grad, grad_argnums, grad_aux, hessian, jacfwd, jacrev, jvp, linearize, value_and_grad, value_and_grad_argnums,
    value_and_grad_aux, vjp, vmap,
};
pub use tree::Tree;

/// What most programs use: `use jx::prelude::*;`.
pub mod prelude {
    pub use crate::numpy::{
        arange, concatenate, dot, einsum, eye, full, linspace, matmul, maximum, minimum, ones, ones_like, stack,
        where_, zeros, zeros_like,
    };
    pub use crate::{
        Arg, Array, DType, Device, Tensor, Tree, axes, eager, grad, grad_argnums, grad_aux, hessian, jacfwd, jacrev,
        jit, jvp, linearize, named, tensor, value_and_grad, value_and_grad_argnums, value_and_grad_aux, vjp, vmap,
    };
    pub use crate::{NEW, lax, linalg, nn, random, s};
}

/// The README's program, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
