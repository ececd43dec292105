// Softmax, log-softmax, cross-entropy and their gradients.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"
#include "operators/normalisations.h"

namespace conformance {
namespace {

Real unit(rondo_dtype dtype) {
  return std::ldexp(Real(1), dtype == RONDO_F64 ? -52 : -23);
}

// Applies row(values) along one axis of `a` (and of `b`, if it is given, as second argument).
using Row = std::function<void(std::vector<Real>& x, const std::vector<Real>& y)>;
Expected along(const Array& a, const Array* b, int32_t axis, double ulps, Real absolute, const Row& row) {
  const size_t d = static_cast<size_t>(axis < 0 ? axis + static_cast<int32_t>(a.shape.size()) : axis);
  const size_t n = static_cast<size_t>(a.shape[d]), stride = static_cast<size_t>(row_major(a.shape)[d]);
  Expected out(a.dtype, a.shape, ulps);
  out.absolute.assign(out.values.size(), absolute);
  for (size_t i = 0; i < a.size(); ++i) {
    if (i / stride % n != 0) continue;  // the first of each row
    std::vector<Real> x(n), y(b ? n : 0);
    for (size_t j = 0; j < n; ++j) {
      x[j] = a[i + j * stride];
      if (b) y[j] = (*b)[i + j * stride];
    }
    row(x, y);
    for (size_t j = 0; j < n; ++j) out.values[i + j * stride] = x[j];
  }
  return out;
}

void softmax_row(std::vector<Real>& x, bool logarithm) {
  const Real top = *std::max_element(x.begin(), x.end());
  Real sum = 0;
  for (const Real value : x) sum += std::exp(value - top);
  for (Real& value : x) value = logarithm ? value - top - std::log(sum) : std::exp(value - top) / sum;
}

Expected expect_softmax(const Array& a, int32_t axis) {
  return along(a, nullptr, axis, is_half(a.dtype) ? 1 : 64, 0, [](auto& x, const auto&) { softmax_row(x, false); });
}
Expected expect_log_softmax(const Array& a, int32_t axis) {
  return along(a, nullptr, axis, is_half(a.dtype) ? 1 : 16, 64 * unit(a.dtype),
               [](auto& x, const auto&) { softmax_row(x, true); });
}
Expected expect_softmax_grad(const Array& y, const Array& dy, int32_t axis) {
  return along(y, &dy, axis, is_half(y.dtype) ? 1 : 16, 64 * unit(y.dtype), [](auto& x, const auto& change) {
    Real dot = 0;
    for (size_t i = 0; i < x.size(); ++i) dot += x[i] * change[i];
    for (size_t i = 0; i < x.size(); ++i) x[i] *= change[i] - dot;
  });
}

// softmax(x * scale) of the first elements of each row along `axis`; of the others 0 or -infinity.
Expected expect_with(rondo_softmax_op op, const Array& a, int32_t axis, Real temperature,
                     const std::vector<int64_t>& ends) {
  size_t row = 0;
  const bool logarithm = op == RONDO_LOG_SOFTMAX;
  return along(
      a, nullptr, axis, is_half(a.dtype) ? 1 : 64, logarithm ? 128 * unit(a.dtype) : 0, [&](auto& x, const auto&) {
        const size_t end =
            ends.empty() ? x.size() : static_cast<size_t>(std::clamp<int64_t>(ends[row++], 0, int64_t(x.size())));
        std::vector<Real> part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(end));
        for (Real& value : part) value = (op == RONDO_SOFTMIN ? -value : value) / temperature;
        if (!part.empty()) softmax_row(part, logarithm);
        part.resize(x.size(), logarithm ? -INFINITY : 0);
        x = part;
      });
}
Expected expect_grad_with(rondo_softmax_op op, const Array& y, const Array& dy, int32_t axis, Real temperature,
                          const std::vector<int64_t>& ends) {
  size_t row = 0;
  return along(y, &dy, axis, is_half(y.dtype) ? 1 : 16, 128 * unit(y.dtype), [&](auto& x, const auto& change) {
    const size_t end =
        ends.empty() ? x.size() : static_cast<size_t>(std::clamp<int64_t>(ends[row++], 0, int64_t(x.size())));
    Real sum = 0;
    for (size_t i = 0; i < end; ++i) sum += op == RONDO_LOG_SOFTMAX ? change[i] : x[i] * change[i];
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = op == RONDO_LOG_SOFTMAX ? change[i] - std::exp(x[i]) * sum : x[i] * (change[i] - sum);
      x[i] = i < end ? (op == RONDO_SOFTMIN ? -x[i] : x[i]) / temperature : 0;
    }
  });
}

class Softmax : public OnEngine {
 protected:
  std::vector<rondo_dtype> dtypes(int turn) const {
    return covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, turn);
  }
};
CONFORMANCE_SUITE(Softmax);

TEST_P(Softmax, Values) {
  const std::vector<std::pair<Shape, int32_t>> cases = dealt(std::vector<std::pair<Shape, int32_t>>{
      {{1}, 0}, {{31}, -1}, {{7, 10}, 1}, {{7, 10}, 0}, {{3, 1000}, 1}, {{2, 4099}, 1}, {{4, 5, 6}, 1}, {{0, 5}, 1}});
  for (const rondo_dtype dtype : dtypes(0)) {
    run([&](Results& results) {
      for (const auto& [shape, axis] : cases) {
        const int32_t d = axis;
        const Array x = random_array(dtype, shape, 1, -5, 5), change = random_array(dtype, shape, 2, -2, 2);
        const Tensor a = up(x), dy = up(change);
        const std::string label = std::string(rondo_dtype_name(dtype)) + " rank " + std::to_string(shape.size()) +
                                  " axis " + std::to_string(d);
        results.keep("softmax " + label, make(rondo_softmax, a, d), [=] { return expect_softmax(x, d); });
        results.keep("log_softmax " + label, make(rondo_log_softmax, a, d), [=] { return expect_log_softmax(x, d); });
        if (shape[0] == 0) continue;
        Array y(dtype, shape);
        const Expected exact = expect_softmax(x, d);
        for (size_t i = 0; i < y.size(); ++i) y.set(i, exact.values[i]);
        results.keep("softmax_grad " + label, make(rondo_softmax_grad, up(y), dy, d),
                     [=] { return expect_softmax_grad(y, change, d); });
      }
    });
  }
}

TEST_P(Softmax, Strided) {
  const Array x = random_array(RONDO_F32, {6, 9, 10}, 3, -5, 5);
  const Tensor a = up(x);
  run([&](Results& results) {
    const Tensor view = slice(transpose(a, {2, 0, 1}), 0, 1, 10, 2);
    const Array host = host_slice(host_transpose(x, {2, 0, 1}), 0, 1, 5, 2);
    for (const int32_t axis : {0, 1, 2}) {
      results.keep("softmax", make(rondo_softmax, view, axis), [=] { return expect_softmax(host, axis); });
      results.keep("log_softmax", make(rondo_log_softmax, view, axis), [=] { return expect_log_softmax(host, axis); });
    }
  });
}

// Rows that no block of a GPU keeps: few, shared by blocks, or side by side.
TEST_P(Softmax, LongRows) {
  const std::vector<std::pair<Shape, int32_t>> cases = dealt(std::vector<std::pair<Shape, int32_t>>{
      {{20001}, 0}, {{2, 16400}, 1}, {{1100, 1}, 0}, {{300, 7}, 0}, {{301, 40}, 0}, {{2, 310, 132}, 1}});
  for (const rondo_dtype dtype : dtypes(3)) {
    run([&](Results& results) {
      for (const auto& [shape, axis] : cases) {
        const int32_t d = axis;
        const Array x = random_array(dtype, shape, 10, -20, 20), change = random_array(dtype, shape, 11, -2, 2);
        const Tensor a = up(x), dy = up(change);
        const std::string label =
            std::string(rondo_dtype_name(dtype)) + " length " + std::to_string(shape[static_cast<size_t>(d)]);
        results.keep("softmax " + label, make(rondo_softmax, a, d), [=] { return expect_softmax(x, d); });
        results.keep("log_softmax " + label, make(rondo_log_softmax, a, d), [=] { return expect_log_softmax(x, d); });
        Array y(dtype, shape), logs(dtype, shape);
        const Expected exact = expect_softmax(x, d), logarithms = expect_log_softmax(x, d);
        for (size_t i = 0; i < y.size(); ++i) y.set(i, exact.values[i]), logs.set(i, logarithms.values[i]);
        results.keep("softmax_grad " + label, make(rondo_softmax_grad, up(y), dy, d),
                     [=] { return expect_softmax_grad(y, change, d); });
        results.keep("log_softmax_grad " + label,
                     make(rondo_softmax_grad_with, RONDO_LOG_SOFTMAX, up(logs), dy, d, 1.0, Tensor()),
                     [=] { return expect_grad_with(RONDO_LOG_SOFTMAX, logs, change, d, 1, {}); });
      }
    });
  }
}

// The same from an odd address, in steps, and turned round.
TEST_P(Softmax, LongRowsStrided) {
  const Array line = random_array(RONDO_F32, {40001}, 12, -20, 20),
              table = random_array(RONDO_F32, {9, 304}, 13, -9, 9);
  const Tensor a = up(line), b = up(table);
  run([&](Results& results) {
    const auto both = [&](const std::string& label, const Tensor& view, const Array& host, int32_t axis) {
      results.keep("softmax " + label, make(rondo_softmax, view, axis), [=] { return expect_softmax(host, axis); });
      results.keep("log_softmax " + label, make(rondo_log_softmax, view, axis),
                   [=] { return expect_log_softmax(host, axis); });
    };
    both("odd", slice(a, 0, 1, 20001, 1), host_slice(line, 0, 1, 20000, 1), 0);
    both("steps", slice(a, 0, 0, 40001, 2), host_slice(line, 0, 0, 20001, 2), 0);
    both("turned", transpose(b, {1, 0}), host_transpose(table, {1, 0}), 0);
    both("odd columns", slice(transpose(b, {1, 0}), 1, 1, 9, 1), host_slice(host_transpose(table, {1, 0}), 1, 1, 8, 1),
         0);
    const Tensor beside = up(host_transpose(table, {1, 0}));
    const auto accumulated = [&](const Tensor& view, const Array& host, int32_t axis) {
      Tensor twice = make(rondo_softmax, view, axis);
      into(make(rondo_tensor_accumulator, twice), rondo_softmax, view, axis);
      results.keep("accumulated", std::move(twice), [=] {
        Expected out = expect_softmax(host, axis);
        for (Real& value : out.values) value *= 2;
        return out;
      });
    };
    accumulated(a, line, 0);
    accumulated(beside, host_transpose(table, {1, 0}), 0);
    both("columns in steps", slice(beside, 1, 1, 9, 2), host_slice(host_transpose(table, {1, 0}), 1, 1, 4, 2), 0);
  });
}

// Temperature, softmin and rows that end early, forward and backward. What does not count is NaN.
TEST_P(Softmax, TemperatureAndLengths) {
  struct With {
    rondo_softmax_op op;
    Shape shape;
    int32_t axis;
    double temperature;
    std::vector<int64_t> ends;
  };
  const std::vector<With> cases = {{RONDO_SOFTMAX, {7, 10}, 1, 0.5, {0, 1, 9, 10, 11, -3, 5}},
                                   {RONDO_LOG_SOFTMAX, {7, 10}, 0, 4, {7, 6, 5, 4, 3, 2, 1, 1, 2, 3}},
                                   {RONDO_SOFTMIN, {2, 4099}, 1, 3, {}},
                                   {RONDO_LOG_SOFTMAX, {2, 4099}, -1, 1, {4000, 1}},
                                   {RONDO_SOFTMIN, {3, 1000}, 1, 2, {1000, 3, 500}},
                                   // Shared by blocks, on a GPU.
                                   {RONDO_SOFTMIN, {1, 20001}, 1, 3, {}},
                                   {RONDO_LOG_SOFTMAX, {2, 16400}, 1, 2, {16399, 0}},
                                   {RONDO_SOFTMAX, {300, 8}, 0, 0.5, {300, 1, 0, 150, 31, 32, 33, 301}}};
  for (const rondo_dtype dtype : dtypes(1)) {
    run([&](Results& results) {
      for (const With& c : dealt(cases)) {
        Array x = random_array(dtype, c.shape, 5, -5, 5), change = random_array(dtype, c.shape, 6, -2, 2);
        Shape rows = c.shape;
        const size_t d = c.axis < 0 ? rows.size() - 1 : static_cast<size_t>(c.axis);
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(d));
        Array ends(d == 0 ? RONDO_I32 : RONDO_I64, rows);
        const size_t n = static_cast<size_t>(c.shape[d]), step = d == 0 ? static_cast<size_t>(c.shape[1]) : 1;
        for (size_t r = 0; r < c.ends.size(); ++r) {
          ends.set(r, Real(c.ends[r]));
          for (size_t i = static_cast<size_t>(std::max<int64_t>(c.ends[r], 0)); i < n; ++i) {
            const size_t at = (d == 0 ? r : r * n) + i * step;
            x.set(at, NAN), change.set(at, NAN);
          }
        }
        const Tensor lengths = c.ends.empty() ? Tensor() : up(ends);
        const std::string label = std::string(rondo_dtype_name(dtype)) + " case " + std::to_string(&c - &cases[0]);
        const Expected exact = expect_with(c.op, x, c.axis, c.temperature, c.ends);
        Array y(dtype, c.shape);
        for (size_t i = 0; i < y.size(); ++i) y.set(i, exact.values[i]);
        results.keep(label, make(rondo_softmax_with, c.op, up(x), c.axis, c.temperature, lengths),
                     [=] { return exact; });
        results.keep(label + " gradient",
                     make(rondo_softmax_grad_with, c.op, up(y), up(change), c.axis, c.temperature, lengths),
                     [=] { return expect_grad_with(c.op, y, change, c.axis, c.temperature, c.ends); });
      }
    });
  }
}

// Every normalisation of the table, with and without weight and bias.
TEST_P(Softmax, Normalisation) {
  const std::vector<std::pair<Shape, int32_t>> cases = {{{7, 10}, 1}, {{7, 10}, 0}, {{2, 4099}, 1}, {{3, 1000}, -1}};
  constexpr double kEpsilon = 1e-3;
  for (const rondo_dtype dtype : dtypes(2)) {
    run([&](Results& results) {
      auto some = dealt(cases);
      some.push_back({{0, 5}, 1});  // no task, so never alone
      for (const auto& [shape, axis] : some) {
        const int64_t n = shape[static_cast<size_t>(axis < 0 ? 1 : axis)];
        const Array x = random_array(dtype, shape, 7, 95, 105), w = random_array(dtype, {2 * n}, 8, 0.5, 2),
                    b = random_array(dtype, {n}, 9, -2, 2), every = host_slice(w, 0, 0, n, 2);
        const Tensor a = up(x), weight = slice(up(w), 0, 0, 2 * n, 2), bias = up(b);
        for (const NormalisationCase& each : normalisations()) {
          for (const bool plain : {true, false}) {
            const auto expected = [=, axis = axis] {
              // Digits of a row far from zero are lost before anything is computed.
              const Real lost = 200 * unit(dtype) * (is_half(dtype) ? 1 : 8);
              return along(x, nullptr, axis, is_half(dtype) ? 1 : 16, lost, [&](auto& row, const auto&) {
                each.reference(row, kEpsilon);
                if (plain) return;
                for (size_t i = 0; i < row.size(); ++i) row[i] = row[i] * every[i] + (each.takes_bias ? b[i] : 0);
              });
            };
            rondo_tensor* const scale = plain ? nullptr : static_cast<rondo_tensor*>(weight);
            rondo_tensor* const shift = plain ? nullptr : static_cast<rondo_tensor*>(bias);
            results.keep(each.name + " " + rondo_dtype_name(dtype), each(a, axis, scale, shift, kEpsilon), expected);
          }
        }
      }
    });
  }
}

// Shifted by the maximum: no overflow, and shifting the input changes nothing that matters.
TEST_P(Softmax, ExtremeInputs) {
  const Array x = array_of(RONDO_F32, {4, 3}, {1000, 1000, 999, -1e30L, 0, 1, -INFINITY, 2, 2, NAN, 1, 2});
  const Tensor a = up(x);
  run([&](Results& results) {
    results.keep("softmax", make(rondo_softmax, a, 1), [=] {
      Expected out = expect_softmax(x, 1);
      for (size_t i = 9; i < 12; ++i) out.values[i] = NAN;
      return out;
    });
    results.keep("log_softmax", make(rondo_log_softmax, a, 1), [=] {
      Expected out = expect_log_softmax(x, 1);
      for (size_t i = 9; i < 12; ++i) out.values[i] = NAN;
      return out;
    });
  });
}

// What a part of a row has decides nothing that another part has not: infinities and NaN, in rows shared by blocks.
TEST_P(Softmax, ExtremeInputsOfLongRows) {
  const size_t rows = 5;
  for (const bool beside : {false, true}) {
    const size_t length = beside ? 700 : 16400, step = beside ? rows : 1, apart = beside ? 1 : length;
    const auto n = static_cast<int64_t>(length), m = static_cast<int64_t>(rows);
    Array x = random_array(RONDO_F32, beside ? Shape{n, m} : Shape{m, n}, 14, -2, 2);
    for (size_t i = 0; i < length; ++i) {
      if (i + 3 < length) x.set(i * step, -INFINITY);                                          // but in the last part
      x.set(apart + i * step, x[apart + i * step] + (i < 3 ? 1000 : i < 600 ? 900 : -1e30L));  // far apart
      x.set(2 * apart + i * step, -INFINITY);                                                  // all of it: NaN
    }
    x.set(3 * apart + 5 * step, NAN);
    x.set(4 * apart + (length - 2) * step, INFINITY);
    const int32_t axis = beside ? 0 : 1;
    const Tensor a = up(x);
    run([&](Results& results) {
      const auto nan = [=](Expected out) {
        for (size_t i = 0; i < length; ++i)
          for (size_t r = 2; r < rows; ++r) out.values[r * apart + i * step] = NAN;
        return out;
      };
      results.keep("softmax", make(rondo_softmax, a, axis), [=] { return nan(expect_softmax(x, axis)); });
      results.keep("log_softmax", make(rondo_log_softmax, a, axis), [=] { return nan(expect_log_softmax(x, axis)); });
    });
  }
}

class CrossEntropy : public OnEngine {
 protected:
  // Loss per row, or the gradient times scale.
  static Expected expect_loss(const Array& logits, const Array& labels) {
    const Expected logs = expect_log_softmax(logits, 1);
    const size_t classes = static_cast<size_t>(logits.shape[1]);
    Expected out(logits.dtype, {logits.shape[0]}, is_half(logits.dtype) ? 1 : 16);
    out.absolute.assign(out.values.size(), 64 * unit(logits.dtype));
    for (size_t i = 0; i < out.values.size(); ++i) {
      const int64_t label = labels.integer(i);
      const bool counted = label >= 0 && label < logits.shape[1];
      out.values[i] = counted ? -logs.values[i * classes + static_cast<size_t>(label)] : 0;
    }
    return out;
  }
  static Expected expect_grad(const Array& logits, const Array& labels, Real scale) {
    Expected out = expect_softmax(logits, 1);
    const size_t classes = static_cast<size_t>(logits.shape[1]);
    out.absolute.assign(out.values.size(), 8 * unit(logits.dtype) * scale);
    for (size_t i = 0; i < out.values.size(); ++i) {
      const int64_t label = labels.integer(i / classes);
      const bool counted = label >= 0 && label < logits.shape[1];
      out.values[i] = counted ? (out.values[i] - (static_cast<int64_t>(i % classes) == label)) * scale : 0;
    }
    return out;
  }
};
CONFORMANCE_SUITE(CrossEntropy);

TEST_P(CrossEntropy, LossAndGradient) {
  for (const rondo_dtype dtype : covering({std::begin(kFloatDtypes), std::end(kFloatDtypes)}, 1)) {
    for (const rondo_dtype kind : {RONDO_I32, RONDO_I64}) {
      if (sparing() && kind == RONDO_I64 && dtype != RONDO_F32) continue;
      run([&](Results& results) {
        for (const Shape& shape : {Shape{1, 1}, Shape{7, 10}, Shape{64, 10}, Shape{5, 1003}, Shape{0, 4}}) {
          const Array x = random_array(dtype, shape, 4, -6, 6);
          Array y = random_array(kind, {shape[0]}, 5, 0, double(shape[1] - 1));
          if (shape[0] > 4) y.set(1, -1), y.set(2, Real(shape[1])), y.set(3, -100);  // "ignore" labels
          const Tensor logits = up(x), labels = up(y);
          const std::string label = std::string(rondo_dtype_name(dtype)) + " rows " + std::to_string(shape[0]);
          results.keep("loss " + label, make(rondo_cross_entropy, logits, labels), [=] { return expect_loss(x, y); });
          results.keep("gradient " + label, make(rondo_cross_entropy_grad, logits, labels, 0.125),
                       [=] { return expect_grad(x, y, 0.125L); });
        }
      });
    }
  }
}

// The analytic gradient is the slope of the loss.
TEST_P(CrossEntropy, GradientIsTheSlope) {
  if (GetParam().graph) GTEST_SKIP() << "a numeric derivative launches no graph";
  const Array x = random_array(RONDO_F64, {3, 4}, 6, -2, 2), y = array_of(RONDO_I64, {3}, {2, 0, -1});
  const Tensor labels = up(y), logits = up(x);
  const Array slope = download(make(rondo_cross_entropy_grad, logits, labels, 1.0));
  for (size_t i = 0; i < x.size(); ++i) {
    Real sides[2];
    for (const int side : {0, 1}) {
      Array moved = x;
      moved.set(i, x[i] + (side ? 1e-5L : -1e-5L));
      sides[side] = download(reduce(RONDO_SUM, make(rondo_cross_entropy, up(moved), labels), {}))[0];
    }
    EXPECT_NEAR(double(slope[i]), double((sides[1] - sides[0]) / 2e-5L), 1e-7) << i;
  }
}

}  // namespace
}  // namespace conformance
