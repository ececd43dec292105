//! What an instance of a program has otherwise than the file says.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::model_file::Texts;
use crate::{Device, Engine, Result, Tensor};

/// What an instance has otherwise than the file says, for [`Program::instance_with`](crate::Program::instance_with).
#[doc(alias = "rondo_program_instance_options")]
#[derive(Clone)]
#[must_use = "options do nothing by themselves"]
pub struct ProgramInstanceOptions<'a> {
    callables: sys::rondo_callable_options,
    weights: Vec<(String, &'a Tensor)>,
    most_turns: i64,
    most_bytes: i64,
    extra: Vec<(String, i64)>,
}

impl Default for ProgramInstanceOptions<'_> {
    fn default() -> Self {
        let callables = sys::RONDO_CALLABLE_OPTIONS_INIT;
        ProgramInstanceOptions { callables, weights: Vec::new(), most_turns: 0, most_bytes: 0, extra: Vec::new() }
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

    /// How many calls of one function may overlap, as of [`RecordingBuilder::arenas`](crate::RecordingBuilder::arenas). A
    /// function that writes a state has one arena all the same.
    ///
    /// ```
    /// let options = rondo::ProgramInstanceOptions::new().arenas(2);
    /// ```
    pub fn arenas(mut self, arenas: i32) -> Self {
        self.callables.arenas = arenas;
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

    /// Memory that the weights of the file, its states and all graphs of the instance may take together, which is refused
    /// before it is taken: [`OutOfMemory`](crate::ErrorKind::OutOfMemory) with the number.
    /// [`Program::memory`](crate::Program::memory) tells what is needed. Copies of weights that products on a cpu keep
    /// packed do not count.
    ///
    /// ```
    /// let options = rondo::ProgramInstanceOptions::new().most_bytes(2 << 30);
    /// ```
    pub fn most_bytes(mut self, bytes: i64) -> Self {
        self.most_bytes = bytes;
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
        options.most_bytes = self.most_bytes;
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
