//! The C interface of Rondo, a GPU runtime, as the headers have it. Use the crate `rondo` instead, unless you
//! need what it does not have.
//!
//! # Where the library comes from
//!
//! The first of these that there is:
//!
//! 1. The folder in `RONDO_LIB_DIR`.
//! 2. With the feature `vendored`, the C++ sources, as in 6.
//! 3. The static library in this package, for x86-64 Linux with glibc. The SHA-256 beside it is compared.
//! 4. In a checkout, the newest library of this version that Meson has built there. A warning says which.
//! 5. pkg-config, if it knows a `rondo` of this version or a later compatible one.
//! 6. The C++ sources in this package, compiled with the compiler that `CXX` names, GCC 12 or newer: once for each target
//!    folder, and only when code is made, so not by `cargo check` or `cargo doc`. `RONDO_NO_VENDOR` forbids it.
//!
//! What is built stays when `PKG_CONFIG_PATH`, `PATH` or `CXX` change.
//!
//! The feature `static` links `librondo.a` instead of `librondo.so` where a library is found (1, 4 and 5). Neither Meson
//! nor Python nor the network is needed. Nothing links CUDA: Rondo opens its libraries when they are used.
//!
//! Crates that depend on this one find the folder of the C headers in `DEP_RONDO_INCLUDE`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(non_camel_case_types, clippy::all, clippy::pedantic, rustdoc::all)]

mod bindings;
pub use bindings::*;

/// The loader's functions, for the library `librondo_onnx`, which nothing links.
#[doc(hidden)]
pub mod loader {
    use std::os::raw::{c_char, c_int, c_void};

    extern "C" {
        pub fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
        pub fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
        pub fn dlerror() -> *const c_char;
    }
}

rondo_sys_build::vendored!();
