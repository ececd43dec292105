// Values and gradients at edges: every row of operators.def and reductions.def at 0, -0, infinities, NaN, the largest
// and the smallest numbers and equal operands, against what mpmath gives (references/edges.py); where slopes have no
// limit, against the row's column of edges. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "operators/elementwise_reference.h"
#include "tape/tape.h"

namespace conformance {
namespace {

using nlohmann::json;

// --- the columns of edges as numbers
struct At {
  Real x, y, a, b, c, p, q, n, ties;
};
struct Limit {};
struct Nothing {};
constexpr Limit LIMIT;
constexpr Nothing NONE;
Real where(bool condition, Real a, Real b) {
  return condition ? a : b;
}
Real sign(Real x) {
  return Real((x > 0) - (x < 0));
}
Real of_edges(Limit) {
  return NAN;
}
Real of_edges(Nothing) {
  return NAN;
}
Real of_edges(Real value) {
  return value;
}
using std::floor;
using std::pow;
using std::trunc;

using Column = Real (*)(const At& at);
// By row and operand.
const std::map<std::string, std::vector<Column>>& columns() {
#define COLUMN(edges)                                                \
  [](const At& at) -> Real {                                         \
    [[maybe_unused]] const auto [x, y, a, b, c, p, q, n, ties] = at; \
    return of_edges(edges);                                          \
  }
#define UNARY(ID, name, domain, result, parameters, low, high, ulps, dx, edges, ...) {#name, {COLUMN(edges)}},
#define BINARY(ID, name, domain, result, parameters, low, high, ulps, da, db, edges_a, edges_b, ...) \
  {#name, {COLUMN(edges_a), COLUMN(edges_b)}},
#define TERNARY(ID, name, domain, result, low, high, ulps, da, db, dc, edges_a, edges_b, edges_c, ...) \
  {#name, {COLUMN(edges_a), COLUMN(edges_b), COLUMN(edges_c)}},
#define REDUCTION(ID, name, Domain, Before, Accumulator, After, parameter, nothing, low, high, gradient, edges, ...) \
  {"reduce " #name, {COLUMN(edges)}},
  static const std::map<std::string, std::vector<Column>> all = {
#include "../../../src/ops/operators/operators.def"
#include "../../../src/ops/operators/reductions.def"
  };
#undef UNARY
#undef BINARY
#undef TERNARY
#undef REDUCTION
#undef COLUMN
  return all;
}

// --- the cases
std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}
struct Case {
  std::string row;
  bool reduces;
  rondo_dtype dtype;
  std::vector<double> parameters;
  std::vector<std::vector<Real>> operands;  // by operand
  std::vector<std::string> values;
  std::vector<std::vector<std::string>> gradients;  // by operand
};
std::vector<Case> cases() {
  const std::filesystem::path path = std::filesystem::path(RONDO_REFERENCES).parent_path() / "edges.json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + " is not there");
  std::vector<Case> all;
  const json kept = json::parse(file);
  for (const json& each : kept.at("cases")) {
    Case& made = all.emplace_back();
    made.row = each.at("row").get<std::string>();
    made.reduces = columns().count("reduce " + made.row) > 0;
    made.dtype = each.at("dtype") == "f32" ? RONDO_F32 : RONDO_F64;
    if (each.contains("parameters")) made.parameters = each.at("parameters").get<std::vector<double>>();
    for (const json& line : each.at("operands")) {
      std::vector<Real>& values = made.operands.emplace_back();
      for (const std::string& word : words(line.get<std::string>()))
        values.push_back(std::strtold(word.c_str(), nullptr));
    }
    made.values = words(each.at("values").get<std::string>());
    for (const json& line : each.at("gradients")) made.gradients.push_back(words(line.get<std::string>()));
  }
  return all;
}

template <class Op, class Name>
Op operator_named(const std::string& name, const Name& name_of) {
  for (int op = 0; op < 256; ++op)
    if (const char* each = name_of(static_cast<Op>(op)); each && name == each) return static_cast<Op>(op);
  throw std::logic_error(name + " has cases and no row");
}

// Gradients made of the result, or of terms that cancel: their errors are those of numbers around 1.
bool of_terms(const std::string& row) {
  static const std::set<std::string> rows = {"tanh", "sigmoid", "expm1", "gelu",        "gelu_tanh",
                                             "silu", "mish",    "tan",   "log_sigmoid", "bce_with_logits"};
  return rows.count(row) > 0;
}

// A result below the normal numbers has lost the digits that its gradient is made of.
bool below_normal(const std::string& row, rondo_dtype dtype, Real x) {
  static const std::set<std::string> rows = {"hypot", "l2_norm", "lp_norm", "std"};
  return rows.count(row) > 0 && x != 0 && std::fabs(x) < std::ldexp(Real(1), least_exponent(dtype));
}

class Edges : public OnTape {
 protected:
  static Tensor apply(const Case& each, const std::vector<Tensor>& of) {
    const auto count = static_cast<int32_t>(each.parameters.size());
    const double* parameters = each.parameters.data();
    if (each.reduces) {
      const auto op = operator_named<rondo_reduce_op>(each.row, rondo_reduce_op_name);
      const int32_t axis = 1;
      if (count == 0) return make(rondo_reduce, op, of[0], 1, &axis, false);
      return make(rondo_reduce_with, op, of[0], 1, &axis, false, count, parameters);
    }
    if (of.size() == 1) {
      const auto op = operator_named<rondo_unary_op>(each.row, rondo_unary_op_name);
      return count ? make(rondo_unary_with, op, of[0], count, parameters) : make(rondo_unary, op, of[0]);
    }
    if (of.size() == 2) {
      const auto op = operator_named<rondo_binary_op>(each.row, rondo_binary_op_name);
      return count ? make(rondo_binary_with, op, of[0], of[1], count, parameters)
                   : make(rondo_binary, op, of[0], of[1]);
    }
    return make(rondo_ternary, operator_named<rondo_ternary_op>(each.row, rondo_ternary_op_name), of[0], of[1], of[2]);
  }
  static double ulps_of(const Case& each) {
    if (each.reduces) return 64;
    switch (each.operands.size()) {
      case 1: return row_of(operator_named<rondo_unary_op>(each.row, rondo_unary_op_name)).ulps;
      case 2: return row_of(operator_named<rondo_binary_op>(each.row, rondo_binary_op_name)).ulps;
      default: return row_of(operator_named<rondo_ternary_op>(each.row, rondo_ternary_op_name)).ulps;
    }
  }
  static std::string place(const Case& each, size_t k) {
    std::string text = each.row + " of " + rondo_dtype_name(each.dtype) + " at (";
    for (const std::vector<Real>& operand : each.operands) {
      char number[40];
      std::snprintf(number, sizeof number, "%s%.9Lg", text.back() == '(' ? "" : ", ", operand[k]);
      text += number;
    }
    return text + ")";
  }
  static At at(const Case& each, size_t k, size_t i) {
    At at = {};
    at.p = !each.parameters.empty() ? each.parameters[0] : 0;
    at.q = each.parameters.size() > 1 ? each.parameters[1] : 0;
    at.x = each.reduces ? each.operands[i][k] : each.operands[0][k];
    at.a = each.operands[0][k];
    if (each.operands.size() > 1) at.b = each.operands[1][k];
    if (each.operands.size() > 2) at.c = each.operands[2][k];
    at.n = Real(each.operands.size());
    for (const std::vector<Real>& operand : each.operands) at.ties += operand[k] == at.x ? 1 : 0;
    return at;
  }
  using Excuse = bool (*)(const std::string& row, rondo_dtype dtype, Real x);
  static bool left_out(const Case& each, size_t k, Excuse excuse) {
    return std::any_of(each.operands.begin(), each.operands.end(),
                       [&](const std::vector<Real>& operand) { return excuse(each.row, each.dtype, operand[k]); });
  }
  static bool within(rondo_dtype dtype, Real got, Real want, Real error) {
    const Real nearest = rounded(dtype, want);
    if (got == nearest) return true;
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (std::isinf(nearest) || std::isinf(got)) {
      const Real most = dtype == RONDO_F32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
      return got == nearest ||
             (std::fabs(want) > most * (1 - 1e-5L) && std::fabs(got) > most * (1 - 1e-5L) && (got > 0) == (want > 0));
    }
    return std::fabs(got - want) <= error;
  }
  static void check_values(const Case& each, const Array& got) {
    for (size_t k = 0; k < each.values.size(); ++k) {
      const Real want = std::strtold(each.values[k].c_str(), nullptr);
      // Where several terms are added, errors are those of the largest.
      Real largest = std::fabs(want);
      if (each.row == "digamma" || each.row == "hard_sigmoid") largest = std::max<Real>(largest, 1);
      if (each.operands.size() > 2 || each.row == "bce_with_logits" || each.row == "logaddexp")
        for (const std::vector<Real>& operand : each.operands)
          if (std::isfinite(operand[k])) largest = std::max(largest, std::fabs(operand[k]));
      const double ulps = ulps_of(each);
      const Real early = ulps > 0 ? std::ldexp(Real(1), least_exponent(each.dtype)) : 0;  // underflow, as the library's
      const Real error = std::max(std::max(Real(ulps), 0.51L) * last_place(each.dtype, largest), early);
      EXPECT_TRUE(within(each.dtype, got[k], want, error))
          << place(each, k) << " is " << got[k] << ", expected " << each.values[k];
    }
  }
  static void check_gradient(const Case& each, size_t i, const Array& got, size_t stride) {
    for (size_t k = 0; k < each.values.size(); ++k) {
      if (left_out(each, k, below_normal)) continue;
      const Real value = std::strtold(each.values[k].c_str(), nullptr), mine = got[k * stride + (each.reduces ? i : 0)];
      bool finite = true, unknown = false;
      for (const std::vector<Real>& operand : each.operands) {
        finite &= static_cast<bool>(std::isfinite(operand[k]));
        unknown |= std::isnan(operand[k]);
      }
      // What is beyond the range of the dtype says nothing of how it became so.
      if (finite && std::isfinite(value) && std::isinf(rounded(each.dtype, value))) continue;
      if (unknown && std::isnan(mine)) continue;
      const std::string& word = each.gradients[i][k];
      if (word == "any") continue;
      if ((each.row == "prod" || each.row == "nanprod") && !finite && std::isnan(mine)) continue;  // as the row says
      const Real column =
          columns().at((each.reduces ? "reduce " : "") + each.row)[each.reduces ? 0 : i](at(each, k, i));
      const Real want = word == "differ" ? column : std::strtold(word.c_str(), nullptr);
      const Real most = each.dtype == RONDO_F32 ? 1e-5L : 1e-12L;
      const Real error = most * std::max<Real>(std::fabs(want), of_terms(each.row) ? 1 : 0) +
                         std::ldexp(Real(1), least_exponent(each.dtype));
      if (within(each.dtype, mine, want, error)) continue;
      const bool known = !std::isnan(each.operands[i][k]);
      if (std::isnan(value) && known && (std::isnan(mine) || mine == column)) continue;
      ADD_FAILURE() << "the gradient of operand " << i << " of " << place(each, k) << " is " << mine << ", expected "
                    << word << (word == "differ" ? ", so " + std::to_string(want) : "");
    }
  }
  void check(const Case& each) {
    const auto n = static_cast<int64_t>(each.values.size());
    std::vector<Tensor> of;
    if (each.reduces) {
      Array rows(each.dtype, {n, static_cast<int64_t>(each.operands.size())});
      for (size_t i = 0; i < each.operands.size(); ++i)
        for (size_t k = 0; k < each.values.size(); ++k) rows.set(k * each.operands.size() + i, each.operands[i][k]);
      of.push_back(up(rows));
    } else {
      for (const std::vector<Real>& operand : each.operands) of.push_back(up(array_of(each.dtype, {n}, operand)));
    }
    const Tape tape(engine(), RONDO_TAPE_KEEP);
    for (const Tensor& operand : of) tape.watch(operand);
    const Tensor out = apply(each, of);
    check_values(each, download(out));
    const Tensor ones = up(full(each.dtype, {n}, 1));
    for (size_t i = 0; i < each.gradients.size(); ++i) {
      rondo_tensor *output = out, *dy = ones, *source = of[each.reduces ? 0 : i], *made = nullptr;
      const rondo_status status = rondo_tape_gradients(tape, 1, &output, &dy, 1, &source, &made);
      if (status == RONDO_INVALID_ARGUMENT) continue;  // no gradient flows through this operand
      must(status);
      const Tensor gradient(made);
      check_gradient(each, i, download(gradient), each.reduces ? each.operands.size() : 1);
    }
  }
  // Gradients of gradients: [i][j] of operand i's gradient with respect to operand j, by number.
  std::vector<std::vector<Array>> seconds(const Case& each, rondo_dtype dtype) {
    const std::vector<std::vector<Real>>& points = each.operands;
    const auto n = static_cast<int64_t>(points[0].size());
    const size_t width = points.size();
    std::vector<Tensor> of;
    if (each.reduces) {
      Array rows(dtype, {n, static_cast<int64_t>(width)});
      for (size_t i = 0; i < width; ++i)
        for (size_t k = 0; k < points[i].size(); ++k) rows.set(k * width + i, points[i][k]);
      of.push_back(up(rows));
    } else {
      for (const std::vector<Real>& operand : points) of.push_back(up(array_of(dtype, {n}, operand)));
    }
    const Tape outer(engine(), RONDO_TAPE_KEEP), inner(engine(), RONDO_TAPE_KEEP);
    for (const Tensor& operand : of) outer.watch(operand), inner.watch(operand);
    const Tensor out = apply(each, of), ones = up(full(dtype, {n}, 1));
    std::vector<std::vector<Array>> all;
    const auto take = [&](const Tape& tape, rondo_tensor* y, rondo_tensor* dy, rondo_tensor* source) {
      rondo_tensor* made = nullptr;
      const rondo_status status = rondo_tape_gradients(tape, 1, &y, &dy, 1, &source, &made);
      if (status != RONDO_INVALID_ARGUMENT && status != RONDO_UNSUPPORTED) must(status);
      return Tensor(made);
    };
    for (size_t i = 0; i < of.size(); ++i) {
      std::vector<Array>& row = all.emplace_back();
      const Tensor first = take(inner, out, ones, of[i]);
      if (!first) continue;  // no gradient flows
      Array weights(dtype, download(first).shape);
      for (size_t k = 0; k < weights.size(); ++k) weights.set(k, each.reduces ? 1 - Real(k % width) / 4 : 1);
      const Tensor dy = up(weights);
      for (const Tensor& operand : of) {
        const Tensor second = take(outer, first, dy, operand);
        row.push_back(second ? download(second) : Array(dtype, {0}));
      }
    }
    return all;
  }
};
CONFORMANCE_ENGINE_SUITE(Edges);

// Of numbers near the largest of f32; in f64 the same formulas have room.
TEST_P(Edges, SecondGradientsKeepTheirRange) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  const Real most = std::numeric_limits<float>::max();
  std::vector<Real> line;
  for (const Real size : {most, most / 2, Real(1e30F), Real(1e20F), Real(3)}) line.insert(line.end(), {size, -size});
  std::set<std::string> seen;
  for (Case each : dealt(some(cases(), 7))) {
    std::string name = each.row;
    for (const double parameter : each.parameters) name += " " + std::to_string(parameter);
    if (!seen.insert(name).second) continue;
    const size_t width = each.operands.size();
    each.operands.assign(width, {});
    const auto points = static_cast<size_t>(std::pow(line.size(), width));
    for (size_t k = 0; k < points; ++k)
      for (size_t i = 0, rest = k; i < width; ++i, rest /= line.size())
        each.operands[i].push_back(line[rest % line.size()]);
    const auto got = seconds(each, RONDO_F32), want = seconds(each, RONDO_F64);
    for (size_t i = 0; i < got.size(); ++i)
      for (size_t j = 0; j < got[i].size(); ++j)
        for (size_t k = 0; k < got[i][j].size(); ++k) {
          const Real expected = want[i][j][k], mine = got[i][j][k];
          const size_t at = each.reduces ? k / width : k;
          Real largest = 0;
          for (const std::vector<Real>& operand : each.operands) largest = std::max(largest, std::fabs(operand[at]));
          if (largest < 1e10L) continue;
          const Real error =
              1e-5L * std::max(std::fabs(expected), 1 / largest) + 4 * std::ldexp(Real(1), least_exponent(RONDO_F32));
          EXPECT_TRUE(within(RONDO_F32, mine, expected, error))
              << "the gradient by operand " << j << " of that of operand " << i << " of " << place(each, at) << " is "
              << mine << ", expected " << expected;
        }
  }
}

// Numbers that are equal, or 0, are where a formula chooses: what it chooses depends on them as its neighbours do.
TEST_P(Edges, SecondGradientsWhereNumbersAreEqual) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  using Numbers = std::vector<Real>;
  const auto expect = [&](const char* row, bool reduces, Real a, Real b, const std::vector<Numbers>& wanted) {
    Case each{row, reduces, RONDO_F64, {}, {{a}, {b}}, {}, {}};
    const auto got = seconds(each, RONDO_F64);
    for (size_t i = 0; i < got.size(); ++i)
      for (size_t j = 0; j < got[i].size(); ++j)
        for (size_t k = 0; k < got[i][j].size(); ++k)
          EXPECT_NEAR(static_cast<double>(got[i][j][k]), static_cast<double>(wanted[i][reduces ? k : j]), 1e-12)
              << row << " of " << a << " and " << b << ", of operand " << i << " by operand " << j << ", at " << k;
  };
  for (const Real x : {Real(3), Real(1e20), Real(-1e300)}) {
    expect("logaddexp", false, x, x, {{0.25L, -0.25L}, {-0.25L, 0.25L}});
    // The first of the two counts for 1, the other for 3/4.
    expect("logsumexp", true, x, x, {{0.0625L, -0.0625L}});
  }
  expect("xlogy", false, 0, 2, {{0, 0.5L}, {0.5L, 0}});
}

// Of elements of all sizes next to each other, and of zeros, against the formula in a wider range.
TEST_P(Edges, SecondGradientsOfNormsOfAllSizes) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  using Numbers = std::vector<Real>;
  const std::vector<Numbers> lines = {{3, -4, 0.5L},      {0, 3, -4},          {0, 0, 0},          {0, 0, 5},
                                      {1e20L, 1, -1e-9L}, {1e-30L, 2, 1e8L},   {1e3L, 1e-31L, 0},  {7, 7, -7},
                                      {1, -1, 1e-36L},    {1e-38L, 1e-19L, 0}, {1e37L, 1e-7L, -3}, {-2, 1e15L, 2}};
  for (const Real p : dealt<Real>({2, 3, 0.5L, 1, 1.5L, 7.25L}))
    for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64}) {
      Case each{"lp_norm", true, dtype, {static_cast<double>(p)}, {{}, {}, {}}, {}, {}};
      for (const Numbers& line : lines)
        for (size_t i = 0; i < 3; ++i) each.operands[i].push_back(rounded(dtype, line[i]));
      Array got = seconds(each, dtype)[0][0];
      if (got.size() == 0) got = full(dtype, {static_cast<int64_t>(lines.size()), 3}, 0);  // signs, which are constant
      for (size_t k = 0; k < lines.size(); ++k) {
        Numbers x, unit;
        Real sum = 0, together = 0;
        for (size_t i = 0; i < 3; ++i) x.push_back(each.operands[i][k]);
        for (const Real of : x) sum += of == 0 ? 0 : std::pow(std::fabs(of), p);
        const Real norm = sum == 0 ? 0 : std::pow(sum, 1 / p);
        for (size_t i = 0; i < 3; ++i) {
          unit.push_back(x[i] == 0 ? 0 : sign(x[i]) * std::pow(std::fabs(x[i]) / norm, p - 1));
          together += (1 - Real(i) / 4) * unit[i];
        }
        for (size_t j = 0; j < 3 && norm > 0; ++j) {
          // At 0 only the norm of 2 has a slope that is not 0, as far as there is one.
          const Real own = x[j] != 0 ? std::pow(std::fabs(x[j]) / norm, p - 2) : p == 2 ? 1 : 0;
          const Real by_itself = (p - 1) / norm * (1 - Real(j) / 4) * own, by_all = (p - 1) / norm * unit[j] * together;
          const Real want = by_itself - by_all, terms = std::fabs(by_itself) + std::fabs(by_all);
          if (std::isinf(rounded(dtype, terms))) continue;
          const Real error = (dtype == RONDO_F32 ? 1e-5L : 1e-12L) * terms + std::ldexp(Real(1), least_exponent(dtype));
          EXPECT_TRUE(within(dtype, got[k * 3 + j], want, error))
              << "p " << p << " of " << rondo_dtype_name(dtype) << ", line " << k << ", element " << j << ": "
              << got[k * 3 + j] << ", expected " << want;
        }
        for (size_t j = 0; j < 3 && norm == 0; ++j) EXPECT_EQ(got[k * 3 + j], 0) << "p " << p << ", line " << k;
      }
    }
}

TEST_P(Edges, ValuesAndGradientsAreLimits) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  // Each row has kernels of its own; where they cost a compile, some rows stand for all.
  for (const Case& each : dealt(some(cases(), 7))) check(each);
}

// One by one, next to numbers whose sum's logarithm is rounded to them.
TEST_P(Edges, RunningLogsumexpOfEqualNumbers) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64})
    for (const Real x : {Real(3), Real(1e20), Real(-1e20), Real(std::numeric_limits<float>::max())}) {
      const Tensor a = up(array_of(dtype, {4}, {x, x, -INFINITY, x}));
      const Tape tape(engine());
      tape.watch(a);
      const Tensor y = make(rondo_cumulative, RONDO_LOGSUMEXP, a, 0, false);
      const Array got = download(tape.gradient(y, a, up(full(dtype, {4}, 1))));
      const Real wanted[] = {1 + Real(1) / 2 + Real(1) / 2 + Real(1) / 3, Real(1) / 2 + Real(1) / 2 + Real(1) / 3, 0,
                             Real(1) / 3};
      for (size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(static_cast<double>(got[i]), static_cast<double>(wanted[i]), 1e-5)
            << rondo_dtype_name(dtype) << " of " << x << " at " << i;
    }
}

// A large element does not take the digits of small ones.
TEST_P(Edges, RunningLogsumexpBesideALargeElement) {
  if (collects()) GTEST_SKIP() << "nothing is computed where kernels are collected";
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F64}) {
    const Tensor a = up(array_of(dtype, {3}, {0, 0.5, 1e17}));
    const Tape tape(engine());
    tape.watch(a);
    const Tensor y = make(rondo_cumulative, RONDO_LOGSUMEXP, a, 0, false);
    const Array got = download(tape.gradient(y, a, up(full(dtype, {3}, 1))));
    const double part = 1 / (1 + std::exp(0.5)), wanted[] = {1 + part, 1 - part, 1};
    for (size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(static_cast<double>(got[i]), wanted[i], 1e-5) << rondo_dtype_name(dtype) << " at " << i;
  }
}

TEST(EdgesOfRows, EveryRowOfNumbersHasCases) {
  std::set<std::string> there;
  for (const Case& each : cases()) there.insert((each.reduces ? "reduce " : "") + each.row);
#define CHECK(name, domain, result)                                                          \
  if (std::string(#domain) != "whole" && std::string(#result) != "boolean") {                \
    EXPECT_EQ(there.count(name), 1U) << name << " has none: references/edges.py makes them"; \
  }
#define UNARY(ID, name, domain, result, ...) CHECK(#name, domain, result)
#define BINARY(ID, name, domain, result, ...) CHECK(#name, domain, result)
#define TERNARY(ID, name, domain, result, ...) CHECK(#name, domain, result)
#define REDUCTION(ID, name, Domain, ...)                                                      \
  if (std::string(#Domain) != "Position" && std::string(#Domain) != "Truth") {                \
    EXPECT_EQ(there.count("reduce " #name), 1U) << #name << " has none: references/edges.py"; \
  }
#include "../../../src/ops/operators/operators.def"
#include "../../../src/ops/operators/reductions.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef REDUCTION
#undef CHECK
}

}  // namespace
}  // namespace conformance
