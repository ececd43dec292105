//! Memory that a program gives back when a pool has none left: for programs with caches of tensors.
//!
//! Tensors are given back when they are dropped, so a program without such caches needs none of this. All of it belongs
//! to the process, not to an engine.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::c_void;
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::error::check;
use crate::{callback, Result};

/// Has a closure called before a request for memory fails, in this process, by any engine, instead of the one before. It
/// is told how many bytes were asked for, and how often it was asked before for the same request; true has the request
/// tried again. It is called by whichever thread needs the memory, by several at once, may drop tensors and must call
/// nothing else of Rondo. A panic of it counts as false.
///
/// `host_limit`: how many bytes the pools of the cpu may have that begin from here on in engines without a limit of
/// their own; 0: as many as there are.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// let cache = Arc::new(Mutex::new(Vec::<rondo::Tensor>::new()));
/// let held = cache.clone();
/// rondo::reclaim::set(0, move |_bytes, attempt| {
///     held.lock().unwrap().clear();
///     attempt == 0
/// })?;
/// # rondo::reclaim::unset()?;
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a negative limit.
#[doc(alias = "rondo_set_reclaim")]
pub fn set<F>(host_limit: i64, closure: F) -> Result<()>
where
    F: Fn(i64, i32) -> bool + Send + Sync + 'static,
{
    let closure = Box::into_raw(Box::new(closure));
    // SAFETY: `call` and `destroy` are those of this type of closure, which the library gives back once, if it takes it.
    let taken =
        check(unsafe { sys::rondo_set_reclaim(Some(call::<F>), closure.cast(), Some(destroy::<F>), host_limit) });
    if taken.is_err() {
        // SAFETY: as above; it is nobody else's.
        drop(unsafe { Box::from_raw(closure) });
    }
    taken
}

/// Lets go of the closure: nobody is asked any more, and pools have no limit but their engines'.
///
/// ```
/// rondo::reclaim::unset()?;
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// None is expected.
pub fn unset() -> Result<()> {
    check(unsafe { sys::rondo_set_reclaim(None, null_mut(), None, 0) })
}

unsafe extern "C" fn call<F>(closure: *mut c_void, bytes: i64, attempt: i32) -> i32
where
    F: Fn(i64, i32) -> bool,
{
    // SAFETY: what `set` gave, which may be called by several threads at once.
    let closure = unsafe { &*closure.cast::<F>() };
    i32::from(callback::guard(|| closure(bytes, attempt)).unwrap_or(false))
}

unsafe extern "C" fn destroy<F>(closure: *mut c_void) {
    // SAFETY: what `set` gave, given back once.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(closure.cast::<F>()) }));
}
