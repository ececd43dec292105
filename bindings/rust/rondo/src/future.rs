//! Waits as futures, for any executor: a host task of the engine wakes whoever waits.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::{callback, recording, BoxError, Engine, Error, ErrorKind, Ordered, Result, Tensor, Variable};

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

/// Runs a wait that blocks on a thread of its own.
fn on_a_thread(state: Arc<Mutex<State>>, wait: impl FnOnce() -> Result<()> + Send + 'static) {
    let shared = Arc::clone(&state);
    let thread = std::thread::Builder::new().name("rondo-wait".into());
    if let Err(problem) = thread.spawn(move || finish(&shared, wait())) {
        finish(&state, Err(Error::new(ErrorKind::OutOfMemory, format!("no thread to wait on: {}", problem))));
    }
}

/// What waits for a tensor or a variable, for so long at most.
type Wait = Box<dyn Fn(Duration) -> Result<()> + Send>;

/// Futures whose tasks were skipped because something before them failed: one thread asks for all their causes, while
/// there are any.
static SKIPPED: Mutex<Skipped> = Mutex::new(Skipped { futures: Vec::new(), asked: false });

struct Skipped {
    futures: Vec<(Arc<Mutex<State>>, Wait)>,
    asked: bool, // by a thread
}

fn ask_for_cause(state: Arc<Mutex<State>>, wait: Wait) {
    let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    skipped.futures.push((state, wait));
    if skipped.asked {
        return;
    }
    skipped.asked = true;
    if let Err(problem) = std::thread::Builder::new().name("rondo-causes".into()).spawn(ask_for_causes) {
        skipped.asked = false;
        let futures = std::mem::take(&mut skipped.futures);
        drop(skipped);
        for (state, _) in futures {
            finish(&state, Err(Error::new(ErrorKind::OutOfMemory, format!("no thread to wait on: {}", problem))));
        }
    }
}

fn ask_for_causes() {
    loop {
        let mut skipped = SKIPPED.lock().unwrap_or_else(PoisonError::into_inner);
        let futures = std::mem::take(&mut skipped.futures);
        skipped.asked = !futures.is_empty();
        drop(skipped);
        if futures.is_empty() {
            return;
        }
        for (state, wait) in futures {
            // What is not known at once, because more has been submitted since, makes no other future wait.
            match wait(Duration::from_millis(2)) {
                Err(error) if error.kind() == ErrorKind::TimedOut && error.operator().is_none() => {
                    ask_again(state, wait);
                }
                result => {
                    finish(&state, result);
                    // The last handle of an engine ends as in a task: without making this thread wait.
                    let _ = callback::guard(|| drop(wait));
                }
            }
        }
    }
}

fn ask_again(state: Arc<Mutex<State>>, wait: Wait) {
    SKIPPED.lock().unwrap_or_else(PoisonError::into_inner).futures.push((state, wait));
}

/// What the host task that watches holds. It is run when everything before it is done; where that failed, it is not run
/// but dropped, and then the cause is asked for by a thread, because neither the dropper nor a poll may block.
struct Watcher {
    state: Arc<Mutex<State>>,
    wait: Option<Wait>,
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(wait) = self.wait.take() {
            ask_for_cause(Arc::clone(&self.state), wait);
        }
    }
}

fn watch(engine: &Engine, what: &dyn Ordered, wait: Wait) -> Result<WaitFuture> {
    refuse_in_recording()?;
    let state = Arc::default();
    let mut watcher = Watcher { state: Arc::clone(&state), wait: Some(wait) };
    engine.task("wait").reads(what).priority(1).submit(move |_| -> Result<(), BoxError> {
        watcher.wait = None;
        finish(&watcher.state, Ok(()));
        Ok(())
    })?;
    Ok(WaitFuture(state))
}

fn refuse_in_recording() -> Result<()> {
    if recording::is_open() {
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
    pub fn wait_async(&self) -> Result<WaitFuture> {
        let other = self.clone();
        watch(self.engine(), self, Box::new(move |limit| other.wait_for(limit)))
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
        let other = self.clone();
        watch(self.engine(), self, Box::new(move |limit| other.wait_for(limit)))
    }
}

impl Engine {
    /// [`Engine::wait_all`] as a future. A thread of its own waits.
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
    pub fn wait_all_async(&self) -> Result<WaitFuture> {
        refuse_in_recording()?;
        let (state, engine) = (Arc::default(), self.clone());
        on_a_thread(Arc::clone(&state), move || engine.wait_all());
        Ok(WaitFuture(state))
    }
}
