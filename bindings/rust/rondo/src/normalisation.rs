//! Normalisation of images `[n, c, ...]`: batch, group and instance normalisation.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::error::check;
use crate::ops::{new, Activation};
use crate::{Result, Tensor};

/// What comes after a normalisation, and what is added to the variance; see [`Tensor::batch_norm`].
///
/// ```
/// use rondo::ops::{Activation, Norm};
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1.0f32, 3.0])?;
/// let weight = Tensor::from_slice(&engine, Device::CPU, 1, &[10.0f32])?;
/// let how = Norm::new().weight(&weight).epsilon(0.0).activation(Activation::Relu);
/// assert_eq!(a.instance_norm(how)?.to_vec::<f32>()?, [0.0, 10.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Norm<'a> {
    weight: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    residual: Option<&'a Tensor>,
    epsilon: f64,
    activation: Activation,
}

impl Default for Norm<'_> {
    fn default() -> Self {
        let defaults = sys::RONDO_NORM_OPTIONS_INIT;
        Norm { weight: None, bias: None, residual: None, epsilon: defaults.epsilon, activation: Activation::None }
    }
}

impl<'a> Norm<'a> {
    /// Nothing, and the usual epsilon.
    ///
    /// ```
    /// let plain = rondo::ops::Norm::new();
    /// ```
    pub fn new() -> Self {
        Norm::default()
    }

    /// Multiplies each channel by an element of this.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let weight = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let how = rondo::ops::Norm::new().weight(&weight);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn weight(mut self, weight: &'a Tensor) -> Self {
        self.weight = Some(weight);
        self
    }

    /// Adds an element of this to each channel.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let bias = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let how = rondo::ops::Norm::new().bias(&bias);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bias(mut self, bias: &'a Tensor) -> Self {
        self.bias = Some(bias);
        self
    }

    /// Adds this image before the activation.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let other = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, [1, 2, 3])?;
    /// let how = rondo::ops::Norm::new().residual(&other);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn residual(mut self, residual: &'a Tensor) -> Self {
        self.residual = Some(residual);
        self
    }

    /// Adds this to the variance.
    ///
    /// ```
    /// let how = rondo::ops::Norm::new().epsilon(1e-3);
    /// ```
    pub fn epsilon(mut self, epsilon: f64) -> Self {
        self.epsilon = epsilon;
        self
    }

    /// Applies this last.
    ///
    /// ```
    /// let how = rondo::ops::Norm::new().activation(rondo::ops::Activation::Relu);
    /// ```
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    fn as_raw(&self) -> sys::rondo_norm_options {
        let raw = |tensor: Option<&Tensor>| tensor.map_or(null_mut(), Tensor::as_ptr);
        let mut options = sys::RONDO_NORM_OPTIONS_INIT;
        options.weight = raw(self.weight);
        options.bias = raw(self.bias);
        options.residual = raw(self.residual);
        options.epsilon = self.epsilon;
        options.activation = self.activation.as_raw();
        options
    }
}

/// Running statistics of a batch normalisation, `[c]` each, and the share of each batch in them.
///
/// ```
/// # use rondo::{ops::Running, DType, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let mean = Tensor::zeros(&engine, Device::CPU, DType::F32, 2)?;
/// let variance = Tensor::full(&engine, Device::CPU, DType::F32, 2, 1.0)?;
/// let running = Running { mean: &mean, variance: &variance, momentum: 0.1 };
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Running<'a> {
    /// Of the batches' means.
    pub mean: &'a Tensor,
    /// Of the batches' unbiased variances.
    pub variance: &'a Tensor,
    /// From 0 to 1.
    pub momentum: f64,
}

/// What [`Tensor::batch_norm_training`] makes.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchNorm {
    /// The result.
    pub out: Tensor,
    /// The mean of each channel.
    pub mean: Tensor,
    /// `1 / sqrt(variance + epsilon)` of each channel.
    pub inverse_deviation: Tensor,
}

impl Tensor {
    /// Batch normalisation with given statistics, as in inference.
    ///
    /// ```
    /// # use rondo::{ops::Norm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1.0f32, 3.0])?;
    /// let mean = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
    /// let variance = Tensor::from_slice(&engine, Device::CPU, 1, &[4.0f32])?;
    /// assert_eq!(a.batch_norm(&mean, &variance, Norm::new().epsilon(0.0))?.to_vec::<f32>()?, [-0.5, 0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the shapes do not fit or a dtype is no float.
    #[doc(alias = "rondo_batch_norm")]
    #[track_caller]
    pub fn batch_norm(&self, mean: &Tensor, variance: &Tensor, how: Norm<'_>) -> Result<Tensor> {
        let options = how.as_raw();
        new(self.engine(), |out| unsafe {
            sys::rondo_batch_norm(self.as_ptr(), mean.as_ptr(), variance.as_ptr(), &options, out)
        })
    }

    /// Batch normalisation with the batch's own statistics, as in training; updates the running ones.
    ///
    /// ```
    /// # use rondo::{ops::{Norm, Running}, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1.0f32, 3.0])?;
    /// let mean = Tensor::zeros(&engine, Device::CPU, DType::F32, 1)?;
    /// let variance = Tensor::zeros(&engine, Device::CPU, DType::F32, 1)?;
    /// let running = Running { mean: &mean, variance: &variance, momentum: 0.5 };
    /// let made = a.batch_norm_training(Some(running), Norm::new().epsilon(0.0))?;
    /// assert_eq!(made.out.to_vec::<f32>()?, [-1.0, 1.0]);
    /// assert_eq!((mean.to_vec::<f32>()?, variance.to_vec::<f32>()?), (vec![1.0], vec![1.0]));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::batch_norm`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too for a batch without
    /// elements.
    #[doc(alias = "rondo_batch_norm_training")]
    #[track_caller]
    pub fn batch_norm_training(&self, running: Option<Running<'_>>, how: Norm<'_>) -> Result<BatchNorm> {
        let options = how.as_raw();
        let (mean, variance, momentum) = running
            .map_or((null_mut(), null_mut(), 0.0), |all| (all.mean.as_ptr(), all.variance.as_ptr(), all.momentum));
        let mut made = [null_mut(); 3];
        let [out, batch, inverse] = &mut made;
        check(unsafe {
            sys::rondo_batch_norm_training(self.as_ptr(), mean, variance, momentum, &options, out, batch, inverse)
        })?;
        let adopt = |handle| {
            // SAFETY: `create` gives a live variable.
            Tensor::create(self.engine(), |out| unsafe {
                *out = handle;
                sys::RONDO_OK
            })
        };
        let [out, mean, inverse_deviation] = made;
        Ok(BatchNorm { out: adopt(out)?, mean: adopt(mean)?, inverse_deviation: adopt(inverse_deviation)? })
    }

    /// Normalises each sample by so many groups of its channels.
    ///
    /// ```
    /// # use rondo::{ops::Norm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[1.0f32, 3.0])?;
    /// assert_eq!(a.group_norm(1, Norm::new().epsilon(0.0))?.to_vec::<f32>()?, [-1.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the channels do not divide into the groups, the
    /// shapes do not fit or a dtype is no float.
    #[doc(alias = "rondo_group_norm")]
    #[track_caller]
    pub fn group_norm(&self, groups: i64, how: Norm<'_>) -> Result<Tensor> {
        let options = how.as_raw();
        new(self.engine(), |out| unsafe { sys::rondo_group_norm(self.as_ptr(), groups, &options, out) })
    }

    /// Normalises each channel of each sample.
    ///
    /// ```
    /// # use rondo::{ops::Norm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1.0f32, 3.0])?;
    /// assert_eq!(a.instance_norm(Norm::new().epsilon(0.0))?.to_vec::<f32>()?, [-1.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the shapes do not fit or a dtype is no float.
    #[doc(alias = "rondo_instance_norm")]
    #[track_caller]
    pub fn instance_norm(&self, how: Norm<'_>) -> Result<Tensor> {
        let options = how.as_raw();
        new(self.engine(), |out| unsafe { sys::rondo_instance_norm(self.as_ptr(), &options, out) })
    }
}
