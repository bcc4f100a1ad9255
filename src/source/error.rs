//! What can be wrong with a source file, and how it is drawn: the message, the place, the line and a caret.

use super::text::SourceText;
use crate::{DType, TensorType};
use jx_ir::Loc;
use std::fmt;

/// What is wrong with a source file, an expression, or what they were given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceFault {
    /// Something else stands where the grammar wants this.
    #[error("expected {expected}, but found {found}")]
    Expected {
        /// What could stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A character that starts no token.
    #[error("the character {found:?} has no meaning here")]
    Character {
        /// The character.
        found: char,
    },
    /// A text without its closing quote.
    #[error("this text is never closed; a text is written in one line, between two `\"`")]
    OpenText,
    /// A number that cannot be read.
    #[error("{text} is not a number that can be represented")]
    Number {
        /// The number as written.
        text: String,
    },
    /// An expression nested beyond the limit.
    #[error("this is nested more than {limit} levels deep; name its parts with `let`")]
    Depth {
        /// The limit.
        limit: usize,
    },
    /// A name that is defined twice.
    #[error("`{name}` is defined twice; it was defined first at {first}")]
    Redefined {
        /// The name.
        name: String,
        /// Its first place.
        first: Loc,
    },
    /// A name that nothing has.
    #[error("there is no {what} `{name}`{}", advice(.suggestions))]
    Unknown {
        /// Function, value or argument.
        what: &'static str,
        /// The name.
        name: String,
        /// Names to choose from, the likely ones.
        suggestions: Suggestions,
    },
    /// Something applied that is no function.
    #[error("this is {found}, not a function, and cannot be applied")]
    NotAFunction {
        /// What it is.
        found: String,
    },
    /// A call with another number of arguments than the function has parameters.
    #[error("`{function}` takes {}, but {found} {} given", parameters(*.least, *.most, .signature), if *.found == 1 { "is" } else { "are" })]
    ArgumentCount {
        /// The function.
        function: String,
        /// How many at least.
        least: usize,
        /// How many at most.
        most: usize,
        /// The parameters as they are written.
        signature: String,
        /// How many came.
        found: usize,
    },
    /// A parameter without a value.
    #[error("`{function}` needs its argument `{name}`: {function}({signature})")]
    MissingArgument {
        /// The function.
        function: String,
        /// The parameter.
        name: String,
        /// The parameters as they are written.
        signature: String,
    },
    /// A parameter given twice, by position and by name.
    #[error("`{function}` is given `{name}` twice")]
    DuplicateArgument {
        /// The function.
        function: String,
        /// The parameter.
        name: String,
    },
    /// An argument of the wrong kind.
    #[error("`{function}`: {argument} must be {expected}, but it is {found}")]
    ArgumentKind {
        /// The function or operator.
        function: String,
        /// The argument.
        argument: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// An argument whose type is not the one that the function declares.
    #[error("`{function}` declares {parameter}: {declared}, but the argument is {found}")]
    ArgumentType {
        /// The function.
        function: String,
        /// The parameter.
        parameter: String,
        /// The declared type.
        declared: TensorType,
        /// The argument's type.
        found: TensorType,
    },
    /// A tuple taken apart into another number of parts.
    #[error("{}the pattern {pattern} has {expected} parts, but the value is {found}", function.as_ref().map(|f| format!("`{f}`: ")).unwrap_or_default())]
    Pattern {
        /// The function whose parameter it is, if it is one.
        function: Option<String>,
        /// The pattern as written.
        pattern: String,
        /// How many parts it has.
        expected: usize,
        /// What the value is.
        found: String,
    },
    /// A part that a tuple does not have.
    #[error("this is {found}, which has no part `.{part}`")]
    NoPart {
        /// The value.
        found: String,
        /// The part.
        part: String,
    },
    /// A value that must be a tensor but is not one.
    #[error("this is {found}, and a tensor is needed here")]
    NotATensor {
        /// What it is.
        found: String,
    },
    /// A list that is no rectangular array.
    #[error("the rows of this list differ in shape; an array has rows of one shape")]
    Ragged,
    /// A number that a dtype cannot hold.
    #[error("{value} is not a value of {dtype}")]
    NumberRange {
        /// The number.
        value: String,
        /// The dtype.
        dtype: DType,
    },
    /// A `wrt` that names no parameter.
    #[error("{transform}: `{name}` is no parameter of `{function}`; its parameters are {parameters}")]
    Wrt {
        /// The transformation.
        transform: &'static str,
        /// The name or number.
        name: String,
        /// The function.
        function: String,
        /// The parameters as written.
        parameters: String,
    },
    /// A function whose result is not the single scalar that a gradient is of.
    #[error(
        "{transform}: the function must return one scalar, but it returns {found}; with has_aux=true it may return a tuple of a scalar and anything else"
    )]
    GradResult {
        /// `grad` or `value_and_grad`.
        transform: &'static str,
        /// What it returns.
        found: String,
    },
    /// Calls of the file's functions nested beyond the limit: a recursion.
    #[error(
        "calls are nested more than {limit} deep ({chain}); a function may not call itself, since there is nothing to end it"
    )]
    Recursion {
        /// The limit.
        limit: usize,
        /// The innermost functions.
        chain: String,
    },
    /// An input that the function has no parameter for, or that is missing.
    #[error("`{function}` {}; its inputs are {parameters}", inputs(.missing, .unknown))]
    Inputs {
        /// The function.
        function: String,
        /// The inputs that have no value.
        missing: Vec<String>,
        /// The values that belong to no input.
        unknown: Vec<String>,
        /// All inputs.
        parameters: String,
    },
    /// A program that was given types only, where values are needed to run it.
    #[error("the input `{name}` has only a type, {ty}; give it a value to run the program")]
    NoValue {
        /// The input.
        name: String,
        /// Its type.
        ty: TensorType,
    },
    /// A function where a value is needed.
    #[error("this is the function `{function}`; apply it to arguments")]
    Unapplied {
        /// The function.
        function: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// A mistake that tracing or running found.
    #[error("{}", .0.kind())]
    Run(Box<crate::Error>),
}

/// What may have been meant, and what there is to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestions {
    /// The name that is closest, if one is close.
    pub closest: Option<String>,
    /// All names there are; empty where they would be too many to list.
    pub all: Vec<String>,
}

fn advice(suggestions: &Suggestions) -> String {
    match (&suggestions.closest, &suggestions.all[..]) {
        (Some(name), _) => format!("; did you mean `{name}`?"),
        (None, []) => String::new(),
        (None, all) => format!("; there are {}", all.join(", ")),
    }
}

fn parameters(least: usize, most: usize, signature: &str) -> String {
    let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let noun = if most == 1 { "argument" } else { "arguments" };
    format!("{count} {noun} ({signature})")
}

fn inputs(missing: &[String], unknown: &[String]) -> String {
    let list = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    match (missing, unknown) {
        (missing, []) => format!("has no value for {}", list(missing)),
        ([], unknown) => format!("has no input {}", list(unknown)),
        (missing, unknown) => format!("has no input {}, and no value for {}", list(unknown), list(missing)),
    }
}

/// An error in a source file: what is wrong, where, and the line there.
#[derive(Debug)]
pub struct SourceError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    fault: SourceFault,
    loc: Option<Loc>,
    /// The line of the place, and how many columns the caret marks.
    excerpt: Option<(String, usize)>,
}

impl SourceError {
    pub(super) fn new(fault: SourceFault, loc: &Loc) -> SourceError {
        SourceError(Box::new(Inner { fault, loc: Some(loc.clone()), excerpt: None }))
    }

    /// An error that has no place in a source file.
    pub(super) fn nowhere(fault: SourceFault) -> SourceError {
        SourceError(Box::new(Inner { fault, loc: None, excerpt: None }))
    }

    /// The error of a call: a fault of a source file that came up while tracing, as itself, or a
    /// mistake that tracing found.
    pub(super) fn from_run(error: crate::Error) -> SourceError {
        match error.into_source() {
            Ok(error) => *error,
            Err(error) => {
                let loc = error.place().cloned();
                SourceError(Box::new(Inner { fault: SourceFault::Run(Box::new(error)), loc, excerpt: None }))
            }
        }
    }

    /// The error with its line drawn, if one of these texts has it.
    pub(super) fn drawn<'t>(mut self, mut texts: impl Iterator<Item = &'t SourceText>) -> SourceError {
        if self.0.excerpt.is_none()
            && let Some(loc) = &self.0.loc
        {
            self.0.excerpt = texts.find(|t| t.name() == &*loc.file).and_then(|t| t.excerpt(loc));
        }
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> &SourceFault {
        &self.0.fault
    }

    /// Where, if it is at a place of a source file.
    #[must_use]
    pub fn place(&self) -> Option<&Loc> {
        self.0.loc.as_ref()
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { fault, loc, excerpt } = &*self.0;
        write!(f, "{fault}")?;
        if let Some(loc) = loc {
            let number = loc.line.to_string();
            let pad = " ".repeat(number.len());
            write!(f, "\n{pad}--> {loc}")?;
            if let Some((line, width)) = excerpt {
                let indent = " ".repeat(loc.column.saturating_sub(1) as usize);
                let carets = "^".repeat(*width);
                write!(f, "\n{pad} |\n{number} | {line}\n{pad} | {indent}{carets}")?;
            }
        }
        if let SourceFault::Run(error) = fault {
            error.fmt_context(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for SourceError {}
