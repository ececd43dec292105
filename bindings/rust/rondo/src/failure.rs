//! How a closure ended that the C side has called inside of a call of this crate: its error, or its panic, goes to whoever
//! made that call, past the C side, which has a text for it only.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::null;

use rondo_sys as sys;

use crate::error::check;
use crate::{callback, Error, Result};

enum Failure {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

thread_local! {
    /// Where the innermost call of this thread finds it: on that call's stack, so that nothing is destroyed when the thread
    /// ends, and calls are possible until then.
    static PLACE: Cell<*const RefCell<Option<Failure>>> = const { Cell::new(null()) };
}

/// Makes a call of the C side, during which closures may fail. What the last one that did has left goes before the text of the C
/// side about it.
#[track_caller]
pub(crate) fn hear(call: impl FnOnce() -> sys::rondo_status) -> Result<()> {
    struct Former(*const RefCell<Option<Failure>>);
    impl Drop for Former {
        fn drop(&mut self) {
            PLACE.with(|place| place.set(self.0));
        }
    }
    let failure = RefCell::new(None);
    let former = Former(PLACE.with(|place| place.replace(&failure)));
    let status = call();
    drop(former);
    match (check(status), failure.into_inner()) {
        (Err(_), Some(Failure::Error(error))) => Err(error),
        (Err(_), Some(Failure::Panic(panic))) => resume_unwind(panic),
        (result, _) => result,
    }
}

/// Runs a closure that the C side calls, and leaves how it failed for who called the C side: the status says that it did.
pub(crate) fn tell<R>(closure: impl FnOnce() -> Result<R>) -> std::result::Result<R, sys::rondo_status> {
    let (failure, status) = match callback::guard(|| catch_unwind(AssertUnwindSafe(closure))) {
        Ok(Ok(Ok(result))) => return Ok(result),
        Ok(Ok(Err(error))) => {
            let status = error.kind().as_raw();
            (Failure::Error(error), status)
        }
        Ok(Err(panic)) => (Failure::Panic(panic), sys::RONDO_USER_ERROR),
        Err(text) => (Failure::Panic(Box::new(text)), sys::RONDO_USER_ERROR),
    };
    // SAFETY: null, or on the stack of a call of this thread that has not returned.
    let place = unsafe { PLACE.with(Cell::get).as_ref() };
    let dropped = match place {
        Some(place) => place.replace(Some(failure)),
        None => Some(failure),
    };
    let _ = callback::guard(|| drop(dropped)); // which may panic
    Err(status)
}
