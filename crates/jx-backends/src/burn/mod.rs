//! The lowering to Burn, written once for every backend that Burn has.
//!
//! A program becomes a list of kernels over the rank-free primitives of [`burn_backend::Backend`]. What
//! a primitive means is fixed by `jx_ir`, and where Burn's op of that name differs (rounding of halves,
//! NaN in a maximum, integer overflow, division by zero) the kernel is composed of other ops; where Burn
//! has nothing that gives the right values the equation runs on the host by [`jx_ir::eval_prim`], and
//! [`Executable::host_fallbacks`] lists it. Both are decided when the program is compiled.
//!
//! One file a family of primitives, named as in `jx_ir`; [`tensor`] holds values, [`program`] runs them.

mod binary;
mod compare;
mod convert;
mod dot;
mod indexing;
mod movement;
mod program;
mod random;
mod reduce;
mod sort;
mod tensor;
#[cfg(test)]
mod tests;
mod unary;

use crate::{Backend, BackendError, Buffer, CompileOptions, Device, Executable};
use burn_backend::{BoolDType, get_device_settings};
use jx_ir::{Array, DType, Func, TensorType};
use program::Program;
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tensor::{DeviceTensor, Value};

/// A backend of Burn as one of jx.
pub(crate) struct Burn<B: burn_backend::Backend> {
    target: Arc<Target<B>>,
}

/// What kernels know of the device that they run on.
struct Target<B: burn_backend::Backend> {
    device: Device,
    native: B::Device,
    /// The greatest number of axes that its ops take.
    max_rank: usize,
    /// How it stores truth values.
    bool_dtype: BoolDType,
}

impl<B: burn_backend::Backend> fmt::Debug for Target<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.device)
    }
}

impl Burn<burn_ndarray::NdArray> {
    /// Burn's ndarray backend, whose reshape stops at six axes.
    pub(crate) fn ndarray() -> Self {
        Burn::new(Device::NdArray, burn_ndarray::NdArrayDevice::Cpu, 6)
    }
}

impl<B: burn_backend::Backend> Burn<B> {
    fn new(device: Device, native: B::Device, max_rank: usize) -> Burn<B> {
        let bool_dtype = get_device_settings::<B>(&native).bool_dtype;
        Burn { target: Arc::new(Target { device, native, max_rank, bool_dtype }) }
    }
}

impl<B: burn_backend::Backend> Target<B> {
    /// Whether it computes in the dtype.
    fn has(&self, dtype: DType) -> bool {
        B::supports_dtype(&self.native, tensor::burn_dtype(dtype, self.bool_dtype))
    }

    /// Whether a value of this type is kept in its memory. One without elements is not: it has no data,
    /// and not every op of Burn takes it.
    fn keeps(&self, ty: &TensorType) -> bool {
        ty.n_elements() > 0 && self.has(ty.dtype)
    }

    /// The shape under which a value is kept: the logical one, but flat for scalars and beyond the
    /// greatest number of axes.
    fn physical(&self, shape: &[usize]) -> Vec<usize> {
        if shape.is_empty() || shape.len() > self.max_rank { vec![shape.iter().product()] } else { shape.to_vec() }
    }

    /// What `run` gives; a panic of Burn is the device's failure.
    fn guarded<T>(&self, run: impl FnOnce() -> Result<T, BackendError>) -> Result<T, BackendError> {
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| Err(self.failed(panic_message(&*payload))))
    }

    fn failed(&self, message: impl Into<String>) -> BackendError {
        BackendError::Device { device: self.device, message: message.into() }
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "it panicked without a message".to_owned(),
    }
}

impl<B: burn_backend::Backend> Backend for Burn<B> {
    fn device(&self) -> Device {
        self.target.device
    }

    fn compile(&self, func: &Func, _options: &CompileOptions) -> Result<Box<dyn Executable>, BackendError> {
        let program = self.target.guarded(|| Program::new(&self.target, func))?;
        Ok(Box::new(program))
    }

    /// An array that the device cannot keep, for its dtype or for want of elements, stays on the host:
    /// so do the values of that type in a program.
    fn upload(&self, array: Array) -> Result<Buffer, BackendError> {
        let ty = array.ty();
        self.target.guarded(|| Ok(DeviceTensor::buffer(&self.target, ty, Value::upload(&self.target, array))))
    }
}
