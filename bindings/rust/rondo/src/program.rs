//! Program files: recorded functions that are saved with their weights, and called elsewhere.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::ptr::{null, null_mut, NonNull};
use std::time::Duration;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::memory::c_path;
use crate::model_file::text_of;
use crate::program_facts::{value, ProgramDim, ProgramFunction, ProgramInfo, ProgramValue};
use crate::program_instance_options::ProgramInstanceOptions;
use crate::tensor::{made, milliseconds};
use crate::{Device, Engine, ProgramInstance, ProgramWriter, Result};

/// A program file that is open. Belongs to no engine; what it says does not change.
///
/// Opening checks the program; nothing of a file is trusted. `docs/program-files.md` of the C library has the format.
///
/// ```
/// use rondo::{DType, Device, Engine, Program, Tensor};
///
/// let engine = Engine::new()?;
/// let w = Tensor::from_slice(&engine, Device::CPU, 2, &[2.0f32, 3.0])?;
/// let (scale, ()) = engine.recording().callable().record(|| {
///     let x = engine.record_input(Device::CPU, DType::F32, 2)?;
///     engine.record_output(&x.mul(&w)?)
/// })?;
/// let path = std::env::temp_dir().join(format!("rondo-program-{}.safetensors", std::process::id()));
/// Program::writer()
///     .function_named("scale", &scale, ["x"], ["y"])
///     .weight("w", &w)
///     .metadata("author", "me")
///     .write(&path)?;
///
/// let program = Program::open(&path)?;
/// let instance = program.instance(&engine, Device::CPU)?;
/// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 10.0])?;
/// assert_eq!(instance.call("scale", &[&x])?[0].to_vec::<f32>()?, [2.0, 30.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_program")]
pub struct Program {
    handle: NonNull<sys::rondo_program>,
}

// SAFETY: a program does not change, every function on it is thread-safe, and it is destroyed by its one owner.
unsafe impl Send for Program {}
unsafe impl Sync for Program {}

impl Program {
    /// Opens a file and checks its program; no weight is read.
    ///
    /// ```
    /// let missing = rondo::Program::open("missing.safetensors").unwrap_err();
    /// assert_eq!(missing.kind(), rondo::ErrorKind::NotFound);
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is no such file; [`IoError`](crate::ErrorKind::IoError)
    /// where it cannot be read or is not valid, with the place; [`Unsupported`](crate::ErrorKind::Unsupported) where it
    /// needs a later version.
    #[doc(alias = "rondo_program_open")]
    pub fn open(path: impl AsRef<Path>) -> Result<Program> {
        let path = c_path("Program::open", path.as_ref())?;
        let mut handle = null_mut();
        check(unsafe { sys::rondo_program_open(path.as_ptr(), &mut handle) })?;
        Ok(Program { handle: made(handle) })
    }

    /// Opens a program from the bytes that its file would have, such as those of `include_bytes!` or of a download. They are
    /// copied, and checked as a file is. What is large is better [opened](Self::open) by its path.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 2)?.mul(2)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-bytes-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// let bytes = std::fs::read(&path).unwrap();
    /// assert_eq!(Program::from_bytes(&bytes)?.functions()?[0].name, "double");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for JSON that names files, since bytes have no folder; others as of
    /// [`open`](Self::open).
    #[doc(alias = "rondo_program_open_bytes")]
    pub fn from_bytes(bytes: &[u8]) -> Result<Program> {
        let mut handle = null_mut();
        // SAFETY: as many bytes as said, which are copied.
        check(unsafe { sys::rondo_program_open_bytes(bytes.as_ptr().cast(), bytes.len(), &mut handle) })?;
        Ok(Program { handle: made(handle) })
    }

    /// Says that the program comes from somebody whom the caller trusts. Until then nothing that is compiled or chosen for it
    /// is kept for other processes; what is kept already is used all the same.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 2)?.mul(2)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-trust-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// let program = Program::open(&path)?;
    /// program.trust()?; // made here
    /// let instance = program.instance(&engine, Device::CPU)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the program is open.
    #[doc(alias = "rondo_program_trust")]
    pub fn trust(&self) -> Result<()> {
        check(unsafe { sys::rondo_program_trust(self.as_ptr()) })
    }

    /// Limits how long it may take to make something of the program, from now on and each time anew: an instance, the graph of
    /// another size in a call, a program that is bound, figures of memory and kernels, a self-check. `None`: as long as it
    /// takes, as at first. When it is over nothing is kept of it but kernels that were compiled.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 2)?.mul(2)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-limit-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// use std::time::Duration;
    /// let program = Program::open(&path)?;
    /// program.limit_making(Duration::from_secs(30))?; // or making it fails, as ErrorKind::TimedOut
    /// let instance = program.instance(&engine, Device::CPU)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the program is open.
    #[doc(alias = "rondo_program_limit_making")]
    pub fn limit_making(&self, limit: impl Into<Option<Duration>>) -> Result<()> {
        let most = limit.into().map_or(0, |each| milliseconds(each).max(1));
        check(unsafe { sys::rondo_program_limit_making(self.as_ptr(), most) })
    }

    /// Limits the memory of the host in bytes, for nodes, operands and kernels, each time anew and for all that
    /// [`limit_making`](Self::limit_making) holds for. `None`: what `RONDO_PROGRAM_HOST_MB` says, as at first.
    /// ```no_run
    /// # let program = rondo::Program::open("strange.safetensors")?;
    /// program.limit_host_memory(64 << 20)?; // or making it fails, as ErrorKind::OutOfMemory
    /// # Ok::<(), rondo::Error>(())
    /// ```
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a limit below 0.
    #[doc(alias = "rondo_program_limit_host_memory")]
    pub fn limit_host_memory(&self, limit: impl Into<Option<i64>>) -> Result<()> {
        check(unsafe { sys::rondo_program_limit_host_memory(self.as_ptr(), limit.into().unwrap_or(0)) })
    }

    /// Begins a file: functions, names of weights and texts are put into it, then it is [written](ProgramWriter::write).
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 2)?.mul(2)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-writer-{}.safetensors", std::process::id()));
    /// Program::writer().function("double", &double).write(&path)?;
    /// assert_eq!(Program::open(&path)?.functions()?[0].inputs[0].name, "input0");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn writer<'a>() -> ProgramWriter<'a> {
        ProgramWriter::default()
    }

    /// How much the weights take, and which version the file needs.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-info-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let info = program.info()?;
    /// assert_eq!((info.weight_bytes, info.state_bytes, &*info.needs), (4, 0, "0.1"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the program is open.
    #[doc(alias = "rondo_program_query")]
    pub fn info(&self) -> Result<ProgramInfo> {
        let info = self.query()?;
        Ok(ProgramInfo {
            functions: info.functions as usize,
            weights: info.weights as usize,
            weight_bytes: info.weight_bytes as u64,
            state_bytes: info.state_bytes as u64,
            // SAFETY: a text in the struct, which ends with a zero.
            needs: unsafe { text_of(info.needs.as_ptr()) },
        })
    }

    /// The functions, in the file's order.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-0-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let functions = program.functions()?;
    /// assert_eq!((&*functions[0].name, functions[0].inputs.len(), functions[0].nodes), ("double", 1, 1));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a dtype that this version does not know.
    #[doc(alias = "rondo_program_function")]
    #[doc(alias = "rondo_program_input")]
    #[doc(alias = "rondo_program_output")]
    pub fn functions(&self) -> Result<Vec<ProgramFunction>> {
        (0..self.query()?.functions)
            .map(|function| {
                let (mut name, mut info) = (null(), sys::RONDO_PROGRAM_FUNCTION_INFO_INIT);
                check(unsafe { sys::rondo_program_function(self.as_ptr(), function, &mut name, &mut info) })?;
                let inputs = (0..info.inputs).map(|i| {
                    value(|name, info| unsafe { sys::rondo_program_input(self.as_ptr(), function, i, name, info) })
                });
                let outputs = (0..info.outputs).map(|i| {
                    value(|name, info| unsafe { sys::rondo_program_output(self.as_ptr(), function, i, name, info) })
                });
                Ok(ProgramFunction {
                    // SAFETY: what is stored there lives as long as the program.
                    name: unsafe { text_of(name) },
                    inputs: inputs.collect::<Result<_>>()?,
                    outputs: outputs.collect::<Result<_>>()?,
                    varies: info.varies != 0,
                    nodes: info.nodes as usize,
                    parameters: info.parameters as usize,
                    sections: info.sections as usize,
                })
            })
            .collect()
    }

    /// The weights, in the file's order.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-1-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let weights = program.weights()?;
    /// assert_eq!((&*weights[0].name, weights[0].dtype, weights[0].state), ("two", DType::F32, false));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a dtype that this version does not know.
    #[doc(alias = "rondo_program_weight")]
    pub fn weights(&self) -> Result<Vec<ProgramValue>> {
        (0..self.query()?.weights)
            .map(|i| value(|name, info| unsafe { sys::rondo_program_weight(self.as_ptr(), i, name, info) }))
            .collect()
    }

    /// The dimensions that vary, in the file's order; none: all sizes are fixed.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-dims-{}.safetensors", std::process::id()));
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
    /// let dims = program.dims()?;
    /// assert_eq!((&*dims[0].name, dims[0].least, dims[0].most), ("n", 1, 64));
    /// assert_eq!(program.functions()?[0].inputs[0].axes, [rondo::ProgramAxis::Dim(0)]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the program is open.
    #[doc(alias = "rondo_program_dim")]
    pub fn dims(&self) -> Result<Vec<ProgramDim>> {
        (0..self.query()?.dims)
            .map(|index| {
                let (mut name, mut least, mut most) = (null(), 0, 0);
                check(unsafe { sys::rondo_program_dim(self.as_ptr(), index, &mut name, &mut least, &mut most) })?;
                // SAFETY: what is stored there lives as long as the program.
                Ok(ProgramDim { name: unsafe { text_of(name) }, least: least as usize, most: most as usize })
            })
            .collect()
    }

    /// The program at these sizes of its dimensions, one for each, and no others. Its instances share weights with this one's.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-bind-{}.safetensors", std::process::id()));
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
    /// let bound = program.bind(&[3])?;
    /// assert_eq!(bound.functions()?[0].inputs[0].shape, [3]);
    /// let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    /// let graph = bound.instance(&engine, Device::CPU)?.graph("double")?;
    /// assert_eq!(graph.call(&[&x])?[0].to_vec::<f32>()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for another number of sizes, and for those outside the bounds.
    #[doc(alias = "rondo_program_bind")]
    pub fn bind(&self, sizes: &[usize]) -> Result<Program> {
        let sizes: Vec<i64> = sizes.iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect();
        let mut handle = null_mut();
        check(unsafe { sys::rondo_program_bind(self.as_ptr(), sizes.len() as i32, sizes.as_ptr(), &mut handle) })?;
        Ok(Program { handle: made(handle) })
    }

    /// The number of a function among all, by its name.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-2-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// assert_eq!(program.find("double")?, 0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where there is none, with the names there are.
    #[doc(alias = "rondo_program_find")]
    pub fn find(&self, function: &str) -> Result<usize> {
        let name = c_string("Program::find", "function", function)?;
        let mut index = 0;
        check(unsafe { sys::rondo_program_find(self.as_ptr(), name.as_ptr(), &mut index) })?;
        Ok(index as usize)
    }

    /// Texts of the author by their keys, in the file's order.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-3-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// assert!(program.metadata()?.is_empty());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the program is open.
    #[doc(alias = "rondo_program_metadata")]
    pub fn metadata(&self) -> Result<Vec<(String, String)>> {
        (0..self.query()?.metadata)
            .map(|index| {
                let (mut key, mut value) = (null(), null());
                // SAFETY: what is stored there lives as long as the program.
                unsafe {
                    check(sys::rondo_program_metadata(self.as_ptr(), index, &mut key, &mut value))?;
                    Ok((text_of(key), text_of(value)))
                }
            })
            .collect()
    }

    /// The program as the file has it: JSON, one node a line.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-4-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// println!("{}", program.text()?);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the program is open.
    #[doc(alias = "rondo_program_text")]
    pub fn text(&self) -> Result<String> {
        let mut length = 0;
        check(unsafe { sys::rondo_program_text(self.as_ptr(), null_mut(), 0, &mut length) })?;
        let mut bytes = vec![0u8; length + 1];
        check(unsafe { sys::rondo_program_text(self.as_ptr(), bytes.as_mut_ptr().cast(), bytes.len(), &mut length) })?;
        bytes.truncate(length);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Loads the weights to a device, and records each function anew.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-5-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let other = Engine::new()?;
    /// let instance = program.instance(&other, Device::CPU)?;
    /// assert_eq!(instance.weight("two")?.to_vec::<f32>()?, [2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`IoError`](crate::ErrorKind::IoError) for a program whose nodes do not go together, with function and node;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording, and in a task.
    #[doc(alias = "rondo_program_create_instance")]
    pub fn instance(&self, engine: &Engine, device: Device) -> Result<ProgramInstance> {
        let mut handle = null_mut();
        check(unsafe {
            sys::rondo_program_create_instance(self.as_ptr(), engine.as_ptr(), device.as_raw(), &mut handle)
        })?;
        Ok(ProgramInstance::adopt(handle, engine, self.outputs()?))
    }

    /// The same with options: weights in place of the file's, further outputs, limits.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-with-{}.safetensors", std::process::id()));
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
    /// let options = rondo::ProgramInstanceOptions::new().limit_bytes(1 << 20);
    /// let instance = program.instance_with(&engine, Device::CPU, &options)?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// assert_eq!(instance.call("double", &[&x])?[0].to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for weights and values that the program does not have, and for
    /// weights that do not fit; [`NotFound`](crate::ErrorKind::NotFound) for a function; others as of [`Program::instance`].
    #[doc(alias = "rondo_program_create_instance_with")]
    pub fn instance_with(
        &self,
        engine: &Engine,
        device: Device,
        options: &ProgramInstanceOptions<'_>,
    ) -> Result<ProgramInstance> {
        let mut outputs = self.outputs()?;
        let handle = options.create(self.as_ptr(), engine, device)?;
        for (function, _) in options.extra_outputs() {
            *outputs.entry(function.clone()).or_default() += 1;
        }
        Ok(ProgramInstance::adopt(handle, engine, outputs))
    }

    /// The handle of the C interface, borrowed: it lives as long as this program.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-ptr-p-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// assert!(!program.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_program {
        self.handle.as_ptr()
    }

    /// How many outputs each function has.
    fn outputs(&self) -> Result<HashMap<String, usize>> {
        (0..self.query()?.functions)
            .map(|function| {
                let (mut name, mut info) = (null(), sys::RONDO_PROGRAM_FUNCTION_INFO_INIT);
                check(unsafe { sys::rondo_program_function(self.as_ptr(), function, &mut name, &mut info) })?;
                // SAFETY: what is stored there lives as long as the program.
                Ok((unsafe { text_of(name) }, info.outputs as usize))
            })
            .collect()
    }

    fn query(&self) -> Result<sys::rondo_program_info> {
        let mut info = sys::RONDO_PROGRAM_INFO_INIT;
        check(unsafe { sys::rondo_program_query(self.as_ptr(), &mut info) })?;
        Ok(info)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the one owner of the handle. Instances stay.
        unsafe { sys::rondo_program_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => write!(f, "Program({} functions, {} weights)", info.functions, info.weights),
            Err(error) => write!(f, "Program({})", error),
        }
    }
}
