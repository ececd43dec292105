//! Tensors to and from other libraries without a copy, by DLPack (version 1, or 0 of its interface).
//!
//! ```
//! use rondo::{Device, Engine, Tensor};
//!
//! let engine = Engine::new()?;
//! let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
//! let given = a.to_dlpack()?;
//! assert_eq!(given.shape(), [2, 2]);
//! // SAFETY: a DLPack tensor of Rondo's own, which nobody else owns.
//! let b = unsafe { Tensor::from_dlpack(&engine, given.into_raw()) }?;
//! b.fill(0.0)?;
//! b.wait()?; // tasks on b are not ordered with tasks on a: they do not know of each other
//! assert_eq!(a.to_vec::<f32>()?, [0.0; 4]);
//! # Ok::<(), rondo::Error>(())
//! ```
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::c_void;
use std::fmt;
use std::ptr::{null_mut, NonNull};

use rondo_sys as sys;

use crate::error::check;
use crate::{Engine, Result, Tensor};

/// A device as DLPack writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// 1: the processor, 2: CUDA, 3: pinned memory of the host.
    pub device_type: i32,
    /// Which of its kind.
    pub device_id: i32,
}

/// A dtype as DLPack writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0: signed, 1: unsigned integer, 2: float, 4: bfloat, 6: bool.
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// Lanes of one element; 1 but for vectors.
    pub lanes: u16,
}

/// A tensor as DLPack describes it.
#[repr(C)]
#[derive(Debug)]
pub struct DLTensor {
    /// Where the memory begins.
    pub data: *mut c_void,
    /// Where it is.
    pub device: DLDevice,
    /// Entries of `shape` and `strides`.
    pub ndim: i32,
    /// Type of the elements.
    pub dtype: DLDataType,
    /// Sizes.
    pub shape: *mut i64,
    /// Elements from one index to the next; null for row-major without gaps.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

impl DLTensor {
    /// The sizes; none where `shape` is null or `ndim` is below 1.
    ///
    /// # Safety
    ///
    /// `shape` is null, or points to as many sizes as `ndim` says, which stay as long as the slice.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// let given = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, [2, 3])?.to_dlpack()?;
    /// // SAFETY: Rondo has described it.
    /// assert_eq!(unsafe { given.tensor().shape() }, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub unsafe fn shape(&self) -> &[i64] {
        match usize::try_from(self.ndim) {
            // SAFETY: as the caller says.
            Ok(ndim) if ndim > 0 && !self.shape.is_null() => unsafe { std::slice::from_raw_parts(self.shape, ndim) },
            _ => &[],
        }
    }
}

/// A version of DLPack's interface.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Another one is another layout.
    pub major: u32,
    /// A higher one has more, in the same layout.
    pub minor: u32,
}

/// What is handed over, since version 1. Its handle in the C interface is [`rondo_sys::DLManagedTensorVersioned`].
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// Of this struct.
    pub version: DLPackVersion,
    /// The maker's own.
    pub manager_ctx: *mut c_void,
    /// Called once by whoever received it, when done.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bit 0: read-only. Bit 1: a copy was made.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// What is handed over by version 0, which many still use.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The maker's own.
    pub manager_ctx: *mut c_void,
    /// Called once by whoever received it, when done.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

mod sealed {
    pub trait Managed {
        fn tensor(&self) -> &super::DLTensor;
        /// # Safety
        /// Once, by the one who owns it.
        unsafe fn delete(this: *mut Self);
    }
}
use sealed::Managed;

macro_rules! managed {
    ($type:ident) => {
        impl Managed for $type {
            fn tensor(&self) -> &DLTensor {
                &self.dl_tensor
            }

            /// # Safety
            ///
            /// As of the trait.
            unsafe fn delete(this: *mut Self) {
                // SAFETY: as the caller says.
                unsafe {
                    if let Some(deleter) = (*this).deleter {
                        deleter(this);
                    }
                }
            }
        }
    };
}
managed!(DLManagedTensorVersioned);
managed!(DLManagedTensor);

/// A tensor that was handed out, until somebody takes it over. Dropping it gives it back.
///
/// ```
/// # use rondo::{DType, Device, Engine, Tensor};
/// let given = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?.to_dlpack_v0()?;
/// drop(given);
/// # Ok::<(), rondo::Error>(())
/// ```
#[must_use = "a tensor that nobody takes over is given back"]
pub struct Given<T: Managed>(NonNull<T>);

// SAFETY: the deleter may be called by any thread (tensor.h), and the struct is not written to.
unsafe impl<T: Managed> Send for Given<T> {}
unsafe impl<T: Managed> Sync for Given<T> {}

impl<T: Managed> Given<T> {
    /// The description of the tensor.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// let given = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?.to_dlpack()?;
    /// assert_eq!((given.tensor().dtype.code, given.tensor().dtype.bits), (2, 32));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn tensor(&self) -> &DLTensor {
        // SAFETY: it lives until its deleter is called.
        unsafe { self.0.as_ref() }.tensor()
    }

    /// The sizes of the tensor.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// let given = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, [2, 3])?.to_dlpack()?;
    /// assert_eq!(given.shape(), [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn shape(&self) -> &[i64] {
        // SAFETY: the library has described the tensor, and the sizes live as long as this.
        unsafe { self.tensor().shape() }
    }

    /// Gives it to somebody who will call its deleter.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// let managed = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?.to_dlpack()?.into_raw();
    /// // SAFETY: nobody else has it.
    /// unsafe { ((*managed).deleter.unwrap())(managed) };
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn into_raw(self) -> *mut T {
        let managed = self.0.as_ptr();
        std::mem::forget(self);
        managed
    }
}

impl<T: Managed> Drop for Given<T> {
    fn drop(&mut self) {
        // SAFETY: its one owner.
        unsafe { T::delete(self.0.as_ptr()) }
    }
}

impl<T: Managed> fmt::Debug for Given<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tensor().fmt(f)
    }
}

impl Tensor {
    /// Hands the tensor out without a copy, when the tasks submitted so far are done: the call waits for them.
    ///
    /// Tasks submitted later do not wait for whoever uses the memory.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let given = Tensor::from_slice(&engine, Device::CPU, 1, &[5i32])?.to_dlpack()?;
    /// // SAFETY: memory of the cpu that nothing writes.
    /// assert_eq!(unsafe { *given.tensor().data.cast::<i32>() }, 5);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written, or of an open
    /// recording; [`Unsupported`](crate::ErrorKind::Unsupported) for a dtype that the version does not know; the
    /// failure of what wrote it.
    pub fn to_dlpack(&self) -> Result<Given<DLManagedTensorVersioned>> {
        // SAFETY: no stream.
        unsafe { self.to_dlpack_on(null_mut()) }
    }

    /// The same without waiting: `stream`, a `CUstream` of the tensor's device, is made to wait on the device.
    ///
    /// # Safety
    ///
    /// The stream is one of the tensor's device, or null.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let a = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let given = unsafe { a.to_dlpack_on(std::ptr::null_mut()) }?; // as to_dlpack
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::to_dlpack`].
    #[doc(alias = "rondo_tensor_to_dlpack")]
    pub unsafe fn to_dlpack_on(&self, stream: *mut c_void) -> Result<Given<DLManagedTensorVersioned>> {
        let mut managed: *mut sys::DLManagedTensorVersioned = null_mut();
        check(unsafe { sys::rondo_tensor_to_dlpack(self.as_ptr(), stream, &mut managed) })?;
        Ok(Given(crate::tensor::made(managed.cast())))
    }

    /// [`Tensor::to_dlpack`] for a consumer that knows version 0 only. What is read-only is refused: that version cannot
    /// say it.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let a = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let given = a.to_dlpack_v0()?;
    /// assert!(a.broadcast([3, 2])?.to_dlpack_v0().is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::to_dlpack`]; [`Unsupported`](crate::ErrorKind::Unsupported) too for memory that is read-only,
    /// which version 0 cannot say.
    pub fn to_dlpack_v0(&self) -> Result<Given<DLManagedTensor>> {
        // SAFETY: no stream.
        unsafe { self.to_dlpack_v0_on(null_mut()) }
    }

    /// [`Tensor::to_dlpack_on`] for version 0.
    ///
    /// # Safety
    ///
    /// The stream is one of the tensor's device, or null.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let a = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let given = unsafe { a.to_dlpack_v0_on(std::ptr::null_mut()) }?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::to_dlpack_v0`].
    #[doc(alias = "rondo_tensor_to_dlpack_v0")]
    pub unsafe fn to_dlpack_v0_on(&self, stream: *mut c_void) -> Result<Given<DLManagedTensor>> {
        let mut managed: *mut sys::DLManagedTensor = null_mut();
        check(unsafe { sys::rondo_tensor_to_dlpack_v0(self.as_ptr(), stream, &mut managed) })?;
        Ok(Given(crate::tensor::made(managed.cast())))
    }

    /// A tensor on foreign memory, without a copy. Its deleter is called when the last task, view and graph that uses it
    /// is done. If this fails, it stays with the caller.
    ///
    /// # Safety
    ///
    /// `managed` is what DLPack's header says, its memory is ready, and whoever else uses the memory keeps the order with
    /// this tensor's tasks.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let given = Tensor::from_slice(&engine, Device::CPU, 1, &[5i32])?.to_dlpack()?;
    /// // SAFETY: made by Rondo; the tensor that it was made of is gone.
    /// let again = unsafe { Tensor::from_dlpack(&engine, given.into_raw()) }?;
    /// assert_eq!(again.item::<i32>()?, 5);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for what is no tensor of this library: a dtype, a
    /// device, strides or a version that it does not have. The tensor that was given is returned to its owner then.
    pub unsafe fn from_dlpack(engine: &Engine, managed: *mut DLManagedTensorVersioned) -> Result<Tensor> {
        // SAFETY: as the caller says; no stream.
        unsafe { Tensor::from_dlpack_on(engine, managed, null_mut()) }
    }

    /// The same for CUDA memory that work on `stream` makes ready: the first task waits for what is on it now.
    ///
    /// # Safety
    ///
    /// As [`Tensor::from_dlpack`]; the stream is one of the tensor's device, or null.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let managed = Tensor::from_slice(&engine, Device::CPU, 1, &[5i32])?.to_dlpack()?.into_raw();
    /// let again = unsafe { Tensor::from_dlpack_on(&engine, managed, std::ptr::null_mut()) }?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::from_dlpack`].
    #[doc(alias = "rondo_tensor_from_dlpack")]
    pub unsafe fn from_dlpack_on(
        engine: &Engine,
        managed: *mut DLManagedTensorVersioned,
        stream: *mut c_void,
    ) -> Result<Tensor> {
        Tensor::create(engine, |out| unsafe {
            sys::rondo_tensor_from_dlpack(engine.as_ptr(), managed.cast(), stream, out)
        })
    }

    /// [`Tensor::from_dlpack_on`] for version 0.
    ///
    /// # Safety
    ///
    /// As [`Tensor::from_dlpack_on`].
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let managed = Tensor::from_slice(&engine, Device::CPU, 1, &[5i32])?.to_dlpack_v0()?.into_raw();
    /// let again = unsafe { Tensor::from_dlpack_v0(&engine, managed, std::ptr::null_mut()) }?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::from_dlpack`].
    #[doc(alias = "rondo_tensor_from_dlpack_v0")]
    pub unsafe fn from_dlpack_v0(
        engine: &Engine,
        managed: *mut DLManagedTensor,
        stream: *mut c_void,
    ) -> Result<Tensor> {
        Tensor::create(engine, |out| unsafe {
            sys::rondo_tensor_from_dlpack_v0(engine.as_ptr(), managed.cast(), stream, out)
        })
    }
}
