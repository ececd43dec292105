//! Rust types that a tensor's elements may be.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use std::ffi::CStr;
use std::fmt;
use std::str::FromStr;

use rondo_sys as sys;

pub use crate::generated::DType;
use crate::{Error, ErrorKind, Result};

impl DType {
    /// Bytes of one element.
    ///
    /// ```
    /// assert_eq!(rondo::DType::Bf16.size(), 2);
    /// ```
    #[doc(alias = "rondo_dtype_size")]
    pub fn size(self) -> usize {
        // SAFETY: takes any number.
        unsafe { sys::rondo_dtype_size(self.as_raw()) }
    }
}

impl fmt::Display for DType {
    /// `f32`, `bool`, ...
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: returns a static string for any number.
        f.pad(&unsafe { CStr::from_ptr(sys::rondo_dtype_name(self.as_raw())) }.to_string_lossy())
    }
}

impl FromStr for DType {
    type Err = Error;

    /// From its name, as `Display` gives it.
    ///
    /// ```
    /// use rondo::DType;
    ///
    /// assert_eq!("bf16".parse::<DType>()?, DType::Bf16);
    /// assert!("float32".parse::<DType>().is_err());
    /// # Ok::<(), rondo::Error>(())
    /// ```
    fn from_str(name: &str) -> Result<DType> {
        DType::ALL.iter().copied().find(|dtype| dtype.to_string() == name).ok_or_else(|| {
            let names: Vec<String> = DType::ALL.iter().map(DType::to_string).collect();
            let text = format!("DType::from_str: '{}' is no dtype; these are: {}", name, names.join(", "));
            Error::new(ErrorKind::InvalidArgument, text)
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for DType {
    /// As its name.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for DType {
    /// From its name.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<DType, D::Error> {
        let name = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// A Rust type that has a [`DType`]: `bool`, the integers from 8 to 64 bits, `f32`, `f64`, [`F8E4m3`] and [`F8E5m2`],
/// and with the feature `half` its `f16` and `bf16`.
///
/// ```
/// use rondo::{DType, Element};
///
/// assert_eq!(<i64 as Element>::DTYPE, DType::I64);
/// ```
///
/// # Safety
///
/// The type has the size of the dtype, and every value that [`normalise`](Element::normalise) has passed over is a valid
/// one.
pub unsafe trait Element: Copy + Default + Send + Sync + 'static {
    /// The dtype of tensors of this type.
    const DTYPE: DType;

    /// Makes bytes that came from a device valid values of this type.
    #[doc(hidden)]
    fn normalise(_bytes: &mut [u8]) {}

    /// Whether bytes that may not be changed are values of this type.
    #[doc(hidden)]
    fn valid(_bytes: &[u8]) -> bool {
        true
    }
}

/// The code of an element of [`DType::F8E4m3`]. [`Tensor::cast`](crate::Tensor::cast) makes numbers of them.
///
/// ```
/// use rondo::{DType, Device, Engine, F8E4m3, Tensor};
/// # let engine = Engine::new()?;
///
/// let codes = Tensor::from_slice(&engine, Device::CPU, 2, &[F8E4m3(0x38), F8E4m3(0x7e)])?;
/// assert_eq!(codes.cast(DType::F32)?.to_vec::<f32>()?, [1.0, 448.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct F8E4m3(pub u8);

/// The code of an element of [`DType::F8E5m2`]. [`Tensor::cast`](crate::Tensor::cast) makes numbers of them.
///
/// ```
/// use rondo::{DType, Device, Engine, F8E5m2, Tensor};
/// # let engine = Engine::new()?;
///
/// let codes = Tensor::from_slice(&engine, Device::CPU, 2, &[F8E5m2(0x3c), F8E5m2(0x7b)])?;
/// assert_eq!(codes.cast(DType::F32)?.to_vec::<f32>()?, [1.0, 57344.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct F8E5m2(pub u8);

macro_rules! elements {
    ($($type:ty = $dtype:ident,)*) => {
        $(
            // SAFETY: every pattern of bits is a value.
            unsafe impl Element for $type {
                const DTYPE: DType = DType::$dtype;
            }
        )*
    };
}

elements! {
    u8 = U8, i8 = I8, u16 = U16, i16 = I16, u32 = U32, i32 = I32, u64 = U64, i64 = I64, f32 = F32, f64 = F64,
    F8E4m3 = F8E4m3, F8E5m2 = F8E5m2,
}
#[cfg(feature = "half")]
elements! { half::f16 = F16, half::bf16 = Bf16, }

// SAFETY: `normalise` leaves 0 and 1 only. Rondo writes nothing else, but memory may come from elsewhere (DLPack).
unsafe impl Element for bool {
    const DTYPE: DType = DType::Bool;

    fn normalise(bytes: &mut [u8]) {
        for byte in bytes {
            *byte = (*byte != 0) as u8;
        }
    }

    fn valid(bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| byte <= 1)
    }
}
