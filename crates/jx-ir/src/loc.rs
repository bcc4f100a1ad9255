//! Source places: where in the user's program an equation was written.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

/// A place in the user's source: file, line and column, both from 1. Prints as `file:line:column`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Loc {
    /// The file as the compiler or the loader names it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Loc {
    /// The place that `#[track_caller]` reports.
    #[must_use]
    pub fn from_caller(place: &Location<'_>) -> Loc {
        Loc { file: Arc::from(place.file()), line: place.line(), column: place.column() }
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// An optional [`Loc`] that takes no part in comparison or hashing: where a program was written
/// never makes it a different program. All values are equal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origin(pub Option<Loc>);

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}
impl Eq for Origin {}
impl PartialOrd for Origin {
    fn partial_cmp(&self, other: &Origin) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Origin {
    fn cmp(&self, _: &Origin) -> Ordering {
        Ordering::Equal
    }
}
impl Hash for Origin {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
