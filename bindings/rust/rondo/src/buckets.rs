//! Gradients of data-parallel training, in buckets that are reduced over all ranks.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::error::check;
use crate::ops::length;
use crate::tape::handles;
use crate::tensor::made;
use crate::{failure, Comm, Engine, Result, Tape, Tensor};

/// Gradients in buckets, blocks of memory that are reduced as a whole over all ranks: every rank computes the gradients of its
/// part of a batch, and all end with their mean. A bucket's collective is submitted as soon as the last of its gradients is,
/// beside the rest of the way back; in a recording the whole step is one graph.
///
/// One thread at a time uses it, so it is `Send` and not `Sync`.
///
/// ```
/// use rondo::ops::{self, BinaryOp};
/// use rondo::{Buckets, Comm, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let world = Comm::from_launcher(&engine, Device::CPU)?;
/// let x = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[1.0f32, 2.0])?; // another one on each rank
/// let w = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[3.0f32, 4.0])?;
/// let buckets = Buckets::new(&world, &[&w])?;
/// let (step, ()) = engine.record(|| {
///     let tape = engine.tape(&[&w])?;
///     buckets.reduce(&tape, &x.matmul(&w)?.sum(..)?)?;
///     ops::binary_into(BinaryOp::Sub, &w, &buckets.gradient(0)?.mul(0.5)?, &w)
/// })?;
/// step.launch()?;
/// assert_eq!(w.to_vec::<f32>()?, [2.5, 3.0]); // of a rank that is alone
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_buckets")]
pub struct Buckets {
    handle: NonNull<sys::rondo_buckets>, // not Sync
    engine: Engine,                      // after the handle: it may be the last of its engine
}

// SAFETY: used by one thread at a time, whichever that is, and destroyed by its one owner.
unsafe impl Send for Buckets {}

/// What [`Buckets::info`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BucketsInfo {
    /// Gradients in all buckets.
    pub parameters: i32,
    /// How many buckets there are.
    pub buckets: i32,
    /// Bytes of all buckets, with what lies between gradients.
    pub bytes: i64,
    /// Bytes of the largest.
    pub largest_bytes: i64,
}

impl Buckets {
    /// Buckets for the gradients of parameters: in the order in which the model uses them, the same on every rank, each once.
    /// The gradients are zero.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// let weight = Tensor::zeros(&engine, Device::CPU, DType::F32, [64, 10])?;
    /// let bias = Tensor::zeros(&engine, Device::CPU, DType::F32, 10)?;
    /// let buckets = Buckets::new(&world, &[&weight, &bias])?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`BucketsBuilder::build`].
    #[track_caller]
    pub fn new(comm: &Comm, parameters: &[&Tensor]) -> Result<Buckets> {
        Buckets::builder(comm).build(parameters)
    }

    /// Buckets with options.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let weight = Tensor::zeros(&engine, Device::CPU, DType::F32, [64, 10])?;
    /// # let bias = Tensor::zeros(&engine, Device::CPU, DType::F32, 10)?;
    /// let buckets = Buckets::builder(&world).bucket_bytes(1024).build(&[&weight, &bias])?;
    /// assert_eq!(buckets.info()?.buckets, 2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn builder(comm: &Comm) -> BucketsBuilder<'_> {
        BucketsBuilder { comm, options: sys::RONDO_BUCKETS_OPTIONS_INIT }
    }

    /// Puts the gradients of an output of one element with respect to the parameters, which the tape watches, into the buckets,
    /// and reduces each over all ranks. Every rank does it alike. Does not wait. Where it fails on one rank only,
    /// [abort](Comm::abort) the communicator, since the others wait.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// let mut all = Vec::new();
    /// for (rank, end) in ends.iter().enumerate() {
    ///     let w = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    ///     let buckets = Buckets::new(end, &[&w])?;
    ///     let tape = engine.tape(&[&w])?;
    ///     buckets.reduce(&tape, &w.mul(10.0 * (rank + 1) as f64)?.sum(..)?)?;
    ///     all.push(buckets);
    /// }
    /// assert_eq!(all[0].gradient(0)?.to_vec::<f32>()?, [15.0, 15.0]);
    /// assert_eq!(all[1].gradient(0)?.to_vec::<f32>()?, [15.0, 15.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tape::gradient`](crate::Tape::gradient) and [`Comm::all_reduce`].
    #[doc(alias = "rondo_buckets_reduce")]
    #[track_caller]
    pub fn reduce(&self, tape: &Tape, output: &Tensor) -> Result<()> {
        self.call(tape, &[output], None)
    }

    /// The same with the sum of several outputs' gradients, each output with a gradient of its own.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// let w = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// let buckets = Buckets::new(&world, &[&w])?;
    /// let weights = Tensor::from_slice(&engine, Device::CPU, 2, &[10.0f32, 100.0])?;
    /// let tape = engine.tape(&[&w])?;
    /// buckets.reduce_of(&tape, &[(&w.square()?, &weights)])?;
    /// assert_eq!(buckets.gradient(0)?.to_vec::<f32>()?, [20.0, 400.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Buckets::reduce`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where a gradient has not
    /// its output's shape and dtype.
    #[track_caller]
    pub fn reduce_of(&self, tape: &Tape, outputs: &[(&Tensor, &Tensor)]) -> Result<()> {
        let (outputs, given): (Vec<_>, Vec<_>) = outputs.iter().copied().unzip();
        self.call(tape, &outputs, Some(&given))
    }

    /// The same as [`reduce`](Buckets::reduce), with the gradients of other tensors that the tape watches, from the same way
    /// back: they stay this rank's own. What was looked up in tables is one, whose gradients the ranks gather.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// let mut own = Vec::new();
    /// let mut all = Vec::new();
    /// for (rank, end) in ends.iter().enumerate() {
    ///     let w = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    ///     let rows = Tensor::full(&engine, Device::CPU, rondo::DType::F32, 2, 1.0 + rank as f64)?;
    ///     let buckets = Buckets::new(end, &[&w])?;
    ///     let tape = engine.tape(&[&w, &rows])?;
    ///     own.extend(buckets.reduce_with(&tape, &w.mul(&rows)?.sum(..)?, &[&rows])?);
    ///     all.push(buckets);
    /// }
    /// assert_eq!(own[1].to_vec::<f32>()?, [1.0, 2.0]);
    /// assert_eq!(all[1].gradient(0)?.to_vec::<f32>()?, [1.5, 1.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Buckets::reduce`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too without other tensors.
    #[doc(alias = "rondo_buckets_reduce_with")]
    #[track_caller]
    pub fn reduce_with(&self, tape: &Tape, output: &Tensor, sources: &[&Tensor]) -> Result<Vec<Tensor>> {
        let (output, from, n) = (output.as_ptr(), handles(sources), length(sources));
        let mut own = vec![null_mut(); sources.len()];
        // SAFETY: as many handles as the lengths say.
        failure::hear(|| unsafe {
            let (from, own) = (from.as_ptr(), own.as_mut_ptr());
            sys::rondo_buckets_reduce_with(self.as_ptr(), tape.as_ptr(), 1, &output, null(), n, from, own)
        })?;
        Ok(own.into_iter().map(|handle| Tensor::adopt(handle, &self.engine)).collect())
    }

    #[track_caller]
    fn call(&self, tape: &Tape, outputs: &[&Tensor], given: Option<&[&Tensor]>) -> Result<()> {
        let (n, outputs, given) = (length(outputs), handles(outputs), given.map(handles));
        let given = given.as_ref().map_or(null(), |list| list.as_ptr());
        // SAFETY: as many handles as the length says.
        failure::hear(|| unsafe { sys::rondo_buckets_reduce(self.as_ptr(), tape.as_ptr(), n, outputs.as_ptr(), given) })
    }

    /// The gradient of a parameter, by its number: a view of its bucket.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let weight = Tensor::zeros(&engine, Device::CPU, DType::F32, [64, 10])?;
    /// let buckets = Buckets::new(&world, &[&weight])?;
    /// assert_eq!(buckets.gradient(0)?.shape()?, [64, 10]);
    /// assert!(buckets.gradient(1).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such parameter.
    #[doc(alias = "rondo_buckets_gradient")]
    #[track_caller]
    pub fn gradient(&self, index: usize) -> Result<Tensor> {
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        Tensor::create(&self.engine, |out| unsafe { sys::rondo_buckets_gradient(self.as_ptr(), index, out) })
    }

    /// The gradients of all parameters.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let weight = Tensor::zeros(&engine, Device::CPU, DType::F32, [64, 10])?;
    /// assert_eq!(Buckets::new(&world, &[&weight])?.gradients()?.len(), 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected: the indices are those that there are.
    #[track_caller]
    pub fn gradients(&self) -> Result<Vec<Tensor>> {
        (0..self.info()?.parameters as usize).map(|index| self.gradient(index)).collect()
    }

    /// How many there are, and how large.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let weight = Tensor::zeros(&engine, Device::CPU, DType::F32, [64, 10])?;
    /// let info = Buckets::new(&world, &[&weight])?.info()?;
    /// assert_eq!((info.parameters, info.buckets), (1, 1));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the buckets live.
    #[doc(alias = "rondo_buckets_query")]
    #[track_caller]
    pub fn info(&self) -> Result<BucketsInfo> {
        let mut info = sys::RONDO_BUCKETS_INFO_INIT;
        check(unsafe { sys::rondo_buckets_query(self.as_ptr(), &mut info) })?;
        let (bytes, largest_bytes) = (info.bytes, info.largest_bytes);
        Ok(BucketsInfo { parameters: info.parameters, buckets: info.buckets, bytes, largest_bytes })
    }

    /// The handle of the C interface, borrowed: it lives as long as these buckets.
    ///
    /// ```
    /// # use rondo::{Buckets, Comm, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let weight = Tensor::zeros(&engine, Device::CPU, DType::F32, [64, 10])?;
    /// assert!(!Buckets::new(&world, &[&weight])?.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_buckets {
        self.handle.as_ptr()
    }
}

impl Drop for Buckets {
    fn drop(&mut self) {
        // SAFETY: the one owner destroys them once.
        unsafe { sys::rondo_buckets_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Buckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buckets").field("info", &self.info().ok()).finish()
    }
}

/// Options of buckets; see [`Buckets::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use = "build() makes the buckets"]
pub struct BucketsBuilder<'a> {
    comm: &'a Comm,
    options: sys::rondo_buckets_options,
}

impl BucketsBuilder<'_> {
    /// Most bytes of a bucket, unless one gradient alone is larger.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let world = rondo::Comm::from_launcher(&engine, rondo::Device::CPU)?;
    /// let builder = rondo::Buckets::builder(&world).bucket_bytes(1 << 20);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bucket_bytes(mut self, bytes: i64) -> Self {
        self.options.bucket_bytes = bytes;
        self
    }

    /// The same of the first and of the last bucket: the first starts the network early, and nothing hides the last.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let world = rondo::Comm::from_launcher(&engine, rondo::Device::CPU)?;
    /// let builder = rondo::Buckets::builder(&world).edge_bytes(1 << 16);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn edge_bytes(mut self, bytes: i64) -> Self {
        self.options.edge_bytes = bytes;
        self
    }

    /// Gradients are added up over the ranks, instead of their mean.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let world = rondo::Comm::from_launcher(&engine, rondo::Device::CPU)?;
    /// let builder = rondo::Buckets::builder(&world).sum();
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sum(mut self) -> Self {
        self.options.sum = 1;
        self
    }

    /// Makes the buckets; see [`Buckets::new`].
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let world = rondo::Comm::from_launcher(&engine, rondo::Device::CPU)?;
    /// assert!(rondo::Buckets::builder(&world).build(&[]).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without parameters, for one that comes twice, is on
    /// another device than the group's end, or is no float; [`InvalidState`](crate::ErrorKind::InvalidState) inside a
    /// recording.
    #[doc(alias = "rondo_buckets_create")]
    #[track_caller]
    pub fn build(self, parameters: &[&Tensor]) -> Result<Buckets> {
        let mut buckets = null_mut();
        let (comm, parameters, n) = (self.comm.as_ptr(), handles(parameters), length(parameters));
        // SAFETY: as many handles as the length says.
        check(unsafe { sys::rondo_buckets_create(comm, n, parameters.as_ptr(), &self.options, &mut buckets) })?;
        Ok(Buckets { handle: made(buckets), engine: self.comm.engine().clone() })
    }
}
