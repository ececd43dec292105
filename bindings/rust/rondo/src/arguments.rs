//! Sizes, axes and ranges as arguments: whatever whole numbers a program has them in.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use rondo_sys as sys;

use crate::{Dims, Error, ErrorKind, Result, Shape};

const MAX_DIMS: usize = sys::RONDO_MAX_DIMS as usize;

/// A whole number that is a size, an index or an axis.
pub trait WholeNumber: sealed::WholeNumber + Copy {
    /// As the C interface takes it. What 64 bits do not hold is no size and no index: the largest number, which is refused
    /// as such.
    #[doc(hidden)]
    fn as_i64(self) -> i64;
}

mod sealed {
    pub trait WholeNumber {}
    pub trait Size {}
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {
        $(
            impl sealed::WholeNumber for $type {}
            impl WholeNumber for $type {
                fn as_i64(self) -> i64 {
                    i64::try_from(self).unwrap_or(i64::MAX)
                }
            }
        )*
    };
}

whole_numbers!(i32, u32, i64, u64, usize, isize);

/// One axis; a negative one counts from the end.
///
/// ```
/// use rondo::{Axis, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::new(&engine, Device::CPU, [[1f32, 2., 3.], [4., 5., 6.]])?;
/// assert_eq!(a.sum(Axis(0))?.to_vec::<f32>()?, [5., 7., 9.]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis(pub i32);

impl Axis {
    /// The place of the axis among so many.
    #[track_caller]
    pub(crate) fn place(self, axes: usize, function: &str) -> Result<usize> {
        let count = axes as i32; // a tensor has few
        let place = if self.0 < 0 { self.0.saturating_add(count) } else { self.0 };
        if place < 0 || place >= count {
            let text = format!("{}: axis is {}; {} to {} are possible", function, self.0, -count, count - 1);
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        Ok(place as usize)
    }
}

impl<N: WholeNumber> From<N> for Axis {
    fn from(axis: N) -> Self {
        Axis(i32::try_from(axis.as_i64()).unwrap_or(i32::MAX)) // no tensor has that axis: the library says so
    }
}

/// Axes to reduce: one, several, or all as `..`. Negative ones count from the end.
///
/// ```
/// use rondo::{DType, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::full(&engine, Device::CPU, DType::F32, [2, 3, 4], 1.0)?;
/// assert_eq!(a.sum([0, -1])?.to_vec::<f32>()?, [8.0; 3]);
/// assert_eq!(a.sum(..)?.item::<f32>()?, 24.0);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    pub(crate) len: usize,
    pub(crate) axes: [i32; MAX_DIMS],
}

impl<N: WholeNumber> From<&[N]> for Axes {
    /// No axis at all is all axes to the C interface; that is said by `..` here, and an empty slice is refused.
    fn from(given: &[N]) -> Self {
        let mut axes = [i32::MAX; MAX_DIMS];
        for (axis, &from) in axes.iter_mut().zip(given) {
            *axis = Axis::from(from).0;
        }
        Axes { len: given.len().clamp(1, MAX_DIMS + 1), axes }
    }
}

impl<N: WholeNumber, const COUNT: usize> From<[N; COUNT]> for Axes {
    fn from(axes: [N; COUNT]) -> Self {
        Axes::from(&axes[..])
    }
}

impl<N: WholeNumber, const COUNT: usize> From<&[N; COUNT]> for Axes {
    fn from(axes: &[N; COUNT]) -> Self {
        Axes::from(&axes[..])
    }
}

impl<N: WholeNumber> From<Vec<N>> for Axes {
    fn from(axes: Vec<N>) -> Self {
        Axes::from(&axes[..])
    }
}

impl<N: WholeNumber> From<N> for Axes {
    fn from(axis: N) -> Self {
        Axes::from([axis])
    }
}

impl<A: WholeNumber, B: WholeNumber> From<(A, B)> for Axes {
    fn from(axes: (A, B)) -> Self {
        Axes::from([axes.0.as_i64(), axes.1.as_i64()])
    }
}

impl<A: WholeNumber, B: WholeNumber, C: WholeNumber> From<(A, B, C)> for Axes {
    fn from(axes: (A, B, C)) -> Self {
        Axes::from([axes.0.as_i64(), axes.1.as_i64(), axes.2.as_i64()])
    }
}

impl From<Axis> for Axes {
    fn from(axis: Axis) -> Self {
        Axes::from([axis.0])
    }
}

impl From<RangeFull> for Axes {
    fn from(_: RangeFull) -> Self {
        Axes { len: 0, axes: [0; MAX_DIMS] }
    }
}

/// Axes in an order, as [`Tensor::permute`](crate::Tensor::permute) takes them: an array, a slice, a vector or a tuple.
#[derive(Clone, Debug)]
pub struct AxisList(pub(crate) Vec<i32>);

/// The shape to bring a tensor into. One size may be -1, or `()` in a tuple: what is left over.
///
/// ```
/// use rondo::{DType, Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 6])?;
/// assert_eq!(a.reshape([3, 4])?.shape()?, [3, 4]);
/// assert_eq!(a.reshape((4, ()))?.shape()?, [4, 3]);
/// assert_eq!(a.reshape(-1)?.shape()?, [12]);
/// assert_eq!(a.reshape(vec![12usize, 1])?.shape()?, [12, 1]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NewShape(pub(crate) Vec<i64>);

impl NewShape {
    /// Whether a tensor of so many elements may have the shape.
    pub(crate) fn holds(&self, elements: usize) -> bool {
        let open = self.0.iter().filter(|&&size| size == -1).count();
        let known =
            self.0.iter().filter(|&&size| size != -1).try_fold(1i64, |product, &size| product.checked_mul(size));
        match known.and_then(|product| usize::try_from(product).ok()) {
            Some(known) if open == 1 => known > 0 && elements % known == 0,
            Some(known) => open == 0 && known == elements,
            None => false,
        }
    }
}

/// One size of a [`NewShape`] in a tuple.
pub trait Size: sealed::Size {
    #[doc(hidden)]
    fn size(self) -> i64;
}

impl<N: WholeNumber> sealed::Size for N {}
impl<N: WholeNumber> Size for N {
    fn size(self) -> i64 {
        self.as_i64()
    }
}

impl sealed::Size for () {}
impl Size for () {
    fn size(self) -> i64 {
        -1
    }
}

macro_rules! lists {
    ($($list:ident as $entry:ty, by $convert:expr;)*) => {
        $(
            impl<N: WholeNumber> From<&[N]> for $list {
                fn from(given: &[N]) -> Self {
                    $list(given.iter().map(|&each| $convert(each)).collect())
                }
            }

            impl<N: WholeNumber, const COUNT: usize> From<[N; COUNT]> for $list {
                fn from(given: [N; COUNT]) -> Self {
                    $list::from(&given[..])
                }
            }

            impl<N: WholeNumber, const COUNT: usize> From<&[N; COUNT]> for $list {
                fn from(given: &[N; COUNT]) -> Self {
                    $list::from(&given[..])
                }
            }

            impl<N: WholeNumber> From<Vec<N>> for $list {
                fn from(given: Vec<N>) -> Self {
                    $list::from(&given[..])
                }
            }

            impl<N: WholeNumber> From<&Vec<N>> for $list {
                fn from(given: &Vec<N>) -> Self {
                    $list::from(&given[..])
                }
            }

            impl<N: WholeNumber> From<N> for $list {
                fn from(given: N) -> Self {
                    $list::from([given])
                }
            }
        )*
    };
}

lists! {
    AxisList as i32, by |each| Axis::from(each).0;
    NewShape as i64, by WholeNumber::as_i64;
}

impl From<()> for NewShape {
    fn from(_: ()) -> Self {
        NewShape(Vec::new())
    }
}

impl From<Shape> for NewShape {
    fn from(shape: Shape) -> Self {
        NewShape::from(&shape[..])
    }
}

impl From<&Shape> for NewShape {
    fn from(shape: &Shape) -> Self {
        NewShape::from(&shape[..])
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {
        $(
            impl<$($name: Size),+> From<($($name,)+)> for NewShape {
                fn from(given: ($($name,)+)) -> Self {
                    NewShape(vec![$(given.$place.size()),+])
                }
            }

            impl<$($name: WholeNumber),+> From<($($name,)+)> for AxisList {
                fn from(given: ($($name,)+)) -> Self {
                    AxisList(vec![$(Axis::from(given.$place).0),+])
                }
            }

            impl<$($name: WholeNumber),+> From<($($name,)+)> for Dims {
                fn from(given: ($($name,)+)) -> Self {
                    Dims::from(&[$(given.$place.as_i64()),+][..])
                }
            }
        )*
    };
}

tuples! {
    (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5)
}

/// A range of an axis: `..`, `1..`, `..-1`, `2..=3`; of any whole numbers. Negative bounds count from the end.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    start: Bound<i64>,
    stop: Bound<i64>,
}

impl Span {
    /// The first index and the one after the last, as the C interface takes them.
    pub(crate) fn bounds(self) -> Result<(i64, i64)> {
        let start = match self.start {
            Bound::Included(start) => start,
            Bound::Excluded(before) => after(before)?,
            Bound::Unbounded => 0,
        };
        let stop = match self.stop {
            Bound::Included(-1) | Bound::Unbounded => i64::MAX,
            Bound::Included(last) => after(last)?,
            Bound::Excluded(stop) => stop,
        };
        Ok((start, stop))
    }
}

fn after(index: i64) -> Result<i64> {
    index.checked_add(1).ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, format!("Tensor::slice: there is no index after {}", index))
    })
}

impl From<RangeFull> for Span {
    fn from(_: RangeFull) -> Self {
        Span { start: Bound::Unbounded, stop: Bound::Unbounded }
    }
}

impl<N: WholeNumber> From<(Bound<N>, Bound<N>)> for Span {
    fn from((start, stop): (Bound<N>, Bound<N>)) -> Self {
        Span { start: whole(start), stop: whole(stop) }
    }
}

fn whole<N: WholeNumber>(bound: Bound<N>) -> Bound<i64> {
    match bound {
        Bound::Included(index) => Bound::Included(index.as_i64()),
        Bound::Excluded(index) => Bound::Excluded(index.as_i64()),
        Bound::Unbounded => Bound::Unbounded,
    }
}

macro_rules! ranges {
    ($($range:ident: $given:ident => ($start:expr, $stop:expr);)*) => {
        $(impl<N: WholeNumber> From<$range<N>> for Span {
            fn from($given: $range<N>) -> Self {
                Span::from(($start, $stop))
            }
        })*
    };
}

ranges! {
    Range: given => (Bound::Included(given.start), Bound::Excluded(given.end));
    RangeFrom: given => (Bound::Included(given.start), Bound::Unbounded);
    RangeTo: given => (Bound::Unbounded, Bound::Excluded(given.end));
    RangeInclusive: given => (Bound::Included(*given.start()), Bound::Included(*given.end()));
    RangeToInclusive: given => (Bound::Unbounded, Bound::Included(given.end));
}
