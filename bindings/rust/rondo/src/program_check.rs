//! Self-checks that program files carry: they are put into a file, and run.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::path::Path;
use std::time::Duration;

use rondo_sys as sys;

use crate::error::check;
use crate::memory::c_path;
use crate::{Device, Engine, Error, ErrorKind, Program, Result};

/// What [`Program::check`] has compared.
#[doc(alias = "rondo_program_check_info")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramChecked {
    /// Calls that were made.
    pub calls: u64,
    /// Outputs that were compared.
    pub outputs: u64,
    /// Of these the ones that had to have the same bits.
    pub exact: u64,
}

impl Program {
    /// Calls each function of a program file once for each choice of sizes of its dimensions, with inputs that a seed gives, and
    /// writes the file anew with what came of it. Where no size varies each choice is empty.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 2)?.mul(2)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-check-{}.safetensors", std::process::id()));
    /// Program::writer().function("double", &double).write(&path)?;
    /// Program::add_check(&path, &engine, Device::CPU, &[&[]])?;
    /// let checked = Program::open(&path)?.check(&engine, Device::CPU, None, None)?;
    /// assert_eq!((checked.calls, checked.outputs, checked.exact), (1, 1, 1));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for sizes that the program does not have;
    /// [`Unsupported`](crate::ErrorKind::Unsupported) where a second run has other results, as of random numbers.
    #[doc(alias = "rondo_program_add_check")]
    pub fn add_check(path: impl AsRef<Path>, engine: &Engine, device: Device, sizes: &[&[usize]]) -> Result<()> {
        let path = c_path("Program::add_check", path.as_ref())?;
        let dims = sizes.first().map_or(0, |each| each.len());
        if sizes.iter().any(|each| each.len() != dims) {
            let message = "Program::add_check: each choice of sizes has one for each dimension";
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        let all: Vec<i64> = sizes.concat().iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect();
        let (calls, count) = (sizes.len() as i32, all.len() as i32);
        check(unsafe {
            sys::rondo_program_add_check(path.as_ptr(), engine.as_ptr(), device.as_raw(), calls, count, all.as_ptr())
        })
    }

    /// Runs the self-check of the file on a new instance. An output that is another one is an error. `most_bytes`: what the
    /// instance may take, and again inputs and outputs of a call. `timeout`: of each call.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Program};
    /// # let engine = Engine::new()?;
    /// # let (double, ()) = engine.recording().callable().record(|| {
    /// #     engine.record_output(&engine.record_input(Device::CPU, DType::F32, 2)?.mul(2)?)
    /// # })?;
    /// # let path = std::env::temp_dir().join(format!("rondo-program-checked-{}.safetensors", std::process::id()));
    /// # Program::writer().function("double", &double).write(&path)?;
    /// let unchecked = Program::open(&path)?.check(&engine, Device::CPU, None, None).unwrap_err();
    /// assert_eq!(unchecked.kind(), rondo::ErrorKind::NotFound);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) where the file has no check; [`IoError`](crate::ErrorKind::IoError) where that is
    /// not valid, or an output is another one: with function, output, place and both values.
    #[doc(alias = "rondo_program_check")]
    pub fn check(
        &self,
        engine: &Engine,
        device: Device,
        most_bytes: Option<u64>,
        timeout: Option<Duration>,
    ) -> Result<ProgramChecked> {
        let most_bytes = most_bytes.map_or(0, |bytes| i64::try_from(bytes.max(1)).unwrap_or(i64::MAX));
        let timeout = timeout.map_or(0, |time| i64::try_from(time.as_millis().max(1)).unwrap_or(i64::MAX));
        let mut info = sys::RONDO_PROGRAM_CHECK_INFO_INIT;
        check(unsafe {
            sys::rondo_program_check(self.as_ptr(), engine.as_ptr(), device.as_raw(), most_bytes, timeout, &mut info)
        })?;
        Ok(ProgramChecked { calls: info.calls as u64, outputs: info.outputs as u64, exact: info.exact as u64 })
    }
}
