//! `jx run`: computes and prints.

use crate::error::CliError;
use crate::output::Outcome;
use crate::progress::Progress;
use crate::target::{Loaded, TargetArgs, evaluate, program_inputs};
use clap::Args;
use jx::source::{Input, Module, Nested, Session};
use jx::{Array, Program};
use std::io::Write;
use std::time::Instant;

/// Options of `jx run`.
#[derive(Args)]
#[command(after_help = "\
Inputs:
  w=2.0  n=3:i32  x=[1, 2, 3]  x='linspace(0, 1, 5)'    any expression; numbers alone are f32
  x=@x.npy  x=@data.npz:x  x=@data.csv  x=@data.csv:x   every dtype of jx; CSV files are read as f32

Examples:
  jx run examples/seed/predict.jx
  jx run loss.jx 'jit(vmap(grad(squared_error, wrt=(w, b)), in_axes=(None, None, 0, 0)))' w=2.0 b=1.0 x=@x.npy y=@y.npy
  jx run loss.jx 'squared_error(2.0, 1.0, x, x)' x=3.0
  jx run saved.jxp 0=1.5")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Print one line of JSON for each result, with every element
    #[arg(long)]
    json: bool,
    /// Call twice and print the times of the first call, compilation included, and the second
    #[arg(long)]
    time: bool,
}

pub(crate) fn run(args: &RunArgs) -> Result<(), CliError> {
    match args.target.load()? {
        Loaded::Source(module) => run_source(args, &module),
        Loaded::Program(program) => run_program(args, &program),
    }
}

fn run_source(args: &RunArgs, module: &Module) -> Result<(), CliError> {
    let session = Session::new(module, args.target.device);
    let (expression, inputs) = args.target.split()?;
    if let Some(expression) = expression {
        let inputs = evaluate(&inputs, &session)?;
        let prepared = session.prepare(expression, &inputs)?;
        let outcome = timed(expression, None, args.time, || prepared.call())?;
        return print(args, &outcome);
    }
    if module.runs().len() == 0 {
        let functions: Vec<String> = module.signatures().map(|s| format!("  {s}")).collect();
        let functions = functions.join("\n");
        return Err(CliError::NothingToRun { path: args.target.path().to_owned(), functions });
    }
    if let Some((name, _)) = inputs.first() {
        return Err(CliError::Argument { argument: name.clone() });
    }
    for (i, run) in module.runs().enumerate() {
        let progress = Progress::start(&run.label);
        let prepared = session.prepare_run(i)?;
        drop(progress);
        let outcome = timed(&run.label, Some(run.label.clone()), run.timed || args.time, || prepared.call())?;
        print(args, &outcome)?;
    }
    Ok(())
}

fn run_program(args: &RunArgs, program: &Program) -> Result<(), CliError> {
    let (expression, inputs) = args.target.split()?;
    if expression.is_some() {
        return Err(CliError::NoExpression { path: args.target.path().to_owned() });
    }
    let empty = Module::parse("", "<inputs>")?;
    let session = Session::new(&empty, args.target.device);
    let inputs = program_inputs(program, &evaluate(&inputs, &session)?)?;
    let names = program.paths().iter().map(|p| p.trim_start_matches("argument "));
    let arrays = inputs.into_iter().zip(names).map(|(input, name)| match input {
        Input::Array(array) => Ok(array),
        Input::Type(ty) => Err(CliError::NoValue { name: name.to_owned(), ty }),
    });
    let arrays = arrays.collect::<Result<Vec<Array>, _>>()?;
    let mut compiled = None;
    let outcome = timed(args.target.path(), None, args.time, || {
        let compiled = match &compiled {
            Some(compiled) => compiled,
            None => compiled.insert(program.compile(args.target.device)?),
        };
        let results = compiled.call(arrays.clone())?;
        let mut results: Vec<Nested<Array>> = results.into_iter().map(Nested::Leaf).collect();
        Ok::<_, CliError>(if results.len() == 1 { results.remove(0) } else { Nested::Tuple(results) })
    })?;
    print(args, &outcome)
}

/// The result of a call, made twice if it is to be timed.
fn timed<E: Into<CliError>>(
    what: &str,
    label: Option<String>,
    time: bool,
    mut call: impl FnMut() -> Result<Nested<Array>, E>,
) -> Result<Outcome, CliError> {
    let _progress = Progress::start(what);
    let mut clock = || {
        let start = Instant::now();
        let value = call().map_err(Into::into)?;
        Ok::<_, CliError>((value, start.elapsed()))
    };
    let (value, first) = clock()?;
    if !time {
        return Ok(Outcome { label, value, times: None });
    }
    let (value, second) = clock()?;
    Ok(Outcome { label, value, times: Some((first, second)) })
}

fn print(args: &RunArgs, outcome: &Outcome) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    if args.json {
        outcome.print_json(&mut out)?
    } else {
        outcome.print(&mut out)?
    }
    out.flush()?;
    Ok(())
}
