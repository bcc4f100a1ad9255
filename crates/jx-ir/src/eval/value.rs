//! What the evaluator asks of elements: exact widening, rounding and wrapping to a dtype, order, and
//! the arithmetic of integers; and the macros that run a loop at the element type of a dtype.

use crate::{DType, Element, bf16, f16};

/// An element without loss: an integer or truth value as an integer, a float as `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wide {
    /// A truth value (0 or 1) or an integer.
    Int(i128),
    /// A float.
    Float(f64),
}

impl Wide {
    /// The value rounded to the nearest `f64`.
    pub(super) fn to_f64(self) -> f64 {
        match self {
            Wide::Int(v) => v as f64,
            Wide::Float(v) => v,
        }
    }

    /// The value of an integer or truth value.
    pub(super) fn to_int(self) -> i128 {
        match self {
            Wide::Int(v) => v,
            Wide::Float(v) => panic!("{v} is used as an integer"),
        }
    }
}

/// An element of any dtype.
pub(super) trait Value: Element + PartialOrd {
    /// The value without loss.
    fn widen(self) -> Wide;
    /// The value in this dtype: as [`Prim::Convert`](crate::Prim::Convert) says.
    fn narrow(value: Wide) -> Self;
    /// The greater; NaN if either is NaN, and `0.0` is greater than `-0.0`.
    fn greater(self, other: Self) -> Self;
    /// The lesser; NaN if either is NaN, and `-0.0` is less than `0.0`.
    fn lesser(self, other: Self) -> Self;
    /// A number that ascends as values do: NaN comes last, `-0.0` and `0.0` are equal.
    fn sort_key(self) -> u64;
}

/// A float: every operation is computed in `f64` and rounded once.
pub(super) trait Float: Value {
    /// The value, exactly.
    fn to_f64(self) -> f64;
    /// The nearest value, ties to even.
    fn from_f64(value: f64) -> Self;
}

/// An integer, in two's complement if signed.
pub(super) trait Int: Value + Ord {
    const ONE: Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn not(self) -> Self;
    fn population_count(self) -> Self;
    fn clz(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// The truncated quotient; all bits set over 0.
    fn div(self, other: Self) -> Self;
    /// The remainder of [`Int::div`]; the dividend over 0.
    fn rem(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// The shifts take the count as unsigned, so a negative one is beyond the width.
    fn shift_left(self, count: Self) -> Self;
    fn shift_right_logical(self, count: Self) -> Self;
    fn shift_right_arithmetic(self, count: Self) -> Self;
}

impl Value for bool {
    fn widen(self) -> Wide {
        Wide::Int(i128::from(self))
    }
    fn narrow(value: Wide) -> bool {
        match value {
            Wide::Int(v) => v != 0,
            Wide::Float(v) => v != 0.0,
        }
    }
    fn greater(self, other: bool) -> bool {
        self | other
    }
    fn lesser(self, other: bool) -> bool {
        self & other
    }
    fn sort_key(self) -> u64 {
        u64::from(self)
    }
}

macro_rules! ints {
    ($($t:ident $unsigned:ident $signed:ident $abs:expr, $sign:expr;)*) => { $(
        impl Value for $t {
            fn widen(self) -> Wide {
                Wide::Int(i128::from(self))
            }
            fn narrow(value: Wide) -> $t {
                match value {
                    // `as` drops the high bits of an integer, and saturates a float with NaN to 0.
                    Wide::Int(v) => v as $t,
                    Wide::Float(v) => v as $t,
                }
            }
            fn greater(self, other: $t) -> $t {
                self.max(other)
            }
            fn lesser(self, other: $t) -> $t {
                self.min(other)
            }
            fn sort_key(self) -> u64 {
                // From the least value up.
                (i128::from(self) - i128::from($t::MIN)) as u64
            }
        }

        impl Int for $t {
            const ONE: $t = 1;
            fn neg(self) -> $t { self.wrapping_neg() }
            fn abs(self) -> $t { $abs(self) }
            fn sign(self) -> $t { $sign(self) }
            fn not(self) -> $t { !self }
            fn population_count(self) -> $t { self.count_ones() as $t }
            fn clz(self) -> $t { self.leading_zeros() as $t }
            fn add(self, other: $t) -> $t { self.wrapping_add(other) }
            fn sub(self, other: $t) -> $t { self.wrapping_sub(other) }
            fn mul(self, other: $t) -> $t { self.wrapping_mul(other) }
            fn div(self, other: $t) -> $t { if other == 0 { !0 } else { self.wrapping_div(other) } }
            fn rem(self, other: $t) -> $t { if other == 0 { self } else { self.wrapping_rem(other) } }
            fn and(self, other: $t) -> $t { self & other }
            fn or(self, other: $t) -> $t { self | other }
            fn xor(self, other: $t) -> $t { self ^ other }
            fn shift_left(self, count: $t) -> $t {
                if count as $unsigned as u64 >= u64::from($t::BITS) { 0 } else { self << count }
            }
            fn shift_right_logical(self, count: $t) -> $t {
                if count as $unsigned as u64 >= u64::from($t::BITS) { 0 } else { (self as $unsigned >> count) as $t }
            }
            fn shift_right_arithmetic(self, count: $t) -> $t {
                let last = ($t::BITS - 1) as $unsigned;
                (self as $signed >> (count as $unsigned).min(last)) as $t
            }
        }
    )* };
}

ints! {
    i8 u8 i8 i8::wrapping_abs, i8::signum;
    i16 u16 i16 i16::wrapping_abs, i16::signum;
    i32 u32 i32 i32::wrapping_abs, i32::signum;
    i64 u64 i64 i64::wrapping_abs, i64::signum;
    u8 u8 i8 |v: u8| v, |v: u8| v.min(1);
    u16 u16 i16 |v: u16| v, |v: u16| v.min(1);
    u32 u32 i32 |v: u32| v, |v: u32| v.min(1);
    u64 u64 i64 |v: u64| v, |v: u64| v.min(1);
}

macro_rules! floats {
    ($($t:ident, $to:expr, $round:expr, $from_int:expr;)*) => { $(
        impl Float for $t {
            fn to_f64(self) -> f64 {
                $to(self)
            }
            fn from_f64(value: f64) -> $t {
                $round(value)
            }
        }

        impl Value for $t {
            fn widen(self) -> Wide {
                Wide::Float(self.to_f64())
            }
            fn narrow(value: Wide) -> $t {
                match value {
                    Wide::Int(v) => $from_int(v),
                    Wide::Float(v) => <$t as Float>::from_f64(v),
                }
            }
            fn greater(self, other: $t) -> $t {
                if self.is_nan() || self > other || (self == other && other.is_sign_negative()) { self } else { other }
            }
            fn lesser(self, other: $t) -> $t {
                if self.is_nan() || self < other || (self == other && self.is_sign_negative()) { self } else { other }
            }
            fn sort_key(self) -> u64 {
                float_sort_key(self.to_f64())
            }
        }
    )* };
}

floats! {
    f16, f16::to_f64, |v| f16::from_f32(to_odd_f32(v)), |v| f16::from_f32(to_odd_f32(int_to_odd_f64(v)));
    bf16, bf16::to_f64, |v| bf16::from_f32(to_odd_f32(v)), |v| bf16::from_f32(to_odd_f32(int_to_odd_f64(v)));
    f32, f64::from, |v: f64| v as f32, |v: i128| v as f32;
    f64, |v: f64| v, |v: f64| v, |v: i128| v as f64;
}

/// `value` rounded to odd: if it is no `f32`, that of its two neighbours whose last bit is 1. To round
/// that to a format with two bits fewer or more gives what rounding `value` at once gives; rounding to
/// nearest twice would not.
/// Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using
/// rounding to odd", IEEE Transactions on Computers 57 (2008).
fn to_odd_f32(value: f64) -> f32 {
    let nearest = value as f32;
    if value.is_nan() || f64::from(nearest) == value {
        return nearest;
    }
    // Bits of one sign ascend with magnitude, so the bits below are the neighbour nearer to zero.
    let beyond = f64::from(nearest).abs() > value.abs();
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}

/// An integer of at most 64 bits as an `f64`, those bits that do not fit kept as one odd bit.
fn int_to_odd_f64(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let dropped = (1 << 11) - 1;
    let kept =
        if magnitude >> 53 == 0 { magnitude } else { (magnitude & !dropped) | (magnitude & dropped).min(1) << 11 };
    let rounded = kept as f64;
    if value < 0 { -rounded } else { rounded }
}

/// See [`Value::sort_key`]. The sign bit is turned over, and for negative values all others too.
fn float_sort_key(value: f64) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    // -0.0 + 0.0 is 0.0.
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// A running sum with the error of each addition carried beside it, so that its own error does not
/// grow with the number of terms.
/// Source: Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54
/// (1974).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    total: f64,
    error: f64,
}

impl Sum {
    pub(super) fn add(&mut self, x: f64) {
        let total = self.total + x;
        // An infinite or NaN total has no error to carry.
        if total.is_finite() {
            let (big, small) = if self.total.abs() >= x.abs() { (self.total, x) } else { (x, self.total) };
            self.error += (big - total) + small;
        } else {
            self.error = 0.0;
        }
        self.total = total;
    }

    pub(super) fn value(self) -> f64 {
        // Adding a zero error would turn nothing but the sign of a zero.
        if self.error == 0.0 { self.total } else { self.total + self.error }
    }
}

/// Ends the process on a dtype that the shape rule lets no primitive of the kind take.
pub(super) fn refused(dtype: DType) -> ! {
    panic!("the shape rule let {dtype} through to a loop that has no meaning for it")
}

macro_rules! dispatch {
    ($dtype:expr, $t:ident => $body:expr; $($yes:ident $ty:ty),*; $($no:ident),*) => {
        match $dtype {
            $($crate::DType::$yes => { type $t = $ty; $body })*
            $($crate::DType::$no => $crate::eval::value::refused($crate::DType::$no),)*
        }
    };
}

/// The expression with `T` the element type of a dtype.
macro_rules! any {
    ($dtype:expr, $t:ident => $body:expr) => {
        $crate::eval::value::dispatch!($dtype, $t => $body; Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8,
            U16 u16, U32 u32, U64 u64, F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64;)
    };
}

/// The expression with `T` the element type of an integer or float dtype.
macro_rules! number {
    ($dtype:expr, $t:ident => $body:expr) => {
        $crate::eval::value::dispatch!($dtype, $t => $body; I8 i8, I16 i16, I32 i32, I64 i64, U8 u8,
            U16 u16, U32 u32, U64 u64, F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64; Bool)
    };
}

/// The expression with `T` the element type of an integer dtype.
macro_rules! int {
    ($dtype:expr, $t:ident => $body:expr) => {
        $crate::eval::value::dispatch!($dtype, $t => $body; I8 i8, I16 i16, I32 i32, I64 i64, U8 u8,
            U16 u16, U32 u32, U64 u64; Bool, F16, BF16, F32, F64)
    };
}

/// The expression with `T` the element type of a float dtype.
macro_rules! float {
    ($dtype:expr, $t:ident => $body:expr) => {
        $crate::eval::value::dispatch!($dtype, $t => $body; F16 $crate::f16, BF16 $crate::bf16, F32 f32,
            F64 f64; Bool, I8, I16, I32, I64, U8, U16, U32, U64)
    };
}

pub(super) use {any, dispatch, float, int, number};

#[cfg(test)]
mod tests {
    use super::*;

    /// That every midpoint of neighbours, and the `f64`s beside it, round to the right one of them.
    fn assert_rounds_at_midpoints<T: Float>(finite_bits: u64) {
        for bits in 0..finite_bits {
            let (lo, hi) = (T::from_bits(bits), T::from_bits(bits + 1));
            let (a, b) = (lo.to_f64(), hi.to_f64());
            if b.is_infinite() {
                continue;
            }
            let middle = a + (b - a) / 2.0;
            let even = if bits % 2 == 0 { lo } else { hi };
            let (below, above) = (f64::from_bits(middle.to_bits() - 1), f64::from_bits(middle.to_bits() + 1));
            for (x, want) in [(a, lo), (below, lo), (middle, even), (above, hi)] {
                assert_eq!(T::from_f64(x), want, "{x:e}");
                assert_eq!(T::from_f64(-x).to_f64(), -want.to_f64(), "{x:e}");
            }
        }
    }

    #[test]
    fn half_floats_are_rounded_once() {
        assert_rounds_at_midpoints::<f16>(0x7c00);
        assert_rounds_at_midpoints::<bf16>(0x7f80);
    }

    #[test]
    fn rounding_overflows_at_half_a_unit_above_the_greatest() {
        assert_eq!(<f16 as Float>::from_f64(65519.999), f16::MAX);
        assert_eq!(<f16 as Float>::from_f64(65520.0), f16::INFINITY);
        assert_eq!(<f16 as Float>::from_f64(-1e300), f16::NEG_INFINITY);
        assert_eq!(<bf16 as Float>::from_f64(3.39e38), bf16::MAX);
        assert_eq!(<bf16 as Float>::from_f64(f64::MAX), bf16::INFINITY);
        assert!(<f16 as Float>::from_f64(f64::NAN).is_nan());
        assert!(<f16 as Float>::from_f64(-5e-324).is_sign_negative());
    }

    #[test]
    fn integers_round_once_to_half_floats() {
        // Half a unit of a bf16 at 2^62 is 2^54; one more must round up, though an f64 cannot hold it.
        let tie = (1_i128 << 62) + (1 << 54);
        assert_eq!(bf16::narrow(Wide::Int(tie)).to_f64(), 2f64.powi(62));
        assert_eq!(bf16::narrow(Wide::Int(tie + 1)).to_f64(), 2f64.powi(62) + 2f64.powi(55));
        assert_eq!(bf16::narrow(Wide::Int(-tie - 1)).to_f64(), -(2f64.powi(62) + 2f64.powi(55)));
        assert_eq!(f16::narrow(Wide::Int(2049)).to_f64(), 2048.0);
        assert_eq!(f16::narrow(Wide::Int(i128::from(u64::MAX))), f16::INFINITY);
    }

    #[test]
    fn a_sum_keeps_small_terms_between_large_ones() {
        let total = |terms: &[f64]| {
            let mut sum = Sum::default();
            terms.iter().for_each(|&x| sum.add(x));
            sum.value()
        };
        assert_eq!(total(&[1e100, 1.0, -1e100, 1.0]), 2.0);
        assert_eq!(total(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(total(&[f64::INFINITY, f64::NEG_INFINITY, 1.0]).is_nan());
        assert!(total(&[-0.0]).is_sign_positive());
        assert_eq!(total(&[f64::MAX, f64::MAX, -f64::MAX]), f64::INFINITY);
    }
}
