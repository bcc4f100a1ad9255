//! Dead code: what a pass leaves behind that no output needs. Inputs stay.

use jx_ir::{Builder, Func, Prim, Var};

use crate::AutodiffError;

/// The program without the equations that no output depends on.
pub(crate) fn prune(func: &Func) -> Func {
    let mut live = vec![false; func.n_vars()];
    for v in func.outputs() {
        live[v.index()] = true;
    }
    for eqn in func.eqns().iter().rev() {
        if eqn.outputs.iter().any(|v| live[v.index()]) {
            for v in &eqn.inputs {
                live[v.index()] = true;
            }
        }
    }
    let (mut b, args) = Builder::with_inputs(func.input_types());
    let mut map: Vec<Option<Var>> = args.into_iter().map(Some).collect();
    map.resize(func.n_vars(), None);
    for eqn in func.eqns() {
        if eqn.outputs.iter().any(|v| live[v.index()]) {
            copy(&mut b, eqn, &mut map);
        }
    }
    checked(b.finish(&look_up(&map, func.outputs())))
}

/// The equation again in `b`, its operands and results by way of `map`.
pub(crate) fn copy(b: &mut Builder, eqn: &jx_ir::Eqn, map: &mut [Option<Var>]) {
    let inputs = look_up(map, &eqn.inputs);
    let outer = b.set_origin(eqn.origin.clone());
    let outputs = b.emit(eqn.prim.clone(), &inputs);
    b.set_origin(outer);
    for (old, new) in eqn.outputs.iter().zip(outputs) {
        map[old.index()] = Some(new);
    }
}

/// The images of variables that are known to have one.
pub(crate) fn look_up(map: &[Option<Var>], vars: &[Var]) -> Vec<Var> {
    vars.iter().map(|v| map[v.index()].expect("a variable is mapped before it is read")).collect()
}

/// The program with its calls inlined.
///
/// # Errors
/// If it holds a transformation.
pub(crate) fn flatten(pass: &'static str, func: &Func) -> Result<Func, AutodiffError> {
    let (mut b, args) = Builder::with_inputs(func.input_types());
    let outputs = flatten_into(pass, &mut b, func, args)?;
    Ok(b.finish(&outputs))
}

fn flatten_into(pass: &'static str, b: &mut Builder, func: &Func, args: Vec<Var>) -> Result<Vec<Var>, AutodiffError> {
    let mut map: Vec<Option<Var>> = args.into_iter().map(Some).collect();
    map.resize(func.n_vars(), None);
    for eqn in func.eqns() {
        match (&eqn.prim, eqn.prim.nested()) {
            (_, None) => copy(b, eqn, &mut map),
            (Prim::Call { .. }, Some(inner)) => {
                let outputs = flatten_into(pass, b, inner, look_up(&map, &eqn.inputs))?;
                for (old, new) in eqn.outputs.iter().zip(outputs) {
                    map[old.index()] = Some(new);
                }
            }
            (prim, Some(_)) => return Err(AutodiffError::Unexpanded { pass, prim: prim.name() }),
        }
    }
    Ok(look_up(&map, func.outputs()))
}

/// The program as it is; in debug builds, a panic with its text if it is not well formed.
pub(crate) fn checked(func: Func) -> Func {
    if cfg!(debug_assertions)
        && let Err(why) = jx_ir::verify(&func)
    {
        panic!("autodiff made an ill-formed program: {why}\n{func}");
    }
    func
}
