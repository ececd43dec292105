//! Matrix products.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use rondo_sys as sys;

use crate::ops::{into, new, Activation};
use crate::{Result, Tensor};

/// How a matrix product is made; see [`Tensor::matmul_with`].
///
/// ```
/// use rondo::ops::{Activation, Matmul};
/// use rondo::{Device, Engine, Tensor};
///
/// let engine = Engine::new()?;
/// let a = Tensor::from_slice(&engine, Device::CPU, [2, 2], &[1.0f32, 2.0, 3.0, 4.0])?;
/// let bias = Tensor::from_slice(&engine, Device::CPU, 2, &[-12.0f32, 0.0])?;
/// let how = Matmul::new().transpose_b().bias(&bias).activation(Activation::Relu);
/// assert_eq!(a.matmul_with(&a, how)?.to_vec::<f32>()?, [0.0, 11.0, 0.0, 25.0]);
/// # Ok::<(), rondo::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "options compute nothing: give them to the operator"]
pub struct Matmul<'a> {
    transpose_a: bool,
    transpose_b: bool,
    bias: Option<&'a Tensor>,
    activation: Option<Activation>,
    allow_tf32: bool,
}

impl<'a> Matmul<'a> {
    /// A plain product.
    ///
    /// ```
    /// let plain = rondo::ops::Matmul::new();
    /// ```
    pub fn new() -> Self {
        Matmul::default()
    }

    /// Uses `a` with its last two axes exchanged.
    ///
    /// ```
    /// let how = rondo::ops::Matmul::new().transpose_a();
    /// ```
    pub fn transpose_a(mut self) -> Self {
        self.transpose_a = true;
        self
    }

    /// Uses `b` with its last two axes exchanged.
    ///
    /// ```
    /// let how = rondo::ops::Matmul::new().transpose_b();
    /// ```
    pub fn transpose_b(mut self) -> Self {
        self.transpose_b = true;
        self
    }

    /// Adds this to each row.
    ///
    /// ```
    /// # use rondo::{DType, Device, Engine, Tensor};
    /// # let bias = Tensor::zeros(&Engine::new()?, Device::CPU, DType::F32, 2)?;
    /// let how = rondo::ops::Matmul::new().bias(&bias);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bias(mut self, bias: &'a Tensor) -> Self {
        self.bias = Some(bias);
        self
    }

    /// Applies this last.
    ///
    /// ```
    /// let how = rondo::ops::Matmul::new().activation(rondo::ops::Activation::Gelu);
    /// ```
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = Some(activation);
        self
    }

    /// Products of f32 on CUDA may use TF32 tensor cores, with products of 10-bit mantissas.
    ///
    /// ```
    /// let how = rondo::ops::Matmul::new().allow_tf32();
    /// ```
    pub fn allow_tf32(mut self) -> Self {
        self.allow_tf32 = true;
        self
    }

    fn as_raw(&self) -> sys::rondo_matmul_options {
        let mut options = sys::RONDO_MATMUL_OPTIONS_INIT;
        options.transpose_a = self.transpose_a as i32;
        options.transpose_b = self.transpose_b as i32;
        options.bias = self.bias.map_or(std::ptr::null_mut(), Tensor::as_ptr);
        options.activation = self.activation.unwrap_or(Activation::None).as_raw();
        options.allow_tf32 = self.allow_tf32 as i32;
        options
    }
}

impl Tensor {
    /// The matrix product over the last two axes; leading axes broadcast.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[3.0f32, 4.0])?;
    /// assert_eq!(a.matmul(&a.transpose()?)?.to_vec::<f32>()?, [25.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the shapes do not fit or the dtypes differ;
    /// [`InvalidState`](crate::ErrorKind::InvalidState) for a tensor that nothing has written.
    #[doc(alias = "rondo_matmul")]
    #[doc(alias = "dot")]
    #[doc(alias = "mm")]
    #[doc(alias = "bmm")]
    #[doc(alias = "einsum")]
    #[doc(alias = "linear")]
    #[track_caller]
    pub fn matmul(&self, other: &Tensor) -> Result<Tensor> {
        self.matmul_with(other, Matmul::new())
    }

    /// The same with operands transposed, a bias, an activation; see [`Matmul`].
    ///
    /// ```
    /// # use rondo::{ops::Matmul, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[3.0f32, 4.0])?;
    /// assert_eq!(a.matmul_with(&a, Matmul::new().transpose_b())?.to_vec::<f32>()?, [25.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::matmul`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where the bias does not fit.
    #[track_caller]
    pub fn matmul_with(&self, other: &Tensor, how: Matmul<'_>) -> Result<Tensor> {
        let options = how.as_raw();
        new(self.engine(), |out| unsafe { sys::rondo_matmul(self.as_ptr(), other.as_ptr(), &options, out) })
    }

    /// The same, written into `out`.
    ///
    /// ```
    /// # use rondo::{ops::Matmul, DType, Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 1], &[3.0f32])?;
    /// let sum = Tensor::full(&engine, Device::CPU, DType::F32, [1, 1], 1.0)?;
    /// a.matmul_into(&a, Matmul::new(), &sum.accumulator()?)?;
    /// assert_eq!(sum.to_vec::<f32>()?, [10.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Tensor::matmul_with`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) too where `out` does not
    /// fit, or shares memory with an operand.
    #[track_caller]
    pub fn matmul_into(&self, other: &Tensor, how: Matmul<'_>, out: &Tensor) -> Result<()> {
        let options = how.as_raw();
        into(out, |out| unsafe { sys::rondo_matmul(self.as_ptr(), other.as_ptr(), &options, out) })
    }

    /// The exact product of whole numbers of `u8` or `i8`, less their zero points, in `i32`: modulo 2^32 where that does
    /// not hold a sum. A zero point has its operand's dtype and broadcasts to it: `a_zero`, of this tensor, with one
    /// column, and `b_zero` with one row.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [1, 2], &[255u8, 130])?;
    /// let b = Tensor::from_slice(&engine, Device::CPU, [2, 1], &[-128i8, 2])?;
    /// let zero = Tensor::from_slice(&engine, Device::CPU, [1], &[128u8])?;
    /// assert_eq!(a.matmul_integer(&b, None, None)?.to_vec::<i32>()?, [-32_380]);
    /// assert_eq!(a.matmul_integer(&b, Some(&zero), None)?.to_vec::<i32>()?, [-16_252]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for other dtypes, and where shapes do not fit.
    #[doc(alias = "rondo_matmul_integer")]
    #[doc(alias = "MatMulInteger")]
    #[doc(alias = "_int_mm")]
    #[track_caller]
    pub fn matmul_integer(&self, other: &Tensor, a_zero: Option<&Tensor>, b_zero: Option<&Tensor>) -> Result<Tensor> {
        let zero = |given: Option<&Tensor>| given.map_or(std::ptr::null_mut(), Tensor::as_ptr);
        new(self.engine(), |out| unsafe {
            sys::rondo_matmul_integer(self.as_ptr(), other.as_ptr(), zero(a_zero), zero(b_zero), out)
        })
    }
}
