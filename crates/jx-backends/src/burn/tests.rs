//! Tests of the lowering on ndarray: the law of backends, and what runs where.

use super::Burn;
use crate::{Backend, BackendError, Buffer, CompileOptions, Device, Interpreter, backend};
use jx_ir::{
    Array, BinaryOp, Builder, CompareOp, CumulativeOp, DType, Func, Prim, ReduceOp, Scalar, TensorType, UnaryOp, eval,
};
use jx_testkit::arrays::{edges, from_scalars};
use jx_testkit::laws::{PassError, backend_equals_eval};
use jx_testkit::{GenOptions, random_func, samples};
use std::collections::BTreeMap;

fn run(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, PassError> {
    let backend = Burn::ndarray();
    let exe = backend.compile(func, &CompileOptions::default())?;
    let own = inputs.iter().map(|x| backend.upload(x.clone())).collect::<Result<_, _>>()?;
    let outputs = exe.run(own)?.into_iter().map(Buffer::into_host).collect::<Result<Vec<_>, _>>()?;
    // Uploaded inputs and those on the host give the same bits.
    let again = exe.run(inputs.iter().cloned().map(Buffer::Host).collect())?;
    let again = again.into_iter().map(Buffer::into_host).collect::<Result<Vec<_>, _>>()?;
    assert_eq!(outputs, again, "the same inputs give the same bits in\n{func}");
    Ok(outputs)
}

/// The program of one equation.
fn one(prim: Prim, types: &[TensorType]) -> Func {
    let (mut b, vars) = Builder::with_inputs(types);
    let results = b.emit(prim, &vars);
    b.finish(&results)
}

/// Where an equation runs on ndarray.
fn fallbacks(prim: Prim, types: &[TensorType]) -> Vec<&'static str> {
    let exe = Burn::ndarray().compile(&one(prim, types), &CompileOptions::default()).unwrap();
    exe.host_fallbacks().into_iter().map(|f| f.prim).collect()
}

#[test]
fn ndarray_equals_eval_on_samples() {
    let first_order = |func: &Func| func.eqns().iter().all(|eqn| eqn.prim.nested().is_none());
    let mut failures = Vec::new();
    for sample in samples::all().into_iter().filter(|s| first_order(&s.func)) {
        if let Err(why) = backend_equals_eval(&sample.func, &sample.inputs, &run) {
            failures.push(format!("{}: {why}", sample.name));
        }
    }
    assert!(failures.is_empty(), "{} samples fail\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn ndarray_equals_eval_on_random_programs() {
    for seed in 0..150 {
        for options in [GenOptions::default(), GenOptions::smooth()] {
            let program = random_func(seed, &options);
            if let Err(why) = backend_equals_eval(&program.func, &program.inputs, &run) {
                panic!("{}", why.with_seed(seed));
            }
        }
    }
}

/// Each pair of edge values, so that one integer op meets every overflow and every zero divisor.
#[test]
fn integer_arithmetic_wraps_at_the_edges_as_eval_does() {
    for dtype in DType::ALL.into_iter().filter(|d| d.is_int()) {
        let values = edges(dtype);
        let n = values.len();
        let ty = TensorType::new(dtype, [n * n]);
        let x = from_scalars(&ty, (0..n * n).map(|i| values[i / n]));
        let y = from_scalars(&ty, (0..n * n).map(|i| values[i % n]));
        for &op in BinaryOp::ALL.iter().filter(|op| op.accepts(dtype)) {
            let func = one(Prim::Binary(op), &[ty.clone(), ty.clone()]);
            let inputs = [x.clone(), y.clone()];
            assert_eq!(run(&func, &inputs).unwrap(), eval(&func, &inputs).unwrap(), "{} {dtype}", op.name());
        }
        for &op in UnaryOp::ALL.iter().filter(|op| op.accepts(dtype)) {
            let func = one(Prim::Unary(op), std::slice::from_ref(&ty));
            let inputs = [x.clone()];
            assert_eq!(run(&func, &inputs).unwrap(), eval(&func, &inputs).unwrap(), "{} {dtype}", op.name());
        }
    }
}

#[test]
fn every_dtype_converts_to_every_other_at_the_edges_as_eval_does() {
    for from in DType::ALL {
        let values = edges(from);
        let ty = TensorType::new(from, [values.len()]);
        let x = from_scalars(&ty, values.into_iter());
        for to in DType::ALL {
            let func = one(Prim::Convert { dtype: to }, std::slice::from_ref(&ty));
            if let Err(why) = backend_equals_eval(&func, std::slice::from_ref(&x), &run) {
                panic!("{from} to {to}: {why}");
            }
        }
    }
}
