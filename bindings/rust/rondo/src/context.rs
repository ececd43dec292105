//! What the body of a task may ask: where it runs, and what it was given.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::completion::Completion;
use crate::error::check;
use crate::slices::Slices;
use crate::{Device, Element, Error, ErrorKind, Result, TensorInfo};

/// What the body of a task may ask about its run.
///
/// It belongs to the call, and to its thread:
///
/// ```compile_fail
/// # let engine = rondo::Engine::new()?;
/// engine.task("wrong").submit(|task| {
///     std::thread::scope(|scope| {
///         scope.spawn(|| task.stream());
///     });
///     Ok(())
/// })?;
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_task_context")]
#[derive(Debug)]
pub struct TaskContext<'a> {
    handle: *mut sys::rondo_task_context, // a pointer, and so neither Send nor Sync
    inputs: Option<usize>,                // how many operands are read; None where there are none to ask for
    operands: usize,                      // how many there are
    slices: Slices,
    deferred: Cell<bool>,
    call: PhantomData<&'a ()>,
}

/// A tensor that a task reads or writes, as it is while the task runs; see [`TaskContext::input`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Operand {
    /// Of the first element, in the address space of the device that the tensor is on.
    pub address: *mut c_void,
    /// What [`Tensor::info`](crate::Tensor::info) tells of the tensor that the task was given.
    pub info: TensorInfo,
}

impl Operand {
    /// From its first byte in memory to the one behind its last, as numbers.
    pub(crate) fn bytes(&self) -> Range<usize> {
        let first = self.address as isize;
        if self.info.elements == 0 {
            return 0..0;
        }
        let size = self.info.dtype.size() as isize;
        let steps = self.info.shape.iter().zip(&self.info.strides);
        let reach = steps.map(|(&places, &stride)| (places as isize - 1) * stride as isize * size);
        let (before, after) = reach.fold((0, 0), |(low, high), step| (low + step.min(0), high + step.max(0)));
        (first + before) as usize..(first + after + size) as usize
    }
}

impl<'a> TaskContext<'a> {
    pub(crate) fn new(handle: *mut sys::rondo_task_context, inputs: Option<usize>, operands: usize) -> Self {
        let (slices, deferred) = (Slices::default(), Cell::new(false));
        TaskContext { handle, inputs, operands, slices, deferred, call: PhantomData }
    }

    /// A tensor that the task reads, by its number among them; on any device, with any strides.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1.0f32; 6])?;
    /// engine.task("look").reads(&x).submit(|task| {
    ///     let x = task.input(0)?;
    ///     assert!(!x.address.is_null() && x.info.shape == [2, 3]);
    ///     Ok(())
    /// })?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the task names variables.
    #[doc(alias = "rondo_task_operand")]
    pub fn input(&self, index: usize) -> Result<Operand> {
        self.operand("TaskContext::input", self.number_of_input("TaskContext::input", index)?)
    }

    /// A tensor that the task writes, by its number among them; on any device, with any strides. On a CUDA device this is
    /// where a kernel of the program's own writes.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let y = Tensor::empty(&engine, Device::CPU, DType::I32, 1)?;
    /// engine.task("answer").writes(&y).submit(|task| {
    ///     // SAFETY: one number, on the cpu, and nothing else uses it now.
    ///     unsafe { task.output(0)?.address.cast::<i32>().write(42) };
    ///     Ok(())
    /// })?;
    /// assert_eq!(y.item::<i32>()?, 42);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`TaskContext::input`].
    pub fn output(&self, index: usize) -> Result<Operand> {
        self.operand("TaskContext::output", self.inputs("TaskContext::output")?.saturating_add(index))
    }

    /// The elements of a tensor that the task reads: a contiguous one on the cpu, of this type, in a host function.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    /// engine.task("look").reads(&x).submit(|task| {
    ///     assert_eq!(task.input_slice::<f32>(0)?, [1.0, 2.0, 3.0]);
    ///     assert!(task.input_slice::<f64>(0).is_err());
    ///     Ok(())
    /// })?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such tensor, it has gaps or another
    /// dtype, is not on the cpu, or shares bytes with a slice that may write;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where the task names variables or was deferred.
    pub fn input_slice<T: Element>(&self, index: usize) -> Result<&[T]> {
        const NAME: &str = "TaskContext::input_slice";
        let operand = self.operand(NAME, self.number_of_input(NAME, index)?)?;
        self.not_deferred(NAME)?;
        self.slices.read(NAME, self.device(), &operand, index)
    }

    /// The elements of a tensor that the task writes, likewise. They are what they were if the task reads the tensor as
    /// well, else zeros. Nothing else may be at the same place while this slice is there, so a tensor that is also an input
    /// is asked for here only.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    /// engine.task("reverse").reads(&x).writes(&x).submit(|task| {
    ///     task.output_slice::<f32>(0)?.reverse();
    ///     assert!(task.input_slice::<f32>(0).is_err()); // what was returned there may be written
    ///     Ok(())
    /// })?;
    /// assert_eq!(x.to_vec::<f32>()?, [3.0, 2.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`TaskContext::input_slice`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too for a slice that
    /// was given already.
    #[allow(clippy::mut_from_ref)] // the same place is not given twice
    pub fn output_slice<T: Element>(&self, index: usize) -> Result<&mut [T]> {
        const NAME: &str = "TaskContext::output_slice";
        let inputs = self.inputs(NAME)?;
        let operand = self.operand(NAME, inputs.saturating_add(index))?;
        self.not_deferred(NAME)?;
        let reads = (0..inputs).map(|number| self.operand(NAME, number)).collect::<Result<Vec<_>>>()?;
        self.slices.write(NAME, self.device(), &operand, &reads)
    }

    /// Leaves the end of the task to the [`Completion`], which any thread may complete later: for libraries that have
    /// threads of their own. Until then the task holds no worker, and what it reads and writes stays in its hands; the
    /// completion has the slices.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::empty(&engine, Device::CPU, DType::F32, 3)?;
    /// engine.task("fetch").writes(&x).submit(|task| {
    ///     let done = task.defer()?;
    ///     std::thread::spawn(move || {
    ///         done.output_slice::<f32>(0)?.copy_from_slice(&[1.0, 2.0, 3.0]);
    ///         done.complete()
    ///     });
    ///     Ok(())
    /// })?;
    /// assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) in a task of a device;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a second time, and while slices are lent.
    #[doc(alias = "rondo_task_defer")]
    pub fn defer(&self) -> Result<Completion> {
        if self.slices.any() {
            let why = "TaskContext::defer: the task has slices already; ask the completion for them instead";
            return Err(Error::new(ErrorKind::InvalidState, why));
        }
        let operands =
            (0..self.operands).map(|number| self.operand("TaskContext::defer", number)).collect::<Result<_>>()?;
        let mut handle = null_mut();
        check(unsafe { sys::rondo_task_defer(self.handle, &mut handle) })?;
        self.deferred.set(true);
        Ok(Completion::new(handle, self.inputs, operands))
    }

    fn not_deferred(&self, function: &str) -> Result<()> {
        if !self.deferred.get() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InvalidState,
            format!("{}: the task ends later; its completion has the slices", function),
        ))
    }

    /// How many operands are read.
    fn inputs(&self, function: &str) -> Result<usize> {
        number_of_inputs(function, self.inputs)
    }

    fn number_of_input(&self, function: &str, index: usize) -> Result<usize> {
        number_of_input(function, self.inputs(function)?, index)
    }

    fn operand(&self, function: &str, number: usize) -> Result<Operand> {
        let (mut address, mut info) = (null_mut(), sys::RONDO_TENSOR_INFO_INIT);
        check(unsafe { sys::rondo_task_operand(self.handle, number, &mut address, &mut info) })
            .map_err(|error| Error::new(error.kind(), format!("{}: {}", function, error.message())))?;
        Ok(Operand { address, info: TensorInfo::from_raw(&info)? })
    }

    /// The native stream of a device task, a `CUstream`; null for host functions. Enqueue there, and do not wait.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// engine.task("look").submit(|task| {
    ///     assert!(task.stream().is_null());
    ///     Ok(())
    /// })?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "rondo_task_stream")]
    pub fn stream(&self) -> *mut c_void {
        // SAFETY: inside the call that the context belongs to, as in all functions here.
        unsafe { sys::rondo_task_stream(self.handle) }
    }

    /// Stream `index`, from 0, of those beside it that [`Task::auxiliary_streams`](crate::Task::auxiliary_streams) asked
    /// for; null for any other. It begins where [`stream`](Self::stream) is when the body is called, and that waits for
    /// it when the body has returned. Captured into a graph with conditional nodes, each is [`stream`](Self::stream).
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// engine.task("look").submit(|task| {
    ///     assert!(task.auxiliary_stream(0).is_null());
    ///     Ok(())
    /// })?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "rondo_task_auxiliary_stream")]
    pub fn auxiliary_stream(&self, index: i32) -> *mut c_void {
        unsafe { sys::rondo_task_auxiliary_stream(self.handle, index) }
    }

    /// The device the task runs on.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// engine.task("look").submit(|task| {
    ///     assert_eq!(task.device(), rondo::Device::CPU);
    ///     Ok(())
    /// })?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "rondo_task_device")]
    pub fn device(&self) -> Device {
        // The task was given a device that this version knows.
        Device::from_raw(unsafe { sys::rondo_task_device(self.handle) }).unwrap_or(Device::CPU)
    }

    /// Whether the task is being captured into a CUDA graph; then it must only enqueue what can be.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// engine.task("look").submit(|task| {
    ///     assert!(!task.is_capturing());
    ///     Ok(())
    /// })?;
    /// engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[doc(alias = "rondo_task_is_capturing")]
    pub fn is_capturing(&self) -> bool {
        unsafe { sys::rondo_task_is_capturing(self.handle) != 0 }
    }

    /// The handle of the C interface, for the time of the call.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// engine.task("look").submit(|task| {
    ///     assert!(!task.as_ptr().is_null());
    ///     Ok(())
    /// })?;
    /// # engine.wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_task_context {
        self.handle
    }
}

/// How many operands are read by a task that has some.
pub(crate) fn number_of_inputs(function: &str, inputs: Option<usize>) -> Result<usize> {
    inputs.ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidState,
            format!(
                "{}: the task names a variable, and so has no operands: only tasks that name tensors alone do",
                function
            ),
        )
    })
}

/// The number among the operands of input `index`.
pub(crate) fn number_of_input(function: &str, inputs: usize, index: usize) -> Result<usize> {
    if index < inputs {
        return Ok(index);
    }
    Err(Error::new(
        ErrorKind::InvalidArgument,
        format!("{}: index is {}, and the task reads {} tensors", function, index, inputs),
    ))
}
