// Products of whole numbers of 8 bits: dtypes, zero points, batches, views, odd sizes, sums beyond 32 bits.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "placement.h"

namespace conformance {
namespace {

constexpr rondo_dtype kByteDtypes[] = {RONDO_U8, RONDO_I8};

struct Case {
  Shape a, b, a_zero, b_zero;  // of zero points: empty: none; {0}: one number without dimensions
};

// a[..., m, k] - a_zero, as whole numbers; zero may be null.
std::vector<int64_t> centred(const Array& values, const Array* zero) {
  const Array spread = zero ? host_broadcast(*zero, values.shape) : values;
  std::vector<int64_t> all(count(values.shape));
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<int64_t>(values[i]) - (zero ? static_cast<int64_t>(spread[i]) : 0);
  return all;
}

Expected expect_integers(const Array& a, const Array& b, const Array* a_zero, const Array* b_zero) {
  const std::vector<int64_t> left = centred(a, a_zero), right = centred(b, b_zero);
  const int64_t m = a.shape[a.shape.size() - 2], k = a.shape.back(), n = b.shape.back();
  const auto leading = [](const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); };
  const Shape batch = broadcast_shape(leading(a.shape), leading(b.shape));
  // The number of each matrix of an operand, as broadcast to all of them.
  const auto matrices = [&](const Shape& shape) {
    Array numbers(RONDO_I64, leading(shape));
    for (size_t i = 0; i < count(numbers.shape); ++i) numbers.set(i, static_cast<Real>(i));
    return host_broadcast(numbers, batch);
  };
  const Array of_a = matrices(a.shape), of_b = matrices(b.shape);
  Shape shape = batch;
  shape.insert(shape.end(), {m, n});
  Expected out(RONDO_I32, shape);
  size_t at = 0;
  for (size_t group = 0; group < count(batch); ++group)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j, ++at) {
        int64_t sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += left[static_cast<size_t>((static_cast<int64_t>(of_a[group]) * m + i) * k + l)] *
                 right[static_cast<size_t>((static_cast<int64_t>(of_b[group]) * k + l) * n + j)];
        out.values[at] = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(sum)));
      }
  return out;
}

class MatmulInteger : public OnEngine {
 protected:
  static Array bytes(rondo_dtype dtype, const Shape& shape, uint32_t seed) {
    return random_array(dtype, shape, seed, dtype == RONDO_U8 ? 0 : -128, dtype == RONDO_U8 ? 255 : 127);
  }
  static Shape zero_shape(const Shape& given) { return given == Shape{0} ? Shape{} : given; }

  void check(const std::vector<Case>& all) {
    const std::vector<Case> cases = dealt(all);
    run([&](Results& results) {
      for (size_t i = 0; i < cases.size(); ++i)
        for (const rondo_dtype left : kByteDtypes)
          for (const rondo_dtype right : kByteDtypes) {
            const Case& one = cases[i];
            const Array x = bytes(left, one.a, 1), y = bytes(right, one.b, 2),
                        xz = bytes(left, zero_shape(one.a_zero), 3), yz = bytes(right, zero_shape(one.b_zero), 4);
            const bool of_a = !one.a_zero.empty(), of_b = !one.b_zero.empty();
            const Tensor a = up(x), b = up(y), a_zero = of_a ? up(xz) : Tensor(), b_zero = of_b ? up(yz) : Tensor();
            results.keep(
                std::string(rondo_dtype_name(left)) + " by " + rondo_dtype_name(right) + ", case " + std::to_string(i),
                make(rondo_matmul_integer, a, b, a_zero, b_zero),
                [=] { return expect_integers(x, y, of_a ? &xz : nullptr, of_b ? &yz : nullptr); });
          }
    });
  }
};
CONFORMANCE_SUITE(MatmulInteger);

TEST_P(MatmulInteger, SizesAndZeroPoints) {
  check({
      {{1, 1}, {1, 1}, {}, {}},
      {{2, 3}, {3, 4}, {0}, {0}},
      {{7, 33}, {33, 17}, {7, 1}, {17}},
      {{13, 64}, {64, 65}, {1}, {1, 65}},
      {{65, 5}, {5, 130}, {}, {130}},
      {{130, 31}, {31, 15}, {130, 1}, {}},
      {{1, 258}, {258, 100}, {1, 1}, {}},
      {{3, 0}, {0, 5}, {3, 1}, {5}},
      {{0, 4}, {4, 5}, {}, {}},
  });
}

TEST_P(MatmulInteger, BatchesBroadcast) {
  check({
      {{3, 2, 5}, {5, 4}, {0}, {4}},
      {{3, 2, 5}, {5, 4}, {3, 2, 1}, {}},
      {{3, 1, 5}, {5, 4}, {3, 1, 1}, {1, 4}},
      {{2, 5}, {3, 5, 4}, {2, 1}, {3, 1, 4}},
      {{2, 1, 3, 5}, {4, 5, 6}, {2, 1, 3, 1}, {4, 1, 6}},
  });
}

// The most that sums can be, up to where 32 bits end and beyond.
TEST_P(MatmulInteger, SumsAreExactAndThenModulo) {
  run([&](Results& results) {
    const std::vector<int64_t> depths =
        sparing() ? std::vector<int64_t>{2, 700, 33026} : std::vector<int64_t>{2, 700, 33025, 33026, 70001};
    for (const int64_t k : depths) {
      const Shape left = {sparing() ? 1 : 2, k}, right = {k, sparing() ? 1 : 3};
      struct Extreme {
        rondo_dtype dtypes[2];
        Real a, b;
        bool zeros;
        Real zero[2];
      };
      const std::vector<Extreme> extremes = {{{RONDO_U8, RONDO_U8}, 255, 255, false, {}},
                                             {{RONDO_U8, RONDO_I8}, 255, -128, false, {}},
                                             {{RONDO_I8, RONDO_I8}, -128, -128, false, {}},
                                             {{RONDO_I8, RONDO_U8}, 127, 255, true, {-128, 0}},
                                             {{RONDO_U8, RONDO_I8}, 0, 127, true, {255, -128}}};
      for (const Extreme& each : k > 700 ? dealt(extremes) : extremes) {
        const Array x = full(each.dtypes[0], left, each.a), y = full(each.dtypes[1], right, each.b),
                    xz = full(each.dtypes[0], {}, each.zero[0]), yz = full(each.dtypes[1], {}, each.zero[1]);
        const Tensor a = up(x), b = up(y), a_zero = each.zeros ? up(xz) : Tensor(),
                     b_zero = each.zeros ? up(yz) : Tensor();
        const bool zeros = each.zeros;
        results.keep(std::to_string(k) + " numbers of " + std::to_string(static_cast<int>(each.a)),
                     make(rondo_matmul_integer, a, b, a_zero, b_zero),
                     [=] { return expect_integers(x, y, zeros ? &xz : nullptr, zeros ? &yz : nullptr); });
      }
    }
  });
}

TEST_P(MatmulInteger, ViewsAreReadAsTheyLie) {
  run([&](Results& results) {
    const Array x = bytes(RONDO_I8, {70, 41}, 1), y = bytes(RONDO_U8, {70, 130}, 2), z = bytes(RONDO_U8, {260}, 3);
    const Tensor a = up(x), b = up(y), zeros = up(z), turned = transpose(a, {1, 0}), every = slice(b, 1, 1, 130, 2),
                 some = slice(zeros, 0, 0, 260, 4);
    const Array x_turned = host_transpose(x, {1, 0});
    Array y_every(RONDO_U8, {70, 65}), z_some(RONDO_U8, {65});
    for (size_t i = 0; i < 70; ++i)
      for (size_t j = 0; j < 65; ++j) y_every.set(i * 65 + j, y[i * 130 + 1 + 2 * j]);
    for (size_t j = 0; j < 65; ++j) z_some.set(j, z[4 * j]);
    results.keep("views", make(rondo_matmul_integer, turned, every, nullptr, some),
                 [=] { return expect_integers(x_turned, y_every, nullptr, &z_some); });
    results.keep("a along its rows", make(rondo_matmul_integer, turned, b, nullptr, nullptr),
                 [=] { return expect_integers(x_turned, y, nullptr, nullptr); });
    results.keep("b along its columns", make(rondo_matmul_integer, a, turned, nullptr, nullptr),
                 [=] { return expect_integers(x, x_turned, nullptr, nullptr); });
    const Tensor one = slice(a, 0, 3, 4), everywhere = broadcast(one, {9, 41});
    Array x_one(RONDO_I8, {9, 41});
    for (size_t i = 0; i < 9; ++i)
      for (size_t j = 0; j < 41; ++j) x_one.set(i * 41 + j, x[3 * 41 + j]);
    results.keep("a row repeated", make(rondo_matmul_integer, everywhere, turned, nullptr, nullptr),
                 [=] { return expect_integers(x_one, x_turned, nullptr, nullptr); });
  });
}

TEST_P(MatmulInteger, ResultsMayLieAnywhereAndBeAdded) {
  const Array x = bytes(RONDO_U8, {5, 40}, 1), y = bytes(RONDO_I8, {40, 70}, 2);
  const Expected once = expect_integers(x, y, nullptr, nullptr);
  const Tensor a = up(x), b = up(y), wide = up(full(RONDO_I32, {70, 10}, 3));
  const Tensor out = transpose(slice(wide, 1, 1, 10, 2), {1, 0}), sum = up(full(RONDO_I32, {5, 70}, 2147483647));
  into(out, rondo_matmul_integer, a, b, nullptr, nullptr);
  EXPECT_EQ(difference(download(out), once), "");
  const Array all = download(wide);
  for (size_t i = 0; i < 70; ++i) EXPECT_EQ(all[i * 10], 3) << i;
  into(make(rondo_tensor_accumulator, sum), rondo_matmul_integer, a, b, nullptr, nullptr);
  Expected added = once;
  for (Real& each : added.values)
    each = static_cast<int32_t>(static_cast<uint32_t>(static_cast<int32_t>(each)) + 2147483647U);
  EXPECT_EQ(difference(download(sum), added), "");
}

TEST_P(MatmulInteger, WhatDoesNotFitIsRefused) {
  const Tensor a = up(bytes(RONDO_U8, {4, 3}, 1)), b = up(bytes(RONDO_I8, {3, 5}, 2)),
               row = up(bytes(RONDO_I8, {5}, 3)), wide = up(random_array(RONDO_F32, {3, 5}, 4, -1, 1)),
               deep = up(bytes(RONDO_I8, {2, 3, 5}, 5)), three = up(bytes(RONDO_U8, {3, 4, 3}, 6)),
               column = up(bytes(RONDO_U8, {4, 1}, 7));
  const auto refused = [](const char* words, rondo_tensor* a, rondo_tensor* b, rondo_tensor* a_zero,
                          rondo_tensor* b_zero, rondo_tensor* given = nullptr) {
    rondo_tensor* out = given;
    EXPECT_EQ(rondo_matmul_integer(a, b, a_zero, b_zero, &out), RONDO_INVALID_ARGUMENT) << words;
    const std::string message = rondo_last_error();
    EXPECT_NE(message.find("rondo_matmul_integer"), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  refused("b has dtype f32; u8 or i8 is needed", a, wide, nullptr, nullptr);
  refused("a has dtype f32; u8 or i8 is needed", wide, b, nullptr, nullptr);
  refused("b has 1 dimensions; at least 2 are needed", a, row, nullptr, nullptr);
  refused("a [4, 3] has 3 columns but b [4, 1] has 4 rows", a, column, nullptr, nullptr);
  refused("do not broadcast", three, deep, nullptr, nullptr);
  refused("a_zero", a, b, row, nullptr);
  refused("b_zero", a, b, nullptr, column);
  refused("a_zero has shape [4, 3]; one that broadcasts to that of a, [4, 3], is needed, with one column", a, b, a,
          nullptr);
  refused("b_zero has shape [3, 5]; one that broadcasts to that of b, [3, 5], is needed, with one row", a, b, nullptr,
          b);
  refused("b_zero has shape [2, 3, 5]", a, b, nullptr, deep);
  refused("out", a, b, nullptr, nullptr, wide);
}

}  // namespace
}  // namespace conformance
