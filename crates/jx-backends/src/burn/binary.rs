//! Elementwise functions of two operands of one type.

use super::Target;
use super::convert::{bits, is_nan, is_narrow, no_wider, scalar, widen, wrap, wrap_wide, zero_extend};
use super::program::{Lowered, kernel2};
use super::tensor::Value;
use super::unary::wide_signed;
use burn_backend::Backend;
use burn_backend::tensor::{BoolTensor, FloatTensor, IntTensor};
use jx_ir::{BinaryOp, DType, DTypeKind, Scalar, TensorType};

pub(super) fn binary<B: Backend>(target: &Target<B>, op: BinaryOp, x: &TensorType) -> Lowered<B> {
    match x.dtype.kind() {
        DTypeKind::Bool => kernel2::<B>(move |_, x, y| Value::Bool(bool_binary::<B>(op, x.bool(), y.bool()))),
        DTypeKind::Signed | DTypeKind::Unsigned => int_binary(target, op, x.dtype),
        DTypeKind::Float => float_binary(op),
    }
}

/// Ends the process on an op that the shape rule lets no element of this kind through to.
fn refused(op: BinaryOp, kind: &str) -> ! {
    panic!("{} has no meaning for {kind}, and its shape rule should say so", op.name())
}

pub(super) fn bool_binary<B: Backend>(op: BinaryOp, x: BoolTensor<B>, y: BoolTensor<B>) -> BoolTensor<B> {
    match op {
        BinaryOp::And | BinaryOp::Min => B::bool_and(x, y),
        BinaryOp::Or | BinaryOp::Max => B::bool_or(x, y),
        BinaryOp::Xor => B::bool_xor(x, y),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Pow
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => refused(op, "truth values"),
    }
}

/// A kernel of floats.
fn floats<B: Backend>(
    f: impl Fn(&Target<B>, FloatTensor<B>, FloatTensor<B>) -> FloatTensor<B> + Send + Sync + 'static,
) -> Lowered<B> {
    kernel2::<B>(move |target, x, y| Value::Float(f(target, x.float(), y.float())))
}

fn float_binary<B: Backend>(op: BinaryOp) -> Lowered<B> {
    match op {
        BinaryOp::Add => floats::<B>(|_, x, y| B::float_add(x, y)),
        BinaryOp::Sub => floats::<B>(|_, x, y| B::float_sub(x, y)),
        BinaryOp::Mul => floats::<B>(|_, x, y| B::float_mul(x, y)),
        BinaryOp::MulNoNan => floats::<B>(|t, x, y| {
            let product = B::float_mul(x.clone(), y.clone());
            let zero = B::bool_or(is_zero(t, x), is_zero(t, y));
            let undefined = is_nan(t, product.clone());
            B::float_mask_fill(product, B::bool_and(zero, undefined), 0.0.into())
        }),
        BinaryOp::Div => floats::<B>(|_, x, y| B::float_div(x, y)),
        BinaryOp::Pow => floats::<B>(|_, x, y| B::float_powf(x, y)),
        BinaryOp::Max | BinaryOp::Min => floats::<B>(move |t, x, y| float_extreme(t, op == BinaryOp::Max, x, y)),
        BinaryOp::Atan2 => floats::<B>(|_, y, x| B::float_atan2(y, x)),
        BinaryOp::Rem => Err("Burn's remainder is rounded and of the divisor's sign".to_owned()),
        BinaryOp::NextAfter => Err("Burn has no view of a float's bits".to_owned()),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightLogical
        | BinaryOp::ShiftRightArithmetic => refused(op, "floats"),
    }
}

fn is_zero<B: Backend>(target: &Target<B>, x: FloatTensor<B>) -> BoolTensor<B> {
    B::float_equal_elem(x, 0.0.into(), target.bool_dtype)
}

/// `x` where it is beyond `y` or NaN, else `y`; so NaN if either is. Of two zeros the greater is their
/// sum, -0 only if both are, and the lesser is the negated sum of the negated.
pub(super) fn float_extreme<B: Backend>(
    target: &Target<B>,
    greatest: bool,
    x: FloatTensor<B>,
    y: FloatTensor<B>,
) -> FloatTensor<B> {
    let of_bool = target.bool_dtype;
    let beyond = if greatest {
        B::float_greater(x.clone(), y.clone(), of_bool)
    } else {
        B::float_lower(x.clone(), y.clone(), of_bool)
    };
    let takes_x = B::bool_or(beyond, is_nan(target, x.clone()));
    let zeros = B::bool_and(is_zero(target, x.clone()), is_zero(target, y.clone()));
    let of_zeros = if greatest {
        B::float_add(x.clone(), y.clone())
    } else {
        B::float_neg(B::float_add(B::float_neg(x.clone()), B::float_neg(y.clone())))
    };
    B::float_mask_where(B::float_mask_where(y, takes_x, x), zeros, of_zeros)
}

pub(super) fn int_extreme<B: Backend>(
    target: &Target<B>,
    greatest: bool,
    x: IntTensor<B>,
    y: IntTensor<B>,
) -> IntTensor<B> {
    let beyond = if greatest {
        B::int_greater(x.clone(), y.clone(), target.bool_dtype)
    } else {
        B::int_lower(x.clone(), y.clone(), target.bool_dtype)
    };
    B::int_mask_where(y, beyond, x)
}

/// A kernel of integers.
fn ints<B: Backend>(
    f: impl Fn(&Target<B>, IntTensor<B>, IntTensor<B>) -> IntTensor<B> + Send + Sync + 'static,
) -> Lowered<B> {
    kernel2::<B>(move |target, x, y| Value::Int(f(target, x.int(), y.int())))
}

fn int_binary<B: Backend>(target: &Target<B>, op: BinaryOp, dtype: DType) -> Lowered<B> {
    if !target.has(DType::I64) {
        return Err(format!("{} has no i64 to compute integers in", target.device));
    }
    let narrow = is_narrow(dtype);
    // On the CPU Burn's bitwise ops go through `i64`, which holds no large `u64`.
    let bitwise =
        || if dtype == DType::U64 { Err("Burn's bitwise ops need not take all of u64".to_owned()) } else { Ok(()) };
    let narrowly = || if narrow { Ok(()) } else { Err(no_wider(dtype)) };
    match op {
        BinaryOp::Max | BinaryOp::Min => ints::<B>(move |t, x, y| int_extreme(t, op == BinaryOp::Max, x, y)),
        BinaryOp::And => bitwise().and_then(|()| ints::<B>(|_, x, y| B::bitwise_and(x, y))),
        BinaryOp::Or => bitwise().and_then(|()| ints::<B>(|_, x, y| B::bitwise_or(x, y))),
        BinaryOp::Xor => bitwise().and_then(|()| ints::<B>(|_, x, y| B::bitwise_xor(x, y))),
        BinaryOp::Add if dtype == DType::I64 => ints::<B>(|_, x, y| by_halves::<B>(x, y, B::int_add)),
        BinaryOp::Sub if dtype == DType::I64 => ints::<B>(|_, x, y| by_halves::<B>(x, y, B::int_sub)),
        BinaryOp::Add => narrowly().and_then(|()| wrapped::<B>(dtype, |x, y| B::int_add(x, y))),
        BinaryOp::Sub => narrowly().and_then(|()| wrapped::<B>(dtype, |x, y| B::int_sub(x, y))),
        BinaryOp::Mul => narrowly().and_then(|()| {
            ints::<B>(move |_, x, y| {
                let (x, y) = (wide_signed::<B>(x, dtype), wide_signed::<B>(y, dtype));
                wrap::<B>(B::int_mul(x, y), dtype)
            })
        }),
        BinaryOp::Div => ints::<B>(move |t, x, y| divide(t, x, y, dtype)),
        BinaryOp::Rem => ints::<B>(move |t, x, y| remainder(t, x, y, dtype)),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightLogical | BinaryOp::ShiftRightArithmetic => {
            narrowly().and_then(|()| ints::<B>(move |t, x, y| shift(t, op, x, y, dtype)))
        }
        BinaryOp::MulNoNan | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => refused(op, "integers"),
    }
}

/// A kernel of narrow integers, computed as `i64` and wrapped.
fn wrapped<B: Backend>(
    dtype: DType,
    f: impl Fn(IntTensor<B>, IntTensor<B>) -> IntTensor<B> + Send + Sync + 'static,
) -> Lowered<B> {
    ints::<B>(move |_, x, y| wrap::<B>(f(widen::<B>(x), widen::<B>(y)), dtype))
}

/// A sum or difference of `i64`s that wraps: of the low halves, whose carry goes into that of the high ones.
fn by_halves<B: Backend>(
    x: IntTensor<B>,
    y: IntTensor<B>,
    op: impl Fn(IntTensor<B>, IntTensor<B>) -> IntTensor<B>,
) -> IntTensor<B> {
    let low = |x: IntTensor<B>| B::bitwise_and_scalar(x, 0xffff_ffff_i64.into());
    let high = |x: IntTensor<B>| B::bitwise_right_shift_scalar(x, 32.into());
    let of_low = op(low(x.clone()), low(y.clone()));
    let of_high = B::int_add(op(high(x), high(y)), high(of_low.clone()));
    B::bitwise_or(B::bitwise_left_shift_scalar(of_high, 32.into()), low(of_low))
}

/// The divisor with 1 put where Burn's division would panic, and where that is: at 0, and for signed
/// integers at -1, by which the least one has no quotient.
fn safe_divisor<B: Backend>(
    target: &Target<B>,
    y: IntTensor<B>,
    dtype: DType,
) -> (IntTensor<B>, BoolTensor<B>, Option<BoolTensor<B>>) {
    let zero = B::int_equal_elem(y.clone(), 0.into(), target.bool_dtype);
    let y = B::int_mask_fill(y, zero.clone(), 1.into());
    if dtype.kind() == DTypeKind::Unsigned {
        return (y, zero, None);
    }
    let minus = B::int_equal_elem(y.clone(), (-1).into(), target.bool_dtype);
    (B::int_mask_fill(y, minus.clone(), 1.into()), zero, Some(minus))
}

fn divide<B: Backend>(target: &Target<B>, x: IntTensor<B>, y: IntTensor<B>, dtype: DType) -> IntTensor<B> {
    let (y, zero, minus) = safe_divisor(target, y, dtype);
    let quotient = B::int_div(x.clone(), y);
    let quotient = match minus {
        None => quotient,
        Some(minus) => {
            // -x as the complement and 1, wrapped; the complement of the greatest is the least, to which 1 adds.
            let greatest = scalar(Scalar::max_value(dtype));
            let least = B::int_equal_elem(x.clone(), scalar(Scalar::min_value(dtype)), target.bool_dtype);
            let complement = B::bitwise_not(x.clone());
            let overflows = B::int_equal_elem(complement.clone(), greatest, target.bool_dtype);
            let negated = B::int_add_scalar(B::int_mask_fill(complement, overflows, 0.into()), 1.into());
            B::int_mask_where(quotient, minus, B::int_mask_where(negated, least, x))
        }
    };
    // All bits set.
    B::int_mask_fill(quotient, zero, scalar(Scalar::from_bits(dtype, u64::MAX)))
}

fn remainder<B: Backend>(target: &Target<B>, x: IntTensor<B>, y: IntTensor<B>, dtype: DType) -> IntTensor<B> {
    // By 1 the remainder is 0, as by -1.
    let (y, zero, _) = safe_divisor(target, y, dtype);
    let whole = B::int_mul(B::int_div(x.clone(), y.clone()), y);
    B::int_mask_where(B::int_sub(x.clone(), whole), zero, x)
}

fn shift<B: Backend>(target: &Target<B>, op: BinaryOp, x: IntTensor<B>, y: IntTensor<B>, dtype: DType) -> IntTensor<B> {
    // The amount is unsigned, so a negative one is beyond the width too.
    let amount = zero_extend::<B>(y, dtype);
    let beyond = B::int_greater_equal_elem(amount.clone(), bits(dtype).into(), target.bool_dtype);
    let fill = if op == BinaryOp::ShiftRightArithmetic { bits(dtype) - 1 } else { 0 };
    let amount = B::int_mask_fill(amount, beyond.clone(), fill.into());
    let signed = |x| wrap_wide::<B>(widen::<B>(x), as_signed(dtype));
    let shifted = match op {
        BinaryOp::ShiftLeft => B::bitwise_left_shift(widen::<B>(x), amount),
        BinaryOp::ShiftRightLogical => B::bitwise_right_shift(zero_extend::<B>(x, dtype), amount),
        BinaryOp::ShiftRightArithmetic => return wrap::<B>(B::bitwise_right_shift(signed(x), amount), dtype),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulNoNan
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Pow
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor => panic!("{} is no shift", op.name()),
    };
    wrap::<B>(B::int_mask_fill(shifted, beyond, 0.into()), dtype)
}

/// The signed dtype of the same width.
fn as_signed(dtype: DType) -> DType {
    match dtype {
        DType::U8 => DType::I8,
        DType::U16 => DType::I16,
        DType::U32 => DType::I32,
        DType::U64 => DType::I64,
        DType::Bool
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::F16
        | DType::BF16
        | DType::F32
        | DType::F64 => dtype,
    }
}
