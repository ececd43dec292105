//! Tasks that end later than their body returns.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null;

use rondo_sys as sys;

use crate::context::{number_of_input, number_of_inputs};
use crate::error::{check, into_raw};
use crate::slices::Slices;
use crate::task::describe;
use crate::{BoxError, Device, Element, Error, ErrorKind, Operand, Result};

/// The end of a task, which its body has left to whoever has this; from [`TaskContext::defer`](crate::TaskContext::defer).
///
/// Dropped without having been completed, the task fails. An [`Engine`](crate::Engine) that ends does not wait for it: the
/// task fails then, and its memory stays until this is dropped.
///
/// ```
/// # let engine = rondo::Engine::new()?;
/// let variable = rondo::Variable::new(&engine)?;
/// engine.task("forgotten").writes(&variable).submit(|task| Ok(drop(task.defer()?)))?;
/// assert_eq!(variable.wait().unwrap_err().operator(), Some("forgotten"));
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_completion")]
#[derive(Debug)]
#[must_use = "the task fails when this is dropped"]
pub struct Completion {
    handle: *mut sys::rondo_completion,
    inputs: Option<usize>, // how many operands are read; None where there are none to ask for
    operands: Vec<Operand>,
    slices: Slices,
}

// SAFETY: any thread may complete a task, and its operands are in nobody else's hands.
unsafe impl Send for Completion {}

impl Completion {
    pub(crate) fn new(handle: *mut sys::rondo_completion, inputs: Option<usize>, operands: Vec<Operand>) -> Self {
        Completion { handle, inputs, operands, slices: Slices::default() }
    }

    /// The elements of a tensor that the task reads, as
    /// [`TaskContext::input_slice`](crate::TaskContext::input_slice) gives them.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// engine.task("look").reads(&x).submit(|task| {
    ///     let done = task.defer()?;
    ///     assert_eq!(done.input_slice::<f32>(0)?, [1.0, 2.0]);
    ///     Ok(done.complete()?)
    /// })?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such tensor, it has gaps or another
    /// dtype, or shares bytes with a slice that may write; [`InvalidState`](crate::ErrorKind::InvalidState) where the
    /// task names variables.
    pub fn input_slice<T: Element>(&self, index: usize) -> Result<&[T]> {
        const NAME: &str = "Completion::input_slice";
        let number = number_of_input(NAME, number_of_inputs(NAME, self.inputs)?, index)?;
        self.slices.read(NAME, Device::CPU, &self.operands[number], index)
    }

    /// The elements of a tensor that the task writes, as
    /// [`TaskContext::output_slice`](crate::TaskContext::output_slice) gives them.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::empty(&engine, Device::CPU, DType::I64, 1)?;
    /// engine.task("answer").writes(&x).submit(|task| {
    ///     let done = task.defer()?;
    ///     done.output_slice::<i64>(0)?[0] = 42;
    ///     Ok(done.complete()?)
    /// })?;
    /// assert_eq!(x.item::<i64>()?, 42);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Completion::input_slice`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too for a slice that
    /// was given already.
    #[allow(clippy::mut_from_ref)] // the same place is not given twice
    pub fn output_slice<T: Element>(&self, index: usize) -> Result<&mut [T]> {
        const NAME: &str = "Completion::output_slice";
        let inputs = number_of_inputs(NAME, self.inputs)?;
        let operand = self.operands.get(inputs.saturating_add(index)).ok_or_else(|| {
            let outputs = self.operands.len() - inputs;
            let why = format!("{}: index is {}, and the task writes {} tensors", NAME, index, outputs);
            Error::new(ErrorKind::InvalidArgument, why)
        })?;
        self.slices.write(NAME, Device::CPU, operand, &self.operands[..inputs])
    }

    /// Ends the task. Never blocks. The error says that the engine has ended before.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let variable = rondo::Variable::new(&engine)?;
    /// engine.task("later").writes(&variable).submit(|task| {
    ///     let done = task.defer()?;
    ///     std::thread::spawn(move || done.complete());
    ///     Ok(())
    /// })?;
    /// variable.wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the engine has ended before.
    #[doc(alias = "rondo_completion_complete")]
    pub fn complete(self) -> Result<()> {
        check(unsafe { sys::rondo_completion_complete(self.handle, sys::RONDO_OK, null()) })
    }

    /// Ends the task with an error, as if its body had returned it.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let variable = rondo::Variable::new(&engine)?;
    /// engine.task("later").writes(&variable).submit(|task| {
    ///     let done = task.defer()?;
    ///     std::thread::spawn(move || done.fail("disk gone"));
    ///     Ok(())
    /// })?;
    /// assert!(variable.wait().unwrap_err().message().ends_with("disk gone"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the engine has ended before.
    #[doc(alias = "rondo_completion_fail_cause")]
    pub fn fail(self, error: impl Into<BoxError>) -> Result<()> {
        let error = error.into();
        let (kind, text) = describe(&error);
        let (cause, destroy) = into_raw(error);
        // SAFETY: nobody else has the handle; the call takes the cause.
        unsafe { sys::rondo_completion_fail_cause(self.handle, cause, Some(destroy)) };
        check(unsafe { sys::rondo_completion_complete(self.handle, kind.as_raw(), text.as_ptr()) })
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle.
        unsafe { sys::rondo_completion_destroy(self.handle) }
    }
}
