//! The functions of a program file, ready to be called.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::ptr::{null_mut, NonNull};
use std::time::Duration;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::memory::c_path;
use crate::model_file::Texts;
use crate::program_writer::WeightFiles;
use crate::tensor::{made, milliseconds};
use crate::{Callable, Engine, Error, ErrorKind, Graph, Result, Tensor};

/// The functions of a [`Program`](crate::Program) with their weights on one device.
#[doc(alias = "rondo_program_instance")]
pub struct ProgramInstance {
    handle: NonNull<sys::rondo_program_instance>,
    outputs: HashMap<String, usize>, // how many each function has
    engine: Engine,                  // after the handle: it may be the last of its engine
}

// SAFETY: every function on an instance is thread-safe, and it is destroyed by its one owner.
unsafe impl Send for ProgramInstance {}
unsafe impl Sync for ProgramInstance {}

impl ProgramInstance {
    pub(crate) fn adopt(
        handle: *mut sys::rondo_program_instance,
        engine: &Engine,
        outputs: HashMap<String, usize>,
    ) -> ProgramInstance {
        ProgramInstance { handle: made(handle), outputs, engine: engine.clone() }
    }

    /// Calls a function by its name, as [`Graph::call`] does; who calls it often keeps its [graph](Self::graph). One whose
    /// sizes vary takes inputs of any size within the bounds, and records at the first call of each.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-6-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # let instance = program.instance(&engine, Device::CPU)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// assert_eq!(instance.call("double", &[&x])?[0].to_vec::<f32>()?, [6.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such function; others as of [`Graph::call`].
    #[track_caller]
    pub fn call(&self, function: &str, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let mut outputs = vec![null_mut(); self.outputs.get(function).copied().unwrap_or(0)];
        self.call_raw("ProgramInstance::call", function, inputs, &mut outputs)?;
        Ok(outputs.into_iter().map(|each| Tensor::adopt(each, &self.engine)).collect())
    }

    /// The same with a time limit, from now on. When it is over, nothing of the call begins any more: not the call, if it
    /// still waits for what was submitted before it; no further operator on a cpu; no further turn of a loop that the host
    /// decides. What has begun ends as it would. The results carry [`TimedOut`](crate::ErrorKind::TimedOut) then, which
    /// waits return. Does not wait itself.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-within-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # let instance = program.instance(&engine, Device::CPU)?;
    /// use std::time::Duration;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// let y = instance.call_within(Duration::from_secs(10), "double", &[&x])?;
    /// assert_eq!(y[0].to_vec::<f32>()?, [6.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a limit of zero;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) while this thread records or has a tape open;
    /// [`TimedOut`](crate::ErrorKind::TimedOut) where making the graph took as long; others as of [`ProgramInstance::call`].
    #[doc(alias = "rondo_program_call_within")]
    #[track_caller]
    pub fn call_within(&self, limit: Duration, function: &str, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let mut outputs = vec![null_mut(); self.outputs.get(function).copied().unwrap_or(0)];
        let name = c_string("ProgramInstance::call_within", "function", function)?;
        let given: Vec<_> = inputs.iter().map(|each| each.as_ptr()).collect();
        check(unsafe {
            sys::rondo_program_call_within(
                self.as_ptr(),
                name.as_ptr(),
                milliseconds(limit),
                given.len() as i32,
                given.as_ptr(),
                outputs.len() as i32,
                outputs.as_mut_ptr(),
            )
        })?;
        Ok(outputs.into_iter().map(|each| Tensor::adopt(each, &self.engine)).collect())
    }

    /// Calls a function by the names of its inputs, all of them in any order, and of the outputs that are wanted, which come
    /// in the order of their names. `limit` is a time limit as of [`call_within`](Self::call_within), or `None`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let (subtract, ()) = engine.recording().callable().record(|| {
    /// #     let x = engine.record_input(Device::CPU, DType::F32, 1)?;
    /// #     engine.record_output(&x.sub(&engine.record_input(Device::CPU, DType::F32, 1)?)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-named-{}.safetensors", std::process::id()));
    /// # Program::writer().function_named("subtract", &subtract, ["x", "y"], ["difference"]).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # let instance = program.instance(&engine, Device::CPU)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// let y = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// let outputs = instance.call_named("subtract", &[("y", &y), ("x", &x)], &["difference"], None)?;
    /// assert_eq!(outputs[0].to_vec::<f32>()?, [2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) for a name that the function does not have;
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a name that comes twice, and for an input that is not given;
    /// others as of [`call`](Self::call) and [`call_within`](Self::call_within).
    #[doc(alias = "rondo_program_call_named")]
    #[track_caller]
    pub fn call_named(
        &self,
        function: &str,
        inputs: &[(&str, &Tensor)],
        outputs: &[&str],
        limit: Option<Duration>,
    ) -> Result<Vec<Tensor>> {
        let caller = "ProgramInstance::call_named";
        let name = c_string(caller, "function", function)?;
        let (mut input_names, mut output_names) = (Texts::default(), Texts::default());
        for (each, _) in inputs {
            input_names.push(c_string(caller, "an input's name", each)?);
        }
        for each in outputs {
            output_names.push(c_string(caller, "an output's name", each)?);
        }
        let timeout_ms = match limit {
            // 0 would be no limit.
            Some(limit) if limit.is_zero() => {
                let message = format!("{}: limit is 0; more is needed, or None", caller);
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
            Some(limit) => milliseconds(limit),
            None => 0,
        };
        let given: Vec<_> = inputs.iter().map(|(_, tensor)| tensor.as_ptr()).collect();
        let mut results = vec![null_mut(); outputs.len()];
        // SAFETY: as many of each as said, which live until the call returns.
        check(unsafe {
            sys::rondo_program_call_named(
                self.as_ptr(),
                name.as_ptr(),
                timeout_ms,
                given.len() as i32,
                input_names.as_ptr(),
                given.as_ptr(),
                results.len() as i32,
                output_names.as_ptr(),
                results.as_mut_ptr(),
            )
        })?;
        Ok(results.into_iter().map(|each| Tensor::adopt(each, &self.engine)).collect())
    }

    /// As [`call`](Self::call), into tensors that are there.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-7-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # let instance = program.instance(&engine, Device::CPU)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// instance.call_into("double", &[&x], &[&w])?;
    /// assert_eq!(w.to_vec::<f32>()?, [6.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As of [`ProgramInstance::call`].
    #[doc(alias = "rondo_program_call")]
    #[track_caller]
    pub fn call_into(&self, function: &str, inputs: &[&Tensor], outputs: &[&Tensor]) -> Result<()> {
        let mut written: Vec<_> = outputs.iter().map(|each| each.as_ptr()).collect();
        self.call_raw("ProgramInstance::call_into", function, inputs, &mut written)
    }

    #[track_caller]
    fn call_raw(
        &self,
        caller: &'static str,
        function: &str,
        inputs: &[&Tensor],
        written: &mut [*mut sys::rondo_tensor],
    ) -> Result<()> {
        let name = c_string(caller, "function", function)?;
        let given: Vec<_> = inputs.iter().map(|each| each.as_ptr()).collect();
        check(unsafe {
            sys::rondo_program_call(
                self.as_ptr(),
                name.as_ptr(),
                given.len() as i32,
                given.as_ptr(),
                written.len() as i32,
                written.as_mut_ptr(),
            )
        })
    }

    /// A function as a graph: for its parameters and sections, reports and profiles.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-8-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # let instance = program.instance(&engine, Device::CPU)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// let graph = instance.graph("double")?;
    /// assert_eq!(graph.call(&[&x])?[0].to_vec::<f32>()?, [6.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such function, with the names there are.
    #[doc(alias = "rondo_program_graph")]
    pub fn graph(&self, function: &str) -> Result<Graph> {
        let name = c_string("ProgramInstance::graph", "function", function)?;
        let mut graph = null_mut();
        check(unsafe { sys::rondo_program_graph(self.as_ptr(), name.as_ptr(), &mut graph) })?;
        Ok(Graph::adopt(graph, &self.engine))
    }

    /// The callable of a function whose sizes vary: for figures and the report of its graphs, and to let go of them.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-callable-{}.safetensors", std::process::id()));
    /// # Program::writer()
    /// #     .dim("n", 1, 64)
    /// #     .sized("double", |sizes| {
    /// #         let (graph, ()) = engine.recording().callable().record(|| {
    /// #             engine.record_output(&engine.record_input(Device::CPU, DType::F32, sizes[0])?.mul(2)?)
    /// #         })?;
    /// #         Ok(graph)
    /// #     })
    /// #     .write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let instance = program.instance(&engine, Device::CPU)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// instance.call("double", &[&x])?;
    /// assert_eq!(instance.callable("double")?.info()?.recordings, 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a function of one size;
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such function.
    #[doc(alias = "rondo_program_callable")]
    pub fn callable(&self, function: &str) -> Result<Callable> {
        let name = c_string("ProgramInstance::callable", "function", function)?;
        let mut callable = null_mut();
        check(unsafe { sys::rondo_program_callable(self.as_ptr(), name.as_ptr(), &mut callable) })?;
        Ok(Callable::adopt(callable, self.outputs.get(function).copied().unwrap_or(0), &self.engine))
    }

    /// A weight by its name; of a state, the tensor that the functions write.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-9-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # let instance = program.instance(&engine, Device::CPU)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// instance.weight("two")?.fill(5.0)?; // what the next calls use
    /// assert_eq!(instance.call("double", &[&x])?[0].to_vec::<f32>()?, [15.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such weight.
    #[doc(alias = "rondo_program_instance_weight")]
    pub fn weight(&self, name: &str) -> Result<Tensor> {
        let name = c_string("ProgramInstance::weight", "name", name)?;
        Tensor::create(&self.engine, |out| unsafe {
            sys::rondo_program_instance_weight(self.as_ptr(), name.as_ptr(), out)
        })
    }

    /// Writes the program as a file, with its weights and states as they are now and the author's texts: what was trained
    /// becomes a file again.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-saved-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let instance = Program::open(&path)?.instance(&engine, Device::CPU)?;
    /// instance.weight("two")?.fill(5.0)?;
    /// instance.save(&path)?;
    /// assert_eq!(Program::open(&path)?.instance(&engine, Device::CPU)?.weight("two")?.to_vec::<f32>()?, [5.0]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) while this thread records, and in a task;
    /// [`IoError`](crate::ErrorKind::IoError) where the file cannot be written.
    #[doc(alias = "rondo_program_instance_save")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with("ProgramInstance::save", path.as_ref(), None, &[])
    }

    /// The same as JSON apart from its weights: `into` is a safetensors file that is written, those of `from` are there, as of
    /// [`ProgramWriter::weights_into`](crate::ProgramWriter::weights_into) and
    /// [`weights_from`](crate::ProgramWriter::weights_from).
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let folder = std::env::temp_dir().join(format!("rondo-program-beside-{}", std::process::id()));
    /// # std::fs::create_dir(&folder).unwrap();
    /// # let path = folder.join("double.safetensors");
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let instance = Program::open(&path)?.instance(&engine, Device::CPU)?;
    /// instance.save_as_json(folder.join("a.rondo.json"), Some("weights.safetensors"), &[])?;
    /// instance.save_as_json(folder.join("b.rondo.json"), None, &["weights.safetensors"])?; // which both share
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for neither `into` nor `from`, for names that are no files of this
    /// folder, and for a weight that differs from the tensor of its name in `from` or has no file to go into; as
    /// [`save`](Self::save).
    pub fn save_as_json(&self, path: impl AsRef<Path>, into: Option<&str>, from: &[&str]) -> Result<()> {
        let function = "ProgramInstance::save_as_json";
        if into.is_none() && from.is_empty() {
            let why = "into is None and from is empty; JSON needs a file for its weights in one of them, and `save` writes both as one file";
            return Err(Error::new(ErrorKind::InvalidArgument, format!("{function}: {why}")));
        }
        self.save_with(function, path.as_ref(), into, from)
    }

    fn save_with(&self, function: &str, path: &Path, into: Option<&str>, from: &[&str]) -> Result<()> {
        let path = c_path(function, path)?;
        let files = WeightFiles::new(function, into, from)?;
        let mut options = sys::RONDO_PROGRAM_SAVE_OPTIONS_INIT;
        files.set(&mut options);
        // SAFETY: the texts live until the call returns.
        check(unsafe { sys::rondo_program_instance_save(self.as_ptr(), path.as_ptr(), &options) })
    }

    /// The handle of the C interface, borrowed: it lives as long as this instance.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-ptr-i-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// assert!(!program.instance(&engine, Device::CPU)?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_program_instance {
        self.handle.as_ptr()
    }
}

impl Drop for ProgramInstance {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle. Calls in flight go on.
        unsafe { sys::rondo_program_instance_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for ProgramInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProgramInstance")
    }
}
