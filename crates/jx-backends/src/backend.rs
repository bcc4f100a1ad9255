//! The two traits that a target implements: one compiles a program, the other is its result.

use crate::{BackendError, Buffer, Device};
use jx_ir::{Array, Func};

/// What a caller may ask of a compilation. Nothing yet: it is here so that a first option breaks no backend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CompileOptions {}

/// A target that compiles whole programs.
pub trait Backend: Send + Sync {
    /// The device that its programs run on.
    fn device(&self) -> Device;

    /// The program, ready to run on this device.
    ///
    /// # Errors
    /// If a transformation or a call is left in it, or the device does not support a primitive.
    fn compile(&self, func: &Func, options: &CompileOptions) -> Result<Box<dyn Executable>, BackendError>;

    /// The array in the device's memory.
    ///
    /// # Errors
    /// If the device does not support the dtype, or fails.
    fn upload(&self, array: Array) -> Result<Buffer, BackendError>;
}

/// A compiled program. It may run on many threads at once.
pub trait Executable: Send + Sync {
    /// The program's outputs on these inputs, which are given away: memory that nothing else shares
    /// may be reused. Buffers of another device, the host included, are moved first.
    ///
    /// # Errors
    /// If the inputs are not of the program's types, or the device fails.
    fn run(&self, inputs: Vec<Buffer>) -> Result<Vec<Buffer>, BackendError>;

    /// The equations that this device's library computes wrongly or not at all, so that they run on the
    /// host instead, in order. Empty for a device that runs everything itself.
    fn host_fallbacks(&self) -> Vec<HostFallback> {
        Vec::new()
    }
}

/// An equation that runs on the host, though the program runs on another device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFallback {
    /// The primitive's name.
    pub prim: &'static str,
    /// What the device lacks.
    pub reason: String,
}
