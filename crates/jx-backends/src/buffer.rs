//! Tensors in a device's memory.

use crate::{BackendError, Device};
use jx_ir::{Array, TensorType};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A tensor's values where a program can use them. Clones share storage.
#[derive(Clone, Debug)]
pub enum Buffer {
    /// In host memory.
    Host(Array),
    /// In the memory of a device.
    Device(Arc<dyn DeviceBuffer>),
}

/// A tensor in the memory of a device.
pub trait DeviceBuffer: Send + Sync + fmt::Debug {
    /// Its type.
    fn ty(&self) -> &TensorType;

    /// The device that holds it.
    fn device(&self) -> Device;

    /// Its values, copied to the host; this waits for the program that computes them.
    ///
    /// # Errors
    /// If the device fails.
    fn to_host(&self) -> Result<Array, BackendError>;

    /// Itself, for the backend that made it to recognise.
    fn as_any(&self) -> &dyn Any;
}

impl Buffer {
    /// Its type.
    #[must_use]
    pub fn ty(&self) -> TensorType {
        match self {
            Buffer::Host(array) => array.ty(),
            Buffer::Device(buffer) => buffer.ty().clone(),
        }
    }

    /// Whether it is of that type; no allocation.
    #[must_use]
    pub fn is_of(&self, ty: &TensorType) -> bool {
        match self {
            Buffer::Host(array) => array.is_of(ty),
            Buffer::Device(buffer) => buffer.ty() == ty,
        }
    }

    /// The bytes that its elements take.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let ty = self.ty();
        ty.n_elements() * ty.dtype.size_bytes()
    }

    /// Its values; storage is shared if they are on the host already.
    ///
    /// # Errors
    /// If the device fails.
    pub fn to_host(&self) -> Result<Array, BackendError> {
        match self {
            Buffer::Host(array) => Ok(array.clone()),
            Buffer::Device(buffer) => buffer.to_host(),
        }
    }

    /// Its values; those on the host already keep their storage, and stay unshared if they were.
    ///
    /// # Errors
    /// If the device fails.
    pub fn into_host(self) -> Result<Array, BackendError> {
        match self {
            Buffer::Host(array) => Ok(array),
            Buffer::Device(buffer) => buffer.to_host(),
        }
    }
}

impl From<Array> for Buffer {
    fn from(array: Array) -> Buffer {
        Buffer::Host(array)
    }
}
