//! `Array`: a tensor's values on the host, dense and row-major.

use crate::error::element_count;
use crate::{DType, Scalar, TensorType};
use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is an element of a dtype: `bool`, the integers, `f16`, `bf16`, `f32`, `f64`.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The dtype that it is an element of.
    const DTYPE: DType;
    /// The value as a [`Scalar`], bit for bit.
    fn to_scalar(self) -> Scalar;
    /// The value of a scalar of this dtype; bits are taken as they are.
    fn from_bits(bits: u64) -> Self;
    #[doc(hidden)]
    fn wrap(data: Arc<Vec<Self>>) -> Data;
    #[doc(hidden)]
    fn peek(data: &Data) -> Option<&Arc<Vec<Self>>>;
    #[doc(hidden)]
    fn peek_mut(data: &mut Data) -> Option<&mut Arc<Vec<Self>>>;
}

macro_rules! elements {
    ($($variant:ident $t:ty, $to_bits:expr, $from_bits:expr, $le:expr, $from_le:expr, $n:literal;)*) => {
        /// The storage of an [`Array`]: one vector per dtype, shared between clones.
        #[doc(hidden)]
        #[derive(Clone)]
        pub enum Data { $($variant(Arc<Vec<$t>>),)* }

        impl Data {
            fn dtype(&self) -> DType {
                match self { $(Data::$variant(_) => DType::$variant,)* }
            }
            fn len(&self) -> usize {
                match self { $(Data::$variant(v) => v.len(),)* }
            }
            fn get(&self, i: usize) -> Scalar {
                match self { $(Data::$variant(v) => v[i].to_scalar(),)* }
            }
            fn shares_storage(&self, other: &Data) -> bool {
                match (self, other) {
                    $((Data::$variant(a), Data::$variant(b)) => Arc::ptr_eq(a, b),)*
                    _ => false,
                }
            }
            fn fill(value: Scalar, n: usize) -> Data {
                match value.dtype() {
                    $(DType::$variant => Data::$variant(Arc::new(vec![<$t as Element>::from_bits(value.bits()); n])),)*
                }
            }
            fn to_le_bytes(&self) -> Vec<u8> {
                match self { $(Data::$variant(v) => v.iter().flat_map(|&x| $le(x)).collect(),)* }
            }
            fn from_le_bytes(dtype: DType, bytes: &[u8]) -> Data {
                match dtype {
                    $(DType::$variant => Data::$variant(Arc::new(
                        bytes.as_chunks::<$n>().0.iter().map(|&c| $from_le(c)).collect(),
                    )),)*
                }
            }
            fn from_scalars(dtype: DType, values: impl Iterator<Item = Scalar>) -> Data {
                match dtype {
                    $(DType::$variant => Data::$variant(Arc::new(
                        values.map(|s| <$t as Element>::from_bits(s.bits())).collect(),
                    )),)*
                }
            }
        }

        $(
            impl sealed::Sealed for $t {}
            impl Element for $t {
                const DTYPE: DType = DType::$variant;
                fn to_scalar(self) -> Scalar { Scalar::from_bits(DType::$variant, $to_bits(self)) }
                fn from_bits(bits: u64) -> $t { $from_bits(bits) }
                fn wrap(data: Arc<Vec<$t>>) -> Data { Data::$variant(data) }
                fn peek(data: &Data) -> Option<&Arc<Vec<$t>>> {
                    if let Data::$variant(v) = data { Some(v) } else { None }
                }
                fn peek_mut(data: &mut Data) -> Option<&mut Arc<Vec<$t>>> {
                    if let Data::$variant(v) = data { Some(v) } else { None }
                }
            }
        )*
    };
}

elements! {
    Bool bool, |x: bool| u64::from(x), |b: u64| b != 0, |x: bool| [u8::from(x)], |c: [u8; 1]| c[0] != 0, 1;
    I8 i8, |x: i8| u64::from(x as u8), |b: u64| b as i8, i8::to_le_bytes, i8::from_le_bytes, 1;
    I16 i16, |x: i16| u64::from(x as u16), |b: u64| b as i16, i16::to_le_bytes, i16::from_le_bytes, 2;
    I32 i32, |x: i32| u64::from(x as u32), |b: u64| b as i32, i32::to_le_bytes, i32::from_le_bytes, 4;
    I64 i64, |x: i64| x as u64, |b: u64| b as i64, i64::to_le_bytes, i64::from_le_bytes, 8;
    U8 u8, |x: u8| u64::from(x), |b: u64| b as u8, u8::to_le_bytes, u8::from_le_bytes, 1;
    U16 u16, |x: u16| u64::from(x), |b: u64| b as u16, u16::to_le_bytes, u16::from_le_bytes, 2;
    U32 u32, |x: u32| u64::from(x), |b: u64| b as u32, u32::to_le_bytes, u32::from_le_bytes, 4;
    U64 u64, |x: u64| x, |b: u64| b, u64::to_le_bytes, u64::from_le_bytes, 8;
    F16 f16, |x: f16| u64::from(x.to_bits()), |b: u64| f16::from_bits(b as u16), f16::to_le_bytes, f16::from_le_bytes, 2;
    BF16 bf16, |x: bf16| u64::from(x.to_bits()), |b: u64| bf16::from_bits(b as u16), bf16::to_le_bytes, bf16::from_le_bytes, 2;
    F32 f32, |x: f32| u64::from(x.to_bits()), |b: u64| f32::from_bits(b as u32), f32::to_le_bytes, f32::from_le_bytes, 4;
    F64 f64, |x: f64| x.to_bits(), f64::from_bits, f64::to_le_bytes, f64::from_le_bytes, 8;
}

/// Why values do not make an [`Array`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArrayError {
    /// The count of values is not the product of the shape.
    #[error("{ty} has {} elements, but {found} were given", element_count(&ty.shape))]
    Length {
        /// The type that was asked for.
        ty: TensorType,
        /// How many values came.
        found: usize,
    },
    /// The count of bytes is not that of the type.
    #[error("{ty} has {} elements of {} bytes, but {found} bytes were given", element_count(&ty.shape), ty.dtype.size_bytes())]
    Bytes {
        /// The type that was asked for.
        ty: TensorType,
        /// How many bytes came.
        found: usize,
    },
}

/// A tensor's values on the host: dense, row-major, of one dtype. Clones share storage.
///
/// Equality and order are of types and then of bits, so `-0.0` differs from `0.0` and a NaN equals itself.
///
/// ```
/// use jx_ir::Array;
/// let a = Array::from_vec([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(a.ty().to_string(), "f32[2,2]");
/// assert_eq!(a.as_slice::<f32>(), Some(&[1.0, 2.0, 3.0, 4.0][..]));
/// assert_eq!(a.as_slice::<f64>(), None);
/// # Ok::<(), jx_ir::ArrayError>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct Array {
    shape: Vec<usize>,
    data: Data,
}

impl Array {
    /// The array of that shape with `values` in row-major order.
    ///
    /// # Errors
    /// If the shape's product is not the number of values.
    pub fn from_vec<T: Element>(shape: impl Into<Vec<usize>>, values: Vec<T>) -> Result<Array, ArrayError> {
        let ty = TensorType::new(T::DTYPE, shape);
        if ty.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d)) != Some(values.len()) {
            return Err(ArrayError::Length { ty, found: values.len() });
        }
        Ok(Array { shape: ty.shape, data: T::wrap(Arc::new(values)) })
    }

    /// A rank-0 array.
    #[must_use]
    pub fn scalar<T: Element>(value: T) -> Array {
        Array { shape: Vec::new(), data: T::wrap(Arc::new(vec![value])) }
    }

    /// A rank-0 array of a [`Scalar`].
    #[must_use]
    pub fn from_scalar(value: Scalar) -> Array {
        Array { shape: Vec::new(), data: Data::fill(value, 1) }
    }

    /// The array of that shape whose every element is `value`.
    #[must_use]
    pub fn full(shape: impl Into<Vec<usize>>, value: Scalar) -> Array {
        let shape = shape.into();
        let n = shape.iter().product();
        Array { data: Data::fill(value, n), shape }
    }

    /// The zeros of a type.
    #[must_use]
    pub fn zeros(ty: &TensorType) -> Array {
        Array::full(ty.shape.clone(), Scalar::zero(ty.dtype))
    }

    /// The array of type `ty` with `values` in row-major order; each is taken by its bits.
    ///
    /// # Errors
    /// If the type's element count is not the number of values.
    pub fn from_scalars(ty: &TensorType, values: impl Iterator<Item = Scalar>) -> Result<Array, ArrayError> {
        let data = Data::from_scalars(ty.dtype, values);
        if data.len() != ty.n_elements() {
            return Err(ArrayError::Length { ty: ty.clone(), found: data.len() });
        }
        Ok(Array { shape: ty.shape.clone(), data })
    }

    /// The array of type `ty` from its little-endian, row-major bytes; `bool` takes a byte an element.
    ///
    /// # Errors
    /// If the number of bytes is not that of the type.
    pub fn from_le_bytes(ty: &TensorType, bytes: &[u8]) -> Result<Array, ArrayError> {
        let want = ty.shape.iter().try_fold(ty.dtype.size_bytes(), |n, &d| n.checked_mul(d));
        if want != Some(bytes.len()) {
            return Err(ArrayError::Bytes { ty: ty.clone(), found: bytes.len() });
        }
        Ok(Array { shape: ty.shape.clone(), data: Data::from_le_bytes(ty.dtype, bytes) })
    }

    /// Its little-endian, row-major bytes.
    #[must_use]
    pub fn to_le_bytes(&self) -> Vec<u8> {
        self.data.to_le_bytes()
    }

    /// Its element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.data.dtype()
    }

    /// The extent of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its type.
    #[must_use]
    pub fn ty(&self) -> TensorType {
        TensorType { dtype: self.dtype(), shape: self.shape.clone() }
    }

    /// Whether it is of that type; no allocation.
    #[must_use]
    pub fn is_of(&self, ty: &TensorType) -> bool {
        self.dtype() == ty.dtype && self.shape == ty.shape
    }

    /// The number of elements.
    #[must_use]
    pub fn n_elements(&self) -> usize {
        self.data.len()
    }

    /// Its elements in row-major order, if they are of type `T`.
    #[must_use]
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        T::peek(&self.data).map(|v| v.as_slice())
    }

    /// Its elements to write to, if they are of type `T`; copied first if shared with another array.
    #[must_use]
    pub fn as_mut_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        T::peek_mut(&mut self.data).map(|v| Arc::make_mut(v).as_mut_slice())
    }

    /// Its elements to write to, if they are of type `T` and no other array shares them.
    #[must_use]
    pub fn as_unique_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        T::peek_mut(&mut self.data).and_then(Arc::get_mut).map(Vec::as_mut_slice)
    }

    /// Its elements in row-major order, if they are of type `T`; moved out where nothing shares them.
    #[must_use]
    pub fn into_vec<T: Element>(mut self) -> Option<Vec<T>> {
        let data = T::peek_mut(&mut self.data)?;
        Some(std::mem::take(Arc::make_mut(data)))
    }

    /// Whether both have the same storage: clones or reshapes of one array.
    #[must_use]
    pub fn shares_storage(&self, other: &Array) -> bool {
        self.data.shares_storage(&other.data)
    }

    /// Element `i` in row-major order.
    ///
    /// # Panics
    /// If there are no more than `i` elements.
    #[must_use]
    pub fn get(&self, i: usize) -> Scalar {
        self.data.get(i)
    }

    /// Its elements in row-major order.
    pub fn scalars(&self) -> impl ExactSizeIterator<Item = Scalar> + '_ {
        (0..self.n_elements()).map(|i| self.data.get(i))
    }

    /// Its elements in row-major order as `f64`; see [`Scalar::as_f64`].
    #[must_use]
    pub fn to_f64_vec(&self) -> Vec<f64> {
        self.scalars().map(Scalar::as_f64).collect()
    }

    /// The same elements under another shape; storage is shared.
    ///
    /// # Errors
    /// If the shape's product is not the number of elements.
    pub fn reshaped(&self, shape: impl Into<Vec<usize>>) -> Result<Array, ArrayError> {
        let ty = TensorType::new(self.dtype(), shape);
        if ty.n_elements() != self.n_elements() {
            return Err(ArrayError::Length { ty, found: self.n_elements() });
        }
        Ok(Array { shape: ty.shape, data: self.data.clone() })
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Array {}
impl PartialOrd for Array {
    fn partial_cmp(&self, other: &Array) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Array {
    fn cmp(&self, other: &Array) -> Ordering {
        self.dtype()
            .cmp(&other.dtype())
            .then_with(|| self.shape.cmp(&other.shape))
            .then_with(|| self.scalars().map(Scalar::bits).cmp(other.scalars().map(Scalar::bits)))
    }
}
impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.dtype().hash(state);
        self.shape.hash(state);
        for s in self.scalars() {
            s.bits().hash(state);
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{}", self.ty())
    }
}

impl fmt::Display for Array {
    /// Nested lists, as in NumPy; the middle of an axis of more than 8 entries prints as `…`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn axis(a: &Array, f: &mut fmt::Formatter<'_>, depth: usize, offset: usize, stride: usize) -> fmt::Result {
            let Some(&n) = a.shape.get(depth) else { return write!(f, "{}", a.get(offset)) };
            // Without elements there may be any number of axes and entries, which hold nothing.
            if stride == 0 {
                return f.write_str("[]");
            }
            let step = stride / n;
            let hidden = if n > 8 { 3..n - 3 } else { n..n };
            f.write_str("[")?;
            for i in (0..hidden.start).chain(hidden.end..n) {
                if i > 0 {
                    f.write_str(if i == hidden.end { ", …, " } else { ", " })?;
                }
                axis(a, f, depth + 1, offset + i * step, step)?;
            }
            f.write_str("]")
        }
        axis(self, f, 0, 0, self.n_elements())
    }
}

/// The serialised form of an [`Array`]: its type and its little-endian bytes.
#[derive(Serialize, Deserialize)]
struct Wire {
    ty: TensorType,
    bytes: Vec<u8>,
}

impl From<Array> for Wire {
    fn from(a: Array) -> Wire {
        Wire { ty: a.ty(), bytes: a.to_le_bytes() }
    }
}

impl TryFrom<Wire> for Array {
    type Error = ArrayError;
    fn try_from(w: Wire) -> Result<Array, ArrayError> {
        Array::from_le_bytes(&w.ty, &w.bytes)
    }
}
