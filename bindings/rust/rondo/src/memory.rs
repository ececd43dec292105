//! The memory pools of an engine, and paths for the C interface.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CString;
use std::path::Path;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::{Device, Engine, Error, ErrorKind, Result};

impl Engine {
    /// Figures of the pool on a device; zeros if it was not used yet.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, 1000)?;
    /// a.wait()?;
    /// assert!(engine.memory(Device::CPU)?.in_use >= 4000);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there.
    #[doc(alias = "rondo_memory_query")]
    pub fn memory(&self, device: Device) -> Result<MemoryInfo> {
        let mut info = sys::RONDO_MEMORY_INFO_INIT;
        check(unsafe { sys::rondo_memory_query(self.as_ptr(), device.as_raw(), &mut info) })?;
        Ok(MemoryInfo {
            in_use: info.in_use,
            cached: info.cached,
            peak_in_use: info.peak_in_use,
            limit: info.limit,
            allocations: info.allocations,
            system_allocations: info.system_allocations,
            cross_stream_reuses: info.cross_stream_reuses,
            retries: info.retries,
        })
    }

    /// Sets how many bytes the pool on a device may hold; 0: no limit. Frees nothing that is in use.
    ///
    /// ```
    /// use rondo::{Device, Engine};
    ///
    /// let engine = Engine::new()?;
    /// engine.set_memory_limit(Device::CPU, 1 << 20)?;
    /// assert_eq!(engine.memory(Device::CPU)?.limit, 1 << 20);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there.
    #[doc(alias = "rondo_memory_set_limit")]
    pub fn set_memory_limit(&self, device: Device, bytes: i64) -> Result<()> {
        check(unsafe { sys::rondo_memory_set_limit(self.as_ptr(), device.as_raw(), bytes) })
    }

    /// Returns cached memory that nothing uses any more to the system.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// Tensor::zeros(&engine, Device::CPU, DType::F32, 1000)?.wait()?;
    /// engine.wait_all()?;
    /// engine.trim_memory(Device::CPU)?;
    /// assert_eq!(engine.memory(Device::CPU)?.cached, 0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there.
    #[doc(alias = "rondo_memory_trim")]
    pub fn trim_memory(&self, device: Device) -> Result<()> {
        check(unsafe { sys::rondo_memory_trim(self.as_ptr(), device.as_raw()) })
    }
}

/// What [`Engine::memory`] tells, in bytes and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Bytes handed out now.
    pub in_use: i64,
    /// Bytes held by the pool and free for reuse.
    pub cached: i64,
    /// The highest `in_use` so far.
    pub peak_in_use: i64,
    /// Bytes that `in_use` and `cached` together may reach; 0: no limit.
    pub limit: i64,
    /// Requests served so far.
    pub allocations: i64,
    /// Of which went to the system or the driver.
    pub system_allocations: i64,
    /// Blocks reused on another stream after a wait on the device.
    pub cross_stream_reuses: i64,
    /// Times the pool returned cached blocks or waited because memory ran out.
    pub retries: i64,
}

/// A path for the C interface, which takes UTF-8.
pub(crate) fn c_path(function: &str, path: &Path) -> Result<CString> {
    let text = path.to_str().ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, format!("{}: the path {:?} is not UTF-8", function, path))
    })?;
    c_string(function, "path", text)
}
