//! Operators as functions. Most are methods of [`Tensor`] too; what is here only needs no tensor to begin with, or
//! writes into one that is there already (`_into`).
//!
//! An output that is given must have the result's shape, dtype and device. It may be an input of an elementwise operator,
//! and it may be a view, which then is written where it is. An [accumulator](Tensor::accumulator) is added to.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::ptr::null;

use rondo_sys as sys;

pub use crate::arguments::Axes;
use crate::arguments::Axis;
pub use crate::attention::{Attended, Attention};
pub use crate::convolution::Convolution;
use crate::error::check;
pub use crate::generated::normalisations::*;
pub use crate::generated::{
    Activation, BinaryOp, PadMode, ReduceOp, ResizeMode, ResizeOrigin, SoftmaxOp, TernaryOp, UnaryOp,
};
pub use crate::matmul::Matmul;
pub use crate::normalisation::{BatchNorm, Norm, Running};
pub use crate::operand::Operand;
pub use crate::optimizer::{all_finite, clip_global_norm, global_norm};
pub use crate::pooling::Pool;
pub use crate::random::{random_normal, random_permutation, random_uniform};
pub use crate::recommender::Bags;
pub use crate::recurrent::{LstmResults, Recurrent, RecurrentResults};
pub use crate::rotary::Rotary;
pub use crate::rows::{softmax_grad_with, softmax_with};
use crate::{Engine, Error, ErrorKind, Result, Tensor};

/// Calls an operator that makes its output.
#[inline]
#[track_caller]
pub(crate) fn new(
    engine: &Engine,
    call: impl FnOnce(*mut *mut sys::rondo_tensor) -> sys::rondo_status,
) -> Result<Tensor> {
    Tensor::create(engine, call)
}

/// Calls an operator that makes two tensors.
#[track_caller]
pub(crate) fn new_pair(
    engine: &Engine,
    call: impl FnOnce(*mut *mut sys::rondo_tensor, *mut *mut sys::rondo_tensor) -> sys::rondo_status,
) -> Result<(Tensor, Tensor)> {
    let (mut first, mut second) = (std::ptr::null_mut(), std::ptr::null_mut());
    check(call(&mut first, &mut second))?;
    let adopt = |handle| {
        // SAFETY: `create` gives a live variable.
        Tensor::create(engine, |out| unsafe {
            *out = handle;
            sys::RONDO_OK
        })
    };
    Ok((adopt(first)?, adopt(second)?))
}

/// Calls an operator that writes its output into a tensor.
#[inline]
#[track_caller]
pub(crate) fn into(out: &Tensor, call: impl FnOnce(*mut *mut sys::rondo_tensor) -> sys::rondo_status) -> Result<()> {
    let mut handle = out.as_ptr(); // the library reads it, and stores only where it finds NULL
    check(call(&mut handle))
}

/// `op(a)`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
/// assert_eq!(ops::unary(ops::UnaryOp::Square, &a)?.to_vec::<f32>()?, [4.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtype or needs
/// parameters; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
#[doc(alias = "rondo_unary")]
#[inline]
#[track_caller]
pub fn unary(op: UnaryOp, a: &Tensor) -> Result<Tensor> {
    new(a.engine(), |out| unsafe { sys::rondo_unary(op.as_raw(), a.as_ptr(), out) })
}

/// `op(a)`, written into `out`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
/// ops::unary_into(ops::UnaryOp::Square, &a, &a)?;
/// assert_eq!(a.to_vec::<f32>()?, [4.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`unary`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[inline]
#[track_caller]
pub fn unary_into(op: UnaryOp, a: &Tensor, out: &Tensor) -> Result<()> {
    into(out, |out| unsafe { sys::rondo_unary(op.as_raw(), a.as_ptr(), out) })
}

/// The engine of the first tensor among two operands.
#[inline]
#[track_caller]
fn engine_of<'a>(a: Operand<'a>, b: Operand<'a>) -> Result<&'a Engine> {
    match (a, b) {
        (Operand::Tensor(tensor), _) | (_, Operand::Tensor(tensor)) => Ok(tensor.engine()),
        _ => Err(no_tensor()),
    }
}

#[cold]
fn no_tensor() -> Error {
    Error::new(ErrorKind::InvalidArgument, "ops::binary: neither operand is a tensor")
}

#[inline]
fn call_binary(op: BinaryOp, a: Operand<'_>, b: Operand<'_>, out: *mut *mut sys::rondo_tensor) -> sys::rondo_status {
    use Operand::{Tensor as T, F64, I64};
    let op = op.as_raw();
    // SAFETY: live tensors; `out` is to a live variable.
    unsafe {
        match (a, b) {
            (T(a), T(b)) => sys::rondo_binary(op, a.as_ptr(), b.as_ptr(), out),
            (T(a), F64(b)) => sys::rondo_binary_scalar(op, a.as_ptr(), b, out),
            (T(a), I64(b)) => sys::rondo_binary_scalar_i64(op, a.as_ptr(), b, out),
            (F64(a), T(b)) => sys::rondo_scalar_binary(op, a, b.as_ptr(), out),
            (I64(a), T(b)) => sys::rondo_scalar_binary_i64(op, a, b.as_ptr(), out),
            (F64(_) | I64(_), F64(_) | I64(_)) => sys::RONDO_INVALID_ARGUMENT, // engine_of has refused it
        }
    }
}

/// `a op b`, broadcast; one of them may be a number.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[2.0f32, 4.0])?;
/// assert_eq!(ops::binary(ops::BinaryOp::Div, 1.0, &a)?.to_vec::<f32>()?, [0.5, 0.25]);
/// assert!(ops::binary(ops::BinaryOp::Div, 1.0, 2.0).is_err());
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the operator does not take the dtypes, the shapes do
/// not broadcast, or neither operand is a tensor; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that
/// nothing has written.
#[doc(alias = "rondo_binary")]
#[doc(alias = "rondo_binary_scalar")]
#[doc(alias = "rondo_binary_scalar_i64")]
#[doc(alias = "rondo_scalar_binary")]
#[doc(alias = "rondo_scalar_binary_i64")]
#[inline]
#[track_caller]
pub fn binary<'a>(op: BinaryOp, a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Tensor> {
    let (a, b) = (a.into(), b.into());
    new(engine_of(a, b)?, |out| call_binary(op, a, b, out))
}

/// `a op b`, broadcast, written into `out`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[2.0f32, 4.0])?;
/// ops::binary_into(ops::BinaryOp::Mul, &a, 0.5, &a)?;
/// assert_eq!(a.to_vec::<f32>()?, [1.0, 2.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`binary`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[inline]
#[track_caller]
pub fn binary_into<'a>(op: BinaryOp, a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>, out: &Tensor) -> Result<()> {
    let (a, b) = (a.into(), b.into());
    engine_of(a, b)?;
    into(out, |out| call_binary(op, a, b, out))
}

/// `op(a)` with the operator's parameters, in the order of its documentation.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 9.0])?;
/// assert_eq!(ops::unary_with(ops::UnaryOp::Clip, &a, &[2.0, 3.0])?.to_vec::<f32>()?, [2.0, 3.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`unary`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too for another number of parameters than the
/// operator has.
#[doc(alias = "rondo_unary_with")]
#[track_caller]
pub fn unary_with(op: UnaryOp, a: &Tensor, parameters: &[f64]) -> Result<Tensor> {
    let (n, values) = (length(parameters), parameters.as_ptr());
    new(a.engine(), |out| unsafe { sys::rondo_unary_with(op.as_raw(), a.as_ptr(), n, values, out) })
}

/// The same, written into `out`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 9.0])?;
/// ops::unary_with_into(ops::UnaryOp::Clip, &a, &[2.0, 3.0], &a)?;
/// assert_eq!(a.to_vec::<f32>()?, [2.0, 3.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`unary_with`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[track_caller]
pub fn unary_with_into(op: UnaryOp, a: &Tensor, parameters: &[f64], out: &Tensor) -> Result<()> {
    let (n, values) = (length(parameters), parameters.as_ptr());
    into(out, |out| unsafe { sys::rondo_unary_with(op.as_raw(), a.as_ptr(), n, values, out) })
}

/// `a op b`, broadcast, with the operator's parameters.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 9.0])?;
/// let loss = ops::binary_with(ops::BinaryOp::SmoothL1, &a, &a, &[0.5])?;
/// assert_eq!(loss.to_vec::<f32>()?, [0.0, 0.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`binary`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too for another number of parameters than
/// the operator has.
#[doc(alias = "rondo_binary_with")]
#[track_caller]
pub fn binary_with(op: BinaryOp, a: &Tensor, b: &Tensor, parameters: &[f64]) -> Result<Tensor> {
    let (n, values) = (length(parameters), parameters.as_ptr());
    new(a.engine(), |out| unsafe { sys::rondo_binary_with(op.as_raw(), a.as_ptr(), b.as_ptr(), n, values, out) })
}

/// The same, written into `out`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 9.0])?;
/// ops::binary_with_into(ops::BinaryOp::SmoothL1, &a, &a, &[0.5], &a)?;
/// assert_eq!(a.to_vec::<f32>()?, [0.0, 0.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`binary_with`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[track_caller]
pub fn binary_with_into(op: BinaryOp, a: &Tensor, b: &Tensor, parameters: &[f64], out: &Tensor) -> Result<()> {
    let (n, values) = (length(parameters), parameters.as_ptr());
    into(out, |out| unsafe { sys::rondo_binary_with(op.as_raw(), a.as_ptr(), b.as_ptr(), n, values, out) })
}

/// `op(a, b, c)`, broadcast; `b` and `c` may be numbers, which take the dtype of `a`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
/// assert_eq!(ops::ternary(ops::TernaryOp::Fma, &a, &a, &a)?.to_vec::<f32>()?, [6.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`binary`].
#[doc(alias = "rondo_ternary")]
#[track_caller]
pub fn ternary<'a>(op: TernaryOp, a: &Tensor, b: impl Into<Operand<'a>>, c: impl Into<Operand<'a>>) -> Result<Tensor> {
    let (b, c) = (b.into(), c.into());
    if let (TernaryOp::Clamp, Some(low), Some(high)) = (op, b.number(), c.number()) {
        return unary_with(UnaryOp::Clip, a, &[low, high]); // one kernel, which takes them as they are
    }
    let (b, c) = (b.beside(a)?, c.beside(a)?);
    new(a.engine(), |out| unsafe { sys::rondo_ternary(op.as_raw(), a.as_ptr(), b.as_ptr(), c.as_ptr(), out) })
}

/// The same, written into `out`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
/// ops::ternary_into(ops::TernaryOp::Fma, &a, &a, &a, &a)?;
/// assert_eq!(a.to_vec::<f32>()?, [6.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`ternary`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[track_caller]
pub fn ternary_into(op: TernaryOp, a: &Tensor, b: &Tensor, c: &Tensor, out: &Tensor) -> Result<()> {
    into(out, |out| unsafe { sys::rondo_ternary(op.as_raw(), a.as_ptr(), b.as_ptr(), c.as_ptr(), out) })
}

/// The sum of 1 to 16 tensors, from the left, broadcast, with one rounding.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
/// assert_eq!(ops::add_n(&[&a, &a, &a])?.to_vec::<f32>()?, [6.0]);
/// assert!(ops::add_n(&[]).is_err());
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for no tensors or more than 16, and where shapes do not
/// broadcast; [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
#[doc(alias = "rondo_add_n")]
#[track_caller]
pub fn add_n(tensors: &[&Tensor]) -> Result<Tensor> {
    let handles: Vec<_> = tensors.iter().map(|tensor| tensor.as_ptr()).collect();
    let first = tensors.first().ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, "ops::add_n: tensors is empty; 1 to 16 tensors are added")
    })?;
    new(first.engine(), |out| unsafe { sys::rondo_add_n(length(tensors), handles.as_ptr(), out) })
}

/// The same, written into `out`.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[2.0f32])?;
/// ops::add_n_into(&[&a, &a], &a)?;
/// assert_eq!(a.to_vec::<f32>()?, [4.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`add_n`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[track_caller]
pub fn add_n_into(tensors: &[&Tensor], out: &Tensor) -> Result<()> {
    let handles: Vec<_> = tensors.iter().map(|tensor| tensor.as_ptr()).collect();
    into(out, |out| unsafe { sys::rondo_add_n(length(tensors), handles.as_ptr(), out) })
}

/// Entries of a slice as the C interface counts them; more than it can count is more than it takes.
pub(crate) fn length<T>(slice: &[T]) -> i32 {
    i32::try_from(slice.len()).unwrap_or(i32::MAX)
}

macro_rules! names {
    ($($op:ident by $function:ident,)*) => {
        $(impl $op {
            /// The name that messages, reports and traces have for it.
            ///
            /// ```
            #[doc = concat!("for op in rondo::ops::", stringify!($op), "::ALL {")]
            ///     assert!(op.name().is_some());
            /// }
            /// ```
            pub fn name(self) -> Option<&'static str> {
                // SAFETY: a static string, or NULL from a library that is older than the operator.
                let name = unsafe { sys::$function(self.as_raw()) };
                if name.is_null() {
                    return None;
                }
                unsafe { CStr::from_ptr::<'static>(name) }.to_str().ok()
            }
        })*
    };
}

names! { UnaryOp by rondo_unary_op_name, BinaryOp by rondo_binary_op_name, TernaryOp by rondo_ternary_op_name, }
names! { ReduceOp by rondo_reduce_op_name, }

/// Every element of `tensor` becomes `value`.
#[track_caller]
pub(crate) fn fill(tensor: &Tensor, value: f64) -> Result<()> {
    check(unsafe { sys::rondo_fill(tensor.as_ptr(), value) })
}

/// Reduces `a` over axes; `keep_dims` keeps them with size 1.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
/// let sums = ops::reduce(ops::ReduceOp::Sum, &a, -1, true)?;
/// assert_eq!(sums.shape()?, [2, 1]);
/// assert_eq!(sums.to_vec::<f32>()?, [3.0, 7.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where there is no such axis, one is named twice, the
/// operator does not take the dtype, or has no value for no elements;
/// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
#[doc(alias = "rondo_reduce")]
#[track_caller]
pub fn reduce(op: ReduceOp, a: &Tensor, axes: impl Into<Axes>, keep_dims: bool) -> Result<Tensor> {
    let axes = axes.into();
    new(a.engine(), |out| call_reduce(op, a, &axes, keep_dims, out))
}

/// The same, written into `out`.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 2.0])?;
/// let total = Tensor::full(&engine, Device::CPU, DType::F32, (), 10.0)?;
/// ops::reduce_into(ops::ReduceOp::Sum, &a, .., false, &total.accumulator()?)?;
/// assert_eq!(total.item::<f32>()?, 13.0);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`reduce`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[track_caller]
pub fn reduce_into(op: ReduceOp, a: &Tensor, axes: impl Into<Axes>, keep_dims: bool, out: &Tensor) -> Result<()> {
    let axes = axes.into();
    into(out, |out| call_reduce(op, a, &axes, keep_dims, out))
}

/// `reduce` with the operation's parameters, in the order of its documentation.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
/// assert_eq!(ops::reduce_with(ops::ReduceOp::Var, &a, .., false, &[1.0])?.item::<f32>()?, 1.0);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`reduce`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too for another number of parameters than
/// the operator has.
#[doc(alias = "rondo_reduce_with")]
#[track_caller]
pub fn reduce_with(
    op: ReduceOp,
    a: &Tensor,
    axes: impl Into<Axes>,
    keep_dims: bool,
    parameters: &[f64],
) -> Result<Tensor> {
    let axes = axes.into();
    new(a.engine(), |out| call_reduce_with(op, a, &axes, keep_dims, parameters, out))
}

/// The same, written into `out`.
///
/// ```
/// # use rondo::{ops, DType, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[3.0f32, -4.0])?;
/// let norm = Tensor::zeros(&engine, Device::CPU, DType::F32, ())?;
/// ops::reduce_with_into(ops::ReduceOp::LpNorm, &a, .., false, &[1.0], &norm)?;
/// assert_eq!(norm.item::<f32>()?, 7.0);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`reduce_with`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not fit.
#[track_caller]
pub fn reduce_with_into(
    op: ReduceOp,
    a: &Tensor,
    axes: impl Into<Axes>,
    keep_dims: bool,
    parameters: &[f64],
    out: &Tensor,
) -> Result<()> {
    let axes = axes.into();
    into(out, |out| call_reduce_with(op, a, &axes, keep_dims, parameters, out))
}

/// Each element with all before it along an axis, or with `reverse` with all behind it, reduced.
///
/// ```
/// # use rondo::{ops, Device, Engine, Tensor};
/// # let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[1.0f32, 2.0, 3.0])?;
/// assert_eq!(ops::cumulative(ops::ReduceOp::Sum, &a, 0, false)?.to_vec::<f32>()?, [1.0, 3.0, 6.0]);
/// assert_eq!(ops::cumulative(ops::ReduceOp::Prod, &a, 0, true)?.to_vec::<f32>()?, [6.0, 6.0, 3.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
///
/// # Errors
///
/// As [`reduce`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too for an operator that does not
/// accumulate.
#[doc(alias = "rondo_cumulative")]
#[track_caller]
pub fn cumulative(op: ReduceOp, a: &Tensor, axis: impl Into<Axis>, reverse: bool) -> Result<Tensor> {
    let axis = axis.into().0;
    new(a.engine(), |out| unsafe { sys::rondo_cumulative(op.as_raw(), a.as_ptr(), axis, reverse as i32, out) })
}

fn call_reduce(
    op: ReduceOp,
    a: &Tensor,
    axes: &Axes,
    keep_dims: bool,
    out: *mut *mut sys::rondo_tensor,
) -> sys::rondo_status {
    let pointer = if axes.len == 0 { null() } else { axes.axes.as_ptr() };
    // SAFETY: as many axes as are said, or one more than there can be, which is refused unread.
    unsafe { sys::rondo_reduce(op.as_raw(), a.as_ptr(), axes.len as i32, pointer, keep_dims as i32, out) }
}

fn call_reduce_with(
    op: ReduceOp,
    a: &Tensor,
    axes: &Axes,
    keep_dims: bool,
    parameters: &[f64],
    out: *mut *mut sys::rondo_tensor,
) -> sys::rondo_status {
    let (n, values) = (length(parameters), parameters.as_ptr());
    let pointer = if axes.len == 0 { null() } else { axes.axes.as_ptr() };
    // SAFETY: as call_reduce's, and as many parameters as are said.
    unsafe {
        sys::rondo_reduce_with(op.as_raw(), a.as_ptr(), axes.len as i32, pointer, keep_dims as i32, n, values, out)
    }
}
