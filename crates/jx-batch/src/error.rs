//! Why a program cannot be batched.

use jx_ir::TypeError;

/// Why a program cannot be batched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The axes or the size do not fit the program, or a batch of some tensor is too large to address.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// The program holds a transformation that was not expanded.
    #[error(
        "vmap: the program still holds a `{prim}` node; expand the transformations inside it first, from the innermost out"
    )]
    Unexpanded {
        /// The node's name: `vmap`, `grad` or `jvp`.
        prim: &'static str,
    },
}
