//! Rotary positions.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::arguments::Axis;
use crate::ops::{into, new};
use crate::{Result, Tensor};

/// How rows are turned by their positions; see [`Tensor::rotary`].
///
/// ```
/// use rondo::ops::Rotary;
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::from_slice(&engine, Device::CPU, [1, 2, 1, 2], &[1.0f32, 0.0, 1.0, 0.0])?;
/// let y = x.rotary(Rotary::new())?.to_vec::<f32>()?;
/// assert_eq!(y[..2], [1.0, 0.0]);
/// assert!((y[2] - 1f32.cos()).abs() < 1e-6 && (y[3] - 1f32.sin()).abs() < 1e-6);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Rotary<'a> {
    positions: Option<&'a Tensor>,
    channels: i64,
    base: f64,
    axis: i32,
    interleaved: bool,
    inverse: bool,
}

impl Default for Rotary<'_> {
    fn default() -> Self {
        Rotary::new()
    }
}

impl<'a> Rotary<'a> {
    /// All channels, in halves, base 10000, places along axis 1: 0, 1, 2, ...
    ///
    /// ```
    /// let plain = rondo::ops::Rotary::new();
    /// ```
    pub fn new() -> Self {
        Rotary { positions: None, channels: 0, base: 10000.0, axis: 1, interleaved: false, inverse: false }
    }

    /// Positions, `i32` or `i64`, which broadcast to the rows: each row's own, or, of size 1 along the axis of places,
    /// the first place's, from which the others count on. They are read when the task runs.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let position = Tensor::from_slice(&Engine::new()?, Device::CPU, 1, &[41i64])?;
    /// let how = rondo::ops::Rotary::new().positions(&position);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn positions(mut self, positions: &'a Tensor) -> Self {
        self.positions = Some(positions);
        self
    }

    /// How many channels of each row turn, from the first on; 0: all.
    ///
    /// ```
    /// let how = rondo::ops::Rotary::new().channels(32);
    /// ```
    pub fn channels(mut self, channels: i64) -> Self {
        self.channels = channels;
        self
    }

    /// Pair `i` of `n` turns by `base^(-i / n)` radians a position.
    ///
    /// ```
    /// let how = rondo::ops::Rotary::new().base(500_000.0);
    /// ```
    pub fn base(mut self, base: f64) -> Self {
        self.base = base;
        self
    }

    /// Along which axis places are; negative ones count from the end.
    ///
    /// ```
    /// let heads_first = rondo::ops::Rotary::new().axis(-2);
    /// ```
    pub fn axis(mut self, axis: impl Into<Axis>) -> Self {
        self.axis = axis.into().0;
        self
    }

    /// Pairs are neighbours; else a channel of the first half and one of the second.
    ///
    /// ```
    /// let how = rondo::ops::Rotary::new().interleaved(true);
    /// ```
    pub fn interleaved(mut self, interleaved: bool) -> Self {
        self.interleaved = interleaved;
        self
    }

    /// Turns the other way.
    ///
    /// ```
    /// let back = rondo::ops::Rotary::new().inverse(true);
    /// ```
    pub fn inverse(mut self, inverse: bool) -> Self {
        self.inverse = inverse;
        self
    }

    fn as_raw(&self) -> sys::rondo_rotary_options {
        let mut options = sys::RONDO_ROTARY_OPTIONS_INIT;
        options.positions = self.positions.map_or(std::ptr::null_mut(), Tensor::as_ptr);
        options.channels = self.channels;
        options.base = self.base;
        options.axis = self.axis;
        options.interleaved = self.interleaved.into();
        options.inverse = self.inverse.into();
        options
    }
}

impl Tensor {
    /// The rows, `[batch, places, heads, channels]` say, with pairs of channels turned by angles that grow with the
    /// row's position.
    ///
    /// ```
    /// # use rondo::{ops::Rotary, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let queries = Tensor::zeros(&engine, Device::CPU, DType::F32, [1, 3, 2, 8])?;
    /// assert_eq!(queries.rotary(Rotary::new().base(500_000.0))?.shape()?, [1, 3, 2, 8]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the dtype is no float, positions do not fit, or an
    /// option is out of its range.
    #[doc(alias = "rondo_rotary")]
    #[doc(alias = "rope")]
    #[track_caller]
    pub fn rotary(&self, how: Rotary<'_>) -> Result<Tensor> {
        let options = how.as_raw();
        new(self.engine(), |out| unsafe { sys::rondo_rotary(self.as_ptr(), &options, out) })
    }

    /// The same where the rows are, which may be a view of a packed product.
    ///
    /// ```
    /// # use rondo::{ops::Rotary, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let packed = Tensor::from_slice(&engine, Device::CPU, [1, 2, 3, 2], &[1.0f32; 12])?;
    /// packed.slice_axis(2, 0..2)?.rotary_in_place(Rotary::new())?;
    /// let all = packed.to_vec::<f32>()?;
    /// assert!(all[6] != 1.0 && all[10] == 1.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`rotary`](Tensor::rotary).
    #[track_caller]
    pub fn rotary_in_place(&self, how: Rotary<'_>) -> Result<()> {
        let options = how.as_raw();
        into(self, |out| unsafe { sys::rondo_rotary(self.as_ptr(), &options, out) })
    }
}
