//! What is made from the C headers: enums, and a method for each operator. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
mod binary_activations;
mod binary_arithmetic;
mod binary_comparison;
mod binary_integers;
mod enums;
mod names;
pub(crate) mod normalisations;
mod reduce;
mod ternary;
mod unary_activations;
mod unary_exact;
mod unary_powers;
mod unary_special;
mod unary_trigonometric;

pub use self::enums::*;
pub(crate) use self::names::*;
