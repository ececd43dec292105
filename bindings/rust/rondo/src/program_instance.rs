//! The functions of a program file, ready to be called.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::ptr::{null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::tensor::made;
use crate::{Engine, Graph, Result, Tensor};

/// The functions of a [`Program`](crate::Program) with their weights on one device.
#[doc(alias = "rondo_program_instance")]
pub struct ProgramInstance {
    handle: NonNull<sys::rondo_program_instance>,
    engine: Engine, // after the handle: it may be the last of its engine
}

// SAFETY: every function on an instance is thread-safe, and it is destroyed by its one owner.
unsafe impl Send for ProgramInstance {}
unsafe impl Sync for ProgramInstance {}

impl ProgramInstance {
    pub(crate) fn adopt(handle: *mut sys::rondo_program_instance, engine: &Engine) -> ProgramInstance {
        ProgramInstance { handle: made(handle), engine: engine.clone() }
    }

    /// Calls a function by its name, as [`Graph::call`] does; who calls it often keeps its [graph](Self::graph).
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
        self.graph(function)?.call(inputs)
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
        let name = c_string("ProgramInstance::call_into", "function", function)?;
        let given: Vec<_> = inputs.iter().map(|each| each.as_ptr()).collect();
        let mut written: Vec<_> = outputs.iter().map(|each| each.as_ptr()).collect();
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
