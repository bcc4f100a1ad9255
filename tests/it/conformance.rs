//! JAX's own primitive harnesses, if their folder is at hand: `$JX_CONFORMANCE`, or `shared/conformance`
//! beside the workspace.

use jx_backends::{Buffer, CompileOptions, Device, backend};
use jx_ir::{Array, Func};
use jx_opt::{OptError, Optimizer};
use jx_testkit::conformance::{Report, RunError, Runner, groups};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The share of checks that must pass: what is left needs complex numbers or linear algebra.
const LEAST_PASSED: f64 = 0.8;

fn folder() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance");
    let folder = std::env::var_os("JX_CONFORMANCE").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// One way to run a program.
type Run<'a> = &'a (dyn Fn(&Func, &[Array]) -> Result<Vec<Array>, RunError> + Sync);

fn failed(why: impl std::fmt::Display) -> RunError {
    RunError::Failed(why.to_string())
}

fn refused(why: OptError) -> RunError {
    if why.is_unsupported() { RunError::Unsupported(why.to_string()) } else { failed(why) }
}

/// By the oracle, nothing optimised.
fn evaluated(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, RunError> {
    let func = jx_opt::expand(func).map_err(refused)?;
    jx_ir::verify(&func).map_err(failed)?;
    jx_ir::eval(&func, inputs).map_err(failed)
}

/// By the optimiser and the interpreter.
fn compiled(func: &Func, inputs: &[Array]) -> Result<Vec<Array>, RunError> {
    let func = Optimizer::new().run(func).map_err(refused)?;
    jx_ir::verify(&func).map_err(failed)?;
    let exe =
        backend(Device::Interpreter).and_then(|b| b.compile(&func, &CompileOptions::default())).map_err(failed)?;
    let outputs = exe.run(inputs.iter().cloned().map(Buffer::Host).collect()).map_err(failed)?;
    outputs.iter().map(|buffer| buffer.to_host().map_err(failed)).collect()
}

/// All groups, on as many threads as there are cores.
fn run_all(run: Run) -> Option<Report> {
    let groups = groups(&folder()?).unwrap();
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((name, path)) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(Runner::new(run).group(name, path).unwrap());
        }
        done
    };
    let n = std::thread::available_parallelism().map_or(1, usize::from);
    let mut groups: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    groups.sort_by(|a, b| a.group.cmp(&b.group));
    Some(Report { groups })
}

fn check(run: Run) {
    let Some(report) = run_all(run) else {
        println!("skipped: no conformance folder");
        return;
    };
    let failures: Vec<String> = report.failures().take(20).map(ToString::to_string).collect();
    let tally = report.tally();
    assert_eq!(tally.failed, 0, "the first failures:\n{}\n\n{report}", failures.join("\n"));
    let passed = tally.passed as f64 / tally.total() as f64;
    assert!(passed >= LEAST_PASSED, "only {:.1} % passed\n\n{report}", 100.0 * passed);
}

#[test]
fn the_oracle_gives_what_jax_gives() {
    check(&evaluated);
}

#[test]
fn the_optimised_program_on_the_interpreter_gives_what_jax_gives() {
    check(&compiled);
}
