//! The memory that an instance of a program takes, asked before there is one.
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
        let sizes: Vec<i64> = sizes.iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect();
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
}
