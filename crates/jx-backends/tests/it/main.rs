//! The law of backends on every sample and on random programs: the interpreter gives what `eval` gives.

use jx_backends::{Backend, Buffer, CompileOptions, Interpreter};
use jx_ir::{Array, Func};
use jx_testkit::laws::{PassError, backend_equals_eval};
use jx_testkit::samples::Family;
use jx_testkit::{GenOptions, random_func};

fn run(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, PassError> {
    let exe = Interpreter.compile(func, &CompileOptions::default())?;
    // Inputs that nothing else shares, so that kernels write over them.
    let own = |x: &Array| Array::from_le_bytes(&x.ty(), &x.to_le_bytes()).map(Buffer::Host);
    let outputs = exe.run(inputs.iter().map(own).collect::<Result<_, _>>()?)?;
    let outputs = outputs.into_iter().map(Buffer::into_host).collect::<Result<Vec<_>, _>>()?;
    // Shared inputs give the same bits.
    let again = exe.run(inputs.iter().cloned().map(Buffer::Host).collect())?;
    let again = again.into_iter().map(Buffer::into_host).collect::<Result<Vec<_>, _>>()?;
    assert_eq!(outputs, again, "the same inputs give the same bits in\n{func}");
    Ok(outputs)
}

/// The seeds of random programs: `n` of them, or many with `JX_SLOW=1`.
fn seeds(n: u64) -> std::ops::Range<u64> {
    let slow = std::env::var_os("JX_SLOW").is_some_and(|v| v == "1");
    0..if slow { 10 * n } else { n }
}

#[test]
fn the_interpreter_equals_eval_on_samples() {
    for sample in Family::ALL.into_iter().filter(|&f| f != Family::Nodes).flat_map(Family::samples) {
        if let Err(why) = backend_equals_eval(&sample.func, &sample.inputs, &run) {
            panic!("{}: {why}", sample.name);
        }
    }
}

#[test]
fn the_interpreter_equals_eval_on_random_programs() {
    for seed in seeds(300) {
        for options in [GenOptions::default(), GenOptions::smooth()] {
            let program = random_func(seed, &options);
            if let Err(why) = backend_equals_eval(&program.func, &program.inputs, &run) {
                panic!("{}", why.with_seed(seed));
            }
        }
    }
}
