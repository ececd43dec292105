//! Ranks: what a launcher says of this process, and options of communicators.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::time::Duration;

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
use crate::exchange::{self, Step};
use crate::ops::length;
use crate::{BoxError, Comm, Device, Engine, Result};

/// What [`ranks`] tells of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RanksInfo {
    /// Its rank, from 0.
    pub rank: i32,
    /// How many processes there are; 1 without a launcher.
    pub ranks: i32,
    /// Its rank among those of this machine, where the launcher says it.
    pub local_rank: Option<i32>,
    /// How many are on this machine, where the launcher says it.
    pub local_ranks: Option<i32>,
}

/// What the environment says of this process, as [`Comm::from_launcher`] will take it: so that a program can choose its device
/// by the rank on its machine.
///
/// ```
/// let ranks = rondo::ranks()?;
/// let _device = rondo::Device::cuda(ranks.local_rank.unwrap_or(ranks.rank));
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where a launcher has set what cannot be: a rank beyond the
/// size, a part of the variables.
#[doc(alias = "rondo_ranks_query")]
pub fn ranks() -> Result<RanksInfo> {
    let mut info = sys::RONDO_RANKS_INFO_INIT;
    check(unsafe { sys::rondo_ranks_query(&mut info) })?;
    Ok(RanksInfo {
        rank: info.rank,
        ranks: info.ranks,
        local_rank: Some(info.local_rank).filter(|&rank| rank >= 0),
        local_ranks: Some(info.local_ranks).filter(|&ranks| ranks > 0),
    })
}

impl Comm {
    /// This process's end of the group that a launcher has started: `rondo launch`, mpirun, srun, torchrun. Without one it is
    /// alone. Blocks until all ranks have come.
    ///
    /// ```
    /// use rondo::{Comm, Device, Engine};
    ///
    /// let engine = Engine::new()?;
    /// let world = Comm::from_launcher(&engine, Device::CPU)?;
    /// assert_eq!(world.info()?.ranks, rondo::ranks()?.ranks);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`CommBuilder::build`].
    pub fn from_launcher(engine: &Engine, device: Device) -> Result<Comm> {
        Comm::builder(engine).build(device)
    }

    /// A communicator with options.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let ends = Comm::builder(&engine).name("pair").build_all(&[Device::CPU; 2])?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn builder(engine: &Engine) -> CommBuilder<'_> {
        let (rank, ranks, time_limit_ms, max_blocks) = (0, 0, 0, 0);
        CommBuilder { engine, rank, ranks, time_limit_ms, max_blocks, address: None, secret: None, name: None }
    }
}

/// Options of a communicator; see [`Comm::builder`].
///
/// ```
/// use rondo::{Comm, Device, Engine};
///
/// # let folder = std::env::temp_dir().join(format!("rondo-builder-{}", std::process::id()));
/// let address = format!("file:{}", folder.display());
/// let ranks: Vec<_> = (0..2)
///     .map(|rank| {
///         let address = address.clone();
///         std::thread::spawn(move || {
///             let engine = Engine::new()?;
///             let end = Comm::builder(&engine).rank(rank, 2).address(&address).secret("tacit").build(Device::CPU)?;
///             end.barrier()?;
///             end.wait()
///         })
///     })
///     .collect();
/// for rank in ranks {
///     rank.join().unwrap()?;
/// }
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "build() makes the end"]
pub struct CommBuilder<'a> {
    engine: &'a Engine,
    rank: i32,
    ranks: i32,
    address: Option<&'a str>,
    secret: Option<&'a str>,
    name: Option<&'a str>,
    time_limit_ms: i64,
    max_blocks: i64,
}

fn optional(argument: &str, text: Option<&str>) -> Result<Option<CString>> {
    text.map(|text| c_string("Comm::builder", argument, text)).transpose()
}

impl<'a> CommBuilder<'a> {
    /// Which rank this end is, of how many, instead of what the environment says.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// assert!(Comm::builder(&engine).rank(2, 2).build(Device::CPU).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn rank(mut self, rank: i32, ranks: i32) -> Self {
        self.rank = rank;
        self.ranks = ranks;
        self
    }

    /// Where the ranks meet: `host:port`, where rank 0 listens, or `file:path` in a folder that all share.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = rondo::Comm::builder(&engine).address("node1:4711");
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn address(mut self, address: &'a str) -> Self {
        self.address = Some(address);
        self
    }

    /// What all ranks know, and nobody else.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// let builder = rondo::Comm::builder(&engine).secret("tacit");
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn secret(mut self, secret: &'a str) -> Self {
        self.secret = Some(secret);
        self
    }

    /// For messages.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let ends = Comm::builder(&engine).name("pair").build_all(&[Device::CPU; 2])?;
    /// ends[0].abort("for example")?;
    /// assert!(ends[0].check().unwrap_err().message().contains("'pair'"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn name(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }

    /// For meeting, and for each collective once it is issued; of milliseconds. `None`: without end.
    ///
    /// ```
    /// # use rondo::{ops::ReduceOp, Comm, DType, Device, Engine, ErrorKind, Tensor};
    /// # use std::time::Duration;
    /// # let engine = Engine::new()?;
    /// let ends = Comm::builder(&engine).time_limit(Duration::from_millis(100)).build_all(&[Device::CPU; 2])?;
    /// let mine = Tensor::zeros(&engine, Device::CPU, DType::F32, 1)?;
    /// let sum = ends[0].all_reduce(&mine, ReduceOp::Sum)?; // to which rank 1 does not come
    /// assert_eq!(sum.wait().unwrap_err().kind(), ErrorKind::TimedOut);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        let milliseconds = |limit: Duration| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX).max(1);
        self.time_limit_ms = limit.into().map_or(-1, milliseconds);
        self
    }

    /// Most blocks, thus multiprocessors, that a collective may take on CUDA devices.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// assert!(Comm::builder(&engine).max_blocks(65).build(Device::CPU).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn max_blocks(mut self, blocks: i64) -> Self {
        self.max_blocks = blocks;
        self
    }

    /// Calls with the options as the C interface has them.
    fn with<R>(&self, call: impl FnOnce(&sys::rondo_comm_options) -> Result<R>) -> Result<R> {
        let (address, secret) = (optional("address", self.address)?, optional("secret", self.secret)?);
        let name = optional("name", self.name)?;
        let pointer = |text: &Option<CString>| text.as_ref().map_or(null(), |text| text.as_ptr());
        let mut options = sys::RONDO_COMM_OPTIONS_INIT;
        options.rank = self.rank;
        options.ranks = self.ranks;
        options.address = pointer(&address);
        options.secret = pointer(&secret);
        options.name = pointer(&name);
        options.time_limit_ms = self.time_limit_ms;
        options.max_blocks = self.max_blocks;
        call(&options)
    }

    /// Makes this process's or thread's end of a group whose other ends are made elsewhere. Blocks until all ranks have come;
    /// an error of kind [`TimedOut`](crate::ErrorKind::TimedOut) names who has not.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let alone = Comm::builder(&engine).rank(0, 1).address("localhost:0").build(Device::CPU)?;
    /// assert_eq!(alone.info()?.ranks, 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where neither the builder nor the environment says who
    /// the ranks are, [`TimedOut`](crate::ErrorKind::TimedOut) and [`RankLost`](crate::ErrorKind::RankLost) where not
    /// all come, [`LibraryMissing`](crate::ErrorKind::LibraryMissing) for GPUs without NCCL.
    #[doc(alias = "rondo_comm_create")]
    pub fn build(self, device: Device) -> Result<Comm> {
        self.with(|options| {
            let mut comm = null_mut();
            check(unsafe { sys::rondo_comm_create(self.engine.as_ptr(), device.as_raw(), options, &mut comm) })?;
            Ok(Comm::adopt(comm, self.engine))
        })
    }

    /// Makes the ends of a group for several devices of this process; see [`Comm::all`].
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Comm::builder(&engine).build_all(&[Device::CPU; 2])?.len(), 2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where devices are mixed or one is there twice,
    /// [`LibraryMissing`](crate::ErrorKind::LibraryMissing) for GPUs without NCCL.
    #[doc(alias = "rondo_comm_create_all")]
    pub fn build_all(self, devices: &[Device]) -> Result<Vec<Comm>> {
        let raw: Vec<_> = devices.iter().map(|each| each.as_raw()).collect();
        let mut handles = vec![null_mut(); devices.len()];
        self.with(|options| {
            let (engine, n) = (self.engine.as_ptr(), length(devices));
            // SAFETY: as many devices and places as the length says.
            check(unsafe { sys::rondo_comm_create_all(engine, raw.as_ptr(), n, options, handles.as_mut_ptr()) })
        })?;
        Ok(handles.into_iter().map(|handle| Comm::adopt(handle, self.engine)).collect())
    }

    /// Makes this process's end of a group whose ranks reach each other by a closure, over MPI for example. [`rank`](Self::rank)
    /// says which it is. On the cpu collectives are made of its exchanges; on CUDA devices NCCL moves the data, and exchanges only
    /// bring the ranks together. Such a group cannot be [made again](Comm::reform).
    ///
    /// The closure does all messages of a [`Step`], in any order but that those between the same two ranks stay in theirs. It is
    /// called from threads of Rondo's, several at once for different channels. Its failure, or panic, fails the collective.
    ///
    /// ```
    /// use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let alone = Comm::builder(&engine).rank(0, 1).build_with(Device::CPU, |step| {
    ///     for (sent, received) in step.sends.iter().zip(&mut step.receives) {
    ///         received.data.copy_from_slice(sent.data); // from this rank to itself
    ///     }
    ///     Ok(())
    /// })?;
    /// let mine = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// assert_eq!(alone.all_reduce(&mine, ReduceOp::Sum)?.item::<f32>()?, 3.0);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`CommBuilder::build`], and what the closure returns.
    #[doc(alias = "rondo_comm_create_with_hooks")]
    pub fn build_with<F>(mut self, device: Device, exchange: F) -> Result<Comm>
    where
        F: Fn(&mut Step<'_>) -> Result<(), BoxError> + Send + Sync + 'static,
    {
        let (rank, ranks) = (std::mem::take(&mut self.rank), std::mem::take(&mut self.ranks));
        self.with(|options| {
            let (hooks, mut comm) = (exchange::hooks(rank, ranks, exchange), null_mut());
            let engine = self.engine.as_ptr();
            // SAFETY: hooks of one closure, which the library gives back once, also when the call fails.
            check(unsafe { sys::rondo_comm_create_with_hooks(engine, device.as_raw(), &hooks, options, &mut comm) })?;
            Ok(Comm::adopt(comm, self.engine))
        })
    }
}
