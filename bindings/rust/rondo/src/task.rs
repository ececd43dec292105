//! Tasks of the program's own: closures that the engine orders with everything else.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::cell::Cell;
use std::ffi::{c_void, CString};
use std::iter::successors;
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::{check, into_raw};
use crate::{callback, Device, Engine, Error, ErrorKind, Ordered, Result, TaskContext};

/// What the body of a task fails with: anything that is an error, or a text.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Engine {
    /// A task of the program's own. What it reads and writes is said by [`Task::reads`] and [`Task::writes`]; with
    /// [`Task::submit`] it gets its body. The name is for errors, traces and reports.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor, Variable};
    ///
    /// let engine = Engine::new()?;
    /// let file = Variable::new(&engine)?;
    /// engine.task("save").writes(&file).submit(|_| Ok(std::fs::write("/dev/null", b"text")?))?;
    /// file.wait()?;
    ///
    /// let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    /// let y = Tensor::empty(&engine, Device::CPU, rondo::DType::F32, 3)?;
    /// engine.task("tenfold").reads(&x).writes(&y).submit(|task| {
    ///     let (x, y) = (task.input_slice::<f32>(0)?, task.output_slice::<f32>(0)?);
    ///     Ok(y.iter_mut().zip(x).for_each(|(y, x)| *y = 10.0 * x))
    /// })?;
    /// assert_eq!(y.to_vec::<f32>()?, [10.0, 20.0, 30.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn task<'a>(&'a self, name: &'a str) -> Task<'a> {
        Task { engine: self, name, options: sys::RONDO_TASK_OPTIONS_INIT, reads: Vec::new(), writes: Vec::new() }
    }
}

/// A task that is being described; see [`Engine::task`].
///
/// Where all that it reads and writes are tensors, the task holds them, so that they may be dropped as soon as it is
/// submitted, and its body gets them as its [inputs](TaskContext::input) and [outputs](TaskContext::output). A task that
/// names a [`Variable`](crate::Variable) too is ordered by all of them, and has neither.
///
/// Without a device it is a host function, which a worker of the engine calls. With [`Task::on`] a CUDA device it issues
/// work on a stream of that device and returns, without waiting for it.
///
/// ```
/// # let engine = rondo::Engine::new()?;
/// engine.task("hello").priority(1).submit(|task| {
///     println!("on {}", task.device());
///     Ok(())
/// })?;
/// # engine.wait_all()?;
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "submit() submits it"]
pub struct Task<'a> {
    engine: &'a Engine,
    name: &'a str,
    options: sys::rondo_task_options,
    reads: Vec<&'a dyn Ordered>,
    writes: Vec<&'a dyn Ordered>,
}

impl<'a> Task<'a> {
    /// The task reads this: it runs after what writes it before, beside others that read it.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let variable = rondo::Variable::new(&engine)?;
    /// engine.task("look").reads(&variable).submit(|_| Ok(()))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn reads(mut self, what: &'a dyn Ordered) -> Self {
        self.reads.push(what);
        self
    }

    /// The task writes this: it runs alone on it. A task that needs what was there names it as read as well.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let variable = rondo::Variable::new(&engine)?;
    /// engine.task("change").reads(&variable).writes(&variable).submit(|_| Ok(()))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn writes(mut self, what: &'a dyn Ordered) -> Self {
        self.writes.push(what);
        self
    }

    /// The device whose stream the task issues work on; `Device::CPU`, the default, is a host function.
    ///
    /// ```
    /// # use rondo::{Device, Engine};
    /// let task = Engine::new()?;
    /// task.task("anywhere").on(Device::CPU).submit(|_| Ok(()))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn on(mut self, device: Device) -> Self {
        self.options.device = device.as_raw();
        self
    }

    /// Above 0: before others that are ready, and on a stream of high priority.
    ///
    /// ```
    /// rondo::Engine::new()?.task("first").priority(1).submit(|_| Ok(()))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn priority(mut self, priority: i32) -> Self {
        self.options.priority = priority;
        self
    }

    /// Which compute stream of a CUDA device; by default the engine picks one.
    ///
    /// ```
    /// rondo::Engine::new()?.task("there").stream(0).submit(|_| Ok(()))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn stream(mut self, stream: i32) -> Self {
        self.options.stream = stream;
        self
    }

    /// Of a task on a CUDA device: so many streams beside its own, 0 to 8, for work side by side; its body gets them as
    /// [`TaskContext::auxiliary_stream`].
    ///
    /// ```
    /// let refused = rondo::Engine::new()?.task("on the host").auxiliary_streams(2).submit(|_| Ok(()));
    /// assert!(refused.unwrap_err().message().contains("auxiliary_streams"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn auxiliary_streams(mut self, count: i32) -> Self {
        self.options.auxiliary_streams = count;
        self
    }

    /// A device task that cannot be captured: it splits a graph, as host functions always do.
    ///
    /// ```
    /// rondo::Engine::new()?.task("apart").no_capture().submit(|_| Ok(()))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_TASK_NO_CAPTURE")]
    pub fn no_capture(mut self) -> Self {
        self.options.flags |= sys::RONDO_TASK_NO_CAPTURE;
        self
    }

    /// Submits the task with its body. Inside a [recording](Engine::record) the task is kept, and the body is called once
    /// for each launch; it is never called by two threads at once.
    ///
    /// The body may submit tasks, unless it is of a device task, but must not wait: waits in it are errors. If it fails,
    /// or panics, what the task writes carries the error, and so do waits on it.
    ///
    /// ```
    /// use rondo::{Device, Engine, ErrorKind, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// engine.task("careless").writes(&a).submit(|_| panic!("out of luck"))?;
    /// let error = a.exp()?.wait().unwrap_err();
    /// assert_eq!((error.kind(), error.operator()), (ErrorKind::UserError, Some("careless")));
    /// assert!(error.message().ends_with("panicked: out of luck"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where what it names is of another engine, or a number
    /// is not possible. What the closure returns is told by waits on what the task writes.
    #[doc(alias = "rondo_engine_push")]
    #[doc(alias = "rondo_engine_push_tensors")]
    #[doc(alias = "rondo_task_fail")]
    #[doc(alias = "rondo_task_fail_cause")]
    #[track_caller]
    pub fn submit<F>(self, body: F) -> Result<()>
    where
        F: FnMut(&TaskContext<'_>) -> Result<(), BoxError> + Send + 'static,
    {
        let name: CString = c_string("Engine::task", "name", self.name)?;
        let mut options = self.options;
        options.name = name.as_ptr();
        let tensors = |of: &[&dyn Ordered]| of.iter().map(|what| what.tensor()).collect::<Option<Vec<_>>>();
        let variables = |of: &[&dyn Ordered]| of.iter().map(|what| what.variable()).collect::<Result<Vec<_>>>();
        let engine = self.engine.as_ptr();
        let operands = self.reads.len() + self.writes.len();
        let body = |inputs: Option<usize>| -> *mut c_void {
            let operands = inputs.map_or(0, |_| operands);
            Box::into_raw(Box::new(Body { inputs, operands, run: Mutex::new(body) })).cast()
        };
        // SAFETY, of both: `call` and `destroy` are those of this type of body, which the library gives back once.
        let status = if let (Some(reads), Some(writes)) = (tensors(&self.reads), tensors(&self.writes)) {
            let (body, (reads, n_reads), (writes, n_writes)) = (body(Some(reads.len())), list(&reads), list(&writes));
            let (call, destroy) = (Some(call::<F> as Call), Some(destroy::<F> as Destroy));
            unsafe {
                sys::rondo_engine_push_tensors(engine, call, body, destroy, reads, n_reads, writes, n_writes, &options)
            }
        } else {
            let (reads, writes) = (variables(&self.reads)?, variables(&self.writes)?);
            let (body, (reads, n_reads), (writes, n_writes)) = (body(None), list(&reads), list(&writes));
            let (call, destroy) = (Some(call::<F> as Call), Some(destroy::<F> as Destroy));
            unsafe { sys::rondo_engine_push(engine, call, body, destroy, reads, n_reads, writes, n_writes, &options) }
        };
        check(status)
    }
}

type Call = unsafe extern "C" fn(*mut c_void, *mut sys::rondo_task_context) -> sys::rondo_status;
type Destroy = unsafe extern "C" fn(*mut c_void);

/// A list for the C interface.
fn list<T>(of: &[T]) -> (*const T, usize) {
    (of.as_ptr(), of.len())
}

/// The closure. Launches of a graph whose tasks only read may overlap, so it is locked.
struct Body<F> {
    inputs: Option<usize>, // how many tensors it reads; None where it has no operands
    operands: usize,       // how many it reads and writes
    run: Mutex<F>,
}

/// A body that this thread is inside of, and the one further out: in naive mode a body may launch the graph that it is in.
struct Running {
    body: *const c_void,
    outer: *const Running,
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.with(|running| running.set(self.outer));
    }
}

thread_local! {
    /// The innermost one, which lies on the stack of its call: nothing is destroyed when the thread ends.
    static RUNNING: Cell<*const Running> = const { Cell::new(null()) };
}

#[track_caller]
fn run<F>(body: &Body<F>, context: &TaskContext<'_>) -> Result<(), BoxError>
where
    F: FnMut(&TaskContext<'_>) -> Result<(), BoxError>,
{
    let here = Running { body: (body as *const Body<F>).cast(), outer: RUNNING.with(Cell::get) };
    // SAFETY: those further out have not returned.
    let mut further_out = successors(unsafe { here.outer.as_ref() }, |each| unsafe { each.outer.as_ref() });
    if further_out.any(|each| each.body == here.body) {
        return Err("the task's body is running already, further out on this thread".into());
    }
    RUNNING.with(|running| running.set(&here));
    // A body that panicked is called again by the next launch, as one that failed is.
    (body.run.lock().unwrap_or_else(PoisonError::into_inner))(context)
}

unsafe extern "C" fn call<F>(body: *mut c_void, context: *mut sys::rondo_task_context) -> sys::rondo_status
where
    F: FnMut(&TaskContext<'_>) -> Result<(), BoxError>,
{
    // SAFETY: what `submit` gave, which lives until `destroy`.
    let body = unsafe { &*body.cast::<Body<F>>() };
    let seen = TaskContext::new(context, body.inputs, body.operands);
    let (kind, text) = match callback::guard(|| run(body, &seen).map_err(|error| (describe(&error), error))) {
        Ok(Ok(())) => return sys::RONDO_OK,
        Ok(Err((described, error))) => {
            let (cause, destroy) = into_raw(error);
            // SAFETY: inside the call that the context belongs to, which takes the cause.
            unsafe { sys::rondo_task_fail_cause(context, cause, Some(destroy)) };
            described
        }
        Err(panic) => (ErrorKind::UserError, c_text(&format!("the task's body panicked: {}", panic))),
    };
    // SAFETY: inside the call that the context belongs to.
    unsafe { sys::rondo_task_fail(context, text.as_ptr()) };
    kind.as_raw()
}

/// The kind and the text that the C interface carries of a failure, beside the error itself.
pub(crate) fn describe(error: &BoxError) -> (ErrorKind, CString) {
    let kind = error.downcast_ref::<Error>().map_or(ErrorKind::UserError, Error::kind);
    let text = error.to_string();
    (kind, c_text(if text.is_empty() { "an error without a text" } else { &text }))
}

fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

unsafe extern "C" fn destroy<F>(body: *mut c_void) {
    // SAFETY: what `submit` gave, given back once. A panic of the closure's own drop goes no further.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(body.cast::<Body<F>>()) }));
}
