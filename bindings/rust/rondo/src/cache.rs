//! Compiled kernels: what this process compiled, what is kept on disk for the next one, files that carry kernels to
//! machines without a compiler, and being told of a long time of compiling.
//!
//! Kernels for GPUs are compiled when they are first needed and kept in a folder (the setting `RONDO_CACHE`). All of this
//! belongs to the process, not to an engine.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::{c_void, CStr};
use std::os::raw::c_char;
use std::path::Path;
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::error::check;
use crate::memory::c_path;
use crate::{callback, Result};

/// Counts since the process began, and the folder as it is now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CacheInfo {
    /// Files in the folder, of every process; 0 where there is none.
    pub files: i64,
    /// Bytes of these files.
    pub bytes: i64,
    /// Bytes they are kept under.
    pub limit: i64,
    /// Uses of kernels that this process had loaded.
    pub memory_hits: i64,
    /// Kernels of this process that were found in the folder.
    pub disk_hits: i64,
    /// Those of them that could not have been compiled here.
    pub without_compiler: i64,
    /// Kernels of this process that were compiled.
    pub compiled: i64,
    /// What that took, in milliseconds, added up.
    pub compile_ms: f64,
    /// Files that were not what was written; removed, and the kernels compiled again.
    pub damaged: i64,
    /// Files that were not used: others may write them, they are links or cannot be read.
    pub refused: i64,
    /// Kernels that could not be kept.
    pub failed_writes: i64,
    /// Files that this process removed because the folder was too large.
    pub evicted: i64,
    /// Choices that this process made by trying and timing, as none was kept: of an engine of cuDNN, whether two of them
    /// run side by side, and of the kernel of a product.
    pub trials: i64,
}

/// What is kept and what was compiled. Looks through the folder.
///
/// ```
/// let info = rondo::cache::info()?;
/// println!("{} kernels compiled in {} ms, {} found", info.compiled, info.compile_ms, info.disk_hits);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// None is expected.
#[doc(alias = "rondo_cache_query")]
pub fn info() -> Result<CacheInfo> {
    let mut facts = sys::RONDO_CACHE_INFO_INIT;
    check(unsafe { sys::rondo_cache_query(&mut facts) })?;
    Ok(CacheInfo {
        files: facts.files,
        bytes: facts.bytes,
        limit: facts.limit,
        memory_hits: facts.memory_hits,
        disk_hits: facts.disk_hits,
        without_compiler: facts.without_compiler,
        compiled: facts.compiled,
        compile_ms: facts.compile_ms,
        damaged: facts.damaged,
        refused: facts.refused,
        failed_writes: facts.failed_writes,
        evicted: facts.evicted,
        trials: facts.trials,
    })
}

/// Writes the kept kernels into one file, for [`import`] on another machine, and says how many: those for devices of a
/// capability, 90 for 9.0, or all, with the choices of engines of cuDNN, which are not counted. [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is none,
/// [`ErrorKind::InvalidState`](crate::ErrorKind::InvalidState) where no kernels are kept at all.
///
/// ```no_run
/// println!("{} kernels", rondo::cache::export("kernels.rondo", None)?);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidState`](crate::ErrorKind::InvalidState) where no kernels are kept,
/// [`NotFound`](crate::ErrorKind::NotFound) where there is none to write, [`IoError`](crate::ErrorKind::IoError)
/// where the file cannot be written.
#[doc(alias = "rondo_cache_export")]
pub fn export(path: impl AsRef<Path>, capability: Option<i32>) -> Result<i64> {
    let path = c_path("cache::export", path.as_ref())?;
    let mut kernels = 0;
    check(unsafe { sys::rondo_cache_export(path.as_ptr(), capability.unwrap_or(0), &mut kernels) })?;
    Ok(kernels)
}

/// Takes the kernels of such a file into the folder, so that operators use them where there is no NVRTC, and says how
/// many were not there before. All of the file is checked first, which finds damage, not bad intent: a kernel is code.
///
/// ```
/// assert!(rondo::cache::import("missing.rondo").is_err());
/// ```
///
/// # Errors
///
/// [`NotFound`](crate::ErrorKind::NotFound) where there is no such file, [`IoError`](crate::ErrorKind::IoError) where
/// it cannot be read or is none that [`export`] has written, [`InvalidState`](crate::ErrorKind::InvalidState) where
/// no kernels are kept or the file has more than may be kept.
#[doc(alias = "rondo_cache_import")]
pub fn import(path: impl AsRef<Path>) -> Result<i64> {
    let path = c_path("cache::import", path.as_ref())?;
    let mut kernels = 0;
    check(unsafe { sys::rondo_cache_import(path.as_ptr(), &mut kernels) })?;
    Ok(kernels)
}

/// What is told of a stretch of compiling.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompileProgress<'a> {
    /// A kernel that is being compiled; none in the last report.
    pub kernel: Option<&'a str>,
    /// Kernels that were compiled since it began.
    pub done: i64,
    /// Those, and the ones that are known to be needed.
    pub known: i64,
    /// Since it began.
    pub seconds: f64,
}

/// Has a closure told when kernels have been compiled for a second, or probably will be, instead of the one before. It
/// is called by a thread of Rondo's own, about once a second, and must not call Rondo. A panic of it is dropped.
///
/// ```
/// rondo::cache::on_progress(|told| {
///     if let Some(kernel) = told.kernel {
///         eprintln!("compiling {kernel}: {} of {} kernels", told.done, told.known);
///     }
/// })?;
/// # rondo::cache::no_progress()?;
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// None is expected.
#[doc(alias = "rondo_set_compile_progress")]
pub fn on_progress<F>(closure: F) -> Result<()>
where
    F: FnMut(CompileProgress<'_>) + Send + 'static,
{
    let closure = Box::into_raw(Box::new(closure));
    // SAFETY: `call` and `destroy` are those of this type of closure, which the library gives back once.
    check(unsafe { sys::rondo_set_compile_progress(Some(call::<F>), closure.cast(), Some(destroy::<F>)) })
}

/// Lets go of the closure: nobody is told any more.
///
/// ```
/// rondo::cache::no_progress()?;
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// None is expected.
pub fn no_progress() -> Result<()> {
    check(unsafe { sys::rondo_set_compile_progress(None, null_mut(), None) })
}

unsafe extern "C" fn call<F>(closure: *mut c_void, kernel: *const c_char, done: i64, known: i64, seconds: f64)
where
    F: FnMut(CompileProgress<'_>),
{
    // SAFETY: what `on_progress` gave; the library calls it from one thread at a time. The text ends with a zero.
    let (closure, kernel) =
        unsafe { (&mut *closure.cast::<F>(), (!kernel.is_null()).then(|| CStr::from_ptr(kernel).to_string_lossy())) };
    let _ = callback::guard(|| closure(CompileProgress { kernel: kernel.as_deref(), done, known, seconds }));
}

unsafe extern "C" fn destroy<F>(closure: *mut c_void) {
    // SAFETY: what `on_progress` gave, given back once.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(closure.cast::<F>()) }));
}
