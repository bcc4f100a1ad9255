//! `Tensor`: a value inside a traced function, and the recording of operations on it.
//!
//! A tensor is a trace's number and an index, so it is `Copy`. Operations are methods, free functions
//! and operators; the facade adds what the IR lacks: broadcasting as in NumPy, numbers on either side
//! of an operator, negative axes.

use crate::Array;
use crate::error::ErrorKind;
use crate::trace::{self, Place, emit1};
use jx_ir::{BinaryOp, CompareOp, DType, DTypeKind, Prim, Scalar, TensorType, UnaryOp};
use std::ops;
use std::panic::Location;

/// A value inside a function that is being traced. It has a static type, but no elements yet.
///
/// It is `Copy`, so `x * x + b` needs neither `&` nor `clone`. Operators and methods record an operation;
/// a mistake (shapes that do not broadcast, say) is reported by the `call` that traced the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub(crate) trace: u64,
    pub(crate) index: u32,
}

impl Tensor {
    /// What a failed operation returns.
    pub(crate) const POISON: Tensor = Tensor { trace: 0, index: u32::MAX };

    pub(crate) fn is_poison(self) -> bool {
        self.trace == 0
    }

    /// Its type. After a mistake in the same function it may be that of a scalar `f32`: the call fails anyway.
    #[must_use]
    pub fn ty(self) -> TensorType {
        trace::type_of(self).unwrap_or_else(|| TensorType::scalar(DType::F32))
    }

    /// The extent of each axis.
    #[must_use]
    pub fn shape(self) -> Vec<usize> {
        self.ty().shape
    }

    /// The number of axes.
    #[must_use]
    pub fn rank(self) -> usize {
        self.ty().rank()
    }

    /// Its element type.
    #[must_use]
    pub fn dtype(self) -> DType {
        trace::dtype_of(self).unwrap_or(DType::F32)
    }
}

/// What an operation takes beside a tensor: another tensor, an array, or a number, which takes the
/// tensor's dtype.
pub trait IntoTensor {
    /// The value as a tensor that goes with `like`.
    fn into_tensor(self, like: Tensor, op: &'static str, place: Place) -> Tensor;
}

impl IntoTensor for Tensor {
    fn into_tensor(self, _: Tensor, _: &'static str, _: Place) -> Tensor {
        self
    }
}

impl IntoTensor for &Array {
    fn into_tensor(self, _: Tensor, _: &'static str, place: Place) -> Tensor {
        trace::lift_array(self, place)
    }
}

/// The array as a tensor of the function that is being traced: a captured input, not a copy in the program.
///
/// ```
/// use jx::prelude::*;
/// let table = Array::from([10.0_f32, 20.0, 30.0]);
/// let f = jit(move |x: Tensor| x + tensor(&table));
/// assert_eq!(f.call([1.0_f32, 2.0, 3.0])?.to_vec::<f32>()?, [11.0, 22.0, 33.0]);
/// # Ok::<(), jx::Error>(())
/// ```
#[track_caller]
pub fn tensor(array: &Array) -> Tensor {
    trace::lift_array(array, Location::caller())
}

/// A scalar tensor of that dtype.
#[track_caller]
pub fn scalar(dtype: DType, value: f64) -> Tensor {
    full(&[], dtype, value)
}

/// A tensor of that shape whose every element is `value`, rounded to the dtype.
#[track_caller]
pub fn full(shape: &[usize], dtype: DType, value: f64) -> Tensor {
    let prim = Prim::Full { value: Scalar::from_f64(dtype, value), shape: shape.to_vec() };
    emit1(prim, &[], Location::caller())
}

/// A Rust number as a [`Scalar`] of a dtype that can hold it.
pub(crate) fn number_to_scalar(dtype: DType, float: f64, int: Option<i128>) -> Option<Scalar> {
    match dtype.kind() {
        DTypeKind::Float => Some(Scalar::from_f64(dtype, float)),
        DTypeKind::Bool => None,
        DTypeKind::Signed | DTypeKind::Unsigned => {
            let int =
                int.or_else(|| (float.fract() == 0.0 && float.abs() < 2.0_f64.powi(63)).then_some(float as i128))?;
            let scalar = Scalar::from_bits(dtype, int as u64);
            let back = match dtype.kind() {
                DTypeKind::Signed => i128::from(scalar.as_i64()),
                DTypeKind::Unsigned | DTypeKind::Bool | DTypeKind::Float => i128::from(scalar.bits()),
            };
            (back == int).then_some(scalar)
        }
    }
}

pub(crate) fn number_like(
    like: Tensor,
    float: f64,
    int: Option<i128>,
    shown: String,
    op: &'static str,
    place: Place,
) -> Tensor {
    let Some(dtype) = trace::dtype_of(like) else {
        return trace::unusable(like, op, place);
    };
    match number_to_scalar(dtype, float, int) {
        Some(value) => emit1(Prim::Full { value, shape: Vec::new() }, &[], place),
        None => {
            trace::fail_on(ErrorKind::ScalarValue { op, value: shown, dtype }, place, &[like]);
            Tensor::POISON
        }
    }
}

macro_rules! number_into_tensor {
    ($($t:ty => $float:expr, $int:expr;)*) => {$(
        impl IntoTensor for $t {
            fn into_tensor(self, like: Tensor, op: &'static str, place: Place) -> Tensor {
                let (float, int): (fn($t) -> f64, fn($t) -> Option<i128>) = ($float, $int);
                number_like(like, float(self), int(self), format!("{self:?}"), op, place)
            }
        }
    )*};
}
number_into_tensor! {
    f32 => |x| f64::from(x), |_| None;
    f64 => |x| x, |_| None;
    jx_ir::f16 => |x| x.to_f64(), |_| None;
    jx_ir::bf16 => |x| x.to_f64(), |_| None;
    i8 => |x| f64::from(x), |x| Some(i128::from(x));
    i16 => |x| f64::from(x), |x| Some(i128::from(x));
    i32 => |x| f64::from(x), |x| Some(i128::from(x));
    i64 => |x| x as f64, |x| Some(i128::from(x));
    u8 => |x| f64::from(x), |x| Some(i128::from(x));
    u16 => |x| f64::from(x), |x| Some(i128::from(x));
    u32 => |x| f64::from(x), |x| Some(i128::from(x));
    u64 => |x| x as f64, |x| Some(i128::from(x));
    usize => |x| x as f64, |x| i128::try_from(x).ok();
}

/// The shape that two shapes broadcast to, aligned from the right; extents must be equal or 1.
fn broadcast_shape(lhs: &TensorType, rhs: &TensorType, op: &'static str) -> Result<Vec<usize>, ErrorKind> {
    let rank = lhs.rank().max(rhs.rank());
    let extent = |ty: &TensorType, axis: usize| (axis + ty.rank()).checked_sub(rank).map_or(1, |a| ty.shape[a]);
    (0..rank)
        .map(|axis| match (extent(lhs, axis), extent(rhs, axis)) {
            (n, m) if n == m || m == 1 => Ok(n),
            (1, m) => Ok(m),
            (left, right) => {
                let (lhs, rhs) = (lhs.clone(), rhs.clone());
                Err(ErrorKind::Broadcast { op, lhs, rhs, axis: rank - axis, left, right })
            }
        })
        .collect()
}

/// `x` broadcast to a shape that it broadcasts to.
fn broadcast_aligned(x: Tensor, ty: &TensorType, shape: &[usize], place: Place) -> Tensor {
    if ty.shape == shape {
        return x;
    }
    let broadcast_dimensions = (shape.len() - ty.rank()..shape.len()).collect();
    emit1(Prim::BroadcastInDim { shape: shape.to_vec(), broadcast_dimensions }, &[x], place)
}

/// Tensors of one dtype broadcast against each other. On a mistake, kept with the operands as the user
/// wrote them, all are poisoned.
pub(crate) fn broadcast_together<const N: usize>(xs: [Tensor; N], op: &'static str, place: Place) -> [Tensor; N] {
    let mut types = Vec::with_capacity(N);
    for &x in &xs {
        match trace::type_of(x) {
            Some(ty) => types.push(ty),
            None => {
                trace::unusable(x, op, place);
                return [Tensor::POISON; N];
            }
        }
    }
    let mut shape = types[0].shape.clone();
    for ty in &types[1..] {
        match broadcast_shape(&TensorType::new(types[0].dtype, shape), ty, op) {
            Ok(wider) => shape = wider,
            Err(kind) => {
                trace::fail_on(kind, place, &xs);
                return [Tensor::POISON; N];
            }
        }
    }
    let mut out = xs;
    for (x, ty) in out.iter_mut().zip(&types) {
        *x = broadcast_aligned(*x, ty, &shape, place);
    }
    out
}

/// Keeps an error unless the two have one dtype; whether they have.
pub(crate) fn require_one_dtype(x: Tensor, y: Tensor, op: &'static str, place: Place) -> bool {
    let (Some(lhs), Some(rhs)) = (trace::type_of(x), trace::type_of(y)) else { return true };
    if lhs.dtype != rhs.dtype {
        let rhs_dtype = rhs.dtype;
        trace::fail_on(ErrorKind::DTypes { op, lhs, rhs, rhs_dtype }, place, &[x, y]);
        return false;
    }
    true
}

pub(crate) fn unary(op: UnaryOp, x: Tensor, place: Place) -> Tensor {
    emit1(Prim::Unary(op), &[x], place)
}

/// An elementwise primitive of two operands, broadcast.
fn elementwise2(prim: Prim, x: Tensor, y: Tensor, place: Place) -> Tensor {
    let op = prim.name();
    if !require_one_dtype(x, y, op, place) {
        return Tensor::POISON;
    }
    let [x, y] = broadcast_together([x, y], op, place);
    emit1(prim, &[x, y], place)
}

pub(crate) fn binary(op: BinaryOp, x: Tensor, y: impl IntoTensor, place: Place) -> Tensor {
    let y = y.into_tensor(x, op.name(), place);
    elementwise2(Prim::Binary(op), x, y, place)
}

pub(crate) fn compare(op: CompareOp, x: Tensor, y: impl IntoTensor, place: Place) -> Tensor {
    let y = y.into_tensor(x, op.name(), place);
    elementwise2(Prim::Compare(op), x, y, place)
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $op:ident [$($t:ty),*];)*) => {$(
        impl<Y: IntoTensor> ops::$trait<Y> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: Y) -> Tensor {
                binary(BinaryOp::$op, self, rhs, Location::caller())
            }
        }
        impl<Y: IntoTensor> ops::$assign<Y> for Tensor {
            #[track_caller]
            fn $assign_method(&mut self, rhs: Y) {
                *self = binary(BinaryOp::$op, *self, rhs, Location::caller());
            }
        }
        operators!(@left $trait $method $op $($t)*);
    )*};
    (@left $trait:ident $method:ident $op:ident $($t:ty)*) => {$(
        impl ops::$trait<Tensor> for $t {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: Tensor) -> Tensor {
                let place = Location::caller();
                let lhs = self.into_tensor(rhs, BinaryOp::$op.name(), place);
                binary(BinaryOp::$op, lhs, rhs, place)
            }
        }
    )*};
}
operators! {
    Add add AddAssign add_assign Add [f32, f64, jx_ir::f16, jx_ir::bf16, i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
    Sub sub SubAssign sub_assign Sub [f32, f64, jx_ir::f16, jx_ir::bf16, i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
    Mul mul MulAssign mul_assign Mul [f32, f64, jx_ir::f16, jx_ir::bf16, i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
    Div div DivAssign div_assign Div [f32, f64, jx_ir::f16, jx_ir::bf16, i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
    Rem rem RemAssign rem_assign Rem [f32, f64, jx_ir::f16, jx_ir::bf16, i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
    BitAnd bitand BitAndAssign bitand_assign And [i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
    BitOr bitor BitOrAssign bitor_assign Or [i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
    BitXor bitxor BitXorAssign bitxor_assign Xor [i8, i16, i32, i64, u8, u16, u32, u64, usize, &Array];
}

impl ops::Neg for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        unary(UnaryOp::Neg, self, Location::caller())
    }
}

impl ops::Not for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn not(self) -> Tensor {
        unary(UnaryOp::Not, self, Location::caller())
    }
}

/// An axis counted from 0, from one that may count from the end; `None` out of range.
pub(crate) fn axis_from_zero(axis: i64, rank: usize) -> Option<usize> {
    let from_zero = if axis < 0 { axis.checked_add(i64::try_from(rank).ok()?)? } else { axis };
    usize::try_from(from_zero).ok().filter(|&a| a < rank)
}
