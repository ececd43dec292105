// The cpu's functions of f32 against the C library in f64, over all of f32 at a distance, and every loop of every
// instruction set against the baseline's, bit by bit.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "instruction_sets.h"
#include "ops/host/elementwise_loops.h"

namespace rondo::ops {
namespace {

constexpr int64_t kBlock = 1024;

Loop loop_of(Instructions set, Op op, rondo_dtype dtype) {
  return loops(set).find({op, static_cast<uint8_t>(dtype), 0, 0, 0}, dtype);
}

// --- errors
struct Function {
  Op op;
  std::function<double(double)> exact;
  double ulps = 0.6;
};

double soft_plus(double x) {
  return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}
double gated(double x, double gate) {
  return x == -INFINITY ? -0.0 : x * gate;
}
// 0 where that is below the smallest normal number of f32.
double gelu(double x) {
  const double exact = gated(x, 0.5 * std::erfc(x * -0.70710678118654752440));
  return std::fabs(exact) < std::numeric_limits<float>::min() ? std::copysign(0.0, x) : exact;
}
double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

const Function kFunctions[] = {
    {Op::exp, [](double x) { return std::exp(x); }, 1.1},
    {Op::exp2, [](double x) { return std::exp2(x); }},
    {Op::expm1, [](double x) { return std::expm1(x); }},
    {Op::log, [](double x) { return std::log(x); }},
    {Op::log2, [](double x) { return std::log2(x); }},
    {Op::log10, [](double x) { return std::log10(x); }},
    {Op::log1p, [](double x) { return std::log1p(x); }},
    {Op::sinh, [](double x) { return std::sinh(x); }},
    {Op::cosh, [](double x) { return std::cosh(x); }},
    {Op::tanh, [](double x) { return std::tanh(x); }, 1.4},
    {Op::sin, [](double x) { return std::sin(x); }},
    {Op::cos, [](double x) { return std::cos(x); }},
    {Op::tan, [](double x) { return std::tan(x); }},
    {Op::erf, [](double x) { return std::erf(x); }},
    {Op::erfc, [](double x) { return std::erfc(x); }},
    {Op::gelu, gelu, 6},
    {Op::sigmoid, sigmoid},
    {Op::log_sigmoid, [](double x) { return -soft_plus(-x); }},
    {Op::silu, [](double x) { return gated(x, sigmoid(x)); }},
    {Op::mish, [](double x) { return gated(x, std::tanh(soft_plus(x))); }},
    {Op::gelu_tanh, [](double x) { return gated(x, sigmoid(1.5957691216057307117 * x * (1 + 0.044715 * x * x))); }},
};

// The distance in units in the last place of the exact value in f32.
double error_of(float got, double exact) {
  const float nearest = static_cast<float>(exact);
  if (std::isnan(exact) || std::isinf(nearest) || exact == 0)
    return std::isnan(exact)                                                  ? (std::isnan(got) ? 0 : INFINITY)
           : std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(nearest) ? 0
                                                                              : INFINITY;
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::fabs(got - exact) / std::ldexp(1, exponent - 23);
}

class VectorMath : public ::testing::TestWithParam<Instructions> {};

TEST_P(VectorMath, IsNearTheExactValueOfEveryKindOfF32) {
  constexpr uint32_t kDistance = 40009;  // a prime: all mantissas take their turn
  for (const Function& each : kFunctions) {
    const Loop loop = loop_of(GetParam(), each.op, RONDO_F32);
    double worst = 0;
    float where = 0;
    std::vector<float> x(kBlock), y(kBlock);
    for (uint64_t next = 0; next < (uint64_t{1} << 32);) {
      for (float& value : x) {
        value = std::bit_cast<float>(static_cast<uint32_t>(next));
        next += kDistance;
      }
      loop(y.data(), x.data(), nullptr, nullptr, kBlock);
      for (int64_t i = 0; i < kBlock; ++i) {
        const double error = error_of(y[i], each.exact(x[i]));
        if (!(error <= worst)) {
          worst = error;
          where = x[i];
        }
      }
    }
    EXPECT_LE(worst, each.ulps) << "operator " << static_cast<int>(each.op) << " at " << where;
  }
}

TEST_P(VectorMath, KeepsTheSpecialValues) {
  const float inf = INFINITY, nan = NAN;
  const struct {
    Op op;
    float x, y;
  } kCases[] = {
      {Op::exp, inf, inf},
      {Op::exp, -inf, 0},
      {Op::exp, -0.0F, 1},
      {Op::exp, 88.8F, inf},
      {Op::exp2, 3, 8},
      {Op::exp2, -149, 0x1p-149F},
      {Op::exp2, -inf, 0},
      {Op::expm1, -0.0F, -0.0F},
      {Op::expm1, -inf, -1},
      {Op::expm1, inf, inf},
      {Op::log, 0, -inf},
      {Op::log, -0.0F, -inf},
      {Op::log, -1, nan},
      {Op::log, inf, inf},
      {Op::log, 1, 0},
      {Op::log2, 0x1p-149F, -149},
      {Op::log2, 8, 3},
      {Op::log10, 1000, 3},
      {Op::log1p, -1, -inf},
      {Op::log1p, -0.0F, -0.0F},
      {Op::log1p, inf, inf},
      {Op::log1p, 0x1p53F, 36.7368F},
      {Op::log1p, 0x1p60F, 41.5888309F},
      {Op::log1p, -2, nan},
      {Op::tanh, -0.0F, -0.0F},
      {Op::tanh, -inf, -1},
      {Op::sinh, -0.0F, -0.0F},
      {Op::sinh, -inf, -inf},
      {Op::cosh, -inf, inf},
      {Op::sin, -0.0F, -0.0F},
      {Op::sin, inf, nan},
      {Op::cos, -inf, nan},
      {Op::cos, 0, 1},
      {Op::tan, -0.0F, -0.0F},
      {Op::sigmoid, -inf, 0},
      {Op::sigmoid, inf, 1},
      {Op::sigmoid, 0, 0.5F},
      {Op::silu, -inf, -0.0F},
      {Op::silu, inf, inf},
      {Op::gelu, -inf, -0.0F},
      {Op::gelu, inf, inf},
      {Op::gelu, -0.0F, -0.0F},
      {Op::gelu, 0, 0},
      {Op::gelu, 0x1p-125F, 0x1p-126F},
      {Op::gelu, -0x1p-125F, -0x1p-126F},
      {Op::gelu, 0x1.fffffep-126F, 0},
      {Op::gelu, -0x1p-149F, -0.0F},
      {Op::gelu, -13.1463F, -0.0F},
      {Op::gelu, 7, 7},
      {Op::gelu_tanh, -inf, -0.0F},
      {Op::mish, -inf, -0.0F},
      {Op::mish, inf, inf},
      {Op::log_sigmoid, -inf, -inf},
      {Op::log_sigmoid, inf, -0.0F},
      {Op::sqrt, -0.0F, -0.0F},
      {Op::sqrt, -1, nan},
  };
  for (const auto& each : kCases) {
    float y = 7;
    loop_of(GetParam(), each.op, RONDO_F32)(&y, &each.x, nullptr, nullptr, 1);
    if (std::isnan(each.y))
      EXPECT_TRUE(std::isnan(y)) << static_cast<int>(each.op) << " of " << each.x;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(y), std::bit_cast<uint32_t>(each.y))
          << static_cast<int>(each.op) << " of " << each.x << " gives " << y;
    float of_nan = 7;
    loop_of(GetParam(), each.op, RONDO_F32)(&of_nan, &nan, nullptr, nullptr, 1);
    EXPECT_TRUE(std::isnan(of_nan)) << static_cast<int>(each.op);
  }
}

// --- bits
template <class T>
void expect_same(const std::vector<char>& got, const std::vector<char>& expected, const std::string& what) {
  for (size_t i = 0; i < expected.size() / sizeof(T); ++i) {
    T a, b;
    std::memcpy(&a, &got[i * sizeof(T)], sizeof(T));
    std::memcpy(&b, &expected[i * sizeof(T)], sizeof(T));
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a) && std::isnan(b)) continue;  // of two NaNs the result has the bits of either
    ASSERT_EQ(std::memcmp(&a, &b, sizeof(T)), 0) << what << ", element " << i;
  }
}
void expect_same(rondo_dtype dtype, const std::vector<char>& got, const std::vector<char>& expected,
                 const std::string& what) {
  if (dtype == RONDO_F32) return expect_same<float>(got, expected, what);
  if (dtype == RONDO_F64) return expect_same<double>(got, expected, what);
  expect_same<char>(got, expected, what);
}

// Values of all sizes, with what is special among them; bool: 0 and 1.
std::vector<char> values(rondo_dtype dtype, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<char> bytes(kBlock * 8);
  const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 1e-40, 88, -104, 3e38, 0.5, 1e6, 2e6};
  for (int64_t i = 0; i < kBlock; ++i) {
    const uint64_t bits = random();
    double value = std::ldexp(static_cast<double>(static_cast<int64_t>(bits)), -60 + static_cast<int>(bits % 5));
    if (bits % 7 == 0) value = special[bits / 7 % std::size(special)];
    if (dtype == RONDO_F32) {
      const float narrow = static_cast<float>(value);
      std::memcpy(&bytes[i * 4], &narrow, 4);
    } else if (dtype == RONDO_F64) {
      std::memcpy(&bytes[i * 8], &value, 8);
    } else {
      const size_t size = dtype_size(dtype);
      uint64_t whole = dtype == RONDO_BOOL ? bits % 2 : bits % 3 ? bits % 19 : bits;
      if (size > 1 && bits % 4 == 1) whole = -whole;
      std::memcpy(&bytes[i * size], &whole, size);
    }
  }
  return bytes;
}

TEST_P(VectorMath, OperatorsHaveTheBaselinesBits) {
  const struct {
    const char* name;
    Op op;
    Domain domain;
  } kOperators[] = {
#define UNARY(ID, name, domain, ...) {#name, Op::name, Domain::domain},
#define BINARY(ID, name, domain, ...) {#name, Op::name, Domain::domain},
#define TERNARY(ID, name, domain, ...) {#name, Op::name, Domain::domain},
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
  };
  for (const rondo_dtype dtype : {RONDO_BOOL, RONDO_U8, RONDO_I8, RONDO_I32, RONDO_I64, RONDO_F32, RONDO_F64, RONDO_I16,
                                  RONDO_U16, RONDO_U32, RONDO_U64}) {
    const std::vector<char> a = values(dtype, 1), b = values(dtype, 2), c = values(dtype, 3);
    for (const auto& each : kOperators) {
      const Loop baseline = loop_of(Instructions::baseline, each.op, dtype), loop = loop_of(GetParam(), each.op, dtype);
      ASSERT_EQ(loop == nullptr, baseline == nullptr);
      if (!loop) continue;
      for (const int64_t n : {kBlock, int64_t{13}}) {
        std::vector<char> expected(kBlock * 8), got(kBlock * 8);
        baseline(expected.data(), a.data(), b.data(), c.data(), n);
        loop(got.data(), a.data(), b.data(), c.data(), n);
        expect_same(is_float(dtype) ? dtype : RONDO_U8, got, expected,
                    std::string(each.name) + " of " + dtype_name(dtype));
        if (HasFatalFailure()) return;
      }
    }
  }
}

constexpr rondo_dtype kDtypes[] = {RONDO_BOOL, RONDO_U8,   RONDO_I8,  RONDO_I32,     RONDO_I64,
                                   RONDO_F16,  RONDO_BF16, RONDO_F32, RONDO_F64,     RONDO_I16,
                                   RONDO_U16,  RONDO_U32,  RONDO_U64, RONDO_F8_E4M3, RONDO_F8_E5M2};

TEST_P(VectorMath, CastsHaveTheBaselinesBits) {
  for (const rondo_dtype from : kDtypes) {
    const rondo_dtype held = compute_dtype(from);
    const std::vector<char> a = values(held, 4);
    for (const rondo_dtype to : kDtypes) {
      const Expression::Instruction cast{Op::cast, static_cast<uint8_t>(to), 0, 0, 0};
      std::vector<char> expected(kBlock * 8), got(kBlock * 8);
      loops(Instructions::baseline).find(cast, held)(expected.data(), a.data(), nullptr, nullptr, kBlock);
      loops(GetParam()).find(cast, held)(got.data(), a.data(), nullptr, nullptr, kBlock);
      expect_same(compute_dtype(to), got, expected, std::string(dtype_name(from)) + " to " + dtype_name(to));
      if (HasFatalFailure()) return;
    }
  }
}

// Of floats all over their range.
template <class Code>
void expect_same_stores(const Moves& expected, const Moves& got, rondo_dtype dtype) {
  constexpr uint32_t kDistance = 16411;
  std::vector<float> values(1 << 16);
  std::vector<Code> c(values.size()), d(values.size());
  for (uint64_t next = 0; next < (uint64_t{1} << 32);) {
    for (float& value : values) {
      value = std::bit_cast<float>(static_cast<uint32_t>(next));
      next += kDistance;
    }
    const auto n = static_cast<int64_t>(values.size());
    expected.store(reinterpret_cast<char*>(c.data()), 1, values.data(), n);
    got.store(reinterpret_cast<char*>(d.data()), 1, values.data(), n);
    ASSERT_EQ(c, d) << dtype_name(dtype) << " before " << next;
  }
}

TEST_P(VectorMath, MovesHaveTheBaselinesBits) {
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16}) {
    const Moves expected = loops(Instructions::baseline).moves(dtype, false),
                got = loops(GetParam()).moves(dtype, false);
    std::vector<uint16_t> all(1 << 16);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
    std::vector<float> a(all.size()), b(all.size());
    expected.load(a.data(), reinterpret_cast<const char*>(all.data()), 1, static_cast<int64_t>(all.size()));
    got.load(b.data(), reinterpret_cast<const char*>(all.data()), 1, static_cast<int64_t>(all.size()));
    ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * 4), 0) << dtype_name(dtype);
    ASSERT_NO_FATAL_FAILURE(expect_same_stores<uint16_t>(expected, got, dtype));
  }
}

// Rows of any length, with a NaN anywhere; nothing beside them is written.
TEST_P(VectorMath, MovesOfFewHalvesHaveTheBaselinesBits) {
  constexpr int64_t kMost = 200;
  const Moves expected = loops(Instructions::baseline).moves(RONDO_F16, false),
              got = loops(GetParam()).moves(RONDO_F16, false);
  std::mt19937 random(11);
  for (int64_t n = 0; n <= kMost; ++n) {
    std::vector<uint16_t> halves(kMost);
    std::vector<float> floats(kMost);
    for (uint16_t& half : halves) half = static_cast<uint16_t>(random() & 0xbfff);
    for (float& value : floats) value = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-20F;
    if (n > 0 && n % 3) {
      halves[random() % static_cast<uint64_t>(n)] = 0x7c01;
      floats[random() % static_cast<uint64_t>(n)] = std::bit_cast<float>(0xff800001U);
    }
    std::vector<float> a(kMost + 1, 7), b(kMost + 1, 7);
    expected.load(a.data(), reinterpret_cast<const char*>(halves.data()), 1, n);
    got.load(b.data(), reinterpret_cast<const char*>(halves.data()), 1, n);
    ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * 4), 0) << n;
    std::vector<uint16_t> c(kMost + 1, 7), d(kMost + 1, 7);
    expected.store(reinterpret_cast<char*>(c.data()), 1, floats.data(), n);
    got.store(reinterpret_cast<char*>(d.data()), 1, floats.data(), n);
    ASSERT_EQ(c, d) << n;
  }
}

TEST_P(VectorMath, StreamsCopyBytesAndNothingBesideThem) {
  const auto stream = loops(GetParam()).stream;
  if (!stream) GTEST_SKIP() << "this set has no stores past the caches";
  for (int64_t offset = 0; offset < 70; ++offset)
    for (const int64_t n : {0, 1, 63, 64, 65, 300}) {
      std::vector<char> from(512), to(512, 7), expected(512, 7);
      for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 31);
      stream(to.data() + offset, from.data() + 3, n);
      std::copy_n(from.data() + 3, n, expected.data() + offset);
      ASSERT_EQ(to, expected) << n << " bytes at " << offset;
    }
}

TEST_P(VectorMath, MovesOfF8HaveTheBaselinesBits) {
  for (const rondo_dtype dtype : {RONDO_F8_E4M3, RONDO_F8_E5M2}) {
    const Moves expected = loops(Instructions::baseline).moves(dtype, false),
                got = loops(GetParam()).moves(dtype, false);
    std::vector<uint8_t> all(256);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint8_t>(i);
    std::vector<float> a(all.size()), b(all.size());
    for (const int64_t stride : {1, 3}) {
      const int64_t n = 256 / stride;
      expected.load(a.data(), reinterpret_cast<const char*>(all.data()), stride, n);
      got.load(b.data(), reinterpret_cast<const char*>(all.data()), stride, n);
      ASSERT_EQ(std::memcmp(a.data(), b.data(), static_cast<size_t>(n) * 4), 0) << dtype_name(dtype);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_stores<uint8_t>(expected, got, dtype));
  }
}

// What an accumulator of a fold holds, whatever lies between its members.
template <class K>
std::vector<uint64_t> accumulated(Fold kind, const std::vector<char>& bytes, int64_t n) {
  std::vector<uint64_t> held;
  const auto note = [&](const char* from, size_t size) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size);
    held.push_back(bits);
  };
  for (int64_t i = 0; i < n; ++i) {
    const char* at =
        bytes.data() + i * static_cast<int64_t>(kind == Fold::first_largest ? sizeof(Found<K>) : sizeof(K));
    if (kind == Fold::first_largest) note(at + offsetof(Found<K>, index), 8), at += offsetof(Found<K>, key);
    if (kind != Fold::any && kind != Fold::all)
      note(at, sizeof(K));
    else
      held.push_back(BitsOf<K>(*reinterpret_cast<const BitsOf<K>*>(at)) != 0);
  }
  return held;
}

template <class K>
void folds_have_the_baselines_bits(Instructions set, rondo_dtype dtype) {
  const std::vector<char> data = values(dtype, 5);
  const auto begun = [](Fold kind, int64_t n) {
    std::vector<char> bytes(static_cast<size_t>(n) * sizeof(Found<double>));
    for (int64_t i = 0; i < n; ++i) {
      const Found<K> nothing{-1, K(0)};
      const K least = device::weakest<K, true>();
      if (kind == Fold::first_largest)
        std::memcpy(&bytes[static_cast<size_t>(i) * sizeof nothing], &nothing, sizeof nothing);
      if (kind == Fold::largest) std::memcpy(&bytes[static_cast<size_t>(i) * sizeof least], &least, sizeof least);
    }
    return bytes;
  };
  for (const Fold kind : {Fold::largest, Fold::first_largest, Fold::any, Fold::all}) {
    if (kind == Fold::first_largest && sizeof(K) < 4) continue;
    const FoldLoops expected = loops(Instructions::baseline).fold(kind, dtype), got = loops(set).fold(kind, dtype);
    for (const uint64_t bits : {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << (8 * sizeof(K) - 1)}) {
      if (is_float(dtype) && bits == ~uint64_t{0}) continue;  // neither a float's nor turned round
      HostFacts facts = {};
      facts.bits = bits;
      for (const int64_t n : {1, 3, 63, 64, 65, 255, 257, 1024}) {
        std::vector<char> a = begun(kind, 1), b = a;
        expected.along(a.data(), data.data(), n, 7, facts);
        got.along(b.data(), data.data(), n, 7, facts);
        ASSERT_EQ(accumulated<K>(kind, a, 1), accumulated<K>(kind, b, 1)) << dtype_name(dtype) << " along " << n;
      }
      for (const auto& [n, rows] : {std::pair<int64_t, int64_t>{1, 1024}, {3, 200}, {64, 16}, {67, 13}, {300, 3}}) {
        std::vector<char> a = begun(kind, n), b = a;
        expected.across(a.data(), data.data(), n, rows, n, 7, facts);
        got.across(b.data(), data.data(), n, rows, n, 7, facts);
        ASSERT_EQ(accumulated<K>(kind, a, n), accumulated<K>(kind, b, n)) << dtype_name(dtype) << " across " << n;
      }
    }
  }
}

TEST_P(VectorMath, FoldsHaveTheBaselinesBits) {
  for (const rondo_dtype dtype : {RONDO_U8, RONDO_I8, RONDO_I32, RONDO_I64, RONDO_F32, RONDO_F64, RONDO_I16})
    with_key(dtype, [&]<class K>(K*) { folds_have_the_baselines_bits<K>(GetParam(), dtype); });
}

INSTANTIATE_TEST_SUITE_P(Sets, VectorMath, ::testing::ValuesIn(instruction_sets()),
                         [](const auto& info) { return instructions_name(info.param); });

}  // namespace
}  // namespace rondo::ops
