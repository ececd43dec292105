//! Tensors from and to arrays of the crate `ndarray`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};

use crate::{Device, Element, Engine, Error, ErrorKind, Result, Tensor};

impl Tensor {
    /// A tensor with a copy of an array, row-major whatever the array's layout is.
    ///
    /// ```
    /// use ndarray::array;
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::from_array(&engine, Device::CPU, &array![[1.0f32, 2.0], [3.0, 4.0]].t())?;
    /// assert_eq!(a.to_vec::<f32>()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for more than 8 dimensions;
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`LibraryMissing`](crate::ErrorKind::LibraryMissing) where the
    /// device is not there.
    pub fn from_array<S, D>(engine: &Engine, device: Device, array: &ArrayBase<S, D>) -> Result<Tensor>
    where
        S: Data,
        S::Elem: Element,
        D: Dimension,
    {
        match array.as_slice() {
            Some(slice) => Tensor::from_slice(engine, device, array.shape(), slice),
            None => Tensor::from_slice(engine, device, array.shape(), &array.iter().copied().collect::<Vec<_>>()),
        }
    }

    /// Waits for the tensor and copies it to an array.
    ///
    /// ```
    /// use ndarray::{array, Ix2};
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1i32, 2, 3, 4])?;
    /// let array = a.to_array::<i32>()?.into_dimensionality::<Ix2>().unwrap();
    /// assert_eq!(array, array![[1, 2], [3, 4]]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::to_vec`].
    pub fn to_array<T: Element>(&self) -> Result<ArrayD<T>> {
        let shape = self.shape()?;
        ArrayD::from_shape_vec(IxDyn(&shape), self.to_vec::<T>()?)
            .map_err(|problem| Error::new(ErrorKind::Unsupported, format!("Tensor::to_array: {}", problem)))
    }
}
