//! Attention of queries to keys and values.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::error::check;
use crate::ops::new;
use crate::{Result, Tensor};

/// Which keys a query sees, and what becomes of scores; see [`Tensor::attention`].
///
/// ```
/// use rondo::ops::Attention;
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::from_slice(&engine, Device::CPU, [1, 2, 1, 1], &[1.0f32, 3.0])?;
/// let y = x.attention(&x, &x, Attention::new().causal(true).scale(1.0))?;
/// assert_eq!(y.to_vec::<f32>()?[0], 1.0);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Attention<'a> {
    mask: Option<&'a Tensor>,
    query_lengths: Option<&'a Tensor>,
    key_lengths: Option<&'a Tensor>,
    scale: f64,
    soft_cap: f64,
    dropout: f64,
    before: Option<i64>,
    after: Option<i64>,
    causal: bool,
    aligned_last: bool,
}

impl<'a> Attention<'a> {
    /// All keys, and the usual scale.
    ///
    /// ```
    /// let plain = rondo::ops::Attention::new();
    /// ```
    pub fn new() -> Self {
        Attention::default()
    }

    /// Sees keys where this is true, or adds it to scores; it broadcasts to `[batch, heads, queries, keys]`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let mask = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, [3, 4])?;
    /// let how = rondo::ops::Attention::new().mask(&mask);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn mask(mut self, mask: &'a Tensor) -> Self {
        self.mask = Some(mask);
        self
    }

    /// How many queries each of the batch has, `i32`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let lengths = Tensor::from_slice(&Engine::new()?, Device::CPU, 2, &[1i32, 3])?;
    /// let how = rondo::ops::Attention::new().query_lengths(&lengths);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn query_lengths(mut self, lengths: &'a Tensor) -> Self {
        self.query_lengths = Some(lengths);
        self
    }

    /// How many keys each of the batch has, `i32`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let lengths = Tensor::from_slice(&Engine::new()?, Device::CPU, 2, &[1i32, 3])?;
    /// let how = rondo::ops::Attention::new().key_lengths(&lengths);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn key_lengths(mut self, lengths: &'a Tensor) -> Self {
        self.key_lengths = Some(lengths);
        self
    }

    /// Multiplies scores by this; 0, as at first, by `1 / sqrt(size)`.
    ///
    /// ```
    /// let how = rondo::ops::Attention::new().scale(0.125);
    /// ```
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// Makes `cap * tanh(score / cap)` of scores.
    ///
    /// ```
    /// let how = rondo::ops::Attention::new().soft_cap(50.0);
    /// ```
    pub fn soft_cap(mut self, cap: f64) -> Self {
        self.soft_cap = cap;
        self
    }

    /// Leaves out such a share of the parts of results by chance.
    ///
    /// ```
    /// let how = rondo::ops::Attention::new().dropout(0.1);
    /// ```
    pub fn dropout(mut self, share: f64) -> Self {
        self.dropout = share;
        self
    }

    /// Sees no more than so many keys before and behind a query's own place; `None`: all.
    ///
    /// ```
    /// let how = rondo::ops::Attention::new().window(Some(4), Some(4));
    /// ```
    pub fn window(mut self, before: Option<i64>, after: Option<i64>) -> Self {
        self.before = before;
        self.after = after;
        self
    }

    /// Sees no key behind a query's own place.
    ///
    /// ```
    /// let how = rondo::ops::Attention::new().causal(true);
    /// ```
    pub fn causal(mut self, causal: bool) -> Self {
        self.causal = causal;
        self
    }

    /// The last query's place is the last key; else the first one's is the first key.
    ///
    /// ```
    /// let how = rondo::ops::Attention::new().causal(true).aligned_last(true);
    /// ```
    pub fn aligned_last(mut self, last: bool) -> Self {
        self.aligned_last = last;
        self
    }

    fn as_raw(&self) -> sys::rondo_attention_options {
        let raw = |tensor: Option<&Tensor>| tensor.map_or(null_mut(), Tensor::as_ptr);
        let mut options = sys::RONDO_ATTENTION_OPTIONS_INIT;
        options.mask = raw(self.mask);
        options.query_lengths = raw(self.query_lengths);
        options.key_lengths = raw(self.key_lengths);
        options.scale = self.scale;
        options.soft_cap = self.soft_cap;
        options.dropout = self.dropout;
        options.before = self.before.unwrap_or(-1);
        options.after = self.after.unwrap_or(-1);
        options.causal = self.causal.into();
        options.aligned_last = self.aligned_last.into();
        options
    }
}

/// What [`Tensor::attention_with_lse`] makes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Attended {
    /// The result.
    pub out: Tensor,
    /// The logarithm of the sum of `exp(scores)`, `[batch, heads, queries]`.
    pub lse: Tensor,
}

impl Tensor {
    /// Attention of these queries, `[batch, queries, heads, size]`, to keys and values,
    /// `[batch, keys, key heads, size]`. The scores are never in memory. A query that sees no key gets zeros.
    ///
    /// ```
    /// # use rondo::{ops::Attention, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let q = Tensor::from_slice(&engine, Device::CPU, [1, 1, 1, 1], &[0.0f32])?;
    /// let v = Tensor::from_slice(&engine, Device::CPU, [1, 2, 1, 1], &[1.0f32, 3.0])?;
    /// assert_eq!(q.attention(&v, &v, Attention::new())?.to_vec::<f32>()?, [2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the shapes or dtypes do not fit, or an option is
    /// out of its range.
    #[doc(alias = "rondo_attention")]
    #[doc(alias = "scaled_dot_product_attention")]
    #[track_caller]
    pub fn attention(&self, k: &Tensor, v: &Tensor, how: Attention<'_>) -> Result<Tensor> {
        let options = how.as_raw();
        new(self.engine(), |out| unsafe {
            sys::rondo_attention(self.as_ptr(), k.as_ptr(), v.as_ptr(), &options, out, null_mut())
        })
    }

    /// The same with the logarithms of the sums.
    ///
    /// ```
    /// # use rondo::{ops::Attention, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [1, 1, 1, 1], &[2.0f32])?;
    /// let made = x.attention_with_lse(&x, &x, Attention::new())?;
    /// assert_eq!(made.lse.to_vec::<f32>()?, [4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`attention`](Tensor::attention).
    #[track_caller]
    pub fn attention_with_lse(&self, k: &Tensor, v: &Tensor, how: Attention<'_>) -> Result<Attended> {
        let options = how.as_raw();
        let mut made = [null_mut(); 2];
        let [out, lse] = &mut made;
        check(unsafe { sys::rondo_attention(self.as_ptr(), k.as_ptr(), v.as_ptr(), &options, out, lse) })?;
        let adopt = |handle| {
            // SAFETY: `create` gives a live variable.
            Tensor::create(self.engine(), |out| unsafe {
                *out = handle;
                sys::RONDO_OK
            })
        };
        let [out, lse] = made;
        Ok(Attended { out: adopt(out)?, lse: adopt(lse)? })
    }
}
