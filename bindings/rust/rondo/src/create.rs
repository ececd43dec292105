//! Tensors made of nothing but a few words: like another one, of nested arrays, of random numbers.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::{ops, DType, Device, Dims, Element, Engine, Result, Tensor};

/// A number, or arrays of them in arrays, to any depth that a tensor has axes: what [`Tensor::new`] takes.
pub trait Nested {
    /// The type of the numbers.
    type Number: Element;
    #[doc(hidden)]
    fn sizes(sizes: &mut Vec<usize>);
    #[doc(hidden)]
    fn append_to(&self, numbers: &mut Vec<Self::Number>);
}

macro_rules! numbers {
    ($($type:ty),*) => {
        $(impl Nested for $type {
            type Number = $type;

            fn sizes(_: &mut Vec<usize>) {}

            fn append_to(&self, numbers: &mut Vec<$type>) {
                numbers.push(*self);
            }
        })*
    };
}

numbers!(bool, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
#[cfg(feature = "half")]
numbers!(half::f16, half::bf16);

impl<T: Nested, const COUNT: usize> Nested for [T; COUNT] {
    type Number = T::Number;

    fn sizes(sizes: &mut Vec<usize>) {
        sizes.push(COUNT);
        T::sizes(sizes);
    }

    fn append_to(&self, numbers: &mut Vec<T::Number>) {
        for each in self {
            each.append_to(numbers);
        }
    }
}

impl<T: Nested> Nested for &T {
    type Number = T::Number;

    fn sizes(sizes: &mut Vec<usize>) {
        T::sizes(sizes);
    }

    fn append_to(&self, numbers: &mut Vec<T::Number>) {
        (**self).append_to(numbers);
    }
}

impl Tensor {
    /// A tensor of a number or of nested arrays, with their shape.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::new(&engine, Device::CPU, [[1f32, 2.], [3., 4.], [5., 6.]])?;
    /// assert_eq!(a.shape()?, [3, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::from_slice`].
    #[track_caller]
    pub fn new<T: Nested>(engine: &Engine, device: Device, data: T) -> Result<Tensor> {
        let (mut sizes, mut numbers) = (Vec::new(), Vec::new());
        T::sizes(&mut sizes);
        data.append_to(&mut numbers);
        Tensor::from_slice(engine, device, sizes, &numbers)
    }

    /// A tensor of ones.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::ones(&engine, Device::CPU, DType::I64, 3)?.to_vec::<i64>()?, [1, 1, 1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::full`].
    #[track_caller]
    pub fn ones(engine: &Engine, device: Device, dtype: DType, shape: impl Into<Dims>) -> Result<Tensor> {
        Tensor::full(engine, device, dtype, shape, 1.0)
    }

    /// Random numbers of the normal distribution, of mean 0 and deviation 1.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::randn(&engine, Device::CPU, DType::F32, (2, 3))?.shape()?, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ops::random_normal`].
    #[track_caller]
    pub fn randn(engine: &Engine, device: Device, dtype: DType, shape: impl Into<Dims>) -> Result<Tensor> {
        ops::random_normal(engine, device, dtype, shape, 0.0, 1.0)
    }

    /// Random numbers, uniform in `[0, 1)`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::rand(&engine, Device::CPU, DType::F32, (2, 3))?.shape()?, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ops::random_uniform`].
    #[track_caller]
    pub fn rand(engine: &Engine, device: Device, dtype: DType, shape: impl Into<Dims>) -> Result<Tensor> {
        ops::random_uniform(engine, device, dtype, shape, 0.0, 1.0)
    }

    /// Zeros in the shape and dtype of this tensor, on its device.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::new(&engine, Device::CPU, [[1i32, 2], [3, 4]])?;
    /// assert_eq!(a.zeros_like()?.to_vec::<i32>()?, [0; 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::full`].
    #[track_caller]
    pub fn zeros_like(&self) -> Result<Tensor> {
        self.full_like(0.0)
    }

    /// Ones in the shape and dtype of this tensor, on its device.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::new(&engine, Device::CPU, [[1i32, 2], [3, 4]])?;
    /// assert_eq!(a.ones_like()?.to_vec::<i32>()?, [1; 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::full`].
    #[track_caller]
    pub fn ones_like(&self) -> Result<Tensor> {
        self.full_like(1.0)
    }

    /// One number everywhere, in the shape and dtype of this tensor, on its device.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::new(&engine, Device::CPU, [1f64, 2.0])?;
    /// assert_eq!(a.full_like(0.5)?.to_vec::<f64>()?, [0.5; 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::full`].
    #[track_caller]
    pub fn full_like(&self, value: f64) -> Result<Tensor> {
        let info = self.info()?;
        Tensor::full(self.engine(), info.device, info.dtype, info.shape, value)
    }
}
