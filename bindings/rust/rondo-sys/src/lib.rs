//! The C interface of Rondo, a GPU runtime, as the headers have it. Use the crate `rondo` instead, unless you
//! need what it does not have.
//!
//! # Where the library comes from
//!
//! 1. The folder in `RONDO_LIB_DIR`, if that is set.
//! 2. pkg-config, if it knows a `rondo` of this version or a later compatible one, and the feature `vendored` is off.
//! 3. The C++ sources in this package, compiled with the compiler that `CXX` names, GCC 12 or newer: once for each target
//!    folder, and only when code is made, so not by `cargo check` or `cargo doc`. `RONDO_NO_VENDOR` forbids it.
//!
//! The feature `static` links `librondo.a` instead of `librondo.so` in the first two cases. Neither Meson nor Python nor
//! the network is needed. Nothing links CUDA: Rondo opens its libraries when they are used.
//!
//! Crates that depend on this one find the folder of the C headers in `DEP_RONDO_INCLUDE`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#![allow(non_camel_case_types, clippy::all, clippy::pedantic, rustdoc::all)]

mod bindings;
pub use bindings::*;

rondo_sys_build::vendored!();
