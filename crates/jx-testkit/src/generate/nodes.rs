//! Random nodes: nested programs called, mapped and differentiated.

use super::{Gen, random_body};
use jx_ir::{Builder, Func, Prim, TensorType, Var};
use std::sync::Arc;

impl Gen<'_> {
    pub(super) fn node(&mut self) -> Option<Vec<Var>> {
        let kinds = if self.options.derivatives && self.options.differentiable { 4 } else { 2 };
        match self.rng.below(kinds) {
            0 => {
                let (operands, func) = self.nested();
                Some(self.b.emit(Prim::Call { func: Arc::new(func) }, &operands))
            }
            1 => self.map(),
            2 => self.gradient(),
            _ => self.tangents(),
        }
    }

    /// Some variables and a small program of them.
    fn nested(&mut self) -> (Vec<Var>, Func) {
        let n = self.rng.between(1, 3);
        let mut operands: Vec<Var> = self.float().into_iter().collect();
        while operands.len() < n {
            match self.var(|_| true) {
                Some(v) => operands.push(v),
                None => break,
            }
        }
        let types: Vec<TensorType> = operands.iter().map(|&v| self.ty(v)).collect();
        let func = self.body(&types);
        (operands, func)
    }

    fn body(&mut self, types: &[TensorType]) -> Func {
        let n_eqns = self.rng.between(1, 5);
        random_body(self.rng, self.options, types, n_eqns, self.depth + 1)
    }

    fn map(&mut self) -> Option<Vec<Var>> {
        let first = self.var(|ty| ty.rank() > 0)?;
        let axis = self.rng.below(self.b.shape(first).len());
        let size = self.b.shape(first)[axis];
        let mut operands = vec![first];
        let mut in_axes = vec![Some(axis)];
        for _ in 0..self.rng.below(3) {
            let v = self.var(|_| true)?;
            let shape = self.b.shape(v);
            let axes: Vec<usize> = (0..shape.len()).filter(|&a| shape[a] == size).collect();
            let axis = if self.rng.one_in(3) { None } else { self.rng.pick(&axes) };
            operands.push(v);
            in_axes.push(axis);
        }
        let examples: Vec<TensorType> = operands
            .iter()
            .zip(&in_axes)
            .map(|(&v, axis)| {
                let mut ty = self.ty(v);
                axis.map(|a| ty.shape.remove(a));
                ty
            })
            .collect();
        let func = self.body(&examples);
        let depends = func.depends_on(|i| in_axes[i].is_some());
        let out_axes: Vec<Option<usize>> = func
            .output_types()
            .zip(depends)
            .map(
                |(ty, depends)| if depends || self.rng.one_in(2) { Some(self.rng.between(0, ty.rank())) } else { None },
            )
            .collect();
        Some(self.b.emit(Prim::Vmap { func: Arc::new(func), in_axes, out_axes, size }, &operands))
    }

    /// The inputs that are floats, at least one, in random order.
    fn some_floats(&mut self, func: &Func) -> Vec<usize> {
        let floats: Vec<usize> = (0..func.n_inputs()).filter(|&i| func.input_types()[i].dtype.is_float()).collect();
        let n = self.rng.between(1, floats.len().max(1)).min(floats.len());
        self.rng.shuffled(floats)[..n].to_vec()
    }

    fn gradient(&mut self) -> Option<Vec<Var>> {
        let (operands, func) = self.nested();
        let func = Arc::new(scalar_first(&func)?);
        let wrt = self.some_floats(&func);
        let value = self.rng.one_in(2);
        Some(self.b.emit(Prim::Grad { func, wrt, value }, &operands))
    }

    fn tangents(&mut self) -> Option<Vec<Var>> {
        let (mut operands, func) = self.nested();
        let wrt = self.some_floats(&func);
        for &i in &wrt {
            let ty = func.input_types()[i].clone();
            operands.push(self.like(&ty));
        }
        Some(self.b.emit(Prim::Jvp { func: Arc::new(func), wrt }, &operands))
    }
}

/// The program with the sum of its first result, a float, in that result's place; `None` if it is no float.
fn scalar_first(func: &Func) -> Option<Func> {
    let (mut b, vars) = Builder::with_inputs(func.input_types());
    let mut results = b.inline(func, &vars);
    let first = *results.first()?;
    if !b.dtype(first).is_float() {
        return None;
    }
    let axes: Vec<usize> = (0..b.shape(first).len()).collect();
    results[0] = b.reduce_sum(first, &axes);
    Some(b.finish(&results))
}
