//! Variables: order, version and error, without data.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::ptr::{null_mut, NonNull};
use std::sync::Arc;
use std::time::Duration;

use rondo_sys as sys;

use crate::error::check;
use crate::tensor::milliseconds;
use crate::{Engine, Result, Tensor};

/// Something that tasks read or write, such as a file or a structure of the program's own. Carries order, a version and
/// an error, no data.
///
/// ```
/// use rondo::{Engine, Variable};
///
/// let engine = Engine::new()?;
/// let file = Variable::new(&engine)?;
/// engine.task("write").writes(&file).submit(|_| Ok(()))?;
/// engine.task("read").reads(&file).submit(|_| Ok(()))?; // after it
/// file.wait()?;
/// assert_eq!(file.version()?, 1);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// A clone is another handle of the same variable.
#[doc(alias = "rondo_tensor_variable")]
#[doc(alias = "rondo_variable")]
#[derive(Clone)]
pub struct Variable(Arc<Owner>);

/// The one that destroys.
struct Owner {
    handle: NonNull<sys::rondo_variable>,
    engine: Engine, // after the handle: it may be the last of its engine
}

// SAFETY: every function on a variable is thread-safe (docs/threads.md), and it is destroyed by the last who has it.
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Variable {
    /// A variable that nothing has written yet.
    ///
    /// ```
    /// let variable = rondo::Variable::new(&rondo::Engine::new()?)?;
    /// assert_eq!(variable.version()?, 0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the engine lives.
    #[doc(alias = "rondo_variable_create")]
    #[track_caller]
    pub fn new(engine: &Engine) -> Result<Variable> {
        let mut handle = null_mut();
        check(unsafe { sys::rondo_variable_create(engine.as_ptr(), &mut handle) })?;
        Ok(Variable(Arc::new(Owner { handle: crate::tensor::made(handle), engine: engine.clone() })))
    }

    /// Blocks until every task submitted before that reads or writes it has finished; returns its error if one that
    /// wrote it failed. [`Variable::wait_async`] does not block.
    ///
    /// ```
    /// let variable = rondo::Variable::new(&rondo::Engine::new()?)?;
    /// variable.wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// That of the task that should have written it, with its first cause;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a task and inside a recording.
    #[doc(alias = "rondo_variable_wait")]
    #[track_caller]
    pub fn wait(&self) -> Result<()> {
        check(unsafe { sys::rondo_variable_wait(self.as_ptr()) })
    }

    /// [`Variable::wait`] for a limited time; a duration of zero asks only.
    ///
    /// ```
    /// let variable = rondo::Variable::new(&rondo::Engine::new()?)?;
    /// variable.wait_for(std::time::Duration::from_secs(10))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TimedOut`](crate::ErrorKind::TimedOut) where a task has not finished by then: it goes on.
    #[doc(alias = "rondo_variable_wait_for")]
    #[track_caller]
    pub fn wait_for(&self, limit: Duration) -> Result<()> {
        check(unsafe { sys::rondo_variable_wait_for(self.as_ptr(), milliseconds(limit)) })
    }

    /// How many writes were issued or completed. Does not block.
    ///
    /// ```
    /// let variable = rondo::Variable::new(&rondo::Engine::new()?)?;
    /// assert_eq!(variable.version()?, 0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the variable lives.
    #[doc(alias = "rondo_variable_version")]
    #[track_caller]
    pub fn version(&self) -> Result<u64> {
        let mut version = 0;
        check(unsafe { sys::rondo_variable_version(self.as_ptr(), &mut version) })?;
        Ok(version)
    }

    /// The engine it belongs to.
    ///
    /// ```
    /// let variable = rondo::Variable::new(&rondo::Engine::new()?)?;
    /// variable.engine().wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// The handle of the C interface, borrowed: it lives as long as this variable.
    ///
    /// ```
    /// let variable = rondo::Variable::new(&rondo::Engine::new()?)?;
    /// assert!(!variable.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_variable {
        self.0.handle.as_ptr()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle.
        unsafe { sys::rondo_variable_destroy(self.handle.as_ptr()) }
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version() {
            Ok(version) => write!(f, "Variable(version {})", version),
            Err(error) => write!(f, "Variable({})", error),
        }
    }
}

mod sealed {
    pub trait Sealed {
        /// The variable that carries its order, borrowed.
        fn variable(&self) -> crate::Result<*mut rondo_sys::rondo_variable>;
        /// The tensor, borrowed, where it is one.
        fn tensor(&self) -> Option<*mut rondo_sys::rondo_tensor> {
            None
        }
    }
}
pub(crate) use sealed::Sealed;

/// What tasks can read and write: a [`Variable`] or a [`Tensor`].
///
/// ```
/// fn announce(what: &impl rondo::Ordered, engine: &rondo::Engine) -> rondo::Result<()> {
///     engine.task("announce").reads(what).submit(|_| Ok(println!("ready")))
/// }
/// # let engine = rondo::Engine::new()?;
/// announce(&rondo::Variable::new(&engine)?, &engine)?;
/// # Ok::<(), rondo::Error>(())
/// ```
pub trait Ordered: Sealed + fmt::Debug {}

impl Ordered for Variable {}
impl Sealed for Variable {
    #[track_caller]
    fn variable(&self) -> Result<*mut sys::rondo_variable> {
        Ok(self.as_ptr())
    }
}

impl Ordered for Tensor {}
impl Sealed for Tensor {
    #[track_caller]
    fn variable(&self) -> Result<*mut sys::rondo_variable> {
        let mut variable = null_mut();
        check(unsafe { sys::rondo_tensor_variable(self.as_ptr(), &mut variable) })?;
        Ok(variable)
    }

    fn tensor(&self) -> Option<*mut sys::rondo_tensor> {
        Some(self.as_ptr())
    }
}
