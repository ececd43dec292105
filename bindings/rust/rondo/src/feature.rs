//! The library that is loaded: its version, and what it can use here.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::ptr::null;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::Result;

/// Whether something can be used in this process, and why or why not.
///
/// ```
/// let blas = rondo::feature("blas")?;
/// println!("matmul on the cpu: {} ({})", blas.available, blas.reason);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feature {
    /// Whether it can be used.
    pub available: bool,
    /// A sentence with the library and version in use, or the places looked at.
    pub reason: &'static str,
}

/// Asks for a feature by name: `cuda`, `nvrtc`, `cublaslt`, `cudnn`, `blas`, `onednn`, `graphs`, `memory_pools`,
/// `conditional_nodes`, `programmatic_launch`. The first call may load a library.
///
/// ```
/// assert!(!rondo::feature("cuda")?.reason.is_empty());
/// assert!(rondo::feature("telepathy").is_err());
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a name that is no feature.
#[doc(alias = "rondo_feature")]
pub fn feature(name: &str) -> Result<Feature> {
    let name = c_string("feature", "name", name)?;
    let (mut available, mut reason) = (0, null());
    check(unsafe { sys::rondo_feature(name.as_ptr(), &mut available, &mut reason) })?;
    // SAFETY: a string that lives as long as the process.
    let reason = unsafe { CStr::from_ptr::<'static>(reason) };
    Ok(Feature { available: available != 0, reason: reason.to_str().unwrap_or("a sentence that is not UTF-8") })
}

/// Version of the library that is loaded: major, minor, patch.
///
/// ```
/// let (major, minor, _) = rondo::version();
/// assert_eq!((major, minor), (0, 1));
/// ```
#[doc(alias = "rondo_version")]
pub fn version() -> (i32, i32, i32) {
    // SAFETY: no arguments.
    let version = unsafe { sys::rondo_version() };
    (version / 10000, version / 100 % 100, version % 100)
}

/// The same as text, with the build's flavour.
///
/// ```
/// assert!(rondo::version_text().starts_with("0.1."));
/// ```
#[doc(alias = "rondo_version_string")]
pub fn version_text() -> &'static str {
    // SAFETY: a static string.
    unsafe { CStr::from_ptr::<'static>(sys::rondo_version_string()) }.to_str().unwrap_or("unknown")
}
