//! Convolutions in one to three dimensions, and the gradient of their filter.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::ops::{into, new, Activation};
use crate::{Result, Tensor};

const MAX_SPATIAL: usize = sys::RONDO_MAX_SPATIAL as usize;

/// How a convolution is made; see [`Tensor::convolution`]. Numbers come by spatial axis; axes without one keep the
/// default, and those behind the third are ignored.
///
/// ```
/// use rondo::ops::Convolution;
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::from_slice(&engine, Device::CPU, [1, 1, 4], &[1.0f32, 2.0, 3.0, 4.0])?;
/// let w = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[10.0f32, 1.0])?;
/// let how = Convolution::new().stride([2]).padding([1]);
/// assert_eq!(x.convolution(&w, how)?.to_vec::<f32>()?, [1.0, 23.0, 40.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Convolution<'a> {
    stride: [i64; MAX_SPATIAL],
    padding: [i64; MAX_SPATIAL],
    padding_end: [i64; MAX_SPATIAL],
    dilation: [i64; MAX_SPATIAL],
    output_padding: [i64; MAX_SPATIAL],
    groups: i64,
    transposed: bool,
    activation: Activation,
    scale: Option<&'a Tensor>,
    bias: Option<&'a Tensor>,
    residual: Option<&'a Tensor>,
    allow_tf32: bool,
    deterministic: bool,
}

impl Default for Convolution<'_> {
    fn default() -> Self {
        Convolution {
            stride: [1; MAX_SPATIAL],
            padding: [0; MAX_SPATIAL],
            padding_end: [-1; MAX_SPATIAL],
            dilation: [1; MAX_SPATIAL],
            output_padding: [0; MAX_SPATIAL],
            groups: 1,
            transposed: false,
            activation: Activation::None,
            scale: None,
            bias: None,
            residual: None,
            allow_tf32: false,
            deterministic: false,
        }
    }
}

fn set(numbers: &mut [i64; MAX_SPATIAL], given: &[i64]) {
    for (number, value) in numbers.iter_mut().zip(given) {
        *number = *value;
    }
}

impl<'a> Convolution<'a> {
    /// Stride 1, no padding, nothing that follows.
    ///
    /// ```
    /// let plain = rondo::ops::Convolution::new();
    /// ```
    pub fn new() -> Self {
        Convolution::default()
    }

    /// From one place of the kernel to the next.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().stride([2, 2]);
    /// ```
    pub fn stride(mut self, stride: impl AsRef<[i64]>) -> Self {
        set(&mut self.stride, stride.as_ref());
        self
    }

    /// Zeros before the first element of an axis, and as many behind the last.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().padding([1, 1]);
    /// ```
    pub fn padding(mut self, padding: impl AsRef<[i64]>) -> Self {
        set(&mut self.padding, padding.as_ref());
        self
    }

    /// Zeros behind the last element, where they are not as many as before the first.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().padding([1, 1]).padding_end([2, 2]);
    /// ```
    pub fn padding_end(mut self, padding: impl AsRef<[i64]>) -> Self {
        set(&mut self.padding_end, padding.as_ref());
        self
    }

    /// From one element of the kernel to the next.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().dilation([2]);
    /// ```
    pub fn dilation(mut self, dilation: impl AsRef<[i64]>) -> Self {
        set(&mut self.dilation, dilation.as_ref());
        self
    }

    /// Channels in so many parts, each with kernels of its own.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().groups(4);
    /// ```
    pub fn groups(mut self, groups: i64) -> Self {
        self.groups = groups;
        self
    }

    /// The other way round: from the shape of the result to that of the operand.
    ///
    /// ```
    /// # use rondo::{ops::Convolution, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1.0f32, 2.0])?;
    /// let w = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[10.0f32, 1.0])?;
    /// let how = Convolution::new().stride([2]).transposed();
    /// assert_eq!(x.convolution(&w, how)?.to_vec::<f32>()?, [10.0, 1.0, 20.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn transposed(mut self) -> Self {
        self.transposed = true;
        self
    }

    /// By how much the result of a transposed convolution is larger at its end.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().stride([2]).transposed().output_padding([1]);
    /// ```
    pub fn output_padding(mut self, padding: impl AsRef<[i64]>) -> Self {
        set(&mut self.output_padding, padding.as_ref());
        self
    }

    /// Multiplies each channel of the sum by this.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let scale = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let how = rondo::ops::Convolution::new().scale(&scale);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn scale(mut self, scale: &'a Tensor) -> Self {
        self.scale = Some(scale);
        self
    }

    /// Adds this to each channel.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let bias = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let how = rondo::ops::Convolution::new().bias(&bias);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bias(mut self, bias: &'a Tensor) -> Self {
        self.bias = Some(bias);
        self
    }

    /// Adds this, of the result's shape, before the activation.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let residual = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, [1, 2, 3])?;
    /// let how = rondo::ops::Convolution::new().residual(&residual);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn residual(mut self, residual: &'a Tensor) -> Self {
        self.residual = Some(residual);
        self
    }

    /// Applies this last.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().activation(rondo::ops::Activation::Relu);
    /// ```
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// Products of f32 on CUDA may use TF32 tensor cores, with products of 10-bit mantissas.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().allow_tf32();
    /// ```
    pub fn allow_tf32(mut self) -> Self {
        self.allow_tf32 = true;
        self
    }

    /// Libraries may only use what gives the same bits in each run.
    ///
    /// ```
    /// let how = rondo::ops::Convolution::new().deterministic();
    /// ```
    pub fn deterministic(mut self) -> Self {
        self.deterministic = true;
        self
    }

    fn as_raw(&self) -> sys::rondo_convolution_options {
        let handle = |tensor: Option<&Tensor>| tensor.map_or(std::ptr::null_mut(), Tensor::as_ptr);
        let mut options = sys::RONDO_CONVOLUTION_OPTIONS_INIT;
        options.stride = self.stride;
        options.padding = self.padding;
        options.padding_end = self.padding_end;
        options.dilation = self.dilation;
        options.output_padding = self.output_padding;
        options.groups = self.groups;
        options.transposed = self.transposed as i32;
        options.activation = self.activation.as_raw();
        options.scale = handle(self.scale);
        options.bias = handle(self.bias);
        options.residual = handle(self.residual);
        options.allow_tf32 = self.allow_tf32 as i32;
        options.deterministic = self.deterministic as i32;
        options
    }
}

impl Tensor {
    /// The convolution of `self`, `[n, c, spatial...]`, with `w`, `[k, c / groups, kernel...]`, in one to three
    /// dimensions; see [`Convolution`].
    ///
    /// ```
    /// # use rondo::{ops::Convolution, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [1, 1, 3], &[1.0f32, 2.0, 3.0])?;
    /// let w = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[10.0f32, 1.0])?;
    /// assert_eq!(x.convolution(&w, Convolution::new())?.to_vec::<f32>()?, [12.0, 23.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where shapes, dtypes or the settings do not fit
    /// together; [`Unsupported`](crate::ErrorKind::Unsupported) for a dtype that is not convolved.
    #[doc(alias = "rondo_convolution")]
    #[doc(alias = "conv1d")]
    #[doc(alias = "conv2d")]
    #[doc(alias = "conv_transpose2d")]
    #[track_caller]
    pub fn convolution(&self, w: &Tensor, how: Convolution<'_>) -> Result<Tensor> {
        let options = how.as_raw();
        new(self.engine(), |out| unsafe { sys::rondo_convolution(self.as_ptr(), w.as_ptr(), &options, out) })
    }

    /// The same, written into `out`.
    ///
    /// ```
    /// # use rondo::{ops::Convolution, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [1, 1, 3], &[1.0f32, 2.0, 3.0])?;
    /// let w = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[10.0f32, 1.0])?;
    /// let sum = Tensor::full(&engine, Device::CPU, DType::F32, [1, 1, 2], 100.0)?;
    /// x.convolution_into(&w, Convolution::new(), &sum.accumulator()?)?;
    /// assert_eq!(sum.to_vec::<f32>()?, [112.0, 123.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::convolution`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not
    /// fit.
    #[track_caller]
    pub fn convolution_into(&self, w: &Tensor, how: Convolution<'_>, out: &Tensor) -> Result<()> {
        let options = how.as_raw();
        into(out, |out| unsafe { sys::rondo_convolution(self.as_ptr(), w.as_ptr(), &options, out) })
    }

    /// The gradient of the filter of [`Tensor::convolution`] of `self`: `dy` is the gradient of its result before what
    /// follows the sum, `kernel` has the filter's spatial sizes.
    ///
    /// ```
    /// # use rondo::{ops::Convolution, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [1, 1, 3], &[1.0f32, 2.0, 3.0])?;
    /// let dy = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1.0f32, 10.0])?;
    /// assert_eq!(x.convolution_filter_grad(&dy, [2], Convolution::new())?.to_vec::<f32>()?, [21.0, 32.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::convolution`].
    #[doc(alias = "rondo_convolution_filter_grad")]
    #[track_caller]
    pub fn convolution_filter_grad(
        &self,
        dy: &Tensor,
        kernel: impl AsRef<[i64]>,
        how: Convolution<'_>,
    ) -> Result<Tensor> {
        let (options, kernel) = (how.as_raw(), kernel.as_ref());
        new(self.engine(), |out| unsafe {
            sys::rondo_convolution_filter_grad(
                self.as_ptr(),
                dy.as_ptr(),
                kernel.len() as i32,
                kernel.as_ptr(),
                &options,
                out,
            )
        })
    }
}
