//! Recordings: closures whose work is kept instead of run.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::cell::Cell;
use std::ffi::CString;
use std::ptr::{null, null_mut};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::{sites, DType, Device, Dims, Engine, Error, Graph, Result, Tensor};

thread_local! {
    /// Whether this thread is inside the closure of a recording.
    static OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Whether what this thread submits is kept instead of run.
pub(crate) fn is_open() -> bool {
    OPEN.with(Cell::get)
}

impl Engine {
    /// Runs a closure whose operators and tasks are kept, and compiles them to a graph. Nothing of it runs before the
    /// graph is launched.
    ///
    /// Tensors made inside and still there at the end, such as the ones the closure returns, are the graph's outputs;
    /// the others are temporaries. Tensors from outside are inputs, which the graph may also write.
    ///
    /// If the closure fails or panics, or the compilation fails, nothing is left of it but errors in the tensors made
    /// inside.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let (graph, y) = engine.record(|| x.square()?.add(1.0))?;
    /// graph.launch()?;
    /// assert_eq!(y.to_vec::<f32>()?, [2.0, 5.0]);
    ///
    /// x.write(&[3.0f32, 4.0])?;
    /// graph.launch()?;
    /// assert_eq!(y.to_vec::<f32>()?, [10.0, 17.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the closure returns, which abandons the recording; [`InvalidState`](crate::ErrorKind::InvalidState)
    /// inside another recording of the thread; what recording such work does not allow.
    #[doc(alias = "rondo_record_abort")]
    #[doc(alias = "rondo_record_begin")]
    #[doc(alias = "rondo_record_end")]
    #[track_caller]
    pub fn record<R, E: From<Error>>(&self, body: impl FnOnce() -> Result<R, E>) -> Result<(Graph, R), E> {
        self.recording().record(body)
    }

    /// A recording with options.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let (graph, _y) = engine.recording().name("forward").max_branches(4).record(|| x.exp())?;
    /// assert!(graph.report()?.contains("forward"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn recording(&self) -> RecordingBuilder<'_> {
        RecordingBuilder {
            engine: self,
            name: None,
            max_branches: 0,
            flags: sys::RONDO_RECORD_DEFAULT,
            arena: None,
            arenas: 0,
        }
    }

    /// Whether this thread is inside the closure of a recording on this engine: what it submits is kept, and nothing can be
    /// waited for.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// assert!(!engine.is_recording()?);
    /// engine.record(|| Ok::<_, rondo::Error>(assert!(engine.is_recording()?)))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the engine lives.
    #[doc(alias = "rondo_record_is_open")]
    #[track_caller]
    pub fn is_recording(&self) -> Result<bool> {
        let mut open = 0;
        check(unsafe { sys::rondo_record_is_open(self.as_ptr(), &mut open) })?;
        Ok(open != 0)
    }

    /// Names an output of this thread's recording, which must have [named outputs](RecordingBuilder::named_outputs). A view
    /// names all of its tensor.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let (graph, (half, y)) = engine.recording().named_outputs().record(|| {
    ///     let half = x.mul(0.5)?;
    ///     let y = half.add(1.0)?;
    ///     engine.record_output(&y)?;
    ///     Ok::<_, rondo::Error>((half, y))
    /// })?;
    /// graph.launch()?;
    /// assert_eq!(y.to_vec::<f32>()?, [1.5, 2.0]);
    /// assert!(half.to_vec::<f32>().is_err()); // a temporary, though it is still held
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the thread has no recording that was begun with
    /// [`RecordingBuilder::named_outputs`] or [`RecordingBuilder::callable`];
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a tensor of another engine, and in a callable recording
    /// for what is not a whole tensor made in it.
    #[doc(alias = "rondo_record_output")]
    #[track_caller]
    pub fn record_output(&self, tensor: &Tensor) -> Result<()> {
        check(unsafe { sys::rondo_record_output(self.as_ptr(), tensor.as_ptr()) })
    }

    /// Makes an input of this thread's recording, which must be [callable](RecordingBuilder::callable): a tensor that
    /// stands for what each [`Graph::call`] is given. The recording may read it, not write it.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let (both, ()) = engine.recording().callable().record(|| {
    ///     let (a, b) = (engine.record_input(Device::CPU, DType::F64, 2)?, engine.record_input(Device::CPU, DType::F64, 2)?);
    ///     engine.record_output(&a.add(&b)?)?;
    ///     engine.record_output(&a.sub(&b)?)
    /// })?;
    /// assert_eq!((both.info()?.inputs, both.info()?.outputs), (2, 2));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the thread has no recording that was begun with
    /// [`RecordingBuilder::callable`]; others as of [`Tensor::empty`].
    #[doc(alias = "rondo_record_input")]
    #[track_caller]
    pub fn record_input(&self, device: Device, dtype: DType, shape: impl Into<Dims>) -> Result<Tensor> {
        let shape = shape.into();
        Tensor::create(self, |out| unsafe {
            sys::rondo_record_input(self.as_ptr(), device.as_raw(), dtype.as_raw(), shape.ndim(), shape.as_ptr(), out)
        })
    }

    /// Records a parameter: a number that each launch is given, such as a learning rate. It is a tensor without axes, into
    /// which a launch writes what [`Graph::set`] said last, and `value` before that.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let w = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let (step, ()) = engine.record(|| {
    ///     let rate = engine.record_parameter("rate", Device::CPU, DType::F32, 0.5)?;
    ///     w.sub_into(&rate, &w)
    /// })?;
    /// step.launch()?;
    /// step.set("rate", 0.25)?; // for launches from here on
    /// step.launch()?;
    /// assert_eq!(w.to_vec::<f32>()?, [0.25, 1.25]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the thread has no recording;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a name that is empty or taken, and for a value that the
    /// dtype does not hold.
    #[doc(alias = "rondo_record_parameter")]
    #[track_caller]
    pub fn record_parameter(&self, name: &str, device: Device, dtype: DType, value: f64) -> Result<Tensor> {
        let name = c_string("Engine::record_parameter", "name", name)?;
        Tensor::create(self, |out| unsafe {
            sys::rondo_record_parameter(self.as_ptr(), name.as_ptr(), device.as_raw(), dtype.as_raw(), value, out)
        })
    }

    /// What `body` records is a section, which [`Graph::enable`] switches: where it is off, none of it runs, and what it
    /// would write stays as it was. `on`: whether it is, before anything else is said.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let w = Tensor::zeros(&engine, Device::CPU, DType::F32, 1)?;
    /// let (step, ()) = engine.record(|| {
    ///     w.add_into(1, &w)?;
    ///     engine.record_section("decay", true, || w.mul_into(0.5, &w))
    /// })?;
    /// step.launch()?;
    /// step.enable("decay", false)?;
    /// step.launch()?;
    /// assert_eq!(w.to_vec::<f32>()?, [1.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What `body` returns. [`InvalidState`](crate::ErrorKind::InvalidState) where the thread has no recording, and in a
    /// section; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty name, and for another `on` than that
    /// of a part of the same name.
    #[doc(alias = "rondo_record_section_begin")]
    #[doc(alias = "rondo_record_section_end")]
    #[track_caller]
    pub fn record_section<T, E: From<crate::Error>>(
        &self,
        name: &str,
        on: bool,
        body: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        struct Open<'a>(&'a Engine);
        impl Drop for Open<'_> {
            fn drop(&mut self) {
                // It is open, unless the recording is gone, which has been said then.
                unsafe { sys::rondo_record_section_end(self.0.as_ptr()) };
            }
        }
        let name = c_string("Engine::record_section", "name", name)?;
        check(unsafe { sys::rondo_record_section_begin(self.as_ptr(), name.as_ptr(), i32::from(on)) })?;
        let _open = Open(self);
        body()
    }
}

/// Options of a recording; see [`Engine::recording`].
///
/// ```
/// let engine = rondo::Engine::new()?;
/// let (graph, ()) = engine.recording().name("empty").record(|| Ok::<_, rondo::Error>(()))?;
/// assert_eq!(graph.info()?.tasks, 0);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "record() records"]
pub struct RecordingBuilder<'a> {
    engine: &'a Engine,
    name: Option<&'a str>,
    max_branches: i32,
    flags: u32,
    arena: Option<&'a str>,
    arenas: i32,
}

impl<'a> RecordingBuilder<'a> {
    /// For reports and traces.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().name("step");
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn name(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }

    /// How many branches may run side by side in a CUDA graph, 1 to 32.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().max_branches(2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn max_branches(mut self, branches: i32) -> Self {
        self.max_branches = branches;
        self
    }

    /// Graphs of the engine that are recorded with the same name share the memory of their temporaries: for the batch sizes of
    /// one model, of which one runs at a time. The largest one is recorded first.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().arena("batches");
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn arena(mut self, name: &'a str) -> Self {
        self.arena = Some(name);
        self
    }

    /// How many calls of a graph that is [`callable`](Self::callable) may overlap, 1 to 64: each has temporaries and CUDA
    /// graphs of its own. A graph that writes tensors from outside has one arena all the same: its report says why.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine};
    ///
    /// let engine = Engine::new()?;
    /// let (square, ()) = engine.recording().callable().arenas(2).record(|| {
    ///     let x = engine.record_input(Device::CPU, DType::F32, 2)?;
    ///     engine.record_output(&x.square()?)
    /// })?;
    /// assert_eq!(square.info()?.arenas, 2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn arenas(mut self, arenas: i32) -> Self {
        self.arenas = arenas;
        self
    }

    /// Only what [`Engine::record_output`] names is an output, whatever is still held at the end: for a recording that calls
    /// code which keeps tensors. What was made inside and not named is a temporary, and its contents cannot be had.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().named_outputs();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_RECORD_NAMED_OUTPUTS")]
    pub fn named_outputs(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_NAMED_OUTPUTS;
        self
    }

    /// The graph is called, not launched: a function of the tensors that [`Engine::record_input`] makes, whose results are
    /// those that [`Engine::record_output`] names, in that order.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let (square, ()) = engine.recording().callable().record(|| {
    ///     let x = engine.record_input(Device::CPU, DType::F32, 2)?;
    ///     engine.record_output(&x.square()?)
    /// })?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// assert_eq!(square.call(&[&x])?[0].to_vec::<f32>()?, [1.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_RECORD_CALLABLE")]
    pub fn callable(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_CALLABLE;
        self
    }

    /// All that is recorded runs, whether or not anybody reads it. Else operators whose results nobody
    /// reads are left out, and elementwise ones that follow each other become one kernel.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().as_written();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_written(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_AS_WRITTEN;
        self
    }

    /// Fused operators hand on what they computed, unrounded, and products and convolutions take in the scale, bias,
    /// residual and activation that follow them; normalisations and attention written as their parts become one operator.
    /// Results differ by roundings, and where those parts overflow or a row of attention sees no key. [`Graph::report`]
    /// tells each place.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().fewer_roundings();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_RECORD_FEWER_ROUNDINGS")]
    pub fn fewer_roundings(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_FEWER_ROUNDINGS;
        self
    }

    /// A piece of the graph whose capture fails is run task by task in each launch, as eager calls are, with the same
    /// results; [`Graph::report`] says why. Else the recording fails.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().fall_back();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_RECORD_FALL_BACK")]
    pub fn fall_back(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_FALL_BACK;
        self
    }

    /// Notes where in the program each task is recorded, file and line of the call of this crate: failures in the graph,
    /// [`Graph::profile`] and [`Graph::dot`] then say it. The setting `RONDO_RECORD_SITES=on` does the same for all recordings.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let x = Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
    /// let (graph, _y) = engine.recording().sites().record(|| x.exp())?;
    /// graph.profile()?;
    /// assert!(graph.report()?.contains(", recorded at "));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_RECORD_SITES")]
    #[doc(alias = "rondo_record_site")]
    pub fn sites(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_SITES;
        self
    }

    /// The host decides all control flow, between pieces of the graph, also where a CUDA graph could choose by itself:
    /// slower, but each body is timed by [`Graph::profile`].
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = engine.recording().host_decides();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_RECORD_HOST_DECIDES")]
    pub fn host_decides(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_HOST_DECIDES;
        self
    }

    /// Each launch and call looks at what every recorded operator has made. If there is a NaN or an infinity it fails, and its
    /// outputs carry the error: the operator that made the first one, its operands, the place of the element, and with
    /// [`RecordingBuilder::sites`] where it was recorded. The setting `RONDO_CHECK_NUMBERS=on` does the same for all recordings.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let x = Tensor::full(&engine, Device::CPU, DType::F32, 2, -1.0)?;
    /// let (graph, y) = engine.recording().check_numbers().record(|| x.log()?.exp())?;
    /// graph.launch()?;
    /// let error = y.wait().unwrap_err();
    /// assert!(error.to_string().contains("operator 'log' (node 0)"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "RONDO_RECORD_CHECK_NUMBERS")]
    pub fn check_numbers(mut self) -> Self {
        self.flags |= sys::RONDO_RECORD_CHECK_NUMBERS;
        self
    }

    /// Records; see [`Engine::record`].
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let (graph, answer) = engine.recording().record(|| Ok::<_, rondo::Error>(42))?;
    /// assert_eq!(answer, 42);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::record`].
    #[track_caller]
    pub fn record<R, E: From<Error>>(self, body: impl FnOnce() -> Result<R, E>) -> Result<(Graph, R), E> {
        let open = Open::begin(&self)?;
        let result = body()?; // a failure, or a panic, drops `open`, which aborts
        Ok((open.end()?, result))
    }
}

/// A recording of this thread, which is dropped unless it is ended.
struct Open<'a> {
    engine: &'a Engine,
}

impl<'a> Open<'a> {
    #[track_caller]
    fn begin(builder: &RecordingBuilder<'a>) -> Result<Self> {
        let name: Option<CString> = builder.name.map(|name| c_string("record", "name", name)).transpose()?;
        let mut options = sys::RONDO_RECORD_OPTIONS_INIT;
        options.name = name.as_ref().map_or(null(), |name| name.as_ptr());
        let arena: Option<CString> = builder.arena.map(|name| c_string("record", "arena", name)).transpose()?;
        options.arena = arena.as_ref().map_or(null(), |name| name.as_ptr());
        options.max_branches = builder.max_branches;
        options.arenas = builder.arenas;
        options.flags = builder.flags;
        check(unsafe { sys::rondo_record_begin(builder.engine.as_ptr(), &options) })?;
        sites::begun();
        OPEN.with(|open| open.set(true));
        Ok(Open { engine: builder.engine })
    }

    #[track_caller]
    fn end(self) -> Result<Graph> {
        let mut graph = null_mut();
        let status = unsafe { sys::rondo_record_end(self.engine.as_ptr(), &mut graph) };
        OPEN.with(|open| open.set(false));
        let engine = self.engine;
        std::mem::forget(self); // it has ended, well or not
        check(status)?;
        Ok(Graph::adopt(graph, engine))
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // A thread that is ending has no such variable any more.
        let _ = OPEN.try_with(|open| open.set(false));
        // SAFETY: of this thread, because the closure that held it ran here. Fails only where nothing is open.
        let _ = unsafe { sys::rondo_record_abort(self.engine.as_ptr()) };
    }
}
