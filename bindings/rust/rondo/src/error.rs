//! The one error type.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::error::Error as StdError;
use std::ffi::CStr;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rondo_sys as sys;

pub use crate::generated::ErrorKind;

/// What everything here that can fail returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call, or a task that a call waited for, failed.
///
/// The message is a whole sentence: the function, the argument, what was wrong and what would be right. For a task that
/// failed it is the first cause, however many tasks depended on it.
///
/// ```
/// use rondo::{Device, Engine, ErrorKind, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, [2, 3])?;
/// let error = a.reshape(&[5]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidArgument);
/// assert!(error.message().starts_with("rondo_tensor_reshape: "), "{}", error);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone)]
pub struct Error(Box<Facts>);

#[derive(Clone)]
struct Facts {
    kind: ErrorKind,
    message: String,
    source: Option<Cause>,
}

type Cause = Arc<dyn StdError + Send + Sync>;

impl Error {
    /// An error of one's own, for the body of a [task](crate::Task) or a [recording](crate::Engine::record): the kind
    /// and the message reach whoever waits.
    ///
    /// ```
    /// let error = rondo::Error::new(rondo::ErrorKind::IoError, "disk gone");
    /// assert_eq!(error.to_string(), "disk gone");
    /// ```
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Facts { kind, message: message.into(), source: None }))
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
    /// assert!(rondo::Device::cuda(99).info().unwrap_err().message().contains("rondo_device_query"));
    /// ```
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
    pub fn operator(&self) -> Option<&str> {
        let rest = self.0.message.split_once("task '")?.1;
        Some(rest.split_once('\'')?.0)
    }

    /// The thread's last failure, after a call returned `status`.
    #[cold]
    pub(crate) fn last(status: sys::rondo_status) -> Self {
        let kind = ErrorKind::from_raw(status).unwrap_or(ErrorKind::Internal);
        // SAFETY: returns a string that lives until the next call on this thread.
        let message = unsafe { CStr::from_ptr(sys::rondo_last_error()) }.to_string_lossy().into_owned();
        let source = remembered(&message);
        Error(Box::new(Facts { kind, message, source }))
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
    /// The error that a task's own body returned, if it was one of the last few that did.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|cause| &**cause as &(dyn StdError + 'static))
    }
}

/// `Ok` for `RONDO_OK`, else the thread's last failure.
#[inline]
pub(crate) fn check(status: sys::rondo_status) -> Result<()> {
    if status == sys::RONDO_OK {
        Ok(())
    } else {
        Err(Error::last(status))
    }
}

/// What bodies of tasks returned last, by the text that the C interface carries to whoever waits. A few are enough: this
/// is for whoever wants to look into a cause soon after it happened; the text is there in any case.
static CAUSES: Mutex<Vec<(String, Cause)>> = Mutex::new(Vec::new());
const CAUSES_KEPT: usize = 16;

pub(crate) fn remember(message: &str, cause: Cause) {
    let mut causes = CAUSES.lock().unwrap_or_else(PoisonError::into_inner);
    if causes.len() == CAUSES_KEPT {
        causes.remove(0);
    }
    causes.push((message.to_owned(), cause));
}

fn remembered(message: &str) -> Option<Cause> {
    let causes = CAUSES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = causes.iter().rev().find(|(text, _)| message.ends_with(&**text));
    found.map(|(_, cause)| Arc::clone(cause))
}
