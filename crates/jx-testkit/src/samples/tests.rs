//! That the samples cover what they claim.

use super::*;
use jx_ir::{ArgReduceOp, BinaryOp, CompareOp, CumulativeOp, ReduceOp, ScatterOp, UnaryOp, verify};
use std::collections::BTreeSet;

/// Each op in each dtype of its first operand (of its result, where it has none).
fn covered() -> BTreeSet<(&'static str, DType)> {
    let mut covered = BTreeSet::new();
    for sample in all() {
        for eqn in sample.func.eqns() {
            let var =
                if eqn.prim == Prim::SelectN { eqn.inputs[1] } else { *eqn.inputs.first().unwrap_or(&eqn.outputs[0]) };
            covered.insert((eqn.prim.name(), sample.func.ty(var).dtype));
        }
    }
    covered
}

#[test]
fn every_op_has_a_sample_in_every_dtype_that_it_accepts() {
    let mut expected: Vec<(&'static str, DType)> = Vec::new();
    for dtype in DType::ALL {
        expected.extend(UnaryOp::ALL.iter().filter(|o| o.accepts(dtype)).map(|o| (o.name(), dtype)));
        expected.extend(BinaryOp::ALL.iter().filter(|o| o.accepts(dtype)).map(|o| (o.name(), dtype)));
        expected.extend(ReduceOp::ALL.iter().filter(|o| o.accepts(dtype)).map(|o| (o.name(), dtype)));
        expected.extend(CumulativeOp::ALL.iter().filter(|o| o.accepts(dtype)).map(|o| (o.name(), dtype)));
        expected.extend(CompareOp::ALL.iter().map(|o| (o.name(), dtype)));
        expected.extend(ArgReduceOp::ALL.iter().map(|o| (o.name(), dtype)));
        let anything = [
            "select_n",
            "convert_element_type",
            "stop_gradient",
            "full",
            "constant",
            "reshape",
            "transpose",
            "broadcast_in_dim",
            "slice",
            "pad",
            "concatenate",
            "rev",
            "dynamic_slice",
            "dynamic_update_slice",
            "gather",
            "scatter",
            "scatter_min",
            "scatter_max",
            "sort",
        ];
        expected.extend(anything.map(|name| (name, dtype)));
        if dtype != DType::Bool {
            expected.extend(["integer_pow", "clamp", "iota", "dot_general"].map(|name| (name, dtype)));
            expected.extend([ScatterOp::Add, ScatterOp::Mul].map(|o| (o.name(), dtype)));
        }
    }
    expected.push(("threefry2x32", DType::U32));
    expected.extend(["call", "vmap"].map(|name| (name, DType::F64)));
    let covered = covered();
    let missing: Vec<_> = expected.into_iter().filter(|e| !covered.contains(e)).collect();
    assert!(missing.is_empty(), "no sample of {missing:?}");
}

#[test]
fn samples_are_well_formed_and_their_inputs_fit() {
    for sample in all().into_iter().chain(derivatives()) {
        assert_eq!(verify(&sample.func), Ok(()), "{}", sample.name);
        let fits = sample.inputs.iter().zip(sample.func.input_types()).all(|(x, ty)| x.is_of(ty));
        assert!(fits && sample.inputs.len() == sample.func.n_inputs(), "{}", sample.name);
    }
}

#[test]
fn names_of_samples_differ() {
    let mut seen = BTreeSet::new();
    for sample in all().into_iter().chain(derivatives()) {
        assert!(seen.insert(sample.name.clone()), "two samples are named `{}`", sample.name);
    }
}

#[test]
fn samples_stand_in_the_file_of_their_family() {
    for family in Family::ALL {
        assert!(family.samples().iter().all(|s| s.family == family), "{family:?}");
    }
}
