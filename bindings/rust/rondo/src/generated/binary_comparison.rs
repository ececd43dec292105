//! Elementwise operators of two operands, broadcast: comparison and logic. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::BinaryOp;
use crate::ops::{self, Operand};
use crate::{Result, Tensor};

/// Elementwise operators of two operands, broadcast: comparison and logic.
impl Tensor {
    /// Elementwise `eq`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.eq(3)?.to_vec::<bool>()?, [false, true]);
    /// assert_eq!(a.eq(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn eq<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Eq, self, other)
    }

    /// Elementwise `ne`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.ne(3)?.to_vec::<bool>()?, [true, false]);
    /// assert_eq!(a.ne(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn ne<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Ne, self, other)
    }

    /// Elementwise `lt`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.lt(5)?.to_vec::<bool>()?, [false, true]);
    /// assert_eq!(a.lt(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn lt<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Lt, self, other)
    }

    /// Elementwise `le`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.le(3)?.to_vec::<bool>()?, [false, true]);
    /// assert_eq!(a.le(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn le<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Le, self, other)
    }

    /// Elementwise `gt`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.gt(5)?.to_vec::<bool>()?, [true, false]);
    /// assert_eq!(a.gt(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn gt<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Gt, self, other)
    }

    /// Elementwise `ge`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.ge(7)?.to_vec::<bool>()?, [true, false]);
    /// assert_eq!(a.ge(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn ge<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Ge, self, other)
    }

    /// Elementwise `logical_and`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logical_and(0)?.to_vec::<bool>()?, [false, false]);
    /// assert_eq!(a.logical_and(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn logical_and<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::LogicalAnd, self, other)
    }

    /// Elementwise `logical_or`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logical_or(0)?.to_vec::<bool>()?, [true, true]);
    /// assert_eq!(a.logical_or(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn logical_or<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::LogicalOr, self, other)
    }

    /// Elementwise `logical_xor`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logical_xor(1)?.to_vec::<bool>()?, [false, false]);
    /// assert_eq!(a.logical_xor(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn logical_xor<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::LogicalXor, self, other)
    }
}
