//! What is made from the C headers: enums, and a method for each operator. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod binary;
mod enums;
mod reduce;
mod ternary;
mod unary;

pub use self::enums::*;
