//! What can go wrong in a command, and its exit code.

use jx::TensorType;
use jx::source::SourceError;
use jx_testkit::conformance::ReadError;

/// Why a command fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A source file or an expression is wrong, or what it computes.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A program is wrong, or the device fails.
    #[error(transparent)]
    Jx(#[from] jx::Error),
    /// A file that is no program.
    #[error("{path}: {why}")]
    Program {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// A file of values that cannot be read.
    #[error("{name}: cannot read {path}: {why}")]
    Data {
        /// The input.
        name: String,
        /// The file.
        path: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// An input whose value does not evaluate.
    #[error("input {name}: {why}")]
    Value {
        /// The input.
        name: String,
        /// What is wrong.
        why: SourceError,
    },
    /// Inputs that a program does not have, or lacks.
    #[error("the program {}; its inputs are {all}", mismatch(.missing, .unknown))]
    Inputs {
        /// The inputs without a value.
        missing: Vec<String>,
        /// The values that belong to no input.
        unknown: Vec<String>,
        /// All inputs with their types.
        all: String,
    },
    /// An input given as a type where a value is needed.
    #[error("the input {name} has only a type, {ty}; give it a value to run the program: {name}=…")]
    NoValue {
        /// The input.
        name: String,
        /// Its type.
        ty: TensorType,
    },
    /// An argument that is neither an expression nor an input.
    #[error("{argument:?} is no input; write name=value, name=@file.npy or, to show a program, name:f32[3]")]
    Argument {
        /// The argument.
        argument: String,
    },
    /// A file with functions only, and no word on which to run.
    #[error("{path} says nothing to run; name one of its functions, or write an expression of them:\n{functions}")]
    NothingToRun {
        /// The file.
        path: String,
        /// Its functions, a line each.
        functions: String,
    },
    /// Expressions only go with source files.
    #[error("{path} is one program, not a source file: it takes inputs, but no expression")]
    NoExpression {
        /// The file.
        path: String,
    },
    /// A folder without conformance cases, or one that cannot be read.
    #[error(transparent)]
    Conformance(#[from] ReadError),
    /// A group of conformance cases that is not there.
    #[error("there is no group {group:?}; the groups are {}", known.join(", "))]
    NoGroup {
        /// The group as given.
        group: String,
        /// All groups.
        known: Vec<String>,
    },
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

fn mismatch(missing: &[String], unknown: &[String]) -> String {
    let list = |names: &[String]| names.join(", ");
    match (missing, unknown) {
        (missing, []) => format!("has no value for {}", list(missing)),
        ([], unknown) => format!("has no input {}", list(unknown)),
        (missing, unknown) => format!("has no input {} and no value for {}", list(unknown), list(missing)),
    }
}

impl CliError {
    /// 1 for the user's program and data, 2 for the command line.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            CliError::NoGroup { .. }
            | CliError::Argument { .. }
            | CliError::NothingToRun { .. }
            | CliError::NoExpression { .. } => 2,
            CliError::Source(_)
            | CliError::Jx(_)
            | CliError::Program { .. }
            | CliError::Data { .. }
            | CliError::Value { .. }
            | CliError::Inputs { .. }
            | CliError::NoValue { .. }
            | CliError::Conformance(_)
            | CliError::Output(_)
            | CliError::Thread(_) => 1,
        }
    }
}
