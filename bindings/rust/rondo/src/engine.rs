//! The engine: created, shared, waited for, ended.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use rondo_sys as sys;

use crate::error::check;
pub use crate::generated::EngineMode;
use crate::{callback, Result};

/// Owns devices' streams, memory pools and workers; every tensor, variable and graph belongs to one engine.
///
/// A clone is another handle of the same engine. The engine ends when its last clone and the last object of it are gone:
/// the thread that drops that one waits for all work, unless it is inside a task of some engine, where waiting is not
/// allowed; then a thread made for it does.
///
/// ```
/// use rondo::{Engine, EngineMode};
///
/// let engine = Engine::builder().mode(EngineMode::Threaded).workers(2).build()?;
/// assert_eq!(engine.mode()?, EngineMode::Threaded);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_engine")]
#[derive(Clone)]
pub struct Engine(Arc<Owner>);

/// The one that destroys.
struct Owner(NonNull<sys::rondo_engine>);

// SAFETY: every function on an engine is thread-safe (docs/threads.md), and it is destroyed by the last who has it.
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Engine {
    /// An engine as the settings of the environment say; see [`Engine::builder`] to choose. Touches no device.
    ///
    /// ```
    /// let engine = rondo::Engine::new()?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`EngineBuilder::build`].
    pub fn new() -> Result<Engine> {
        Engine::builder().build()
    }

    /// What is not set keeps its default.
    ///
    /// ```
    /// let engine = rondo::Engine::builder().seed(7).build()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn builder() -> EngineBuilder {
        EngineBuilder(sys::RONDO_ENGINE_OPTIONS_INIT)
    }

    /// The mode it runs in, never [`EngineMode::Default`].
    ///
    /// ```
    /// assert_ne!(rondo::Engine::new()?.mode()?, rondo::EngineMode::Default);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the engine lives.
    #[doc(alias = "rondo_engine_get_mode")]
    pub fn mode(&self) -> Result<EngineMode> {
        let mut mode = 0;
        check(unsafe { sys::rondo_engine_get_mode(self.as_ptr(), &mut mode) })?;
        Ok(EngineMode::from_raw(mode).unwrap_or(EngineMode::Default))
    }

    /// Blocks until every task submitted before has finished, on the devices too. Returns the first failure of any task
    /// since the last `wait_all` that returned one. [`Engine::wait_all_async`] does not block.
    ///
    /// ```
    /// let engine = rondo::Engine::new()?;
    /// engine.task("fails").submit(|_| Err("disk gone".into()))?;
    /// assert!(engine.wait_all().unwrap_err().message().contains("disk gone"));
    /// engine.wait_all()?; // told once
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first cause among the failures since the last call that told one;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a task.
    #[doc(alias = "rondo_engine_wait_all")]
    pub fn wait_all(&self) -> Result<()> {
        check(unsafe { sys::rondo_engine_wait_all(self.as_ptr()) })
    }

    /// [`Engine::wait_all`] for a limited time; a duration of zero asks only.
    ///
    /// ```
    /// rondo::Engine::new()?.wait_all_for(std::time::Duration::from_secs(10))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TimedOut`](crate::ErrorKind::TimedOut) where a task has not finished by then: it goes on.
    #[doc(alias = "rondo_engine_wait_all_for")]
    pub fn wait_all_for(&self, limit: std::time::Duration) -> Result<()> {
        check(unsafe { sys::rondo_engine_wait_all_for(self.as_ptr(), crate::tensor::milliseconds(limit)) })
    }

    /// Restarts the random numbers of all devices from a seed, for operators submitted after it.
    ///
    /// ```
    /// use rondo::{ops, DType, Device, Engine};
    ///
    /// let engine = Engine::new()?;
    /// let mut drawn = Vec::new();
    /// for _ in 0..2 {
    ///     engine.seed(7)?;
    ///     drawn.push(ops::random_uniform(&engine, Device::CPU, DType::F32, 4, 0.0, 1.0)?.to_vec::<f32>()?);
    /// }
    /// assert_eq!(drawn[0], drawn[1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the engine lives.
    #[doc(alias = "rondo_engine_seed")]
    #[doc(alias = "manual_seed")]
    #[doc(alias = "set_seed")]
    pub fn seed(&self, seed: u64) -> Result<()> {
        check(unsafe { sys::rondo_engine_seed(self.as_ptr(), seed) })
    }

    /// The handle of the C interface, borrowed: it lives as long as this engine or an object of it.
    ///
    /// ```
    /// assert!(!rondo::Engine::new()?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[inline]
    pub fn as_ptr(&self) -> *mut sys::rondo_engine {
        (self.0).0.as_ptr()
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mode() {
            Ok(mode) => write!(f, "Engine({:?} at {:p})", mode, self.as_ptr()),
            Err(error) => write!(f, "Engine({})", error),
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        struct Handle(NonNull<sys::rondo_engine>);
        // SAFETY: nobody else has it any more.
        unsafe impl Send for Handle {}
        impl Handle {
            fn destroy(self) {
                // SAFETY: the last handle. Not called inside a task.
                unsafe { sys::rondo_engine_destroy(self.0.as_ptr()) }
            }
        }
        let handle = Handle(self.0);
        if callback::inside() {
            // It waits for the very task that this thread is inside. Where the system gives no thread, the engine stays:
            // there is nobody left to tell.
            let _ = std::thread::Builder::new().name("rondo-end".into()).spawn(move || handle.destroy());
        } else {
            handle.destroy();
        }
    }
}

/// Options of an engine; see [`Engine::builder`].
///
/// ```
/// let builder = rondo::Engine::builder().workers(4).streams(2).max_tasks(1000).memory_limit(1 << 30);
/// let engine = builder.build()?;
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "build() makes the engine"]
pub struct EngineBuilder(sys::rondo_engine_options);

impl EngineBuilder {
    /// How the engine issues work.
    ///
    /// ```
    /// let engine = rondo::Engine::builder().mode(rondo::EngineMode::Naive).build()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn mode(mut self, mode: EngineMode) -> Self {
        self.0.mode = mode.as_raw();
        self
    }

    /// Threads for host functions and operators on the cpu.
    ///
    /// ```
    /// let engine = rondo::Engine::builder().workers(2).build()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn workers(mut self, workers: i32) -> Self {
        self.0.workers = workers;
        self
    }

    /// Streams for computing on each CUDA device, 1 to 16.
    ///
    /// ```
    /// assert!(rondo::Engine::builder().streams(99).build().is_err());
    /// ```
    pub fn streams(mut self, streams: i32) -> Self {
        self.0.streams = streams;
        self
    }

    /// Tasks in flight before whoever submits blocks.
    ///
    /// ```
    /// let engine = rondo::Engine::builder().max_tasks(100).build()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn max_tasks(mut self, tasks: i64) -> Self {
        self.0.max_tasks = tasks;
        self
    }

    /// Bytes that the pool of each device may hold.
    ///
    /// ```
    /// let engine = rondo::Engine::builder().memory_limit(1 << 20).build()?;
    /// let a = rondo::Tensor::zeros(&engine, rondo::Device::CPU, rondo::DType::F32, 2)?;
    /// assert_eq!(engine.memory(rondo::Device::CPU)?.limit, 1 << 20);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn memory_limit(mut self, bytes: i64) -> Self {
        self.0.memory_limit = bytes;
        self
    }

    /// Whether an operator with an index outside fails, with a message that names operator, place and index, instead of
    /// giving 0. The setting `RONDO_CHECK_INDICES` decides where this does not.
    ///
    /// ```
    /// let engine = rondo::Engine::builder().check_indices(true).build()?;
    /// let table = rondo::Tensor::from_slice(&engine, rondo::Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let outside = rondo::Tensor::from_slice(&engine, rondo::Device::CPU, 1, &[7i64])?;
    /// let error = table.take(&outside, 0).and_then(|taken| taken.wait()).unwrap_err();
    /// assert!(error.to_string().contains("indices[0] is 7"));
    /// # let _ = engine.wait_all();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn check_indices(mut self, check: bool) -> Self {
        self.0.check_indices = if check { 1 } else { -1 };
        self
    }

    /// Of random numbers; see [`Engine::seed`].
    ///
    /// ```
    /// let engine = rondo::Engine::builder().seed(7).build()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn seed(mut self, seed: u64) -> Self {
        self.0.seed = seed;
        self
    }

    /// Makes the engine.
    ///
    /// ```
    /// assert_eq!(rondo::Engine::builder().workers(-1).build().unwrap_err().kind(), rondo::ErrorKind::InvalidArgument);
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a number that is not possible, and where the
    /// setting `RONDO_ENGINE` has no meaning.
    #[doc(alias = "rondo_engine_create")]
    pub fn build(self) -> Result<Engine> {
        let mut engine = std::ptr::null_mut();
        check(unsafe { sys::rondo_engine_create(&self.0, &mut engine) })?;
        Ok(Engine(Arc::new(Owner(crate::tensor::made(engine)))))
    }
}
