//! `Array`: data at the edge of a compiled function, on the host or on a device.

use crate::error::{Error, ErrorKind};
use jx_backends::{Buffer, Device};
use jx_ir::{DType, Element, Scalar, TensorType};
use std::fmt;
use std::sync::Arc;

/// A tensor's values: what goes into a compiled function and comes out of it. Clones share storage.
///
/// ```
/// use jx::Array;
/// let a = Array::from_vec([2, 2], vec![1.0_f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(a.shape(), [2, 2]);
/// assert_eq!(a.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(Array::from(2.5_f32).item::<f32>()?, 2.5);
/// # Ok::<(), jx::Error>(())
/// ```
#[derive(Clone)]
pub struct Array(pub(crate) Buffer);

impl Array {
    /// The array of that shape with `values` in row-major order.
    ///
    /// # Errors
    /// If the shape's product is not the number of values.
    pub fn from_vec<T: Element>(shape: impl Into<Vec<usize>>, values: Vec<T>) -> Result<Array, Error> {
        Ok(Array::from(jx_ir::Array::from_vec(shape, values)?))
    }

    /// The array of that shape whose every element is `value`.
    #[must_use]
    pub fn full<T: Element>(shape: impl Into<Vec<usize>>, value: T) -> Array {
        Array::from(jx_ir::Array::full(shape, value.to_scalar()))
    }

    /// The array of zeros.
    #[must_use]
    pub fn zeros(shape: impl Into<Vec<usize>>, dtype: DType) -> Array {
        Array::from(jx_ir::Array::full(shape, Scalar::zero(dtype)))
    }

    /// `n` values from `start` to `stop`, both included, evenly spaced; computed in `f64` and rounded to `dtype`.
    ///
    /// # Errors
    /// If `dtype` is not a float.
    pub fn linspace(start: f64, stop: f64, n: usize, dtype: DType) -> Result<Array, Error> {
        if !dtype.is_float() {
            let message = format!("the dtype must be a float, not {dtype}");
            return Err(ErrorKind::Param { op: "linspace", message }.into());
        }
        let last = n.saturating_sub(1).max(1) as f64;
        let at = |i: usize| if i + 1 == n && n > 1 { stop } else { start + (stop - start) * (i as f64 / last) };
        let values = (0..n).map(|i| Scalar::from_f64(dtype, at(i)));
        Ok(Array::from(jx_ir::Array::from_scalars(&TensorType::new(dtype, [n]), values)?))
    }

    /// `0, 1, …, n - 1`.
    ///
    /// # Errors
    /// If `dtype` is `bool`.
    pub fn arange(n: usize, dtype: DType) -> Result<Array, Error> {
        if dtype == DType::Bool {
            let message = "the dtype must be a number, not bool".to_owned();
            return Err(ErrorKind::Param { op: "arange", message }.into());
        }
        let values = (0..n).map(|i| Scalar::from_i64(dtype, i as i64));
        Ok(Array::from(jx_ir::Array::from_scalars(&TensorType::new(dtype, [n]), values)?))
    }

    /// Its type.
    #[must_use]
    pub fn ty(&self) -> TensorType {
        match &self.0 {
            Buffer::Host(a) => a.ty(),
            Buffer::Device(d) => d.ty().clone(),
        }
    }

    /// The extent of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        match &self.0 {
            Buffer::Host(a) => a.shape(),
            Buffer::Device(d) => &d.ty().shape,
        }
    }

    /// Its element type.
    #[must_use]
    pub fn dtype(&self) -> DType {
        match &self.0 {
            Buffer::Host(a) => a.dtype(),
            Buffer::Device(d) => d.ty().dtype,
        }
    }

    /// Where its values are; `None` on the host.
    #[must_use]
    pub fn device(&self) -> Option<Device> {
        match &self.0 {
            Buffer::Host(_) => None,
            Buffer::Device(d) => Some(d.device()),
        }
    }

    /// Its values on the host; copied from the device if they are there.
    ///
    /// # Errors
    /// If the device fails.
    pub fn to_host(&self) -> Result<jx_ir::Array, Error> {
        match &self.0 {
            Buffer::Host(a) => Ok(a.clone()),
            Buffer::Device(d) => Ok(d.to_host()?),
        }
    }

    /// Its elements in row-major order.
    ///
    /// # Errors
    /// If they are not of type `T`, or the device fails.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        let host = self.to_host()?;
        let values = host.as_slice::<T>().map(<[T]>::to_vec);
        values.ok_or_else(|| ErrorKind::ElementType { asked: T::DTYPE, found: self.ty() }.into())
    }

    /// Its only element.
    ///
    /// # Errors
    /// If there is not exactly one, or it is not of type `T`, or the device fails.
    pub fn item<T: Element>(&self) -> Result<T, Error> {
        match self.to_vec::<T>()?[..] {
            [x] => Ok(x),
            ref all => {
                let message = format!("the array {} has {} elements, not one", self.ty(), all.len());
                Err(ErrorKind::Param { op: "item", message }.into())
            }
        }
    }

    /// Whether both are the same stored values: clones of one array.
    pub(crate) fn is_same_storage(&self, other: &Array) -> bool {
        match (&self.0, &other.0) {
            (Buffer::Host(a), Buffer::Host(b)) => a.shares_storage(b) && a.shape() == b.shape(),
            (Buffer::Device(a), Buffer::Device(b)) => Arc::ptr_eq(a, b),
            (Buffer::Host(_), Buffer::Device(_)) | (Buffer::Device(_), Buffer::Host(_)) => false,
        }
    }
}

impl From<jx_ir::Array> for Array {
    fn from(array: jx_ir::Array) -> Array {
        Array(Buffer::Host(array))
    }
}

macro_rules! array_from {
    ($($t:ty),*) => {$(
        impl From<$t> for Array {
            fn from(value: $t) -> Array {
                Array::from(jx_ir::Array::scalar(value))
            }
        }
        impl From<Vec<$t>> for Array {
            /// A vector as an array of rank 1.
            fn from(values: Vec<$t>) -> Array {
                let shape = [values.len()];
                Array::from(jx_ir::Array::from_vec(shape, values).expect("the shape is the vector's length"))
            }
        }
        impl<const N: usize> From<[$t; N]> for Array {
            /// An array of rank 1.
            fn from(values: [$t; N]) -> Array {
                Array::from(values.to_vec())
            }
        }
        impl<const N: usize, const M: usize> From<[[$t; N]; M]> for Array {
            /// An array of rank 2.
            fn from(values: [[$t; N]; M]) -> Array {
                let flat = values.concat();
                Array::from(jx_ir::Array::from_vec([M, N], flat).expect("the shape is the nested array's"))
            }
        }
    )*};
}
array_from!(bool, i8, i16, i32, i64, u8, u16, u32, u64, jx_ir::f16, jx_ir::bf16, f32, f64);

impl PartialEq for Array {
    /// Equality of types and of bits on the host; see [`jx_ir::Array`]. Arrays whose device fails are unequal.
    fn eq(&self, other: &Array) -> bool {
        matches!((self.to_host(), other.to_host()), (Ok(a), Ok(b)) if a == b)
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{}", self.ty())
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_host() {
            Ok(a) => write!(f, "{a}"),
            Err(why) => write!(f, "<{why}>"),
        }
    }
}
