//! Normalisations of rows. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::arguments::Axis;
use crate::ops::new;
use crate::{Result, Tensor};

/// out = (a - mean) / sqrt(variance + epsilon) * weight + bias over each row along one axis. weight may be `None`, and bias may be `None`; otherwise they are of a's dtype and \[the axis's size\]. Several axes: reshape first. 16-bit dtypes are computed in float.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
/// assert_eq!(ops::layer_norm(&a, -1, None, None, 1e-5)?.shape()?, [2, 3]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, a dtype is no float, or
/// weight or bias does not fit.
#[doc(alias = "rondo_layer_norm")]
#[track_caller]
pub fn layer_norm(
    a: &Tensor,
    axis: impl Into<Axis>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor> {
    let axis = axis.into().0;
    let weight = weight.map_or(null_mut(), Tensor::as_ptr);
    let bias = bias.map_or(null_mut(), Tensor::as_ptr);
    new(a.engine(), |out| unsafe { sys::rondo_layer_norm(a.as_ptr(), axis, weight, bias, epsilon, out) })
}

/// out = a / sqrt(mean of a * a + epsilon) * weight. weight may be `None`, or is as for rondo_layer_norm.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
/// assert_eq!(ops::rms_norm(&a, -1, None, 1e-5)?.shape()?, [2, 3]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, a dtype is no float, or
/// weight does not fit.
#[doc(alias = "rondo_rms_norm")]
#[track_caller]
pub fn rms_norm(a: &Tensor, axis: impl Into<Axis>, weight: Option<&Tensor>, epsilon: f64) -> Result<Tensor> {
    let axis = axis.into().0;
    let weight = weight.map_or(null_mut(), Tensor::as_ptr);
    new(a.engine(), |out| unsafe { sys::rondo_rms_norm(a.as_ptr(), axis, weight, epsilon, out) })
}
