//! Why a text is no program, and where: the offending line is drawn with a caret.

use crate::{ParamError, TensorType, TypeError};
use std::fmt;

/// Why a text is no program, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: Box<ParseFault>,
    /// The line itself, without its end.
    pub source_line: String,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseFault {
    /// Something else should stand there.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A variable that is not defined before its use.
    #[error("%{name} is not defined before this use; a function sees its own variables only")]
    Undefined {
        /// Its name.
        name: String,
    },
    /// A variable defined twice in one function.
    #[error("%{name} is defined already; each variable is defined once")]
    Redefined {
        /// Its name.
        name: String,
    },
    /// An operation or parameter that there is not.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// An operation that refuses its operands.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// A number of results named that is not the operation's.
    #[error("{prim} gives {}, but {found} named", plural(*expected, "result"), found = if *found == 1 { "1 is".to_owned() } else { format!("{found} are") })]
    ResultCount {
        /// The operation.
        prim: &'static str,
        /// How many results it has.
        expected: usize,
        /// How many are named.
        found: usize,
    },
    /// A type given to a result that is not the inferred one.
    #[error("%{name} is declared {declared}, but {prim} gives {inferred}")]
    DeclaredType {
        /// The variable's name.
        name: String,
        /// The operation.
        prim: &'static str,
        /// The type given to it.
        declared: TensorType,
        /// The type that it has.
        inferred: TensorType,
    },
    /// Result types of a function that are not those of what it returns.
    #[error("the function is declared to return ({declared}), but it returns ({returned})")]
    DeclaredOutputs {
        /// The types declared.
        declared: String,
        /// The types returned.
        returned: String,
    },
    /// A number that its dtype does not have.
    #[error("{literal} is not a value of {dtype}")]
    NotAValue {
        /// The number as written.
        literal: String,
        /// The dtype.
        dtype: crate::DType,
    },
    /// A type whose elements memory could not address.
    #[error("{ty} has too many elements to address")]
    TooLarge {
        /// The type.
        ty: TensorType,
    },
    /// An array whose elements are not as many as its type says.
    #[error("{ty} takes {}, but {}", plural(ty.n_elements(), "element"), if *found > ty.n_elements() { "more are given".to_owned() } else { format!("{found} are given") })]
    ElementCount {
        /// The type.
        ty: TensorType,
        /// How many elements are given; no more are read than one too many.
        found: usize,
    },
    /// Functions nested deeper than any program needs.
    #[error("functions are nested more than {limit} deep")]
    TooDeep {
        /// The greatest depth.
        limit: usize,
    },
}

fn plural(n: usize, noun: &str) -> String {
    if n == 1 { format!("{n} {noun}") } else { format!("{n} {noun}s") }
}

/// How many characters of a line are drawn.
const DRAWN: usize = 120;

impl ParseError {
    /// The fault at byte `offset` of `text`.
    pub(super) fn at(text: &str, offset: usize, fault: ParseFault) -> ParseError {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let source_line = text[line_start..].lines().next().unwrap_or_default();
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            fault: Box::new(fault),
            source_line: source_line.to_owned(),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError { line, column, fault, source_line } = self;
        writeln!(f, "line {line}, column {column}: {fault}")?;
        // Of a long line only the surroundings of the fault are drawn. Control characters, tabs
        // included, are drawn as one blank each, so that the caret stands where it should.
        let skipped = if *column > DRAWN { column - DRAWN / 2 } else { 0 };
        let visible = |c: char| if c.is_control() { ' ' } else { c };
        let drawn: String = source_line.chars().skip(skipped).take(DRAWN).map(visible).collect();
        let gutter = line.to_string();
        writeln!(f, "  {gutter} | {drawn}")?;
        write!(f, "  {:w$} | {:c$}^", "", "", w = gutter.len(), c = column - 1 - skipped)
    }
}

impl std::error::Error for ParseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.fault)
    }
}
