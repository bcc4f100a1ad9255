//! Element types and tensor types (avals): a dtype and a static shape.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The element type of a tensor. There is no global precision switch: a dtype is what the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DType {
    /// Truth values.
    Bool,
    /// 8-bit signed integers.
    I8,
    /// 16-bit signed integers.
    I16,
    /// 32-bit signed integers.
    I32,
    /// 64-bit signed integers.
    I64,
    /// 8-bit unsigned integers.
    U8,
    /// 16-bit unsigned integers.
    U16,
    /// 32-bit unsigned integers.
    U32,
    /// 64-bit unsigned integers.
    U64,
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: the upper half of a binary32.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

/// What a dtype's values are: truth values, integers or floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DTypeKind {
    /// Truth values.
    Bool,
    /// Signed integers, two's complement.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Binary floating point.
    Float,
}

impl DType {
    /// Every dtype, in order of kind and width.
    pub const ALL: [DType; 13] = [
        DType::Bool,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
    ];

    /// The name in the text form: `bool`, `i8` … `u64`, `f16`, `bf16`, `f32`, `f64`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The dtype of that name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.name() == name)
    }

    /// The kind of its values.
    #[must_use]
    pub fn kind(self) -> DTypeKind {
        match self {
            DType::Bool => DTypeKind::Bool,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => DTypeKind::Signed,
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => DTypeKind::Unsigned,
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => DTypeKind::Float,
        }
    }

    /// Whether values are floats; only these carry tangents and cotangents.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.kind() == DTypeKind::Float
    }

    /// Whether values are integers, signed or not (`bool` is not an integer).
    #[must_use]
    pub fn is_int(self) -> bool {
        matches!(self.kind(), DTypeKind::Signed | DTypeKind::Unsigned)
    }

    /// Bytes an element takes in memory.
    #[must_use]
    pub fn size_bytes(self) -> usize {
        match self {
            DType::Bool | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 => 8,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of a tensor (JAX's aval): its element type and its static shape. Prints as `f32[3,2]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TensorType {
    /// The element type.
    pub dtype: DType,
    /// The extent of each axis, in elements; empty for a scalar.
    pub shape: Vec<usize>,
}

impl TensorType {
    /// `dtype[shape]`.
    ///
    /// ```
    /// use jx_ir::{DType, TensorType};
    /// assert_eq!(TensorType::new(DType::F32, [3, 2]).to_string(), "f32[3,2]");
    /// ```
    #[must_use]
    pub fn new(dtype: DType, shape: impl Into<Vec<usize>>) -> TensorType {
        TensorType { dtype, shape: shape.into() }
    }

    /// The type of a rank-0 tensor.
    #[must_use]
    pub fn scalar(dtype: DType) -> TensorType {
        TensorType { dtype, shape: Vec::new() }
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements; 1 for a scalar, 0 if any axis is empty.
    #[must_use]
    pub fn n_elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// The same dtype with another shape.
    #[must_use]
    pub fn with_shape(&self, shape: impl Into<Vec<usize>>) -> TensorType {
        TensorType { dtype: self.dtype, shape: shape.into() }
    }

    /// The same shape with another dtype.
    #[must_use]
    pub fn with_dtype(&self, dtype: DType) -> TensorType {
        TensorType { dtype, shape: self.shape.clone() }
    }

    /// The type with a new axis of extent `size` before axis 0: a batch of these.
    #[must_use]
    pub fn batched(&self, size: usize) -> TensorType {
        let mut shape = Vec::with_capacity(self.rank() + 1);
        shape.push(size);
        shape.extend_from_slice(&self.shape);
        TensorType { dtype: self.dtype, shape }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (i, d) in self.shape.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{d}")?;
        }
        f.write_str("]")
    }
}
