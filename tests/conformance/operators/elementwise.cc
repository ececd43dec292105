// Every elementwise operator, every dtype: random values, special values, odd sizes, views at an odd offset, zero size.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"
#include "operators/elementwise_reference.h"

namespace conformance {
namespace {

constexpr int64_t kSizes[] = {1, 3, 31, 257, 1000, 4099};

// At poles and in the far tails the functions of devices and hosts differ, and only some promise anything.
bool special_at(rondo_unary_op op, Real value) {
  switch (op) {
    case RONDO_GAMMA:
    case RONDO_LGAMMA:
    case RONDO_DIGAMMA:
    case RONDO_TRIGAMMA: return std::isnan(value) || value == 2.5L;
    case RONDO_RCBRT: return value != 0 || !std::signbit(value);
    case RONDO_TAN:
    case RONDO_SIN:
    case RONDO_COS: return !std::isinf(value);
    case RONDO_CLIP:
    case RONDO_HARD_TANH: return value != 0;  // the sign of a zero between the bounds
    default: return true;
  }
}

// Values an operator meets: random ones of both signs in a range that fits it, with the special values of the dtype
// sprinkled in.
Array unary_input(rondo_unary_op op, rondo_dtype dtype, int64_t n) {
  const Row row = row_of(op);
  const bool through_float = row.domain == 'r';  // integers go through f32 there: stay exact
  if (!is_floating(dtype)) {
    const double most = dtype == RONDO_U64    ? 1.8e19
                        : dtype == RONDO_BOOL ? 1
                                              : std::min<double>(static_cast<double>(highest(dtype)), 3e9);
    const double high = through_float ? std::min(most, std::max(row.high, 1.0)) : most;
    const double low = is_unsigned(dtype) ? std::max(row.low, 0.0) : through_float ? std::ceil(row.low) : -high;
    Array a = random_array(dtype, {n}, 11, std::min(low, high), high);
    if (n >= 31 && !through_float && dtype != RONDO_BOOL) {
      a.set(7, is_unsigned(dtype) ? highest(dtype) : lowest(dtype));
      a.set(8, 0);
    }
    return a;
  }
  Array a = random_array(dtype, {n}, 12, row.low, row.high);
  if (n >= 31) {
    const Real tiny = std::ldexp(Real(3), least_exponent(dtype) - mantissa_bits(dtype));  // subnormal
    const Real special[] = {NAN, INFINITY, -INFINITY, 0, -0.0L, tiny, -tiny, 0.5L, 1.5L, 2.5L, -0.5L, -2.5L, 1, -1};
    size_t at = 5;
    for (const Real value : special) a.set(at++, special_at(op, value) ? value : Real(row.high));
  }
  return a;
}

Array binary_input(rondo_binary_op op, rondo_dtype dtype, int64_t n, bool right) {
  const Row row = row_of(op);
  const uint32_t seed = right ? 22 : 21;
  if (!is_floating(dtype)) {
    if (op == RONDO_POW || row.domain == 'r')
      return random_array(dtype, {n}, seed, right && !is_unsigned(dtype) && op == RONDO_POW ? -2 : 0, right ? 13 : 5);
    const double high = dtype == RONDO_BOOL ? 1 : static_cast<double>(highest(dtype)) * 0.95;
    // Many small divisors and counts, zeros among them, and many equal pairs for the comparisons.
    Array a = random_array(dtype, {n}, seed, is_unsigned(dtype) ? 0 : -high, high);
    for (size_t i = 0; i < a.size(); i += 2) a.set(i, Real((i * (right ? 7 : 3)) % 5) - (is_unsigned(dtype) ? 0 : 2));
    if (n >= 31 && dtype != RONDO_BOOL) {
      const Real least = is_unsigned(dtype) ? highest(dtype) : lowest(dtype);
      a.set(9, right ? Real(-1) : least);
      a.set(11, right ? least : Real(-1));
      a.set(13, right ? Real(0) : least);
    }
    return a;
  }
  Array a = random_array(dtype, {n}, seed, right ? std::min(row.low, -row.high) : row.low, row.high);
  if (op == RONDO_XLOGY && right) a = random_array(dtype, {n}, seed, row.low, row.high);
  if (row.low < 0)
    for (size_t i = 0; i < a.size(); i += 3) a.set(i, std::nearbyint(a[i]));
  if (n >= 31 && row.ulps == 0) {
    const Real values[] = {NAN, INFINITY, -INFINITY, 0, 1, -2};
    for (size_t i = 0; i < 25 && i + 4 < a.size(); ++i) a.set(4 + i, values[right ? i % 5 : i / 5]);
  } else if (n >= 31) {
    a.set(4 + (right ? 1 : 0), NAN);
    a.set(7, right ? 1 : 0);
  }
  return a;
}

// With bool operands the arithmetic operators have no agreed meaning beyond and/or.
bool defined_for_bool(rondo_binary_op op) {
  switch (op) {
    case RONDO_SUB:
    case RONDO_DIV:
    case RONDO_POW:
    case RONDO_MOD:
    case RONDO_FMOD:
    case RONDO_FLOOR_DIV:
    case RONDO_SQUARED_DIFFERENCE:
    case RONDO_GCD:
    case RONDO_LCM: return false;
    default: return true;
  }
}
bool defined_for_bool(rondo_unary_op op) {
  return op != RONDO_NEG && op != RONDO_CLIP;
}

bool takes(const Row& row, rondo_dtype dtype) {
  return row.domain != 'w' || !is_floating(dtype);
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

  static Tensor apply(rondo_unary_op op, rondo_tensor* a) {
    const std::vector<double> parameters = row_of(op).parameters;
    if (parameters.empty()) return make(rondo_unary, op, a);
    return make(rondo_unary_with, op, a, static_cast<int32_t>(parameters.size()), parameters.data());
  }
  static Tensor apply(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b) {
    const std::vector<double> parameters = row_of(op).parameters;
    if (parameters.empty()) return make(rondo_binary, op, a, b);
    return make(rondo_binary_with, op, a, b, static_cast<int32_t>(parameters.size()), parameters.data());
  }

  void unary(rondo_unary_op op) {
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, op)) {
      if ((dtype == RONDO_BOOL && !defined_for_bool(op)) || !takes(row_of(op), dtype)) continue;
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
          results.keep(label("aligned", dtype, n), apply(op, a), [&, op] { return expect_unary(op, host); });
          if (n < 31 || (sparing() && dtype != RONDO_F32)) continue;
          const Tensor view = slice(a, 0, 1, n);  // off any vector alignment
          results.keep(label("offset", dtype, n), apply(op, view),
                       [&, op, n] { return expect_unary(op, host_slice(host, 0, 1, n - 1, 1)); });
        }
      });
    }
  }

  void binary(rondo_binary_op op) {
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, op)) {
      if ((dtype == RONDO_BOOL && !defined_for_bool(op)) || !takes(row_of(op), dtype)) continue;
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
          results.keep(label("aligned", dtype, n), apply(op, in.a, in.b),
                       [&, op] { return expect_binary(op, in.x, in.y); });
          if (n < 31 || (sparing() && dtype != RONDO_F32)) continue;
          const Tensor left = slice(in.a, 0, 1, n), right = slice(in.b, 0, 0, n - 1);
          results.keep(label("offset", dtype, n), apply(op, left, right), [&, op, n] {
            return expect_binary(op, host_slice(in.x, 0, 1, n - 1, 1), host_slice(in.y, 0, 0, n - 1, 1));
          });
        }
      });
    }
  }

  void ternary(rondo_ternary_op op) {
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, op)) {
      if (dtype == RONDO_BOOL) continue;
      const Row row = row_of(op);
      Array x[3];
      Tensor t[3];
      for (uint32_t i = 0; i < 3; ++i) {
        x[i] = random_array(dtype, {257}, 70 + i, (i == 2 && op == RONDO_CLAMP) || is_unsigned(dtype) ? 0 : row.low,
                            row.high);
        if (is_floating(dtype)) x[i].set(3 + i, NAN);
        t[i] = up(x[i]);
      }
      run([&](Results& results) {
        results.keep(label("aligned", dtype, 257), make(rondo_ternary, op, t[0], t[1], t[2]),
                     [&, op] { return expect_ternary(op, x[0], x[1], x[2]); });
      });
    }
  }
};
CONFORMANCE_SUITE(Elementwise);

// One case per row of the table.
#define UNARY(ID, name, ...)  \
  TEST_P(Elementwise, name) { \
    unary(RONDO_##ID);        \
  }
#define BINARY(ID, name, ...) \
  TEST_P(Elementwise, name) { \
    binary(RONDO_##ID);       \
  }
#define TERNARY(ID, name, ...) \
  TEST_P(Elementwise, name) {  \
    ternary(RONDO_##ID);       \
  }
#include "../../../src/ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY

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
  const std::vector<rondo_dtype> dtypes =
      sparing() ? std::vector<rondo_dtype>{RONDO_BOOL, integer_of_share(), RONDO_F16, RONDO_F32}
                : std::vector<rondo_dtype>{std::begin(kAllDtypes), std::end(kAllDtypes)};
  std::vector<Array> hosts;
  std::vector<Tensor> tensors;
  for (const rondo_dtype dtype : dtypes) {
    hosts.push_back(random_array(dtype, {37}, 30 + dtype, is_unsigned(dtype) ? 0 : -90, 90));
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

TEST_P(Elementwise, AddN) {
  const Array x = random_array(RONDO_F32, {5, 7}, 51, -6, 6), y = random_array(RONDO_I32, {7}, 52, -90, 90);
  const Array z = random_array(RONDO_F64, {5, 1}, 53, -6, 6);
  const Tensor a = up(x), b = up(y), c = up(z);
  run([&](Results& results) {
    rondo_tensor* const three[] = {a, b, c};
    results.keep("three", make(rondo_add_n, 3, three), [&] {
      Expected out(RONDO_F64, {5, 7}, 0);
      for (size_t i = 0; i < 35; ++i)
        out.values[i] = static_cast<double>(static_cast<double>(x[i]) + static_cast<double>(y[i % 7])) +
                        static_cast<double>(z[i / 7]);
      return out;
    });
    results.keep("one", make(rondo_add_n, 1, three),
                 [&] { return expect_binary(RONDO_MUL, x, full(RONDO_F32, {1}, 1)); });
  });
}

// u64 keeps all its bits, and with a signed integer becomes f64.
TEST_P(Elementwise, WideUnsignedIntegersAreExact) {
  const Array x = array_of(RONDO_U64, {5}, {Real(UINT64_MAX), Real(UINT64_MAX), 9007199254740993.0L, 1, 0});
  const Array y = array_of(RONDO_U64, {5}, {Real(UINT64_MAX) - 1, 3, 9007199254740993.0L, 64, 0});
  const Array z = array_of(RONDO_I64, {5}, {-1, 1, 2, Real(INT64_MIN), 0});
  const Tensor a = up(x), b = up(y), c = up(z);
  run([&](Results& results) {
    for (const rondo_binary_op op :
         {RONDO_ADD, RONDO_SUB, RONDO_DIV, RONDO_MOD, RONDO_LT, RONDO_SHIFT_LEFT, RONDO_GCD}) {
      if (sparing() && op != RONDO_SUB && op != RONDO_DIV) continue;
      results.keep("operator " + std::to_string(op), make(rondo_binary, op, a, b),
                   [&, op] { return expect_binary(op, x, y); });
    }
    results.keep("with i64", make(rondo_binary, RONDO_ADD, a, c), [&] { return expect_binary(RONDO_ADD, x, z); });
    results.keep("2^63 and more as a scalar", make(rondo_binary_scalar, RONDO_SUB, a, 0x1p63),
                 [&] { return expect_binary(RONDO_SUB, x, full(RONDO_U64, {}, 0x1p63L)); });
  });
  Tensor out;
  expect_refused(rondo_binary_scalar(RONDO_ADD, a, 0x1p64, out.slot()), RONDO_INVALID_ARGUMENT, "rondo_binary_scalar",
                 "scalar");
  expect_refused(rondo_binary_scalar_i64(RONDO_ADD, a, -1, out.slot()), RONDO_INVALID_ARGUMENT,
                 "rondo_binary_scalar_i64", "scalar");
  expect_refused(rondo_binary(RONDO_BIT_AND, a, c, out.slot()), RONDO_INVALID_ARGUMENT, "rondo_binary", "f64");
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
