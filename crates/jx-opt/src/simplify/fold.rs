//! The walk that folds constants and applies the exact rules of [`algebra`](super::algebra) and
//! [`movement`](super::movement).
//!
//! A `full` stays a `full`: it takes no memory. Other values are folded only while they are small and do
//! not grow (a closed-over table of 10⁷ elements is never computed with at compile time).

use super::dce::named;
use super::{algebra, movement};
use jx_ir::{Array, Builder, Func, Prim, Scalar, TensorType, Var, eval_prim};
use std::sync::Arc;

/// No operand or result of a folded equation takes more bytes than this.
const FOLD_BYTES: usize = 4096;

/// How often one equation may be rewritten. Each rule makes it simpler, so this is never reached; it
/// keeps the walk linear whatever the rules.
const MAX_REWRITES: usize = 16;

/// What a rule makes of an equation with one result.
pub(super) enum Rewrite {
    /// The value is that of a variable.
    Var(Var),
    /// The value is that of another primitive, which is looked at again.
    Prim(Prim, Vec<Var>),
}

/// The program with known values computed and exact rules applied.
pub(super) fn fold(func: &Func) -> Func {
    Folder::walk(func, false).0
}

/// As [`fold`], and `stop_gradient` goes away: for programs that are not differentiated any more.
pub(crate) fn fold_final(func: &Func) -> Func {
    Folder::walk(func, true).0
}

/// The program being made, with what is known of its variables.
pub(super) struct Folder {
    b: Builder,
    /// The equation that defines each variable; `None` for inputs.
    definitions: Vec<Option<usize>>,
    is_final: bool,
    /// How many rewrites were made.
    n_rewrites: usize,
}

impl Folder {
    /// The program, and how many rewrites were made.
    pub(super) fn walk(func: &Func, is_final: bool) -> (Func, usize) {
        let (b, mut vars) = Builder::with_inputs(func.input_types());
        let definitions = vec![None; vars.len()];
        let mut folder = Folder { b, definitions, is_final, n_rewrites: 0 };
        for eqn in func.eqns() {
            let inputs: Vec<Var> = eqn.inputs.iter().map(|v| vars[v.index()]).collect();
            folder.b.set_origin(eqn.origin.clone());
            match eqn.outputs[..] {
                [out] => vars.push(folder.one(eqn.prim.clone(), inputs, func.ty(out))),
                _ => vars.extend(folder.many(&eqn.prim, &inputs, func, &eqn.outputs)),
            }
        }
        let outputs: Vec<Var> = func.outputs().iter().map(|v| vars[v.index()]).collect();
        (named(folder.b.finish(&outputs), func), folder.n_rewrites)
    }

    /// The result of an equation that has one, which is of type `ty`.
    fn one(&mut self, mut prim: Prim, mut inputs: Vec<Var>, ty: &TensorType) -> Var {
        for _ in 0..MAX_REWRITES {
            match self.rewrite(&prim, &inputs, ty) {
                None => break,
                Some(Rewrite::Var(var)) => {
                    debug_assert_eq!(self.b.ty(var), ty, "a rule for {prim:?} keeps the type");
                    self.n_rewrites += 1;
                    return var;
                }
                Some(Rewrite::Prim(new_prim, new_inputs)) => {
                    self.n_rewrites += 1;
                    (prim, inputs) = (new_prim, new_inputs);
                }
            }
        }
        let var = self.emit(prim, &inputs)[0];
        debug_assert_eq!(self.b.ty(var), ty, "a rewrite keeps the type");
        var
    }

    /// The results of an equation that has several, or none.
    fn many(&mut self, prim: &Prim, inputs: &[Var], func: &Func, outputs: &[Var]) -> Vec<Var> {
        let types: Vec<&TensorType> = outputs.iter().map(|&v| func.ty(v)).collect();
        match self.evaluate(prim, inputs, &types) {
            Some(values) => {
                self.n_rewrites += 1;
                values.into_iter().map(|value| self.emit(as_prim(value), &[])[0]).collect()
            }
            None => self.emit(prim.clone(), inputs),
        }
    }

    fn emit(&mut self, prim: Prim, inputs: &[Var]) -> Vec<Var> {
        let eqn_idx = self.b.eqns().len();
        let outputs = self.b.emit(prim, inputs);
        self.definitions.resize(self.b.n_vars(), Some(eqn_idx));
        outputs
    }

    fn rewrite(&self, prim: &Prim, inputs: &[Var], ty: &TensorType) -> Option<Rewrite> {
        if self.is_final && *prim == Prim::StopGradient {
            return Some(Rewrite::Var(inputs[0]));
        }
        if let Some(value) = self.elementwise_of_fulls(prim, inputs) {
            return Some(full(value, ty));
        }
        algebra::rewrite(self, prim, inputs, ty).or_else(|| movement::rewrite(self, prim, inputs, ty)).or_else(|| {
            let value = self.evaluate(prim, inputs, &[ty])?.pop()?;
            Some(Rewrite::Prim(as_prim(value), Vec::new()))
        })
    }

    /// The primitive and the operands that make a variable; `None` for inputs and for results of
    /// equations with several.
    pub(super) fn definition(&self, var: Var) -> Option<(&Prim, &[Var])> {
        let eqn = &self.b.eqns()[self.definitions[var.index()]?];
        (eqn.outputs.len() == 1).then_some((&eqn.prim, &eqn.inputs[..]))
    }

    /// The value of every element of a variable that is a `full`.
    pub(super) fn full(&self, var: Var) -> Option<Scalar> {
        match self.definition(var)? {
            (Prim::Full { value, .. }, _) => Some(*value),
            (_, _) => None,
        }
    }

    /// The type of a variable.
    pub(super) fn ty(&self, var: Var) -> &TensorType {
        self.b.ty(var)
    }

    /// The value of an elementwise primitive whose operands are all `full`.
    fn elementwise_of_fulls(&self, prim: &Prim, inputs: &[Var]) -> Option<Scalar> {
        if !is_elementwise(prim) {
            return None;
        }
        let scalars: Option<Vec<Array>> = inputs.iter().map(|&v| Some(Array::from_scalar(self.full(v)?))).collect();
        let scalars = scalars?;
        let values = eval_prim(prim, &scalars.iter().collect::<Vec<_>>()).ok()?;
        let [value] = &values[..] else { return None };
        Some(value.get(0))
    }

    /// The results of an equation on known operands, where all of them are small and none is larger than
    /// the operands.
    fn evaluate(&self, prim: &Prim, inputs: &[Var], types: &[&TensorType]) -> Option<Vec<Array>> {
        if inputs.is_empty() || prim.nested().is_some() {
            return None;
        }
        let result_bytes: usize = types.iter().map(|ty| size_bytes(ty)).fold(0, usize::saturating_add);
        let operand_bytes = inputs.iter().map(|&v| size_bytes(self.ty(v))).fold(0, usize::saturating_add);
        let grows = result_bytes > operand_bytes && inputs.iter().any(|&v| self.ty(v).rank() > 0);
        if grows || result_bytes > FOLD_BYTES || operand_bytes > 2 * FOLD_BYTES {
            return None;
        }
        let known: Option<Vec<Arc<Array>>> = inputs.iter().map(|&v| self.known(v)).collect();
        let known = known?;
        eval_prim(prim, &known.iter().map(|array| &**array).collect::<Vec<_>>()).ok()
    }

    /// The value of a small variable that is known.
    fn known(&self, var: Var) -> Option<Arc<Array>> {
        if size_bytes(self.ty(var)) > FOLD_BYTES {
            return None;
        }
        match self.definition(var)? {
            (Prim::Full { value, shape }, _) => Some(Arc::new(Array::full(&shape[..], *value))),
            (Prim::Constant(array), _) => Some(Arc::clone(array)),
            (_, _) => None,
        }
    }
}

/// A `full` of that type.
pub(super) fn full(value: Scalar, ty: &TensorType) -> Rewrite {
    Rewrite::Prim(Prim::Full { value, shape: ty.shape.clone() }, Vec::new())
}

/// The array as a `full` if all its elements are equal in every bit, else as a constant.
fn as_prim(array: Array) -> Prim {
    let is_full = array.n_elements() > 0 && array.scalars().all(|s| s == array.get(0));
    if is_full {
        Prim::Full { value: array.get(0), shape: array.shape().to_vec() }
    } else {
        Prim::Constant(Arc::new(array))
    }
}

/// Whether each element of the result is a function of the operands' elements at its place only.
fn is_elementwise(prim: &Prim) -> bool {
    match prim {
        Prim::Unary(_)
        | Prim::IntegerPow { .. }
        | Prim::Binary(_)
        | Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient => true,
        // Threefry is elementwise too, but has two results.
        Prim::Threefry2x32
        | Prim::Full { .. }
        | Prim::Constant(_)
        | Prim::Iota { .. }
        | Prim::Reshape { .. }
        | Prim::Transpose { .. }
        | Prim::BroadcastInDim { .. }
        | Prim::Slice { .. }
        | Prim::Pad { .. }
        | Prim::Concatenate { .. }
        | Prim::Rev { .. }
        | Prim::DynamicSlice { .. }
        | Prim::DynamicUpdateSlice
        | Prim::Gather { .. }
        | Prim::Scatter { .. }
        | Prim::Reduce { .. }
        | Prim::ArgReduce { .. }
        | Prim::Cumulative { .. }
        | Prim::DotGeneral { .. }
        | Prim::Sort { .. }
        | Prim::Call { .. }
        | Prim::Vmap { .. }
        | Prim::Grad { .. }
        | Prim::Jvp { .. } => false,
    }
}

fn size_bytes(ty: &TensorType) -> usize {
    ty.n_elements().saturating_mul(ty.dtype.size_bytes())
}
