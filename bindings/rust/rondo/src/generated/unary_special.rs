//! Elementwise operators of one operand: special functions. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::UnaryOp;
use crate::ops::{self};
use crate::{Result, Tensor};

/// Elementwise operators of one operand: special functions.
impl Tensor {
    /// Elementwise `erf`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.erf()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn erf(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Erf, self)
    }

    /// Elementwise `erfc`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.erfc()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn erfc(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Erfc, self)
    }

    /// Elementwise `erfinv`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.erfinv()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn erfinv(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Erfinv, self)
    }

    /// Elementwise `gamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.gamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn gamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Gamma, self)
    }

    /// Elementwise `lgamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.lgamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn lgamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Lgamma, self)
    }

    /// Elementwise `digamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.digamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn digamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Digamma, self)
    }

    /// Elementwise `trigamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.trigamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn trigamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Trigamma, self)
    }
}
