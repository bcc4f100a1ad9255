//! Expansion: nodes that hold programs give way to first-order equations, innermost first.
//!
//! The passes know nothing of each other's nodes, so what a node holds is expanded before the node. A
//! nested program that occurs again is expanded once, whether it is the same in memory or only equal.

use crate::OptError;
use crate::simplify::dce;
use jx_ir::{Builder, Eqn, Func, MAX_NESTING, Origin, Prim, Var};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A program of more equations than this is refused: shared calls inside one another can double it at
/// each level.
const MAX_EQNS: usize = 1 << 20;

/// The first-order program that computes the same: no call, `vmap`, `grad` or `jvp` is left.
///
/// # Errors
/// If a nested program cannot be differentiated or batched, or if the nesting is too deep.
pub fn expand(func: &Func) -> Result<Func, OptError> {
    Expander::new(MAX_EQNS).func(func, 0)
}

struct Expander {
    /// How many equations a program may have.
    max_eqns: usize,
    /// By a hash of what the node is: the node without its operands, and what became of it.
    done: HashMap<u64, Vec<(Prim, Arc<Func>)>>,
    /// The hashes of nested programs, by address; the program being expanded keeps them alive.
    hashes: HashMap<*const Func, u64>,
}

impl Expander {
    fn new(max_eqns: usize) -> Expander {
        Expander { max_eqns, done: HashMap::new(), hashes: HashMap::new() }
    }

    fn func(&mut self, func: &Func, depth: usize) -> Result<Func, OptError> {
        if depth > MAX_NESTING {
            return Err(OptError::TooDeep { limit: MAX_NESTING });
        }
        if func.eqns().iter().all(|eqn| eqn.prim.nested().is_none()) {
            return Ok(func.clone());
        }
        let (mut b, mut vars) = Builder::with_inputs(func.input_types());
        for eqn in func.eqns() {
            let args: Vec<Var> = eqn.inputs.iter().map(|v| vars[v.index()]).collect();
            let results = match eqn.prim.nested() {
                Some(nested) => {
                    let body = self.node(eqn, nested, depth)?;
                    if b.eqns().len() + body.eqns().len() > self.max_eqns {
                        return Err(OptError::TooLong { limit: self.max_eqns });
                    }
                    inline(&mut b, &body, &args, &eqn.origin)
                }
                None => {
                    b.set_origin(eqn.origin.clone());
                    b.emit(eqn.prim.clone(), &args)
                }
            };
            vars.extend(results);
        }
        let outputs: Vec<Var> = func.outputs().iter().map(|v| vars[v.index()]).collect();
        let expanded = b.finish(&outputs);
        Ok(match func.name() {
            Some(name) => expanded.with_name(name),
            None => expanded,
        })
    }

    /// The first-order program of a node.
    fn node(&mut self, eqn: &Eqn, nested: &Arc<Func>, depth: usize) -> Result<Arc<Func>, OptError> {
        let hash = self.node_hash(&eqn.prim);
        if let Some((_, body)) = self.done.get(&hash).and_then(|all| all.iter().find(|(p, _)| is_same(p, &eqn.prim))) {
            return Ok(Arc::clone(body));
        }
        let inner = self.func(nested, depth + 1)?;
        let body = Arc::new(transform(eqn, &inner)?);
        self.done.entry(hash).or_default().push((eqn.prim.clone(), Arc::clone(&body)));
        Ok(body)
    }

    /// A hash that equal nodes share. It leaves out the values of constants, which may be large, and the
    /// node's own parameters: few nodes hold one program.
    fn node_hash(&mut self, prim: &Prim) -> u64 {
        let mut state = DefaultHasher::new();
        prim.name().hash(&mut state);
        if let Some(nested) = prim.nested() {
            let address = Arc::as_ptr(nested);
            let known = self.hashes.get(&address).copied();
            let hash = known.unwrap_or_else(|| self.func_hash(nested));
            self.hashes.insert(address, hash);
            hash.hash(&mut state);
        }
        state.finish()
    }

    fn func_hash(&mut self, func: &Func) -> u64 {
        let mut state = DefaultHasher::new();
        (func.types(), func.outputs()).hash(&mut state);
        for eqn in func.eqns() {
            (&eqn.inputs, self.node_hash(&eqn.prim)).hash(&mut state);
        }
        state.finish()
    }
}

/// What a node makes of its nested program, which is first-order by now. Equations that nothing reads
/// are left out, before and after: each level of derivatives would carry them on. Nothing else is
/// changed here, so that derivatives are summed in the order of the program as it was written.
fn transform(eqn: &Eqn, inner: &Func) -> Result<Func, OptError> {
    let origin = || eqn.origin.0.clone();
    let node = eqn.prim.name();
    let autodiff = |source| OptError::Autodiff { node, origin: origin(), source: Box::new(source) };
    let body = match &eqn.prim {
        Prim::Call { .. } => inner.clone(),
        Prim::Vmap { in_axes, out_axes, size, .. } => jx_batch::vmap(&dce(inner), in_axes, out_axes, *size)
            .map_err(|source| OptError::Batch { node, origin: origin(), source: Box::new(source) })?,
        Prim::Grad { wrt, value, .. } => jx_autodiff::grad(&dce(inner), wrt, *value).map_err(autodiff)?,
        Prim::Jvp { wrt, .. } => jx_autodiff::jvp(&dce(inner), wrt).map_err(autodiff)?,
        Prim::Unary(_)
        | Prim::IntegerPow { .. }
        | Prim::Binary(_)
        | Prim::Compare(_)
        | Prim::SelectN
        | Prim::Clamp
        | Prim::Convert { .. }
        | Prim::StopGradient
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
        | Prim::Threefry2x32 => panic!("{node} holds no program to expand:\n{inner}"),
    };
    Ok(dce(&body))
}

/// The results of `body` on `args`; equations of unknown place get the node's.
fn inline(b: &mut Builder, body: &Func, args: &[Var], origin: &Origin) -> Vec<Var> {
    let mut vars = args.to_vec();
    for eqn in body.eqns() {
        let inputs: Vec<Var> = eqn.inputs.iter().map(|v| vars[v.index()]).collect();
        b.set_origin(if eqn.origin.0.is_some() { eqn.origin.clone() } else { origin.clone() });
        vars.extend(b.emit(eqn.prim.clone(), &inputs));
    }
    body.outputs().iter().map(|v| vars[v.index()]).collect()
}

/// Whether two nodes are equal; quick where they hold the same program in memory.
fn is_same(a: &Prim, b: &Prim) -> bool {
    match (a, b) {
        (Prim::Call { func: f }, Prim::Call { func: g }) if Arc::ptr_eq(f, g) => true,
        (Prim::Grad { func: f, wrt: f_wrt, value: f_value }, Prim::Grad { func: g, wrt: g_wrt, value: g_value })
            if Arc::ptr_eq(f, g) =>
        {
            f_wrt == g_wrt && f_value == g_value
        }
        (Prim::Jvp { func: f, wrt: f_wrt }, Prim::Jvp { func: g, wrt: g_wrt }) if Arc::ptr_eq(f, g) => f_wrt == g_wrt,
        (
            Prim::Vmap { func: f, in_axes: f_in, out_axes: f_out, size: f_size },
            Prim::Vmap { func: g, in_axes: g_in, out_axes: g_out, size: g_size },
        ) if Arc::ptr_eq(f, g) => f_in == g_in && f_out == g_out && f_size == g_size,
        (a, b) => a == b,
    }
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
