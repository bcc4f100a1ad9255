//! Contractions.

use super::{Attempt, Equation, Translator};
use jx_ir::{DType, DotDims, Prim};

impl Translator {
    pub(super) fn dot(&mut self, eqn: &Equation) -> Attempt {
        if eqn.prim != "dot_general" {
            return Ok(None);
        }
        let [mut lhs, mut rhs] = eqn.operands()?;
        let numbers = eqn.params.get("dimension_numbers").and_then(|v| v.as_array()).cloned().unwrap_or_default();
        let mut lists = Vec::new();
        for pair in &numbers {
            for list in pair.as_array().into_iter().flatten() {
                lists.push(serde_json::from_value::<Vec<usize>>(list.clone()).ok());
            }
        }
        let [Some(lhs_contracting), Some(rhs_contracting), Some(lhs_batch), Some(rhs_batch)] = &lists[..] else {
            return Err(eqn.arity("lists of axes", 4, lists.len()));
        };
        let dims = DotDims {
            lhs_contracting: lhs_contracting.clone(),
            rhs_contracting: rhs_contracting.clone(),
            lhs_batch: lhs_batch.clone(),
            rhs_batch: rhs_batch.clone(),
        };
        let (l, r) = (self.b.dtype(lhs), self.b.dtype(rhs));
        if eqn.params.get("precision").is_some_and(serde_json::Value::is_string) {
            return Err(eqn.unsupported("a precision named as an algorithm"));
        }
        let out_dtype = eqn.params.optional_dtype("preferred_element_type")?.or(eqn.out_dtype).unwrap_or(l);
        if out_dtype == DType::Bool {
            // Whether any pair is true: their count, which no contraction is long enough to wrap.
            (lhs, rhs) = (self.convert(lhs, DType::U64)?, self.convert(rhs, DType::U64)?);
            let count = self.emit(Prim::DotGeneral { dims, out_dtype: DType::U64 }, &[lhs, rhs])?;
            return Ok(Some(vec![self.convert(count, DType::Bool)?.into()]));
        }
        if l != r {
            // JAX lets them differ; XLA then works in the result's dtype, which is as wide as either.
            (lhs, rhs) = (self.convert(lhs, out_dtype)?, self.convert(rhs, out_dtype)?);
        }
        self.one(Prim::DotGeneral { dims, out_dtype }, &[lhs, rhs])
    }
}
