//! Tensors made of nothing but a few words: like another one, of nested arrays, of random numbers.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::{ops, DType, Device, Dims, Element, Engine, Error, ErrorKind, F8E4m3, F8E5m2, Result, Tensor};

/// A number, or lists of them in lists, to any depth that a tensor has axes: arrays, slices and vectors. It is what
/// [`Tensor::new`] takes.
pub trait Nested: sealed::Nested {
    /// The type of the numbers.
    type Number: Element;
    /// The sizes of the first list of each depth; without one, those that the type tells.
    #[doc(hidden)]
    fn sizes(first: Option<&Self>, sizes: &mut Vec<usize>);
    /// Adds the numbers, if all lists have these sizes.
    #[doc(hidden)]
    fn append_to(&self, sizes: &[usize], numbers: &mut Vec<Self::Number>) -> Result<()>;
    /// The same of each in a list.
    #[doc(hidden)]
    fn append_all(list: &[Self], sizes: &[usize], numbers: &mut Vec<Self::Number>) -> Result<()>
    where
        Self: Sized,
    {
        list.iter().try_for_each(|each| each.append_to(sizes, numbers))
    }
}

mod sealed {
    pub trait Nested {}
}

macro_rules! numbers {
    ($($type:ty),*) => {
        $(
            impl sealed::Nested for $type {}
            impl Nested for $type {
                type Number = $type;

                fn sizes(_: Option<&Self>, _: &mut Vec<usize>) {}

                fn append_to(&self, _: &[usize], numbers: &mut Vec<$type>) -> Result<()> {
                    numbers.push(*self);
                    Ok(())
                }

                fn append_all(list: &[Self], _: &[usize], numbers: &mut Vec<$type>) -> Result<()> {
                    numbers.extend_from_slice(list);
                    Ok(())
                }
            }
        )*
    };
}

numbers!(bool, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, F8E4m3, F8E5m2);
#[cfg(feature = "half")]
numbers!(half::f16, half::bf16);

impl<T: Nested> sealed::Nested for [T] {}
impl<T: Nested> Nested for [T] {
    type Number = T::Number;

    fn sizes(first: Option<&Self>, sizes: &mut Vec<usize>) {
        sizes.push(first.map_or(0, <[T]>::len));
        T::sizes(first.and_then(<[T]>::first), sizes);
    }

    fn append_to(&self, sizes: &[usize], numbers: &mut Vec<T::Number>) -> Result<()> {
        if self.len() != sizes[0] {
            let text = format!(
                "Tensor::new: data has a list of {} and one of {} at the same depth; they need the same length",
                sizes[0],
                self.len()
            );
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        T::append_all(self, &sizes[1..], numbers)
    }
}

impl<T: Nested, const COUNT: usize> sealed::Nested for [T; COUNT] {}
impl<T: Nested, const COUNT: usize> Nested for [T; COUNT] {
    type Number = T::Number;

    fn sizes(first: Option<&Self>, sizes: &mut Vec<usize>) {
        sizes.push(COUNT);
        T::sizes(first.and_then(|list| list.first()), sizes);
    }

    fn append_to(&self, sizes: &[usize], numbers: &mut Vec<T::Number>) -> Result<()> {
        self[..].append_to(sizes, numbers)
    }
}

impl<T: Nested> sealed::Nested for Vec<T> {}
impl<T: Nested> Nested for Vec<T> {
    type Number = T::Number;

    fn sizes(first: Option<&Self>, sizes: &mut Vec<usize>) {
        <[T]>::sizes(first.map(|list| &list[..]), sizes);
    }

    fn append_to(&self, sizes: &[usize], numbers: &mut Vec<T::Number>) -> Result<()> {
        self[..].append_to(sizes, numbers)
    }
}

impl<T: Nested + ?Sized> sealed::Nested for &T {}
impl<T: Nested + ?Sized> Nested for &T {
    type Number = T::Number;

    fn sizes(first: Option<&Self>, sizes: &mut Vec<usize>) {
        T::sizes(first.map(|list| &**list), sizes);
    }

    fn append_to(&self, sizes: &[usize], numbers: &mut Vec<T::Number>) -> Result<()> {
        (**self).append_to(sizes, numbers)
    }
}

impl Tensor {
    /// A tensor of a number or of nested lists, with their shape.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::new(&engine, Device::CPU, [[1f32, 2.], [3., 4.], [5., 6.]])?;
    /// assert_eq!(a.shape()?, [3, 2]);
    /// let rows = vec![vec![1f32, 2.], vec![3., 4.]];
    /// assert_eq!(Tensor::new(&engine, Device::CPU, &rows)?.shape()?, [2, 2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::from_slice`]; [`InvalidArgument`](ErrorKind::InvalidArgument) too where lists of one depth differ in
    /// length.
    #[track_caller]
    pub fn new<T: Nested>(engine: &Engine, device: Device, data: T) -> Result<Tensor> {
        let (mut sizes, mut numbers) = (Vec::new(), Vec::new());
        T::sizes(Some(&data), &mut sizes);
        data.append_to(&sizes, &mut numbers)?;
        Tensor::from_slice(engine, device, sizes, &numbers)
            .map_err(|e| e.told_by("Tensor::new", &["Tensor::from_slice"]))
    }

    /// [`Tensor::from_slice`] of a vector, as candle writes it.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::from_vec(&engine, Device::CPU, (2, 3), vec![0f32; 6])?.shape()?, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::from_slice`].
    #[track_caller]
    pub fn from_vec<T: Element>(
        engine: &Engine,
        device: Device,
        shape: impl Into<Dims>,
        data: Vec<T>,
    ) -> Result<Tensor> {
        Tensor::from_slice(engine, device, shape, &data)
            .map_err(|e| e.told_by("Tensor::from_vec", &["Tensor::from_slice"]))
    }

    /// A tensor of zeros.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::zeros(&engine, Device::CPU, DType::I64, 3)?.to_vec::<i64>()?, [0, 0, 0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::empty`]; [`OutOfMemory`](crate::ErrorKind::OutOfMemory).
    #[track_caller]
    pub fn zeros(engine: &Engine, device: Device, dtype: DType, shape: impl Into<Dims>) -> Result<Tensor> {
        Tensor::filled("Tensor::zeros", engine, device, dtype, shape.into(), 0.0)
    }

    /// A tensor whose elements all are `value`.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// assert_eq!(Tensor::full(&engine, Device::CPU, DType::U8, 3, 7.0)?.to_vec::<u8>()?, [7, 7, 7]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::zeros`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where the dtype does not hold
    /// the value.
    #[track_caller]
    pub fn full(engine: &Engine, device: Device, dtype: DType, shape: impl Into<Dims>, value: f64) -> Result<Tensor> {
        Tensor::filled("Tensor::full", engine, device, dtype, shape.into(), value)
    }

    /// The same for a function whose name messages have.
    #[track_caller]
    pub(crate) fn filled(
        function: &str,
        engine: &Engine,
        device: Device,
        dtype: DType,
        shape: Dims,
        value: f64,
    ) -> Result<Tensor> {
        let tensor =
            Tensor::empty(engine, device, dtype, shape).map_err(|e| e.told_by(function, &["Tensor::empty"]))?;
        tensor.fill(value).map_err(|e| e.told_by(function, &["Tensor::fill"]))?;
        Ok(tensor)
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
        Tensor::filled("Tensor::ones", engine, device, dtype, shape.into(), 1.0)
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
            .map_err(|e| e.told_by("Tensor::randn", &["ops::random_normal"]))
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
            .map_err(|e| e.told_by("Tensor::rand", &["ops::random_uniform"]))
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
        self.filled_like("Tensor::zeros_like", 0.0)
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
        self.filled_like("Tensor::ones_like", 1.0)
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
        self.filled_like("Tensor::full_like", value)
    }

    #[track_caller]
    fn filled_like(&self, function: &str, value: f64) -> Result<Tensor> {
        let info = self.info()?;
        Tensor::filled(function, self.engine(), info.device, info.dtype, info.shape.into(), value)
    }
}
