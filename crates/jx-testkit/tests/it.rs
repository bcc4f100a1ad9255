//! That every sample and every random program can be evaluated, reads back from its text, and maps as
//! `eval` says: the data of the laws, before any pass is tried.

use jx_ir::eval;
use jx_testkit::{GenOptions, laws, random_func, samples};

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
