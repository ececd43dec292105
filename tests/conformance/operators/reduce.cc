// Reductions: every operator, axes, dtypes, strided inputs, nothing to reduce, ties and NaN.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

struct Case {
  Shape shape;
  std::vector<int32_t> axes;  // empty: all
};

// What the table says of a reduction.
struct Row {
  const char* domain = "";
  double low = 0, high = 0;
  Real of_nothing = 0;
  bool refused = false;  // there is none of nothing
  double parameter = NAN;
};
struct Refused {};
constexpr Refused REFUSED;
Row row(const char* domain, double low, double high, std::vector<double> parameter, Real of_nothing) {
  return {domain, low, high, of_nothing, false, parameter.empty() ? NAN : parameter[0]};
}
Row row(const char* domain, double low, double high, std::vector<double>, Refused) {
  return {domain, low, high, 0, true, NAN};
}
Row row_of(rondo_reduce_op op) {
#define P(...)          \
  std::vector<double> { \
    __VA_ARGS__         \
  }
  switch (op) {
#define REDUCTION(ID, name, Domain, Before, Accumulator, After, parameter, of_nothing, low, high, ...) \
  case RONDO_##ID:                                                                                     \
    return row(#Domain, low, high, parameter, of_nothing);
#include "../../../src/ops/operators/reductions.def"
#undef REDUCTION
  }
#undef P
  throw std::logic_error("no row");
}
constexpr rondo_reduce_op kAll[] = {
#define REDUCTION(ID, ...) RONDO_##ID,
#include "../../../src/ops/operators/reductions.def"
#undef REDUCTION
};

rondo_dtype reduced_dtype(rondo_reduce_op op, rondo_dtype dtype) {
  const std::string domain = row_of(op).domain;
  if (domain == "Truth") return RONDO_BOOL;
  if (domain == "Position") return RONDO_I64;
  if (domain == "Same" || is_floating(dtype)) return dtype;
  return domain != "Total" ? RONDO_F32 : dtype == RONDO_U64 ? dtype : RONDO_I64;
}

struct Answer {
  Real value = 0, slack = 0;  // the error allowed beyond ulps
};

// One group of elements, in row-major order of the reduced axes.
Answer reduce_group(rondo_reduce_op op, rondo_dtype dtype, std::vector<Real> x, Real parameter) {
  const rondo_dtype inner = dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
  const Real epsilon = std::ldexp(Real(1), -mantissa_bits(inner));
  const Real n = Real(x.size());
  const Real depth = 4 + std::log2(n + 1);  // of a tree: errors grow with it, not with the length
  const auto sum = [&x](auto&& term) {
    Real total = 0;
    for (const Real value : x) total += term(value);
    return total;
  };
  if (op == RONDO_NANSUM || op == RONDO_NANPROD)
    for (Real& value : x)
      if (std::isnan(value)) value = op == RONDO_NANPROD;
  switch (op) {
    case RONDO_SUM:
    case RONDO_NANSUM:
    case RONDO_MEAN: {
      const Real total = sum([](Real v) { return v; });
      const Real slack = epsilon * sum([](Real v) { return std::fabs(v); }) * depth;
      return op == RONDO_MEAN ? Answer{total / n, slack / n} : Answer{total, slack};
    }
    case RONDO_PROD:
    case RONDO_NANPROD: {
      if (!is_floating(dtype)) {
        uint64_t product = 1;
        for (const Real value : x) product *= bits_of(value);
        return {wrap(dtype == RONDO_U64 ? dtype : RONDO_I64, product), 0};
      }
      Real product = 1;
      for (const Real value : x) product *= value;
      return {product, std::fabs(product) * epsilon * n};
    }
    case RONDO_ALL: return {Real(std::all_of(x.begin(), x.end(), [](Real v) { return v != 0; })), 0};
    case RONDO_ANY: return {Real(std::any_of(x.begin(), x.end(), [](Real v) { return v != 0; })), 0};
    case RONDO_L1_NORM: {
      const Real total = sum([](Real v) { return std::fabs(v); });
      return {total, epsilon * total * depth};
    }
    case RONDO_L2_NORM: {
      const Real norm = std::sqrt(sum([](Real v) { return v * v; }));
      return {norm, epsilon * norm * depth};
    }
    case RONDO_LP_NORM: {
      const Real norm = std::pow(sum([=](Real v) { return std::pow(std::fabs(v), parameter); }), 1 / parameter);
      return {norm, epsilon * norm * (depth + 16)};
    }
    case RONDO_VAR:
    case RONDO_STD: {
      const Real mean = sum([](Real v) { return v; }) / n, freedom = std::max<Real>(n - parameter, 0);
      const Real square = sum([=](Real v) { return (v - mean) * (v - mean); }) / freedom, root = std::sqrt(square);
      const Real slack = epsilon * (depth + 4) * (root + std::fabs(mean));
      return op == RONDO_VAR ? Answer{square, slack * root + slack * slack} : Answer{root, slack};
    }
    case RONDO_LOGSUMEXP: {
      if (x.empty()) return {-INFINITY, 0};
      const Real top = *std::max_element(x.begin(), x.end());
      const Real value = std::isinf(top) ? top : top + std::log(sum([=](Real v) { return std::exp(v - top); }));
      return {value, epsilon * (depth + 4) * (1 + std::fabs(value))};
    }
    case RONDO_MAX:
    case RONDO_MIN:
    case RONDO_ARGMAX:
    case RONDO_ARGMIN: break;
  }
  size_t best = 0;
  for (size_t i = 1; i < x.size() && !std::isnan(x[best]); ++i) {
    const bool larger = op == RONDO_MAX || op == RONDO_ARGMAX;
    if (std::isnan(x[i]) || (larger ? x[i] > x[best] : x[i] < x[best])) best = i;
  }
  return {op == RONDO_ARGMAX || op == RONDO_ARGMIN ? Real(best) : x[best], 0};
}

Expected expect_reduce(rondo_reduce_op op, const Array& a, const std::vector<int32_t>& axes, bool keep = false,
                       Real parameter = NAN) {
  if (std::isnan(parameter)) parameter = row_of(op).parameter;
  const size_t rank = a.shape.size();
  std::vector<bool> gone(rank, axes.empty());
  for (const int32_t axis : axes) gone[static_cast<size_t>(axis < 0 ? axis + static_cast<int32_t>(rank) : axis)] = true;
  // Move the reduced axes to the end, then every group is contiguous.
  std::vector<int32_t> order;
  Shape outer, shape;
  size_t group = 1;
  for (size_t d = 0; d < rank; ++d) {
    if (gone[d]) {
      group *= static_cast<size_t>(a.shape[d]);
      if (keep) shape.push_back(1);
    } else {
      order.push_back(static_cast<int32_t>(d));
      shape.push_back(a.shape[d]);
    }
  }
  for (size_t d = 0; d < rank; ++d) {
    if (gone[d]) order.push_back(static_cast<int32_t>(d));
  }
  const Array moved = host_transpose(a, order);
  const rondo_dtype dtype = reduced_dtype(op, a.dtype);
  Expected out(dtype, shape, is_floating(dtype) ? (op == RONDO_MAX || op == RONDO_MIN ? 0 : 1) : 0);
  out.absolute.resize(out.values.size());
  for (size_t i = 0; i < out.values.size(); ++i) {
    std::vector<Real> values(group);
    for (size_t j = 0; j < group; ++j) values[j] = moved[i * group + j];
    const Answer answer = reduce_group(op, a.dtype, values, parameter);
    out.values[i] = answer.value;
    out.absolute[i] = answer.slack;
  }
  return out;
}

std::string label(rondo_reduce_op op, const Array& a, const std::vector<int32_t>& axes) {
  std::string text = std::string(rondo_reduce_op_name(op)) + " of " + rondo_dtype_name(a.dtype) + " [";
  for (const int64_t size : a.shape) text += std::to_string(size) + " ";
  text += "] over";
  for (const int32_t axis : axes) text += " " + std::to_string(axis);
  return text;
}

class Reduce : public OnEngine {
 protected:
  void all_cases(rondo_reduce_op op) {
    const std::vector<Case> full = {
        {{1}, {}},        {{31}, {0}},           {{4099}, {}},           {{7, 1000}, {1}},
        {{1000, 7}, {0}}, {{257, 3}, {-1}},      {{5, 6, 7, 8}, {1, 3}}, {{5, 6, 7, 8}, {0, 2}},
        {{5, 6, 7}, {1}}, {{5, 6, 7}, {-3, -1}}, {{3, 1, 70000}, {2}},   {{}, {}}};
    const Row of = row_of(op);
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, op)) {
      const bool product = op == RONDO_PROD || op == RONDO_NANPROD;
      std::vector<Case> cases;
      for (const Case& c : full) {
        if (dtype != RONDO_F32 && count(c.shape) > 10000) continue;
        if (sparing() && dtype != RONDO_F32 && c.shape.size() != 2) continue;
        // What these are made of differs from the others by little, and each kernel is compiled: rows, columns, splits.
        if (sparing() && op > RONDO_ANY && c.shape != Shape{7, 1000} && c.shape != Shape{1000, 7} &&
            c.shape != Shape{3, 1, 70000})
          continue;
        cases.push_back(c);
      }
      run([&](Results& results) {
        for (const Case& c : dealt(cases)) {
          Array x = random_array(dtype, c.shape, 17, is_unsigned(dtype) ? std::max(of.low, 0.0) : of.low, of.high);
          if (product && !is_floating(dtype)) x = odd(x);
          if (op == RONDO_ALL || op == RONDO_ANY) x = sparse(x, op == RONDO_ALL);
          const Tensor a = up(x);
          results.keep(label(op, x, c.axes), reduce(op, a, c.axes),
                       [=] { return expect_reduce(op, x, c.axes, false); });
        }
      });
    }
  }

  // Products of odd numbers never become 0, so that every factor counts up to the wrap.
  static Array odd(const Array& like) {
    Array out = random_array(like.dtype, like.shape, 18, is_unsigned(like.dtype) ? 0 : -3, 3);
    for (size_t i = 0; i < out.size(); ++i) out.set(i, out[i] * 2 + 1);
    return out;
  }
  // Mostly one answer, so that the other one has to be found.
  static Array sparse(const Array& like, bool ones) {
    Array out = conformance::full(like.dtype, like.shape, ones);
    for (size_t i = 3; i < out.size(); i += 61) out.set(i, ones ? 0 : 1);
    return out;
  }
};
CONFORMANCE_SUITE(Reduce);

// One case per row of the table.
#define REDUCTION(ID, name, ...) \
  TEST_P(Reduce, name) {         \
    all_cases(RONDO_##ID);       \
  }
#include "../../../src/ops/operators/reductions.def"
#undef REDUCTION

TEST_P(Reduce, KeepDims) {
  const Array x = random_array(RONDO_F32, {3, 4, 5}, 1, -9, 9);
  const Tensor a = up(x);
  run([&](Results& results) {
    for (const std::vector<int32_t>& axes : std::vector<std::vector<int32_t>>{{}, {1}, {0, 2}, {-1}}) {
      results.keep(label(RONDO_SUM, x, axes), reduce(RONDO_SUM, a, axes, true),
                   [=] { return expect_reduce(RONDO_SUM, x, axes, true); });
    }
  });
}

TEST_P(Reduce, Strided) {
  const Array x = random_array(RONDO_F32, {9, 40, 13}, 2, -9, 9);
  const Tensor a = up(x);
  run([&](Results& results) {
    const Tensor turned = transpose(a, {2, 0, 1});
    const Array turned_host = host_transpose(x, {2, 0, 1});
    const Tensor cut = slice(slice(turned, 0, 1, 13, 2), 2, INT64_MAX, INT64_MIN, -3);
    const Array cut_host = host_slice(host_slice(turned_host, 0, 1, 6, 2), 2, 39, 14, -3);
    const Tensor repeated = broadcast(slice(a, 1, 0, 1), {9, 5, 13});
    const Array repeated_host = host_broadcast(host_slice(x, 1, 0, 1, 1), {9, 5, 13});
    std::vector<std::vector<int32_t>> lists = {{}, {0}, {2}, {0, 2}};
    if (!sparing()) lists.push_back({1});
    for (const rondo_reduce_op op : {RONDO_SUM, RONDO_ARGMAX}) {
      for (const std::vector<int32_t>& axes : dealt(lists)) {
        results.keep("transposed " + label(op, turned_host, axes), reduce(op, turned, axes),
                     [=] { return expect_reduce(op, turned_host, axes, false); });
        results.keep("stepped " + label(op, cut_host, axes), reduce(op, cut, axes),
                     [=] { return expect_reduce(op, cut_host, axes, false); });
        results.keep("repeated " + label(op, repeated_host, axes), reduce(op, repeated, axes),
                     [=] { return expect_reduce(op, repeated_host, axes, false); });
      }
    }
  });
}

// The reduction of each element with all before it along an axis, or all behind it.
Expected expect_cumulative(rondo_reduce_op op, const Array& a, int32_t axis, bool reverse) {
  const size_t d = static_cast<size_t>(axis), n = static_cast<size_t>(a.shape[d]);
  const size_t stride = static_cast<size_t>(row_major(a.shape)[d]);
  const rondo_dtype dtype = reduced_dtype(op, a.dtype);
  Expected out(dtype, a.shape, is_floating(dtype) ? (op == RONDO_MAX || op == RONDO_MIN ? 0 : 1) : 0);
  out.absolute.resize(out.values.size());
  for (size_t first = 0; first < a.size(); ++first) {
    if (first / stride % n != 0) continue;
    std::vector<Real> sofar;
    for (size_t i = 0; i < n; ++i) {
      const size_t at = first + (reverse ? n - 1 - i : i) * stride;
      sofar.push_back(a[at]);
      const Answer answer = reduce_group(op, a.dtype, sofar, NAN);
      out.values[at] = answer.value;
      out.absolute[at] = answer.slack;
    }
  }
  return out;
}

TEST_P(Reduce, Cumulative) {
  std::vector<rondo_reduce_op> ops;
  for (const rondo_reduce_op op : kAll) {
    Tensor out;
    if (rondo_cumulative(op, up(Array(RONDO_F32, {0})), 0, 0, out.slot()) == RONDO_OK) ops.push_back(op);
  }
  EXPECT_EQ(ops.size(), 10u);
  const std::vector<std::pair<Shape, int32_t>> cases = {{{1}, 0},         {{31}, 0},   {{3, 100}, 1}, {{100, 3}, 0},
                                                        {{5, 20, 33}, 1}, {{1100}, 0}, {{0, 3}, 1}};
  for (const rondo_reduce_op op : ops) {
    const Row of = row_of(op);
    if (sparing() && op != RONDO_SUM && op != RONDO_PROD && op != RONDO_LOGSUMEXP) continue;
    for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, op)) {
      if (op != RONDO_SUM && dtype != RONDO_F32 && (!is_integer(dtype) || rondo_dtype_size(dtype) < 4)) continue;
      run([&](Results& results) {
        for (const auto& [shape, axis] : dealt(cases)) {
          if (count(shape) == 1100 && op != RONDO_SUM) continue;  // the reference takes the square of the length
          Array x = random_array(dtype, shape, 31, is_unsigned(dtype) ? 0 : of.low, of.high);
          if (op == RONDO_PROD && !is_floating(dtype)) x = odd(x);
          const Tensor a = up(x);
          for (const int32_t reverse : {0, 1}) {
            results.keep((reverse ? "backward " : "forward ") + label(op, x, {axis}),
                         make(rondo_cumulative, op, a, axis, reverse),
                         [=, axis = axis] { return expect_cumulative(op, x, axis, reverse); });
          }
        }
      });
    }
  }
}

// From and into views, and added to what is there; NaN and infinities stay where they belong.
TEST_P(Reduce, CumulativeViews) {
  Array x = random_array(RONDO_F32, {9, 40}, 32, -9, 9);
  x.set(3 * 40 + 7, NAN), x.set(4 * 40 + 9, INFINITY);
  const Tensor a = up(x);
  run([&](Results& results) {
    const Tensor view = slice(transpose(a, {1, 0}), 0, 39, INT64_MIN, -2);
    const Array host = host_slice(host_transpose(x, {1, 0}), 0, 39, 20, -2);
    for (const int32_t axis : {0, 1})
      results.keep("view", make(rondo_cumulative, RONDO_SUM, view, axis, axis),
                   [=] { return expect_cumulative(RONDO_SUM, host, axis, axis != 0); });
    results.keep("largest", make(rondo_cumulative, RONDO_MAX, a, 1, 0),
                 [=] { return expect_cumulative(RONDO_MAX, x, 1, false); });
    Tensor twice = empty(RONDO_F32, {9, 40});
    into(twice, rondo_cumulative, RONDO_SUM, a, 1, 0);
    into(make(rondo_tensor_accumulator, twice), rondo_cumulative, RONDO_SUM, a, 1, 0);
    results.keep("accumulated", std::move(twice), [=] {
      Expected out = expect_cumulative(RONDO_SUM, x, 1, false);
      for (size_t i = 0; i < out.values.size(); ++i) out.values[i] *= 2, out.absolute[i] *= 4;
      return out;
    });
  });
}

TEST_P(Reduce, OfNothing) {
  const Tensor none = up(Array(RONDO_F32, {0, 3})), no_rows = up(Array(RONDO_F32, {4, 0}));
  run([&](Results& results) {
    for (const rondo_reduce_op op : kAll) {
      const Row of = row_of(op);
      if (of.refused || (sparing() && op != RONDO_PROD && op != RONDO_MEAN && op != RONDO_ALL && op < RONDO_VAR))
        continue;
      const rondo_dtype dtype = reduced_dtype(op, RONDO_F32);
      results.keep(rondo_reduce_op_name(op), reduce(op, no_rows, {1}),
                   [=] { return Expected(full(dtype, {4}, of.of_nothing)); });
    }
    results.keep("of all", reduce(RONDO_SUM, none, {}), [] { return Expected(full(RONDO_F32, {}, 0)); });
    results.keep("the other axis", reduce(RONDO_MAX, none, {1}), [] { return Expected(Array(RONDO_F32, {0})); });
  });
  for (const rondo_reduce_op op : kAll) {
    if (!row_of(op).refused) continue;
    Tensor out;
    const int32_t axis = 0;
    expect_refused(rondo_reduce(op, none, 1, &axis, 0, out.slot()), RONDO_INVALID_ARGUMENT, "rondo_reduce", "a");
    EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr);
  }
}

TEST_P(Reduce, Parameters) {
  const Array x = random_array(RONDO_F64, {9, 5}, 23, -9, 9);
  const Tensor a = up(x);
  const auto with = [&](rondo_reduce_op op, const std::vector<int32_t>& axes, double parameter) {
    return make(rondo_reduce_with, op, a, static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), 0, 1,
                &parameter);
  };
  run([&](Results& results) {
    for (const auto& [op, parameter] : std::vector<std::pair<rondo_reduce_op, double>>{
             {RONDO_VAR, 1}, {RONDO_STD, 1.5}, {RONDO_LP_NORM, 3}, {RONDO_LP_NORM, 0.5}})
      results.keep(rondo_reduce_op_name(op), with(op, {0}, parameter),
                   [=, op = op, parameter = parameter] { return expect_reduce(op, x, {0}, false, parameter); });
    // More is taken away than there is: as NumPy divides by zero.
    results.keep("no freedom", with(RONDO_VAR, {}, 100), [] { return Expected(full(RONDO_F64, {}, INFINITY)); });
  });
}

// Each element is larger than the one before it, by little or by much, or smaller.
TEST_P(Reduce, NormsOfRisingElements) {
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64})
    for (const double factor : {1.000001, 1.1, 1 / 1.1}) {
      Array x(dtype, {2, 900}), y(dtype, {900, 2});
      for (size_t i = 0; i < x.size(); ++i) {
        x.set(i, std::pow(Real(factor), Real(i % 900)));
        y.set(i, std::pow(Real(factor), Real(i / 2)));
      }
      const Tensor a = up(x), b = up(y);
      const int32_t last = 1, first = 0;
      run([&](Results& results) {
        for (const double p : {0.3, 1.5, 3.0, 70.0}) {
          const std::string name = "p " + std::to_string(p) + ", factor " + std::to_string(factor);
          results.keep("rows, " + name, make(rondo_reduce_with, RONDO_LP_NORM, a, 1, &last, 0, 1, &p),
                       [=] { return expect_reduce(RONDO_LP_NORM, x, {1}, false, p); });
          results.keep("columns, " + name, make(rondo_reduce_with, RONDO_LP_NORM, b, 1, &first, 0, 1, &p),
                       [=] { return expect_reduce(RONDO_LP_NORM, y, {0}, false, p); });
        }
      });
    }
}

// A variance far from zero keeps its digits, and a norm of integers beyond 2^31.
TEST_P(Reduce, FarFromZero) {
  Array x(RONDO_F32, {5000});
  for (size_t i = 0; i < x.size(); ++i) x.set(i, 10000 + Real(i % 7));
  const Array y = array_of(RONDO_I32, {3}, {INT32_MIN, INT32_MAX, INT32_MAX});
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    results.keep("var", reduce(RONDO_VAR, a, {}), [=] {
      Expected out = expect_reduce(RONDO_VAR, x, {});
      out.absolute[0] = 0.001L;
      return out;
    });
    results.keep("norm", reduce(RONDO_L1_NORM, b, {}), [] { return Expected(full(RONDO_F32, {}, 6442450942.0L)); });
  });
}

TEST_P(Reduce, TiesAndNan) {
  Array ties(RONDO_F32, {3, 2000});
  ties.set(100, 5), ties.set(1900, 5);                   // row 0: the first of equals, in different parts of the row
  for (size_t i = 2000; i < 4000; ++i) ties.set(i, -2);  // row 1: all equal
  ties.set(4000 + 700, INFINITY), ties.set(4000 + 1500, NAN), ties.set(4000 + 1700, NAN);  // row 2: the first NaN
  const Tensor a = up(ties);
  run([&](Results& results) {
    for (const rondo_reduce_op op : kAll) {
      // A product leaves the range and an order of comparisons with NaN is not the reference's.
      if (op == RONDO_PROD || op == RONDO_NANPROD || op == RONDO_LOGSUMEXP) continue;
      if (sparing() && (op == RONDO_L1_NORM || op == RONDO_LP_NORM || op == RONDO_STD)) continue;
      results.keep(label(op, ties, {1}), reduce(op, a, {1}), [=] { return expect_reduce(op, ties, {1}, false); });
    }
    results.keep("over all", reduce(RONDO_ARGMAX, a, {}), [] { return Expected(full(RONDO_I64, {}, 4000 + 1500)); });
  });
}

// Comparisons and tests where equals, both zeros and NaN are everywhere: along memory, down columns, in steps, all at
// once, of lengths that no vector divides.
TEST_P(Reduce, ComparesInEveryLayout) {
  for (const rondo_dtype dtype : covering({std::begin(kAllDtypes), std::end(kAllDtypes)}, RONDO_ARGMAX)) {
    for (const Shape& shape : dealt(std::vector<Shape>{{67, 131}, {3, 1031}, {300, 5}})) {
      Array x = random_array(dtype, shape, 41, is_unsigned(dtype) ? 0 : -3, 3);
      for (size_t i = 0; i < x.size(); ++i) {
        if (is_floating(dtype)) x.set(i, i % 5 == 0 ? -0.0L : std::floor(x[i]));
        if (is_floating(dtype) && i % 1201 == 700) x.set(i, NAN);
      }
      for (size_t i = 0; i < static_cast<size_t>(shape[1]); ++i) x.set(static_cast<size_t>(shape[1]) + i, 0);
      const Tensor a = up(x);
      run([&](Results& results) {
        const Tensor cut = slice(transpose(a, {1, 0}), 0, INT64_MAX, INT64_MIN, -2);
        const Array cut_host = host_slice(host_transpose(x, {1, 0}), 0, shape[1] - 1, (shape[1] + 1) / 2, -2);
        for (const rondo_reduce_op op : {RONDO_MAX, RONDO_MIN, RONDO_ARGMAX, RONDO_ARGMIN, RONDO_ALL, RONDO_ANY}) {
          if (sparing() && op != RONDO_MIN && op != RONDO_ARGMAX) continue;
          for (const std::vector<int32_t>& axes : std::vector<std::vector<int32_t>>{{}, {0}, {1}}) {
            results.keep(label(op, x, axes), reduce(op, a, axes), [=] { return expect_reduce(op, x, axes); });
            results.keep("turned " + label(op, cut_host, axes), reduce(op, cut, axes),
                         [=] { return expect_reduce(op, cut_host, axes); });
          }
        }
      });
    }
  }
}

TEST_P(Reduce, InfinitiesAndWrap) {
  const Array x = array_of(RONDO_F32, {2, 3}, {INFINITY, 1, 2, INFINITY, -INFINITY, 0});
  const Array y = array_of(RONDO_I64, {2}, {Real(INT64_MAX), 1});
  const Array wide = array_of(RONDO_U64, {3}, {Real(UINT64_MAX), 2, Real(UINT64_MAX) - 1});
  const Array z = full(RONDO_F32, {5}, -INFINITY), nan = array_of(RONDO_F32, {4}, {-INFINITY, 3, NAN, 2});
  const Tensor a = up(x), b = up(y), c = up(z), d = up(nan), e = up(wide);
  run([&](Results& results) {
    results.keep("u64 wraps", reduce(RONDO_SUM, e, {}), [] { return Expected(full(RONDO_U64, {}, Real(UINT64_MAX))); });
    results.keep("its largest", reduce(RONDO_MAX, e, {}),
                 [] { return Expected(full(RONDO_U64, {}, Real(UINT64_MAX))); });
    results.keep("where", reduce(RONDO_ARGMAX, e, {}), [] { return Expected(full(RONDO_I64, {}, 0)); });
    results.keep("sum", reduce(RONDO_SUM, a, {1}), [] { return Expected(array_of(RONDO_F32, {2}, {INFINITY, NAN})); });
    results.keep("logsumexp", reduce(RONDO_LOGSUMEXP, a, {1}), [] {
      return Expected(array_of(RONDO_F32, {2}, {INFINITY, INFINITY}));
    });
    results.keep("nothing but nothing", reduce(RONDO_LOGSUMEXP, c, {}),
                 [] { return Expected(full(RONDO_F32, {}, -INFINITY)); });
    results.keep("NaN", reduce(RONDO_LOGSUMEXP, d, {}), [] { return Expected(full(RONDO_F32, {}, NAN)); });
    results.keep("without NaN", reduce(RONDO_NANPROD, d, {}), [] { return Expected(full(RONDO_F32, {}, -INFINITY)); });
    results.keep("wrap", reduce(RONDO_SUM, b, {}), [] { return Expected(full(RONDO_I64, {}, Real(INT64_MIN))); });
  });
}

// 16-bit sums keep float inside: 4096 ones and more than f16 can count one by one.
TEST_P(Reduce, HalfAccumulatesInFloat) {
  const Array x = full(RONDO_F16, {8192}, 1), y = full(RONDO_BF16, {8192}, 1);
  const Tensor a = up(x), b = up(y);
  run([&](Results& results) {
    results.keep("f16", reduce(RONDO_SUM, a, {}), [] { return Expected(full(RONDO_F16, {}, 8192)); });
    results.keep("bf16", reduce(RONDO_SUM, b, {}), [] { return Expected(full(RONDO_BF16, {}, 8192)); });
  });
}

TEST_P(Reduce, GivenAndAccumulatedOutput) {
  const Array x = random_array(RONDO_F32, {6, 50}, 3, -9, 9);
  const Tensor a = up(x);
  run([&](Results& results) {
    const auto twice = [=] {
      Expected out = expect_reduce(RONDO_SUM, x, {1}, false);
      for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = 2 * out.values[i], out.absolute[i] *= 4;
      return out;
    };
    Tensor sum = empty(RONDO_F32, {6});
    const int32_t axis = 1;
    into(sum, rondo_reduce, RONDO_SUM, a, 1, &axis, 0);
    into(make(rondo_tensor_accumulator, sum), rondo_reduce, RONDO_SUM, a, 1, &axis, 0);
    results.keep("accumulated", std::move(sum), twice);
    Tensor pairs = empty(RONDO_F32, {6, 2});
    must(rondo_fill(pairs, 3));
    into(slice(pairs, 1, 1, 2), rondo_reduce, RONDO_MAX, a, 1, &axis, 1);
    results.keep("strided output", std::move(pairs), [=] {
      const Expected top = expect_reduce(RONDO_MAX, x, {1}, false);
      Expected out(RONDO_F32, {6, 2});
      for (size_t i = 0; i < 12; ++i) out.values[i] = i % 2 ? top.values[i / 2] : 3;
      return out;
    });
  });
}

// Rows that neither a warp nor a whole block takes.
TEST_P(Reduce, PartsOfABlock) {
  const std::vector<rondo_dtype> dtypes = {RONDO_F16, RONDO_F32};
  for (const rondo_dtype dtype : dealt(dtypes)) {
    const Array x = random_array(dtype, {1030, 2056}, 11, -9, 9);
    const Tensor a = up(x);
    const rondo_reduce_op op = dtype == RONDO_F32 ? RONDO_SUM : RONDO_VAR;
    run([&](Results& results) {
      results.keep(label(op, x, {1}), reduce(op, a, {1}), [=] { return expect_reduce(op, x, {1}); });
    });
  }
}

TEST_P(Reduce, SameBitsEveryTime) {
  const Tensor a = up(random_array(RONDO_F32, {100000}, 4, -9, 9));
  const Array first = download(reduce(RONDO_SUM, a, {}));
  for (int i = 0; i < (quick() ? 2 : 5); ++i) expect_same_bits(download(reduce(RONDO_SUM, a, {})), first, "again");
}

}  // namespace
}  // namespace conformance
