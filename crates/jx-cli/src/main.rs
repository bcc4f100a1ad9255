//! The command `jx`: runs, shows and checks programs. One file a subcommand.

mod conformance;
mod devices;
mod error;
mod files;
mod input;
mod output;
mod progress;
mod run;
mod show;
mod target;

use clap::{Parser, Subcommand};
use error::CliError;
use std::process::ExitCode;

/// Composable function transformations: run, differentiate, vectorise and compile array programs.
///
/// Exit codes: 0 success, 1 the program or its input is wrong, 2 the command line is wrong.
#[derive(Parser)]
#[command(name = "jx", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program and print its results.
    ///
    /// Without an expression a source file's own `run` statements are computed and printed. An expression
    /// is a function of the file, transformed or not, which is applied to the inputs by the names of its
    /// parameters; or any other expression, in which the inputs are known by name. What is inside an
    /// outermost `jit(..)` is compiled; all else runs operation by operation.
    Run(run::RunArgs),
    /// Print a program before expansion, after it, and optimised.
    Show(show::ShowArgs),
    /// List the devices that programs can run on.
    Devices(devices::DevicesArgs),
    /// Run JAX's own primitive harnesses and count what agrees.
    Conformance(conformance::ConformanceArgs),
}

/// Tracing nests as deep as the program does; the limits on its depth are set for a stack of this size.
const STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let work = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || dispatch(cli.command));
    let result = match work {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(why) => Err(CliError::Thread(why)),
    };
    match result {
        Ok(code) => code,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(why.exit_code())
        }
    }
}

fn dispatch(command: Command) -> Result<ExitCode, CliError> {
    match command {
        Command::Run(args) => run::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Show(args) => show::show(&args).map(|()| ExitCode::SUCCESS),
        Command::Devices(args) => devices::list(&args).map(|()| ExitCode::SUCCESS),
        Command::Conformance(args) => conformance::run(&args, &mut std::io::stdout().lock()),
    }
}
