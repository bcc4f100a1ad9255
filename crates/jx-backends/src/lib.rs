//! Where programs run: the trait [`Backend`], its devices, and the plain interpreter.
//!
//! A backend compiles a whole first-order program, so a new primitive leaves the trait alone. The
//! transformations must have been expanded before (`jx-opt` does that). The [`Interpreter`] runs
//! everywhere and knows every primitive; other devices are cargo features. [`devices`] lists all of
//! them with what this build can reach.
//!
//! ```
//! use jx_backends::{Buffer, CompileOptions, Device, backend};
//! use jx_ir::{Array, Builder, DType, TensorType};
//!
//! let mut b = Builder::new();
//! let x = b.input(TensorType::new(DType::F32, [3]));
//! let y = b.square(x);
//! let total = b.reduce_sum(y, &[0]);
//! let func = b.finish(&[total]);
//!
//! let exe = backend(Device::default())?.compile(&func, &CompileOptions::default())?;
//! let x = Array::from_vec([3], vec![1.0_f32, 2.0, 3.0])?;
//! let out = exe.run(vec![Buffer::Host(x)])?;
//! assert_eq!(out[0].to_host()?, Array::scalar(14.0_f32));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backend;
mod buffer;
#[cfg(feature = "ndarray")]
mod burn;
mod device;
mod error;
mod interp;

pub use backend::{Backend, CompileOptions, Executable, HostFallback};
pub use buffer::{Buffer, DeviceBuffer};
pub use device::{Device, DeviceInfo, backend, devices};
pub use error::BackendError;
pub use interp::Interpreter;
