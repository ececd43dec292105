//! A timeline of tasks.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::path::Path;
use std::ptr::null;

use rondo_sys as sys;

use crate::error::check;
use crate::memory::c_path;
use crate::{Engine, Result};

impl Engine {
    /// Starts to keep times of tasks, until the trace is written or dropped. One at a time.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let trace = engine.trace()?;
    /// Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
    /// let path = std::env::temp_dir().join(format!("rondo-trace-{}.json", std::process::id()));
    /// trace.write(&path)?;
    /// assert!(std::fs::read_to_string(&path).unwrap().contains("fill"));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the engine is traced already.
    #[doc(alias = "rondo_trace_begin")]
    pub fn trace(&self) -> Result<Trace> {
        check(unsafe { sys::rondo_trace_begin(self.as_ptr()) })?;
        Ok(Trace { engine: Some(self.clone()) })
    }
}

/// A trace that is on; made by [`Engine::trace`]. Dropping it stops it, and waits for all work.
///
/// ```
/// let engine = rondo::Engine::new()?;
/// drop(engine.trace()?);
/// drop(engine.trace()?); // the first is over
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "dropping it stops the trace"]
pub struct Trace {
    engine: Option<Engine>, // none when it is over
}

impl Trace {
    /// Waits for all work and writes the trace as JSON that chrome://tracing and Perfetto show.
    ///
    /// ```
    /// let engine = rondo::Engine::new()?;
    /// assert!(engine.trace()?.write("/no/such/folder/trace.json").is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`IoError`](crate::ErrorKind::IoError) where the file cannot be written;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a task.
    #[doc(alias = "rondo_trace_end")]
    pub fn write(mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path("Trace::write", path.as_ref())?;
        match self.engine.take() {
            Some(engine) => check(unsafe { sys::rondo_trace_end(engine.as_ptr(), path.as_ptr()) }),
            None => Ok(()),
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            // Fails where it is not allowed to wait, inside a task; the trace then goes on until the engine ends.
            let _ = unsafe { sys::rondo_trace_end(engine.as_ptr(), null()) };
        }
    }
}
