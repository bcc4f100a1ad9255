//! Values: tensors of one of Burn's three kinds, or arrays that the device does not keep.

use super::Target;
use crate::{BackendError, Buffer, Device, DeviceBuffer};
use burn_backend::tensor::{BoolTensor, FloatTensor, IndexingUpdateOp, IntTensor};
use burn_backend::{Backend, BoolDType, BoolStore, FloatDType, IntDType, Shape, Slice, TensorData, try_read_sync};
use jx_ir::{Array, DType, Element, TensorType, bf16, f16};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value while a program runs. Its logical type is the program's; a tensor has the
/// [physical](Target::physical) shape. Clones share storage.
pub(super) enum Value<B: Backend> {
    Float(FloatTensor<B>),
    Int(IntTensor<B>),
    Bool(BoolTensor<B>),
    /// Of a type that the device does not [keep](Target::keeps).
    Host(Array),
}

impl<B: Backend> Clone for Value<B> {
    fn clone(&self) -> Value<B> {
        match self {
            Value::Float(x) => Value::Float(x.clone()),
            Value::Int(x) => Value::Int(x.clone()),
            Value::Bool(x) => Value::Bool(x.clone()),
            Value::Host(x) => Value::Host(x.clone()),
        }
    }
}

/// Burn's name of a dtype.
pub(super) fn burn_dtype(dtype: DType, of_bool: BoolDType) -> burn_backend::DType {
    match dtype {
        DType::Bool => of_bool.into(),
        DType::I8 => burn_backend::DType::I8,
        DType::I16 => burn_backend::DType::I16,
        DType::I32 => burn_backend::DType::I32,
        DType::I64 => burn_backend::DType::I64,
        DType::U8 => burn_backend::DType::U8,
        DType::U16 => burn_backend::DType::U16,
        DType::U32 => burn_backend::DType::U32,
        DType::U64 => burn_backend::DType::U64,
        DType::F16 => burn_backend::DType::F16,
        DType::BF16 => burn_backend::DType::BF16,
        DType::F32 => burn_backend::DType::F32,
        DType::F64 => burn_backend::DType::F64,
    }
}

/// Burn's name of an integer dtype.
pub(super) fn int_dtype(dtype: DType) -> IntDType {
    assert!(dtype.is_int(), "the plan takes {dtype} for an integer dtype");
    burn_dtype(dtype, BoolDType::Native).into()
}

/// Burn's name of a float dtype.
pub(super) fn float_dtype(dtype: DType) -> FloatDType {
    assert!(dtype.is_float(), "the plan takes {dtype} for a float dtype");
    burn_dtype(dtype, BoolDType::Native).into()
}

/// Runs a body with `$T` bound to the element type of a dtype.
macro_rules! at_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {{
        macro_rules! with {
            ($t:ty) => {{
                type $T = $t;
                $body
            }};
        }
        match $dtype {
            DType::Bool => with!(bool),
            DType::I8 => with!(i8),
            DType::I16 => with!(i16),
            DType::I32 => with!(i32),
            DType::I64 => with!(i64),
            DType::U8 => with!(u8),
            DType::U16 => with!(u16),
            DType::U32 => with!(u32),
            DType::U64 => with!(u64),
            DType::F16 => with!(f16),
            DType::BF16 => with!(bf16),
            DType::F32 => with!(f32),
            DType::F64 => with!(f64),
        }
    }};
}

/// An op that each kind of tensor has, as a method of [`Value`].
macro_rules! of_each_kind {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $t:ty),*) = $float:ident, $int:ident, $bool:ident;)*) => {$(
        $(#[$doc])*
        pub(super) fn $name(self, $($arg: $t),*) -> Value<B> {
            match self {
                Value::Float(x) => Value::Float(B::$float(x, $($arg),*)),
                Value::Int(x) => Value::Int(B::$int(x, $($arg),*)),
                Value::Bool(x) => Value::Bool(B::$bool(x, $($arg),*)),
                Value::Host(x) => x.on_host(stringify!($name)),
            }
        }
    )*};
}

/// Ends the process where the plan gave a kernel what the device does not keep.
trait OnHost {
    fn on_host(&self, op: &str) -> !;
}

impl OnHost for Array {
    fn on_host(&self, op: &str) -> ! {
        panic!("the plan gave {op} a {} that is on the host", self.ty())
    }
}

impl<B: Backend> Value<B> {
    of_each_kind! {
        /// The elements under another physical shape.
        shaped(shape: Shape) = float_reshape, int_reshape, bool_reshape;
        permute(axes: &[usize]) = float_permute, int_permute, bool_permute;
        /// Extents of 1 stretched.
        expanded(shape: Shape) = float_expand, int_expand, bool_expand;
        slice(slices: &[Slice]) = float_slice, int_slice, bool_slice;
        flip(axes: &[usize]) = float_flip, int_flip, bool_flip;
        /// The entries along an axis at each of these indices, which must be in range.
        select(axis: usize, indices: IntTensor<B>) = float_select, int_select, bool_select;
    }

    pub(super) fn reshape(self, shape: &[usize]) -> Value<B> {
        self.shaped(Shape::from(shape.to_vec()))
    }

    pub(super) fn expand(self, shape: &[usize]) -> Value<B> {
        self.expanded(Shape::from(shape.to_vec()))
    }

    /// `other` where the mask holds.
    pub(super) fn mask_where(self, mask: BoolTensor<B>, other: Value<B>) -> Value<B> {
        match (self, other) {
            (Value::Float(x), Value::Float(y)) => Value::Float(B::float_mask_where(x, mask, y)),
            (Value::Int(x), Value::Int(y)) => Value::Int(B::int_mask_where(x, mask, y)),
            (Value::Bool(x), Value::Bool(y)) => Value::Bool(B::bool_mask_where(x, mask, y)),
            (x, y) => panic!("the plan mixes {x:?} and {y:?}"),
        }
    }

    pub(super) fn slice_assign(self, slices: &[Slice], other: Value<B>) -> Value<B> {
        match (self, other) {
            (Value::Float(x), Value::Float(y)) => Value::Float(B::float_slice_assign(x, slices, y)),
            (Value::Int(x), Value::Int(y)) => Value::Int(B::int_slice_assign(x, slices, y)),
            (Value::Bool(x), Value::Bool(y)) => Value::Bool(B::bool_slice_assign(x, slices, y)),
            (x, y) => panic!("the plan mixes {x:?} and {y:?}"),
        }
    }

    /// Values of one kind one after the other along an axis.
    pub(super) fn cat(values: Vec<Value<B>>, axis: usize) -> Value<B> {
        match values.first() {
            Some(Value::Float(_)) => Value::Float(B::float_cat(values.into_iter().map(Value::float).collect(), axis)),
            Some(Value::Int(_)) => Value::Int(B::int_cat(values.into_iter().map(Value::int).collect(), axis)),
            Some(Value::Bool(_)) => Value::Bool(B::bool_cat(values.into_iter().map(Value::bool).collect(), axis)),
            Some(Value::Host(x)) => x.on_host("concatenate"),
            None => panic!("the plan concatenates nothing"),
        }
    }

    /// A flat value with flat `updates` joined at `places`, in order; for numbers only.
    pub(super) fn scatter(self, places: IntTensor<B>, updates: Value<B>, op: IndexingUpdateOp, n: usize) -> Value<B> {
        let places = B::int_reshape(places, Shape::from(vec![n, 1]));
        match (self, updates) {
            (Value::Float(x), Value::Float(u)) => Value::Float(B::float_scatter_nd(x, places, u, op)),
            (Value::Int(x), Value::Int(u)) => Value::Int(B::int_scatter_nd(x, places, u, op)),
            (x, y) => panic!("the plan scatters {y:?} into {x:?}"),
        }
    }

    pub(super) fn float(self) -> FloatTensor<B> {
        match self {
            Value::Float(x) => x,
            other @ (Value::Int(_) | Value::Bool(_) | Value::Host(_)) => panic!("the plan takes {other:?} for floats"),
        }
    }

    pub(super) fn int(self) -> IntTensor<B> {
        match self {
            Value::Int(x) => x,
            other @ (Value::Float(_) | Value::Bool(_) | Value::Host(_)) => {
                panic!("the plan takes {other:?} for integers")
            }
        }
    }

    pub(super) fn bool(self) -> BoolTensor<B> {
        match self {
            Value::Bool(x) => x,
            other @ (Value::Float(_) | Value::Int(_) | Value::Host(_)) => {
                panic!("the plan takes {other:?} for truth values")
            }
        }
    }

    /// The array as a value on the device; on the host if the device does not keep its type.
    pub(super) fn upload(target: &Target<B>, array: Array) -> Value<B> {
        let ty = array.ty();
        if !target.keeps(&ty) {
            return Value::Host(array);
        }
        let shape = Shape::from(target.physical(&ty.shape));
        let data = at_dtype!(ty.dtype, T => TensorData::new(vec_of::<T>(array), shape));
        match ty.dtype {
            DType::Bool => {
                let data = data.convert_dtype(target.bool_dtype.into());
                Value::Bool(B::bool_from_data(data, &target.native))
            }
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => {
                Value::Float(B::float_from_data(data, &target.native))
            }
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
                Value::Int(B::int_from_data(data, &target.native))
            }
        }
    }

    /// The value on the host, as an array of its logical type.
    pub(super) fn download(self, target: &Target<B>, ty: &TensorType) -> Result<Array, BackendError> {
        let data = match self {
            Value::Float(x) => try_read_sync(B::float_into_data(x)),
            Value::Int(x) => try_read_sync(B::int_into_data(x)),
            Value::Bool(x) => try_read_sync(B::bool_into_data(x))
                .map(|data| data.map(|data| data.convert_dtype(burn_backend::DType::Bool(BoolStore::Native)))),
            Value::Host(array) => return Ok(array),
        };
        let data = data.ok_or_else(|| target.failed("it cannot be read without waiting"))?;
        let data = data.map_err(|why| target.failed(why.to_string()))?;
        at_dtype!(ty.dtype, T => {
            let values = data.into_vec::<T>().map_err(|why| target.failed(format!("{why:?}")))?;
            Array::from_vec(ty.shape.clone(), values).map_err(|why| target.failed(why.to_string()))
        })
    }
}

fn vec_of<T: Element>(array: Array) -> Vec<T> {
    array.into_vec::<T>().expect("the dtype was matched on")
}

impl<B: Backend> fmt::Debug for Value<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Float(_) => f.write_str("a float tensor"),
            Value::Int(_) => f.write_str("an integer tensor"),
            Value::Bool(_) => f.write_str("a bool tensor"),
            Value::Host(x) => write!(f, "a {} on the host", x.ty()),
        }
    }
}

/// A tensor in the device's memory, with its logical type.
pub(super) struct DeviceTensor<B: Backend> {
    ty: TensorType,
    value: Value<B>,
    target: Arc<Target<B>>,
}

impl<B: Backend> DeviceTensor<B> {
    /// The value as a buffer: one on the host if it is there.
    pub(super) fn buffer(target: &Arc<Target<B>>, ty: TensorType, value: Value<B>) -> Buffer {
        match value {
            Value::Host(array) => Buffer::Host(array),
            value @ (Value::Float(_) | Value::Int(_) | Value::Bool(_)) => {
                Buffer::Device(Arc::new(DeviceTensor { ty, value, target: Arc::clone(target) }))
            }
        }
    }

    /// The buffer's value; one that is elsewhere is moved by way of the host.
    pub(super) fn take(target: &Target<B>, buffer: Buffer) -> Result<Value<B>, BackendError> {
        if let Buffer::Device(shared) = &buffer
            && shared.device() == target.device
            && let Some(tensor) = shared.as_any().downcast_ref::<DeviceTensor<B>>()
        {
            return Ok(tensor.value.clone());
        }
        Ok(Value::upload(target, buffer.into_host()?))
    }
}

impl<B: Backend> fmt::Debug for DeviceTensor<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.ty, self.target.device)
    }
}

impl<B: Backend> DeviceBuffer for DeviceTensor<B> {
    fn ty(&self) -> &TensorType {
        &self.ty
    }

    fn device(&self) -> Device {
        self.target.device
    }

    fn to_host(&self) -> Result<Array, BackendError> {
        self.target.guarded(|| self.value.clone().download(&self.target, &self.ty))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
