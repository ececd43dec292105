// What PyTorch and NumPy compute, kept by references/make.py: results and gradients of the operators that they and
// Rondo have, on the same inputs. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tape/tape.h"

namespace conformance {
namespace {

using Inputs = std::vector<Tensor>;
using nlohmann::json;

class References : public OnTape {};
CONFORMANCE_ENGINE_SUITE(References);

rondo_norm_options norm(const Inputs& in, size_t weight) {
  rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
  options.weight = in[weight], options.bias = in[weight + 1], options.epsilon = 1e-3;
  return options;
}

Tensor pool(decltype(rondo_max_pool)* function, rondo_tensor* a, std::vector<int64_t> kernel,
            std::vector<int64_t> stride, std::vector<int64_t> padding, std::vector<int64_t> dilation, bool ceil,
            bool counts) {
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  for (size_t d = 0; d < 2; ++d)
    options.stride[d] = stride[d], options.padding[d] = padding[d], options.dilation[d] = dilation[d];
  options.ceil_mode = ceil, options.count_include_pad = counts;
  return make(function, a, 2, kernel.data(), &options);
}

Function resize(rondo_resize_mode mode, rondo_resize_origin origin) {
  return [=](const Inputs& in) {
    const int64_t sizes[] = {5, 9};
    return make(rondo_resize, in[0], 2, sizes, mode, origin);
  };
}
Function unary(rondo_unary_op op) {
  return [=](const Inputs& in) { return make(rondo_unary, op, in[0]); };
}
Function binary(rondo_binary_op op) {
  return [=](const Inputs& in) { return make(rondo_binary, op, in[0], in[1]); };
}
Function running(rondo_reduce_op op) {
  return [=](const Inputs& in) { return make(rondo_cumulative, op, in[0], 1, 0); };
}

// All results one behind the other. Inputs: x, first states, weights.
Function recurrent(bool lstm, decltype(rondo_gru)* function, rondo_recurrent_options options) {
  return [=](const Inputs& in) {
    rondo_recurrent_options all = options;
    all.first_h = in[1];
    if (lstm) all.first_c = in[2];
    const std::vector<rondo_tensor*> weights(in.begin() + (lstm ? 3 : 2), in.end());
    const auto n = static_cast<int32_t>(weights.size());
    Tensor out, last_h, last_c;
    if (lstm)
      must(rondo_lstm(in[0], n, weights.data(), &all, out.slot(), last_h.slot(), last_c.slot()));
    else
      must(function(in[0], n, weights.data(), &all, out.slot(), last_h.slot()));
    Inputs flat;
    for (Tensor* each : {&out, &last_h, &last_c})
      if (*each) flat.push_back(reshape(*each, {-1}));
    const std::vector<rondo_tensor*> handles(flat.begin(), flat.end());
    return make(rondo_concat, static_cast<int32_t>(handles.size()), handles.data(), 0);
  };
}

std::map<std::string, Function> cases(rondo_tensor* lengths) {
  rondo_recurrent_options lstm = RONDO_RECURRENT_OPTIONS_INIT, gru = lstm, rnn = lstm;
  lstm.lengths = gru.lengths = rnn.lengths = lengths;
  lstm.layers = rnn.layers = 2;
  lstm.bidirectional = gru.bidirectional = gru.batch_first = rnn.relu = 1;
  const int64_t parts[] = {3, 4}, widths[] = {1, 2, 2, 1}, shifts[] = {1, -2}, counts[] = {2, 1};
  const std::vector<int64_t> sizes(parts, parts + 2), around(widths, widths + 4), by(shifts, shifts + 2),
      times(counts, counts + 2);
  return {
      {"batch_norm_training",
       [](const Inputs& in) {
         const rondo_norm_options options = norm(in, 1);
         Tensor out;
         must(rondo_batch_norm_training(in[0], nullptr, nullptr, 0, &options, out.slot(), nullptr, nullptr));
         return out;
       }},
      {"batch_norm",
       [](const Inputs& in) {
         const rondo_norm_options options = norm(in, 3);
         return make(rondo_batch_norm, in[0], in[1], in[2], &options);
       }},
      {"group_norm",
       [](const Inputs& in) {
         const rondo_norm_options options = norm(in, 1);
         return make(rondo_group_norm, in[0], 2, &options);
       }},
      {"instance_norm",
       [](const Inputs& in) {
         const rondo_norm_options options = norm(in, 1);
         return make(rondo_instance_norm, in[0], &options);
       }},
      {"layer_norm", [](const Inputs& in) { return make(rondo_layer_norm, in[0], 1, in[1], in[2], 1e-3); }},
      {"rms_norm", [](const Inputs& in) { return make(rondo_rms_norm, in[0], 1, in[1], 1e-3); }},
      {"local_response_norm",
       [](const Inputs& in) { return make(rondo_local_response_norm, in[0], 3, 0.5, 0.75, 2.0); }},
      {"max_pool",
       [](const Inputs& in) {
         return pool(rondo_max_pool, in[0], {3, 2}, {2, 1}, {1, 0}, {1, 2}, false, true);
       }},
      {"max_pool_ceil",
       [](const Inputs& in) {
         return pool(rondo_max_pool, in[0], {2, 2}, {2, 2}, {0, 0}, {1, 1}, true, true);
       }},
      {"avg_pool",
       [](const Inputs& in) {
         return pool(rondo_avg_pool, in[0], {3, 2}, {2, 2}, {1, 1}, {1, 1}, false, true);
       }},
      {"avg_pool_exclude",
       [](const Inputs& in) {
         return pool(rondo_avg_pool, in[0], {3, 3}, {2, 2}, {1, 1}, {1, 1}, true, false);
       }},
      {"adaptive_avg_pool", [=](const Inputs& in) { return make(rondo_adaptive_avg_pool, in[0], 2, sizes.data()); }},
      {"adaptive_max_pool", [=](const Inputs& in) { return make(rondo_adaptive_max_pool, in[0], 2, sizes.data()); }},
      {"resize_nearest", resize(RONDO_RESIZE_NEAREST, RONDO_RESIZE_ASYMMETRIC)},
      {"resize_nearest_exact", resize(RONDO_RESIZE_NEAREST_EXACT, RONDO_RESIZE_HALF_PIXEL)},
      {"resize_linear", resize(RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL)},
      {"resize_corners", resize(RONDO_RESIZE_LINEAR, RONDO_RESIZE_ALIGN_CORNERS)},
      {"softmax", [](const Inputs& in) { return make(rondo_softmax, in[0], 1); }},
      {"log_softmax", [](const Inputs& in) { return make(rondo_log_softmax, in[0], 0); }},
      {"gelu", unary(RONDO_GELU)},
      {"gelu_tanh", unary(RONDO_GELU_TANH)},
      {"silu", unary(RONDO_SILU)},
      {"mish", unary(RONDO_MISH)},
      {"softplus", unary(RONDO_SOFTPLUS)},
      {"elu", unary(RONDO_ELU)},
      {"selu", unary(RONDO_SELU)},
      {"logsumexp", [](const Inputs& in) { return reduce(RONDO_LOGSUMEXP, in[0], {1}); }},
      {"var",
       [](const Inputs& in) {
         const double correction = 1;
         const int32_t axis = 0;
         return make(rondo_reduce_with, RONDO_VAR, in[0], 1, &axis, 0, 1, &correction);
       }},
      {"prod", [](const Inputs& in) { return reduce(RONDO_PROD, in[0], {1}); }},
      {"cumulative_sum", running(RONDO_SUM)},
      {"cumulative_prod", running(RONDO_PROD)},
      {"cumulative_max", running(RONDO_MAX)},
      {"cumulative_logsumexp", running(RONDO_LOGSUMEXP)},
      {"sort", [](const Inputs& in) { return make(rondo_sort, in[0], 1, 0); }},
      {"lstm", recurrent(true, nullptr, lstm)},
      {"gru", recurrent(false, rondo_gru, gru)},
      {"rnn", recurrent(false, rondo_rnn, rnn)},
      {"pad_reflect",
       [=](const Inputs& in) { return make(rondo_pad, in[0], RONDO_PAD_REFLECT, 4, around.data(), 0.0); }},
      {"roll", [=](const Inputs& in) { return make(rondo_roll, in[0], 2, by.data()); }},
      {"tile", [=](const Inputs& in) { return make(rondo_tile, in[0], 2, times.data()); }},
      {"repeat", [](const Inputs& in) { return make(rondo_repeat, in[0], 2, 1); }},
      {"tril", [](const Inputs& in) { return make(rondo_tril, in[0], 1); }},
      {"std", [](const Inputs& in) { return reduce(RONDO_STD, in[0], {1}); }},
      {"hypot", binary(RONDO_HYPOT)},
      {"arctan2", binary(RONDO_ATAN2)},
      {"logaddexp", binary(RONDO_LOGADDEXP)},
      {"remainder", binary(RONDO_MOD)},
      {"floor_divide", binary(RONDO_FLOOR_DIV)},
      {"copysign", binary(RONDO_COPYSIGN)},
  };
}

Array kept_array(const json& kept) {
  return array_of(RONDO_F32, kept.at("shape").get<Shape>(), kept.at("values").get<std::vector<Real>>());
}

void expect_near(const Array& actual, const json& kept, const std::string& label) {
  Expected expected(kept_array(kept));
  // What cancels in sums is small beside what was added.
  for (const Real value : expected.values) expected.absolute.push_back(2e-5L * (1 + std::fabs(value)));
  expect_as(actual, expected, label);
}

TEST_P(References, AsKept) {
  std::ifstream file(RONDO_REFERENCES);
  ASSERT_TRUE(file) << RONDO_REFERENCES << " is not there";
  const json kept = json::parse(file);
  const Tensor lengths = up(array_of(RONDO_I32, {3}, {4, 1, 3}));
  const std::map<std::string, Function> known = cases(lengths);
  std::vector<json> all = kept.at("cases").get<std::vector<json>>();
  EXPECT_EQ(all.size(), known.size());
  for (const json& each : some(all, 6)) {
    const std::string name = each.at("name").get<std::string>();
    SCOPED_TRACE(name);
    const auto found = known.find(name);
    ASSERT_NE(found, known.end()) << "references.cc does not know the case";
    Inputs inputs;
    for (const json& input : each.at("inputs")) inputs.push_back(up(kept_array(input)));
    const Tape tape(engine());
    std::vector<rondo_tensor*> sources(inputs.begin(), inputs.end());
    for (rondo_tensor* source : sources) tape.watch(source);
    const Tensor result = found->second(inputs);
    expect_near(download(result), each.at("result"), name);
    if (!each.contains("gradients")) continue;
    const std::vector<Tensor> gradients = tape.gradients(result, sources, up(kept_array(each.at("weights"))));
    for (size_t i = 0; i < gradients.size(); ++i)
      expect_near(download(gradients[i]), each.at("gradients")[i], name + ", gradient " + std::to_string(i));
  }
}

}  // namespace
}  // namespace conformance
