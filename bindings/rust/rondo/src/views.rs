//! Views: other shapes of the same memory. No work is submitted.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ops::{Bound, RangeBounds};
use std::ptr::null;

use rondo_sys as sys;

use crate::ops::length;
use crate::{Dims, Error, ErrorKind, Result, Tensor};

impl Tensor {
    /// Another handle of the same memory, in the same shape. A tensor is not `Clone`, because this can fail, and because
    /// others read a clone as a copy, which is [`Tensor::copy`].
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// a.share()?.fill(0.0)?;
    /// assert_eq!(a.to_vec::<f32>()?, [0.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn share(&self) -> Result<Tensor> {
        let ndim = self.info()?.shape.len() as i32;
        let axes: Vec<i32> = (0..ndim).collect();
        self.permute(&axes)
    }

    /// The same elements in row-major order under another shape; one size may be -1.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 6])?;
    /// assert_eq!(a.reshape(&[4, -1])?.shape()?, [4, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn reshape(&self, shape: &[i64]) -> Result<Tensor> {
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
    /// assert_eq!(a.slice(0, 1..3)?.to_vec::<i32>()?, [2, 3]);
    /// assert_eq!(a.slice(0, -2..)?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn slice(&self, axis: i32, range: impl RangeBounds<i64>) -> Result<Tensor> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => after(before)?,
            Bound::Unbounded => 0,
        };
        let stop = match range.end_bound() {
            Bound::Included(&-1) | Bound::Unbounded => i64::MAX,
            Bound::Included(&last) => after(last)?,
            Bound::Excluded(&stop) => stop,
        };
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
    pub fn slice_step(&self, axis: i32, start: i64, stop: i64, step: i64) -> Result<Tensor> {
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
    pub fn transpose(&self) -> Result<Tensor> {
        Tensor::create(self.engine(), |out| unsafe { sys::rondo_tensor_transpose(self.as_ptr(), null(), out) })
    }

    /// The axes in another order, each given once.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3, 4])?;
    /// assert_eq!(a.permute(&[1, 0, 2])?.shape()?, [3, 2, 4]);
    /// assert!(a.permute(&[1, 0]).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn permute(&self, axes: &[i32]) -> Result<Tensor> {
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
    /// assert_eq!(a.flip(&[1])?.to_vec::<u8>()?, [2, 1, 4, 3]);
    /// assert_eq!(a.flip(&[])?.to_vec::<u8>()?, [4, 3, 2, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn flip(&self, axes: &[i32]) -> Result<Tensor> {
        Tensor::create(self.engine(), |out| unsafe {
            sys::rondo_tensor_flip(self.as_ptr(), crate::ops::length(axes), axes.as_ptr(), out)
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
    pub fn split(&self, parts: i64, axis: i32) -> Result<Vec<Tensor>> {
        (0..parts.max(1))
            .map(|part| {
                Tensor::create(self.engine(), |out| unsafe {
                    sys::rondo_tensor_split(self.as_ptr(), axis, parts, part, out)
                })
            })
            .collect()
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
    pub fn accumulator(&self) -> Result<Tensor> {
        Tensor::create(self.engine(), |out| unsafe { sys::rondo_tensor_accumulator(self.as_ptr(), out) })
    }
}

fn after(index: i64) -> Result<i64> {
    index.checked_add(1).ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, format!("Tensor::slice: there is no index after {}", index))
    })
}
