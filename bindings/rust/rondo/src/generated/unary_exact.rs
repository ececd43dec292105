//! Elementwise operators of one operand: exact in every dtype. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::UnaryOp;
use crate::ops::{self};
use crate::{Result, Tensor};

/// Elementwise operators of one operand: exact in every dtype.
impl Tensor {
    /// Elementwise `neg`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, -2.0])?;
    /// assert_eq!(a.neg()?.to_vec::<f32>()?, [-1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn neg(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Neg, self)
    }

    /// Elementwise `abs`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, -2.0])?;
    /// assert_eq!(a.abs()?.to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn abs(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Abs, self)
    }

    /// Elementwise `sign`. -1, 0, 1; NaN for NaN; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[3.0f32, -2.0, 0.0])?;
    /// assert_eq!(a.sign()?.to_vec::<f32>()?, [1.0, -1.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn sign(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sign, self)
    }

    /// Elementwise `square`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[3i32, -2])?;
    /// assert_eq!(a.square()?.to_vec::<i32>()?, [9, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn square(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Square, self)
    }

    /// Elementwise `logical_not`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0i32, 7])?;
    /// assert_eq!(a.logical_not()?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn logical_not(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::LogicalNot, self)
    }

    /// Elementwise `isnan`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.0, f32::NAN])?;
    /// assert_eq!(a.isnan()?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn isnan(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isnan, self)
    }

    /// Elementwise `relu`. NaN for NaN; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[3.0f32, -2.0])?;
    /// assert_eq!(a.relu()?.to_vec::<f32>()?, [3.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn relu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Relu, self)
    }

    /// Elementwise `floor`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.5f32, -1.5])?;
    /// assert_eq!(a.floor()?.to_vec::<f32>()?, [1.0, -2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn floor(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Floor, self)
    }

    /// Elementwise `ceil`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.5f32, -1.5])?;
    /// assert_eq!(a.ceil()?.to_vec::<f32>()?, [2.0, -1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn ceil(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Ceil, self)
    }

    /// Elementwise `round`. To even; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.5f32, 1.5])?;
    /// assert_eq!(a.round()?.to_vec::<f32>()?, [0.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn round(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Round, self)
    }

    /// Elementwise `trunc`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.5f32, -1.5])?;
    /// assert_eq!(a.trunc()?.to_vec::<f32>()?, [1.0, -1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn trunc(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Trunc, self)
    }

    /// Elementwise `isinf`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.isinf()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn isinf(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isinf, self)
    }

    /// Elementwise `isfinite`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.isfinite()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn isfinite(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isfinite, self)
    }

    /// Elementwise `signbit`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.signbit()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn signbit(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Signbit, self)
    }

    /// Elementwise `bit_not`. Integers and bool only; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0i32, -1])?;
    /// assert_eq!(a.bit_not()?.to_vec::<i32>()?, [-1, 0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn bit_not(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::BitNot, self)
    }

    /// Elementwise `clip`. Parameters low, high; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 9.0])?;
    /// assert_eq!(a.clip(2.0, 3.0)?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn clip(&self, low: f64, high: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Clip, self, &[low, high])
    }

    /// Elementwise `round_away`. Halves away from zero; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.round_away()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn round_away(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::RoundAway, self)
    }

    /// Elementwise `isposinf`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.isposinf()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn isposinf(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isposinf, self)
    }

    /// Elementwise `isneginf`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.isneginf()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[track_caller]
    pub fn isneginf(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isneginf, self)
    }
}
