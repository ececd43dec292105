//! Reductions. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use super::ReduceOp;
use crate::ops::{self, Axes};
use crate::{Result, Tensor};

/// Reductions.
impl Tensor {
    /// The `sum` over some axes, or over all with `..`. Integers and bool give i64, u64 and floats their dtype; pairwise; f16 and bf16 add up in float.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.sum(1)?.to_vec::<i64>()?, [6, 15]);
    /// assert_eq!(a.sum(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn sum(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Sum, self, axes, false)
    }

    /// The `mean` over some axes, or over all with `..`. Integers and bool give f32; of nothing NaN.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.mean(1)?.to_vec::<f32>()?, [2.0, 5.0]);
    /// assert_eq!(a.mean(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn mean(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Mean, self, axes, false)
    }

    /// The `max` over some axes, or over all with `..`. NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.max(1)?.to_vec::<i32>()?, [3, 6]);
    /// assert_eq!(a.max(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn max(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Max, self, axes, false)
    }

    /// The `min` over some axes, or over all with `..`. NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.min(1)?.to_vec::<i32>()?, [1, 4]);
    /// assert_eq!(a.min(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn min(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Min, self, axes, false)
    }

    /// The `argmax` over some axes, or over all with `..`. I64, index over the reduced axes in row-major order; first of equals; first NaN wins.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.argmax(1)?.to_vec::<i64>()?, [2, 2]);
    /// assert_eq!(a.argmax(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn argmax(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Argmax, self, axes, false)
    }

    /// The `argmin` over some axes, or over all with `..`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.argmin(1)?.to_vec::<i64>()?, [0, 0]);
    /// assert_eq!(a.argmin(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn argmin(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Argmin, self, axes, false)
    }

    /// The `prod` over some axes, or over all with `..`. Dtypes as `RONDO_SUM`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.prod(1)?.to_vec::<i64>()?, [6, 120]);
    /// assert_eq!(a.prod(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn prod(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Prod, self, axes, false)
    }

    /// The `all` over some axes, or over all with `..`. Bool; of nothing 1.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.all(1)?.to_vec::<bool>()?, [true, true]);
    /// assert_eq!(a.all(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn all(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::All, self, axes, false)
    }

    /// The `any` over some axes, or over all with `..`. Bool; of nothing 0.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.any(1)?.to_vec::<bool>()?, [true, true]);
    /// assert_eq!(a.any(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn any(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Any, self, axes, false)
    }

    /// The `l1_norm` over some axes, or over all with `..`. The sum of magnitudes; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.l1_norm(1)?.to_vec::<f32>()?, [6.0, 15.0]);
    /// assert_eq!(a.l1_norm(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn l1_norm(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::L1Norm, self, axes, false)
    }

    /// The `l2_norm` over some axes, or over all with `..`. The root of the sum of squares; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.l2_norm(1)?.shape()?, [2]);
    /// assert_eq!(a.l2_norm(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn l2_norm(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::L2Norm, self, axes, false)
    }

    /// The `lp_norm` over some axes, or over all with `..`. Parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.lp_norm(1)?.shape()?, [2]);
    /// assert_eq!(a.lp_norm(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn lp_norm(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::LpNorm, self, axes, false)
    }
    /// The `lp_norm` over some axes, or over all with `..`. Parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.lp_norm_with(1, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn lp_norm_with(&self, axes: impl Into<Axes>, p: f64) -> Result<Tensor> {
        ops::reduce_with(ReduceOp::LpNorm, self, axes, false, &[p])
    }

    /// The `var` over some axes, or over all with `..`. Parameters correction, default 0: squared distances from the mean, by n - correction; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.var(1)?.shape()?, [2]);
    /// assert_eq!(a.var(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn var(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Var, self, axes, false)
    }
    /// The `var` over some axes, or over all with `..`. Parameters correction, default 0: squared distances from the mean, by n - correction; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.var_with(1, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn var_with(&self, axes: impl Into<Axes>, correction: f64) -> Result<Tensor> {
        ops::reduce_with(ReduceOp::Var, self, axes, false, &[correction])
    }

    /// The `std` over some axes, or over all with `..`. Parameters correction, default 0: the root of `RONDO_VAR`; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.std(1)?.shape()?, [2]);
    /// assert_eq!(a.std(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn std(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Std, self, axes, false)
    }
    /// The `std` over some axes, or over all with `..`. Parameters correction, default 0: the root of `RONDO_VAR`; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.std_with(1, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn std_with(&self, axes: impl Into<Axes>, correction: f64) -> Result<Tensor> {
        ops::reduce_with(ReduceOp::Std, self, axes, false, &[correction])
    }

    /// The `logsumexp` over some axes, or over all with `..`. The logarithm of the sum of exp(x), without overflow between; of nothing -infinity; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.logsumexp(1)?.shape()?, [2]);
    /// assert_eq!(a.logsumexp(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn logsumexp(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Logsumexp, self, axes, false)
    }

    /// The `nansum` over some axes, or over all with `..`. NaN counts as 0; The following have dtypes as `RONDO_SUM`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.nansum(1)?.to_vec::<i64>()?, [6, 15]);
    /// assert_eq!(a.nansum(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn nansum(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Nansum, self, axes, false)
    }

    /// The `nanprod` over some axes, or over all with `..`. NaN counts as 1; The following have dtypes as `RONDO_SUM`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.nanprod(1)?.to_vec::<i64>()?, [6, 120]);
    /// assert_eq!(a.nanprod(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, the operator does not take
    /// the dtype, or has no value for no elements; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
    /// nothing has written.
    #[track_caller]
    pub fn nanprod(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Nanprod, self, axes, false)
    }
}
