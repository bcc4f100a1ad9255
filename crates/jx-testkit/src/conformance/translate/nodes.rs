//! Calls of nested jaxprs, which are inlined.

use super::{Attempt, Equation, Translator};

impl Translator {
    pub(super) fn nodes(&mut self, eqn: &Equation) -> Attempt {
        let param = match eqn.prim {
            "jit" | "pjit" | "checkpoint" | "remat" | "remat2" => "jaxpr",
            "closed_call" | "core_call" | "core_closed_call" | "custom_jvp_call" | "custom_vjp_call" => "call_jaxpr",
            _ => return Ok(None),
        };
        self.notes.custom_derivatives |= matches!(eqn.prim, "custom_jvp_call" | "custom_vjp_call");
        let body = eqn.params.jaxpr(param)?;
        self.run(&body, eqn.inputs, eqn.depth + 1).map(Some)
    }
}
