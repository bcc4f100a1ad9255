//! Why a primitive refuses its operands.

use crate::{DType, TensorType};

/// Why a primitive refuses its operands: the caller's mistake, with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypeError {
    /// The wrong number of operands.
    #[error("{prim}: takes {expected} operands, but {found} were given")]
    Arity {
        /// The primitive's name.
        prim: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// Two operands whose dtypes must agree do not.
    #[error("{prim}: operand dtypes differ: {lhs} and {rhs}; convert one of them first")]
    DTypeMismatch {
        /// The primitive's name.
        prim: &'static str,
        /// The first operand's type.
        lhs: TensorType,
        /// The other operand's type.
        rhs: TensorType,
    },
    /// Two operands whose shapes must agree do not.
    #[error("{prim}: operand shapes differ: {lhs} and {rhs}; broadcast or reshape one of them first")]
    ShapeMismatch {
        /// The primitive's name.
        prim: &'static str,
        /// The first operand's type.
        lhs: TensorType,
        /// The other operand's type.
        rhs: TensorType,
    },
    /// An operand's dtype is not one that the primitive works on.
    #[error("{prim}: works on {expected}, but the operand is {found}; {advice}")]
    DType {
        /// The primitive's name.
        prim: &'static str,
        /// The dtypes that it works on, in words.
        expected: &'static str,
        /// The operand's type.
        found: TensorType,
        /// What to do instead.
        advice: &'static str,
    },
    /// An axis number beyond the operand's rank.
    #[error("{prim}: axis {axis} is out of range for {operand}, whose axes are {}", axes_of(operand))]
    Axis {
        /// The primitive's name.
        prim: &'static str,
        /// The axis as given.
        axis: usize,
        /// The operand.
        operand: TensorType,
    },
    /// An axis named more than once.
    #[error("{prim}: axis {axis} of {operand} is named twice")]
    DuplicateAxis {
        /// The primitive's name.
        prim: &'static str,
        /// The axis.
        axis: usize,
        /// The operand.
        operand: TensorType,
    },
    /// An operand of the wrong rank.
    #[error("{prim}: {what} must have rank {expected}, but it is {found}")]
    Rank {
        /// The primitive's name.
        prim: &'static str,
        /// Which operand.
        what: &'static str,
        /// The rank that it must have.
        expected: usize,
        /// The operand.
        found: TensorType,
    },
    /// A reshape to another number of elements.
    #[error("reshape: {operand} has {} elements, but the shape {shape:?} has {}", operand.n_elements(), element_count(shape))]
    Reshape {
        /// The operand.
        operand: TensorType,
        /// The shape that was asked for.
        shape: Vec<usize>,
    },
    /// A parameter that does not fit the operands.
    #[error("{prim}: {param} = {found} does not fit {operand}: {rule}")]
    Param {
        /// The primitive's name.
        prim: &'static str,
        /// The parameter's name.
        param: &'static str,
        /// Its value.
        found: String,
        /// The operand that it does not fit.
        operand: TensorType,
        /// What holds for values that fit.
        rule: &'static str,
    },
    /// The result would have more elements than memory can address.
    #[error("{prim}: the result's shape {shape:?} has too many elements to address")]
    TooLarge {
        /// The primitive's name.
        prim: &'static str,
        /// The shape.
        shape: Vec<usize>,
    },
    /// `grad` of a function whose first output is not a float scalar.
    #[error(
        "grad: the function must return a scalar of a float dtype first, but it returns {found}; reduce it (sum, mean), or use jacrev, jacfwd or vjp"
    )]
    GradOfNonScalar {
        /// The type of the first output, or "nothing".
        found: String,
    },
    /// Differentiation with respect to an input that is not float.
    #[error(
        "{prim}: input {index} is {found}, and only float inputs have derivatives; convert it before the call or leave it out of argnums"
    )]
    WrtNotFloat {
        /// `grad` or `jvp`.
        prim: &'static str,
        /// Which input, from 0.
        index: usize,
        /// Its type.
        found: TensorType,
    },
    /// A mapped input whose extent along its axis is not the map's size.
    #[error("vmap: input {index} is {found}, whose axis {axis} has size {}, but the map's size is {size}", found.shape.get(*axis).copied().unwrap_or_default())]
    MapSize {
        /// Which input, from 0.
        index: usize,
        /// Its type.
        found: TensorType,
        /// Its mapped axis.
        axis: usize,
        /// The size of the map.
        size: usize,
    },
}

impl TypeError {
    /// That both operands are of one type.
    pub(crate) fn require_same(prim: &'static str, lhs: &TensorType, rhs: &TensorType) -> Result<(), TypeError> {
        if lhs.dtype != rhs.dtype {
            return Err(TypeError::DTypeMismatch { prim, lhs: lhs.clone(), rhs: rhs.clone() });
        }
        if lhs.shape != rhs.shape {
            return Err(TypeError::ShapeMismatch { prim, lhs: lhs.clone(), rhs: rhs.clone() });
        }
        Ok(())
    }

    /// That the axes are in range and distinct.
    pub(crate) fn require_axes(prim: &'static str, axes: &[usize], operand: &TensorType) -> Result<(), TypeError> {
        for (i, &axis) in axes.iter().enumerate() {
            if axis >= operand.rank() {
                return Err(TypeError::Axis { prim, axis, operand: operand.clone() });
            }
            if axes[..i].contains(&axis) {
                return Err(TypeError::DuplicateAxis { prim, axis, operand: operand.clone() });
            }
        }
        Ok(())
    }

    /// That an integer index operand has an integer dtype.
    pub(crate) fn require_index(prim: &'static str, operand: &TensorType) -> Result<(), TypeError> {
        if operand.dtype.is_int() {
            return Ok(());
        }
        let advice = "convert the index to an integer dtype";
        Err(TypeError::DType { prim, expected: "integer indices", found: operand.clone(), advice })
    }

    /// That a result's element count can be addressed.
    pub(crate) fn require_size(prim: &'static str, ty: TensorType) -> Result<TensorType, TypeError> {
        let bytes = ty.shape.iter().try_fold(ty.dtype.size_bytes(), |n, &d| n.checked_mul(d));
        match bytes {
            Some(n) if isize::try_from(n).is_ok() => Ok(ty),
            Some(_) | None => Err(TypeError::TooLarge { prim, shape: ty.shape }),
        }
    }
}

/// The product of a shape in words; a shape of a refused program need not have one that fits.
pub(crate) fn element_count(shape: &[usize]) -> String {
    match shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)) {
        Some(n) => n.to_string(),
        None => "2^64 or more".to_owned(),
    }
}

fn axes_of(ty: &TensorType) -> String {
    match ty.rank() {
        0 => "none: it is a scalar".to_owned(),
        1 => "0 only".to_owned(),
        n => format!("0 to {}", n - 1),
    }
}

/// A dtype's name beside the words used for a group of them, for [`TypeError::DType`].
pub(crate) fn dtype_error(prim: &'static str, expected: &'static str, found: &TensorType) -> TypeError {
    let advice = match (expected, found.dtype) {
        (_, DType::Bool) => "convert it first, for example with astype(F32) or astype(I32)",
        ("floats", _) => "convert it to a float dtype first, for example with astype(F32)",
        _ => "convert it first with astype",
    };
    TypeError::DType { prim, expected, found: found.clone(), advice }
}
