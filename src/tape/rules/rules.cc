// Runs the rules of gradients, one per kind of operator, and says which operators have one.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/rules.h"

#include <algorithm>

#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/gradients.h"
#include "ops/reduce/reduce.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

using ops::Expression;
using ops::Op;
using Word = uint64_t;

// A kind without a rule, which no node of a tape has.
template <class OneKind>
concept Ruleless = !ops::kHasRule<OneKind>;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang before 17 does not deduce it

// --- the operators of the table ---

// The table's number of input i: one of its operands may be a scalar.
size_t place_in_row(const ops::ElementwiseCall& call, size_t input) {
  return call.scalar && call.scalar_first ? input + 1 : input;
}
int scalar_in_row(const ops::ElementwiseCall& call) {
  return call.scalar ? (call.scalar_first ? 0 : 1) : -1;
}

ops::Gradient gradient_of(const ops::ElementwiseCall& call, const Node& node, unsigned wanted, bool uniform) {
  rondo_dtype dtypes[ops::Gradient::kMostOperands] = {call.computed, call.computed, call.computed};
  unsigned in_row = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const size_t at = place_in_row(call, i);
    dtypes[at] = node.inputs[i].view.dtype;
    if ((wanted >> i) & 1) in_row |= 1u << at;
  }
  return ops::gradient_of(call.row->op, in_row, dtypes, call.computed, scalar_in_row(call), uniform);
}

// A mask of the row's operands as one of inputs.
unsigned inputs_of(const ops::ElementwiseCall& call, unsigned in_row) {
  return call.scalar && call.scalar_first ? in_row >> 1 : in_row;
}

unsigned flowing(const ops::ElementwiseCall& call, const Node& node, unsigned active) {
  if (call.row->boolean || !is_float(call.computed)) return 0;
  return inputs_of(call, gradient_of(call, node, active, false).of);
}

Needs needed(const ops::ElementwiseCall& call, const Node& node, unsigned wanted) {
  const ops::Gradient gradient = gradient_of(call, node, wanted, false);
  return {inputs_of(call, gradient.uses), gradient.uses_result ? 1u : 0u};
}

// The one number that an expression of numbers gives.
double number_of(const Expression& expression, const Word* words) {
  ops::Space space;
  space.ndim = 1;
  space.flat = true;
  space.elements = 1;
  space.dims.push_back(1);
  space.dims.push_back(1);
  alignas(8) char bytes[8] = {};
  char* address = bytes;
  evaluate_on_cpu(expression, space, &address, words, {});
  switch (static_cast<rondo_dtype>(expression.output(0).dtype)) {
    case RONDO_F64: return *reinterpret_cast<double*>(bytes);
    case RONDO_F16: return static_cast<double>(half_to_float(*reinterpret_cast<uint16_t*>(bytes)));
    case RONDO_BF16: return static_cast<double>(bf16_to_float(*reinterpret_cast<uint16_t*>(bytes)));
    default: return static_cast<double>(*reinterpret_cast<float*>(bytes));
  }
}

Status run(const ops::ElementwiseCall& call, Backward& backward) {
  const Node& node = backward.node();
  const Layout& shape = node.outputs[0].view.layout;
  const Value& incoming = backward.incoming();
  const bool uniform = incoming.uniform;
  const auto gradient_for = [&](unsigned wanted) { return gradient_of(call, node, wanted, uniform); };

  // Operands whose gradient is the incoming one, or one number, need no kernel.
  unsigned wanted = backward.wanted();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!backward.wants(i)) continue;
    const ops::Gradient one = gradient_for(1u << i);
    if (one.of == 0) {
      wanted &= ~(1u << i);
      continue;
    }
    const int dy = one.expression.inputs() - 1;  // if it is not uniform
    if (one.expression.inputs() == 0) {
      Word words[Expression::kMaxScalars];
      Word* next = std::copy_n(call.words, (call.scalar ? 1 : 0) + call.row->parameters, words);
      *next++ = ops::float_word(compute_dtype(call.computed), incoming.number);
      std::copy_n(one.constants, one.n_constants, next);
      RONDO_TRY(backward.pass(i, shape, Value::of(number_of(one.expression, words))));
    } else if (!uniform && one.expression.instructions() == 0 && one.expression.output(0).value == dy &&
               one.expression.output(0).dtype == node.outputs[0].view.dtype) {
      RONDO_TRY(backward.pass(i, shape, incoming));
    } else {
      continue;
    }
    wanted &= ~(1u << i);
  }
  if (wanted == 0) return {};

  const ops::Gradient gradient = gradient_for(wanted);
  std::vector<const View*> operands;
  std::vector<size_t> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const size_t at = place_in_row(call, i);
    if ((gradient.uses >> at) & 1) operands.push_back(&backward.input(i));
    if ((gradient.of >> at) & 1) inputs.push_back(i);
  }
  OwnedTensor again;
  View result;
  if (gradient.uses_result) {
    RONDO_TRY(result_of(backward, &again, &result));
    operands.push_back(&result);
  }
  View dy;
  if (!uniform) {
    RONDO_TRY(backward.incoming_view(&dy));
    operands.push_back(&dy);
  }
  Word words[Expression::kMaxScalars];
  Word* next = std::copy_n(call.words, (call.scalar ? 1 : 0) + call.row->parameters, words);
  if (uniform) *next++ = ops::float_word(compute_dtype(call.computed), incoming.number);
  std::copy_n(gradient.constants, gradient.n_constants, next);
  return backward.give_all((std::string(call.row->name) + "_grad").c_str(), gradient.expression, operands, words,
                           inputs);
}

// --- sums, choices and copies ---

Status run(const ops::AddNCall&, Backward& backward) {
  const Layout& shape = backward.node().outputs[0].view.layout;
  for (size_t i = 0; i < backward.node().inputs.size(); ++i)
    if (backward.wants(i)) RONDO_TRY(backward.pass(i, shape, backward.incoming()));
  return {};
}

Status run(const ops::WhereCall&, Backward& backward) {
  const rondo_dtype dtype = backward.node().outputs[0].view.dtype;
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  Expression expression;
  const ops::Value condition = expression.input(RONDO_BOOL), change = expression.input(dtype);
  const ops::Value zero = expression.scalar(compute_dtype(dtype));
  std::vector<size_t> inputs;
  for (const size_t i : {1u, 2u}) {
    if (!backward.wants(i)) continue;
    const ops::Value chosen =
        i == 1 ? expression.where(condition, change, zero) : expression.where(condition, zero, change);
    const rondo_dtype to = backward.node().inputs[i].view.dtype;
    expression.output(expression.cast(chosen, to), to, false);
    inputs.push_back(i);
  }
  const View* operands[] = {&backward.input(0), &dy};
  const Word nothing = 0;
  return backward.give_all("where_grad", expression, operands, &nothing, inputs);
}

Status run(const ops::CopyCall&, Backward& backward) {
  return backward.pass(0, backward.node().outputs[0].view.layout, backward.incoming());
}

// --- dropout ---

Status run(const ops::DropoutCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  return backward.give(0, dy.layout,
                       [&](ops::Output& out) { return ops::dropout_grad(dy, backward.output(1), call.p, out); });
}

Status run(const ops::DropoutGradCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  return backward.give(0, dy.layout,
                       [&](ops::Output& out) { return ops::dropout_grad(dy, backward.input(1), call.p, out); });
}

}  // namespace

// The first result. One that was added to a tensor is not kept: it is computed again.
Status result_of(const Backward& backward, OwnedTensor* again, View* result) {
  const Node& node = backward.node();
  if (!node.outputs[0].view.accumulate) {
    *result = backward.output(0);
    return {};
  }
  {
    ops::Output out(&again->tensor);
    std::vector<const View*> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(&backward.input(i));
    RONDO_TRY(std::visit(Overloaded{
                             [&](const ops::ElementwiseCall& call) {
                               return ops::run_elementwise(call, inputs, node.outputs[0].view.layout, out);
                             },
                             [&](const ops::SoftmaxCall& call) {
                               return ops::softmax(options_of(call, backward, 1), *inputs[0], call.axis, out);
                             },
                             [&](const ops::ReduceCall& call) {
                               return ops::reduce_over(call.op, call.parameter, *inputs[0], call.axes, call.keep_dims,
                                                       out);
                             },
                             [&](const auto&) { return error(RONDO_INTERNAL, "its result cannot be computed again"); },
                         },
                         node.call->of));
  }
  *result = again->tensor->view;
  return {};
}

unsigned flowing(const Node& node, unsigned active) {
  if (!node.call) return active;
  return std::visit(Overloaded{
                        [&](const ops::ElementwiseCall& call) { return flowing(call, node, active); },
                        [&](const ops::FusedCall& call) { return flowing(call, active); },
                        [&](const ops::ReduceCall& call) { return flowing(call, node, active); },
                        [&](const ops::GatedCall& call) { return flowing(call, active); },
                        [&](const ops::TakeCall&) { return active & 1; },
                        [&](const ops::TakeAlongAxisCall&) { return active & 1; },
                        [&](const ops::PutCall&) { return active & 6; },
                        [&](const ops::CumulativeCall& call) { return flowing(call, active); },
                        [&](const ops::BatchNormCall& call) { return flowing(call, active); },
                        [&](const ops::BatchNormSumsCall& call) { return call.masked ? active & ~4u : active; },
                        [&](const ops::WindowPickCall&) { return active & 1; },
                        [&](const ops::AttentionCall&) { return active & 7; },
                        [&](const ops::RotaryCall&) { return active & 1; },
                        [&](const ops::AttentionGradCall& call) { return flowing(call, active); },
                        [&](const ops::RecurrentCall& call) { return flowing(call, active); },
                        [&](const ops::RecurrentGradCall& call) { return flowing(call, active); },
                        [&](const ops::EmbeddingBagCall& call) { return flowing(call, active); },
                        [&](const ops::EmbeddingBagGradCall& call) { return flowing(call, active); },
                        [&](const auto&) { return active; },
                    },
                    node.call->of);
}

static Needs all_inputs(const Node& node) {
  return {(1u << node.inputs.size()) - 1, 0};
}

Needs needed(const Node& node, unsigned wanted) {
  if (!node.call) return node.custom ? node.custom->needs() : Needs{};
  Needs needs = std::visit(Overloaded{
                               [&](const ops::ElementwiseCall& call) { return needed(call, node, wanted); },
                               [&](const ops::FusedCall&) { return all_inputs(node); },
                               [&](const ops::AddNCall&) { return Needs{}; },
                               [&](const ops::WhereCall&) {
                                 return Needs{1, 0};
                               },
                               [&](const ops::GatedCall&) {
                                 return Needs{(wanted >> 1 & 1) | 2u, 0};
                               },
                               [&](const ops::CopyCall&) { return Needs{}; },
                               [&](const ops::DropoutCall&) {
                                 return Needs{0, 2};
                               },
                               [&](const ops::DropoutGradCall&) {
                                 return Needs{2, 0};
                               },
                               [&](const ops::MatmulCall& call) { return needed(call, node, wanted); },
                               [&](const ops::ReduceCall& call) { return needed(call, node); },
                               [&](const ops::SoftmaxCall& call) {
                                 return Needs{call.lengths ? 2u : 0u, 1};
                               },
                               [&](const ops::SoftmaxGradCall&) { return all_inputs(node); },
                               [&](const ops::NormalisationCall& call) { return needed(call, wanted); },
                               [&](const ops::NormalisationGradCall&) { return all_inputs(node); },
                               [&](const ops::BatchNormCall& call) { return needed(call, wanted); },
                               [&](const ops::BatchNormStatisticsCall&) { return all_inputs(node); },
                               [&](const ops::BatchNormSumsCall&) { return all_inputs(node); },
                               [&](const ops::WindowCall& call) {
                                 return Needs{call.largest ? 1u : 0u, 0};
                               },
                               [&](const ops::WindowGradCall& call) {
                                 return Needs{call.largest ? 2u : 0u, 0};
                               },
                               [&](const ops::WindowPickCall&) {
                                 return Needs{2, 0};
                               },
                               [&](const ops::ProductGradCall&) { return all_inputs(node); },
                               [&](const ops::CumulativeCall& call) { return needed(call); },
                               [&](const ops::AttentionCall& call) { return needed(call, node); },
                               [&](const ops::RotaryCall& call) {
                                 return Needs{call.positions ? 2u : 0u, 0};
                               },
                               [&](const ops::AttentionGradCall&) { return all_inputs(node); },
                               [&](const ops::RecurrentCall& call) { return needed(call); },
                               [&](const ops::RecurrentGradCall&) {
                                 return Needs{~0u, 0};
                               },
                               [&](const ops::EmbeddingBagCall& call) { return needed(call); },
                               [&](const ops::EmbeddingBagGradCall& call) { return needed(call); },
                               [&](const ops::DotInteractionCall&) { return all_inputs(node); },
                               [&](const ops::DotInteractionGradCall&) { return all_inputs(node); },
                               [&](const ops::CrossEntropyCall&) {
                                 return Needs{3, 0};
                               },
                               [&](const ops::CrossEntropyGradCall&) {
                                 return Needs{3, 0};
                               },
                               [&](const ops::TakeCall&) {
                                 return Needs{2, 0};
                               },
                               [&](const ops::TakeAlongAxisCall&) {
                                 return Needs{2, 0};
                               },
                               [&](const ops::PutCall&) {
                                 return Needs{1, 0};
                               },
                               [&](const ops::SortCall& call) {
                                 return call.indices ? Needs{0, 2} : Needs{1, 0};
                               },
                               [&](const ops::ConcatCall&) { return Needs{}; },
                               [&](const ops::PadCall&) { return Needs{}; },
                               [&](const ops::TileCall&) { return Needs{}; },
                               [&](const ops::RepeatCall&) { return Needs{}; },
                               [&](const ops::RollCall&) { return Needs{}; },
                               [&](const ops::TriangleCall&) { return Needs{}; },
                               [&](const ops::ConvolutionCall& call) { return needed(call, node, wanted); },
                               [&](const ops::ConvolutionFilterGradCall& call) { return needed(call, wanted); },
                               [](const Ruleless auto&) { return Needs{}; },
                           },
                           node.call->of);
  // A result that was added to a tensor is computed again (result_of).
  if ((needs.outputs & 1) && node.outputs[0].view.accumulate) needs = {all_inputs(node).inputs, needs.outputs & ~1u};
  return needs;
}

bool has_gradient(const Node& node) {
  if (!node.call) return node.custom != nullptr;
  const auto* call = std::get_if<ops::ElementwiseCall>(&node.call->of);
  return !call || !ops::gradient_unknown(call->row->op);
}

bool makes_last(const Node& node) {
  return node.call && std::holds_alternative<ops::MatmulCall>(node.call->of);
}

Status run_rule(Backward& backward) {
  return std::visit(Overloaded{
                        [](const Ruleless auto& kind) {
                          (void)kind;
                          return error(RONDO_INTERNAL, "it has no rule");
                        },
                        [&](const auto& call) { return run(call, backward); },
                    },
                    backward.node().call->of);
}

}  // namespace rondo::tape
