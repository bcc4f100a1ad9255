//! The laws of the optimiser on every sample and on random programs.

use jx_ir::Func;
use jx_opt::{Level, Optimizer, expand, simplify};
use jx_testkit::laws::{PassError, optimised_equals_unoptimised, pass_returns_well_formed};
use jx_testkit::samples::Family;
use jx_testkit::{GenOptions, random_func};

fn simplified(func: &Func) -> Result<Func, PassError> {
    Ok(simplify(func))
}

fn optimised(func: &Func) -> Result<Func, PassError> {
    Ok(Optimizer::new().run(func)?)
}

fn expanded(func: &Func) -> Result<Func, PassError> {
    Ok(expand(func)?)
}

/// The seeds of random programs: `n` of them, or many with `JX_SLOW=1`.
fn seeds(n: u64) -> std::ops::Range<u64> {
    let slow = std::env::var_os("JX_SLOW").is_some_and(|v| v == "1");
    0..if slow { 10 * n } else { n }
}

#[test]
fn optimised_samples_give_the_same_bits() {
    for sample in Family::ALL.into_iter().flat_map(Family::samples) {
        let func = match expand(&sample.func) {
            Ok(func) => func,
            Err(why) => panic!("{}: {why}", sample.name),
        };
        if let Err(why) = optimised_equals_unoptimised(&func, &sample.inputs, &optimised) {
            panic!("{}: {why}", sample.name);
        }
        if let Err(why) = pass_returns_well_formed(&sample.func, &sample.inputs, &optimised) {
            panic!("{}: {why}", sample.name);
        }
    }
}

#[test]
fn optimised_random_programs_give_the_same_bits() {
    for seed in seeds(200) {
        for options in [GenOptions::default(), GenOptions::default().with_nodes()] {
            let program = random_func(seed, &options);
            if let Err(why) = optimised_equals_unoptimised(&program.func, &program.inputs, &simplified) {
                panic!("{}", why.with_seed(seed));
            }
        }
    }
}

#[test]
fn optimised_random_derivatives_give_the_same_bits() {
    for seed in seeds(100) {
        let program = random_func(seed, &GenOptions::with_derivatives());
        let result = pass_returns_well_formed(&program.func, &program.inputs, &expanded);
        if let Err(why) = result {
            panic!("{}", why.with_seed(seed));
        }
        let func = expand(&program.func).unwrap();
        if let Err(why) = optimised_equals_unoptimised(&func, &program.inputs, &optimised) {
            panic!("{}", why.with_seed(seed));
        }
    }
}

#[test]
fn without_optimisation_a_first_order_program_is_left_as_it_is() {
    for seed in seeds(50) {
        let func = random_func(seed, &GenOptions::default()).func;
        assert_eq!(Optimizer::new().level(Level::None).run(&func).unwrap(), func);
    }
}
