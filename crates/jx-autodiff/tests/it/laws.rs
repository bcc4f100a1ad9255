//! The derivative laws of `jx-testkit` on its sample of every op, and on random programs.

use jx_autodiff::{grad, jvp, vjp};
use jx_ir::Func;
use jx_testkit::laws::{
    PassError, Passes, Verdict, jvp_matches_differences, second_order_matches_differences, vjp_is_the_adjoint_of_jvp,
};
use jx_testkit::{GenOptions, random_func, samples};

fn passes() -> Passes<'static> {
    fn jvp_pass(func: &Func, wrt: &[usize]) -> Result<Func, PassError> {
        Ok(jvp(func, wrt)?)
    }
    fn vjp_pass(func: &Func, wrt: &[usize]) -> Result<Func, PassError> {
        Ok(vjp(func, wrt)?)
    }
    fn grad_pass(func: &Func, wrt: &[usize]) -> Result<Func, PassError> {
        Ok(grad(func, wrt, false)?)
    }
    Passes { jvp: &jvp_pass, vjp: &vjp_pass, grad: &grad_pass }
}

#[test]
fn samples_of_every_op_obey_the_laws_of_derivatives() {
    let mut n_judged = 0;
    let mut failures = Vec::new();
    for sample in samples::all().into_iter().filter(samples::Sample::is_first_order) {
        let (func, inputs) = (&sample.func, &sample.inputs[..]);
        let mut laws = vec![vjp_is_the_adjoint_of_jvp(func, inputs, passes())];
        if sample.smooth {
            laws.push(jvp_matches_differences(func, inputs, passes()));
            laws.push(second_order_matches_differences(func, inputs, passes()));
        }
        for law in laws {
            match law {
                Ok(Verdict::Holds) => n_judged += 1,
                Ok(Verdict::Skipped) => {}
                Err(why) => failures.push(format!("{}: {why}", sample.name)),
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
    assert!(n_judged > 100, "only {n_judged} laws could be judged");
}

#[test]
fn samples_of_every_op_and_dtype_have_derivatives_in_every_float_input() {
    for sample in samples::all().into_iter().filter(samples::Sample::is_first_order) {
        let types = sample.func.input_types();
        let wrt: Vec<usize> = (0..types.len()).filter(|&i| types[i].dtype.is_float()).collect();
        let pulled = vjp(&sample.func, &wrt).unwrap_or_else(|why| panic!("{}: {why}", sample.name));
        let gradients = pulled.output_types().skip(sample.func.n_outputs());
        assert!(gradients.eq(wrt.iter().map(|&i| &types[i])), "{}", sample.name);
    }
}

#[test]
fn random_programs_obey_the_laws_of_derivatives() {
    let n: u64 = if std::env::var_os("JX_SLOW").is_some() { 2000 } else { 60 };
    for seed in 0..n {
        let program = random_func(seed, &GenOptions::smooth());
        let (func, inputs) = (&program.func, &program.inputs[..]);
        for law in [
            vjp_is_the_adjoint_of_jvp(func, inputs, passes()),
            jvp_matches_differences(func, inputs, passes()),
            second_order_matches_differences(func, inputs, passes()),
        ] {
            if let Err(why) = law {
                panic!("{}", why.with_seed(seed));
            }
        }
    }
}
