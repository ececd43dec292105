// Calls operators that combine elements: products, reductions, rows, layers, optimizers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention.h"
#include "ops/attention/rotary.h"
#include "ops/batch_norm/batch_norm.h"
#include "ops/convolution/convolution.h"
#include "ops/image/window.h"
#include "ops/invoke/invoke.h"
#include "ops/optimizer/list.h"
#include "ops/optimizer/optimizer.h"
#include "ops/recommender/bags.h"
#include "ops/recommender/interaction.h"
#include "ops/recurrent/recurrent.h"
#include "ops/reduce/reduce.h"
#include "ops/rows/normalisation.h"

namespace rondo::ops {

Status invoke(const MatmulCall& call, const Invocation& with) {
  MatmulOptions options;
  options.transpose_a = call.transpose_a;
  options.transpose_b = call.transpose_b;
  options.bias = with.input(call, "bias");
  options.activation = call.activation;
  options.allow_tf32 = call.allow_tf32;
  Output out = with.out();
  return matmul(with.in(0), with.in(1), options, out);
}

Status invoke(const MatmulIntegerCall& call, const Invocation& with) {
  Output out = with.out();
  return matmul_integer(with.in(0), with.in(1), with.input(call, "a_zero"), with.input(call, "b_zero"), out);
}

Status invoke(const ReduceCall& call, const Invocation& with) {
  RONDO_TRY(check_inputs({{"a", &with.in(0)}}));
  Output out = with.out();
  return reduce_over(call.op, call.parameter, with.in(0), call.axes, call.keep_dims, out);
}

Status invoke(const CumulativeCall& call, const Invocation& with) {
  for (int op = 0; const ReductionRow* row = find_reduction(op); ++op)
    if (row->op == call.op) {
      Output out = with.out();
      return cumulative(static_cast<rondo_reduce_op>(op), with.in(0), call.axis, call.reverse, out);
    }
  return error(RONDO_INVALID_ARGUMENT, "the reduction is none of the table");
}

Status invoke(const SoftmaxCall& call, const Invocation& with) {
  Output out = with.out();
  return softmax(SoftmaxOptions{call.op, call.temperature, with.input(call, "lengths")}, with.in(0), call.axis, out);
}

Status invoke(const SoftmaxGradCall& call, const Invocation& with) {
  Output out = with.out();
  return softmax_grad(SoftmaxOptions{call.op, call.temperature, with.input(call, "lengths")}, with.in(0), with.in(1),
                      call.axis, out);
}

Status invoke(const NormalisationCall& call, const Invocation& with) {
  Output out = with.out();
  return normalise(call.op, with.in(0), call.axis, with.input(call, "weight"), with.input(call, "bias"), call.epsilon,
                   out);
}

Status invoke(const NormalisationGradCall& call, const Invocation& with) {
  Output out = with.out();
  return normalise_grad(call.op, with.in(0), with.in(1), call.axis, with.input(call, "weight"), call.epsilon, out);
}

Status invoke(const BatchNormStatisticsCall& call, const Invocation& with) {
  std::vector<View> results;
  for (size_t i = 0; i < with.results.size(); ++i) results.push_back(with.written(i));
  return norm_statistics(call, with.name, with.in(0), results);
}

Status invoke(const BatchNormCall& call, const Invocation& with) {
  return norm_elements(call, with.name, with.inputs, with.written());
}

Status invoke(const BatchNormSumsCall& call, const Invocation& with) {
  const View results[] = {with.written(0), with.written(1)};
  return norm_sums(call, with.in(0), with.in(1), with.input(call, "y"), *with.input(call, "mean"),
                   *with.input(call, "inverse"), with.input(call, "rest"), with.input(call, "weight"), results);
}

Status invoke(const AttentionCall& call, const Invocation& with) {
  const AttentionExtras extras = {with.input(call, "mask"), with.input(call, "query_lengths"),
                                  with.input(call, "key_lengths")};
  const View *const out = &with.written(0), *const lse = &with.written(1),
                    *const draw = with.results.size() > 2 ? &with.written(2) : nullptr;
  return attention_leaving(with.in(0), with.in(1), with.in(2), call.numbers, extras, {*out, *lse, draw});
}

Status invoke(const AttentionGradCall& call, const Invocation& with) {
  const AttentionExtras extras = {with.input(call, "mask"), with.input(call, "query_lengths"),
                                  with.input(call, "key_lengths")};
  const AttentionLeft left = {*with.input(call, "out"), *with.input(call, "lse"), with.input(call, "draw")};
  Output dq = with.out(0), dk = with.out(1), dv = with.out(2);
  return attention_grad(with.in(0), with.in(1), with.in(2), call.numbers, extras, left, *with.input(call, "dy"),
                        with.input(call, "dlse"), dq, dk, dv);
}

Status invoke(const AttentionKeptCall& call, const Invocation& with) {
  Output out = with.out();
  return attention_kept(call, with.in(0), with.results[0].dtype, with.results[0].shape, out);
}

Status invoke(const RotaryCall& call, const Invocation& with) {
  Output out = with.out();
  return rotary(with.in(0), with.input(call, "positions"), call.form, out);
}

namespace {

// The steps of a layer take its values apart by rows.
Status check_rows(const View& view) {
  return view.layout.contiguous()
             ? Status()
             : error(RONDO_INVALID_ARGUMENT, "a value that a recurrent layer leaves is not row-major");
}

}  // namespace

Status invoke(const RecurrentCall& call, const Invocation& with) {
  RecurrentInputs in;
  in.x = with.in(0);
  in.extras = {with.input(call, "lengths"), with.input(call, "first_h"), with.input(call, "first_c")};
  for (size_t i = *input_of(call, "weights"); i < with.inputs.size(); ++i) in.weights.push_back(with.in(i));
  size_t next = 1;
  Output out = with.out(), last_h = with.out(call.last_h ? next++ : 0), last_c = with.out(call.last_c ? next++ : 0);
  std::vector<View> left;
  for (; next < with.results.size(); ++next) {
    left.push_back(with.written(next));
    RONDO_TRY(check_rows(left.back()));
  }
  return recurrent(call.form, in, out, call.last_h ? &last_h : nullptr, call.last_c ? &last_c : nullptr, left);
}

Status invoke(const RecurrentGradCall& call, const Invocation& with) {
  const SmallVector<const View*, 16> inputs = with.all();
  RecurrentGradOperands of;
  RONDO_TRY(split_operands(call, {inputs.begin(), inputs.size()}, &of));
  if (of.left.empty()) return error(RONDO_INVALID_ARGUMENT, "what the layers left is not among its operands");
  std::vector<RecurrentLayer> layers(static_cast<size_t>(call.form.layers));
  size_t next = 0;
  each_left(call.form, is_half(of.in.x.dtype), layers, [&](View& view) { view = *of.left[next++]; });
  for (const View* each : of.left) RONDO_TRY(check_rows(*each));
  RecurrentChanges changes;
  changes.out = with.in(1);
  changes.last_h = with.input(call, "change_h"), changes.last_c = with.input(call, "change_c");
  changes.first_h = call.first_h, changes.first_c = call.first_c;
  RecurrentGradients wanted;
  next = 0;
  const auto result = [&](bool is_wanted) { return is_wanted ? &with.results[next++].tensor : nullptr; };
  wanted.x = result(call.wants_x), wanted.first_h = result(call.wants_h), wanted.first_c = result(call.wants_c);
  for (const bool each : call.wanted) wanted.weights.push_back(result(each));
  return recurrent_grad(call.form, of.in, layers, changes, wanted);
}

Status invoke(const CrossEntropyCall&, const Invocation& with) {
  Output out = with.out();
  return cross_entropy(with.in(0), with.in(1), out);
}

Status invoke(const CrossEntropyGradCall& call, const Invocation& with) {
  Output out = with.out();
  return cross_entropy_grad(with.in(0), with.in(1), call.scale, out);
}

Status invoke(const ConvolutionCall& call, const Invocation& with) {
  const ConvolutionEpilogue epilogue = {with.input(call, "scale"), with.input(call, "bias"),
                                        with.input(call, "residual")};
  Output out = with.out();
  return convolution(with.in(0), with.in(1), call.options, epilogue, out);
}

Status invoke(const ConvolutionFilterGradCall& call, const Invocation& with) {
  Output out = with.out();
  return convolution_filter_grad(with.in(0), with.in(1), with.in(0).layout.ndim - 2, call.kernel, call.options, out);
}

Status invoke(const ConvolutionGradsCall& call, const Invocation& with) {
  Output dx = with.out(0), dw = with.out(1);
  return convolution_gradients(with.in(0), with.in(1), with.in(2), call.options, dx, dw);
}

Status invoke(const WindowCall& call, const Invocation& with) {
  Output out = with.out();
  if (!call.largest) return window_combine(with.name, call.windows, with.in(0), out);
  if (!call.places) return window_largest(with.name, call.windows, with.in(0), out);
  Output places = with.out(1);
  return window_largest(with.name, call.windows, with.in(0), out, &places);
}

Status invoke(const WindowGradCall& call, const Invocation& with) {
  Output out = with.out();
  return window_spread(with.name, call.windows, with.in(0), with.input(call, "places"), call.image, out);
}

Status invoke(const WindowPickCall& call, const Invocation& with) {
  Output out = with.out();
  return window_pick(with.name, call.windows, with.in(0), with.in(1), out);
}

Status invoke(const EmbeddingBagCall& call, const Invocation& with) {
  const size_t first = *input_of(call, "tables");
  Output out = with.out();
  return embedding_bag({with.inputs.subspan(first), &with.in(0), with.input(call, "offsets"),
                        call.mean ? RONDO_BAG_MEAN : RONDO_BAG_SUM},
                       out);
}

Status invoke(const EmbeddingBagGradCall& call, const Invocation& with) {
  std::vector<rondo_tensor**> gradients(call.rows.size());
  size_t next = 0;
  for (size_t i = 0; i < gradients.size(); ++i)
    if (call.made[i] && next < with.results.size()) gradients[i] = &with.results[next++].tensor;
  return embedding_bag_grad(with.in(0), with.input(call, "offsets"), *with.input(call, "dy"), call, gradients);
}

Status invoke(const EmbeddingBagDescendCall& call, const Invocation& with) {
  const size_t first = *input_of(call, "tables");
  return embedding_bag_descend({with.inputs.subspan(first), &with.in(0), with.input(call, "offsets"),
                                call.mean ? RONDO_BAG_MEAN : RONDO_BAG_SUM},
                               *with.input(call, "gradient"),
                               {with.input(call, "rate"), with.input(call, "finite"), with.input(call, "scale")});
}

Status invoke(const DotInteractionCall& call, const Invocation& with) {
  Output out = with.out();
  return dot_interaction(with.in(0), call.keep_first, out);
}

Status invoke(const DotInteractionGradCall& call, const Invocation& with) {
  Output out = with.out();
  return dot_interaction_grad(with.in(0), with.in(1), call.keep_first, out);
}

Status invoke(const OptimizerStepCall& call, const Invocation& with) {
  return step_once(call, with.inputs);
}

Status invoke(const AllFiniteCall&, const Invocation& with) {
  Output out = with.out();
  return all_finite(with.inputs, out);
}

Status invoke(const GlobalNormCall&, const Invocation& with) {
  Output out = with.out();
  return global_norm(with.inputs, out);
}

Status invoke(const ClipGlobalNormCall& call, const Invocation& with) {
  Output out = with.out(with.results.size() - 1);
  return clip_global_norm(with.inputs, call.max_norm, out);
}

}  // namespace rondo::ops
