//! Why a program cannot be expanded.

use jx_autodiff::AutodiffError;
use jx_batch::BatchError;
use jx_ir::Loc;

/// Why a program cannot be expanded.
#[derive(Debug, thiserror::Error)]
pub enum OptError {
    /// A program that cannot be differentiated.
    #[error("{}{node}: {source}", place(origin.as_ref()))]
    Autodiff {
        /// The transformation: `grad`, `jvp`, `vjp`, `linearize` or `transpose`.
        node: &'static str,
        /// Where the transformation was written, if that is known.
        origin: Option<Loc>,
        /// Why not.
        source: Box<AutodiffError>,
    },
    /// A program that cannot be batched.
    #[error("{}{node}: {source}", place(origin.as_ref()))]
    Batch {
        /// The transformation: `vmap`.
        node: &'static str,
        /// Where the transformation was written, if that is known.
        origin: Option<Loc>,
        /// Why not.
        source: Box<BatchError>,
    },
    /// Functions nested too deep.
    #[error("functions and transformations are nested more than {limit} deep; call fewer of them inside one another")]
    TooDeep {
        /// The greatest depth.
        limit: usize,
    },
    /// A program that grows beyond all use when its calls are inlined.
    #[error("inlined, the program has more than {limit} equations; call the same function in fewer places")]
    TooLong {
        /// The greatest number of equations.
        limit: usize,
    },
}

impl OptError {
    /// Whether a rule is missing that a later version may have, as opposed to a mistake of the caller's.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(self, OptError::Autodiff { source, .. } if matches!(**source, AutodiffError::Unsupported { .. }))
    }

    /// Where the failing transformation was written, if that is known.
    #[must_use]
    pub fn origin(&self) -> Option<&Loc> {
        match self {
            OptError::Autodiff { origin, .. } | OptError::Batch { origin, .. } => origin.as_ref(),
            OptError::TooDeep { .. } | OptError::TooLong { .. } => None,
        }
    }
}

fn place(origin: Option<&Loc>) -> String {
    origin.map_or_else(String::new, |loc| format!("{loc}: "))
}
