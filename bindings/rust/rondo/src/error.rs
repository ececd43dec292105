//! The one error type.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::error::Error as StdError;
use std::ffi::c_void;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

use rondo_sys as sys;

use crate::callback;
use crate::names::in_rust;
use crate::sites;

pub use crate::generated::ErrorKind;

/// What everything here that can fail returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call, or a task that a call waited for, failed.
///
/// The message is a whole sentence: the function, the argument, what was wrong and what would be right, in the names of
/// this crate; `a` is the tensor whose method it is. For a task that failed it is the first cause, however many tasks
/// depended on it.
///
/// ```
/// use rondo::{Device, Engine, ErrorKind, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, [2, 3])?;
/// let error = a.reshape(&[5]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidArgument);
/// assert!(error.message().starts_with("Tensor::reshape: "), "{}", error);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_last_error_cause")]
#[derive(Clone)]
pub struct Error(Box<Facts>);

#[derive(Clone)]
struct Facts {
    kind: ErrorKind,
    message: String,
    operator: Option<String>,
    source: Option<Cause>,
}

/// What the body of a task returned. It goes with the failure through the C interface to whoever waits.
type Cause = Arc<dyn StdError + Send + Sync>;

/// The cause as the C interface carries it: an object, and what destroys it, by which it is known again.
pub(crate) fn into_raw(cause: Box<dyn StdError + Send + Sync>) -> (*mut c_void, unsafe extern "C" fn(*mut c_void)) {
    (Box::into_raw(Box::new(Cause::from(cause))).cast(), destroy_cause)
}

unsafe extern "C" fn destroy_cause(cause: *mut c_void) {
    // SAFETY: what `into_raw` gave, given back once. A panic of the error's own drop goes no further.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(cause.cast::<Cause>()) }));
}

impl Error {
    /// An error of one's own, for the body of a [task](crate::Task) or a [recording](crate::Engine::record): the kind
    /// and the message reach whoever waits.
    ///
    /// ```
    /// let error = rondo::Error::new(rondo::ErrorKind::IoError, "disk gone");
    /// assert_eq!(error.to_string(), "disk gone");
    /// ```
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Facts { kind, message: message.into(), operator: None, source: None }))
    }

    /// What kind of failure it is.
    ///
    /// ```
    /// let error = rondo::Device::cuda(99).info().unwrap_err();
    /// assert!(matches!(error.kind(), rondo::ErrorKind::NotFound | rondo::ErrorKind::LibraryMissing));
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The whole sentence, which `Display` gives too.
    ///
    /// ```
    /// assert!(rondo::Device::cuda(99).info().unwrap_err().message().contains("Device::info"));
    /// ```
    #[doc(alias = "rondo_last_error")]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The operator or task that failed, where a task did: `add`, `matmul`, or the name given to a task of one's own.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 1)?;
    /// engine.task("load").writes(&a).submit(|_| Err("disk gone".into()))?;
    /// assert_eq!(a.wait().unwrap_err().operator(), Some("load"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "rondo_last_error_operator")]
    pub fn operator(&self) -> Option<&str> {
        self.0.operator.as_deref()
    }

    /// The same of the function that the program called, where others stand behind it: its name in place of theirs.
    #[cold]
    pub(crate) fn told_by(mut self, function: &str, behind: &[&str]) -> Self {
        let text = &mut self.0.message;
        if let Some(name) =
            behind.iter().find(|name| text.strip_prefix(**name).map_or(false, |rest| rest.starts_with(": ")))
        {
            text.replace_range(..name.len(), function);
        }
        self
    }

    /// The thread's last failure, after a call returned `status`.
    #[cold]
    pub(crate) fn last(status: sys::rondo_status) -> Self {
        let kind = ErrorKind::from_raw(status).unwrap_or(ErrorKind::Internal);
        // SAFETY: returns a string that lives until the next call on this thread.
        let message = in_rust(&unsafe { CStr::from_ptr(sys::rondo_last_error()) }.to_string_lossy());
        // SAFETY: NULL, or a string that lives as long as the process; the device is not wanted.
        let operator = unsafe { sys::rondo_last_error_operator(std::ptr::null_mut()).as_ref() };
        let operator = operator.map(|name| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
        // SAFETY: NULL, or what `into_raw` gave, which lives until the next failure on this thread.
        let cause = unsafe { sys::rondo_last_error_cause(Some(destroy_cause)).cast::<Cause>().as_ref() };
        Error(Box::new(Facts { kind, message, operator, source: cause.cloned() }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.0.message)
    }
}

impl StdError for Error {
    /// The error that a task's own body returned.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|cause| &**cause as &(dyn StdError + 'static))
    }
}

/// `Ok` for `RONDO_OK`, else the thread's last failure.
#[inline]
#[track_caller]
pub(crate) fn check(status: sys::rondo_status) -> Result<()> {
    if status == sys::RONDO_OK {
        sites::called();
        Ok(())
    } else {
        Err(Error::last(status))
    }
}
