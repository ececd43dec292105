//! Elements by the traits of the standard library, of tensors of any dtype: `Vec::<f32>::try_from(&a)?`, `f64::try_from(&a)?`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::borrow::Cow;

use crate::{no_gradients, Element, Error, Result, Tensor};

/// The tensor with elements of this type, cast if it has others.
fn of_type<T: Element>(tensor: &Tensor) -> Result<Cow<'_, Tensor>> {
    if tensor.dtype()? == T::DTYPE {
        return Ok(Cow::Borrowed(tensor));
    }
    no_gradients(|| tensor.cast(T::DTYPE)).map(Cow::Owned)
}

/// As [`Tensor::to_vec`], of any dtype: as [`Tensor::cast`] gives the elements.
impl<T: Element> TryFrom<&Tensor> for Vec<T> {
    type Error = Error;

    fn try_from(tensor: &Tensor) -> Result<Vec<T>> {
        of_type::<T>(tensor)?.to_vec()
    }
}

macro_rules! elements {
    ($($element:ty),*) => {
        $(
            /// As [`Tensor::item`], of any dtype: as [`Tensor::cast`] gives the element.
            impl TryFrom<&Tensor> for $element {
                type Error = Error;

                fn try_from(tensor: &Tensor) -> Result<$element> {
                    of_type::<$element>(tensor)?.item()
                }
            }

            /// As of a borrowed one.
            impl TryFrom<Tensor> for $element {
                type Error = Error;

                fn try_from(tensor: Tensor) -> Result<$element> {
                    <$element>::try_from(&tensor)
                }
            }
        )*
    };
}

elements!(bool, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
