//! Tests of the lowering on ndarray: the law of backends, and what runs where.

use super::Burn;
use crate::{Backend, BackendError, Buffer, CompileOptions, Device, backend};
use jx_ir::{Array, BinaryOp, Builder, CumulativeOp, DType, Func, Prim, ReduceOp, TensorType, UnaryOp, eval};
use jx_testkit::arrays::{edges, from_scalars, generic};
use jx_testkit::laws::{PassError, backend_equals_eval};
use jx_testkit::{GenOptions, random_func, samples};

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

#[test]
fn what_burn_lacks_runs_on_the_host_and_is_listed() {
    let f32s = TensorType::new(DType::F32, [3]);
    let lgamma = Prim::Unary(UnaryOp::Lgamma);
    assert_eq!(fallbacks(lgamma, std::slice::from_ref(&f32s)), ["lgamma"]);
    let rem = Prim::Binary(BinaryOp::Rem);
    assert_eq!(fallbacks(rem, &[f32s.clone(), f32s.clone()]), ["rem"]);
    // f16 is not a dtype of ndarray.
    let halves = TensorType::new(DType::F16, [3]);
    assert_eq!(fallbacks(Prim::Unary(UnaryOp::Sin), &[halves]), ["sin"]);
}

#[test]
fn the_common_ops_of_f32_and_i32_run_on_the_device() {
    let common = [UnaryOp::Exp, UnaryOp::Log, UnaryOp::Tanh, UnaryOp::Logistic, UnaryOp::Expm1, UnaryOp::Round];
    let f32s = TensorType::new(DType::F32, [2, 3]);
    for op in common {
        assert_eq!(fallbacks(Prim::Unary(op), std::slice::from_ref(&f32s)), [""; 0], "{}", op.name());
    }
    for dtype in [DType::F32, DType::I32] {
        let ty = TensorType::new(dtype, [2, 3]);
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Max] {
            let both = [ty.clone(), ty.clone()];
            assert_eq!(fallbacks(Prim::Binary(op), &both), [""; 0], "{} {dtype}", op.name());
        }
        for op in [ReduceOp::Sum, ReduceOp::Max] {
            let prim = Prim::Reduce { op, axes: vec![0, 1] };
            assert_eq!(fallbacks(prim, std::slice::from_ref(&ty)), [""; 0], "{} {dtype}", op.name());
        }
        let cumsum = Prim::Cumulative { op: CumulativeOp::Sum, axis: 1, reverse: true };
        assert_eq!(fallbacks(cumsum, &[ty]), [""; 0], "cumsum {dtype}");
    }
}

#[test]
fn more_axes_than_ndarray_takes_still_give_what_eval_gives() {
    let ty = TensorType::new(DType::F32, [2, 1, 2, 1, 2, 2, 1, 2]);
    let mut b = Builder::new();
    let x = b.input(ty.clone());
    let y = b.exp(x);
    let z = b.reduce_sum(y, &[0, 4]);
    let t = b.transpose(y, &[7, 6, 5, 4, 3, 2, 1, 0]);
    let r = b.rev(y, &[5, 7]);
    let func = b.finish(&[y, z, t, r]);
    backend_equals_eval(&func, &[generic(&ty, -1.0, 1.0, 3)], &run).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn results_stay_on_the_device_until_they_are_read() {
    let ty = TensorType::new(DType::F32, [3]);
    let exe =
        Burn::ndarray().compile(&one(Prim::Unary(UnaryOp::Neg), std::slice::from_ref(&ty)), &CompileOptions::default());
    let exe = exe.unwrap();
    let x = Array::from_vec([3], vec![1.0_f32, -2.0, 0.0]).unwrap();
    let once = exe.run(vec![Buffer::Host(x.clone())]).unwrap();
    assert!(matches!(&once[0], Buffer::Device(out) if out.device() == Device::NdArray && *out.ty() == ty));
    let twice = exe.run(once).unwrap();
    assert_eq!(twice[0].to_host().unwrap(), x);
}

#[test]
fn a_panic_of_burn_is_an_error_of_the_device() {
    let target = Burn::ndarray().target;
    let why = target.guarded::<()>(|| panic!("Dim not supported {}", 9)).unwrap_err();
    assert!(
        matches!(&why, BackendError::Device { device: Device::NdArray, message } if message == "Dim not supported 9")
    );
}

#[test]
fn wrong_inputs_and_nodes_are_refused() {
    let ty = TensorType::new(DType::F32, [3]);
    let neg = one(Prim::Unary(UnaryOp::Neg), std::slice::from_ref(&ty));
    let ndarray = backend(Device::NdArray).unwrap();
    let exe = ndarray.compile(&neg, &CompileOptions::default()).unwrap();
    assert!(matches!(exe.run(Vec::new()), Err(BackendError::InputCount { expected: 1, found: 0 })));
    let scalar = Buffer::Host(Array::scalar(1.0_f32));
    assert!(matches!(exe.run(vec![scalar]), Err(BackendError::InputType { index: 0, .. })));
    let call = one(Prim::Call { func: std::sync::Arc::new(neg) }, &[ty]);
    let refused = ndarray.compile(&call, &CompileOptions::default());
    assert!(matches!(refused, Err(BackendError::Unexpanded { prim: "call" })));
}
