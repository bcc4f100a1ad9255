//! What a command works on: a file, an expression of its functions, and inputs.

use crate::error::CliError;
use crate::input::{self, Given};
use clap::Args;
use jx::source::{Input, Module, Nested, Session};
use jx::{Device, Program, TensorType};
use std::fs::File;
use std::io::Read;

/// The arguments that say what to work on.
#[derive(Args)]
pub(crate) struct TargetArgs {
    /// A source file (.jx), a program in text form (it starts with `func`), or a saved program (.jxp)
    file: String,
    /// An expression of the file's functions, then inputs: name=value, name=@file.npy, `name:f32[3]`
    #[arg(value_name = "EXPR | NAME=VALUE")]
    arguments: Vec<String>,
    /// Where to run: interpreter, ndarray, wgpu or cuda (see `jx devices`)
    #[arg(long, default_value_t = Device::default())]
    pub(crate) device: Device,
}

/// The expression, if there is one, and the inputs by name.
type Arguments<'a> = (Option<&'a str>, Vec<(String, Given)>);

/// A file, read.
pub(crate) enum Loaded {
    /// Functions, values and what to run.
    Source(Module),
    /// One program.
    Program(Box<Program>),
}

impl TargetArgs {
    pub(crate) fn path(&self) -> &str {
        &self.file
    }

    /// The expression, if there is one, and the inputs.
    pub(crate) fn split(&self) -> Result<Arguments<'_>, CliError> {
        let mut expression = None;
        let mut inputs = Vec::new();
        for argument in &self.arguments {
            match input::parse(argument) {
                Some(input) => inputs.push(input),
                None if expression.is_none() && inputs.is_empty() => expression = Some(argument.as_str()),
                None => return Err(CliError::Argument { argument: argument.clone() }),
            }
        }
        Ok((expression, inputs))
    }

    /// The file, told apart by how it begins.
    pub(crate) fn load(&self) -> Result<Loaded, CliError> {
        let path = &self.file;
        let mut start = [0; 3];
        if let Ok(mut file) = File::open(path)
            && file.read_exact(&mut start).is_ok()
            && &start == b"JXP"
        {
            return Ok(Loaded::Program(Box::new(Program::load(path)?)));
        }
        if let Ok(text) = std::fs::read_to_string(path)
            && is_text_form(&text)
        {
            let func = text.parse::<jx_ir::Func>();
            let func = func.map_err(|why| CliError::Program { path: path.clone(), why: why.to_string() })?;
            return Ok(Loaded::Program(Box::new(Program::from(func))));
        }
        Ok(Loaded::Source(Module::load(path)?))
    }
}

/// Whether a text is a program in text form: its first word is `func`.
fn is_text_form(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start).filter(|l| !l.is_empty() && !l.starts_with("//"));
    lines.next().is_some_and(|l| l.strip_prefix("func").is_some_and(|rest| rest.starts_with([' ', '('])))
}

/// The values of the inputs, as expressions of a session.
pub(crate) fn evaluate(
    inputs: &[(String, Given)],
    session: &Session<'_>,
) -> Result<Vec<(String, Nested<Input>)>, CliError> {
    inputs.iter().map(|(name, given)| Ok((name.clone(), input::evaluate(name, given, session)?))).collect()
}

/// The inputs of a program in order, by the paths of its arguments: `w`, `0`, `0.1`.
pub(crate) fn program_inputs(program: &Program, inputs: &[(String, Nested<Input>)]) -> Result<Vec<Input>, CliError> {
    let names: Vec<&str> = program.paths().iter().map(|p| p.trim_start_matches("argument ")).collect();
    let unknown: Vec<String> =
        inputs.iter().map(|(n, _)| n).filter(|n| !names.contains(&n.as_str())).cloned().collect();
    let mut values = Vec::new();
    let mut missing = Vec::new();
    for name in &names {
        match inputs.iter().find(|(n, _)| n == name) {
            Some((_, Nested::Leaf(value))) => values.push(value.clone()),
            Some((_, Nested::Tuple(_))) | None => missing.push((*name).to_owned()),
        }
    }
    if missing.is_empty() && unknown.is_empty() {
        return Ok(values);
    }
    let types: &[TensorType] = program.func().input_types();
    let all: Vec<String> = names.iter().zip(types).map(|(name, ty)| format!("{name}: {ty}")).collect();
    let all = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    Err(CliError::Inputs { missing, unknown, all })
}
