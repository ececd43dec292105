//! Where in the program the tasks of a recording come from.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CString;
use std::panic::Location;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use rondo_sys as sys;

/// Whether a recording has been begun that notes it.
static NOTED: AtomicBool = AtomicBool::new(false);

/// A recording has been begun on this thread.
pub(crate) fn begun() {
    if is_noted() {
        NOTED.store(true, Ordering::Relaxed);
    }
}

/// After a call that may have recorded something: it comes from where the function of this crate was called.
#[track_caller]
#[inline]
pub(crate) fn called() {
    if NOTED.load(Ordering::Relaxed) {
        say(Location::caller());
    }
}

fn is_noted() -> bool {
    let mut noted = 0;
    // SAFETY: stores whether it is; there is nothing that fails.
    unsafe { sys::rondo_record_site(null(), &mut noted) };
    noted != 0
}

#[cold]
fn say(at: &Location<'_>) {
    if !is_noted() {
        return;
    }
    if let Ok(site) = CString::new(format!("{}:{}", at.file(), at.line())) {
        // SAFETY: a text that ends with a zero, which is copied.
        unsafe { sys::rondo_record_site(site.as_ptr(), null_mut()) };
    }
}
