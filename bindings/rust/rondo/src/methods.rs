//! Operators as methods, but for those that are lists (`generated`) and matrix products.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::arguments::Axis;
use crate::ops::{into, new, new_pair, UnaryOp};
use crate::{DType, Device, Result, Tensor};

impl Tensor {
    /// `self` times an operator of the gate, broadcast: SwiGLU with `UnaryOp::Silu`, GEGLU with `UnaryOp::Gelu`.
    /// Both may be halves of one tensor.
    ///
    /// ```
    /// # use rondo::{ops::UnaryOp, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 4, &[3.0f32, 5.0, -1.0, 2.0])?;
    /// let (a, gate) = (x.slice_axis(0, 0..2)?, x.slice_axis(0, 2..4)?);
    /// assert_eq!(a.gated(UnaryOp::Relu, &gate)?.to_vec::<f32>()?, [0.0, 10.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where a dtype is no float, the shapes do not broadcast, or
    /// the operator gives no floats or needs parameters.
    #[doc(alias = "rondo_gated")]
    #[doc(alias = "swiglu")]
    #[doc(alias = "geglu")]
    #[track_caller]
    pub fn gated(&self, op: UnaryOp, gate: &Tensor) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_gated(op.as_raw(), self.as_ptr(), gate.as_ptr(), out) })
    }

    /// `self` where it, a bool tensor, is true: `a` there, `b` elsewhere, all three broadcast.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, -2.0, 3.0])?;
    /// let b = a.gt(0.0)?.choose(&a, &a.neg()?)?;
    /// assert_eq!(b.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the condition is not bool or the shapes do not
    /// broadcast.
    #[doc(alias = "rondo_where")]
    #[doc(alias = "where_self")]
    #[track_caller]
    pub fn choose(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_where(self.as_ptr(), a.as_ptr(), b.as_ptr(), out) })
    }

    /// The elements in another dtype. Floats to integers go toward zero, clamped, NaN to 0.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.5f32, 1e9])?;
    /// assert_eq!(a.cast(DType::U8)?.to_vec::<u8>()?, [1, 255]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[doc(alias = "rondo_cast")]
    #[doc(alias = "to_kind")]
    #[track_caller]
    pub fn cast(&self, dtype: DType) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_cast(self.as_ptr(), dtype.as_raw(), out) })
    }

    /// A contiguous copy with memory of its own.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
    /// assert!(a.transpose()?.copy()?.info()?.contiguous);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[doc(alias = "rondo_copy")]
    #[doc(alias = "contiguous")]
    #[track_caller]
    pub fn copy(&self) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_copy(self.as_ptr(), out) })
    }

    /// Copies, broadcast, into a tensor of the same dtype, which may be on another device.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::I32, [2, 3])?;
    /// Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 2, 3])?.copy_into(&a)?;
    /// assert_eq!(a.to_vec::<i32>()?, [1, 2, 3, 1, 2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where `out` has another shape or dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[doc(alias = "assign")]
    #[track_caller]
    pub fn copy_into(&self, out: &Tensor) -> Result<()> {
        into(out, |out| unsafe { sys::rondo_copy(self.as_ptr(), out) })
    }

    /// A contiguous copy on a device.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
    /// assert_eq!(a.copy_to(Device::CPU)?.device()?, Device::CPU);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[doc(alias = "rondo_copy_to")]
    #[track_caller]
    pub fn copy_to(&self, device: Device) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_copy_to(self.as_ptr(), device.as_raw(), out) })
    }

    /// Softmax over one axis.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [1, 4])?;
    /// assert_eq!(a.softmax(-1)?.to_vec::<f32>()?, [0.25; 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis or the dtype is no float.
    #[doc(alias = "rondo_softmax")]
    #[track_caller]
    pub fn softmax(&self, axis: impl Into<Axis>) -> Result<Tensor> {
        let axis = axis.into().0;
        new(self.engine(), |out| unsafe { sys::rondo_softmax(self.as_ptr(), axis, out) })
    }

    /// The logarithm of softmax over one axis.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [1, 1])?;
    /// assert_eq!(a.log_softmax(-1)?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::softmax`].
    #[doc(alias = "rondo_log_softmax")]
    #[track_caller]
    pub fn log_softmax(&self, axis: impl Into<Axis>) -> Result<Tensor> {
        let axis = axis.into().0;
        new(self.engine(), |out| unsafe { sys::rondo_log_softmax(self.as_ptr(), axis, out) })
    }

    /// The gradient of softmax, whose result this is: `y * (dy - sum(y * dy))`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let y = Tensor::zeros(&engine, Device::CPU, DType::F32, [1, 2])?.softmax(-1)?;
    /// let dy = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[1.0f32, 0.0])?;
    /// assert_eq!(y.softmax_grad(&dy, -1)?.to_vec::<f32>()?, [0.25, -0.25]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::softmax`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where the gradient has
    /// another shape or dtype.
    #[doc(alias = "rondo_softmax_grad")]
    #[track_caller]
    pub fn softmax_grad(&self, dy: &Tensor, axis: impl Into<Axis>) -> Result<Tensor> {
        let axis = axis.into().0;
        new(self.engine(), |out| unsafe { sys::rondo_softmax_grad(self.as_ptr(), dy.as_ptr(), axis, out) })
    }

    /// The loss of each row of logits against its label.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let logits = Tensor::from_slice(&engine, Device::CPU, [1, 1], &[5.0f32])?;
    /// let labels = Tensor::from_slice(&engine, Device::CPU, 1, &[0i32])?;
    /// assert_eq!(logits.cross_entropy(&labels)?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the logits are no floats, the labels no integers,
    /// or the shapes do not fit.
    #[doc(alias = "rondo_cross_entropy")]
    #[doc(alias = "nll_loss")]
    #[track_caller]
    pub fn cross_entropy(&self, labels: &Tensor) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_cross_entropy(self.as_ptr(), labels.as_ptr(), out) })
    }

    /// Its gradient: `(softmax(logits) - onehot(labels)) * scale`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let logits = Tensor::zeros(&engine, Device::CPU, DType::F32, [1, 2])?;
    /// let labels = Tensor::from_slice(&engine, Device::CPU, 1, &[0i32])?;
    /// assert_eq!(logits.cross_entropy_grad(&labels, 2.0)?.to_vec::<f32>()?, [-1.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::cross_entropy`].
    #[doc(alias = "rondo_cross_entropy_grad")]
    #[track_caller]
    pub fn cross_entropy_grad(&self, labels: &Tensor, scale: f64) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_cross_entropy_grad(self.as_ptr(), labels.as_ptr(), scale, out) })
    }

    /// Keeps each element with probability `1 - p`, divided by it, and the mask of what it kept: `(kept, mask)`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let (kept, mask) = Tensor::full(&engine, Device::CPU, DType::F32, 8, 1.0)?.dropout(0.5)?;
    /// for (kept, mask) in kept.to_vec::<f32>()?.into_iter().zip(mask.to_vec::<u8>()?) {
    ///     assert_eq!(kept, 2.0 * f32::from(mask));
    /// }
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the probability is not from 0 to below 1, or the
    /// dtype is no float.
    #[doc(alias = "rondo_dropout")]
    #[track_caller]
    pub fn dropout(&self, p: f64) -> Result<(Tensor, Tensor)> {
        new_pair(self.engine(), |kept, mask| unsafe { sys::rondo_dropout(self.as_ptr(), p, kept, mask) })
    }

    /// The gradient of dropout: `self * mask / (1 - p)`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let dy = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;
    /// let mask = Tensor::from_slice(&engine, Device::CPU, 2, &[0u8, 1])?;
    /// assert_eq!(dy.dropout_grad(&mask, 0.5)?.to_vec::<f32>()?, [0.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the mask is none that [`Tensor::dropout`] gave
    /// for this shape.
    #[doc(alias = "rondo_dropout_grad")]
    #[track_caller]
    pub fn dropout_grad(&self, mask: &Tensor, p: f64) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_dropout_grad(self.as_ptr(), mask.as_ptr(), p, out) })
    }

    /// A last axis more, with 1 where it equals the index, else 0.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, 2, &[2i64, 0])?;
    /// assert_eq!(indices.one_hot(3, DType::U8)?.to_vec::<u8>()?, [0, 0, 1, 1, 0, 0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the tensor is not of `i32` or `i64`, or for a
    /// number of classes below zero.
    #[doc(alias = "rondo_one_hot")]
    #[track_caller]
    pub fn one_hot(&self, depth: i64, dtype: DType) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_one_hot(self.as_ptr(), depth, dtype.as_raw(), out) })
    }

    /// The rows of this table that the indices name.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let table = Tensor::from_slice(&engine, Device::CPU, [3, 2], &[1i32, 2, 3, 4, 5, 6])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, 2, &[-1i32, 0])?;
    /// assert_eq!(table.gather_rows(&indices)?.to_vec::<i32>()?, [5, 6, 1, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the indices are not of `i32` or `i64`, or the
    /// tensor has no rows.
    #[doc(alias = "rondo_gather_rows")]
    #[doc(alias = "embedding")]
    #[track_caller]
    pub fn gather_rows(&self, indices: &Tensor) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_gather_rows(self.as_ptr(), indices.as_ptr(), out) })
    }
}
