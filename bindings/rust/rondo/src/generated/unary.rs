//! Elementwise operators of one operand. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::UnaryOp;
use crate::ops::{self};
use crate::{Result, Tensor};

/// Elementwise operators of one operand.
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
    pub fn clip(&self, low: f64, high: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Clip, self, &[low, high])
    }

    /// Elementwise `exp`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f64])?;
    /// assert_eq!(a.exp()?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
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
    pub fn rsqrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Rsqrt, self)
    }

    /// Elementwise `tanh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.tanh()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn tanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Tanh, self)
    }

    /// Elementwise `sigmoid`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.sigmoid()?.to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sigmoid(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sigmoid, self)
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
    pub fn reciprocal(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Reciprocal, self)
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
    pub fn cos(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Cos, self)
    }

    /// Elementwise `erf`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.erf()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn erf(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Erf, self)
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
    pub fn rcbrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Rcbrt, self)
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
    pub fn radians(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Radians, self)
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
    pub fn trigamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Trigamma, self)
    }

    /// Elementwise `log_sigmoid`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.log_sigmoid()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn log_sigmoid(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::LogSigmoid, self)
    }

    /// Elementwise `softplus`. Parameter beta, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.softplus()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn softplus(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Softplus, self)
    }
    /// Elementwise `softplus`. Parameter beta, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.softplus_with(1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn softplus_with(&self, beta: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Softplus, self, &[beta])
    }

    /// Elementwise `softsign`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.softsign()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn softsign(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Softsign, self)
    }

    /// Elementwise `gelu`. By the error function; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.gelu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn gelu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Gelu, self)
    }

    /// Elementwise `gelu_tanh`. By its approximation with tanh; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.gelu_tanh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn gelu_tanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::GeluTanh, self)
    }

    /// Elementwise `silu`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.silu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn silu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Silu, self)
    }

    /// Elementwise `mish`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.mish()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn mish(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Mish, self)
    }

    /// Elementwise `elu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.elu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn elu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Elu, self)
    }
    /// Elementwise `elu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.elu_with(1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn elu_with(&self, alpha: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Elu, self, &[alpha])
    }

    /// Elementwise `selu`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.selu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn selu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Selu, self)
    }

    /// Elementwise `celu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.celu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn celu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Celu, self)
    }
    /// Elementwise `celu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.celu_with(1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn celu_with(&self, alpha: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Celu, self, &[alpha])
    }

    /// Elementwise `leaky_relu`. Parameter slope, default 0.01; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[4.0f32, -1.0])?;
    /// assert_eq!(a.leaky_relu()?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn leaky_relu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::LeakyRelu, self)
    }
    /// Elementwise `leaky_relu`. Parameter slope, default 0.01; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[4.0f32, -1.0])?;
    /// assert_eq!(a.leaky_relu_with(0.5)?.to_vec::<f32>()?, [4.0, -0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn leaky_relu_with(&self, slope: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::LeakyRelu, self, &[slope])
    }

    /// Elementwise `hard_tanh`. Parameters low, high, default -1, 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.5f32, 5.0])?;
    /// assert_eq!(a.hard_tanh()?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_tanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::HardTanh, self)
    }
    /// Elementwise `hard_tanh`. Parameters low, high, default -1, 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.5f32, 5.0])?;
    /// assert_eq!(a.hard_tanh_with(2.0, 3.0)?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_tanh_with(&self, low: f64, high: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::HardTanh, self, &[low, high])
    }

    /// Elementwise `hard_sigmoid`. Parameters alpha, beta, default 1 / 6, 1 / 2; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.hard_sigmoid()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_sigmoid(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::HardSigmoid, self)
    }
    /// Elementwise `hard_sigmoid`. Parameters alpha, beta, default 1 / 6, 1 / 2; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.hard_sigmoid_with(1.0, 1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_sigmoid_with(&self, alpha: f64, beta: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::HardSigmoid, self, &[alpha, beta])
    }

    /// Elementwise `hard_swish`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.hard_swish()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_swish(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::HardSwish, self)
    }
}
