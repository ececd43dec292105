//! Pooling and resizing of images `[n, c, spatial...]`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::ops::{new, ResizeMode, ResizeOrigin};
use crate::{Result, Tensor};

/// How windows move over an image; see [`Tensor::max_pool`]. Lists have a number for each spatial axis; what is left out
/// keeps its default.
///
/// ```
/// use rondo::ops::Pool;
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 4], &[1.0f32, 3.0, 2.0, 4.0])?;
/// let how = Pool::new().stride(&[1]).padding(&[1]).padding_end(&[0]).exclude_pad();
/// assert_eq!(a.avg_pool(&[2], how)?.to_vec::<f32>()?, [1.0, 2.0, 2.5, 3.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Pool {
    raw: sys::rondo_pool_options,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { raw: sys::RONDO_POOL_OPTIONS_INIT }
    }
}

fn set(numbers: &mut [i64; 3], given: &[i64]) {
    for (to, from) in numbers.iter_mut().zip(given) {
        *to = *from;
    }
}

impl Pool {
    /// Windows side by side, without padding.
    ///
    /// ```
    /// let plain = rondo::ops::Pool::new();
    /// ```
    pub fn new() -> Self {
        Pool::default()
    }

    /// From one window to the next; 0 is the window's size.
    ///
    /// ```
    /// let how = rondo::ops::Pool::new().stride(&[2, 2]);
    /// ```
    pub fn stride(mut self, stride: &[i64]) -> Self {
        set(&mut self.raw.stride, stride);
        self
    }

    /// Places before the first element, and behind the last one too.
    ///
    /// ```
    /// let how = rondo::ops::Pool::new().padding(&[1, 1]);
    /// ```
    pub fn padding(mut self, padding: &[i64]) -> Self {
        set(&mut self.raw.padding, padding);
        self
    }

    /// Places behind the last element, where they are not as many as before the first.
    ///
    /// ```
    /// let how = rondo::ops::Pool::new().padding(&[1]).padding_end(&[0]);
    /// ```
    pub fn padding_end(mut self, padding: &[i64]) -> Self {
        set(&mut self.raw.padding_end, padding);
        self
    }

    /// From one element of a window to the next.
    ///
    /// ```
    /// let how = rondo::ops::Pool::new().dilation(&[2, 1]);
    /// ```
    pub fn dilation(mut self, dilation: &[i64]) -> Self {
        set(&mut self.raw.dilation, dilation);
        self
    }

    /// A last window that is there in part counts, if it begins before the end.
    ///
    /// ```
    /// let how = rondo::ops::Pool::new().ceil_mode();
    /// ```
    pub fn ceil_mode(mut self) -> Self {
        self.raw.ceil_mode = 1;
        self
    }

    /// The mean is of elements alone, not of the padding's zeros.
    ///
    /// ```
    /// let how = rondo::ops::Pool::new().exclude_pad();
    /// ```
    pub fn exclude_pad(mut self) -> Self {
        self.raw.count_include_pad = 0;
        self
    }
}

impl Tensor {
    /// The largest element of each window.
    ///
    /// ```
    /// # use rondo::{ops::Pool, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 4], &[1.0f32, 3.0, 2.0, 4.0])?;
    /// assert_eq!(a.max_pool(&[2], Pool::new())?.to_vec::<f32>()?, [3.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the window, its steps or the padding do not fit
    /// the image, or the dtype is none that is pooled.
    #[doc(alias = "rondo_max_pool")]
    #[doc(alias = "max_pool2d")]
    #[track_caller]
    pub fn max_pool(&self, kernel: &[i64], how: Pool) -> Result<Tensor> {
        new(self.engine(), |out| unsafe {
            sys::rondo_max_pool(self.as_ptr(), kernel.len() as i32, kernel.as_ptr(), &how.raw, out)
        })
    }

    /// The mean of each window.
    ///
    /// ```
    /// # use rondo::{ops::Pool, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 4], &[1.0f32, 3.0, 2.0, 4.0])?;
    /// assert_eq!(a.avg_pool(&[2], Pool::new())?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::max_pool`].
    #[doc(alias = "rondo_avg_pool")]
    #[doc(alias = "avg_pool2d")]
    #[track_caller]
    pub fn avg_pool(&self, kernel: &[i64], how: Pool) -> Result<Tensor> {
        new(self.engine(), |out| unsafe {
            sys::rondo_avg_pool(self.as_ptr(), kernel.len() as i32, kernel.as_ptr(), &how.raw, out)
        })
    }

    /// The largest element of each of so many parts of each spatial axis; 1 each is global pooling.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 3], &[1.0f32, 3.0, 2.0])?;
    /// assert_eq!(a.adaptive_max_pool(&[1])?.to_vec::<f32>()?, [3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is not one size for each axis of the image,
    /// or the dtype is none that is pooled.
    #[doc(alias = "rondo_adaptive_max_pool")]
    #[track_caller]
    pub fn adaptive_max_pool(&self, sizes: &[i64]) -> Result<Tensor> {
        new(self.engine(), |out| unsafe {
            sys::rondo_adaptive_max_pool(self.as_ptr(), sizes.len() as i32, sizes.as_ptr(), out)
        })
    }

    /// The mean of each of so many parts of each spatial axis; 1 each is global pooling.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 3], &[1.0f32, 3.0, 2.0])?;
    /// assert_eq!(a.adaptive_avg_pool(&[1])?.to_vec::<f32>()?, [2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::adaptive_max_pool`].
    #[doc(alias = "rondo_adaptive_avg_pool")]
    #[track_caller]
    pub fn adaptive_avg_pool(&self, sizes: &[i64]) -> Result<Tensor> {
        new(self.engine(), |out| unsafe {
            sys::rondo_adaptive_avg_pool(self.as_ptr(), sizes.len() as i32, sizes.as_ptr(), out)
        })
    }

    /// The image with other spatial sizes.
    ///
    /// ```
    /// # use rondo::{ops::{ResizeMode, ResizeOrigin}, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1.0f32, 3.0])?;
    /// let wide = a.resize(&[3], ResizeMode::Linear, ResizeOrigin::AlignCorners)?;
    /// assert_eq!(wide.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is not one size for each axis of the image,
    /// or the dtype is none that is resized.
    #[doc(alias = "rondo_resize")]
    #[doc(alias = "interpolate")]
    #[doc(alias = "upsample_nearest2d")]
    #[track_caller]
    pub fn resize(&self, sizes: &[i64], mode: ResizeMode, origin: ResizeOrigin) -> Result<Tensor> {
        new(self.engine(), |out| unsafe {
            sys::rondo_resize(self.as_ptr(), sizes.len() as i32, sizes.as_ptr(), mode.as_raw(), origin.as_raw(), out)
        })
    }

    /// Local response normalisation: `a / (k + alpha mean of a * a)^beta`, the mean being over `size` neighbouring
    /// channels.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[2.0f32, 4.0])?;
    /// assert_eq!(a.local_response_norm(1, 0.0, 1.0, 2.0)?.to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the window is empty or the dtype is no float.
    #[doc(alias = "rondo_local_response_norm")]
    #[track_caller]
    pub fn local_response_norm(&self, size: i64, alpha: f64, beta: f64, k: f64) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_local_response_norm(self.as_ptr(), size, alpha, beta, k, out) })
    }
}
