//! `+`, `-`, `*`, `/`, `%` and unary `-` on tensors and numbers. They return a [`Result`], so that a wrong shape is no
//! panic: `let c = (&a + &b)?;`. Either operand may be such a result itself beside a tensor: `(&a * 2.0 + &b)?`.
//! `+=` and its like return nothing: what they refuse is an error of the tensor, which the next wait returns.
//!
//! A number on the left is an `f64` or an `i64`, and no other type, so that the compiler knows which one a literal is. On
//! integers `/` rounds toward zero, as Rust's does, but gives 0 for a division by zero, and `%` has the sign of the right
//! operand, as Python's has, where Rust's has the left one's.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::ops::{self, BinaryOp, Operand, UnaryOp};
use crate::variable::Sealed;
use crate::{Error, Ordered, Result, Tensor};

/// What may stand to the right of an arithmetic operator after a tensor: a tensor, owned or borrowed, a number, or the
/// result of another operator.
pub trait RightOperand: sealed::RightOperand {
    /// `op(left, self)`.
    #[doc(hidden)]
    fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor>;
    /// `op(left, self)`, in the place of `left`.
    #[doc(hidden)]
    fn assign(self, op: BinaryOp, left: &Tensor) -> Result<()>;
}

mod sealed {
    pub trait RightOperand {}
}

macro_rules! right_operands {
    ($($given:ty: $name:ident => $operand:expr;)*) => {
        $(
            impl sealed::RightOperand for $given {}
            impl RightOperand for $given {
                #[track_caller]
                fn apply(self, op: BinaryOp, left: Operand<'_>) -> Result<Tensor> {
                    let $name = self;
                    ops::binary(op, left, $operand)
                }

                #[track_caller]
                fn assign(self, op: BinaryOp, left: &Tensor) -> Result<()> {
                    let $name = self;
                    ops::binary_into(op, left, $operand, left)
                }
            }
        )*
    };
}

right_operands! {
    &Tensor: tensor => tensor;
    Tensor: tensor => &tensor;
    Result<Tensor>: result => &result?;
    Operand<'_>: operand => operand;
    f32: number => number;
    f64: number => number;
    u8: number => number;
    i8: number => number;
    u16: number => number;
    i16: number => number;
    u32: number => number;
    i32: number => number;
    u64: number => number;
    i64: number => number;
    usize: number => number;
    bool: number => number;
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign:ident, $op:ident) => {
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

        operator!($trait, $method, $op, |number: f64| number, &Tensor);
        operator!($trait, $method, $op, |number: f64| number, Tensor);
        operator!($trait, $method, $op, |number: i64| number, &Tensor);
        operator!($trait, $method, $op, |number: i64| number, Tensor);
        // The result of another operator. Numbers to its right are types of Rust's own, as it is.
        operator!($trait, $method, $op, |result: Result<Tensor>| &result?, &Tensor);
        operator!($trait, $method, $op, |result: Result<Tensor>| &result?, Tensor);

        /// In the tensor's own memory, as [`Tensor`]'s method of that name does it. A refusal is no panic: it becomes an error
        /// of the tensor, which the next wait on it returns.
        impl<B: RightOperand> std::ops::$assign_trait<B> for Tensor {
            #[track_caller]
            fn $assign(&mut self, other: B) {
                if let Err(error) = other.assign(BinaryOp::$op, self) {
                    poison(self, stringify!($assign), error);
                }
            }
        }
    };
    ($trait:ident, $method:ident, $op:ident, |$left:ident: $type:ty| $operand:expr, $tensor:ty) => {
        impl std::ops::$trait<$tensor> for $type {
            type Output = Result<Tensor>;

            #[track_caller]
            fn $method(self, other: $tensor) -> Result<Tensor> {
                let $left = self;
                other.apply(BinaryOp::$op, Operand::from($operand))
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign, Add);
operator!(Sub, sub, SubAssign, sub_assign, Sub);
operator!(Mul, mul, MulAssign, mul_assign, Mul);
operator!(Div, div, DivAssign, div_assign, Div);
operator!(Rem, rem, RemAssign, rem_assign, Mod);

/// A tensor as something that a task is ordered by and does not touch, so that it may be read-only too.
#[derive(Debug)]
struct Memory<'a>(&'a Tensor);

impl Ordered for Memory<'_> {}
impl Sealed for Memory<'_> {
    fn variable(&self) -> Result<*mut rondo_sys::rondo_variable> {
        self.0.variable()
    }
}

/// Leaves an error to whoever waits for the tensor: that of a task which should have written it.
#[cold]
fn poison(tensor: &Tensor, operator: &str, error: Error) {
    let told = error.clone();
    let submitted = tensor.engine().task(operator).writes(&Memory(tensor)).submit(move |_| Err(error.clone().into()));
    match submitted {
        Err(refused) if refused.operator() != Some(operator) => {
            panic!("{}, which the tensor cannot carry: {}", told, refused)
        }
        _ => {} // a naive engine tells of the task at once
    }
}

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
