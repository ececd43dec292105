//! Facts about a tensor.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::{DType, Device, Error, ErrorKind, Result, Shape};

/// What [`Tensor::info`](crate::Tensor::info) tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TensorInfo {
    /// The type of the elements.
    pub dtype: DType,
    /// Where the memory is.
    pub device: Device,
    /// The sizes.
    pub shape: Shape,
    /// Elements from one index to the next, for each dimension; may be 0 or negative.
    pub strides: Vec<i64>,
    /// Whether the elements are row-major without gaps.
    pub contiguous: bool,
    /// How many elements.
    pub elements: usize,
    /// Their bytes.
    pub bytes: usize,
}

impl TensorInfo {
    pub(crate) fn from_raw(info: &sys::rondo_tensor_info) -> Result<TensorInfo> {
        let dtype = DType::from_raw(info.dtype)
            .ok_or_else(|| Error::new(ErrorKind::Unsupported, format!("this version knows no dtype {}", info.dtype)))?;
        Ok(TensorInfo {
            dtype,
            device: Device::from_raw(info.device)?,
            shape: Shape::from_raw(info.ndim, &info.shape),
            strides: info.strides[..info.ndim as usize].to_vec(),
            contiguous: info.contiguous != 0,
            elements: info.elements as usize,
            bytes: info.bytes as usize,
        })
    }
}
