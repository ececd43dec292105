//! Devices by value, and facts about them.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::{CStr, CString};
use std::fmt;
use std::str::FromStr;

use rondo_sys as sys;

use crate::error::check;
pub use crate::generated::DeviceKind;
use crate::{Error, ErrorKind, Result};

/// A device: `cpu:0`, `cuda:0`, ... Whether it exists is found by using it.
///
/// ```
/// use rondo::Device;
///
/// assert_eq!("cuda:1".parse::<Device>()?, Device::cuda(1));
/// assert_eq!(Device::CPU.to_string(), "cpu:0");
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_device_format")]
#[doc(alias = "rondo_device_parse")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Device {
    /// What kind of device.
    pub kind: DeviceKind,
    /// Which of its kind, from 0.
    pub index: i32,
}

impl Device {
    /// The processor, which is always there.
    pub const CPU: Device = Device { kind: DeviceKind::Cpu, index: 0 };

    /// The CUDA device with this index.
    ///
    /// ```
    /// assert_eq!(rondo::Device::cuda(0).to_string(), "cuda:0");
    /// ```
    pub const fn cuda(index: i32) -> Device {
        Device { kind: DeviceKind::Cuda, index }
    }

    /// How many devices of a kind there are; no driver means none. Opens the driver at its first call.
    ///
    /// ```
    /// use rondo::{Device, DeviceKind};
    ///
    /// assert_eq!(Device::count(DeviceKind::Cpu)?, 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected: without a driver there are no devices of its kind.
    #[doc(alias = "rondo_device_count")]
    #[doc(alias = "cuda_if_available")]
    #[doc(alias = "cuda_is_available")]
    #[doc(alias = "is_available")]
    pub fn count(kind: DeviceKind) -> Result<i32> {
        let mut count = 0;
        // SAFETY: the pointer is to a live variable, as are all out-parameters in this crate.
        check(unsafe { sys::rondo_device_count(kind.as_raw(), &mut count) })?;
        Ok(count)
    }

    /// Facts about the device, or an error of kind [`NotFound`](ErrorKind::NotFound) or
    /// [`LibraryMissing`](ErrorKind::LibraryMissing) if it does not exist.
    ///
    /// ```
    /// let info = rondo::Device::CPU.info()?;
    /// assert!(info.processors >= 1 && info.total_memory > 0, "{:?}", info);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such device,
    /// [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where there is no driver for it.
    #[doc(alias = "rondo_device_query")]
    pub fn info(self) -> Result<DeviceInfo> {
        let mut info = sys::RONDO_DEVICE_INFO_INIT;
        check(unsafe { sys::rondo_device_query(self.as_raw(), &mut info) })?;
        // SAFETY: the library ends the name with a zero.
        let name = unsafe { CStr::from_ptr(info.name.as_ptr()) };
        Ok(DeviceInfo {
            name: name.to_string_lossy().into_owned(),
            total_memory: info.total_memory,
            free_memory: info.free_memory,
            capability: info.capability,
            processors: info.processors,
            driver: info.driver,
        })
    }

    pub(crate) fn as_raw(self) -> sys::rondo_device {
        sys::rondo_device { kind: self.kind as i32, index: self.index }
    }

    pub(crate) fn from_raw(device: sys::rondo_device) -> Result<Device> {
        let kind = DeviceKind::from_raw(device.kind as u32).ok_or_else(|| {
            Error::new(ErrorKind::Unsupported, format!("this version knows no device of kind {}", device.kind))
        })?;
        Ok(Device { kind, index: device.index })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 16];
        // SAFETY: the buffer has as many bytes as it says.
        match check(unsafe { sys::rondo_device_format(self.as_raw(), text.as_mut_ptr(), text.len()) }) {
            Ok(()) => f.pad(&unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy()),
            Err(_) => write!(f, "{:?}:{}", self.kind, self.index), // a negative index, which no device has
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    /// `cpu`, `cpu:0`, `cuda`, `cuda:1`.
    fn from_str(text: &str) -> Result<Device> {
        let text = c_string("Device::from_str", "text", text)?;
        let mut device = Device::CPU.as_raw();
        // SAFETY: a string that ends with a zero.
        check(unsafe { sys::rondo_device_parse(text.as_ptr(), &mut device) })?;
        Device::from_raw(device)
    }
}

/// Text for the C interface, which ends it with a zero.
pub(crate) fn c_string(function: &str, argument: &str, text: &str) -> Result<CString> {
    CString::new(text)
        .map_err(|_| Error::new(ErrorKind::InvalidArgument, format!("{}: {} contains a zero byte", function, argument)))
}

/// What [`Device::info`] tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// As its maker calls it, such as `NVIDIA H200`.
    pub name: String,
    /// Bytes of memory.
    pub total_memory: i64,
    /// Bytes free now, as the system tells it.
    pub free_memory: i64,
    /// CUDA: 10 times the major plus the minor number of the compute capability. The processor: 0.
    pub capability: i32,
    /// Multiprocessors of a GPU; the processor: hardware threads that this process may use.
    pub processors: i32,
    /// The CUDA version of the driver, such as 13000. The processor: 0.
    pub driver: i32,
}
