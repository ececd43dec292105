//! Operators that move elements: joining, padding, repeating, rolling, triangles, picking by index.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::arguments::{Axis, WholeNumber};
use crate::error::check;
use crate::ops::{length, new, new_pair, PadMode};
use crate::{DType, Device, Engine, Error, ErrorKind, Result, Tensor};

/// Calls what joins tensors. Without any there is no engine to ask.
#[track_caller]
fn join(
    name: &str,
    tensors: &[&Tensor],
    call: impl FnOnce(i32, *const *mut sys::rondo_tensor, *mut *mut sys::rondo_tensor) -> sys::rondo_status,
) -> Result<Tensor> {
    let handles: Vec<_> = tensors.iter().map(|tensor| tensor.as_ptr()).collect();
    let first = tensors.first().ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, format!("{}: tensors is empty; 1 or more are joined", name))
    })?;
    new(first.engine(), |out| call(length(tensors), handles.as_ptr(), out))
}

impl Tensor {
    /// The tensors one behind the other along an axis, in their common dtype.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// assert_eq!(Tensor::concat(&[&a, &a], 0)?.to_vec::<i32>()?, [1, 2, 3, 1, 2, 3]);
    /// assert!(Tensor::concat(&[], 0).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without tensors, where there is no such axis, and where
    /// the other sizes differ.
    #[doc(alias = "rondo_concat")]
    #[doc(alias = "concatenate")]
    #[track_caller]
    pub fn concat(tensors: &[&Tensor], axis: impl Into<Axis>) -> Result<Tensor> {
        let axis = axis.into().0;
        join("Tensor::concat", tensors, |n, handles, out| unsafe { sys::rondo_concat(n, handles, axis, out) })
    }

    /// The tensors, of one shape, side by side along a new axis.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// assert_eq!(Tensor::stack(&[&a, &a], 1)?.shape()?, [3, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without tensors, where there is no such axis, and where
    /// shapes differ.
    #[doc(alias = "rondo_stack")]
    #[track_caller]
    pub fn stack(tensors: &[&Tensor], axis: impl Into<Axis>) -> Result<Tensor> {
        let axis = axis.into().0;
        join("Tensor::stack", tensors, |n, handles, out| unsafe { sys::rondo_stack(n, handles, axis, out) })
    }

    /// The same with more elements around them: how many before and how many after those of each dimension.
    /// `value` is what [`PadMode::Constant`] shows.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// let b = a.pad(rondo::ops::PadMode::Reflect, &[(2, 1)], 0.0)?;
    /// assert_eq!(b.to_vec::<i32>()?, [3, 2, 1, 2, 3, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there are not two numbers for each axis, or the
    /// mode cannot show so much.
    #[doc(alias = "rondo_pad")]
    #[doc(alias = "pad_with_zeros")]
    #[track_caller]
    pub fn pad(&self, mode: PadMode, widths: &[(i64, i64)], value: f64) -> Result<Tensor> {
        let widths: Vec<i64> = widths.iter().flat_map(|&(before, after)| vec![before, after]).collect();
        new(self.engine(), |out| unsafe {
            sys::rondo_pad(self.as_ptr(), mode.as_raw(), length(&widths), widths.as_ptr(), value, out)
        })
    }

    /// The same as often as `counts` says along each dimension.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// assert_eq!(a.tile(&[2, 1])?.shape()?, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a count below zero, or more axes than there may be.
    #[doc(alias = "rondo_tile")]
    #[track_caller]
    pub fn tile(&self, counts: &[i64]) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_tile(self.as_ptr(), length(counts), counts.as_ptr(), out) })
    }

    /// Each element of an axis `count` times in a row.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// assert_eq!(a.repeat(2, 0)?.to_vec::<i32>()?, [1, 1, 2, 2, 3, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, or for a number below
    /// zero.
    #[doc(alias = "rondo_repeat")]
    #[doc(alias = "repeat_dim")]
    #[doc(alias = "repeat_interleave")]
    #[track_caller]
    pub fn repeat(&self, count: impl WholeNumber, axis: impl Into<Axis>) -> Result<Tensor> {
        let (count, axis) = (count.as_i64(), axis.into().0);
        new(self.engine(), |out| unsafe { sys::rondo_repeat(self.as_ptr(), count, axis, out) })
    }

    /// The elements of each dimension moved on by its shift; what leaves at the end comes in at the start.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// assert_eq!(a.roll(&[1])?.to_vec::<i32>()?, [3, 1, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is not one shift for each axis.
    #[doc(alias = "rondo_roll")]
    #[track_caller]
    pub fn roll(&self, shifts: &[i64]) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_roll(self.as_ptr(), length(shifts), shifts.as_ptr(), out) })
    }

    /// What is on and below a diagonal of the last two dimensions, zeros above it; 0 is the main diagonal, 1 the next
    /// above it.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1i32, 2, 3, 4])?;
    /// assert_eq!(a.tril(0)?.to_vec::<i32>()?, [1, 0, 3, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the tensor has fewer than two axes.
    #[doc(alias = "rondo_tril")]
    #[track_caller]
    pub fn tril(&self, diagonal: i64) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_tril(self.as_ptr(), diagonal, out) })
    }

    /// What is on and above a diagonal of the last two dimensions, zeros below it.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1i32, 2, 3, 4])?;
    /// assert_eq!(a.triu(0)?.to_vec::<i32>()?, [1, 2, 0, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the tensor has fewer than two axes.
    #[doc(alias = "rondo_triu")]
    #[track_caller]
    pub fn triu(&self, diagonal: i64) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_triu(self.as_ptr(), diagonal, out) })
    }

    /// Ones on a diagonal of `[rows, columns]`, zeros elsewhere.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::eye(&engine, Device::CPU, rondo::DType::U8, [2, 2], 0)?;
    /// assert_eq!(a.to_vec::<u8>()?, [1, 0, 0, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a size below zero;
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there.
    #[doc(alias = "rondo_eye")]
    #[track_caller]
    pub fn eye(engine: &Engine, device: Device, dtype: DType, shape: [i64; 2], diagonal: i64) -> Result<Tensor> {
        new(engine, |out| unsafe {
            sys::rondo_eye(engine.as_ptr(), device.as_raw(), dtype.as_raw(), shape[0], shape[1], diagonal, out)
        })
    }

    /// The elements of an axis that the indices name.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1i32, 2, 3, 4])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, 2, &[-1i32, 0])?;
    /// assert_eq!(a.take(&indices, 1)?.to_vec::<i32>()?, [2, 1, 4, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis or the indices are not of
    /// `i32` or `i64`.
    #[doc(alias = "rondo_take")]
    #[track_caller]
    pub fn take(&self, indices: &Tensor, axis: impl Into<Axis>) -> Result<Tensor> {
        let axis = axis.into().0;
        new(self.engine(), |out| unsafe { sys::rondo_take(self.as_ptr(), indices.as_ptr(), axis, out) })
    }

    /// Of each line along an axis the elements that its line of the indices names.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1i32, 2, 3, 4])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[1i64, 0])?;
    /// assert_eq!(a.take_along_axis(&indices, 1)?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the indices are not of
    /// `i32` or `i64`, or their shape does not fit.
    #[doc(alias = "rondo_take_along_axis")]
    #[track_caller]
    pub fn take_along_axis(&self, indices: &Tensor, axis: impl Into<Axis>) -> Result<Tensor> {
        let axis = axis.into().0;
        new(self.engine(), |out| unsafe { sys::rondo_take_along_axis(self.as_ptr(), indices.as_ptr(), axis, out) })
    }

    /// The elements of each line along an axis in order, NaN last; `descending`: the greatest first. Stable.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[2.0f32, f32::NAN, 1.0])?;
    /// assert_eq!(a.sort(0, false)?.to_vec::<f32>()?[..2], [1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis or the dtype is not
    /// compared.
    #[doc(alias = "rondo_sort")]
    #[doc(alias = "sort_last_dim")]
    #[track_caller]
    pub fn sort(&self, axis: impl Into<Axis>, descending: bool) -> Result<Tensor> {
        let axis = axis.into().0;
        new(self.engine(), |out| unsafe { sys::rondo_sort(self.as_ptr(), axis, descending.into(), out) })
    }

    /// Where the elements of a [`sort`](Tensor::sort) were, as i64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[2.0f32, f32::NAN, 1.0])?;
    /// assert_eq!(a.argsort(0, false)?.to_vec::<i64>()?, [2, 0, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::sort`].
    #[doc(alias = "rondo_argsort")]
    #[doc(alias = "arg_sort_last_dim")]
    #[track_caller]
    pub fn argsort(&self, axis: impl Into<Axis>, descending: bool) -> Result<Tensor> {
        let axis = axis.into().0;
        new(self.engine(), |out| unsafe { sys::rondo_argsort(self.as_ptr(), axis, descending.into(), out) })
    }

    /// The `k` greatest elements of each line, in descending order, or the `k` least in ascending order, and where they
    /// were, as i64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[2i32, 9, 1])?;
    /// let (values, indices) = a.topk(2, 0, true)?;
    /// assert_eq!((values.to_vec::<i32>()?, indices.to_vec::<i64>()?), (vec![9, 2], vec![1, 0]));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::sort`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `k` is more than the
    /// axis has.
    #[doc(alias = "rondo_topk")]
    #[track_caller]
    pub fn topk(&self, k: impl WholeNumber, axis: impl Into<Axis>, largest: bool) -> Result<(Tensor, Tensor)> {
        let (k, axis) = (k.as_i64(), axis.into().0);
        new_pair(self.engine(), |values, indices| unsafe {
            sys::rondo_topk(self.as_ptr(), k, axis, largest.into(), values, indices)
        })
    }

    /// The indices of each element that is not 0, in row-major order, a row for each: i64. Waits to count them; not in a
    /// recording.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[0.0f32, 5.0, 0.0, 7.0])?;
    /// let places = a.nonzero()?;
    /// assert_eq!(places.shape()?, [2, 2]);
    /// assert_eq!(places.to_vec::<i64>()?, [0, 1, 1, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording, where the number of places is not known:
    /// [`Tensor::nonzero_limit`] is for that.
    #[doc(alias = "rondo_nonzero")]
    #[doc(alias = "argwhere")]
    #[track_caller]
    pub fn nonzero(&self) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_nonzero(self.as_ptr(), out) })
    }

    /// The same without a wait: `limit` rows, `fill` in those that are too many; and how many elements are not 0.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[0.0f32, 5.0, 7.0])?;
    /// let (places, count) = a.nonzero_limit(3, -1)?;
    /// assert_eq!((places.to_vec::<i64>()?, count.to_vec::<i64>()?), (vec![1, 2, -1], vec![2]));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a limit below zero.
    #[doc(alias = "rondo_nonzero_limit")]
    #[track_caller]
    pub fn nonzero_limit(&self, limit: i64, fill: i64) -> Result<(Tensor, Tensor)> {
        new_pair(self.engine(), |out, count| unsafe {
            sys::rondo_nonzero_limit(self.as_ptr(), limit, fill, out, count)
        })
    }

    /// The parts whose element of a bool mask is true: single elements with a mask of the tensor's shape, rows with one
    /// of its first dimension. Waits to count them; not in a recording.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[4i32, 5, 6])?;
    /// let mask = Tensor::from_slice(&engine, Device::CPU, 3, &[true, false, true])?;
    /// assert_eq!(a.select(&mask)?.to_vec::<i32>()?, [4, 6]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the condition is not bool or has another shape;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording: [`Tensor::select_limit`] is for that.
    #[doc(alias = "rondo_select")]
    #[doc(alias = "masked_select")]
    #[track_caller]
    pub fn select(&self, mask: &Tensor) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_select(self.as_ptr(), mask.as_ptr(), out) })
    }

    /// The same without a wait: `limit` parts, `fill` in those that are too many; and how many the mask chooses.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[4i32, 5, 6])?;
    /// let mask = Tensor::from_slice(&engine, Device::CPU, 3, &[true, false, true])?;
    /// let (parts, count) = a.select_limit(&mask, 3, -1.0)?;
    /// assert_eq!((parts.to_vec::<i32>()?, count.to_vec::<i64>()?), (vec![4, 6, -1], vec![2]));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the condition is not bool or has another shape,
    /// or for a limit below zero.
    #[doc(alias = "rondo_select_limit")]
    #[track_caller]
    pub fn select_limit(&self, mask: &Tensor, limit: i64, fill: f64) -> Result<(Tensor, Tensor)> {
        new_pair(self.engine(), |out, count| unsafe {
            sys::rondo_select_limit(self.as_ptr(), mask.as_ptr(), limit, fill, out, count)
        })
    }

    /// Writes values where indices say: what [`take`](Tensor::take) with them then gives. Of an
    /// [`accumulator`](Tensor::accumulator) they are added.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, 2, &[-1i32, 0])?;
    /// let values = Tensor::from_slice(&engine, Device::CPU, 2, &[8i32, 9])?;
    /// a.put(&indices, &values, 0)?;
    /// assert_eq!(a.to_vec::<i32>()?, [9, 2, 8]);
    /// a.accumulator()?.put(&indices, &values, 0)?;
    /// assert_eq!(a.to_vec::<i32>()?, [18, 2, 16]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the indices are not of
    /// `i32` or `i64`, or the values do not fit.
    #[doc(alias = "rondo_put")]
    #[doc(alias = "index_add")]
    #[track_caller]
    pub fn put(&self, indices: &Tensor, values: &Tensor, axis: impl Into<Axis>) -> Result<()> {
        let axis = axis.into().0;
        check(unsafe { sys::rondo_put(self.as_ptr(), indices.as_ptr(), values.as_ptr(), axis) })
    }

    /// Writes values of each line along an axis where its line of the indices says, as
    /// [`take_along_axis`](Tensor::take_along_axis) reads them.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, 2, &[-1i32, 0])?;
    /// let values = Tensor::from_slice(&engine, Device::CPU, 2, &[8i32, 9])?;
    /// a.put_along_axis(&indices, &values, 0)?;
    /// assert_eq!(a.to_vec::<i32>()?, [9, 2, 8]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::put`].
    #[doc(alias = "rondo_put_along_axis")]
    #[doc(alias = "scatter")]
    #[doc(alias = "scatter_add")]
    #[track_caller]
    pub fn put_along_axis(&self, indices: &Tensor, values: &Tensor, axis: impl Into<Axis>) -> Result<()> {
        let axis = axis.into().0;
        check(unsafe { sys::rondo_put_along_axis(self.as_ptr(), indices.as_ptr(), values.as_ptr(), axis) })
    }

    /// `start`, `start + step` and so on before `stop`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::arange(&engine, Device::CPU, DType::F32, 1.0, 2.0, 0.5)?;
    /// assert_eq!(a.to_vec::<f32>()?, [1.0, 1.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the step is 0 or the dtype does not hold the
    /// numbers; [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing)
    /// where the device is not there.
    #[doc(alias = "rondo_arange")]
    #[track_caller]
    pub fn arange(engine: &Engine, device: Device, dtype: DType, start: f64, stop: f64, step: f64) -> Result<Tensor> {
        new(engine, |out| unsafe {
            sys::rondo_arange(engine.as_ptr(), device.as_raw(), dtype.as_raw(), start, stop, step, out)
        })
    }

    /// The same of 64-bit integers, beyond 2^53 as well.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::arange_i64(&engine, Device::CPU, DType::I64, i64::MAX, i64::MAX - 2, -1)?;
    /// assert_eq!(a.to_vec::<i64>()?, [i64::MAX, i64::MAX - 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::arange`].
    #[doc(alias = "rondo_arange_i64")]
    #[track_caller]
    pub fn arange_i64(
        engine: &Engine,
        device: Device,
        dtype: DType,
        start: i64,
        stop: i64,
        step: i64,
    ) -> Result<Tensor> {
        new(engine, |out| unsafe {
            sys::rondo_arange_i64(engine.as_ptr(), device.as_raw(), dtype.as_raw(), start, stop, step, out)
        })
    }

    /// `count` numbers from `start` to `stop` at equal distances; `stop` is the last of them, or with `endpoint` false the one
    /// that would follow.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::linspace(&engine, Device::CPU, DType::F32, (0.0, 1.0), 3, true)?;
    /// assert_eq!(a.to_vec::<f32>()?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a number below zero;
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there.
    #[doc(alias = "rondo_linspace")]
    #[track_caller]
    pub fn linspace(
        engine: &Engine,
        device: Device,
        dtype: DType,
        (start, stop): (f64, f64),
        count: i64,
        endpoint: bool,
    ) -> Result<Tensor> {
        new(engine, |out| unsafe {
            sys::rondo_linspace(
                engine.as_ptr(),
                device.as_raw(),
                dtype.as_raw(),
                start,
                stop,
                count,
                endpoint.into(),
                out,
            )
        })
    }
}
