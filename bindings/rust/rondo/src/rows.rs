//! Softmaxes with options. Normalisations of rows are generated.
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
#[track_caller]
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
#[track_caller]
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
