//! Elements as numbers, and loops over the elements of arrays.

use crate::{Array, Element, bf16, f16};

/// A float dtype's element; arithmetic is in `f64`, which holds every value exactly.
pub(super) trait Float: Element {
    fn to_f64(self) -> f64;
    /// Rounded to nearest, ties to even.
    fn from_f64(value: f64) -> Self;
}

/// An integer dtype's element.
pub(super) trait Int: Element + Ord + std::hash::Hash {
    const BITS: u32;
    const MIN: Self;
    const ZERO: Self;
    const ONE: Self;
    fn to_i128(self) -> i128;
    /// The value modulo 2 to the number of bits.
    fn wrapped(value: i128) -> Self;
    /// The bits, zero-extended.
    fn zero_extended(self) -> u64;
}

macro_rules! floats {
    ($($t:ty: $to:expr, $from:expr;)*) => {$(
        impl Float for $t {
            fn to_f64(self) -> f64 {
                let to: fn($t) -> f64 = $to;
                to(self)
            }
            fn from_f64(value: f64) -> $t {
                let from: fn(f64) -> $t = $from;
                from(value)
            }
        }
    )*};
}
floats! {
    f16: f16::to_f64, f16::from_f64;
    bf16: bf16::to_f64, bf16::from_f64;
    f32: f64::from, |v| v as f32;
    f64: |v| v, |v| v;
}

macro_rules! ints {
    ($($t:ty)*) => {$(
        impl Int for $t {
            const BITS: u32 = <$t>::BITS;
            const MIN: $t = <$t>::MIN;
            const ZERO: $t = 0;
            const ONE: $t = 1;
            fn to_i128(self) -> i128 {
                self as i128
            }
            fn wrapped(value: i128) -> $t {
                value as $t
            }
            fn zero_extended(self) -> u64 {
                self.to_scalar().bits()
            }
        }
    )*};
}
ints!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Runs a body with `$t` bound to the element type of a float or an integer dtype, or of `bool`.
macro_rules! by_kind {
    ($dtype:expr, bool => $b:expr, int $i:ident => $int:expr, float $f:ident => $float:expr) => {{
        macro_rules! int {
            ($ty:ty) => {{
                type $i = $ty;
                $int
            }};
        }
        macro_rules! float {
            ($ty:ty) => {{
                type $f = $ty;
                $float
            }};
        }
        match $dtype {
            $crate::DType::Bool => $b,
            $crate::DType::I8 => int!(i8),
            $crate::DType::I16 => int!(i16),
            $crate::DType::I32 => int!(i32),
            $crate::DType::I64 => int!(i64),
            $crate::DType::U8 => int!(u8),
            $crate::DType::U16 => int!(u16),
            $crate::DType::U32 => int!(u32),
            $crate::DType::U64 => int!(u64),
            $crate::DType::F16 => float!($crate::f16),
            $crate::DType::BF16 => float!($crate::bf16),
            $crate::DType::F32 => float!(f32),
            $crate::DType::F64 => float!(f64),
        }
    }};
}
pub(super) use by_kind;

/// Runs a body with `$t` bound to the element type of any dtype.
macro_rules! by_dtype {
    ($dtype:expr, $t:ident => $body:expr) => {
        $crate::oracle::numbers::by_kind!($dtype,
            bool => {
                type $t = bool;
                $body
            },
            int $t => $body,
            float $t => $body)
    };
}
pub(super) use by_dtype;

/// The elements, of a type that the caller has matched on.
pub(super) fn elements<T: Element>(x: &Array) -> &[T] {
    x.as_slice().expect("the dtype was matched on")
}

/// The array of that shape with these values.
pub(super) fn array<T: Element>(shape: &[usize], values: Vec<T>) -> Array {
    Array::from_vec(shape, values).expect("as many values as the shape has")
}

/// `f` of each element.
pub(super) fn map<T: Element, U: Element>(x: &Array, f: impl Fn(T) -> U) -> Array {
    array(x.shape(), elements::<T>(x).iter().map(|&x| f(x)).collect())
}

/// `f` of each pair of elements.
pub(super) fn zip<T: Element, U: Element>(x: &Array, y: &Array, f: impl Fn(T, T) -> U) -> Array {
    let pairs = elements::<T>(x).iter().zip(elements::<T>(y));
    array(x.shape(), pairs.map(|(&x, &y)| f(x, y)).collect())
}

/// The row-major strides of a shape, in elements.
pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    strides
}

/// Calls `f` with every index of a shape, in row-major order.
pub(super) fn for_each_index(shape: &[usize], mut f: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut index = vec![0; shape.len()];
    loop {
        f(&index);
        let mut axis = shape.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// The offset of an index.
pub(super) fn offset(index: &[usize], strides: &[usize]) -> usize {
    index.iter().zip(strides).map(|(i, s)| i * s).sum()
}
