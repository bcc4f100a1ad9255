//! Source files for people: functions in expression form.

mod error;
mod lexer;
mod text;

pub use error::{SourceError, SourceFault, Suggestions};
