//! `+`, `-`, `*`, `/`, `%` and unary `-` on tensors and numbers. They return a [`Result`], so that a wrong shape is no
//! panic: `let c = (&a + &b)?;`. The right operand may be such a result itself: `(&a + &b * 2.0)?`.
//!
//! A number on the left is an `f64` or an `i64`, and no other type, so that the compiler knows which one a literal is. On
//! integers `/` rounds toward zero, as Rust's does, but gives 0 for a division by zero, and `%` has the sign of the right
//! operand, as Python's has, where Rust's has the left one's.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::ops::{self, BinaryOp, Operand, UnaryOp};
use crate::{Result, Tensor};

/// What may stand to the right of an arithmetic operator after a tensor: a tensor, owned or borrowed, a number, or the
/// result of another operator.
pub trait RightOperand {
    /// `op(left, self)`.
    #[doc(hidden)]
    fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor>;
}

#[track_caller]
fn apply(op: BinaryOp, left: Operand<'_>, right: Operand<'_>) -> Result<Tensor> {
    ops::binary(op, left, right)
}

impl RightOperand for &Tensor {
    #[track_caller]
    fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor> {
        apply(op, left, Operand::Tensor(self))
    }
}

impl RightOperand for Tensor {
    #[track_caller]
    fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor> {
        apply(op, left, Operand::Tensor(&self))
    }
}

impl RightOperand for Result<Tensor> {
    #[track_caller]
    fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor> {
        apply(op, left, Operand::Tensor(&self?))
    }
}

impl RightOperand for Operand<'_> {
    #[track_caller]
    fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor> {
        apply(op, left, self)
    }
}

macro_rules! right_numbers {
    ($($number:ty),*) => {
        $(impl RightOperand for $number {
            #[track_caller]
            fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor> {
                apply(op, left, self.into())
            }
        })*
    };
}

right_numbers!(f32, f64, u8, i8, u16, i16, u32, i32, u64, i64, usize, bool);

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident) => {
        impl<B: RightOperand> std::ops::$trait<B> for &Tensor {
            type Output = Result<Tensor>;

            #[track_caller]
            fn $method(self, other: B) -> Result<Tensor> {
                other.apply(BinaryOp::$op, Operand::Tensor(self))
            }
        }

        impl<B: RightOperand> std::ops::$trait<B> for Tensor {
            type Output = Result<Tensor>;

            #[track_caller]
            fn $method(self, other: B) -> Result<Tensor> {
                other.apply(BinaryOp::$op, Operand::Tensor(&self))
            }
        }

        operator!($trait, $method, $op, f64, &Tensor);
        operator!($trait, $method, $op, f64, Tensor);
        operator!($trait, $method, $op, i64, &Tensor);
        operator!($trait, $method, $op, i64, Tensor);
    };
    ($trait:ident, $method:ident, $op:ident, $number:ty, $tensor:ty) => {
        impl std::ops::$trait<$tensor> for $number {
            type Output = Result<Tensor>;

            #[track_caller]
            fn $method(self, other: $tensor) -> Result<Tensor> {
                other.apply(BinaryOp::$op, self.into())
            }
        }
    };
}

operator!(Add, add, Add);
operator!(Sub, sub, Sub);
operator!(Mul, mul, Mul);
operator!(Div, div, Div);
operator!(Rem, rem, Mod);

impl std::ops::Neg for &Tensor {
    type Output = Result<Tensor>;

    #[track_caller]
    fn neg(self) -> Result<Tensor> {
        ops::unary(UnaryOp::Neg, self)
    }
}

impl std::ops::Neg for Tensor {
    type Output = Result<Tensor>;

    #[track_caller]
    fn neg(self) -> Result<Tensor> {
        -&self
    }
}
