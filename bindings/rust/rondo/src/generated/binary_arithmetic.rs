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
    pub fn add<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Add, self, other)
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
    pub fn sub<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Sub, self, other)
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
    pub fn mul<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Mul, self, other)
    }

    /// Elementwise `div`. Integers: quotient rounded toward zero; by zero gives 0.
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
    pub fn div<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Div, self, other)
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
    pub fn pow<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Pow, self, other)
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
    pub fn maximum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Maximum, self, other)
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
    pub fn minimum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Minimum, self, other)
    }

    /// Elementwise `mod`. Sign of the divisor, as NumPy's remainder; integers by zero give 0.
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
    pub fn modulo<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Mod, self, other)
    }

    /// Elementwise `fmod`. Sign of the dividend; integers by zero give 0.
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
    pub fn xlogy<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Xlogy, self, other)
    }
}
