// Matrix products: transposes, batches, broadcast batches, epilogues, dtypes, views, k = 0, odd sizes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "operators/activation_reference.h"
#include "placement.h"

namespace conformance {
namespace {

struct Problem {
  Shape a, b;  // as stored, before transposing
  bool transpose_a = false, transpose_b = false;
  bool bias = false;
  rondo_activation activation = RONDO_ACTIVATION_NONE;
};

Array swap_last(const Array& a) {
  std::vector<int32_t> axes(a.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return host_transpose(a, axes);
}

// `inner` is the precision that products are summed in: its epsilon times the sum of magnitudes bounds the error.
Expected expect_matmul(const Problem& problem, const Array& a, const Array& b, const Array* bias) {
  const Array x = problem.transpose_a ? swap_last(a) : a, y = problem.transpose_b ? swap_last(b) : b;
  const int64_t m = x.shape[x.shape.size() - 2], k = x.shape.back(), n = y.shape.back();
  const Shape batch = broadcast_shape({x.shape.begin(), x.shape.end() - 2}, {y.shape.begin(), y.shape.end() - 2});
  Shape xs = batch, ys = batch, shape = batch;
  xs.insert(xs.end(), {m, k}), ys.insert(ys.end(), {k, n}), shape.insert(shape.end(), {m, n});
  const Array left = host_broadcast(x, xs), right = host_broadcast(y, ys);
  const Real epsilon = std::ldexp(Real(1), a.dtype == RONDO_F64 ? -52 : -23);
  Expected out(a.dtype, shape, 1);
  out.absolute.resize(out.values.size());
  size_t at = 0;
  for (size_t group = 0; group < count(batch); ++group) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j, ++at) {
        Real sum = 0, magnitude = 0;
        for (int64_t l = 0; l < k; ++l) {
          const Real term = left[group * static_cast<size_t>(m * k) + static_cast<size_t>(i * k + l)] *
                            right[group * static_cast<size_t>(k * n) + static_cast<size_t>(l * n + j)];
          sum += term, magnitude += std::fabs(term);
        }
        if (bias) sum += (*bias)[static_cast<size_t>(j)], magnitude += std::fabs((*bias)[static_cast<size_t>(j)]);
        out.values[at] = activated(problem.activation, sum);
        out.absolute[at] = epsilon * (magnitude * (2 + std::sqrt(Real(k))) + std::fabs(sum) * 8);
        if (const Real units = bound_of(problem.activation, sum); units != 0)  // slopes are 1.5, epsilon is two units
          out.absolute[at] = out.absolute[at] * 1.5L + units * epsilon / 2 * std::fabs(out.values[at]);
      }
    }
  }
  return out;
}

class Matmul : public OnEngine {
 protected:
  // Keeps the product of two tensors that hold what the arrays do.
  static auto keeping(Results& results) {
    return [&results](const char* label, rondo_tensor* left, const Array& left_host, rondo_tensor* right,
                      const Array& right_host) {
      results.keep(label, make(rondo_matmul, left, right, nullptr),
                   [=] { return expect_matmul({}, left_host, right_host, nullptr); });
    };
  }
  void check(rondo_dtype dtype, const std::vector<Problem>& all) {
    const std::vector<Problem> problems = dealt(all);
    run([&](Results& results) {
      for (size_t i = 0; i < problems.size(); ++i) {
        const Problem& problem = problems[i];
        const Array x = random_array(dtype, problem.a, 1, -2, 2), y = random_array(dtype, problem.b, 2, -2, 2);
        const int64_t n = problem.transpose_b ? problem.b[problem.b.size() - 2] : problem.b.back();
        const Array c = random_array(dtype, {n}, 3, -2, 2);
        const Tensor a = up(x), b = up(y), bias = up(c);
        rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
        options.transpose_a = problem.transpose_a;
        options.transpose_b = problem.transpose_b;
        options.bias = problem.bias ? static_cast<rondo_tensor*>(bias) : nullptr;
        options.activation = problem.activation;
        results.keep(std::string(rondo_dtype_name(dtype)) + " problem " + std::to_string(i),
                     make(rondo_matmul, a, b, &options),
                     [=] { return expect_matmul(problem, x, y, problem.bias ? &c : nullptr); });
      }
    });
  }
  std::vector<rondo_dtype> dtypes(int turn) const {
    return covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, turn);
  }
};
CONFORMANCE_SUITE(Matmul);

TEST_P(Matmul, SizesAndTransposes) {
  for (const rondo_dtype dtype : dtypes(0)) {
    std::vector<Problem> problems;
    for (const auto& [m, n, k] :
         {std::array<int64_t, 3>{1, 1, 1}, {3, 5, 7}, {31, 17, 33}, {64, 64, 64}, {65, 1, 130}, {1, 65, 31}})
      for (const bool ta : {false, true})
        for (const bool tb : {false, true})
          problems.push_back({ta ? Shape{k, m} : Shape{m, k}, tb ? Shape{n, k} : Shape{k, n}, ta, tb});
    check(dtype, problems);
  }
}

TEST_P(Matmul, Batches) {
  for (const rondo_dtype dtype : dtypes(1)) {
    check(dtype, {{{4, 5, 6}, {4, 6, 7}},
                  {{4, 5, 6}, {6, 7}},                                   // one b for all
                  {{5, 6}, {3, 6, 7}},                                   // one a for all
                  {{2, 1, 5, 6}, {1, 3, 6, 7}},                          // both sides
                  {{3, 6, 5}, {3, 7, 6}, true, true},                    // transposed batches
                  {{2, 2, 2, 2, 2, 2, 3, 4}, {2, 1, 2, 1, 2, 1, 4, 2}},  // 8 dimensions
                  {{0, 5, 6}, {6, 7}}});                                 // no batch at all
  }
}

TEST_P(Matmul, Epilogues) {
  for (const rondo_dtype dtype : dtypes(2)) {
    std::vector<Problem> problems;
    for (const rondo_activation activation : kActivations) {
      problems.push_back({{9, 16}, {16, 10}, false, false, true, activation});
      problems.push_back({{9, 16}, {16, 10}, false, false, false, activation});
      problems.push_back({{3, 7, 5}, {5, 4}, false, false, true, activation});
      problems.push_back({{16, 9}, {10, 16}, true, true, true, activation});
    }
    check(dtype, problems);
  }
}

// What ends a product, for sums that are known exactly: the rows of a hold one number each and zeros, b is the
// identity. Through every path of a device: sizes below and above those for which libraries are asked, with and without
// bias, into new outputs and added to given ones.
TEST_P(Matmul, ActivationsKeepTheirBounds) {
  for (const rondo_dtype dtype : dtypes(3)) {
    const bool half = is_half(dtype);
    const Real unit = std::ldexp(Real(1), dtype == RONDO_F64 ? -53 : -24);
    for (const int64_t n : sparing() ? std::vector<int64_t>{24} : std::vector<int64_t>{24, 288}) {
      Array x(dtype, {n, n}), y(dtype, {n, n}), zeros(dtype, {n});
      for (int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<size_t>(i);
        y.set(at * static_cast<size_t>(n) + at, 1);
        for (int64_t j = 0; j < n; ++j)  // -14 to 14, and -0 where that is 0
          x.set(at * static_cast<size_t>(n) + static_cast<size_t>(j), Real(28 * (i * n + j)) / Real(n * n - 1) - 14);
      }
      const Tensor a = up(x), b = up(y), c = up(zeros);
      run([&](Results& results) {
        for (const rondo_activation activation : kActivations) {
          for (const bool with_bias : {false, true}) {
            rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
            options.activation = activation;
            options.bias = with_bias ? static_cast<rondo_tensor*>(c) : nullptr;
            const auto expected = [=](Real added) {
              Expected out(dtype, x.shape);
              out.absolute.resize(x.size());
              for (size_t i = 0; i < x.size(); ++i) {
                const Real value = activated(activation, x[i]);
                out.values[i] = value + added;
                if (const Real units = bound_of(activation, x[i]); units != 0)
                  out.absolute[i] = units * unit * std::fabs(value) + least_of(activation, dtype) +
                                    last_place(half ? RONDO_F32 : dtype, 0) * (1 + std::fabs(x[i])) +
                                    2 * unit * std::fabs(added) + (half ? last_place(dtype, out.values[i]) / 2 : 0);
              }
              return out;
            };
            const std::string label = std::string(rondo_dtype_name(dtype)) + " activation " +
                                      std::to_string(activation) + (with_bias ? " with bias" : "") + ", " +
                                      std::to_string(n);
            results.keep(label, make(rondo_matmul, a, b, &options), [=] { return expected(0); });
            Tensor sum = empty(dtype, x.shape);
            must(rondo_fill(sum, 1));
            into(make(rondo_tensor_accumulator, sum), rondo_matmul, a, b, &options);
            results.keep(label + ", added", std::move(sum), [=] { return expected(1); });
          }
        }
      });
    }
  }
}

// NaN, infinities and zeros with a sign go through every activation, with and without bias, as the operators keep them.
TEST_P(Matmul, ActivationsOfSpecialValues) {
  const Real inf = INFINITY;
  const struct {
    Real x, relu, relu6, gated;  // gated: by the others
  } specials[] = {{NAN, NAN, NAN, NAN}, {inf, inf, 6, inf}, {-inf, 0, 0, 0},
                  {-0.0L, 0, 0, 0},     {-32768, 0, 0, 0},  {32768, 32768, 6, 32768}};
  for (const rondo_dtype dtype : dtypes(1)) {
    for (const int64_t n : sparing() ? std::vector<int64_t>{17} : std::vector<int64_t>{17, 272}) {
      // One column of specials and one row of ones, the rest zeros: row i of the result is special i, and no infinity
      // meets a zero on the way.
      const int64_t k = n < 100 ? 3 : 64;
      Array x(dtype, {n, k}), y(dtype, {k, n * 4});
      for (int64_t i = 0; i < n; ++i) x.set(static_cast<size_t>(i * k), specials[static_cast<size_t>(i) % 6].x);
      for (int64_t j = 0; j < n * 4; ++j) y.set(static_cast<size_t>(j), 1);
      const Tensor a = up(x), b = up(y), c = up(full(dtype, {n * 4}, 0));
      run([&](Results& results) {
        for (const rondo_activation activation : kActivations) {
          for (const bool with_bias : {false, true}) {
            rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
            options.activation = activation;
            options.bias = with_bias ? static_cast<rondo_tensor*>(c) : nullptr;
            results.keep(std::string(rondo_dtype_name(dtype)) + " activation " + std::to_string(activation),
                         make(rondo_matmul, a, b, &options), [=] {
                           Expected out(dtype, {n, n * 4});
                           for (size_t i = 0; i < out.values.size(); ++i) {
                             const auto& each = specials[i / static_cast<size_t>(n * 4) % 6];
                             const Real of[] = {each.x, each.relu, each.gated, each.relu6};
                             out.values[i] = activation < 4 ? of[activation] : each.gated;
                           }
                           return out;
                         });
          }
        }
      });
      for (const rondo_activation activation : kActivations) {
        if (!std::signbit(activated(activation, -inf))) continue;
        rondo_matmul_options gated = RONDO_MATMUL_OPTIONS_INIT;
        gated.activation = activation;
        EXPECT_TRUE(std::signbit(download(make(rondo_matmul, a, b, &gated))[static_cast<size_t>(2 * n * 4)]))
            << rondo_dtype_name(dtype) << " activation " << activation << ": the sign of what comes of -infinity";
      }
    }
  }
}

// One row or one column, which a library multiplies as a vector: of several parts, in either order, with what follows,
// in batches; as views with steps, backwards too; added to what is there, and into memory that holds NaN.
TEST_P(Matmul, RowsAndColumns) {
  for (const rondo_dtype dtype : dtypes(2)) {
    std::vector<Problem> problems;
    for (const auto& [m, n, k] :
         {std::array<int64_t, 3>{1, 1, 300}, {1, 1100, 33}, {1100, 1, 33}, {1, 1030, 1100}, {1030, 1, 1100}, {1, 7, 1}})
      for (const bool ta : {false, true})
        for (const bool tb : {false, true})
          problems.push_back({ta ? Shape{k, m} : Shape{m, k}, tb ? Shape{n, k} : Shape{k, n}, ta, tb, ta != tb,
                              ta ? RONDO_ACTIVATION_GELU : RONDO_ACTIVATION_NONE});
    problems.push_back({{3, 1, 40}, {40, 600}});
    problems.push_back({{3, 50, 40}, {3, 40, 1}});
    check(dtype, problems);
  }
}

// Few rows by a matrix that is contiguous along k, on both sides of steps and of the limits (docs/products.md).
TEST_P(Matmul, FewRowsByColumnsAlongK) {
  for (const rondo_dtype dtype : {RONDO_F16, RONDO_BF16, RONDO_F32}) {
    std::vector<Problem> problems;
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 17, 8},
                                  {3, 100, 1024},
                                  {8, 33, 1056},
                                  {9, 20, 2056},
                                  {16, 48, 96},
                                  {17, 48, 96},
                                  {16, 16, 40},
                                  {1, 40, 264},
                                  {1, 20, 2052},
                                  {2, 20, 8200}})
      for (const bool bias : {false, true})
        problems.push_back({{m, k}, {n, k}, false, true, bias, bias ? RONDO_ACTIVATION_GELU : RONDO_ACTIVATION_NONE});
    problems.push_back({{3, 2, 40}, {3, 24, 40}, false, true});
    problems.push_back({{2, 3, 5, 48}, {3, 32, 48}, false, true});
    for (const int64_t m : {80, 96}) problems.push_back({{m, 512}, {512, 512}, false, true});
    check(dtype, problems);
  }
}

TEST_P(Matmul, FewRowsByAMatrix) {
  if (on_cuda()) GTEST_SKIP() << "the cpu's loops are meant";
  std::vector<Problem> problems = {{{3, 2048}, {2048, 33}}};
  for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 37, 193}) {
    const int64_t n = m % 3 == 0 ? 259 : 256, k = m % 3 == 1 ? 261 : 256;
    problems.push_back({m % 5 == 0 ? Shape{k, m} : Shape{m, k}, m % 2 ? Shape{k, n} : Shape{n, k}, m % 5 == 0,
                        m % 2 == 0, m % 4 > 1, m % 4 == 3 ? RONDO_ACTIVATION_RELU : RONDO_ACTIVATION_NONE});
  }
  problems.push_back({{2, 5, 300}, {2, 280, 300}, false, true, true, RONDO_ACTIVATION_GELU});
  check(RONDO_F32, problems);
}

TEST_P(Matmul, FewRowsOfViewsAndIntoViews) {
  if (on_cuda()) GTEST_SKIP() << "the cpu's loops are meant";
  Array x = random_array(RONDO_F32, {7, 300}, 1, -2, 2), y = random_array(RONDO_F32, {300, 280}, 2, -2, 2);
  x.set(1, NAN), x.set(301, INFINITY), y.set(5 * 280 + 279, INFINITY), x.set(605, 0);
  const Tensor wide_a = empty(RONDO_F32, {7, 600}), wide_b = empty(RONDO_F32, {300, 560});
  const Tensor a = slice(wide_a, 1, 0, 600, 2), b = slice(wide_b, 1, 1, 560, 2);
  into(a, rondo_copy, up(x)), into(b, rondo_copy, up(y));
  const auto expected = [=] { return expect_matmul({}, x, y, nullptr); };
  run([&](Results& results) {
    results.keep("views", make(rondo_matmul, a, b, nullptr), expected);
    const Tensor wide = empty(RONDO_F32, {7, 560}), every_second = slice(wide, 1, 0, 560, 2);
    into(every_second, rondo_matmul, a, b, nullptr);
    results.keep("into every second", make(rondo_copy, every_second), expected);
  });
}

TEST_P(Matmul, RowsAndColumnsOfViews) {
  for (const rondo_dtype dtype : sparing() ? std::vector{RONDO_F32} : std::vector{RONDO_F32, RONDO_F64}) {
    const Array x = random_array(dtype, {4, 600}, 4, -2, 2), y = random_array(dtype, {300, 700}, 5, -2, 2);
    const Tensor a = up(x), b = up(y);
    run([&](Results& results) {
      const auto keep = keeping(results);
      const Tensor row = slice(a, 0, 2, 3), block = slice(b, 1, 20, 640);
      const Array row_host = host_slice(x, 0, 2, 1, 1), block_host = host_slice(y, 1, 20, 620, 1);
      keep("every second of a row", slice(row, 1, 0, 600, 2), host_slice(row_host, 1, 0, 300, 2), block, block_host);
      keep("half a row backwards", slice(row, 1, 299, INT64_MIN, -1), host_slice(row_host, 1, 299, 300, -1), block,
           block_host);
      keep("a column", transpose(block, {1, 0}), host_transpose(block_host, {1, 0}),
           transpose(slice(row, 1, 0, 600, 2), {1, 0}), host_transpose(host_slice(row_host, 1, 0, 300, 2), {1, 0}));
      const Array half = host_slice(row_host, 1, 0, 300, 1);
      for (const bool added : {false, true}) {
        Tensor wide = empty(dtype, {2, 620});
        must(rondo_fill(wide, added ? 1 : NAN));
        const Tensor place = transpose(reshape(wide, {620, 2}), {1, 0});  // each second element is one of a row
        const Tensor line = slice(place, 0, 1, 2);
        const Tensor adding = make(rondo_tensor_accumulator, line);
        into(added ? adding : line, rondo_matmul, slice(row, 1, 0, 300), block, nullptr);
        results.keep(added ? "added to every second" : "into every second that held NaN", make(rondo_copy, line), [=] {
          Expected out = expect_matmul({}, half, block_host, nullptr);
          for (Real& value : out.values) value += added ? 1 : 0;
          return out;
        });
      }
    });
  }
}

TEST_P(Matmul, NothingToSum) {
  for (const rondo_dtype dtype : dtypes(0))
    check(dtype, {{{3, 0}, {0, 4}},
                  {{3, 0}, {0, 4}, false, false, true},
                  {{3, 0}, {0, 4}, false, false, true, RONDO_ACTIVATION_RELU},
                  {{2, 3, 0}, {0, 4}, false, false, true}});
}

TEST_P(Matmul, EmptyResult) {
  run(
      [&](Results& results) {
        const Tensor a = up(Array(RONDO_F32, {0, 5})), b = up(full(RONDO_F32, {5, 3}, 1));
        results.keep("m = 0", make(rondo_matmul, a, b, nullptr), [] { return Expected(RONDO_F32, {0, 3}); });
        const Tensor c = up(Array(RONDO_F32, {5, 0}));
        results.keep("n = 0", make(rondo_matmul, transpose(b, {1, 0}), c, nullptr), [] {
          return Expected(RONDO_F32, {3, 0});
        });
      },
      {.nodes = 0});
}

TEST_P(Matmul, Views) {
  for (const rondo_dtype dtype : sparing() ? std::vector{RONDO_F32} : std::vector{RONDO_F32, RONDO_F16, RONDO_F64}) {
    const Array x = random_array(dtype, {20, 3, 24}, 4, -2, 2), y = random_array(dtype, {40, 50}, 5, -2, 2);
    const Tensor a = up(x), b = up(y);
    run([&](Results& results) {
      const auto keep = keeping(results);
      const Tensor turned = transpose(b, {1, 0}), rows = slice(a, 0, 3, 20),
                   block = slice(slice(b, 0, 5, 29), 1, 2, 13);
      const Array block_host = host_slice(host_slice(y, 0, 5, 24, 1), 1, 2, 11, 1);
      keep("transposed view", b, y, turned, host_transpose(y, {1, 0}));
      keep("block of a larger matrix", reshape(rows, {51, 24}), host_reshape(host_slice(x, 0, 3, 17, 1), {51, 24}),
           block, block_host);
      keep("batch between the axes", transpose(a, {1, 0, 2}), host_transpose(x, {1, 0, 2}), block, block_host);
      keep("every second column", slice(b, 1, 0, 48, 2), host_slice(y, 1, 0, 24, 2), block, block_host);
      keep("backward rows", slice(a, 0, INT64_MAX, INT64_MIN, -1), host_slice(x, 0, 19, 20, -1), block, block_host);
      keep("repeated rows", broadcast(slice(b, 0, 0, 1), {6, 50}), host_broadcast(host_slice(y, 0, 0, 1, 1), {6, 50}),
           turned, host_transpose(y, {1, 0}));
    });
  }
}

// Heads as views of one packed tensor: two axes of batches between which there is no single step. One launch.
TEST_P(Matmul, BatchesOverTwoAxes) {
  const int64_t places = sparing() ? 40 : 136, size = sparing() ? 72 : 104;
  for (const rondo_dtype dtype : dtypes(4)) {
    const Array x = random_array(dtype, {2, places, 3, 2, size}, 4, -1, 1);
    const Tensor packed = up(x);
    const auto part = [&](int64_t i) { return host_transpose(host_slice(x, 2, i, 1, 1), {0, 2, 3, 1, 4}); };
    const Shape heads = {2, 2, places, size};
    const Array q = host_reshape(part(0), heads), k = host_reshape(part(1), heads), v = host_reshape(part(2), heads);
    const Array weights = random_array(dtype, {2, 2, places, places}, 5, -1, 1);
    const Tensor given = up(weights);
    run(
        [&](Results& results) {
          const auto view = [&](int64_t i) {
            return transpose(reshape(slice(packed, 2, i, i + 1), {2, places, 2, size}), {0, 2, 1, 3});
          };
          rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
          options.transpose_b = 1;
          const std::string of = rondo_dtype_name(dtype);
          results.keep(of + " scores", make(rondo_matmul, view(0), view(1), &options), [=] {
            return expect_matmul({q.shape, k.shape, false, true}, q, k, nullptr);
          });
          results.keep(of + " results", make(rondo_matmul, given, view(2), nullptr),
                       [=] { return expect_matmul({}, weights, v, nullptr); });
          Tensor turned = empty(dtype, {2, places, 2, size});
          options = RONDO_MATMUL_OPTIONS_INIT;
          options.transpose_a = 1;
          into(transpose(turned, {0, 2, 1, 3}), rondo_matmul, given, view(2), &options);
          results.keep(of + " of turned weights, into places", std::move(turned), [=] {
            const Expected straight = expect_matmul({{}, {}, true, false}, weights, v, nullptr);
            Expected out(dtype, {2, places, 2, size}, 1);
            out.absolute.resize(out.values.size());
            for (size_t i = 0; i < out.values.size(); ++i) {
              const auto s = static_cast<size_t>(size), n = static_cast<size_t>(places);
              const size_t e = i % s, h = i / s % 2, row = i / s / 2 % n, b = i / s / 2 / n;
              const size_t from = ((b * 2 + h) * n + row) * s + e;
              out.values[i] = straight.values[from], out.absolute[i] = straight.absolute[from];
            }
            return out;
          });
        },
        {.nodes = 3});
  }
}

// So many that tiles of a result are large or of middle size; two axes keep a library away from them.
TEST_P(Matmul, ManyLargeTiles) {
  check(RONDO_F32, {{{12, 1, 70, 19}, {1, 12, 19, 68}}, {{12, 1, 19, 65}, {1, 12, 67, 19}, true, true}});
  check(RONDO_F16, {{{3, 1, 65, 136}, {1, 11, 136, 72}, false, false, true, RONDO_ACTIVATION_RELU},
                    {{2, 1, 150, 200}, {1, 2, 200, 232}},
                    {{2, 1, 520, 40}, {1, 2, 520, 48}, true, false}});
}

// Of a size that workers share, in every layout, with what follows in each part.
std::vector<Problem> shared_problems() {
  return {{{37, 120}, {120, 531}},
          {{531, 120}, {120, 37}, false, false, true, RONDO_ACTIVATION_GELU},
          {{61, 300}, {531, 61}, true, true, true, RONDO_ACTIVATION_RELU},
          {{2, 33, 70}, {2, 70, 600}, false, false, true}};
}

TEST_P(Matmul, PartsOfLargeOnesMeet) {
  if (on_cuda()) GTEST_SKIP() << "the cpu's alone are cut into parts";
  for (const rondo_dtype dtype : dtypes(3)) check(dtype, shared_problems());
}

TEST_P(Matmul, WorkersChangeNoBit) {
  if (on_cuda()) GTEST_SKIP() << "the cpu's alone are shared by workers";
  std::vector<Array> alone;
  for (const int workers : {1, 4}) {
    rondo_engine_options with = options();
    with.workers = workers;
    restart(with);
    size_t at = 0;
    for (const rondo_dtype dtype : kFloatDtypes)
      for (const Problem& problem : shared_problems()) {
        const Tensor a = up(random_array(dtype, problem.a, 1, -2, 2)), b = up(random_array(dtype, problem.b, 2, -2, 2));
        rondo_matmul_options how = RONDO_MATMUL_OPTIONS_INIT;
        how.transpose_a = problem.transpose_a;
        how.transpose_b = problem.transpose_b;
        how.activation = problem.activation;
        const Array got = download(make(rondo_matmul, a, b, &how));
        if (workers == 1) alone.push_back(got);
        expect_same_bits(got, alone[at], "problem " + std::to_string(at));
        ++at;
      }
  }
}

TEST_P(Matmul, TwoAxesOfBatchesAreOneNode) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_F64}) {
    const Tensor packed = up(random_array(dtype, {2, 16, 3, 4, 8}, 4, -1, 1));
    const auto view = [&](int64_t i) {
      return transpose(reshape(slice(packed, 2, i, i + 1), {2, 16, 4, 8}), {0, 2, 1, 3});
    };
    const Tensor q = view(0), k = transpose(view(1), {0, 1, 3, 2});
    Tensor scores;
    const Graph graph = record(engine(), [&] { scores = make(rondo_matmul, q, k, nullptr); });
    must(rondo_graph_launch(graph.get()));
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.nodes, on_cuda() ? 1 : 0) << graph_report(graph.get());
  }
}

TEST_P(Matmul, GivenAndAccumulatedOutput) {
  const Array x = random_array(RONDO_F32, {17, 9}, 6, -2, 2), y = random_array(RONDO_F32, {9, 21}, 7, -2, 2);
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    Tensor sum = empty(RONDO_F32, {17, 21});
    into(sum, rondo_matmul, a, b, nullptr);
    into(make(rondo_tensor_accumulator, sum), rondo_matmul, a, b, nullptr);
    results.keep("accumulated", std::move(sum), [=] {
      Expected out = expect_matmul({}, x, y, nullptr);
      for (size_t i = 0; i < out.values.size(); ++i) out.values[i] *= 2, out.absolute[i] *= 4;
      return out;
    });
    Tensor turned = empty(RONDO_F32, {21, 17});
    into(transpose(turned, {1, 0}), rondo_matmul, a, b, nullptr);
    results.keep("transposed output", std::move(turned), [=] {
      Expected out = expect_matmul({}, x, y, nullptr);
      Expected flipped(RONDO_F32, {21, 17}, 1);
      flipped.absolute.resize(flipped.values.size());
      for (size_t i = 0; i < 17; ++i) {
        for (size_t j = 0; j < 21; ++j) {
          flipped.values[j * 17 + i] = out.values[i * 21 + j];
          flipped.absolute[j * 17 + i] = out.absolute[i * 21 + j];
        }
      }
      return flipped;
    });
  });
}

TEST_P(Matmul, NanAndInfinityPassThrough) {
  Array x = full(RONDO_F32, {4, 4}, 1), y = full(RONDO_F32, {4, 4}, 1);
  x.set(1, NAN), x.set(4, INFINITY);
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    results.keep("product", make(rondo_matmul, a, b, nullptr), [=] { return expect_matmul({}, x, y, nullptr); });
  });
}

// Full f32 unless TF32 is asked for: 1 + 2^-12 would lose its last bit in a 10-bit mantissa.
TEST_P(Matmul, FullPrecisionByDefault) {
  const Real value = 1 + std::ldexp(Real(1), -12);
  const Array x = full(RONDO_F32, {64, 64}, value), y = array_of(RONDO_F32, {64, 64}, [] {
                                                      std::vector<Real> one(64 * 64);
                                                      for (size_t i = 0; i < 64; ++i) one[i * 65] = 1;
                                                      return one;
                                                    }());
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) { results.keep("f32", make(rondo_matmul, a, b, nullptr), [=] { return Expected(x); }); });
}

// Operands, results and biases wherever they may lie, sizes of 1 among them: leading dimensions, steps of batches and
// transposes are what a library is told of it.
TEST_P(Matmul, PlacesByChance) {
  std::mt19937 bits(static_cast<uint32_t>(share() + 2));
  const auto upto = [&](size_t most) { return static_cast<size_t>(bits() % (most + 1)); };
  constexpr int64_t kSizes[] = {1, 2, 3, 8, 16, 33};
  for (int round = 0; round < (sparing() ? 6 : on_cuda() ? 20 : 60); ++round) {
    const rondo_dtype dtype = kFloatDtypes[upto(3)];
    const int64_t m = kSizes[upto(5)], n = kSizes[upto(5)], k = kSizes[upto(5)];
    Problem problem;
    for (size_t d = upto(2); d-- > 0;) {
      const int64_t size = 1 + static_cast<int64_t>(upto(2));
      problem.a.push_back(upto(3) ? size : 1);
      problem.b.push_back(upto(3) ? size : 1);
    }
    problem.transpose_a = upto(1), problem.transpose_b = upto(1), problem.bias = upto(1);
    const bool adds = upto(3) == 0;
    problem.a.insert(problem.a.end(), {problem.transpose_a ? k : m, problem.transpose_a ? m : k});
    problem.b.insert(problem.b.end(), {problem.transpose_b ? n : k, problem.transpose_b ? k : n});
    const Array x = random_array(dtype, problem.a, 1, -2, 2), y = random_array(dtype, problem.b, 2, -2, 2),
                c = random_array(dtype, {n}, 3, -2, 2);
    Expected expected = expect_matmul(problem, x, y, problem.bias ? &c : nullptr);
    for (size_t i = 0; adds && i < expected.values.size(); ++i) {
      expected.values[i] += kAround;
      expected.absolute[i] += std::ldexp(kAround, dtype == RONDO_F64 ? -50 : -21);
    }
    std::vector<std::array<Placement, 4>> places;
    for (int i = 0; i < (sparing() ? 2 : 6); ++i)
      places.push_back({somewhere(bits, problem.a.size()), somewhere(bits, problem.b.size()), somewhere(bits, 1),
                        somewhere(bits, expected.shape.size())});
    run([&](Results& results) {
      for (const auto& [of_a, of_b, of_c, of_out] : places) {
        const auto placed = [&](const Array& array, const Placement& at) {
          Placed made(engine(), device(), dtype, array.shape, at);
          into(made.view, rondo_copy, up(array));
          return made;
        };
        const Placed a = placed(x, of_a), b = placed(y, of_b), bias = placed(c, of_c);
        Placed out(engine(), device(), dtype, expected.shape, of_out);
        rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
        options.transpose_a = problem.transpose_a;
        options.transpose_b = problem.transpose_b;
        if (problem.bias) options.bias = bias.view;
        const Tensor adding = adds ? make(rondo_tensor_accumulator, out.view) : Tensor();
        into(adds ? adding : out.view, rondo_matmul, a.view, b.view, &options);
        const auto all = out.expect(expected);
        results.keep(std::string(rondo_dtype_name(dtype)) + " " + std::to_string(m) + "x" + std::to_string(k) + "x" +
                         std::to_string(n) + " round " + std::to_string(round) + " from " + of_a.name() + " and " +
                         of_b.name() + (problem.bias ? ", bias " + of_c.name() : "") + " to " + of_out.name() +
                         (adds ? ", added" : ""),
                     std::move(out.base), all);
      }
    });
  }
}

}  // namespace
}  // namespace conformance
