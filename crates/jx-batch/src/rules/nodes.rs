//! Nested programs: a call is inlined.

use crate::BatchError;
use crate::vmap::{Batcher, Value};
use jx_ir::Func;

/// The nested program's equations in place of the call: the mapped operands may reach only some of them.
pub(super) fn call_batch(cx: &mut Batcher, func: &Func, inputs: &[Value]) -> Result<Vec<Value>, BatchError> {
    cx.func(func, inputs.to_vec())
}
