//! What a program file says of itself.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::os::raw::c_char;
use std::ptr::null;

use rondo_sys as sys;

use crate::error::check;
use crate::model_file::text_of;
use crate::{DType, Error, ErrorKind, Result};

/// What [`Program::info`](crate::Program::info) tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramInfo {
    /// How many functions there are.
    pub functions: usize,
    /// How many weights there are, states too.
    pub weights: usize,
    /// Bytes of the weights that no function writes.
    pub weight_bytes: u64,
    /// Bytes of those that functions write, which each instance has for itself.
    pub state_bytes: u64,
    /// The version of the library that it needs, such as `0.1`.
    pub needs: String,
}

/// What a [`Program`](crate::Program) says of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramFunction {
    /// Its name.
    pub name: String,
    /// Its inputs, in order.
    pub inputs: Vec<ProgramValue>,
    /// Its outputs, in order.
    pub outputs: Vec<ProgramValue>,
    /// Whether something in it varies with the dimensions of the program, so that it is called at any size.
    pub varies: bool,
    /// How many nodes it has, views too.
    pub nodes: usize,
    /// How many numbers [`Graph::set`](crate::Graph::set) sets.
    pub parameters: usize,
    /// How many parts [`Graph::enable`](crate::Graph::enable) switches.
    pub sections: usize,
}

/// A dimension of a [`Program`](crate::Program) that varies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramDim {
    /// Its name.
    pub name: String,
    /// Its smallest size.
    pub least: usize,
    /// Its largest size.
    pub most: usize,
}

/// The size of an axis of a [`ProgramValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgramAxis {
    /// It is fixed.
    Fixed,
    /// It is that of the dimension of this number.
    Dim(usize),
    /// It is another expression of dimensions.
    Expression,
}

/// What a [`Program`](crate::Program) says of an input, an output or a weight.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramValue {
    /// Its name.
    pub name: String,
    /// Its dtype.
    pub dtype: DType,
    /// Its sizes; where they vary, those of the largest.
    pub shape: Vec<usize>,
    /// What each of its axes has as its size.
    pub axes: Vec<ProgramAxis>,
    /// Of a weight: functions write it, and each instance has its own.
    pub state: bool,
}

pub(crate) fn value(
    ask: impl FnOnce(*mut *const c_char, *mut sys::rondo_program_tensor_info) -> sys::rondo_status,
) -> Result<ProgramValue> {
    let (mut name, mut info) = (null(), sys::RONDO_PROGRAM_TENSOR_INFO_INIT);
    check(ask(&mut name, &mut info))?;
    let dtype = DType::from_raw(info.dtype)
        .ok_or_else(|| Error::new(ErrorKind::Unsupported, format!("this version knows no dtype {}", info.dtype)))?;
    Ok(ProgramValue {
        // SAFETY: what is stored there lives as long as the program.
        name: unsafe { text_of(name) },
        dtype,
        shape: info.shape[..info.ndim as usize].iter().map(|&size| size as usize).collect(),
        axes: info.dims[..info.ndim as usize]
            .iter()
            .map(|&dim| match dim {
                0 => ProgramAxis::Fixed,
                1.. => ProgramAxis::Dim(dim as usize - 1),
                _ => ProgramAxis::Expression,
            })
            .collect(),
        state: info.state != 0,
    })
}
