//! Elementwise functions of one operand.

use super::Target;
use super::convert::{bits, is_narrow, no_wider, ones, widen, wrap, wrap_wide, zero_extend};
use super::program::{Lowered, kernel1};
use super::tensor::Value;
use burn_backend::tensor::{FloatTensor, IntTensor};
use burn_backend::{Backend, FloatDType, TensorMetadata};
use jx_ir::{DType, DTypeKind, TensorType, UnaryOp};

pub(super) fn unary<B: Backend>(target: &Target<B>, op: UnaryOp, x: &TensorType) -> Lowered<B> {
    match x.dtype.kind() {
        // The shape rule lets no other op of truth values through.
        DTypeKind::Bool => kernel1::<B>(|_, x| Value::Bool(B::bool_not(x.bool()))),
        DTypeKind::Signed | DTypeKind::Unsigned => int_unary(target, op, x.dtype),
        DTypeKind::Float => float_unary(op, x.dtype),
    }
}

/// A kernel of floats.
fn floats<B: Backend>(f: impl Fn(&Target<B>, FloatTensor<B>) -> FloatTensor<B> + Send + Sync + 'static) -> Lowered<B> {
    kernel1::<B>(move |target, x| Value::Float(f(target, x.float())))
}

fn float_unary<B: Backend>(op: UnaryOp, dtype: DType) -> Lowered<B> {
    let none = || Err(format!("Burn has no {} that keeps its digits", op.name()));
    match op {
        UnaryOp::Neg => floats::<B>(|_, x| B::float_neg(x)),
        UnaryOp::Abs => floats::<B>(|_, x| B::float_abs(x)),
        UnaryOp::Sign => floats(sign),
        UnaryOp::Floor => floats::<B>(|_, x| B::float_floor(x)),
        UnaryOp::Ceil => floats::<B>(|_, x| B::float_ceil(x)),
        UnaryOp::Round => floats::<B>(|t, x| {
            // Trunc, and one further from zero where that leaves a half; x - trunc x is exact.
            let whole = B::float_trunc(x.clone());
            let rest = B::float_abs(B::float_sub(x.clone(), whole.clone()));
            let away = B::float_add(whole.clone(), sign(t, x));
            let half = B::float_greater_equal_elem(rest, 0.5.into(), t.bool_dtype);
            B::float_mask_where(whole, half, away)
        }),
        UnaryOp::RoundEven => floats::<B>(|_, x| B::float_round(x)),
        // x - x is 0 but for infinities and NaN, which give NaN.
        UnaryOp::IsFinite => kernel1::<B>(|t, x| {
            let x = x.float();
            Value::Bool(B::float_equal_elem(B::float_sub(x.clone(), x), 0.0.into(), t.bool_dtype))
        }),
        UnaryOp::Square => floats::<B>(|_, x| B::float_mul(x.clone(), x)),
        UnaryOp::Sqrt => floats::<B>(|_, x| B::float_sqrt(x)),
        UnaryOp::Rsqrt => floats::<B>(|_, x| B::float_recip(B::float_sqrt(x))),
        UnaryOp::Cbrt => floats(cbrt),
        UnaryOp::Exp => floats::<B>(|_, x| B::float_exp(x)),
        // A power, for e^(x ln 2) would multiply the rounding error of x ln 2.
        UnaryOp::Exp2 => floats::<B>(|t, x| B::float_powf(full_like::<B>(t, &x, 2.0), x)),
        // e^x - 1 = tanh(x/2) (e^x + 1), in which nothing cancels.
        UnaryOp::Expm1 => floats::<B>(|_, x| {
            let tanh = B::float_tanh(B::float_mul_scalar(x.clone(), 0.5.into()));
            B::float_mul(tanh, B::float_add_scalar(B::float_exp(x), 1.0.into()))
        }),
        UnaryOp::Log => floats::<B>(|_, x| B::float_log(x)),
        UnaryOp::Log1p => floats::<B>(|_, x| B::float_log1p(x)),
        UnaryOp::Sin => floats::<B>(|_, x| B::float_sin(x)),
        UnaryOp::Cos => floats::<B>(|_, x| B::float_cos(x)),
        UnaryOp::Tan => floats::<B>(|_, x| B::float_tan(x)),
        UnaryOp::Asin => floats::<B>(|_, x| B::float_asin(x)),
        UnaryOp::Acos => floats::<B>(|_, x| B::float_acos(x)),
        UnaryOp::Atan => floats::<B>(|_, x| B::float_atan(x)),
        UnaryOp::Sinh => floats::<B>(|_, x| B::float_sinh(x)),
        UnaryOp::Cosh => floats::<B>(|_, x| B::float_cosh(x)),
        UnaryOp::Tanh => floats::<B>(|_, x| B::float_tanh(x)),
        // Std's loses digits near the ends of the domain, which f32 by way of f64 does not show.
        UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh if dtype != DType::F32 => none(),
        UnaryOp::Asinh => floats::<B>(|_, x| B::float_asinh(x)),
        UnaryOp::Acosh => floats::<B>(|_, x| B::float_acosh(x)),
        UnaryOp::Atanh => floats::<B>(|_, x| B::float_atanh(x)),
        UnaryOp::Logistic => {
            floats::<B>(|_, x| B::float_recip(B::float_add_scalar(B::float_exp(B::float_neg(x)), 1.0.into())))
        }
        UnaryOp::Erf => floats::<B>(|_, x| B::float_erf(x)),
        UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma | UnaryOp::Digamma => none(),
        UnaryOp::Not | UnaryOp::PopulationCount | UnaryOp::Clz => refused(op, "floats"),
    }
}

/// Ends the process on an op that the shape rule lets no element of this kind through to.
fn refused(op: UnaryOp, kind: &str) -> ! {
    panic!("{} has no meaning for {kind}, and its shape rule should say so", op.name())
}

/// Burn's sign gives 0 for NaN and loses the sign of zeros, which are left as they are here.
fn sign<B: Backend>(target: &Target<B>, x: FloatTensor<B>) -> FloatTensor<B> {
    let above = B::float_greater_elem(x.clone(), 0.0.into(), target.bool_dtype);
    let below = B::float_lower_elem(x.clone(), 0.0.into(), target.bool_dtype);
    B::float_mask_fill(B::float_mask_fill(x, above, 1.0.into()), below, (-1.0).into())
}

/// |x|^(1/3) and two of Newton's steps, y - (y - |x|/y²)/3, for Burn may round 1/3 to an `f32`.
fn cbrt<B: Backend>(target: &Target<B>, x: FloatTensor<B>) -> FloatTensor<B> {
    let magnitude = B::float_abs(x.clone());
    let mut root = B::float_powf_scalar(magnitude.clone(), (1.0 / 3.0).into());
    for _ in 0..2 {
        let square = B::float_mul(root.clone(), root.clone());
        let excess = B::float_sub(root.clone(), B::float_div(magnitude.clone(), square));
        root = B::float_sub(root, B::float_div_scalar(excess, 3.0.into()));
    }
    let root = B::float_mul(root, sign(target, x.clone()));
    // The steps are undefined at 0 and infinity, which are their own cube roots.
    let zero = B::float_equal_elem(magnitude.clone(), 0.0.into(), target.bool_dtype);
    let infinite = B::float_equal_elem(magnitude, f64::INFINITY.into(), target.bool_dtype);
    B::float_mask_where(root, B::bool_or(zero, infinite), x)
}

/// A kernel of narrow integers, computed as `i64` and wrapped.
fn ints<B: Backend>(
    dtype: DType,
    f: impl Fn(&Target<B>, IntTensor<B>) -> IntTensor<B> + Send + Sync + 'static,
) -> Lowered<B> {
    kernel1::<B>(move |target, x| Value::Int(wrap::<B>(f(target, x.int()), dtype)))
}

fn int_unary<B: Backend>(target: &Target<B>, op: UnaryOp, dtype: DType) -> Lowered<B> {
    let signed = dtype.kind() == DTypeKind::Signed;
    if op == UnaryOp::Abs && !signed {
        return kernel1::<B>(|_, x| x);
    }
    if op == UnaryOp::Not && signed {
        return kernel1::<B>(|_, x| Value::Int(B::bitwise_not(x.int())));
    }
    if op == UnaryOp::Sign {
        return kernel1::<B>(move |t, x| {
            let x = x.int();
            let above = B::int_greater_elem(x.clone(), 0.into(), t.bool_dtype);
            let below = signed.then(|| B::int_lower_elem(x.clone(), 0.into(), t.bool_dtype));
            let x = B::int_mask_fill(x, above, 1.into());
            Value::Int(match below {
                Some(below) => B::int_mask_fill(x, below, (-1).into()),
                None => x,
            })
        });
    }
    if !is_narrow(dtype) || !target.has(DType::I64) {
        return Err(no_wider(dtype));
    }
    match op {
        UnaryOp::Neg => ints::<B>(dtype, |_, x| B::int_neg(widen::<B>(x))),
        UnaryOp::Abs => ints::<B>(dtype, |_, x| B::int_abs(widen::<B>(x))),
        UnaryOp::Square => ints::<B>(dtype, move |_, x| {
            let x = wide_signed::<B>(x, dtype);
            B::int_mul(x.clone(), x)
        }),
        UnaryOp::Not => ints::<B>(dtype, move |_, x| B::bitwise_xor_scalar(widen::<B>(x), ones(dtype).into())),
        UnaryOp::PopulationCount => ints::<B>(dtype, move |_, x| population_count::<B>(zero_extend::<B>(x, dtype))),
        UnaryOp::Clz => ints::<B>(dtype, move |_, x| {
            // With every bit below the highest set one set too, the clear ones are the leading ones.
            let mut x = zero_extend::<B>(x, dtype);
            for shift in [1, 2, 4, 8, 16] {
                x = B::bitwise_or(x.clone(), B::bitwise_right_shift_scalar(x, shift.into()));
            }
            B::int_add_scalar(B::int_neg(population_count::<B>(x)), bits(dtype).into())
        }),
        UnaryOp::Sign => panic!("sign has a kernel of its own"),
        UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round
        | UnaryOp::RoundEven
        | UnaryOp::IsFinite
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Cbrt
        | UnaryOp::Exp
        | UnaryOp::Exp2
        | UnaryOp::Expm1
        | UnaryOp::Log
        | UnaryOp::Log1p
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Tanh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Logistic
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::Digamma => refused(op, "integers"),
    }
}

/// Narrow integers as `i64`, with `u32` read as signed: the same modulo 2³², and products of two stay
/// below 2⁶³.
pub(super) fn wide_signed<B: Backend>(x: IntTensor<B>, dtype: DType) -> IntTensor<B> {
    let x = widen::<B>(x);
    if dtype == DType::U32 { wrap_wide::<B>(x, DType::I32) } else { x }
}

/// Counts of the bits set in 32-bit words, held in `i64`: sums over pairs, fours and bytes, then a
/// product that adds the bytes up.
fn population_count<B: Backend>(x: IntTensor<B>) -> IntTensor<B> {
    let masked = |x: IntTensor<B>, mask: i64| B::bitwise_and_scalar(x, mask.into());
    let shifted = |x: IntTensor<B>, by: i64| B::bitwise_right_shift_scalar(x, by.into());
    let pairs = B::int_sub(x.clone(), masked(shifted(x, 1), 0x5555_5555));
    let fours = B::int_add(masked(pairs.clone(), 0x3333_3333), masked(shifted(pairs, 2), 0x3333_3333));
    let bytes = masked(B::int_add(fours.clone(), shifted(fours, 4)), 0x0f0f_0f0f);
    masked(shifted(B::int_mul_scalar(bytes, 0x0101_0101_i64.into()), 24), 0xff)
}

/// Repeated squaring: of floats in `f64` beyond a few products, so that errors do not add up.
pub(super) fn integer_pow<B: Backend>(target: &Target<B>, exponent: i32, x: &TensorType) -> Lowered<B> {
    let dtype = x.dtype;
    if dtype.is_int() {
        if !is_narrow(dtype) || !target.has(DType::I64) {
            return Err(no_wider(dtype));
        }
        return kernel1::<B>(move |_, x| {
            let x = wide_signed::<B>(x.int(), dtype);
            let one = B::int_add_scalar(B::int_mul_scalar(x.clone(), 0.into()), 1.into());
            // Products are taken modulo 2³², as signed integers, so that the next one does not overflow.
            let modulo = |x| wrap_wide::<B>(x, DType::I32);
            let y = power(x, exponent.unsigned_abs(), one, |x, y| modulo(B::int_mul(x, y)));
            Value::Int(wrap::<B>(y, dtype))
        });
    }
    let wide = dtype == DType::F32 && exponent.unsigned_abs() > 4 && target.has(DType::F64);
    floats::<B>(move |t, x| {
        let x = if wide { B::float_cast(x, FloatDType::F64) } else { x };
        let one = full_like::<B>(t, &x, 1.0);
        let y = power(x, exponent.unsigned_abs(), one, B::float_mul);
        let y = if exponent < 0 { B::float_recip(y) } else { y };
        if wide { B::float_cast(y, FloatDType::F32) } else { y }
    })
}

/// Floats of the same shape and dtype that are all `value`.
fn full_like<B: Backend>(target: &Target<B>, x: &FloatTensor<B>, value: f64) -> FloatTensor<B> {
    B::float_full(x.shape(), value.into(), &target.native, x.dtype().into())
}

fn power<T: Clone>(base: T, exponent: u32, one: T, mul: impl Fn(T, T) -> T) -> T {
    let (mut result, mut square, mut n) = (one, base, exponent);
    while n > 0 {
        if n % 2 == 1 {
            result = mul(result, square.clone());
        }
        n /= 2;
        if n > 0 {
            square = mul(square.clone(), square);
        }
    }
    result
}
