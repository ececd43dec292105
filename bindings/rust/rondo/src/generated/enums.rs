//! Enums of the C headers. Written by generate.py.
//!
//! Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
use crate::enums::c_enum;
use rondo_sys::*;

c_enum! {
/// What kind of failure an [`Error`](crate::Error) is. `rondo_status` of the C interface.
#[doc(alias = "rondo_status")]
pub enum ErrorKind: rondo_status {
/// An argument is wrong; the message names it and what would be right.
#[doc(alias = "RONDO_INVALID_ARGUMENT")]
InvalidArgument = 1,
/// Right arguments, wrong moment: waiting inside a task, engine destroyed, recording open.
#[doc(alias = "RONDO_INVALID_STATE")]
InvalidState = 2,
/// Message carries asked / free / cached / in-use bytes; earlier results are intact.
#[doc(alias = "RONDO_OUT_OF_MEMORY")]
OutOfMemory = 3,
/// A device or a file that was named does not exist.
#[doc(alias = "RONDO_NOT_FOUND")]
NotFound = 4,
/// A run-time library or a symbol of it is absent; message lists where it was looked for.
#[doc(alias = "RONDO_LIBRARY_MISSING")]
LibraryMissing = 5,
/// Valid, but this device, dtype or library version cannot do it.
#[doc(alias = "RONDO_UNSUPPORTED")]
Unsupported = 6,
/// A generated or user kernel did not compile; message carries the compiler's log.
#[doc(alias = "RONDO_COMPILE_FAILED")]
CompileFailed = 7,
/// A library call on the device failed; message has library, function, code and text.
#[doc(alias = "RONDO_DEVICE_ERROR")]
DeviceError = 8,
/// A fatal device error; every later call on the engine returns the same cause.
#[doc(alias = "RONDO_DEVICE_LOST")]
DeviceLost = 9,
/// Called in a child of fork(): devices do not survive fork, create the engine in the child.
#[doc(alias = "RONDO_FORKED")]
Forked = 10,
/// A user task returned an error.
#[doc(alias = "RONDO_USER_ERROR")]
UserError = 11,
/// A file could not be read or written.
#[doc(alias = "RONDO_IO_ERROR")]
IoError = 12,
/// A defect of Rondo: please report it with the message.
#[doc(alias = "RONDO_INTERNAL")]
Internal = 13,
/// A rank of a communicator died, left or failed; the message names it and the cause.
#[doc(alias = "RONDO_RANK_LOST")]
RankLost = 14,
/// A time limit is over; the message says what did not happen, and on which rank.
#[doc(alias = "RONDO_TIMED_OUT")]
TimedOut = 15,
}
}

c_enum! {
/// The type of a tensor's elements. `rondo_dtype` of the C interface.
#[doc(alias = "rondo_dtype")]
pub enum DType: rondo_dtype {
/// One byte, 0 or 1.
#[doc(alias = "RONDO_BOOL")]
Bool = 0,
/// `RONDO_U8`.
#[doc(alias = "RONDO_U8")]
U8 = 1,
/// `RONDO_I8`.
#[doc(alias = "RONDO_I8")]
I8 = 2,
/// `RONDO_I32`.
#[doc(alias = "RONDO_I32")]
I32 = 3,
/// `RONDO_I64`.
#[doc(alias = "RONDO_I64")]
I64 = 4,
/// IEEE 754 binary16; arithmetic and accumulation in float.
#[doc(alias = "RONDO_F16")]
F16 = 5,
/// Bfloat16; arithmetic and accumulation in float.
#[doc(alias = "RONDO_BF16")]
Bf16 = 6,
/// `RONDO_F32`.
#[doc(alias = "RONDO_F32")]
F32 = 7,
/// `RONDO_F64`.
#[doc(alias = "RONDO_F64")]
F64 = 8,
/// `RONDO_I16`.
#[doc(alias = "RONDO_I16")]
I16 = 9,
/// `RONDO_U16`.
#[doc(alias = "RONDO_U16")]
U16 = 10,
/// `RONDO_U32`.
#[doc(alias = "RONDO_U32")]
U32 = 11,
/// `RONDO_U64`.
#[doc(alias = "RONDO_U64")]
U64 = 12,
/// OCP OFP8 E4M3 (no infinities); stored, moved and cast, not computed with.
#[doc(alias = "RONDO_F8_E4M3")]
F8E4m3 = 13,
/// OCP OFP8 E5M2; stored, moved and cast, not computed with.
#[doc(alias = "RONDO_F8_E5M2")]
F8E5m2 = 14,
}
}

c_enum! {
/// The kind of a device. `rondo_device_kind` of the C interface.
#[doc(alias = "rondo_device_kind")]
pub enum DeviceKind: rondo_device_kind {
/// `RONDO_CPU`.
#[doc(alias = "RONDO_CPU")]
Cpu = 0,
/// `RONDO_CUDA`.
#[doc(alias = "RONDO_CUDA")]
Cuda = 1,
}
}

c_enum! {
/// How an engine issues work. `rondo_engine_mode` of the C interface.
#[doc(alias = "rondo_engine_mode")]
pub enum EngineMode: rondo_engine_mode {
/// The setting `RONDO_ENGINE` (async, threaded, naive), else async.
#[doc(alias = "RONDO_ENGINE_DEFAULT")]
Default = 0,
/// Device tasks are issued by the calling thread as soon as host dependencies are done.
#[doc(alias = "RONDO_ENGINE_ASYNC")]
Async = 1,
/// One issuing worker per device: the caller pays a queue insertion.
#[doc(alias = "RONDO_ENGINE_THREADED")]
Threaded = 2,
/// Each task is finished before the call returns; its error is the call's status.
#[doc(alias = "RONDO_ENGINE_NAIVE")]
Naive = 3,
}
}

c_enum! {
/// How much is logged: a level and the ones above it. `rondo_log_level` of the C interface.
#[doc(alias = "rondo_log_level")]
pub enum LogLevel: rondo_log_level {
/// `RONDO_LOG_OFF`.
#[doc(alias = "RONDO_LOG_OFF")]
Off = 0,
/// `RONDO_LOG_ERROR`.
#[doc(alias = "RONDO_LOG_ERROR")]
Error = 1,
/// `RONDO_LOG_WARNING`.
#[doc(alias = "RONDO_LOG_WARNING")]
Warning = 2,
/// `RONDO_LOG_INFO`.
#[doc(alias = "RONDO_LOG_INFO")]
Info = 3,
/// `RONDO_LOG_DEBUG`.
#[doc(alias = "RONDO_LOG_DEBUG")]
Debug = 4,
}
}

c_enum! {
/// An elementwise operator of one operand. `rondo_unary_op` of the C interface.
#[doc(alias = "rondo_unary_op")]
pub enum UnaryOp: rondo_unary_op {
/// In the dtype of the operand, exact.
#[doc(alias = "RONDO_NEG")]
Neg = 0,
/// In the dtype of the operand, exact.
#[doc(alias = "RONDO_ABS")]
Abs = 1,
/// -1, 0, 1; NaN for NaN; in the dtype of the operand, exact.
#[doc(alias = "RONDO_SIGN")]
Sign = 2,
/// In the dtype of the operand, exact.
#[doc(alias = "RONDO_SQUARE")]
Square = 3,
/// Result bool; in the dtype of the operand, exact.
#[doc(alias = "RONDO_LOGICAL_NOT")]
LogicalNot = 4,
/// Result bool; in the dtype of the operand, exact.
#[doc(alias = "RONDO_ISNAN")]
Isnan = 5,
/// NaN for NaN; in the dtype of the operand, exact.
#[doc(alias = "RONDO_RELU")]
Relu = 6,
/// In the dtype of the operand, exact.
#[doc(alias = "RONDO_FLOOR")]
Floor = 7,
/// In the dtype of the operand, exact.
#[doc(alias = "RONDO_CEIL")]
Ceil = 8,
/// To even; in the dtype of the operand, exact.
#[doc(alias = "RONDO_ROUND")]
Round = 9,
/// In the dtype of the operand, exact.
#[doc(alias = "RONDO_TRUNC")]
Trunc = 10,
/// Result bool; in the dtype of the operand, exact.
#[doc(alias = "RONDO_ISINF")]
Isinf = 11,
/// Result bool; in the dtype of the operand, exact.
#[doc(alias = "RONDO_ISFINITE")]
Isfinite = 12,
/// Result bool; in the dtype of the operand, exact.
#[doc(alias = "RONDO_SIGNBIT")]
Signbit = 13,
/// Integers and bool only; in the dtype of the operand, exact.
#[doc(alias = "RONDO_BIT_NOT")]
BitNot = 14,
/// Parameters low, high; in the dtype of the operand, exact.
#[doc(alias = "RONDO_CLIP")]
Clip = 15,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_EXP")]
Exp = 16,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_LOG")]
Log = 17,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_SQRT")]
Sqrt = 18,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_RSQRT")]
Rsqrt = 19,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_TANH")]
Tanh = 20,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_SIGMOID")]
Sigmoid = 21,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_RECIPROCAL")]
Reciprocal = 22,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_SIN")]
Sin = 23,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_COS")]
Cos = 24,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ERF")]
Erf = 25,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_EXPM1")]
Expm1 = 26,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_LOG1P")]
Log1p = 27,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_EXP2")]
Exp2 = 28,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_LOG2")]
Log2 = 29,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_LOG10")]
Log10 = 30,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_CBRT")]
Cbrt = 31,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_RCBRT")]
Rcbrt = 32,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_TAN")]
Tan = 33,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ASIN")]
Asin = 34,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ACOS")]
Acos = 35,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ATAN")]
Atan = 36,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_SINH")]
Sinh = 37,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_COSH")]
Cosh = 38,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ASINH")]
Asinh = 39,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ACOSH")]
Acosh = 40,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ATANH")]
Atanh = 41,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_DEGREES")]
Degrees = 42,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_RADIANS")]
Radians = 43,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ERFC")]
Erfc = 44,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ERFINV")]
Erfinv = 45,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_GAMMA")]
Gamma = 46,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_LGAMMA")]
Lgamma = 47,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_DIGAMMA")]
Digamma = 48,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_TRIGAMMA")]
Trigamma = 49,
/// Activations.
#[doc(alias = "RONDO_LOG_SIGMOID")]
LogSigmoid = 64,
/// Parameter beta, default 1; activations.
#[doc(alias = "RONDO_SOFTPLUS")]
Softplus = 65,
/// Activations.
#[doc(alias = "RONDO_SOFTSIGN")]
Softsign = 66,
/// By the error function; activations.
#[doc(alias = "RONDO_GELU")]
Gelu = 67,
/// By its approximation with tanh; activations.
#[doc(alias = "RONDO_GELU_TANH")]
GeluTanh = 68,
/// Activations.
#[doc(alias = "RONDO_SILU")]
Silu = 69,
/// Activations.
#[doc(alias = "RONDO_MISH")]
Mish = 70,
/// Parameter alpha, default 1; activations.
#[doc(alias = "RONDO_ELU")]
Elu = 71,
/// Activations.
#[doc(alias = "RONDO_SELU")]
Selu = 72,
/// Parameter alpha, default 1; activations.
#[doc(alias = "RONDO_CELU")]
Celu = 73,
/// Parameter slope, default 0.01; activations.
#[doc(alias = "RONDO_LEAKY_RELU")]
LeakyRelu = 74,
/// Parameters low, high, default -1, 1; activations.
#[doc(alias = "RONDO_HARD_TANH")]
HardTanh = 75,
/// Parameters alpha, beta, default 1 / 6, 1 / 2; activations.
#[doc(alias = "RONDO_HARD_SIGMOID")]
HardSigmoid = 76,
/// Activations.
#[doc(alias = "RONDO_HARD_SWISH")]
HardSwish = 77,
/// Parameter sigma, default 1; activations.
#[doc(alias = "RONDO_SMOOTH_L1_SIGMA")]
SmoothL1Sigma = 78,
/// Halves away from zero; in the dtype of the operand, exact.
#[doc(alias = "RONDO_ROUND_AWAY")]
RoundAway = 80,
/// Result bool; in the dtype of the operand, exact.
#[doc(alias = "RONDO_ISPOSINF")]
Isposinf = 81,
/// Result bool; in the dtype of the operand, exact.
#[doc(alias = "RONDO_ISNEGINF")]
Isneginf = 82,
}
}

c_enum! {
/// An elementwise operator of two operands. `rondo_binary_op` of the C interface.
#[doc(alias = "rondo_binary_op")]
pub enum BinaryOp: rondo_binary_op {
/// `RONDO_ADD`.
#[doc(alias = "RONDO_ADD")]
Add = 0,
/// `RONDO_SUB`.
#[doc(alias = "RONDO_SUB")]
Sub = 1,
/// `RONDO_MUL`.
#[doc(alias = "RONDO_MUL")]
Mul = 2,
/// Integers: quotient rounded toward zero; by zero gives 0.
#[doc(alias = "RONDO_DIV")]
Div = 3,
/// Integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted).
#[doc(alias = "RONDO_POW")]
Pow = 4,
/// NaN if either is NaN.
#[doc(alias = "RONDO_MAXIMUM")]
Maximum = 5,
/// NaN if either is NaN.
#[doc(alias = "RONDO_MINIMUM")]
Minimum = 6,
/// Sign of the divisor, as NumPy's remainder; integers by zero give 0.
#[doc(alias = "RONDO_MOD")]
Mod = 7,
/// Sign of the dividend; integers by zero give 0.
#[doc(alias = "RONDO_FMOD")]
Fmod = 8,
/// Integers by zero give 0.
#[doc(alias = "RONDO_FLOOR_DIV")]
FloorDiv = 9,
/// The other one if one is NaN.
#[doc(alias = "RONDO_FMAX")]
Fmax = 10,
/// The other one if one is NaN.
#[doc(alias = "RONDO_FMIN")]
Fmin = 11,
/// `RONDO_SQUARED_DIFFERENCE`.
#[doc(alias = "RONDO_SQUARED_DIFFERENCE")]
SquaredDifference = 12,
/// Gives bool.
#[doc(alias = "RONDO_EQ")]
Eq = 16,
/// Gives bool.
#[doc(alias = "RONDO_NE")]
Ne = 17,
/// Gives bool.
#[doc(alias = "RONDO_LT")]
Lt = 18,
/// Gives bool.
#[doc(alias = "RONDO_LE")]
Le = 19,
/// Gives bool.
#[doc(alias = "RONDO_GT")]
Gt = 20,
/// Gives bool.
#[doc(alias = "RONDO_GE")]
Ge = 21,
/// Gives bool.
#[doc(alias = "RONDO_LOGICAL_AND")]
LogicalAnd = 22,
/// Gives bool.
#[doc(alias = "RONDO_LOGICAL_OR")]
LogicalOr = 23,
/// Gives bool.
#[doc(alias = "RONDO_LOGICAL_XOR")]
LogicalXor = 24,
/// Integers and bool only.
#[doc(alias = "RONDO_BIT_AND")]
BitAnd = 32,
/// Integers and bool only.
#[doc(alias = "RONDO_BIT_OR")]
BitOr = 33,
/// Integers and bool only.
#[doc(alias = "RONDO_BIT_XOR")]
BitXor = 34,
/// 0 for a count that is negative or as wide as the dtype; integers and bool only.
#[doc(alias = "RONDO_SHIFT_LEFT")]
ShiftLeft = 35,
/// 0 or -1 for such a count; integers and bool only.
#[doc(alias = "RONDO_SHIFT_RIGHT")]
ShiftRight = 36,
/// Integers and bool only.
#[doc(alias = "RONDO_GCD")]
Gcd = 37,
/// Integers and bool only.
#[doc(alias = "RONDO_LCM")]
Lcm = 38,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_TRUE_DIV")]
TrueDiv = 48,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_HYPOT")]
Hypot = 49,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_ATAN2")]
Atan2 = 50,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_COPYSIGN")]
Copysign = 51,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_LDEXP")]
Ldexp = 52,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_LOGADDEXP")]
Logaddexp = 53,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_XLOGY")]
Xlogy = 54,
/// Gives f32 for integer and bool operands.
#[doc(alias = "RONDO_PRELU")]
Prelu = 55,
/// Parameter beta, default 1; gives f32 for integer and bool operands.
#[doc(alias = "RONDO_SMOOTH_L1")]
SmoothL1 = 56,
/// Binary cross-entropy of a logit and a target; gives f32 for integer and bool operands.
#[doc(alias = "RONDO_BCE_WITH_LOGITS")]
BceWithLogits = 57,
}
}

c_enum! {
/// An elementwise operator of three operands. `rondo_ternary_op` of the C interface.
#[doc(alias = "rondo_ternary_op")]
pub enum TernaryOp: rondo_ternary_op {
/// A b + c with one rounding.
#[doc(alias = "RONDO_FMA")]
Fma = 0,
/// A limited to \[b, c].
#[doc(alias = "RONDO_CLAMP")]
Clamp = 1,
/// A + c (b - a); f32 for integer and bool operands.
#[doc(alias = "RONDO_LERP")]
Lerp = 2,
}
}

c_enum! {
/// An operator that reduces axes. `rondo_reduce_op` of the C interface.
#[doc(alias = "rondo_reduce_op")]
pub enum ReduceOp: rondo_reduce_op {
/// Integers and bool give i64, u64 and floats their dtype; pairwise; f16 and bf16 add up in float.
#[doc(alias = "RONDO_SUM")]
Sum = 0,
/// Integers and bool give f32; of nothing NaN.
#[doc(alias = "RONDO_MEAN")]
Mean = 1,
/// NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
#[doc(alias = "RONDO_MAX")]
Max = 2,
/// NaN if any is NaN; of nothing `RONDO_INVALID_ARGUMENT`.
#[doc(alias = "RONDO_MIN")]
Min = 3,
/// I64, index over the reduced axes in row-major order; first of equals; first NaN wins.
#[doc(alias = "RONDO_ARGMAX")]
Argmax = 4,
/// `RONDO_ARGMIN`.
#[doc(alias = "RONDO_ARGMIN")]
Argmin = 5,
/// Dtypes as `RONDO_SUM`.
#[doc(alias = "RONDO_PROD")]
Prod = 6,
/// Bool; of nothing 1.
#[doc(alias = "RONDO_ALL")]
All = 7,
/// Bool; of nothing 0.
#[doc(alias = "RONDO_ANY")]
Any = 8,
/// The sum of magnitudes; The following give f32 for integers and bool, which they compute in f64.
#[doc(alias = "RONDO_L1_NORM")]
L1Norm = 9,
/// The root of the sum of squares; The following give f32 for integers and bool, which they compute in f64.
#[doc(alias = "RONDO_L2_NORM")]
L2Norm = 10,
/// Parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite; The following give f32 for integers and bool, which they compute in f64.
#[doc(alias = "RONDO_LP_NORM")]
LpNorm = 11,
/// Parameters correction, default 0: squared distances from the mean, by n - correction; The following give f32 for integers and bool, which they compute in f64.
#[doc(alias = "RONDO_VAR")]
Var = 12,
/// Parameters correction, default 0: the root of `RONDO_VAR`; The following give f32 for integers and bool, which they compute in f64.
#[doc(alias = "RONDO_STD")]
Std = 13,
/// The logarithm of the sum of exp(x), without overflow between; of nothing -infinity; The following give f32 for integers and bool, which they compute in f64.
#[doc(alias = "RONDO_LOGSUMEXP")]
Logsumexp = 14,
/// NaN counts as 0; The following have dtypes as `RONDO_SUM`.
#[doc(alias = "RONDO_NANSUM")]
Nansum = 15,
/// NaN counts as 1; The following have dtypes as `RONDO_SUM`.
#[doc(alias = "RONDO_NANPROD")]
Nanprod = 16,
}
}

c_enum! {
/// What padding shows. `rondo_pad_mode` of the C interface.
#[doc(alias = "rondo_pad_mode")]
pub enum PadMode: rondo_pad_mode {
/// A value.
#[doc(alias = "RONDO_PAD_CONSTANT")]
Constant = 0,
/// ... 1 1 \[1 2 3] 3 3 ...
#[doc(alias = "RONDO_PAD_EDGE")]
Edge = 1,
/// ... 3 2 \[1 2 3] 2 1 ...
#[doc(alias = "RONDO_PAD_REFLECT")]
Reflect = 2,
/// ... 2 1 \[1 2 3] 3 2 ...
#[doc(alias = "RONDO_PAD_SYMMETRIC")]
Symmetric = 3,
/// ... 2 3 \[1 2 3] 1 2 ...
#[doc(alias = "RONDO_PAD_WRAP")]
Wrap = 4,
}
}

c_enum! {
/// A softmax. `rondo_softmax_op` of the C interface.
#[doc(alias = "rondo_softmax_op")]
pub enum SoftmaxOp: rondo_softmax_op {
/// `RONDO_SOFTMAX`.
#[doc(alias = "RONDO_SOFTMAX")]
Softmax = 0,
/// The logarithm of softmax.
#[doc(alias = "RONDO_LOG_SOFTMAX")]
LogSoftmax = 1,
/// Softmax of -a.
#[doc(alias = "RONDO_SOFTMIN")]
Softmin = 2,
}
}

c_enum! {
/// Whether a group of devices works. `rondo_comm_state` of the C interface.
#[doc(alias = "rondo_comm_state")]
pub enum CommState: rondo_comm_state {
/// `RONDO_COMM_WORKING`.
#[doc(alias = "RONDO_COMM_WORKING")]
Working = 0,
/// A rank lost, a time limit over, aborted, or an error of the library.
#[doc(alias = "RONDO_COMM_FAILED")]
Failed = 1,
}
}

c_enum! {
/// How an element of a resized image is made. `rondo_resize_mode` of the C interface.
#[doc(alias = "rondo_resize_mode")]
pub enum ResizeMode: rondo_resize_mode {
/// The nearest element; of two equally near the one that the origin says.
#[doc(alias = "RONDO_RESIZE_NEAREST")]
Nearest = 0,
/// Neighbours by their distance: linear, bilinear or trilinear.
#[doc(alias = "RONDO_RESIZE_LINEAR")]
Linear = 1,
/// The nearest element; of two equally near the one behind, whatever the origin.
#[doc(alias = "RONDO_RESIZE_NEAREST_EXACT")]
NearestExact = 2,
}
}

c_enum! {
/// Where an element of a resized image lies in the image. `rondo_resize_origin` of the C interface.
#[doc(alias = "rondo_resize_origin")]
pub enum ResizeOrigin: rondo_resize_origin {
/// (i + 1/2) in / out - 1/2; NEAREST: of two equally near the one before.
#[doc(alias = "RONDO_RESIZE_HALF_PIXEL")]
HalfPixel = 0,
/// I (in - 1) / (out - 1); NEAREST: of two equally near the one behind.
#[doc(alias = "RONDO_RESIZE_ALIGN_CORNERS")]
AlignCorners = 1,
/// I in / out; NEAREST: always the one before, however near the next is.
#[doc(alias = "RONDO_RESIZE_ASYMMETRIC")]
Asymmetric = 2,
}
}

c_enum! {
/// The rule by which an [`Optimizer`](crate::Optimizer) steps. `rondo_optimizer_kind` of the C interface.
#[doc(alias = "rondo_optimizer_kind")]
pub enum OptimizerKind: rondo_optimizer_kind {
/// Gradient descent, with momentum if options say so.
#[doc(alias = "RONDO_OPTIMIZER_SGD")]
Sgd = 0,
/// Weight decay is added to gradients.
#[doc(alias = "RONDO_OPTIMIZER_ADAM")]
Adam = 1,
/// Weight decay shrinks the weights themselves.
#[doc(alias = "RONDO_OPTIMIZER_ADAMW")]
Adamw = 2,
/// Adam's direction and weight decay, as long as each tensor's weights say.
#[doc(alias = "RONDO_OPTIMIZER_LAMB")]
Lamb = 3,
}
}

c_enum! {
/// What a learning rate is multiplied by, step after step. `rondo_rate_schedule` of the C interface.
#[doc(alias = "rondo_rate_schedule")]
pub enum RateSchedule: rondo_rate_schedule {
/// 1.
#[doc(alias = "RONDO_RATE_CONSTANT")]
Constant = 0,
/// From 1 to rate_decay in decay_steps, and that from then on.
#[doc(alias = "RONDO_RATE_LINEAR")]
Linear = 1,
/// The same along half a cosine.
#[doc(alias = "RONDO_RATE_COSINE")]
Cosine = 2,
/// Rate_decay to the power of k / decay_steps, rounded down.
#[doc(alias = "RONDO_RATE_STEP")]
Step = 3,
}
}

c_enum! {
/// In what an operator computes in an [autocast scope](crate::Engine::autocast). `rondo_precision` of the C interface.
#[doc(alias = "rondo_precision")]
pub enum Precision: rondo_precision {
/// Computes in the scope's 16-bit float: f32 operands are cast to it.
#[doc(alias = "RONDO_PRECISION_HALF")]
Half = 0,
/// Computes in f32: 16-bit operands are cast to it.
#[doc(alias = "RONDO_PRECISION_SINGLE")]
Single = 1,
/// Computes in the widest dtype of its operands.
#[doc(alias = "RONDO_PRECISION_WIDEST")]
Widest = 2,
}
}

c_enum! {
/// What is applied to a matrix product or a convolution last. `rondo_activation` of the C interface.
#[doc(alias = "rondo_activation")]
pub enum Activation: rondo_activation {
/// `RONDO_ACTIVATION_NONE`.
#[doc(alias = "RONDO_ACTIVATION_NONE")]
None = 0,
/// As `RONDO_RELU`: NaN for NaN.
#[doc(alias = "RONDO_ACTIVATION_RELU")]
Relu = 1,
/// NaN for NaN, -0 for -infinity.
#[doc(alias = "RONDO_ACTIVATION_GELU")]
Gelu = 2,
/// Limited to 0 ... 6: NaN for NaN.
#[doc(alias = "RONDO_ACTIVATION_RELU6")]
Relu6 = 3,
/// As `RONDO_SILU`: NaN for NaN, -0 for -infinity.
#[doc(alias = "RONDO_ACTIVATION_SILU")]
Silu = 4,
/// As `RONDO_HARD_SWISH`: NaN for NaN, -0 for -infinity.
#[doc(alias = "RONDO_ACTIVATION_HARD_SWISH")]
HardSwish = 5,
/// As `RONDO_GELU`, by the error function: NaN for NaN, -0 for -infinity.
#[doc(alias = "RONDO_ACTIVATION_GELU_ERF")]
GeluErf = 6,
}
}
