//! That random programs are well formed, differ, and reach every family.

use super::*;
use jx_ir::{Prim, verify};
use std::collections::BTreeMap;

fn count(func: &Func, names: &mut BTreeMap<&'static str, usize>) {
    for eqn in func.eqns() {
        *names.entry(eqn.prim.name()).or_default() += 1;
        if let Some(nested) = eqn.prim.nested() {
            count(nested, names);
        }
    }
}

#[test]
fn programs_are_well_formed_and_their_inputs_fit() {
    let all = [
        GenOptions::default(),
        GenOptions::default().with_nodes(),
        GenOptions::smooth(),
        GenOptions::with_derivatives(),
    ];
    for options in all {
        for seed in 0..300 {
            let Generated { func, inputs } = random_func(seed, &options);
            assert_eq!(verify(&func), Ok(()), "seed {seed}");
            assert!(inputs.iter().zip(func.input_types()).all(|(x, ty)| x.is_of(ty)), "seed {seed}");
            assert!(!func.outputs().is_empty(), "seed {seed}");
        }
    }
}

#[test]
fn a_seed_names_a_program() {
    let options = GenOptions::default().with_nodes();
    let [a, b, c] = [7, 7, 8].map(|seed| random_func(seed, &options));
    assert_eq!((&a.func, &a.inputs), (&b.func, &b.inputs));
    assert_ne!(a.func, c.func);
}

#[test]
fn random_programs_reach_every_kind_of_op() {
    let mut names = BTreeMap::new();
    for seed in 0..2000 {
        count(&random_func(seed, &GenOptions::default().with_nodes()).func, &mut names);
    }
    let mut missing = Vec::new();
    for sample in crate::samples::all() {
        for eqn in sample.func.eqns() {
            if !names.contains_key(eqn.prim.name()) {
                missing.push(eqn.prim.name());
            }
        }
    }
    missing.dedup();
    assert!(missing.is_empty(), "no random program has {missing:?}");
}

#[test]
fn programs_with_derivatives_hold_every_node() {
    let mut names = BTreeMap::new();
    for seed in 0..300 {
        count(&random_func(seed, &GenOptions::with_derivatives()).func, &mut names);
    }
    for node in ["call", "vmap", "grad", "jvp"] {
        assert!(names.get(node).is_some_and(|&n| n > 20), "{node}: {names:?}");
    }
}

#[test]
fn differentiable_programs_have_no_stop_gradient_and_only_wide_floats() {
    for seed in 0..300 {
        let func = random_func(seed, &GenOptions::smooth()).func;
        assert!(func.types().iter().all(|ty| !ty.dtype.is_float() || ty.dtype == DType::F64), "seed {seed}");
        assert!(func.eqns().iter().all(|eqn| eqn.prim != Prim::StopGradient), "seed {seed}");
    }
}
