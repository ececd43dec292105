//! The memory that an instance of a program takes and the kernels that it needs, asked before there is one.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::error::check;
use crate::{Device, Engine, Program, Result};

/// What [`Program::memory`] tells, in bytes.
#[doc(alias = "rondo_program_memory_info")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramMemory {
    /// Weights that no function writes: instances on one device share them.
    pub weight_bytes: u64,
    /// Those that functions write.
    pub state_bytes: u64,
    /// Graphs of all functions: temporaries, and what calls copy inputs and outputs through.
    pub graph_bytes: u64,
}

/// What [`Program::kernels`] tells.
#[doc(alias = "rondo_program_kernels_info")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramKernels {
    /// Kernels that all functions together use; 0 on a cpu.
    pub needed: u64,
    /// Of these, those that are kept on disk for the device.
    pub kept: u64,
    /// The others, which an instance would compile.
    pub missing: u64,
}

fn sizes_of(sizes: &[usize]) -> Vec<i64> {
    sizes.iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect()
}

impl Program {
    /// What an instance takes on a device, at these sizes of its dimensions (none: `&[]`). Nothing is loaded or made, but
    /// for kernels that are missing.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 1)?.mul(&w)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-memory-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).weight("two", &w).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let memory = program.memory(&engine, Device::CPU, &[])?;
    /// assert_eq!((memory.weight_bytes, memory.state_bytes), (4, 0));
    /// let most = memory.weight_bytes + memory.state_bytes + memory.graph_bytes;
    /// let options = rondo::ProgramInstanceOptions::new().most_bytes(most as i64);
    /// let instance = program.instance_with(&engine, Device::CPU, &options)?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Program::bind) and [`instance`](Program::instance).
    #[doc(alias = "rondo_program_memory")]
    pub fn memory(&self, engine: &Engine, device: Device, sizes: &[usize]) -> Result<ProgramMemory> {
        let sizes = sizes_of(sizes);
        let mut info = sys::RONDO_PROGRAM_MEMORY_INFO_INIT;
        let count = sizes.len() as i32;
        check(unsafe {
            sys::rondo_program_memory(self.as_ptr(), engine.as_ptr(), device.as_raw(), count, sizes.as_ptr(), &mut info)
        })?;
        Ok(ProgramMemory {
            weight_bytes: info.weight_bytes as u64,
            state_bytes: info.state_bytes as u64,
            graph_bytes: info.graph_bytes as u64,
        })
    }

    /// The kernels that an instance needs on a device, at these sizes of its dimensions (none: `&[]`), and how many of
    /// them are kept on disk. No weight is read and none is compiled.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     let x = engine.record_input(Device::CPU, DType::F32, 1)?;
    /// #     engine.record_output(&x.add(&x)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-kernels-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// # let program = Program::open(&path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// let kernels = program.kernels(&engine, Device::CPU, &[])?; // Device::cuda(0): a GPU's
    /// if kernels.missing > 0 {
    ///     println!("the first start compiles:\n{}", program.missing_kernels(&engine, Device::CPU, &[])?);
    /// }
    /// # assert_eq!((kernels.needed, kernels.kept, kernels.missing), (0, 0, 0)); // a cpu has none
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Program::bind) and [`instance`](Program::instance).
    #[doc(alias = "rondo_program_kernels")]
    pub fn kernels(&self, engine: &Engine, device: Device, sizes: &[usize]) -> Result<ProgramKernels> {
        let sizes = sizes_of(sizes);
        let mut info = sys::RONDO_PROGRAM_KERNELS_INFO_INIT;
        let count = sizes.len() as i32;
        check(unsafe {
            sys::rondo_program_kernels(
                self.as_ptr(),
                engine.as_ptr(),
                device.as_raw(),
                count,
                sizes.as_ptr(),
                &mut info,
            )
        })?;
        Ok(ProgramKernels { needed: info.needed as u64, kept: info.kept as u64, missing: info.missing as u64 })
    }

    /// The kernels that are missing, a line each: a name, and the first characters of its file's name in the folder.
    ///
    /// ```no_run
    /// # use rondo::{Device, Engine, Program};
    /// let program = Program::open("encoder.safetensors")?;
    /// println!("{}", program.missing_kernels(&Engine::new()?, Device::cuda(0), &[])?);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`kernels`](Program::kernels).
    #[doc(alias = "rondo_program_missing_kernels")]
    pub fn missing_kernels(&self, engine: &Engine, device: Device, sizes: &[usize]) -> Result<String> {
        let sizes = sizes_of(sizes);
        let (mut bytes, mut length) = (vec![0u8; 4096], 0);
        loop {
            check(unsafe {
                sys::rondo_program_missing_kernels(
                    self.as_ptr(),
                    engine.as_ptr(),
                    device.as_raw(),
                    sizes.len() as i32,
                    sizes.as_ptr(),
                    bytes.as_mut_ptr().cast(),
                    bytes.len(),
                    &mut length,
                )
            })?;
            if length < bytes.len() {
                bytes.truncate(length);
                return Ok(String::from_utf8_lossy(&bytes).into_owned());
            }
            bytes.resize(length + 1, 0);
        }
    }
}
