//! Conversion between dtypes, and integers widened for arithmetic that must not overflow.
//!
//! On targets that compute with Rust's integers, overflow panics in builds with overflow checks and a
//! cast panics where the value does not fit. So integers of up to 32 bits are computed as `i64`, where
//! nothing overflows, and [`wrap`]ped. 64-bit integers have no wider type to go to.

use super::Target;
use super::program::{Lowered, kernel1};
use super::tensor::{Value, float_dtype, int_dtype};
use burn_backend::tensor::{BoolTensor, FloatTensor, IntTensor};
use burn_backend::{Backend, IntDType};
use jx_ir::{DType, DTypeKind, Scalar};

/// Why 64-bit integers are left to the host.
pub(super) fn no_wider(target_has_overflow: DType) -> String {
    format!("Burn's {target_has_overflow} arithmetic panics where it overflows, and there is no wider integer")
}

/// Whether an integer dtype is narrow enough to be computed as `i64`.
pub(super) fn is_narrow(dtype: DType) -> bool {
    dtype.is_int() && dtype.size_bytes() < 8
}

pub(super) fn bits(dtype: DType) -> i64 {
    8 * dtype.size_bytes() as i64
}

/// The bits that a narrow dtype has, set in an `i64`.
pub(super) fn ones(dtype: DType) -> i64 {
    (1 << bits(dtype)) - 1
}

/// Narrow integers as `i64`, by value.
pub(super) fn widen<B: Backend>(x: IntTensor<B>) -> IntTensor<B> {
    B::int_cast(x, IntDType::I64)
}

/// Narrow integers as `i64`, zero-extended.
pub(super) fn zero_extend<B: Backend>(x: IntTensor<B>, dtype: DType) -> IntTensor<B> {
    B::bitwise_and_scalar(widen::<B>(x), ones(dtype).into())
}

/// Any `i64` as one of the narrow dtype's values, still as `i64`: modulo 2 to the number of bits.
pub(super) fn wrap_wide<B: Backend>(x: IntTensor<B>, dtype: DType) -> IntTensor<B> {
    let x = B::bitwise_and_scalar(x, ones(dtype).into());
    if dtype.kind() == DTypeKind::Unsigned {
        return x;
    }
    // Flipping the sign bit and taking its weight away again extends the sign.
    let sign = 1_i64 << (bits(dtype) - 1);
    B::int_sub_scalar(B::bitwise_xor_scalar(x, sign.into()), sign.into())
}

/// Any `i64` modulo 2 to the number of bits of a narrow dtype or of `i64`, in it.
pub(super) fn wrap<B: Backend>(x: IntTensor<B>, dtype: DType) -> IntTensor<B> {
    if dtype == DType::I64 { x } else { B::int_cast(wrap_wide::<B>(x, dtype), int_dtype(dtype)) }
}

/// A scalar of `jx` as one of Burn's.
pub(super) fn scalar(value: Scalar) -> burn_backend::Scalar {
    match value.dtype().kind() {
        DTypeKind::Bool => burn_backend::Scalar::Bool(value.bits() != 0),
        DTypeKind::Signed => burn_backend::Scalar::Int(value.as_i64()),
        DTypeKind::Unsigned => burn_backend::Scalar::UInt(value.bits()),
        DTypeKind::Float => burn_backend::Scalar::Float(value.as_f64()),
    }
}

/// Where floats are NaN: they alone differ from themselves.
pub(super) fn is_nan<B: Backend>(target: &Target<B>, x: FloatTensor<B>) -> BoolTensor<B> {
    B::bool_not(B::float_equal(x.clone(), x, target.bool_dtype))
}

pub(super) fn convert<B: Backend>(target: &Target<B>, from: DType, to: DType) -> Lowered<B> {
    if from == to {
        return kernel1::<B>(|_, x| x);
    }
    if from.is_int() && to.is_int() && !target.has(DType::I64) {
        return Err(format!("{} has no i64 to wrap integers in", target.device));
    }
    match (from.kind(), to.kind()) {
        (DTypeKind::Bool, DTypeKind::Float) => {
            kernel1::<B>(move |_, x| Value::Float(B::bool_into_float(x.bool(), float_dtype(to))))
        }
        (DTypeKind::Bool, DTypeKind::Bool) => kernel1::<B>(|_, x| x),
        (DTypeKind::Bool, DTypeKind::Signed | DTypeKind::Unsigned) => {
            kernel1::<B>(move |_, x| Value::Int(B::bool_into_int(x.bool(), int_dtype(to))))
        }
        (DTypeKind::Float, DTypeKind::Float) => {
            kernel1::<B>(move |_, x| Value::Float(B::float_cast(x.float(), float_dtype(to))))
        }
        (DTypeKind::Float, DTypeKind::Bool) => {
            kernel1::<B>(|t, x| Value::Bool(B::bool_not(B::float_equal_elem(x.float(), 0.0.into(), t.bool_dtype))))
        }
        (DTypeKind::Signed | DTypeKind::Unsigned, DTypeKind::Bool) => {
            kernel1::<B>(|t, x| Value::Bool(B::bool_not(B::int_equal_elem(x.int(), 0.into(), t.bool_dtype))))
        }
        (DTypeKind::Signed | DTypeKind::Unsigned, DTypeKind::Float) => {
            kernel1::<B>(move |_, x| Value::Float(B::int_into_float(x.int(), float_dtype(to))))
        }
        (DTypeKind::Float, DTypeKind::Signed | DTypeKind::Unsigned) => {
            kernel1::<B>(move |t, x| Value::Int(saturate(t, x.float(), to)))
        }
        (DTypeKind::Signed | DTypeKind::Unsigned, DTypeKind::Signed | DTypeKind::Unsigned) => int_to_int(from, to),
    }
}

/// Truncated and saturated, NaN as 0. What lies outside is set to 0 before Burn casts, and filled after.
fn saturate<B: Backend>(target: &Target<B>, x: FloatTensor<B>, to: DType) -> IntTensor<B> {
    let of_bool = target.bool_dtype;
    let (least, greatest) = (Scalar::min_value(to), Scalar::max_value(to));
    // The first float that is too large: the greatest integer and 1, a power of two, so exact.
    let end = (bits(to) as f64 - if to.kind() == DTypeKind::Signed { 1.0 } else { 0.0 }).exp2();
    let above = B::float_greater_equal_elem(x.clone(), end.into(), of_bool);
    let below = B::float_lower_elem(x.clone(), least.as_f64().into(), of_bool);
    let outside = B::bool_or(B::bool_or(above.clone(), below.clone()), is_nan(target, x.clone()));
    let inside = B::float_mask_fill(x, outside, 0.0.into());
    let ints = B::float_into_int(inside, int_dtype(to));
    B::int_mask_fill(B::int_mask_fill(ints, above, scalar(greatest)), below, scalar(least))
}

fn int_to_int<B: Backend>(from: DType, to: DType) -> Lowered<B> {
    if is_narrow(from) && (is_narrow(to) || to == DType::I64) {
        return kernel1::<B>(move |_, x| Value::Int(wrap::<B>(widen::<B>(x.int()), to)));
    }
    match (from, to) {
        (DType::I64, to) if is_narrow(to) => kernel1::<B>(move |_, x| Value::Int(wrap::<B>(x.int(), to))),
        (DType::U8 | DType::U16 | DType::U32, _) => {
            kernel1::<B>(move |_, x| Value::Int(B::int_cast(x.int(), int_dtype(to))))
        }
        (DType::U64, to) if is_narrow(to) => kernel1::<B>(move |_, x| {
            // The low 32 bits fit an `i64`: x - (x / 2³²) · 2³², for bitwise ops need not take 64 bits.
            let x = x.int();
            let high = B::int_div_scalar(x.clone(), (1_u64 << 32).into());
            let low = B::int_sub(x, B::int_mul_scalar(high, (1_u64 << 32).into()));
            Value::Int(wrap::<B>(widen::<B>(low), to))
        }),
        (from, to) => Err(format!("Burn's cast from {from} to {to} panics where the value does not fit")),
    }
}
