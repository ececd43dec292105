//! Messages between ranks that a closure of the program moves.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::os::raw::{c_char, c_void};

use rondo_sys as sys;

use crate::{callback, BoxError, Error, ErrorKind};

/// What a closure of [`CommBuilder::build_with`](crate::CommBuilder::build_with) does at a time.
#[non_exhaustive]
pub struct Step<'a> {
    /// Steps of other channels may be under way at the same time, and do not meet this one's; from 0.
    pub channel: i32,
    /// What this rank sends.
    pub sends: Vec<Message<&'a [u8]>>,
    /// What this rank receives: to be filled.
    pub receives: Vec<Message<&'a mut [u8]>>,
    stop: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    stop_arg: *mut c_void,
}

/// Bytes to or from another rank.
#[derive(Debug)]
#[non_exhaustive]
pub struct Message<T> {
    /// Where they go to, or come from.
    pub rank: i32,
    /// The bytes; none is possible.
    pub data: T,
}

// SAFETY: the library may be asked from any thread whether the step is to stop, while the step lasts.
unsafe impl Send for Step<'_> {}
unsafe impl Sync for Step<'_> {}

impl Step<'_> {
    /// Whether the closure is to give up and fail: the group has failed, or the time limit is over. To be asked now and then
    /// while it waits.
    ///
    /// ```
    /// # use rondo::{Comm, Device, Engine};
    /// # let engine = Engine::new()?;
    /// let alone = Comm::builder(&engine).rank(0, 1).build_with(Device::CPU, |step| {
    ///     assert!(!step.stopped());
    ///     Ok(())
    /// })?;
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn stopped(&self) -> bool {
        // SAFETY: inside the call that the step belongs to.
        self.stop.map_or(false, |stop| unsafe { stop(self.stop_arg) } != 0)
    }
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("channel", &self.channel)
            .field("sends", &self.sends.len())
            .field("receives", &self.receives.len())
            .finish()
    }
}

/// The closure as the C interface takes it. Whoever gets this calls `destroy` once.
pub(crate) fn hooks<F>(rank: i32, ranks: i32, exchange: F) -> sys::rondo_comm_hooks
where
    F: Fn(&mut Step<'_>) -> Result<(), BoxError> + Send + Sync + 'static,
{
    let mut hooks = sys::RONDO_COMM_HOOKS_INIT;
    hooks.rank = rank;
    hooks.ranks = ranks;
    hooks.exchange = Some(call::<F>);
    hooks.arg = Box::into_raw(Box::new(exchange)).cast();
    hooks.destroy = Some(destroy::<F>);
    hooks
}

/// As many items as are said; none may have no address.
///
/// # Safety
///
/// The items are there, and nothing writes them while they are lent.
unsafe fn list<'a, T>(first: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's.
    if count == 0 {
        &[]
    } else {
        unsafe { std::slice::from_raw_parts(first, count) }
    }
}

unsafe extern "C" fn call<F>(exchange: *mut c_void, raw: *mut sys::rondo_exchange_step) -> sys::rondo_status
where
    F: Fn(&mut Step<'_>) -> Result<(), BoxError>,
{
    // SAFETY: what `hooks` gave, which lives until `destroy`; a step that lasts as long as this call, with as many messages as it
    // says, each the memory of its own bytes.
    let (exchange, raw) = unsafe { (&*exchange.cast::<F>(), &*raw) };
    let (sends, receives) =
        unsafe { (list(raw.sends, raw.n_sends as usize), list(raw.receives, raw.n_receives as usize)) };
    let sent = |each: &sys::rondo_message| Message {
        rank: each.rank,
        // SAFETY: as above.
        data: unsafe { list(each.data.cast::<u8>() as *const u8, each.bytes) },
    };
    let received = |each: &sys::rondo_message| Message {
        rank: each.rank,
        data: if each.bytes == 0 {
            &mut [][..]
        } else {
            // SAFETY: as above. What comes goes where nothing may have been written before, so it is written first.
            unsafe {
                each.data.cast::<u8>().write_bytes(0, each.bytes);
                std::slice::from_raw_parts_mut(each.data.cast::<u8>(), each.bytes)
            }
        },
    };
    let mut step = Step {
        channel: raw.channel,
        sends: sends.iter().map(sent).collect(),
        receives: receives.iter().map(received).collect(),
        stop: raw.stop,
        stop_arg: raw.stop_arg,
    };
    let (kind, text) = match callback::guard(|| exchange(&mut step).map_err(describe)) {
        Ok(Ok(())) => return sys::RONDO_OK,
        Ok(Err(failure)) => failure,
        Err(panic) => (ErrorKind::UserError, format!("the exchange panicked: {}", panic)),
    };
    // SAFETY: room for that many bytes.
    unsafe { write_text(&text, raw.why, raw.why_capacity) };
    kind.as_raw()
}

fn describe(error: BoxError) -> (ErrorKind, String) {
    (error.downcast_ref::<Error>().map_or(ErrorKind::UserError, Error::kind), error.to_string())
}

/// As much of a text as there is room for, with a zero behind it.
///
/// # Safety
///
/// There is room for that many bytes.
unsafe fn write_text(text: &str, room: *mut c_char, capacity: usize) {
    let mut length = text.len().min(capacity.saturating_sub(1));
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    let text = text[..length].replace('\0', " ");
    if capacity > 0 {
        // SAFETY: the caller's; the text and its zero fit.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), room, text.len());
            *room.add(text.len()) = 0;
        }
    }
}

unsafe extern "C" fn destroy<F>(exchange: *mut c_void) {
    // SAFETY: what `hooks` gave, given back once. A panic of the closure's own drop goes no further.
    let _ = callback::guard(|| drop(unsafe { Box::from_raw(exchange.cast::<F>()) }));
}
