// References of the elementwise operators, with their error bounds. Basic arithmetic is what IEEE 754 says (double
// holds it exactly enough for one rounding to any narrower dtype); other functions are taken in long double. Copyright
// 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference.h"

namespace conformance {

inline rondo_dtype promoted(rondo_dtype a, rondo_dtype b) {
  if (a == b) return a;
  const rondo_dtype low = std::min(a, b), high = std::max(a, b);
  if (low == RONDO_U8 && high == RONDO_I8) return RONDO_I32;
  if (low == RONDO_F16 && high == RONDO_BF16) return RONDO_F32;
  return high;
}

// As rondo_cast documents it.
inline Real converted(rondo_dtype from, rondo_dtype to, Real value) {
  if (to == RONDO_BOOL) return value != 0;
  if (is_floating(to)) return rounded(to, value);
  if (!is_floating(from)) return Real(wrap(to, static_cast<int64_t>(value)));
  if (std::isnan(value)) return 0;
  const Real low = to == RONDO_U8 ? 0 : to == RONDO_I8 ? -128 : to == RONDO_I32 ? Real(INT32_MIN) : Real(INT64_MIN);
  const Real high = to == RONDO_U8 ? 255 : to == RONDO_I8 ? 127 : to == RONDO_I32 ? Real(INT32_MAX) : Real(INT64_MAX);
  return std::trunc(std::clamp(value, low, high));
}

// --- unary
// ------------------------------------------------------------------------------------------------------------------
inline rondo_dtype unary_dtype(rondo_unary_op op, rondo_dtype dtype) {
  if (op == RONDO_LOGICAL_NOT || op == RONDO_ISNAN) return RONDO_BOOL;
  return op >= RONDO_EXP && !is_floating(dtype) ? RONDO_F32 : dtype;
}

inline double unary_bound(rondo_unary_op op, rondo_dtype dtype) {
  if (op < RONDO_EXP || op == RONDO_SQRT || op == RONDO_RECIPROCAL) return 0;
  return is_half(dtype) ? 1 : 4;
}

inline Real unary_integer(rondo_unary_op op, int64_t x) {
  const uint64_t bits = static_cast<uint64_t>(x);
  switch (op) {
    case RONDO_NEG: return Real(static_cast<int64_t>(0 - bits));
    case RONDO_ABS: return Real(static_cast<int64_t>(x < 0 ? 0 - bits : bits));
    case RONDO_SIGN: return (x > 0) - (x < 0);
    case RONDO_SQUARE: return Real(static_cast<int64_t>(bits * bits));
    case RONDO_LOGICAL_NOT: return x == 0;
    case RONDO_ISNAN: return 0;
    case RONDO_RELU: return Real(std::max<int64_t>(x, 0));
    default: return Real(x);  // floor, ceil, round
  }
}

inline Real unary_float(rondo_unary_op op, Real x) {
  switch (op) {
    case RONDO_NEG: return -x;
    case RONDO_ABS: return std::fabs(x);
    case RONDO_SIGN: return std::isnan(x) ? x : Real((x > 0) - (x < 0));
    case RONDO_SQUARE: return static_cast<double>(x) * static_cast<double>(x);
    case RONDO_LOGICAL_NOT: return x == 0;
    case RONDO_ISNAN: return std::isnan(x);
    case RONDO_RELU: return std::isnan(x) ? x : std::max<Real>(x, 0);
    case RONDO_FLOOR: return std::floor(x);
    case RONDO_CEIL: return std::ceil(x);
    case RONDO_ROUND: return std::nearbyint(x);
    case RONDO_EXP: return std::exp(x);
    case RONDO_LOG: return std::log(x);
    case RONDO_SQRT: return std::sqrt(static_cast<double>(x));
    case RONDO_RSQRT: return 1 / std::sqrt(x);
    case RONDO_TANH: return std::tanh(x);
    case RONDO_SIGMOID: return 1 / (1 + std::exp(-x));
    case RONDO_RECIPROCAL: return 1.0 / static_cast<double>(x);
    case RONDO_SIN: return std::sin(x);
    case RONDO_COS: return std::cos(x);
    case RONDO_ERF: return std::erf(x);
    case RONDO_EXPM1: return std::expm1(x);
    case RONDO_LOG1P: return std::log1p(x);
  }
  throw std::logic_error("unknown operator");
}

inline Expected expect_unary(rondo_unary_op op, const Array& a) {
  const rondo_dtype dtype = unary_dtype(op, a.dtype);
  Expected out(dtype, a.shape, unary_bound(op, dtype));
  // exp(-x) overflows before the result stops being a subnormal: such results may be 0.
  if (op == RONDO_SIGMOID) out.absolute.assign(out.values.size(), std::ldexp(Real(1), least_exponent(dtype)));
  for (size_t i = 0; i < a.size(); ++i) {
    if (is_floating(a.dtype)) {
      out.values[i] = unary_float(op, a[i]);
    } else if (op >= RONDO_EXP) {
      out.values[i] = unary_float(op, rounded(RONDO_F32, a[i]));
    } else {
      out.values[i] = dtype == RONDO_BOOL ? unary_integer(op, a.integer(i))
                                          : Real(wrap(dtype, static_cast<int64_t>(unary_integer(op, a.integer(i)))));
    }
  }
  return out;
}

// --- binary
// -----------------------------------------------------------------------------------------------------------------
inline rondo_dtype binary_dtype(rondo_binary_op op, rondo_dtype a, rondo_dtype b) {
  return op >= RONDO_EQ ? RONDO_BOOL : promoted(a, b);
}

inline double binary_bound(rondo_binary_op op, rondo_dtype dtype) {
  if (op == RONDO_POW) return is_half(dtype) ? 1 : 8;
  return 0;
}

inline int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (; exponent; exponent >>= 1, factor *= factor) {
    if (exponent & 1) result *= factor;
  }
  return static_cast<int64_t>(result);
}

inline int64_t binary_integer(rondo_binary_op op, int64_t a, int64_t b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
    case RONDO_ADD: return static_cast<int64_t>(x + y);
    case RONDO_SUB: return static_cast<int64_t>(x - y);
    case RONDO_MUL: return static_cast<int64_t>(x * y);
    case RONDO_DIV: return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - x) : a / b;
    case RONDO_POW: return power(a, b);
    case RONDO_MAXIMUM: return std::max(a, b);
    case RONDO_MINIMUM: return std::min(a, b);
    case RONDO_MOD: return b == 0 || b == -1 ? 0 : a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
    case RONDO_EQ: return a == b;
    case RONDO_NE: return a != b;
    case RONDO_LT: return a < b;
    case RONDO_LE: return a <= b;
    case RONDO_GT: return a > b;
    case RONDO_GE: return a >= b;
    case RONDO_LOGICAL_AND: return a && b;
    case RONDO_LOGICAL_OR: return a || b;
    case RONDO_LOGICAL_XOR: return !a != !b;
  }
  throw std::logic_error("unknown operator");
}

inline Real binary_float(rondo_binary_op op, Real x, Real y) {
  const double a = static_cast<double>(x), b = static_cast<double>(y);
  switch (op) {
    case RONDO_ADD: return a + b;
    case RONDO_SUB: return a - b;
    case RONDO_MUL: return a * b;
    case RONDO_DIV: return a / b;
    case RONDO_POW: return std::pow(x, y);
    case RONDO_MAXIMUM: return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
    case RONDO_MINIMUM: return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
    case RONDO_MOD: {
      const double rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case RONDO_EQ: return a == b;
    case RONDO_NE: return a != b;
    case RONDO_LT: return a < b;
    case RONDO_LE: return a <= b;
    case RONDO_GT: return a > b;
    case RONDO_GE: return a >= b;
    case RONDO_LOGICAL_AND: return a != 0 && b != 0;
    case RONDO_LOGICAL_OR: return a != 0 || b != 0;
    case RONDO_LOGICAL_XOR: return (a != 0) != (b != 0);
  }
  throw std::logic_error("unknown operator");
}

// One element; a and b are values of `dtype`, the promoted dtype.
inline Real binary_value(rondo_binary_op op, rondo_dtype dtype, Real a, Real b) {
  if (is_floating(dtype)) return binary_float(op, a, b);
  const int64_t value = binary_integer(op, static_cast<int64_t>(a), static_cast<int64_t>(b));
  return Real(op >= RONDO_EQ ? value : wrap(dtype, value));
}

inline Expected expect_binary(rondo_binary_op op, const Array& a, const Array& b) {
  const rondo_dtype common = promoted(a.dtype, b.dtype);
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Array x = host_broadcast(a, shape), y = host_broadcast(b, shape);
  const rondo_dtype dtype = binary_dtype(op, a.dtype, b.dtype);
  Expected out(dtype, shape, binary_bound(op, dtype));
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] = binary_value(op, common, converted(a.dtype, common, x[i]), converted(b.dtype, common, y[i]));
  }
  return out;
}

}  // namespace conformance
