//! Waits as futures, for any executor: the engine notifies the future, which wakes its task.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::c_void;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use rondo_sys as sys;

use crate::error::check;
use crate::{callback, recording, Engine, Error, ErrorKind, Result, Tensor, Variable};

/// The end of a wait. It goes on whether or not anybody polls it, and dropping it stops nothing.
///
/// ```
/// use std::sync::Arc;
/// use std::task::{Context, Poll, Wake};
/// use std::{future::Future, thread};
///
/// use rondo::{DType, Device, Engine, Tensor};
///
/// // The smallest executor: this thread, which sleeps until it is woken.
/// struct Unpark(thread::Thread);
/// impl Wake for Unpark {
///     fn wake(self: Arc<Self>) {
///         self.0.unpark();
///     }
/// }
/// fn block_on<T>(future: impl Future<Output = T>) -> T {
///     let waker = Arc::new(Unpark(thread::current())).into();
///     let mut future = Box::pin(future);
///     loop {
///         if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
///             return value;
///         }
///         thread::park();
///     }
/// }
///
/// let engine = Engine::new()?;
/// block_on(async {
///     let a = Tensor::full(&engine, Device::CPU, DType::F32, 1000, 2.0)?;
///     let b = a.square()?;
///     b.wait_async()?.await?;
///     assert_eq!(b.to_vec::<f32>()?, [4.0; 1000]); // does not block any more
///     Ok::<(), rondo::Error>(())
/// })?;
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "a future does nothing for those who do not poll it"]
pub struct WaitFuture(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    result: Option<Result<()>>,
    waker: Option<Waker>,
}

impl Future for WaitFuture {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let waker = context.waker().clone(); // not under the lock, nor is the former one dropped there: both are the user's
        let mut state = lock(&self.0);
        if let Some(result) = &state.result {
            return Poll::Ready(result.clone());
        }
        let former = state.waker.replace(waker);
        drop(state);
        drop(former);
        Poll::Pending
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn finish(state: &Mutex<State>, result: Result<()>) {
    let mut state = lock(state);
    state.result = Some(result);
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        // A waker is the user's. Its panic must end neither the thread, which others wait for, nor the task that watches.
        let _ = callback::guard(|| waker.wake());
    }
}

/// What the library gives back when a wait is over: the engine lives as long as its future has not come.
struct Awaited {
    state: Arc<Mutex<State>>,
    engine: Engine,
}

/// What the library calls when a wait is over: on a thread of the engine, or in a call of this program's.
unsafe extern "C" fn notified(awaited: *mut c_void, status: sys::rondo_status) {
    // SAFETY: the pointer is the one that `notify` gave away, which is given back once.
    let awaited = unsafe { Box::from_raw(awaited as *mut Awaited) };
    let _ = callback::guard(|| finish(&awaited.state, check(status)));
    // The last handle of an engine ends as in a task: without making this thread wait.
    let _ = callback::guard(|| drop(awaited.engine));
}

/// A future of what `submit`, a call with a function and its argument, notifies of.
fn notify(
    engine: &Engine,
    submit: impl FnOnce(sys::rondo_done_fn, *mut c_void) -> sys::rondo_status,
) -> Result<WaitFuture> {
    refuse_in_recording(engine)?;
    let state: Arc<Mutex<State>> = Arc::default();
    let given = Box::into_raw(Box::new(Awaited { state: Arc::clone(&state), engine: engine.clone() }));
    if let Err(problem) = check(submit(Some(notified), given as *mut c_void)) {
        // SAFETY: the call failed, so nothing is notified and the pointer is still this function's.
        drop(unsafe { Box::from_raw(given) });
        return Err(problem);
    }
    Ok(WaitFuture(state))
}

/// Refuses what a recording would keep instead of doing it; the closure of a callable is in one, too.
fn refuse_in_recording(engine: &Engine) -> Result<()> {
    if recording::is_open() || engine.is_recording()? {
        let text = "a wait cannot be recorded: wait before the recording or after it";
        return Err(Error::new(ErrorKind::InvalidState, text));
    }
    Ok(())
}

impl Tensor {
    /// [`Tensor::wait`] as a future, for the writes submitted until now.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # async fn example(engine: &Engine) -> rondo::Result<()> {
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, 1000)?.exp()?;
    /// a.wait_async()?.await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording. The future's own is that of
    /// [`Tensor::wait`].
    #[doc(alias = "rondo_variable_notify")]
    pub fn wait_async(&self) -> Result<WaitFuture> {
        let mut variable = std::ptr::null_mut();
        // SAFETY: the handle is alive.
        check(unsafe { sys::rondo_tensor_variable(self.as_ptr(), &mut variable) })?;
        // SAFETY: a tensor's variable is alive as long as its handle.
        notify(self.engine(), |done, arg| unsafe { sys::rondo_variable_notify(variable, 1, done, arg) })
    }
}

impl Variable {
    /// [`Variable::wait`] as a future, for the writes submitted until now.
    ///
    /// ```
    /// # async fn example(engine: &rondo::Engine) -> rondo::Result<()> {
    /// let variable = rondo::Variable::new(engine)?;
    /// variable.wait_async()?.await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording. The future's own is that of
    /// [`Variable::wait`].
    pub fn wait_async(&self) -> Result<WaitFuture> {
        // SAFETY: the handle is alive.
        notify(self.engine(), |done, arg| unsafe { sys::rondo_variable_notify(self.as_ptr(), 0, done, arg) })
    }
}

impl Engine {
    /// [`Engine::wait_all`] as a future.
    ///
    /// ```
    /// # async fn example(engine: &rondo::Engine) -> rondo::Result<()> {
    /// engine.wait_all_async()?.await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording. The future's own is that of
    /// [`Engine::wait_all`].
    #[doc(alias = "rondo_engine_notify")]
    pub fn wait_all_async(&self) -> Result<WaitFuture> {
        // SAFETY: the handle is alive.
        notify(self, |done, arg| unsafe { sys::rondo_engine_notify(self.as_ptr(), done, arg) })
    }
}
