// Elementwise operators where they are hard, against what mpmath gives (references/special.py): near poles, in far
// tails, where only what is between overflows, at quotients that are nearly whole; and what scalars mean. Copyright
// 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "operators/elementwise_reference.h"
#include "tape/tape.h"

namespace conformance {
namespace {

using nlohmann::json;

class Special : public OnTape {
 protected:
  static std::vector<json> cases() {
    const std::filesystem::path path = std::filesystem::path(RONDO_REFERENCES).parent_path() / "special.json";
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path.string() + " is not there");
    return json::parse(file).at("cases").get<std::vector<json>>();
  }
};
CONFORMANCE_SUITE(Special);

// -1 where no operator has the name.
int operator_named(const std::string& name, const char* (*name_of)(int)) {
  for (int op = 0; op < 256; ++op)
    if (const char* each = name_of(op); each && name == each) return op;
  return -1;
}

// What no number is as small as is 0.
Real number(const std::string& text) {
  return std::strtold(text.c_str(), nullptr);
}

Array kept(const json& texts, rondo_dtype dtype) {
  Array array(dtype, {static_cast<int64_t>(texts.size())});
  for (size_t i = 0; i < texts.size(); ++i) array.set(i, number(texts[i].get<std::string>()));
  return array;
}

Expected kept_results(const json& each, rondo_dtype dtype, double ulps) {
  const std::vector<std::string> results = each.at("results").get<std::vector<std::string>>();
  Expected expected(dtype, {static_cast<int64_t>(results.size())}, ulps);
  for (size_t i = 0; i < results.size(); ++i) expected.values[i] = number(results[i]);
  if (!each.contains("terms")) return expected;
  for (const json& term : each.at("terms"))
    expected.absolute.push_back(Real(ulps) * last_place(dtype, number(term.get<std::string>())));
  return expected;
}

TEST_P(Special, OperatorsAreWithinTheirBounds) {
  run([&](Results& results) {
    for (const json& each : dealt(cases())) {
      const std::string name = each.at("operator").get<std::string>();
      const rondo_dtype dtype = each.at("dtype") == "f32" ? RONDO_F32 : RONDO_F64;
      const auto unary = static_cast<rondo_unary_op>(
          operator_named(name, [](int op) { return rondo_unary_op_name(static_cast<rondo_unary_op>(op)); }));
      const auto binary = static_cast<rondo_binary_op>(
          operator_named(name, [](int op) { return rondo_binary_op_name(static_cast<rondo_binary_op>(op)); }));
      const Tensor a = up(kept(each.at("a"), dtype));
      Tensor out;
      double ulps = 0;
      if (each.contains("b")) {
        out = make(rondo_binary, binary, a, up(kept(each.at("b"), dtype)));
        ulps = row_of(binary).ulps;
      } else if (each.contains("parameters")) {
        const std::vector<double> parameters = each.at("parameters").get<std::vector<double>>();
        out = make(rondo_unary_with, unary, a, static_cast<int32_t>(parameters.size()), parameters.data());
        ulps = row_of(unary).ulps;
      } else {
        out = make(rondo_unary, unary, a);
        ulps = row_of(unary).ulps;
      }
      results.keep(name + " of " + rondo_dtype_name(dtype), std::move(out),
                   [=] { return kept_results(each, dtype, ulps); });
    }
  });
}

// Where no number says it: what infinities and zeros of either sign give.
TEST_P(Special, InfinitiesGiveWhatNumPyGives) {
  struct Case {
    rondo_binary_op op;
    Real a, b, result;
  };
  const std::vector<Case> cases = {{RONDO_FLOOR_DIV, -1.5L, INFINITY, -1},   {RONDO_FLOOR_DIV, 1.5L, -INFINITY, -1},
                                   {RONDO_FLOOR_DIV, 1.5L, INFINITY, 0},     {RONDO_FLOOR_DIV, -1.5L, -INFINITY, 0},
                                   {RONDO_FLOOR_DIV, INFINITY, 2, NAN},      {RONDO_FLOOR_DIV, INFINITY, INFINITY, NAN},
                                   {RONDO_FLOOR_DIV, INFINITY, 0, INFINITY}, {RONDO_FLOOR_DIV, -2, 0, -INFINITY},
                                   {RONDO_FLOOR_DIV, NAN, 2, NAN},           {RONDO_FLOOR_DIV, 2, NAN, NAN},
                                   {RONDO_LDEXP, INFINITY, -2000, INFINITY}, {RONDO_LDEXP, 1, INFINITY, INFINITY},
                                   {RONDO_LDEXP, -1, INFINITY, -INFINITY},   {RONDO_LDEXP, 1, -INFINITY, 0},
                                   {RONDO_LDEXP, 0, INFINITY, NAN},          {RONDO_LDEXP, 2, NAN, NAN},
                                   {RONDO_LDEXP, 1, 5000, INFINITY},         {RONDO_LDEXP, 1, -5000, 0}};
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64}) {
    run([&](Results& results) {
      for (const rondo_binary_op op : {RONDO_FLOOR_DIV, RONDO_LDEXP}) {
        std::vector<Real> a, b, y;
        for (const Case& each : cases)
          if (each.op == op) a.push_back(each.a), b.push_back(each.b), y.push_back(each.result);
        const Shape shape = {static_cast<int64_t>(a.size())};
        results.keep(rondo_binary_op_name(op),
                     make(rondo_binary, op, up(array_of(dtype, shape, a)), up(array_of(dtype, shape, b))),
                     [=] { return Expected(array_of(dtype, shape, y)); });
      }
    });
  }
}

// A scalar takes the tensor's dtype, whatever the operator computes in: what that does not hold is refused, and what it
// holds gives what a tensor of it would.
TEST_P(Special, ScalarsOfFloatOperatorsOnIntegersAreWhole) {
  const Array x = array_of(RONDO_I32, {4}, {7, -3, 16777217, 0});
  const Tensor a = up(x);
  run([&](Results& results) {
    for (const rondo_binary_op op : {RONDO_TRUE_DIV, RONDO_HYPOT})
      for (const int64_t scalar : {int64_t{2}, int64_t{16777217}}) {
        const Array whole = full(RONDO_I32, {4}, Real(scalar));
        results.keep("scalar", make(rondo_binary_scalar_i64, op, a, scalar),
                     [=] { return expect_binary(op, x, whole); });
        results.keep("tensor", make(rondo_binary, op, a, up(whole)), [=] { return expect_binary(op, x, whole); });
      }
  });
  Tensor out;
  for (const double scalar : {0.5, 3e9, -3e9, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    expect_refused(rondo_binary_scalar(RONDO_TRUE_DIV, a, scalar, out.slot()), RONDO_INVALID_ARGUMENT,
                   "rondo_binary_scalar", "scalar");
    expect_refused(rondo_scalar_binary(RONDO_TRUE_DIV, scalar, a, out.slot()), RONDO_INVALID_ARGUMENT,
                   "rondo_scalar_binary", "scalar");
  }
  expect_refused(rondo_binary_scalar_i64(RONDO_HYPOT, a, int64_t{1} << 40, out.slot()), RONDO_INVALID_ARGUMENT,
                 "rondo_binary_scalar_i64", "scalar");
  EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr);
}

// --- variances

struct Sample {
  const char* name;
  Array x;
};
std::vector<Sample> samples(rondo_dtype dtype) {
  const auto made = [&](size_t n, const std::function<Real(size_t, Real)>& value) {
    const Array noise = random_array(RONDO_F64, {static_cast<int64_t>(n)}, 41, -1, 1);
    Array x(dtype, {static_cast<int64_t>(n)});
    for (size_t i = 0; i < n; ++i) x.set(i, value(i, noise[i]));
    return x;
  };
  std::vector<Sample> list = {
      {"far from zero", made(4096, [](size_t, Real v) { return 100 + 0.01L * v; })},
      {"behind one that is far away", made(4096, [](size_t i, Real v) { return i ? 100 + 0.01L * v : -1e6L; })}};
  if (dtype == RONDO_F32 || dtype == RONDO_BF16) {
    list.push_back({"with squares beyond the range", made(4096, [](size_t, Real v) { return 1e19L * v; })});
    list.push_back({"few and wide", made(6, [](size_t i, Real) { return i % 2 ? 1e19L : -1e19L; })});
  }
  return list;
}
Real mean_of(const Array& x) {
  Real sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i];
  return sum / Real(x.size());
}
Real variance_of(const Array& x) {
  const Real mean = mean_of(x);
  Real squares = 0;
  for (size_t i = 0; i < x.size(); ++i) squares += (x[i] - mean) * (x[i] - mean);
  return squares / Real(x.size());
}
// Relative errors of 1e-6 and of what 16 bits hold.
Expected near(Expected expected) {
  expected.ulps = is_half(expected.dtype) ? 1 : expected.dtype == RONDO_F32 ? 8 : 1e5;
  return expected;
}

TEST_P(Special, VariancesKeepTheirDigitsAndTheirRange) {
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F64, RONDO_BF16, RONDO_F16}, 0)) {
    run([&](Results& results) {
      for (const Sample& each : samples(dtype)) {
        if (dtype == RONDO_F16 && std::string(each.name) != "far from zero") continue;
        const Real variance = variance_of(each.x);
        // In a row, and as the middle one of three columns.
        Array table(dtype, {each.x.shape[0], 3});
        for (size_t i = 0; i < each.x.size(); ++i) table.set(3 * i + 1, each.x[i]);
        const Tensor a = up(each.x), columns = up(table);
        for (const rondo_reduce_op op : {RONDO_VAR, RONDO_STD}) {
          const Real value = op == RONDO_VAR ? variance : std::sqrt(variance);
          const std::string label =
              std::string(each.name) + ", " + rondo_reduce_op_name(op) + " of " + rondo_dtype_name(dtype);
          results.keep(label, reduce(op, a, {}), [=] { return near(Expected(full(dtype, {}, value))); });
          results.keep(label + " down", reduce(op, columns, {0}), [=] {
            return near(Expected(array_of(dtype, {3}, {0, value, 0})));
          });
        }
      }
    });
  }
}

// Of values whose squares no f32 holds, though it does the result.
TEST_P(Special, DeviationsAndNormsBeyondTheRangeOfSquares) {
  const Array x = array_of(RONDO_F32, {4}, {3e38L, -3e38L, 3e38L, -3e38L});
  run([&](Results& results) {
    const Tensor a = up(x);
    results.keep("deviation", reduce(RONDO_STD, a, {}), [=] { return near(Expected(full(RONDO_F32, {}, x[0]))); });
    results.keep("variance", reduce(RONDO_VAR, a, {}), [] { return Expected(full(RONDO_F32, {}, INFINITY)); });
    for (const Real size : {1e20L, 1e-30L}) {
      const Array y = array_of(RONDO_F32, {2}, {3 * size, 4 * size});
      results.keep("norm", reduce(RONDO_L2_NORM, up(y), {}),
                   [=] { return near(Expected(full(RONDO_F32, {}, 5 * size))); });
    }
  });
}

TEST_P(Special, VarianceGradientsKeepDigitsAndRange) {
  for (const rondo_dtype dtype : covering({RONDO_F32, RONDO_F16, RONDO_BF16}, 0)) {
    run([&](Results& results) {
      for (const Sample& each : samples(dtype)) {
        if (dtype == RONDO_F16 && std::string(each.name) != "far from zero") continue;
        const Array& x = each.x;
        const Real n = Real(x.size()), mean = mean_of(x), variance = variance_of(x);
        for (const rondo_reduce_op op : {RONDO_VAR, RONDO_STD}) {
          const Tensor a = up(x);
          const Tape tape(engine());
          tape.watch(a);
          const Tensor y = reduce(op, a, {});
          const Real deviation = rounded(dtype, std::sqrt(variance));  // the gradient takes the result as it is
          results.keep(
              std::string(each.name) + ", gradient of " + rondo_reduce_op_name(op) + " of " + rondo_dtype_name(dtype),
              tape.gradient(y, a), [=] {
                Expected expected(dtype, x.shape, is_half(dtype) ? 2 : 16);
                const Real scale = op == RONDO_VAR ? 2 / n : deviation == 0 ? 0 : 1 / (n * deviation);
                for (size_t i = 0; i < x.size(); ++i) {
                  expected.values[i] = (x[i] - mean) * scale;
                  // What is near the mean cancels: relative to the deviation.
                  expected.absolute.push_back(deviation * scale * 1e-6L);
                  if (dtype == RONDO_F16) expected.absolute.back() += std::ldexp(Real(1), -24);
                }
                return expected;
              });
        }
      }
    });
  }
}

}  // namespace
}  // namespace conformance
