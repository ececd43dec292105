//! What candle, tch and burn call a method, where the name here is another one: their lines stay as they are.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::borrow::Borrow;

use crate::arguments::{Axes, Axis, NewShape, WholeNumber};
use crate::ops::{self, BinaryOp, Operand, ReduceOp};
use crate::tensor::room;
use crate::{no_gradients, DType, Device, Dims, Element, Result, RightOperand, Tensor};

/// Methods by what they are called where, what they do, and an example of `x`, [[1, 2, 3], [4, 5, 6]].
macro_rules! synonyms {
    ($($there:literal calls $about:literal $name:ident$(<$of:ident: $bound:ident>)?($self:ident $(, $given:ident: $type:ty)*)
        -> $result:ty $body:block as in $example:literal)*) => {
        impl Tensor {$(
            #[doc = concat!($about, " The name is that of ", $there, ".")]
            ///
            /// ```
            /// # use rondo::{DType, Device, Engine, Tensor};
            /// # let engine = Engine::new()?;
            /// let x = Tensor::new(&engine, Device::CPU, [[1f32, 2., 3.], [4., 5., 6.]])?;
            #[doc = concat!("assert_eq!(", $example, ");")]
            /// # Ok::<(), rondo::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// As the method that it stands for.
            #[track_caller]
            pub fn $name$(<$of: $bound>)?(&$self $(, $given: $type)*) -> Result<$result> $body
        )*}
    };
}

synonyms! {
    "candle" calls "[`Tensor::cast`]." to_dtype(self, dtype: DType) -> Tensor { self.cast(dtype) }
        as in "x.to_dtype(DType::I64)?.to_vec::<i64>()?[5], 6"
    "candle and tch" calls "The last two axes in each other's place; fewer than two stay as they are." t(self) -> Tensor {
        match self.shape()?.len() {
            0 | 1 => self.transpose(),
            _ => self.swap_axes(-2, -1),
        }
    } as in "x.t()?.shape()?, [3, 2]"
    "burn" calls "[`Tensor::swap_axes`]." swap_dims(self, a: impl Into<Axis>, b: impl Into<Axis>) -> Tensor {
        self.swap_axes(a, b)
    } as in "x.swap_dims(0, 1)?.shape()?, [3, 2]"

    "candle" calls "[`Tensor::add`], which broadcasts too." broadcast_add(self, other: &Tensor) -> Tensor { self.add(other) }
        as in "x.broadcast_add(&x.i(0)?)?.to_vec::<f32>()?, [2., 4., 6., 5., 7., 9.]"
    "candle" calls "[`Tensor::sub`], which broadcasts too." broadcast_sub(self, other: &Tensor) -> Tensor { self.sub(other) }
        as in "x.broadcast_sub(&x.i(0)?)?.to_vec::<f32>()?, [0., 0., 0., 3., 3., 3.]"
    "candle" calls "[`Tensor::mul`], which broadcasts too." broadcast_mul(self, other: &Tensor) -> Tensor { self.mul(other) }
        as in "x.broadcast_mul(&x.i(0)?)?.to_vec::<f32>()?, [1., 4., 9., 4., 10., 18.]"
    "candle" calls "[`Tensor::div`], which broadcasts too." broadcast_div(self, other: &Tensor) -> Tensor { self.div(other) }
        as in "x.broadcast_div(&x.i(0)?)?.to_vec::<f32>()?, [1., 1., 1., 4., 2.5, 2.]"
    "candle" calls "[`Tensor::maximum`], which broadcasts too." broadcast_maximum(self, other: &Tensor) -> Tensor {
        self.maximum(other)
    } as in "x.broadcast_maximum(&x.i(1)?)?.to_vec::<f32>()?, [4., 5., 6., 4., 5., 6.]"
    "candle" calls "[`Tensor::minimum`], which broadcasts too." broadcast_minimum(self, other: &Tensor) -> Tensor {
        self.minimum(other)
    } as in "x.broadcast_minimum(&x.i(0)?)?.to_vec::<f32>()?, [1., 2., 3., 1., 2., 3.]"
    "candle" calls "[`Tensor::matmul`], which broadcasts too." broadcast_matmul(self, other: &Tensor) -> Tensor {
        self.matmul(other)
    } as in "x.broadcast_matmul(&x.t()?)?.to_vec::<f32>()?, [14., 32., 32., 77.]"

    "candle" calls "[`Tensor::sum`] with the axes kept, of size 1." sum_keepdim(self, axes: impl Into<Axes>) -> Tensor {
        ops::reduce(ReduceOp::Sum, self, axes, true)
    } as in "x.sum_keepdim(1)?.shape()?, [2, 1]"
    "candle" calls "[`Tensor::mean`] with the axes kept, of size 1." mean_keepdim(self, axes: impl Into<Axes>) -> Tensor {
        ops::reduce(ReduceOp::Mean, self, axes, true)
    } as in "x.mean_keepdim(1)?.to_vec2::<f32>()?, [[2.], [5.]]"
    "candle" calls "[`Tensor::max`] with the axes kept, of size 1." max_keepdim(self, axes: impl Into<Axes>) -> Tensor {
        ops::reduce(ReduceOp::Max, self, axes, true)
    } as in "x.max_keepdim(1)?.to_vec2::<f32>()?, [[3.], [6.]]"
    "candle" calls "[`Tensor::min`] with the axes kept, of size 1." min_keepdim(self, axes: impl Into<Axes>) -> Tensor {
        ops::reduce(ReduceOp::Min, self, axes, true)
    } as in "x.min_keepdim(1)?.to_vec2::<f32>()?, [[1.], [4.]]"
    "candle" calls "[`Tensor::argmax`] with the axes kept, of size 1." argmax_keepdim(self, axes: impl Into<Axes>) -> Tensor {
        ops::reduce(ReduceOp::Argmax, self, axes, true)
    } as in "x.argmax_keepdim(1)?.to_vec2::<i64>()?, [[2], [2]]"
    "candle" calls "[`Tensor::argmin`] with the axes kept, of size 1." argmin_keepdim(self, axes: impl Into<Axes>) -> Tensor {
        ops::reduce(ReduceOp::Argmin, self, axes, true)
    } as in "x.argmin_keepdim(1)?.to_vec2::<i64>()?, [[0], [0]]"
    "burn" calls "[`Tensor::sum`] with the axis kept, of size 1." sum_dim(self, axis: impl Into<Axes>) -> Tensor {
        self.sum_keepdim(axis)
    } as in "x.sum_dim(1)?.shape()?, [2, 1]"
    "burn" calls "[`Tensor::mean`] with the axis kept, of size 1." mean_dim(self, axis: impl Into<Axes>) -> Tensor {
        self.mean_keepdim(axis)
    } as in "x.mean_dim(1)?.shape()?, [2, 1]"
    "candle" calls "[`Tensor::sum`] of all." sum_all(self) -> Tensor { self.sum(..) }
        as in "x.sum_all()?.item::<f32>()?, 21."
    "candle" calls "[`Tensor::mean`] of all." mean_all(self) -> Tensor { self.mean(..) }
        as in "x.mean_all()?.item::<f32>()?, 3.5"
    "candle" calls "[`Tensor::max`] of all." max_all(self) -> Tensor { self.max(..) }
        as in "x.max_all()?.item::<f32>()?, 6."
    "candle" calls "[`Tensor::min`] of all." min_all(self) -> Tensor { self.min(..) }
        as in "x.min_all()?.item::<f32>()?, 1."
    "tch" calls "The greatest elements along an axis, [`Tensor::max`], and where they are, [`Tensor::argmax`]."
        max_dim(self, axis: impl Into<Axis>, keep_dim: bool) -> (Tensor, Tensor) {
        let axis = Axes::from(axis.into());
        Ok((ops::reduce(ReduceOp::Max, self, axis, keep_dim)?, ops::reduce(ReduceOp::Argmax, self, axis, keep_dim)?))
    } as in "x.max_dim(1, false)?.0.to_vec::<f32>()?, [3., 6.]"
    "tch" calls "The least elements along an axis, [`Tensor::min`], and where they are, [`Tensor::argmin`]."
        min_dim(self, axis: impl Into<Axis>, keep_dim: bool) -> (Tensor, Tensor) {
        let axis = Axes::from(axis.into());
        Ok((ops::reduce(ReduceOp::Min, self, axis, keep_dim)?, ops::reduce(ReduceOp::Argmin, self, axis, keep_dim)?))
    } as in "x.min_dim(1, true)?.1.to_vec2::<i64>()?, [[0], [0]]"

    "candle" calls "[`Tensor::choose`]." where_cond(self, a: &Tensor, b: &Tensor) -> Tensor { self.choose(a, b) }
        as in "x.gt(2.)?.where_cond(&x, &x.neg()?)?.to_vec::<f32>()?, [-1., -2., 3., 4., 5., 6.]"
    "burn" calls "`value` where the mask is true, the tensor's own elements elsewhere; see [`Tensor::choose`]."
        mask_where(self, mask: &Tensor, value: &Tensor) -> Tensor { mask.choose(value, self) }
        as in "x.mask_where(&x.gt(2.)?, &x.neg()?)?.to_vec::<f32>()?, [1., 2., -3., -4., -5., -6.]"
    "burn" calls "A number where the mask is true, the tensor's own elements elsewhere; see [`Tensor::choose`]."
        mask_fill(self, mask: &Tensor, value: impl Into<Operand<'static>>) -> Tensor {
        mask.choose(&*value.into().beside(self)?, self)
    } as in "x.mask_fill(&x.gt(2.)?, 0.)?.to_vec::<f32>()?, [1., 2., 0., 0., 0., 0.]"
    "candle" calls "[`Tensor::take`]." index_select(self, indices: &Tensor, axis: impl Into<Axis>) -> Tensor {
        self.take(indices, axis)
    } as in "x.index_select(&Tensor::new(&engine, Device::CPU, [1i64, 0])?, 0)?.to_vec::<f32>()?, [4., 5., 6., 1., 2., 3.]"
    "candle" calls "[`Tensor::take_along_axis`]." gather(self, indices: &Tensor, axis: impl Into<Axis>) -> Tensor {
        self.take_along_axis(indices, axis)
    } as in "x.gather(&x.argmax_keepdim(1)?, 1)?.to_vec2::<f32>()?, [[3.], [6.]]"
    "candle" calls "[`Tensor::split`] into so many parts, or one for each element of a shorter axis."
        chunk(self, parts: impl WholeNumber, axis: impl Into<Axis>) -> Vec<Tensor> {
        let (axis, shape) = (axis.into(), self.shape()?);
        let size = shape[axis.place(shape.len(), "Tensor::chunk")?].max(1) as i64;
        self.split(parts.as_i64().min(size), axis)
    } as in "x.chunk(2, 1)?[0].to_vec::<f32>()?, [1., 2., 4., 5.]"

    "burn" calls "[`Tensor::add`] with a number." add_scalar(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Add, self.into())
    } as in "x.add_scalar(1.)?.to_vec::<f32>()?[0], 2."
    "burn" calls "[`Tensor::sub`] with a number." sub_scalar(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Sub, self.into())
    } as in "x.sub_scalar(1.)?.to_vec::<f32>()?[0], 0."
    "burn" calls "[`Tensor::mul`] with a number." mul_scalar(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Mul, self.into())
    } as in "x.mul_scalar(2.)?.to_vec::<f32>()?[0], 2."
    "burn" calls "[`Tensor::div`] with a number." div_scalar(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Div, self.into())
    } as in "x.div_scalar(2.)?.to_vec::<f32>()?[0], 0.5"
    "burn" calls "[`Tensor::pow`] with a number." powf_scalar(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Pow, self.into())
    } as in "x.powf_scalar(2.)?.to_vec::<f32>()?[1], 4."
    "tch" calls "[`Tensor::pow`] with a number." pow_tensor_scalar(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Pow, self.into())
    } as in "x.pow_tensor_scalar(2)?.to_vec::<f32>()?[1], 4."
    "burn" calls "[`Tensor::pow`] with a whole number." powi_scalar(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Pow, self.into())
    } as in "x.powi_scalar(2)?.to_vec::<f32>()?[1], 4."

    "candle" calls "[`Tensor::item`]." to_scalar<T: Element>(self) -> T { self.item() }
        as in "x.mean_all()?.to_scalar::<f32>()?, 3.5"
    "candle" calls "[`Tensor::to_vec`] of a tensor of one axis." to_vec1<T: Element>(self) -> Vec<T> {
        self.dims::<1>()?;
        self.to_vec()
    } as in "x.i(1)?.to_vec1::<f32>()?, [4., 5., 6.]"
    "candle" calls "[`Tensor::to_vec`] of a tensor of two axes, row by row." to_vec2<T: Element>(self) -> Vec<Vec<T>> {
        let [rows, columns] = self.dims()?;
        in_rows(self.to_vec()?, rows, columns)
    } as in "x.to_vec2::<f32>()?, [[1., 2., 3.], [4., 5., 6.]]"
    "candle" calls "[`Tensor::to_vec`] of a tensor of three axes, row by row." to_vec3<T: Element>(self) -> Vec<Vec<Vec<T>>> {
        let [blocks, rows, columns] = self.dims()?;
        in_rows(in_rows(self.to_vec()?, blocks * rows, columns)?, blocks, rows)
    } as in "x.unsqueeze(0)?.to_vec3::<f32>()?, [[[1., 2., 3.], [4., 5., 6.]]]"
    "candle" calls "[`Tensor::dims`] of a tensor of one axis." dims1(self) -> usize { self.dims().map(|[size]| size) }
        as in "x.i(0)?.dims1()?, 3"
    "candle" calls "[`Tensor::dims`] of a tensor of two axes." dims2(self) -> (usize, usize) {
        self.dims().map(|[a, b]| (a, b))
    } as in "x.dims2()?, (2, 3)"
    "candle" calls "[`Tensor::dims`] of a tensor of three axes." dims3(self) -> (usize, usize, usize) {
        self.dims().map(|[a, b, c]| (a, b, c))
    } as in "x.unsqueeze(0)?.dims3()?, (1, 2, 3)"
    "candle" calls "[`Tensor::dims`] of a tensor of four axes." dims4(self) -> (usize, usize, usize, usize) {
        self.dims().map(|[a, b, c, d]| (a, b, c, d))
    } as in "x.reshape((1, 1, 2, 3))?.dims4()?, (1, 1, 2, 3)"
    "tch" calls "[`Tensor::shape`]." size(self) -> Vec<i64> { Ok(self.shape()?.iter().map(|&size| size as i64).collect()) }
        as in "x.size()?, [2, 3]"

    "candle" calls "[`Tensor::square`]." sqr(self) -> Tensor { self.square() }
        as in "x.sqr()?.to_vec::<f32>()?[1], 4."
    "candle" calls "The elements times a number, and another one more." affine(self, times: impl RightOperand, more: impl RightOperand) -> Tensor {
        more.apply(BinaryOp::Add, Operand::Tensor(&times.apply(BinaryOp::Mul, self.into())?))
    } as in "x.affine(2., 1.)?.to_vec::<f32>()?[1], 5."
    "burn" calls "[`Tensor::silu`]." swish(self) -> Tensor { self.silu() }
        as in "x.swish()?.to_vec::<f32>()?, x.silu()?.to_vec::<f32>()?"
    "candle" calls "The sum of each element and all before it; see [`ops::cumulative`]." cumsum(self, axis: impl Into<Axis>) -> Tensor {
        ops::cumulative(ReduceOp::Sum, self, axis, false)
    } as in "x.cumsum(1)?.to_vec::<f32>()?, [1., 3., 6., 4., 9., 15.]"
    "tch" calls "The product of each element and all before it; see [`ops::cumulative`]." cumprod(self, axis: impl Into<Axis>) -> Tensor {
        ops::cumulative(ReduceOp::Prod, self, axis, false)
    } as in "x.cumprod(1)?.to_vec::<f32>()?, [1., 2., 6., 4., 20., 120.]"
    "tch" calls "[`Tensor::l2_norm`] of all." norm(self) -> Tensor { self.l2_norm(..) }
        as in "(x.norm()?.item::<f32>()? * 1e3).round(), 9539."
    "ndarray" calls "[`Tensor::sum`] over one axis." sum_axis(self, axis: impl Into<Axis>) -> Tensor {
        self.sum(axis.into())
    } as in "x.sum_axis(rondo::Axis(0))?.to_vec::<f32>()?, [5., 7., 9.]"
    "ndarray" calls "[`Tensor::mean`] over one axis." mean_axis(self, axis: impl Into<Axis>) -> Tensor {
        self.mean(axis.into())
    } as in "x.mean_axis(rondo::Axis(0))?.to_vec::<f32>()?, [2.5, 3.5, 4.5]"

    "burn" calls "[`Tensor::gt`]." greater(self, other: impl RightOperand) -> Tensor {
        other.apply(BinaryOp::Gt, self.into())
    } as in "x.greater(&x)?.to_vec::<bool>()?, [false; 6]"
    "burn" calls "[`Tensor::ge`]." greater_equal(self, other: impl RightOperand) -> Tensor {
        other.apply(BinaryOp::Ge, self.into())
    } as in "x.greater_equal(&x)?.to_vec::<bool>()?, [true; 6]"
    "burn" calls "[`Tensor::lt`]." lower(self, other: impl RightOperand) -> Tensor { other.apply(BinaryOp::Lt, self.into()) }
        as in "x.lower(&x)?.to_vec::<bool>()?, [false; 6]"
    "burn" calls "[`Tensor::le`]." lower_equal(self, other: impl RightOperand) -> Tensor {
        other.apply(BinaryOp::Le, self.into())
    } as in "x.lower_equal(&x)?.to_vec::<bool>()?, [true; 6]"
    "burn" calls "[`Tensor::eq`]." equal(self, other: impl RightOperand) -> Tensor { other.apply(BinaryOp::Eq, self.into()) }
        as in "x.equal(&x)?.to_vec::<bool>()?, [true; 6]"
    "burn" calls "[`Tensor::gt`] with a number." greater_elem(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Gt, self.into())
    } as in "x.greater_elem(5.)?.to_vec::<bool>()?[5], true"
    "burn" calls "[`Tensor::lt`] with a number." lower_elem(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Lt, self.into())
    } as in "x.lower_elem(2.)?.to_vec::<bool>()?[0], true"
    "burn" calls "[`Tensor::eq`] with a number." equal_elem(self, number: impl RightOperand) -> Tensor {
        number.apply(BinaryOp::Eq, self.into())
    } as in "x.equal_elem(2.)?.to_vec::<bool>()?[1], true"

    "candle" calls "The place of the first axis with this number; see [`Tensor::i`]." get(self, place: usize) -> Tensor {
        self.i(place)
    } as in "x.get(1)?.to_vec::<f32>()?, [4., 5., 6.]"
    "ndarray" calls "A row of a matrix; see [`Tensor::i`]." row(self, place: usize) -> Tensor { self.i(place) }
        as in "x.row(1)?.to_vec::<f32>()?, [4., 5., 6.]"
    "ndarray" calls "A column of a matrix; see [`Tensor::i`]." column(self, place: usize) -> Tensor { self.i((.., place)) }
        as in "x.column(1)?.to_vec::<f32>()?, [2., 5.]"
    "candle and tch" calls "[`Tensor::broadcast`]." expand(self, shape: impl Into<Dims>) -> Tensor { self.broadcast(shape) }
        as in "x.i(0)?.expand([2, 3])?.shape()?, [2, 3]"
    "ndarray" calls "[`Tensor::reshape`]." into_shape(self, shape: impl Into<NewShape>) -> Tensor { self.reshape(shape) }
        as in "x.into_shape((3, 2))?.shape()?, [3, 2]"
    "candle and tch" calls "[`Tensor::copy_to`]." to_device(self, device: impl Borrow<Device>) -> Tensor {
        self.copy_to(*device.borrow())
    } as in "x.to_device(Device::CPU)?.device()?, x.to_device(&Device::CPU)?.device()?"
    "candle and tch" calls "A copy that tapes take for a constant; see [`crate::no_gradients`]." detach(self) -> Tensor {
        no_gradients(|| self.copy())
    } as in "x.detach()?.shape()?, [2, 3]"

    "tch" calls "[`Tensor::copy_into`] this tensor, which it returns." copy_(self, from: &Tensor) -> Tensor {
        from.copy_into(self).map(|()| self.clone())
    } as in "x.copy_(&x.neg()?)?.to_vec::<f32>()?[5], -6."
    "tch" calls "[`Tensor::fill`] with 0 of this tensor, which it returns." zero_(self) -> Tensor { self.fill_(0.0) }
        as in "x.zero_()?.to_vec::<f32>()?, [0.; 6]"
    "tch" calls "[`Tensor::fill`] of this tensor, which it returns." fill_(self, value: f64) -> Tensor {
        self.fill(value).map(|()| self.clone())
    } as in "x.fill_(2.)?.to_vec::<f32>()?, [2.; 6]"
    "tch" calls "[`Tensor::add_assign`] of this tensor, which it returns." add_(self, other: impl RightOperand) -> Tensor {
        other.assign(BinaryOp::Add, self).map(|()| self.clone())
    } as in "x.add_(1.)?.to_vec::<f32>()?[0], 2."
    "tch" calls "[`Tensor::sub_assign`] of this tensor, which it returns." sub_(self, other: impl RightOperand) -> Tensor {
        other.assign(BinaryOp::Sub, self).map(|()| self.clone())
    } as in "x.sub_(1.)?.to_vec::<f32>()?[0], 0."
    "tch" calls "[`Tensor::mul_assign`] of this tensor, which it returns." mul_(self, other: impl RightOperand) -> Tensor {
        other.assign(BinaryOp::Mul, self).map(|()| self.clone())
    } as in "x.mul_(2.)?.to_vec::<f32>()?[0], 2."
    "tch" calls "[`Tensor::div_assign`] of this tensor, which it returns." div_(self, other: impl RightOperand) -> Tensor {
        other.assign(BinaryOp::Div, self).map(|()| self.clone())
    } as in "x.div_(2.)?.to_vec::<f32>()?[0], 0.5"

    "candle" calls "How many axes there are; see [`Tensor::shape`]." rank(self) -> usize { Ok(self.shape()?.len()) }
        as in "x.rank()?, 2"
    "ndarray" calls "How many axes there are; see [`Tensor::shape`]." ndim(self) -> usize { Ok(self.shape()?.len()) }
        as in "x.ndim()?, 2"
    "candle" calls "How many elements there are; see [`Tensor::info`]." elem_count(self) -> usize {
        Ok(self.info()?.elements)
    } as in "x.elem_count()?, 6"
    "tch" calls "How many elements there are; see [`Tensor::info`]." numel(self) -> usize { Ok(self.info()?.elements) }
        as in "x.numel()?, 6"
    "ndarray" calls "The size of the first axis of a matrix; see [`Tensor::dims`]." nrows(self) -> usize {
        self.dims().map(|[rows, _]| rows)
    } as in "x.nrows()?, 2"
    "ndarray" calls "The size of the second axis of a matrix; see [`Tensor::dims`]." ncols(self) -> usize {
        self.dims().map(|[_, columns]| columns)
    } as in "x.ncols()?, 3"
}

/// A list cut into lists of the same length.
fn in_rows<T>(list: Vec<T>, rows: usize, columns: usize) -> Result<Vec<Vec<T>>> {
    let (mut cut, mut list) = (room("Tensor::to_vec", rows)?, list.into_iter());
    cut.extend((0..rows).map(|_| list.by_ref().take(columns).collect()));
    Ok(cut)
}

impl Tensor {
    /// [`Tensor::concat`]. The name is that of candle and tch.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let x = Tensor::new(&engine, Device::CPU, [1f32, 2.])?;
    /// assert_eq!(Tensor::cat(&[&x, &x], 0)?.to_vec::<f32>()?, [1., 2., 1., 2.]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::concat`].
    #[track_caller]
    pub fn cat<T: AsRef<Tensor>>(tensors: &[T], axis: impl Into<Axis>) -> Result<Tensor> {
        let tensors: Vec<&Tensor> = tensors.iter().map(AsRef::as_ref).collect();
        Tensor::concat(&tensors, axis)
    }
}

impl AsRef<Tensor> for Tensor {
    fn as_ref(&self) -> &Tensor {
        self
    }
}
