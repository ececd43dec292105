//! Operands of elementwise operators: tensors and numbers.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::borrow::Cow;

use crate::{Result, Tensor};

/// An operand of an elementwise operator: a tensor, or a number, which takes the other operand's dtype.
///
/// ```
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1i64, 2])?;
/// assert_eq!(a.add(&a)?.to_vec::<i64>()?, [2, 4]);
/// assert_eq!(a.add(i64::MAX - 2)?.to_vec::<i64>()?, [i64::MAX - 1, i64::MAX]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Operand<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// A number.
    F64(f64),
    /// A whole number, exact to 64 bits.
    I64(i64),
}

impl<'a> Operand<'a> {
    /// The number that it is, where a float holds it.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Operand::Tensor(_) => None,
            Operand::F64(number) => Some(number),
            Operand::I64(number) => Some(number as f64).filter(|_| number.unsigned_abs() <= 1 << 53),
        }
    }

    /// As a tensor to compute with beside another one, whose dtype a number takes.
    #[track_caller]
    pub(crate) fn beside(self, tensor: &Tensor) -> Result<Cow<'a, Tensor>> {
        let empty = || tensor.info().and_then(|info| Tensor::empty(tensor.engine(), info.device, info.dtype, ()));
        match self {
            Operand::Tensor(tensor) => Ok(Cow::Borrowed(tensor)),
            Operand::F64(number) => empty().and_then(|made| made.fill(number).map(|()| Cow::Owned(made))),
            Operand::I64(number) => empty().and_then(|made| made.fill_i64(number).map(|()| Cow::Owned(made))),
        }
    }
}

impl<'a> From<&'a Tensor> for Operand<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Operand::Tensor(tensor)
    }
}

macro_rules! numbers {
    ($($type:ty => $variant:ident,)*) => {
        $(impl From<$type> for Operand<'_> {
            fn from(number: $type) -> Self {
                Operand::$variant(number.into())
            }
        })*
    };
}

impl From<u64> for Operand<'_> {
    /// A number that is no `i64` goes as an `f64`, which the library refuses where the dtype does not hold it exactly.
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Operand::F64(number as f64), Operand::I64)
    }
}

impl From<usize> for Operand<'_> {
    fn from(number: usize) -> Self {
        Operand::from(number as u64)
    }
}

numbers! { f32 => F64, f64 => F64, u8 => I64, i8 => I64, u16 => I64, i16 => I64, u32 => I64, i32 => I64, i64 => I64, bool => I64, }
