//! Enums of the C headers and a method for each operator. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::enums::c_enum;
use crate::ops::{self, Axes, Operand};
use crate::{Result, Tensor};
use rondo_sys::*;

c_enum! {
/// What kind of failure an [`Error`](crate::Error) is. `rondo_status` of the C interface.
pub enum ErrorKind: rondo_status {
/// An argument is wrong; the message names it and what would be right.
InvalidArgument = 1,
/// Right arguments, wrong moment: waiting inside a task, engine destroyed, recording open.
InvalidState = 2,
/// Message carries asked / free / cached / in-use bytes; earlier results are intact.
OutOfMemory = 3,
/// A device or a file that was named does not exist.
NotFound = 4,
/// A run-time library or a symbol of it is absent; message lists where it was looked for.
LibraryMissing = 5,
/// Valid, but this device, dtype or library version cannot do it.
Unsupported = 6,
/// A generated or user kernel did not compile; message carries the compiler's log.
CompileFailed = 7,
/// A library call on the device failed; message has library, function, code and text.
DeviceError = 8,
/// A fatal device error; every later call on the engine returns the same cause.
DeviceLost = 9,
/// Called in a child of fork(): devices do not survive fork, create the engine in the child.
Forked = 10,
/// A user task returned an error.
UserError = 11,
/// A file could not be read or written.
IoError = 12,
/// A defect of Rondo: please report it with the message.
Internal = 13,
/// A rank of a communicator died, left or failed; the message names it and the cause.
RankLost = 14,
/// A time limit is over; the message says what did not happen, and on which rank.
TimedOut = 15,
}
}

c_enum! {
/// The type of a tensor's elements. `rondo_dtype` of the C interface.
pub enum DType: rondo_dtype {
/// One byte, 0 or 1.
Bool = 0,
/// `RONDO_U8`.
U8 = 1,
/// `RONDO_I8`.
I8 = 2,
/// `RONDO_I32`.
I32 = 3,
/// `RONDO_I64`.
I64 = 4,
/// IEEE 754 binary16; arithmetic and accumulation in float.
F16 = 5,
/// Bfloat16; arithmetic and accumulation in float.
Bf16 = 6,
/// `RONDO_F32`.
F32 = 7,
/// `RONDO_F64`.
F64 = 8,
}
}

c_enum! {
/// The kind of a device. `rondo_device_kind` of the C interface.
pub enum DeviceKind: rondo_device_kind {
/// `RONDO_CPU`.
Cpu = 0,
/// `RONDO_CUDA`.
Cuda = 1,
}
}

c_enum! {
/// How an engine issues work. `rondo_engine_mode` of the C interface.
pub enum EngineMode: rondo_engine_mode {
/// The setting `RONDO_ENGINE` (async, threaded, naive), else async.
Default = 0,
/// Device tasks are issued by the calling thread as soon as host dependencies are done.
Async = 1,
/// One issuing worker per device: the caller pays a queue insertion.
Threaded = 2,
/// Each task is finished before the call returns; its error is the call's status.
Naive = 3,
}
}

c_enum! {
/// How much is logged: a level and the ones above it. `rondo_log_level` of the C interface.
pub enum LogLevel: rondo_log_level {
/// `RONDO_LOG_OFF`.
Off = 0,
/// `RONDO_LOG_ERROR`.
Error = 1,
/// `RONDO_LOG_WARNING`.
Warning = 2,
/// `RONDO_LOG_INFO`.
Info = 3,
/// `RONDO_LOG_DEBUG`.
Debug = 4,
}
}

c_enum! {
/// An elementwise operator of one operand. `rondo_unary_op` of the C interface.
pub enum UnaryOp: rondo_unary_op {
/// In the dtype of the operand, exact.
Neg = 0,
/// In the dtype of the operand, exact.
Abs = 1,
/// -1, 0, 1; NaN for NaN; in the dtype of the operand, exact.
Sign = 2,
/// In the dtype of the operand, exact.
Square = 3,
/// Result bool; in the dtype of the operand, exact.
LogicalNot = 4,
/// Result bool; in the dtype of the operand, exact.
Isnan = 5,
/// NaN for NaN; in the dtype of the operand, exact.
Relu = 6,
/// In the dtype of the operand, exact.
Floor = 7,
/// In the dtype of the operand, exact.
Ceil = 8,
/// To even; in the dtype of the operand, exact.
Round = 9,
/// In the dtype of the operand, exact.
Trunc = 10,
/// Result bool; in the dtype of the operand, exact.
Isinf = 11,
/// Result bool; in the dtype of the operand, exact.
Isfinite = 12,
/// Result bool; in the dtype of the operand, exact.
Signbit = 13,
/// Integers and bool only; in the dtype of the operand, exact.
BitNot = 14,
/// Parameters low, high; in the dtype of the operand, exact.
Clip = 15,
/// Gives f32 for integer and bool operands.
Exp = 16,
/// Gives f32 for integer and bool operands.
Log = 17,
/// Gives f32 for integer and bool operands.
Sqrt = 18,
/// Gives f32 for integer and bool operands.
Rsqrt = 19,
/// Gives f32 for integer and bool operands.
Tanh = 20,
/// Gives f32 for integer and bool operands.
Sigmoid = 21,
/// Gives f32 for integer and bool operands.
Reciprocal = 22,
/// Gives f32 for integer and bool operands.
Sin = 23,
/// Gives f32 for integer and bool operands.
Cos = 24,
/// Gives f32 for integer and bool operands.
Erf = 25,
/// Gives f32 for integer and bool operands.
Expm1 = 26,
/// Gives f32 for integer and bool operands.
Log1p = 27,
/// Gives f32 for integer and bool operands.
Exp2 = 28,
/// Gives f32 for integer and bool operands.
Log2 = 29,
/// Gives f32 for integer and bool operands.
Log10 = 30,
/// Gives f32 for integer and bool operands.
Cbrt = 31,
/// Gives f32 for integer and bool operands.
Rcbrt = 32,
/// Gives f32 for integer and bool operands.
Tan = 33,
/// Gives f32 for integer and bool operands.
Asin = 34,
/// Gives f32 for integer and bool operands.
Acos = 35,
/// Gives f32 for integer and bool operands.
Atan = 36,
/// Gives f32 for integer and bool operands.
Sinh = 37,
/// Gives f32 for integer and bool operands.
Cosh = 38,
/// Gives f32 for integer and bool operands.
Asinh = 39,
/// Gives f32 for integer and bool operands.
Acosh = 40,
/// Gives f32 for integer and bool operands.
Atanh = 41,
/// Gives f32 for integer and bool operands.
Degrees = 42,
/// Gives f32 for integer and bool operands.
Radians = 43,
/// Gives f32 for integer and bool operands.
Erfc = 44,
/// Gives f32 for integer and bool operands.
Erfinv = 45,
/// Gives f32 for integer and bool operands.
Gamma = 46,
/// Gives f32 for integer and bool operands.
Lgamma = 47,
/// Gives f32 for integer and bool operands.
Digamma = 48,
/// Gives f32 for integer and bool operands.
Trigamma = 49,
/// Activations.
LogSigmoid = 64,
/// Parameter beta, default 1; activations.
Softplus = 65,
/// Activations.
Softsign = 66,
/// By the error function; activations.
Gelu = 67,
/// By its approximation with tanh; activations.
GeluTanh = 68,
/// Activations.
Silu = 69,
/// Activations.
Mish = 70,
/// Parameter alpha, default 1; activations.
Elu = 71,
/// Activations.
Selu = 72,
/// Parameter alpha, default 1; activations.
Celu = 73,
/// Parameter slope, default 0.01; activations.
LeakyRelu = 74,
/// Parameters low, high, default -1, 1; activations.
HardTanh = 75,
/// Parameters alpha, beta, default 1 / 6, 1 / 2; activations.
HardSigmoid = 76,
/// Activations.
HardSwish = 77,
}
}

c_enum! {
/// An elementwise operator of two operands. `rondo_binary_op` of the C interface.
pub enum BinaryOp: rondo_binary_op {
/// `RONDO_ADD`.
Add = 0,
/// `RONDO_SUB`.
Sub = 1,
/// `RONDO_MUL`.
Mul = 2,
/// Integers: quotient rounded toward zero; by zero gives 0.
Div = 3,
/// Integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted).
Pow = 4,
/// NaN if either is NaN.
Maximum = 5,
/// NaN if either is NaN.
Minimum = 6,
/// Sign of the divisor, as NumPy's remainder; integers by zero give 0.
Mod = 7,
/// Sign of the dividend; integers by zero give 0.
Fmod = 8,
/// Integers by zero give 0.
FloorDiv = 9,
/// The other one if one is NaN.
Fmax = 10,
/// The other one if one is NaN.
Fmin = 11,
/// `RONDO_SQUARED_DIFFERENCE`.
SquaredDifference = 12,
/// Gives bool.
Eq = 16,
/// Gives bool.
Ne = 17,
/// Gives bool.
Lt = 18,
/// Gives bool.
Le = 19,
/// Gives bool.
Gt = 20,
/// Gives bool.
Ge = 21,
/// Gives bool.
LogicalAnd = 22,
/// Gives bool.
LogicalOr = 23,
/// Gives bool.
LogicalXor = 24,
/// Integers and bool only.
BitAnd = 32,
/// Integers and bool only.
BitOr = 33,
/// Integers and bool only.
BitXor = 34,
/// 0 for a count that is negative or as wide as the dtype; integers and bool only.
ShiftLeft = 35,
/// 0 or -1 for such a count; integers and bool only.
ShiftRight = 36,
/// Integers and bool only.
Gcd = 37,
/// Integers and bool only.
Lcm = 38,
/// Gives f32 for integer and bool operands.
TrueDiv = 48,
/// Gives f32 for integer and bool operands.
Hypot = 49,
/// Gives f32 for integer and bool operands.
Atan2 = 50,
/// Gives f32 for integer and bool operands.
Copysign = 51,
/// Gives f32 for integer and bool operands.
Ldexp = 52,
/// Gives f32 for integer and bool operands.
Logaddexp = 53,
/// Gives f32 for integer and bool operands.
Xlogy = 54,
/// Gives f32 for integer and bool operands.
Prelu = 55,
/// Parameter beta, default 1; gives f32 for integer and bool operands.
SmoothL1 = 56,
/// Binary cross-entropy of a logit and a target; gives f32 for integer and bool operands.
BceWithLogits = 57,
}
}

c_enum! {
/// An elementwise operator of three operands. `rondo_ternary_op` of the C interface.
pub enum TernaryOp: rondo_ternary_op {
/// A b + c with one rounding.
Fma = 0,
/// A limited to \[b, c].
Clamp = 1,
/// A + c (b - a); f32 for integer and bool operands.
Lerp = 2,
}
}

c_enum! {
/// An operator that reduces axes. `rondo_reduce_op` of the C interface.
pub enum ReduceOp: rondo_reduce_op {
/// Integers and bool give i64, floats their dtype; pairwise, accumulated in float for 16-bit dtypes.
Sum = 0,
/// Integers and bool give f32; of nothing NaN.
Mean = 1,
/// NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
Max = 2,
/// NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
Min = 3,
/// I64, index over the reduced axes in row-major order; first of equals; first NaN wins.
Argmax = 4,
/// `RONDO_ARGMIN`.
Argmin = 5,
/// Dtypes as `RONDO_SUM`.
Prod = 6,
/// Bool; of nothing 1.
All = 7,
/// Bool; of nothing 0.
Any = 8,
/// The sum of magnitudes; The following give f32 for integers and bool, which they compute in f64.
L1Norm = 9,
/// The root of the sum of squares; The following give f32 for integers and bool, which they compute in f64.
L2Norm = 10,
/// Parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite; The following give f32 for integers and bool, which they compute in f64.
LpNorm = 11,
/// Parameters correction, default 0: squared distances from the mean, by n - correction; The following give f32 for integers and bool, which they compute in f64.
Var = 12,
/// Parameters correction, default 0: the root of `RONDO_VAR`; The following give f32 for integers and bool, which they compute in f64.
Std = 13,
/// The logarithm of the sum of exp(x), without overflow between; of nothing -infinity; The following give f32 for integers and bool, which they compute in f64.
Logsumexp = 14,
/// NaN counts as 0; The following have dtypes as `RONDO_SUM`.
Nansum = 15,
/// NaN counts as 1; The following have dtypes as `RONDO_SUM`.
Nanprod = 16,
}
}

c_enum! {
/// What padding shows. `rondo_pad_mode` of the C interface.
pub enum PadMode: rondo_pad_mode {
/// A value.
Constant = 0,
/// ... 1 1 \[1 2 3] 3 3 ...
Edge = 1,
/// ... 3 2 \[1 2 3] 2 1 ...
Reflect = 2,
/// ... 2 1 \[1 2 3] 3 2 ...
Symmetric = 3,
/// ... 2 3 \[1 2 3] 1 2 ...
Wrap = 4,
}
}

c_enum! {
/// A softmax. `rondo_softmax_op` of the C interface.
pub enum SoftmaxOp: rondo_softmax_op {
/// `RONDO_SOFTMAX`.
Softmax = 0,
/// The logarithm of softmax.
LogSoftmax = 1,
/// Softmax of -a.
Softmin = 2,
}
}

c_enum! {
/// Whether a group of devices works. `rondo_comm_state` of the C interface.
pub enum CommState: rondo_comm_state {
/// `RONDO_COMM_WORKING`.
Working = 0,
/// A rank lost, a time limit over, aborted, or an error of the library.
Failed = 1,
}
}

c_enum! {
/// How an element of a resized image is made. `rondo_resize_mode` of the C interface.
pub enum ResizeMode: rondo_resize_mode {
/// The nearest element.
Nearest = 0,
/// Neighbours by their distance: linear, bilinear or trilinear.
Linear = 1,
}
}

c_enum! {
/// Where an element of a resized image lies in the image. `rondo_resize_origin` of the C interface.
pub enum ResizeOrigin: rondo_resize_origin {
/// (i + 1/2) in / out - 1/2; the nearest of two equally near is the one before.
HalfPixel = 0,
/// I (in - 1) / (out - 1); the nearest of two equally near is the one behind.
AlignCorners = 1,
/// I in / out; the nearest is always the one before.
Asymmetric = 2,
}
}

c_enum! {
/// What is applied to a matrix product last. `rondo_activation` of the C interface.
pub enum Activation: rondo_activation {
/// `RONDO_ACTIVATION_NONE`.
None = 0,
/// As `RONDO_RELU`: NaN for NaN.
Relu = 1,
/// NaN for NaN, -0 for -infinity.
Gelu = 2,
}
}

/// Elementwise operators of one operand.
impl Tensor {
    /// Elementwise `neg`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, -2.0])?;
    /// assert_eq!(a.neg()?.to_vec::<f32>()?, [-1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn neg(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Neg, self)
    }

    /// Elementwise `abs`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, -2.0])?;
    /// assert_eq!(a.abs()?.to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn abs(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Abs, self)
    }

    /// Elementwise `sign`. -1, 0, 1; NaN for NaN; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 3, &[3.0f32, -2.0, 0.0])?;
    /// assert_eq!(a.sign()?.to_vec::<f32>()?, [1.0, -1.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sign(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sign, self)
    }

    /// Elementwise `square`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[3i32, -2])?;
    /// assert_eq!(a.square()?.to_vec::<i32>()?, [9, 4]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn square(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Square, self)
    }

    /// Elementwise `logical_not`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0i32, 7])?;
    /// assert_eq!(a.logical_not()?.to_vec::<bool>()?, [true, false]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn logical_not(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::LogicalNot, self)
    }

    /// Elementwise `isnan`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.0, f32::NAN])?;
    /// assert_eq!(a.isnan()?.to_vec::<bool>()?, [false, true]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn isnan(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isnan, self)
    }

    /// Elementwise `relu`. NaN for NaN; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[3.0f32, -2.0])?;
    /// assert_eq!(a.relu()?.to_vec::<f32>()?, [3.0, 0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn relu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Relu, self)
    }

    /// Elementwise `floor`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.5f32, -1.5])?;
    /// assert_eq!(a.floor()?.to_vec::<f32>()?, [1.0, -2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn floor(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Floor, self)
    }

    /// Elementwise `ceil`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.5f32, -1.5])?;
    /// assert_eq!(a.ceil()?.to_vec::<f32>()?, [2.0, -1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn ceil(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Ceil, self)
    }

    /// Elementwise `round`. To even; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.5f32, 1.5])?;
    /// assert_eq!(a.round()?.to_vec::<f32>()?, [0.0, 2.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn round(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Round, self)
    }

    /// Elementwise `trunc`. In the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.5f32, -1.5])?;
    /// assert_eq!(a.trunc()?.to_vec::<f32>()?, [1.0, -1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn trunc(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Trunc, self)
    }

    /// Elementwise `isinf`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.isinf()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn isinf(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isinf, self)
    }

    /// Elementwise `isfinite`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.isfinite()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn isfinite(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Isfinite, self)
    }

    /// Elementwise `signbit`. Result bool; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.signbit()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn signbit(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Signbit, self)
    }

    /// Elementwise `bit_not`. Integers and bool only; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0i32, -1])?;
    /// assert_eq!(a.bit_not()?.to_vec::<i32>()?, [-1, 0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bit_not(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::BitNot, self)
    }

    /// Elementwise `clip`. Parameters low, high; in the dtype of the operand, exact.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 9.0])?;
    /// assert_eq!(a.clip(2.0, 3.0)?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn clip(&self, low: f64, high: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Clip, self, &[low, high])
    }

    /// Elementwise `exp`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f64])?;
    /// assert_eq!(a.exp()?.to_vec::<f64>()?, [1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn exp(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Exp, self)
    }

    /// Elementwise `log`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f64])?;
    /// assert_eq!(a.log()?.to_vec::<f64>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn log(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log, self)
    }

    /// Elementwise `sqrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[4i32, 9])?;
    /// assert_eq!(a.sqrt()?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sqrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sqrt, self)
    }

    /// Elementwise `rsqrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[4.0f32])?;
    /// assert_eq!(a.rsqrt()?.to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn rsqrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Rsqrt, self)
    }

    /// Elementwise `tanh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.tanh()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn tanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Tanh, self)
    }

    /// Elementwise `sigmoid`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.sigmoid()?.to_vec::<f32>()?, [0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sigmoid(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sigmoid, self)
    }

    /// Elementwise `reciprocal`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[4.0f32])?;
    /// assert_eq!(a.reciprocal()?.to_vec::<f32>()?, [0.25]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn reciprocal(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Reciprocal, self)
    }

    /// Elementwise `sin`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.sin()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sin(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sin, self)
    }

    /// Elementwise `cos`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.cos()?.to_vec::<f32>()?, [1.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn cos(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Cos, self)
    }

    /// Elementwise `erf`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.erf()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn erf(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Erf, self)
    }

    /// Elementwise `expm1`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.expm1()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn expm1(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Expm1, self)
    }

    /// Elementwise `log1p`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[0.0f32])?;
    /// assert_eq!(a.log1p()?.to_vec::<f32>()?, [0.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn log1p(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log1p, self)
    }

    /// Elementwise `exp2`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.exp2()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn exp2(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Exp2, self)
    }

    /// Elementwise `log2`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.log2()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn log2(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log2, self)
    }

    /// Elementwise `log10`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.log10()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn log10(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Log10, self)
    }

    /// Elementwise `cbrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.cbrt()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn cbrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Cbrt, self)
    }

    /// Elementwise `rcbrt`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.rcbrt()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn rcbrt(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Rcbrt, self)
    }

    /// Elementwise `tan`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.tan()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn tan(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Tan, self)
    }

    /// Elementwise `asin`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.asin()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn asin(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Asin, self)
    }

    /// Elementwise `acos`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.acos()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn acos(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Acos, self)
    }

    /// Elementwise `atan`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.atan()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn atan(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Atan, self)
    }

    /// Elementwise `sinh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.sinh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sinh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Sinh, self)
    }

    /// Elementwise `cosh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.cosh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn cosh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Cosh, self)
    }

    /// Elementwise `asinh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.asinh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn asinh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Asinh, self)
    }

    /// Elementwise `acosh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.acosh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn acosh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Acosh, self)
    }

    /// Elementwise `atanh`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.atanh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn atanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Atanh, self)
    }

    /// Elementwise `degrees`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.degrees()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn degrees(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Degrees, self)
    }

    /// Elementwise `radians`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.radians()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn radians(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Radians, self)
    }

    /// Elementwise `erfc`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.erfc()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn erfc(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Erfc, self)
    }

    /// Elementwise `erfinv`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.erfinv()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn erfinv(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Erfinv, self)
    }

    /// Elementwise `gamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.gamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn gamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Gamma, self)
    }

    /// Elementwise `lgamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.lgamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn lgamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Lgamma, self)
    }

    /// Elementwise `digamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.digamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn digamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Digamma, self)
    }

    /// Elementwise `trigamma`. Gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.trigamma()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn trigamma(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Trigamma, self)
    }

    /// Elementwise `log_sigmoid`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.log_sigmoid()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn log_sigmoid(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::LogSigmoid, self)
    }

    /// Elementwise `softplus`. Parameter beta, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.softplus()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn softplus(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Softplus, self)
    }
    /// Elementwise `softplus`. Parameter beta, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.softplus_with(1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn softplus_with(&self, beta: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Softplus, self, &[beta])
    }

    /// Elementwise `softsign`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.softsign()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn softsign(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Softsign, self)
    }

    /// Elementwise `gelu`. By the error function; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.gelu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn gelu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Gelu, self)
    }

    /// Elementwise `gelu_tanh`. By its approximation with tanh; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.gelu_tanh()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn gelu_tanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::GeluTanh, self)
    }

    /// Elementwise `silu`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.silu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn silu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Silu, self)
    }

    /// Elementwise `mish`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.mish()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn mish(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Mish, self)
    }

    /// Elementwise `elu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.elu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn elu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Elu, self)
    }
    /// Elementwise `elu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.elu_with(1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn elu_with(&self, alpha: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Elu, self, &[alpha])
    }

    /// Elementwise `selu`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.selu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn selu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Selu, self)
    }

    /// Elementwise `celu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.celu()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn celu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::Celu, self)
    }
    /// Elementwise `celu`. Parameter alpha, default 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.celu_with(1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn celu_with(&self, alpha: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::Celu, self, &[alpha])
    }

    /// Elementwise `leaky_relu`. Parameter slope, default 0.01; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[4.0f32, -1.0])?;
    /// assert_eq!(a.leaky_relu()?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn leaky_relu(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::LeakyRelu, self)
    }
    /// Elementwise `leaky_relu`. Parameter slope, default 0.01; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[4.0f32, -1.0])?;
    /// assert_eq!(a.leaky_relu_with(0.5)?.to_vec::<f32>()?, [4.0, -0.5]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn leaky_relu_with(&self, slope: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::LeakyRelu, self, &[slope])
    }

    /// Elementwise `hard_tanh`. Parameters low, high, default -1, 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.5f32, 5.0])?;
    /// assert_eq!(a.hard_tanh()?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_tanh(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::HardTanh, self)
    }
    /// Elementwise `hard_tanh`. Parameters low, high, default -1, 1; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[0.5f32, 5.0])?;
    /// assert_eq!(a.hard_tanh_with(2.0, 3.0)?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_tanh_with(&self, low: f64, high: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::HardTanh, self, &[low, high])
    }

    /// Elementwise `hard_sigmoid`. Parameters alpha, beta, default 1 / 6, 1 / 2; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.hard_sigmoid()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_sigmoid(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::HardSigmoid, self)
    }
    /// Elementwise `hard_sigmoid`. Parameters alpha, beta, default 1 / 6, 1 / 2; activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.hard_sigmoid_with(1.0, 1.0)?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_sigmoid_with(&self, alpha: f64, beta: f64) -> Result<Tensor> {
        ops::unary_with(UnaryOp::HardSigmoid, self, &[alpha, beta])
    }

    /// Elementwise `hard_swish`. Activations.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 1, &[1.0f32])?;
    /// assert_eq!(a.hard_swish()?.shape()?, [1]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hard_swish(&self) -> Result<Tensor> {
        ops::unary(UnaryOp::HardSwish, self)
    }
}

/// Elementwise operators of two operands, broadcast.
impl Tensor {
    /// Elementwise `add`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.add(5)?.to_vec::<i32>()?, [12, 8]);
    /// assert_eq!(a.add(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn add<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Add, self, other)
    }

    /// Elementwise `sub`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.sub(5)?.to_vec::<i32>()?, [2, -2]);
    /// assert_eq!(a.sub(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sub<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Sub, self, other)
    }

    /// Elementwise `mul`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.mul(5)?.to_vec::<i32>()?, [35, 15]);
    /// assert_eq!(a.mul(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn mul<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Mul, self, other)
    }

    /// Elementwise `div`. Integers: quotient rounded toward zero; by zero gives 0.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.div(2)?.to_vec::<i32>()?, [3, 1]);
    /// assert_eq!(a.div(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn div<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Div, self, other)
    }

    /// Elementwise `pow`. Integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted).
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.pow(2)?.to_vec::<i32>()?, [49, 9]);
    /// assert_eq!(a.pow(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn pow<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Pow, self, other)
    }

    /// Elementwise `maximum`. NaN if either is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.maximum(5)?.to_vec::<i32>()?, [7, 5]);
    /// assert_eq!(a.maximum(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn maximum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Maximum, self, other)
    }

    /// Elementwise `minimum`. NaN if either is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.minimum(5)?.to_vec::<i32>()?, [5, 3]);
    /// assert_eq!(a.minimum(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn minimum<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Minimum, self, other)
    }

    /// Elementwise `mod`. Sign of the divisor, as NumPy's remainder; integers by zero give 0.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.modulo(4)?.to_vec::<i32>()?, [3, 3]);
    /// assert_eq!(a.modulo(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn modulo<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Mod, self, other)
    }

    /// Elementwise `fmod`. Sign of the dividend; integers by zero give 0.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.fmod(5)?.shape()?, [2]);
    /// assert_eq!(a.fmod(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn fmod<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Fmod, self, other)
    }

    /// Elementwise `floor_div`. Integers by zero give 0.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.floor_div(5)?.shape()?, [2]);
    /// assert_eq!(a.floor_div(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn floor_div<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::FloorDiv, self, other)
    }

    /// Elementwise `fmax`. The other one if one is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.fmax(5)?.shape()?, [2]);
    /// assert_eq!(a.fmax(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn fmax<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Fmax, self, other)
    }

    /// Elementwise `fmin`. The other one if one is NaN.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.fmin(5)?.shape()?, [2]);
    /// assert_eq!(a.fmin(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn fmin<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Fmin, self, other)
    }

    /// Elementwise `squared_difference`.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.squared_difference(5)?.shape()?, [2]);
    /// assert_eq!(a.squared_difference(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn squared_difference<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::SquaredDifference, self, other)
    }

    /// Elementwise `eq`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.eq(3)?.to_vec::<bool>()?, [false, true]);
    /// assert_eq!(a.eq(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn eq<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Eq, self, other)
    }

    /// Elementwise `ne`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.ne(3)?.to_vec::<bool>()?, [true, false]);
    /// assert_eq!(a.ne(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn ne<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Ne, self, other)
    }

    /// Elementwise `lt`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.lt(5)?.to_vec::<bool>()?, [false, true]);
    /// assert_eq!(a.lt(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn lt<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Lt, self, other)
    }

    /// Elementwise `le`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.le(3)?.to_vec::<bool>()?, [false, true]);
    /// assert_eq!(a.le(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn le<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Le, self, other)
    }

    /// Elementwise `gt`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.gt(5)?.to_vec::<bool>()?, [true, false]);
    /// assert_eq!(a.gt(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn gt<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Gt, self, other)
    }

    /// Elementwise `ge`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.ge(7)?.to_vec::<bool>()?, [true, false]);
    /// assert_eq!(a.ge(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn ge<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Ge, self, other)
    }

    /// Elementwise `logical_and`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logical_and(0)?.to_vec::<bool>()?, [false, false]);
    /// assert_eq!(a.logical_and(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn logical_and<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::LogicalAnd, self, other)
    }

    /// Elementwise `logical_or`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logical_or(0)?.to_vec::<bool>()?, [true, true]);
    /// assert_eq!(a.logical_or(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn logical_or<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::LogicalOr, self, other)
    }

    /// Elementwise `logical_xor`. Gives bool.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logical_xor(1)?.to_vec::<bool>()?, [false, false]);
    /// assert_eq!(a.logical_xor(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn logical_xor<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::LogicalXor, self, other)
    }

    /// Elementwise `bit_and`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bit_and(5)?.shape()?, [2]);
    /// assert_eq!(a.bit_and(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bit_and<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BitAnd, self, other)
    }

    /// Elementwise `bit_or`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bit_or(5)?.shape()?, [2]);
    /// assert_eq!(a.bit_or(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bit_or<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BitOr, self, other)
    }

    /// Elementwise `bit_xor`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bit_xor(5)?.shape()?, [2]);
    /// assert_eq!(a.bit_xor(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bit_xor<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BitXor, self, other)
    }

    /// Elementwise `shift_left`. 0 for a count that is negative or as wide as the dtype; integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.shift_left(5)?.shape()?, [2]);
    /// assert_eq!(a.shift_left(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn shift_left<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::ShiftLeft, self, other)
    }

    /// Elementwise `shift_right`. 0 or -1 for such a count; integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.shift_right(5)?.shape()?, [2]);
    /// assert_eq!(a.shift_right(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn shift_right<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::ShiftRight, self, other)
    }

    /// Elementwise `gcd`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.gcd(5)?.shape()?, [2]);
    /// assert_eq!(a.gcd(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn gcd<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Gcd, self, other)
    }

    /// Elementwise `lcm`. Integers and bool only.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.lcm(5)?.shape()?, [2]);
    /// assert_eq!(a.lcm(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn lcm<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Lcm, self, other)
    }

    /// Elementwise `true_div`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.true_div(5)?.shape()?, [2]);
    /// assert_eq!(a.true_div(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn true_div<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::TrueDiv, self, other)
    }

    /// Elementwise `hypot`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.hypot(5)?.shape()?, [2]);
    /// assert_eq!(a.hypot(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn hypot<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Hypot, self, other)
    }

    /// Elementwise `atan2`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.atan2(5)?.shape()?, [2]);
    /// assert_eq!(a.atan2(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn atan2<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Atan2, self, other)
    }

    /// Elementwise `copysign`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.copysign(5)?.shape()?, [2]);
    /// assert_eq!(a.copysign(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn copysign<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Copysign, self, other)
    }

    /// Elementwise `ldexp`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.ldexp(5)?.shape()?, [2]);
    /// assert_eq!(a.ldexp(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn ldexp<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Ldexp, self, other)
    }

    /// Elementwise `logaddexp`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.logaddexp(5)?.shape()?, [2]);
    /// assert_eq!(a.logaddexp(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn logaddexp<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Logaddexp, self, other)
    }

    /// Elementwise `xlogy`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.xlogy(5)?.shape()?, [2]);
    /// assert_eq!(a.xlogy(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn xlogy<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Xlogy, self, other)
    }

    /// Elementwise `prelu`. Gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.prelu(5)?.shape()?, [2]);
    /// assert_eq!(a.prelu(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn prelu<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::Prelu, self, other)
    }

    /// Elementwise `smooth_l1`. Parameter beta, default 1; gives f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.smooth_l1_with(&a, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn smooth_l1_with(&self, other: &Tensor, beta: f64) -> Result<Tensor> {
        ops::binary_with(BinaryOp::SmoothL1, self, other, &[beta])
    }
    /// Elementwise `smooth_l1`. Parameter beta, default 1; gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.smooth_l1(5)?.shape()?, [2]);
    /// assert_eq!(a.smooth_l1(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn smooth_l1<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::SmoothL1, self, other)
    }

    /// Elementwise `bce_with_logits`. Binary cross-entropy of a logit and a target; gives f32 for integer and bool operands.
    /// The other operand is a tensor or a number.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[7i32, 3])?;
    /// assert_eq!(a.bce_with_logits(5)?.shape()?, [2]);
    /// assert_eq!(a.bce_with_logits(&a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn bce_with_logits<'a>(&'a self, other: impl Into<Operand<'a>>) -> Result<Tensor> {
        ops::binary(BinaryOp::BceWithLogits, self, other)
    }
}

/// Elementwise operators of three operands, broadcast.
impl Tensor {
    /// Elementwise `fma`. A b + c with one rounding.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;
    /// assert_eq!(a.fma(&a, &a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn fma(&self, b: &Tensor, c: &Tensor) -> Result<Tensor> {
        ops::ternary(TernaryOp::Fma, self, b, c)
    }

    /// Elementwise `clamp`. A limited to \[b, c].
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;
    /// assert_eq!(a.clamp(&a, &a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn clamp(&self, b: &Tensor, c: &Tensor) -> Result<Tensor> {
        ops::ternary(TernaryOp::Clamp, self, b, c)
    }

    /// Elementwise `lerp`. A + c (b - a); f32 for integer and bool operands.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, 2, &[1.0f32, 1.0])?;
    /// assert_eq!(a.lerp(&a, &a)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn lerp(&self, b: &Tensor, c: &Tensor) -> Result<Tensor> {
        ops::ternary(TernaryOp::Lerp, self, b, c)
    }
}

/// Reductions.
impl Tensor {
    /// The `sum` over some axes, or over all with `..`. Integers and bool give i64, floats their dtype; pairwise, accumulated in float for 16-bit dtypes.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.sum(1)?.to_vec::<i64>()?, [6, 15]);
    /// assert_eq!(a.sum(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn sum(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Sum, self, axes, false)
    }

    /// The `mean` over some axes, or over all with `..`. Integers and bool give f32; of nothing NaN.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.mean(1)?.to_vec::<f32>()?, [2.0, 5.0]);
    /// assert_eq!(a.mean(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn mean(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Mean, self, axes, false)
    }

    /// The `max` over some axes, or over all with `..`. NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.max(1)?.to_vec::<i32>()?, [3, 6]);
    /// assert_eq!(a.max(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn max(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Max, self, axes, false)
    }

    /// The `min` over some axes, or over all with `..`. NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.min(1)?.to_vec::<i32>()?, [1, 4]);
    /// assert_eq!(a.min(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn min(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Min, self, axes, false)
    }

    /// The `argmax` over some axes, or over all with `..`. I64, index over the reduced axes in row-major order; first of equals; first NaN wins.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.argmax(1)?.to_vec::<i64>()?, [2, 2]);
    /// assert_eq!(a.argmax(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn argmax(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Argmax, self, axes, false)
    }

    /// The `argmin` over some axes, or over all with `..`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.argmin(1)?.to_vec::<i64>()?, [0, 0]);
    /// assert_eq!(a.argmin(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn argmin(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Argmin, self, axes, false)
    }

    /// The `prod` over some axes, or over all with `..`. Dtypes as `RONDO_SUM`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.prod(1)?.to_vec::<i64>()?, [6, 120]);
    /// assert_eq!(a.prod(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn prod(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Prod, self, axes, false)
    }

    /// The `all` over some axes, or over all with `..`. Bool; of nothing 1.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.all(1)?.to_vec::<bool>()?, [true, true]);
    /// assert_eq!(a.all(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn all(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::All, self, axes, false)
    }

    /// The `any` over some axes, or over all with `..`. Bool; of nothing 0.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.any(1)?.to_vec::<bool>()?, [true, true]);
    /// assert_eq!(a.any(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn any(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Any, self, axes, false)
    }

    /// The `l1_norm` over some axes, or over all with `..`. The sum of magnitudes; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.l1_norm(1)?.to_vec::<f32>()?, [6.0, 15.0]);
    /// assert_eq!(a.l1_norm(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn l1_norm(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::L1Norm, self, axes, false)
    }

    /// The `l2_norm` over some axes, or over all with `..`. The root of the sum of squares; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.l2_norm(1)?.shape()?, [2]);
    /// assert_eq!(a.l2_norm(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn l2_norm(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::L2Norm, self, axes, false)
    }

    /// The `lp_norm` over some axes, or over all with `..`. Parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.lp_norm(1)?.shape()?, [2]);
    /// assert_eq!(a.lp_norm(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn lp_norm(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::LpNorm, self, axes, false)
    }
    /// The `lp_norm` over some axes, or over all with `..`. Parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.lp_norm_with(1, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn lp_norm_with(&self, axes: impl Into<Axes>, p: f64) -> Result<Tensor> {
        ops::reduce_with(ReduceOp::LpNorm, self, axes, false, &[p])
    }

    /// The `var` over some axes, or over all with `..`. Parameters correction, default 0: squared distances from the mean, by n - correction; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.var(1)?.shape()?, [2]);
    /// assert_eq!(a.var(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn var(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Var, self, axes, false)
    }
    /// The `var` over some axes, or over all with `..`. Parameters correction, default 0: squared distances from the mean, by n - correction; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.var_with(1, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn var_with(&self, axes: impl Into<Axes>, correction: f64) -> Result<Tensor> {
        ops::reduce_with(ReduceOp::Var, self, axes, false, &[correction])
    }

    /// The `std` over some axes, or over all with `..`. Parameters correction, default 0: the root of `RONDO_VAR`; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.std(1)?.shape()?, [2]);
    /// assert_eq!(a.std(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn std(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Std, self, axes, false)
    }
    /// The `std` over some axes, or over all with `..`. Parameters correction, default 0: the root of `RONDO_VAR`; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.std_with(1, 1.0)?.shape()?, [2]);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn std_with(&self, axes: impl Into<Axes>, correction: f64) -> Result<Tensor> {
        ops::reduce_with(ReduceOp::Std, self, axes, false, &[correction])
    }

    /// The `logsumexp` over some axes, or over all with `..`. The logarithm of the sum of exp(x), without overflow between; of nothing -infinity; The following give f32 for integers and bool, which they compute in f64.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.logsumexp(1)?.shape()?, [2]);
    /// assert_eq!(a.logsumexp(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn logsumexp(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Logsumexp, self, axes, false)
    }

    /// The `nansum` over some axes, or over all with `..`. NaN counts as 0; The following have dtypes as `RONDO_SUM`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.nansum(1)?.to_vec::<i64>()?, [6, 15]);
    /// assert_eq!(a.nansum(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn nansum(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Nansum, self, axes, false)
    }

    /// The `nanprod` over some axes, or over all with `..`. NaN counts as 1; The following have dtypes as `RONDO_SUM`.
    ///
    /// ```
    /// # use rondo::{Device, Engine, Tensor};
    /// # let engine = Engine::new()?;
    /// let a = Tensor::from_slice(&engine, Device::CPU, [2, 3], &[1i32, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a.nanprod(1)?.to_vec::<i64>()?, [6, 120]);
    /// assert_eq!(a.nanprod(..)?.shape()?, []);
    /// # Ok::<(), rondo::Error>(())
    /// ```
    pub fn nanprod(&self, axes: impl Into<Axes>) -> Result<Tensor> {
        ops::reduce(ReduceOp::Nanprod, self, axes, false)
    }
}
