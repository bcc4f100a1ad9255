//! The laws over every sample and over random programs, the passes being those of `jx-opt`.
//!
//! `JX_SLOW=1` runs ten times as many random programs. A failure prints the smallest program found that
//! still fails, with its inputs and seed.

use jx_backends::{Buffer, CompileOptions, Device, backend};
use jx_ir::{Array, Func};
use jx_opt::Optimizer;
use jx_testkit::laws::{self, LawFailure, Maps, PassError, Passes, Verdict, grad_node, jvp_node, vmap_node};
use jx_testkit::{Family, GenOptions, Sample, random_func, samples};

fn expand(func: &Func) -> Result<Func, PassError> {
    Ok(jx_opt::expand(func)?)
}

fn vmap(func: &Func, in_axes: &[Option<usize>], out_axes: &[Option<usize>], size: usize) -> Result<Func, PassError> {
    expand(&vmap_node(func, in_axes, out_axes, size))
}

fn jvp(func: &Func, wrt: &[usize]) -> Result<Func, PassError> {
    expand(&jvp_node(func, wrt))
}

fn grad(func: &Func, wrt: &[usize]) -> Result<Func, PassError> {
    expand(&grad_node(func, wrt, false))
}

fn vjp(func: &Func, wrt: &[usize]) -> Result<Func, PassError> {
    Ok(jx_opt::vjp(func, wrt)?)
}

fn optimise(func: &Func) -> Result<Func, PassError> {
    Ok(Optimizer::new().run(func)?)
}

fn interpret(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, PassError> {
    let exe = backend(Device::Interpreter)?.compile(&expand(func)?, &CompileOptions::default())?;
    let results = exe.run(inputs.iter().cloned().map(Buffer::Host).collect())?;
    Ok(results.into_iter().map(Buffer::into_host).collect::<Result<_, _>>()?)
}

const PASSES: Passes = Passes { jvp: &jvp, vjp: &vjp, grad: &grad };

/// The failures of a run, a few of them in full.
#[derive(Default)]
struct Tally {
    n_judged: usize,
    n_skipped: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: &str, verdict: Result<Verdict, LawFailure>) {
        match verdict {
            Ok(Verdict::Holds) => self.n_judged += 1,
            Ok(Verdict::Skipped) => self.n_skipped += 1,
            Err(failure) => self.failures.push(format!("// from: {name}\n{failure}\n")),
        }
    }

    #[track_caller]
    fn finish(self) {
        let shown = self.failures.iter().take(8).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.failures.is_empty(), "{} failures, of which the first are:\n\n{shown}", self.failures.len());
        assert!(self.n_judged > 0, "nothing was judged");
    }
}

fn held<T>(_: T) -> Verdict {
    Verdict::Holds
}

fn vmap_of_samples(family: Family) {
    let mut tally = Tally::default();
    for Sample { name, func, inputs, .. } in family.samples() {
        tally.add(&name, laws::vmap_equals_loop(&func, &inputs, Maps::All, &vmap).map(held));
        tally.add(&name, laws::vmap_of_vmap_equals_loops(&func, &inputs, 5, &vmap).map(held));
    }
    tally.finish();
}

fn derivatives_of_samples(family: Family) {
    let mut tally = Tally::default();
    for Sample { name, func, inputs, smooth, .. } in family.samples() {
        if smooth {
            tally.add(&name, laws::jvp_matches_differences(&func, &inputs, PASSES));
            tally.add(&name, laws::vjp_is_the_adjoint_of_jvp(&func, &inputs, PASSES));
            tally.add(&name, laws::second_order_matches_differences(&func, &inputs, PASSES));
            tally.add(&name, laws::grad_commutes_with_vmap(&func, &inputs, PASSES, &vmap));
        }
    }
    tally.finish();
}

fn other_laws_of_samples(family: Family) {
    let mut tally = Tally::default();
    for Sample { name, func, inputs, .. } in family.samples() {
        tally.add(&name, laws::text_round_trips(&func, &inputs).map(held));
        tally.add(&name, laws::pass_returns_well_formed(&func, &inputs, &expand).map(held));
        tally.add(&name, laws::optimised_equals_unoptimised(&func, &inputs, &optimise).map(held));
        tally.add(&name, laws::backend_equals_eval(&func, &inputs, &interpret).map(held));
    }
    tally.finish();
}

macro_rules! laws_of_families {
    ($($name:ident = $family:ident;)*) => { $(
        mod $name {
            use super::Family;

            #[test]
            fn vmap_equals_the_loop() {
                super::vmap_of_samples(Family::$family);
            }

            #[test]
            fn derivatives_are_right() {
                super::derivatives_of_samples(Family::$family);
            }

            #[test]
            fn text_optimiser_and_backend_agree_with_eval() {
                super::other_laws_of_samples(Family::$family);
            }
        }
    )* };
}

laws_of_families! {
    unary = Unary;
    binary = Binary;
    compare = Compare;
    convert = Convert;
    movement = Movement;
    indexing = Indexing;
    reduce = Reduce;
    dot = Dot;
    sort = Sort;
    nodes = Nodes;
}

/// Random bits have no floats, so nothing to differentiate.
mod random {
    use super::Family;

    #[test]
    fn vmap_equals_the_loop() {
        super::vmap_of_samples(Family::Random);
    }

    #[test]
    fn text_optimiser_and_backend_agree_with_eval() {
        super::other_laws_of_samples(Family::Random);
    }
}

#[test]
fn derivative_nodes_expand_to_programs_that_run() {
    let mut tally = Tally::default();
    for Sample { name, func, inputs, .. } in samples::derivatives() {
        tally.add(&name, laws::text_round_trips(&func, &inputs).map(held));
        tally.add(&name, laws::pass_returns_well_formed(&func, &inputs, &expand).map(held));
        let expanded = expand(&func).unwrap_or_else(|why| panic!("{name}: {why}"));
        tally.add(&name, laws::vmap_equals_loop(&expanded, &inputs, Maps::All, &vmap).map(held));
        tally.add(&name, laws::optimised_equals_unoptimised(&expanded, &inputs, &optimise).map(held));
        tally.add(&name, laws::backend_equals_eval(&expanded, &inputs, &interpret).map(held));
    }
    tally.finish();
}

/// How many parts the random programs are cut into, so that they run side by side.
const N_PARTS: u64 = 4;

/// The seeds of a part.
fn seeds(part: u64) -> impl Iterator<Item = u64> {
    let n = if std::env::var_os("JX_SLOW").is_some_and(|v| v == "1") { 20_000 } else { 2_000 };
    (0..n).filter(move |seed| seed % N_PARTS == part)
}

fn vmap_of_random_programs(part: u64) {
    let mut tally = Tally::default();
    for seed in seeds(part) {
        let options = GenOptions::default();
        let options = if (seed / N_PARTS).is_multiple_of(3) { options.with_nodes() } else { options };
        let program = random_func(seed, &options);
        let (func, inputs) = (&program.func, &program.inputs);
        let name = format!("random program {seed}");
        let seeded = |f: LawFailure| f.with_seed(seed);
        let maps = Maps::Few { n: 3, seed };
        tally.add(&name, laws::vmap_equals_loop(func, inputs, maps, &vmap).map(held).map_err(seeded));
        tally.add(&name, laws::vmap_of_vmap_equals_loops(func, inputs, seed, &vmap).map(held).map_err(seeded));
    }
    tally.finish();
}

fn derivatives_of_random_programs(part: u64) {
    let mut tally = Tally::default();
    for seed in seeds(part) {
        let options = GenOptions { max_eqns: 14, ..GenOptions::smooth() };
        let options = if (seed / N_PARTS).is_multiple_of(4) { options.with_nodes() } else { options };
        let program = random_func(seed, &options);
        let (func, inputs) = (&program.func, &program.inputs);
        let name = format!("random program {seed}");
        let seeded = |f: LawFailure| f.with_seed(seed);
        tally.add(&name, laws::jvp_matches_differences(func, inputs, PASSES).map_err(seeded));
        tally.add(&name, laws::vjp_is_the_adjoint_of_jvp(func, inputs, PASSES).map_err(seeded));
        if (seed / N_PARTS).is_multiple_of(2) {
            tally.add(&name, laws::second_order_matches_differences(func, inputs, PASSES).map_err(seeded));
            tally.add(&name, laws::grad_commutes_with_vmap(func, inputs, PASSES, &vmap).map_err(seeded));
        }
    }
    assert!(tally.n_skipped * 10 < tally.n_judged, "{} of {} skipped", tally.n_skipped, tally.n_judged);
    tally.finish();
}

fn other_laws_of_random_programs(part: u64) {
    let mut tally = Tally::default();
    for seed in seeds(part) {
        let derivatives = (seed / N_PARTS).is_multiple_of(3);
        let options = if derivatives { GenOptions::with_derivatives() } else { GenOptions::default().with_nodes() };
        let program = random_func(seed, &options);
        let (func, inputs) = (&program.func, &program.inputs);
        let name = format!("random program {seed}");
        let seeded = |f: LawFailure| f.with_seed(seed);
        tally.add(&name, laws::text_round_trips(func, inputs).map(held).map_err(seeded));
        tally.add(&name, laws::pass_returns_well_formed(func, inputs, &expand).map(held).map_err(seeded));
        // Only an expanded program can be evaluated if it has derivatives in it.
        let expanded = if derivatives { expand(func).ok() } else { None };
        let func = expanded.as_ref().unwrap_or(func);
        if derivatives && expanded.is_none() {
            continue;
        }
        tally.add(&name, laws::optimised_equals_unoptimised(func, inputs, &optimise).map(held).map_err(seeded));
        tally.add(&name, laws::backend_equals_eval(func, inputs, &interpret).map(held).map_err(seeded));
    }
    tally.finish();
}

macro_rules! laws_of_random_programs {
    ($($name:ident = $part:literal;)*) => { $(
        mod $name {
            #[test]
            fn vmap_equals_the_loop() {
                super::vmap_of_random_programs($part);
            }

            #[test]
            fn derivatives_are_right() {
                super::derivatives_of_random_programs($part);
            }

            #[test]
            fn text_optimiser_and_backend_agree_with_eval() {
                super::other_laws_of_random_programs($part);
            }
        }
    )* };
}

laws_of_random_programs! {
    random_programs_0 = 0;
    random_programs_1 = 1;
    random_programs_2 = 2;
    random_programs_3 = 3;
}
