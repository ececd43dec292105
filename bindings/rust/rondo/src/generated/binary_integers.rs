//! Elementwise operators of two operands, broadcast: integers. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::BinaryOp;
use crate::ops::{self, Operand};
use crate::{Result, Tensor};

/// Elementwise operators of two operands, broadcast: integers.
impl Tensor {
    /// Elementwise `bit_and`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bit_and(5)?.shape()?, [2]);
    /// assert_eq!(a.bit_and(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn bit_and<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BitAnd, self, other)
    }

    /// Elementwise `bit_or`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bit_or(5)?.shape()?, [2]);
    /// assert_eq!(a.bit_or(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn bit_or<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BitOr, self, other)
    }

    /// Elementwise `bit_xor`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bit_xor(5)?.shape()?, [2]);
    /// assert_eq!(a.bit_xor(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn bit_xor<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BitXor, self, other)
    }

    /// Elementwise `shift_left`. 0 for a count that is negative or as wide as the dtype; integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.shift_left(5)?.shape()?, [2]);
    /// assert_eq!(a.shift_left(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn shift_left<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::ShiftLeft, self, other)
    }

    /// Elementwise `shift_right`. 0 or -1 for such a count; integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.shift_right(5)?.shape()?, [2]);
    /// assert_eq!(a.shift_right(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn shift_right<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::ShiftRight, self, other)
    }

    /// Elementwise `gcd`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.gcd(5)?.shape()?, [2]);
    /// assert_eq!(a.gcd(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn gcd<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Gcd, self, other)
    }

    /// Elementwise `lcm`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.lcm(5)?.shape()?, [2]);
    /// assert_eq!(a.lcm(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn lcm<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Lcm, self, other)
    }
}
