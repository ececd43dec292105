//! Where Rondo's log goes. It belongs to the process, not to an engine. By default it goes to stderr, at the level of the
//! setting `RONDO_LOG`, which is off unless somebody sets it.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::{c_void, CStr};
use std::os::raw::c_char;
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::error::check;
pub use crate::generated::LogLevel;
use crate::names::in_rust;
use crate::{callback, Result};

/// Sends messages up to a level to a closure, instead of to the one before. It is called by any thread, by one at a time,
/// and must not call Rondo: the log is locked meanwhile, so such a call may never return. A panic of it is dropped.
///
/// ```
/// use std::sync::mpsc::channel;
///
/// use rondo::log::{self, LogLevel};
///
/// let (sender, messages) = channel();
/// log::set(LogLevel::Debug, move |level, text| {
///     let _ = sender.send((level, text.to_owned()));
/// })?;
/// rondo::feature("cuda")?; // looks for libraries, which it logs
/// log::to_stderr(LogLevel::Off)?; // lets go of the closure
/// println!("{:?}", messages.iter().collect::<Vec<_>>());
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// None is expected.
#[doc(alias = "rondo_set_log")]
pub fn set<F>(level: LogLevel, closure: F) -> Result<()>
where
    F: FnMut(LogLevel, &str) + Send + 'static,
{
    let closure = Box::into_raw(Box::new(closure));
    // SAFETY: `call` and `destroy` are those of this type of closure, which the library gives back once.
    check(unsafe { sys::rondo_set_log(Some(call::<F>), closure.cast(), Some(destroy::<F>), level.as_raw()) })
}

/// Sends messages up to a level to stderr, which is where they went first.
///
/// ```
/// rondo::log::to_stderr(rondo::log::LogLevel::Warning)?;
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// None is expected.
pub fn to_stderr(level: LogLevel) -> Result<()> {
    check(unsafe { sys::rondo_set_log(None, null_mut(), None, level.as_raw()) })
}

/// Sends messages up to a level to the logger of the crate `log`, with the target `rondo`.
///
/// ```
/// rondo::log::to_log(rondo::log::LogLevel::Info)?;
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`set`].
#[cfg(feature = "log")]
pub fn to_log(level: LogLevel) -> Result<()> {
    set(level, |level, text| {
        let level = match level {
            LogLevel::Off | LogLevel::Error => ::log::Level::Error,
            LogLevel::Warning => ::log::Level::Warn,
            LogLevel::Info => ::log::Level::Info,
            LogLevel::Debug => ::log::Level::Debug,
        };
        ::log::log!(target: "rondo", level, "{}", text);
    })
}

/// Sends messages up to a level to the subscriber of the crate `tracing`, as events with the target `rondo`.
///
/// ```
/// rondo::log::to_tracing(rondo::log::LogLevel::Info)?;
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`set`].
#[cfg(feature = "tracing")]
pub fn to_tracing(level: LogLevel) -> Result<()> {
    set(level, |level, text| match level {
        LogLevel::Off | LogLevel::Error => tracing::error!(target: "rondo", "{}", text),
        LogLevel::Warning => tracing::warn!(target: "rondo", "{}", text),
        LogLevel::Info => tracing::info!(target: "rondo", "{}", text),
        LogLevel::Debug => tracing::debug!(target: "rondo", "{}", text),
    })
}

unsafe extern "C" fn call<F>(closure: *mut c_void, level: sys::rondo_log_level, text: *const c_char)
where
    F: FnMut(LogLevel, &str),
{
    // SAFETY: what `set` gave; the library calls it from one thread at a time. The text ends with a zero.
    let (closure, text) = unsafe { (&mut *closure.cast::<F>(), CStr::from_ptr(text)) };
    let level = LogLevel::from_raw(level).unwrap_or(LogLevel::Debug);
    let _ = callback::guard(|| closure(level, &in_rust(&text.to_string_lossy())));
}

unsafe extern "C" fn destroy<F>(closure: *mut c_void) {
    // SAFETY: what `set` gave, given back once.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(closure.cast::<F>()) }));
}
