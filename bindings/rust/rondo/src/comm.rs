//! Communicators: collectives between devices.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::fmt;
use std::ptr::{null, null_mut, NonNull};

use rondo_sys as sys;

use crate::device::c_string;
use crate::error::check;
pub use crate::generated::CommState;
use crate::ops::ReduceOp;
use crate::ops::{length, new};
use crate::tensor::made;
use crate::{Device, Engine, Error, ErrorKind, Result, Tensor};

/// One rank's end of a group of devices: collectives are operators that all ranks submit, in the same order.
///
/// ```no_run
/// use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let ends = Comm::all(&engine, &[Device::cuda(0), Device::cuda(1)])?;
/// let mut sums = Vec::new();
/// for end in &ends {
///     let mine = Tensor::from_slice(&engine, end.info()?.device, 2, &[1.0f32, 2.0])?;
///     sums.push(end.all_reduce(&mine, ReduceOp::Sum)?);
/// }
/// assert_eq!(sums[0].to_vec::<f32>()?, [2.0, 4.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
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
    /// The ends of a group for several devices of this process, one each; blocks until all are connected. An error of kind
    /// [`LibraryMissing`](ErrorKind::LibraryMissing) where NCCL is not there.
    ///
    /// ```no_run
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let ends = Comm::all(&engine, &[Device::cuda(0), Device::cuda(1)])?;
    /// assert_eq!(ends.len(), 2);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn all(engine: &Engine, devices: &[Device]) -> Result<Vec<Comm>> {
        let raw: Vec<_> = devices.iter().map(|each| each.as_raw()).collect();
        let mut handles = vec![null_mut(); devices.len()];
        // SAFETY: as many devices and places as the length says.
        check(unsafe {
            sys::rondo_comm_create_all(engine.as_ptr(), raw.as_ptr(), length(devices), null(), handles.as_mut_ptr())
        })?;
        Ok(handles.into_iter().map(|handle| Comm { handle: made(handle), engine: engine.clone() }).collect())
    }

    /// Splits a group: ends of the same colour form a new one, ranked by key, then by rank; a negative colour joins none. All
    /// ends must take part, those of this process in one call.
    ///
    /// ```no_run
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let ends = Comm::all(&engine, &[Device::cuda(0), Device::cuda(1)])?;
    /// let parts = Comm::split(&[&ends[0], &ends[1]], &[0, 0], &[1, 0])?;
    /// assert_eq!(parts[0].as_ref().unwrap().info()?.rank, 1);
    /// # Ok::<(), rondo::Error>(())
    /// ```
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
    /// ```no_run
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::cuda(0), Device::cuda(1)])?;
    /// if ends[0].check().is_err() {
    ///     let again = Comm::reform(&[&ends[0], &ends[1]])?;
    ///     again[0].barrier()?;
    /// }
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn reform(of: &[&Comm]) -> Result<Vec<Comm>> {
        let mut again = vec![null_mut(); of.len()];
        // SAFETY: as many of each as the length says.
        check(unsafe { sys::rondo_comm_reform(handles(of).as_ptr(), length(of), again.as_mut_ptr()) })?;
        Ok(ends(&of[0].engine, again).into_iter().flatten().collect())
    }

    /// Facts about this end.
    ///
    /// ```no_run
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::cuda(0), Device::cuda(1)])?;
    /// assert_eq!((ends[1].info()?.rank, ends[1].info()?.ranks), (1, 2));
    /// # Ok::<(), rondo::Error>(())
    /// ```
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
    /// ```no_run
    /// # fn look(end: &rondo::Comm) -> rondo::Result<()> {
    /// end.check()
    /// # }
    /// ```
    pub fn check(&self) -> Result<()> {
        check(unsafe { sys::rondo_comm_check(self.as_ptr()) })
    }

    /// Blocks until all collectives submitted on this end are done; their first failure.
    ///
    /// ```no_run
    /// # fn look(end: &rondo::Comm) -> rondo::Result<()> {
    /// end.barrier()?;
    /// end.wait()
    /// # }
    /// ```
    pub fn wait(&self) -> Result<()> {
        check(unsafe { sys::rondo_comm_wait(self.as_ptr()) })
    }

    /// Ends what is under way, on every rank, for this reason.
    ///
    /// ```no_run
    /// # fn give_up(end: &rondo::Comm) -> rondo::Result<()> {
    /// end.abort("the data are used up")
    /// # }
    /// ```
    pub fn abort(&self, reason: &str) -> Result<()> {
        let reason = c_string("Comm::abort", "reason", reason)?;
        check(unsafe { sys::rondo_comm_abort(self.as_ptr(), reason.as_ptr()) })
    }

    /// The reduction of all ranks' inputs (sum, product, minimum, maximum, mean), the same on every rank.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// let sum = end.all_reduce(mine, ReduceOp::Sum)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn all_reduce(&self, input: &Tensor, reduction: ReduceOp) -> Result<Tensor> {
        new(&self.engine, |out| unsafe {
            sys::rondo_comm_all_reduce(self.as_ptr(), input.as_ptr(), reduction.as_raw(), out)
        })
    }

    /// The same into a tensor that is there, which may be the input.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// end.all_reduce_into(mine, ReduceOp::Sum, mine)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn all_reduce_into(&self, input: &Tensor, reduction: ReduceOp, to: &Tensor) -> Result<()> {
        let mut out = to.as_ptr();
        check(unsafe { sys::rondo_comm_all_reduce(self.as_ptr(), input.as_ptr(), reduction.as_raw(), &mut out) })
    }

    /// The inputs of all ranks, one after the other along the first dimension.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// let all = end.all_gather(mine)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn all_gather(&self, input: &Tensor) -> Result<Tensor> {
        new(&self.engine, |out| unsafe { sys::rondo_comm_all_gather(self.as_ptr(), input.as_ptr(), out) })
    }

    /// This rank's part of the reduction; parts divide the first dimension.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// let part = end.reduce_scatter(mine, ReduceOp::Sum)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn reduce_scatter(&self, input: &Tensor, reduction: ReduceOp) -> Result<Tensor> {
        new(&self.engine, |out| unsafe {
            sys::rondo_comm_reduce_scatter(self.as_ptr(), input.as_ptr(), reduction.as_raw(), out)
        })
    }

    /// The tensor becomes what it is on rank `root`.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// end.broadcast(mine, 0)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn broadcast(&self, tensor: &Tensor, root: i32) -> Result<()> {
        check(unsafe { sys::rondo_comm_broadcast(self.as_ptr(), tensor.as_ptr(), root) })
    }

    /// On rank `root` the reduction of all ranks' inputs; on the others `None`.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// let sum = end.reduce(mine, ReduceOp::Sum, 0)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn reduce(&self, input: &Tensor, reduction: ReduceOp, root: i32) -> Result<Option<Tensor>> {
        let mut out = null_mut();
        check(unsafe { sys::rondo_comm_reduce(self.as_ptr(), input.as_ptr(), reduction.as_raw(), root, &mut out) })?;
        Ok(NonNull::new(out).map(|out| Tensor::adopt(out.as_ptr(), &self.engine)))
    }

    /// Part i of the input goes to rank i; the parts that come, in the order of ranks.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// let parts = end.all_to_all(mine)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn all_to_all(&self, input: &Tensor) -> Result<Tensor> {
        new(&self.engine, |out| unsafe { sys::rondo_comm_all_to_all(self.as_ptr(), input.as_ptr(), out) })
    }

    /// Sends the contents of a tensor to a rank, which must receive them.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// end.send(mine, 1)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn send(&self, tensor: &Tensor, peer: i32) -> Result<()> {
        check(unsafe { sys::rondo_comm_send(self.as_ptr(), tensor.as_ptr(), peer) })
    }

    /// The tensor becomes what a rank sends.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// end.receive(mine, 0)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn receive(&self, tensor: &Tensor, peer: i32) -> Result<()> {
        check(unsafe { sys::rondo_comm_receive(self.as_ptr(), tensor.as_ptr(), peer) })
    }

    /// A collective without data: done when every rank's is.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// end.barrier()?;
    /// end.wait()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn barrier(&self) -> Result<()> {
        check(unsafe { sys::rondo_comm_barrier(self.as_ptr()) })
    }

    /// What `calls` submits on this end is one group, whose parts run together: sends and receives that cross need it. Where
    /// `calls` fails, nothing of it should be expected on other ranks either.
    ///
    /// ```no_run
    /// # use rondo::{ops::ReduceOp, Comm, Result, Tensor};
    /// # fn rank(end: &Comm, mine: &Tensor) -> Result<()> {
    /// end.group(|| {
    ///     end.send(mine, 1)?;
    ///     end.receive(mine, 1)
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn group<R>(&self, calls: impl FnOnce() -> Result<R>) -> Result<R> {
        struct Open<'a>(&'a Comm);
        impl Drop for Open<'_> {
            fn drop(&mut self) {
                // SAFETY: a group of this thread that is open; the end is alive.
                unsafe { sys::rondo_comm_group_end(self.0.as_ptr()) };
            }
        }
        check(unsafe { sys::rondo_comm_group_begin(self.as_ptr()) })?;
        let open = Open(self);
        let made = calls()?;
        std::mem::forget(open);
        check(unsafe { sys::rondo_comm_group_end(self.as_ptr()) })?;
        Ok(made)
    }

    /// The handle of the C interface, which stays this end's.
    ///
    /// ```no_run
    /// # fn raw(end: &rondo::Comm) {
    /// assert!(!end.as_ptr().is_null());
    /// # }
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
