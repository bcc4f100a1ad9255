//! Common subexpressions: an equation that repeats an earlier one gives way to it.

use super::dce::named;
use jx_ir::{Array, Builder, Func, Prim, Var};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Constants of more elements than this are the same only if they are the same in memory: comparing
/// large ones costs more than it brings.
const COMPARED_ELEMENTS: usize = 1024;

/// The program with each distinct equation computed once.
pub(crate) fn cse(func: &Func) -> Func {
    let (mut b, mut vars) = Builder::with_inputs(func.input_types());
    // By hash, the indices of equations kept so far.
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    for eqn in func.eqns() {
        let inputs: Vec<Var> = eqn.inputs.iter().map(|v| vars[v.index()]).collect();
        let candidates = seen.entry(hash(&eqn.prim, &inputs)).or_default();
        let same = |&&i: &&usize| {
            let kept = &b.eqns()[i];
            kept.inputs == inputs && is_same(&kept.prim, &eqn.prim)
        };
        if let Some(&i) = candidates.iter().find(same) {
            vars.extend_from_slice(&b.eqns()[i].outputs);
            continue;
        }
        candidates.push(b.eqns().len());
        b.set_origin(eqn.origin.clone());
        vars.extend(b.emit(eqn.prim.clone(), &inputs));
    }
    let outputs: Vec<Var> = func.outputs().iter().map(|v| vars[v.index()]).collect();
    named(b.finish(&outputs), func)
}

fn hash(prim: &Prim, inputs: &[Var]) -> u64 {
    let mut state = DefaultHasher::new();
    inputs.hash(&mut state);
    if let Some(array) = large_constant(prim) {
        Arc::as_ptr(array).hash(&mut state);
    } else {
        prim.hash(&mut state);
    }
    state.finish()
}

fn is_same(a: &Prim, b: &Prim) -> bool {
    match (large_constant(a), large_constant(b)) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => a == b,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn large_constant(prim: &Prim) -> Option<&Arc<Array>> {
    if let Prim::Constant(array) = prim { Some(array).filter(|a| a.n_elements() > COMPARED_ELEMENTS) } else { None }
}
