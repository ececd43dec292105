//! Shapes: as they are given and as they come back.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::fmt;
use std::ops::Deref;

use rondo_sys as sys;

use crate::arguments::WholeNumber;
use crate::{Error, ErrorKind, Result, Tensor};

const MAX_DIMS: usize = sys::RONDO_MAX_DIMS as usize;

/// A shape as an argument: `()` for one element without dimensions, `4`, `[2, 3]`, `(2, 3)`, a slice or a vector, of
/// any whole numbers.
///
/// ```
/// use rondo::{DType, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let rows = vec![2, 3];
/// for tensor in [Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?, Tensor::zeros(&engine, Device::CPU, DType::F32, &rows)?] {
///     assert_eq!(tensor.shape()?, [2, 3]);
/// }
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dims {
    len: usize,
    sizes: [i64; MAX_DIMS],
}

impl Dims {
    pub(crate) fn ndim(&self) -> i32 {
        self.len as i32
    }

    /// The product of the sizes; none if there is no such number, and so no such tensor.
    pub(crate) fn elements(&self) -> Option<usize> {
        let product = self.sizes.get(..self.len)?.iter().try_fold(1i64, |product, &size| product.checked_mul(size))?;
        usize::try_from(product).ok()
    }

    /// What the C interface reads `ndim` entries of. It refuses more dimensions than there are entries before it reads.
    pub(crate) fn as_ptr(&self) -> *const i64 {
        self.sizes.as_ptr()
    }
}

impl<N: WholeNumber> From<&[N]> for Dims {
    fn from(shape: &[N]) -> Self {
        let mut sizes = [0; MAX_DIMS];
        for (size, &given) in sizes.iter_mut().zip(shape) {
            *size = given.as_i64();
        }
        Dims { len: shape.len().min(MAX_DIMS + 1), sizes }
    }
}

impl<N: WholeNumber, const COUNT: usize> From<[N; COUNT]> for Dims {
    fn from(shape: [N; COUNT]) -> Self {
        Dims::from(&shape[..])
    }
}

impl<N: WholeNumber, const COUNT: usize> From<&[N; COUNT]> for Dims {
    fn from(shape: &[N; COUNT]) -> Self {
        Dims::from(&shape[..])
    }
}

impl<N: WholeNumber> From<&Vec<N>> for Dims {
    fn from(shape: &Vec<N>) -> Self {
        Dims::from(&shape[..])
    }
}

impl<N: WholeNumber> From<Vec<N>> for Dims {
    fn from(shape: Vec<N>) -> Self {
        Dims::from(&shape[..])
    }
}

impl From<&Shape> for Dims {
    fn from(shape: &Shape) -> Self {
        Dims::from(&shape[..])
    }
}

impl From<Shape> for Dims {
    fn from(shape: Shape) -> Self {
        Dims::from(&shape[..])
    }
}

impl<N: WholeNumber> From<N> for Dims {
    fn from(size: N) -> Self {
        Dims::from([size])
    }
}

impl From<()> for Dims {
    fn from(_: ()) -> Self {
        Dims { len: 0, sizes: [0; MAX_DIMS] }
    }
}

/// The shape of a tensor: a slice of sizes that needs no memory of its own.
///
/// ```
/// use rondo::{DType, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let shape = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?.shape()?;
/// assert_eq!(shape, [2, 3]);
/// assert_eq!(shape.iter().product::<usize>(), 6);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    len: usize,
    sizes: [usize; MAX_DIMS],
}

impl Shape {
    pub(crate) fn from_raw(ndim: i32, sizes: &[i64; MAX_DIMS]) -> Self {
        let mut shape = Shape { len: ndim as usize, sizes: [0; MAX_DIMS] };
        for (to, &from) in shape.sizes.iter_mut().zip(&sizes[..ndim as usize]) {
            *to = from as usize; // sizes are not negative
        }
        shape
    }
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.sizes[..self.len]
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        self[..] == other[..]
    }
}

impl PartialEq<Vec<usize>> for Shape {
    fn eq(&self, other: &Vec<usize>) -> bool {
        self[..] == other[..]
    }
}

impl PartialEq<[usize]> for Shape {
    fn eq(&self, other: &[usize]) -> bool {
        self[..] == *other
    }
}

impl Tensor {
    /// The sizes of a tensor of so many axes as the pattern has.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 3])?;
    /// let [rows, columns] = a.dims()?;
    /// assert_eq!((rows, columns), (2, 3));
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) where the tensor has another number of axes.
    #[doc(alias = "size2")]
    pub fn dims<const COUNT: usize>(&self) -> Result<[usize; COUNT]> {
        let shape = self.shape()?;
        <[usize; COUNT]>::try_from(&shape[..]).map_err(|_| {
            let text = format!("Tensor::dims: the tensor has shape {:?}; {} axes were asked for", shape, COUNT);
            Error::new(ErrorKind::InvalidArgument, text)
        })
    }
}
