//! Reductions, index-valued, cumulative and general ones included.

use super::{Attempt, Equation, TranslateError, Translator, Val};
use crate::conformance::wire::{Atom, Jaxpr};
use jx_ir::{ArgReduceOp, BinaryOp, CumulativeOp, DType, Prim, ReduceOp};

impl Translator {
    pub(super) fn reduce(&mut self, eqn: &Equation) -> Attempt {
        let p = &eqn.params;
        if let Some(op) = ReduceOp::from_name(eqn.prim) {
            let [x] = eqn.operands()?;
            return self.one(Prim::Reduce { op, axes: p.usizes("axes")? }, &[x]);
        }
        if let Some(op) = ArgReduceOp::from_name(eqn.prim) {
            let [x] = eqn.operands()?;
            let &[axis] = &p.usizes("axes")?[..] else { return Err(eqn.unsupported("several axes")) };
            return self.one(Prim::ArgReduce { op, axis, index_dtype: p.dtype("index_dtype")? }, &[x]);
        }
        if let Some(op) = CumulativeOp::from_name(eqn.prim) {
            let [x] = eqn.operands()?;
            return self.one(Prim::Cumulative { op, axis: p.usize("axis")?, reverse: p.bool("reverse")? }, &[x]);
        }
        if eqn.prim == "reduce" {
            return self.general(eqn);
        }
        Ok(None)
    }

    /// A reduction by a jaxpr: its operands, then as many initial values. Done if the jaxpr combines each
    /// operand by one op of its own, which is a reduction whose result then meets the initial value.
    fn general(&mut self, eqn: &Equation) -> Attempt {
        let axes = eqn.params.usizes("dimensions")?;
        let n = eqn.inputs.len() / 2;
        let body = eqn.params.jaxpr("jaxpr")?;
        let mut results = Vec::new();
        for (i, op) in self.combiners(eqn, &body, n)?.into_iter().enumerate() {
            let (x, init) = (eqn.inputs[i].var, eqn.inputs[n + i].var);
            let combined = self.emit(Prim::Reduce { op: reduction(op), axes: axes.clone() }, &[x])?;
            let init = self.broadcast_like(init, combined)?;
            results.push(Val::from(self.emit(Prim::Binary(op), &[combined, init])?));
        }
        Ok(Some(results))
    }

    /// The op by which a jaxpr of `2n` scalars combines scalars `i` and `n + i`, for each `i`.
    fn combiners(&self, eqn: &Equation, body: &Jaxpr, n: usize) -> Result<Vec<BinaryOp>, TranslateError> {
        let hole = || eqn.unsupported("a combiner that is not one op an operand");
        if body.inputs.len() != 2 * n || body.outputs.len() != n {
            return Err(hole());
        }
        let mut ops = Vec::new();
        for (i, out) in body.outputs.iter().enumerate() {
            let &Atom::Var(out) = out else { return Err(hole()) };
            let pair = [body.inputs[i], body.inputs[n + i]];
            let made = body.eqns.iter().find(|e| e.outputs == [out]).ok_or_else(hole)?;
            let operands: Vec<usize> =
                made.inputs.iter().filter_map(|a| if let Atom::Var(v) = a { Some(*v) } else { None }).collect();
            if operands != pair && operands != [pair[1], pair[0]] {
                return Err(hole());
            }
            let bool_ = body.vars.get(out).is_some_and(|(dtype, _)| dtype == DType::Bool.name());
            ops.push(combiner(&made.prim, bool_).ok_or_else(hole)?);
        }
        Ok(ops)
    }

    /// The op of a jaxpr of two scalars, if it is one of a reduction.
    pub(super) fn combiner_of(&self, eqn: &Equation, param: &str) -> Result<BinaryOp, TranslateError> {
        let ops = self.combiners(eqn, &eqn.params.jaxpr(param)?, 1)?;
        Ok(ops[0])
    }
}

/// The op of that name, if reductions combine with it.
fn combiner(name: &str, of_bool: bool) -> Option<BinaryOp> {
    match (name, of_bool) {
        ("add", false) => Some(BinaryOp::Add),
        ("mul", false) => Some(BinaryOp::Mul),
        ("max", _) => Some(BinaryOp::Max),
        ("min", _) => Some(BinaryOp::Min),
        ("and", _) | ("mul", true) => Some(BinaryOp::And),
        ("or", _) | ("add", true) => Some(BinaryOp::Or),
        ("xor", _) => Some(BinaryOp::Xor),
        _ => None,
    }
}

/// The reduction by an op that [`combiner`] gives.
fn reduction(op: BinaryOp) -> ReduceOp {
    match op {
        BinaryOp::Add => ReduceOp::Sum,
        BinaryOp::Mul => ReduceOp::Prod,
        BinaryOp::Max => ReduceOp::Max,
        BinaryOp::Min => ReduceOp::Min,
        BinaryOp::And => ReduceOp::And,
        BinaryOp::Or => ReduceOp::Or,
        BinaryOp::Xor => ReduceOp::Xor,
        BinaryOp::Sub
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Pow
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => unreachable!("`combiner` gives no {}", op.name()),
    }
}
