//! The data of the laws, before any pass is tried: every sample and every random program evaluates and
//! reads back from its text. And the laws themselves: wrong passes are caught, right ones are not.

use jx_ir::{Array, Builder, DType, Func, Prim, UnaryOp, Var, eval};
use jx_testkit::laws::{self, Fault, Maps, PassError, Passes, Verdict};
use jx_testkit::{GenOptions, arrays, random_func, samples};

#[test]
fn every_sample_evaluates_to_its_types_and_reads_back() {
    for sample in samples::all() {
        let results = eval(&sample.func, &sample.inputs).unwrap_or_else(|why| panic!("{}: {why}", sample.name));
        let fits = results.len() == sample.func.n_outputs()
            && results.iter().zip(sample.func.output_types()).all(|(x, ty)| x.is_of(ty));
        assert!(fits, "{}: {results:?}\n{}", sample.name, sample.func);
        laws::text_round_trips(&sample.func, &sample.inputs).unwrap_or_else(|f| panic!("{}\n{f}", sample.name));
    }
    for sample in samples::derivatives() {
        laws::text_round_trips(&sample.func, &sample.inputs).unwrap_or_else(|f| panic!("{}\n{f}", sample.name));
    }
}

#[test]
fn smooth_samples_have_finite_values() {
    for sample in samples::all().into_iter().filter(|s| s.smooth) {
        let results = eval(&sample.func, &sample.inputs).unwrap_or_else(|why| panic!("{}: {why}", sample.name));
        // The greatest of nothing is minus infinity.
        let of_nothing = sample.inputs.iter().any(|x| x.n_elements() == 0);
        let finite = results.iter().all(|x| x.scalars().all(|s| s.as_f64().is_finite()));
        assert!(finite || of_nothing, "{}: {results:?}", sample.name);
    }
}

#[test]
fn random_programs_evaluate_and_read_back() {
    for options in [GenOptions::default().with_nodes(), GenOptions::smooth().with_nodes()] {
        for seed in 0..1000 {
            let program = random_func(seed, &options);
            let results = eval(&program.func, &program.inputs)
                .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", program.func));
            let fits = results.iter().zip(program.func.output_types()).all(|(x, ty)| x.is_of(ty));
            assert!(fits, "seed {seed}: {results:?}\n{}", program.func);
            laws::text_round_trips(&program.func, &program.inputs).unwrap_or_else(|f| panic!("{f}"));
        }
    }
}

#[test]
fn smooth_random_programs_have_finite_results() {
    let mut n_infinite = 0;
    for seed in 0..1000 {
        let program = random_func(seed, &GenOptions::smooth());
        let results = eval(&program.func, &program.inputs).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        n_infinite += usize::from(!results.iter().all(|x| x.scalars().all(|s| s.as_f64().is_finite())));
    }
    assert_eq!(n_infinite, 0, "of 1000 programs");
}

/// `x ↦ sin x` with the slope scaled by `factor`: a derivative that is right for 1.
mod sine {
    use jx_ir::{Builder, DType, Func, TensorType};
    use jx_testkit::laws::PassError;

    pub(crate) fn func() -> Func {
        let (mut b, vars) = Builder::with_inputs([&TensorType::new(DType::F64, [3])]);
        let y = b.sin(vars[0]);
        b.finish(&[y])
    }

    /// Both jvp and vjp of an elementwise function: its value, and the slope times the second input.
    pub(crate) fn pushed(factor: f64) -> Result<Func, PassError> {
        let ty = TensorType::new(DType::F64, [3]);
        let (mut b, vars) = Builder::with_inputs([&ty, &ty]);
        let y = b.sin(vars[0]);
        let slope = b.cos(vars[0]);
        let factor = b.full(&ty, factor);
        let slope = b.mul(slope, factor);
        let tangent = b.mul(slope, vars[1]);
        Ok(b.finish(&[y, tangent]))
    }
}

fn wrong_grad(func: &Func, _: &[usize]) -> Result<Func, PassError> {
    Ok(func.clone())
}

#[test]
fn a_wrong_tangent_is_caught_and_a_right_one_is_not() {
    let (func, x) = (sine::func(), arrays::numbers(DType::F64, &[3], &[0.3, -1.2, 2.0]));
    let judge = |factor: f64| {
        let jvp = move |_: &Func, _: &[usize]| sine::pushed(factor);
        let passes = Passes { jvp: &jvp, vjp: &jvp, grad: &wrong_grad };
        laws::jvp_matches_differences(&func, std::slice::from_ref(&x), passes)
    };
    assert_eq!(judge(1.0).unwrap(), Verdict::Holds);
    for factor in [-1.0, 0.0, 1.000_01] {
        let failure = judge(factor).unwrap_err();
        assert!(matches!(*failure.fault, Fault::Differ { .. }), "{failure}");
    }
}

#[test]
fn a_cotangent_that_is_not_the_adjoint_is_caught() {
    let (func, x) = (sine::func(), arrays::numbers(DType::F64, &[3], &[0.3, -1.2, 2.0]));
    let judge = |factor: f64| {
        let (jvp, vjp) = (|_: &Func, _: &[usize]| sine::pushed(2.0), move |_: &Func, _: &[usize]| sine::pushed(factor));
        let passes = Passes { jvp: &jvp, vjp: &vjp, grad: &wrong_grad };
        laws::vjp_is_the_adjoint_of_jvp(&func, std::slice::from_ref(&x), passes)
    };
    assert_eq!(judge(2.0).unwrap(), Verdict::Holds);
    assert!(matches!(*judge(2.000_001).unwrap_err().fault, Fault::Differ { .. }));
}

/// The program with its sines turned into cosines.
fn with_cosines(func: &Func) -> Func {
    let (mut b, mut vars) = Builder::with_inputs(func.input_types());
    for eqn in func.eqns() {
        let operands: Vec<Var> = eqn.inputs.iter().map(|v| vars[v.index()]).collect();
        let sine = Prim::Unary(UnaryOp::Sin);
        let prim = if eqn.prim == sine { Prim::Unary(UnaryOp::Cos) } else { eqn.prim.clone() };
        vars.extend(b.emit(prim, &operands));
    }
    let outputs: Vec<Var> = func.outputs().iter().map(|v| vars[v.index()]).collect();
    b.finish(&outputs)
}

#[test]
fn a_wrong_pass_is_caught_and_its_program_shrunk_to_the_op_at_fault() {
    let wrong_vmap = |func: &Func, in_axes: &[Option<usize>], out_axes: &[Option<usize>], size: usize| {
        Ok(laws::vmap_node(&with_cosines(func), in_axes, out_axes, size))
    };
    let wrong_pass = |func: &Func| Ok(with_cosines(func));
    let wrong_run = |func: &Func, inputs: &[Array]| Ok(eval(&with_cosines(func), inputs)?);
    let mut n_caught = 0;
    for seed in 0..40 {
        let program = random_func(seed, &GenOptions::smooth());
        let (func, inputs) = (&program.func, &program.inputs);
        let verdicts = [
            laws::vmap_equals_loop(func, inputs, Maps::Few { n: 3, seed }, &wrong_vmap).map(|_| ()),
            laws::optimised_equals_unoptimised(func, inputs, &wrong_pass),
            laws::backend_equals_eval(func, inputs, &wrong_run),
        ];
        for failure in verdicts.into_iter().filter_map(Result::err) {
            n_caught += 1;
            assert!(failure.func.eqns().len() <= 2, "seed {seed}: {failure}");
            assert!(failure.to_string().contains(" = sin "), "seed {seed}: {failure}");
        }
    }
    assert!(n_caught > 40, "only {n_caught} were caught");
}

#[test]
fn a_pass_that_panics_or_refuses_is_a_failure_too() {
    let (func, x) = (sine::func(), arrays::numbers(DType::F64, &[3], &[0.3, -1.2, 2.0]));
    let refused = laws::optimised_equals_unoptimised(&func, std::slice::from_ref(&x), &|_| Err("not today".into()));
    assert!(matches!(*refused.unwrap_err().fault, Fault::Refused { .. }));
    let panicked = laws::optimised_equals_unoptimised(&func, &[x], &|_| panic!("out of cheese"));
    let failure = panicked.unwrap_err();
    assert!(failure.to_string().contains("out of cheese"), "{failure}");
}

#[test]
fn a_failure_reads_back_as_a_program() {
    let (func, x) = (sine::func(), arrays::numbers(DType::F64, &[3], &[0.3, -1.2, 2.0]));
    let failure = laws::optimised_equals_unoptimised(&func, &[x], &|f| Ok(with_cosines(f))).unwrap_err();
    let text = failure.with_seed(9).to_string();
    assert!(text.contains("// seed: 9\n") && text.contains("// input 0: f64[3]{"), "{text}");
    assert_eq!(text.parse::<Func>().unwrap(), sine::func());
}
