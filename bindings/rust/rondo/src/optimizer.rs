//! Optimizers, and what is measured over lists of tensors.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::fmt;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::error::check;
pub use crate::generated::{OptimizerKind, RateSchedule};
use crate::ops::length;
use crate::tape::handles;
use crate::tensor::made;
use crate::{Engine, Error, ErrorKind, ModelFile, Result, Tensor};

/// What becomes of a model's parameters, given their gradients: gradient descent, Adam, AdamW or LAMB. A step is a few
/// kernels however many tensors there are. What changes from step to step, the step counter and the learning rate with its
/// schedule, is in device memory, so a recorded step stays as it is.
///
/// One thread at a time uses it, so it is `Send` and not `Sync`.
///
/// ```
/// use rondo::{Device, Engine, Optimizer, OptimizerKind, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::new(&engine, Device::CPU, [[1f32, 2.0]])?;
/// let w = Tensor::new(&engine, Device::CPU, [[3f32], [4.0]])?;
/// let optimizer = Optimizer::builder(OptimizerKind::Sgd, 0.5).build(&[&w])?;
/// let (step, ()) = engine.record(|| {
///     let tape = engine.tape(&[&w])?;
///     let gradient = tape.gradient(&x.matmul(&w)?.sum(..)?, &w)?;
///     optimizer.step(&[&gradient])
/// })?;
/// step.launch()?;
/// assert_eq!(w.to_vec::<f32>()?, [2.5, 3.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_optimizer")]
pub struct Optimizer {
    handle: NonNull<sys::rondo_optimizer>, // not Sync
    engine: Engine,                        // after the handle: it may be the last of its engine
}

// SAFETY: used by one thread at a time, whichever that is, and destroyed by its one owner.
unsafe impl Send for Optimizer {}

/// What [`Optimizer::info`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptimizerInfo {
    /// Tensors that it steps.
    pub parameters: i32,
    /// Tensors of its state.
    pub states: i32,
    /// Bytes of its state.
    pub bytes: i64,
}

impl Optimizer {
    /// An optimizer with this rule and learning rate, and other options to be set.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// let optimizer = Optimizer::builder(OptimizerKind::Adamw, 1e-3).weight_decay(0.01).max_norm(1.0).build(&[&w])?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn builder(kind: OptimizerKind, rate: f64) -> OptimizerBuilder {
        let mut options = sys::RONDO_OPTIMIZER_OPTIONS_INIT;
        options.kind = kind.as_raw();
        options.rate = rate;
        OptimizerBuilder { options }
    }

    /// One step, given a gradient for each parameter: in its shape and the same order in memory, of any float dtype of 16 bits
    /// or more. Does not wait.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// let w = Tensor::new(&engine, Device::CPU, [1f32, 2.0])?;
    /// let gradient = Tensor::new(&engine, Device::CPU, [2f32, 2.0])?;
    /// let optimizer = Optimizer::builder(OptimizerKind::Sgd, 0.25).build(&[&w])?;
    /// optimizer.step(&[&gradient])?;
    /// assert_eq!(w.to_vec::<f32>()?, [0.5, 1.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where gradients are not as many as parameters, or one is not
    /// what its parameter needs.
    #[doc(alias = "rondo_optimizer_step")]
    #[track_caller]
    pub fn step(&self, gradients: &[&Tensor]) -> Result<()> {
        self.step_with(gradients, None, None)
    }

    /// The same, skipped where the bool `finite` is false: then nothing is written and the step does not count; and with
    /// gradients multiplied by the f32 `scale` as they are read.
    ///
    /// ```
    /// # use rondo::{ops, Device, Engine, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// let w = Tensor::new(&engine, Device::CPU, [1f32, 2.0])?;
    /// let gradient = Tensor::new(&engine, Device::CPU, [2f32, f32::NAN])?;
    /// let optimizer = Optimizer::builder(OptimizerKind::Sgd, 0.25).build(&[&w])?;
    /// let finite = ops::all_finite(&[&gradient])?;
    /// optimizer.step_with(&[&gradient], Some(&finite), None)?;
    /// assert_eq!(w.to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Optimizer::step`]; also where `finite` or `scale` is not one element of its dtype.
    #[track_caller]
    pub fn step_with(&self, gradients: &[&Tensor], finite: Option<&Tensor>, scale: Option<&Tensor>) -> Result<()> {
        let (n, list) = (length(gradients), handles(gradients));
        let of = |tensor: Option<&Tensor>| tensor.map_or(null_mut(), Tensor::as_ptr);
        // SAFETY: as many handles as the length says.
        check(unsafe { sys::rondo_optimizer_step(self.as_ptr(), n, list.as_ptr(), of(finite), of(scale)) })
    }

    /// Sets the learning rate of later steps, which the schedule multiplies; graphs that were recorded before go by it too.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// let optimizer = Optimizer::builder(OptimizerKind::Sgd, 0.25).build(&[&w])?;
    /// optimizer.set_rate(0.5)?;
    /// assert!(optimizer.set_rate(-1.0).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a rate that is negative or not finite.
    #[doc(alias = "rondo_optimizer_set_rate")]
    #[track_caller]
    pub fn set_rate(&self, rate: f64) -> Result<()> {
        check(unsafe { sys::rondo_optimizer_set_rate(self.as_ptr(), rate) })
    }

    /// The state: names and tensors that share its memory, to be saved with [`ModelFile::write`].
    ///
    /// ```
    /// # use rondo::{Device, Engine, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// let optimizer = Optimizer::builder(OptimizerKind::Adam, 0.25).build(&[&w])?;
    /// let names: Vec<_> = optimizer.states()?.into_iter().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["optimizer.step", "optimizer.rate", "optimizer.0.exp_avg", "optimizer.0.exp_avg_sq"]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the optimizer lives.
    #[doc(alias = "rondo_optimizer_state")]
    #[track_caller]
    pub fn states(&self) -> Result<Vec<(String, Tensor)>> {
        (0..self.info()?.states)
            .map(|index| {
                let mut name = null();
                let tensor = Tensor::create(&self.engine, |out| unsafe {
                    sys::rondo_optimizer_state(self.as_ptr(), index, &mut name, out)
                })?;
                // SAFETY: a text that lives as long as the optimizer.
                let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
                Ok((name, tensor))
            })
            .collect()
    }

    /// Loads the state from a file that has all of it, under the names of [`Optimizer::states`].
    ///
    /// ```
    /// # use rondo::{Device, Engine, ModelFile, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// # let path = std::env::temp_dir().join(format!("rondo_optimizer_{}.safetensors", std::process::id()));
    /// let optimizer = Optimizer::builder(OptimizerKind::Adam, 0.25).build(&[&w])?;
    /// let states = optimizer.states()?;
    /// ModelFile::write(&path, states.iter().map(|(name, tensor)| (name.as_str(), tensor)), [("", ""); 0])?;
    /// optimizer.load(&ModelFile::open(&path)?)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ModelFile::load_into`], for the first that fails.
    #[track_caller]
    pub fn load(&self, file: &ModelFile) -> Result<()> {
        self.states()?.iter().try_for_each(|(name, tensor)| file.load_into(name, tensor))
    }

    /// How many there are, and how large.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// let info = Optimizer::builder(OptimizerKind::Adam, 0.25).build(&[&w])?.info()?;
    /// assert_eq!((info.parameters, info.states), (1, 4));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the optimizer lives.
    #[doc(alias = "rondo_optimizer_query")]
    #[track_caller]
    pub fn info(&self) -> Result<OptimizerInfo> {
        let mut info = sys::RONDO_OPTIMIZER_INFO_INIT;
        check(unsafe { sys::rondo_optimizer_query(self.as_ptr(), &mut info) })?;
        Ok(OptimizerInfo { parameters: info.parameters, states: info.states, bytes: info.bytes })
    }

    /// The handle of the C interface, borrowed: it lives as long as this optimizer.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// assert!(!Optimizer::builder(OptimizerKind::Sgd, 1.0).build(&[&w])?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_optimizer {
        self.handle.as_ptr()
    }
}

impl Drop for Optimizer {
    fn drop(&mut self) {
        // SAFETY: the one owner destroys it once.
        unsafe { sys::rondo_optimizer_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Optimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Optimizer").field("info", &self.info().ok()).finish()
    }
}

/// Options of an optimizer; see [`Optimizer::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use = "build() makes the optimizer"]
pub struct OptimizerBuilder {
    options: sys::rondo_optimizer_options,
}

macro_rules! options {
    ($($(#[$about:meta])* $name:ident: $kind:ty => |$options:ident| $set:expr, $example:literal;)*) => {
        impl OptimizerBuilder {
            $(
                $(#[$about])*
                ///
                /// ```
                /// # use rondo::{Optimizer, OptimizerKind, RateSchedule};
                #[doc = $example]
                /// ```
                pub fn $name(mut self, $name: $kind) -> Self {
                    let $options = &mut self.options;
                    $set;
                    self
                }
            )*
        }
    };
}

options! {
    /// Gradient descent: how much of the last step's direction is kept.
    momentum: f64 => |options| options.momentum = momentum, "Optimizer::builder(OptimizerKind::Sgd, 0.1).momentum(0.9);";
    /// Gradient descent with momentum: 1 less how much of the gradient is taken in.
    dampening: f64 => |options| options.dampening = dampening, "Optimizer::builder(OptimizerKind::Sgd, 0.1).momentum(0.9).dampening(0.1);";
    /// Gradient descent with momentum: looks a step ahead.
    nesterov: bool => |options| options.nesterov = nesterov.into(), "Optimizer::builder(OptimizerKind::Sgd, 0.1).momentum(0.9).nesterov(true);";
    /// Others: how much of the mean of gradients is kept.
    beta1: f64 => |options| options.beta1 = beta1, "Optimizer::builder(OptimizerKind::Adam, 1e-3).beta1(0.8);";
    /// Others: how much of the mean of their squares is kept.
    beta2: f64 => |options| options.beta2 = beta2, "Optimizer::builder(OptimizerKind::Adam, 1e-3).beta2(0.99);";
    /// Others: added to the root of that.
    epsilon: f64 => |options| options.epsilon = epsilon, "Optimizer::builder(OptimizerKind::Adam, 1e-3).epsilon(1e-6);";
    /// How fast weights decay.
    weight_decay: f64 => |options| options.weight_decay = weight_decay, "Optimizer::builder(OptimizerKind::Adamw, 1e-3).weight_decay(0.01);";
    /// Gradients are clipped to this norm, over all of them.
    max_norm: f64 => |options| options.max_norm = max_norm, "Optimizer::builder(OptimizerKind::Adamw, 1e-3).max_norm(1.0);";
    /// Adam and AdamW: divides by the largest mean of squares so far.
    amsgrad: bool => |options| options.amsgrad = amsgrad.into(), "Optimizer::builder(OptimizerKind::Adam, 1e-3).amsgrad(true);";
    /// 16-bit parameters have f32 weights behind them, which steps add up in.
    master_weights: bool => |options| options.master_weights = master_weights.into(), "Optimizer::builder(OptimizerKind::Adamw, 1e-3).master_weights(true);";
    /// Steps in which the learning rate rises along a line.
    warmup_steps: i64 => |options| options.warmup_steps = warmup_steps, "Optimizer::builder(OptimizerKind::Adamw, 1e-3).warmup_steps(100);";
}

impl OptimizerBuilder {
    /// What the learning rate is multiplied by behind the warm-up: how, how many steps that takes, and what it ends with or
    /// multiplies by.
    ///
    /// ```
    /// # use rondo::{Optimizer, OptimizerKind, RateSchedule};
    /// Optimizer::builder(OptimizerKind::Adamw, 1e-3).schedule(RateSchedule::Cosine, 10_000, 0.1);
    /// ```
    pub fn schedule(mut self, schedule: RateSchedule, decay_steps: i64, rate_decay: f64) -> Self {
        self.options.schedule = schedule.as_raw();
        self.options.decay_steps = decay_steps;
        self.options.rate_decay = rate_decay;
        self
    }

    /// Makes the optimizer of parameters: floats of 16 bits or more, on one device, each once. f32 weights behind 16-bit ones
    /// are made of these now.
    ///
    /// ```
    /// # use rondo::{Optimizer, OptimizerKind};
    /// assert!(Optimizer::builder(OptimizerKind::Sgd, 0.1).build(&[]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without parameters, for one that comes twice or is no such float,
    /// and for options that do not go together; [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording.
    #[doc(alias = "rondo_optimizer_create")]
    #[track_caller]
    pub fn build(self, parameters: &[&Tensor]) -> Result<Optimizer> {
        let first = parameters.first().ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidArgument,
                "OptimizerBuilder::build: there are no parameters; 1 or more are needed",
            )
        })?;
        let (mut optimizer, list) = (null_mut(), handles(parameters));
        // SAFETY: as many handles as the length says.
        check(unsafe {
            sys::rondo_optimizer_create(length(parameters), list.as_ptr(), &self.options, &mut optimizer)
        })?;
        Ok(Optimizer { handle: made(optimizer), engine: first.engine().clone() })
    }
}

#[track_caller]
fn of_list(
    name: &str,
    tensors: &[&Tensor],
    call: impl FnOnce(i32, *const *mut sys::rondo_tensor, *mut *mut sys::rondo_tensor) -> sys::rondo_status,
) -> Result<Tensor> {
    let first = tensors.first().ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, format!("{}: tensors is empty; 1 or more are needed", name))
    })?;
    let list = handles(tensors);
    Tensor::create(first.engine(), |out| call(length(tensors), list.as_ptr(), out))
}

/// Whether no element of the tensors is infinite or NaN: a bool without axes. Floats of 16 bits or more, on one device.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::new(&engine, Device::CPU, [1f32, f32::NAN])?;
/// assert_eq!(ops::all_finite(&[&a])?.to_vec::<bool>()?, [false]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without tensors, and for one that is no such float or whose elements
/// do not lie together.
#[doc(alias = "rondo_all_finite")]
#[track_caller]
pub fn all_finite(tensors: &[&Tensor]) -> Result<Tensor> {
    of_list("ops::all_finite", tensors, |n, list, out| unsafe { sys::rondo_all_finite(n, list, out) })
}

/// The root of the sum of the squares of all elements of the tensors: an f32 without axes.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let (a, b) = (Tensor::new(&engine, Device::CPU, [3f32])?, Tensor::new(&engine, Device::CPU, [0f32, 4.0])?);
/// assert_eq!(ops::global_norm(&[&a, &b])?.to_vec::<f32>()?, [5.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`all_finite`].
#[doc(alias = "rondo_global_norm")]
#[track_caller]
pub fn global_norm(tensors: &[&Tensor]) -> Result<Tensor> {
    of_list("ops::global_norm", tensors, |n, list, out| unsafe { sys::rondo_global_norm(n, list, out) })
}

/// Multiplies the tensors, in place, so that their norm is `max_norm` where it was more; what it was is the result.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::new(&engine, Device::CPU, [3f32, 4.0])?;
/// assert_eq!(ops::clip_global_norm(&[&a], 10.0)?.to_vec::<f32>()?, [5.0]);
/// assert_eq!(a.to_vec::<f32>()?, [3.0, 4.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`all_finite`]; also for a norm that is not positive, and for tensors that share memory.
#[doc(alias = "rondo_clip_global_norm")]
#[track_caller]
pub fn clip_global_norm(tensors: &[&Tensor], max_norm: f64) -> Result<Tensor> {
    of_list("ops::clip_global_norm", tensors, |n, list, out| unsafe {
        sys::rondo_clip_global_norm(n, list, max_norm, out)
    })
}
