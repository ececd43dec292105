// Values and gradients of normalisations at edges: every row of normalisations.def over rows of 0, -0, infinities, NaN,
// the largest and the smallest numbers and equal numbers, with an epsilon and without. What is expected is the row's
// reference and its formula in numbers of a wider range. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <array>
#include <cfloat>

#include "operators/normalisations.h"
#include "tape/tape.h"

namespace conformance {
namespace {

static_assert(LDBL_MAX_EXP > 4 * DBL_MAX_EXP, "squares of the largest numbers need the range");

// One row, as the formulas of the table are over rows.
struct Row {
  std::vector<Real> values;
  template <class F>
  Row each(F f) const {
    Row made = *this;
    for (size_t i = 0; i < values.size(); ++i) made.values[i] = f(values[i], i);
    return made;
  }
};
Row operator-(const Row& a, const Row& b) {
  return a.each([&](Real x, size_t i) { return x - b.values[i]; });
}
Row operator*(const Row& a, const Row& b) {
  return a.each([&](Real x, size_t i) { return x * b.values[i]; });
}
[[maybe_unused]] Row operator+(const Row& a, Real b) {
  return a.each([&](Real x, size_t) { return x + b; });
}
[[maybe_unused]] Row rsqrt(const Row& a) {
  return a.each([](Real x, size_t) { return 1 / std::sqrt(x); });
}
Row mean(const Row& a) {
  Real sum = 0;
  for (const Real x : a.values) sum += x / Real(a.values.size());
  return a.each([&](Real, size_t) { return sum; });
}
[[maybe_unused]] Row total(const Row& a) {
  return mean(a).each([&](Real x, size_t) { return x * Real(a.values.size()); });
}
Row variance(const Row& a) {
  const Row rest = a - mean(a);
  return mean(rest * rest);
}

Row inverse(const Row& a, Real epsilon) {
  return a.each([&](Real x, size_t) { return 1 / std::sqrt(x * x + epsilon); });
}
Row deviation(const Row& a) {
  return variance(a).each([](Real x, size_t) { return std::sqrt(x); });
}
Row mean_root(const Row& a) {
  return mean(a * a).each([](Real x, size_t) { return std::sqrt(x); });
}

using Gradient = Row (*)(const Row& x, const Row& n, const Row& g, Real epsilon);
const std::vector<Gradient>& gradients() {
#define NORMALISATION(name, Formula, gradient, ...) \
  [](const Row& x, const Row& n, const Row& g, Real epsilon) -> Row { return gradient; },
  static const std::vector<Gradient> all = {
#include "../../../src/ops/operators/normalisations.def"
  };
#undef NORMALISATION
  return all;
}

class NormalisationEdges : public OnTape {
 protected:
  static std::vector<Real> points(rondo_dtype dtype) {
    const bool single = dtype == RONDO_F32;
    const Real most = single ? FLT_MAX : DBL_MAX, tiny = single ? FLT_MIN : DBL_MIN,
               least = single ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    std::vector<Real> all = {NAN};
    for (const Real size : {Real(0), Real(INFINITY), most, tiny, least, Real(1), Real(3), Real(1e20), Real(1e-20)})
      for (const Real sign : {1, -1}) all.push_back(rounded(dtype, sign * size));
    return all;
  }
  // Errors are those of the largest of a row; results below the normal numbers have fewer digits.
  static void expect_near(rondo_dtype dtype, const Row& want, const Array& got, size_t at, const std::string& place) {
    Real largest = 0;
    for (const Real each : want.values)
      if (std::isfinite(each)) largest = std::max(largest, std::fabs(each));
    const Real most = dtype == RONDO_F32 ? 1e-5L : 1e-12L;
    const Real error = most * largest + 4 * std::ldexp(Real(1), least_exponent(dtype));
    for (size_t i = 0; i < want.values.size(); ++i) {
      const Real expected = rounded(dtype, want.values[i]), mine = got[at + i];
      const bool same = expected == mine || (std::isnan(expected) && std::isnan(mine)) ||
                        (std::isfinite(mine) && std::fabs(mine - want.values[i]) <= error);
      EXPECT_TRUE(same) << place << "[" << i << "] is " << mine << ", expected " << want.values[i];
    }
  }
  static std::string shown(const Row& row) {
    std::string text;
    for (const Real each : row.values) {
      char number[40];
      std::snprintf(number, sizeof number, "%s%.9Lg", text.empty() ? "" : ", ", each);
      text += number;
    }
    return "(" + text + ")";
  }
  void check(const NormalisationCase& one, Gradient gradient, rondo_dtype dtype, double epsilon) {
    const std::vector<Real> line = points(dtype);
    const auto n = static_cast<int64_t>(line.size());
    constexpr size_t kLength = 3;
    std::vector<Row> rows;
    for (const Real a : line)
      for (const Real b : line) rows.push_back({{a, b, a}});
    Array given(dtype, {n * n, kLength}), slopes(dtype, {n * n, kLength});
    const Row g = {{1, 0.5L, -2}};
    for (size_t k = 0; k < rows.size(); ++k)
      for (size_t i = 0; i < kLength; ++i) {
        given.set(k * kLength + i, rows[k].values[i]);
        slopes.set(k * kLength + i, g.values[i]);
      }
    const Tensor x = up(given), dy = up(slopes);
    const Tape tape(engine());
    tape.watch(x);
    const Tensor y = one(x, 1, nullptr, nullptr, epsilon);
    rondo_tensor *output = y, *incoming = dy, *source = x, *made = nullptr;
    must(rondo_tape_gradients(tape, 1, &output, &incoming, 1, &source, &made));
    const Tensor slope(made);
    const Array values = download(y), got = download(slope);
    for (size_t k = 0; k < rows.size(); ++k) {
      const std::string place =
          one.name + " of " + rondo_dtype_name(dtype) + shown(rows[k]) + " with epsilon " + std::to_string(epsilon);
      Row normal = rows[k];
      one.reference(normal.values, epsilon);
      expect_near(dtype, normal, values, k * kLength, place);
      expect_near(dtype, gradient(rows[k], normal, g, epsilon), got, k * kLength, "the gradient of " + place);
    }
  }
  // The gradients of the gradient of rows, with respect to them and to what came in.
  std::vector<Array> seconds(const NormalisationCase& one, rondo_dtype dtype, const std::vector<Row>& rows,
                             double epsilon) {
    const size_t length = rows[0].values.size();
    const Shape shape = {static_cast<int64_t>(rows.size()), static_cast<int64_t>(length)};
    Array given(dtype, shape), slopes(dtype, shape), weights(dtype, shape);
    for (size_t k = 0; k < given.size(); ++k) {
      given.set(k, rows[k / length].values[k % length]);
      slopes.set(k, std::array{1.0L, 0.5L, -2.0L}[k % length]);
      weights.set(k, std::array{1.0L, -0.75L, 0.5L}[k % length]);
    }
    const Tensor x = up(given), dy = up(slopes), of_first = up(weights);
    const Tape outer(engine(), RONDO_TAPE_KEEP), inner(engine());
    outer.watch(x), outer.watch(dy), inner.watch(x);
    const Tensor first = inner.gradient(one(x, 1, nullptr, nullptr, epsilon), x, dy);
    std::vector<Array> made;
    for (const Tensor& each : outer.gradients(first, {x, dy}, of_first)) made.push_back(download(each));
    return made;
  }
};
CONFORMANCE_ENGINE_SUITE(NormalisationEdges);

// Of numbers near the largest of f32; in f64 the same formulas have room.
TEST_P(NormalisationEdges, SecondGradientsKeepTheirRange) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  std::vector<Row> rows;
  for (const Real size : {Real(FLT_MAX), Real(FLT_MAX) / 2, Real(1e30F), Real(1e20F)}) {
    rows.push_back({{size, -size, size}});
    rows.push_back({{size, 3, -size}});
    rows.push_back({{size, size / 2, 1}});
    rows.push_back({{size, size, size / 4}});
  }
  for (const NormalisationCase& one : normalisations())
    for (const double epsilon : {1e-5, 0.0}) {
      const auto got = seconds(one, RONDO_F32, rows, epsilon), want = seconds(one, RONDO_F64, rows, epsilon);
      for (size_t i = 0; i < got.size(); ++i)
        for (size_t k = 0; k < got[i].size(); ++k) {
          const Row& row = rows[k / 3];
          const Real least = 16 * std::ldexp(Real(1), least_exponent(RONDO_F32));
          const Real error = 1e-4L / row.values[0] * (i == 0 ? 1 / row.values[0] : 1) + least;
          EXPECT_LE(std::fabs(got[i][k] - want[i][k]), error)
              << "the gradient by " << (i == 0 ? "the row" : "what came in") << " of that of " << one.name << shown(row)
              << " with epsilon " << epsilon << "[" << k % 3 << "] is " << got[i][k] << ", expected " << want[i][k];
        }
    }
}

TEST_P(NormalisationEdges, ResultsAreThoseOfAWiderRange) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  const std::vector<NormalisationCase>& all = normalisations();
  ASSERT_EQ(all.size(), gradients().size());
  for (size_t i = 0; i < all.size(); ++i)
    for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64})
      for (const double epsilon : {1e-5, 0.0}) check(all[i], gradients()[i], dtype, epsilon);
}

}  // namespace
}  // namespace conformance
