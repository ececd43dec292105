// References of the elementwise operators, with their error bounds. Basic arithmetic is what IEEE 754 says (double
// holds it exactly enough for one rounding to any narrower dtype); other functions are taken in long double. Copyright
// 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "reference.h"

namespace conformance {

// The rules in words; tests/unit/base_test.cc compares all of them with NumPy's.
inline rondo_dtype promoted(rondo_dtype a, rondo_dtype b) {
  if (a == b || b == RONDO_BOOL) return a;
  if (a == RONDO_BOOL) return b;
  if (is_half(a) && is_half(b)) return RONDO_F32;
  if (is_floating(a) && is_floating(b)) return std::max(a, b);
  if (is_floating(a) || is_floating(b)) return is_floating(a) ? a : b;
  if (std::min(a, b) == RONDO_U8 && std::max(a, b) == RONDO_I8) return RONDO_I32;
  for (const rondo_dtype each : {RONDO_U8, RONDO_I8, RONDO_U16, RONDO_I16, RONDO_U32, RONDO_I32, RONDO_U64, RONDO_I64})
    if (lowest(each) <= std::min(lowest(a), lowest(b)) && highest(each) >= std::max(highest(a), highest(b)))
      return each;
  return RONDO_F64;
}

// As rondo_cast documents it.
inline Real converted(rondo_dtype from, rondo_dtype to, Real value) {
  if (to == RONDO_BOOL) return value != 0;
  if (is_floating(to) || is_f8(to)) return rounded(to, value);
  if (!is_floating(from) && !is_f8(from)) return wrap(to, bits_of(value));
  if (std::isnan(value)) return 0;
  return std::trunc(std::clamp(value, lowest(to), highest(to)));
}

// --- the table of operators: what the rows say of each, so that a new row is tested by itself. The values they are
// compared with are written here, independently of the library's functions.
// ---
struct Row {
  const char* name;
  int operands;
  char domain;  // a: any, r: real, w: whole
  bool boolean;
  std::vector<double> parameters;  // for the test: the defaults, or others where there are none
  double low, high, ulps;
};

namespace row_words {
inline constexpr char any = 'a', real = 'r', whole = 'w';
inline constexpr bool boolean = true, same = false;
inline constexpr double REQUIRED = std::numeric_limits<double>::quiet_NaN();
}  // namespace row_words

inline std::vector<double> test_parameters(std::initializer_list<double> defaults) {
  std::vector<double> values;
  for (const double value : defaults) values.push_back(std::isnan(value) ? (values.empty() ? 1 : 3) : value);
  return values;
}

#define P(...) test_parameters({__VA_ARGS__})
#define SKIP(...)
inline Row row_of(rondo_unary_op op) {
  using namespace row_words;
  switch (op) {
#define UNARY(ID, name, domain, result, parameters, low, high, ulps, ...) \
  case RONDO_##ID:                                                        \
    return {#name, 1, domain, result, parameters, low, high, ulps};
#define BINARY SKIP
#define TERNARY SKIP
#include "../../../src/ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
  }
  throw std::logic_error("unknown operator");
}
inline Row row_of(rondo_binary_op op) {
  using namespace row_words;
  switch (op) {
#define UNARY SKIP
#define BINARY(ID, name, domain, result, parameters, low, high, ulps, ...) \
  case RONDO_##ID:                                                         \
    return {#name, 2, domain, result, parameters, low, high, ulps};
#define TERNARY SKIP
#include "../../../src/ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
  }
  throw std::logic_error("unknown operator");
}
inline Row row_of(rondo_ternary_op op) {
  using namespace row_words;
  switch (op) {
#define UNARY SKIP
#define BINARY SKIP
#define TERNARY(ID, name, domain, result, low, high, ulps, ...) \
  case RONDO_##ID:                                              \
    return {#name, 3, domain, result, {}, low, high, ulps};
#include "../../../src/ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
  }
  throw std::logic_error("unknown operator");
}
#undef P

// The dtype a row computes in, and that of its result.
inline rondo_dtype computed_dtype(const Row& row, rondo_dtype common) {
  return row.domain == 'r' && !is_floating(common) ? RONDO_F32 : common;
}
inline rondo_dtype result_dtype(const Row& row, rondo_dtype common) {
  return row.boolean ? RONDO_BOOL : computed_dtype(row, common);
}
// Units in the last place of the result. A 16-bit result is computed in float: one rounding, and seldom the other way.
inline double bound_of(const Row& row, rondo_dtype result) {
  return is_half(result) && row.ulps > 0 ? 1 : row.ulps;
}
// Where a function's own terms cancel, or the library's underflow early, the bound is absolute.
inline Real absolute_bound(const Row& row, rondo_dtype computed, Real scale) {
  return row.ulps == 0 ? Real(0)
                       : std::ldexp(Real(1), least_exponent(computed)) +
                             std::ldexp(std::fabs(scale) * Real(row.ulps), -mantissa_bits(computed) - 1);
}

// --- unary
// Whole is int64_t, or uint64_t for u64.
template <class Whole>
Real unary_integer(rondo_unary_op op, Whole x, const std::vector<double>& p) {
  const uint64_t bits = static_cast<uint64_t>(x);
  switch (op) {
    case RONDO_NEG: return Real(static_cast<Whole>(0 - bits));
    case RONDO_ABS: return Real(static_cast<Whole>(x < 0 ? 0 - bits : bits));
    case RONDO_SIGN: return (x > 0) - (x < 0);
    case RONDO_SQUARE: return Real(static_cast<Whole>(bits * bits));
    case RONDO_LOGICAL_NOT: return x == 0;
    case RONDO_ISNAN:
    case RONDO_ISINF:
    case RONDO_ISPOSINF:
    case RONDO_ISNEGINF: return 0;
    case RONDO_ISFINITE: return 1;
    case RONDO_SIGNBIT: return x < 0;
    case RONDO_RELU: return Real(std::max<Whole>(x, 0));
    case RONDO_BIT_NOT: return Real(static_cast<Whole>(~bits));
    case RONDO_CLIP: return std::clamp(Real(x), Real(p[0]), Real(p[1]));
    case RONDO_FLOOR:
    case RONDO_CEIL:
    case RONDO_ROUND:
    case RONDO_ROUND_AWAY:
    case RONDO_TRUNC: return Real(x);
    default: throw std::logic_error("no integer operator");
  }
}

// Derivatives of lgamma by their asymptotic series, far out, where ten terms give all digits of a long double.
inline Real psi(Real x) {
  Real sum = 0;
  for (; x < 40; x += 1) sum -= 1 / x;
  const Real z = 1 / (x * x);
  return sum + std::log(x) - 1 / (2 * x) -
         z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * (1 / 240.0L - z * (1 / 132.0L)))));
}
inline Real psi1(Real x) {
  Real sum = 0;
  for (; x < 40; x += 1) sum += 1 / (x * x);
  const Real z = 1 / (x * x);
  return sum + 1 / x + z / 2 +
         z / x * (1 / 6.0L - z * (1 / 30.0L - z * (1 / 42.0L - z * (1 / 30.0L - z * (5 / 66.0L)))));
}
inline Real inverse_erf(Real y) {  // by bisection
  if (std::isnan(y) || std::fabs(y) > 1) return NAN;
  if (std::fabs(y) == 1) return y * INFINITY;
  if (std::fabs(y) < 1e-8L) return y * 0.88622692545275801364908374167057L;  // y^3 is beyond all digits
  Real low = -8, high = 8;
  for (int i = 0; i < 200; ++i) {
    const Real middle = (low + high) / 2;
    const bool below = std::fabs(y) < 0.5 ? std::erf(middle) < y
                       : y > 0            ? std::erfc(middle) > 1 - y
                                          : std::erfc(-middle) < 1 + y;
    (below ? low : high) = middle;
  }
  return y == 0 ? y : (low + high) / 2;
}
inline Real sigmoid(Real x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
inline Real soft_plus(Real x) {
  return std::isnan(x) ? x : std::max<Real>(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}

inline Real unary_float(rondo_unary_op op, Real x, const std::vector<double>& p) {
  if (std::isnan(x) && op != RONDO_LOGICAL_NOT && op != RONDO_ISNAN && op != RONDO_ISINF && op != RONDO_ISPOSINF &&
      op != RONDO_ISNEGINF && op != RONDO_ISFINITE && op != RONDO_SIGNBIT)
    return x;
  const bool lowest = x == -INFINITY;
  switch (op) {
    case RONDO_NEG: return -x;
    case RONDO_ABS: return std::fabs(x);
    case RONDO_SIGN: return Real((x > 0) - (x < 0));
    case RONDO_SQUARE: return static_cast<double>(x) * static_cast<double>(x);
    case RONDO_LOGICAL_NOT: return x == 0;
    case RONDO_ISNAN: return std::isnan(x);
    case RONDO_ISINF: return std::isinf(x);
    case RONDO_ISPOSINF: return std::isinf(x) && x > 0;
    case RONDO_ISNEGINF: return std::isinf(x) && x < 0;
    case RONDO_ISFINITE: return std::isfinite(x);
    case RONDO_SIGNBIT: return std::signbit(x);
    case RONDO_RELU: return std::max<Real>(x, 0);
    case RONDO_FLOOR: return std::floor(x);
    case RONDO_CEIL: return std::ceil(x);
    case RONDO_ROUND: return std::nearbyint(x);
    case RONDO_ROUND_AWAY: return std::round(x);
    case RONDO_TRUNC: return std::trunc(x);
    case RONDO_CLIP:
    case RONDO_HARD_TANH: return std::clamp<Real>(x, p[0], p[1]);
    case RONDO_EXP: return std::exp(x);
    case RONDO_EXP2: return std::exp2(x);
    case RONDO_EXPM1: return std::expm1(x);
    case RONDO_LOG: return std::log(x);
    case RONDO_LOG2: return std::log2(x);
    case RONDO_LOG10: return std::log10(x);
    case RONDO_LOG1P: return std::log1p(x);
    case RONDO_SQRT: return std::sqrt(static_cast<double>(x));
    case RONDO_RSQRT: return 1 / std::sqrt(x);
    case RONDO_CBRT: return std::cbrt(x);
    case RONDO_RCBRT: return 1 / std::cbrt(x);
    case RONDO_RECIPROCAL: return 1.0 / static_cast<double>(x);
    case RONDO_SIN: return std::sin(x);
    case RONDO_COS: return std::cos(x);
    case RONDO_TAN: return std::tan(x);
    case RONDO_ASIN: return std::asin(x);
    case RONDO_ACOS: return std::acos(x);
    case RONDO_ATAN: return std::atan(x);
    case RONDO_SINH: return std::sinh(x);
    case RONDO_COSH: return std::cosh(x);
    case RONDO_TANH: return std::tanh(x);
    case RONDO_ASINH: return std::asinh(x);
    case RONDO_ACOSH: return std::acosh(x);
    case RONDO_ATANH: return std::atanh(x);
    case RONDO_DEGREES: return x * 180 / 3.14159265358979323846264338L;
    case RONDO_RADIANS: return x * 3.14159265358979323846264338L / 180;
    case RONDO_ERF: return std::erf(x);
    case RONDO_ERFC: return std::erfc(x);
    case RONDO_ERFINV: return inverse_erf(x);
    case RONDO_GAMMA: return std::tgamma(x);
    case RONDO_LGAMMA: {
      int sign;  // not into the variable that all threads share
      return ::lgammal_r(x, &sign);
    }
    case RONDO_DIGAMMA: return psi(x);
    case RONDO_TRIGAMMA: return psi1(x);
    case RONDO_SIGMOID: return sigmoid(x);
    case RONDO_LOG_SIGMOID: return -soft_plus(-x);
    case RONDO_SOFTPLUS: return soft_plus(x * p[0]) / p[0];
    case RONDO_SOFTSIGN: return std::isinf(x) ? std::copysign(Real(1), x) : x / (1 + std::fabs(x));
    case RONDO_GELU: return lowest ? -0.0L : x * std::erfc(-x / std::sqrt(2.0L)) / 2;
    case RONDO_GELU_TANH:
      return lowest ? -0.0L
                    : x * sigmoid(2 * std::sqrt(2 / 3.14159265358979323846264338L) * (x + 0.044715L * x * x * x));
    case RONDO_SILU: return lowest ? -0.0L : x * sigmoid(x);
    case RONDO_MISH: return lowest ? -0.0L : x * std::tanh(soft_plus(x));
    case RONDO_ELU: return x > 0 ? x : p[0] * std::expm1(x);
    case RONDO_SELU:
      return 1.0507009873554804934193349852946L * (x > 0 ? x : 1.6732632423543772848170429916717L * std::expm1(x));
    case RONDO_CELU: return x > 0 ? x : p[0] * std::expm1(x / p[0]);
    case RONDO_LEAKY_RELU: return x > 0 ? x : p[0] * x;
    case RONDO_HARD_SIGMOID: return std::clamp<Real>(p[0] * x + p[1], 0, 1);
    case RONDO_HARD_SWISH: return lowest ? -0.0L : x * std::clamp<Real>(x / 6 + 0.5L, 0, 1);
    case RONDO_SMOOTH_L1_SIGMA: {
      const Real d = std::fabs(x), square = Real(p[0]) * Real(p[0]);
      return d < 1 / square ? square * d * d / 2 : d - 1 / (2 * square);
    }
    case RONDO_BIT_NOT: break;
  }
  throw std::logic_error("unknown operator");
}

inline Expected expect_unary(rondo_unary_op op, const Array& a) {
  const Row row = row_of(op);
  const rondo_dtype dtype = result_dtype(row, a.dtype);
  Expected out(dtype, a.shape, bound_of(row, dtype));
  const rondo_dtype computed = computed_dtype(row, a.dtype);
  const bool cancels = op == RONDO_HARD_SIGMOID || op == RONDO_HARD_SWISH;
  out.absolute.resize(out.values.size());
  for (size_t i = 0; i < a.size(); ++i) {
    out.absolute[i] = absolute_bound(row, is_half(computed) ? RONDO_F32 : computed,
                                     cancels && std::isfinite(a[i]) ? 1 + std::fabs(a[i]) : 0);
    if (is_floating(a.dtype)) {
      out.values[i] = unary_float(op, a[i], row.parameters);
    } else if (row.domain == 'r') {
      out.values[i] = unary_float(op, rounded(RONDO_F32, a[i]), row.parameters);
    } else if (a.dtype == RONDO_BOOL && op == RONDO_BIT_NOT) {
      out.values[i] = a[i] == 0;
    } else {
      const int64_t x = a.integer(i);
      const Real value = a.dtype == RONDO_U64 ? unary_integer(op, static_cast<uint64_t>(x), row.parameters)
                                              : unary_integer(op, x, row.parameters);
      out.values[i] = dtype == RONDO_BOOL ? value : wrap(dtype, bits_of(value));
    }
  }
  return out;
}

// --- binary
inline rondo_dtype binary_dtype(rondo_binary_op op, rondo_dtype a, rondo_dtype b) {
  return result_dtype(row_of(op), promoted(a, b));
}
inline double binary_bound(rondo_binary_op op, rondo_dtype dtype) {
  return bound_of(row_of(op), dtype);
}

template <class Whole>
constexpr bool is_minus_one(Whole x) {
  return std::is_signed_v<Whole> && x == static_cast<Whole>(-1);
}
template <class Whole>
Whole power(Whole base, Whole exponent) {
  if (exponent < 0) return base == 1 ? 1 : is_minus_one(base) ? (exponent % 2 ? static_cast<Whole>(-1) : 1) : 0;
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (; exponent; exponent >>= 1, factor *= factor) {
    if (exponent & 1) result *= factor;
  }
  return static_cast<Whole>(result);
}

template <class Whole>
Whole shifted(rondo_dtype dtype, Whole a, Whole b, bool left) {
  const Whole width = dtype == RONDO_BOOL ? 1 : static_cast<Whole>(rondo_dtype_size(dtype)) * 8;
  if (b < 0 || b >= width) return left || a >= 0 ? 0 : static_cast<Whole>(-1);
  return left ? static_cast<Whole>(static_cast<uint64_t>(a) << b) : static_cast<Whole>(a >> b);
}

template <class Whole>
Whole binary_integer(rondo_binary_op op, rondo_dtype dtype, Whole a, Whole b) {
  const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
    case RONDO_ADD: return static_cast<Whole>(x + y);
    case RONDO_SUB: return static_cast<Whole>(x - y);
    case RONDO_MUL: return static_cast<Whole>(x * y);
    case RONDO_DIV: return b == 0 ? 0 : is_minus_one(b) ? static_cast<Whole>(0 - x) : a / b;
    case RONDO_POW: return power(a, b);
    case RONDO_MAXIMUM: return std::max(a, b);
    case RONDO_MINIMUM: return std::min(a, b);
    case RONDO_MOD: return b == 0 || is_minus_one(b) ? 0 : a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
    case RONDO_FMOD: return b == 0 || is_minus_one(b) ? 0 : a % b;
    case RONDO_FLOOR_DIV:
      return b == 0 ? 0 : is_minus_one(b) ? static_cast<Whole>(0 - x) : a / b - (a % b != 0 && (a < 0) != (b < 0));
    case RONDO_FMAX: return std::max(a, b);
    case RONDO_FMIN: return std::min(a, b);
    case RONDO_SQUARED_DIFFERENCE: return static_cast<Whole>((x - y) * (x - y));
    case RONDO_BIT_AND: return a & b;
    case RONDO_BIT_OR: return a | b;
    case RONDO_BIT_XOR: return a ^ b;
    case RONDO_SHIFT_LEFT: return shifted(dtype, a, b, true);
    case RONDO_SHIFT_RIGHT: return shifted(dtype, a, b, false);
    case RONDO_GCD:
    case RONDO_LCM: {
      uint64_t m = a < 0 ? 0 - x : x, n = b < 0 ? 0 - y : y;
      const uint64_t product_of = m;
      while (n) m = std::exchange(n, m % n);
      if (op == RONDO_GCD) return static_cast<Whole>(m);
      const uint64_t least = m == 0 ? 0 : product_of / m * (b < 0 ? 0 - y : y);
      const Real kept = wrap(dtype, least);
      return static_cast<Whole>(bits_of(kept < 0 ? wrap(dtype, 0 - least) : kept));
    }
    case RONDO_EQ: return a == b;
    case RONDO_NE: return a != b;
    case RONDO_LT: return a < b;
    case RONDO_LE: return a <= b;
    case RONDO_GT: return a > b;
    case RONDO_GE: return a >= b;
    case RONDO_LOGICAL_AND: return a && b;
    case RONDO_LOGICAL_OR: return a || b;
    case RONDO_LOGICAL_XOR: return !a != !b;
    default: break;
  }
  throw std::logic_error("no integer operator");
}

inline Real binary_float(rondo_binary_op op, Real x, Real y, const std::vector<double>& p) {
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
    case RONDO_FMOD: return std::fmod(a, b);
    case RONDO_FLOOR_DIV: {
      if (b == 0 || std::isnan(a) || std::isnan(b)) return a / b;
      const Real rest = std::fmod(x, y);  // exact
      if (std::isnan(rest)) return rest;
      const Real quotient = std::nearbyint((x - rest) / y);
      if (rest != 0 && (rest < 0) != (y < 0)) return quotient - 1;
      return quotient == 0 ? std::copysign(Real(0), x / y) : quotient;
    }
    case RONDO_TRUE_DIV: return a / b;
    case RONDO_FMAX: return std::fmax(a, b);
    case RONDO_FMIN: return std::fmin(a, b);
    case RONDO_SQUARED_DIFFERENCE: return (x - y) * (x - y);
    case RONDO_HYPOT: return std::hypot(x, y);
    case RONDO_ATAN2: return std::atan2(x, y);
    case RONDO_COPYSIGN: return std::copysign(x, y);
    case RONDO_LDEXP: return x * std::exp2(y);  // its range holds what that of f64 does not
    case RONDO_LOGADDEXP:
      if (std::isnan(a) || std::isnan(b)) return NAN;
      return x == y ? x + std::log(2.0L) : std::max(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
    case RONDO_XLOGY: return a == 0 && !std::isnan(b) ? Real(0) : x * std::log(y);
    case RONDO_PRELU: return x > 0 ? x : x * y;
    case RONDO_SMOOTH_L1: {
      const Real d = std::fabs(x - y);
      return d < p[0] ? d * d / (2 * p[0]) : d - p[0] / 2;
    }
    case RONDO_BCE_WITH_LOGITS:
      return (std::isnan(x) ? x : std::max<Real>(x, 0)) - x * y + std::log1p(std::exp(-std::fabs(x)));
    case RONDO_EQ: return a == b;
    case RONDO_NE: return a != b;
    case RONDO_LT: return a < b;
    case RONDO_LE: return a <= b;
    case RONDO_GT: return a > b;
    case RONDO_GE: return a >= b;
    case RONDO_LOGICAL_AND: return a != 0 && b != 0;
    case RONDO_LOGICAL_OR: return a != 0 || b != 0;
    case RONDO_LOGICAL_XOR: return (a != 0) != (b != 0);
    default: break;
  }
  throw std::logic_error("unknown operator");
}

// One element; a and b are values of `dtype`, the dtype it is computed in.
inline Real binary_value(rondo_binary_op op, rondo_dtype dtype, Real a, Real b) {
  const Row row = row_of(op);
  if (is_floating(dtype)) return binary_float(op, a, b, row.parameters);
  const uint64_t x = bits_of(a), y = bits_of(b);
  const uint64_t value =
      dtype == RONDO_U64
          ? binary_integer(op, dtype, x, y)
          : static_cast<uint64_t>(binary_integer(op, dtype, static_cast<int64_t>(x), static_cast<int64_t>(y)));
  return row.boolean ? Real(value) : wrap(dtype, value);
}

inline Expected expect_binary(rondo_binary_op op, const Array& a, const Array& b) {
  const Row row = row_of(op);
  const rondo_dtype computed = computed_dtype(row, promoted(a.dtype, b.dtype));
  const Shape shape = broadcast_shape(a.shape, b.shape);
  const Array x = host_broadcast(a, shape), y = host_broadcast(b, shape);
  const rondo_dtype dtype = binary_dtype(op, a.dtype, b.dtype);
  Expected out(dtype, shape, bound_of(row, dtype));
  out.absolute.resize(out.values.size());
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Real left = converted(a.dtype, computed, x[i]), right = converted(b.dtype, computed, y[i]);
    out.values[i] = binary_value(op, computed, left, right);
    // A sum of terms of both signs is as exact as its largest term.
    if (is_floating(computed) && std::isfinite(left) && std::isfinite(right))
      out.absolute[i] =
          absolute_bound(row, is_half(computed) ? RONDO_F32 : computed,
                         row.domain == 'r' ? std::max(std::fabs(left), std::fabs(left * right)) : Real(0));
  }
  return out;
}

// --- ternary
inline Expected expect_ternary(rondo_ternary_op op, const Array& a, const Array& b, const Array& c) {
  const Row row = row_of(op);
  const rondo_dtype common = promoted(promoted(a.dtype, b.dtype), c.dtype);
  const rondo_dtype computed = computed_dtype(row, common);
  Expected out(computed, a.shape, bound_of(row, computed));
  out.absolute.resize(out.values.size());
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Real x = converted(a.dtype, computed, a[i]), y = converted(b.dtype, computed, b[i]);
    const Real z = converted(c.dtype, computed, c[i]);
    const bool integer = !is_floating(computed);
    const bool nan = std::isnan(x) || std::isnan(y) || std::isnan(z);
    switch (op) {
      case RONDO_FMA: out.values[i] = integer ? wrap(computed, bits_of(x) * bits_of(y) + bits_of(z)) : x * y + z; break;
      case RONDO_CLAMP: out.values[i] = nan ? NAN : std::min(std::max(x, y), z); break;
      case RONDO_LERP: out.values[i] = x + z * (y - x); break;
    }
    if (!integer && !nan && std::isfinite(x) && std::isfinite(y) && std::isfinite(z))
      out.absolute[i] = absolute_bound(row, is_half(computed) ? RONDO_F32 : computed,
                                       std::fabs(x) + std::fabs(x * z) + std::fabs(y * z) + std::fabs(x * y));
  }
  return out;
}

}  // namespace conformance
