// The gradient of an expression: of its instructions, which are operators of the table, one after the other.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/bit_cast.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/gradients.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

using ops::Expression;
using ops::Op;
using Instruction = Expression::Instruction;

// The operands of an instruction that have a gradient, as a mask.
unsigned differentiable(const Expression& expression, int k) {
  const Instruction& each = expression.instruction(k);
  if (!is_float(Expression::result_dtype(each))) return 0;
  if (each.op == Op::cast) return 1;
  if (each.op == Op::where) return 6;
  if (each.op == Op::round_to) return 1;
  const auto computed = static_cast<rondo_dtype>(each.dtype);
  const rondo_dtype dtypes[ops::Gradient::kMostOperands] = {computed, computed, computed};
  return ops::gradient_of(each.op, (1u << ops::operator_of(each.op).operands) - 1, dtypes, computed).of;
}

double number_of(rondo_dtype dtype, uint64_t word) {
  return dtype == RONDO_F64 ? bit_cast<double>(word)
                            : static_cast<double>(bit_cast<float>(static_cast<uint32_t>(word)));
}

// The expression, one operator per instruction.
class Interpreter {
 public:
  Interpreter(const ops::Fused& fused, GradientBuilder& steps, std::span<const View> inputs)
      : expression_(fused.expression), words_(fused.words), steps_(steps), device_(inputs[0].device()) {
    for (const View& each : inputs) inputs_.push_back(steps.cast(each, compute_dtype(each.dtype)));
    scalars_.resize(static_cast<size_t>(expression_.scalars()));
    for (int k = 0; k < expression_.instructions(); ++k) results_.push_back(result(expression_.instruction(k)));
  }
  View output(int i) {
    const Expression::Output& output = expression_.output(i);
    return steps_.cast(value(output.value), static_cast<rondo_dtype>(output.dtype));
  }

 private:
  View value(ops::Value value) {
    if (Expression::is_input(value)) return inputs_[value];
    if (!Expression::is_scalar(value)) return results_[static_cast<size_t>(Expression::result_index(value))];
    const int k = Expression::scalar_index(value);
    const rondo_dtype dtype = expression_.scalar_dtype(k);
    View& scalar = scalars_[static_cast<size_t>(k)];
    if (!scalar.storage) scalar = steps_.number(device_, dtype, number_of(dtype, words_[k]));
    return scalar;
  }
  View result(const Instruction& each) {
    if (each.op == Op::cast) return steps_.cast(value(each.a), Expression::result_dtype(each));
    if (each.op == Op::round_to) {
      const auto half = static_cast<rondo_dtype>(each.dtype);
      return steps_.cast(steps_.cast(value(each.a), half), compute_dtype(half));
    }
    if (each.op == Op::where) return steps_.where(value(each.a), value(each.b), value(each.c));
    ops::ElementwiseCall call{&ops::operator_of(each.op), static_cast<rondo_dtype>(each.dtype), false, false, {}};
    const ops::Value values[] = {each.a, each.b, each.c};
    View views[3];
    const View* list[3] = {&views[0], &views[1], &views[2]};
    const int operands = call.row->operands;
    for (int i = 0; i < operands; ++i) views[i] = value(values[i]);
    for (int i = 0; i < call.row->parameters; ++i)
      call.words[i] = words_[Expression::scalar_index(values[operands + i])];
    if (!steps_.status().ok()) return {};
    Layout shape = views[0].layout;
    for (int i = 1; i < operands; ++i) {
      const Layout before = shape;
      if (!broadcast_shapes(before, views[i].layout, &shape))
        steps_.then([] { return error(RONDO_INTERNAL, "operands of an instruction do not broadcast"); });
    }
    return steps_.make([&](ops::Output& out) {
      return ops::run_elementwise(call, std::span<const View* const>(list, static_cast<size_t>(operands)), shape, out);
    });
  }

  const Expression& expression_;
  const uint64_t* const words_;
  GradientBuilder& steps_;
  Device& device_;
  std::vector<View> inputs_, scalars_, results_;
};

}  // namespace

// Not those that only conditions look at.
unsigned flowing(const ops::FusedCall& call, unsigned active) {
  const Expression& expression = call.fused->expression;
  std::vector<unsigned> from(static_cast<size_t>(expression.instructions()));  // each result: the inputs it depends on
  const auto inputs_of = [&](ops::Value value) {
    if (Expression::is_input(value)) return 1u << value;
    return Expression::is_scalar(value) ? 0u : from[static_cast<size_t>(Expression::result_index(value))];
  };
  for (int k = 0; k < expression.instructions(); ++k) {
    const Instruction& each = expression.instruction(k);
    const unsigned operands = differentiable(expression, k);
    const ops::Value values[] = {each.a, each.b, each.c};
    for (unsigned i = 0; i < 3; ++i)
      if ((operands >> i) & 1) from[static_cast<size_t>(k)] |= inputs_of(values[i]);
  }
  unsigned flow = 0;
  for (int i = 0; i < expression.outputs(); ++i) flow |= inputs_of(expression.output(i).value);
  return flow & active;
}

Status run(const ops::FusedCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    Interpreter interpreter(*call.fused, steps, inputs);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (backward.has_incoming(i)) outputs[i] = interpreter.output(static_cast<int>(i));
  });
}

}  // namespace rondo::tape
