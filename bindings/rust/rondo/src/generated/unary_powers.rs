//! Elementwise operators of one operand: powers, exponentials, logarithms. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::UnaryOp;
use crate::ops::{self};
use crate::{Result, Tensor};

/// Elementwise operators of one operand: powers, exponentials, logarithms.
impl Tensor {
    /// Elementwise `exp`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f64])?;
    /// assert_eq!(a.exp()?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn exp(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Exp, self)
    }

    /// Elementwise `log`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f64])?;
    /// assert_eq!(a.log()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn log(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log, self)
    }

    /// Elementwise `sqrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[4i32, 9])?;
    /// assert_eq!(a.sqrt()?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn sqrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sqrt, self)
    }

    /// Elementwise `rsqrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[4.0f32])?;
    /// assert_eq!(a.rsqrt()?.to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn rsqrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Rsqrt, self)
    }

    /// Elementwise `reciprocal`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[4.0f32])?;
    /// assert_eq!(a.reciprocal()?.to_vec::<f32>()?, [0.25]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn reciprocal(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Reciprocal, self)
    }

    /// Elementwise `expm1`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.expm1()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn expm1(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Expm1, self)
    }

    /// Elementwise `log1p`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.log1p()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn log1p(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log1p, self)
    }

    /// Elementwise `exp2`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.exp2()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn exp2(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Exp2, self)
    }

    /// Elementwise `log2`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.log2()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn log2(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log2, self)
    }

    /// Elementwise `log10`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.log10()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn log10(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log10, self)
    }

    /// Elementwise `cbrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.cbrt()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn cbrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Cbrt, self)
    }

    /// Elementwise `rcbrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.rcbrt()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn rcbrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Rcbrt, self)
    }
}
