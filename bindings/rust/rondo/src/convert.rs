//! Elements by the traits of the standard library: `Vec::<f32>::try_from(&a)?`, `f32::try_from(&a)?`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::{Element, Error, Result, Tensor};

/// As [`Tensor::to_vec`].
impl<T: Element> TryFrom<&Tensor> for Vec<T> {
    type Error = Error;

    fn try_from(tensor: &Tensor) -> Result<Vec<T>> {
        tensor.to_vec()
    }
}

macro_rules! elements {
    ($($element:ty),*) => {
        $(
            /// As [`Tensor::item`].
            impl TryFrom<&Tensor> for $element {
                type Error = Error;

                fn try_from(tensor: &Tensor) -> Result<$element> {
                    tensor.item()
                }
            }
        )*
    };
}

elements!(bool, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
