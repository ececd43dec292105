//! Communicators: collectives between devices.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::fmt;
use std::ptr::{null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
pub use crate::generated::CommState;
use crate::ops::length;
use crate::tensor::made;
use crate::{Device, Engine, Error, ErrorKind, Result};

/// One rank's end of a group of devices: collectives are operators that all ranks submit, in the same order.
///
/// Ranks are devices of one process ([`Comm::all`]), or processes ([`Comm::from_launcher`]), or both. When a rank dies, leaves or does
/// not come in time, what is under way ends on every other rank with an error of kind [`RankLost`](ErrorKind::RankLost) or
/// [`TimedOut`](ErrorKind::TimedOut), and so does each later call; [`Comm::reform`] makes a group of those left.
///
/// ```
/// use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let ends = Comm::all(&engine, &[Device::CPU, Device::CPU])?; // or different CUDA devices
/// let mut sums = Vec::new();
/// for end in &ends {
///     let mine = Tensor::from_slice(&engine, end.info()?.device, 2, &[1.0f32, 2.0])?;
///     sums.push(end.all_reduce(&mine, ReduceOp::Sum)?); // returns when it is ordered, as any operator
/// }
/// assert_eq!(sums[0].to_vec::<f32>()?, [2.0, 4.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[doc(alias = "rondo_comm")]
pub struct Comm {
    handle: NonNull<sys::rondo_comm>,
    engine: Engine, // after the handle: it may be the last of its engine
}

// SAFETY: every function on a communicator is thread-safe, and it is destroyed by its one owner.
unsafe impl Send for Comm {}
unsafe impl Sync for Comm {}

/// Facts about an end, from [`Comm::info`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommInfo {
    /// Its rank, from 0.
    pub rank: i32,
    /// How many ends the group has.
    pub ranks: i32,
    /// The device it is on.
    pub device: Device,
    /// Whether the group works.
    pub state: CommState,
    /// The library that moves the data, by NCCL's number, such as 23007; 0 where it is none.
    pub version: i32,
    /// Collectives ordered so far.
    pub submitted: i64,
    /// What moves the data, such as `nccl`.
    pub transport: String,
}

fn ends(engine: &Engine, handles: Vec<*mut sys::rondo_comm>) -> Vec<Option<Comm>> {
    let end = |handle| NonNull::new(handle).map(|handle| Comm { handle, engine: engine.clone() });
    handles.into_iter().map(end).collect()
}

fn handles(ends: &[&Comm]) -> Vec<*mut sys::rondo_comm> {
    ends.iter().map(|end| end.as_ptr()).collect()
}

fn lengths_differ(what: &str, given: usize, ends: usize) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("Comm::split: {} {} for {} ends", given, what, ends))
}

impl Comm {
    /// The ends of a group for several devices of this process, one each: different CUDA devices, or the cpu as often as there
    /// are to be ranks. Blocks until all are connected. An error of kind [`LibraryMissing`](ErrorKind::LibraryMissing) where
    /// CUDA devices need NCCL, which is not there. [`Comm::builder`] has options.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let ends = Comm::all(&engine, &[Device::CPU; 3])?;
    /// assert_eq!(ends[2].info()?.rank, 2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`CommBuilder::build_all`](crate::CommBuilder::build_all).
    pub fn all(engine: &Engine, devices: &[Device]) -> Result<Vec<Comm>> {
        Comm::builder(engine).build_all(devices)
    }

    pub(crate) fn adopt(handle: *mut sys::rondo_comm, engine: &Engine) -> Comm {
        Comm { handle: made(handle), engine: engine.clone() }
    }

    /// The engine it belongs to.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let end = Comm::from_launcher(&engine, Device::CPU)?;
    /// assert_eq!(end.engine().as_ptr(), engine.as_ptr());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Splits a group: ends of the same colour form a new one, ranked by key, then by rank; a negative colour joins none. All
    /// ends must take part, those of this process in one call.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// let parts = Comm::split(&[&ends[0], &ends[1]], &[0, 0], &[1, 0])?;
    /// assert_eq!(parts[0].as_ref().unwrap().info()?.rank, 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the lists are of different lengths or not all
    /// ends are there; [`RankLost`](crate::ErrorKind::RankLost) or [`TimedOut`](crate::ErrorKind::TimedOut) where
    /// others do not come.
    #[doc(alias = "rondo_comm_split")]
    pub fn split(of: &[&Comm], colours: &[i32], keys: &[i32]) -> Result<Vec<Option<Comm>>> {
        if colours.len() != of.len() {
            return Err(lengths_differ("colours", colours.len(), of.len()));
        }
        if keys.len() != of.len() {
            return Err(lengths_differ("keys", keys.len(), of.len()));
        }
        let mut parts = vec![null_mut(); of.len()];
        // SAFETY: as many of each as the length says.
        check(unsafe {
            sys::rondo_comm_split(handles(of).as_ptr(), length(of), colours.as_ptr(), keys.as_ptr(), parts.as_mut_ptr())
        })?;
        Ok(ends(&of[0].engine, parts))
    }

    /// A group of the ranks that are left of one that has failed.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// ends[0].abort("to begin anew")?;
    /// while ends[1].check().is_ok() {
    ///     std::thread::yield_now(); // it hears of it a moment later
    /// }
    /// let again = Comm::reform(&[&ends[0], &ends[1]])?;
    /// assert_eq!(again[1].info()?.ranks, 2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidState`](crate::ErrorKind::InvalidState) where nothing has failed; the new failure where those who are
    /// left do not meet.
    #[doc(alias = "rondo_comm_reform")]
    pub fn reform(of: &[&Comm]) -> Result<Vec<Comm>> {
        let mut again = vec![null_mut(); of.len()];
        // SAFETY: as many of each as the length says.
        check(unsafe { sys::rondo_comm_reform(handles(of).as_ptr(), length(of), again.as_mut_ptr()) })?;
        Ok(ends(&of[0].engine, again).into_iter().flatten().collect())
    }

    /// Facts about this end.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// assert_eq!((ends[1].info()?.rank, ends[1].info()?.ranks), (1, 2));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected while the end lives.
    #[doc(alias = "rondo_comm_query")]
    pub fn info(&self) -> Result<CommInfo> {
        let mut info = sys::RONDO_COMM_INFO_INIT;
        check(unsafe { sys::rondo_comm_query(self.as_ptr(), &mut info) })?;
        Ok(CommInfo {
            rank: info.rank,
            ranks: info.ranks,
            device: Device::from_raw(info.device)?,
            state: if info.state == sys::RONDO_COMM_WORKING { CommState::Working } else { CommState::Failed },
            version: info.version,
            submitted: info.submitted,
            // SAFETY: a static text.
            transport: unsafe { CStr::from_ptr(info.transport) }.to_string_lossy().into_owned(),
        })
    }

    /// The cause if the group has failed. Never waits.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let end = rondo::Comm::from_launcher(&engine, rondo::Device::CPU)?;
    /// end.check()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Why the group has failed.
    #[doc(alias = "rondo_comm_check")]
    pub fn check(&self) -> Result<()> {
        check(unsafe { sys::rondo_comm_check(self.as_ptr()) })
    }

    /// Blocks until all collectives submitted on this end are done; their first failure.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let end = rondo::Comm::from_launcher(&engine, rondo::Device::CPU)?;
    /// end.barrier()?;
    /// end.wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The group's failure: [`RankLost`](crate::ErrorKind::RankLost), [`TimedOut`](crate::ErrorKind::TimedOut), or
    /// the cause that [`Comm::abort`] was given.
    #[doc(alias = "rondo_comm_wait")]
    pub fn wait(&self) -> Result<()> {
        check(unsafe { sys::rondo_comm_wait(self.as_ptr()) })
    }

    /// Ends what is under way, on every rank, for this reason.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let ends = rondo::Comm::all(&engine, &[rondo::Device::CPU; 2])?;
    /// ends[0].abort("the data are used up")?;
    /// assert!(ends[0].check().unwrap_err().message().contains("the data are used up"));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None is expected; on a group that has failed already it does nothing.
    #[doc(alias = "rondo_comm_abort")]
    pub fn abort(&self, reason: &str) -> Result<()> {
        let reason = c_string("Comm::abort", "reason", reason)?;
        check(unsafe { sys::rondo_comm_abort(self.as_ptr(), reason.as_ptr()) })
    }

    /// The handle of the C interface, which stays this end's.
    ///
    /// ```
    /// # let engine = rondo::Engine::new()?;
    /// # let end = rondo::Comm::from_launcher(&engine, rondo::Device::CPU)?;
    /// assert!(!end.as_ptr().is_null());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn as_ptr(&self) -> *mut sys::rondo_comm {
        self.handle.as_ptr()
    }
}

impl Drop for Comm {
    fn drop(&mut self) {
        // SAFETY: the one owner destroys it once.
        unsafe { sys::rondo_comm_destroy(self.as_ptr()) }
    }
}

impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Comm").field("info", &self.info().ok()).finish()
    }
}
