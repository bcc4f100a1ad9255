//! `jx show`: prints a program in its stages.

use crate::error::CliError;
use crate::target::{Loaded, TargetArgs, evaluate};
use clap::{Args, ValueEnum};
use jx::Program;
use jx::source::Session;
use std::io::Write;

/// Options of `jx show`.
#[derive(Args)]
#[command(after_help = "\
Inputs may be values, as for `jx run`, or only types: x:f32[5].

Example:
  jx show loss.jx 'grad(squared_error, wrt=w)' w:f32[] b:f32[] x:f32[5] y:f32[5] --stage optimized")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// The stage to print; by default all of them
    #[arg(long)]
    stage: Option<Stage>,
}

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// As traced, transformations as nodes
    Source,
    /// With every transformation expanded
    Expanded,
    /// As it is compiled
    Optimized,
}

impl Stage {
    const ALL: [Stage; 3] = [Stage::Source, Stage::Expanded, Stage::Optimized];

    fn title(self) -> &'static str {
        match self {
            Stage::Source => "source",
            Stage::Expanded => "expanded",
            Stage::Optimized => "optimized",
        }
    }
}

pub(crate) fn show(args: &ShowArgs) -> Result<(), CliError> {
    let (expression, inputs) = args.target.split()?;
    let module = match args.target.load()? {
        Loaded::Program(_) if expression.is_some() => {
            return Err(CliError::NoExpression { path: args.target.path().to_owned() });
        }
        Loaded::Program(program) => return print(args, &program),
        Loaded::Source(module) => module,
    };
    let session = Session::new(&module, args.target.device);
    if let Some(expression) = expression {
        let inputs = evaluate(&inputs, &session)?;
        return print(args, &session.prepare(expression, &inputs)?.program()?);
    }
    if module.runs().len() == 0 {
        let functions: Vec<String> = module.signatures().map(|s| format!("  {s}")).collect();
        let functions = functions.join("\n");
        return Err(CliError::NothingToRun { path: args.target.path().to_owned(), functions });
    }
    for (i, run) in module.runs().enumerate() {
        writeln!(std::io::stdout(), "// {}", run.label)?;
        print(args, &session.prepare_run(i)?.program()?)?;
    }
    Ok(())
}

fn print(args: &ShowArgs, program: &Program) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    for stage in Stage::ALL {
        if args.stage.is_some_and(|s| s != stage) {
            continue;
        }
        let func = match stage {
            Stage::Source => program.func().clone(),
            Stage::Expanded => program.expanded()?,
            Stage::Optimized => program.optimized()?,
        };
        // A comment of the text form, so that what is printed reads back.
        writeln!(out, "// {}: {} equations", stage.title(), func.n_eqns_deep())?;
        writeln!(out, "{}", func.to_string().trim_end())?;
        if args.stage.is_none() && stage != Stage::Optimized {
            writeln!(out)?;
        }
    }
    Ok(())
}
