//! Control flow: what runs is decided by a number on a device.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::addr_of_mut;

use rondo_sys as sys;

use crate::callback;
use crate::error::check;
use crate::{Engine, Error, Result, Tensor};

/// How the closures of a call ended that did not end well.
enum Failure<E> {
    Error(E),
    Panic(Box<dyn Any + Send>),
}

/// A closure that issues operators, and where it leaves its failure.
struct Body<'a, E> {
    issue: &'a mut dyn FnMut() -> Result<(), E>,
    failure: &'a RefCell<Option<Failure<E>>>,
}

/// Calls the body that `argument` points to.
unsafe extern "C" fn call<E>(argument: *mut c_void) -> sys::rondo_status {
    // SAFETY: the C side gives back what `Engine` has given it, during the call and on the same thread.
    let body = unsafe { &mut *argument.cast::<Body<'_, E>>() };
    let ended = callback::guard(|| catch_unwind(AssertUnwindSafe(|| (body.issue)())));
    let failure = match ended {
        Ok(Ok(Ok(()))) => return sys::RONDO_OK,
        Ok(Ok(Err(error))) => Failure::Error(error),
        Ok(Err(panic)) => Failure::Panic(panic),
        Err(text) => Failure::Panic(Box::new(text)),
    };
    *body.failure.borrow_mut() = Some(failure);
    sys::RONDO_USER_ERROR
}

/// The first or the second of two bodies.
unsafe extern "C" fn call_first<E>(argument: *mut c_void) -> sys::rondo_status {
    // SAFETY: as in `call`; the argument is an array of two.
    unsafe { call::<E>(argument) }
}
unsafe extern "C" fn call_second<E>(argument: *mut c_void) -> sys::rondo_status {
    // SAFETY: as in `call`; the argument is an array of two.
    unsafe { call::<E>(argument.cast::<Body<'_, E>>().add(1).cast()) }
}

/// What a call comes to: the failure of a closure goes before the text of the C side about it.
#[track_caller]
fn end<E: From<Error>>(status: sys::rondo_status, failure: &RefCell<Option<Failure<E>>>) -> Result<(), E> {
    match failure.borrow_mut().take() {
        Some(Failure::Error(error)) => Err(error),
        Some(Failure::Panic(panic)) => resume_unwind(panic),
        None => Ok(check(status)?),
    }
}

impl Engine {
    /// Runs one of two closures: `then` if the condition is true, else `otherwise`.
    ///
    /// Outside of a recording it waits for the condition. In one both closures are called once, what they issue becomes
    /// bodies of the graph, and each launch decides anew, without blocking the calling thread. What a body is to leave
    /// behind it writes into tensors that were made before.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
    /// let y = Tensor::zeros(&engine, Device::CPU, rondo::DType::F32, 3)?;
    /// let (graph, ()) = engine.record(|| {
    ///     let positive = x.sum(..)?.gt(0.0)?;
    ///     engine.if_else(&positive, || y.add_assign(&x), || y.sub_assign(&x))
    /// })?;
    /// graph.launch()?;
    /// assert_eq!(y.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// x.write(&[-1.0f32, -1.0, -1.0])?;
    /// graph.launch()?;
    /// assert_eq!(y.to_vec::<f32>()?, [2.0, 3.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What a closure returns; then a recording is as if the call had not been made.
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a condition that is not one element of dtype bool;
    /// [`Unsupported`](crate::ErrorKind::Unsupported) in a recording while a tape is open on the thread.
    #[doc(alias = "rondo_if")]
    #[track_caller]
    pub fn if_else<E: From<Error>>(
        &self,
        condition: &Tensor,
        mut then: impl FnMut() -> Result<(), E>,
        mut otherwise: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let failure = RefCell::new(None);
        let mut bodies =
            [Body { issue: &mut then, failure: &failure }, Body { issue: &mut otherwise, failure: &failure }];
        let argument = bodies.as_mut_ptr().cast();
        let (yes, no): (sys::rondo_body_fn, sys::rondo_body_fn) = (Some(call_first::<E>), Some(call_second::<E>));
        let status = unsafe { sys::rondo_if(self.as_ptr(), condition.as_ptr(), yes, no, argument) };
        end(status, &failure)
    }

    /// The same, with nothing to do if the condition is false.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 2, &[8.0f32, 2.0])?;
    /// engine.if_true(&x.max(..)?.gt(4.0)?, || x.mul_assign(0.5))?;
    /// assert_eq!(x.to_vec::<f32>()?, [4.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`if_else`](Engine::if_else).
    #[track_caller]
    pub fn if_true<E: From<Error>>(
        &self,
        condition: &Tensor,
        mut then: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let failure = RefCell::new(None);
        let mut body = Body { issue: &mut then, failure: &failure };
        let argument = addr_of_mut!(body).cast();
        let status = unsafe { sys::rondo_if(self.as_ptr(), condition.as_ptr(), Some(call::<E>), None, argument) };
        end(status, &failure)
    }

    /// Runs a closure as long as the condition is true, which the closure writes; at most `limit` times, if there is one.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[100.0f32])?;
    /// let (graph, ()) = engine.record(|| {
    ///     let going = x.gt(1.0)?;
    ///     engine.while_true(&going, None, || {
    ///         x.mul_assign(0.5)?;
    ///         rondo::ops::binary_into(rondo::ops::BinaryOp::Gt, &x, 1.0, &going)
    ///     })
    /// })?;
    /// graph.launch()?;
    /// assert_eq!(x.to_vec::<f32>()?, [0.78125]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`if_else`](Engine::if_else); [`InvalidArgument`](crate::ErrorKind::InvalidArgument) in a recording if there is
    /// neither a limit nor a write of the condition.
    #[doc(alias = "rondo_while")]
    #[track_caller]
    pub fn while_true<E: From<Error>>(
        &self,
        condition: &Tensor,
        limit: impl Into<Option<u32>>,
        mut body: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let limit = limit.into();
        if limit == Some(0) {
            return Ok(());
        }
        let failure = RefCell::new(None);
        let mut body = Body { issue: &mut body, failure: &failure };
        let argument = addr_of_mut!(body).cast();
        let turns = i64::from(limit.unwrap_or(0));
        let status = unsafe { sys::rondo_while(self.as_ptr(), condition.as_ptr(), Some(call::<E>), turns, argument) };
        end(status, &failure)
    }

    /// Runs the closure that an index (one element of dtype i32 or i64) chooses, or none if there is no such closure.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, 1, &[3.0f32])?;
    /// let index = Tensor::from_slice(&engine, Device::CPU, 1, &[1i64])?;
    /// engine.switch_to::<rondo::Error>(&index, &mut [&mut || x.add_assign(1.0), &mut || x.mul_assign(&x)])?;
    /// assert_eq!(x.to_vec::<f32>()?, [9.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`if_else`](Engine::if_else).
    #[doc(alias = "rondo_switch")]
    #[track_caller]
    pub fn switch_to<E: From<Error>>(
        &self,
        index: &Tensor,
        bodies: &mut [&mut dyn FnMut() -> Result<(), E>],
    ) -> Result<(), E> {
        let failure = RefCell::new(None);
        let mut bodies: Vec<Body<'_, E>> =
            bodies.iter_mut().map(|issue| Body { issue: &mut **issue, failure: &failure }).collect();
        let functions: Vec<sys::rondo_body_fn> = bodies.iter().map(|_| Some(call::<E> as _)).collect();
        let arguments: Vec<*mut c_void> = bodies
            .iter_mut()
            .map(|each| {
                let each: *mut Body<'_, E> = each;
                each.cast()
            })
            .collect();
        let count = i32::try_from(bodies.len()).unwrap_or(i32::MAX);
        let status =
            unsafe { sys::rondo_switch(self.as_ptr(), index.as_ptr(), count, functions.as_ptr(), arguments.as_ptr()) };
        end(status, &failure)
    }
}
