//! The devices by name, and which of them this build can reach. The choice of devices is in this file only.

use crate::{Backend, BackendError, Interpreter};
use jx_ir::DType;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A place where programs run. Prints as its name: `interpreter`, `ndarray`, `wgpu:0`, `cuda:1`.
///
/// ```
/// use jx_backends::Device;
/// assert_eq!("wgpu".parse::<Device>()?, Device::Wgpu(0));
/// assert_eq!(Device::default().to_string(), "interpreter");
/// # Ok::<(), jx_backends::BackendError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Device {
    /// The plain interpreter on the host.
    #[default]
    Interpreter,
    /// Burn's ndarray backend on the host.
    NdArray,
    /// A GPU through WebGPU, by number.
    Wgpu(usize),
    /// A GPU through CUDA, by number.
    Cuda(usize),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Interpreter => f.write_str("interpreter"),
            Device::NdArray => f.write_str("ndarray"),
            Device::Wgpu(index) => write!(f, "wgpu:{index}"),
            Device::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

impl FromStr for Device {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Device, BackendError> {
        let unknown = || BackendError::UnknownDevice { name: name.to_owned() };
        let (kind, index) = match name.split_once(':') {
            // A sign is no part of a number here, though `usize::from_str` would take a plus.
            Some((kind, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => {
                (kind, Some(digits.parse::<usize>().map_err(|_| unknown())?))
            }
            Some(_) => return Err(unknown()),
            None => (name, None),
        };
        match (kind, index) {
            ("interpreter", None) => Ok(Device::Interpreter),
            ("ndarray", None) => Ok(Device::NdArray),
            ("wgpu", index) => Ok(Device::Wgpu(index.unwrap_or(0))),
            ("cuda", index) => Ok(Device::Cuda(index.unwrap_or(0))),
            (_, _) => Err(unknown()),
        }
    }
}

/// The backend of a device.
///
/// # Errors
/// If this build or this machine does not have the device; the error says what to do.
pub fn backend(device: Device) -> Result<Arc<dyn Backend>, BackendError> {
    match device {
        Device::Interpreter => Ok(Arc::new(Interpreter)),
        Device::NdArray => ndarray(),
        Device::Wgpu(_) | Device::Cuda(_) => Err(BackendError::Unavailable {
            device,
            reason: "this version of jx has no code for GPUs yet".to_owned(),
            advice: "use the interpreter, or ndarray with the cargo feature `ndarray`".to_owned(),
        }),
    }
}

#[cfg(feature = "ndarray")]
fn ndarray() -> Result<Arc<dyn Backend>, BackendError> {
    Ok(Arc::new(crate::burn::Burn::ndarray()))
}

#[cfg(not(feature = "ndarray"))]
fn ndarray() -> Result<Arc<dyn Backend>, BackendError> {
    Err(BackendError::Unavailable {
        device: Device::NdArray,
        reason: "this build of jx leaves it out".to_owned(),
        advice: "enable the cargo feature `ndarray` (cargo build --features ndarray)".to_owned(),
    })
}

/// What is known of a device.
#[derive(Debug)]
pub struct DeviceInfo {
    /// The device.
    pub device: Device,
    /// Whether programs can run on it, or why not and what to do.
    pub available: Result<(), BackendError>,
    /// The dtypes that it computes in.
    pub dtypes: Vec<DType>,
    /// What it is, in a line.
    pub note: &'static str,
}

/// Every device that jx knows, the first of each kind, available or not.
#[must_use]
pub fn devices() -> Vec<DeviceInfo> {
    [Device::Interpreter, Device::NdArray, Device::Wgpu(0), Device::Cuda(0)]
        .into_iter()
        .map(|device| DeviceInfo {
            device,
            available: backend(device).map(drop),
            dtypes: dtypes(device),
            note: match device {
                Device::Interpreter => "runs every primitive, one after the other, on one host thread; the default",
                Device::NdArray => "Burn's ndarray backend on the host",
                Device::Wgpu(_) => "GPUs through WebGPU (Vulkan, Metal, DirectX)",
                Device::Cuda(_) => "NVIDIA GPUs",
            },
        })
        .collect()
}

fn dtypes(device: Device) -> Vec<DType> {
    match device {
        Device::Interpreter => DType::ALL.to_vec(),
        Device::NdArray => DType::ALL.into_iter().filter(|dtype| !matches!(dtype, DType::F16 | DType::BF16)).collect(),
        Device::Wgpu(_) => vec![DType::Bool, DType::I32, DType::U32, DType::F16, DType::F32],
        Device::Cuda(_) => DType::ALL.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for device in [Device::Interpreter, Device::NdArray, Device::Wgpu(3), Device::Cuda(0)] {
            assert_eq!(device.to_string().parse::<Device>().unwrap(), device);
        }
        assert_eq!("cuda".parse::<Device>().unwrap(), Device::Cuda(0));
    }

    #[test]
    fn other_names_are_refused_with_the_list_of_devices() {
        for name in [
            "",
            "gpu",
            "ndarray:0",
            "wgpu:",
            "wgpu:-1",
            "wgpu:+1",
            "cuda:x",
            "Interpreter",
            "cuda:99999999999999999999",
        ] {
            let why = name.parse::<Device>().unwrap_err().to_string();
            assert!(why.contains("interpreter, ndarray, wgpu"), "{why}");
        }
    }

    #[test]
    fn an_unavailable_device_says_what_to_do() {
        let Err(why) = backend(Device::Cuda(0)) else { panic!("no CUDA in this build") };
        assert!(why.to_string().starts_with("the device cuda:0 is not available"), "{why}");
    }

    #[test]
    fn the_interpreter_is_always_listed_as_available() {
        let all = devices();
        let first = all.iter().find(|d| d.device == Device::default()).unwrap();
        assert!(first.available.is_ok());
        assert_eq!(first.dtypes, DType::ALL);
    }
}
