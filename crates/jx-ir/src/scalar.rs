//! Scalars: one element of any dtype, kept as bits so that programs compare and hash exactly.

use crate::{DType, DTypeKind};
use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One element of a dtype. Equality is of bits: `-0.0` differs from `0.0`, a NaN equals itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire")]
pub struct Scalar {
    dtype: DType,
    bits: u64,
}

impl Scalar {
    /// The element whose bits, zero-extended, are `bits`. Bits beyond the dtype's width are dropped;
    /// for `bool`, anything but 0 is true.
    #[must_use]
    pub fn from_bits(dtype: DType, bits: u64) -> Scalar {
        let bits = match dtype.size_bytes() {
            1 if dtype == DType::Bool => u64::from(bits != 0),
            8 => bits,
            n => bits & ((1 << (8 * n)) - 1),
        };
        Scalar { dtype, bits }
    }

    /// `value` rounded to `dtype`: to nearest for floats; truncated and saturated for integers, NaN
    /// to 0; not-equal-to-zero for `bool`.
    #[must_use]
    pub fn from_f64(dtype: DType, value: f64) -> Scalar {
        let bits = match dtype {
            DType::Bool => u64::from(value != 0.0),
            DType::I8 => u64::from((value as i8) as u8),
            DType::I16 => u64::from((value as i16) as u16),
            DType::I32 => u64::from((value as i32) as u32),
            DType::I64 => (value as i64) as u64,
            DType::U8 => u64::from(value as u8),
            DType::U16 => u64::from(value as u16),
            DType::U32 => u64::from(value as u32),
            DType::U64 => value as u64,
            DType::F16 => u64::from(f16::from_f64(value).to_bits()),
            DType::BF16 => u64::from(bf16::from_f64(value).to_bits()),
            DType::F32 => u64::from((value as f32).to_bits()),
            DType::F64 => value.to_bits(),
        };
        Scalar { dtype, bits }
    }

    /// `value` as an element of `dtype`: wrapped for integers, rounded to nearest for floats,
    /// not-equal-to-zero for `bool`.
    #[must_use]
    pub fn from_i64(dtype: DType, value: i64) -> Scalar {
        match dtype.kind() {
            DTypeKind::Bool => Scalar { dtype, bits: u64::from(value != 0) },
            DTypeKind::Signed | DTypeKind::Unsigned => Scalar::from_bits(dtype, value as u64),
            DTypeKind::Float => Scalar::from_f64(dtype, value as f64),
        }
    }

    /// The zero of a dtype (`false` for `bool`).
    #[must_use]
    pub fn zero(dtype: DType) -> Scalar {
        Scalar { dtype, bits: 0 }
    }

    /// The one of a dtype (`true` for `bool`).
    #[must_use]
    pub fn one(dtype: DType) -> Scalar {
        Scalar::from_f64(dtype, 1.0)
    }

    /// The greatest value: infinity for floats, `true` for `bool`. The identity of `min`.
    #[must_use]
    pub fn max_value(dtype: DType) -> Scalar {
        match dtype.kind() {
            DTypeKind::Bool => Scalar::one(dtype),
            DTypeKind::Signed => Scalar::from_bits(dtype, (1 << (8 * dtype.size_bytes() - 1)) - 1),
            DTypeKind::Unsigned => Scalar::from_bits(dtype, u64::MAX),
            DTypeKind::Float => Scalar::from_f64(dtype, f64::INFINITY),
        }
    }

    /// The least value: minus infinity for floats, `false` for `bool`. The identity of `max`.
    #[must_use]
    pub fn min_value(dtype: DType) -> Scalar {
        match dtype.kind() {
            DTypeKind::Bool | DTypeKind::Unsigned => Scalar::zero(dtype),
            DTypeKind::Signed => Scalar::from_bits(dtype, 1 << (8 * dtype.size_bytes() - 1)),
            DTypeKind::Float => Scalar::from_f64(dtype, f64::NEG_INFINITY),
        }
    }

    /// Its dtype.
    #[must_use]
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// Its bits, zero-extended.
    #[must_use]
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The value as an `f64`, exact but for integers beyond 2^53.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self.dtype {
            DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64 => self.bits as f64,
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => self.as_i64() as f64,
            DType::F16 => f16::from_bits(self.bits as u16).to_f64(),
            DType::BF16 => bf16::from_bits(self.bits as u16).to_f64(),
            DType::F32 => f64::from(f32::from_bits(self.bits as u32)),
            DType::F64 => f64::from_bits(self.bits),
        }
    }

    /// The value as an `i64`: sign-extended for signed integers, wrapped for `u64`, truncated and
    /// saturated for floats.
    #[must_use]
    pub fn as_i64(self) -> i64 {
        match self.dtype {
            DType::Bool | DType::U8 | DType::U16 | DType::U32 | DType::U64 => self.bits as i64,
            DType::I8 => i64::from(self.bits as u8 as i8),
            DType::I16 => i64::from(self.bits as u16 as i16),
            DType::I32 => i64::from(self.bits as u32 as i32),
            DType::I64 => self.bits as i64,
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => self.as_f64() as i64,
        }
    }

    /// Whether every bit of the value is that of the dtype's zero (`-0.0` is not).
    #[must_use]
    pub fn is_zero_bits(self) -> bool {
        self.bits == 0
    }
}

impl Scalar {
    /// The element that `text` denotes, if it denotes one: what [`Display`](fmt::Display) prints reads
    /// back bit for bit. Also read are hexadecimal integers (`0xff`) and any decimal notation of a float;
    /// a number beyond the dtype's range is refused.
    ///
    /// ```
    /// use jx_ir::{DType, Scalar};
    /// assert_eq!(Scalar::parse(DType::F32, "0.1"), Some(Scalar::from_f64(DType::F32, 0.1)));
    /// assert_eq!(Scalar::parse(DType::I8, "128"), None);
    /// ```
    #[must_use]
    pub fn parse(dtype: DType, text: &str) -> Option<Scalar> {
        match dtype.kind() {
            DTypeKind::Bool => match text {
                "true" => Some(Scalar::one(dtype)),
                "false" => Some(Scalar::zero(dtype)),
                _ => None,
            },
            DTypeKind::Signed | DTypeKind::Unsigned => {
                let value = match text.strip_prefix("0x") {
                    Some(hex) => i128::from_str_radix(hex, 16).ok()?,
                    None => text.parse::<i128>().ok()?,
                };
                let scalar = Scalar::from_bits(dtype, value as u64);
                let stored = match dtype.kind() {
                    DTypeKind::Signed => i128::from(scalar.as_i64()),
                    DTypeKind::Bool | DTypeKind::Unsigned | DTypeKind::Float => i128::from(scalar.bits),
                };
                (stored == value).then_some(scalar)
            }
            DTypeKind::Float => match text {
                "nan" => Some(Scalar::from_f64(dtype, f64::NAN)),
                "inf" => Some(Scalar::max_value(dtype)),
                "-inf" => Some(Scalar::min_value(dtype)),
                _ => {
                    if let Some(hex) = text.strip_prefix("nan:0x") {
                        let bits = u64::from_str_radix(hex, 16).ok()?;
                        let scalar = Scalar::from_bits(dtype, bits);
                        return (scalar.bits == bits && scalar.as_f64().is_nan()).then_some(scalar);
                    }
                    // By way of `f64` a decimal would be rounded twice.
                    let scalar = if dtype == DType::F32 {
                        Scalar::from_bits(dtype, u64::from(text.parse::<f32>().ok()?.to_bits()))
                    } else {
                        Scalar::from_f64(dtype, text.parse().ok()?)
                    };
                    scalar.as_f64().is_finite().then_some(scalar)
                }
            },
        }
    }
}

/// The serialised form of a [`Scalar`], before its bits are known to fit the dtype.
#[derive(Deserialize)]
struct Wire {
    dtype: DType,
    bits: u64,
}

/// Bits that a dtype does not have.
#[derive(Debug, thiserror::Error)]
#[error("{bits:#x} is not the bits of a {dtype}")]
struct ForeignBits {
    dtype: DType,
    bits: u64,
}

impl TryFrom<Wire> for Scalar {
    type Error = ForeignBits;
    fn try_from(wire: Wire) -> Result<Scalar, ForeignBits> {
        let Wire { dtype, bits } = wire;
        let scalar = Scalar::from_bits(dtype, bits);
        if scalar.bits == bits { Ok(scalar) } else { Err(ForeignBits { dtype, bits }) }
    }
}

impl fmt::Display for Scalar {
    /// The shortest text that reads back to the same bits: `2.0`, `-3`, `true`, `inf`, `-inf`, `nan`
    /// (a NaN other than the default quiet one prints its bits, as `nan:0x7fc00001`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype.kind() {
            DTypeKind::Bool => write!(f, "{}", self.bits != 0),
            DTypeKind::Signed => write!(f, "{}", self.as_i64()),
            DTypeKind::Unsigned => write!(f, "{}", self.bits),
            DTypeKind::Float => {
                let v = self.as_f64();
                if v.is_nan() {
                    if *self == Scalar::from_f64(self.dtype, f64::NAN) {
                        f.write_str("nan")
                    } else {
                        write!(f, "nan:{:#x}", self.bits)
                    }
                } else if v.is_infinite() {
                    f.write_str(if v > 0.0 { "inf" } else { "-inf" })
                } else if self.dtype == DType::F32 {
                    write!(f, "{:?}", v as f32)
                } else {
                    write!(f, "{v:?}")
                }
            }
        }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{}", self.dtype)
    }
}
