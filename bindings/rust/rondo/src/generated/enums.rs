//! Enums of the C headers. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::enums::c_enum;
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
/// `RONDO_I16`.
I16 = 9,
/// `RONDO_U16`.
U16 = 10,
/// `RONDO_U32`.
U32 = 11,
/// `RONDO_U64`.
U64 = 12,
/// OCP OFP8 E4M3 (no infinities); stored, moved and cast, not computed with.
F8E4m3 = 13,
/// OCP OFP8 E5M2; stored, moved and cast, not computed with.
F8E5m2 = 14,
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
/// Parameter sigma, default 1; activations.
SmoothL1Sigma = 78,
/// Halves away from zero; in the dtype of the operand, exact.
RoundAway = 80,
/// Result bool; in the dtype of the operand, exact.
Isposinf = 81,
/// Result bool; in the dtype of the operand, exact.
Isneginf = 82,
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
/// Integers and bool give i64, u64 and floats their dtype; pairwise; f16 and bf16 add up in float.
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
/// The nearest element; of two equally near the one that the origin says.
Nearest = 0,
/// Neighbours by their distance: linear, bilinear or trilinear.
Linear = 1,
/// The nearest element; of two equally near the one behind, whatever the origin.
NearestExact = 2,
}
}

c_enum! {
/// Where an element of a resized image lies in the image. `rondo_resize_origin` of the C interface.
pub enum ResizeOrigin: rondo_resize_origin {
/// (i + 1/2) in / out - 1/2; NEAREST: of two equally near the one before.
HalfPixel = 0,
/// I (in - 1) / (out - 1); NEAREST: of two equally near the one behind.
AlignCorners = 1,
/// I in / out; NEAREST: always the one before, however near the next is.
Asymmetric = 2,
}
}

c_enum! {
/// What is applied to a matrix product or a convolution last. `rondo_activation` of the C interface.
pub enum Activation: rondo_activation {
/// `RONDO_ACTIVATION_NONE`.
None = 0,
/// As `RONDO_RELU`: NaN for NaN.
Relu = 1,
/// NaN for NaN, -0 for -infinity.
Gelu = 2,
/// Limited to 0 ... 6: NaN for NaN.
Relu6 = 3,
/// As `RONDO_SILU`: NaN for NaN, -0 for -infinity.
Silu = 4,
}
}
