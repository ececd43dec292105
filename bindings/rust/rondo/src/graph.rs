//! Graphs: launched and looked at.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::path::Path;
use std::ptr::{null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::memory::c_path;
use crate::ops::length;
use crate::tape::handles;
use crate::{Engine, Result, Tensor};

/// A compiled recording, made by [`Engine::record`].
///
/// ```
/// use rondo::{DType, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let n = Tensor::zeros(&engine, Device::CPU, DType::I64, ())?;
/// let (graph, ()) = engine.record(|| n.add_into(1, &n))?;
/// for _ in 0..100 {
///     graph.launch()?; // does not wait
/// }
/// assert_eq!(n.item::<i64>()?, 100);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_graph")]
pub struct Graph {
    handle: NonNull<sys::rondo_graph>,
    engine: Engine, // after the handle: it may be the last of its engine
}

// SAFETY: every function on a graph is thread-safe (docs/threads.md), and it is destroyed by its one owner.
unsafe impl Send for Graph {}
unsafe impl Sync for Graph {}

impl Graph {
    /// The handle, for who destroys it instead.
    pub(crate) fn into_handle(self) -> *mut sys::rondo_graph {
        let graph = std::mem::ManuallyDrop::new(self);
        // SAFETY: read once, of what is not dropped any more.
        drop(unsafe { std::ptr::read(&graph.engine) });
        graph.as_ptr()
    }

    pub(crate) fn adopt(handle: *mut sys::rondo_graph, engine: &Engine) -> Graph {
        Graph { handle: crate::tensor::made(handle), engine: engine.clone() }
    }

    /// Submits one run, ordered with everything else by what it reads and writes. Does not wait; a failure is reported by
    /// waits on what the graph writes.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| Ok::<_, rondo::Error>(()))?;
    /// graph.launch()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where a tensor that it reads before it writes it was never
    /// written ([`Tensor::accept`](crate::Tensor::accept)), inside a recording, and in a task. What fails while it runs is told by waits on
    /// what it writes.
    #[doc(alias = "rondo_graph_launch")]
    #[inline]
    #[track_caller]
    pub fn launch(&self) -> Result<()> {
        check(unsafe { sys::rondo_graph_launch(self.as_ptr()) })
    }

    /// Submits one run of a [callable](crate::RecordingBuilder::callable) graph on these inputs; its results are new
    /// tensors. Does not wait. Any number of threads may call at once: calls of one graph run one after the other, each as one
    /// step, and no answer is mixed up.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let w = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[0.0f32, 1.0, 1.0, 0.0])?;
    /// let (swap, ()) = engine.recording().callable().record(|| {
    ///     let x = engine.record_input(Device::CPU, DType::F32, [1, 2])?;
    ///     engine.record_output(&x.matmul(&w)?)
    /// })?;
    /// std::thread::scope(|threads| {
    ///     for i in 0..4 {
    ///         let (engine, swap) = (&engine, &swap);
    ///         threads.spawn(move || {
    ///             let x = Tensor::from_slice(engine, Device::CPU, [1, 2], &[i as f32, -1.0])?;
    ///             assert_eq!(swap.call(&[&x])?[0].to_vec::<f32>()?, [-1.0, i as f32]);
    ///             Ok::<_, rondo::Error>(())
    ///         });
    ///     }
    /// });
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a number of tensors, or a tensor, that does not fit;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a graph that is launched, and for an input that was never
    /// written. What fails while it runs is told by waits on the results.
    #[doc(alias = "rondo_graph_call")]
    #[track_caller]
    pub fn call(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let mut made = vec![null_mut(); self.info()?.outputs as usize];
        self.call_raw(inputs, &mut made)?;
        Ok(made.into_iter().map(|each| Tensor::adopt(each, &self.engine)).collect())
    }

    /// The same into tensors that are there, which share no memory with the inputs or with each other.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     let x = engine.record_input(Device::CPU, DType::F32, 2)?;
    /// #     engine.record_output(&x.mul(2)?)
    /// # })?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let y = Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
    /// double.call_into(&[&x], &[&y])?;
    /// assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Graph::call`].
    #[track_caller]
    pub fn call_into(&self, inputs: &[&Tensor], outputs: &[&Tensor]) -> Result<()> {
        self.call_raw(inputs, &mut handles(outputs))
    }

    #[track_caller]
    fn call_raw(&self, inputs: &[&Tensor], outputs: &mut [*mut sys::rondo_tensor]) -> Result<()> {
        let (given, n, made) = (handles(inputs), length(inputs), length(outputs));
        // SAFETY: as many handles as the lengths say.
        check(unsafe { sys::rondo_graph_call(self.as_ptr(), n, given.as_ptr(), made, outputs.as_mut_ptr()) })
    }

    /// Gives a [parameter](crate::Engine::record_parameter) another value, for launches and calls that are submitted from
    /// now on; those before have the old one. Costs no device work.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let (graph, step) = engine.record(|| engine.record_parameter("step", Device::CPU, DType::I64, 0.0))?;
    /// graph.set("step", 7.0)?;
    /// graph.launch()?;
    /// assert_eq!(step.item::<i64>()?, 7);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no parameter of that name;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a value that its dtype does not hold exactly (integers and
    /// bool).
    #[doc(alias = "rondo_graph_set")]
    #[track_caller]
    pub fn set(&self, name: &str, value: f64) -> Result<()> {
        let name = c_string("Graph::set", "name", name)?;
        check(unsafe { sys::rondo_graph_set(self.as_ptr(), name.as_ptr(), value) })
    }

    /// [`Graph::set`] with an integer, exact beyond 2^53.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let (graph, step) = engine.record(|| engine.record_parameter("step", Device::CPU, DType::I64, 0.0))?;
    /// graph.set_i64("step", i64::MAX)?;
    /// graph.launch()?;
    /// assert_eq!(step.item::<i64>()?, i64::MAX);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Graph::set`].
    #[doc(alias = "rondo_graph_set_i64")]
    #[track_caller]
    pub fn set_i64(&self, name: &str, value: i64) -> Result<()> {
        let name = c_string("Graph::set_i64", "name", name)?;
        check(unsafe { sys::rondo_graph_set_i64(self.as_ptr(), name.as_ptr(), value) })
    }

    /// Switches a [section](crate::Engine::record_section) for launches and calls that are submitted from now on.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let n = Tensor::zeros(&engine, Device::CPU, DType::I64, ())?;
    /// let (graph, ()) = engine.record(|| engine.record_section("count", false, || n.add_into(1, &n)))?;
    /// graph.launch()?;
    /// graph.enable("count", true)?;
    /// graph.launch()?;
    /// assert_eq!(n.item::<i64>()?, 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no section of that name.
    #[doc(alias = "rondo_graph_enable")]
    #[track_caller]
    pub fn enable(&self, name: &str, on: bool) -> Result<()> {
        let name = c_string("Graph::enable", "name", name)?;
        check(unsafe { sys::rondo_graph_enable(self.as_ptr(), name.as_ptr(), i32::from(on)) })
    }

    /// Figures of the graph.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| engine.task("hello").submit(|_| Ok(())))?;
    /// let info = graph.info()?;
    /// assert_eq!((info.tasks, info.segments, info.captured, info.launches), (1, 1, 0, 0));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the graph lives.
    #[doc(alias = "rondo_graph_query")]
    #[track_caller]
    pub fn info(&self) -> Result<GraphInfo> {
        let mut info = sys::RONDO_GRAPH_INFO_INIT;
        check(unsafe { sys::rondo_graph_query(self.as_ptr(), &mut info) })?;
        Ok(GraphInfo {
            tasks: info.tasks,
            segments: info.segments,
            captured: info.captured,
            nodes: info.nodes,
            edges: info.edges,
            branches: info.branches,
            arena_bytes: info.arena_bytes,
            temporary_bytes: info.temporary_bytes,
            output_bytes: info.output_bytes,
            launches: info.launches,
            record_ms: info.record_ms,
            prepare_ms: info.prepare_ms,
            capture_ms: info.capture_ms,
            inputs: info.inputs,
            outputs: info.outputs,
            call_bytes: info.call_bytes,
            call_kernels: info.call_kernels,
            conditional_nodes: info.conditional_nodes,
            programmatic: info.programmatic,
            arenas: info.arenas,
        })
    }

    /// A report for people: what was captured, what split the graph and why, memory and times.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| engine.task("hello").submit(|_| Ok(())))?;
    /// println!("{}", graph.report()?);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the graph lives.
    #[doc(alias = "rondo_graph_report")]
    #[track_caller]
    pub fn report(&self) -> Result<String> {
        // SAFETY: writes at most as many bytes as there are.
        read_report(|text, capacity, length| unsafe { sys::rondo_graph_report(self.as_ptr(), text, capacity, length) })
    }

    /// Writes tasks, data flow and segments as Graphviz DOT.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| engine.task("hello").submit(|_| Ok(())))?;
    /// let path = std::env::temp_dir().join(format!("rondo-graph-{}.dot", std::process::id()));
    /// graph.dot(&path)?;
    /// assert!(std::fs::read_to_string(&path).unwrap().contains("hello"));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the graph lives.
    #[doc(alias = "rondo_graph_dot")]
    #[track_caller]
    pub fn dot(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path("Graph::dot", path.as_ref())?;
        check(unsafe { sys::rondo_graph_dot(self.as_ptr(), path.as_ptr()) })
    }

    /// Launches the graph once, each task by itself, and measures them; waits for the run. [`Graph::report`] then has the
    /// critical path and the tasks that took longest.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| engine.task("hello").submit(|_| Ok(())))?;
    /// graph.profile()?;
    /// assert!(graph.report()?.contains("critical path"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What fails in the run; [`InvalidState`](crate::ErrorKind::InvalidState) for a graph that is called, in a recording
    /// and in a task.
    #[doc(alias = "rondo_graph_profile")]
    #[track_caller]
    pub fn profile(&self) -> Result<()> {
        check(unsafe { sys::rondo_graph_profile(self.as_ptr(), std::ptr::null()) })
    }

    /// The same, with a file for all of it as JSON, which `rondo graph FILE` shows.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| engine.task("hello").submit(|_| Ok(())))?;
    /// let path = std::env::temp_dir().join(format!("rondo-profile-{}.json", std::process::id()));
    /// graph.profile_to(&path)?;
    /// assert!(std::fs::read_to_string(&path).unwrap().contains("\"critical_path\":[0]"));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Graph::profile`]; [`IoError`](crate::ErrorKind::IoError) where the file cannot be written: the run took place.
    #[track_caller]
    pub fn profile_to(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path("Graph::profile_to", path.as_ref())?;
        check(unsafe { sys::rondo_graph_profile(self.as_ptr(), path.as_ptr()) })
    }

    /// [`Graph::call`] once, each task by itself and measured, as [`Graph::profile`] does for a graph that is launched; waits
    /// for the run.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     let x = engine.record_input(Device::CPU, DType::F32, 2)?;
    /// #     engine.record_output(&x.mul(2)?)
    /// # })?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let y = double.profile_call(&[&x])?;
    /// assert_eq!(y[0].to_vec::<f32>()?, [2.0, 4.0]);
    /// assert!(double.report()?.contains("critical path"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Graph::call`] and [`Graph::profile`].
    #[doc(alias = "rondo_graph_profile_call")]
    #[track_caller]
    pub fn profile_call(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        self.profile_call_raw(inputs, std::ptr::null())
    }

    /// The same, with a file for all of it as JSON, which `rondo graph FILE` shows.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     let x = engine.record_input(Device::CPU, DType::F32, 2)?;
    /// #     engine.record_output(&x.mul(2)?)
    /// # })?;
    /// # let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let path = std::env::temp_dir().join(format!("rondo-call-{}.json", std::process::id()));
    /// double.profile_call_to(&[&x], &path)?;
    /// assert!(std::fs::read_to_string(&path).unwrap().contains("\"critical_path\":[0]"));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Graph::profile_call`] and [`Graph::profile_to`].
    #[track_caller]
    pub fn profile_call_to(&self, inputs: &[&Tensor], path: impl AsRef<Path>) -> Result<Vec<Tensor>> {
        let path = c_path("Graph::profile_call_to", path.as_ref())?;
        self.profile_call_raw(inputs, path.as_ptr())
    }

    #[track_caller]
    fn profile_call_raw(&self, inputs: &[&Tensor], path: *const std::os::raw::c_char) -> Result<Vec<Tensor>> {
        let mut made = vec![null_mut(); self.info()?.outputs as usize];
        let (given, n, outputs) = (handles(inputs), length(inputs), length(&made));
        // SAFETY: as many handles as the lengths say.
        check(unsafe {
            sys::rondo_graph_profile_call(self.as_ptr(), path, n, given.as_ptr(), outputs, made.as_mut_ptr())
        })?;
        Ok(made.into_iter().map(|each| Tensor::adopt(each, &self.engine)).collect())
    }

    /// The engine it belongs to.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| Ok::<_, rondo::Error>(()))?;
    /// graph.engine().wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The handle of the C interface, borrowed: it lives as long as this graph.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let (graph, ()) = engine.record(|| Ok::<_, rondo::Error>(()))?;
    /// assert!(!graph.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[inline]
    pub fn as_ptr(&self) -> *mut sys::rondo_graph {
        self.handle.as_ptr()
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle.
        unsafe { sys::rondo_graph_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => {
                let plural = |n| if n == 1 { "" } else { "s" };
                write!(
                    f,
                    "Graph({} task{} in {} segment{})",
                    info.tasks,
                    plural(info.tasks),
                    info.segments,
                    plural(info.segments)
                )
            }
            Err(error) => write!(f, "Graph({})", error),
        }
    }
}

/// What [`Graph::info`] tells.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GraphInfo {
    /// Tasks of a launch: those recorded, less what nobody reads.
    pub tasks: i32,
    /// Pieces the graph was split in; 1: nothing split it.
    pub segments: i32,
    /// Of which are CUDA graphs.
    pub captured: i32,
    /// Nodes of all CUDA graphs.
    pub nodes: i32,
    /// Edges of all CUDA graphs.
    pub edges: i32,
    /// Most branches side by side in a CUDA graph.
    pub branches: i32,
    /// Memory of all temporaries together, on all devices.
    pub arena_bytes: i64,
    /// What they would take without sharing.
    pub temporary_bytes: i64,
    /// Memory of outputs.
    pub output_bytes: i64,
    /// Launches so far.
    pub launches: i64,
    /// Milliseconds from begin to end of the recording.
    pub record_ms: f64,
    /// Milliseconds to compile kernels, tune and warm.
    pub prepare_ms: f64,
    /// Milliseconds to capture, instantiate and upload.
    pub capture_ms: f64,
    /// Inputs that a call is given.
    pub inputs: i32,
    /// Outputs that a call leaves.
    pub outputs: i32,
    /// Memory through which calls copy inputs and outputs; 0: kernels work on the caller's.
    pub call_bytes: i64,
    /// Kernels of CUDA graphs that are given the caller's addresses by a call with others than the last.
    pub call_kernels: i32,
    /// Control flow that CUDA graphs decide themselves, without the host.
    pub conditional_nodes: i32,
    /// Edges of CUDA graphs by which a kernel starts before the one before it has ended.
    pub programmatic: i32,
    /// So many calls may overlap. Bytes are those of all arenas together; tasks, segments, nodes and edges those of one.
    pub arenas: i32,
}

/// A text of the library, which another thread may make longer meanwhile: `write` is given room and says what it needs.
#[track_caller]
pub(crate) fn read_report(
    write: impl Fn(*mut std::os::raw::c_char, usize, &mut usize) -> sys::rondo_status,
) -> Result<String> {
    let mut text: Vec<u8> = Vec::new();
    loop {
        let mut length = 0;
        check(write(text.as_mut_ptr().cast(), text.len(), &mut length))?;
        if length < text.len() {
            text.truncate(length);
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
        text = vec![0u8; length + 1];
    }
}
