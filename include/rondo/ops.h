/* Operators: each makes a task from tensors.
 *
 * `out` is in and out: if *out is NULL a new tensor is created and stored there (the caller owns it); otherwise the
 * result is written into *out, which must have the result's shape, dtype and device. Initialise it. An output may be
 * the same tensor as an input with the same layout (elementwise operators only), and may lie between an input's
 * elements (x[0::2] into x[1::2]); where they share an element otherwise, it is refused. If *out is a
 * rondo_tensor_accumulator view, the result is added to it. On error *out is untouched.
 *
 * Operands of one call are of one engine and one device. Calls return once the task is submitted (in naive mode:
 * finished); a failure while it runs is reported by the waits on its outputs.
 *
 * Mixed dtypes are promoted: bool < integers < f16, bf16 < f32 < f64; f16 with bf16 gives f32. Two integers give the
 * narrowest that holds both, except that u8 with i8 gives i32; none holds u64 and a signed integer, which give f64. The
 * whole table: docs/operators.md. f16 and bf16 are computed in float and rounded once per operator. Integer arithmetic
 * is exact and wraps around. Broadcasting follows NumPy. f8_e4m3 and f8_e5m2 are stored, moved (shapes.h, rondo_where),
 * filled and cast; an operator that computes refuses them with RONDO_INVALID_ARGUMENT: rondo_cast comes first.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_OPS_H
#define RONDO_OPS_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- elementwise ---
 *
 * A new result is row-major, but has channels last (rondo/convolution.h) where the first operand of its shape has them;
 * a condition comes after the values. A tensor of three or more dimensions has channels last if the stride of its axis
 * 1, without its sign, is smaller than that of every later axis, whatever axis 0 has. The result is then
 * [n, spatial..., c] in memory: of [2, 3, 4] with strides (1, 2, 6) it has the strides (12, 1, 3). */

/* What each computes, its gradient and its error bound: docs/operators.md. Values are ABI. Since 0.1. */
typedef enum rondo_unary_op {
  /* in the dtype of the operand, exact */
  RONDO_NEG = 0,
  RONDO_ABS = 1,
  RONDO_SIGN = 2, /* -1, 0, 1; NaN for NaN */
  RONDO_SQUARE = 3,
  RONDO_LOGICAL_NOT = 4, /* result bool */
  RONDO_ISNAN = 5,       /* result bool */
  RONDO_RELU = 6,        /* NaN for NaN */
  RONDO_FLOOR = 7,
  RONDO_CEIL = 8,
  RONDO_ROUND = 9, /* to even */
  RONDO_TRUNC = 10,
  RONDO_ISINF = 11,    /* result bool */
  RONDO_ISFINITE = 12, /* result bool */
  RONDO_SIGNBIT = 13,  /* result bool */
  RONDO_BIT_NOT = 14,  /* integers and bool only */
  RONDO_CLIP = 15,     /* parameters low, high */
  /* the following give f32 for integer and bool operands */
  RONDO_EXP = 16,
  RONDO_LOG = 17,
  RONDO_SQRT = 18,
  RONDO_RSQRT = 19,
  RONDO_TANH = 20,
  RONDO_SIGMOID = 21,
  RONDO_RECIPROCAL = 22,
  RONDO_SIN = 23,
  RONDO_COS = 24,
  RONDO_ERF = 25,
  RONDO_EXPM1 = 26,
  RONDO_LOG1P = 27,
  RONDO_EXP2 = 28,
  RONDO_LOG2 = 29,
  RONDO_LOG10 = 30,
  RONDO_CBRT = 31,
  RONDO_RCBRT = 32,
  RONDO_TAN = 33,
  RONDO_ASIN = 34,
  RONDO_ACOS = 35,
  RONDO_ATAN = 36,
  RONDO_SINH = 37,
  RONDO_COSH = 38,
  RONDO_ASINH = 39,
  RONDO_ACOSH = 40,
  RONDO_ATANH = 41,
  RONDO_DEGREES = 42,
  RONDO_RADIANS = 43,
  RONDO_ERFC = 44,
  RONDO_ERFINV = 45,
  RONDO_GAMMA = 46,
  RONDO_LGAMMA = 47,
  RONDO_DIGAMMA = 48,
  RONDO_TRIGAMMA = 49,
  /* activations */
  RONDO_LOG_SIGMOID = 64,
  RONDO_SOFTPLUS = 65, /* parameter beta, default 1 */
  RONDO_SOFTSIGN = 66,
  RONDO_GELU = 67,      /* by the error function */
  RONDO_GELU_TANH = 68, /* by its approximation with tanh */
  RONDO_SILU = 69,
  RONDO_MISH = 70,
  RONDO_ELU = 71, /* parameter alpha, default 1 */
  RONDO_SELU = 72,
  RONDO_CELU = 73,         /* parameter alpha, default 1 */
  RONDO_LEAKY_RELU = 74,   /* parameter slope, default 0.01 */
  RONDO_HARD_TANH = 75,    /* parameters low, high, default -1, 1 */
  RONDO_HARD_SIGMOID = 76, /* parameters alpha, beta, default 1 / 6, 1 / 2 */
  RONDO_HARD_SWISH = 77,
  RONDO_SMOOTH_L1_SIGMA = 78, /* parameter sigma, default 1 */
  /* in the dtype of the operand, exact */
  RONDO_ROUND_AWAY = 80, /* halves away from zero */
  RONDO_ISPOSINF = 81,   /* result bool */
  RONDO_ISNEGINF = 82    /* result bool */
} rondo_unary_op;

typedef enum rondo_binary_op {
  RONDO_ADD = 0,
  RONDO_SUB = 1,
  RONDO_MUL = 2,
  RONDO_DIV = 3,       /* integers: quotient rounded toward zero; by zero gives 0 */
  RONDO_POW = 4,       /* integers: exact, wraps around; a negative exponent gives 0 (1 and -1 excepted) */
  RONDO_MAXIMUM = 5,   /* NaN if either is NaN */
  RONDO_MINIMUM = 6,   /* NaN if either is NaN */
  RONDO_MOD = 7,       /* sign of the divisor, as NumPy's remainder; integers by zero give 0 */
  RONDO_FMOD = 8,      /* sign of the dividend; integers by zero give 0 */
  RONDO_FLOOR_DIV = 9, /* integers by zero give 0 */
  RONDO_FMAX = 10,     /* the other one if one is NaN */
  RONDO_FMIN = 11,     /* the other one if one is NaN */
  RONDO_SQUARED_DIFFERENCE = 12,
  /* the following give bool */
  RONDO_EQ = 16,
  RONDO_NE = 17,
  RONDO_LT = 18,
  RONDO_LE = 19,
  RONDO_GT = 20,
  RONDO_GE = 21,
  RONDO_LOGICAL_AND = 22,
  RONDO_LOGICAL_OR = 23,
  RONDO_LOGICAL_XOR = 24,
  /* integers and bool only */
  RONDO_BIT_AND = 32,
  RONDO_BIT_OR = 33,
  RONDO_BIT_XOR = 34,
  RONDO_SHIFT_LEFT = 35,  /* 0 for a count that is negative or as wide as the dtype */
  RONDO_SHIFT_RIGHT = 36, /* 0 or -1 for such a count */
  RONDO_GCD = 37,
  RONDO_LCM = 38,
  /* the following give f32 for integer and bool operands */
  RONDO_TRUE_DIV = 48,
  RONDO_HYPOT = 49,
  RONDO_ATAN2 = 50,
  RONDO_COPYSIGN = 51,
  RONDO_LDEXP = 52,
  RONDO_LOGADDEXP = 53,
  RONDO_XLOGY = 54,
  RONDO_PRELU = 55,
  RONDO_SMOOTH_L1 = 56,      /* parameter beta, default 1 */
  RONDO_BCE_WITH_LOGITS = 57 /* binary cross-entropy of a logit and a target */
} rondo_binary_op;

typedef enum rondo_ternary_op {
  RONDO_FMA = 0,   /* a b + c with one rounding */
  RONDO_CLAMP = 1, /* a limited to [b, c] */
  RONDO_LERP = 2   /* a + c (b - a); f32 for integer and bool operands */
} rondo_ternary_op;

/* Name of an operator as messages, reports and traces have it ("add", "gelu_tanh"); NULL for a number that is none.
 * Static. Since 0.1. */
RONDO_API const char* rondo_unary_op_name(rondo_unary_op op);
RONDO_API const char* rondo_binary_op_name(rondo_binary_op op);
RONDO_API const char* rondo_ternary_op_name(rondo_ternary_op op);

/* out = op(a), parameters at their defaults (RONDO_INVALID_ARGUMENT for an operator whose parameters have none). Since
 * 0.1. */
RONDO_API rondo_status rondo_unary(rondo_unary_op op, rondo_tensor* a, rondo_tensor** out);
/* The same with parameters, as many as the operator has: scalars of the dtype it computes in, float for f16 and bf16
 * (rules as for rondo_binary_scalar). Another value compiles nothing. Since 0.1. */
RONDO_API rondo_status rondo_unary_with(rondo_unary_op op, rondo_tensor* a, int32_t n_parameters,
                                        const double* parameters, rondo_tensor** out);
/* out = a op b, broadcast; parameters at their defaults. Since 0.1. */
RONDO_API rondo_status rondo_binary(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b, rondo_tensor** out);
/* The same with parameters, as in rondo_unary_with. Since 0.1. */
RONDO_API rondo_status rondo_binary_with(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b, int32_t n_parameters,
                                         const double* parameters, rondo_tensor** out);
/* out = op(a, b, c), broadcast. Since 0.1. */
RONDO_API rondo_status rondo_ternary(rondo_ternary_op op, rondo_tensor* a, rondo_tensor* b, rondo_tensor* c,
                                     rondo_tensor** out);
/* out = tensors[0] + tensors[1] + ... from the left, broadcast, in their common dtype with one rounding; n from 1
 * to 16. Since 0.1. */
RONDO_API rondo_status rondo_add_n(int32_t n, rondo_tensor* const* tensors, rondo_tensor** out);
/* out = a op scalar and out = scalar op a. The scalar takes a's dtype; for integer and bool tensors it must be a whole
 * number that the dtype holds (RONDO_INVALID_ARGUMENT otherwise: cast the tensor first); for float tensors it is
 * rounded once to the dtype. Operators that take integers as f32 take the scalar so with the tensor. Since 0.1. */
RONDO_API rondo_status rondo_binary_scalar(rondo_binary_op op, rondo_tensor* a, double scalar, rondo_tensor** out);
RONDO_API rondo_status rondo_scalar_binary(rondo_binary_op op, double scalar, rondo_tensor* a, rondo_tensor** out);
/* The same for 64-bit integers beyond 2^53. Since 0.1. */
RONDO_API rondo_status rondo_binary_scalar_i64(rondo_binary_op op, rondo_tensor* a, int64_t scalar, rondo_tensor** out);
RONDO_API rondo_status rondo_scalar_binary_i64(rondo_binary_op op, int64_t scalar, rondo_tensor* a, rondo_tensor** out);
/* out = a * op(gate), broadcast, in the wider of their float dtypes, with one rounding: with RONDO_SILU SwiGLU, with
 * RONDO_GELU or RONDO_GELU_TANH GEGLU, with RONDO_SIGMOID GLU (N. Shazeer, arXiv 2002.05202). op: any that gives
 * floats, its parameters at their defaults (RONDO_INVALID_ARGUMENT for another one). Where one product made both, a and
 * gate are views, halves of its last axis. out may be a or gate itself. Gradients: of both, by one task. One task.
 * Since 0.1. */
RONDO_API rondo_status rondo_gated(rondo_unary_op op, rondo_tensor* a, rondo_tensor* gate, rondo_tensor** out);
/* out = condition ? a : b; condition bool, all three broadcast. Since 0.1. */
RONDO_API rondo_status rondo_where(rondo_tensor* condition, rondo_tensor* a, rondo_tensor* b, rondo_tensor** out);
/* out = a in another dtype, rounded once, to nearest even. Float to integer: toward zero, clamped to the range, NaN to
 * 0; to bool: != 0. To an 8-bit float: what is larger than its largest number, infinities too, becomes that with its
 * sign; NaN stays NaN. Since 0.1. */
RONDO_API rondo_status rondo_cast(rondo_tensor* a, rondo_dtype dtype, rondo_tensor** out);

/* --- fill and copy --- */

/* Every element of `tensor` becomes value (rules of scalars as above). Since 0.1. */
RONDO_API rondo_status rondo_fill(rondo_tensor* tensor, double value);
/* Every element of `tensor` becomes value: the same for 64-bit integers beyond 2^53. Since 0.1. */
RONDO_API rondo_status rondo_fill_i64(rondo_tensor* tensor, int64_t value);
/* out = a: same dtype, a broadcast to *out if that is given; a contiguous copy otherwise. Devices may differ when *out
 * is given. Since 0.1. */
RONDO_API rondo_status rondo_copy(rondo_tensor* a, rondo_tensor** out);
/* A contiguous copy on another device (the same is allowed). Since 0.1. */
RONDO_API rondo_status rondo_copy_to(rondo_tensor* a, rondo_device device, rondo_tensor** out);

/* --- reductions --- */

typedef enum rondo_reduce_op {
  RONDO_SUM = 0,    /* integers and bool give i64, u64 and floats their dtype; pairwise; f16 and bf16 add up in float */
  RONDO_MEAN = 1,   /* integers and bool give f32; of nothing NaN */
  RONDO_MAX = 2,    /* NaN if any is NaN; of nothing RONDO_INVALID_ARGUMENT */
  RONDO_MIN = 3,    /* NaN if any is NaN; of nothing RONDO_INVALID_ARGUMENT */
  RONDO_ARGMAX = 4, /* i64, index over the reduced axes in row-major order; first of equals; first NaN wins */
  RONDO_ARGMIN = 5,
  RONDO_PROD = 6, /* dtypes as RONDO_SUM */
  RONDO_ALL = 7,  /* bool; of nothing 1 */
  RONDO_ANY = 8,  /* bool; of nothing 0 */
  /* The following give f32 for integers and bool, which they compute in f64. */
  RONDO_L1_NORM = 9,    /* the sum of magnitudes */
  RONDO_L2_NORM = 10,   /* the root of the sum of squares */
  RONDO_LP_NORM = 11,   /* parameters p, default 2: the p-th root of the sum of |x| to the p; p above 0 and finite */
  RONDO_VAR = 12,       /* parameters correction, default 0: squared distances from the mean, by n - correction */
  RONDO_STD = 13,       /* parameters correction, default 0: the root of RONDO_VAR */
  RONDO_LOGSUMEXP = 14, /* the logarithm of the sum of exp(x), without overflow between; of nothing -infinity */
  /* The following have dtypes as RONDO_SUM. */
  RONDO_NANSUM = 15, /* NaN counts as 0 */
  RONDO_NANPROD = 16 /* NaN counts as 1 */
} rondo_reduce_op;

/* The operation's name, such as "sum"; NULL for a number that is none. Borrowed: static. Since 0.1. */
RONDO_API const char* rondo_reduce_op_name(rondo_reduce_op op);
/* Reduces over n_axes axes (each once, negative counts from the end); n_axes 0 with axes NULL: all. keep_dims != 0
 * keeps reduced axes with size 1. Results do not change between runs. Parameters are at their defaults. Since 0.1. */
RONDO_API rondo_status rondo_reduce(rondo_reduce_op op, rondo_tensor* a, int32_t n_axes, const int32_t* axes,
                                    int32_t keep_dims, rondo_tensor** out);
/* The same with parameters, as many as the operation has. Since 0.1. */
RONDO_API rondo_status rondo_reduce_with(rondo_reduce_op op, rondo_tensor* a, int32_t n_axes, const int32_t* axes,
                                         int32_t keep_dims, int32_t n_parameters, const double* parameters,
                                         rondo_tensor** out);

/* out[i] = the reduction of the elements 0 to i along one axis, or with reverse != 0 of i to the last. Shape as a's,
 * dtype as rondo_reduce gives it; for the operations that combine elements and nothing more: sums, products, extremes,
 * all, any, RONDO_L1_NORM, RONDO_LOGSUMEXP. Since 0.1. */
RONDO_API rondo_status rondo_cumulative(rondo_reduce_op op, rondo_tensor* a, int32_t axis, int32_t reverse,
                                        rondo_tensor** out);

/* --- matrix product --- */

/* What a matrix product or a convolution ends with. GELU is x / (1 + exp(-t)), t = sqrt(8/pi) (x + 0.044715 x^3), which
 * is the form with tanh. On every device its relative error for a given x is at most 8 (1 + |t|) units, a unit being
 * 2^-24 (computed in float) or 2^-53 (f64), where the result is a normal number, and before the one rounding to a
 * 16-bit dtype. SiLU is x / (1 + exp(-x)), within 8 units where exp(x) is a normal number. Hard swish is x times x / 6
 * + 1 / 2 limited to [0, 1]. RONDO_ACTIVATION_GELU is RONDO_GELU_TANH, and RONDO_ACTIVATION_GELU_ERF is RONDO_GELU. */
typedef enum rondo_activation {
  RONDO_ACTIVATION_NONE = 0,
  RONDO_ACTIVATION_RELU = 1,       /* as RONDO_RELU: NaN for NaN */
  RONDO_ACTIVATION_GELU = 2,       /* NaN for NaN, -0 for -infinity */
  RONDO_ACTIVATION_RELU6 = 3,      /* limited to 0 ... 6: NaN for NaN */
  RONDO_ACTIVATION_SILU = 4,       /* as RONDO_SILU: NaN for NaN, -0 for -infinity */
  RONDO_ACTIVATION_HARD_SWISH = 5, /* as RONDO_HARD_SWISH: NaN for NaN, -0 for -infinity */
  RONDO_ACTIVATION_GELU_ERF = 6    /* as RONDO_GELU, by the error function: NaN for NaN, -0 for -infinity */
} rondo_activation;

typedef struct rondo_matmul_options {
  size_t size;                 /* set by RONDO_MATMUL_OPTIONS_INIT */
  int32_t transpose_a;         /* use a with its last two axes exchanged */
  int32_t transpose_b;         /* likewise b */
  rondo_tensor* bias;          /* NULL, or [n] of the dtype of the result: added to each row */
  rondo_activation activation; /* applied last, to the sum before it is rounded */
  int32_t allow_tf32; /* f32 on cuda may use TF32 tensor cores (10-bit mantissa products). Default 0: full f32 */
} rondo_matmul_options;
#define RONDO_MATMUL_OPTIONS_INIT \
  { sizeof(rondo_matmul_options), 0, 0, NULL, RONDO_ACTIVATION_NONE, 0 }

/* out[..., m, n] = activation(a[..., m, k] b[..., k, n] + bias). a and b have at least 2 dimensions and the same float
 * dtype; leading axes broadcast. options NULL means RONDO_MATMUL_OPTIONS_INIT. k = 0 gives bias or zeros. 16-bit dtypes
 * accumulate in float. Since 0.1. */
RONDO_API rondo_status rondo_matmul(rondo_tensor* a, rondo_tensor* b, const rondo_matmul_options* options,
                                    rondo_tensor** out);

/* out[..., m, n] = (a[..., m, k] - a_zero) (b[..., k, n] - b_zero): whole numbers, exact. a and b are u8 or i8, not
 * necessarily the same, have at least 2 dimensions, and their leading axes broadcast; out is i32. Sums that i32 does
 * not hold, of which there are none up to k = 33,025, are modulo 2^32. a_zero may be NULL, and b_zero may be NULL,
 * which is 0; otherwise each is of its operand's dtype and broadcasts to it, a_zero with one column (one number, or one
 * for each row), b_zero with one row. All devices and instruction sets give the same. There is no gradient. Since 0.1.
 */
RONDO_API rondo_status rondo_matmul_integer(rondo_tensor* a, rondo_tensor* b, rondo_tensor* a_zero,
                                            rondo_tensor* b_zero, rondo_tensor** out);

/* --- softmax and cross-entropy (float dtypes) ------------------------------------------------------------------------
 */

/* out = softmax(a) over one axis (negative counts from the end), shifted by the maximum. Since 0.1. */
RONDO_API rondo_status rondo_softmax(rondo_tensor* a, int32_t axis, rondo_tensor** out);
RONDO_API rondo_status rondo_log_softmax(rondo_tensor* a, int32_t axis, rondo_tensor** out);
/* out = y * (dy - sum(y * dy)): gradient of softmax, y its result. Since 0.1. */
RONDO_API rondo_status rondo_softmax_grad(rondo_tensor* y, rondo_tensor* dy, int32_t axis, rondo_tensor** out);
typedef enum rondo_softmax_op {
  RONDO_SOFTMAX = 0,
  RONDO_LOG_SOFTMAX = 1, /* the logarithm of softmax */
  RONDO_SOFTMIN = 2      /* softmax of -a */
} rondo_softmax_op;

/* out = softmax(a / temperature) over one axis, its logarithm, or softmin. temperature is above 0 and finite. lengths
 * is NULL, or of i32 or i64 and of a's shape without that axis: only so many elements of each row count, at least 0 and
 * at most all; of the others, whatever they are, softmax is 0 and its logarithm -infinity. Since 0.1. */
RONDO_API rondo_status rondo_softmax_with(rondo_softmax_op op, rondo_tensor* a, int32_t axis, double temperature,
                                          rondo_tensor* lengths, rondo_tensor** out);
/* The gradient of rondo_softmax_with, called the same way: y is its result, lengths may be NULL. 0 for elements that do
 * not count. Since 0.1. */
RONDO_API rondo_status rondo_softmax_grad_with(rondo_softmax_op op, rondo_tensor* y, rondo_tensor* dy, int32_t axis,
                                               double temperature, rondo_tensor* lengths, rondo_tensor** out);

/* out = (a - mean) / sqrt(variance + epsilon) * weight + bias over each row along one axis. weight may be NULL, and
 * bias may be NULL; otherwise they are of a's dtype and [the axis's size]. Several axes: reshape first. 16-bit dtypes
 * are computed in float. Since 0.1. */
RONDO_API rondo_status rondo_layer_norm(rondo_tensor* a, int32_t axis, rondo_tensor* weight, rondo_tensor* bias,
                                        double epsilon, rondo_tensor** out);
/* out = a / sqrt(mean of a * a + epsilon) * weight. weight may be NULL, or is as for rondo_layer_norm. Since 0.1. */
RONDO_API rondo_status rondo_rms_norm(rondo_tensor* a, int32_t axis, rondo_tensor* weight, double epsilon,
                                      rondo_tensor** out);

/* out[n] = -log_softmax(logits)[n, labels[n]]; logits [n, classes], labels [n] of i32 or i64. A label outside
 * 0..classes-1 gives loss 0 and gradient 0 (an "ignore" label). Since 0.1. */
RONDO_API rondo_status rondo_cross_entropy(rondo_tensor* logits, rondo_tensor* labels, rondo_tensor** out);
/* out[n, classes] = (softmax(logits) - onehot(labels)) * scale: gradient for a loss that is scale times the sum of the
 * rows' losses (scale = 1 / n for their mean). Since 0.1. */
RONDO_API rondo_status rondo_cross_entropy_grad(rondo_tensor* logits, rondo_tensor* labels, double scale,
                                                rondo_tensor** out);

/* --- random numbers: Philox4x32-10 (Salmon et al., SC 2011), one sequence per engine and device ---------------------
 */

/* out = uniform in [low, high) or normal(mean, deviation); shape and dtype as for rondo_tensor_create when *out is
 * NULL, else those of *out and the arguments device, dtype, ndim, shape are ignored. Float dtypes. The numbers depend
 * on the seed and on the order of random operators on that device, not on mode, eager or graph, or the device's kind
 * (uniform: bit for bit). The dtype must hold low and high, and the one it is computed in high - low. low == high gives
 * low everywhere. Since 0.1. */
RONDO_API rondo_status rondo_random_uniform(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                            const int64_t* shape, double low, double high, rondo_tensor** out);
RONDO_API rondo_status rondo_random_normal(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                           const int64_t* shape, double mean, double deviation, rondo_tensor** out);
/* out [n] = 0 to n - 1, each once, in a random order, of which each is as likely: dtype i32 or i64. If *out is given,
 * device and dtype are its own. n is 0 or more. The order depends on what random numbers depend on, and is the same on
 * every kind of device: it is that of n uniform numbers of f64, which are drawn and sorted. rondo_take with it shuffles
 * a tensor. Since 0.1. */
RONDO_API rondo_status rondo_random_permutation(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int64_t n,
                                                rondo_tensor** out);
/* mask[i] = 1 with probability 1 - p; out = a * mask / (1 - p). mask is u8 of a's shape; p in [0, 1). Since 0.1. */
RONDO_API rondo_status rondo_dropout(rondo_tensor* a, double p, rondo_tensor** out, rondo_tensor** mask);
/* out = dy * mask / (1 - p). Since 0.1. */
RONDO_API rondo_status rondo_dropout_grad(rondo_tensor* dy, rondo_tensor* mask, double p, rondo_tensor** out);

/* --- indexing --- */

/* out[..., depth] = 1 where the last index equals indices[...], else 0; indices i32 or i64; one outside gives zeros, or
 * is an error where the engine checks (rondo_engine_options.check_indices). Since 0.1. */
RONDO_API rondo_status rondo_one_hot(rondo_tensor* indices, int64_t depth, rondo_dtype dtype, rondo_tensor** out);
/* out[i..., :] = table[indices[i...], :...]; indices i32 or i64. Negative indices count from the end; an index outside
 * gives a row of zeros, or is an error where the engine checks (rondo_engine_options.check_indices). Since 0.1. */
RONDO_API rondo_status rondo_gather_rows(rondo_tensor* table, rondo_tensor* indices, rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_OPS_H */
