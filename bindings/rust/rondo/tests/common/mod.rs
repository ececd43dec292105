//! What the tests share: the devices to run on, and a way to await.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(dead_code)] // each test file uses its part

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::Duration;

use rondo::{Device, DeviceKind, Engine, EngineMode};

/// The cpu, and the first CUDA device where there is one. The run that has the simulated driver sets
/// RONDO_TEST_NEEDS_CUDA, so that a driver that does not open is a failure and not half a test.
pub fn devices() -> Vec<Device> {
    let mut devices = vec![Device::CPU];
    if Device::count(DeviceKind::Cuda).unwrap() > 0 {
        devices.push(Device::cuda(0));
    }
    let needed = std::env::var_os("RONDO_TEST_NEEDS_CUDA").is_some();
    assert!(!needed || devices.len() == 2, "no CUDA device: {}", rondo::feature("cuda").unwrap().reason);
    devices
}

/// One engine of each mode.
pub fn engines() -> impl Iterator<Item = Engine> {
    let modes = [EngineMode::Async, EngineMode::Threaded, EngineMode::Naive];
    modes.into_iter().map(|mode| Engine::builder().mode(mode).workers(2).build().unwrap())
}

/// Every engine mode on every device.
pub fn everywhere(mut test: impl FnMut(&Engine, Device)) {
    for engine in engines() {
        for device in devices() {
            test(&engine, device);
        }
    }
}

/// Waits for what happens a moment after a wait has returned: whoever lets go of a task last may be another thread.
pub fn eventually(mut happened: impl FnMut() -> bool) -> bool {
    (0..1000).any(|_| {
        happened() || {
            thread::sleep(Duration::from_millis(5));
            false
        }
    })
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The smallest executor: this thread, asleep until it is woken.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut future = Box::pin(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        thread::park();
    }
}
