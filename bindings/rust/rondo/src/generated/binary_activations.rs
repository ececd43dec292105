//! Elementwise operators of two operands, broadcast: activations and losses, elementwise. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::BinaryOp;
use crate::ops::{self, Operand};
use crate::{Result, Tensor};

/// Elementwise operators of two operands, broadcast: activations and losses, elementwise.
impl Tensor {
    /// Elementwise `squared_difference`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.squared_difference(5)?.shape()?, [2]);
    /// assert_eq!(a.squared_difference(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn squared_difference<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::SquaredDifference, self, other)
    }

    /// Elementwise `prelu`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.prelu(5)?.shape()?, [2]);
    /// assert_eq!(a.prelu(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn prelu<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Prelu, self, other)
    }

    /// Elementwise `smooth_l1`. Parameter beta, default 1; gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.smooth_l1_with(&a, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn smooth_l1_with(&self, other: &Tensor, beta: f64) -> Result<Tensor> {
        ops::binary_with(BinaryOp::SmoothL1, self, other, &[beta])
    }
    /// Elementwise `smooth_l1`. Parameter beta, default 1; gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.smooth_l1(5)?.shape()?, [2]);
    /// assert_eq!(a.smooth_l1(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn smooth_l1<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::SmoothL1, self, other)
    }

    /// Elementwise `bce_with_logits`. Binary cross-entropy of a logit and a target; gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bce_with_logits(5)?.shape()?, [2]);
    /// assert_eq!(a.bce_with_logits(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn bce_with_logits<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BceWithLogits, self, other)
    }
}
