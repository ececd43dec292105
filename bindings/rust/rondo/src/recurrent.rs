//! Recurrent layers: LSTM, GRU and the plain one.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::error::check;
use crate::{Result, Tensor};

/// How many layers and directions there are, and how sequences begin and end; see [`Tensor::lstm`].
///
/// ```
/// use rondo::ops::Recurrent;
/// use rondo::{DType, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let zeros = |shape: &[i64]| Tensor::zeros(&engine, Device::CPU, DType::F32, shape);
/// let (x, w, v) = (zeros(&[5, 2, 3])?, zeros(&[16, 3])?, zeros(&[16, 4])?);
/// let lengths = Tensor::from_slice(&engine, Device::CPU, 2, &[5i32, 2])?;
/// let made = x.lstm(&[&w, &v, &w, &v], Recurrent::new().bidirectional(true).lengths(&lengths))?;
/// assert_eq!(made.out.shape()?, [5, 2, 8]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Recurrent<'a> {
    lengths: Option<&'a Tensor>,
    first_h: Option<&'a Tensor>,
    first_c: Option<&'a Tensor>,
    layers: i32,
    bidirectional: bool,
    batch_first: bool,
    relu: bool,
}

impl Default for Recurrent<'_> {
    fn default() -> Self {
        Recurrent {
            lengths: None,
            first_h: None,
            first_c: None,
            layers: 1,
            bidirectional: false,
            batch_first: false,
            relu: false,
        }
    }
}

impl<'a> Recurrent<'a> {
    /// One layer, forward, of sequences that take all steps and begin with zeros.
    ///
    /// ```
    /// let plain = rondo::ops::Recurrent::new();
    /// ```
    pub fn new() -> Self {
        Recurrent::default()
    }

    /// How many steps each sequence has, `[batch]`, `i32`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let lengths = Tensor::from_slice(&Engine::new()?, Device::CPU, 2, &[1i32, 3])?;
    /// let how = rondo::ops::Recurrent::new().lengths(&lengths);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn lengths(mut self, lengths: &'a Tensor) -> Self {
        self.lengths = Some(lengths);
        self
    }

    /// States before the first step, `[layers * directions, batch, hidden]`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let h = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, [1, 2, 4])?;
    /// let how = rondo::ops::Recurrent::new().first_h(&h);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn first_h(mut self, h: &'a Tensor) -> Self {
        self.first_h = Some(h);
        self
    }

    /// The same of an LSTM's cells.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let c = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, [1, 2, 4])?;
    /// let how = rondo::ops::Recurrent::new().first_c(&c);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn first_c(mut self, c: &'a Tensor) -> Self {
        self.first_c = Some(c);
        self
    }

    /// So many layers, each with the results of the one before as its inputs.
    ///
    /// ```
    /// let how = rondo::ops::Recurrent::new().layers(2);
    /// ```
    pub fn layers(mut self, layers: i32) -> Self {
        self.layers = layers;
        self
    }

    /// Two directions, whose results lie side by side.
    ///
    /// ```
    /// let how = rondo::ops::Recurrent::new().bidirectional(true);
    /// ```
    pub fn bidirectional(mut self, both: bool) -> Self {
        self.bidirectional = both;
        self
    }

    /// Inputs and results are `[batch, steps, ...]`, else `[steps, batch, ...]`.
    ///
    /// ```
    /// let how = rondo::ops::Recurrent::new().batch_first(true);
    /// ```
    pub fn batch_first(mut self, first: bool) -> Self {
        self.batch_first = first;
        self
    }

    /// ReLU in the place of tanh, of [`Tensor::rnn`].
    ///
    /// ```
    /// let how = rondo::ops::Recurrent::new().relu(true);
    /// ```
    pub fn relu(mut self, relu: bool) -> Self {
        self.relu = relu;
        self
    }

    fn as_raw(&self) -> sys::rondo_recurrent_options {
        let raw = |tensor: Option<&Tensor>| tensor.map_or(null_mut(), Tensor::as_ptr);
        let mut options = sys::RONDO_RECURRENT_OPTIONS_INIT;
        options.lengths = raw(self.lengths);
        options.first_h = raw(self.first_h);
        options.first_c = raw(self.first_c);
        options.layers = self.layers;
        options.bidirectional = self.bidirectional.into();
        options.batch_first = self.batch_first.into();
        options.relu = self.relu.into();
        options
    }
}

/// What [`Tensor::lstm`] makes.
#[derive(Debug)]
#[non_exhaustive]
pub struct LstmResults {
    /// The states of the last layer at each step, `[steps, batch, directions * hidden]`.
    pub out: Tensor,
    /// States after each sequence's last step, `[layers * directions, batch, hidden]`.
    pub last_h: Tensor,
    /// The same of the cells.
    pub last_c: Tensor,
}

/// What [`Tensor::gru`] and [`Tensor::rnn`] make.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecurrentResults {
    /// The states of the last layer at each step, `[steps, batch, directions * hidden]`.
    pub out: Tensor,
    /// States after each sequence's last step, `[layers * directions, batch, hidden]`.
    pub last_h: Tensor,
}

impl Tensor {
    /// An LSTM over these inputs, `[steps, batch, inputs]`. Weights, for each layer and in it each direction: of the
    /// inputs, `[4 * hidden, inputs]`, of the states, `[4 * hidden, hidden]`, and for all or none a bias of each,
    /// `[4 * hidden]`; gates are in the order i, f, g, o, as PyTorch has them.
    ///
    /// ```
    /// # use rondo::{ops::Recurrent, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let zeros = |shape: &[i64]| Tensor::zeros(&engine, Device::CPU, DType::F32, shape);
    /// let (x, w, v) = (zeros(&[5, 2, 3])?, zeros(&[16, 3])?, zeros(&[16, 4])?);
    /// let made = x.lstm(&[&w, &v], Recurrent::new())?;
    /// assert_eq!(made.out.shape()?, [5, 2, 4]);
    /// assert_eq!(made.last_c.shape()?, [1, 2, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the shapes or dtypes do not fit, or an option is
    /// out of its range.
    #[doc(alias = "rondo_lstm")]
    pub fn lstm(&self, weights: &[&Tensor], how: Recurrent<'_>) -> Result<LstmResults> {
        let (options, handles) = (how.as_raw(), handles_of(weights));
        let mut made = [null_mut(); 3];
        let [out, h, c] = &mut made;
        check(unsafe { sys::rondo_lstm(self.as_ptr(), handles.len() as i32, handles.as_ptr(), &options, out, h, c) })?;
        let [out, h, c] = made;
        Ok(LstmResults {
            out: Tensor::adopt(out, self.engine()),
            last_h: Tensor::adopt(h, self.engine()),
            last_c: Tensor::adopt(c, self.engine()),
        })
    }

    /// A GRU, as [`lstm`](Tensor::lstm), with the gates r, z, n: weights have `3 * hidden` rows.
    ///
    /// ```
    /// # use rondo::{ops::Recurrent, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let zeros = |shape: &[i64]| Tensor::zeros(&engine, Device::CPU, DType::F32, shape);
    /// let (x, w, v) = (zeros(&[5, 2, 3])?, zeros(&[12, 3])?, zeros(&[12, 4])?);
    /// assert_eq!(x.gru(&[&w, &v], Recurrent::new())?.out.shape()?, [5, 2, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`lstm`](Tensor::lstm).
    #[doc(alias = "rondo_gru")]
    pub fn gru(&self, weights: &[&Tensor], how: Recurrent<'_>) -> Result<RecurrentResults> {
        self.without_cells(sys::rondo_gru, weights, how)
    }

    /// A plain recurrence, `h = tanh(W x + b + V h + v)`, as [`lstm`](Tensor::lstm): weights have `hidden` rows.
    ///
    /// ```
    /// # use rondo::{ops::Recurrent, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [2, 1, 1], &[1.0f32, 2.0])?;
    /// let one = Tensor::from_slice(&engine, Device::CPU, [1, 1], &[1.0f32])?;
    /// let made = x.rnn(&[&one, &one], Recurrent::new().relu(true))?;
    /// assert_eq!(made.out.to_vec::<f32>()?, [1.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`lstm`](Tensor::lstm).
    #[doc(alias = "rondo_rnn")]
    pub fn rnn(&self, weights: &[&Tensor], how: Recurrent<'_>) -> Result<RecurrentResults> {
        self.without_cells(sys::rondo_rnn, weights, how)
    }

    fn without_cells(&self, function: Function, weights: &[&Tensor], how: Recurrent<'_>) -> Result<RecurrentResults> {
        let (options, handles) = (how.as_raw(), handles_of(weights));
        let mut made = [null_mut(); 2];
        let [out, h] = &mut made;
        // SAFETY: one of the two functions of this type; as many handles as the length says.
        check(unsafe { function(self.as_ptr(), handles.len() as i32, handles.as_ptr(), &options, out, h) })?;
        let [out, h] = made;
        Ok(RecurrentResults { out: Tensor::adopt(out, self.engine()), last_h: Tensor::adopt(h, self.engine()) })
    }
}

type Function = unsafe extern "C" fn(
    *mut sys::rondo_tensor,
    i32,
    *const *mut sys::rondo_tensor,
    *const sys::rondo_recurrent_options,
    *mut *mut sys::rondo_tensor,
    *mut *mut sys::rondo_tensor,
) -> sys::rondo_status;

fn handles_of(tensors: &[&Tensor]) -> Vec<*mut sys::rondo_tensor> {
    tensors.iter().map(|each| each.as_ptr()).collect()
}
