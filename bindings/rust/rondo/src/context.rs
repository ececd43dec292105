//! What the body of a task may ask: where it runs, and what it was given.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::cell::RefCell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::{null_mut, NonNull};

use rondo_sys as sys;

use crate::error::check;
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
#[derive(Debug)]
pub struct TaskContext<'a> {
    handle: *mut sys::rondo_task_context, // a pointer, and so neither Send nor Sync
    inputs: Option<usize>,                // how many operands are read; None where there are none to ask for
    given: RefCell<Vec<Given>>,
    call: PhantomData<&'a ()>,
}

/// A slice that the body has: from where to where, and whether it may be written.
#[derive(Debug)]
struct Given {
    bytes: Range<usize>,
    writable: bool,
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

impl<'a> TaskContext<'a> {
    pub(crate) fn new(handle: *mut sys::rondo_task_context, inputs: Option<usize>) -> Self {
        TaskContext { handle, inputs, given: RefCell::new(Vec::new()), call: PhantomData }
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
    /// x.wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
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
    /// x.wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn input_slice<T: Element>(&self, index: usize) -> Result<&[T]> {
        const NAME: &str = "TaskContext::input_slice";
        let (first, count) = self.give::<T>(NAME, self.number_of_input(NAME, index)?, false)?;
        // SAFETY: `give` has looked at all that; nobody writes what a running task reads.
        let bytes = unsafe { std::slice::from_raw_parts(first.cast::<u8>(), count * std::mem::size_of::<T>()) };
        if !T::valid(bytes) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("{}: input {} has bytes that are no {}", NAME, index, T::DTYPE),
            ));
        }
        Ok(unsafe { std::slice::from_raw_parts(first, count) })
    }

    /// The elements of a tensor that the task writes, likewise. They are what they were if the task reads the tensor as
    /// well, else of any value. Nothing else may be at the same place while this slice is there, so a tensor that is also
    /// an input is asked for here only.
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
    #[allow(clippy::mut_from_ref)] // `give` refuses to give the same place twice
    pub fn output_slice<T: Element>(&self, index: usize) -> Result<&mut [T]> {
        const NAME: &str = "TaskContext::output_slice";
        let (first, count) = self.give::<T>(NAME, self.inputs(NAME)?.saturating_add(index), true)?;
        // SAFETY: `give` has looked at all that; nobody else uses what a running task writes.
        unsafe {
            T::normalise(std::slice::from_raw_parts_mut(first.cast::<u8>(), count * std::mem::size_of::<T>()));
            Ok(std::slice::from_raw_parts_mut(first, count))
        }
    }

    /// How many operands are read.
    fn inputs(&self, function: &str) -> Result<usize> {
        self.inputs.ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidState,
                format!(
                    "{}: the task names a variable, and so has no operands: only tasks that name tensors alone do",
                    function
                ),
            )
        })
    }

    fn number_of_input(&self, function: &str, index: usize) -> Result<usize> {
        let inputs = self.inputs(function)?;
        if index < inputs {
            return Ok(index);
        }
        Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("{}: index is {}, and the task reads {} tensors", function, index, inputs),
        ))
    }

    fn operand(&self, function: &str, number: usize) -> Result<Operand> {
        let (mut address, mut info) = (null_mut(), sys::RONDO_TENSOR_INFO_INIT);
        check(unsafe { sys::rondo_task_operand(self.handle, number, &mut address, &mut info) })
            .map_err(|error| Error::new(error.kind(), format!("{}: {}", function, error.message())))?;
        Ok(Operand { address, info: TensorInfo::from_raw(&info)? })
    }

    /// First element and number of elements of an operand that may be a slice, noted as given to the body.
    fn give<T: Element>(&self, function: &str, number: usize, writable: bool) -> Result<(*mut T, usize)> {
        let operand = self.operand(function, number)?;
        let info = &operand.info;
        let refuse = |kind, why: String| Err(Error::new(kind, format!("{}: {}", function, why)));
        if self.device() != Device::CPU || info.device != Device::CPU {
            let why = "slices are of tensors on cpu:0 in host functions; elsewhere there are addresses";
            return refuse(
                ErrorKind::InvalidArgument,
                format!("the task is on {}, the tensor on {}: {}", self.device(), info.device, why),
            );
        }
        if info.dtype != T::DTYPE {
            return refuse(
                ErrorKind::InvalidArgument,
                format!("the tensor is {} and the elements are {}", info.dtype, T::DTYPE),
            );
        }
        if !info.contiguous {
            let why = format!("the tensor has strides {:?}; a slice has no gaps: go by the address", info.strides);
            return refuse(ErrorKind::InvalidArgument, why);
        }
        if info.elements == 0 {
            return Ok((NonNull::dangling().as_ptr(), 0));
        }
        let start = operand.address as usize;
        if start % std::mem::align_of::<T>() != 0 {
            return refuse(
                ErrorKind::InvalidArgument,
                format!("the tensor is at {:#x}, which is not aligned for {}", start, T::DTYPE),
            );
        }
        let bytes = start..start + info.bytes;
        let mut given = self.given.borrow_mut();
        let overlaps = |other: &Given| other.bytes.start < bytes.end && bytes.start < other.bytes.end;
        if given.iter().any(|other| overlaps(other) && (writable || other.writable)) {
            return refuse(
                ErrorKind::InvalidState,
                "a slice of the same memory was given already, and one of both may be written".into(),
            );
        }
        given.push(Given { bytes, writable });
        Ok((operand.address.cast(), info.elements))
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
    pub fn stream(&self) -> *mut c_void {
        // SAFETY: inside the call that the context belongs to, as in all functions here.
        unsafe { sys::rondo_task_stream(self.handle) }
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
