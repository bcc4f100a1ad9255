//! Inputs on the command line: `name=value`, `name=@file`, `name:type`.

use crate::error::CliError;
use crate::files;
use jx::Array;
use jx::source::{Input, Nested, Session, parse_type};

/// An input as it stands on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// `x=[1, 2]`, an expression of the file.
    Expression(String),
    /// `x=@x.npy`, `x=@data.npz:x`.
    File { path: String, name: Option<String> },
    /// `x:f32[3]`.
    Type(String),
}

/// The input that an argument is; `None` for an expression.
pub(crate) fn parse(argument: &str) -> Option<(String, Given)> {
    let end = argument.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.' || c == '%'))?;
    let (name, rest) = argument.split_at(end);
    if name.is_empty() {
        return None;
    }
    let name = name.trim_start_matches('%').to_owned();
    if let Some(ty) = rest.strip_prefix(':') {
        return Some((name, Given::Type(ty.trim().to_owned())));
    }
    let value = rest.strip_prefix('=').filter(|v| !v.starts_with('='))?;
    let Some(file) = value.strip_prefix('@') else { return Some((name, Given::Expression(value.to_owned()))) };
    // The last colon that something follows parts the file from the array in it.
    let (path, part) = match file.rsplit_once(':') {
        Some((path, part)) if !part.is_empty() && !part.contains(['/', '\\']) => (path, Some(part.to_owned())),
        Some(_) | None => (file, None),
    };
    Some((name, Given::File { path: path.to_owned(), name: part }))
}

/// The value of an input, or its type.
pub(crate) fn evaluate(name: &str, given: &Given, session: &Session<'_>) -> Result<Nested<Input>, CliError> {
    let value = |why| CliError::Value { name: name.to_owned(), why };
    match given {
        Given::Expression(text) => {
            let arrays = session.evaluate(text).map_err(value)?;
            Ok(arrays.map_with(&mut |a: &Array| Input::Array(a.clone())))
        }
        Given::File { path, name: part } => {
            let array = files::read(path, part.as_deref()).map_err(|why| {
                let (name, path, why) = (name.to_owned(), path.clone(), why.to_string());
                CliError::Data { name, path, why }
            })?;
            Ok(Nested::Leaf(Input::Array(Array::from(array))))
        }
        Given::Type(text) => Ok(Nested::Leaf(Input::Type(parse_type(text).map_err(value)?))),
    }
}
