//! Parts of a tensor by index, as NumPy has them: `a.i((.., 1))`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::arguments::{Span, WholeNumber};
use crate::{Error, ErrorKind, Result, Tensor};

/// What is taken of one axis.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum At<'a> {
    /// One place; the axis goes away. Negative ones count from the end.
    Place(i64),
    /// A range.
    Span(Span),
    /// The places that a tensor of integers names, in a copy, as [`Tensor::take`] does.
    Places(&'a Tensor),
}

impl<N: WholeNumber> From<N> for At<'_> {
    fn from(place: N) -> Self {
        At::Place(place.as_i64())
    }
}

impl<'a> From<&'a Tensor> for At<'a> {
    fn from(places: &'a Tensor) -> Self {
        At::Places(places)
    }
}

impl From<RangeFull> for At<'_> {
    fn from(range: RangeFull) -> Self {
        At::Span(range.into())
    }
}

macro_rules! ranges {
    ($($range:ident),*) => {
        $(impl<N: WholeNumber> From<$range<N>> for At<'_> {
            fn from(range: $range<N>) -> Self {
                At::Span(range.into())
            }
        })*
    };
}

ranges!(Range, RangeFrom, RangeTo, RangeInclusive, RangeToInclusive);

/// An index: something for the first axis, or for as many axes a tuple of up to six, or an array of what is of one type.
pub trait Index<'a>: sealed::Index<'a> {
    #[doc(hidden)]
    fn at(self) -> Vec<At<'a>>;
}

mod sealed {
    pub trait Index<'a> {}
}

impl<'a, A: Into<At<'a>>> sealed::Index<'a> for A {}
impl<'a, A: Into<At<'a>>> Index<'a> for A {
    fn at(self) -> Vec<At<'a>> {
        vec![self.into()]
    }
}

impl<'a, A: Into<At<'a>>, const COUNT: usize> sealed::Index<'a> for [A; COUNT] {}
impl<'a, A: Into<At<'a>>, const COUNT: usize> Index<'a> for [A; COUNT] {
    fn at(self) -> Vec<At<'a>> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {
        $(
            impl<'a, $($name: Into<At<'a>>),+> sealed::Index<'a> for ($($name,)+) {}
            impl<'a, $($name: Into<At<'a>>),+> Index<'a> for ($($name,)+) {
            fn at(self) -> Vec<At<'a>> {
                vec![$(self.$place.into()),+]
            }
        }
        )*
    };
}

tuples! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

impl Tensor {
    /// The part that an index names: a view, but for places that a tensor names, which are copied.
    ///
    /// ```
    /// use rondo::{Device, Engine, Tensor};
    ///
    /// let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.i(0)?.to_vec::<i32>()?, [1, 2, 3]);
    /// assert_eq!(a.i((.., 1))?.to_vec::<i32>()?, [2, 5]);
    /// assert_eq!(a.i((-1, 1..))?.to_vec::<i32>()?, [5, 6]);
    /// assert_eq!(a.i((1, 2))?.item::<i32>()?, 6);
    /// assert_eq!(a.i([0..2, 1..2])?.shape()?, [2, 1]);
    /// assert!(a.i(2).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](ErrorKind::InvalidArgument) for more entries than axes, and for a place outside its axis.
    #[doc(alias = "index_axis")]
    pub fn i<'a>(&self, index: impl Index<'a>) -> Result<Tensor> {
        let index = index.at();
        let given = self.shape()?;
        if index.len() > given.len() {
            let text = format!("Tensor::i: the index has {} entries; the tensor has {} axes", index.len(), given.len());
            return Err(Error::new(ErrorKind::InvalidArgument, text));
        }
        let (mut part, mut shape, mut axis) = (self.clone(), given.to_vec(), 0);
        for (number, at) in index.into_iter().enumerate() {
            match at {
                At::Span(span) => {
                    part = part.slice_axis(axis, span)?;
                    shape[axis] = part.shape()?[axis];
                    axis += 1;
                }
                At::Places(places) => {
                    part = part.take(places, axis)?;
                    let taken = places.shape()?;
                    shape.splice(axis..=axis, taken.iter().copied());
                    axis += taken.len();
                }
                At::Place(place) => {
                    let size = shape[axis] as i64;
                    let from_start = if place < 0 { place + size } else { place };
                    if from_start < 0 || from_start >= size {
                        let text = format!(
                            "Tensor::i: index {} of axis {} is outside; the axis has {} places",
                            place, number, size
                        );
                        return Err(Error::new(ErrorKind::InvalidArgument, text));
                    }
                    shape.remove(axis);
                    part = part.slice_axis(axis, from_start..from_start + 1)?.view(&shape)?;
                }
            }
        }
        Ok(part)
    }

    /// [`Tensor::i`], as burn writes it.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::new(&engine, Device::CPU, [[1i32, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.slice([0..1, 1..3])?.to_vec::<i32>()?, [2, 3]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::i`].
    pub fn slice<'a>(&self, index: impl Index<'a>) -> Result<Tensor> {
        self.i(index)
    }
}
