// Autocast scopes and the tables of operators: each row with each mix of f32, f16 and bf16 operands, and each name that
// can be set. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "training/mixed_precision.h"

namespace conformance {
namespace {

using Handles = std::vector<rondo_tensor*>;

// What the tables say, by name: the precision, and of an operator the dtype of its result.
struct Row {
  std::string name, precision, result;
};
enum class Table { unary, binary, ternary, reduction, normalisation };
struct TableRow : Row {
  Table table;
  int op;
  std::vector<double> parameters;
};

#define REQUIRED 0.5
#define P(...)          \
  std::vector<double> { \
    __VA_ARGS__         \
  }
const std::vector<TableRow>& table_rows() {
  static const std::vector<TableRow> rows = {
#define UNARY(ID, name, domain, result, parameters, low, high, ulps, dx, edges, precision, ...) \
  {{#name, #precision, #result}, Table::unary, RONDO_##ID, parameters},
#define BINARY(ID, name, domain, result, parameters, low, high, ulps, da, db, edges_a, edges_b, precision, ...) \
  {{#name, #precision, #result}, Table::binary, RONDO_##ID, parameters},
#define TERNARY(ID, name, domain, result, low, high, ulps, da, db, dc, edges_a, edges_b, edges_c, precision, ...) \
  {{#name, #precision, #result}, Table::ternary, RONDO_##ID, {}},
#include "../../../src/ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#define REDUCTION(ID, name, Domain, Before, Accumulator, After, parameter, of_nothing, low, high, formula, edges, \
                  precision, ...)                                                                                 \
  {{#name, #precision, #Domain}, Table::reduction, RONDO_##ID, {}},
#include "../../../src/ops/operators/reductions.def"
#undef REDUCTION
#define NORMALISATION(name, Formula, gradient, edges, statistics, precision, ...) \
  {{#name, #precision, "same"}, Table::normalisation, 0, {}},
#include "../../../src/ops/operators/normalisations.def"
#undef NORMALISATION
  };
  return rows;
}
#undef P
#undef REQUIRED

// Functions of the C interface, without rondo_.
const std::map<std::string, std::string>& functions() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> found;
    const auto add = [&found](const std::string& precision, const std::string& listed) {
      std::istringstream words(listed);
      for (std::string word; words >> word;) {
        const size_t at = word.find('=');
        found[word.substr(0, at)] = at == std::string::npos ? precision : word.substr(at + 1);
      }
    };
#define RONDO_KIND(Name, gradient, precision, effects, infer, since, operands, text, functions) \
  add(#precision, functions);
#include "../../../src/ops/program/kinds.def"
#undef RONDO_KIND
    return found;
  }();
  return all;
}

// A normalisation of rows takes a bias or none.
using WithBias = rondo_status (*)(rondo_tensor*, int32_t, rondo_tensor*, rondo_tensor*, double, rondo_tensor**);
using WithoutBias = rondo_status (*)(rondo_tensor*, int32_t, rondo_tensor*, double, rondo_tensor**);
rondo_status normalised(WithBias function, const Handles& in, rondo_tensor** out) {
  return function(in[0], -1, in[1], in[2], 1e-5, out);
}
rondo_status normalised(WithoutBias function, const Handles& in, rondo_tensor** out) {
  return function(in[0], -1, in[1], 1e-5, out);
}

class AutocastRows : public OnMixedPrecision {
 protected:
  void SetUp() override {
    OnMixedPrecision::SetUp();
    if (IsSkipped()) return;
    for (const rondo_dtype dtype : kDtypes)
      for (const Shape& shape : {Shape{2, 4}, Shape{4}, Shape{4, 4}, Shape{8, 4}, Shape{8, 2}, Shape{8},
                                 Shape{1, 2, 1, 4}, Shape{1, 1, 2, 2}, Shape{1, 2, 4, 4}, Shape{2, 2, 1, 1}, Shape{2}})
        tensors_[{dtype, shape}] = up(full(dtype, shape, 0.5L));
    indices_ = up(full(RONDO_I64, {2}, 1));
    places_ = up(full(RONDO_I64, {2, 4}, 1));
    bags_ = up(full(RONDO_I64, {2, 2, 1}, 1));
    mask_ = up(full(RONDO_BOOL, {2, 4}, 1));
    kept_ = up(full(RONDO_U8, {2, 4}, 1));
  }
  void TearDown() override {
    tensors_.clear();
    indices_ = {}, places_ = {}, bags_ = {}, mask_ = {}, kept_ = {};
    OnMixedPrecision::TearDown();
  }

  static constexpr rondo_dtype kDtypes[] = {RONDO_F32, RONDO_F16, RONDO_BF16};
  using Call = std::function<rondo_status(const Handles& in, rondo_tensor** out)>;

  static rondo_dtype widest(const std::vector<rondo_dtype>& dtypes) {
    return std::adjacent_find(dtypes.begin(), dtypes.end(), std::not_equal_to<>()) == dtypes.end() ? dtypes[0]
                                                                                                   : RONDO_F32;
  }
  // The dtype in which operands of these are computed in a scope.
  static rondo_dtype computed(const std::string& precision, rondo_dtype scope, const std::vector<rondo_dtype>& dtypes) {
    if (precision == "half") return scope;
    if (precision == "single") return RONDO_F32;
    return precision == "image" ? dtypes[0] : widest(dtypes);
  }
  static rondo_dtype result_of(const std::string& result, rondo_dtype computed) {
    if (result == "boolean" || result == "Truth") return RONDO_BOOL;
    return result == "Position" ? RONDO_I64 : computed;
  }

  // Calls it with operands of these shapes in each mix of dtypes.
  void expect_each_mix(const Row& row, const std::vector<Shape>& shapes, const Call& call) const {
    size_t mixes = 1;
    for (size_t i = 0; i < shapes.size(); ++i) mixes *= std::size(kDtypes);
    for (const rondo_dtype scope : {RONDO_F16, RONDO_BF16})
      for (size_t mix = 0; mix < mixes; ++mix) {
        std::vector<rondo_dtype> dtypes;
        Handles in;
        std::string label = row.name + " of";
        for (size_t i = 0, left = mix; i < shapes.size(); ++i, left /= std::size(kDtypes)) {
          dtypes.push_back(kDtypes[left % std::size(kDtypes)]);
          in.push_back(tensors_.at({dtypes.back(), shapes[i]}));
          label += std::string(" ") + rondo_dtype_name(dtypes.back());
        }
        const Autocast autocast(engine(), scope);
        Tensor out;
        ASSERT_EQ(call(in, out.slot()), RONDO_OK) << label << ": " << rondo_last_error();
        EXPECT_EQ(query(out).dtype, result_of(row.result, computed(row.precision, scope, dtypes))) << label;
      }
  }

  std::map<std::pair<rondo_dtype, Shape>, Tensor> tensors_;
  Tensor indices_, places_, bags_, mask_, kept_;
};
CONFORMANCE_ENGINE_SUITE(AutocastRows);

TEST_P(AutocastRows, EachRowOfTheTablesTakesEachMix) {
  if (on_cuda()) GTEST_SKIP() << "what is cast does not depend on the device";
  const Shape rows = {2, 4}, line = {4};
  for (const TableRow& row : table_rows()) {
    if (row.precision == "none") continue;
    const auto parameters = static_cast<int32_t>(row.parameters.size());
    switch (row.table) {
      case Table::unary:
        expect_each_mix(row, {rows}, [&](const Handles& in, rondo_tensor** out) {
          const auto op = static_cast<rondo_unary_op>(row.op);
          return parameters ? rondo_unary_with(op, in[0], parameters, row.parameters.data(), out)
                            : rondo_unary(op, in[0], out);
        });
        break;
      case Table::binary:
        expect_each_mix(row, {rows, rows}, [&](const Handles& in, rondo_tensor** out) {
          const auto op = static_cast<rondo_binary_op>(row.op);
          return parameters ? rondo_binary_with(op, in[0], in[1], parameters, row.parameters.data(), out)
                            : rondo_binary(op, in[0], in[1], out);
        });
        break;
      case Table::ternary:
        expect_each_mix(row, {rows, rows, rows}, [&](const Handles& in, rondo_tensor** out) {
          return rondo_ternary(static_cast<rondo_ternary_op>(row.op), in[0], in[1], in[2], out);
        });
        break;
      case Table::reduction: {
        const auto op = static_cast<rondo_reduce_op>(row.op);
        expect_each_mix(row, {rows}, [&](const Handles& in, rondo_tensor** out) {
          return rondo_reduce(op, in[0], 0, nullptr, 0, out);
        });
        // Those that can run along an axis do so in the same precision.
        Tensor running;
        if (rondo_cumulative(op, tensors_.at({RONDO_F32, rows}), 1, 0, running.slot()) != RONDO_OK) break;
        expect_each_mix(row, {rows},
                        [&](const Handles& in, rondo_tensor** out) { return rondo_cumulative(op, in[0], 1, 0, out); });
        break;
      }
      case Table::normalisation: break;
    }
  }
#define NORMALISATION(name, Formula, gradient, edges, statistics, precision, ...) \
  expect_each_mix({#name, #precision, "same"}, {rows, line, line},                \
                  [](const Handles& in, rondo_tensor** out) { return normalised(rondo_##name, in, out); });
#include "../../../src/ops/operators/normalisations.def"
#undef NORMALISATION
}

TEST_P(AutocastRows, EachActivationOfAGateTakesEachMix) {
  if (on_cuda()) GTEST_SKIP() << "what is cast does not depend on the device";
  for (const TableRow& row : table_rows()) {
    if (row.table != Table::unary) continue;
    const auto gated = [&](const Handles& in, rondo_tensor** out) {
      return rondo_gated(static_cast<rondo_unary_op>(row.op), in[0], in[1], out);
    };
    Tensor first;
    const Tensor& x = tensors_.at({RONDO_F32, {2, 4}});
    if (gated({x, x}, first.slot()) != RONDO_OK) continue;  // no gate has it
    expect_each_mix({"gated " + row.name, row.precision, "same"}, {{2, 4}, {2, 4}}, gated);
  }
}

TEST_P(AutocastRows, EachFunctionTakesEachMix) {
  if (on_cuda()) GTEST_SKIP() << "what is cast does not depend on the device";
  const Shape rows = {2, 4}, line = {4}, square = {4, 4}, image = {1, 2, 4, 4}, filter = {2, 2, 1, 1}, pair = {2};
  const Shape heads = {1, 2, 1, 4}, scores = {1, 1, 2, 2};
  struct Case {
    std::vector<Shape> shapes;
    Call call;
    const char* result = "same";
  };
  Tensor second;  // what a function makes besides
  const auto again = [&second] {
    second = {};
    return second.slot();
  };
  const auto norm = [](const Handles& in, size_t residual) {
    rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
    options.residual = in[residual], options.weight = in[residual + 1], options.bias = in[residual + 2];
    return options;
  };
  const auto list = [](const Handles& in) { return static_cast<int32_t>(in.size()); };
  const int64_t two[] = {2, 2}, widths[] = {1, 1}, shifts[] = {1, 1}, counts[] = {1, 2}, whole[] = {1, 1};
  std::map<std::string, Case> cases;
  const auto unary = [&](const char* name, const Shape& shape, Call call, const char* result = "same") {
    cases[name] = {{shape}, std::move(call), result};
  };
  const auto binary = [&](const char* name, const Shape& shape, Call call) {
    cases[name] = {{shape, shape}, std::move(call)};
  };
  cases["matmul"] = {{rows, square, line}, [](const Handles& in, rondo_tensor** out) {
                       rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
                       options.bias = in[2];
                       return rondo_matmul(in[0], in[1], &options, out);
                     }};
  cases["attention"] = {{heads, heads, heads, scores}, [](const Handles& in, rondo_tensor** out) {
                          rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
                          options.mask = in[3];
                          return rondo_attention(in[0], in[1], in[2], &options, out, nullptr);
                        }};
  cases["convolution"] = {{image, filter, pair, image}, [](const Handles& in, rondo_tensor** out) {
                            rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
                            options.bias = in[2], options.residual = in[3];
                            return rondo_convolution(in[0], in[1], &options, out);
                          }};
  cases["convolution_filter_grad"] = {{image, image}, [&](const Handles& in, rondo_tensor** out) {
                                        return rondo_convolution_filter_grad(in[0], in[1], 2, whole, nullptr, out);
                                      }};
  unary("dot_interaction", {1, 2, 1, 4}, [&](const Handles& in, rondo_tensor** out) {
    const Tensor vectors = reshape(in[0], {1, 2, 4});
    return rondo_dot_interaction(vectors, 0, out);
  });
  const auto steps = [](const Handles& in) { return reshape(in[0], {1, 2, 4}); };
  cases["lstm"] = {{rows, {8, 4}, {8, 2}}, [&](const Handles& in, rondo_tensor** out) {
                     const Tensor x = steps(in);
                     return rondo_lstm(x, 2, in.data() + 1, nullptr, out, nullptr, nullptr);
                   }};
  cases["rnn"] = {{rows, {4, 4}, {4, 4}}, [&](const Handles& in, rondo_tensor** out) {
                    const Tensor x = steps(in);
                    return rondo_rnn(x, 2, in.data() + 1, nullptr, out, nullptr);
                  }};
  unary("softmax", rows, [](const Handles& in, rondo_tensor** out) { return rondo_softmax(in[0], 1, out); });
  unary("log_softmax", rows, [](const Handles& in, rondo_tensor** out) { return rondo_log_softmax(in[0], 1, out); });
  unary("softmax_with", rows, [](const Handles& in, rondo_tensor** out) {
    return rondo_softmax_with(RONDO_SOFTMIN, in[0], 1, 1, nullptr, out);
  });
  binary("softmax_grad", rows,
         [](const Handles& in, rondo_tensor** out) { return rondo_softmax_grad(in[0], in[1], 1, out); });
  binary("softmax_grad_with", rows, [](const Handles& in, rondo_tensor** out) {
    return rondo_softmax_grad_with(RONDO_SOFTMIN, in[0], in[1], 1, 1, nullptr, out);
  });
  unary("cross_entropy", rows,
        [&](const Handles& in, rondo_tensor** out) { return rondo_cross_entropy(in[0], indices_, out); });
  unary("cross_entropy_grad", rows,
        [&](const Handles& in, rondo_tensor** out) { return rondo_cross_entropy_grad(in[0], indices_, 1, out); });
  binary("add_n", rows, [&](const Handles& in, rondo_tensor** out) { return rondo_add_n(list(in), in.data(), out); });
  binary("concat", rows,
         [&](const Handles& in, rondo_tensor** out) { return rondo_concat(list(in), in.data(), 0, out); });
  binary("stack", rows,
         [&](const Handles& in, rondo_tensor** out) { return rondo_stack(list(in), in.data(), 0, out); });
  binary("where", rows, [&](const Handles& in, rondo_tensor** out) { return rondo_where(mask_, in[0], in[1], out); });
  unary("dropout", rows,
        [&](const Handles& in, rondo_tensor** out) { return rondo_dropout(in[0], 0.5, out, again()); });
  unary("dropout_grad", rows,
        [&](const Handles& in, rondo_tensor** out) { return rondo_dropout_grad(in[0], kept_, 0.5, out); });
  unary("rotary", heads, [](const Handles& in, rondo_tensor** out) { return rondo_rotary(in[0], nullptr, out); });
  unary("pad", line,
        [&](const Handles& in, rondo_tensor** out) { return rondo_pad(in[0], RONDO_PAD_CONSTANT, 2, widths, 0, out); });
  unary("tile", rows, [&](const Handles& in, rondo_tensor** out) { return rondo_tile(in[0], 2, counts, out); });
  unary("repeat", rows, [](const Handles& in, rondo_tensor** out) { return rondo_repeat(in[0], 2, 0, out); });
  unary("roll", rows, [&](const Handles& in, rondo_tensor** out) { return rondo_roll(in[0], 2, shifts, out); });
  unary("tril", rows, [](const Handles& in, rondo_tensor** out) { return rondo_tril(in[0], 0, out); });
  unary("triu", rows, [](const Handles& in, rondo_tensor** out) { return rondo_triu(in[0], 0, out); });
  unary("take", rows, [&](const Handles& in, rondo_tensor** out) { return rondo_take(in[0], indices_, 1, out); });
  unary("gather_rows", rows,
        [&](const Handles& in, rondo_tensor** out) { return rondo_gather_rows(in[0], indices_, out); });
  unary("take_along_axis", rows,
        [&](const Handles& in, rondo_tensor** out) { return rondo_take_along_axis(in[0], places_, 1, out); });
  unary("sort", rows, [](const Handles& in, rondo_tensor** out) { return rondo_sort(in[0], 1, 0, out); });
  unary(
      "argsort", rows, [](const Handles& in, rondo_tensor** out) { return rondo_argsort(in[0], 1, 0, out); },
      "Position");
  unary("topk", rows, [&](const Handles& in, rondo_tensor** out) { return rondo_topk(in[0], 1, 1, 1, out, again()); });
  unary(
      "nonzero", rows, [](const Handles& in, rondo_tensor** out) { return rondo_nonzero(in[0], out); }, "Position");
  unary(
      "nonzero_limit", rows,
      [&](const Handles& in, rondo_tensor** out) { return rondo_nonzero_limit(in[0], 4, 0, out, again()); },
      "Position");
  unary("select", rows, [&](const Handles& in, rondo_tensor** out) { return rondo_select(in[0], mask_, out); });
  unary("select_limit", rows,
        [&](const Handles& in, rondo_tensor** out) { return rondo_select_limit(in[0], mask_, 4, 0, out, again()); });
  unary("max_pool", image,
        [&](const Handles& in, rondo_tensor** out) { return rondo_max_pool(in[0], 2, two, nullptr, out); });
  unary("avg_pool", image,
        [&](const Handles& in, rondo_tensor** out) { return rondo_avg_pool(in[0], 2, two, nullptr, out); });
  unary("adaptive_max_pool", image,
        [&](const Handles& in, rondo_tensor** out) { return rondo_adaptive_max_pool(in[0], 2, two, out); });
  unary("adaptive_avg_pool", image,
        [&](const Handles& in, rondo_tensor** out) { return rondo_adaptive_avg_pool(in[0], 2, two, out); });
  unary("resize", image, [&](const Handles& in, rondo_tensor** out) {
    return rondo_resize(in[0], 2, two, RONDO_RESIZE_NEAREST, RONDO_RESIZE_HALF_PIXEL, out);
  });
  unary("local_response_norm", image,
        [](const Handles& in, rondo_tensor** out) { return rondo_local_response_norm(in[0], 1, 1, 1, 1, out); });
  cases["batch_norm"] = {{image, pair, pair, image, pair, pair}, [&](const Handles& in, rondo_tensor** out) {
                           const rondo_norm_options options = norm(in, 3);
                           return rondo_batch_norm(in[0], in[1], in[2], &options, out);
                         }};
  cases["batch_norm_training"] = {{image, image, pair, pair}, [&](const Handles& in, rondo_tensor** out) {
                                    const rondo_norm_options options = norm(in, 1);
                                    return rondo_batch_norm_training(in[0], nullptr, nullptr, 0.1, &options, out,
                                                                     nullptr, nullptr);
                                  }};
  cases["group_norm"] = {{image, image, pair, pair}, [&](const Handles& in, rondo_tensor** out) {
                           const rondo_norm_options options = norm(in, 1);
                           return rondo_group_norm(in[0], 1, &options, out);
                         }};
  cases["instance_norm"] = {{image, image, pair, pair}, [&](const Handles& in, rondo_tensor** out) {
                              const rondo_norm_options options = norm(in, 1);
                              return rondo_instance_norm(in[0], &options, out);
                            }};
  binary("embedding_bag", square, [&](const Handles& in, rondo_tensor** out) {
    return rondo_embedding_bag(list(in), in.data(), bags_, nullptr, RONDO_BAG_SUM, out);
  });
  for (const auto& [name, precision] : functions()) {
    if (precision == "none" || precision == "row" || name == "random_permutation" || name == "gru") continue;
    const auto found = cases.find(name);
    if (found == cases.end()) {
      ADD_FAILURE() << "rondo_" << name << " is cast in scopes, and is no case here";
      continue;
    }
    expect_each_mix({name, precision, found->second.result}, found->second.shapes, found->second.call);
  }
}

TEST_P(AutocastRows, EachNameOfWhatIsCastCanBeSet) {
  const Autocast scope(engine(), RONDO_F16);
  std::map<std::string, std::string> names = functions();
  names["softmin"] = "single";
  for (const TableRow& row : table_rows()) names[row.name] = row.precision;
  for (const auto& [name, usual] : names)
    for (const rondo_precision precision : {RONDO_PRECISION_HALF, RONDO_PRECISION_SINGLE, RONDO_PRECISION_WIDEST})
      EXPECT_EQ(rondo_autocast_set(engine(), name.c_str(), precision),
                usual == "none" ? RONDO_INVALID_ARGUMENT : RONDO_OK)
          << name << ": " << rondo_last_error();
  expect_refused(rondo_autocast_set(engine(), "nonsense", RONDO_PRECISION_HALF), RONDO_INVALID_ARGUMENT,
                 "rondo_autocast_set", "operation");
}

TEST_P(AutocastRows, FunctionNamesDecideWhereNoRowIsSet) {
  const Tensor half = up(full(RONDO_F16, {2, 4}, 0.5L)), places = reshape(half, {1, 2, 4});
  const Autocast scope(engine(), RONDO_F16);
  scope.set("rotary", RONDO_PRECISION_SINGLE);
  EXPECT_EQ(query(make(rondo_rotary, places, nullptr)).dtype, RONDO_F32);
  EXPECT_EQ(query(make(rondo_gated, RONDO_SILU, half, half)).dtype, RONDO_F16);
  scope.set("gated", RONDO_PRECISION_SINGLE);
  EXPECT_EQ(query(make(rondo_gated, RONDO_SILU, half, half)).dtype, RONDO_F32);
  scope.set("silu", RONDO_PRECISION_WIDEST);
  EXPECT_EQ(query(make(rondo_gated, RONDO_SILU, half, half)).dtype, RONDO_F16);
  scope.set("cumulative", RONDO_PRECISION_WIDEST);
  EXPECT_EQ(query(make(rondo_cumulative, RONDO_SUM, half, 1, 0)).dtype, RONDO_F16);
}

}  // namespace
}  // namespace conformance
