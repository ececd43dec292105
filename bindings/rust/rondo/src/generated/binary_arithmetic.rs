//! Elementwise operators of two operands, broadcast: arithmetic. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::BinaryOp;
use crate::ops::{self, Operand};
use crate::{Result, Tensor};

/// Elementwise operators of two operands, broadcast: arithmetic.
impl Tensor {
    /// Elementwise `add`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.add(5)?.to_vec::<i32>()?, [12, 8]);
    /// assert_eq!(a.add(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn add<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Add, self, other)
    }
    /// Elementwise `add`.
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.add_into(5, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [12, 8]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn add_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Add, self, other, out)
    }
    /// Elementwise `add`.
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.add_assign(5)?;
    /// assert_eq!(a.to_vec::<i32>()?, [12, 8]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn add_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Add, self, other, self)
    }

    /// Elementwise `sub`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.sub(5)?.to_vec::<i32>()?, [2, -2]);
    /// assert_eq!(a.sub(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn sub<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Sub, self, other)
    }
    /// Elementwise `sub`.
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.sub_into(5, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [2, -2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn sub_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Sub, self, other, out)
    }
    /// Elementwise `sub`.
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.sub_assign(5)?;
    /// assert_eq!(a.to_vec::<i32>()?, [2, -2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn sub_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Sub, self, other, self)
    }

    /// Elementwise `mul`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.mul(5)?.to_vec::<i32>()?, [35, 15]);
    /// assert_eq!(a.mul(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn mul<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Mul, self, other)
    }
    /// Elementwise `mul`.
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.mul_into(5, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [35, 15]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn mul_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Mul, self, other, out)
    }
    /// Elementwise `mul`.
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.mul_assign(5)?;
    /// assert_eq!(a.to_vec::<i32>()?, [35, 15]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn mul_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Mul, self, other, self)
    }

    /// Elementwise `div`. Integers: quotient rounded toward zero; by zero gives 0.
    /// Rust's `/` rounds so too, and panics for a division by zero.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.div(2)?.to_vec::<i32>()?, [3, 1]);
    /// assert_eq!(a.div(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn div<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Div, self, other)
    }
    /// Elementwise `div`. Integers: quotient rounded toward zero; by zero gives 0.
    /// Rust's `/` rounds so too, and panics for a division by zero.
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.div_into(2, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [3, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn div_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Div, self, other, out)
    }
    /// Elementwise `div`. Integers: quotient rounded toward zero; by zero gives 0.
    /// Rust's `/` rounds so too, and panics for a division by zero.
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.div_assign(2)?;
    /// assert_eq!(a.to_vec::<i32>()?, [3, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn div_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Div, self, other, self)
    }

    /// Elementwise `pow`. Integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted).
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.pow(2)?.to_vec::<i32>()?, [49, 9]);
    /// assert_eq!(a.pow(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn pow<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Pow, self, other)
    }
    /// Elementwise `pow`. Integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted).
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.pow_into(2, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [49, 9]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn pow_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Pow, self, other, out)
    }
    /// Elementwise `pow`. Integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted).
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.pow_assign(2)?;
    /// assert_eq!(a.to_vec::<i32>()?, [49, 9]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn pow_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Pow, self, other, self)
    }

    /// Elementwise `maximum`. NaN if either is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.maximum(5)?.to_vec::<i32>()?, [7, 5]);
    /// assert_eq!(a.maximum(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn maximum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Maximum, self, other)
    }
    /// Elementwise `maximum`. NaN if either is NaN.
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.maximum_into(5, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [7, 5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn maximum_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Maximum, self, other, out)
    }
    /// Elementwise `maximum`. NaN if either is NaN.
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.maximum_assign(5)?;
    /// assert_eq!(a.to_vec::<i32>()?, [7, 5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn maximum_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Maximum, self, other, self)
    }

    /// Elementwise `minimum`. NaN if either is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.minimum(5)?.to_vec::<i32>()?, [5, 3]);
    /// assert_eq!(a.minimum(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn minimum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Minimum, self, other)
    }
    /// Elementwise `minimum`. NaN if either is NaN.
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.minimum_into(5, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [5, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn minimum_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Minimum, self, other, out)
    }
    /// Elementwise `minimum`. NaN if either is NaN.
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.minimum_assign(5)?;
    /// assert_eq!(a.to_vec::<i32>()?, [5, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn minimum_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Minimum, self, other, self)
    }

    /// Elementwise `mod`. Sign of the divisor, as NumPy's remainder; integers by zero give 0.
    /// Rust's `%` has the sign of the dividend, as [`Tensor::fmod`] has.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.modulo(4)?.to_vec::<i32>()?, [3, 3]);
    /// assert_eq!(a.modulo(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn modulo<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Mod, self, other)
    }
    /// Elementwise `mod`. Sign of the divisor, as NumPy's remainder; integers by zero give 0.
    /// Rust's `%` has the sign of the dividend, as [`Tensor::fmod`] has.
    /// The result is written into `out`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// let out = a.zeros_like()?;
    /// a.modulo_into(4, &out)?;
    /// assert_eq!(out.to_vec::<i32>()?, [3, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or `out` does not fit; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor
    /// that nothing has written.
    #[track_caller]
    pub fn modulo_into<'a>(&'a self, other: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
        ops::binary_into(BinaryOp::Mod, self, other, out)
    }
    /// Elementwise `mod`. Sign of the divisor, as NumPy's remainder; integers by zero give 0.
    /// Rust's `%` has the sign of the dividend, as [`Tensor::fmod`] has.
    /// The result takes this tensor's place.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// a.modulo_assign(4)?;
    /// assert_eq!(a.to_vec::<i32>()?, [3, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast, or the result has another shape or dtype than this tensor;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn modulo_assign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<()> {
        ops::binary_into(BinaryOp::Mod, self, other, self)
    }

    /// Elementwise `fmod`. Sign of the dividend; integers by zero give 0.
    /// This is Rust's `%`, which panics for a division by zero.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.fmod(5)?.shape()?, [2]);
    /// assert_eq!(a.fmod(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn fmod<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Fmod, self, other)
    }

    /// Elementwise `floor_div`. Integers by zero give 0.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.floor_div(5)?.shape()?, [2]);
    /// assert_eq!(a.floor_div(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn floor_div<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::FloorDiv, self, other)
    }

    /// Elementwise `fmax`. The other one if one is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.fmax(5)?.shape()?, [2]);
    /// assert_eq!(a.fmax(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn fmax<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Fmax, self, other)
    }

    /// Elementwise `fmin`. The other one if one is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.fmin(5)?.shape()?, [2]);
    /// assert_eq!(a.fmin(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn fmin<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Fmin, self, other)
    }

    /// Elementwise `true_div`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.true_div(5)?.shape()?, [2]);
    /// assert_eq!(a.true_div(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn true_div<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::TrueDiv, self, other)
    }

    /// Elementwise `hypot`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.hypot(5)?.shape()?, [2]);
    /// assert_eq!(a.hypot(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn hypot<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Hypot, self, other)
    }

    /// Elementwise `atan2`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.atan2(5)?.shape()?, [2]);
    /// assert_eq!(a.atan2(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn atan2<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Atan2, self, other)
    }

    /// Elementwise `copysign`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.copysign(5)?.shape()?, [2]);
    /// assert_eq!(a.copysign(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn copysign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Copysign, self, other)
    }

    /// Elementwise `ldexp`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.ldexp(5)?.shape()?, [2]);
    /// assert_eq!(a.ldexp(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn ldexp<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Ldexp, self, other)
    }

    /// Elementwise `logaddexp`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logaddexp(5)?.shape()?, [2]);
    /// assert_eq!(a.logaddexp(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn logaddexp<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Logaddexp, self, other)
    }

    /// Elementwise `xlogy`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.xlogy(5)?.shape()?, [2]);
    /// assert_eq!(a.xlogy(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes or the
    /// shapes do not broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has
    /// written.
    #[track_caller]
    pub fn xlogy<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Xlogy, self, other)
    }
}
