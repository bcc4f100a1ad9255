//! Why a program does not compile or run.

use crate::Device;
use jx_ir::{EvalError, TensorType};

/// Why a program does not compile or run on a device.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// A node that a pass must expand first.
    #[error("the program still holds a {prim} node; expand it first (jx_opt::expand, or Optimizer::run)")]
    Unexpanded {
        /// The node's name.
        prim: &'static str,
    },
    /// The wrong number of inputs.
    #[error("the program takes {expected} inputs, but {found} were given")]
    InputCount {
        /// How many it takes.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// An input of another type than the program was compiled for.
    #[error("input {index} must be {expected}, but it is {found}; compile the program for that type, or convert it")]
    InputType {
        /// Which input, from 0.
        index: usize,
        /// The type that it must have.
        expected: TensorType,
        /// Its type.
        found: TensorType,
    },
    /// A name that is no device's.
    #[error("there is no device {name:?}; the devices are interpreter, ndarray, wgpu, wgpu:N, cuda and cuda:N")]
    UnknownDevice {
        /// The name as given.
        name: String,
    },
    /// A device that this build or this machine does not have.
    #[error("the device {device} is not available: {reason}; {advice}")]
    Unavailable {
        /// The device.
        device: Device,
        /// Why not.
        reason: String,
        /// What to do about it.
        advice: String,
    },
    /// A primitive, or one of its cases, that the device has no code for.
    #[error("{device} does not support {prim} here: {why}; run it on the interpreter instead")]
    Unsupported {
        /// The device.
        device: Device,
        /// The primitive's name.
        prim: &'static str,
        /// Which case is missing.
        why: String,
    },
    /// The reference meaning of a primitive refuses its operands.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The device failed.
    #[error("{device} failed: {message}")]
    Device {
        /// The device.
        device: Device,
        /// What it reported.
        message: String,
    },
}
