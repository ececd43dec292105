//! Elementwise operators of two operands, broadcast. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::BinaryOp;
use crate::ops::{self, Operand};
use crate::{Result, Tensor};

/// Elementwise operators of two operands, broadcast.
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
    pub fn squared_difference<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::SquaredDifference, self, other)
    }

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
    pub fn logical_xor<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::LogicalXor, self, other)
    }

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
    pub fn lcm<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Lcm, self, other)
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
    pub fn bce_with_logits<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BceWithLogits, self, other)
    }
}
