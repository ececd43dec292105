//! Training in 16 bits with weights in f32: autocast scopes and loss scalers.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::fmt;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
pub use crate::generated::Precision;
use crate::ops::{length, new_pair};
use crate::tape::handles;
use crate::tensor::made;
use crate::{DType, Device, Engine, Error, ModelFile, Optimizer, Result, Tensor};

/// What an autocast scope does; see [`Engine::autocasting`].
#[derive(Clone, Debug)]
#[must_use = "run() opens the scope"]
pub struct Autocast<'a> {
    engine: &'a Engine,
    dtype: DType,
    operations: Vec<(&'a str, Precision)>,
}

impl Engine {
    /// Runs a closure in an autocast scope of this thread: operators on tensors of this engine compute in the precision that
    /// suits them, products in `dtype`, which is `F16` or `Bf16`, what would lose too much in `F32`. Operands are cast by
    /// operators like others, which recordings and tapes see; what was cast once is cast again only if it was written since.
    /// With [`DType::F32`] nothing is cast, also inside another scope.
    ///
    /// ```
    /// use rondo::{DType, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let x = Tensor::new(&engine, Device::CPU, [[1f32, 2.0]])?;
    /// let w = Tensor::new(&engine, Device::CPU, [[3f32], [4.0]])?;
    /// let tape = engine.tape(&[&w])?;
    /// let loss = engine.autocast(DType::Bf16, || {
    ///     let y = x.matmul(&w)?;
    ///     assert_eq!(y.dtype()?, DType::Bf16);
    ///     y.sum(..)
    /// })?;
    /// assert_eq!(loss.dtype()?, DType::F32);
    /// assert_eq!(tape.gradient(&loss, &w)?.to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the closure returns; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for another dtype,
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a task.
    #[doc(alias = "rondo_autocast_begin")]
    #[doc(alias = "rondo_autocast_end")]
    #[track_caller]
    pub fn autocast<R, E: From<Error>>(&self, dtype: DType, body: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
        self.autocasting(dtype).run(body)
    }

    /// An autocast scope with operators of which it says something else.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Precision, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::new(&engine, Device::CPU, [[1f32]])?;
    /// let y = engine.autocasting(DType::F16).with("exp", Precision::Widest).run(|| x.matmul(&x)?.exp())?;
    /// assert_eq!(y.dtype()?, DType::F16);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn autocasting(&self, dtype: DType) -> Autocast<'_> {
        Autocast { engine: self, dtype, operations: Vec::new() }
    }
}

impl<'a> Autocast<'a> {
    /// What the scope does with an operator, by its name: "exp", "sum", "matmul", "concat"; or with the texts of a name,
    /// of which one must be there when the scope is [run](Autocast::run).
    ///
    /// ```
    /// # use rondo::{DType, Engine, Precision};
    /// # let engine = Engine::new()?;
    /// let scope = engine.autocasting(DType::F16).with("exp", Precision::Widest).with("add", Precision::Half);
    ///
    /// # use rondo::{Device, Expression, Tensor};
    /// let thrice = Expression::named("thrice", "y = 3 * x")?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[1f32, 2.0])?;
    /// let y = engine.autocasting(DType::F16).with("thrice", Precision::Half).run(|| thrice.run(&[("x", (&x).into())]))?;
    /// assert_eq!(y[0].dtype()?, DType::F16);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn with(mut self, operation: &'a str, precision: Precision) -> Self {
        self.operations.push((operation, precision));
        self
    }

    /// Runs a closure in the scope, which ends with it, also where it fails or panics.
    ///
    /// ```
    /// # use rondo::{DType, Engine, Precision};
    /// # let engine = Engine::new()?;
    /// let failed = engine.autocasting(DType::F16).with("expo", Precision::Half).run(|| Ok::<_, rondo::Error>(()));
    /// assert!(failed.unwrap_err().message().contains("expo"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::autocast`]; also [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for what is no operator's name.
    #[doc(alias = "rondo_autocast_set")]
    #[track_caller]
    pub fn run<R, E: From<Error>>(self, body: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
        check(unsafe { sys::rondo_autocast_begin(self.engine.as_ptr(), self.dtype.as_raw()) })?;
        let _open = Open(self.engine); // from here on
        for (operation, precision) in &self.operations {
            let name = c_string("Autocast::with", "operation", operation)?;
            check(unsafe { sys::rondo_autocast_set(self.engine.as_ptr(), name.as_ptr(), precision.as_raw()) })?;
        }
        body()
    }
}

/// A scope of this thread.
struct Open<'a>(&'a Engine);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // SAFETY: of this thread, because the closure ran here. Fails only where nothing is open.
        let _ = unsafe { sys::rondo_autocast_end(self.0.as_ptr()) };
    }
}

/// The scale of a loss, which keeps gradients within the range of 16-bit floats: steps whose gradients are not finite are
/// skipped and lower it, and enough good ones raise it. All of that is on the device, so a recorded step does it by itself.
///
/// One thread at a time uses it, so it is `Send` and not `Sync`.
///
/// ```
/// use rondo::{DType, Device, Engine, LossScaler, Optimizer, OptimizerKind, Tensor};
///
/// let engine = Engine::new()?;
/// let x = Tensor::new(&engine, Device::CPU, [[1f32, 2.0]])?;
/// let w = Tensor::new(&engine, Device::CPU, [[3f32], [4.0]])?;
/// let optimizer = Optimizer::builder(OptimizerKind::Sgd, 0.5).build(&[&w])?;
/// let scaler = LossScaler::builder(&engine, Device::CPU).initial_scale(1024.0).build()?;
/// let (step, ()) = engine.record(|| {
///     let tape = engine.tape(&[&w])?;
///     let loss = engine.autocast(DType::F16, || x.matmul(&w)?.sum(..))?;
///     let gradient = tape.gradient(&scaler.scale(&loss)?, &w)?;
///     scaler.step(&optimizer, &[&gradient])?;
///     scaler.update()
/// })?;
/// step.launch()?;
/// assert_eq!(w.to_vec::<f32>()?, [2.5, 3.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_loss_scaler")]
pub struct LossScaler {
    handle: NonNull<sys::rondo_loss_scaler>, // not Sync
    engine: Engine,                          // after the handle: it may be the last of its engine
}

// SAFETY: used by one thread at a time, whichever that is, and destroyed by its one owner.
unsafe impl Send for LossScaler {}

impl LossScaler {
    /// A loss scaler for losses and gradients on a device, with options to be set.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// let scaler = LossScaler::builder(&engine, Device::CPU).initial_scale(4096.0).growth_interval(500).build()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn builder(engine: &Engine, device: Device) -> LossScalerBuilder<'_> {
        LossScalerBuilder { engine, device, options: sys::RONDO_LOSS_SCALER_OPTIONS_INIT }
    }

    /// The loss times the scale, of which gradients are then asked. The loss is `F32` or `F64`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler, Tensor};
    /// # let engine = Engine::new()?;
    /// let scaler = LossScaler::builder(&engine, Device::CPU).initial_scale(8.0).build()?;
    /// let loss = Tensor::new(&engine, Device::CPU, 0.5f32)?;
    /// assert_eq!(scaler.scale(&loss)?.to_vec::<f32>()?, [4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a loss of another dtype or device.
    #[doc(alias = "rondo_loss_scaler_scale")]
    #[track_caller]
    pub fn scale(&self, loss: &Tensor) -> Result<Tensor> {
        Tensor::create(&self.engine, |out| unsafe { sys::rondo_loss_scaler_scale(self.as_ptr(), loss.as_ptr(), out) })
    }

    /// A step of an optimizer with gradients of the scaled loss: they are divided by the scale as they are read, and if any
    /// of them is not finite nothing is written.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// let optimizer = Optimizer::builder(OptimizerKind::Sgd, 1.0).build(&[&w])?;
    /// let scaler = LossScaler::builder(&engine, Device::CPU).initial_scale(8.0).build()?;
    /// scaler.step(&optimizer, &[&Tensor::new(&engine, Device::CPU, [f32::INFINITY])?])?;
    /// assert_eq!(w.to_vec::<f32>()?, [1.0]);
    /// scaler.step(&optimizer, &[&Tensor::new(&engine, Device::CPU, [4f32])?])?;
    /// assert_eq!(w.to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Optimizer::step`]; also for an optimizer on another device.
    #[doc(alias = "rondo_loss_scaler_step")]
    #[track_caller]
    pub fn step(&self, optimizer: &Optimizer, gradients: &[&Tensor]) -> Result<()> {
        let (n, list) = (length(gradients), handles(gradients));
        // SAFETY: as many handles as the length says.
        check(unsafe { sys::rondo_loss_scaler_step(self.as_ptr(), optimizer.as_ptr(), n, list.as_ptr()) })
    }

    /// What a step goes by that is not [`step`](LossScaler::step): of rows of tables
    /// ([`Tensor::embedding_bag_descend_with`]), of an optimizer that others decide for too ([`Optimizer::step_with`]), or of
    /// your own. Whether the gradients of the scaled loss are finite, a bool, and 1 / the scale, an `f32`, on the device. It
    /// counts as a step: where gradients are not finite, the round is not a good one.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler, Tensor};
    /// # let engine = Engine::new()?;
    /// let scaler = LossScaler::builder(&engine, Device::CPU).initial_scale(8.0).build()?;
    /// let (finite, scale) = scaler.finite(&[&Tensor::new(&engine, Device::CPU, [f32::NAN])?])?;
    /// assert_eq!(finite.to_vec::<bool>()?, [false]);
    /// assert_eq!(scale.to_vec::<f32>()?, [0.125]);
    /// scaler.update()?;
    /// assert_eq!(scaler.states()?[0].1.to_vec::<f32>()?, [4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`all_finite`](crate::ops::all_finite); also for gradients on another device.
    #[doc(alias = "rondo_loss_scaler_finite")]
    #[track_caller]
    pub fn finite(&self, gradients: &[&Tensor]) -> Result<(Tensor, Tensor)> {
        let (n, list) = (length(gradients), handles(gradients));
        // SAFETY: as many handles as the length says.
        new_pair(&self.engine, |finite, scale| unsafe {
            sys::rondo_loss_scaler_finite(self.as_ptr(), n, list.as_ptr(), finite, scale)
        })
    }

    /// Ends a round, after its steps: the scale falls if one of them was skipped, and grows after enough rounds without.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler, Optimizer, OptimizerKind, Tensor};
    /// # let engine = Engine::new()?;
    /// # let w = Tensor::new(&engine, Device::CPU, [1f32])?;
    /// # let optimizer = Optimizer::builder(OptimizerKind::Sgd, 1.0).build(&[&w])?;
    /// let scaler = LossScaler::builder(&engine, Device::CPU).initial_scale(8.0).build()?;
    /// scaler.step(&optimizer, &[&Tensor::new(&engine, Device::CPU, [f32::NAN])?])?;
    /// scaler.update()?;
    /// assert_eq!(scaler.states()?[0].1.to_vec::<f32>()?, [4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where no step was asked for since the last update.
    #[doc(alias = "rondo_loss_scaler_update")]
    #[track_caller]
    pub fn update(&self) -> Result<()> {
        check(unsafe { sys::rondo_loss_scaler_update(self.as_ptr()) })
    }

    /// The state: names and tensors that share its memory, to be saved with [`ModelFile::write`].
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// let scaler = LossScaler::builder(&engine, Device::CPU).build()?;
    /// let names: Vec<_> = scaler.states()?.into_iter().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["loss_scaler.scale", "loss_scaler.good_steps", "loss_scaler.skipped_steps"]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the loss scaler lives.
    #[doc(alias = "rondo_loss_scaler_state")]
    #[track_caller]
    pub fn states(&self) -> Result<Vec<(String, Tensor)>> {
        (0..3)
            .map(|index| {
                let mut name = null();
                let tensor = Tensor::create(&self.engine, |out| unsafe {
                    sys::rondo_loss_scaler_state(self.as_ptr(), index, &mut name, out)
                })?;
                // SAFETY: a text that lives as long as the process.
                let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
                Ok((name, tensor))
            })
            .collect()
    }

    /// Loads the state from a file that has all of it, under the names of [`LossScaler::states`].
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler, ModelFile};
    /// # let engine = Engine::new()?;
    /// # let path = std::env::temp_dir().join(format!("rondo_loss_scaler_{}.safetensors", std::process::id()));
    /// let scaler = LossScaler::builder(&engine, Device::CPU).build()?;
    /// let states = scaler.states()?;
    /// ModelFile::write(&path, states.iter().map(|(name, tensor)| (name.as_str(), tensor)), [("", ""); 0])?;
    /// scaler.load(&ModelFile::open(&path)?)?;
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

    /// The handle of the C interface, borrowed: it lives as long as this loss scaler.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// assert!(!LossScaler::builder(&engine, Device::CPU).build()?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_loss_scaler {
        self.handle.as_ptr()
    }
}

impl Drop for LossScaler {
    fn drop(&mut self) {
        // SAFETY: the one owner destroys it once.
        unsafe { sys::rondo_loss_scaler_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for LossScaler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LossScaler").field("engine", &self.engine).finish()
    }
}

/// Options of a loss scaler; see [`LossScaler::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use = "build() makes the loss scaler"]
pub struct LossScalerBuilder<'a> {
    engine: &'a Engine,
    device: Device,
    options: sys::rondo_loss_scaler_options,
}

impl LossScalerBuilder<'_> {
    /// The scale of the first step; 65536 unless it is set.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// let builder = LossScaler::builder(&engine, Device::CPU).initial_scale(1024.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn initial_scale(mut self, initial_scale: f64) -> Self {
        self.options.initial_scale = initial_scale;
        self
    }

    /// What the scale is multiplied by after `growth_interval` good rounds; 2 unless it is set.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// let builder = LossScaler::builder(&engine, Device::CPU).growth_factor(4.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn growth_factor(mut self, growth_factor: f64) -> Self {
        self.options.growth_factor = growth_factor;
        self
    }

    /// What the scale is multiplied by after a step that was skipped; 0.5 unless it is set.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// let builder = LossScaler::builder(&engine, Device::CPU).backoff_factor(0.25);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn backoff_factor(mut self, backoff_factor: f64) -> Self {
        self.options.backoff_factor = backoff_factor;
        self
    }

    /// Good rounds in a row after which the scale grows; 2000 unless it is set.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// let builder = LossScaler::builder(&engine, Device::CPU).growth_interval(100);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn growth_interval(mut self, growth_interval: i64) -> Self {
        self.options.growth_interval = growth_interval;
        self
    }

    /// Makes the loss scaler.
    ///
    /// ```
    /// # use rondo::{Device, Engine, LossScaler};
    /// # let engine = Engine::new()?;
    /// assert!(LossScaler::builder(&engine, Device::CPU).growth_interval(0).build().is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for options out of range;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside a recording.
    #[doc(alias = "rondo_loss_scaler_create")]
    #[track_caller]
    pub fn build(self) -> Result<LossScaler> {
        let mut scaler = null_mut();
        check(unsafe {
            sys::rondo_loss_scaler_create(self.engine.as_ptr(), self.device.as_raw(), &self.options, &mut scaler)
        })?;
        Ok(LossScaler { handle: made(scaler), engine: self.engine.clone() })
    }
}
