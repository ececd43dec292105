//! `+`, `-`, `*`, `/`, `%` and unary `-` on tensors and numbers. They return a [`Result`], so that a wrong shape is no
//! panic: `let c = (&a + &b)?;`.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::ops::{self, BinaryOp, Operand, UnaryOp};
use crate::{Result, Tensor};

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident, [$($number:ty),*]) => {
        impl<'a, B: Into<Operand<'a>>> std::ops::$trait<B> for &'a Tensor {
            type Output = Result<Tensor>;

            fn $method(self, other: B) -> Result<Tensor> {
                ops::binary(BinaryOp::$op, self, other)
            }
        }

        impl<'a, B: Into<Operand<'a>>> std::ops::$trait<B> for Tensor {
            type Output = Result<Tensor>;

            fn $method(self, other: B) -> Result<Tensor> {
                // A borrow of its own: the other operand may live longer than this one.
                binary_of_owned(BinaryOp::$op, &self, other.into())
            }
        }

        $(impl std::ops::$trait<&Tensor> for $number {
            type Output = Result<Tensor>;

            fn $method(self, other: &Tensor) -> Result<Tensor> {
                ops::binary(BinaryOp::$op, self, other)
            }
        })*
    };
}

fn binary_of_owned(op: BinaryOp, a: &Tensor, b: Operand<'_>) -> Result<Tensor> {
    ops::binary(op, a, b)
}

operator!(Add, add, Add, [f32, f64, i32, i64]);
operator!(Sub, sub, Sub, [f32, f64, i32, i64]);
operator!(Mul, mul, Mul, [f32, f64, i32, i64]);
operator!(Div, div, Div, [f32, f64, i32, i64]);
operator!(Rem, rem, Mod, [f32, f64, i32, i64]);

impl std::ops::Neg for &Tensor {
    type Output = Result<Tensor>;

    fn neg(self) -> Result<Tensor> {
        ops::unary(UnaryOp::Neg, self)
    }
}

impl std::ops::Neg for Tensor {
    type Output = Result<Tensor>;

    fn neg(self) -> Result<Tensor> {
        -&self
    }
}
