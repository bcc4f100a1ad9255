//! Shrinking: from a program that fails to a small one that fails in the same way.

use crate::arrays::{from_scalars, generic};
use jx_ir::{Array, Builder, Eqn, Func, Prim, Scalar, Var, eval};
use std::sync::Arc;

/// Whether a program with inputs still shows the failure.
pub type StillFails<'a> = &'a dyn Fn(&Func, &[Array]) -> bool;

/// A bound on how often the failure is tried for, so that shrinking ends soon.
const MAX_TRIES: usize = 3000;

/// A smaller program and inputs for which `still_fails` holds: fewer outputs, equations, inputs and
/// nodes, simpler values. The given ones if none was found.
#[must_use]
pub fn shrink(func: Func, inputs: Vec<Array>, still_fails: StillFails) -> (Func, Vec<Array>) {
    let mut best = (func, inputs);
    let mut tries = 0;
    loop {
        let smaller = candidates(&best.0, &best.1).find(|(func, inputs)| {
            tries += 1;
            tries <= MAX_TRIES && size(func, inputs) < size(&best.0, &best.1) && still_fails(func, inputs)
        });
        match smaller {
            Some(candidate) => best = candidate,
            None => return best,
        }
    }
}

/// What shrinking makes smaller, in order of weight: nested equations, equations, outputs, inputs,
/// then how odd the inputs' values are.
fn size(func: &Func, inputs: &[Array]) -> (usize, usize, usize, usize, usize) {
    let oddness = |s: Scalar| match s.as_f64() {
        0.0 => 0,
        1.0 => 1,
        v if v.fract() == 0.0 => 2,
        v if (v * 10.0).fract() == 0.0 => 3,
        _ => 4,
    };
    let values = inputs.iter().flat_map(Array::scalars).map(oddness).sum();
    (func.n_eqns_deep(), func.eqns().len(), func.n_outputs(), func.n_inputs(), values)
}

type Candidate = (Func, Vec<Array>);

/// Programs that may be smaller, those that cut most first.
fn candidates<'a>(func: &'a Func, inputs: &'a [Array]) -> impl Iterator<Item = Candidate> + 'a {
    let pruned = move |outputs: &[Var]| prune(&with_outputs(func, outputs), inputs);
    // One variable as the only output, early ones first: cuts off all that comes after.
    let one_output = (func.n_inputs()..func.n_vars()).map(move |i| pruned(&[Var(i as u32)]));
    let without_one = (0..func.n_outputs()).filter(|_| func.n_outputs() > 1).map(move |i| {
        let outputs: Vec<Var> = func.outputs().iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &v)| v).collect();
        pruned(&outputs)
    });
    let by_eqn = (0..func.eqns().len()).rev().flat_map(move |i| eqn_candidates(func, inputs, i));
    let values = (0..inputs.len()).flat_map(move |i| value_candidates(func, inputs, i));
    std::iter::once(prune(func, inputs)).chain(one_output).chain(without_one).chain(by_eqn).chain(values)
}

fn with_outputs(func: &Func, outputs: &[Var]) -> Func {
    let (mut b, vars) = Builder::with_inputs(func.input_types());
    let map = copy_eqns(&mut b, func, vars, |_, _, _| None);
    let outputs: Vec<Var> = outputs.iter().map(|v| map[v.index()]).collect();
    b.finish(&outputs)
}

/// Copies the equations; where `replace` gives results for one, those stand for it. The result maps
/// the program's variables to the builder's.
fn copy_eqns(
    b: &mut Builder,
    func: &Func,
    inputs: Vec<Var>,
    mut replace: impl FnMut(&mut Builder, usize, &[Var]) -> Option<Vec<Var>>,
) -> Vec<Var> {
    let mut map = inputs;
    for (i, eqn) in func.eqns().iter().enumerate() {
        let operands: Vec<Var> = eqn.inputs.iter().map(|v| map[v.index()]).collect();
        let results = replace(b, i, &operands).unwrap_or_else(|| b.emit(eqn.prim.clone(), &operands));
        map.extend(results);
    }
    map
}

/// The program without equations and inputs that no output needs.
fn prune(func: &Func, inputs: &[Array]) -> Candidate {
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
    let kept: Vec<usize> = (0..func.n_inputs()).filter(|&i| live[i]).collect();
    let (mut b, vars) = Builder::with_inputs(kept.iter().map(|&i| &func.input_types()[i]));
    let mut map: Vec<Option<Var>> = vec![None; func.n_vars()];
    for (&i, var) in kept.iter().zip(vars) {
        map[i] = Some(var);
    }
    for eqn in func.eqns() {
        if !eqn.outputs.iter().any(|v| live[v.index()]) {
            continue;
        }
        // A live equation's operands are live, so all are mapped.
        let operands: Vec<Var> = eqn.inputs.iter().filter_map(|v| map[v.index()]).collect();
        for (old, new) in eqn.outputs.iter().zip(b.emit(eqn.prim.clone(), &operands)) {
            map[old.index()] = Some(new);
        }
    }
    let outputs: Vec<Var> = func.outputs().iter().filter_map(|v| map[v.index()]).collect();
    (b.finish(&outputs), kept.iter().map(|&i| inputs[i].clone()).collect())
}

/// The program with one equation made simpler.
fn eqn_candidates(func: &Func, inputs: &[Array], i: usize) -> Vec<Candidate> {
    let eqn = &func.eqns()[i];
    let mut candidates = Vec::new();
    candidates.extend(cut(func, inputs, i));
    candidates.extend(bypasses(func, i).into_iter().map(|f| prune(&f, inputs)));
    if let Some(f) = inlined(func, i) {
        candidates.push(prune(&f, inputs));
    }
    candidates.extend(simpler_nested(func, eqn, i).into_iter().map(|f| prune(&f, inputs)));
    candidates
}

/// The results of equation `i` as new inputs, with the values that they have.
fn cut(func: &Func, inputs: &[Array], i: usize) -> Option<Candidate> {
    let eqn = &func.eqns()[i];
    // What cannot be evaluated, such as a derivative node not yet expanded, gets generic values.
    let generic_values = |_| eqn.outputs.iter().map(|&v| generic(func.ty(v), -2.0, 2.0, 1)).collect();
    let values: Vec<Array> = eval(&with_outputs(func, &eqn.outputs), inputs).unwrap_or_else(generic_values);
    let cut_types = eqn.outputs.iter().map(|&v| func.ty(v));
    let (mut b, vars) = Builder::with_inputs(func.input_types().iter().chain(cut_types));
    let (old, new) = vars.split_at(func.n_inputs());
    let map = copy_eqns(&mut b, func, old.to_vec(), |_, at, _| (at == i).then(|| new.to_vec()));
    let outputs: Vec<Var> = func.outputs().iter().map(|v| map[v.index()]).collect();
    let all: Vec<Array> = inputs.iter().cloned().chain(values).collect();
    Some(prune(&b.finish(&outputs), &all))
}

/// The program with the result of equation `i` replaced by an operand of its type.
fn bypasses(func: &Func, i: usize) -> Vec<Func> {
    let eqn = &func.eqns()[i];
    let [result] = eqn.outputs[..] else { return Vec::new() };
    let same = (0..eqn.inputs.len()).filter(|&j| func.ty(eqn.inputs[j]) == func.ty(result));
    same.map(|j| replaced(func, i, |_, operands| vec![operands[j]])).collect()
}

fn replaced(func: &Func, i: usize, results: impl Fn(&mut Builder, &[Var]) -> Vec<Var>) -> Func {
    let (mut b, vars) = Builder::with_inputs(func.input_types());
    let map = copy_eqns(&mut b, func, vars, |b, at, operands| (at == i).then(|| results(b, operands)));
    let outputs: Vec<Var> = func.outputs().iter().map(|v| map[v.index()]).collect();
    b.finish(&outputs)
}

/// The program with a call inlined.
fn inlined(func: &Func, i: usize) -> Option<Func> {
    if let Prim::Call { func: nested } = &func.eqns()[i].prim {
        Some(replaced(func, i, |b, operands| b.inline(nested, operands)))
    } else {
        None
    }
}

/// The program with the nested program of equation `i` made smaller, its inputs and outputs kept.
fn simpler_nested(func: &Func, eqn: &Eqn, i: usize) -> Vec<Func> {
    let Some(nested) = eqn.prim.nested() else { return Vec::new() };
    let mut simpler: Vec<Func> = (0..nested.eqns().len()).flat_map(|j| bypasses(nested, j)).collect();
    simpler.extend((0..nested.eqns().len()).filter_map(|j| inlined(nested, j)));
    for (j, inner) in nested.eqns().iter().enumerate() {
        simpler.extend(simpler_nested(nested, inner, j));
        // Zeros in place of results.
        if !inner.inputs.is_empty() {
            let types: Vec<_> = inner.outputs.iter().map(|&v| nested.ty(v).clone()).collect();
            simpler.push(replaced(nested, j, |b, _| types.iter().map(|ty| b.zeros(ty)).collect()));
        }
    }
    let results: Vec<_> = eqn.outputs.iter().map(|&v| func.ty(v).clone()).collect();
    simpler
        .into_iter()
        .map(|f| without_dead(&f))
        .filter_map(|f| {
            let prim = with_nested(&eqn.prim, f)?;
            let operands: Vec<_> = eqn.inputs.iter().map(|&v| func.ty(v)).collect();
            // A map's out_axes may not allow what the smaller program no longer depends on.
            let fits = prim.infer(&operands).is_ok_and(|types| types == results);
            fits.then(|| replaced(func, i, |b, operands| b.emit(prim.clone(), operands)))
        })
        .collect()
}

/// The program without equations that no output needs; the inputs stay.
fn without_dead(func: &Func) -> Func {
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
    let (mut b, mut map) = Builder::with_inputs(func.input_types());
    for eqn in func.eqns() {
        if eqn.outputs.iter().any(|v| live[v.index()]) {
            let operands: Vec<Var> = eqn.inputs.iter().map(|v| map[v.index()]).collect();
            map.extend(b.emit(eqn.prim.clone(), &operands));
        } else {
            // A dead variable is never read; any variable keeps the numbers in step.
            map.extend(eqn.outputs.iter().map(|_| Var(0)));
        }
    }
    let outputs: Vec<Var> = func.outputs().iter().map(|v| map[v.index()]).collect();
    b.finish(&outputs)
}

/// The node around another program.
fn with_nested(prim: &Prim, func: Func) -> Option<Prim> {
    let mut prim = prim.clone();
    if let Prim::Call { func: nested }
    | Prim::Vmap { func: nested, .. }
    | Prim::Grad { func: nested, .. }
    | Prim::Jvp { func: nested, .. } = &mut prim
    {
        *nested = Arc::new(func);
        Some(prim)
    } else {
        None
    }
}

/// The inputs with simpler values in input `i`.
fn value_candidates(func: &Func, inputs: &[Array], i: usize) -> Vec<Candidate> {
    let x = &inputs[i];
    let with = |f: &dyn Fn(f64) -> f64| {
        let mut inputs = inputs.to_vec();
        inputs[i] = from_scalars(&x.ty(), x.scalars().map(|s| Scalar::from_f64(x.dtype(), f(s.as_f64()))));
        (func.clone(), inputs)
    };
    // Zeros in one half, one quarter and so on: what is left are the elements at fault.
    let n = x.n_elements();
    let zeros_in = |from: usize, to: usize| {
        let mut inputs = inputs.to_vec();
        let zero = Scalar::zero(x.dtype());
        let kept = x.scalars().enumerate().map(|(j, s)| if (from..to).contains(&j) { zero } else { s });
        inputs[i] = from_scalars(&x.ty(), kept);
        (func.clone(), inputs)
    };
    let mut candidates = vec![with(&|_| 0.0), with(&|_| 1.0)];
    for parts in [2, 4, 8, 16].into_iter().filter(|&parts| parts <= n) {
        candidates.extend((0..parts).map(|k| zeros_in(k * n / parts, (k + 1) * n / parts)));
    }
    candidates.extend([with(&f64::round), with(&|v| (v * 10.0).round() / 10.0)]);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{GenOptions, random_func};
    use jx_ir::{BinaryOp, UnaryOp, verify};

    fn uses(func: &Func, prim: &Prim) -> bool {
        func.eqns().iter().any(|e| e.prim == *prim || e.prim.nested().is_some_and(|f| uses(f, prim)))
    }

    #[test]
    fn shrinking_leaves_the_equation_at_fault() {
        let mut n_shrunk = 0;
        for prim in [Prim::Unary(UnaryOp::Sin), Prim::Binary(BinaryOp::Mul)] {
            for seed in 0..60 {
                let program = random_func(seed, &GenOptions { min_eqns: 10, ..GenOptions::smooth() });
                if !uses(&program.func, &prim) {
                    continue;
                }
                n_shrunk += 1;
                let (func, inputs) = shrink(program.func, program.inputs, &|f, _| uses(f, &prim));
                assert_eq!(func.eqns().len(), 1, "{func}");
                assert_eq!(verify(&func), Ok(()));
                assert_eq!(inputs.len(), func.n_inputs());
                assert!(inputs.iter().all(|x| x.scalars().all(|s| s.as_f64() == 0.0)), "{inputs:?}");
            }
        }
        assert!(n_shrunk > 20, "only {n_shrunk} programs were shrunk");
    }

    #[test]
    fn shrinking_goes_into_nested_programs() {
        let maps = |f: &Func| f.eqns().iter().any(|e| matches!(e.prim, Prim::Vmap { .. }));
        let options = GenOptions::smooth().with_nodes();
        let mut n_shrunk = 0;
        for seed in 0..200 {
            let program = random_func(seed, &options);
            if maps(&program.func) {
                n_shrunk += 1;
                let (func, _) = shrink(program.func, program.inputs, &|f, _| maps(f));
                let n = func.n_eqns_deep();
                assert!(n <= 1 + func.eqns()[0].prim.nested().map_or(0, |f| f.n_outputs()), "seed {seed}: {func}");
            }
        }
        assert!(n_shrunk > 20, "only {n_shrunk} programs were shrunk");
    }
}
