//! Reads and writes at computed places.

use super::{Attempt, Equation, TranslateError, Translator};
use crate::conformance::wire::scalar;
use jx_ir::{GatherDims, IndexMode, Prim, ScatterDims, ScatterOp};

impl Translator {
    pub(super) fn indexing(&mut self, eqn: &Equation) -> Attempt {
        let op = match eqn.prim {
            "dynamic_slice" => {
                let slice_sizes = eqn.params.usizes("slice_sizes")?;
                let (_, all) = eqn.leading::<0>()?;
                return self.one(Prim::DynamicSlice { slice_sizes }, &all);
            }
            "dynamic_update_slice" => {
                let (_, all) = eqn.leading::<0>()?;
                return self.one(Prim::DynamicUpdateSlice, &all);
            }
            "gather" => return self.gather(eqn),
            "scatter" => ScatterOp::Set,
            "scatter-add" | "scatter_add" => ScatterOp::Add,
            "scatter-mul" | "scatter_mul" => ScatterOp::Mul,
            "scatter-min" | "scatter_min" => ScatterOp::Min,
            "scatter-max" | "scatter_max" => ScatterOp::Max,
            _ => return Ok(None),
        };
        let [x, indices, updates] = eqn.operands()?;
        let fields = eqn.params.fields("dimension_numbers")?;
        let dims = ScatterDims {
            update_window_dims: fields.usizes("update_window_dims")?,
            inserted_window_dims: fields.usizes("inserted_window_dims")?,
            scatter_dims_to_operand_dims: fields.usizes("scatter_dims_to_operand_dims")?,
            operand_batching_dims: fields.usizes("operand_batching_dims")?,
            scatter_indices_batching_dims: fields.usizes("scatter_indices_batching_dims")?,
        };
        self.check_combiner(eqn, op)?;
        let (mode, unique_indices) = (mode(eqn)?, eqn.params.bool("unique_indices")?);
        self.one(Prim::Scatter { op, dims, mode, unique_indices }, &[x, indices, updates])
    }

    fn gather(&mut self, eqn: &Equation) -> Attempt {
        let [x, indices] = eqn.operands()?;
        let fields = eqn.params.fields("dimension_numbers")?;
        let dims = GatherDims {
            offset_dims: fields.usizes("offset_dims")?,
            collapsed_slice_dims: fields.usizes("collapsed_slice_dims")?,
            start_index_map: fields.usizes("start_index_map")?,
            operand_batching_dims: fields.usizes("operand_batching_dims")?,
            start_indices_batching_dims: fields.usizes("start_indices_batching_dims")?,
        };
        let dtype = self.b.dtype(x);
        let fill_value = match eqn.params.get("fill_value") {
            Some(value) => Some(scalar(dtype, value).ok_or_else(|| TranslateError::Param {
                prim: eqn.prim.to_owned(),
                param: "fill_value".to_owned(),
                expected: "a value of the operand's dtype",
            })?),
            None => None,
        };
        let slice_sizes = eqn.params.usizes("slice_sizes")?;
        self.one(Prim::Gather { dims, slice_sizes, mode: mode(eqn)?, fill_value }, &[x, indices])
    }

    /// That the jaxpr that combines an update with an element is the one that the primitive's name says.
    fn check_combiner(&self, eqn: &Equation, op: ScatterOp) -> Result<(), TranslateError> {
        let expected = match op {
            ScatterOp::Set => return Ok(()),
            ScatterOp::Add => "add",
            ScatterOp::Mul => "mul",
            ScatterOp::Min => "min",
            ScatterOp::Max => "max",
        };
        if eqn.params.get("update_jaxpr").is_none() {
            return Ok(());
        }
        let body = eqn.params.jaxpr("update_jaxpr")?;
        match &body.eqns[..] {
            [one] if one.prim == expected && one.inputs.len() == 2 => Ok(()),
            _ => Err(eqn.unsupported("a combiner of its own")),
        }
    }
}

fn mode(eqn: &Equation) -> Result<IndexMode, TranslateError> {
    match eqn.params.variant("mode")? {
        "CLIP" => Ok(IndexMode::Clip),
        "FILL_OR_DROP" => Ok(IndexMode::FillOrDrop),
        "PROMISE_IN_BOUNDS" => Ok(IndexMode::PromiseInBounds),
        _ => Err(eqn.unsupported("this mode of indices out of range")),
    }
}
