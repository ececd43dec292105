//! The functions of a program file, ready to be called.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::collections::HashMap;
use std::fmt;
use std::ptr::{null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::model_file::Texts;
use crate::tensor::made;
use crate::{Callable, Device, Engine, Graph, Result, Tensor};

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

    /// The same into tensors that are there.
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

/// What an instance has otherwise than the file says, for [`Program::instance_with`](crate::Program::instance_with).
#[doc(alias = "rondo_program_instance_options")]
#[derive(Clone)]
#[must_use = "options do nothing by themselves"]
pub struct ProgramInstanceOptions<'a> {
    callables: sys::rondo_callable_options,
    weights: Vec<(String, &'a Tensor)>,
    most_turns: i64,
    extra: Vec<(String, i64)>,
}

impl Default for ProgramInstanceOptions<'_> {
    fn default() -> Self {
        let callables = sys::RONDO_CALLABLE_OPTIONS_INIT;
        ProgramInstanceOptions { callables, weights: Vec::new(), most_turns: 0, extra: Vec::new() }
    }
}

impl<'a> ProgramInstanceOptions<'a> {
    /// All as the file says.
    ///
    /// ```
    /// let options = rondo::ProgramInstanceOptions::new();
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory that the graphs of one function whose sizes vary may take together; those that were not called for longest go.
    /// 256 MiB unless it is said.
    ///
    /// ```
    /// let options = rondo::ProgramInstanceOptions::new().limit_bytes(64 << 20);
    /// ```
    pub fn limit_bytes(mut self, bytes: i64) -> Self {
        self.callables.limit_bytes = bytes;
        self
    }

    /// Inputs of functions whose sizes vary are filled up, as by
    /// [`CallableBuilder::pad`](crate::CallableBuilder::pad).
    ///
    /// ```
    /// let options = rondo::ProgramInstanceOptions::new().pad(0, &[8, 16, 32]);
    /// ```
    pub fn pad(mut self, axis: i32, sizes: &[i64]) -> Self {
        crate::callable::set_padding(&mut self.callables, axis, sizes);
        self
    }

    /// A tensor in place of the file's weight of this name, which is not read. It is used as it is at each call.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-adapter-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let adapter = Tensor::from_slice(&engine, Device::CPU, 1, &[5.0f32])?;
    /// let options = rondo::ProgramInstanceOptions::new().weight("two", &adapter);
    /// let instance = program.instance_with(&engine, Device::CPU, &options)?;
    /// assert_eq!(instance.call("double", &[&w])?[0].to_vec::<f32>()?, [10.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn weight(mut self, name: impl Into<String>, tensor: &'a Tensor) -> Self {
        self.weights.push((name.into(), tensor));
        self
    }

    /// Loops turn at most as often, whatever the file says.
    ///
    /// ```
    /// let options = rondo::ProgramInstanceOptions::new().most_turns(1000);
    /// ```
    pub fn most_turns(mut self, turns: i64) -> Self {
        self.most_turns = turns;
        self
    }

    /// A value outside of bodies, by its number in [`Program::text`](crate::Program::text), is an output of the function too,
    /// behind its own: for comparing layers.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-extra-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let options = rondo::ProgramInstanceOptions::new().extra("double", 0); // the input
    /// let outputs = program.instance_with(&engine, Device::CPU, &options)?.call("double", &[&w])?;
    /// assert_eq!(outputs[1].to_vec::<f32>()?, [2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn extra(mut self, function: impl Into<String>, value: i64) -> Self {
        self.extra.push((function.into(), value));
        self
    }

    pub(crate) fn extra_outputs(&self) -> &[(String, i64)] {
        &self.extra
    }

    pub(crate) fn create(
        &self,
        program: *mut sys::rondo_program,
        engine: &Engine,
        device: Device,
    ) -> Result<*mut sys::rondo_program_instance> {
        let function = "Program::instance_with";
        let (mut names, mut functions) = (Texts::default(), Texts::default());
        for (name, _) in &self.weights {
            names.push(c_string(function, "a weight's name", name)?);
        }
        for (name, _) in &self.extra {
            functions.push(c_string(function, "a function's name", name)?);
        }
        let weights: Vec<_> = self.weights.iter().map(|(_, tensor)| tensor.as_ptr()).collect();
        let values: Vec<_> = self.extra.iter().map(|&(_, value)| value).collect();
        let mut options = sys::RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
        options.callables = &self.callables;
        options.n_weights = weights.len();
        options.weight_names = names.as_ptr();
        options.weights = weights.as_ptr();
        options.most_turns = self.most_turns;
        options.n_extra = values.len();
        options.extra_functions = functions.as_ptr();
        options.extra_values = values.as_ptr();
        let mut handle = null_mut();
        // SAFETY: as many of each as said, which live until the call returns.
        check(unsafe {
            sys::rondo_program_create_instance_with(program, engine.as_ptr(), device.as_raw(), &options, &mut handle)
        })?;
        Ok(handle)
    }
}

impl fmt::Debug for ProgramInstanceOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProgramInstanceOptions({} weights, {} further outputs)", self.weights.len(), self.extra.len())
    }
}
