//! What operations take beside tensors: numbers and arrays on either side, and lists of integers.

use crate::error::ErrorKind;
use crate::tensor::IntoTensor;
use crate::trace::{self, Place, emit1};
use crate::{Array, Tensor};
use jx_ir::{DType, Prim, Scalar};

/// An operand on either side of a function: a tensor, an array, or a number, which takes the dtype of
/// the operand beside it. At least one operand of a function is no number.
pub trait Value: IntoTensor {
    /// The tensor that it is, unless it is a number.
    #[doc(hidden)]
    fn as_tensor(&self, place: Place) -> Option<Tensor>;
}

impl Value for Tensor {
    fn as_tensor(&self, _: Place) -> Option<Tensor> {
        Some(*self)
    }
}

impl Value for &Array {
    fn as_tensor(&self, place: Place) -> Option<Tensor> {
        Some(trace::lift_array(self, place))
    }
}

macro_rules! number_operand {
    ($($t:ty),*) => {$(
        impl Value for $t {
            fn as_tensor(&self, _: Place) -> Option<Tensor> {
                None
            }
        }
    )*};
}
number_operand!(bool, i8, i16, i32, i64, u8, u16, u32, u64, usize, jx_ir::f16, jx_ir::bf16, f32, f64);

impl IntoTensor for bool {
    fn into_tensor(self, like: Tensor, op: &'static str, place: Place) -> Tensor {
        match trace::dtype_of(like) {
            None => trace::unusable(like, op, place),
            Some(DType::Bool) => {
                let value = Scalar::from_i64(DType::Bool, i64::from(self));
                emit1(Prim::Full { value, shape: Vec::new() }, &[], place)
            }
            Some(dtype) => {
                trace::fail_on(ErrorKind::ScalarValue { op, value: self.to_string(), dtype }, place, &[like]);
                Tensor::POISON
            }
        }
    }
}

/// Both operands as tensors, a number taking the other's dtype.
pub(crate) fn pair(x: impl Value, y: impl Value, op: &'static str, place: Place) -> [Tensor; 2] {
    match (x.as_tensor(place), y.as_tensor(place)) {
        (Some(x), _) => [x, y.into_tensor(x, op, place)],
        (None, Some(y)) => [x.into_tensor(y, op, place), y],
        (None, None) => {
            let message = "both operands are numbers, which have no dtype of their own; \
                           make one a tensor, for example `scalar(DType::F32, 1.0)`";
            [super::mistake(op, message.to_owned(), place, &[]); 2]
        }
    }
}

/// One integer or a list of them: axes, which may be negative, or the extents of a shape.
///
/// Integers are `i32`, `i64` or `usize`; lists are arrays, slices or vectors of these. `()` is the empty list.
pub trait Ints {
    /// The integers in order.
    fn to_ints(&self) -> Vec<i64>;
}

impl Ints for () {
    fn to_ints(&self) -> Vec<i64> {
        Vec::new()
    }
}

/// An integer beyond `i64` is no axis or extent; the greatest one is refused by every shape.
fn saturate<T: TryInto<i64>>(value: T) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

macro_rules! ints {
    ($($t:ty),*) => {$(
        impl Ints for $t {
            fn to_ints(&self) -> Vec<i64> {
                vec![saturate(*self)]
            }
        }
        impl Ints for [$t] {
            fn to_ints(&self) -> Vec<i64> {
                self.iter().map(|&i| saturate(i)).collect()
            }
        }
        impl<const N: usize> Ints for [$t; N] {
            fn to_ints(&self) -> Vec<i64> {
                self.as_slice().to_ints()
            }
        }
        impl Ints for Vec<$t> {
            fn to_ints(&self) -> Vec<i64> {
                self.as_slice().to_ints()
            }
        }
    )*};
}
ints!(i32, i64, usize);

impl<T: Ints + ?Sized> Ints for &T {
    fn to_ints(&self) -> Vec<i64> {
        (**self).to_ints()
    }
}
