// Operators made anew from what they are as data: every kind that is an operator by itself, and what is refused.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/invoke/lower.h"

#include <functional>
#include <set>

#include "ops/invoke/invoke.h"
#include "program_fixture.h"

namespace rondo {
namespace {

class Lower : public OnPrograms {
 protected:
  void shaped(std::vector<int64_t> shape, rondo_dtype dtype, Result* tensor) {
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, dtype, static_cast<int32_t>(shape.size()), shape.data(),
                             tensor->slot()));
    must(rondo_fill(*tensor, 1));
  }
};

TEST_F(Lower, EveryOperatorIsMadeAnew) {
  Result a, b, square, image, filter, q, labels, places, condition, channels, mean, variance, indices, vectors, three,
      bytes, zero;
  shaped({12}, RONDO_F32, &a);
  shaped({12}, RONDO_F32, &b);
  shaped({4, 4}, RONDO_F32, &square);
  shaped({1, 4, 6, 6}, RONDO_F32, &image);
  shaped({4, 4, 3, 3}, RONDO_F32, &filter);
  shaped({1, 6, 2, 8}, RONDO_F32, &q);
  shaped({4}, RONDO_I64, &labels);
  shaped({3}, RONDO_I64, &places);
  shaped({3}, RONDO_F32, &three);
  shaped({12}, RONDO_BOOL, &condition);
  shaped({4}, RONDO_F32, &channels);
  shaped({4}, RONDO_F32, &mean);
  shaped({4}, RONDO_F32, &variance);
  shaped({1, 2, 2}, RONDO_I64, &indices);
  shaped({2, 3, 4}, RONDO_F32, &vectors);
  shaped({4, 4}, RONDO_I8, &bytes);
  shaped({1}, RONDO_I8, &zero);
  const rondo_device cpu = {RONDO_CPU, 0};
  const int64_t n = 12, widths[] = {1, 2}, two = 2, window[] = {2, 2}, kernel[] = {3, 3}, sizes[] = {9, 9};
  const int32_t axis = 0;
  rondo_optimizer* optimizer = nullptr;
  {
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.kind = RONDO_OPTIMIZER_ADAM;
    options.amsgrad = 1;
    rondo_tensor* const parameters[] = {a, square};
    must(rondo_optimizer_create(2, parameters, &options, &optimizer));
  }
  using Submit = std::function<void(Result * out, Result * other)>;
  const Submit operators[] = {
      [&](Result* out, Result*) { must(rondo_unary(RONDO_TANH, a, out->slot())); },
      [&](Result* out, Result*) { must(rondo_binary_scalar(RONDO_MUL, a, 0.5, out->slot())); },
      [&](Result* out, Result*) { must(rondo_scalar_binary(RONDO_SUB, 2, a, out->slot())); },
      [&](Result* out, Result*) { must(rondo_ternary(RONDO_FMA, a, b, a, out->slot())); },
      [&](Result* out, Result*) { must(rondo_where(condition, a, b, out->slot())); },
      [&](Result* out, Result*) { must(rondo_gated(RONDO_SILU, a, b, out->slot())); },
      [&](Result* out, Result*) { must(rondo_cast(a, RONDO_F16, out->slot())); },
      [&](Result* out, Result*) {
        rondo_tensor* const tensors[] = {a, b, a};
        must(rondo_add_n(3, tensors, out->slot()));
      },
      [&](Result* out, Result*) {
        must(rondo_tensor_create(engine_, cpu, RONDO_I16, 1, &n, out->slot()));
        must(rondo_fill(*out, -3));
      },
      [&](Result* out, Result*) { must(rondo_random_uniform(engine_, cpu, RONDO_F32, 1, &n, -1, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_random_normal(engine_, cpu, RONDO_F64, 1, &n, 1, 2, out->slot())); },
      [&](Result* out, Result* other) { must(rondo_dropout(a, 0.25, out->slot(), other->slot())); },
      [&](Result* out, Result*) {
        rondo_expression* expression = nullptr;
        must(rondo_expression_create("y = x * x + 1", "e", &expression));
        const rondo_argument arguments[] = {RONDO_TENSOR("x", a)};
        must(rondo_expression_run(expression, 1, arguments, 1, out->slot()));
        rondo_expression_destroy(expression);
      },
      [&](Result* out, Result*) { must(rondo_arange(engine_, cpu, RONDO_F32, 1, 5, 0.5, out->slot())); },
      [&](Result* out, Result*) { must(rondo_arange_i64(engine_, cpu, RONDO_I64, 1, 9, 2, out->slot())); },
      [&](Result* out, Result*) { must(rondo_linspace(engine_, cpu, RONDO_F64, 0, 1, 5, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_eye(engine_, cpu, RONDO_F32, 3, 4, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_pad(a, RONDO_PAD_CONSTANT, 2, widths, -2.5, out->slot())); },
      [&](Result* out, Result*) { must(rondo_tile(a, 1, &two, out->slot())); },
      [&](Result* out, Result*) { must(rondo_repeat(a, 3, 0, out->slot())); },
      [&](Result* out, Result*) { must(rondo_roll(a, 1, &two, out->slot())); },
      [&](Result* out, Result*) { must(rondo_triu(square, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_take(a, places, 0, out->slot())); },
      [&](Result* out, Result*) { must(rondo_take_along_axis(a, places, 0, out->slot())); },
      [&](Result*, Result*) { must(rondo_put(b, places, three, 0)); },
      [&](Result* out, Result* other) { must(rondo_topk(a, 3, 0, 1, out->slot(), other->slot())); },
      [&](Result* out, Result*) { must(rondo_argsort(a, 0, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_one_hot(places, 5, RONDO_F16, out->slot())); },
      [&](Result* out, Result* other) { must(rondo_nonzero_limit(square, 5, -1, out->slot(), other->slot())); },
      [&](Result* out, Result*) {
        rondo_tensor* const tensors[] = {square, square};
        must(rondo_concat(2, tensors, 1, out->slot()));
      },
      [&](Result* out, Result*) {
        rondo_tensor* const tensors[] = {square, square};
        must(rondo_stack(2, tensors, 1, out->slot()));
      },
      [&](Result* out, Result*) {
        rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
        options.transpose_b = 1, options.bias = channels, options.activation = RONDO_ACTIVATION_GELU;
        must(rondo_matmul(square, square, &options, out->slot()));
      },
      [&](Result* out, Result*) { must(rondo_matmul_integer(bytes, bytes, nullptr, zero, out->slot())); },
      [&](Result* out, Result*) { must(rondo_reduce(RONDO_VAR, square, 1, &axis, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_cumulative(RONDO_PROD, square, 1, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_softmax_with(RONDO_SOFTMIN, square, 0, 2, nullptr, out->slot())); },
      [&](Result* out, Result*) { must(rondo_softmax_grad(square, square, 1, out->slot())); },
      [&](Result* out, Result*) { must(rondo_rms_norm(square, 1, channels, 1e-3, out->slot())); },
      [&](Result* out, Result*) { must(rondo_cross_entropy(square, labels, out->slot())); },
      [&](Result* out, Result*) { must(rondo_cross_entropy_grad(square, labels, 0.5, out->slot())); },
      [&](Result* out, Result*) {
        must(rondo_batch_norm_training(image, mean, variance, 0.1, nullptr, out->slot(), nullptr, nullptr));
      },
      [&](Result* out, Result*) { must(rondo_convolution(image, filter, nullptr, out->slot())); },
      [&](Result* out, Result* other) {
        must(rondo_convolution(image, filter, nullptr, other->slot()));
        must(rondo_convolution_filter_grad(image, *other, 2, kernel, nullptr, out->slot()));
      },
      [&](Result* out, Result*) { must(rondo_max_pool(image, 2, window, nullptr, out->slot())); },
      [&](Result* out, Result*) { must(rondo_adaptive_avg_pool(image, 2, window, out->slot())); },
      [&](Result* out, Result*) {
        must(rondo_resize(image, 2, sizes, RONDO_RESIZE_LINEAR, RONDO_RESIZE_ASYMMETRIC, out->slot()));
      },
      [&](Result* out, Result* other) {
        rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
        options.dropout = 0.25, options.causal = 1;
        must(rondo_attention(q, q, q, &options, out->slot(), other->slot()));
      },
      [&](Result* out, Result*) { must(rondo_rotary(q, nullptr, out->slot())); },
      [&](Result* out, Result*) {
        rondo_tensor* const tables[] = {square};
        must(rondo_embedding_bag(1, tables, indices, nullptr, RONDO_BAG_MEAN, out->slot()));
      },
      [&](Result* out, Result*) { must(rondo_dot_interaction(vectors, 1, out->slot())); },
      [&](Result*, Result*) {
        rondo_tensor* const gradients[] = {b, square};
        Result gradient;
        shaped({4, 4}, RONDO_F32, &gradient);
        rondo_tensor* const of[] = {gradients[0], gradient};
        must(rondo_optimizer_step(optimizer, 2, of, nullptr, nullptr));
      },
      [&](Result* out, Result*) {
        rondo_tensor* const tensors[] = {a, square};
        must(rondo_all_finite(2, tensors, out->slot()));
      },
      [&](Result* out, Result*) {
        rondo_tensor* const tensors[] = {a, square};
        must(rondo_clip_global_norm(2, tensors, 0.5, out->slot()));
      },
  };
  std::set<std::string> kinds;
  for (size_t i = 0; i < std::size(operators); ++i) {
    Result out, other;
    ops::Program program = recorded([&] { operators[i](&out, &other); });
    std::vector<Ref<ops::OperatorTask>> tasks;
    const Status status = ops::lower(Engine::thread_sink()->engine, &program, &tasks);
    EXPECT_TRUE(status.ok()) << status.message();
    for (const ops::ProgramNode& node : program.nodes)
      if (!node.closure()) kinds.insert(row_of(*node.call).name);
    must(rondo_record_abort(engine_));
  }
  rondo_optimizer_destroy(optimizer);
  // Kinds of gradients come from tapes, others are no operators by themselves.
  const std::set<std::string> elsewhere = {"Fused",
                                           "Parameter",
                                           "DropoutGrad",
                                           "ProductGrad",
                                           "NormalisationGrad",
                                           "BatchNorm",
                                           "BatchNormSums",
                                           "AttentionGrad",
                                           "Recurrent",
                                           "RecurrentGrad",
                                           "EmbeddingBagGrad",
                                           "WindowGrad",
                                           "WindowPick",
                                           "EmbeddingBagDescend",
                                           "GlobalNorm",
                                           "DotInteractionGrad",
                                           "BatchedMatmul",
                                           "FusedRows",
                                           "Group",
                                           "AttentionKept",
                                           "RecurrentCell",
                                           "RecurrentProduct",
                                           "ConvolutionGrads",
                                           "Opaque",
                                           "IndexCheck",
                                           "NumberCheck",
                                           "Collective",
                                           "Launch",
                                           "UserTask",
                                           "Control"};
  for (const ops::KindRow& row : ops::kKinds) {
    if (std::string(row.operands) == "a -> view") continue;  // which no task is of
    EXPECT_TRUE(kinds.count(row.name) || elsewhere.count(row.name)) << row.name << " is in no call of this test";
  }
}

TEST_F(Lower, OperandsThatAreNotTheKindsAreRefused) {
  Result a;
  shaped({4}, RONDO_F32, &a);
  const View inputs[] = {a.tensor->view, a.tensor->view, a.tensor->view};
  ops::Result results[1];
  results[0] = {nullptr, &a.tensor->view.device(), RONDO_F32, a.tensor->view.layout};
  Engine& engine = a.tensor->view.engine();
  const Status status = invoke(ops::Call(ops::SoftmaxCall{}), {engine, "softmax", inputs, results});
  EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(
      std::string(status.message()).find("Softmax has 3 inputs and 1 results; its operands are a [lengths] -> out"),
      std::string::npos)
      << status.message();
  EXPECT_EQ(invoke(ops::Call(ops::UserTaskCall{}), {engine, "task", {inputs, 1}, results}).code(), RONDO_UNSUPPORTED);
}

TEST_F(Lower, ResultsAreMadeWhereTheyAreNotGiven) {
  Result a;
  shaped({2, 3}, RONDO_F32, &a);
  ops::Result results[1];
  results[0] = {nullptr, &a.tensor->view.device(), RONDO_F32, {}};
  Engine& engine = a.tensor->view.engine();
  ops::ReduceCall call{};
  call.op = ops::ReduceOp::sum;
  call.axes = 2;
  const Status status = invoke(ops::Call(call), {engine, "sum", {&a.tensor->view, 1}, results});
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_NE(results[0].tensor, nullptr);
  float sums[2] = {};
  must(rondo_tensor_read(results[0].tensor, sums, sizeof sums));
  EXPECT_EQ(sums[0], 3);
  EXPECT_EQ(sums[1], 3);
  rondo_tensor_destroy(results[0].tensor);
}

}  // namespace
}  // namespace rondo
