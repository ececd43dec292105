//! Elementwise operators of one operand: trigonometric and hyperbolic, angles in radians. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::UnaryOp;
use crate::ops::{self};
use crate::{Result, Tensor};

/// Elementwise operators of one operand: trigonometric and hyperbolic, angles in radians.
impl Tensor {
    /// Elementwise `tanh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.tanh()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn tanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Tanh, self)
    }

    /// Elementwise `sin`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.sin()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn sin(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sin, self)
    }

    /// Elementwise `cos`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.cos()?.to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn cos(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Cos, self)
    }

    /// Elementwise `tan`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.tan()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn tan(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Tan, self)
    }

    /// Elementwise `asin`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.asin()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn asin(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Asin, self)
    }

    /// Elementwise `acos`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.acos()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn acos(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Acos, self)
    }

    /// Elementwise `atan`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.atan()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn atan(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Atan, self)
    }

    /// Elementwise `sinh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.sinh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn sinh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sinh, self)
    }

    /// Elementwise `cosh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.cosh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn cosh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Cosh, self)
    }

    /// Elementwise `asinh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.asinh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn asinh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Asinh, self)
    }

    /// Elementwise `acosh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.acosh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn acosh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Acosh, self)
    }

    /// Elementwise `atanh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.atanh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn atanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Atanh, self)
    }

    /// Elementwise `degrees`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.degrees()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn degrees(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Degrees, self)
    }

    /// Elementwise `radians`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.radians()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn radians(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Radians, self)
    }
}
