//! Collectives: what all ranks of a group compute together.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::{null_mut, NonNull};

use rondo_sys as sys;

use crate::error::check;
use crate::ops::{into, new, ReduceOp};
use crate::{Comm, Result, Tensor};

/// Each is submitted by all ranks, in the same order; the examples show both ranks of a group in one process. Those that end
/// in `_into` write a tensor that is there.
impl Comm {
    /// The reduction of all ranks' inputs (sum, product, minimum, maximum, mean), the same on every rank.
    ///
    /// ```
    /// # use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// # let other = Tensor::from_slice(&engine, Device::CPU, 2, &[5.0f32, 6.0])?;
    /// let means = [ends[0].all_reduce(&one, ReduceOp::Mean)?, ends[1].all_reduce(&other, ReduceOp::Mean)?];
    /// assert_eq!(means[0].to_vec::<f32>()?, [3.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the tensor is not on this end's device or the
    /// reduction is not one for its dtype; the group's failure once it has failed
    /// ([`RankLost`](crate::ErrorKind::RankLost), [`TimedOut`](crate::ErrorKind::TimedOut)). What fails on the way is
    /// told by waits on the result.
    #[doc(alias = "rondo_comm_all_reduce")]
    #[track_caller]
    pub fn all_reduce(&self, input: &Tensor, reduction: ReduceOp) -> Result<Tensor> {
        new(self.engine(), |out| unsafe {
            sys::rondo_comm_all_reduce(self.as_ptr(), input.as_ptr(), reduction.as_raw(), out)
        })
    }

    /// The same into a tensor that is there, which may be the input.
    ///
    /// ```
    /// # use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let end = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let mine = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// end.all_reduce_into(&mine, ReduceOp::Sum, &mine)?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Comm::all_reduce`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` has another
    /// shape, dtype or device.
    #[track_caller]
    pub fn all_reduce_into(&self, input: &Tensor, reduction: ReduceOp, out: &Tensor) -> Result<()> {
        into(out, |out| unsafe { sys::rondo_comm_all_reduce(self.as_ptr(), input.as_ptr(), reduction.as_raw(), out) })
    }

    /// The inputs of all ranks, one after the other along the first dimension.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// # let other = Tensor::from_slice(&engine, Device::CPU, 1, &[5.0f32])?;
    /// let all = [ends[0].all_gather(&one)?, ends[1].all_gather(&other)?];
    /// assert_eq!(all[1].to_vec::<f32>()?, [1.0, 5.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the tensor is not on this end's device; the
    /// group's failure once it has failed.
    #[doc(alias = "rondo_comm_all_gather")]
    #[track_caller]
    pub fn all_gather(&self, input: &Tensor) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_comm_all_gather(self.as_ptr(), input.as_ptr(), out) })
    }

    /// The same into a tensor that is there.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let end = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let mine = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// # let all = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 2)?;
    /// end.all_gather_into(&mine, &all)?;
    /// assert_eq!(all.to_vec::<f32>()?, [1.0, 2.0]); // of a rank that is alone
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Comm::all_gather`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
    #[track_caller]
    pub fn all_gather_into(&self, input: &Tensor, out: &Tensor) -> Result<()> {
        into(out, |out| unsafe { sys::rondo_comm_all_gather(self.as_ptr(), input.as_ptr(), out) })
    }

    /// This rank's part of the reduction; parts divide the first dimension.
    ///
    /// ```
    /// # use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// # let other = Tensor::from_slice(&engine, Device::CPU, 2, &[5.0f32, 6.0])?;
    /// let parts = [ends[0].reduce_scatter(&one, ReduceOp::Sum)?, ends[1].reduce_scatter(&other, ReduceOp::Sum)?];
    /// assert_eq!(parts[1].to_vec::<f32>()?, [8.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the first size is no multiple of the number of
    /// ranks, else as [`Comm::all_reduce`].
    #[doc(alias = "rondo_comm_reduce_scatter")]
    #[track_caller]
    pub fn reduce_scatter(&self, input: &Tensor, reduction: ReduceOp) -> Result<Tensor> {
        new(self.engine(), |out| unsafe {
            sys::rondo_comm_reduce_scatter(self.as_ptr(), input.as_ptr(), reduction.as_raw(), out)
        })
    }

    /// The same into a tensor that is there.
    ///
    /// ```
    /// # use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let end = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let mine = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// # let part = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 2)?;
    /// end.reduce_scatter_into(&mine, ReduceOp::Max, &part)?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce_scatter`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not
    /// fit.
    #[track_caller]
    pub fn reduce_scatter_into(&self, input: &Tensor, reduction: ReduceOp, out: &Tensor) -> Result<()> {
        into(out, |out| unsafe {
            sys::rondo_comm_reduce_scatter(self.as_ptr(), input.as_ptr(), reduction.as_raw(), out)
        })
    }

    /// The tensor becomes what it is on rank `root`.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// # let other = Tensor::from_slice(&engine, Device::CPU, 1, &[5.0f32])?;
    /// ends[0].broadcast(&one, 1)?;
    /// ends[1].broadcast(&other, 1)?;
    /// assert_eq!(one.to_vec::<f32>()?, [5.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where `root` is no rank or the tensor is not on this
    /// end's device; the group's failure once it has failed.
    #[doc(alias = "rondo_comm_broadcast")]
    #[track_caller]
    pub fn broadcast(&self, tensor: &Tensor, root: i32) -> Result<()> {
        check(unsafe { sys::rondo_comm_broadcast(self.as_ptr(), tensor.as_ptr(), root) })
    }

    /// On rank `root` the reduction of all ranks' inputs; on the others `None`.
    ///
    /// ```
    /// # use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// # let other = Tensor::from_slice(&engine, Device::CPU, 1, &[5.0f32])?;
    /// let sum = ends[0].reduce(&one, ReduceOp::Sum, 0)?;
    /// assert!(ends[1].reduce(&other, ReduceOp::Sum, 0)?.is_none());
    /// assert_eq!(sum.unwrap().to_vec::<f32>()?, [6.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where `root` is no rank, else as [`Comm::all_reduce`].
    #[doc(alias = "rondo_comm_reduce")]
    #[track_caller]
    pub fn reduce(&self, input: &Tensor, reduction: ReduceOp, root: i32) -> Result<Option<Tensor>> {
        let mut out = null_mut();
        check(unsafe { sys::rondo_comm_reduce(self.as_ptr(), input.as_ptr(), reduction.as_raw(), root, &mut out) })?;
        Ok(NonNull::new(out).map(|out| Tensor::adopt(out.as_ptr(), self.engine())))
    }

    /// The same into a tensor that is there, which may be the input, and which other ranks leave as it is.
    ///
    /// ```
    /// # use rondo::{ops::ReduceOp, Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let end = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let mine = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// end.reduce_into(&mine, ReduceOp::Sum, 0, &mine)?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Comm::reduce`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
    #[track_caller]
    pub fn reduce_into(&self, input: &Tensor, reduction: ReduceOp, root: i32, out: &Tensor) -> Result<()> {
        into(out, |out| unsafe { sys::rondo_comm_reduce(self.as_ptr(), input.as_ptr(), reduction.as_raw(), root, out) })
    }

    /// Part i of the input goes to rank i; the parts that come, in the order of ranks.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// # let other = Tensor::from_slice(&engine, Device::CPU, 2, &[5.0f32, 6.0])?;
    /// let parts = [ends[0].all_to_all(&one)?, ends[1].all_to_all(&other)?];
    /// assert_eq!(parts[0].to_vec::<f32>()?, [1.0, 5.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the first size is no multiple of the number of
    /// ranks; the group's failure once it has failed.
    #[doc(alias = "rondo_comm_all_to_all")]
    #[track_caller]
    pub fn all_to_all(&self, input: &Tensor) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_comm_all_to_all(self.as_ptr(), input.as_ptr(), out) })
    }

    /// The same into a tensor that is there, which is not the input.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let end = Comm::from_launcher(&engine, Device::CPU)?;
    /// # let mine = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
    /// # let parts = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 2)?;
    /// end.all_to_all_into(&mine, &parts)?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Comm::all_to_all`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
    #[track_caller]
    pub fn all_to_all_into(&self, input: &Tensor, out: &Tensor) -> Result<()> {
        into(out, |out| unsafe { sys::rondo_comm_all_to_all(self.as_ptr(), input.as_ptr(), out) })
    }

    /// Sends the contents of a tensor to a rank, which must receive them.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// # let other = Tensor::from_slice(&engine, Device::CPU, 1, &[5.0f32])?;
    /// ends[0].send(&one, 1)?;
    /// ends[1].receive(&other, 0)?;
    /// assert_eq!(other.to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where `peer` is no other rank or the tensor is not on
    /// this end's device; the group's failure once it has failed.
    #[doc(alias = "rondo_comm_send")]
    #[track_caller]
    pub fn send(&self, tensor: &Tensor, peer: i32) -> Result<()> {
        check(unsafe { sys::rondo_comm_send(self.as_ptr(), tensor.as_ptr(), peer) })
    }

    /// The tensor becomes what a rank sends.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// # let one = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// ends[0].receive(&one, 1)?;
    /// ends[1].send(&Tensor::from_slice(&engine, Device::CPU, 1, &[5.0f32])?, 0)?;
    /// assert_eq!(one.to_vec::<f32>()?, [5.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    #[doc(alias = "rondo_comm_receive")]
    #[track_caller]
    pub fn receive(&self, tensor: &Tensor, peer: i32) -> Result<()> {
        check(unsafe { sys::rondo_comm_receive(self.as_ptr(), tensor.as_ptr(), peer) })
    }

    /// A collective without data: done when every rank's is.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// for end in &ends {
    ///     end.barrier()?;
    /// }
    /// ends[0].wait()?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The group's failure once it has failed.
    #[doc(alias = "rondo_comm_barrier")]
    #[track_caller]
    pub fn barrier(&self) -> Result<()> {
        check(unsafe { sys::rondo_comm_barrier(self.as_ptr()) })
    }

    /// What `calls` submits on this end is one task, whose parts run together: sends and receives that cross need it. Where
    /// `calls` fails or panics, nothing of it is submitted.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let ends = Comm::all(&engine, &[Device::CPU; 2])?;
    /// let mut theirs = Vec::new();
    /// for (rank, end) in ends.iter().enumerate() {
    ///     let (mine, peer) = (Tensor::from_slice(&engine, Device::CPU, 1, &[rank as i32])?, 1 - rank as i32);
    ///     theirs.push(Tensor::from_slice(&engine, Device::CPU, 1, &[-1])?);
    ///     end.group(|| {
    ///         end.send(&mine, peer)?;
    ///         end.receive(&theirs[rank], peer)
    ///     })?;
    /// }
    /// assert_eq!((theirs[0].item::<i32>()?, theirs[1].item::<i32>()?), (1, 0));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the closure returns, or what is wrong with the calls together;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) inside another group.
    #[doc(alias = "rondo_comm_group_begin")]
    #[doc(alias = "rondo_comm_group_end")]
    #[track_caller]
    pub fn group<R>(&self, calls: impl FnOnce() -> Result<R>) -> Result<R> {
        struct Open<'a>(&'a Comm);
        impl Drop for Open<'_> {
            fn drop(&mut self) {
                // A call that fails sees to it that nothing is submitted.
                // SAFETY: a group of this thread that is open; the end is alive.
                unsafe {
                    sys::rondo_comm_send(self.0.as_ptr(), null_mut(), 0);
                    sys::rondo_comm_group_end(self.0.as_ptr());
                }
            }
        }
        check(unsafe { sys::rondo_comm_group_begin(self.as_ptr()) })?;
        let open = Open(self);
        let made = calls()?;
        std::mem::forget(open);
        check(unsafe { sys::rondo_comm_group_end(self.as_ptr()) })?;
        Ok(made)
    }
}
