//! What can go wrong, and how it is told: the operation, the operands as the user wrote them, where
//! each was made, and the transformations around it.

use crate::tree::PrefixError;
use jx_backends::BackendError;
use jx_ir::{DType, Loc, TensorType, TypeError};
use jx_opt::OptError;
use std::fmt;

/// An operand of the operation that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its type as the user sees it; axes that a `vmap` maps are not part of it.
    pub ty: TensorType,
    /// What made it: an argument's path or an operation.
    pub made_by: String,
    /// Where that operation was written.
    pub place: Option<Loc>,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A primitive does not take such operands.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// Two shapes do not broadcast.
    #[error(
        "{op}: shapes {lhs} and {rhs} do not broadcast: axis {axis} from the right has extents {left} and {right}; \
             extents must be equal or 1"
    )]
    Broadcast {
        /// The operation.
        op: &'static str,
        /// The first operand.
        lhs: TensorType,
        /// The second operand.
        rhs: TensorType,
        /// The axis, counted from the right, from 1.
        axis: usize,
        /// The first operand's extent there.
        left: usize,
        /// The second operand's extent there.
        right: usize,
    },
    /// Operands of different dtypes; jx does not promote silently.
    #[error("{op}: operands are {lhs} and {rhs}; jx does not convert between dtypes by itself: use `.astype(DType::{})` on one of them", variant_name(*.rhs_dtype))]
    DTypes {
        /// The operation.
        op: &'static str,
        /// The first operand.
        lhs: TensorType,
        /// The second operand.
        rhs: TensorType,
        /// The second operand's dtype.
        rhs_dtype: DType,
    },
    /// A Rust number that the tensor's dtype cannot hold.
    #[error("{op}: the number {value} is not a {dtype}; convert the tensor with `.astype(..)` first")]
    ScalarValue {
        /// The operation.
        op: &'static str,
        /// The number.
        value: String,
        /// The tensor's dtype.
        dtype: DType,
    },
    /// An axis out of range.
    #[error("{op}: axis {axis} is out of range for {operand} (rank {}); axes go from {} to {}", operand.rank(), -(operand.rank() as i64), operand.rank() as i64 - 1)]
    Axis {
        /// The operation.
        op: &'static str,
        /// The axis as given.
        axis: i64,
        /// The operand.
        operand: TensorType,
    },
    /// A parameter that does not fit.
    #[error("{op}: {message}")]
    Param {
        /// The operation.
        op: &'static str,
        /// What does not fit, and what would.
        message: String,
    },
    /// A tensor was used after the trace that made it had ended.
    #[error("{op}: this tensor was made while tracing {}, which has ended; return it from that function instead of storing it", ended_trace(.ended))]
    Leaked {
        /// The operation that used it.
        op: &'static str,
        /// The trace that has ended, if it is still known.
        ended: Option<(&'static str, Loc)>,
    },
    /// A tensor that an earlier, failed call left behind.
    #[error("{op}: this tensor is the result of an operation that failed in an earlier call")]
    Poisoned {
        /// The operation that used it.
        op: &'static str,
    },
    /// An operation on tensors outside any traced function.
    #[error("{op}: there is no open trace; tensors exist only inside a function given to `jit` or `eager`")]
    NoTrace {
        /// The operation.
        op: &'static str,
    },
    /// Axes that are no prefix of the arguments' tree.
    #[error("vmap: {which} does not fit: {why}")]
    AxesPrefix {
        /// `in_axes` or `out_axes`.
        which: &'static str,
        /// Where and why.
        why: PrefixError,
    },
    /// A mapped axis that a leaf does not have.
    #[error("vmap: {which} = {axis} is out of range for {path}, which is {ty}")]
    MappedAxis {
        /// `in_axes` or `out_axes`.
        which: &'static str,
        /// The axis as given.
        axis: i64,
        /// The leaf.
        path: String,
        /// Its type.
        ty: TensorType,
    },
    /// Two leaves mapped over axes of different sizes.
    #[error("vmap: mapped axes must have one size, but\n  {} (axis {}) has size {}\n  {} (axis {}) has size {}", first.0, first.1, first.2, second.0, second.1, second.2)]
    MapSizes {
        /// Leaf, axis and size that came first.
        first: (String, usize, usize),
        /// Leaf, axis and size that differ.
        second: (String, usize, usize),
    },
    /// A vmap that maps nothing.
    #[error(
        "vmap: no argument is mapped; give at least one leaf an axis in in_axes, or the size with `axes(..).size(n)`"
    )]
    NothingMapped,
    /// An output said to be common to all examples that is not.
    #[error("vmap: out_axes is None for {path}, but it depends on a mapped argument; give it an axis")]
    OutAxisNone {
        /// The output leaf.
        path: String,
    },
    /// The gradient of something other than a float scalar.
    #[error(
        "{transform}: the function must return a float scalar, but it returns {found}; reduce it first (`.sum()`, `.mean()`), or use `jacrev`, `jacfwd` or `vjp`"
    )]
    GradOfNonScalar {
        /// `grad` or `value_and_grad`.
        transform: &'static str,
        /// The type of the result.
        found: TensorType,
    },
    /// Differentiation with respect to something other than a float.
    #[error(
        "{transform}: {path} is {ty}, and only floats have derivatives; convert it before the call, or leave it out with argnums"
    )]
    WrtNotFloat {
        /// The transformation.
        transform: &'static str,
        /// The leaf.
        path: String,
        /// Its type.
        ty: TensorType,
    },
    /// Two trees that must correspond leaf for leaf do not.
    #[error("{transform}: {left} and {right} must have the same leaves, but {detail}")]
    TreeMismatch {
        /// The transformation.
        transform: &'static str,
        /// What one tree is.
        left: &'static str,
        /// What the other is.
        right: &'static str,
        /// The first difference.
        detail: String,
    },
    /// An array that cannot be made or read.
    #[error("{0}")]
    Array(#[from] jx_ir::ArrayError),
    /// A Rust type that is not the array's dtype was asked for.
    #[error(
        "the array is {found}, not {asked}; convert it inside a function with `.astype(..)`, or ask for the right type"
    )]
    ElementType {
        /// The dtype asked for.
        asked: DType,
        /// The array's type.
        found: TensorType,
    },
    /// A transformation or optimisation that cannot be done.
    #[error(transparent)]
    Opt(#[from] OptError),
    /// A device that refuses or fails.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A file that cannot be read or written.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// A `.jx` source file or expression that does not parse or does not fit its arguments.
    #[error(transparent)]
    Source(#[from] Box<crate::source::SourceError>),
}

fn ended_trace(ended: &Option<(&'static str, Loc)>) -> String {
    match ended {
        Some((transform, loc)) => format!("the `{transform}` at {loc}"),
        None => "another function".to_owned(),
    }
}

fn variant_name(dtype: DType) -> String {
    dtype.name().to_uppercase()
}

/// An error of jx: what went wrong, where the user wrote it, on what, and inside which transformations.
///
/// ```
/// use jx::prelude::*;
/// let f = jit(|x: Tensor, y: Tensor| x + y);
/// let error = f.call(([1.0_f32, 2.0], [1.0_f32, 2.0, 3.0])).unwrap_err();
/// assert!(error.to_string().contains("shapes f32[2] and f32[3] do not broadcast"));
/// assert!(error.place().is_some());
/// ```
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    place: Option<Loc>,
    operands: Vec<Operand>,
    scopes: Vec<(&'static str, Loc)>,
}

impl Error {
    pub(crate) fn new(
        kind: ErrorKind,
        place: Option<Loc>,
        operands: Vec<Operand>,
        scopes: Vec<(&'static str, Loc)>,
    ) -> Error {
        Error(Box::new(Inner { kind, place, operands, scopes }))
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where the user wrote the operation.
    #[must_use]
    pub fn place(&self) -> Option<&Loc> {
        self.0.place.as_ref()
    }

    /// The operands, and where each was made.
    #[must_use]
    pub fn operands(&self) -> &[Operand] {
        &self.0.operands
    }

    /// The transformations around the operation, outermost first, each with its place.
    #[must_use]
    pub fn scopes(&self) -> &[(&'static str, Loc)] {
        &self.0.scopes
    }
}

impl Error {
    /// The fault of a source file that this error carries, or else itself.
    pub(crate) fn into_source(self) -> Result<Box<crate::source::SourceError>, Error> {
        let Inner { kind, place, operands, scopes } = *self.0;
        if let ErrorKind::Source(error) = kind {
            return Ok(error);
        }
        Err(Error::new(kind, place, operands, scopes))
    }

    /// The operands and the transformations around the operation, a line each.
    pub(crate) fn fmt_context(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, operand) in self.0.operands.iter().enumerate() {
            write!(f, "\n  operand {i}: {}, {}", operand.ty, operand.made_by)?;
            if let Some(place) = &operand.place {
                write!(f, " at {place}")?;
            }
        }
        for (transform, place) in self.0.scopes.iter().rev() {
            write!(f, "\n  in {transform} at {place}")?;
        }
        Ok(())
    }
}

impl<K: Into<ErrorKind>> From<K> for Error {
    fn from(kind: K) -> Error {
        Error::new(kind.into(), None, Vec::new(), Vec::new())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind)?;
        if let Some(place) = &self.0.place {
            write!(f, "\n  at {place}")?;
        }
        self.fmt_context(f)
    }
}

impl std::error::Error for Error {}
