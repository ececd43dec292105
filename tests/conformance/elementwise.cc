// Every elementwise operator, every dtype: random values, special values, odd sizes, views at an odd offset, zero size.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "elementwise_reference.h"
#include "harness.h"

namespace conformance {
namespace {

constexpr int64_t kSizes[] = {1, 3, 31, 257, 1000, 4099};

// Values an operator meets: random ones of both signs in a range that fits it, with the special values of the dtype
// sprinkled in.
Array unary_input(rondo_unary_op op, rondo_dtype dtype, int64_t n) {
  const bool positive = op == RONDO_LOG || op == RONDO_SQRT || op == RONDO_RSQRT;
  const bool narrow = op >= RONDO_EXP;  // integers go through f32 there: stay exact
  if (!is_floating(dtype)) {
    const double high = dtype == RONDO_I8 ? 127 : dtype == RONDO_U8 ? 255 : narrow ? 80 : 3e9;
    Array a = random_array(dtype, {n}, 11, dtype == RONDO_U8 || positive ? 0 : -high, high);
    if (n >= 31 && !narrow && dtype != RONDO_BOOL) {
      a.set(7, dtype == RONDO_I32 ? Real(INT32_MIN) : dtype == RONDO_I64 ? Real(INT64_MIN) : -128);
      a.set(8, 0);
    }
    return a;
  }
  const double low = op == RONDO_LOG1P ? -0.99 : positive ? 0.001 : -8;
  Array a = random_array(dtype, {n}, 12, low, 8);
  if (n >= 31) {
    const Real tiny = std::ldexp(Real(3), least_exponent(dtype) - mantissa_bits(dtype));  // subnormal
    const Real special[] = {NAN, INFINITY, -INFINITY, 0, -0.0L, tiny, -tiny, 0.5L, 1.5L, 2.5L, -0.5L, -2.5L, 1, -1};
    for (size_t i = 0; i < std::size(special); ++i) a.set(5 + i, special[i]);
  }
  return a;
}

Array binary_input(rondo_binary_op op, rondo_dtype dtype, int64_t n, bool right) {
  const uint32_t seed = right ? 22 : 21;
  if (!is_floating(dtype)) {
    if (op == RONDO_POW) return random_array(dtype, {n}, seed, right && dtype != RONDO_U8 ? -2 : 0, right ? 13 : 5);
    const double high = dtype == RONDO_U8 ? 255 : dtype == RONDO_I8 ? 127 : dtype == RONDO_I32 ? 2e9 : 9e18;
    // Many small divisors, zeros among them, and many equal pairs for the comparisons.
    Array a = random_array(dtype, {n}, seed, dtype == RONDO_U8 ? 0 : -high, high);
    for (size_t i = 0; i < a.size(); i += 2) a.set(i, Real((i * (right ? 7 : 3)) % 5) - (dtype == RONDO_U8 ? 0 : 2));
    if (n >= 31 && dtype != RONDO_BOOL) {
      const Real least = dtype == RONDO_I32 ? Real(INT32_MIN) : dtype == RONDO_I64 ? Real(INT64_MIN) : -128;
      a.set(9, right ? Real(-1) : least);
      a.set(11, right ? least : Real(-1));
      a.set(13, right ? Real(0) : least);
    }
    return a;
  }
  Array a = random_array(dtype, {n}, seed, op == RONDO_POW && !right ? 0.01 : -6, 6);
  for (size_t i = 0; i < a.size(); i += 3) a.set(i, std::nearbyint(a[i]));
  if (n >= 31) {
    const Real values[] = {NAN, INFINITY, -INFINITY, 0, 1, -2};
    for (size_t i = 0; i < 25 && i + 4 < a.size(); ++i) a.set(4 + i, values[right ? i % 5 : i / 5]);
  }
  return a;
}

// With bool operands the arithmetic operators have no agreed meaning beyond and/or.
bool defined_for_bool(rondo_binary_op op) {
  return op != RONDO_SUB && op != RONDO_DIV && op != RONDO_POW && op != RONDO_MOD;
}
bool defined_for_bool(rondo_unary_op op) {
  return op != RONDO_NEG;
}

std::string label(const char* what, rondo_dtype dtype, int64_t n) {
  return std::string(what) + " " + rondo_dtype_name(dtype) + "[" + std::to_string(n) + "]";
}

class Elementwise : public OnEngine {
 protected:
  std::vector<int64_t> sizes(rondo_dtype dtype) const {
    if (dtype == RONDO_F32) return dealt(std::vector<int64_t>{std::begin(kSizes), std::end(kSizes)});
    return dealt(std::vector<int64_t>{31, 1000});
  }

  void unary(rondo_unary_op op) {
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, op)) {
      if (dtype == RONDO_BOOL && !defined_for_bool(op)) continue;
      std::vector<std::pair<Array, Tensor>> inputs;
      for (const int64_t n : sizes(dtype)) {
        Array host = unary_input(op, dtype, n);
        Tensor a = up(host);
        inputs.emplace_back(std::move(host), std::move(a));
      }
      run([&](Results& results) {
        for (const auto& input : inputs) {
          const Array& host = input.first;
          const Tensor& a = input.second;
          const int64_t n = host.shape[0];
          results.keep(label("aligned", dtype, n), make(rondo_unary, op, a),
                       [&, op] { return expect_unary(op, host); });
          if (n < 31 || (sparing() && dtype != RONDO_F32)) continue;
          const Tensor view = slice(a, 0, 1, n);  // off any vector alignment
          results.keep(label("offset", dtype, n), make(rondo_unary, op, view),
                       [&, op, n] { return expect_unary(op, host_slice(host, 0, 1, n - 1, 1)); });
        }
      });
    }
  }

  void binary(rondo_binary_op op) {
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, op)) {
      if (dtype == RONDO_BOOL && !defined_for_bool(op)) continue;
      struct Pair {
        Array x, y;
        Tensor a, b;
      };
      std::vector<Pair> inputs;
      for (const int64_t n : sizes(dtype)) {
        Array x = binary_input(op, dtype, n, false), y = binary_input(op, dtype, n, true);
        Tensor a = up(x), b = up(y);
        inputs.push_back({std::move(x), std::move(y), std::move(a), std::move(b)});
      }
      run([&](Results& results) {
        for (const Pair& in : inputs) {
          const int64_t n = in.x.shape[0];
          results.keep(label("aligned", dtype, n), make(rondo_binary, op, in.a, in.b),
                       [&, op] { return expect_binary(op, in.x, in.y); });
          if (n < 31 || (sparing() && dtype != RONDO_F32)) continue;
          const Tensor left = slice(in.a, 0, 1, n), right = slice(in.b, 0, 0, n - 1);
          results.keep(label("offset", dtype, n), make(rondo_binary, op, left, right), [&, op, n] {
            return expect_binary(op, host_slice(in.x, 0, 1, n - 1, 1), host_slice(in.y, 0, 0, n - 1, 1));
          });
        }
      });
    }
  }
};
CONFORMANCE_SUITE(Elementwise);

#define UNARY(Name, op)       \
  TEST_P(Elementwise, Name) { \
    unary(op);                \
  }
UNARY(Neg, RONDO_NEG)
UNARY(Abs, RONDO_ABS)
UNARY(Sign, RONDO_SIGN)
UNARY(Square, RONDO_SQUARE)
UNARY(LogicalNot, RONDO_LOGICAL_NOT)
UNARY(IsNan, RONDO_ISNAN)
UNARY(Relu, RONDO_RELU)
UNARY(Floor, RONDO_FLOOR)
UNARY(Ceil, RONDO_CEIL)
UNARY(Round, RONDO_ROUND)
UNARY(Exp, RONDO_EXP)
UNARY(Log, RONDO_LOG)
UNARY(Sqrt, RONDO_SQRT)
UNARY(Rsqrt, RONDO_RSQRT)
UNARY(Tanh, RONDO_TANH)
UNARY(Sigmoid, RONDO_SIGMOID)
UNARY(Reciprocal, RONDO_RECIPROCAL)
UNARY(Sin, RONDO_SIN)
UNARY(Cos, RONDO_COS)
UNARY(Erf, RONDO_ERF)
UNARY(Expm1, RONDO_EXPM1)
UNARY(Log1p, RONDO_LOG1P)

#define BINARY(Name, op)      \
  TEST_P(Elementwise, Name) { \
    binary(op);               \
  }
BINARY(Add, RONDO_ADD)
BINARY(Sub, RONDO_SUB)
BINARY(Mul, RONDO_MUL)
BINARY(Div, RONDO_DIV)
BINARY(Pow, RONDO_POW)
BINARY(Maximum, RONDO_MAXIMUM)
BINARY(Minimum, RONDO_MINIMUM)
BINARY(Mod, RONDO_MOD)
BINARY(Equal, RONDO_EQ)
BINARY(NotEqual, RONDO_NE)
BINARY(Less, RONDO_LT)
BINARY(LessEqual, RONDO_LE)
BINARY(Greater, RONDO_GT)
BINARY(GreaterEqual, RONDO_GE)
BINARY(LogicalAnd, RONDO_LOGICAL_AND)
BINARY(LogicalOr, RONDO_LOGICAL_OR)
BINARY(LogicalXor, RONDO_LOGICAL_XOR)

TEST_P(Elementwise, ZeroSize) {
  const Tensor a = up(Array(RONDO_F32, {0})), b = up(Array(RONDO_F32, {3, 0}));
  run(
      [&](Results& results) {
        results.keep("unary", make(rondo_unary, RONDO_EXP, a), [] { return Expected(RONDO_F32, {0}); });
        results.keep("binary", make(rondo_binary, RONDO_ADD, a, b), [] { return Expected(RONDO_F32, {3, 0}); });
        results.keep("scalar", make(rondo_binary_scalar, RONDO_LT, b, 2.0), [] {
          return Expected(RONDO_BOOL, {3, 0});
        });
        results.keep("cast", make(rondo_cast, a, RONDO_I64), [] { return Expected(RONDO_I64, {0}); });
        results.keep("copy", make(rondo_copy, b), [] { return Expected(RONDO_F32, {3, 0}); });
      },
      {.nodes = 0});
}

// Mixed dtypes: one operator, every pair of dtypes, values that every dtype holds.
TEST_P(Elementwise, Promotion) {
  const std::vector<rondo_dtype> dtypes = sparing()
                                              ? std::vector<rondo_dtype>{RONDO_BOOL, RONDO_I64, RONDO_F16, RONDO_F32}
                                              : std::vector<rondo_dtype>{std::begin(kAllDtypes), std::end(kAllDtypes)};
  std::vector<Array> hosts;
  std::vector<Tensor> tensors;
  for (const rondo_dtype dtype : dtypes) {
    hosts.push_back(random_array(dtype, {37}, 30 + dtype, dtype == RONDO_U8 ? 0 : -90, 90));
    tensors.push_back(up(hosts.back()));
  }
  run([&](Results& results) {
    for (size_t i = 0; i < dtypes.size(); ++i) {
      for (size_t j = 0; j < dtypes.size(); ++j) {
        if (i == j) continue;
        for (const rondo_binary_op op : {RONDO_MUL, RONDO_LE}) {
          if (op == RONDO_LE && sparing()) continue;
          results.keep(std::string(rondo_dtype_name(dtypes[i])) + (op == RONDO_MUL ? " * " : " <= ") +
                           rondo_dtype_name(dtypes[j]),
                       make(rondo_binary, op, tensors[i], tensors[j]),
                       [&, i, j, op] { return expect_binary(op, hosts[i], hosts[j]); });
        }
      }
    }
  });
}

// i64 keeps all its bits.
TEST_P(Elementwise, WideIntegersAreExact) {
  const Array x =
      array_of(RONDO_I64, {4}, {Real(INT64_MAX), Real(INT64_MIN), 9007199254740993.0L, -9007199254740995.0L});
  const Array y = array_of(RONDO_I64, {4}, {1, -1, 9007199254740995.0L, 3});
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    for (const rondo_binary_op op : {RONDO_ADD, RONDO_MUL, RONDO_DIV, RONDO_LT, RONDO_MAXIMUM}) {
      results.keep("operator " + std::to_string(op), make(rondo_binary, op, a, b),
                   [&, op] { return expect_binary(op, x, y); });
    }
  });
}

}  // namespace
}  // namespace conformance
