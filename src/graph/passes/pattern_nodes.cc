// Makes operators of the nodes that a pattern has found.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/pattern_nodes.h"

#include <algorithm>
#include <string_view>

#include "engine/engine.h"
#include "ops/elementwise/form.h"
#include "ops/operators/scalar.h"
#include "ops/program/infer.h"
#include "ops/program/overlap.h"

namespace rondo {

namespace {

using ops::Op;
using ops::ProgramNode;
using Matched = ValueGraph::Matched;

const View& view_of(const Matched& found, std::string_view name) {
  return found.value(name).memory->view;
}

using NewNode = PatternNodes::NewNode;

[[gnu::noinline]] View* add(NewNode* node, const View& view, bool written) {
  node->operands.push_back({view, written});
  return &node->operands.back().view;
}

// A result of its own.
void add_result(NewNode* node, rondo_dtype dtype, const Layout& layout, PatternNodes* made) {
  View* const view = add(node, made->to, true);
  view->dtype = dtype;
  view->layout = Layout::row_major(layout.ndim, layout.shape);
  view->offset = 0;
  made->memory.push_back(make_ref<Storage>(view->engine(), view->device(), view->bytes()));
  view->storage = made->memory.back().get();
}

// True if all that is read may be read before a result is written: together an element may be gone too early.
bool stays_apart(const NewNode& node, const View& to) {
  for (const TaskOperand& each : node.operands)
    if (ops::overlap(each.view, to)) return false;
  return true;
}

void set(NewNode* node, const char* name, const ops::Kinds::Variant& of) {
  node->name = name;
  node->call = Ref<const ops::Call>::adopt(new ops::Call(of));
}

// Makes the last node if it takes what is read, and gives what the last node gave.
bool complete(const char* name, const ops::Kinds::Variant& of, PatternNodes* made) {
  NewNode& node = made->last;
  if (!stays_apart(node, made->to)) return false;
  set(&node, name, of);
  std::vector<const View*> inputs;
  for (const TaskOperand& each : node.operands) inputs.push_back(&each.view);
  std::vector<ops::ResultType> types(std::holds_alternative<ops::AttentionCall>(of) ? 2 : 1);
  if (!infer_results(*node.call, inputs, &types).ok() || types[0].dtype != made->to.dtype ||
      !types[0].shape.same_shape(made->to.layout))
    return false;
  add(&node, made->to, true);
  if (types.size() > 1) add_result(&node, types[1].dtype, types[1].shape, made);
  return true;
}

// Rows of a host that its loops go through as fast as the parts do: neither apart in memory nor very long.
bool suits_host(const View& x) {
  constexpr int64_t kLongest = 65535;
  const int last = x.layout.ndim - 1;
  return last >= 0 && x.layout.shape[last] <= kLongest && (x.layout.shape[last] == 1 || x.layout.strides[last] == 1);
}

bool normalisation(const char* name, ops::Normalisation op, const Matched& found, PatternNodes* made) {
  const View& x = view_of(found, "x");
  const double epsilon = found.number("e", 0);
  if (!(epsilon >= 0 && epsilon <= 1) || (x.device().is_host() && !suits_host(x))) return false;
  const int last = x.layout.ndim - 1;
  add(&made->last, x, false);
  for (const char each : {'w', 'b'}) {
    const std::string_view numbers(&each, 1);
    if (!found.has(numbers)) continue;
    View* const row = add(&made->last, view_of(found, numbers), false);
    if (last < 0 || !to_axis(row, row->layout.ndim - 1)) return false;
  }
  return complete(name, ops::NormalisationCall{op, found.has("w"), found.has("b"), last, epsilon}, made);
}

void exchange(Layout* layout, int a, int b) {
  std::swap(layout->shape[a], layout->shape[b]);
  std::swap(layout->strides[a], layout->strides[b]);
}

// [heads, rows, columns] and [rows, columns] with axes of size 1 in front.
bool to_four_axes(Layout* layout) {
  if (layout->ndim < 2 || layout->ndim > 4) return false;
  for (; layout->ndim < 4; ++layout->ndim) {
    for (int d = layout->ndim; d > 0; --d) exchange(layout, d, d - 1);
    layout->shape[0] = 1;
    layout->strides[0] = 0;
  }
  return true;
}

const ProgramNode& node_of(const Matched& found, const char* label, const PatternNodes& made) {
  return made.program->nodes[found.labelled(label).node];
}

// The value of a view in the expression of a node, which reads each view once.
ops::Value read(ops::Expression* e, NewNode* node, const View& view, rondo_dtype computed) {
  size_t i = 0;
  while (i < node->operands.size() && !ops::identical(node->operands[i].view, view)) ++i;
  if (i == node->operands.size()) {
    add(node, view, false);
    e->input(view.dtype);
  }
  return e->cast(static_cast<ops::Value>(i), computed);
}

}  // namespace

bool layer_norm_pattern(const Matched& found, PatternNodes* made) {
  return normalisation("layer_norm", ops::Normalisation::layer_norm, found, made);
}

bool rms_norm_pattern(const Matched& found, PatternNodes* made) {
  return normalisation("rms_norm", ops::Normalisation::rms_norm, found, made);
}

bool gelu_pattern(const Matched& found, PatternNodes* made) {
  const View& x = view_of(found, "x");
  const ops::Operator& row = ops::operator_of(Matched::find(found.labels, "u") ? Op::gelu : Op::gelu_tanh);
  add(&made->last, x, false);
  return is_float(x.dtype) && complete(row.name, ops::ElementwiseCall{&row, x.dtype, false, false, {}}, made);
}

// softmax(q k^T * c + mask) v: as attention sees them, rows are before heads.
bool attention_pattern(const Matched& found, PatternNodes* made) {
  const auto product = [&](const char* label) {
    return std::get<ops::MatmulCall>(node_of(found, label, *made).call->of);
  };
  const ops::MatmulCall scores = product("p"), sums = product("o");
  const ProgramNode& rows = node_of(found, "s", *made);
  const auto& softmax = std::get<ops::SoftmaxCall>(rows.call->of);
  const int last = rows.operands[0].view.layout.ndim - 1;
  if (scores.bias || sums.bias || scores.allow_tf32 || sums.allow_tf32 || scores.activation != RONDO_ACTIVATION_NONE ||
      sums.activation != RONDO_ACTIVATION_NONE || sums.transpose_a || softmax.op != RONDO_SOFTMAX ||
      softmax.temperature != 1 || softmax.axis != last || softmax.lengths)
    return false;
  const double scale = found.number("c", 1) / found.number("d", 1);
  if (!(scale >= 1e-30 && scale <= 1e30)) return false;
  NewNode& node = made->last;
  for (const char each : {'q', 'k', 'v'}) add(&node, view_of(found, std::string_view(&each, 1)), false);
  Layout *const q = &node.operands[0].view.layout, *const k = &node.operands[1].view.layout,
                *const v = &node.operands[2].view.layout, *const to = &made->to.layout;
  for (const Layout* each : {q, k, v, to})
    if (each->ndim != last + 1) return false;
  // A host computes the products of few queries faster by themselves.
  constexpr int64_t kFewQueries = 128;
  if (made->to.device().is_host() && to->shape[last - 1] < kFewQueries) return false;
  if (scores.transpose_a) exchange(q, last, last - 1);
  if (!scores.transpose_b) exchange(k, last, last - 1);
  if (sums.transpose_b) exchange(v, last, last - 1);
  for (Layout* each : {q, k, v, to}) {
    if (!to_four_axes(each)) return false;
    exchange(each, 1, 2);
  }
  const bool masked = found.has("mask");
  if (masked) {
    View* const mask = add(&node, view_of(found, "mask"), false);
    if (!to_four_axes(&mask->layout)) return false;
  }
  return complete("attention", ops::AttentionCall{{scale, 0, 0, -1, -1, false}, masked, false, false}, made);
}

bool rotary_pattern(const Matched& found, PatternNodes* made) {
  NewNode& node = made->last;
  const bool is_whole = found.has("x");
  View to[2] = {made->to, made->to};
  int axis = 0;
  const auto halve = [&](View* each, int64_t i) {
    each->layout.shape[axis] /= 2;
    each->offset +=
        i * each->layout.shape[axis] * each->layout.strides[axis] * static_cast<int64_t>(dtype_size(each->dtype));
  };
  if (Matched::find(found.labels, "t")) {
    axis = std::get<ops::ConcatCall>(node_of(found, "t", *made).call->of).axis;
    if (to[0].layout.shape[axis] % 2 != 0) return false;
    const int last = to[0].layout.ndim - 1;
    for (int64_t i = 0; i < 2; ++i) {
      halve(&to[i], i);
      // Side by side along a new axis, the last one.
      if (!is_whole && to[i].layout.shape[last] == 1 && view_of(found, "a").layout.ndim == last) --to[i].layout.ndim;
    }
  } else {
    const bool first = found.has("a");
    to[first ? 1 : 0] = node_of(made->other, first ? "z" : "y", *made).operands.back().view;
    if (to[0].storage != to[1].storage || to[0].dtype != to[1].dtype) return false;
  }
  // The factors of x1 c1 - x2 s1 and of x2 c2 + x1 s2, of which x and the tables have halves, the first or the second.
  // Halves that were two nodes read four tensors: both fail with the same ones then.
  constexpr size_t kParts = 8, kTensors = 4;
  const char* const names = is_whole ? "xcxsxcxs" : "acbsdefg";
  constexpr unsigned kSecond = 0b10110100;
  const rondo_dtype dtype = to[0].dtype;
  ops::Expression e;
  ops::Value values[kParts];
  for (size_t k = 0; k < kParts; ++k) {
    const std::string_view name(&names[k], 1);
    View part = view_of(found.has(name) ? found : made->other, name);
    if (is_whole) halve(&part, kSecond >> k & 1);
    if (part.dtype != dtype || !part.layout.same_shape(to[0].layout)) return false;
    values[k] = read(&e, &node, part, compute_dtype(dtype));
  }
  const auto is_read = [&](const char* name, ops::Value as) {
    return ops::identical(view_of(found, name), node.operands[as].view);
  };
  if (is_whole && !(is_read("l", values[0]) && is_read("h", values[2]))) return false;
  if (!is_float(dtype) || (!is_whole && node.operands.size() > kTensors) || ops::overlap(to[0], to[1]) ||
      !to[1].layout.same_shape(to[0].layout) || !stays_apart(node, to[0]) || !stays_apart(node, to[1]))
    return false;
  for (int half = 0; half < 2; ++half) {
    const ops::Value* const of = values + 4 * half;
    const ops::Value one = e.apply(Op::mul, of[0], of[1]), other = e.apply(Op::mul, of[2], of[3]);
    e.output(e.apply(half == 0 ? Op::sub : Op::add, one, other), dtype, false);
    add(&node, to[half], true);
  }
  set(&node, "rotary", ops::fused_of(e, nullptr));
  return true;
}

bool batch_norm_pattern(const Matched& found, PatternNodes* made) {
  const ProgramNode& sum = node_of(found, "n", *made);
  auto call = std::get<ops::ConvolutionCall>(sum.call->of);
  const View &to = made->to, &result = sum.operands.back().view;
  if (call.scale || call.residual || call.options.activation != RONDO_ACTIVATION_NONE || to.elements() == 0 ||
      to.dtype != result.dtype || !ops::same_steps(to.layout, result.layout))
    return false;
  const rondo_dtype computed = compute_dtype(to.dtype);
  constexpr ops::Value kNone = UINT8_MAX;
  ops::Expression e;
  NewNode &before = made->before, &after = made->last;
  bool all = true;
  const auto numbers = [&](View view) {
    all &= to_axis(&view, view.layout.ndim > 1 ? 1 : 0);
    return all ? read(&e, &before, view, computed) : ops::Value();
  };
  const auto named = [&](const char* name) { return found.has(name) ? numbers(view_of(found, name)) : kNone; };
  const ops::ProgramOperand* next = nullptr;
  const auto take = [&](bool has) { return has ? numbers((next++)->view) : kNone; };
  ops::Value weight, bias, mean, scale;
  uint64_t epsilon = 0;
  const View* residual = nullptr;
  if (Matched::find(found.labels, "o")) {
    const ProgramNode& norm = node_of(found, "o", *made);
    const auto& how = std::get<ops::BatchNormCall>(norm.call->of);
    next = &norm.operands[1];
    weight = take(how.weight);
    bias = take(how.bias);
    if (how.residual) residual = &(next++)->view;
    mean = take(true);
    scale = e.apply(Op::rsqrt, e.apply(Op::add, take(true), e.scalar(computed)));
    epsilon = ops::float_word(computed, how.epsilon);
    call.options.activation = how.activation;
  } else {
    weight = named("w");
    bias = named("b");
    mean = named("m");
    scale = named("r");
    if (scale == kNone) scale = e.apply(Op::reciprocal, named("d"));
  }
  if (weight != kNone) scale = e.apply(Op::mul, scale, weight);
  if (is_half(to.dtype)) scale = e.round(scale, to.dtype);
  // (sum + i - m) s + b = sum s + ((i - m) s + b).
  ops::Value shift = e.apply(Op::neg, mean);
  if (call.bias) shift = e.apply(Op::add, shift, numbers(sum.operands[2].view));
  shift = e.apply(Op::mul, shift, scale);
  if (bias != kNone) shift = e.apply(Op::add, shift, bias);
  if (!all || (residual && !ops::same_steps(residual->layout, to.layout))) return false;
  for (int i = 0; i < 2; ++i) add(&after, sum.operands[i].view, false);
  for (const ops::Value each : {scale, shift}) {
    e.output(each, to.dtype, false);
    add_result(&before, to.dtype, Layout::row_major(1, &to.layout.shape[1]), made);
    add(&after, before.operands.back().view, false);
  }
  if (residual) add(&after, *residual, false);
  set(&before, "batch_norm", ops::fused_of(e, &epsilon));
  call.scale = call.bias = true;
  call.residual = residual != nullptr;
  return complete(sum.name, call, made);
}

}  // namespace rondo
