//! Dead code: equations none of whose results reach an output.

use jx_ir::{Builder, Func, Var};

/// The program without equations that no output depends on. Inputs stay.
pub(crate) fn dce(func: &Func) -> Func {
    let mut live = vec![false; func.n_vars()];
    for &v in func.outputs() {
        live[v.index()] = true;
    }
    let mut n_live = 0;
    for eqn in func.eqns().iter().rev() {
        if eqn.outputs.iter().any(|v| live[v.index()]) {
            n_live += 1;
            // A live equation has all its results defined; this marks it for the walk below.
            for v in eqn.inputs.iter().chain(&eqn.outputs) {
                live[v.index()] = true;
            }
        }
    }
    if n_live == func.eqns().len() {
        return func.clone();
    }
    let (mut b, inputs) = Builder::with_inputs(func.input_types());
    let mut vars: Vec<Option<Var>> = inputs.into_iter().map(Some).collect();
    vars.resize(func.n_vars(), None);
    for eqn in func.eqns().iter().filter(|eqn| eqn.outputs.iter().any(|v| live[v.index()])) {
        let inputs: Vec<Var> = eqn.inputs.iter().map(|&v| renamed(&vars, v)).collect();
        b.set_origin(eqn.origin.clone());
        for (old, new) in eqn.outputs.iter().zip(b.emit(eqn.prim.clone(), &inputs)) {
            vars[old.index()] = Some(new);
        }
    }
    let outputs: Vec<Var> = func.outputs().iter().map(|&v| renamed(&vars, v)).collect();
    named(b.finish(&outputs), func)
}

fn renamed(vars: &[Option<Var>], var: Var) -> Var {
    vars[var.index()].expect("what a live equation reads is live")
}

/// The program under the name of the one that it was made from.
pub(super) fn named(func: Func, from: &Func) -> Func {
    match from.name() {
        Some(name) => func.with_name(name),
        None => func,
    }
}
