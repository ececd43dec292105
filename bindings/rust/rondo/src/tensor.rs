//! Tensors: made, filled, read, waited for.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::c_void;
use std::fmt;
use std::ptr::{null_mut, NonNull};
use std::sync::Arc;
use std::time::Duration;

use rondo_sys as sys;

use crate::error::check;
use crate::{ops, DType, Device, Dims, Element, Engine, Error, ErrorKind, Result, Shape, TensorInfo};

/// Memory on a device, a dtype, a shape and strides. Views share memory, order and error.
///
/// A tensor is a handle: what is written through one view of it is seen through all of them, in the order in which the
/// program submits it. So writing needs no `&mut`, and any thread may do it. Dropping a tensor does not wait, and its
/// memory goes back when the last task, view and graph that uses it is done.
///
/// ```
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
/// let b = a.matmul(&a)?;
/// assert_eq!(b.to_vec::<f32>()?, [7.0, 10.0, 15.0, 22.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
/// A clone is the same handle once more, so it cannot fail and copies nothing: what is written through one is seen
/// through the other. [`Tensor::copy`] has memory of its own.
#[doc(alias = "rondo_tensor")]
#[derive(Clone)]
pub struct Tensor(Arc<Handle>);

/// The handle of the C interface, which its last owner destroys.
struct Handle {
    raw: NonNull<sys::rondo_tensor>,
    engine: Engine, // after the handle: it may be the last of its engine
}

// SAFETY: every function on a tensor is thread-safe (docs/threads.md), and it is destroyed by its last owner.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

/// A handle that a call which returned `RONDO_OK` has stored.
#[inline]
pub(crate) fn made<T>(handle: *mut T) -> NonNull<T> {
    NonNull::new(handle).expect("a call that succeeds makes what it says")
}

impl Tensor {
    /// A tensor with a copy of row-major data, of as many elements as the shape has.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.shape()?, [2, 3]);
    /// assert!(Tensor::from_slice(&engine, Device::CPU, 5, &[1i32, 2]).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the shape has another number of elements;
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there; [`OutOfMemory`](crate::ErrorKind::OutOfMemory).
    #[doc(alias = "rondo_tensor_from_host")]
    #[track_caller]
    pub fn from_slice<T: Element>(
        engine: &Engine,
        device: Device,
        shape: impl Into<Dims>,
        data: &[T],
    ) -> Result<Tensor> {
        let shape = shape.into();
        if let Some(elements) = shape.elements().filter(|&elements| elements != data.len()) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("Tensor::from_slice: data has {} elements; the shape has {}", data.len(), elements),
            ));
        }
        let (ndim, sizes, data) = (shape.ndim(), shape.as_ptr(), data.as_ptr().cast());
        // SAFETY: the data has as many elements of the dtype as the shape; a shape without a number of elements is
        // refused before the data is looked at.
        Tensor::create(engine, |out| unsafe {
            sys::rondo_tensor_from_host(engine.as_ptr(), device.as_raw(), T::DTYPE.as_raw(), ndim, sizes, data, out)
        })
    }

    /// A tensor without contents: to read it, or to use it as an operator's input, is an error of kind
    /// [`InvalidState`](ErrorKind::InvalidState) until something that writes it, or a part of it, was submitted. What that
    /// leaves unwritten is of any value.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, ErrorKind, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::empty(&engine, Device::CPU, DType::F64, [2, 3])?;
    /// assert_eq!(a.to_vec::<f64>().unwrap_err().kind(), ErrorKind::InvalidState);
    /// a.fill(1.5)?;
    /// assert_eq!(a.to_vec::<f64>()?, [1.5; 6]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a size below zero or more than 8 axes;
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there.
    #[doc(alias = "rondo_tensor_create")]
    #[track_caller]
    pub fn empty(engine: &Engine, device: Device, dtype: DType, shape: impl Into<Dims>) -> Result<Tensor> {
        let shape = shape.into();
        Tensor::create(engine, |out| unsafe {
            sys::rondo_tensor_create(
                engine.as_ptr(),
                device.as_raw(),
                dtype.as_raw(),
                shape.ndim(),
                shape.as_ptr(),
                out,
            )
        })
    }

    /// Replaces the contents by row-major data, of the tensor's dtype and number of elements. Ordered like any task that
    /// writes the tensor; the data may be reused as soon as the call returns.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// a.write(&[3.0f32, 4.0])?;
    /// assert_eq!(a.to_vec::<f32>()?, [3.0, 4.0]);
    /// assert!(a.write(&[3.0f64, 4.0]).is_err()); // another dtype
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the elements are of another type or number;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording.
    #[doc(alias = "rondo_tensor_write")]
    pub fn write<T: Element>(&self, data: &[T]) -> Result<()> {
        self.expect::<T>("Tensor::write")?;
        // SAFETY: exactly the bytes of the slice.
        check(unsafe { sys::rondo_tensor_write(self.as_ptr(), data.as_ptr().cast(), std::mem::size_of_val(data)) })
    }

    /// Waits for the tensor and copies its elements, row-major, to a slice of just as many.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let mut elements = [0i32; 2];
    /// Tensor::from_slice(&engine, Device::CPU, 2, &[5i32, 6])?.read(&mut elements)?;
    /// assert_eq!(elements, [5, 6]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::wait`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the elements are of another
    /// type or number; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written, and
    /// inside a recording.
    #[doc(alias = "rondo_tensor_read")]
    pub fn read<T: Element>(&self, data: &mut [T]) -> Result<()> {
        self.expect::<T>("Tensor::read")?;
        let bytes = std::mem::size_of_val(data);
        let address = data.as_mut_ptr().cast::<u8>();
        // SAFETY: exactly the bytes of the slice; whatever is written there, it is made valid before anybody looks at it.
        unsafe {
            let status = sys::rondo_tensor_read(self.as_ptr(), address.cast(), bytes);
            T::normalise(std::slice::from_raw_parts_mut(address, bytes));
            check(status)
        }
    }

    /// Waits for the tensor and copies its elements, row-major.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1u8, 2, 3, 4])?;
    /// assert_eq!(a.transpose()?.to_vec::<u8>()?, [1, 3, 2, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::read`]; [`OutOfMemory`](ErrorKind::OutOfMemory) where the program has no room for so many elements, which
    /// a broadcast view may have.
    #[doc(alias = "into_data")]
    #[doc(alias = "to_data")]
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.expect::<T>("Tensor::to_vec")?;
        let info = self.info()?;
        let mut data = room::<T>("Tensor::to_vec", info.elements)?;
        let address = data.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for so many elements, all of which a read that goes well writes; they are made valid before
        // anybody looks at them.
        unsafe {
            check(sys::rondo_tensor_read(self.as_ptr(), address.cast(), info.bytes))?;
            T::normalise(std::slice::from_raw_parts_mut(address, info.bytes));
            data.set_len(info.elements);
        }
        Ok(data)
    }

    /// The value of a tensor of one element.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(a.sum(..)?.item::<f32>()?, 6.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::read`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where there is not one
    /// element.
    #[doc(alias = "into_scalar")]
    #[doc(alias = "double_value")]
    #[doc(alias = "int64_value")]
    pub fn item<T: Element>(&self) -> Result<T> {
        const NAME: &str = "Tensor::item";
        self.expect::<T>(NAME)?;
        let info = self.info().map_err(|e| e.told_by(NAME, &["Tensor::info"]))?;
        if info.elements != 1 {
            let text = format!("{}: the tensor has {} elements; it must have one", NAME, info.elements);
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        let mut data = [T::default()];
        self.read(&mut data).map_err(|e| e.told_by(NAME, &["Tensor::read"]))?;
        Ok(data[0])
    }

    /// Every element becomes `value`, which the dtype must hold.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::empty(&engine, Device::CPU, DType::I8, 2)?;
    /// a.fill(-1.0)?;
    /// assert!(a.fill(1000.0).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the dtype does not hold the value, or the tensor
    /// is a broadcast view.
    #[doc(alias = "rondo_fill")]
    #[track_caller]
    pub fn fill(&self, value: f64) -> Result<()> {
        ops::fill(self, value)
    }

    /// Every element becomes `value`, exact to 64 bits.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::empty(&engine, Device::CPU, DType::I64, 1)?;
    /// a.fill_i64(i64::MAX)?;
    /// assert_eq!(a.item::<i64>()?, i64::MAX);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::fill`].
    #[doc(alias = "rondo_fill_i64")]
    #[track_caller]
    pub fn fill_i64(&self, value: i64) -> Result<()> {
        check(unsafe { sys::rondo_fill_i64(self.as_ptr(), value) })
    }

    /// Takes the contents as they are: clears the error that a task which failed has left, and lets a tensor be read that
    /// nothing has written. [`Tensor::fill`] clears the error too, and is safe.
    ///
    /// # Safety
    ///
    /// What a task that failed has left in the tensor's memory, which its views share, are values of its dtype. What
    /// nothing has written is zero.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, 1)?;
    /// engine.task("fails").writes(&a).submit(|_| Err("disk gone".into()))?;
    /// assert!(a.wait().is_err());
    /// // SAFETY: the zeros are there still.
    /// unsafe { a.accept() }?;
    /// a.wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the tensor lives.
    #[doc(alias = "rondo_tensor_accept")]
    pub unsafe fn accept(&self) -> Result<()> {
        // SAFETY: a live handle; of the contents the caller has said it.
        check(unsafe { sys::rondo_tensor_accept(self.as_ptr()) })
    }

    /// Blocks until the contents are there: every task submitted before that writes the tensor's memory has finished, on
    /// the device too; tasks that read it may go on. Returns its error if a task that wrote it failed.
    /// [`Tensor::wait_async`] does not block.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?.wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// That of the task that should have written it, with its first cause;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a task and inside a recording.
    #[doc(alias = "rondo_tensor_wait")]
    pub fn wait(&self) -> Result<()> {
        check(unsafe { sys::rondo_tensor_wait(self.as_ptr()) })
    }

    /// [`Tensor::wait`] for a limited time; a duration of zero asks only.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?.wait_for(Duration::from_secs(10))?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TimedOut`](ErrorKind::TimedOut) where the contents are not there by then: the task goes on, and may be waited for
    /// again.
    #[doc(alias = "rondo_tensor_wait_for")]
    pub fn wait_for(&self, limit: Duration) -> Result<()> {
        check(unsafe { sys::rondo_tensor_wait_for(self.as_ptr(), milliseconds(limit)) })
    }

    /// Dtype, device, shape and strides at once.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let info = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?.transpose()?.info()?;
    /// assert_eq!(info.shape, [3, 2]);
    /// assert_eq!((info.strides, info.contiguous), (vec![1, 3], false));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a dtype that this version does not know.
    #[doc(alias = "rondo_tensor_query")]
    #[doc(alias = "is_contiguous")]
    pub fn info(&self) -> Result<TensorInfo> {
        let mut info = sys::RONDO_TENSOR_INFO_INIT;
        check(unsafe { sys::rondo_tensor_query(self.as_ptr(), &mut info) })?;
        TensorInfo::from_raw(&info)
    }

    /// The shape; see [`Tensor::info`].
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?.shape()?, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::info`].
    pub fn shape(&self) -> Result<Shape> {
        Ok(self.info()?.shape)
    }

    /// The dtype; see [`Tensor::info`].
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::zeros(&engine, Device::CPU, DType::Bf16, 2)?.dtype()?, DType::Bf16);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::info`].
    pub fn dtype(&self) -> Result<DType> {
        Ok(self.info()?.dtype)
    }

    /// The device that its memory is on; see [`Tensor::info`].
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?.device()?, Device::CPU);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::info`].
    pub fn device(&self) -> Result<Device> {
        Ok(self.info()?.device)
    }

    /// The engine it belongs to.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
    /// drop(engine); // a goes on
    /// a.engine().wait_all()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Address of the first element, in the device's address space; takes memory if the tensor has none yet. Whoever
    /// goes there keeps the order: inside a [task](Engine::task) that names the tensor, or after a wait.
    ///
    /// # Safety
    ///
    /// A tensor counts as written once its address was asked for; what nothing has written is zero. What the caller writes
    /// there are values of its dtype, and nothing else uses the memory, which its views share, meanwhile.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[5.0f32])?;
    /// a.wait()?;
    /// // SAFETY: it was written; it is on the cpu, and no task uses it any more.
    /// assert_eq!(unsafe { *a.address()?.cast::<f32>() }, 5.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor of an open recording and for one inside a graph;
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory).
    #[doc(alias = "rondo_tensor_data")]
    pub unsafe fn address(&self) -> Result<*mut c_void> {
        let mut address = null_mut();
        // SAFETY: a live handle; of the contents the caller has said it.
        check(unsafe { sys::rondo_tensor_data(self.as_ptr(), &mut address) })?;
        Ok(address)
    }

    /// The handle of the C interface, borrowed: it lives as long as this tensor.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert!(!Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    #[inline]
    pub fn as_ptr(&self) -> *mut sys::rondo_tensor {
        self.0.raw.as_ptr()
    }

    /// Makes a tensor of this engine by a call that stores it.
    #[inline]
    #[track_caller]
    pub(crate) fn create(
        engine: &Engine,
        call: impl FnOnce(*mut *mut sys::rondo_tensor) -> sys::rondo_status,
    ) -> Result<Tensor> {
        let mut handle = null_mut();
        check(call(&mut handle))?;
        Ok(Tensor::adopt(handle, engine))
    }

    pub(crate) fn adopt(handle: *mut sys::rondo_tensor, engine: &Engine) -> Tensor {
        Tensor(Arc::new(Handle { raw: made(handle), engine: engine.clone() }))
    }

    /// An error unless the elements are of this type.
    pub(crate) fn expect<T: Element>(&self, function: &str) -> Result<()> {
        let dtype = self.dtype()?;
        if dtype == T::DTYPE {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("{}: the tensor is {} and the elements are {}: cast the tensor first", function, dtype, T::DTYPE),
        ))
    }
}

/// A handle for the C side to own: a tensor without clones.
pub(crate) struct Owned(Handle);

impl Owned {
    /// The tensor's own handle, or where there are clones another of the same memory.
    pub(crate) fn new(tensor: Tensor) -> Result<Owned> {
        match Arc::try_unwrap(tensor.0) {
            Ok(handle) => Ok(Owned(handle)),
            Err(shared) => Owned::new(Tensor(shared).share()?),
        }
    }

    pub(crate) fn into_handle(self) -> *mut sys::rondo_tensor {
        let handle = std::mem::ManuallyDrop::new(self.0);
        // SAFETY: read once, of what is never dropped.
        drop(unsafe { std::ptr::read(&handle.engine) });
        handle.raw.as_ptr()
    }
}

/// Room for so many elements. Shapes may say any number, and a program must not end where there is none.
pub(crate) fn room<T>(function: &str, elements: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(elements).map_err(|_| {
        let text =
            format!("{}: there is no memory for {} elements of {} bytes", function, elements, std::mem::size_of::<T>());
        Error::new(ErrorKind::OutOfMemory, text)
    })?;
    Ok(room)
}

/// A time limit as the C interface takes it: rounded up, so that what is not zero is no mere question.
pub(crate) fn milliseconds(limit: Duration) -> i64 {
    i64::try_from((limit.as_nanos() + 999_999) / 1_000_000).unwrap_or(i64::MAX)
}

impl Drop for Handle {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: its last owner.
        unsafe { sys::rondo_tensor_destroy(self.raw.as_ptr()) }
    }
}

impl fmt::Debug for Tensor {
    /// Dtype, shape and device, not the elements: those would have to be waited for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => write!(f, "Tensor({} {:?} on {})", info.dtype, info.shape, info.device),
            Err(error) => write!(f, "Tensor({})", error),
        }
    }
}
