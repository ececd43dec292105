//! Random numbers of an engine: what they are depends on its seed and their order alone.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::ops::new;
use crate::{DType, Device, Dims, Engine, Result, Tensor};

/// Random numbers, uniform in `[low, high)`.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine};
/// let numbers = ops::random_uniform(&Engine::new()?, Device::CPU, DType::F32, 100, -1.0, 1.0)?;
/// assert!(numbers.to_vec::<f32>()?.iter().all(|x| (-1.0..1.0).contains(x)));
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the dtype is no float or does not hold the limits;
/// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the device
/// is not there.
#[doc(alias = "rondo_random_uniform")]
#[track_caller]
pub fn random_uniform(
    engine: &Engine,
    device: Device,
    dtype: DType,
    shape: impl Into<Dims>,
    low: f64,
    high: f64,
) -> Result<Tensor> {
    let shape = shape.into();
    let (engine_, device, dtype) = (engine.as_ptr(), device.as_raw(), dtype.as_raw());
    new(engine, |out| unsafe {
        sys::rondo_random_uniform(engine_, device, dtype, shape.ndim(), shape.as_ptr(), low, high, out)
    })
}

/// The numbers 0 to n - 1 in a random order: i32 or i64. [`Tensor::take`] with it shuffles.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine};
/// let mut order = ops::random_permutation(&Engine::new()?, Device::CPU, DType::I64, 100)?.to_vec::<i64>()?;
/// order.sort_unstable();
/// assert_eq!(order, (0..100).collect::<Vec<i64>>());
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the dtype is neither `i32` nor `i64` or does not hold
/// `n`; [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
/// device is not there.
#[doc(alias = "rondo_random_permutation")]
#[track_caller]
pub fn random_permutation(engine: &Engine, device: Device, dtype: DType, n: i64) -> Result<Tensor> {
    let (engine_, device, dtype) = (engine.as_ptr(), device.as_raw(), dtype.as_raw());
    new(engine, |out| unsafe { sys::rondo_random_permutation(engine_, device, dtype, n, out) })
}

/// Random numbers of a normal distribution.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine};
/// let numbers = ops::random_normal(&Engine::new()?, Device::CPU, DType::F32, 10, 5.0, 0.0)?;
/// assert_eq!(numbers.to_vec::<f32>()?, [5.0; 10]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the dtype is no float or does not hold the numbers;
/// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the device
/// is not there.
#[doc(alias = "rondo_random_normal")]
#[track_caller]
pub fn random_normal(
    engine: &Engine,
    device: Device,
    dtype: DType,
    shape: impl Into<Dims>,
    mean: f64,
    deviation: f64,
) -> Result<Tensor> {
    let shape = shape.into();
    let (engine_, device, dtype) = (engine.as_ptr(), device.as_raw(), dtype.as_raw());
    new(engine, |out| unsafe {
        sys::rondo_random_normal(engine_, device, dtype, shape.ndim(), shape.as_ptr(), mean, deviation, out)
    })
}
