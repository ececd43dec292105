//! Elementwise operators of three operands, broadcast. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::TernaryOp;
use crate::ops::{self, Operand};
use crate::{Result, Tensor};

/// Elementwise operators of three operands, broadcast.
impl Tensor {
    /// Elementwise `fma`. A b + c with one rounding.
    /// The other operands are tensors or numbers.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;
    /// assert_eq!(a.fma(&a, &a)?.shape()?, [2]);
    /// assert_eq!(a.fma(1.0, 1.0)?.to_vec::<f32>()?, [2.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn fma<'a>(&'a self, b: impl Into<Operand<'a>>, c: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::ternary(TernaryOp::Fma, self, b, c)
    }

    /// Elementwise `clamp`. A limited to \[b, c].
    /// The other operands are tensors or numbers.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;
    /// assert_eq!(a.clamp(&a, &a)?.shape()?, [2]);
    /// assert_eq!(a.clamp(1.0, 1.0)?.to_vec::<f32>()?, [1.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn clamp<'a>(&'a self, b: impl Into<Operand<'a>>, c: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::ternary(TernaryOp::Clamp, self, b, c)
    }

    /// Elementwise `lerp`. A + c (b - a); f32 for integer and bool operands.
    /// The other operands are tensors or numbers.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;
    /// assert_eq!(a.lerp(&a, &a)?.shape()?, [2]);
    /// assert_eq!(a.lerp(1.0, 1.0)?.to_vec::<f32>()?, [1.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn lerp<'a>(&'a self, b: impl Into<Operand<'a>>, c: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::ternary(TernaryOp::Lerp, self, b, c)
    }
}
