//! Views: other shapes of the same memory. No work is submitted.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null;

use rondo_sys as sys;

use crate::arguments::{Axis, AxisList, NewShape, Span, WholeNumber};
use crate::ops::length;
use crate::tensor::room;
use crate::{Dims, Engine, Error, ErrorKind, Result, Tensor};

impl Tensor {
    /// Another tensor of the same memory, in the same shape, as C programs see it: a handle of its own. A clone is the
    /// handle itself once more.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// a.share()?.fill(0.0)?;
    /// assert_eq!(a.to_vec::<f32>()?, [0.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected.
    #[track_caller]
    pub fn share(&self) -> Result<Tensor> {
        Tensor::share_of(self.as_ptr(), self.engine())
    }

    /// The same of a handle that belongs to somebody else.
    #[track_caller]
    pub(crate) fn share_of(handle: *mut sys::rondo_tensor, engine: &Engine) -> Result<Tensor> {
        let mut info = sys::RONDO_TENSOR_INFO_INIT;
        let axes: [i32; sys::RONDO_MAX_DIMS as usize] = std::array::from_fn(|axis| axis as i32);
        // SAFETY: a live handle; as many axes as a tensor may have.
        Tensor::create(engine, |out| unsafe {
            match sys::rondo_tensor_query(handle, &mut info) {
                sys::RONDO_OK => sys::rondo_tensor_transpose(handle, axes.as_ptr(), out),
                failed => failed,
            }
        })
    }

    /// The same elements in row-major order under another shape; one size may be -1. A view where the strides allow it, else
    /// a copy: [`Tensor::view`] is for programs that write through what they get.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 6])?;
    /// assert_eq!(a.reshape([4, -1])?.shape()?, [4, 3]);
    /// assert_eq!(a.transpose()?.reshape((3, ()))?.shape()?, [3, 4]); // a copy
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the number of elements differs. Where it takes a copy,
    /// as [`Tensor::copy`].
    #[doc(alias = "rondo_tensor_reshape")]
    #[track_caller]
    pub fn reshape(&self, shape: impl Into<NewShape>) -> Result<Tensor> {
        let shape = shape.into();
        match self.as_view(&shape) {
            Err(_) if shape.holds(self.info()?.elements) => self.copy()?.as_view(&shape),
            made => made,
        }
    }

    /// The same elements in row-major order under another shape; one size may be -1. Never a copy.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 6])?;
    /// a.view([4, -1])?.fill(1.0)?;
    /// assert_eq!(a.to_vec::<f32>()?, [1.0; 12]);
    /// assert!(a.transpose()?.view(-1).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the number of elements differs, or the strides do not
    /// allow it without a copy.
    #[track_caller]
    pub fn view(&self, shape: impl Into<NewShape>) -> Result<Tensor> {
        self.as_view(&shape.into())
            .map_err(|error| Error::new(error.kind(), error.message().replacen("Tensor::reshape", "Tensor::view", 1)))
    }

    #[track_caller]
    fn as_view(&self, NewShape(shape): &NewShape) -> Result<Tensor> {
        // SAFETY: as many sizes as are said.
        Tensor::create(self.engine(), |out| unsafe {
            sys::rondo_tensor_reshape(self.as_ptr(), length(shape), shape.as_ptr(), out)
        })
    }

    /// A range of one axis; negative bounds count from the end, as in Python, and are clamped. Where both bounds are given
    /// and the end is negative, [`Tensor::slice_step`] keeps clippy from taking the range for an empty one.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 4, &[1i32, 2, 3, 4])?;
    /// assert_eq!(a.slice_axis(0, 1..3)?.to_vec::<i32>()?, [2, 3]);
    /// assert_eq!(a.slice_axis(0, -2..)?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis.
    #[track_caller]
    pub fn slice_axis(&self, axis: impl Into<Axis>, range: impl Into<Span>) -> Result<Tensor> {
        let (start, stop) = range.into().bounds()?;
        self.slice_step(axis, start, stop, 1)
    }

    /// Elements `start`, `start + step`, ... before `stop` of one axis, as Python's slices. `i64::MAX` and `i64::MIN` as
    /// stop mean to the end.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 4, &[1i32, 2, 3, 4])?;
    /// assert_eq!(a.slice_step(0, -1, i64::MIN, -2)?.to_vec::<i32>()?, [4, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis or the step is 0.
    #[doc(alias = "rondo_tensor_slice")]
    #[track_caller]
    pub fn slice_step(&self, axis: impl Into<Axis>, start: i64, stop: i64, step: i64) -> Result<Tensor> {
        let axis = axis.into().0;
        Tensor::create(self.engine(), |out| unsafe {
            sys::rondo_tensor_slice(self.as_ptr(), axis, start, stop, step, out)
        })
    }

    /// The axes in reverse order.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3, 4])?;
    /// assert_eq!(a.transpose()?.shape()?, [4, 3, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected.
    #[doc(alias = "reversed_axes")]
    #[track_caller]
    pub fn transpose(&self) -> Result<Tensor> {
        Tensor::create(self.engine(), |out| unsafe { sys::rondo_tensor_transpose(self.as_ptr(), null(), out) })
    }

    /// The axes in another order, each given once.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3, 4])?;
    /// assert_eq!(a.permute([1, 0, 2])?.shape()?, [3, 2, 4]);
    /// assert!(a.permute((1, 0)).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the axes are not all of them, each once.
    #[doc(alias = "rondo_tensor_transpose")]
    #[doc(alias = "permuted_axes")]
    #[doc(alias = "movedim")]
    #[track_caller]
    pub fn permute(&self, axes: impl Into<AxisList>) -> Result<Tensor> {
        let axes = axes.into().0;
        let ndim = self.info()?.shape.len();
        if axes.len() != ndim {
            let text = format!("Tensor::permute: axes has {} entries; the tensor has {} dimensions", axes.len(), ndim);
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        let order = [0]; // NULL would reverse; without axes there is nothing to reverse, and nothing is read
        let pointer = if axes.is_empty() { order.as_ptr() } else { axes.as_ptr() };
        // SAFETY: as many axes as the tensor has.
        Tensor::create(self.engine(), |out| unsafe { sys::rondo_tensor_transpose(self.as_ptr(), pointer, out) })
    }

    /// The elements of some axes in reverse order; without axes, of all of them.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1u8, 2, 3, 4])?;
    /// assert_eq!(a.flip(1)?.to_vec::<u8>()?, [2, 1, 4, 3]);
    /// assert_eq!(a.flip([0; 0])?.to_vec::<u8>()?, [4, 3, 2, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, or one is named twice.
    #[doc(alias = "rondo_tensor_flip")]
    #[track_caller]
    pub fn flip(&self, axes: impl Into<AxisList>) -> Result<Tensor> {
        let axes = axes.into().0;
        Tensor::create(self.engine(), |out| unsafe {
            sys::rondo_tensor_flip(self.as_ptr(), length(&axes), axes.as_ptr(), out)
        })
    }

    /// So many parts of an axis; the first ones have an element more where it does not divide.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1u8, 2, 3])?;
    /// assert_eq!(a.split(2, 0)?[0].to_vec::<u8>()?, [1, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, for fewer than one part, and for
    /// more parts than the axis has elements; of an axis without elements one part is possible.
    /// [`OutOfMemory`](ErrorKind::OutOfMemory) where the program has no room for so many.
    #[doc(alias = "rondo_tensor_split")]
    #[track_caller]
    pub fn split(&self, parts: impl WholeNumber, axis: impl Into<Axis>) -> Result<Vec<Tensor>> {
        let (parts, axis, shape) = (parts.as_i64(), axis.into(), self.shape()?);
        let (axis, size) = (axis.0, shape[axis.place(shape.len(), "Tensor::split")?].max(1));
        if parts > size as i64 {
            let text = format!("Tensor::split: parts is {}; axis {} makes 1 to {}", parts, axis, size);
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        let mut made = room("Tensor::split", parts.max(1) as usize)?;
        for part in 0..parts.max(1) {
            made.push(Tensor::create(self.engine(), |out| unsafe {
                sys::rondo_tensor_split(self.as_ptr(), axis, parts, part, out)
            })?);
        }
        Ok(made)
    }

    /// The elements of one axis from `start`, `length` of them.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::new(&engine, Device::CPU, [1i32, 2, 3, 4])?;
    /// assert_eq!(a.narrow(0, 1, 2)?.to_vec::<i32>()?, [2, 3]);
    /// assert!(a.narrow(0, 3, 2).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) where the axis has fewer elements: nothing is clamped.
    #[track_caller]
    pub fn narrow(&self, axis: impl Into<Axis>, start: usize, length: usize) -> Result<Tensor> {
        let (shape, axis) = (self.shape()?, axis.into());
        let place = axis.place(shape.len(), "Tensor::narrow")?;
        match start.checked_add(length).filter(|&stop| stop <= shape[place]) {
            Some(stop) => self.slice_axis(axis, start..stop),
            None => Err(Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "Tensor::narrow: start is {} and length {}; axis {} has {} elements",
                    start, length, axis.0, shape[place]
                ),
            )),
        }
    }

    /// Two axes in each other's place.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3, 4])?;
    /// assert_eq!(a.swap_axes(-1, 0)?.shape()?, [4, 3, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) for an axis that the tensor does not have.
    #[track_caller]
    pub fn swap_axes(&self, a: impl Into<Axis>, b: impl Into<Axis>) -> Result<Tensor> {
        let ndim = self.shape()?.len();
        let mut axes: Vec<usize> = (0..ndim).collect();
        axes.swap(a.into().place(ndim, "Tensor::swap_axes")?, b.into().place(ndim, "Tensor::swap_axes")?);
        self.permute(axes)
    }

    /// An axis of size 1 more, in front of the given one; -1 is behind the last.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
    /// assert_eq!(a.unsqueeze(0)?.shape()?, [1, 2, 3]);
    /// assert_eq!(a.unsqueeze(-1)?.shape()?, [2, 3, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) for a place that there is not.
    #[doc(alias = "unsqueeze_dim")]
    #[doc(alias = "insert_axis")]
    #[track_caller]
    pub fn unsqueeze(&self, axis: impl Into<Axis>) -> Result<Tensor> {
        let mut shape = self.shape()?.to_vec();
        shape.insert(axis.into().place(shape.len() + 1, "Tensor::unsqueeze")?, 1);
        self.view(shape)
    }

    /// Without an axis of size 1.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 1, 3])?;
    /// assert_eq!(a.squeeze(1)?.shape()?, [2, 3]);
    /// assert!(a.squeeze(0).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) for an axis that the tensor does not have, or that has another size.
    #[doc(alias = "squeeze_dim")]
    #[track_caller]
    pub fn squeeze(&self, axis: impl Into<Axis>) -> Result<Tensor> {
        let mut shape = self.shape()?.to_vec();
        let place = axis.into().place(shape.len(), "Tensor::squeeze")?;
        if shape[place] != 1 {
            let text = format!("Tensor::squeeze: axis {} has size {}; 1 is needed", place, shape[place]);
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        shape.remove(place);
        self.view(shape)
    }

    /// All elements in one axis.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?.flatten()?.shape()?, [6]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::reshape`].
    #[doc(alias = "flatten_all")]
    #[track_caller]
    pub fn flatten(&self) -> Result<Tensor> {
        self.reshape(-1)
    }

    /// A larger shape by NumPy's rules, with elements repeated. Read-only: an operator refuses it as output.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1u8, 2])?;
    /// assert_eq!(a.broadcast([2, 2])?.to_vec::<u8>()?, [1, 2, 1, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the shape does not follow from the tensor's.
    #[doc(alias = "rondo_tensor_broadcast")]
    #[doc(alias = "broadcast_as")]
    #[doc(alias = "broadcast_to")]
    #[doc(alias = "broadcast_left")]
    #[track_caller]
    pub fn broadcast(&self, shape: impl Into<Dims>) -> Result<Tensor> {
        let shape = shape.into();
        Tensor::create(self.engine(), |out| unsafe {
            sys::rondo_tensor_broadcast(self.as_ptr(), shape.ndim(), shape.as_ptr(), out)
        })
    }

    /// A view that accumulates: what is written into it is added.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// a.add_into(10.0, &a.accumulator()?)?;
    /// assert_eq!(a.to_vec::<f32>()?, [12.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a tensor of bool or of 8-bit floats.
    #[doc(alias = "rondo_tensor_accumulator")]
    #[track_caller]
    pub fn accumulator(&self) -> Result<Tensor> {
        Tensor::create(self.engine(), |out| unsafe { sys::rondo_tensor_accumulator(self.as_ptr(), out) })
    }
}
