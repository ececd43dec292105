// Written by generate.py from the C headers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

pub const RONDO_VERSION_MAJOR: u32 = 0;
pub const RONDO_VERSION_MINOR: u32 = 1;
pub const RONDO_VERSION_PATCH: u32 = 0;
pub const RONDO_CALLABLE_PAD_SIZES: u32 = 16;
pub const RONDO_MAX_NESTED: u32 = 100;
pub const RONDO_MAX_SPATIAL: u32 = 3;
pub const RONDO_MAX_DIMS: u32 = 8;
pub type __int32_t = ::std::os::raw::c_int;
pub type __uint32_t = ::std::os::raw::c_uint;
pub type __int64_t = ::std::os::raw::c_long;
pub type __uint64_t = ::std::os::raw::c_ulong;
pub const RONDO_OK: rondo_status = 0;
#[doc = " an argument is wrong; the message names it and what would be right"]
pub const RONDO_INVALID_ARGUMENT: rondo_status = 1;
#[doc = " right arguments, wrong moment: waiting inside a task, engine destroyed, recording open"]
pub const RONDO_INVALID_STATE: rondo_status = 2;
#[doc = " message carries asked / free / cached / in-use bytes; earlier results are intact"]
pub const RONDO_OUT_OF_MEMORY: rondo_status = 3;
#[doc = " a device or a file that was named does not exist"]
pub const RONDO_NOT_FOUND: rondo_status = 4;
#[doc = " a run-time library or a symbol of it is absent; message lists where it was looked for"]
pub const RONDO_LIBRARY_MISSING: rondo_status = 5;
#[doc = " valid, but this device, dtype or library version cannot do it"]
pub const RONDO_UNSUPPORTED: rondo_status = 6;
#[doc = " a generated or user kernel did not compile; message carries the compiler's log"]
pub const RONDO_COMPILE_FAILED: rondo_status = 7;
#[doc = " a library call on the device failed; message has library, function, code and text"]
pub const RONDO_DEVICE_ERROR: rondo_status = 8;
#[doc = " a fatal device error; every later call on the engine returns the same cause"]
pub const RONDO_DEVICE_LOST: rondo_status = 9;
#[doc = " called in a child of fork(): devices do not survive fork, create the engine in the child"]
pub const RONDO_FORKED: rondo_status = 10;
#[doc = " a user task returned an error"]
pub const RONDO_USER_ERROR: rondo_status = 11;
#[doc = " a file could not be read or written"]
pub const RONDO_IO_ERROR: rondo_status = 12;
#[doc = " a defect of Rondo: please report it with the message"]
pub const RONDO_INTERNAL: rondo_status = 13;
#[doc = " a rank of a communicator died, left or failed; the message names it and the cause"]
pub const RONDO_RANK_LOST: rondo_status = 14;
#[doc = " a time limit is over; the message says what did not happen, and on which rank"]
pub const RONDO_TIMED_OUT: rondo_status = 15;
#[doc = " Outcome of a call. The text for the calling thread's last failure is rondo_last_error(). Since 0.1."]
pub type rondo_status = ::std::os::raw::c_uint;
#[doc = " one byte, 0 or 1"]
pub const RONDO_BOOL: rondo_dtype = 0;
pub const RONDO_U8: rondo_dtype = 1;
pub const RONDO_I8: rondo_dtype = 2;
pub const RONDO_I32: rondo_dtype = 3;
pub const RONDO_I64: rondo_dtype = 4;
#[doc = " IEEE 754 binary16; arithmetic and accumulation in float"]
pub const RONDO_F16: rondo_dtype = 5;
#[doc = " bfloat16; arithmetic and accumulation in float"]
pub const RONDO_BF16: rondo_dtype = 6;
pub const RONDO_F32: rondo_dtype = 7;
pub const RONDO_F64: rondo_dtype = 8;
pub const RONDO_I16: rondo_dtype = 9;
pub const RONDO_U16: rondo_dtype = 10;
pub const RONDO_U32: rondo_dtype = 11;
pub const RONDO_U64: rondo_dtype = 12;
#[doc = " OCP OFP8 E4M3 (no infinities); stored, moved and cast, not computed with"]
pub const RONDO_F8_E4M3: rondo_dtype = 13;
#[doc = " OCP OFP8 E5M2; stored, moved and cast, not computed with"]
pub const RONDO_F8_E5M2: rondo_dtype = 14;
#[doc = " Element types. Values are ABI. Since 0.1."]
pub type rondo_dtype = ::std::os::raw::c_uint;
pub const RONDO_CPU: rondo_device_kind = 0;
pub const RONDO_CUDA: rondo_device_kind = 1;
pub type rondo_device_kind = ::std::os::raw::c_uint;
#[doc = " A device by value: {RONDO_CPU, 0} or {RONDO_CUDA, index}. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_device {
    #[doc = " rondo_device_kind"]
    pub kind: i32,
    pub index: i32,
}
#[test]
fn bindgen_test_layout_rondo_device() {
    assert_eq!(::std::mem::size_of::<rondo_device>(), 8usize, concat!("Size of: ", stringify!(rondo_device)));
    assert_eq!(::std::mem::align_of::<rondo_device>(), 4usize, concat!("Alignment of ", stringify!(rondo_device)));
    fn test_field_kind() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).kind) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_device), "::", stringify!(kind))
        );
    }
    test_field_kind();
    fn test_field_index() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).index) as usize - ptr as usize
            },
            4usize,
            concat!("Offset of field: ", stringify!(rondo_device), "::", stringify!(index))
        );
    }
    test_field_index();
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_engine {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_variable {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_tensor {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_graph {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_tape {
    _unused: [u8; 0],
}
#[doc = " in the dtype of the operand, exact"]
pub const RONDO_NEG: rondo_unary_op = 0;
#[doc = " in the dtype of the operand, exact"]
pub const RONDO_ABS: rondo_unary_op = 1;
#[doc = " -1, 0, 1; NaN for NaN"]
pub const RONDO_SIGN: rondo_unary_op = 2;
pub const RONDO_SQUARE: rondo_unary_op = 3;
#[doc = " result bool"]
pub const RONDO_LOGICAL_NOT: rondo_unary_op = 4;
#[doc = " result bool"]
pub const RONDO_ISNAN: rondo_unary_op = 5;
#[doc = " NaN for NaN"]
pub const RONDO_RELU: rondo_unary_op = 6;
pub const RONDO_FLOOR: rondo_unary_op = 7;
pub const RONDO_CEIL: rondo_unary_op = 8;
#[doc = " to even"]
pub const RONDO_ROUND: rondo_unary_op = 9;
pub const RONDO_TRUNC: rondo_unary_op = 10;
#[doc = " result bool"]
pub const RONDO_ISINF: rondo_unary_op = 11;
#[doc = " result bool"]
pub const RONDO_ISFINITE: rondo_unary_op = 12;
#[doc = " result bool"]
pub const RONDO_SIGNBIT: rondo_unary_op = 13;
#[doc = " integers and bool only"]
pub const RONDO_BIT_NOT: rondo_unary_op = 14;
#[doc = " parameters low, high"]
pub const RONDO_CLIP: rondo_unary_op = 15;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_EXP: rondo_unary_op = 16;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_LOG: rondo_unary_op = 17;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_SQRT: rondo_unary_op = 18;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_RSQRT: rondo_unary_op = 19;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_TANH: rondo_unary_op = 20;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_SIGMOID: rondo_unary_op = 21;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_RECIPROCAL: rondo_unary_op = 22;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_SIN: rondo_unary_op = 23;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_COS: rondo_unary_op = 24;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ERF: rondo_unary_op = 25;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_EXPM1: rondo_unary_op = 26;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_LOG1P: rondo_unary_op = 27;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_EXP2: rondo_unary_op = 28;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_LOG2: rondo_unary_op = 29;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_LOG10: rondo_unary_op = 30;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_CBRT: rondo_unary_op = 31;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_RCBRT: rondo_unary_op = 32;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_TAN: rondo_unary_op = 33;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ASIN: rondo_unary_op = 34;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ACOS: rondo_unary_op = 35;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ATAN: rondo_unary_op = 36;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_SINH: rondo_unary_op = 37;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_COSH: rondo_unary_op = 38;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ASINH: rondo_unary_op = 39;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ACOSH: rondo_unary_op = 40;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ATANH: rondo_unary_op = 41;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_DEGREES: rondo_unary_op = 42;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_RADIANS: rondo_unary_op = 43;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ERFC: rondo_unary_op = 44;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ERFINV: rondo_unary_op = 45;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_GAMMA: rondo_unary_op = 46;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_LGAMMA: rondo_unary_op = 47;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_DIGAMMA: rondo_unary_op = 48;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_TRIGAMMA: rondo_unary_op = 49;
#[doc = " activations"]
pub const RONDO_LOG_SIGMOID: rondo_unary_op = 64;
#[doc = " parameter beta, default 1"]
pub const RONDO_SOFTPLUS: rondo_unary_op = 65;
pub const RONDO_SOFTSIGN: rondo_unary_op = 66;
#[doc = " by the error function"]
pub const RONDO_GELU: rondo_unary_op = 67;
#[doc = " by its approximation with tanh"]
pub const RONDO_GELU_TANH: rondo_unary_op = 68;
pub const RONDO_SILU: rondo_unary_op = 69;
pub const RONDO_MISH: rondo_unary_op = 70;
#[doc = " parameter alpha, default 1"]
pub const RONDO_ELU: rondo_unary_op = 71;
pub const RONDO_SELU: rondo_unary_op = 72;
#[doc = " parameter alpha, default 1"]
pub const RONDO_CELU: rondo_unary_op = 73;
#[doc = " parameter slope, default 0.01"]
pub const RONDO_LEAKY_RELU: rondo_unary_op = 74;
#[doc = " parameters low, high, default -1, 1"]
pub const RONDO_HARD_TANH: rondo_unary_op = 75;
#[doc = " parameters alpha, beta, default 1 / 6, 1 / 2"]
pub const RONDO_HARD_SIGMOID: rondo_unary_op = 76;
pub const RONDO_HARD_SWISH: rondo_unary_op = 77;
#[doc = " parameter sigma, default 1"]
pub const RONDO_SMOOTH_L1_SIGMA: rondo_unary_op = 78;
#[doc = " halves away from zero"]
pub const RONDO_ROUND_AWAY: rondo_unary_op = 80;
#[doc = " result bool"]
pub const RONDO_ISPOSINF: rondo_unary_op = 81;
#[doc = " result bool"]
pub const RONDO_ISNEGINF: rondo_unary_op = 82;
#[doc = " What each computes, its gradient and its error bound: docs/operators.md. Values are ABI. Since 0.1."]
pub type rondo_unary_op = ::std::os::raw::c_uint;
pub const RONDO_ADD: rondo_binary_op = 0;
pub const RONDO_SUB: rondo_binary_op = 1;
pub const RONDO_MUL: rondo_binary_op = 2;
#[doc = " integers: quotient rounded toward zero; by zero gives 0"]
pub const RONDO_DIV: rondo_binary_op = 3;
#[doc = " integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted)"]
pub const RONDO_POW: rondo_binary_op = 4;
#[doc = " NaN if either is NaN"]
pub const RONDO_MAXIMUM: rondo_binary_op = 5;
#[doc = " NaN if either is NaN"]
pub const RONDO_MINIMUM: rondo_binary_op = 6;
#[doc = " sign of the divisor, as NumPy's remainder; integers by zero give 0"]
pub const RONDO_MOD: rondo_binary_op = 7;
#[doc = " sign of the dividend; integers by zero give 0"]
pub const RONDO_FMOD: rondo_binary_op = 8;
#[doc = " integers by zero give 0"]
pub const RONDO_FLOOR_DIV: rondo_binary_op = 9;
#[doc = " the other one if one is NaN"]
pub const RONDO_FMAX: rondo_binary_op = 10;
#[doc = " the other one if one is NaN"]
pub const RONDO_FMIN: rondo_binary_op = 11;
pub const RONDO_SQUARED_DIFFERENCE: rondo_binary_op = 12;
#[doc = " the following give bool"]
pub const RONDO_EQ: rondo_binary_op = 16;
#[doc = " the following give bool"]
pub const RONDO_NE: rondo_binary_op = 17;
#[doc = " the following give bool"]
pub const RONDO_LT: rondo_binary_op = 18;
#[doc = " the following give bool"]
pub const RONDO_LE: rondo_binary_op = 19;
#[doc = " the following give bool"]
pub const RONDO_GT: rondo_binary_op = 20;
#[doc = " the following give bool"]
pub const RONDO_GE: rondo_binary_op = 21;
#[doc = " the following give bool"]
pub const RONDO_LOGICAL_AND: rondo_binary_op = 22;
#[doc = " the following give bool"]
pub const RONDO_LOGICAL_OR: rondo_binary_op = 23;
#[doc = " the following give bool"]
pub const RONDO_LOGICAL_XOR: rondo_binary_op = 24;
#[doc = " integers and bool only"]
pub const RONDO_BIT_AND: rondo_binary_op = 32;
#[doc = " integers and bool only"]
pub const RONDO_BIT_OR: rondo_binary_op = 33;
#[doc = " integers and bool only"]
pub const RONDO_BIT_XOR: rondo_binary_op = 34;
#[doc = " 0 for a count that is negative or as wide as the dtype"]
pub const RONDO_SHIFT_LEFT: rondo_binary_op = 35;
#[doc = " 0 or -1 for such a count"]
pub const RONDO_SHIFT_RIGHT: rondo_binary_op = 36;
pub const RONDO_GCD: rondo_binary_op = 37;
pub const RONDO_LCM: rondo_binary_op = 38;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_TRUE_DIV: rondo_binary_op = 48;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_HYPOT: rondo_binary_op = 49;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_ATAN2: rondo_binary_op = 50;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_COPYSIGN: rondo_binary_op = 51;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_LDEXP: rondo_binary_op = 52;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_LOGADDEXP: rondo_binary_op = 53;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_XLOGY: rondo_binary_op = 54;
#[doc = " the following give f32 for integer and bool operands"]
pub const RONDO_PRELU: rondo_binary_op = 55;
#[doc = " parameter beta, default 1"]
pub const RONDO_SMOOTH_L1: rondo_binary_op = 56;
#[doc = " binary cross-entropy of a logit and a target"]
pub const RONDO_BCE_WITH_LOGITS: rondo_binary_op = 57;
pub type rondo_binary_op = ::std::os::raw::c_uint;
#[doc = " a b + c with one rounding"]
pub const RONDO_FMA: rondo_ternary_op = 0;
#[doc = " a limited to [b, c]"]
pub const RONDO_CLAMP: rondo_ternary_op = 1;
#[doc = " a + c (b - a); f32 for integer and bool operands"]
pub const RONDO_LERP: rondo_ternary_op = 2;
pub type rondo_ternary_op = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " Name of an operator as messages, reports and traces have it (\"add\", \"gelu_tanh\"); NULL for a number that is none."]
    #[doc = " Static. Since 0.1."]
    pub fn rondo_unary_op_name(op: rondo_unary_op) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn rondo_binary_op_name(op: rondo_binary_op) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn rondo_ternary_op_name(op: rondo_ternary_op) -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " out = op(a), parameters at their defaults (RONDO_INVALID_ARGUMENT for an operator whose parameters have none). Since"]
    #[doc = " 0.1."]
    pub fn rondo_unary(op: rondo_unary_op, a: *mut rondo_tensor, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " The same with parameters, as many as the operator has: scalars of the dtype it computes in, float for f16 and bf16"]
    #[doc = " (rules as for rondo_binary_scalar). Another value compiles nothing. Since 0.1."]
    pub fn rondo_unary_with(
        op: rondo_unary_op,
        a: *mut rondo_tensor,
        n_parameters: i32,
        parameters: *const f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a op b, broadcast; parameters at their defaults. Since 0.1."]
    pub fn rondo_binary(
        op: rondo_binary_op,
        a: *mut rondo_tensor,
        b: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same with parameters, as in rondo_unary_with. Since 0.1."]
    pub fn rondo_binary_with(
        op: rondo_binary_op,
        a: *mut rondo_tensor,
        b: *mut rondo_tensor,
        n_parameters: i32,
        parameters: *const f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = op(a, b, c), broadcast. Since 0.1."]
    pub fn rondo_ternary(
        op: rondo_ternary_op,
        a: *mut rondo_tensor,
        b: *mut rondo_tensor,
        c: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = tensors[0] + tensors[1] + ... from the left, broadcast, in their common dtype with one rounding; n from 1"]
    #[doc = " to 16. Since 0.1."]
    pub fn rondo_add_n(n: i32, tensors: *const *mut rondo_tensor, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = a op scalar and out = scalar op a. The scalar takes a's dtype; for integer and bool tensors it must be a whole"]
    #[doc = " number that the dtype holds (RONDO_INVALID_ARGUMENT otherwise: cast the tensor first); for float tensors it is"]
    #[doc = " rounded once to the dtype. Operators that take integers as f32 take the scalar so with the tensor. Since 0.1."]
    pub fn rondo_binary_scalar(
        op: rondo_binary_op,
        a: *mut rondo_tensor,
        scalar: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    pub fn rondo_scalar_binary(
        op: rondo_binary_op,
        scalar: f64,
        a: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same for 64-bit integers beyond 2^53. Since 0.1."]
    pub fn rondo_binary_scalar_i64(
        op: rondo_binary_op,
        a: *mut rondo_tensor,
        scalar: i64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    pub fn rondo_scalar_binary_i64(
        op: rondo_binary_op,
        scalar: i64,
        a: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a * op(gate), broadcast, in the wider of their float dtypes, with one rounding: with RONDO_SILU SwiGLU, with"]
    #[doc = " RONDO_GELU or RONDO_GELU_TANH GEGLU, with RONDO_SIGMOID GLU (N. Shazeer, arXiv 2002.05202). op: any that gives"]
    #[doc = " floats, its parameters at their defaults (RONDO_INVALID_ARGUMENT for another one). Where one product made both, a and"]
    #[doc = " gate are views, halves of its last axis. out may be a or gate itself. Gradients: of both, by one task. One task."]
    #[doc = " Since 0.1."]
    pub fn rondo_gated(
        op: rondo_unary_op,
        a: *mut rondo_tensor,
        gate: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = condition ? a : b; condition bool, all three broadcast. Since 0.1."]
    pub fn rondo_where(
        condition: *mut rondo_tensor,
        a: *mut rondo_tensor,
        b: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a in another dtype, rounded once, to nearest even. Float to integer: toward zero, clamped to the range, NaN to"]
    #[doc = " 0; to bool: != 0. To an 8-bit float: what is larger than its largest number, infinities too, becomes that with its"]
    #[doc = " sign; NaN stays NaN. Since 0.1."]
    pub fn rondo_cast(a: *mut rondo_tensor, dtype: rondo_dtype, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " Every element of `tensor` becomes value (rules of scalars as above). Since 0.1."]
    pub fn rondo_fill(tensor: *mut rondo_tensor, value: f64) -> rondo_status;
}
extern "C" {
    #[doc = " Every element of `tensor` becomes value: the same for 64-bit integers beyond 2^53. Since 0.1."]
    pub fn rondo_fill_i64(tensor: *mut rondo_tensor, value: i64) -> rondo_status;
}
extern "C" {
    #[doc = " out = a: same dtype, a broadcast to *out if that is given; a contiguous copy otherwise. Devices may differ when *out"]
    #[doc = " is given. Since 0.1."]
    pub fn rondo_copy(a: *mut rondo_tensor, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " A contiguous copy on another device (the same is allowed). Since 0.1."]
    pub fn rondo_copy_to(a: *mut rondo_tensor, device: rondo_device, out: *mut *mut rondo_tensor) -> rondo_status;
}
#[doc = " integers and bool give i64, u64 and floats their dtype; pairwise; f16 and bf16 add up in float"]
pub const RONDO_SUM: rondo_reduce_op = 0;
#[doc = " integers and bool give f32; of nothing NaN"]
pub const RONDO_MEAN: rondo_reduce_op = 1;
#[doc = " NaN if any is NaN; of nothing RONDO_INVALID_ARGUMENT"]
pub const RONDO_MAX: rondo_reduce_op = 2;
#[doc = " NaN if any is NaN; of nothing RONDO_INVALID_ARGUMENT"]
pub const RONDO_MIN: rondo_reduce_op = 3;
#[doc = " i64, index over the reduced axes in row-major order; first of equals; first NaN wins"]
pub const RONDO_ARGMAX: rondo_reduce_op = 4;
pub const RONDO_ARGMIN: rondo_reduce_op = 5;
#[doc = " dtypes as RONDO_SUM"]
pub const RONDO_PROD: rondo_reduce_op = 6;
#[doc = " bool; of nothing 1"]
pub const RONDO_ALL: rondo_reduce_op = 7;
#[doc = " bool; of nothing 0"]
pub const RONDO_ANY: rondo_reduce_op = 8;
#[doc = " the sum of magnitudes"]
pub const RONDO_L1_NORM: rondo_reduce_op = 9;
#[doc = " the root of the sum of squares"]
pub const RONDO_L2_NORM: rondo_reduce_op = 10;
#[doc = " parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite"]
pub const RONDO_LP_NORM: rondo_reduce_op = 11;
#[doc = " parameters correction, default 0: squared distances from the mean, by n - correction"]
pub const RONDO_VAR: rondo_reduce_op = 12;
#[doc = " parameters correction, default 0: the root of RONDO_VAR"]
pub const RONDO_STD: rondo_reduce_op = 13;
#[doc = " the logarithm of the sum of exp(x), without overflow between; of nothing -infinity"]
pub const RONDO_LOGSUMEXP: rondo_reduce_op = 14;
#[doc = " NaN counts as 0"]
pub const RONDO_NANSUM: rondo_reduce_op = 15;
#[doc = " NaN counts as 1"]
pub const RONDO_NANPROD: rondo_reduce_op = 16;
pub type rondo_reduce_op = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " The operation's name, such as \"sum\"; NULL for a number that is none. Borrowed: static. Since 0.1."]
    pub fn rondo_reduce_op_name(op: rondo_reduce_op) -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " Reduces over n_axes axes (each once, negative counts from the end); n_axes 0 with axes NULL: all. keep_dims != 0"]
    #[doc = " keeps reduced axes with size 1. Results do not change between runs. Parameters are at their defaults. Since 0.1."]
    pub fn rondo_reduce(
        op: rondo_reduce_op,
        a: *mut rondo_tensor,
        n_axes: i32,
        axes: *const i32,
        keep_dims: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same with parameters, as many as the operation has. Since 0.1."]
    pub fn rondo_reduce_with(
        op: rondo_reduce_op,
        a: *mut rondo_tensor,
        n_axes: i32,
        axes: *const i32,
        keep_dims: i32,
        n_parameters: i32,
        parameters: *const f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[i] = the reduction of the elements 0 to i along one axis, or with reverse != 0 of i to the last. Shape as a's,"]
    #[doc = " dtype as rondo_reduce gives it; for the operations that combine elements and nothing more: sums, products, extremes,"]
    #[doc = " all, any, RONDO_L1_NORM, RONDO_LOGSUMEXP. Since 0.1."]
    pub fn rondo_cumulative(
        op: rondo_reduce_op,
        a: *mut rondo_tensor,
        axis: i32,
        reverse: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
pub const RONDO_ACTIVATION_NONE: rondo_activation = 0;
#[doc = " as RONDO_RELU: NaN for NaN"]
pub const RONDO_ACTIVATION_RELU: rondo_activation = 1;
#[doc = " NaN for NaN, -0 for -infinity"]
pub const RONDO_ACTIVATION_GELU: rondo_activation = 2;
#[doc = " limited to 0 ... 6: NaN for NaN"]
pub const RONDO_ACTIVATION_RELU6: rondo_activation = 3;
#[doc = " as RONDO_SILU: NaN for NaN, -0 for -infinity"]
pub const RONDO_ACTIVATION_SILU: rondo_activation = 4;
#[doc = " as RONDO_HARD_SWISH: NaN for NaN, -0 for -infinity"]
pub const RONDO_ACTIVATION_HARD_SWISH: rondo_activation = 5;
#[doc = " as RONDO_GELU, by the error function: NaN for NaN, -0 for -infinity"]
pub const RONDO_ACTIVATION_GELU_ERF: rondo_activation = 6;
#[doc = " What a matrix product or a convolution ends with. GELU is x / (1 + exp(-t)), t = sqrt(8/pi) (x + 0.044715 x^3), which"]
#[doc = " is the form with tanh. On every device its relative error for a given x is at most 8 (1 + |t|) units, a unit being"]
#[doc = " 2^-24 (computed in float) or 2^-53 (f64), where the result is a normal number, and before the one rounding to a"]
#[doc = " 16-bit dtype. SiLU is x / (1 + exp(-x)), within 8 units where exp(x) is a normal number. Hard swish is x times x / 6"]
#[doc = " + 1 / 2 limited to [0, 1]. RONDO_ACTIVATION_GELU is RONDO_GELU_TANH, and RONDO_ACTIVATION_GELU_ERF is RONDO_GELU."]
pub type rondo_activation = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_matmul_options {
    #[doc = " set by RONDO_MATMUL_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " use a with its last two axes exchanged"]
    pub transpose_a: i32,
    #[doc = " likewise b"]
    pub transpose_b: i32,
    #[doc = " NULL, or [n] of the dtype of the result: added to each row"]
    pub bias: *mut rondo_tensor,
    #[doc = " applied last, to the sum before it is rounded"]
    pub activation: rondo_activation,
    #[doc = " f32 on cuda may use TF32 tensor cores (10-bit mantissa products). Default 0: full f32"]
    pub allow_tf32: i32,
}
#[test]
fn bindgen_test_layout_rondo_matmul_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_matmul_options>(),
        32usize,
        concat!("Size of: ", stringify!(rondo_matmul_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_matmul_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_matmul_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_matmul_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_matmul_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_transpose_a() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_matmul_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).transpose_a) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_matmul_options), "::", stringify!(transpose_a))
        );
    }
    test_field_transpose_a();
    fn test_field_transpose_b() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_matmul_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).transpose_b) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_matmul_options), "::", stringify!(transpose_b))
        );
    }
    test_field_transpose_b();
    fn test_field_bias() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_matmul_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bias) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_matmul_options), "::", stringify!(bias))
        );
    }
    test_field_bias();
    fn test_field_activation() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_matmul_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).activation) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_matmul_options), "::", stringify!(activation))
        );
    }
    test_field_activation();
    fn test_field_allow_tf32() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_matmul_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).allow_tf32) as usize - ptr as usize
            },
            28usize,
            concat!("Offset of field: ", stringify!(rondo_matmul_options), "::", stringify!(allow_tf32))
        );
    }
    test_field_allow_tf32();
}
extern "C" {
    #[doc = " out[..., m, n] = activation(a[..., m, k] b[..., k, n] + bias). a and b have at least 2 dimensions and the same float"]
    #[doc = " dtype; leading axes broadcast. options NULL means RONDO_MATMUL_OPTIONS_INIT. k = 0 gives bias or zeros. 16-bit dtypes"]
    #[doc = " accumulate in float. Since 0.1."]
    pub fn rondo_matmul(
        a: *mut rondo_tensor,
        b: *mut rondo_tensor,
        options: *const rondo_matmul_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[..., m, n] = (a[..., m, k] - a_zero) (b[..., k, n] - b_zero): whole numbers, exact. a and b are u8 or i8, not"]
    #[doc = " necessarily the same, have at least 2 dimensions, and their leading axes broadcast; out is i32. Sums that i32 does"]
    #[doc = " not hold, of which there are none up to k = 33,025, are modulo 2^32. a_zero may be NULL, and b_zero may be NULL,"]
    #[doc = " which is 0; otherwise each is of its operand's dtype and broadcasts to it, a_zero with one column (one number, or one"]
    #[doc = " for each row), b_zero with one row. All devices and instruction sets give the same. There is no gradient. Since 0.1."]
    pub fn rondo_matmul_integer(
        a: *mut rondo_tensor,
        b: *mut rondo_tensor,
        a_zero: *mut rondo_tensor,
        b_zero: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = softmax(a) over one axis (negative counts from the end), shifted by the maximum. Since 0.1."]
    pub fn rondo_softmax(a: *mut rondo_tensor, axis: i32, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    pub fn rondo_log_softmax(a: *mut rondo_tensor, axis: i32, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = y * (dy - sum(y * dy)): gradient of softmax, y its result. Since 0.1."]
    pub fn rondo_softmax_grad(
        y: *mut rondo_tensor,
        dy: *mut rondo_tensor,
        axis: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
pub const RONDO_SOFTMAX: rondo_softmax_op = 0;
#[doc = " the logarithm of softmax"]
pub const RONDO_LOG_SOFTMAX: rondo_softmax_op = 1;
#[doc = " softmax of -a"]
pub const RONDO_SOFTMIN: rondo_softmax_op = 2;
pub type rondo_softmax_op = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " out = softmax(a / temperature) over one axis, its logarithm, or softmin. temperature is above 0 and finite. lengths"]
    #[doc = " is NULL, or of i32 or i64 and of a's shape without that axis: only so many elements of each row count, at least 0 and"]
    #[doc = " at most all; of the others, whatever they are, softmax is 0 and its logarithm -infinity. Since 0.1."]
    pub fn rondo_softmax_with(
        op: rondo_softmax_op,
        a: *mut rondo_tensor,
        axis: i32,
        temperature: f64,
        lengths: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The gradient of rondo_softmax_with, called the same way: y is its result, lengths may be NULL. 0 for elements that do"]
    #[doc = " not count. Since 0.1."]
    pub fn rondo_softmax_grad_with(
        op: rondo_softmax_op,
        y: *mut rondo_tensor,
        dy: *mut rondo_tensor,
        axis: i32,
        temperature: f64,
        lengths: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = (a - mean) / sqrt(variance + epsilon) * weight + bias over each row along one axis. weight may be NULL, and"]
    #[doc = " bias may be NULL; otherwise they are of a's dtype and [the axis's size]. Several axes: reshape first. 16-bit dtypes"]
    #[doc = " are computed in float. Since 0.1."]
    pub fn rondo_layer_norm(
        a: *mut rondo_tensor,
        axis: i32,
        weight: *mut rondo_tensor,
        bias: *mut rondo_tensor,
        epsilon: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a / sqrt(mean of a * a + epsilon) * weight. weight may be NULL, or is as for rondo_layer_norm. Since 0.1."]
    pub fn rondo_rms_norm(
        a: *mut rondo_tensor,
        axis: i32,
        weight: *mut rondo_tensor,
        epsilon: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[n] = -log_softmax(logits)[n, labels[n]]; logits [n, classes], labels [n] of i32 or i64. A label outside"]
    #[doc = " 0..classes-1 gives loss 0 and gradient 0 (an \"ignore\" label). Since 0.1."]
    pub fn rondo_cross_entropy(
        logits: *mut rondo_tensor,
        labels: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[n, classes] = (softmax(logits) - onehot(labels)) * scale: gradient for a loss that is scale times the sum of the"]
    #[doc = " rows' losses (scale = 1 / n for their mean). Since 0.1."]
    pub fn rondo_cross_entropy_grad(
        logits: *mut rondo_tensor,
        labels: *mut rondo_tensor,
        scale: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = uniform in [low, high) or normal(mean, deviation); shape and dtype as for rondo_tensor_create when *out is"]
    #[doc = " NULL, else those of *out and the arguments device, dtype, ndim, shape are ignored. Float dtypes. The numbers depend"]
    #[doc = " on the seed and on the order of random operators on that device, not on mode, eager or graph, or the device's kind"]
    #[doc = " (uniform: bit for bit). The dtype must hold low and high, and the one it is computed in high - low. low == high gives"]
    #[doc = " low everywhere. Since 0.1."]
    pub fn rondo_random_uniform(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        ndim: i32,
        shape: *const i64,
        low: f64,
        high: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    pub fn rondo_random_normal(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        ndim: i32,
        shape: *const i64,
        mean: f64,
        deviation: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out [n] = 0 to n - 1, each once, in a random order, of which each is as likely: dtype i32 or i64. If *out is given,"]
    #[doc = " device and dtype are its own. n is 0 or more. The order depends on what random numbers depend on, and is the same on"]
    #[doc = " every kind of device: it is that of n uniform numbers of f64, which are drawn and sorted. rondo_take with it shuffles"]
    #[doc = " a tensor. Since 0.1."]
    pub fn rondo_random_permutation(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        n: i64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " mask[i] = 1 with probability 1 - p; out = a * mask / (1 - p). mask is u8 of a's shape; p in [0, 1). Since 0.1."]
    pub fn rondo_dropout(
        a: *mut rondo_tensor,
        p: f64,
        out: *mut *mut rondo_tensor,
        mask: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = dy * mask / (1 - p). Since 0.1."]
    pub fn rondo_dropout_grad(
        dy: *mut rondo_tensor,
        mask: *mut rondo_tensor,
        p: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[..., depth] = 1 where the last index equals indices[...], else 0; indices i32 or i64; one outside gives zeros, or"]
    #[doc = " is an error where the engine checks (rondo_engine_options.check_indices). Since 0.1."]
    pub fn rondo_one_hot(
        indices: *mut rondo_tensor,
        depth: i64,
        dtype: rondo_dtype,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[i..., :] = table[indices[i...], :...]; indices i32 or i64. Negative indices count from the end; an index outside"]
    #[doc = " gives a row of zeros, or is an error where the engine checks (rondo_engine_options.check_indices). Since 0.1."]
    pub fn rondo_gather_rows(
        table: *mut rondo_tensor,
        indices: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " Which keys a query sees, and what becomes of scores. Query i's own place is key i, or with aligned_last the key as"]
#[doc = " far from the last one as the query is from the last query: i + keys - queries, by the lengths where there are any. It"]
#[doc = " sees the keys from `before` places before its own to `after` places behind, and of those what the mask leaves."]
#[doc = " Lengths below 0 count as 0, and above the shape's as that; what lies behind them is not read. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_attention_options {
    #[doc = " set by RONDO_ATTENTION_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " NULL, or what broadcasts to [batch, heads, queries, keys]: bool, where a key is seen;"]
    #[doc = "or of q's dtype, which is added to scores"]
    pub mask: *mut rondo_tensor,
    #[doc = " NULL, or [batch], i32: how many queries there are; those behind have rows of zeros"]
    pub query_lengths: *mut rondo_tensor,
    #[doc = " NULL, or [batch], i32: how many keys there are"]
    pub key_lengths: *mut rondo_tensor,
    #[doc = " of scores; finite. 0: 1 / sqrt(size of a head)"]
    pub scale: f64,
    #[doc = " scores become soft_cap * tanh(score / soft_cap), before the mask. 0: they do not"]
    pub soft_cap: f64,
    #[doc = " the share of each result's parts left out by chance, at least 0, less than 1"]
    pub dropout: f64,
    #[doc = " at least 0, or -1: all"]
    pub before: i64,
    #[doc = " at least 0, or -1: all"]
    pub after: i64,
    #[doc = " not 0: a query sees none behind its own place, whatever `after` is"]
    pub causal: i32,
    #[doc = " not 0: the last query's place is the last key; 0: the first one's is the first"]
    pub aligned_last: i32,
}
#[test]
fn bindgen_test_layout_rondo_attention_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_attention_options>(),
        80usize,
        concat!("Size of: ", stringify!(rondo_attention_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_attention_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_attention_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_mask() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).mask) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(mask))
        );
    }
    test_field_mask();
    fn test_field_query_lengths() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).query_lengths) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(query_lengths))
        );
    }
    test_field_query_lengths();
    fn test_field_key_lengths() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).key_lengths) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(key_lengths))
        );
    }
    test_field_key_lengths();
    fn test_field_scale() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).scale) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(scale))
        );
    }
    test_field_scale();
    fn test_field_soft_cap() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).soft_cap) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(soft_cap))
        );
    }
    test_field_soft_cap();
    fn test_field_dropout() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dropout) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(dropout))
        );
    }
    test_field_dropout();
    fn test_field_before() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).before) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(before))
        );
    }
    test_field_before();
    fn test_field_after() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).after) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(after))
        );
    }
    test_field_after();
    fn test_field_causal() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).causal) as usize - ptr as usize
            },
            72usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(causal))
        );
    }
    test_field_causal();
    fn test_field_aligned_last() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_attention_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).aligned_last) as usize - ptr as usize
            },
            76usize,
            concat!("Offset of field: ", stringify!(rondo_attention_options), "::", stringify!(aligned_last))
        );
    }
    test_field_aligned_last();
}
extern "C" {
    #[doc = " out = softmax(q k^T * scale, capped and masked) v for each head of each of the batch, without the scores ever being"]
    #[doc = " in memory. q is [batch, queries, heads, size], k and v are [batch, keys, key heads, size], of one float dtype, with"]
    #[doc = " any strides: views of one packed product serve as they are. Heads are a multiple of key heads, and neighbours share"]
    #[doc = " one; a head's size is 1 to 256. out has q's shape and may overlap nothing that is read. lse (may be NULL) is an out"]
    #[doc = " parameter like out: the logarithm of the sum of exp(scores), [batch, heads, queries], f64 for f64, else f32. A query"]
    #[doc = " that sees no key gets zeros and -infinity, and has gradients of zero. options (may be NULL) NULL means"]
    #[doc = " RONDO_ATTENTION_OPTIONS_INIT. 16-bit dtypes are computed in f32. Dropout draws"]
    #[doc = " from the device's random numbers; lse is without it. Sums are made in a fixed order: results do not change between"]
    #[doc = " runs. Gradients: of q, k and v, by out and lse, not of mask; of any order, but from the second on with scores in"]
    #[doc = " memory. One task. Since 0.1."]
    pub fn rondo_attention(
        q: *mut rondo_tensor,
        k: *mut rondo_tensor,
        v: *mut rondo_tensor,
        options: *const rondo_attention_options,
        out: *mut *mut rondo_tensor,
        lse: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " How rows are turned. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_rotary_options {
    #[doc = " set by RONDO_ROTARY_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " NULL: places along the axis are 0, 1, 2, ...; or i32 or i64 that broadcasts to x's shape"]
    #[doc = "without its last axis: of the axis' size along it, each row's position; of size 1 there,"]
    #[doc = "or without that axis, the position of the first place, from which the others count on"]
    pub positions: *mut rondo_tensor,
    #[doc = " of each row's how many turn, from the first on, an even number; 0: all"]
    pub channels: i64,
    #[doc = " the slowest pair turns by nearly 1 / base radians a position; finite, above 0"]
    pub base: f64,
    #[doc = " of x, along which places are; negative ones count from the end; not the last one"]
    pub axis: i32,
    #[doc = " not 0: a pair are channels 2 i and 2 i + 1; 0: channels i and i + channels / 2"]
    pub interleaved: i32,
    #[doc = " not 0: turns the other way, as the gradient does"]
    pub inverse: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_rotary_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_rotary_options>(),
        48usize,
        concat!("Size of: ", stringify!(rondo_rotary_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_rotary_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_rotary_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_positions() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).positions) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(positions))
        );
    }
    test_field_positions();
    fn test_field_channels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).channels) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(channels))
        );
    }
    test_field_channels();
    fn test_field_base() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).base) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(base))
        );
    }
    test_field_base();
    fn test_field_axis() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).axis) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(axis))
        );
    }
    test_field_axis();
    fn test_field_interleaved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).interleaved) as usize - ptr as usize
            },
            36usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(interleaved))
        );
    }
    test_field_interleaved();
    fn test_field_inverse() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).inverse) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(inverse))
        );
    }
    test_field_inverse();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_rotary_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            44usize,
            concat!("Offset of field: ", stringify!(rondo_rotary_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Rotary positions: out is x, [batch, places, heads, channels] or anything else with an axis of places before that of"]
    #[doc = " channels, with each pair (a, b) of channels turned to (a cos t - b sin t, a sin t + b cos t); for pair i of n, t is"]
    #[doc = " the row's position * base^(-i / n). x is of a float dtype and may have any strides, so queries and keys may be views"]
    #[doc = " of one packed product. out may be x itself; otherwise it may overlap nothing that is read. Channels that do not turn"]
    #[doc = " are those of x. 16-bit dtypes are computed in f32, and each result is rounded once. Angles are computed in f64: an"]
    #[doc = " f32 result is off by at most 2^-21 times the pair's length, however far the position; an f64 one by 2^-48 times that"]
    #[doc = " and 1 + |position|. Positions are read when the task runs, so a recorded graph goes on with what is written there"]
    #[doc = " between its launches. options (may be NULL) NULL means RONDO_ROTARY_OPTIONS_INIT. Gradients: of x, by turning the"]
    #[doc = " other way, of any order. One task. Since 0.1."]
    pub fn rondo_rotary(
        x: *mut rondo_tensor,
        options: *const rondo_rotary_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_cache_info {
    #[doc = " set by RONDO_CACHE_INFO_INIT"]
    pub size: usize,
    #[doc = " files in the folder now, of every process; 0 where there is none"]
    pub files: i64,
    #[doc = " of these files"]
    pub bytes: i64,
    #[doc = " bytes they are kept under (the setting RONDO_CACHE_MB)"]
    pub limit: i64,
    #[doc = " uses of kernels that this process had loaded; some may be missed where threads meet"]
    pub memory_hits: i64,
    #[doc = " kernels of this process that were found in the folder"]
    pub disk_hits: i64,
    #[doc = " those of them that could not have been compiled here: without NVRTC, or with one that"]
    #[doc = "does not know the device"]
    pub without_compiler: i64,
    #[doc = " kernels of this process that were compiled and are kept, or would be if they could, or"]
    #[doc = "if the program file that they are for were trusted"]
    pub compiled: i64,
    #[doc = " what that took, added up"]
    pub compile_ms: f64,
    #[doc = " files that were not what was written; removed, and the kernels compiled again"]
    pub damaged: i64,
    #[doc = " files that were not used: others may write them, they are links or cannot be read"]
    pub refused: i64,
    #[doc = " kernels that could not be kept; the log says why"]
    pub failed_writes: i64,
    #[doc = " files that this process removed because the folder was too large"]
    pub evicted: i64,
    #[doc = " choices that this process made by trying and timing, as none was kept: of an engine of"]
    #[doc = "cuDNN, whether two of them run side by side, and of the kernel of a product"]
    pub trials: i64,
}
#[test]
fn bindgen_test_layout_rondo_cache_info() {
    assert_eq!(::std::mem::size_of::<rondo_cache_info>(), 112usize, concat!("Size of: ", stringify!(rondo_cache_info)));
    assert_eq!(
        ::std::mem::align_of::<rondo_cache_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_cache_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_files() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).files) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(files))
        );
    }
    test_field_files();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
    fn test_field_limit() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).limit) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(limit))
        );
    }
    test_field_limit();
    fn test_field_memory_hits() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).memory_hits) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(memory_hits))
        );
    }
    test_field_memory_hits();
    fn test_field_disk_hits() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).disk_hits) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(disk_hits))
        );
    }
    test_field_disk_hits();
    fn test_field_without_compiler() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).without_compiler) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(without_compiler))
        );
    }
    test_field_without_compiler();
    fn test_field_compiled() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).compiled) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(compiled))
        );
    }
    test_field_compiled();
    fn test_field_compile_ms() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).compile_ms) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(compile_ms))
        );
    }
    test_field_compile_ms();
    fn test_field_damaged() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).damaged) as usize - ptr as usize
            },
            72usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(damaged))
        );
    }
    test_field_damaged();
    fn test_field_refused() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).refused) as usize - ptr as usize
            },
            80usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(refused))
        );
    }
    test_field_refused();
    fn test_field_failed_writes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).failed_writes) as usize - ptr as usize
            },
            88usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(failed_writes))
        );
    }
    test_field_failed_writes();
    fn test_field_evicted() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).evicted) as usize - ptr as usize
            },
            96usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(evicted))
        );
    }
    test_field_evicted();
    fn test_field_trials() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_cache_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).trials) as usize - ptr as usize
            },
            104usize,
            concat!("Offset of field: ", stringify!(rondo_cache_info), "::", stringify!(trials))
        );
    }
    test_field_trials();
}
extern "C" {
    #[doc = " Counts since the process began, and the folder as it is now, which is looked through. Since 0.1."]
    pub fn rondo_cache_query(info: *mut rondo_cache_info) -> rondo_status;
}
extern "C" {
    #[doc = " Writes the kept kernels into one file, for rondo_cache_import on another machine. `capability` is that of the devices"]
    #[doc = " they are for, 90 for 9.0; 0: all, with the choices among engines of cuDNN and among kernels of products. What is"]
    #[doc = " damaged or refused is left out. The file takes the place of a former one when it is complete and on the disk."]
    #[doc = " *kernels (may be NULL) receives how many there are in it, choices not counted. Blocks."]
    #[doc = " RONDO_INVALID_STATE where no kernels are kept at all, with the reason; RONDO_NOT_FOUND if there is nothing to write;"]
    #[doc = " RONDO_IO_ERROR if the file cannot be written. Since 0.1."]
    pub fn rondo_cache_export(path: *const ::std::os::raw::c_char, capability: i32, kernels: *mut i64) -> rondo_status;
}
extern "C" {
    #[doc = " Takes the kernels of such a file into the folder, so that operators use them where there is no NVRTC, or the same"]
    #[doc = " one. All of the file is checked before anything is taken: lengths, and a checksum of every kernel. That finds damage,"]
    #[doc = " not bad intent: a kernel is code, so import what comes from somebody whose programs you would run. *kernels (may be"]
    #[doc = " NULL) receives how many were not there before. Choices that are in it serve devices of the same name with"]
    #[doc = " the same driver and libraries, and take the place of those that were made there, so that results have the same bits"]
    #[doc = " as where the file comes from. Blocks."]
    #[doc = " RONDO_NOT_FOUND if there is no such file; RONDO_IO_ERROR if it cannot be read or is not valid, with the place and the"]
    #[doc = " reason, or if the folder cannot be written; RONDO_INVALID_STATE where no kernels are kept at all, or the file is"]
    #[doc = " larger than the folder may become. Since 0.1."]
    pub fn rondo_cache_import(path: *const ::std::os::raw::c_char, kernels: *mut i64) -> rondo_status;
}
#[doc = " Receives that kernels are being compiled, for a second by now or probably for more than one. `kernel`: one that is"]
#[doc = " being compiled, valid during the call; NULL in the last call, when none is any more. `done`: kernels that were"]
#[doc = " compiled since it began; `known`: those and the ones that are known to be needed. A graph knows its tasks, which may"]
#[doc = " share kernels, so it can become less. `seconds`: since it began. Called from a thread of Rondo's own, about once a"]
#[doc = " second, one call at a time; must not call Rondo."]
pub type rondo_compile_progress_fn = ::std::option::Option<
    unsafe extern "C" fn(
        arg: *mut ::std::os::raw::c_void,
        kernel: *const ::std::os::raw::c_char,
        done: i64,
        known: i64,
        seconds: f64,
    ),
>;
extern "C" {
    #[doc = " Has `fn` told of long times of compiling, in this process, by any engine. fn NULL: nobody. `destroy` (may be NULL) is"]
    #[doc = " called with arg when the function is replaced; it is not running any more then. Since 0.1."]
    pub fn rondo_set_compile_progress(
        fn_: rondo_compile_progress_fn,
        arg: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_callable {
    _unused: [u8; 0],
}
#[doc = " Issues operators on n_inputs tensors. inputs: borrowed, valid during the call, only read; rondo_tensor_destroy leaves"]
#[doc = " them alone, and the call fails with RONDO_USER_ERROR. outputs: holds NULL, and is given n_outputs tensors, which pass"]
#[doc = " to Rondo: new ones, or views of tensors, each a handle of its own. Called in a recording on the thread that calls the"]
#[doc = " callable; eagerly where that cannot be recorded and is to fall back. Must not throw, nor wait for what it makes."]
#[doc = " Returns RONDO_OK, or a status that the call fails with. It may call callables, itself too, RONDO_MAX_NESTED deep"]
#[doc = " (control.h)."]
pub type rondo_callable_fn = ::std::option::Option<
    unsafe extern "C" fn(
        arg: *mut ::std::os::raw::c_void,
        n_inputs: i32,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        outputs: *mut *mut rondo_tensor,
    ) -> rondo_status,
>;
pub const RONDO_CALLABLE_DEFAULT: rondo_callable_flags = 0;
#[doc = " what cannot be recorded runs eagerly, with the same results; rondo_callable_report"]
#[doc = "says why. Without it, the call fails"]
pub const RONDO_CALLABLE_FALL_BACK: rondo_callable_flags = 1;
#[doc = " graphs are recorded with RONDO_RECORD_AS_WRITTEN"]
pub const RONDO_CALLABLE_AS_WRITTEN: rondo_callable_flags = 2;
#[doc = " graphs are recorded with RONDO_RECORD_FEWER_ROUNDINGS"]
pub const RONDO_CALLABLE_FEWER_ROUNDINGS: rondo_callable_flags = 4;
pub type rondo_callable_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_callable_options {
    #[doc = " set by RONDO_CALLABLE_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " for messages, reports and traces; copied; NULL: \"callable\""]
    pub name: *const ::std::os::raw::c_char,
    #[doc = " of memory for graphs together, temporaries included; 0: 256 MiB"]
    pub limit_bytes: i64,
    #[doc = " rondo_callable_flags"]
    pub flags: u32,
    #[doc = " that inputs are filled up on, from 0"]
    pub pad_axis: i32,
    #[doc = " the axis is filled up with zeros to the next of these, and outputs are"]
    #[doc = "cut back; a longer one stays as it is. Ascending; 0 ends them"]
    pub pad_sizes: [i64; 16usize],
    #[doc = " inputs that have the axis, as a mask; 0: all with so many axes"]
    pub pad_inputs: u64,
    #[doc = " outputs that have it; 0: all in which it has the size that was filled up to"]
    pub pad_outputs: u64,
    #[doc = " how many calls of one signature may overlap, as of rondo_record_options; 1 to 64; 0: 1"]
    pub arenas: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_callable_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_callable_options>(),
        184usize,
        concat!("Size of: ", stringify!(rondo_callable_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_callable_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_callable_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(name))
        );
    }
    test_field_name();
    fn test_field_limit_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).limit_bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(limit_bytes))
        );
    }
    test_field_limit_bytes();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(flags))
        );
    }
    test_field_flags();
    fn test_field_pad_axis() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pad_axis) as usize - ptr as usize
            },
            28usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(pad_axis))
        );
    }
    test_field_pad_axis();
    fn test_field_pad_sizes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pad_sizes) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(pad_sizes))
        );
    }
    test_field_pad_sizes();
    fn test_field_pad_inputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pad_inputs) as usize - ptr as usize
            },
            160usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(pad_inputs))
        );
    }
    test_field_pad_inputs();
    fn test_field_pad_outputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).pad_outputs) as usize - ptr as usize
            },
            168usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(pad_outputs))
        );
    }
    test_field_pad_outputs();
    fn test_field_arenas() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).arenas) as usize - ptr as usize
            },
            176usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(arenas))
        );
    }
    test_field_arenas();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            180usize,
            concat!("Offset of field: ", stringify!(rondo_callable_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Makes a callable of a function that leaves n_outputs tensors, 1 or more. options NULL means"]
    #[doc = " RONDO_CALLABLE_OPTIONS_INIT. fn keeps what it needs in arg; destroy(arg), which may be NULL, is called once, when"]
    #[doc = " neither the handle nor a call needs it, also if this fails. The caller owns *callable. RONDO_INVALID_ARGUMENT names"]
    #[doc = " what does not fit. Since 0.1."]
    pub fn rondo_callable_create(
        engine: *mut rondo_engine,
        n_outputs: i32,
        options: *const rondo_callable_options,
        fn_: rondo_callable_fn,
        arg: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
        callable: *mut *mut rondo_callable,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Calls it. From any thread, any number of them at once. Does not wait for devices; the first call of a signature"]
    #[doc = " records and compiles, and other calls of that signature wait for it."]
    #[doc = ""]
    #[doc = " inputs: n_inputs tensors of the callable's engine that were written, of any shapes and strides; what no order of axes"]
    #[doc = " makes row-major, or does not begin where kernels count on, is copied. outputs: n_outputs slots; one that holds NULL"]
    #[doc = " gets a new tensor, which the caller owns, one that holds a tensor is written, as by rondo_graph_call. On failure no"]
    #[doc = " slot is changed."]
    #[doc = ""]
    #[doc = " In a recording the function is called, and its operators are recorded as any others. Inside a task only what was"]
    #[doc = " recorded already can be called (RONDO_INVALID_STATE). If the function fails, that is the call's failure;"]
    #[doc = " RONDO_USER_ERROR if it leaves no tensor, or an input's handle, in a slot, or was to destroy an input."]
    #[doc = " RONDO_INVALID_STATE where functions nest deeper than RONDO_MAX_NESTED. RONDO_OUT_OF_MEMORY also if the host had none"]
    #[doc = " left to note what a gradient needs; then nothing of the recording is kept, and the next call records anew. Since 0.1."]
    pub fn rondo_callable_call(
        callable: *mut rondo_callable,
        n_inputs: i32,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        outputs: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Lets go of all graphs; calls in flight and tapes keep what they need. Later calls record anew. Since 0.1."]
    pub fn rondo_callable_clear(callable: *mut rondo_callable) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the handle. Never blocks; calls in flight finish first. NULL is allowed. Since 0.1."]
    pub fn rondo_callable_destroy(callable: *mut rondo_callable);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_callable_info {
    #[doc = " set by RONDO_CALLABLE_INFO_INIT"]
    pub size: usize,
    #[doc = " that there are now"]
    pub signatures: i64,
    #[doc = " memory of their graphs, gradients' included, on devices and about that of the host"]
    pub bytes: i64,
    #[doc = " that they may take; the graph called last stays even if it alone takes more"]
    pub limit_bytes: i64,
    #[doc = " so far, failed ones and those in recordings too"]
    pub calls: i64,
    #[doc = " of which found a graph"]
    pub hits: i64,
    #[doc = " of which recorded one"]
    pub recordings: i64,
    #[doc = " of which ran eagerly for want of one"]
    pub fallbacks: i64,
    #[doc = " signatures that have gone for want of room"]
    pub evictions: i64,
}
#[test]
fn bindgen_test_layout_rondo_callable_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_callable_info>(),
        72usize,
        concat!("Size of: ", stringify!(rondo_callable_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_callable_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_callable_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_signatures() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).signatures) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(signatures))
        );
    }
    test_field_signatures();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
    fn test_field_limit_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).limit_bytes) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(limit_bytes))
        );
    }
    test_field_limit_bytes();
    fn test_field_calls() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).calls) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(calls))
        );
    }
    test_field_calls();
    fn test_field_hits() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).hits) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(hits))
        );
    }
    test_field_hits();
    fn test_field_recordings() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).recordings) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(recordings))
        );
    }
    test_field_recordings();
    fn test_field_fallbacks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).fallbacks) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(fallbacks))
        );
    }
    test_field_fallbacks();
    fn test_field_evictions() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_callable_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).evictions) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_callable_info), "::", stringify!(evictions))
        );
    }
    test_field_evictions();
}
extern "C" {
    #[doc = " Figures of a callable. Since 0.1."]
    pub fn rondo_callable_query(callable: *mut rondo_callable, info: *mut rondo_callable_info) -> rondo_status;
}
extern "C" {
    #[doc = " Writes a report for people: the figures, each signature with its calls and bytes, and why what runs eagerly was not"]
    #[doc = " recorded. Writes at most capacity bytes with the final zero; *length is the whole length without it (buffer may be"]
    #[doc = " NULL with capacity 0). Since 0.1."]
    pub fn rondo_callable_report(
        callable: *mut rondo_callable,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        length: *mut usize,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_comm {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_comm_options {
    #[doc = " set by RONDO_COMM_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " of this end, from 0; used where `ranks` is given"]
    pub rank: i32,
    #[doc = " ends in the group; 0: rank and ranks are taken from the environment"]
    pub ranks: i32,
    #[doc = " where they meet: \"host:port\" (rank 0 listens there), \"file:/path\"; NULL: the environment's"]
    pub address: *const ::std::os::raw::c_char,
    #[doc = " that all ranks know, and nobody else; \"none\"; NULL: the setting RONDO_SECRET"]
    pub secret: *const ::std::os::raw::c_char,
    #[doc = " for messages; copied; NULL: \"comm\""]
    pub name: *const ::std::os::raw::c_char,
    #[doc = " for meeting, and for each collective once it is issued; 0: 600000; -1: none"]
    pub time_limit_ms: i64,
    #[doc = " cuda: most blocks (thus multiprocessors) a collective may take; 0: the library's choice"]
    pub max_blocks: i64,
}
#[test]
fn bindgen_test_layout_rondo_comm_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_comm_options>(),
        56usize,
        concat!("Size of: ", stringify!(rondo_comm_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_comm_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_comm_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(rank))
        );
    }
    test_field_rank();
    fn test_field_ranks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ranks) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(ranks))
        );
    }
    test_field_ranks();
    fn test_field_address() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).address) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(address))
        );
    }
    test_field_address();
    fn test_field_secret() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).secret) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(secret))
        );
    }
    test_field_secret();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(name))
        );
    }
    test_field_name();
    fn test_field_time_limit_ms() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).time_limit_ms) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(time_limit_ms))
        );
    }
    test_field_time_limit_ms();
    fn test_field_max_blocks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).max_blocks) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_comm_options), "::", stringify!(max_blocks))
        );
    }
    test_field_max_blocks();
}
extern "C" {
    #[doc = " Creates the ends of a group for n devices of this process, one each, in one call: rank i is on devices[i]. Either all"]
    #[doc = " are cuda devices, no two the same, or all are cpu:0. Of the options only time_limit_ms, name and max_blocks may be"]
    #[doc = " set. The caller owns comms[0..n). Blocks until all are connected. RONDO_LIBRARY_MISSING without NCCL."]
    #[doc = ""]
    #[doc = " Each rank should have a thread. A thread that submits for several cuda ranks in an engine of RONDO_ENGINE_ASYNC may"]
    #[doc = " stall where a kernel is used for the first time between their calls: loading it waits for a GPU whose collective"]
    #[doc = " waits for the next rank's call, until the time limit ends it. RONDO_ENGINE_THREADED has no such wait. Since 0.1."]
    pub fn rondo_comm_create_all(
        engine: *mut rondo_engine,
        devices: *const rondo_device,
        n: i32,
        options: *const rondo_comm_options,
        comms: *mut *mut rondo_comm,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Gives up the caller's end; NULL is allowed. Never blocks: work in flight is finished first, graphs that hold"]
    #[doc = " collectives of it stay valid and keep it until they are destroyed. Other ranks see that this one has left only when"]
    #[doc = " they use the group further. Since 0.1."]
    pub fn rondo_comm_destroy(comm: *mut rondo_comm);
}
extern "C" {
    #[doc = " Splits a group by colour: ends that give the same colour form a new group, ranked by key, then by rank. colours[i]"]
    #[doc = " and keys[i] (NULL: all 0) are for comms[i]; a negative colour joins none, and made[i] becomes NULL. All ends of the"]
    #[doc = " group must call it, those of one process or thread that were made together in one call (n = 1 where each has its"]
    #[doc = " own). Blocks until all have. The caller owns made[0..n). Inside a task or a recording: RONDO_INVALID_STATE. Since"]
    #[doc = " 0.1."]
    pub fn rondo_comm_split(
        comms: *const *mut rondo_comm,
        n: i32,
        colours: *const i32,
        keys: *const i32,
        made: *mut *mut rondo_comm,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Makes a group of the ranks that are left of a failed one, in their order. All of them must call it, as for"]
    #[doc = " rondo_comm_split. A rank that does not come within the time limit counts as lost. The old ends are the caller's"]
    #[doc = " still. RONDO_INVALID_STATE where nothing has failed. Since 0.1."]
    pub fn rondo_comm_reform(comms: *const *mut rondo_comm, n: i32, made: *mut *mut rondo_comm) -> rondo_status;
}
extern "C" {
    #[doc = " Ends what is under way on the group, here and on every other rank, where it fails with `reason` (copied; NULL:"]
    #[doc = " \"aborted\"). Never blocks. Since 0.1."]
    pub fn rondo_comm_abort(comm: *mut rondo_comm, reason: *const ::std::os::raw::c_char) -> rondo_status;
}
pub const RONDO_COMM_WORKING: rondo_comm_state = 0;
#[doc = " a rank lost, a time limit over, aborted, or an error of the library"]
pub const RONDO_COMM_FAILED: rondo_comm_state = 1;
pub type rondo_comm_state = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_comm_info {
    #[doc = " set by RONDO_COMM_INFO_INIT"]
    pub size: usize,
    pub rank: i32,
    pub ranks: i32,
    pub device: rondo_device,
    pub state: rondo_comm_state,
    #[doc = " of the library that moves the data: NCCL's number (23007 is 2.30.7); 0: Rondo's own sockets"]
    pub version: i32,
    #[doc = " collectives ordered so far, a graph's launch counting its own"]
    pub submitted: i64,
    #[doc = " \"nccl\", \"peer\" (kernels of Rondo's own), \"peer, nccl\" (both), \"host\"; static"]
    pub transport: *const ::std::os::raw::c_char,
}
#[test]
fn bindgen_test_layout_rondo_comm_info() {
    assert_eq!(::std::mem::size_of::<rondo_comm_info>(), 48usize, concat!("Size of: ", stringify!(rondo_comm_info)));
    assert_eq!(
        ::std::mem::align_of::<rondo_comm_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_comm_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(rank))
        );
    }
    test_field_rank();
    fn test_field_ranks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ranks) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(ranks))
        );
    }
    test_field_ranks();
    fn test_field_device() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(device))
        );
    }
    test_field_device();
    fn test_field_state() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).state) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(state))
        );
    }
    test_field_state();
    fn test_field_version() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).version) as usize - ptr as usize
            },
            28usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(version))
        );
    }
    test_field_version();
    fn test_field_submitted() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).submitted) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(submitted))
        );
    }
    test_field_submitted();
    fn test_field_transport() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).transport) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_comm_info), "::", stringify!(transport))
        );
    }
    test_field_transport();
}
extern "C" {
    #[doc = " Facts. Never blocks. Since 0.1."]
    pub fn rondo_comm_query(comm: *mut rondo_comm, info: *mut rondo_comm_info) -> rondo_status;
}
extern "C" {
    #[doc = " RONDO_OK while the group works, else the cause of its failure. Never blocks: a thread of Rondo's looks. Since 0.1."]
    pub fn rondo_comm_check(comm: *mut rondo_comm) -> rondo_status;
}
extern "C" {
    #[doc = " Blocks until all collectives submitted on this end are done, on the device too; their first failure. Inside a task:"]
    #[doc = " RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_comm_wait(comm: *mut rondo_comm) -> rondo_status;
}
extern "C" {
    #[doc = " *out = the reduction of all ranks' inputs, the same on every rank; it may be input itself. Since 0.1."]
    pub fn rondo_comm_all_reduce(
        comm: *mut rondo_comm,
        input: *mut rondo_tensor,
        reduction: rondo_reduce_op,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " *out = the inputs of all ranks one after the other along the first dimension; of a tensor of 0 dimensions, a vector."]
    #[doc = " Since 0.1."]
    pub fn rondo_comm_all_gather(
        comm: *mut rondo_comm,
        input: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " *out = this rank's part of the reduction; parts divide the first dimension, which must be a multiple of the number of"]
    #[doc = " ranks. Since 0.1."]
    pub fn rondo_comm_reduce_scatter(
        comm: *mut rondo_comm,
        input: *mut rondo_tensor,
        reduction: rondo_reduce_op,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " tensor becomes what it is on rank `root`. Since 0.1."]
    pub fn rondo_comm_broadcast(comm: *mut rondo_comm, tensor: *mut rondo_tensor, root: i32) -> rondo_status;
}
extern "C" {
    #[doc = " On rank `root`, *out = the reduction of all ranks' inputs; it may be input itself. On the others out may be NULL, and"]
    #[doc = " *out is untouched. Since 0.1."]
    pub fn rondo_comm_reduce(
        comm: *mut rondo_comm,
        input: *mut rondo_tensor,
        reduction: rondo_reduce_op,
        root: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Part i of input (along the first dimension, a multiple of the number of ranks) goes to rank i; *out = the parts that"]
    #[doc = " came, in the order of ranks. Must not be input itself. Since 0.1."]
    pub fn rondo_comm_all_to_all(
        comm: *mut rondo_comm,
        input: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Sends the contents of tensor to rank `peer`, which must receive as many elements of the dtype. Since 0.1."]
    pub fn rondo_comm_send(comm: *mut rondo_comm, tensor: *mut rondo_tensor, peer: i32) -> rondo_status;
}
extern "C" {
    #[doc = " tensor becomes what rank `peer` sends. Since 0.1."]
    pub fn rondo_comm_receive(comm: *mut rondo_comm, tensor: *mut rondo_tensor, peer: i32) -> rondo_status;
}
extern "C" {
    #[doc = " A collective without data: done when every rank's is. The host waits for it by rondo_comm_wait. Since 0.1."]
    pub fn rondo_comm_barrier(comm: *mut rondo_comm) -> rondo_status;
}
extern "C" {
    #[doc = " From here to rondo_comm_group_end the calling thread's collectives on comm are kept, and become one task there, whose"]
    #[doc = " parts run together: sends and receives that cross need it. What one of them writes, no other of the group may use."]
    #[doc = " Since 0.1."]
    pub fn rondo_comm_group_begin(comm: *mut rondo_comm) -> rondo_status;
}
extern "C" {
    #[doc = " Submits the group. If one of its calls had failed, none is submitted, and that status comes back. Since 0.1."]
    pub fn rondo_comm_group_end(comm: *mut rondo_comm) -> rondo_status;
}
#[doc = " Issues the operators of a body. argument: as it was given."]
pub type rondo_body_fn =
    ::std::option::Option<unsafe extern "C" fn(argument: *mut ::std::os::raw::c_void) -> rondo_status>;
extern "C" {
    #[doc = " Runs then_body if the condition is true, else else_body, which may be NULL: then nothing."]
    #[doc = " condition: one element of dtype bool, of any shape, on any device of the engine; it was written. argument is handed"]
    #[doc = " to the functions. Outside of a recording it waits for the condition, so it is RONDO_INVALID_STATE inside a task; an"]
    #[doc = " open tape notes the body that runs. In a recording while a tape is open on the thread: RONDO_UNSUPPORTED."]
    #[doc = " RONDO_INVALID_ARGUMENT names what does not fit. Since 0.1."]
    pub fn rondo_if(
        engine: *mut rondo_engine,
        condition: *mut rondo_tensor,
        then_body: rondo_body_fn,
        else_body: rondo_body_fn,
        argument: *mut ::std::os::raw::c_void,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Runs the body as long as the condition is true, which is looked at before each turn and which the body writes."]
    #[doc = " limit: the most turns; 0: none, and then a recorded body must write the condition (RONDO_INVALID_ARGUMENT). Outside"]
    #[doc = " of a recording the function is called in each turn. An engine ends after its loops. Otherwise as rondo_if. Since 0.1."]
    pub fn rondo_while(
        engine: *mut rondo_engine,
        condition: *mut rondo_tensor,
        body: rondo_body_fn,
        limit: i64,
        argument: *mut ::std::os::raw::c_void,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Runs bodies[i], i the index: one element of dtype i32 or i64. None if it is negative or not less than n_bodies."]
    #[doc = " bodies: n_bodies functions, 1 to 4096, none NULL; bodies[i] is given arguments[i], or NULL where arguments is NULL."]
    #[doc = " Otherwise as rondo_if. Since 0.1."]
    pub fn rondo_switch(
        engine: *mut rondo_engine,
        index: *mut rondo_tensor,
        n_bodies: i32,
        bodies: *const rondo_body_fn,
        arguments: *const *mut ::std::os::raw::c_void,
    ) -> rondo_status;
}
#[doc = " Numbers by spatial axis: entries behind the last one of x are ignored. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_convolution_options {
    #[doc = " set by RONDO_CONVOLUTION_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " from one place of the kernel to the next"]
    pub stride: [i64; 3usize],
    #[doc = " zeros before the first element"]
    pub padding: [i64; 3usize],
    #[doc = " zeros behind the last one; -1: as many as padding"]
    pub padding_end: [i64; 3usize],
    #[doc = " from one element of the kernel to the next"]
    pub dilation: [i64; 3usize],
    #[doc = " transposed only: by how much the result is larger at its end"]
    pub output_padding: [i64; 3usize],
    #[doc = " channels in so many parts, each with kernels of its own"]
    pub groups: i64,
    #[doc = " the other way round: see rondo_convolution"]
    pub transposed: i32,
    #[doc = " applied last, to the sum before it is rounded"]
    pub activation: rondo_activation,
    #[doc = " NULL, or [k]: what each channel of the sum is multiplied by"]
    pub scale: *mut rondo_tensor,
    #[doc = " NULL, or [k]: added to each channel then"]
    pub bias: *mut rondo_tensor,
    #[doc = " NULL, or of the result's shape: added before the activation"]
    pub residual: *mut rondo_tensor,
    #[doc = " f32 on cuda may use TF32 tensor cores (10-bit mantissa products). Default 0: full f32"]
    pub allow_tf32: i32,
    #[doc = " libraries may only use what gives the same bits in each run"]
    pub deterministic: i32,
}
#[test]
fn bindgen_test_layout_rondo_convolution_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_convolution_options>(),
        176usize,
        concat!("Size of: ", stringify!(rondo_convolution_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_convolution_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_convolution_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_stride() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stride) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(stride))
        );
    }
    test_field_stride();
    fn test_field_padding() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).padding) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(padding))
        );
    }
    test_field_padding();
    fn test_field_padding_end() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).padding_end) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(padding_end))
        );
    }
    test_field_padding_end();
    fn test_field_dilation() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dilation) as usize - ptr as usize
            },
            80usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(dilation))
        );
    }
    test_field_dilation();
    fn test_field_output_padding() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).output_padding) as usize - ptr as usize
            },
            104usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(output_padding))
        );
    }
    test_field_output_padding();
    fn test_field_groups() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).groups) as usize - ptr as usize
            },
            128usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(groups))
        );
    }
    test_field_groups();
    fn test_field_transposed() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).transposed) as usize - ptr as usize
            },
            136usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(transposed))
        );
    }
    test_field_transposed();
    fn test_field_activation() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).activation) as usize - ptr as usize
            },
            140usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(activation))
        );
    }
    test_field_activation();
    fn test_field_scale() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).scale) as usize - ptr as usize
            },
            144usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(scale))
        );
    }
    test_field_scale();
    fn test_field_bias() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bias) as usize - ptr as usize
            },
            152usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(bias))
        );
    }
    test_field_bias();
    fn test_field_residual() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).residual) as usize - ptr as usize
            },
            160usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(residual))
        );
    }
    test_field_residual();
    fn test_field_allow_tf32() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).allow_tf32) as usize - ptr as usize
            },
            168usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(allow_tf32))
        );
    }
    test_field_allow_tf32();
    fn test_field_deterministic() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_convolution_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).deterministic) as usize - ptr as usize
            },
            172usize,
            concat!("Offset of field: ", stringify!(rondo_convolution_options), "::", stringify!(deterministic))
        );
    }
    test_field_deterministic();
}
extern "C" {
    #[doc = " out = activation(convolution of x with w * scale + bias + residual), where the convolution is the sum over channels c"]
    #[doc = " and elements r of the kernel of x[n, c, o stride + r dilation - padding] w[k, c, r], o being a place of the result."]
    #[doc = " The result has (size + padding + padding_end - dilation (kernel - 1) - 1) / stride + 1 places on each axis, rounded"]
    #[doc = " down. With as many groups as channels it is depthwise. options NULL means RONDO_CONVOLUTION_OPTIONS_INIT."]
    #[doc = ""]
    #[doc = " Transposed, w is [c, k / groups, kernel...], x stands where the result stood, and each of its elements adds w to the"]
    #[doc = " places that it was made of: the gradient with respect to x of the convolution with the same w and options. The result"]
    #[doc = " has (size - 1) stride - padding - padding_end + dilation (kernel - 1) + 1 + output_padding places; output_padding,"]
    #[doc = " less than the stride, names one of the sizes that give x."]
    #[doc = ""]
    #[doc = " RONDO_INVALID_ARGUMENT for shapes that do not go together, a kernel larger than the padded x, strides or dilations"]
    #[doc = " below 1. Gradients: of all operands. Since 0.1."]
    pub fn rondo_convolution(
        x: *mut rondo_tensor,
        w: *mut rondo_tensor,
        options: *const rondo_convolution_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = the gradient with respect to w of rondo_convolution(x, w, options), given that of its result, dy, before scale,"]
    #[doc = " bias, residual and activation, which options must not have. out has w's shape, of which `kernel_shape` is the n"]
    #[doc = " spatial sizes. Since 0.1."]
    pub fn rondo_convolution_filter_grad(
        x: *mut rondo_tensor,
        dy: *mut rondo_tensor,
        n: i32,
        kernel_shape: *const i64,
        options: *const rondo_convolution_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_buckets {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_buckets_options {
    #[doc = " set by RONDO_BUCKETS_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " most bytes of a bucket, unless one gradient alone is larger; 0: 25 MiB"]
    pub bucket_bytes: i64,
    #[doc = " the same of the first and of the last bucket: the first starts the network early, and nothing"]
    #[doc = " hides the last; 0: 1 MiB, or bucket_bytes if that is less"]
    pub edge_bytes: i64,
    #[doc = " 1: gradients are added up over the ranks; 0: their mean"]
    pub sum: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_buckets_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_buckets_options>(),
        32usize,
        concat!("Size of: ", stringify!(rondo_buckets_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_buckets_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_buckets_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_bucket_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bucket_bytes) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_options), "::", stringify!(bucket_bytes))
        );
    }
    test_field_bucket_bytes();
    fn test_field_edge_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edge_bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_options), "::", stringify!(edge_bytes))
        );
    }
    test_field_edge_bytes();
    fn test_field_sum() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).sum) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_options), "::", stringify!(sum))
        );
    }
    test_field_sum();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            28usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Makes buckets for the gradients of n_parameters `parameters`, in the order in which the model uses them; the same on"]
    #[doc = " every rank. Float dtypes, contiguous, on the communicator's device; each once. Each gradient starts on 256 bytes of"]
    #[doc = " its bucket. The gradients are zero. options NULL means RONDO_BUCKETS_OPTIONS_INIT. The caller owns *buckets, which"]
    #[doc = " keeps the communicator. In a recording: RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_buckets_create(
        comm: *mut rondo_comm,
        n_parameters: i32,
        parameters: *const *mut rondo_tensor,
        options: *const rondo_buckets_options,
        buckets: *mut *mut rondo_buckets,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the buckets. Never blocks; work in flight and graphs go on. NULL is allowed. Since 0.1."]
    pub fn rondo_buckets_destroy(buckets: *mut rondo_buckets);
}
extern "C" {
    #[doc = " As rondo_tape_gradients with respect to the parameters, which the tape watches, into the buckets; each bucket is"]
    #[doc = " reduced over all ranks as soon as it is complete. Every rank does it alike. Does not wait: the gradients are ordered"]
    #[doc = " as any tensor. Errors as of rondo_tape_gradients and rondo_comm_all_reduce; when it fails on one rank only, abort the"]
    #[doc = " communicator, since the others wait. Since 0.1."]
    pub fn rondo_buckets_reduce(
        buckets: *mut rondo_buckets,
        tape: *mut rondo_tape,
        n_outputs: i32,
        outputs: *const *mut rondo_tensor,
        output_gradients: *const *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same, with the gradients of n_sources `sources` more from the same way back: tensors that the tape watches"]
    #[doc = " besides the parameters, such as what was looked up in tables, whose gradients the ranks gather (docs/collectives.md)."]
    #[doc = " They stay this rank's own, and are in no bucket. gradients[i] is in and out as of rondo_tape_gradients: NULL for a"]
    #[doc = " new tensor that the caller owns, or one to be written. Since 0.1."]
    pub fn rondo_buckets_reduce_with(
        buckets: *mut rondo_buckets,
        tape: *mut rondo_tape,
        n_outputs: i32,
        outputs: *const *mut rondo_tensor,
        output_gradients: *const *mut rondo_tensor,
        n_sources: i32,
        sources: *const *mut rondo_tensor,
        gradients: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The gradient of parameter `index`: a view of its bucket, of the parameter's shape and dtype. The caller owns"]
    #[doc = " *gradient. Since 0.1."]
    pub fn rondo_buckets_gradient(
        buckets: *mut rondo_buckets,
        index: i32,
        gradient: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_buckets_info {
    #[doc = " set by RONDO_BUCKETS_INFO_INIT"]
    pub size: usize,
    #[doc = " gradients in all buckets"]
    pub parameters: i32,
    pub buckets: i32,
    #[doc = " of all buckets, with what lies between gradients"]
    pub bytes: i64,
    #[doc = " of the largest"]
    pub largest_bytes: i64,
}
#[test]
fn bindgen_test_layout_rondo_buckets_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_buckets_info>(),
        32usize,
        concat!("Size of: ", stringify!(rondo_buckets_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_buckets_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_buckets_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_parameters() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parameters) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_info), "::", stringify!(parameters))
        );
    }
    test_field_parameters();
    fn test_field_buckets() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).buckets) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_info), "::", stringify!(buckets))
        );
    }
    test_field_buckets();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_info), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
    fn test_field_largest_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_buckets_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).largest_bytes) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_buckets_info), "::", stringify!(largest_bytes))
        );
    }
    test_field_largest_bytes();
}
extern "C" {
    #[doc = " Figures of the buckets. Never blocks. Since 0.1."]
    pub fn rondo_buckets_query(buckets: *mut rondo_buckets, info: *mut rondo_buckets_info) -> rondo_status;
}
extern "C" {
    #[doc = " Sets *count to the number of devices of a kind. RONDO_CPU is always 1. RONDO_CUDA: 0 when no driver or no device is"]
    #[doc = " found, which is not an error (rondo_feature(\"cuda\") says why). Loads the driver on first use; may block for some 100"]
    #[doc = " ms. Since 0.1."]
    pub fn rondo_device_count(kind: rondo_device_kind, count: *mut i32) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_device_info {
    #[doc = " set by RONDO_DEVICE_INFO_INIT"]
    pub size: usize,
    #[doc = " e.g. \"NVIDIA H200\", or the processor's name"]
    pub name: [::std::os::raw::c_char; 128usize],
    #[doc = " bytes"]
    pub total_memory: i64,
    #[doc = " bytes free now, as the system tells it"]
    pub free_memory: i64,
    #[doc = " cuda: 10 * major + minor of the compute capability, e.g. 90; cpu: 0"]
    pub capability: i32,
    #[doc = " multiprocessors of a GPU; cpu: hardware threads that this process may use"]
    pub processors: i32,
    #[doc = " cuda: CUDA version of the driver, e.g. 13000; cpu: 0"]
    pub driver: i32,
}
#[test]
fn bindgen_test_layout_rondo_device_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_device_info>(),
        168usize,
        concat!("Size of: ", stringify!(rondo_device_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_device_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_device_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_device_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_device_info), "::", stringify!(name))
        );
    }
    test_field_name();
    fn test_field_total_memory() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).total_memory) as usize - ptr as usize
            },
            136usize,
            concat!("Offset of field: ", stringify!(rondo_device_info), "::", stringify!(total_memory))
        );
    }
    test_field_total_memory();
    fn test_field_free_memory() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).free_memory) as usize - ptr as usize
            },
            144usize,
            concat!("Offset of field: ", stringify!(rondo_device_info), "::", stringify!(free_memory))
        );
    }
    test_field_free_memory();
    fn test_field_capability() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).capability) as usize - ptr as usize
            },
            152usize,
            concat!("Offset of field: ", stringify!(rondo_device_info), "::", stringify!(capability))
        );
    }
    test_field_capability();
    fn test_field_processors() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).processors) as usize - ptr as usize
            },
            156usize,
            concat!("Offset of field: ", stringify!(rondo_device_info), "::", stringify!(processors))
        );
    }
    test_field_processors();
    fn test_field_driver() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_device_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).driver) as usize - ptr as usize
            },
            160usize,
            concat!("Offset of field: ", stringify!(rondo_device_info), "::", stringify!(driver))
        );
    }
    test_field_driver();
}
extern "C" {
    #[doc = " Facts about one device. `info->size` must be set. RONDO_NOT_FOUND if there is no such device. Since 0.1."]
    pub fn rondo_device_query(device: rondo_device, info: *mut rondo_device_info) -> rondo_status;
}
extern "C" {
    #[doc = " The text \"cpu\", \"cpu:0\", \"cuda\", \"cuda:1\" to a device. Syntax only: whether the device exists is not checked. Since"]
    #[doc = " 0.1."]
    pub fn rondo_device_parse(text: *const ::std::os::raw::c_char, device: *mut rondo_device) -> rondo_status;
}
extern "C" {
    #[doc = " Writes \"cuda:0\" and the like, with the final zero, into buffer. RONDO_INVALID_ARGUMENT if capacity is too small (16"]
    #[doc = " is always enough) or the index is negative. Since 0.1."]
    pub fn rondo_device_format(
        device: rondo_device,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Size of one element in bytes; 0 for a number that is no dtype. Since 0.1."]
    pub fn rondo_dtype_size(dtype: rondo_dtype) -> usize;
}
extern "C" {
    #[doc = " \"f32\", \"bool\" ...; \"unknown\" for a number that is no dtype. Static. Since 0.1."]
    pub fn rondo_dtype_name(dtype: rondo_dtype) -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " Creates a tensor without contents: until something is written to it, a part of it is enough, whoever reads it is told"]
    #[doc = " RONDO_INVALID_STATE (rondo_tensor_accept has the details). shape may be NULL when ndim is 0. The caller owns *tensor."]
    #[doc = " Memory is taken at the first write to it, unless a recording is open, which plans it. RONDO_NOT_FOUND if the device"]
    #[doc = " does not exist, RONDO_LIBRARY_MISSING if its driver does not. Since 0.1."]
    pub fn rondo_tensor_create(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        ndim: i32,
        shape: *const i64,
        tensor: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Creates a tensor with a copy of row-major host data (as many bytes as the tensor has). The data may be reused as soon"]
    #[doc = " as the call returns. Not recorded: inside a recording it makes an ordinary tensor, an input of the graph. Since 0.1."]
    pub fn rondo_tensor_from_host(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        ndim: i32,
        shape: *const i64,
        data: *const ::std::os::raw::c_void,
        tensor: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the handle. Never blocks; safe with tasks in flight; memory goes back when the last task, view and graph"]
    #[doc = " that uses it is done. NULL is allowed. Since 0.1."]
    pub fn rondo_tensor_destroy(tensor: *mut rondo_tensor);
}
extern "C" {
    #[doc = " Replaces the contents with row-major host data of exactly `bytes` bytes (the size of the tensor). Ordered like any"]
    #[doc = " task that writes the tensor; the data may be reused as soon as the call returns. Not allowed while recording. Since"]
    #[doc = " 0.1."]
    pub fn rondo_tensor_write(
        tensor: *mut rondo_tensor,
        data: *const ::std::os::raw::c_void,
        bytes: usize,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Waits for the tensor's contents, as rondo_tensor_wait does, and copies them to data, row-major host memory of exactly"]
    #[doc = " `bytes` bytes. Views are gathered. Returns the tensor's error if it is poisoned, RONDO_INVALID_STATE if it was never"]
    #[doc = " written. Not allowed while recording or inside a task. Since 0.1."]
    pub fn rondo_tensor_read(
        tensor: *mut rondo_tensor,
        data: *mut ::std::os::raw::c_void,
        bytes: usize,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " From here on what is in the memory of the tensor's storage, of all its views, counts as written, whatever it is: an"]
    #[doc = " error is cleared, and a tensor that was never written may be read, as zeros. Changes no byte that was written."]
    #[doc = " Ordered like any task that writes the tensor, and kept by a recording like one. For whoever salvages what a failed"]
    #[doc = " task left, and for memory that is filled behind Rondo's back."]
    #[doc = ""]
    #[doc = " As written counts a tensor that a task was submitted to write (from the host, by an operator, by a user task that"]
    #[doc = " names it among its writes, by a graph's launch, in whole or through a view of a part), one from"]
    #[doc = " rondo_tensor_from_host or DLPack, and one whose address was asked for with rondo_tensor_data. Of any other these"]
    #[doc = " return RONDO_INVALID_STATE: rondo_tensor_read, the exports to DLPack, operators that have it as input or add to it,"]
    #[doc = " and, for what the graph reads before it writes it, rondo_graph_launch. A user task that names its variable among its"]
    #[doc = " reads runs. Since 0.1."]
    pub fn rondo_tensor_accept(tensor: *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " Blocks until the contents are there: every task submitted before that writes the tensor's storage has finished, on"]
    #[doc = " the device too. Tasks that read it may go on; rondo_variable_wait on its variable waits for them as well. Returns its"]
    #[doc = " error if it is poisoned. Inside a task: RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_tensor_wait(tensor: *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " The same, but blocks so many milliseconds at most; 0 asks only, -1 is no limit. RONDO_TIMED_OUT where the contents"]
    #[doc = " are not there by then, with the name of the task: it goes on, and may be waited for again. Since 0.1."]
    pub fn rondo_tensor_wait_for(tensor: *mut rondo_tensor, milliseconds: i64) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_tensor_info {
    #[doc = " set by RONDO_TENSOR_INFO_INIT"]
    pub size: usize,
    pub dtype: rondo_dtype,
    pub device: rondo_device,
    pub ndim: i32,
    #[doc = " 1 if row-major without gaps"]
    pub contiguous: i32,
    #[doc = " product of shape"]
    pub elements: i64,
    #[doc = " elements * size of dtype"]
    pub bytes: i64,
    pub shape: [i64; 8usize],
    #[doc = " in elements"]
    pub strides: [i64; 8usize],
}
#[test]
fn bindgen_test_layout_rondo_tensor_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_tensor_info>(),
        176usize,
        concat!("Size of: ", stringify!(rondo_tensor_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_tensor_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_tensor_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(dtype))
        );
    }
    test_field_dtype();
    fn test_field_device() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(device))
        );
    }
    test_field_device();
    fn test_field_ndim() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ndim) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(ndim))
        );
    }
    test_field_ndim();
    fn test_field_contiguous() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).contiguous) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(contiguous))
        );
    }
    test_field_contiguous();
    fn test_field_elements() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).elements) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(elements))
        );
    }
    test_field_elements();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
    fn test_field_shape() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).shape) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(shape))
        );
    }
    test_field_shape();
    fn test_field_strides() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).strides) as usize - ptr as usize
            },
            112usize,
            concat!("Offset of field: ", stringify!(rondo_tensor_info), "::", stringify!(strides))
        );
    }
    test_field_strides();
}
extern "C" {
    #[doc = " Facts about a tensor. Never blocks. Since 0.1."]
    pub fn rondo_tensor_query(tensor: *mut rondo_tensor, info: *mut rondo_tensor_info) -> rondo_status;
}
extern "C" {
    #[doc = " Address of the first element, in the device's address space, for use in user tasks. Takes memory if the tensor has"]
    #[doc = " none yet, which is zeroed first, and counts as a write: who has the address may fill it. Ordering is the caller's"]
    #[doc = " duty: use it inside a task that names rondo_tensor_variable(tensor), or give the tensor to the task"]
    #[doc = " (rondo_engine_push_tensors), which then asks for the address. Stays valid while the tensor lives. RONDO_INVALID_STATE"]
    #[doc = " for a tensor of an open recording and for a graph's temporary. Since 0.1."]
    pub fn rondo_tensor_data(tensor: *mut rondo_tensor, address: *mut *mut ::std::os::raw::c_void) -> rondo_status;
}
extern "C" {
    #[doc = " The variable of the tensor's storage, for rondo_engine_push. Borrowed: lives as long as the tensor; must not be"]
    #[doc = " destroyed. Since 0.1."]
    pub fn rondo_tensor_variable(tensor: *mut rondo_tensor, variable: *mut *mut rondo_variable) -> rondo_status;
}
extern "C" {
    #[doc = " Same elements in row-major order under another shape; one dimension may be -1. RONDO_INVALID_ARGUMENT if the strides"]
    #[doc = " do not allow it without a copy (copy it first with rondo_copy). Since 0.1."]
    pub fn rondo_tensor_reshape(
        tensor: *mut rondo_tensor,
        ndim: i32,
        shape: *const i64,
        view: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Elements start, start + step, ... before stop of one axis, as Python's slices: negative start and stop count from the"]
    #[doc = " end and are clamped; step may be negative (INT64_MIN / INT64_MAX as stop mean \"to the end\") but not 0, nor INT64_MIN"]
    #[doc = " (its size has no int64_t; -INT64_MAX steps as far). Since 0.1."]
    pub fn rondo_tensor_slice(
        tensor: *mut rondo_tensor,
        axis: i32,
        start: i64,
        stop: i64,
        step: i64,
        view: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Axes in another order; axes has ndim entries, NULL reverses them. Since 0.1."]
    pub fn rondo_tensor_transpose(
        tensor: *mut rondo_tensor,
        axes: *const i32,
        view: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The elements of some axes (each once, negative counts from the end) in reverse order, as NumPy's flip; n_axes 0 with"]
    #[doc = " axes NULL: of all. Since 0.1."]
    pub fn rondo_tensor_flip(
        tensor: *mut rondo_tensor,
        n_axes: i32,
        axes: *const i32,
        view: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The one with number `part`, from 0, of so many parts of an axis as `parts` says. Where the axis does not divide, the"]
    #[doc = " first ones have one element more, as NumPy's array_split; parts of chosen sizes are slices. Since 0.1."]
    pub fn rondo_tensor_split(
        tensor: *mut rondo_tensor,
        axis: i32,
        parts: i64,
        part: i64,
        view: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Shape by NumPy's broadcasting rules, repeated elements at stride 0. Read-only: an operator refuses it as output."]
    #[doc = " Since 0.1."]
    pub fn rondo_tensor_broadcast(
        tensor: *mut rondo_tensor,
        ndim: i32,
        shape: *const i64,
        view: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " A view that accumulates: an operator whose output it is adds to the elements instead of replacing them (in the"]
    #[doc = " compute dtype, one rounding). For gradients that sum. rondo_tensor_read and rondo_tensor_wait on it read and wait for"]
    #[doc = " the tensor; as an input of an operator, by rondo_tensor_write and by the export to DLPack it is refused. Tensors of"]
    #[doc = " bool and of 8-bit floats do not add: RONDO_INVALID_ARGUMENT. Since 0.1."]
    pub fn rondo_tensor_accumulator(tensor: *mut rondo_tensor, view: *mut *mut rondo_tensor) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLManagedTensor {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLManagedTensorVersioned {
    _unused: [u8; 0],
}
extern "C" {
    #[doc = " Hands the tensor out as *managed, without a copy. RONDO_INVALID_STATE if it was never written: fill it, or accept it"]
    #[doc = " (rondo_tensor_accept) for a consumer that will. On cuda, `stream` is made to wait on the device for the tasks that"]
    #[doc = " use the tensor so far (NULL: the call waits on the host); on cpu the call waits. The consumer may write; of a tensor"]
    #[doc = " that goes out as read-only only the tasks that write it are waited for. The consumer calls the deleter when done,"]
    #[doc = " from any thread; until then the memory lives. Later Rondo tasks do not wait for the consumer: order them yourself. A"]
    #[doc = " broadcast view, and memory that came in as read-only, goes out with the flag for read-only; version 0 has no such"]
    #[doc = " flag and refuses them. Since 0.1."]
    pub fn rondo_tensor_to_dlpack(
        tensor: *mut rondo_tensor,
        stream: *mut ::std::os::raw::c_void,
        managed: *mut *mut DLManagedTensorVersioned,
    ) -> rondo_status;
}
extern "C" {
    pub fn rondo_tensor_to_dlpack_v0(
        tensor: *mut rondo_tensor,
        stream: *mut ::std::os::raw::c_void,
        managed: *mut *mut DLManagedTensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Wraps foreign memory without a copy; its deleter is called when the last task, view and graph that uses it is done."]
    #[doc = " On success ownership of *managed passes to Rondo; on failure it stays with the caller. cpu, pinned (kDLCUDAHost, used"]
    #[doc = " as cpu) and cuda memory. On cuda the first task waits for what is now on `stream` (NULL: the data must be ready)."]
    #[doc = " The address must be a multiple of the dtype's size. Strides by which two indices may reach one element make the"]
    #[doc = " tensor read-only. Since 0.1."]
    pub fn rondo_tensor_from_dlpack(
        engine: *mut rondo_engine,
        managed: *mut DLManagedTensorVersioned,
        stream: *mut ::std::os::raw::c_void,
        tensor: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    pub fn rondo_tensor_from_dlpack_v0(
        engine: *mut rondo_engine,
        managed: *mut DLManagedTensor,
        stream: *mut ::std::os::raw::c_void,
        tensor: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " the setting RONDO_ENGINE (async, threaded, naive), else async"]
pub const RONDO_ENGINE_DEFAULT: rondo_engine_mode = 0;
#[doc = " device tasks are issued by the calling thread as soon as host dependencies are done"]
pub const RONDO_ENGINE_ASYNC: rondo_engine_mode = 1;
#[doc = " one issuing worker per device: the caller pays a queue insertion"]
pub const RONDO_ENGINE_THREADED: rondo_engine_mode = 2;
#[doc = " each task is finished before the call returns; its error is the call's status"]
pub const RONDO_ENGINE_NAIVE: rondo_engine_mode = 3;
pub type rondo_engine_mode = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_engine_options {
    #[doc = " set by RONDO_ENGINE_OPTIONS_INIT"]
    pub size: usize,
    pub mode: rondo_engine_mode,
    #[doc = " threads for host functions and cpu operators; 0: one per usable processor, at most 8"]
    pub workers: i32,
    #[doc = " compute streams per cuda device, 1 to 16; 0: 1"]
    pub streams: i32,
    #[doc = " tasks in flight before a submitter blocks; 0: 4096"]
    pub max_tasks: i64,
    #[doc = " bytes a device's pool may hold, each device; 0: no limit but the device's"]
    pub memory_limit: i64,
    #[doc = " of random numbers; see rondo_engine_seed"]
    pub seed: u64,
    #[doc = " 1: an operator with an index outside fails, and its message names operator, place and index; -1: such an index"]
    #[doc = " gives what the operator says of it; 0: the setting RONDO_CHECK_INDICES decides, which is off by default. When on, a"]
    #[doc = " host task looks at the indices of each operator first."]
    pub check_indices: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_engine_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_engine_options>(),
        56usize,
        concat!("Size of: ", stringify!(rondo_engine_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_engine_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_engine_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_mode() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).mode) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(mode))
        );
    }
    test_field_mode();
    fn test_field_workers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).workers) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(workers))
        );
    }
    test_field_workers();
    fn test_field_streams() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).streams) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(streams))
        );
    }
    test_field_streams();
    fn test_field_max_tasks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).max_tasks) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(max_tasks))
        );
    }
    test_field_max_tasks();
    fn test_field_memory_limit() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).memory_limit) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(memory_limit))
        );
    }
    test_field_memory_limit();
    fn test_field_seed() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).seed) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(seed))
        );
    }
    test_field_seed();
    fn test_field_check_indices() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).check_indices) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(check_indices))
        );
    }
    test_field_check_indices();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_engine_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            52usize,
            concat!("Offset of field: ", stringify!(rondo_engine_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Creates an engine. Usable are the processors that the calling thread may run on (an affinity, a container's set), but"]
    #[doc = " no more than a quota of the process's cgroup pays for. options NULL means RONDO_ENGINE_OPTIONS_INIT. Touches no"]
    #[doc = " device: a cuda device is opened by its first use. The caller owns *engine and destroys it. Since 0.1."]
    pub fn rondo_engine_create(options: *const rondo_engine_options, engine: *mut *mut rondo_engine) -> rondo_status;
}
extern "C" {
    #[doc = " Waits for all work but completions (rondo_task_defer), then releases streams, pools and workers. NULL is allowed."]
    #[doc = " Objects of the engine that are still alive stay valid handles: they must still be destroyed, and every other call on"]
    #[doc = " them returns RONDO_INVALID_STATE. Which they were (kind, dtype, shape, device, the task that wrote them first) is"]
    #[doc = " logged as a warning and is this thread's rondo_last_error(). A recording still open on it is abandoned. In a child of"]
    #[doc = " fork() it does nothing. Must not be called inside a task. Since 0.1."]
    pub fn rondo_engine_destroy(engine: *mut rondo_engine);
}
extern "C" {
    #[doc = " The mode the engine runs in (never RONDO_ENGINE_DEFAULT). Since 0.1."]
    pub fn rondo_engine_get_mode(engine: *mut rondo_engine, mode: *mut rondo_engine_mode) -> rondo_status;
}
extern "C" {
    #[doc = " Blocks until every task submitted before has finished, on the devices too. Returns the first cause among failures of"]
    #[doc = " tasks since the last wait_all that reported one, or RONDO_OK. Inside a task: RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_engine_wait_all(engine: *mut rondo_engine) -> rondo_status;
}
extern "C" {
    #[doc = " The same, but blocks so many milliseconds at most; 0 asks only, -1 is no limit. RONDO_TIMED_OUT where some have not"]
    #[doc = " finished by then: they go on, no failure was reported, and they may be waited for again. Since 0.1."]
    pub fn rondo_engine_wait_all_for(engine: *mut rondo_engine, milliseconds: i64) -> rondo_status;
}
extern "C" {
    #[doc = " Seeds the engine's random numbers (Philox4x32-10) on all devices with `seed` and restarts their sequence. Takes"]
    #[doc = " effect for operators submitted after it. Since 0.1."]
    pub fn rondo_engine_seed(engine: *mut rondo_engine, seed: u64) -> rondo_status;
}
extern "C" {
    #[doc = " Creates a variable. The caller owns it; destroying it never blocks and is safe with tasks in flight. Since 0.1."]
    pub fn rondo_variable_create(engine: *mut rondo_engine, variable: *mut *mut rondo_variable) -> rondo_status;
}
extern "C" {
    pub fn rondo_variable_destroy(variable: *mut rondo_variable);
}
extern "C" {
    #[doc = " Blocks until every task submitted before that reads or writes the variable has finished, on the device too; returns"]
    #[doc = " its error if it is poisoned. Of a tensor's variable (rondo_tensor_variable) it says that nobody uses the memory any"]
    #[doc = " more, where rondo_tensor_wait says that the contents are there. Inside a task: RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_variable_wait(variable: *mut rondo_variable) -> rondo_status;
}
extern "C" {
    #[doc = " The same, but blocks so many milliseconds at most; 0 asks only, -1 is no limit. RONDO_TIMED_OUT where one of the"]
    #[doc = " tasks has not finished by then, with its name: it goes on, and may be waited for again. Since 0.1."]
    pub fn rondo_variable_wait_for(variable: *mut rondo_variable, milliseconds: i64) -> rondo_status;
}
#[doc = " Called once when what was waited for is done: `status` is what the wait would have returned, and while the call lasts"]
#[doc = " rondo_last_error, rondo_last_error_operator and rondo_last_error_cause tell what failed. On a thread of the engine,"]
#[doc = " or on one of the program's that is in a call of Rondo: it must be short, must not wait (RONDO_INVALID_STATE) and must"]
#[doc = " not throw."]
pub type rondo_done_fn =
    ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void, status: rondo_status)>;
extern "C" {
    #[doc = " rondo_variable_wait without a thread that waits: calls fn(arg, status) when every task submitted before that reads or"]
    #[doc = " writes the variable has finished, on the device too; in this call if that is so already. What is submitted later"]
    #[doc = " neither delays it nor changes its status. `contents` not 0: of what rondo_tensor_wait waits for instead, tasks that"]
    #[doc = " only read may go on. Notices do not count among the engine's max_tasks. When the engine is destroyed first, all that"]
    #[doc = " can still be done is done before fn is called; after fork() it never is. Any error: fn is not called. Allowed inside"]
    #[doc = " tasks; RONDO_INVALID_STATE for temporaries and tensors of an open recording. Since 0.1."]
    pub fn rondo_variable_notify(
        variable: *mut rondo_variable,
        contents: i32,
        fn_: rondo_done_fn,
        arg: *mut ::std::os::raw::c_void,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " rondo_engine_wait_all likewise: the status is that of the first task that failed since the last such wait or notice"]
    #[doc = " that told. Since 0.1."]
    pub fn rondo_engine_notify(
        engine: *mut rondo_engine,
        fn_: rondo_done_fn,
        arg: *mut ::std::os::raw::c_void,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Number of completed or issued writes. Reads do not count. Never blocks. Since 0.1."]
    pub fn rondo_variable_version(variable: *mut rondo_variable, version: *mut u64) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_task_context {
    _unused: [u8; 0],
}
#[doc = " Body of a task. Return RONDO_OK, or any other status to fail; rondo_task_fail gives the message. A device task must"]
#[doc = " only enqueue work on the stream and return; it must not synchronise. Must not wait for Rondo objects"]
#[doc = " (RONDO_INVALID_STATE) and must not throw. May be called again when it was recorded into a graph. In a device task the"]
#[doc = " device's primary context is current, for calls of the driver, cudart and libraries on them; a context of the thread's"]
#[doc = " own is current again afterwards."]
pub type rondo_task_fn = ::std::option::Option<
    unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void, context: *mut rondo_task_context) -> rondo_status,
>;
extern "C" {
    #[doc = " Native stream (a CUstream, which cudart's cudaStream_t equals) of a device task; NULL for host functions. Since 0.1."]
    pub fn rondo_task_stream(context: *mut rondo_task_context) -> *mut ::std::os::raw::c_void;
}
extern "C" {
    #[doc = " Native stream `index`, from 0, of the auxiliary streams that the options asked for; NULL for any other number. It"]
    #[doc = " begins where rondo_task_stream is when the function is called, and rondo_task_stream waits for it when the function"]
    #[doc = " has returned, also with an error. While the task is captured into a graph that holds conditional nodes"]
    #[doc = " (rondo/control.h) each of them is rondo_task_stream itself: there nothing runs side by side. Valid during the call"]
    #[doc = " only. Since 0.1."]
    pub fn rondo_task_auxiliary_stream(context: *mut rondo_task_context, index: i32) -> *mut ::std::os::raw::c_void;
}
extern "C" {
    #[doc = " Device the task runs on. Since 0.1."]
    pub fn rondo_task_device(context: *mut rondo_task_context) -> rondo_device;
}
extern "C" {
    #[doc = " 1 while the task is being captured into a CUDA graph (it must then only enqueue capturable work). Since 0.1."]
    pub fn rondo_task_is_capturing(context: *mut rondo_task_context) -> i32;
}
extern "C" {
    #[doc = " An operand of a task pushed by rondo_engine_push_tensors: reads first, then writes, both in the order given, so"]
    #[doc = " writes begin at n_reads. *address is of its first element, in the address space of the device that it is on; *info"]
    #[doc = " (NULL: not wanted) is what rondo_tensor_query says of the view given. Valid during the call only, but for tensors the"]
    #[doc = " program holds itself. RONDO_INVALID_ARGUMENT for an index beyond the operands. Never blocks. Since 0.1."]
    pub fn rondo_task_operand(
        context: *mut rondo_task_context,
        index: usize,
        address: *mut *mut ::std::os::raw::c_void,
        info: *mut rondo_tensor_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Sets the message that goes with the error the function is about to return. Copied. Since 0.1."]
    pub fn rondo_task_fail(context: *mut rondo_task_context, message: *const ::std::os::raw::c_char);
}
extern "C" {
    #[doc = " Sets an object that goes with the error the function is about to return, for rondo_last_error_cause on whichever"]
    #[doc = " thread is told of it. Takes `cause` in every case: `destroy` (may be NULL) is called with it once, when no error"]
    #[doc = " holds it any more, in a later call of Rondo on any thread; it must not wait. Since 0.1."]
    pub fn rondo_task_fail_cause(
        context: *mut rondo_task_context,
        cause: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(cause: *mut ::std::os::raw::c_void)>,
    );
}
pub const RONDO_TASK_DEFAULT: rondo_task_flags = 0;
pub const RONDO_TASK_NO_CAPTURE: rondo_task_flags = 1;
pub type rondo_task_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_task_options {
    #[doc = " set by RONDO_TASK_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " {RONDO_CPU, 0}: a host function on a worker; {RONDO_CUDA, i}: issues work on a stream"]
    pub device: rondo_device,
    #[doc = " > 0 runs before others that are ready, and on a high-priority stream; default 0"]
    pub priority: i32,
    #[doc = " cuda: compute stream index, modulo the engine's streams; -1: the engine picks"]
    pub stream: i32,
    #[doc = " rondo_task_flags"]
    pub flags: u32,
    #[doc = " for errors, traces and graph reports; copied; NULL: \"user\""]
    pub name: *const ::std::os::raw::c_char,
    #[doc = " cuda: streams beside the task's, for work side by side, 0 to 8; default 0"]
    pub auxiliary_streams: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_task_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_task_options>(),
        48usize,
        concat!("Size of: ", stringify!(rondo_task_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_task_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_task_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_device() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).device) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(device))
        );
    }
    test_field_device();
    fn test_field_priority() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).priority) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(priority))
        );
    }
    test_field_priority();
    fn test_field_stream() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stream) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(stream))
        );
    }
    test_field_stream();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(flags))
        );
    }
    test_field_flags();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(name))
        );
    }
    test_field_name();
    fn test_field_auxiliary_streams() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).auxiliary_streams) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(auxiliary_streams))
        );
    }
    test_field_auxiliary_streams();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_task_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            44usize,
            concat!("Offset of field: ", stringify!(rondo_task_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Submits fn(arg) to run once the reads and writes allow it. The same variable may be given twice, and as read and"]
    #[doc = " write. `destroy` (may be NULL) is called with arg exactly once, when the task will never run again (also if push"]
    #[doc = " fails), and before any wait for the task returns; like the task it must not wait for Rondo objects. options NULL"]
    #[doc = " means RONDO_TASK_OPTIONS_INIT. Variables of another engine: RONDO_INVALID_ARGUMENT. Blocks only while max_tasks are"]
    #[doc = " in flight, and in naive mode. While the thread records, the task is kept instead of run. Since 0.1."]
    pub fn rondo_engine_push(
        engine: *mut rondo_engine,
        fn_: rondo_task_fn,
        arg: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
        reads: *const *mut rondo_variable,
        n_reads: usize,
        writes: *const *mut rondo_variable,
        n_writes: usize,
        options: *const rondo_task_options,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same with tensors: the task reads and writes their contents, and holds them, so their handles may be destroyed"]
    #[doc = " (and reused) as soon as the call returns, inside a recording too. fn asks rondo_task_operand where they are; only"]
    #[doc = " there have temporaries of a recording an address. A tensor that has no memory yet gets it before fn runs, and a write"]
    #[doc = " of all of it starts without an error of what was there."]
    #[doc = ""]
    #[doc = " Any view may be read, also one that shows elements twice (rondo_tensor_broadcast). A written view must not, and must"]
    #[doc = " not be read-only memory. A view of a part is written without touching the rest. An accumulator view is refused,"]
    #[doc = " because only operators add; to add, give the tensor as read and as write. What overlaps is fn's business: the same"]
    #[doc = " tensor may be given more than once, and as read and write. A tensor may be on another device than the task"]
    #[doc = " (info->device says where). RONDO_INVALID_ARGUMENT for all that and for tensors of another engine; RONDO_INVALID_STATE"]
    #[doc = " for tensors of an open recording in a task pushed outside it. Everything else as rondo_engine_push. Since 0.1."]
    pub fn rondo_engine_push_tensors(
        engine: *mut rondo_engine,
        fn_: rondo_task_fn,
        arg: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
        reads: *const *mut rondo_tensor,
        n_reads: usize,
        writes: *const *mut rondo_tensor,
        n_writes: usize,
        options: *const rondo_task_options,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_completion {
    _unused: [u8; 0],
}
extern "C" {
    #[doc = " Called inside a host function: the task does not end when the function returns, but when *completion is completed."]
    #[doc = " Meanwhile it holds no worker, and what it reads and writes stays as it is and where it is: operands may be used, and"]
    #[doc = " so may arg, until then. For libraries that have threads of their own. In naive mode the call that submitted the task"]
    #[doc = " goes on until then. A recorded task is given one at each launch. The caller owns *completion."]
    #[doc = ""]
    #[doc = " If the function returns an error nevertheless, that is the task's, and the task ends when *completion is completed or"]
    #[doc = " destroyed. rondo_engine_destroy does not wait for completions: tasks that miss theirs fail with RONDO_INVALID_STATE,"]
    #[doc = " and only their memory and their arg stay, until *completion is destroyed. The same goes for each task behind them"]
    #[doc = " that uses what they use. RONDO_UNSUPPORTED in a device task, which ends when its stream is done; RONDO_INVALID_STATE"]
    #[doc = " if the run has its completion already. Since 0.1."]
    pub fn rondo_task_defer(context: *mut rondo_task_context, completion: *mut *mut rondo_completion) -> rondo_status;
}
extern "C" {
    #[doc = " Ends the task: with RONDO_OK, or it fails with any other `status` and with `message` (copied; NULL: none), as if its"]
    #[doc = " function had returned that. What the task was given must not be used any more. From any thread, in or outside tasks,"]
    #[doc = " of any engine's; never blocks, and runs neither tasks nor functions of the user's on the calling thread."]
    #[doc = " RONDO_INVALID_STATE if it was completed already, or if the engine was destroyed before. Since 0.1."]
    pub fn rondo_completion_complete(
        completion: *mut rondo_completion,
        status: rondo_status,
        message: *const ::std::os::raw::c_char,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Sets the object `cause` that goes with the error *completion is about to be completed with, as rondo_task_fail_cause"]
    #[doc = " does, and takes it likewise. Since 0.1."]
    pub fn rondo_completion_fail_cause(
        completion: *mut rondo_completion,
        cause: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(cause: *mut ::std::os::raw::c_void)>,
    );
}
extern "C" {
    #[doc = " Destroys the handle. If it was not completed, the task fails with RONDO_USER_ERROR. Never blocks. NULL is allowed."]
    #[doc = " Since 0.1."]
    pub fn rondo_completion_destroy(completion: *mut rondo_completion);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_memory_info {
    #[doc = " set by RONDO_MEMORY_INFO_INIT"]
    pub size: usize,
    #[doc = " bytes handed out now"]
    pub in_use: i64,
    #[doc = " bytes held by the pool and free for reuse"]
    pub cached: i64,
    #[doc = " highest in_use so far"]
    pub peak_in_use: i64,
    #[doc = " bytes in_use + cached may reach; 0: none"]
    pub limit: i64,
    #[doc = " requests served so far"]
    pub allocations: i64,
    #[doc = " of which went to the system or driver"]
    pub system_allocations: i64,
    #[doc = " blocks reused on another stream after a device-side wait"]
    pub cross_stream_reuses: i64,
    #[doc = " times the pool had to return cached blocks or wait because memory ran out"]
    pub retries: i64,
}
#[test]
fn bindgen_test_layout_rondo_memory_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_memory_info>(),
        72usize,
        concat!("Size of: ", stringify!(rondo_memory_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_memory_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_memory_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_in_use() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).in_use) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(in_use))
        );
    }
    test_field_in_use();
    fn test_field_cached() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).cached) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(cached))
        );
    }
    test_field_cached();
    fn test_field_peak_in_use() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).peak_in_use) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(peak_in_use))
        );
    }
    test_field_peak_in_use();
    fn test_field_limit() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).limit) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(limit))
        );
    }
    test_field_limit();
    fn test_field_allocations() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).allocations) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(allocations))
        );
    }
    test_field_allocations();
    fn test_field_system_allocations() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).system_allocations) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(system_allocations))
        );
    }
    test_field_system_allocations();
    fn test_field_cross_stream_reuses() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).cross_stream_reuses) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(cross_stream_reuses))
        );
    }
    test_field_cross_stream_reuses();
    fn test_field_retries() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).retries) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_memory_info), "::", stringify!(retries))
        );
    }
    test_field_retries();
}
extern "C" {
    #[doc = " Figures of the engine's pool on a device. Zeros if the device was not used yet. Since 0.1."]
    pub fn rondo_memory_query(
        engine: *mut rondo_engine,
        device: rondo_device,
        info: *mut rondo_memory_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Sets the pool's limit in bytes (0: none). Does not free anything in use. Since 0.1."]
    pub fn rondo_memory_set_limit(engine: *mut rondo_engine, device: rondo_device, bytes: i64) -> rondo_status;
}
extern "C" {
    #[doc = " Returns cached memory that no stream still uses to the system. Since 0.1."]
    pub fn rondo_memory_trim(engine: *mut rondo_engine, device: rondo_device) -> rondo_status;
}
pub const RONDO_RECORD_DEFAULT: rondo_record_flags = 0;
#[doc = " only tensors named by rondo_record_output are outputs, whatever is still held"]
pub const RONDO_RECORD_NAMED_OUTPUTS: rondo_record_flags = 1;
#[doc = " no pass changes what was recorded: all of it runs, whether or not it is read"]
pub const RONDO_RECORD_AS_WRITTEN: rondo_record_flags = 2;
#[doc = " for rondo_graph_call: inputs are made by rondo_record_input, outputs named by"]
#[doc = "rondo_record_output"]
pub const RONDO_RECORD_CALLABLE: rondo_record_flags = 4;
#[doc = " fused operators hand on what they computed, unrounded; products and"]
#[doc = "convolutions take in the scale, bias, residual and activation that follow them;"]
#[doc = "normalisations and attention written as their parts become one operator. Results"]
#[doc = "differ by roundings, and where those parts overflow or a row of attention sees no"]
#[doc = "key. The report tells each place"]
pub const RONDO_RECORD_FEWER_ROUNDINGS: rondo_record_flags = 8;
#[doc = " a segment whose capture fails is run task by task in each launch, as eager calls"]
#[doc = "are, with the same results; the graph's report says why. Without it, the"]
#[doc = "recording fails at its end. Not for want of memory, a lost device or"]
#[doc = "collectives"]
pub const RONDO_RECORD_FALL_BACK: rondo_record_flags = 16;
#[doc = " notes where in the program each task comes from: failures,"]
#[doc = "profiles and pictures of the graph say it"]
pub const RONDO_RECORD_SITES: rondo_record_flags = 32;
#[doc = " the host decides all control flow, between segments, also where a CUDA graph"]
#[doc = "could choose by itself: slower, but a profile times each body,"]
#[doc = "and what is poisoned and only a body that is not chosen reads does no harm"]
pub const RONDO_RECORD_HOST_DECIDES: rondo_record_flags = 64;
#[doc = " each launch and call looks at what every recorded operator has made. If there is"]
#[doc = "a NaN or an infinity it fails (RONDO_INVALID_ARGUMENT), and its outputs carry"]
#[doc = "the error, which names the operator that made the first one, its site if that"]
#[doc = "was noted, its operands, and the place of the element. An infinity that came in"]
#[doc = "with a tensor or a number of the program's counts for nobody. Slower"]
pub const RONDO_RECORD_CHECK_NUMBERS: rondo_record_flags = 128;
pub type rondo_record_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_record_options {
    #[doc = " set by RONDO_RECORD_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " for reports and traces; copied; NULL: \"graph\""]
    pub name: *const ::std::os::raw::c_char,
    #[doc = " branches that may run side by side in a CUDA graph, 1 to 32; 0: 8"]
    pub max_branches: i32,
    #[doc = " rondo_record_flags"]
    pub flags: u32,
    #[doc = " a name; graphs of the engine that are recorded with the same one share the memory of their"]
    #[doc = "temporaries: record the largest first; copied; NULL: the graph has its own"]
    pub arena: *const ::std::os::raw::c_char,
    #[doc = " of a graph that is called: how many of its calls may overlap, each with temporaries and CUDA"]
    #[doc = "graphs of its own, 1 to 64; 0: 1. One that writes tensors from outside has 1 all the same:"]
    #[doc = "its report says why"]
    pub arenas: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_record_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_record_options>(),
        40usize,
        concat!("Size of: ", stringify!(rondo_record_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_record_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_record_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_record_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_record_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_record_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_record_options), "::", stringify!(name))
        );
    }
    test_field_name();
    fn test_field_max_branches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_record_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).max_branches) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_record_options), "::", stringify!(max_branches))
        );
    }
    test_field_max_branches();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_record_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_record_options), "::", stringify!(flags))
        );
    }
    test_field_flags();
    fn test_field_arena() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_record_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).arena) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_record_options), "::", stringify!(arena))
        );
    }
    test_field_arena();
    fn test_field_arenas() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_record_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).arenas) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_record_options), "::", stringify!(arenas))
        );
    }
    test_field_arenas();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_record_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            36usize,
            concat!("Offset of field: ", stringify!(rondo_record_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Starts recording on the calling thread. Other threads are not affected. A thread that ends aborts its recording. One"]
    #[doc = " recording per thread: RONDO_INVALID_STATE if one is open, or inside a task. One whose engine was destroyed by another"]
    #[doc = " thread, or is lost, does not count: it is dropped. options NULL means RONDO_RECORD_OPTIONS_INIT. Since 0.1."]
    pub fn rondo_record_begin(engine: *mut rondo_engine, options: *const rondo_record_options) -> rondo_status;
}
extern "C" {
    #[doc = " Ends the thread's recording and compiles it: kernels are compiled and loaded, library calls are tried out on scratch"]
    #[doc = " memory, temporaries are placed in one arena, and what can be captured becomes a CUDA graph. Operators whose results"]
    #[doc = " nobody reads are left out, and elementwise ones that follow each other become one kernel with the same bits"]
    #[doc = " (docs/program.md), unless RONDO_RECORD_AS_WRITTEN. Nothing that was recorded runs, no tensor of the user is changed."]
    #[doc = " The caller owns *graph. On failure, the recording is dropped, the message names the operator, tensors created inside"]
    #[doc = " carry the error until they are written, and engine and streams are usable as before. Since 0.1."]
    pub fn rondo_record_end(engine: *mut rondo_engine, graph: *mut *mut rondo_graph) -> rondo_status;
}
extern "C" {
    #[doc = " Drops the thread's recording, if there is one. Tensors created inside carry an error that says so. Since 0.1."]
    pub fn rondo_record_abort(engine: *mut rondo_engine) -> rondo_status;
}
extern "C" {
    #[doc = " Names an output of the calling thread's recording, which was begun with RONDO_RECORD_NAMED_OUTPUTS; any view names"]
    #[doc = " its whole storage. For callers that cannot say what is still held at the end, such as garbage-collected languages. A"]
    #[doc = " tensor from outside keeps its contents anyway and may be named; the same tensor may be named twice. After the end,"]
    #[doc = " whatever was created inside and not named is a temporary: a handle of it that is still held must be destroyed, can be"]
    #[doc = " queried, and everything that would use its contents is RONDO_INVALID_STATE. RONDO_INVALID_STATE without such a"]
    #[doc = " recording; RONDO_INVALID_ARGUMENT for a tensor of another engine."]
    #[doc = ""]
    #[doc = " Of a recording begun with RONDO_RECORD_CALLABLE, the i-th call names what rondo_graph_call gives as outputs[i], with"]
    #[doc = " the tensor's dtype and shape. The tensor must be made in the recording, neither be an input nor share memory with an"]
    #[doc = " output, and hold all of its memory, row-major: else RONDO_INVALID_ARGUMENT, and a copy (rondo_copy) can be named."]
    #[doc = " Since 0.1."]
    pub fn rondo_record_output(engine: *mut rondo_engine, tensor: *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " Makes an input of the calling thread's recording, which was begun with RONDO_RECORD_CALLABLE: a tensor that stands"]
    #[doc = " for what each rondo_graph_call is given, the i-th for inputs[i]. The recording may read it, not write it"]
    #[doc = " (rondo_record_end fails and names the task). The caller owns *input, and may destroy it at once; after the end it can"]
    #[doc = " be queried, and everything that would use its contents is RONDO_INVALID_STATE. RONDO_INVALID_STATE without such a"]
    #[doc = " recording; other errors as of rondo_tensor_create. Since 0.1."]
    pub fn rondo_record_input(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        ndim: i32,
        shape: *const i64,
        input: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Records a parameter: a number that launches are given, such as a learning rate or the number of a step. *parameter is"]
    #[doc = " a new tensor without axes on `device`, which operators take as any other (it broadcasts); each launch writes into it"]
    #[doc = " what rondo_graph_set said last, and `value` before that. The caller owns it, and may destroy it at once. name:"]
    #[doc = " copied, one of its own in the recording. value: integers and bool must hold it exactly. RONDO_INVALID_STATE without a"]
    #[doc = " recording on the calling thread; RONDO_INVALID_ARGUMENT for a name that is empty or taken, or a value that the dtype"]
    #[doc = " does not hold; other errors as of rondo_tensor_create. Since 0.1."]
    pub fn rondo_record_parameter(
        engine: *mut rondo_engine,
        name: *const ::std::os::raw::c_char,
        device: rondo_device,
        dtype: rondo_dtype,
        value: f64,
        parameter: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " What the calling thread records until rondo_record_section_end is a section, which rondo_graph_enable switches. In"]
    #[doc = " launches where it is off, none of it runs, and all that it would write stays as it was, tensors made in the recording"]
    #[doc = " too; those are zero before the section has run for the first time. Passes make no kernel of what is inside and what"]
    #[doc = " is outside. on: whether it is on before rondo_graph_enable says otherwise, 0 or 1. Several parts of a recording may"]
    #[doc = " be one section, with the same name and `on`. A section is not opened in another. RONDO_INVALID_STATE without a"]
    #[doc = " recording on the calling thread, or in a section; RONDO_INVALID_ARGUMENT for an empty name, or another `on` than"]
    #[doc = " before. Since 0.1."]
    pub fn rondo_record_section_begin(
        engine: *mut rondo_engine,
        name: *const ::std::os::raw::c_char,
        on: i32,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Ends the section; rondo_record_end fails while one is open. RONDO_INVALID_STATE if none is. Since 0.1."]
    pub fn rondo_record_section_end(engine: *mut rondo_engine) -> rondo_status;
}
extern "C" {
    #[doc = " Says where in the program the calling thread has recorded what it recorded since the last call of this: \"train.c:42\","]
    #[doc = " or a name. Failures, profiles and pictures of the graph then have it beside the task. site: copied; NULL: nothing is"]
    #[doc = " said. *notes: whether the thread has a recording that notes it (RONDO_RECORD_SITES, or the setting of that name), 0"]
    #[doc = " or 1; without one nothing happens, and that is no failure. notes may be NULL. What nobody says anything about has the"]
    #[doc = " function that called Rondo, with its file and place in it, where Rondo is a shared library. Never blocks."]
    #[doc = " RONDO_INVALID_ARGUMENT for an empty site, and where both are NULL. Since 0.1."]
    pub fn rondo_record_site(site: *const ::std::os::raw::c_char, notes: *mut i32) -> rondo_status;
}
extern "C" {
    #[doc = " *open: 1 if the calling thread has a recording of this engine open, else 0. Never blocks. Since 0.1."]
    pub fn rondo_record_is_open(engine: *mut rondo_engine, open: *mut i32) -> rondo_status;
}
extern "C" {
    #[doc = " Submits one run of the graph. Does not wait. RONDO_INVALID_STATE for a graph that is called. Since 0.1."]
    pub fn rondo_graph_launch(graph: *mut rondo_graph) -> rondo_status;
}
extern "C" {
    #[doc = " Submits one run of a graph that was recorded with RONDO_RECORD_CALLABLE: its inputs are the given tensors, its"]
    #[doc = " results go into `outputs`. Does not wait. From any thread, any number of them at once: calls of one graph run one"]
    #[doc = " after the other, in the order of submission, each as one step that no other task comes between, and no answer is"]
    #[doc = " mixed up. If the recording was given several arenas (rondo_record_options), so many calls in a row may overlap, each"]
    #[doc = " with the results that it would have alone; random numbers are drawn in the order of submission."]
    #[doc = ""]
    #[doc = " inputs: n_inputs tensors, in the order of rondo_record_input. Each has the recorded device, dtype and shape, is"]
    #[doc = " row-major, and was written. They are only read, may be the same, and may be destroyed right after the call."]
    #[doc = " outputs: n_outputs slots, in the order of rondo_record_output. A slot that holds NULL gets a new tensor, which the"]
    #[doc = " caller owns. One that holds a tensor is written: it has the device, dtype and shape of the result, is row-major, and"]
    #[doc = " shares no memory with an input, another output or a tensor that the graph uses. The first element of a tensor lies"]
    #[doc = " at a multiple of 16 bytes (cpu) or 256 (cuda): kernels count on it. On failure no slot is changed."]
    #[doc = ""]
    #[doc = " An input that carries an error leaves it on the outputs that depend on it, as operators do. In a recording of another"]
    #[doc = " graph the call is kept, as a launch is. If an open tape follows an input, or a tensor from outside that the graph"]
    #[doc = " uses, the call is one operator with a gradient, as that of a callable is: the graph is recorded once more, with what"]
    #[doc = " its gradient needs, the first time that it is called so; such calls count among no launches. Where that cannot be, it"]
    #[doc = " is a task without gradient, and rondo_tape_gradients says why. docs/graphs.md explains."]
    #[doc = " RONDO_INVALID_STATE for a graph that is launched; RONDO_INVALID_ARGUMENT names the tensor that does not fit, and what"]
    #[doc = " would. Since 0.1."]
    pub fn rondo_graph_call(
        graph: *mut rondo_graph,
        n_inputs: i32,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        outputs: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Gives a parameter another value, for launches and calls that are submitted from now on; those before have the old"]
    #[doc = " one, wherever they are. From any thread. Costs no device work: a launch with another value than the last one changes"]
    #[doc = " one node of its CUDA graph. Submitted in a recording of another graph, a launch keeps the values that it has then."]
    #[doc = " RONDO_NOT_FOUND if the graph has no parameter of that name, and names those it has; RONDO_INVALID_ARGUMENT for a"]
    #[doc = " value that the parameter's dtype does not hold exactly (integers and bool). Since 0.1."]
    pub fn rondo_graph_set(graph: *mut rondo_graph, name: *const ::std::os::raw::c_char, value: f64) -> rondo_status;
}
extern "C" {
    #[doc = " The same with an integer, exact beyond 2^53. Since 0.1."]
    pub fn rondo_graph_set_i64(
        graph: *mut rondo_graph,
        name: *const ::std::os::raw::c_char,
        value: i64,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Switches a section on or off (1, 0), for launches and calls that are submitted from now on. From any thread."]
    #[doc = " RONDO_NOT_FOUND if the graph has no section of that name, and names those it has. Since 0.1."]
    pub fn rondo_graph_enable(graph: *mut rondo_graph, name: *const ::std::os::raw::c_char, on: i32) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the handle. Never blocks; launches in flight finish first. NULL is allowed. Since 0.1."]
    pub fn rondo_graph_destroy(graph: *mut rondo_graph);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_graph_info {
    #[doc = " set by RONDO_GRAPH_INFO_INIT"]
    pub size: usize,
    #[doc = " tasks of a launch: those recorded, less what nobody reads"]
    pub tasks: i32,
    #[doc = " pieces the graph was split in; 1: nothing split it"]
    pub segments: i32,
    #[doc = " of which are CUDA graphs"]
    pub captured: i32,
    #[doc = " nodes of all CUDA graphs, in bodies of conditional nodes too"]
    pub nodes: i32,
    #[doc = " edges of all CUDA graphs, alike"]
    pub edges: i32,
    #[doc = " most branches side by side in a CUDA graph (1 for a linear one, 0 without)"]
    pub branches: i32,
    #[doc = " memory of all temporaries together, on all devices"]
    pub arena_bytes: i64,
    #[doc = " what they would take without sharing, rounded alike: never less than arena_bytes"]
    pub temporary_bytes: i64,
    #[doc = " memory of outputs"]
    pub output_bytes: i64,
    #[doc = " so far, calls too"]
    pub launches: i64,
    #[doc = " from begin to end"]
    pub record_ms: f64,
    #[doc = " compile, tune, warm"]
    pub prepare_ms: f64,
    #[doc = " capture, instantiate, upload"]
    pub capture_ms: f64,
    #[doc = " that a call is given"]
    pub inputs: i32,
    #[doc = " that a call leaves"]
    pub outputs: i32,
    #[doc = " memory through which calls copy inputs and outputs; 0: kernels work on the caller's"]
    pub call_bytes: i64,
    #[doc = " of CUDA graphs, that are given the caller's addresses by a call with others than the last"]
    pub call_kernels: i32,
    #[doc = " if, while and switch that CUDA graphs decide themselves, without the host"]
    pub conditional_nodes: i32,
    #[doc = " edges of CUDA graphs by which a kernel starts before the one before it has ended"]
    pub programmatic: i32,
    #[doc = " so many calls may overlap; the bytes above are those of all arenas together, tasks,"]
    #[doc = "segments, nodes and edges those of one"]
    pub arenas: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_graph_info() {
    assert_eq!(::std::mem::size_of::<rondo_graph_info>(), 128usize, concat!("Size of: ", stringify!(rondo_graph_info)));
    assert_eq!(
        ::std::mem::align_of::<rondo_graph_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_graph_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_tasks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).tasks) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(tasks))
        );
    }
    test_field_tasks();
    fn test_field_segments() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).segments) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(segments))
        );
    }
    test_field_segments();
    fn test_field_captured() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).captured) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(captured))
        );
    }
    test_field_captured();
    fn test_field_nodes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).nodes) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(nodes))
        );
    }
    test_field_nodes();
    fn test_field_edges() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).edges) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(edges))
        );
    }
    test_field_edges();
    fn test_field_branches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).branches) as usize - ptr as usize
            },
            28usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(branches))
        );
    }
    test_field_branches();
    fn test_field_arena_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).arena_bytes) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(arena_bytes))
        );
    }
    test_field_arena_bytes();
    fn test_field_temporary_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).temporary_bytes) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(temporary_bytes))
        );
    }
    test_field_temporary_bytes();
    fn test_field_output_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).output_bytes) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(output_bytes))
        );
    }
    test_field_output_bytes();
    fn test_field_launches() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).launches) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(launches))
        );
    }
    test_field_launches();
    fn test_field_record_ms() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).record_ms) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(record_ms))
        );
    }
    test_field_record_ms();
    fn test_field_prepare_ms() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).prepare_ms) as usize - ptr as usize
            },
            72usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(prepare_ms))
        );
    }
    test_field_prepare_ms();
    fn test_field_capture_ms() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).capture_ms) as usize - ptr as usize
            },
            80usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(capture_ms))
        );
    }
    test_field_capture_ms();
    fn test_field_inputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).inputs) as usize - ptr as usize
            },
            88usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(inputs))
        );
    }
    test_field_inputs();
    fn test_field_outputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).outputs) as usize - ptr as usize
            },
            92usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(outputs))
        );
    }
    test_field_outputs();
    fn test_field_call_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).call_bytes) as usize - ptr as usize
            },
            96usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(call_bytes))
        );
    }
    test_field_call_bytes();
    fn test_field_call_kernels() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).call_kernels) as usize - ptr as usize
            },
            104usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(call_kernels))
        );
    }
    test_field_call_kernels();
    fn test_field_conditional_nodes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).conditional_nodes) as usize - ptr as usize
            },
            108usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(conditional_nodes))
        );
    }
    test_field_conditional_nodes();
    fn test_field_programmatic() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).programmatic) as usize - ptr as usize
            },
            112usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(programmatic))
        );
    }
    test_field_programmatic();
    fn test_field_arenas() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).arenas) as usize - ptr as usize
            },
            116usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(arenas))
        );
    }
    test_field_arenas();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_graph_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            120usize,
            concat!("Offset of field: ", stringify!(rondo_graph_info), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Figures of a graph. Since 0.1."]
    pub fn rondo_graph_query(graph: *mut rondo_graph, info: *mut rondo_graph_info) -> rondo_status;
}
extern "C" {
    #[doc = " Writes a report for people: what was captured, what split the graph, where and why, memory and times. Writes at"]
    #[doc = " most capacity bytes with the final zero; *length is the whole length without it (buffer may be NULL with capacity 0)."]
    #[doc = " Since 0.1."]
    pub fn rondo_graph_report(
        graph: *mut rondo_graph,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        length: *mut usize,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Writes the graph (tasks, data flow, segments) as Graphviz DOT. Since 0.1."]
    pub fn rondo_graph_dot(graph: *mut rondo_graph, path: *const ::std::os::raw::c_char) -> rondo_status;
}
extern "C" {
    #[doc = " Launches the graph once and measures each of its tasks, those inside CUDA graphs too: all run one after the other,"]
    #[doc = " each by itself, a host's timed by its clock, a device's by events of the device around it. The results have the bits"]
    #[doc = " of a launch, and the run counts as one; it draws as many random numbers, and a user task's function is called, for"]
    #[doc = " what was captured as well. A captured segment with collectives runs as a whole, as on other ranks. Waits for the run."]
    #[doc = ""]
    #[doc = " rondo_graph_report then has the total, the critical path (the longest way through the data flow, below which more"]
    #[doc = " branches cannot bring a launch) and the tasks that took longest. path: a file for all of it as JSON, which"]
    #[doc = " `rondo graph FILE` shows (docs/graphs.md); NULL: none. A failure of the run is the call's status."]
    #[doc = " RONDO_INVALID_STATE for a graph that is called, in a recording and in a task; RONDO_IO_ERROR if the file cannot be"]
    #[doc = " written: the run took place. Since 0.1."]
    pub fn rondo_graph_profile(graph: *mut rondo_graph, path: *const ::std::os::raw::c_char) -> rondo_status;
}
extern "C" {
    #[doc = " The same of a graph that is called: a call each of whose tasks is measured. inputs: n_inputs tensors, outputs:"]
    #[doc = " n_outputs slots, both as rondo_graph_call takes them. On failure, of the run or the file too, no slot is changed. For"]
    #[doc = " an open tape it is a task without gradient."]
    #[doc = " RONDO_INVALID_STATE for a graph that is launched, in a recording and in a task; other errors as of rondo_graph_call"]
    #[doc = " and rondo_graph_profile. Since 0.1."]
    pub fn rondo_graph_profile_call(
        graph: *mut rondo_graph,
        path: *const ::std::os::raw::c_char,
        n_inputs: i32,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        outputs: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " Bytes to or from another rank. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_message {
    pub rank: i32,
    #[doc = " of a message that is sent, only read"]
    pub data: *mut ::std::os::raw::c_void,
    pub bytes: usize,
}
#[test]
fn bindgen_test_layout_rondo_message() {
    assert_eq!(::std::mem::size_of::<rondo_message>(), 24usize, concat!("Size of: ", stringify!(rondo_message)));
    assert_eq!(::std::mem::align_of::<rondo_message>(), 8usize, concat!("Alignment of ", stringify!(rondo_message)));
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_message>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_message), "::", stringify!(rank))
        );
    }
    test_field_rank();
    fn test_field_data() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_message>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).data) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_message), "::", stringify!(data))
        );
    }
    test_field_data();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_message>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_message), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
}
#[doc = " What one exchange does: all of these messages, in any order but that those between the same two ranks stay in theirs."]
#[doc = " Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_exchange_step {
    #[doc = " of this struct"]
    pub size: usize,
    #[doc = " steps of other channels may be under way at the same time, and do not meet this one's; from 0"]
    pub channel: i32,
    pub n_sends: i32,
    pub n_receives: i32,
    pub sends: *const rondo_message,
    pub receives: *const rondo_message,
    #[doc = " asked now and then while it waits: not 0 when it is to give up and return an error"]
    pub stop: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void) -> i32>,
    pub stop_arg: *mut ::std::os::raw::c_void,
    #[doc = " room for a sentence, where it fails"]
    pub why: *mut ::std::os::raw::c_char,
    pub why_capacity: usize,
}
#[test]
fn bindgen_test_layout_rondo_exchange_step() {
    assert_eq!(
        ::std::mem::size_of::<rondo_exchange_step>(),
        72usize,
        concat!("Size of: ", stringify!(rondo_exchange_step))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_exchange_step>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_exchange_step))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_channel() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).channel) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(channel))
        );
    }
    test_field_channel();
    fn test_field_n_sends() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).n_sends) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(n_sends))
        );
    }
    test_field_n_sends();
    fn test_field_n_receives() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).n_receives) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(n_receives))
        );
    }
    test_field_n_receives();
    fn test_field_sends() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).sends) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(sends))
        );
    }
    test_field_sends();
    fn test_field_receives() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).receives) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(receives))
        );
    }
    test_field_receives();
    fn test_field_stop() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stop) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(stop))
        );
    }
    test_field_stop();
    fn test_field_stop_arg() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stop_arg) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(stop_arg))
        );
    }
    test_field_stop_arg();
    fn test_field_why() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).why) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(why))
        );
    }
    test_field_why();
    fn test_field_why_capacity() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_exchange_step>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).why_capacity) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_exchange_step), "::", stringify!(why_capacity))
        );
    }
    test_field_why_capacity();
}
#[doc = " Does a step: returns when the memory of all its messages is Rondo's again. Called from threads of Rondo's, several at"]
#[doc = " once for different channels. Must not throw. Since 0.1."]
pub type rondo_exchange_fn = ::std::option::Option<
    unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void, step: *mut rondo_exchange_step) -> rondo_status,
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_comm_hooks {
    #[doc = " set by RONDO_COMM_HOOKS_INIT"]
    pub size: usize,
    #[doc = " of this process, from 0"]
    pub rank: i32,
    #[doc = " all of them"]
    pub ranks: i32,
    pub exchange: rondo_exchange_fn,
    #[doc = " for both functions"]
    pub arg: *mut ::std::os::raw::c_void,
    #[doc = " called once when exchange will not be called any more; NULL: nothing to do"]
    pub destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
}
#[test]
fn bindgen_test_layout_rondo_comm_hooks() {
    assert_eq!(::std::mem::size_of::<rondo_comm_hooks>(), 40usize, concat!("Size of: ", stringify!(rondo_comm_hooks)));
    assert_eq!(
        ::std::mem::align_of::<rondo_comm_hooks>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_comm_hooks))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_hooks>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_comm_hooks), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_hooks>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_comm_hooks), "::", stringify!(rank))
        );
    }
    test_field_rank();
    fn test_field_ranks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_hooks>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ranks) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_comm_hooks), "::", stringify!(ranks))
        );
    }
    test_field_ranks();
    fn test_field_exchange() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_hooks>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).exchange) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_comm_hooks), "::", stringify!(exchange))
        );
    }
    test_field_exchange();
    fn test_field_arg() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_hooks>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).arg) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_comm_hooks), "::", stringify!(arg))
        );
    }
    test_field_arg();
    fn test_field_destroy() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_comm_hooks>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).destroy) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_comm_hooks), "::", stringify!(destroy))
        );
    }
    test_field_destroy();
}
extern "C" {
    #[doc = " Creates this process's end of a group whose ranks know each other by `hooks`. On cpu devices collectives are made of"]
    #[doc = " exchanges; on cuda devices NCCL moves the data, and exchanges only bring the ranks together. Of the options only"]
    #[doc = " time_limit_ms, name and max_blocks may be set; NULL means RONDO_COMM_OPTIONS_INIT. The caller owns *comm. Blocks"]
    #[doc = " until all ranks have come. destroy(arg) is called also if this call fails. Whether a rank is lost, exchange finds"]
    #[doc = " out; rondo_comm_reform is RONDO_UNSUPPORTED. Inside a task or a recording: RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_comm_create_with_hooks(
        engine: *mut rondo_engine,
        device: rondo_device,
        hooks: *const rondo_comm_hooks,
        options: *const rondo_comm_options,
        comm: *mut *mut rondo_comm,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_ranks_info {
    #[doc = " set by RONDO_RANKS_INFO_INIT"]
    pub size: usize,
    #[doc = " of this process, from 0"]
    pub rank: i32,
    #[doc = " all of them; 1 where nobody says that there are others"]
    pub ranks: i32,
    #[doc = " among those of this machine; -1 where nobody says"]
    pub local_rank: i32,
    #[doc = " those of this machine; 0 where nobody says"]
    pub local_ranks: i32,
}
#[test]
fn bindgen_test_layout_rondo_ranks_info() {
    assert_eq!(::std::mem::size_of::<rondo_ranks_info>(), 24usize, concat!("Size of: ", stringify!(rondo_ranks_info)));
    assert_eq!(
        ::std::mem::align_of::<rondo_ranks_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_ranks_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_ranks_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_ranks_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_ranks_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rank) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_ranks_info), "::", stringify!(rank))
        );
    }
    test_field_rank();
    fn test_field_ranks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_ranks_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ranks) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_ranks_info), "::", stringify!(ranks))
        );
    }
    test_field_ranks();
    fn test_field_local_rank() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_ranks_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).local_rank) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_ranks_info), "::", stringify!(local_rank))
        );
    }
    test_field_local_rank();
    fn test_field_local_ranks() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_ranks_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).local_ranks) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_ranks_info), "::", stringify!(local_ranks))
        );
    }
    test_field_local_ranks();
}
extern "C" {
    #[doc = " What the environment says of this process, as rondo_comm_create will take it: so that a program can choose its device"]
    #[doc = " by the local rank. RONDO_INVALID_ARGUMENT names a variable that is wrong or missing. Never blocks. Since 0.1."]
    pub fn rondo_ranks_query(info: *mut rondo_ranks_info) -> rondo_status;
}
extern "C" {
    #[doc = " Creates this process's (or thread's) end of a group whose other ends are made elsewhere by the same call. With"]
    #[doc = " options->ranks 0, or options NULL, the environment says which rank this is, and where they meet; without a launcher"]
    #[doc = " the group is this process alone. options->address and options->secret are used instead of the environment's if they"]
    #[doc = " are given. Blocks until all ranks have come: RONDO_TIMED_OUT names who has not. The caller owns *comm."]
    #[doc = " RONDO_INVALID_ARGUMENT for what does not fit: a rank that is there already, another number of ranks, another secret,"]
    #[doc = " or none where other machines could come. Inside a task or a recording: RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_comm_create(
        engine: *mut rondo_engine,
        device: rondo_device,
        options: *const rondo_comm_options,
        comm: *mut *mut rondo_comm,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_optimizer {
    _unused: [u8; 0],
}
#[doc = " gradient descent, with momentum if options say so"]
pub const RONDO_OPTIMIZER_SGD: rondo_optimizer_kind = 0;
#[doc = " weight decay is added to gradients"]
pub const RONDO_OPTIMIZER_ADAM: rondo_optimizer_kind = 1;
#[doc = " weight decay shrinks the weights themselves"]
pub const RONDO_OPTIMIZER_ADAMW: rondo_optimizer_kind = 2;
#[doc = " Adam's direction and weight decay, as long as each tensor's weights say"]
pub const RONDO_OPTIMIZER_LAMB: rondo_optimizer_kind = 3;
#[doc = " The rule of a step. Values never change. Since 0.1."]
pub type rondo_optimizer_kind = ::std::os::raw::c_uint;
#[doc = " 1"]
pub const RONDO_RATE_CONSTANT: rondo_rate_schedule = 0;
#[doc = " from 1 to rate_decay in decay_steps, and that from then on"]
pub const RONDO_RATE_LINEAR: rondo_rate_schedule = 1;
#[doc = " the same along half a cosine"]
pub const RONDO_RATE_COSINE: rondo_rate_schedule = 2;
#[doc = " rate_decay to the power of k / decay_steps, rounded down"]
pub const RONDO_RATE_STEP: rondo_rate_schedule = 3;
#[doc = " What the learning rate is multiplied by, behind the warm-up; k counts the steps from there. Values never change."]
#[doc = " Since 0.1."]
pub type rondo_rate_schedule = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_optimizer_options {
    #[doc = " set by RONDO_OPTIMIZER_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " the rule"]
    pub kind: rondo_optimizer_kind,
    #[doc = " of the learning rate"]
    pub schedule: rondo_rate_schedule,
    #[doc = " the learning rate; rondo_optimizer_set_rate changes it"]
    pub rate: f64,
    #[doc = " SGD: how much of the last step's direction is kept; 0: no momentum, and no state"]
    pub momentum: f64,
    #[doc = " SGD with momentum: 1 less how much of the gradient is taken in"]
    pub dampening: f64,
    #[doc = " Adam, AdamW, LAMB: how much of the mean of gradients is kept"]
    pub beta1: f64,
    #[doc = " how much of the mean of their squares is kept"]
    pub beta2: f64,
    #[doc = " added to the root of that"]
    pub epsilon: f64,
    #[doc = " 0: none"]
    pub weight_decay: f64,
    #[doc = " gradients are clipped to this norm, over all of them; 0: they are not"]
    pub max_norm: f64,
    #[doc = " what the schedule ends with or multiplies by"]
    pub rate_decay: f64,
    #[doc = " steps in which the learning rate rises along a line; 0: none"]
    pub warmup_steps: i64,
    #[doc = " how long the schedule takes; at least 1 where it is not constant"]
    pub decay_steps: i64,
    #[doc = " SGD with momentum: 1: looks a step ahead"]
    pub nesterov: i32,
    #[doc = " Adam, AdamW: 1: divides by the largest mean of squares so far"]
    pub amsgrad: i32,
    #[doc = " 1: 16-bit parameters have f32 weights behind them, which steps add up in"]
    pub master_weights: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_optimizer_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_optimizer_options>(),
        120usize,
        concat!("Size of: ", stringify!(rondo_optimizer_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_optimizer_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_optimizer_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_kind() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).kind) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(kind))
        );
    }
    test_field_kind();
    fn test_field_schedule() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).schedule) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(schedule))
        );
    }
    test_field_schedule();
    fn test_field_rate() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rate) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(rate))
        );
    }
    test_field_rate();
    fn test_field_momentum() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).momentum) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(momentum))
        );
    }
    test_field_momentum();
    fn test_field_dampening() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dampening) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(dampening))
        );
    }
    test_field_dampening();
    fn test_field_beta1() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).beta1) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(beta1))
        );
    }
    test_field_beta1();
    fn test_field_beta2() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).beta2) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(beta2))
        );
    }
    test_field_beta2();
    fn test_field_epsilon() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epsilon) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(epsilon))
        );
    }
    test_field_epsilon();
    fn test_field_weight_decay() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weight_decay) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(weight_decay))
        );
    }
    test_field_weight_decay();
    fn test_field_max_norm() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).max_norm) as usize - ptr as usize
            },
            72usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(max_norm))
        );
    }
    test_field_max_norm();
    fn test_field_rate_decay() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).rate_decay) as usize - ptr as usize
            },
            80usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(rate_decay))
        );
    }
    test_field_rate_decay();
    fn test_field_warmup_steps() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).warmup_steps) as usize - ptr as usize
            },
            88usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(warmup_steps))
        );
    }
    test_field_warmup_steps();
    fn test_field_decay_steps() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).decay_steps) as usize - ptr as usize
            },
            96usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(decay_steps))
        );
    }
    test_field_decay_steps();
    fn test_field_nesterov() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).nesterov) as usize - ptr as usize
            },
            104usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(nesterov))
        );
    }
    test_field_nesterov();
    fn test_field_amsgrad() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).amsgrad) as usize - ptr as usize
            },
            108usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(amsgrad))
        );
    }
    test_field_amsgrad();
    fn test_field_master_weights() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).master_weights) as usize - ptr as usize
            },
            112usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(master_weights))
        );
    }
    test_field_master_weights();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            116usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Makes an optimizer of n_parameters `parameters`: of f16, bf16, f32 or f64, on one device, each once. A parameter may"]
    #[doc = " be a view; its elements lie together in memory, its axes in any order. State is kept in f32, that of f64 in f64, and"]
    #[doc = " is zero; f32 weights behind 16-bit ones are made of these now, so parameters are loaded before. options NULL means"]
    #[doc = " RONDO_OPTIMIZER_OPTIONS_INIT. The caller owns *optimizer, which keeps the parameters' memory. RONDO_INVALID_ARGUMENT"]
    #[doc = " for options that do not go together, with what would be right; in a recording: RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_optimizer_create(
        n_parameters: i32,
        parameters: *const *mut rondo_tensor,
        options: *const rondo_optimizer_options,
        optimizer: *mut *mut rondo_optimizer,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the optimizer. Never blocks; work in flight and graphs go on. NULL is allowed. Since 0.1."]
    pub fn rondo_optimizer_destroy(optimizer: *mut rondo_optimizer);
}
extern "C" {
    #[doc = " One step: parameters become what the rule makes of them and of n_gradients `gradients`, one for each parameter, in"]
    #[doc = " its shape and in the same order in memory, each of any float dtype of 16 bits or more. finite (may be NULL) is a bool"]
    #[doc = " of one element, as rondo_all_finite makes it; where it is false the step writes nothing and does not count. scale"]
    #[doc = " (may be NULL) is an f32 of one element, which gradients are multiplied by as they are read, before they are clipped;"]
    #[doc = " they are not written. Does not wait: ordered as any operator, eager or recorded. No gradient. Since 0.1."]
    pub fn rondo_optimizer_step(
        optimizer: *mut rondo_optimizer,
        n_gradients: i32,
        gradients: *const *mut rondo_tensor,
        finite: *mut rondo_tensor,
        scale: *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Sets the learning rate of later steps, which the schedule multiplies. Ordered as rondo_fill, so that graphs that were"]
    #[doc = " recorded before go by it too; in a recording it is recorded. RONDO_INVALID_ARGUMENT for a rate that is negative or"]
    #[doc = " not finite. Since 0.1."]
    pub fn rondo_optimizer_set_rate(optimizer: *mut rondo_optimizer, rate: f64) -> rondo_status;
}
extern "C" {
    #[doc = " A tensor of the state, by `index`, and its name, for saving it and for loading it into: \"optimizer.step\" (i64, the"]
    #[doc = " steps so far), \"optimizer.rate\" (f64), then of parameter 0 \"optimizer.0.momentum_buffer\", or \"optimizer.0.exp_avg\","]
    #[doc = " \"optimizer.0.exp_avg_sq\", \"optimizer.0.max_exp_avg_sq\", and \"optimizer.0.master_weights\", those that there are, in"]
    #[doc = " the parameter's shape, and so on. *name lives as long as the optimizer; the caller owns *tensor, which shares the"]
    #[doc = " state's memory. RONDO_INVALID_ARGUMENT if there are not as many (rondo_optimizer_query). Since 0.1."]
    pub fn rondo_optimizer_state(
        optimizer: *mut rondo_optimizer,
        index: i32,
        name: *mut *const ::std::os::raw::c_char,
        tensor: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_optimizer_info {
    #[doc = " set by RONDO_OPTIMIZER_INFO_INIT"]
    pub size: usize,
    #[doc = " tensors that it steps"]
    pub parameters: i32,
    #[doc = " tensors of its state"]
    pub states: i32,
    #[doc = " of its state"]
    pub bytes: i64,
}
#[test]
fn bindgen_test_layout_rondo_optimizer_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_optimizer_info>(),
        24usize,
        concat!("Size of: ", stringify!(rondo_optimizer_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_optimizer_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_optimizer_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_parameters() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parameters) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_info), "::", stringify!(parameters))
        );
    }
    test_field_parameters();
    fn test_field_states() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).states) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_info), "::", stringify!(states))
        );
    }
    test_field_states();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_optimizer_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_optimizer_info), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
}
extern "C" {
    #[doc = " Figures of the optimizer. Never blocks. Since 0.1."]
    pub fn rondo_optimizer_query(optimizer: *mut rondo_optimizer, info: *mut rondo_optimizer_info) -> rondo_status;
}
extern "C" {
    #[doc = " out = whether no element of the n `tensors` is infinite or NaN: a bool without axes. Tensors of f16, bf16, f32 or f64"]
    #[doc = " on one device, each with elements that lie together in memory. One task. `out`, devices and errors as in ops.h. No"]
    #[doc = " gradient. Since 0.1."]
    pub fn rondo_all_finite(n: i32, tensors: *const *mut rondo_tensor, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = the root of the sum of the squares of all elements of the n `tensors`, summed in f64 in an order that shapes"]
    #[doc = " alone decide: an f32 without axes. Tensors as of rondo_all_finite. No gradient. Since 0.1."]
    pub fn rondo_global_norm(n: i32, tensors: *const *mut rondo_tensor, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " The n `tensors`, written in place, are multiplied by max_norm / (norm + 1e-6) where that is less than 1; out = that"]
    #[doc = " norm, as rondo_global_norm tells it of them before. A norm that is NaN makes all elements NaN; one too large for f32"]
    #[doc = " is infinite in out, but elements are clipped by what it is in f64. RONDO_INVALID_ARGUMENT for a max_norm that is not"]
    #[doc = " positive, and for tensors that share memory. No gradient. Since 0.1."]
    pub fn rondo_clip_global_norm(
        n: i32,
        tensors: *const *mut rondo_tensor,
        max_norm: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " computes in the scope's 16-bit float: f32 operands are cast to it"]
pub const RONDO_PRECISION_HALF: rondo_precision = 0;
#[doc = " computes in f32: 16-bit operands are cast to it"]
pub const RONDO_PRECISION_SINGLE: rondo_precision = 1;
#[doc = " computes in the widest dtype of its operands"]
pub const RONDO_PRECISION_WIDEST: rondo_precision = 2;
#[doc = " What a scope does with an operator; docs/mixed-precision.md says which operators have which. Values never change."]
#[doc = " Since 0.1."]
pub type rondo_precision = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " Begins an autocast scope on the calling thread: from here to its end the thread's operators on tensors of the engine"]
    #[doc = " compute in the precision that docs/mixed-precision.md has for them. Operands are cast by operators as rondo_cast: run"]
    #[doc = " at once or recorded, noted by tapes, fused by graphs; what was cast once is cast again only if it was written since."]
    #[doc = " Operands of f64, of integers and of 8-bit floats are not cast, nor those of an operator whose `out` is given, nor"]
    #[doc = " what runs inside rondo_tape_gradients."]
    #[doc = ""]
    #[doc = " dtype: RONDO_F16 or RONDO_BF16; RONDO_F32 for a scope in which nothing is cast. Scopes nest: the innermost counts,"]
    #[doc = " and begins with what rondo_autocast_set said in the one around it. RONDO_INVALID_ARGUMENT for another dtype,"]
    #[doc = " RONDO_INVALID_STATE inside a task. Since 0.1."]
    pub fn rondo_autocast_begin(engine: *mut rondo_engine, dtype: rondo_dtype) -> rondo_status;
}
extern "C" {
    #[doc = " Sets what the innermost scope does with an operator from here on. operation: its name as messages have it, \"exp\","]
    #[doc = " \"sum\", or its function's, \"matmul\", \"gated\", for which the former counts first; or the name of a live expression"]
    #[doc = " (rondo_expression_create), for texts of that name; copied. precision: what it computes in; texts compute with their"]
    #[doc = " operands as they are unless it is said. RONDO_INVALID_ARGUMENT for what is no such name or precision,"]
    #[doc = " RONDO_INVALID_STATE where the thread has no scope of the engine. Since 0.1."]
    pub fn rondo_autocast_set(
        engine: *mut rondo_engine,
        operation: *const ::std::os::raw::c_char,
        precision: rondo_precision,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Ends the innermost scope of the engine on the calling thread. RONDO_INVALID_STATE where there is none. Since 0.1."]
    pub fn rondo_autocast_end(engine: *mut rondo_engine) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_loss_scaler {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_loss_scaler_options {
    #[doc = " set by RONDO_LOSS_SCALER_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " the scale of the first step; 2 to the -126 to 2 to the 126"]
    pub initial_scale: f64,
    #[doc = " what the scale is multiplied by after growth_interval good steps; at least 1"]
    pub growth_factor: f64,
    #[doc = " what it is multiplied by after a step that was skipped; above 0, at most 1"]
    pub backoff_factor: f64,
    #[doc = " good steps in a row after which the scale grows; at least 1"]
    pub growth_interval: i64,
}
#[test]
fn bindgen_test_layout_rondo_loss_scaler_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_loss_scaler_options>(),
        40usize,
        concat!("Size of: ", stringify!(rondo_loss_scaler_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_loss_scaler_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_loss_scaler_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_loss_scaler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_loss_scaler_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_initial_scale() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_loss_scaler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).initial_scale) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_loss_scaler_options), "::", stringify!(initial_scale))
        );
    }
    test_field_initial_scale();
    fn test_field_growth_factor() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_loss_scaler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).growth_factor) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_loss_scaler_options), "::", stringify!(growth_factor))
        );
    }
    test_field_growth_factor();
    fn test_field_backoff_factor() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_loss_scaler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).backoff_factor) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_loss_scaler_options), "::", stringify!(backoff_factor))
        );
    }
    test_field_backoff_factor();
    fn test_field_growth_interval() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_loss_scaler_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).growth_interval) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_loss_scaler_options), "::", stringify!(growth_interval))
        );
    }
    test_field_growth_interval();
}
extern "C" {
    #[doc = " Makes a loss scaler for losses and gradients on `device`. options NULL means RONDO_LOSS_SCALER_OPTIONS_INIT. The"]
    #[doc = " caller owns *scaler. RONDO_INVALID_ARGUMENT for options out of range; in a recording: RONDO_INVALID_STATE. Since"]
    #[doc = " 0.1."]
    pub fn rondo_loss_scaler_create(
        engine: *mut rondo_engine,
        device: rondo_device,
        options: *const rondo_loss_scaler_options,
        scaler: *mut *mut rondo_loss_scaler,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the loss scaler. Never blocks; work in flight and graphs go on. NULL is allowed. Since 0.1."]
    pub fn rondo_loss_scaler_destroy(scaler: *mut rondo_loss_scaler);
}
extern "C" {
    #[doc = " out = loss times the scale, of which gradients are then asked: an operator as others are, noted by tapes. loss: f32"]
    #[doc = " or f64, of any shape. `out` as in ops.h. Since 0.1."]
    pub fn rondo_loss_scaler_scale(
        scaler: *mut rondo_loss_scaler,
        loss: *mut rondo_tensor,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " rondo_optimizer_step with gradients of a scaled loss: they are divided by the scale as they are read, and if any of"]
    #[doc = " them is not finite nothing is written and the step does not count. gradients: as rondo_optimizer_step takes them, on"]
    #[doc = " the scaler's device. Several optimizers may step before an update, each decides for itself. Does not wait. No"]
    #[doc = " gradient. Since 0.1."]
    pub fn rondo_loss_scaler_step(
        scaler: *mut rondo_loss_scaler,
        optimizer: *mut rondo_optimizer,
        n_gradients: i32,
        gradients: *const *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " What a step goes by that is not rondo_loss_scaler_step: of rows of tables (rondo_embedding_bag_descend), of an"]
    #[doc = " optimizer that others decide for too (rondo_optimizer_step), or of your own. *finite = whether no element of the"]
    #[doc = " n_gradients `gradients` of the scaled loss is infinite or NaN, a bool; *scale = 1 / the scale, which the step"]
    #[doc = " multiplies them by, an f32; both new, without axes, and the caller's. It counts as a step: where *finite is false the"]
    #[doc = " round is not a good one. gradients: as rondo_all_finite takes them, on the scaler's device. Does not wait. No"]
    #[doc = " gradient. Since 0.1."]
    pub fn rondo_loss_scaler_finite(
        scaler: *mut rondo_loss_scaler,
        n_gradients: i32,
        gradients: *const *mut rondo_tensor,
        finite: *mut *mut rondo_tensor,
        scale: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Ends a round of training, after its steps: if all of them were taken it was a good one, and the growth_interval-th"]
    #[doc = " in a row multiplies the scale by growth_factor; otherwise the scale is multiplied by backoff_factor. The scale stays"]
    #[doc = " from 2 to the -126 to 2 to the 126. Does not wait: ordered as any operator, eager or recorded. RONDO_INVALID_STATE"]
    #[doc = " where no step was asked for since the last update. No gradient. Since 0.1."]
    pub fn rondo_loss_scaler_update(scaler: *mut rondo_loss_scaler) -> rondo_status;
}
extern "C" {
    #[doc = " A tensor of the state, by `index`, and its name, for saving it and for loading it into: 0 \"loss_scaler.scale\" (f32),"]
    #[doc = " 1 \"loss_scaler.good_steps\" (i64, rounds since the scale last changed or was to), 2 \"loss_scaler.skipped_steps\" (i64,"]
    #[doc = " rounds with a step that was skipped), each without axes. *name lives as long as the process; the caller owns *tensor,"]
    #[doc = " which shares the state's memory. RONDO_INVALID_ARGUMENT for another index. Since 0.1."]
    pub fn rondo_loss_scaler_state(
        scaler: *mut rondo_loss_scaler,
        index: i32,
        name: *mut *const ::std::os::raw::c_char,
        tensor: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_model_file {
    _unused: [u8; 0],
}
extern "C" {
    #[doc = " Opens the file `path` and reads and checks its header: names, dtypes, shapes, and that the tensors' data fill the"]
    #[doc = " rest of the file without gap and overlap. RONDO_NOT_FOUND if there is no such file; RONDO_IO_ERROR if it cannot be"]
    #[doc = " read or is not valid, with the place and the reason; RONDO_UNSUPPORTED if a name or a text of the metadata has a zero"]
    #[doc = " character. The caller owns *file. A file that is replaced by another one of its name stays readable. Since 0.1."]
    pub fn rondo_model_file_open(path: *const ::std::os::raw::c_char, file: *mut *mut rondo_model_file)
        -> rondo_status;
}
extern "C" {
    #[doc = " Closes the file and destroys the handle. Never blocks; loads in flight go on. NULL is allowed. Since 0.1."]
    pub fn rondo_model_file_destroy(file: *mut rondo_model_file);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_model_file_info {
    #[doc = " set by RONDO_MODEL_FILE_INFO_INIT"]
    pub size: usize,
    #[doc = " number of tensors"]
    pub tensors: i64,
    #[doc = " number of entries of the metadata"]
    pub metadata: i64,
    #[doc = " of all tensors"]
    pub bytes: i64,
}
#[test]
fn bindgen_test_layout_rondo_model_file_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_model_file_info>(),
        32usize,
        concat!("Size of: ", stringify!(rondo_model_file_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_model_file_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_model_file_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_file_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_model_file_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_tensors() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_file_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).tensors) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_model_file_info), "::", stringify!(tensors))
        );
    }
    test_field_tensors();
    fn test_field_metadata() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_file_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).metadata) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_model_file_info), "::", stringify!(metadata))
        );
    }
    test_field_metadata();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_file_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_model_file_info), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
}
extern "C" {
    #[doc = " Facts about a file. Never blocks. Since 0.1."]
    pub fn rondo_model_file_query(file: *mut rondo_model_file, info: *mut rondo_model_file_info) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_model_tensor_info {
    #[doc = " set by RONDO_MODEL_TENSOR_INFO_INIT"]
    pub size: usize,
    #[doc = " 1 if Rondo has its dtype and as many dimensions"]
    pub loadable: i32,
    #[doc = " RONDO_BOOL where Rondo does not have it: see loadable"]
    pub dtype: rondo_dtype,
    #[doc = " may be more than RONDO_MAX_DIMS"]
    pub ndim: i32,
    #[doc = " 0"]
    pub reserved: i32,
    #[doc = " in the file"]
    pub bytes: i64,
    #[doc = " of more dimensions the first ones"]
    pub shape: [i64; 8usize],
    #[doc = " as the file spells it: \"F32\", \"F8_E4M3\""]
    pub format_dtype: [::std::os::raw::c_char; 16usize],
}
#[test]
fn bindgen_test_layout_rondo_model_tensor_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_model_tensor_info>(),
        112usize,
        concat!("Size of: ", stringify!(rondo_model_tensor_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_model_tensor_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_model_tensor_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_loadable() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).loadable) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(loadable))
        );
    }
    test_field_loadable();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(dtype))
        );
    }
    test_field_dtype();
    fn test_field_ndim() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ndim) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(ndim))
        );
    }
    test_field_ndim();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
    fn test_field_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bytes) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(bytes))
        );
    }
    test_field_bytes();
    fn test_field_shape() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).shape) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(shape))
        );
    }
    test_field_shape();
    fn test_field_format_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_model_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).format_dtype) as usize - ptr as usize
            },
            96usize,
            concat!("Offset of field: ", stringify!(rondo_model_tensor_info), "::", stringify!(format_dtype))
        );
    }
    test_field_format_dtype();
}
extern "C" {
    #[doc = " Name and facts of one tensor, by `index`: tensors are in the order of their data. *name lives as long as the file."]
    #[doc = " Never blocks. RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1."]
    pub fn rondo_model_file_tensor(
        file: *mut rondo_model_file,
        index: i64,
        name: *mut *const ::std::os::raw::c_char,
        info: *mut rondo_model_tensor_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The index of the tensor `name`. Never blocks. RONDO_NOT_FOUND if there is none of this name. Since 0.1."]
    pub fn rondo_model_file_find(
        file: *mut rondo_model_file,
        name: *const ::std::os::raw::c_char,
        index: *mut i64,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " One entry of the metadata, by `index`, in the file's order. *key and *value live as long as the file. Never blocks."]
    #[doc = " RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1."]
    pub fn rondo_model_file_metadata(
        file: *mut rondo_model_file,
        index: i64,
        key: *mut *const ::std::os::raw::c_char,
        value: *mut *const ::std::os::raw::c_char,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Loads the tensor `name`. *out NULL: creates a tensor of its shape and dtype on `device`. Otherwise *out, which must"]
    #[doc = " be on that device and have that shape and dtype, is written; it may be a view, and one that accumulates."]
    #[doc = ""]
    #[doc = " Asynchronous like rondo_copy_to, but for memory to stage in: a load to a GPU may wait for earlier ones. Workers read"]
    #[doc = " the file when the tensor's turn comes. If they cannot, or if the file was changed since it was opened, or a bool is"]
    #[doc = " neither 0 nor 1, the tensor gets the error RONDO_IO_ERROR, which waits on it return. Not recorded:"]
    #[doc = " RONDO_INVALID_STATE while this thread records on the engine."]
    #[doc = ""]
    #[doc = " RONDO_NOT_FOUND if there is no tensor of this name; RONDO_UNSUPPORTED if Rondo does not have its dtype or has fewer"]
    #[doc = " dimensions. Since 0.1."]
    pub fn rondo_model_file_load(
        file: *mut rondo_model_file,
        name: *const ::std::os::raw::c_char,
        engine: *mut rondo_engine,
        device: rondo_device,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Writes `n_tensors` tensors under `names` and `n_metadata` pairs of `keys` and `values` as the file `path`. The"]
    #[doc = " tensors may be on any devices of any engines, and views. Waits for each of them; another thread that writes into one"]
    #[doc = " meanwhile may leave a mixture of old and new."]
    #[doc = ""]
    #[doc = " The file appears under its name when it is complete and on the disk; until then, and after a failure, there is the"]
    #[doc = " former one or none. It is written beside it under another name and takes over its permissions; a symbolic link is"]
    #[doc = " replaced. Equal contents give equal bytes: tensors are sorted by dtype and name, metadata stay in order."]
    #[doc = ""]
    #[doc = " RONDO_INVALID_ARGUMENT for a name or key that comes twice or is not UTF-8; RONDO_IO_ERROR if the file cannot be"]
    #[doc = " written; a poisoned tensor's error, RONDO_INVALID_STATE for one that was never written. Not allowed while recording"]
    #[doc = " or inside a task. Since 0.1."]
    pub fn rondo_model_file_write(
        path: *const ::std::os::raw::c_char,
        names: *const *const ::std::os::raw::c_char,
        tensors: *const *mut rondo_tensor,
        n_tensors: usize,
        keys: *const *const ::std::os::raw::c_char,
        values: *const *const ::std::os::raw::c_char,
        n_metadata: usize,
    ) -> rondo_status;
}
#[doc = " What comes after the normalisation: out = activation(normalised a * weight + bias + residual). Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_norm_options {
    #[doc = " set by RONDO_NORM_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " NULL, or [c] of a's dtype or that of statistics"]
    pub weight: *mut rondo_tensor,
    #[doc = " NULL, or the same"]
    pub bias: *mut rondo_tensor,
    #[doc = " NULL, or of a's shape and dtype"]
    pub residual: *mut rondo_tensor,
    #[doc = " added to the variance; at least 0. By default 1e-5"]
    pub epsilon: f64,
    #[doc = " RONDO_ACTIVATION_NONE or RONDO_ACTIVATION_RELU, applied before rounding"]
    pub activation: rondo_activation,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_norm_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_norm_options>(),
        48usize,
        concat!("Size of: ", stringify!(rondo_norm_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_norm_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_norm_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_norm_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_weight() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weight) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_norm_options), "::", stringify!(weight))
        );
    }
    test_field_weight();
    fn test_field_bias() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bias) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_norm_options), "::", stringify!(bias))
        );
    }
    test_field_bias();
    fn test_field_residual() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).residual) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_norm_options), "::", stringify!(residual))
        );
    }
    test_field_residual();
    fn test_field_epsilon() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).epsilon) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_norm_options), "::", stringify!(epsilon))
        );
    }
    test_field_epsilon();
    fn test_field_activation() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).activation) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_norm_options), "::", stringify!(activation))
        );
    }
    test_field_activation();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_norm_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            44usize,
            concat!("Offset of field: ", stringify!(rondo_norm_options), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " out = batch normalisation with given statistics, as in inference: (a - mean) / sqrt(variance + epsilon), and what"]
    #[doc = " options say. mean and variance are [c], of the dtype of statistics, and have gradients too. options NULL means"]
    #[doc = " RONDO_NORM_OPTIONS_INIT. out may be a or the residual. One task. Since 0.1."]
    pub fn rondo_batch_norm(
        a: *mut rondo_tensor,
        mean: *mut rondo_tensor,
        variance: *mut rondo_tensor,
        options: *const rondo_norm_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same with the statistics of the batch, as in training: mean and variance of each channel of a, of which at least"]
    #[doc = " one element is needed. mean (may be NULL) and inverse_deviation (may be NULL), [c], are out parameters like out: the"]
    #[doc = " mean, and 1 / sqrt(variance + epsilon). options may be NULL. running_mean (may be NULL) and running_variance (may be"]
    #[doc = " NULL), both or neither, are [c] of the dtype of statistics, have contents, and become (1 - momentum) of what they"]
    #[doc = " were and momentum, 0 to 1, of the batch's; the variance is the unbiased one there, and that of one element 0. Two"]
    #[doc = " tasks. Since 0.1."]
    pub fn rondo_batch_norm_training(
        a: *mut rondo_tensor,
        running_mean: *mut rondo_tensor,
        running_variance: *mut rondo_tensor,
        momentum: f64,
        options: *const rondo_norm_options,
        out: *mut *mut rondo_tensor,
        mean: *mut *mut rondo_tensor,
        inverse_deviation: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a with mean 0 and variance 1 in each group of each sample, and what options say, which may be NULL: options"]
    #[doc = " NULL is as for rondo_batch_norm. The channels are `groups` equal parts, one behind the other. a has at most"]
    #[doc = " RONDO_MAX_DIMS - 1 dimensions. Two tasks. Since 0.1."]
    pub fn rondo_group_norm(
        a: *mut rondo_tensor,
        groups: i64,
        options: *const rondo_norm_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = the same for each channel of each sample. options may be NULL. Since 0.1."]
    pub fn rondo_instance_norm(
        a: *mut rondo_tensor,
        options: *const rondo_norm_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " Numbers by spatial axis: entries behind the last one of a are ignored. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_pool_options {
    #[doc = " set by RONDO_POOL_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " from one window to the next; 0: the window's size"]
    pub stride: [i64; 3usize],
    #[doc = " places before the first element; less than the window's extent"]
    pub padding: [i64; 3usize],
    #[doc = " places behind the last one; -1: as many as padding"]
    pub padding_end: [i64; 3usize],
    #[doc = " from one element of a window to the next; of the mean, 1"]
    pub dilation: [i64; 3usize],
    #[doc = " a last window that is there in part counts, if it begins before the end"]
    pub ceil_mode: i32,
    #[doc = " the mean is of the padding's zeros too. By default it is"]
    pub count_include_pad: i32,
}
#[test]
fn bindgen_test_layout_rondo_pool_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_pool_options>(),
        112usize,
        concat!("Size of: ", stringify!(rondo_pool_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_pool_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_pool_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_pool_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_pool_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_stride() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_pool_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stride) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_pool_options), "::", stringify!(stride))
        );
    }
    test_field_stride();
    fn test_field_padding() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_pool_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).padding) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_pool_options), "::", stringify!(padding))
        );
    }
    test_field_padding();
    fn test_field_padding_end() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_pool_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).padding_end) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_pool_options), "::", stringify!(padding_end))
        );
    }
    test_field_padding_end();
    fn test_field_dilation() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_pool_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dilation) as usize - ptr as usize
            },
            80usize,
            concat!("Offset of field: ", stringify!(rondo_pool_options), "::", stringify!(dilation))
        );
    }
    test_field_dilation();
    fn test_field_ceil_mode() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_pool_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ceil_mode) as usize - ptr as usize
            },
            104usize,
            concat!("Offset of field: ", stringify!(rondo_pool_options), "::", stringify!(ceil_mode))
        );
    }
    test_field_ceil_mode();
    fn test_field_count_include_pad() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_pool_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).count_include_pad) as usize - ptr as usize
            },
            108usize,
            concat!("Offset of field: ", stringify!(rondo_pool_options), "::", stringify!(count_include_pad))
        );
    }
    test_field_count_include_pad();
}
extern "C" {
    #[doc = " out = the largest element of each window; NaN if any is NaN, and -infinity where dilation leaves a window without"]
    #[doc = " elements. kernel has n entries, the window's sizes on a's n spatial axes. The result has (size + padding +"]
    #[doc = " padding_end"]
    #[doc = " - dilation (kernel - 1) - 1) / stride + 1 places on each, rounded down, or with ceil_mode up. options NULL means"]
    #[doc = " RONDO_POOL_OPTIONS_INIT. Gradient: to the first of the largest; a tape keeps where it is. Since 0.1."]
    pub fn rondo_max_pool(
        a: *mut rondo_tensor,
        n: i32,
        kernel: *const i64,
        options: *const rondo_pool_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = the mean of each window. Otherwise as rondo_max_pool; options may be NULL. Since 0.1."]
    pub fn rondo_avg_pool(
        a: *mut rondo_tensor,
        n: i32,
        kernel: *const i64,
        options: *const rondo_pool_options,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = the largest element of each of so many parts of each of a's n spatial axes: part i of k begins at i size / k,"]
    #[doc = " rounded down, and ends before (i + 1) size / k, rounded up. sizes has n entries; 1 each is global pooling. Gradient"]
    #[doc = " as of rondo_max_pool. Since 0.1."]
    pub fn rondo_adaptive_max_pool(
        a: *mut rondo_tensor,
        n: i32,
        sizes: *const i64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same with the mean. Since 0.1."]
    pub fn rondo_adaptive_avg_pool(
        a: *mut rondo_tensor,
        n: i32,
        sizes: *const i64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " the nearest element; of two equally near the one that the origin says"]
pub const RONDO_RESIZE_NEAREST: rondo_resize_mode = 0;
#[doc = " neighbours by their distance: linear, bilinear or trilinear"]
pub const RONDO_RESIZE_LINEAR: rondo_resize_mode = 1;
#[doc = " the nearest element; of two equally near the one behind, whatever the origin"]
pub const RONDO_RESIZE_NEAREST_EXACT: rondo_resize_mode = 2;
#[doc = " How an element of a resized image is made. Since 0.1."]
pub type rondo_resize_mode = ::std::os::raw::c_uint;
#[doc = " (i + 1/2) in / out - 1/2; NEAREST: of two equally near the one before"]
pub const RONDO_RESIZE_HALF_PIXEL: rondo_resize_origin = 0;
#[doc = " i (in - 1) / (out - 1); NEAREST: of two equally near the one behind"]
pub const RONDO_RESIZE_ALIGN_CORNERS: rondo_resize_origin = 1;
#[doc = " i in / out; NEAREST: always the one before, however near the next is"]
pub const RONDO_RESIZE_ASYMMETRIC: rondo_resize_origin = 2;
#[doc = " Where element i of `out` elements lies among `in` elements. Since 0.1."]
pub type rondo_resize_origin = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " out = a with other sizes of its n spatial axes. Places outside are those of the first or last element; no element in"]
    #[doc = " between is left out on purpose (there is no filter against aliasing). Nearest elements are found in integers,"]
    #[doc = " exactly; places of linear are computed in double. PyTorch's nearest-exact is RONDO_RESIZE_NEAREST_EXACT from half"]
    #[doc = " pixels. Since 0.1."]
    pub fn rondo_resize(
        a: *mut rondo_tensor,
        n: i32,
        sizes: *const i64,
        mode: rondo_resize_mode,
        origin: rondo_resize_origin,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a / (k + alpha mean of a * a)^beta, the mean being over `size` neighbouring channels, size / 2 before each and"]
    #[doc = " the rest from it on, with zeros outside: local response normalisation. Several tasks. Since 0.1."]
    pub fn rondo_local_response_norm(
        a: *mut rondo_tensor,
        size: i64,
        alpha: f64,
        beta: f64,
        k: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_instance {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_save_options {
    #[doc = " set by RONDO_PROGRAM_SAVE_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " names of the inputs of all functions, one function after the other; NULL, or NULL"]
    #[doc = "for one: \"input0\" and so on"]
    pub inputs: *const *const ::std::os::raw::c_char,
    #[doc = " the same of outputs: \"output0\""]
    pub outputs: *const *const ::std::os::raw::c_char,
    #[doc = " tensors from outside that get names"]
    pub n_weights: usize,
    #[doc = " as many; the other tensors from outside are \"weight0\" and so on"]
    pub weight_names: *const *const ::std::os::raw::c_char,
    #[doc = " as many, each of them used by a function, and whole: no part of a tensor"]
    pub weights: *const *mut rondo_tensor,
    #[doc = " texts of the program's author, such as the labels of a classifier; the keys"]
    #[doc = "\"rondo.program\" and \"rondo.check\" are Rondo's"]
    pub n_metadata: usize,
    #[doc = " as many"]
    pub keys: *const *const ::std::os::raw::c_char,
    #[doc = " as many"]
    pub values: *const *const ::std::os::raw::c_char,
    #[doc = " the oldest version of the library that shall read the file, such as \"0.1\"; NULL:"]
    #[doc = "this one"]
    pub reader: *const ::std::os::raw::c_char,
    #[doc = " the name of a safetensors file in the folder of the program's, which is written and"]
    #[doc = "has the weights; NULL: none is written"]
    pub weights_into: *const ::std::os::raw::c_char,
    #[doc = " safetensors files that are there, in the folder of the program's"]
    pub n_weights_from: usize,
    #[doc = " as many names; they stay as they are, and their tensors with names of weights are"]
    #[doc = "equal to these"]
    pub weights_from: *const *const ::std::os::raw::c_char,
}
#[test]
fn bindgen_test_layout_rondo_program_save_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_save_options>(),
        104usize,
        concat!("Size of: ", stringify!(rondo_program_save_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_save_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_save_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_inputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).inputs) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(inputs))
        );
    }
    test_field_inputs();
    fn test_field_outputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).outputs) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(outputs))
        );
    }
    test_field_outputs();
    fn test_field_n_weights() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).n_weights) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(n_weights))
        );
    }
    test_field_n_weights();
    fn test_field_weight_names() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weight_names) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(weight_names))
        );
    }
    test_field_weight_names();
    fn test_field_weights() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weights) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(weights))
        );
    }
    test_field_weights();
    fn test_field_n_metadata() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).n_metadata) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(n_metadata))
        );
    }
    test_field_n_metadata();
    fn test_field_keys() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).keys) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(keys))
        );
    }
    test_field_keys();
    fn test_field_values() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).values) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(values))
        );
    }
    test_field_values();
    fn test_field_reader() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reader) as usize - ptr as usize
            },
            72usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(reader))
        );
    }
    test_field_reader();
    fn test_field_weights_into() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weights_into) as usize - ptr as usize
            },
            80usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(weights_into))
        );
    }
    test_field_weights_into();
    fn test_field_n_weights_from() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).n_weights_from) as usize - ptr as usize
            },
            88usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(n_weights_from))
        );
    }
    test_field_n_weights_from();
    fn test_field_weights_from() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_save_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weights_from) as usize - ptr as usize
            },
            96usize,
            concat!("Offset of field: ", stringify!(rondo_program_save_options), "::", stringify!(weights_from))
        );
    }
    test_field_weights_from();
}
extern "C" {
    #[doc = " Writes `n_functions` graphs that are called (RONDO_RECORD_CALLABLE) as the functions of the file `path`, under"]
    #[doc = " `names`, as they were recorded, before passes. Tensors from outside become weights, which the functions share; those"]
    #[doc = " that a function writes become states, with what is in them now. Waits for them. Parameters and sections have the"]
    #[doc = " values that they have now. options NULL means RONDO_PROGRAM_SAVE_OPTIONS_INIT."]
    #[doc = ""]
    #[doc = " The file appears under its name when it is complete (rondo_model_file_write). Equal programs give equal bytes."]
    #[doc = ""]
    #[doc = " With options->weights_into or options->weights_from the file `path` is JSON: the program, and the files that have its"]
    #[doc = " weights, by name, size and SHA-256. Weights that are in no file of weights_from are written into weights_into;"]
    #[doc = " without such weights it is not written. Both files appear when both are complete. A file of that name is replaced:"]
    #[doc = " other programs that name it are refused from then on."]
    #[doc = ""]
    #[doc = " RONDO_UNSUPPORTED if something cannot be in a file, or is newer than the version that shall read it: the message"]
    #[doc = " names each such operator, and where it was recorded if that was noted. RONDO_INVALID_ARGUMENT for names that come"]
    #[doc = " twice, are empty, have control characters or are not UTF-8, for keys that are Rondo's, for a weight that no function"]
    #[doc = " uses, and for one that differs from the tensor of its name in weights_from, is in two of these files or has no file"]
    #[doc = " to go into, and for a file of weights_from that has no weight, is named twice or lies in another folder;"]
    #[doc = " RONDO_NOT_FOUND for a file of weights_from that is not there; RONDO_IO_ERROR if a file cannot be read or written; a"]
    #[doc = " poisoned weight's error. Not allowed while recording or inside a task. Since 0.1."]
    pub fn rondo_program_save(
        path: *const ::std::os::raw::c_char,
        n_functions: i32,
        names: *const *const ::std::os::raw::c_char,
        graphs: *const *mut rondo_graph,
        options: *const rondo_program_save_options,
    ) -> rondo_status;
}
#[doc = " Records one function of a program at some sizes, for rondo_program_save_with_dims: the one with the number `function`"]
#[doc = " among its names, with dims[i] of the i-th named dimension. Gives *graph, which is called (RONDO_RECORD_CALLABLE), and"]
#[doc = " which passes to Rondo. It has the same operators at all sizes, and uses the same tensors from outside: what it needs"]
#[doc = " besides is made once, before. Must not throw. Returns RONDO_OK, or a status that saving fails with."]
pub type rondo_program_record_fn = ::std::option::Option<
    unsafe extern "C" fn(
        arg: *mut ::std::os::raw::c_void,
        function: i32,
        n_dims: i32,
        dims: *const i64,
        graph: *mut *mut rondo_graph,
    ) -> rondo_status,
>;
extern "C" {
    #[doc = " Writes functions whose sizes vary, as rondo_program_save does those of one size. The dimensions dim_names[i], n_dims"]
    #[doc = " of them (8 at most), are from least[i] to most[i]; a loaded function takes all sizes in between. Names have letters"]
    #[doc = " of ASCII, digits and _, and begin with no digit."]
    #[doc = ""]
    #[doc = " Calls `record` on the calling thread, with `arg`, several times for each function: at sizes between the bounds that"]
    #[doc = " differ for each dimension (of one with five sizes or fewer at all of them), at the smallest, at 1 where these are 0,"]
    #[doc = " and after that at the largest of all dimensions and at one more, if they were not among them. Each number of the"]
    #[doc = " program that differs between recordings must be an expression of the dimensions: a sum of products, a quotient of one"]
    #[doc = " dimension rounded down, or a real number times these or divided by them. At the smallest sizes nodes may differ that"]
    #[doc = " do the same to the same elements. Each dimension that a function varies with is an axis of one of its inputs, or a"]
    #[doc = " whole number times it is: of an axis of 32 * H, sizes are multiples of 32."]
    #[doc = " options: names of inputs and outputs are as many as the recorded graphs have."]
    #[doc = ""]
    #[doc = " RONDO_UNSUPPORTED if nodes differ between recordings, if a number is no such expression, or if further recordings are"]
    #[doc = " not what was found; the message names each such operator, and where it was recorded if that was noted."]
    #[doc = " The failure of `record` with the sizes it was asked for; RONDO_USER_ERROR if it gives no graph; RONDO_INVALID_STATE"]
    #[doc = " while this thread records; other errors as of rondo_program_save. Since 0.1."]
    pub fn rondo_program_save_with_dims(
        path: *const ::std::os::raw::c_char,
        n_functions: i32,
        names: *const *const ::std::os::raw::c_char,
        n_dims: i32,
        dim_names: *const *const ::std::os::raw::c_char,
        least: *const i64,
        most: *const i64,
        record: rondo_program_record_fn,
        arg: *mut ::std::os::raw::c_void,
        options: *const rondo_program_save_options,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Opens the file `path` and reads and checks its program; no weight is read. Of JSON also opens the files that it"]
    #[doc = " names, which lie in its folder and are no links. The caller owns *program. RONDO_NOT_FOUND if there is no such file;"]
    #[doc = " RONDO_IO_ERROR if one cannot be read or is not valid, or has another size than the program says, with the place and"]
    #[doc = " the reason; RONDO_UNSUPPORTED if it needs a later version of the library, with the first word that this one does not"]
    #[doc = " know. Since 0.1."]
    pub fn rondo_program_open(path: *const ::std::os::raw::c_char, program: *mut *mut rondo_program) -> rondo_status;
}
extern "C" {
    #[doc = " Opens a program from the bytes that its file would have, `bytes` of them at `data`, as rondo_program_open does. They"]
    #[doc = " are copied: the caller's may change or go when this returns, and the program and its instances keep the copy. What is"]
    #[doc = " large is better opened by its path, which takes no memory for what is on a device."]
    #[doc = ""]
    #[doc = " RONDO_UNSUPPORTED for JSON that names files, since bytes have no folder; other errors as of rondo_program_open."]
    #[doc = " Since 0.1."]
    pub fn rondo_program_open_bytes(
        data: *const ::std::os::raw::c_void,
        bytes: usize,
        program: *mut *mut rondo_program,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Says that `program` comes from somebody whom the caller trusts. Until this is said nothing that is compiled or chosen"]
    #[doc = " for it is kept for other processes (rondo/cache.h): its kernels would take the room of others'. What is kept already"]
    #[doc = " is used all the same. Holds for instances, calls and rondo_program_memory from now on, and for programs that were"]
    #[doc = " bound from it. What a process has compiled before it keeps in its memory alone. Never blocks. Since 0.1."]
    pub fn rondo_program_trust(program: *mut rondo_program) -> rondo_status;
}
extern "C" {
    #[doc = " Limits how long it may take to make something of `program`, from now on and each time anew, to most_ms milliseconds;"]
    #[doc = " 0: as long as it takes, as at first. That is an instance, the graph of another size in a call, what"]
    #[doc = " rondo_program_bind, rondo_program_memory, rondo_program_kernels and rondo_program_check make, and what a call adds to"]
    #[doc = " a recording: where sizes vary at the call, else when the recording, or the body that it is in, ends. Also of programs"]
    #[doc = " that were bound from it, and of instances that are there."]
    #[doc = ""]
    #[doc = " When it is over they return RONDO_TIMED_OUT, and nothing of it is kept but kernels that were compiled. Looked at"]
    #[doc = " between nodes, passes and kernels: a kernel that is compiled goes on to its end, and so does a piece of a file that"]
    #[doc = " is read. RONDO_INVALID_ARGUMENT for a limit below 0. Never blocks. Since 0.1."]
    pub fn rondo_program_limit_making(program: *mut rondo_program, most_ms: i64) -> rondo_status;
}
extern "C" {
    #[doc = " Limits the memory of the host that it may take to make something of `program`, from now on and each time anew, to"]
    #[doc = " most_bytes; 0: what RONDO_PROGRAM_HOST_MB says, as at first. It holds for all that rondo_program_limit_making holds"]
    #[doc = " for. Counted are nodes with their operands, which are read, recorded and made into tasks, the steps of recurrent"]
    #[doc = " layers, and kernels that are compiled; also what goes again before the end. Tensors are not: these have"]
    #[doc = " rondo_engine_options and rondo_program_instance_options."]
    #[doc = ""]
    #[doc = " What needs more is RONDO_OUT_OF_MEMORY before it is made, and nothing of it is kept but kernels that were compiled."]
    #[doc = " Opening a file has the limit of RONDO_PROGRAM_HOST_MB. RONDO_INVALID_ARGUMENT for a limit below 0. Never blocks."]
    #[doc = " Since 0.1."]
    pub fn rondo_program_limit_host_memory(program: *mut rondo_program, most_bytes: i64) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the handle `program`. Never blocks; instances stay. NULL is allowed. Since 0.1."]
    pub fn rondo_program_destroy(program: *mut rondo_program);
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_info {
    #[doc = " set by RONDO_PROGRAM_INFO_INIT"]
    pub size: usize,
    #[doc = " number of functions"]
    pub functions: i64,
    #[doc = " number of weights, states too"]
    pub weights: i64,
    #[doc = " number of texts of the author"]
    pub metadata: i64,
    #[doc = " of all weights that no function writes"]
    pub weight_bytes: i64,
    #[doc = " of those that functions write, which each instance has for itself"]
    pub state_bytes: i64,
    #[doc = " the version of the library that it needs, such as \"0.1\""]
    pub needs: [::std::os::raw::c_char; 16usize],
    #[doc = " number of dimensions that vary and have names"]
    pub dims: i64,
}
#[test]
fn bindgen_test_layout_rondo_program_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_info>(),
        72usize,
        concat!("Size of: ", stringify!(rondo_program_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_functions() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).functions) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(functions))
        );
    }
    test_field_functions();
    fn test_field_weights() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weights) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(weights))
        );
    }
    test_field_weights();
    fn test_field_metadata() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).metadata) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(metadata))
        );
    }
    test_field_metadata();
    fn test_field_weight_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weight_bytes) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(weight_bytes))
        );
    }
    test_field_weight_bytes();
    fn test_field_state_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).state_bytes) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(state_bytes))
        );
    }
    test_field_state_bytes();
    fn test_field_needs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).needs) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(needs))
        );
    }
    test_field_needs();
    fn test_field_dims() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dims) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_program_info), "::", stringify!(dims))
        );
    }
    test_field_dims();
}
extern "C" {
    #[doc = " Facts about a program. Never blocks. Since 0.1."]
    pub fn rondo_program_query(program: *mut rondo_program, info: *mut rondo_program_info) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_function_info {
    #[doc = " set by RONDO_PROGRAM_FUNCTION_INFO_INIT"]
    pub size: usize,
    #[doc = " number of inputs"]
    pub inputs: i32,
    #[doc = " number of outputs"]
    pub outputs: i32,
    #[doc = " number of nodes, views too"]
    pub nodes: i64,
    #[doc = " numbers that rondo_graph_set sets"]
    pub parameters: i32,
    #[doc = " parts that rondo_graph_enable switches"]
    pub sections: i32,
    #[doc = " 1: something in it varies with dimensions that have names, and it is called at any size"]
    pub varies: i32,
    #[doc = " 0"]
    pub reserved: i32,
}
#[test]
fn bindgen_test_layout_rondo_program_function_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_function_info>(),
        40usize,
        concat!("Size of: ", stringify!(rondo_program_function_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_function_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_function_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_inputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).inputs) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(inputs))
        );
    }
    test_field_inputs();
    fn test_field_outputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).outputs) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(outputs))
        );
    }
    test_field_outputs();
    fn test_field_nodes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).nodes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(nodes))
        );
    }
    test_field_nodes();
    fn test_field_parameters() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).parameters) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(parameters))
        );
    }
    test_field_parameters();
    fn test_field_sections() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).sections) as usize - ptr as usize
            },
            28usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(sections))
        );
    }
    test_field_sections();
    fn test_field_varies() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).varies) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(varies))
        );
    }
    test_field_varies();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_function_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            36usize,
            concat!("Offset of field: ", stringify!(rondo_program_function_info), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
}
extern "C" {
    #[doc = " Name and facts of one function, by `index`, in the file's order. *name lives as long as the program. Never blocks."]
    #[doc = " RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1."]
    pub fn rondo_program_function(
        program: *mut rondo_program,
        index: i64,
        name: *mut *const ::std::os::raw::c_char,
        info: *mut rondo_program_function_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The index of the function `name` of `program`. Never blocks. RONDO_NOT_FOUND if there is none, with the names there"]
    #[doc = " are. Since 0.1."]
    pub fn rondo_program_find(
        program: *mut rondo_program,
        name: *const ::std::os::raw::c_char,
        index: *mut i64,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Name and bounds of a dimension that varies, by `index`: its sizes are from *least to *most. *name lives as long as"]
    #[doc = " the program. Never blocks. RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1."]
    pub fn rondo_program_dim(
        program: *mut rondo_program,
        index: i64,
        name: *mut *const ::std::os::raw::c_char,
        least: *mut i64,
        most: *mut i64,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_tensor_info {
    #[doc = " set by RONDO_PROGRAM_TENSOR_INFO_INIT"]
    pub size: usize,
    #[doc = " its dtype"]
    pub dtype: rondo_dtype,
    #[doc = " its dimensions"]
    pub ndim: i32,
    #[doc = " of a weight, 1: functions write it, and each instance has its own"]
    pub state: i32,
    #[doc = " 0"]
    pub reserved: i32,
    #[doc = " its shape; where it varies, that of the largest sizes"]
    pub shape: [i64; 8usize],
    #[doc = " of each axis: 0, it is fixed; 1 + i, it has the size of the dimension i; -1, its size"]
    #[doc = "is another expression of dimensions"]
    pub dims: [i32; 8usize],
}
#[test]
fn bindgen_test_layout_rondo_program_tensor_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_tensor_info>(),
        120usize,
        concat!("Size of: ", stringify!(rondo_program_tensor_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_tensor_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_tensor_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_tensor_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_dtype() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dtype) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_tensor_info), "::", stringify!(dtype))
        );
    }
    test_field_dtype();
    fn test_field_ndim() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).ndim) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_program_tensor_info), "::", stringify!(ndim))
        );
    }
    test_field_ndim();
    fn test_field_state() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).state) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_tensor_info), "::", stringify!(state))
        );
    }
    test_field_state();
    fn test_field_reserved() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).reserved) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_program_tensor_info), "::", stringify!(reserved))
        );
    }
    test_field_reserved();
    fn test_field_shape() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).shape) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_tensor_info), "::", stringify!(shape))
        );
    }
    test_field_shape();
    fn test_field_dims() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_tensor_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).dims) as usize - ptr as usize
            },
            88usize,
            concat!("Offset of field: ", stringify!(rondo_program_tensor_info), "::", stringify!(dims))
        );
    }
    test_field_dims();
}
extern "C" {
    #[doc = " Name and facts of an input of a function, both by index. *name lives as long as the program. Never blocks."]
    #[doc = " RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1."]
    pub fn rondo_program_input(
        program: *mut rondo_program,
        function: i64,
        index: i32,
        name: *mut *const ::std::os::raw::c_char,
        info: *mut rondo_program_tensor_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same of an output of the function with the index `function` of `program`. Since 0.1."]
    pub fn rondo_program_output(
        program: *mut rondo_program,
        function: i64,
        index: i32,
        name: *mut *const ::std::os::raw::c_char,
        info: *mut rondo_program_tensor_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same of a weight of `program`. Since 0.1."]
    pub fn rondo_program_weight(
        program: *mut rondo_program,
        index: i64,
        name: *mut *const ::std::os::raw::c_char,
        info: *mut rondo_program_tensor_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " One text of the program's author, by `index`, in the file's order. *key and *value live as long as the program. Never"]
    #[doc = " blocks. RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1."]
    pub fn rondo_program_metadata(
        program: *mut rondo_program,
        index: i64,
        key: *mut *const ::std::os::raw::c_char,
        value: *mut *const ::std::os::raw::c_char,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The program as the file has it: JSON, one node a line. Writes at most capacity bytes with the final zero; *length is"]
    #[doc = " the whole length without it (buffer may be NULL with capacity 0). Never blocks. Since 0.1."]
    pub fn rondo_program_text(
        program: *mut rondo_program,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        length: *mut usize,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Gives a program with dimensions at the sizes `dims` and no others, one for each dimension: its functions have the"]
    #[doc = " shapes of these. The caller owns *bound, which is a program like others, shares weights with `program` and lives on"]
    #[doc = " without it. RONDO_INVALID_ARGUMENT for another number of sizes and for those outside the bounds; RONDO_IO_ERROR if"]
    #[doc = " what the file says cannot have these sizes. Since 0.1."]
    pub fn rondo_program_bind(
        program: *mut rondo_program,
        n_dims: i32,
        dims: *const i64,
        bound: *mut *mut rondo_program,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_memory_info {
    #[doc = " set by RONDO_PROGRAM_MEMORY_INFO_INIT"]
    pub size: usize,
    #[doc = " of all weights that no function writes: instances on one device share them"]
    pub weight_bytes: i64,
    #[doc = " of those that functions write"]
    pub state_bytes: i64,
    #[doc = " of the graphs of all functions: temporaries, and what calls copy inputs and outputs through"]
    pub graph_bytes: i64,
}
#[test]
fn bindgen_test_layout_rondo_program_memory_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_memory_info>(),
        32usize,
        concat!("Size of: ", stringify!(rondo_program_memory_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_memory_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_memory_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_memory_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_weight_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weight_bytes) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_memory_info), "::", stringify!(weight_bytes))
        );
    }
    test_field_weight_bytes();
    fn test_field_state_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).state_bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_memory_info), "::", stringify!(state_bytes))
        );
    }
    test_field_state_bytes();
    fn test_field_graph_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_memory_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).graph_bytes) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_memory_info), "::", stringify!(graph_bytes))
        );
    }
    test_field_graph_bytes();
}
extern "C" {
    #[doc = " The memory that an instance of `program` takes on a device, where dimensions that vary have the sizes `dims`, one for"]
    #[doc = " each (NULL and 0 if there are none), with one arena: graph_bytes are once more for each further one. The sum is what"]
    #[doc = " options->most_bytes of an instance has to allow. No weight is"]
    #[doc = " read and nothing is made but kernels that are missing, which may take as long as an instance of that size."]
    #[doc = " RONDO_INVALID_ARGUMENT and RONDO_IO_ERROR as of rondo_program_bind; other errors as of rondo_program_create_instance."]
    #[doc = " Since 0.1."]
    pub fn rondo_program_memory(
        program: *mut rondo_program,
        engine: *mut rondo_engine,
        device: rondo_device,
        n_dims: i32,
        dims: *const i64,
        info: *mut rondo_program_memory_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Calls each function of the program file `path` n_calls times, with inputs that a seed gives, and writes the file anew"]
    #[doc = " with a self-check: what the calls have given. sizes: where dimensions vary, one size of each for each call, n_sizes"]
    #[doc = " together; NULL and 0 where none do. The file may be JSON beside its weights, which stay as they are; a check that is"]
    #[doc = " there is replaced. Real inputs are from -1 to 1, whole ones are 0 or 1. States are as in the file. Older versions of"]
    #[doc = " the library read the file too."]
    #[doc = " RONDO_INVALID_ARGUMENT for fewer calls than 1, or more than 64 of all functions together, for another number of"]
    #[doc = " sizes, for sizes outside the bounds and for a check of more than 4 MiB; RONDO_UNSUPPORTED if a second run has other"]
    #[doc = " results, as of random numbers; RONDO_OUT_OF_MEMORY if inputs and outputs of a call have more than 1 GiB; errors as of"]
    #[doc = " rondo_program_open, rondo_program_create_instance, rondo_program_call and rondo_program_save. Since 0.1."]
    pub fn rondo_program_add_check(
        path: *const ::std::os::raw::c_char,
        engine: *mut rondo_engine,
        device: rondo_device,
        n_calls: i32,
        n_sizes: i32,
        sizes: *const i64,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_check_info {
    #[doc = " set by RONDO_PROGRAM_CHECK_INFO_INIT"]
    pub size: usize,
    #[doc = " calls that were made"]
    pub calls: i64,
    #[doc = " outputs that were compared"]
    pub outputs: i64,
    #[doc = " of these the ones that had to have the same bits"]
    pub exact: i64,
}
#[test]
fn bindgen_test_layout_rondo_program_check_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_check_info>(),
        32usize,
        concat!("Size of: ", stringify!(rondo_program_check_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_check_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_check_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_check_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_check_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_calls() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_check_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).calls) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_check_info), "::", stringify!(calls))
        );
    }
    test_field_calls();
    fn test_field_outputs() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_check_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).outputs) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_check_info), "::", stringify!(outputs))
        );
    }
    test_field_outputs();
    fn test_field_exact() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_check_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).exact) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_check_info), "::", stringify!(exact))
        );
    }
    test_field_exact();
}
extern "C" {
    #[doc = " Runs the self-check of `program` on a new instance on a device. On a device of the class where the check was made,"]
    #[doc = " with the same version of the library, outputs have to have the same SHA-256 if their function has no products,"]
    #[doc = " convolutions, attention or recurrent layers, nor in a file with states any other function; else some elements of each"]
    #[doc = " have to be near those that they were. A class is on a cpu the architecture, the version of the C library and whether"]
    #[doc = " there are AVX2 and FMA; on a GPU the compute capability, the number of processors, and the version and build of"]
    #[doc = " NVRTC. most_bytes: what the instance may take (rondo_program_instance_options), and inputs and outputs of a call on"]
    #[doc = " the host; 0: any, and 1 GiB. timeout_ms: of each call, as of rondo_program_call_within, and loops end with it on GPUs"]
    #[doc = " too, since the host decides them then; 0: none, and a loop of the file may turn for ever. Making the instance has the"]
    #[doc = " limit of rondo_program_limit_making."]
    #[doc = ""]
    #[doc = " RONDO_NOT_FOUND if the file has no check; RONDO_IO_ERROR if that is not valid or if an output is another one, with"]
    #[doc = " function, output, place and both values; RONDO_UNSUPPORTED for a check of a later version; RONDO_OUT_OF_MEMORY for"]
    #[doc = " more than most_bytes; RONDO_INVALID_ARGUMENT for limits below 0; other errors as of rondo_program_create_instance and"]
    #[doc = " rondo_program_call_within. Since 0.1."]
    pub fn rondo_program_check(
        program: *mut rondo_program,
        engine: *mut rondo_engine,
        device: rondo_device,
        most_bytes: i64,
        timeout_ms: i64,
        info: *mut rondo_program_check_info,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_kernels_info {
    #[doc = " set by RONDO_PROGRAM_KERNELS_INFO_INIT"]
    pub size: usize,
    #[doc = " kernels that all functions together use; 0 on a cpu"]
    pub needed: i64,
    #[doc = " of these, those that are kept on disk (the setting RONDO_CACHE) for the device"]
    pub kept: i64,
    #[doc = " the others, which an instance would compile"]
    pub missing: i64,
}
#[test]
fn bindgen_test_layout_rondo_program_kernels_info() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_kernels_info>(),
        32usize,
        concat!("Size of: ", stringify!(rondo_program_kernels_info))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_kernels_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_kernels_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_kernels_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_kernels_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_needed() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_kernels_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).needed) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_kernels_info), "::", stringify!(needed))
        );
    }
    test_field_needed();
    fn test_field_kept() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_kernels_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).kept) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_kernels_info), "::", stringify!(kept))
        );
    }
    test_field_kept();
    fn test_field_missing() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_kernels_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).missing) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_kernels_info), "::", stringify!(missing))
        );
    }
    test_field_missing();
}
extern "C" {
    #[doc = " The kernels that an instance of `program` needs on a device, where dimensions that vary have the sizes `dims`, one"]
    #[doc = " for each (NULL and 0 if there are none), and how many of them are kept. Kernels of libraries do not count, nor does"]
    #[doc = " what this process has loaded. No weight is read and nothing is compiled; choices of cuDNN's engines are made as for"]
    #[doc = " an instance. Functions whose sizes vary are checked at the smallest sizes first when an instance is made, which"]
    #[doc = " compiles what is missing there. Where NVRTC is missing too, kept are those that the device takes, whichever"]
    #[doc = " compiler made them. Errors as of rondo_program_memory. Since 0.1."]
    pub fn rondo_program_kernels(
        program: *mut rondo_program,
        engine: *mut rondo_engine,
        device: rondo_device,
        n_dims: i32,
        dims: *const i64,
        info: *mut rondo_program_kernels_info,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The kernels of `program` that are missing on a device at the sizes `dims`, as rondo_program_kernels counts them, a"]
    #[doc = " line each: a name, and the first characters of the name that its file in the folder would have. Writes at most"]
    #[doc = " capacity bytes with the final zero; *length is the whole length without it (buffer may be NULL with capacity 0), and"]
    #[doc = " 0 if none is missing. Errors as of rondo_program_memory. Since 0.1."]
    pub fn rondo_program_missing_kernels(
        program: *mut rondo_program,
        engine: *mut rondo_engine,
        device: rondo_device,
        n_dims: i32,
        dims: *const i64,
        buffer: *mut ::std::os::raw::c_char,
        capacity: usize,
        length: *mut usize,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Makes an instance of a program on a device: loads the weights and records each function anew, which checks that"]
    #[doc = " attributes, shapes and dtypes of all nodes go together. Files that the program names are read whole before the first"]
    #[doc = " of their weights is loaded, and RONDO_IO_ERROR if their SHA-256 is another one; then and later only bytes of this"]
    #[doc = " SHA-256 are loaded. The caller owns *instance, which keeps the files open."]
    #[doc = " RONDO_IO_ERROR for a program whose nodes do not go together, with function, node and reason; RONDO_INVALID_STATE"]
    #[doc = " while this thread records; other errors as of rondo_model_file_load and rondo_record_end. Since 0.1."]
    pub fn rondo_program_create_instance(
        program: *mut rondo_program,
        engine: *mut rondo_engine,
        device: rondo_device,
        instance: *mut *mut rondo_program_instance,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_program_instance_options {
    #[doc = " set by RONDO_PROGRAM_INSTANCE_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " of functions whose sizes vary: the bytes that the graphs of one may take,"]
    #[doc = "and sizes that inputs are filled up to; of all functions: arenas. Its name"]
    #[doc = "and flags are not given. NULL means RONDO_CALLABLE_OPTIONS_INIT"]
    pub callables: *const rondo_callable_options,
    #[doc = " weights that are given instead of those in the file, which are not read"]
    pub n_weights: usize,
    #[doc = " as many names of the program's weights, each once"]
    pub weight_names: *const *const ::std::os::raw::c_char,
    #[doc = " as many, each whole and on the device, of the weight's dtype and shape. They"]
    #[doc = "are used as they are at each call; of a state, functions write them"]
    pub weights: *const *mut rondo_tensor,
    #[doc = " loops turn at most as often, whatever limit the file has; 0: as it says"]
    pub most_turns: i64,
    #[doc = " further outputs of functions, after their own, for comparing layers"]
    pub n_extra: usize,
    #[doc = " as many names of functions; outputs come in this order"]
    pub extra_functions: *const *const ::std::os::raw::c_char,
    #[doc = " as many numbers of values outside of bodies, as rondo_program_text has them"]
    pub extra_values: *const i64,
    #[doc = " that the weights of the file, states and all graphs of the instance may take together; 0: any."]
    #[doc = "What callers give, and outputs that calls make, are the callers'. Copies of weights that"]
    #[doc = "products on a cpu keep packed do not count"]
    pub most_bytes: i64,
}
#[test]
fn bindgen_test_layout_rondo_program_instance_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_program_instance_options>(),
        80usize,
        concat!("Size of: ", stringify!(rondo_program_instance_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_program_instance_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_program_instance_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_callables() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).callables) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(callables))
        );
    }
    test_field_callables();
    fn test_field_n_weights() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).n_weights) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(n_weights))
        );
    }
    test_field_n_weights();
    fn test_field_weight_names() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weight_names) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(weight_names))
        );
    }
    test_field_weight_names();
    fn test_field_weights() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).weights) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(weights))
        );
    }
    test_field_weights();
    fn test_field_most_turns() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).most_turns) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(most_turns))
        );
    }
    test_field_most_turns();
    fn test_field_n_extra() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).n_extra) as usize - ptr as usize
            },
            48usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(n_extra))
        );
    }
    test_field_n_extra();
    fn test_field_extra_functions() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).extra_functions) as usize - ptr as usize
            },
            56usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(extra_functions))
        );
    }
    test_field_extra_functions();
    fn test_field_extra_values() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).extra_values) as usize - ptr as usize
            },
            64usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(extra_values))
        );
    }
    test_field_extra_values();
    fn test_field_most_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_program_instance_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).most_bytes) as usize - ptr as usize
            },
            72usize,
            concat!("Offset of field: ", stringify!(rondo_program_instance_options), "::", stringify!(most_bytes))
        );
    }
    test_field_most_bytes();
}
extern "C" {
    #[doc = " Makes an instance with options, which the caller owns as *instance; NULL means RONDO_PROGRAM_INSTANCE_OPTIONS_INIT."]
    #[doc = " RONDO_INVALID_ARGUMENT for options that rondo_callable_create refuses, for a name and flags of callables, for weights"]
    #[doc = " and values that the program does not have, and for weights that do not fit; RONDO_NOT_FOUND for functions that it"]
    #[doc = " does not have; RONDO_OUT_OF_MEMORY for more bytes than options->most_bytes, before they are taken, with the number;"]
    #[doc = " errors as of rondo_program_create_instance. Since 0.1."]
    pub fn rondo_program_create_instance_with(
        program: *mut rondo_program,
        engine: *mut rondo_engine,
        device: rondo_device,
        options: *const rondo_program_instance_options,
        instance: *mut *mut rondo_program_instance,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the handle `instance`. Never blocks; calls in flight finish first, and graphs that were taken out stay. NULL"]
    #[doc = " is allowed. Since 0.1."]
    pub fn rondo_program_instance_destroy(instance: *mut rondo_program_instance);
}
extern "C" {
    #[doc = " Calls a function by its name, as rondo_graph_call does a graph: inputs and outputs in the order of the file. From any"]
    #[doc = " thread; on the instance's engine."]
    #[doc = ""]
    #[doc = " A function whose sizes vary is a callable (rondo/callable.h): its inputs have any sizes within the bounds, and the"]
    #[doc = " first call at some sizes records and compiles. RONDO_INVALID_ARGUMENT for sizes outside the bounds, and for inputs"]
    #[doc = " whose shapes do not go together, with the input and the size."]
    #[doc = ""]
    #[doc = " Where options->most_bytes of the instance has no room for a graph of these sizes, those of other sizes are let go of"]
    #[doc = " first, when their calls are done; RONDO_OUT_OF_MEMORY if that is not enough. A recording, or a task, does not let go"]
    #[doc = " of them: there the call fails at once."]
    #[doc = ""]
    #[doc = " RONDO_NOT_FOUND if there is no such function, with the names there are; other errors as of rondo_graph_call and"]
    #[doc = " rondo_callable_call. Since 0.1."]
    pub fn rondo_program_call(
        instance: *mut rondo_program_instance,
        function: *const ::std::os::raw::c_char,
        n_inputs: i32,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        outputs: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Calls a function of an instance with these inputs, as rondo_program_call, within timeout_ms milliseconds from now on."]
    #[doc = " When the limit is over, nothing of the call begins any more: not the call, if it still waits for what was submitted"]
    #[doc = " before it; no further operator of what runs one by one (all on a cpu); no further turn of a loop that the host"]
    #[doc = " decides. What has begun ends as it would: a device cannot be stopped, nor a CUDA graph that was launched. Its"]
    #[doc = " outputs, and states that it would have written, get the error RONDO_TIMED_OUT then, which waits return. Does not"]
    #[doc = " wait, but for room within options->most_bytes, and for that no longer than the limit: rondo_tensor_wait_for waits for"]
    #[doc = " the outputs, for as long."]
    #[doc = ""]
    #[doc = " RONDO_INVALID_ARGUMENT for a limit below 1; RONDO_INVALID_STATE while this thread records on the engine or has a tape"]
    #[doc = " open; RONDO_TIMED_OUT if it was over before the call was submitted, because its graph had to be made (which is kept)"]
    #[doc = " or there was no room for that graph yet; other errors as of rondo_program_call. Since 0.1."]
    pub fn rondo_program_call_within(
        instance: *mut rondo_program_instance,
        function: *const ::std::os::raw::c_char,
        timeout_ms: i64,
        n_inputs: i32,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        outputs: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Calls a function of an instance by the names of its inputs and outputs, in any order: inputs[i] is the one of the"]
    #[doc = " name input_names[i], and all of them are given; outputs[i] is the one of output_names[i], as many as are wanted, each"]
    #[doc = " once. The others are not handed out. Otherwise as rondo_program_call, or if timeout_ms is not 0 as"]
    #[doc = " rondo_program_call_within. Further outputs of options->extra_values have no names."]
    #[doc = ""]
    #[doc = " RONDO_NOT_FOUND for a name that the function does not have, with one that it has; RONDO_INVALID_ARGUMENT for a name"]
    #[doc = " that comes twice, and for inputs that are not given; other errors as of rondo_program_call and"]
    #[doc = " rondo_program_call_within, with tensors in the order of the file. Since 0.1."]
    pub fn rondo_program_call_named(
        instance: *mut rondo_program_instance,
        function: *const ::std::os::raw::c_char,
        timeout_ms: i64,
        n_inputs: i32,
        input_names: *const *const ::std::os::raw::c_char,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        output_names: *const *const ::std::os::raw::c_char,
        outputs: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The graph of a function, by its name, for what is done with graphs: calls without a look for the name, parameters and"]
    #[doc = " sections, reports, profiles. The caller owns *graph, which lives on without the instance. RONDO_NOT_FOUND if there is"]
    #[doc = " no such function, with the names there are; RONDO_INVALID_STATE if the engine is destroyed; RONDO_UNSUPPORTED for a"]
    #[doc = " function whose sizes vary: an instance of rondo_program_bind has its graph. Never blocks. Since 0.1."]
    pub fn rondo_program_graph(
        instance: *mut rondo_program_instance,
        function: *const ::std::os::raw::c_char,
        graph: *mut *mut rondo_graph,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The callable of a function whose sizes vary, by its name: for figures and the report of its graphs, and to let go of"]
    #[doc = " them. Its calls are the instance's. The caller owns *callable, which lives on without the instance. RONDO_UNSUPPORTED"]
    #[doc = " for a function of one size, which rondo_program_graph gives; other errors as of rondo_program_graph. Never blocks."]
    #[doc = " Since 0.1."]
    pub fn rondo_program_callable(
        instance: *mut rondo_program_instance,
        function: *const ::std::os::raw::c_char,
        callable: *mut *mut rondo_callable,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " A weight of an instance, by its name; of a state, the tensor that the functions write. The caller owns *tensor. What"]
    #[doc = " is written into it the instance's next calls see, and for other than states other instances may see it too."]
    #[doc = " RONDO_NOT_FOUND if there is no such weight; RONDO_INVALID_STATE if the engine is destroyed. Never blocks. Since"]
    #[doc = " 0.1."]
    pub fn rondo_program_instance_weight(
        instance: *mut rondo_program_instance,
        name: *const ::std::os::raw::c_char,
        tensor: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Writes the program of `instance` as the file `path`, with its weights and states as they are now and the texts of its"]
    #[doc = " author: what was trained, or has other weights, becomes a file again, in the form that options say. Of these only"]
    #[doc = " weights_into, n_weights_from and weights_from are given; NULL means RONDO_PROGRAM_SAVE_OPTIONS_INIT. Waits for the"]
    #[doc = " tensors, one after the other: what calls of other threads write meanwhile is in some states and not in others, so let"]
    #[doc = " none run. RONDO_INVALID_ARGUMENT for other options; RONDO_INVALID_STATE while this thread records; errors as of"]
    #[doc = " rondo_program_save. Since 0.1."]
    pub fn rondo_program_instance_save(
        instance: *mut rondo_program_instance,
        path: *const ::std::os::raw::c_char,
        options: *const rondo_program_save_options,
    ) -> rondo_status;
}
#[doc = " Frees what the program holds and does not need. `bytes`: how much was asked for, of which a pool has none left within"]
#[doc = " its limit or its device. `attempt`: 0 when a request asks the first time, then 1, 2 and so on. Returns 1 for the"]
#[doc = " request to be tried again, 0 for it to fail with RONDO_OUT_OF_MEMORY."]
#[doc = " Called from the thread that needs the memory, a caller's or a worker's, and from several at once. It may destroy"]
#[doc = " handles, and wait a while for other threads to do so; it must call nothing else of Rondo."]
pub type rondo_reclaim_fn =
    ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void, bytes: i64, attempt: i32) -> i32>;
extern "C" {
    #[doc = " Has `fn` called before a request for memory fails, in this process, by any engine. A request that its pool's limit"]
    #[doc = " can never hold fails at once. fn NULL: nobody is asked. `host_limit`: the limit of the pools of the cpu that begin"]
    #[doc = " from here on in engines without a limit of their own (rondo_engine_options.memory_limit), so that memory runs out for"]
    #[doc = " the program before it does for the machine; 0: none. rondo_memory_set_limit changes it for one pool."]
    #[doc = " `destroy` (may be NULL) is called with arg when the function is replaced and no call of it runs any more."]
    #[doc = " RONDO_INVALID_ARGUMENT for a negative host_limit. Any thread. Does not block. Since 0.1."]
    pub fn rondo_set_reclaim(
        fn_: rondo_reclaim_fn,
        arg: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
        host_limit: i64,
    ) -> rondo_status;
}
#[doc = " they are added up"]
pub const RONDO_BAG_SUM: rondo_bag_mode = 0;
#[doc = " that, divided by the number of the bag's indices, those outside included"]
pub const RONDO_BAG_MEAN: rondo_bag_mode = 1;
#[doc = " What becomes of a bag's rows. Values never change. Since 0.1."]
pub type rondo_bag_mode = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " out[b, t, :] = the rows of tables[t] that bag b of table t names, added up, or their mean as `mode` says: [batch,"]
    #[doc = " n_tables, width]. Each of the n_tables `tables` is [rows, width]; rows may differ, width and float dtype are the"]
    #[doc = " same. indices are i32 or i64: [n_tables, batch, length], bags of one length; or, with offsets, [places], a list of"]
    #[doc = " all. offsets (may be NULL) is [n_tables * batch + 1], of the indices' dtype: bag b of table t is what stands from"]
    #[doc = " offsets[t * batch + b] to before the next; they do not decrease, and what stands before the first or behind the last"]
    #[doc = " is in no bag. A bag may be empty, and is zeros then. Negative indices count from the end; one outside adds nothing,"]
    #[doc = " or is an error where the engine checks (rondo_engine_options.check_indices), as are offsets that decrease or lie"]
    #[doc = " outside; elsewhere no bag reads beyond the list. Any strides. All tables are one launch, as many as 64. 16-bit rows"]
    #[doc = " are added in f32, in the order of the bag, and rounded once: results do not change between runs. Gradient: of each"]
    #[doc = " table, dense, added in the order of the places and rounded once; and gradients of that. rondo_embedding_bag_descend"]
    #[doc = " trains without it. Since 0.1."]
    pub fn rondo_embedding_bag(
        n_tables: i32,
        tables: *const *mut rondo_tensor,
        indices: *mut rondo_tensor,
        offsets: *mut rondo_tensor,
        mode: rondo_bag_mode,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " What a step of rows goes by besides, as rondo_optimizer_step does. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_descend_options {
    #[doc = " set by RONDO_DESCEND_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " NULL, or a bool of one element, as rondo_all_finite makes it; where it is false the step"]
    #[doc = "writes nothing"]
    pub finite: *mut rondo_tensor,
    #[doc = " NULL, or an f32 of one element, which gradients of rows are multiplied by"]
    pub scale: *mut rondo_tensor,
}
#[test]
fn bindgen_test_layout_rondo_descend_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_descend_options>(),
        24usize,
        concat!("Size of: ", stringify!(rondo_descend_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_descend_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_descend_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_descend_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_descend_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_finite() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_descend_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).finite) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_descend_options), "::", stringify!(finite))
        );
    }
    test_field_finite();
    fn test_field_scale() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_descend_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).scale) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_descend_options), "::", stringify!(scale))
        );
    }
    test_field_scale();
}
extern "C" {
    #[doc = " A step of gradient descent of the rows that rondo_embedding_bag read, and of no others: tables[t][r, :] -= rate times"]
    #[doc = " what the gradient of row r is, given `gradient`, that of the result, of its shape and the tables' dtype. The n_tables"]
    #[doc = " `tables`, which share no memory, indices, offsets (may be NULL) and mode are as there. rate is f32 or f64 of one"]
    #[doc = " element, on the device, so a graph goes by what it holds: an optimizer's \"optimizer.rate\", say; so it does by finite"]
    #[doc = " and scale of options, which are on the device too and are read when the step runs. options (may be NULL) NULL means"]
    #[doc = " RONDO_DESCEND_OPTIONS_INIT. The bits are those of the dense gradient and a step of rondo_optimizer with"]
    #[doc = " RONDO_OPTIMIZER_SGD, without momentum, decay and clipping, given the same finite and scale, as long as all numbers"]
    #[doc = " are finite; memory and time go by the indices, not by the rows. On cuda indices are sorted first; results do not"]
    #[doc = " change between runs. No gradient. Since 0.1."]
    pub fn rondo_embedding_bag_descend(
        n_tables: i32,
        tables: *const *mut rondo_tensor,
        indices: *mut rondo_tensor,
        offsets: *mut rondo_tensor,
        mode: rondo_bag_mode,
        gradient: *mut rondo_tensor,
        rate: *mut rondo_tensor,
        options: *const rondo_descend_options,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[b, :] = the products x[b, i, :] . x[b, j, :] of all pairs j < i of a sample's vectors, row by row: (1, 0), (2,"]
    #[doc = " 0), (2, 1), (3, 0) and so on. x is [batch, vectors, width] of one float dtype, with any strides, and out [batch,"]
    #[doc = " vectors * (vectors - 1) / 2]. keep_first != 0: x[b, 0, :] stands in front of them, and out has width columns more."]
    #[doc = " 16-bit products are added in f32, in the order of the columns, and rounded once. Gradient: of x; and gradients of"]
    #[doc = " that. Since 0.1."]
    pub fn rondo_dot_interaction(x: *mut rondo_tensor, keep_first: i32, out: *mut *mut rondo_tensor) -> rondo_status;
}
#[doc = " Of all three functions. A sequence ends with its length: the steps behind it leave its states as they were, and have"]
#[doc = " results of zero; the reversed direction begins at its last step. Lengths below 0 count as 0, and above the steps of x"]
#[doc = " as those. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_recurrent_options {
    #[doc = " set by RONDO_RECURRENT_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " NULL, or [batch], i32: how many steps each sequence has"]
    pub lengths: *mut rondo_tensor,
    #[doc = " NULL: zeros; or [layers * directions, batch, hidden], of x's dtype: states before the"]
    #[doc = "first step"]
    pub first_h: *mut rondo_tensor,
    #[doc = " the same of the cells of an LSTM, whether first_h is NULL or not; NULL for others"]
    pub first_c: *mut rondo_tensor,
    #[doc = " at least 1; each has the results of the one before as its inputs"]
    pub layers: i32,
    #[doc = " not 0: two directions, forward and reversed; results lie side by side"]
    pub bidirectional: i32,
    #[doc = " not 0: x and out are [batch, steps, ...]; 0: [steps, batch, ...]"]
    pub batch_first: i32,
    #[doc = " of rondo_rnn; not 0: ReLU in the place of tanh. 0 for others"]
    pub relu: i32,
}
#[test]
fn bindgen_test_layout_rondo_recurrent_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_recurrent_options>(),
        48usize,
        concat!("Size of: ", stringify!(rondo_recurrent_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_recurrent_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_recurrent_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_lengths() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).lengths) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(lengths))
        );
    }
    test_field_lengths();
    fn test_field_first_h() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).first_h) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(first_h))
        );
    }
    test_field_first_h();
    fn test_field_first_c() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).first_c) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(first_c))
        );
    }
    test_field_first_c();
    fn test_field_layers() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).layers) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(layers))
        );
    }
    test_field_layers();
    fn test_field_bidirectional() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).bidirectional) as usize - ptr as usize
            },
            36usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(bidirectional))
        );
    }
    test_field_bidirectional();
    fn test_field_batch_first() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).batch_first) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(batch_first))
        );
    }
    test_field_batch_first();
    fn test_field_relu() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_recurrent_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).relu) as usize - ptr as usize
            },
            44usize,
            concat!("Offset of field: ", stringify!(rondo_recurrent_options), "::", stringify!(relu))
        );
    }
    test_field_relu();
}
extern "C" {
    #[doc = " out = the states of the last layer at each step, [steps, batch, directions * hidden] for x of [steps, batch, inputs],"]
    #[doc = " at least one step, one float dtype, any strides. weights: n_weights tensors, for each layer and in it each direction,"]
    #[doc = " first that of the inputs, [4 * hidden, inputs], then that of the states, [4 * hidden, hidden], and then, for all or"]
    #[doc = " for none, a bias of each, [4 * hidden]; rows are those of the gates i, f, g, o, one behind the other. This is the"]
    #[doc = " layout of PyTorch's nn.LSTM (weight_ih, weight_hh, bias_ih, bias_hh). With s = W x + b + V h + v:"]
    #[doc = ""]
    #[doc = "   c = sigmoid(s_f) c + sigmoid(s_i) tanh(s_g),  h = sigmoid(s_o) tanh(c)"]
    #[doc = ""]
    #[doc = " last_h and last_c (may be NULL) are out parameters like out: states and cells after each sequence's last step,"]
    #[doc = " [layers * directions, batch, hidden]. options (may be NULL): NULL means RONDO_RECURRENT_OPTIONS_INIT. 16-bit dtypes:"]
    #[doc = " sums, gates and cells are f32; states are rounded where a product takes them. One product for the inputs of a"]
    #[doc = " direction, then a product and a kernel for each step: all are tasks, recorded and captured as others are, and results"]
    #[doc = " do not change between runs. Gradients: of all tensors but lengths, of any order. Where they are asked for, x must be"]
    #[doc = " finite behind the lengths too. Since 0.1."]
    pub fn rondo_lstm(
        x: *mut rondo_tensor,
        n_weights: i32,
        weights: *const *mut rondo_tensor,
        options: *const rondo_recurrent_options,
        out: *mut *mut rondo_tensor,
        last_h: *mut *mut rondo_tensor,
        last_c: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " As rondo_lstm, with three gates, r, z and n: PyTorch's nn.GRU, whose reset gate comes behind the bias of the states'"]
    #[doc = " product. weights: as of rondo_lstm, with 3 * hidden rows. last_h (may be NULL): as of rondo_lstm; there are no cells."]
    #[doc = " With p = W x + b, q = V h + v:"]
    #[doc = ""]
    #[doc = "   r = sigmoid(p_r + q_r),  z = sigmoid(p_z + q_z),  n = tanh(p_n + r q_n),  h = (1 - z) n + z h"]
    #[doc = ""]
    #[doc = " 16-bit dtypes: states are kept in f32 besides. Since 0.1."]
    pub fn rondo_gru(
        x: *mut rondo_tensor,
        n_weights: i32,
        weights: *const *mut rondo_tensor,
        options: *const rondo_recurrent_options,
        out: *mut *mut rondo_tensor,
        last_h: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " As rondo_lstm, with one gate: h = tanh(W x + b + V h + v), or ReLU of it. weights: as of rondo_lstm, with hidden"]
    #[doc = " rows. last_h (may be NULL): as of rondo_lstm; there are no cells. Since 0.1."]
    pub fn rondo_rnn(
        x: *mut rondo_tensor,
        n_weights: i32,
        weights: *const *mut rondo_tensor,
        options: *const rondo_recurrent_options,
        out: *mut *mut rondo_tensor,
        last_h: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = the tensors one behind the other along `axis` (negative counts from the end); n is 1 or more. Their other sizes"]
    #[doc = " are the same. Mixed dtypes are promoted, by a task for each tensor that needs it; more than 16 tensors are a task per"]
    #[doc = " 16. A new result has channels last in memory where the first tensor has. Gradient: the parts of the result's, which"]
    #[doc = " are slices. Since 0.1."]
    pub fn rondo_concat(
        n: i32,
        tensors: *const *mut rondo_tensor,
        axis: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = the tensors, of one shape, side by side along a new axis that has this place in the result (negative counts"]
    #[doc = " from its end). Otherwise as rondo_concat. Since 0.1."]
    pub fn rondo_stack(
        n: i32,
        tensors: *const *mut rondo_tensor,
        axis: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[doc = " a value"]
pub const RONDO_PAD_CONSTANT: rondo_pad_mode = 0;
#[doc = " ... 1 1 [1 2 3] 3 3 ..."]
pub const RONDO_PAD_EDGE: rondo_pad_mode = 1;
#[doc = " ... 3 2 [1 2 3] 2 1 ..."]
pub const RONDO_PAD_REFLECT: rondo_pad_mode = 2;
#[doc = " ... 2 1 [1 2 3] 3 2 ..."]
pub const RONDO_PAD_SYMMETRIC: rondo_pad_mode = 3;
#[doc = " ... 2 3 [1 2 3] 1 2 ..."]
pub const RONDO_PAD_WRAP: rondo_pad_mode = 4;
#[doc = " What padding shows, for [1, 2, 3] on either side. Since 0.1."]
pub type rondo_pad_mode = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " out = a with more elements around it: widths has n = 2 ndim entries, how many before and how many after the elements"]
    #[doc = " of each dimension. Padding may be wider than a; where a has size 0, only RONDO_PAD_CONSTANT pads. `value` is what"]
    #[doc = " RONDO_PAD_CONSTANT shows, of a's dtype (rules of scalars as in ops.h); other modes ignore it. A new result has"]
    #[doc = " channels last in memory where a has. Since 0.1."]
    pub fn rondo_pad(
        a: *mut rondo_tensor,
        mode: rondo_pad_mode,
        n: i32,
        widths: *const i64,
        value: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a as often as counts says along each dimension. Of counts and the shape of a the shorter one gets ones in"]
    #[doc = " front; n is at most RONDO_MAX_DIMS. Since 0.1."]
    pub fn rondo_tile(a: *mut rondo_tensor, n: i32, counts: *const i64, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = a with each element of one axis `count` times in a row. Since 0.1."]
    pub fn rondo_repeat(a: *mut rondo_tensor, count: i64, axis: i32, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = a with the elements of each dimension moved on by its entry of shifts, those that leave it at the end coming in"]
    #[doc = " at the start; n is a's number of dimensions, 0 moves nothing and less goes back. Gradient: the roll by the opposite."]
    #[doc = " Since 0.1."]
    pub fn rondo_roll(a: *mut rondo_tensor, n: i32, shifts: *const i64, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = a on and below a diagonal, 0 above it. `diagonal` is the one that counts as the last: 0 the main one, 1 the"]
    #[doc = " next above it. out may be a. Gradient: the same of the result's. Since 0.1."]
    pub fn rondo_tril(a: *mut rondo_tensor, diagonal: i64, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = a on and above a diagonal, 0 below it. Otherwise as rondo_tril. Since 0.1."]
    pub fn rondo_triu(a: *mut rondo_tensor, diagonal: i64, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out [rows, columns] = 1 on a diagonal (0 the main one, 1 the next above it), 0 elsewhere. If *out is given, device,"]
    #[doc = " dtype, rows and columns are its own and the arguments are ignored. Since 0.1."]
    pub fn rondo_eye(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        rows: i64,
        columns: i64,
        diagonal: i64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[i..., j..., k...] = a[i..., indices[j...], k...], i before `axis` and k behind it. rondo_gather_rows is this for"]
    #[doc = " axis 0. Since 0.1."]
    pub fn rondo_take(
        a: *mut rondo_tensor,
        indices: *mut rondo_tensor,
        axis: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out[i..., j, k...] = a[i..., indices[i..., j, k...], k...]: indices has as many dimensions as a, and but for `axis`"]
    #[doc = " the two are broadcast. Since 0.1."]
    pub fn rondo_take_along_axis(
        a: *mut rondo_tensor,
        indices: *mut rondo_tensor,
        axis: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Puts values where indices say: tensor[i..., indices[i..., j, k...], k...] = values[i..., j, k...]. indices has as"]
    #[doc = " many dimensions as tensor, and but for `axis` they are broadcast to it; values is broadcast to the indices. The"]
    #[doc = " dtypes of tensor and values are the same. Where an index comes again, the last one counts; one outside is left out."]
    #[doc = " tensor must have contents: what no index names stays. If it is a rondo_tensor_accumulator view, values are added"]
    #[doc = " instead, those of one element in their order and with one rounding for all of them: so the bits are the same each"]
    #[doc = " time. Gradient of rondo_take_along_axis: its result's, put like that into zeros. On cuda the indices are sorted"]
    #[doc = " first, so it takes two kernels or more. Since 0.1."]
    pub fn rondo_put_along_axis(
        tensor: *mut rondo_tensor,
        indices: *mut rondo_tensor,
        values: *mut rondo_tensor,
        axis: i32,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same for indices as rondo_take has them: tensor[i..., indices[j...], k...] = values[i..., j..., k...], values"]
    #[doc = " broadcast to that. Gradient of rondo_take and rondo_gather_rows. Since 0.1."]
    pub fn rondo_put(
        tensor: *mut rondo_tensor,
        indices: *mut rondo_tensor,
        values: *mut rondo_tensor,
        axis: i32,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out [limit, a's ndim], i64 = where a is not 0 (NaN is not): the indices of each such element, in row-major order, as"]
    #[doc = " NumPy's argwhere. count, i64 [] = how many such elements a has; those beyond `limit` are left out, and rows beyond"]
    #[doc = " count are `fill`. May be recorded. No gradient flows. limit 0 counts. Since 0.1."]
    pub fn rondo_nonzero_limit(
        a: *mut rondo_tensor,
        limit: i64,
        fill: i64,
        out: *mut *mut rondo_tensor,
        count: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same with as many rows as a has elements that are not 0. Waits for a and counts first, so it is"]
    #[doc = " RONDO_INVALID_STATE in a recording and inside a task: there rondo_nonzero_limit is what works. Since 0.1."]
    pub fn rondo_nonzero(a: *mut rondo_tensor, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out [limit, ...] = those parts a[i..., :...] whose mask[i...] is true, in row-major order: mask is bool and of the"]
    #[doc = " sizes of a's first dimensions, one at least. With a mask of a's shape that is each chosen element; with one of one"]
    #[doc = " dimension, rows. count, i64 [] = how many the mask chooses; those beyond `limit` are left out, and what is beyond"]
    #[doc = " count is `fill`, of a's dtype (rules of scalars as in ops.h). May be recorded. Gradient: the result's, put where its"]
    #[doc = " parts came from. Since 0.1."]
    pub fn rondo_select_limit(
        a: *mut rondo_tensor,
        mask: *mut rondo_tensor,
        limit: i64,
        fill: f64,
        out: *mut *mut rondo_tensor,
        count: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same with as many parts as the mask chooses. Waits for the mask, as rondo_nonzero for its operand. Since 0.1."]
    pub fn rondo_select(a: *mut rondo_tensor, mask: *mut rondo_tensor, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out = start, start + step, ... before stop, as many as ceil((stop - start) / step). step is not 0. For integer dtypes"]
    #[doc = " start, stop and step are whole numbers, and the dtype must hold what comes out. Since 0.1."]
    pub fn rondo_arange(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        start: f64,
        stop: f64,
        step: f64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " The same for 64-bit integers beyond 2^53: from start before stop by step. Since 0.1."]
    pub fn rondo_arange_i64(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        start: i64,
        stop: i64,
        step: i64,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = `count` numbers from start to stop at equal distances; endpoint != 0: stop is the last of them, else the one"]
    #[doc = " that would follow. Integer dtypes take the next whole number below, as NumPy's. Since 0.1."]
    pub fn rondo_linspace(
        engine: *mut rondo_engine,
        device: rondo_device,
        dtype: rondo_dtype,
        start: f64,
        stop: f64,
        count: i64,
        endpoint: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " out = a with the elements of each line in order; descending != 0: the greatest first. Gradient: that of the result"]
    #[doc = " put where rondo_argsort says the elements came from. Since 0.1."]
    pub fn rondo_sort(a: *mut rondo_tensor, axis: i32, descending: i32, out: *mut *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " out, i64 = where in their line of a the elements of rondo_sort's result, descending or not, are, so that"]
    #[doc = " rondo_take_along_axis with it sorts. Since 0.1."]
    pub fn rondo_argsort(a: *mut rondo_tensor, axis: i32, descending: i32, out: *mut *mut rondo_tensor)
        -> rondo_status;
}
extern "C" {
    #[doc = " out = the k greatest elements of each line, in descending order, or, with largest 0, the k least in ascending order;"]
    #[doc = " indices, i64 = where they are. k is 0 up to the size of the axis. Since 0.1."]
    pub fn rondo_topk(
        a: *mut rondo_tensor,
        k: i64,
        axis: i32,
        largest: i32,
        out: *mut *mut rondo_tensor,
        indices: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Name of a status code, e.g. \"RONDO_OUT_OF_MEMORY\"; \"RONDO_UNKNOWN\" for a number that is none. Never NULL, static."]
    #[doc = " Since 0.1."]
    pub fn rondo_status_name(status: rondo_status) -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " Message of the last call that failed on the calling thread: function, argument, what would be right, and for failures"]
    #[doc = " of tasks the first cause (operator, device, library code and text). \"\" when nothing failed yet. Borrowed: valid until"]
    #[doc = " the next Rondo call on this thread. A call that succeeds leaves it as it is. Since 0.1."]
    pub fn rondo_last_error() -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " Name of the operator or of the user task that failed first, if the calling thread's last failure is one of a task:"]
    #[doc = " waited for, or met on the way by a recording or in naive mode; *device (NULL: not wanted) is where. NULL if no task"]
    #[doc = " failed but the call was refused, or took longer than its limit; *device is untouched then. Static. Since 0.1."]
    pub fn rondo_last_error_operator(device: *mut rondo_device) -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " The object that the failed task's function gave with rondo_task_fail_cause or rondo_completion_fail_cause, if it gave"]
    #[doc = " this `destroy` with it; NULL for any other and if there is none. So nobody is handed what somebody else's code has"]
    #[doc = " made. Borrowed: valid until the next Rondo call that fails on this thread. Since 0.1."]
    pub fn rondo_last_error_cause(
        destroy: ::std::option::Option<unsafe extern "C" fn(cause: *mut ::std::os::raw::c_void)>,
    ) -> *mut ::std::os::raw::c_void;
}
extern "C" {
    #[doc = " Version of the library that is loaded: major * 10000 + minor * 100 + patch. Compare with RONDO_VERSION_*. Since 0.1."]
    pub fn rondo_version() -> i32;
}
extern "C" {
    #[doc = " The same as text, with the build's flavour, e.g. \"0.1.0\". Static. Since 0.1."]
    pub fn rondo_version_string() -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " Whether a feature can be used in this process, by name:"]
    #[doc = "   \"cuda\"            a driver is loaded and shows at least one device"]
    #[doc = "   \"nvrtc\"           operators can be compiled for cuda devices"]
    #[doc = "   \"cublaslt\"        matmul on cuda uses cuBLASLt (otherwise Rondo's own kernel)"]
    #[doc = "   \"cudnn\"           convolution on cuda uses cuDNN (otherwise Rondo's own kernels)"]
    #[doc = "   \"nccl\"            collectives between cuda devices work: NCCL is there (rondo/comm.h)"]
    #[doc = "   \"blas\"            matmul on cpu uses a BLAS library (otherwise Rondo's own loop)"]
    #[doc = "   \"onednn\"          f32 convolutions with channels last and filter gradients on cpu use oneDNN (otherwise own loops)"]
    #[doc = "   \"graphs\"          cuda recordings become CUDA graphs"]
    #[doc = "   \"memory_pools\"    the driver has stream-ordered allocation"]
    #[doc = "   \"conditional_nodes\"    the driver has graph nodes that decide on the device (CUDA 12.4)"]
    #[doc = "   \"programmatic_launch\"  driver (CUDA 12.3) and device (9.0) can overlap a kernel's start with its predecessor's end"]
    #[doc = " The last three tell what driver and cuda:0 offer, whether or not this version of Rondo makes use of it."]
    #[doc = " On return *available is 1 or 0; *reason (may be NULL) is a borrowed static-lifetime sentence that says why, with the"]
    #[doc = " path and version in use or the places looked at. The first call for a feature may load its library (tens of"]
    #[doc = " milliseconds). RONDO_INVALID_ARGUMENT for a name not in this list. Since 0.1."]
    pub fn rondo_feature(
        name: *const ::std::os::raw::c_char,
        available: *mut i32,
        reason: *mut *const ::std::os::raw::c_char,
    ) -> rondo_status;
}
pub const RONDO_LOG_OFF: rondo_log_level = 0;
pub const RONDO_LOG_ERROR: rondo_log_level = 1;
pub const RONDO_LOG_WARNING: rondo_log_level = 2;
pub const RONDO_LOG_INFO: rondo_log_level = 3;
pub const RONDO_LOG_DEBUG: rondo_log_level = 4;
pub type rondo_log_level = ::std::os::raw::c_uint;
#[doc = " Receives one message, without a newline. Called from any thread, one call at a time; must not call Rondo."]
pub type rondo_log_fn = ::std::option::Option<
    unsafe extern "C" fn(
        arg: *mut ::std::os::raw::c_void,
        level: rondo_log_level,
        message: *const ::std::os::raw::c_char,
    ),
>;
extern "C" {
    #[doc = " Sends messages up to `level` to `fn`. fn NULL: back to stderr. `destroy` (may be NULL) is called with arg when the"]
    #[doc = " callback is replaced. The default is stderr at the level of the setting RONDO_LOG (default: off). Since 0.1."]
    pub fn rondo_set_log(
        fn_: rondo_log_fn,
        arg: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
        level: rondo_log_level,
    ) -> rondo_status;
}
#[doc = " rondo_tape_gradients ends the tape, and frees what it kept on its way"]
pub const RONDO_TAPE_DEFAULT: rondo_tape_flags = 0;
#[doc = " it stays, so that gradients may be asked for again"]
pub const RONDO_TAPE_KEEP: rondo_tape_flags = 1;
pub type rondo_tape_flags = ::std::os::raw::c_uint;
extern "C" {
    #[doc = " Begins a tape of operators of this engine on the calling thread. Tapes nest: each notes what it watches, an outer one"]
    #[doc = " also the operators of rondo_tape_gradients of an inner one, which gives gradients of gradients. flags:"]
    #[doc = " rondo_tape_flags. The caller owns *tape. Since 0.1."]
    pub fn rondo_tape_begin(engine: *mut rondo_engine, flags: u32, tape: *mut *mut rondo_tape) -> rondo_status;
}
extern "C" {
    #[doc = " Gradients may be asked for with respect to this tensor, that is to what it holds now. Float dtypes; any view watches"]
    #[doc = " its whole storage. Watching again moves the moment: what made the tensor what it is now counts no more for it."]
    #[doc = " RONDO_INVALID_STATE if the tape has ended. Since 0.1."]
    pub fn rondo_tape_watch(tape: *mut rondo_tape, tensor: *mut rondo_tensor) -> rondo_status;
}
extern "C" {
    #[doc = " Ends the noting; gradients may still be asked for. A tape that has ended stays so. Since 0.1."]
    pub fn rondo_tape_end(tape: *mut rondo_tape) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys a tape, open or not, and lets go of what it keeps. NULL is allowed. Never blocks. Since 0.1."]
    pub fn rondo_tape_destroy(tape: *mut rondo_tape);
}
extern "C" {
    #[doc = " The sum of the outputs' gradients with respect to each of n_sources watched tensors or views of them."]
    #[doc = ""]
    #[doc = " output_gradients: of the shape and dtype of each output; NULL, as a whole or for one: 1, for an output of one"]
    #[doc = " element. gradients[i] is in and out as an operator's output: NULL for a new tensor that the caller owns; a tensor of"]
    #[doc = " sources[i]'s shape, dtype and device to be written; or a rondo_tensor_accumulator view that it is added to. A source"]
    #[doc = " that the outputs do not depend on, or through tensors without elements only, has a gradient of zeros. Does not wait."]
    #[doc = ""]
    #[doc = " RONDO_INVALID_ARGUMENT for a source that is not watched, or an output that depends on no watched tensor."]
    #[doc = " RONDO_INVALID_STATE if a value that is needed was written since, or the tape has given its gradients and does not"]
    #[doc = " keep. RONDO_UNSUPPORTED if gradients would pass what has none. On failure no pointer in gradients is changed, but a"]
    #[doc = " tensor given there may have been written; if operators had been submitted by then, the tape is spent unless it keeps."]
    #[doc = " Since 0.1."]
    pub fn rondo_tape_gradients(
        tape: *mut rondo_tape,
        n_outputs: i32,
        outputs: *const *mut rondo_tensor,
        output_gradients: *const *mut rondo_tensor,
        n_sources: i32,
        sources: *const *mut rondo_tensor,
        gradients: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Between pause and resume no tape of the calling thread notes operators: their results are constants. Pairs nest."]
    #[doc = " rondo_tape_resume without a pause is RONDO_INVALID_STATE. Since 0.1."]
    pub fn rondo_tape_pause() -> rondo_status;
}
extern "C" {
    pub fn rondo_tape_resume() -> rondo_status;
}
#[doc = " A gradient that the user defines. Called by rondo_tape_gradients on its thread, with output_gradients, those of the"]
#[doc = " n_outputs outputs (borrowed: valid during the call; zeros where none came), and room for input_gradients, those of"]
#[doc = " the n_inputs inputs, all NULL: it submits what computes them and stores tensors of the inputs' shapes and dtypes,"]
#[doc = " which pass to Rondo, each a handle of its own; NULL stays for zero. Must not throw. A status other than RONDO_OK"]
#[doc = " fails rondo_tape_gradients. What is borrowed and was to be destroyed, or is stored, stays as it is, and"]
#[doc = " rondo_tape_gradients is RONDO_USER_ERROR. Since 0.1."]
pub type rondo_gradient_fn = ::std::option::Option<
    unsafe extern "C" fn(
        arg: *mut ::std::os::raw::c_void,
        n_outputs: i32,
        output_gradients: *const *mut rondo_tensor,
        n_inputs: i32,
        input_gradients: *mut *mut rondo_tensor,
    ) -> rondo_status,
>;
extern "C" {
    #[doc = " Says to all open tapes of the calling thread that the outputs were computed from the inputs, and what the gradient of"]
    #[doc = " that is; whatever was noted of how they were computed counts no more: operators, tasks, launches of graphs. Of an"]
    #[doc = " output that is an input too, and so was written in place, that is the last task that did so. Without an open tape it"]
    #[doc = " does nothing. name: for messages, copied. fn keeps what it needs in arg; destroy(arg) is called once, when no tape"]
    #[doc = " needs it, also if this call fails. In a recording for calls (RONDO_RECORD_CALLABLE) it is kept for tapes that follow"]
    #[doc = " the graph's calls; there, and in a callable's function, fn is called in a recording, once for all calls, and what it"]
    #[doc = " keeps must be tensors from outside. At least one input and one output, at most 31 each, of one engine. Since 0.1."]
    pub fn rondo_tape_custom(
        name: *const ::std::os::raw::c_char,
        n_inputs: i32,
        inputs: *const *mut rondo_tensor,
        n_outputs: i32,
        outputs: *const *mut rondo_tensor,
        fn_: rondo_gradient_fn,
        arg: *mut ::std::os::raw::c_void,
        destroy: ::std::option::Option<unsafe extern "C" fn(arg: *mut ::std::os::raw::c_void)>,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_tape_info {
    #[doc = " set by RONDO_TAPE_INFO_INIT"]
    pub size: usize,
    #[doc = " 1 while it notes operators, else 0"]
    pub open: i32,
    #[doc = " operators noted and not yet gone back over"]
    pub nodes: i32,
    #[doc = " memory whose contents it keeps for them"]
    pub kept_bytes: i64,
}
#[test]
fn bindgen_test_layout_rondo_tape_info() {
    assert_eq!(::std::mem::size_of::<rondo_tape_info>(), 24usize, concat!("Size of: ", stringify!(rondo_tape_info)));
    assert_eq!(
        ::std::mem::align_of::<rondo_tape_info>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_tape_info))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tape_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_tape_info), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_open() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tape_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).open) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_tape_info), "::", stringify!(open))
        );
    }
    test_field_open();
    fn test_field_nodes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tape_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).nodes) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_tape_info), "::", stringify!(nodes))
        );
    }
    test_field_nodes();
    fn test_field_kept_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_tape_info>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).kept_bytes) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_tape_info), "::", stringify!(kept_bytes))
        );
    }
    test_field_kept_bytes();
}
extern "C" {
    #[doc = " Figures of a tape. Since 0.1."]
    pub fn rondo_tape_query(tape: *mut rondo_tape, info: *mut rondo_tape_info) -> rondo_status;
}
extern "C" {
    #[doc = " Starts to keep times: when each task was issued and, on cuda, when it began and ended on the device (by events, which"]
    #[doc = " costs about 2 microseconds a task while the trace is on). RONDO_INVALID_STATE if a trace is on. Since 0.1."]
    pub fn rondo_trace_begin(engine: *mut rondo_engine) -> rondo_status;
}
extern "C" {
    #[doc = " Waits for all work, writes the trace to a file and stops. path NULL: stops and drops it. RONDO_INVALID_STATE if none"]
    #[doc = " is on or inside a task; RONDO_IO_ERROR if the file cannot be written. Since 0.1."]
    pub fn rondo_trace_end(engine: *mut rondo_engine, path: *const ::std::os::raw::c_char) -> rondo_status;
}
pub const RONDO_ARGUMENT_TENSOR: rondo_argument_kind = 0;
#[doc = " the member scalar"]
pub const RONDO_ARGUMENT_SCALAR: rondo_argument_kind = 1;
#[doc = " the member integer: exact to 64 bits"]
pub const RONDO_ARGUMENT_INTEGER: rondo_argument_kind = 2;
#[doc = " What one argument of user code is. Values are ABI. Since 0.1."]
pub type rondo_argument_kind = ::std::os::raw::c_uint;
#[doc = " One argument, made by one of the macros below. Since 0.1."]
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_argument {
    #[doc = " of the operand in the text, or of the kernel's parameter; NULL there: by position alone"]
    pub name: *const ::std::os::raw::c_char,
    pub kind: rondo_argument_kind,
    #[doc = " the operand; NULL for a number"]
    pub tensor: *mut rondo_tensor,
    pub scalar: f64,
    pub integer: i64,
}
#[test]
fn bindgen_test_layout_rondo_argument() {
    assert_eq!(::std::mem::size_of::<rondo_argument>(), 40usize, concat!("Size of: ", stringify!(rondo_argument)));
    assert_eq!(::std::mem::align_of::<rondo_argument>(), 8usize, concat!("Alignment of ", stringify!(rondo_argument)));
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_argument>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_argument), "::", stringify!(name))
        );
    }
    test_field_name();
    fn test_field_kind() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_argument>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).kind) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_argument), "::", stringify!(kind))
        );
    }
    test_field_kind();
    fn test_field_tensor() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_argument>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).tensor) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_argument), "::", stringify!(tensor))
        );
    }
    test_field_tensor();
    fn test_field_scalar() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_argument>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).scalar) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_argument), "::", stringify!(scalar))
        );
    }
    test_field_scalar();
    fn test_field_integer() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_argument>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).integer) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_argument), "::", stringify!(integer))
        );
    }
    test_field_integer();
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_expression {
    _unused: [u8; 0],
}
extern "C" {
    #[doc = " Parses `text`, statements such as \"y = a * x + y\" separated by semicolons. Names that are read before they are"]
    #[doc = " assigned are its operands; assigned ones are its results, in the order of their first assignment, but for those of"]
    #[doc = " `let`, which are values on the way. `name` is for errors, traces and graph reports; copied; name NULL: \"expression\"."]
    #[doc = " Neither looks at a device nor blocks. The caller owns *expression. RONDO_INVALID_ARGUMENT with line, column and the"]
    #[doc = " line itself for a text that is not right, is longer than 16384 bytes or nested deeper than 100. Since 0.1."]
    pub fn rondo_expression_create(
        text: *const ::std::os::raw::c_char,
        name: *const ::std::os::raw::c_char,
        expression: *mut *mut rondo_expression,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the `expression`. Never blocks; what was submitted goes on. NULL is allowed. Since 0.1."]
    pub fn rondo_expression_destroy(expression: *mut rondo_expression);
}
extern "C" {
    #[doc = " Name of operand or result `index` of the `expression`, in the order of the text; NULL beyond the last. Lives as long"]
    #[doc = " as the expression. Since 0.1."]
    pub fn rondo_expression_operand(expression: *mut rondo_expression, index: i32) -> *const ::std::os::raw::c_char;
}
extern "C" {
    pub fn rondo_expression_result(expression: *mut rondo_expression, index: i32) -> *const ::std::os::raw::c_char;
}
extern "C" {
    #[doc = " Computes the results of an `expression` from its `arguments`: one per operand, in any order, found by name. At least"]
    #[doc = " one is a tensor; all tensors are of one engine and device, and broadcast to the one shape that every result has, but"]
    #[doc = " for reductions. dtypes are deduced as for operators: promoted from operand to operand; a number takes the dtype of"]
    #[doc = " what it meets, under the rules of rondo_binary_scalar."]
    #[doc = ""]
    #[doc = " `out` has one entry per result: NULL for a new tensor, or a tensor to write, as for operators; one may be an operand,"]
    #[doc = " element for element. All elementwise work is one task and one kernel, whatever it is made of; another value of a"]
    #[doc = " number compiles nothing. Each result that comes from a reduction (\"n = sqrt(sum(x * x) / 8)\") is a task of its own,"]
    #[doc = " which computes what it reduces itself unless that is a result too, and what is behind it. So is each that comes from"]
    #[doc = " a softmax (\"y = softmax(x * s + m) * keep\"), with all that is before and behind it, or from a matrix product"]
    #[doc = " (\"y = gelu(matmul(a, b) + bias)\"), with all that is behind it: the one shape is the product's then. What is computed"]
    #[doc = " before a product (\"y = matmul(relu(a) * mask, b)\") has a shape of its own; it is one elementwise task, which stages"]
    #[doc = " it in temporary memory. On a cpu nothing is compiled."]
    #[doc = ""]
    #[doc = " RONDO_INVALID_ARGUMENT for a name that is missing, given twice or not an operand, and for whatever operators refuse,"]
    #[doc = " with line and column where it stands in the text; RONDO_UNSUPPORTED beyond 16 tensors, 16 numbers, 64 operations or"]
    #[doc = " 8 results in one kernel. On error every entry of `out` is untouched. Since 0.1."]
    pub fn rondo_expression_run(
        expression: *mut rondo_expression,
        n_arguments: i32,
        arguments: *const rondo_argument,
        n_out: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " What `count` calls of rondo_expression_run do, one for each set of tensors, as one task: a step of training ends with"]
    #[doc = " one for all parameters. `arguments` has `n_arguments` entries for each set, one set behind the other, `out` as many"]
    #[doc = " as the expression has results. Sets may differ in shapes, in dtypes and in numbers; they are of one engine and"]
    #[doc = " device, and what a set writes, no other may read or write. The results have the same bits as those of separate calls."]
    #[doc = " With count 0 nothing is done."]
    #[doc = ""]
    #[doc = " On cuda sets that are contiguous, of the same dtypes, numbers and alignment are one kernel and one node of a graph,"]
    #[doc = " as many as the kernel's arguments hold: of sets with 6 tensors and results about 70. Others have a kernel each, as if"]
    #[doc = " they were alone. On a cpu workers share the sets. Softmaxes, products and reductions are tasks of their own, and what"]
    #[doc = " is computed before products is one task for all sets. Since the sets are one task, an error of one operand is an"]
    #[doc = " error of all results."]
    #[doc = ""]
    #[doc = " Errors are those of rondo_expression_run, with the number of the set; RONDO_INVALID_ARGUMENT for sets of several"]
    #[doc = " engines or devices, or that touch what another one writes. On error every entry of `out` is untouched. Since 0.1."]
    pub fn rondo_expression_run_each(
        expression: *mut rondo_expression,
        count: i32,
        n_arguments: i32,
        arguments: *const rondo_argument,
        n_out: i32,
        out: *mut *mut rondo_tensor,
    ) -> rondo_status;
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_module {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_module_options {
    #[doc = " set by RONDO_MODULE_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " what the text's lines are called in messages; copied; NULL: \"module\""]
    pub name: *const ::std::os::raw::c_char,
    #[doc = " for NVRTC, separated by spaces: \"-DTILE=16 --use_fast_math\"; copied; NULL: none"]
    pub options: *const ::std::os::raw::c_char,
}
#[test]
fn bindgen_test_layout_rondo_module_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_module_options>(),
        24usize,
        concat!("Size of: ", stringify!(rondo_module_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_module_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_module_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_module_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_module_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_name() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_module_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).name) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_module_options), "::", stringify!(name))
        );
    }
    test_field_name();
    fn test_field_options() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_module_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).options) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_module_options), "::", stringify!(options))
        );
    }
    test_field_options();
}
extern "C" {
    #[doc = " Compiles `text`, CUDA C++17 by NVRTC, for a cuda device. `kernels` declares those that will be launched, separated by"]
    #[doc = " semicolons: a name, which may be a template's with its arguments, and the parameters:"]
    #[doc = " \"scale<float>(const float* x, float* y, float a, int n)\". A parameter is a number (bool, float, double, integers) or"]
    #[doc = " a pointer to a tensor's elements: const if it is read, otherwise written. The compiler checks the declarations."]
    #[doc = " options NULL means RONDO_MODULE_OPTIONS_INIT. The caller owns *module."]
    #[doc = ""]
    #[doc = " Blocks while it compiles; what was compiled before, in this process or an earlier one, is found in the cache of"]
    #[doc = " kernels. Code stays loaded until the process ends: the same text with the same kernels and options is the same code,"]
    #[doc = " its __device__ variables too. A text with include options (-I) is compiled each time."]
    #[doc = ""]
    #[doc = " RONDO_UNSUPPORTED for a cpu device; RONDO_COMPILE_FAILED with NVRTC's log, whose lines are the text's, or"]
    #[doc = " \"kernels[i]\" for a declaration that is not what the text has; RONDO_INVALID_ARGUMENT with line and column for a"]
    #[doc = " declaration that is none. Since 0.1."]
    pub fn rondo_module_create(
        engine: *mut rondo_engine,
        device: rondo_device,
        text: *const ::std::os::raw::c_char,
        kernels: *const ::std::os::raw::c_char,
        options: *const rondo_module_options,
        module: *mut *mut rondo_module,
    ) -> rondo_status;
}
extern "C" {
    #[doc = " Destroys the `module`. Never blocks; launches in flight and graphs go on. NULL is allowed. Since 0.1."]
    pub fn rondo_module_destroy(module: *mut rondo_module);
}
pub const RONDO_LAUNCH_DEFAULT: rondo_launch_flags = 0;
#[doc = " tensors that are not contiguous are welcome: the kernel knows their strides"]
pub const RONDO_LAUNCH_STRIDED: rondo_launch_flags = 1;
pub type rondo_launch_flags = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct rondo_launch_options {
    #[doc = " set by RONDO_LAUNCH_OPTIONS_INIT"]
    pub size: usize,
    #[doc = " blocks; 0: 1, as for all six"]
    pub grid_x: u32,
    #[doc = " blocks"]
    pub grid_y: u32,
    #[doc = " blocks"]
    pub grid_z: u32,
    #[doc = " threads of a block"]
    pub block_x: u32,
    #[doc = " threads of a block"]
    pub block_y: u32,
    #[doc = " threads of a block"]
    pub block_z: u32,
    #[doc = " of dynamic shared memory, up to what the device has"]
    pub shared_bytes: u32,
    #[doc = " as in rondo_task_options"]
    pub priority: i32,
    #[doc = " as in rondo_task_options: -1, the engine picks"]
    pub stream: i32,
    #[doc = " rondo_launch_flags"]
    pub flags: u32,
}
#[test]
fn bindgen_test_layout_rondo_launch_options() {
    assert_eq!(
        ::std::mem::size_of::<rondo_launch_options>(),
        48usize,
        concat!("Size of: ", stringify!(rondo_launch_options))
    );
    assert_eq!(
        ::std::mem::align_of::<rondo_launch_options>(),
        8usize,
        concat!("Alignment of ", stringify!(rondo_launch_options))
    );
    fn test_field_size() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).size) as usize - ptr as usize
            },
            0usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(size))
        );
    }
    test_field_size();
    fn test_field_grid_x() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).grid_x) as usize - ptr as usize
            },
            8usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(grid_x))
        );
    }
    test_field_grid_x();
    fn test_field_grid_y() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).grid_y) as usize - ptr as usize
            },
            12usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(grid_y))
        );
    }
    test_field_grid_y();
    fn test_field_grid_z() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).grid_z) as usize - ptr as usize
            },
            16usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(grid_z))
        );
    }
    test_field_grid_z();
    fn test_field_block_x() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).block_x) as usize - ptr as usize
            },
            20usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(block_x))
        );
    }
    test_field_block_x();
    fn test_field_block_y() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).block_y) as usize - ptr as usize
            },
            24usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(block_y))
        );
    }
    test_field_block_y();
    fn test_field_block_z() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).block_z) as usize - ptr as usize
            },
            28usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(block_z))
        );
    }
    test_field_block_z();
    fn test_field_shared_bytes() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).shared_bytes) as usize - ptr as usize
            },
            32usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(shared_bytes))
        );
    }
    test_field_shared_bytes();
    fn test_field_priority() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).priority) as usize - ptr as usize
            },
            36usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(priority))
        );
    }
    test_field_priority();
    fn test_field_stream() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).stream) as usize - ptr as usize
            },
            40usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(stream))
        );
    }
    test_field_stream();
    fn test_field_flags() {
        assert_eq!(
            unsafe {
                let uninit = ::std::mem::MaybeUninit::<rondo_launch_options>::uninit();
                let ptr = uninit.as_ptr();
                ::std::ptr::addr_of!((*ptr).flags) as usize - ptr as usize
            },
            44usize,
            concat!("Offset of field: ", stringify!(rondo_launch_options), "::", stringify!(flags))
        );
    }
    test_field_flags();
}
extern "C" {
    #[doc = " Submits a launch of a `kernel` of the `module`, by the name that it was declared with. `arguments` are its"]
    #[doc = " parameters', in order: a tensor for a pointer, which is given the address of its first element, a number for a"]
    #[doc = " number, which its type must hold. An argument's name, if it has one, must be the parameter's."]
    #[doc = ""]
    #[doc = " An ordinary task: asynchronous, ordered by the tensors it reads and writes, kept in a recording, captured into a"]
    #[doc = " graph. A written tensor may be read as well, so what it held stays, and an error of it too; a tensor without contents"]
    #[doc = " is written first. What overlaps is the kernel's business. options NULL means RONDO_LAUNCH_OPTIONS_INIT."]
    #[doc = ""]
    #[doc = " RONDO_INVALID_ARGUMENT for what does not fit: an unknown kernel, the number, kind, dtype or device of an argument, a"]
    #[doc = " tensor that is not contiguous (but see RONDO_LAUNCH_STRIDED), is read-only or shows an element twice where it is"]
    #[doc = " written, a grid, a block or shared memory beyond the device's or the kernel's limits. Since 0.1."]
    pub fn rondo_module_launch(
        module: *mut rondo_module,
        kernel: *const ::std::os::raw::c_char,
        n_arguments: i32,
        arguments: *const rondo_argument,
        options: *const rondo_launch_options,
    ) -> rondo_status;
}
/// What a `rondo_attention_options` begins with.
pub const RONDO_ATTENTION_OPTIONS_INIT: rondo_attention_options = rondo_attention_options {
    size: ::std::mem::size_of::<rondo_attention_options>(),
    mask: ::std::ptr::null_mut(),
    query_lengths: ::std::ptr::null_mut(),
    key_lengths: ::std::ptr::null_mut(),
    scale: 0.0,
    soft_cap: 0.0,
    dropout: 0.0,
    before: -1,
    after: -1,
    causal: 0,
    aligned_last: 0,
};

/// What a `rondo_rotary_options` begins with.
pub const RONDO_ROTARY_OPTIONS_INIT: rondo_rotary_options = rondo_rotary_options {
    size: ::std::mem::size_of::<rondo_rotary_options>(),
    positions: ::std::ptr::null_mut(),
    channels: 0,
    base: 10000.0,
    axis: 1,
    interleaved: 0,
    inverse: 0,
    reserved: 0,
};

/// What a `rondo_cache_info` begins with.
pub const RONDO_CACHE_INFO_INIT: rondo_cache_info = rondo_cache_info {
    size: ::std::mem::size_of::<rondo_cache_info>(),
    files: 0,
    bytes: 0,
    limit: 0,
    memory_hits: 0,
    disk_hits: 0,
    without_compiler: 0,
    compiled: 0,
    compile_ms: 0.0,
    damaged: 0,
    refused: 0,
    failed_writes: 0,
    evicted: 0,
    trials: 0,
};

/// What a `rondo_callable_options` begins with.
pub const RONDO_CALLABLE_OPTIONS_INIT: rondo_callable_options = rondo_callable_options {
    size: ::std::mem::size_of::<rondo_callable_options>(),
    name: ::std::ptr::null(),
    limit_bytes: 0,
    flags: 0,
    pad_axis: 0,
    pad_sizes: [0; 16],
    pad_inputs: 0,
    pad_outputs: 0,
    arenas: 0,
    reserved: 0,
};

/// What a `rondo_callable_info` begins with.
pub const RONDO_CALLABLE_INFO_INIT: rondo_callable_info = rondo_callable_info {
    size: ::std::mem::size_of::<rondo_callable_info>(),
    signatures: 0,
    bytes: 0,
    limit_bytes: 0,
    calls: 0,
    hits: 0,
    recordings: 0,
    fallbacks: 0,
    evictions: 0,
};

/// What a `rondo_comm_options` begins with.
pub const RONDO_COMM_OPTIONS_INIT: rondo_comm_options = rondo_comm_options {
    size: ::std::mem::size_of::<rondo_comm_options>(),
    rank: 0,
    ranks: 0,
    address: ::std::ptr::null(),
    secret: ::std::ptr::null(),
    name: ::std::ptr::null(),
    time_limit_ms: 0,
    max_blocks: 0,
};

/// What a `rondo_comm_info` begins with.
pub const RONDO_COMM_INFO_INIT: rondo_comm_info = rondo_comm_info {
    size: ::std::mem::size_of::<rondo_comm_info>(),
    rank: 0,
    ranks: 0,
    device: rondo_device { kind: 0, index: 0 },
    state: 0,
    version: 0,
    submitted: 0,
    transport: ::std::ptr::null(),
};

/// What a `rondo_convolution_options` begins with.
pub const RONDO_CONVOLUTION_OPTIONS_INIT: rondo_convolution_options = rondo_convolution_options {
    size: ::std::mem::size_of::<rondo_convolution_options>(),
    stride: [1; 3],
    padding: [0; 3],
    padding_end: [-1; 3],
    dilation: [1; 3],
    output_padding: [0; 3],
    groups: 1,
    transposed: 0,
    activation: 0,
    scale: ::std::ptr::null_mut(),
    bias: ::std::ptr::null_mut(),
    residual: ::std::ptr::null_mut(),
    allow_tf32: 0,
    deterministic: 0,
};

/// What a `rondo_buckets_options` begins with.
pub const RONDO_BUCKETS_OPTIONS_INIT: rondo_buckets_options = rondo_buckets_options {
    size: ::std::mem::size_of::<rondo_buckets_options>(),
    bucket_bytes: 0,
    edge_bytes: 0,
    sum: 0,
    reserved: 0,
};

/// What a `rondo_buckets_info` begins with.
pub const RONDO_BUCKETS_INFO_INIT: rondo_buckets_info = rondo_buckets_info {
    size: ::std::mem::size_of::<rondo_buckets_info>(),
    parameters: 0,
    buckets: 0,
    bytes: 0,
    largest_bytes: 0,
};

/// What a `rondo_device_info` begins with.
pub const RONDO_DEVICE_INFO_INIT: rondo_device_info = rondo_device_info {
    size: ::std::mem::size_of::<rondo_device_info>(),
    name: [0; 128],
    total_memory: 0,
    free_memory: 0,
    capability: 0,
    processors: 0,
    driver: 0,
};

/// What a `rondo_engine_options` begins with.
pub const RONDO_ENGINE_OPTIONS_INIT: rondo_engine_options = rondo_engine_options {
    size: ::std::mem::size_of::<rondo_engine_options>(),
    mode: 0,
    workers: 0,
    streams: 0,
    max_tasks: 0,
    memory_limit: 0,
    seed: 0,
    check_indices: 0,
    reserved: 0,
};

/// What a `rondo_task_options` begins with.
pub const RONDO_TASK_OPTIONS_INIT: rondo_task_options = rondo_task_options {
    size: ::std::mem::size_of::<rondo_task_options>(),
    device: rondo_device { kind: 0, index: 0 },
    priority: 0,
    stream: -1,
    flags: 0,
    name: ::std::ptr::null(),
    auxiliary_streams: 0,
    reserved: 0,
};

/// What a `rondo_memory_info` begins with.
pub const RONDO_MEMORY_INFO_INIT: rondo_memory_info = rondo_memory_info {
    size: ::std::mem::size_of::<rondo_memory_info>(),
    in_use: 0,
    cached: 0,
    peak_in_use: 0,
    limit: 0,
    allocations: 0,
    system_allocations: 0,
    cross_stream_reuses: 0,
    retries: 0,
};

/// What a `rondo_record_options` begins with.
pub const RONDO_RECORD_OPTIONS_INIT: rondo_record_options = rondo_record_options {
    size: ::std::mem::size_of::<rondo_record_options>(),
    name: ::std::ptr::null(),
    max_branches: 0,
    flags: 0,
    arena: ::std::ptr::null(),
    arenas: 0,
    reserved: 0,
};

/// What a `rondo_graph_info` begins with.
pub const RONDO_GRAPH_INFO_INIT: rondo_graph_info = rondo_graph_info {
    size: ::std::mem::size_of::<rondo_graph_info>(),
    tasks: 0,
    segments: 0,
    captured: 0,
    nodes: 0,
    edges: 0,
    branches: 0,
    arena_bytes: 0,
    temporary_bytes: 0,
    output_bytes: 0,
    launches: 0,
    record_ms: 0.0,
    prepare_ms: 0.0,
    capture_ms: 0.0,
    inputs: 0,
    outputs: 0,
    call_bytes: 0,
    call_kernels: 0,
    conditional_nodes: 0,
    programmatic: 0,
    arenas: 0,
    reserved: 0,
};

/// What a `rondo_comm_hooks` begins with.
pub const RONDO_COMM_HOOKS_INIT: rondo_comm_hooks = rondo_comm_hooks {
    size: ::std::mem::size_of::<rondo_comm_hooks>(),
    rank: 0,
    ranks: 0,
    exchange: None,
    arg: ::std::ptr::null_mut(),
    destroy: None,
};

/// What a `rondo_ranks_info` begins with.
pub const RONDO_RANKS_INFO_INIT: rondo_ranks_info = rondo_ranks_info {
    size: ::std::mem::size_of::<rondo_ranks_info>(),
    rank: 0,
    ranks: 0,
    local_rank: 0,
    local_ranks: 0,
};

/// What a `rondo_loss_scaler_options` begins with.
pub const RONDO_LOSS_SCALER_OPTIONS_INIT: rondo_loss_scaler_options = rondo_loss_scaler_options {
    size: ::std::mem::size_of::<rondo_loss_scaler_options>(),
    initial_scale: 65536.0,
    growth_factor: 2.0,
    backoff_factor: 0.5,
    growth_interval: 2000,
};

/// What a `rondo_model_file_info` begins with.
pub const RONDO_MODEL_FILE_INFO_INIT: rondo_model_file_info =
    rondo_model_file_info { size: ::std::mem::size_of::<rondo_model_file_info>(), tensors: 0, metadata: 0, bytes: 0 };

/// What a `rondo_model_tensor_info` begins with.
pub const RONDO_MODEL_TENSOR_INFO_INIT: rondo_model_tensor_info = rondo_model_tensor_info {
    size: ::std::mem::size_of::<rondo_model_tensor_info>(),
    loadable: 0,
    dtype: 0,
    ndim: 0,
    reserved: 0,
    bytes: 0,
    shape: [0; 8],
    format_dtype: [0; 16],
};

/// What a `rondo_norm_options` begins with.
pub const RONDO_NORM_OPTIONS_INIT: rondo_norm_options = rondo_norm_options {
    size: ::std::mem::size_of::<rondo_norm_options>(),
    weight: ::std::ptr::null_mut(),
    bias: ::std::ptr::null_mut(),
    residual: ::std::ptr::null_mut(),
    epsilon: 1e-05,
    activation: 0,
    reserved: 0,
};

/// What a `rondo_matmul_options` begins with.
pub const RONDO_MATMUL_OPTIONS_INIT: rondo_matmul_options = rondo_matmul_options {
    size: ::std::mem::size_of::<rondo_matmul_options>(),
    transpose_a: 0,
    transpose_b: 0,
    bias: ::std::ptr::null_mut(),
    activation: 0,
    allow_tf32: 0,
};

/// What a `rondo_optimizer_options` begins with.
pub const RONDO_OPTIMIZER_OPTIONS_INIT: rondo_optimizer_options = rondo_optimizer_options {
    size: ::std::mem::size_of::<rondo_optimizer_options>(),
    kind: 0,
    schedule: 0,
    rate: 0.001,
    momentum: 0.0,
    dampening: 0.0,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-08,
    weight_decay: 0.0,
    max_norm: 0.0,
    rate_decay: 0.0,
    warmup_steps: 0,
    decay_steps: 1,
    nesterov: 0,
    amsgrad: 0,
    master_weights: 0,
    reserved: 0,
};

/// What a `rondo_optimizer_info` begins with.
pub const RONDO_OPTIMIZER_INFO_INIT: rondo_optimizer_info =
    rondo_optimizer_info { size: ::std::mem::size_of::<rondo_optimizer_info>(), parameters: 0, states: 0, bytes: 0 };

/// What a `rondo_pool_options` begins with.
pub const RONDO_POOL_OPTIONS_INIT: rondo_pool_options = rondo_pool_options {
    size: ::std::mem::size_of::<rondo_pool_options>(),
    stride: [0; 3],
    padding: [0; 3],
    padding_end: [-1; 3],
    dilation: [1; 3],
    ceil_mode: 0,
    count_include_pad: 1,
};

/// What a `rondo_program_save_options` begins with.
pub const RONDO_PROGRAM_SAVE_OPTIONS_INIT: rondo_program_save_options = rondo_program_save_options {
    size: ::std::mem::size_of::<rondo_program_save_options>(),
    inputs: ::std::ptr::null(),
    outputs: ::std::ptr::null(),
    n_weights: 0,
    weight_names: ::std::ptr::null(),
    weights: ::std::ptr::null(),
    n_metadata: 0,
    keys: ::std::ptr::null(),
    values: ::std::ptr::null(),
    reader: ::std::ptr::null(),
    weights_into: ::std::ptr::null(),
    n_weights_from: 0,
    weights_from: ::std::ptr::null(),
};

/// What a `rondo_program_info` begins with.
pub const RONDO_PROGRAM_INFO_INIT: rondo_program_info = rondo_program_info {
    size: ::std::mem::size_of::<rondo_program_info>(),
    functions: 0,
    weights: 0,
    metadata: 0,
    weight_bytes: 0,
    state_bytes: 0,
    needs: [0; 16],
    dims: 0,
};

/// What a `rondo_program_function_info` begins with.
pub const RONDO_PROGRAM_FUNCTION_INFO_INIT: rondo_program_function_info = rondo_program_function_info {
    size: ::std::mem::size_of::<rondo_program_function_info>(),
    inputs: 0,
    outputs: 0,
    nodes: 0,
    parameters: 0,
    sections: 0,
    varies: 0,
    reserved: 0,
};

/// What a `rondo_program_tensor_info` begins with.
pub const RONDO_PROGRAM_TENSOR_INFO_INIT: rondo_program_tensor_info = rondo_program_tensor_info {
    size: ::std::mem::size_of::<rondo_program_tensor_info>(),
    dtype: 0,
    ndim: 0,
    state: 0,
    reserved: 0,
    shape: [0; 8],
    dims: [0; 8],
};

/// What a `rondo_program_memory_info` begins with.
pub const RONDO_PROGRAM_MEMORY_INFO_INIT: rondo_program_memory_info = rondo_program_memory_info {
    size: ::std::mem::size_of::<rondo_program_memory_info>(),
    weight_bytes: 0,
    state_bytes: 0,
    graph_bytes: 0,
};

/// What a `rondo_program_check_info` begins with.
pub const RONDO_PROGRAM_CHECK_INFO_INIT: rondo_program_check_info = rondo_program_check_info {
    size: ::std::mem::size_of::<rondo_program_check_info>(),
    calls: 0,
    outputs: 0,
    exact: 0,
};

/// What a `rondo_program_kernels_info` begins with.
pub const RONDO_PROGRAM_KERNELS_INFO_INIT: rondo_program_kernels_info = rondo_program_kernels_info {
    size: ::std::mem::size_of::<rondo_program_kernels_info>(),
    needed: 0,
    kept: 0,
    missing: 0,
};

/// What a `rondo_program_instance_options` begins with.
pub const RONDO_PROGRAM_INSTANCE_OPTIONS_INIT: rondo_program_instance_options = rondo_program_instance_options {
    size: ::std::mem::size_of::<rondo_program_instance_options>(),
    callables: ::std::ptr::null(),
    n_weights: 0,
    weight_names: ::std::ptr::null(),
    weights: ::std::ptr::null(),
    most_turns: 0,
    n_extra: 0,
    extra_functions: ::std::ptr::null(),
    extra_values: ::std::ptr::null(),
    most_bytes: 0,
};

/// What a `rondo_descend_options` begins with.
pub const RONDO_DESCEND_OPTIONS_INIT: rondo_descend_options = rondo_descend_options {
    size: ::std::mem::size_of::<rondo_descend_options>(),
    finite: ::std::ptr::null_mut(),
    scale: ::std::ptr::null_mut(),
};

/// What a `rondo_recurrent_options` begins with.
pub const RONDO_RECURRENT_OPTIONS_INIT: rondo_recurrent_options = rondo_recurrent_options {
    size: ::std::mem::size_of::<rondo_recurrent_options>(),
    lengths: ::std::ptr::null_mut(),
    first_h: ::std::ptr::null_mut(),
    first_c: ::std::ptr::null_mut(),
    layers: 1,
    bidirectional: 0,
    batch_first: 0,
    relu: 0,
};

/// What a `rondo_tape_info` begins with.
pub const RONDO_TAPE_INFO_INIT: rondo_tape_info =
    rondo_tape_info { size: ::std::mem::size_of::<rondo_tape_info>(), open: 0, nodes: 0, kept_bytes: 0 };

/// What a `rondo_tensor_info` begins with.
pub const RONDO_TENSOR_INFO_INIT: rondo_tensor_info = rondo_tensor_info {
    size: ::std::mem::size_of::<rondo_tensor_info>(),
    dtype: 7,
    device: rondo_device { kind: 0, index: 0 },
    ndim: 0,
    contiguous: 0,
    elements: 0,
    bytes: 0,
    shape: [0; 8],
    strides: [0; 8],
};

/// What a `rondo_module_options` begins with.
pub const RONDO_MODULE_OPTIONS_INIT: rondo_module_options = rondo_module_options {
    size: ::std::mem::size_of::<rondo_module_options>(),
    name: ::std::ptr::null(),
    options: ::std::ptr::null(),
};

/// What a `rondo_launch_options` begins with.
pub const RONDO_LAUNCH_OPTIONS_INIT: rondo_launch_options = rondo_launch_options {
    size: ::std::mem::size_of::<rondo_launch_options>(),
    grid_x: 0,
    grid_y: 0,
    grid_z: 0,
    block_x: 0,
    block_y: 0,
    block_z: 0,
    shared_bytes: 0,
    priority: 0,
    stream: -1,
    flags: 0,
};
