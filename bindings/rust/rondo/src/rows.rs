//! Operators over whole rows along one axis: softmaxes and normalisations.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::arguments::Axis;
use crate::ops::{new, SoftmaxOp};
use crate::{Result, Tensor};

/// Softmax, its logarithm or softmin of `a / temperature` over one axis. With `lengths`, of i32 or i64 and of `a`'s shape
/// without that axis, only so many elements of each row count.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [1, 4])?;
/// let lengths = Tensor::from_slice(&engine, Device::CPU, 1, &[2i32])?;
/// let y = ops::softmax_with(ops::SoftmaxOp::Softmin, &a, -1, 2.0, Some(&lengths))?;
/// assert_eq!(y.to_vec::<f32>()?, [0.5, 0.5, 0.0, 0.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the dtype is no float, the
/// temperature is not above zero, or the lengths do not fit.
#[doc(alias = "rondo_softmax_with")]
pub fn softmax_with(
    op: SoftmaxOp,
    a: &Tensor,
    axis: impl Into<Axis>,
    temperature: f64,
    lengths: Option<&Tensor>,
) -> Result<Tensor> {
    let axis = axis.into().0;
    let lengths = lengths.map_or(null_mut(), Tensor::as_ptr);
    new(a.engine(), |out| unsafe { sys::rondo_softmax_with(op.as_raw(), a.as_ptr(), axis, temperature, lengths, out) })
}

/// The gradient of [`softmax_with`], called the same way; `y` is its result.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let y = Tensor::zeros(&engine, Device::CPU, DType::F32, [1, 2])?.softmax(-1)?;
/// let dy = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[1.0f32, 0.0])?;
/// let dx = ops::softmax_grad_with(ops::SoftmaxOp::Softmax, &y, &dy, -1, 0.5, None)?;
/// assert_eq!(dx.to_vec::<f32>()?, [0.5, -0.5]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`softmax_with`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where the gradient has another
/// shape or dtype.
#[doc(alias = "rondo_softmax_grad_with")]
pub fn softmax_grad_with(
    op: SoftmaxOp,
    y: &Tensor,
    dy: &Tensor,
    axis: impl Into<Axis>,
    temperature: f64,
    lengths: Option<&Tensor>,
) -> Result<Tensor> {
    let axis = axis.into().0;
    let lengths = lengths.map_or(null_mut(), Tensor::as_ptr);
    new(y.engine(), |out| unsafe {
        sys::rondo_softmax_grad_with(op.as_raw(), y.as_ptr(), dy.as_ptr(), axis, temperature, lengths, out)
    })
}

/// Layer normalisation along one axis, with a factor and an addend for each of its places.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[1.0f32, 3.0])?;
/// assert_eq!(ops::layer_norm(&a, -1, None, None, 0.0)?.to_vec::<f32>()?, [-1.0, 1.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, a dtype is no float, or weight
/// and bias do not fit.
#[doc(alias = "rondo_layer_norm")]
pub fn layer_norm(
    a: &Tensor,
    axis: impl Into<Axis>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor> {
    let axis = axis.into().0;
    let (weight, bias) = (weight.map_or(null_mut(), Tensor::as_ptr), bias.map_or(null_mut(), Tensor::as_ptr));
    new(a.engine(), |out| unsafe { sys::rondo_layer_norm(a.as_ptr(), axis, weight, bias, epsilon, out) })
}

/// Division by the root of the mean square along one axis, with a factor for each of its places.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[3.0f32, -3.0])?;
/// assert_eq!(ops::rms_norm(&a, -1, None, 0.0)?.to_vec::<f32>()?, [1.0, -1.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`layer_norm`].
#[doc(alias = "rondo_rms_norm")]
pub fn rms_norm(a: &Tensor, axis: impl Into<Axis>, weight: Option<&Tensor>, epsilon: f64) -> Result<Tensor> {
    let axis = axis.into().0;
    let weight = weight.map_or(null_mut(), Tensor::as_ptr);
    new(a.engine(), |out| unsafe { sys::rondo_rms_norm(a.as_ptr(), axis, weight, epsilon, out) })
}
