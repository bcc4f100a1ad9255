//! The plain interpreter: one kernel per equation, planned once, run on the calling thread.
//!
//! A [`Plan`] has slots for values. A value is dropped after its last use, and an elementwise kernel
//! writes over an operand that nothing else shares. The common families have loops over `f32` and
//! `f64` slices; all else goes through [`jx_ir::eval_prim`], the reference meaning. Every result is
//! the same in each run, for no kernel depends on threads or time.

mod arg;
mod binary;
mod compare;
mod dot;
mod movement;
mod plan;
mod planner;
mod real;
mod reduce;
#[cfg(test)]
mod tests;
mod unary;

use crate::{Backend, BackendError, Buffer, CompileOptions, Device, Executable};
use jx_ir::{Array, Func};
use plan::Plan;

/// The backend that runs every primitive on the host, equation by equation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Backend for Interpreter {
    fn device(&self) -> Device {
        Device::Interpreter
    }

    fn compile(&self, func: &Func, _options: &CompileOptions) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(Plan::new(func)?))
    }

    fn upload(&self, array: Array) -> Result<Buffer, BackendError> {
        Ok(Buffer::Host(array))
    }
}

impl Executable for Plan {
    fn run(&self, inputs: Vec<Buffer>) -> Result<Vec<Buffer>, BackendError> {
        let expected = self.input_types();
        if inputs.len() != expected.len() {
            return Err(BackendError::InputCount { expected: expected.len(), found: inputs.len() });
        }
        for (index, (buffer, ty)) in inputs.iter().zip(expected).enumerate() {
            if !buffer.is_of(ty) {
                return Err(BackendError::InputType { index, expected: ty.clone(), found: buffer.ty() });
            }
        }
        let mut slots = Vec::with_capacity(self.n_slots());
        for buffer in inputs {
            slots.push(Some(buffer.into_host()?));
        }
        slots.resize_with(self.n_slots(), || None);
        self.execute(slots)
    }
}
