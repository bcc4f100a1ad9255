//! `jx conformance`: JAX's own primitive harnesses, run on this build.

use crate::error::CliError;
use crate::progress::Progress;
use clap::Args;
use jx::Device;
use jx_backends::{Backend, Buffer, CompileOptions, backend};
use jx_ir::{Array, Func};
use jx_opt::Optimizer;
use jx_testkit::conformance::{Report, RunError, Runner, groups};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `jx conformance`.
#[derive(Args)]
pub(crate) struct ConformanceArgs {
    /// The folder with the cases, GROUP.jsonl and GROUP.bin, or the one that holds it as `cases`
    dir: PathBuf,
    /// Only this group; may be given more than once
    #[arg(long, value_name = "GROUP")]
    group: Vec<String>,
    /// Print one JSON object for each group, then one for all
    #[arg(long)]
    json: bool,
    /// Print the first N checks that failed: case, variant, place, what came and what was wanted
    #[arg(short = 'v', long, value_name = "N", default_value_t = 0)]
    failures: usize,
    /// Where to run: interpreter, ndarray, wgpu or cuda (see `jx devices`)
    #[arg(long, default_value_t = Device::default())]
    device: Device,
}

/// Runs the cases and prints what they come to; exit code 1 if a check failed.
pub(crate) fn run(args: &ConformanceArgs, out: &mut impl Write) -> Result<ExitCode, CliError> {
    let mut chosen = groups(&args.dir)?;
    if let Some(unknown) = args.group.iter().find(|&name| chosen.iter().all(|(group, _)| group != name)) {
        let known = chosen.into_iter().map(|(group, _)| group).collect();
        return Err(CliError::NoGroup { group: unknown.clone(), known });
    }
    if !args.group.is_empty() {
        chosen.retain(|(group, _)| args.group.contains(group));
    }
    let target = backend(args.device).map_err(jx::Error::from)?;
    let run = |func: &Func, inputs: &[Array]| on(&*target, func, inputs);
    let runner = Runner::new(&run);
    let mut report = Report::default();
    for (group, path) in chosen {
        let progress = Progress::start(&format!("conformance: {group}"));
        let done = runner.group(&group, &path)?;
        drop(progress);
        if args.json {
            writeln!(out, "{}", done.to_json())?;
        }
        report.groups.push(done);
    }
    if args.json {
        writeln!(out, "{}", report.to_json())?;
    } else {
        write!(out, "{report}")?;
    }
    for failure in report.failures().take(args.failures) {
        // With --json, what is printed stays one JSON object a line.
        if args.json { eprintln!("{failure}") } else { writeln!(out, "{failure}")? }
    }
    Ok(if report.tally().failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A program's results on a device, after all passes.
fn on(target: &dyn Backend, func: &Func, inputs: &[Array]) -> Result<Vec<Array>, RunError> {
    let failed = |why: &dyn std::error::Error| RunError::Failed(why.to_string());
    let unsupported = |why: &dyn std::error::Error| RunError::Unsupported(why.to_string());
    let func = match Optimizer::new().run(func) {
        Ok(func) => func,
        Err(why) if why.is_unsupported() => return Err(unsupported(&why)),
        Err(why) => return Err(failed(&why)),
    };
    let refused = |why: jx_backends::BackendError| match why {
        jx_backends::BackendError::Unsupported { .. } => unsupported(&why),
        jx_backends::BackendError::Unexpanded { .. }
        | jx_backends::BackendError::InputCount { .. }
        | jx_backends::BackendError::InputType { .. }
        | jx_backends::BackendError::UnknownDevice { .. }
        | jx_backends::BackendError::Unavailable { .. }
        | jx_backends::BackendError::Eval(_)
        | jx_backends::BackendError::Device { .. } => failed(&why),
    };
    let exe = target.compile(&func, &CompileOptions::default()).map_err(refused)?;
    let outputs = exe.run(inputs.iter().cloned().map(Buffer::Host).collect()).map_err(refused)?;
    outputs.iter().map(|buffer| buffer.to_host().map_err(refused)).collect()
}
