//! What every function that the C side calls does first and last: note where the thread is, and let no panic out.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::any::Any;
use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};

thread_local! {
    /// How many calls from the C side this thread is inside.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Whether this thread is inside a call from the C side, where an engine must not be destroyed.
pub(crate) fn inside() -> bool {
    // A thread that is ending has no such variable any more, and is no worker of an engine either.
    DEPTH.try_with(Cell::get).unwrap_or(0) > 0
}

/// Runs a body for the C side. A panic comes back as its text.
pub(crate) fn guard<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    struct Level;
    impl Drop for Level {
        fn drop(&mut self) {
            let _ = DEPTH.try_with(|depth| depth.set(depth.get() - 1));
        }
    }
    let _level = DEPTH.try_with(|depth| depth.set(depth.get() + 1)).ok().map(|()| Level);
    // What the body leaves half done is the body's own: nothing of it is looked at afterwards but to be dropped.
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| {
        let text = text_of(&*panic);
        // What was thrown may panic when it is dropped.
        if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(another);
        }
        text
    })
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
