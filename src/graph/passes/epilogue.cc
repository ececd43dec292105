// Products and convolutions that do in their own call what elementwise nodes do to their results: a scale and a bias of
// each channel, a residual, an activation, in this order. On the host what follows a sum of f32 or f64 goes through the
// operators' own loops, so that the bits are the same. Elsewhere the sum is not rounded to its dtype before that, or a
// library may add it up otherwise than it would alone: only where a recording wants fewer roundings.
//
// Before `fuse`, for which an elementwise node is one operator yet.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "graph/passes/value_graph.h"
#include "ops/elementwise/form.h"
#include "ops/operators/activation.h"
#include "ops/operators/scalar.h"
#include "ops/program/overlap.h"

namespace rondo {

namespace {

using ops::ProgramNode;
using ops::ProgramOperand;

// activation(scale * sum + bias + residual). A view without a storage: none.
struct Epilogue {
  View scale, bias;  // one dimension: a number for each channel
  View residual;     // of the result's shape
  rondo_activation activation = RONDO_ACTIVATION_NONE;
  View to;  // where the results go, laid out as those without an epilogue
};

// The activation that an elementwise operator is, if it is one of those that a product can end with.
rondo_activation activation_of(const ops::ElementwiseCall& call) {
  for (const rondo_activation each : ops::kActivations) {
    const ops::ActivationOperator& of = ops::operator_of(each);
    bool same = of.op == call.row->op;
    for (int k = 0; same && k < of.parameters; ++k)
      same = call.words[k] == ops::float_word(compute_dtype(call.computed), of.parameter[k]);
    if (same) return each;
  }
  return RONDO_ACTIVATION_NONE;
}

// Which dimension of its result has the channels, of a node that may do something with them, or do more than it does.
std::optional<int> channels(const ProgramNode& node) {
  const auto* product = std::get_if<ops::MatmulCall>(&node.call->of);
  const auto* of = std::get_if<ops::ConvolutionCall>(&node.call->of);
  const bool may =
      product ? product->activation == RONDO_ACTIVATION_NONE : of && of->options.activation == RONDO_ACTIVATION_NONE;
  if (!may || !node.operands.back().known || node.operands.back().view.accumulate) return {};
  return product ? node.operands.back().view.layout.ndim - 1 : 1;
}

// Finds what a call does already.
Epilogue epilogue_of(const ProgramNode& node) {
  Epilogue made;
  const ProgramOperand* next = &node.operands[2];
  const auto take = [&next](bool has, View& view) {
    if (has) view = (next++)->view;
  };
  if (const auto* product = std::get_if<ops::MatmulCall>(&node.call->of)) {
    take(product->bias, made.bias);
    return made;
  }
  const auto& convolution = std::get<ops::ConvolutionCall>(node.call->of);
  take(convolution.scale, made.scale);
  take(convolution.bias, made.bias);
  take(convolution.residual, made.residual);
  return made;
}

// True if a convolution on a GPU is one for a library, and would not be with this after it. Those of one channel a
// group are Rondo's own.
bool loses_library(const ProgramNode& node, const Epilogue& of) {
  const auto& call = std::get<ops::ConvolutionCall>(node.call->of);
  const rondo_dtype dtype = of.to.dtype;
  return node.operands[1].view.layout.shape[1] > 1 &&
         ops::library_may_end_with(call.scale, call.bias || call.residual, call.options.activation, dtype) &&
         !ops::library_may_end_with(of.scale.storage, of.bias.storage || of.residual.storage, of.activation, dtype);
}

class EpilogueFusion {
 public:
  explicit EpilogueFusion(ops::Program& program) : program_(program), groups_(program) {}
  Status form_groups();
  void rewrite(PassReport* report);
  size_t steps() const { return groups_.steps(); }

 private:
  const ProgramNode& node(uint32_t i) const { return program_.nodes[i]; }
  std::optional<uint32_t> result_read(uint32_t i) const;
  std::optional<Epilogue> extended(const Epilogue& before, int channels, const ProgramNode& by, uint32_t read) const;
  void join(uint32_t i);
  ProgramNode ended(const std::vector<uint32_t>& nodes, PassReport* report);

  ops::Program& program_;
  Groups groups_;
  std::unordered_map<uint32_t, Epilogue> epilogues_;  // of groups of several
};

// Which operand of an elementwise node is a result that nothing else looks at, of a product with what follows that.
std::optional<uint32_t> EpilogueFusion::result_read(uint32_t i) const {
  const std::vector<ProgramOperand>& operands = node(i).operands;
  for (uint32_t k = 0; k + 1 < operands.size(); ++k) {
    const Dependences::Source source = groups_.dependences().node(i).operands[k].source;
    if (source.node == Dependences::kNone) continue;
    const Dependences::Operand& from = groups_.dependences().node(source.node).operands[source.operand];
    const std::vector<uint32_t>& group = groups_.nodes(groups_.of(source.node));
    if (!group.empty() && group.back() == source.node && channels(node(group.front())) && !from.kept &&
        from.readers == 1)
      return k;
  }
  return {};
}

// An epilogue and what an elementwise node does to its results, operand `read` of the node, if it is one yet.
std::optional<Epilogue> EpilogueFusion::extended(const Epilogue& before, int channels, const ProgramNode& by,
                                                 uint32_t read) const {
  const auto& call = std::get<ops::ElementwiseCall>(by.call->of);
  if (call.scalar || before.activation != RONDO_ACTIVATION_NONE) return {};
  Epilogue after = before;
  after.to = by.operands.back().view;
  if (by.operands.size() == 2) {
    after.activation = activation_of(call);
    return after.activation == RONDO_ACTIVATION_NONE ? std::nullopt : std::optional(after);
  }
  if (by.operands.size() != 3) return {};
  const View& other = by.operands[1 - read].view;
  View channel = other;
  const View* const numbers = to_axis(&channel, channels) ? &channel : nullptr;
  if (call.row->op == ops::Op::mul) {
    if (!numbers || before.scale.storage || before.bias.storage || before.residual.storage) return {};
    after.scale = *numbers;
  } else if (call.row->op != ops::Op::add || before.residual.storage) {
    return {};
  } else if (numbers && !before.bias.storage) {
    after.bias = *numbers;
  } else {
    // A library may not take one that lies otherwise, and then all of it would be computed in another way.
    if (by.device->is_host() && !ops::same_steps(other.layout, after.to.layout)) return {};
    after.residual = other;
  }
  return after;
}

void EpilogueFusion::join(uint32_t i) {
  const ProgramNode& by = node(i);
  if (by.opaque() || !std::holds_alternative<ops::ElementwiseCall>(by.call->of)) return;
  const std::optional<uint32_t> read = result_read(i);
  if (!read) return;
  const uint32_t group = groups_.of(groups_.dependences().node(i).operands[*read].source.node);
  if (!groups_.open(group)) return;
  const ProgramNode& first = node(groups_.nodes(group).front());
  const View& result = first.operands.back().view;
  const bool same_bits = first.device->is_host() && !is_half(result.dtype);
  if (!same_bits && !program_.fewer_roundings) return;
  const View& to = by.operands.back().view;
  for (const ProgramOperand& each : by.operands)
    if (!each.known || each.view.dtype != result.dtype || each.view.accumulate ||
        !each.view.layout.same_shape(result.layout))
      return;
  if (!ops::same_steps(to.layout, result.layout)) return;
  const auto found = epilogues_.find(group);
  const std::optional<Epilogue> epilogue =
      extended(found == epilogues_.end() ? epilogue_of(first) : found->second, *channels(first), by, *read);
  if (!epilogue) return;
  const bool product = std::holds_alternative<ops::MatmulCall>(first.call->of);
  if (product && (epilogue->scale.storage || epilogue->residual.storage)) return;
  if (!product && !first.device->is_host() && loses_library(first, *epilogue)) return;
  const std::optional<uint32_t> place = groups_.place_for(i, {group});
  if (!place) return;
  const std::vector<uint32_t> nodes = groups_.nodes_with(i, {group});
  // All that is read is read before any result is written, apart; together an element may be gone too early.
  for (const uint32_t each : nodes)
    for (const ProgramOperand& operand : node(each).operands)
      if (!operand.written && ops::overlap(operand.view, to)) return;
  epilogues_[group] = *epilogue;
  groups_.join(i, {group}, *place);
}

Status EpilogueFusion::form_groups() {
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    RONDO_TRY(MakingLimit::check());
    groups_.begin(i);
    join(i);
    groups_.end(i);
  }
  return {};
}

ProgramNode EpilogueFusion::ended(const std::vector<uint32_t>& nodes, PassReport* report) {
  const Epilogue& of = epilogues_.at(groups_.of(nodes[0]));
  const ProgramNode& first = node(nodes[0]);
  ops::Kinds::Variant call = first.call->of;
  if (auto* product = std::get_if<ops::MatmulCall>(&call)) {
    product->bias = of.bias.storage != nullptr;
    product->activation = of.activation;
  } else {
    auto& convolution = std::get<ops::ConvolutionCall>(call);
    convolution.scale = of.scale.storage != nullptr;
    convolution.bias = of.bias.storage != nullptr;
    convolution.residual = of.residual.storage != nullptr;
    convolution.options.activation = of.activation;
  }
  const size_t saved = is_half(of.to.dtype) ? nodes.size() - 1 : 0;
  std::vector<TaskOperand> operands = {{first.operands[0].view, false}, {first.operands[1].view, false}};
  for (const View* each : {&of.scale, &of.bias, &of.residual})
    if (each->storage) operands.push_back({*each, false});
  operands.push_back({of.to, true});
  ProgramNode whole =
      program_.make_node(first.name, Ref<const ops::Call>::adopt(new ops::Call(call)), operands, first.section);
  whole.operators = groups_.operators(nodes);
  std::string line = groups_.line(nodes) + ": " + program_.text(whole);
  if (program_.fewer_roundings) line += format(" (roundings saved: %zu)", saved);
  report->lines.push_back(std::move(line));
  return whole;
}

void EpilogueFusion::rewrite(PassReport* report) {
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes, auto*) { return ended(nodes, report); });
}

}  // namespace

Status epilogue(ops::Program& program, PassReport* report) {
  const auto has_channels = [](const ProgramNode& node) { return channels(node).has_value(); };
  if (std::none_of(program.nodes.begin(), program.nodes.end(), has_channels)) return {};
  EpilogueFusion pass(program);
  RONDO_TRY(pass.form_groups());
  pass.rewrite(report);
  report->steps = pass.steps();
  return {};
}

}  // namespace rondo
