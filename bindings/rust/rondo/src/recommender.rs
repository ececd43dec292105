//! Bags of rows, and products of all pairs of vectors.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ptr::null_mut;

use rondo_sys as sys;

use crate::error::check;
use crate::ops::{into, length, new};
use crate::{Error, ErrorKind, Result, Tensor};

/// Which rows of many tables go together; see [`Tensor::embedding_bag`].
///
/// ```
/// use rondo::ops::Bags;
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let from = |shape: &[i64], values: &[f32]| Tensor::from_slice(&engine, Device::CPU, shape, values);
/// let (a, b) = (from(&[2, 1], &[1.0, 2.0])?, from(&[1, 1], &[10.0])?);
/// // Of each table one bag of two.
/// let indices = Tensor::from_slice(&engine, Device::CPU, [2, 1, 2], &[0i32, 1, 0, 0])?;
/// let bags = Bags::new(&indices);
/// assert_eq!(Tensor::embedding_bag(&[&a, &b], bags)?.to_vec::<f32>()?, [3.0, 20.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Bags<'a> {
    indices: &'a Tensor,
    offsets: Option<&'a Tensor>,
    mean: bool,
}

impl<'a> Bags<'a> {
    /// Sums of bags of one length: `indices`, `i32` or `i64`, are `[tables, batch, length]`.
    ///
    /// ```
    /// # use rondo::{ops::Bags, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, [1, 2, 1], &[0i32, 1])?;
    /// let bags = Bags::new(&indices);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn new(indices: &'a Tensor) -> Self {
        Bags { indices, offsets: None, mean: false }
    }

    /// Bags of any length: indices are a list, in which bag `b` of table `t` begins at `offsets[t * batch + b]` and ends
    /// before the next one; the last offset is the end.
    ///
    /// ```
    /// # use rondo::{ops::Bags, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let table = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[1.0f32, 2.0])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, 3, &[1i32, 1, 0])?;
    /// let offsets = Tensor::from_slice(&engine, Device::CPU, 3, &[0i32, 3, 3])?;
    /// let sums = Tensor::embedding_bag(&[&table], Bags::new(&indices).offsets(&offsets))?;
    /// assert_eq!(sums.to_vec::<f32>()?, [5.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn offsets(mut self, offsets: &'a Tensor) -> Self {
        self.offsets = Some(offsets);
        self
    }

    /// The mean of a bag's rows in the place of their sum.
    ///
    /// ```
    /// # use rondo::{ops::Bags, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let indices = Tensor::from_slice(&engine, Device::CPU, [1, 2, 1], &[0i32, 1])?;
    /// let bags = Bags::new(&indices).mean(true);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn mean(mut self, mean: bool) -> Self {
        self.mean = mean;
        self
    }

    fn mode(&self) -> sys::rondo_bag_mode {
        if self.mean {
            sys::RONDO_BAG_MEAN
        } else {
            sys::RONDO_BAG_SUM
        }
    }

    fn offsets_raw(&self) -> *mut sys::rondo_tensor {
        self.offsets.map_or(null_mut(), Tensor::as_ptr)
    }
}

#[track_caller]
fn first_of<'a>(tables: &[&'a Tensor]) -> Result<&'a Tensor> {
    tables.first().copied().ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, "Tensor::embedding_bag: tables is empty; at least one table is needed")
    })
}

fn look_up(tables: &[&Tensor], bags: Bags<'_>, out: *mut *mut sys::rondo_tensor) -> sys::rondo_status {
    let handles: Vec<_> = tables.iter().map(|each| each.as_ptr()).collect();
    let (indices, offsets) = (bags.indices.as_ptr(), bags.offsets_raw());
    unsafe { sys::rondo_embedding_bag(length(tables), handles.as_ptr(), indices, offsets, bags.mode(), out) }
}

impl Tensor {
    /// Rows of many tables, which indices choose, added up in bags: `[batch, tables, width]`, in one launch. Negative
    /// indices count from the end; one outside adds nothing. See [`Bags`].
    ///
    /// ```
    /// # use rondo::{ops::Bags, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let table = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[1.0f32, 2.0])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, [1, 1, 3], &[0i32, -1, 9])?;
    /// assert_eq!(Tensor::embedding_bag(&[&table], Bags::new(&indices))?.to_vec::<f32>()?, [3.0]);
    /// assert!(Tensor::embedding_bag(&[], Bags::new(&indices)).is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) without tables, and where shapes or dtypes do not fit.
    #[doc(alias = "rondo_embedding_bag")]
    #[track_caller]
    pub fn embedding_bag(tables: &[&Tensor], bags: Bags<'_>) -> Result<Tensor> {
        new(first_of(tables)?.engine(), |out| look_up(tables, bags, out))
    }

    /// The same, written into `out`, which may be a part of a larger tensor: nothing is joined by a copy then.
    ///
    /// ```
    /// # use rondo::{ops::Bags, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let table = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[1.0f32, 2.0])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, [1, 2, 1], &[1i32, 0])?;
    /// let vectors = Tensor::zeros(&engine, Device::CPU, DType::F32, [2, 2, 1])?;
    /// Tensor::embedding_bag_into(&[&table], Bags::new(&indices), &vectors.slice_axis(1, 1..)?)?;
    /// assert_eq!(vectors.to_vec::<f32>()?, [0.0, 2.0, 0.0, 1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`embedding_bag`](Tensor::embedding_bag); [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where
    /// `out` does not fit, or shares memory with an operand.
    #[track_caller]
    pub fn embedding_bag_into(tables: &[&Tensor], bags: Bags<'_>, out: &Tensor) -> Result<()> {
        first_of(tables)?;
        into(out, |out| look_up(tables, bags, out))
    }

    /// A step of gradient descent of the rows that [`embedding_bag`](Tensor::embedding_bag) read, and of no others, with
    /// the bits of the dense gradient and a step over all rows. `gradient` is that of the result, and `rate` one `f32` or
    /// `f64` on the device, so a graph goes by what it holds.
    ///
    /// ```
    /// # use rondo::{ops::Bags, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let table = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[1.0f32, 2.0])?;
    /// let indices = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1i32, 1])?;
    /// let gradient = Tensor::from_slice(&engine, Device::CPU, [1, 1, 1], &[1.0f32])?;
    /// let rate = Tensor::from_slice(&engine, Device::CPU, 1, &[0.25f32])?;
    /// Tensor::embedding_bag_descend(&[&table], Bags::new(&indices), &gradient, &rate)?;
    /// assert_eq!(table.to_vec::<f32>()?, [1.0, 1.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`embedding_bag`](Tensor::embedding_bag); [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where two
    /// tables share memory.
    #[doc(alias = "rondo_embedding_bag_descend")]
    #[track_caller]
    pub fn embedding_bag_descend(tables: &[&Tensor], bags: Bags<'_>, gradient: &Tensor, rate: &Tensor) -> Result<()> {
        Tensor::embedding_bag_descend_with(tables, bags, gradient, rate, None, None)
    }

    /// The same, skipped where the bool `finite` is false: then nothing is written; and with gradients of rows multiplied by
    /// the f32 `scale`, as [`Optimizer::step_with`](crate::Optimizer::step_with) does.
    ///
    /// ```
    /// # use rondo::{ops, ops::Bags, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// # let table = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[1.0f32, 2.0])?;
    /// # let indices = Tensor::from_slice(&engine, Device::CPU, [1, 1, 2], &[1i32, 1])?;
    /// # let rate = Tensor::from_slice(&engine, Device::CPU, 1, &[0.25f32])?;
    /// let scale = Tensor::from_slice(&engine, Device::CPU, 1, &[0.5f32])?;
    /// for value in [2.0f32, f32::INFINITY] {
    ///     let gradient = Tensor::from_slice(&engine, Device::CPU, [1, 1, 1], &[value])?;
    ///     let finite = ops::all_finite(&[&gradient])?;
    ///     let bags = Bags::new(&indices);
    ///     Tensor::embedding_bag_descend_with(&[&table], bags, &gradient, &rate, Some(&finite), Some(&scale))?;
    ///     assert_eq!(table.to_vec::<f32>()?, [1.0, 1.5]);
    /// }
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`embedding_bag_descend`](Tensor::embedding_bag_descend); also where `finite` or `scale` is not one element of its
    /// dtype.
    #[track_caller]
    pub fn embedding_bag_descend_with(
        tables: &[&Tensor],
        bags: Bags<'_>,
        gradient: &Tensor,
        rate: &Tensor,
        finite: Option<&Tensor>,
        scale: Option<&Tensor>,
    ) -> Result<()> {
        let handles: Vec<_> = tables.iter().map(|each| each.as_ptr()).collect();
        let (indices, offsets) = (bags.indices.as_ptr(), bags.offsets_raw());
        let mut options = sys::RONDO_DESCEND_OPTIONS_INIT;
        options.finite = finite.map_or(null_mut(), Tensor::as_ptr);
        options.scale = scale.map_or(null_mut(), Tensor::as_ptr);
        check(unsafe {
            sys::rondo_embedding_bag_descend(
                length(tables),
                handles.as_ptr(),
                indices,
                offsets,
                bags.mode(),
                gradient.as_ptr(),
                rate.as_ptr(),
                &options,
            )
        })
    }

    /// The products of all pairs of each sample's vectors, `[batch, vectors, width]`: those of vector 1 and 0, 2 and 0, 2
    /// and 1, and so on; with `keep_first` behind the elements of the first vector.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::from_slice(&engine, Device::CPU, [1, 3, 1], &[2.0f32, 3.0, 5.0])?;
    /// assert_eq!(x.dot_interaction(false)?.to_vec::<f32>()?, [6.0, 10.0, 15.0]);
    /// assert_eq!(x.dot_interaction(true)?.to_vec::<f32>()?, [2.0, 6.0, 10.0, 15.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the tensor is not of that shape or no float.
    #[doc(alias = "rondo_dot_interaction")]
    #[track_caller]
    pub fn dot_interaction(&self, keep_first: bool) -> Result<Tensor> {
        new(self.engine(), |out| unsafe { sys::rondo_dot_interaction(self.as_ptr(), keep_first.into(), out) })
    }
}
