// The rules: one per kind of operator. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/views.h"
#include "ops/elementwise_task.h"
#include "ops/gradients.h"
#include "ops/prepared.h"
#include "ops/reduce.h"
#include "ops/reduce_gradient.h"
#include "ops/scalar.h"
#include "tape/rules_convolution.h"
#include "tape/rules_cumulative.h"
#include "tape/rules_matmul.h"
#include "tape/rules_norm.h"
#include "tape/rules_normalise.h"
#include "tape/rules_shapes.h"
#include "tape/rules_window.h"

namespace rondo::tape {

namespace {

using ops::Expression;
using ops::Op;
using Word = uint64_t;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// A temporary that an operator makes.
template <class MakeIt>
Status make(Slot* slot, const MakeIt& make_it) {
  ops::Output out(kFunction, &slot->tensor);
  return make_it(out);
}

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

// As the caller asked; lengths: the input that says where rows end.
ops::SoftmaxOptions options_of(const ops::SoftmaxCall& call, const Backward& backward, size_t lengths) {
  ops::SoftmaxOptions options;
  options.op = call.op;
  options.temperature = call.temperature;
  if (call.lengths) options.lengths = &backward.input(lengths);
  return options;
}

// The first result. What was added to a tensor is not kept: it is computed again.
Status result_of(const Backward& backward, Slot* again, View* result) {
  const Node& node = backward.node();
  if (!node.outputs[0].view.accumulate) {
    *result = backward.output(0);
    return {};
  }
  {
    ops::Output out(kFunction, &again->tensor);
    std::vector<const View*> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(&backward.input(i));
    RONDO_TRY(std::visit(
        Overloaded{
            [&](const ops::ElementwiseCall& call) {
              return ops::run_elementwise(call, inputs, node.outputs[0].view.layout, out);
            },
            [&](const ops::SoftmaxCall& call) {
              return ops::softmax(kFunction, options_of(call, backward, 1), *inputs[0], call.axis, out);
            },
            [&](const ops::ReduceCall& call) {
              return ops::reduce_over(kFunction, call.op, call.parameter, *inputs[0], call.axes, call.keep_dims, out);
            },
            [&](const auto&) { return error(RONDO_INTERNAL, "its result cannot be computed again"); },
        },
        node.call->of));
  }
  *result = again->tensor->view;
  return {};
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
  Slot again;
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

// --- reductions ---

// A reduced tensor as it stands beside the operand: reduced axes of size 1.
View with_axes(const View& reduced, const Layout& operand, uint32_t axes) {
  View view = reduced;
  view.layout.ndim = operand.ndim;
  int from = 0;
  const bool kept = reduced.layout.ndim == operand.ndim;
  for (int d = 0; d < operand.ndim; ++d) {
    const bool gone = (axes >> d) & 1;
    view.layout.shape[d] = gone ? 1 : operand.shape[d];
    view.layout.strides[d] = gone ? 0 : reduced.layout.strides[from];
    if (!gone || kept) ++from;
  }
  return view;
}

View under(View view, const Layout& shape) {
  view.layout = broadcast_layout(view.layout, shape);
  return view;
}

double reduced_count(const Layout& operand, uint32_t axes) {
  double count = 1;
  for (int d = 0; d < operand.ndim; ++d)
    if ((axes >> d) & 1) count *= static_cast<double>(operand.shape[d]);
  return count;
}

Status run_sum(double factor, uint32_t axes, Backward& backward) {
  const Layout& shape = backward.node().inputs[0].view.layout;
  const Value& incoming = backward.incoming();
  if (incoming.uniform) return backward.pass(0, shape, Value::of(incoming.number * factor));
  Slot scaled;
  Value value = incoming;
  if (factor != 1) {
    ops::Output out(kFunction, &scaled.tensor);
    RONDO_TRY(ops::binary_scalar(kFunction, RONDO_MUL, incoming.view, ops::Scalar::of(factor), false, out));
    value = Value::of(scaled.tensor->view);
  }
  value.view = under(with_axes(value.view, shape, axes), shape);
  return backward.pass(0, shape, value);
}

unsigned flowing(const ops::ReduceCall& call, const Node& node, unsigned active) {
  return ops::reduce_gradient_of(call.op, node.inputs[0].view.dtype).n_steps > 0 ? active : 0;
}

Needs needed(const ops::ReduceCall& call, const Node& node) {
  if (call.op == ops::ReduceOp::sum || call.op == ops::ReduceOp::mean) return {};
  const ops::ReduceGradient gradient = ops::reduce_gradient_of(call.op, node.inputs[0].view.dtype);
  return {gradient.uses_operand ? 1u : 0u, gradient.uses_result ? 1u : 0u};
}

Status run(const ops::ReduceCall& call, Backward& backward) {
  const View& operand = backward.node().inputs[0].view;
  const Layout& shape = operand.layout;
  if (call.op == ops::ReduceOp::sum) return run_sum(1, call.axes, backward);
  if (call.op == ops::ReduceOp::mean) return run_sum(1 / reduced_count(shape, call.axes), call.axes, backward);
  const ops::ReduceGradient gradient = ops::reduce_gradient_of(call.op, operand.dtype);
  Slot again;
  View dy, result;
  RONDO_TRY(backward.incoming_view(&dy));
  dy = with_axes(dy, shape, call.axes);
  if (gradient.uses_result) {
    RONDO_TRY(result_of(backward, &again, &result));
    result = with_axes(result, shape, call.axes);
  }
  ops::EvaluateInto evaluate;
  if (heard())
    evaluate = [&](const Expression& expression, std::span<const View* const> inputs, const Word* words,
                   const View& out) {
      const View* const to = &out;
      return backward.interpret(expression, inputs, words, {&to, 1});
    };
  return backward.give(0, shape, [&](ops::Output& out) {
    return ops::reduce_gradient(kFunction, call.op, call.parameter, shape, call.axes,
                                gradient.uses_operand ? &operand : nullptr, gradient.uses_result ? &result : nullptr,
                                dy, out, evaluate);
  });
}

// --- rows ---

Status run(const ops::SoftmaxCall& call, Backward& backward) {
  Slot again;
  View y, dy;
  RONDO_TRY(backward.incoming_view(&dy));
  RONDO_TRY(result_of(backward, &again, &y));
  return backward.give(0, y.layout, [&](ops::Output& out) {
    return ops::softmax_grad(kFunction, options_of(call, backward, 1), y, dy, call.axis, out);
  });
}

// out = s y (dy - sum(y dy)): for a change g of out, s y (g - sum(y g)) for dy, and s (g dy - g sum(y dy) - dy sum(y
// g)) for y.
Status run_softmax_grad(const ops::SoftmaxGradCall& call, double scale, Backward& backward) {
  const View &y = backward.input(0), &dy = backward.input(1);
  View g;
  RONDO_TRY(backward.incoming_view(&g));
  if (backward.wants(1))
    RONDO_TRY(backward.give(1, y.layout, [&](ops::Output& out) {
      return ops::softmax_grad(kFunction, options_of(call, backward, 2), y, g, call.axis, out);
    }));
  if (!backward.wants(0)) return {};
  const int32_t axis = call.axis;
  const auto dot = [&](const View& with, Slot* sum) {
    Slot product;
    RONDO_TRY(
        make(&product, [&](ops::Output& out) { return ops::binary(kFunction, RONDO_MUL, y, with, 0, nullptr, out); }));
    return make(sum,
                [&](ops::Output& out) { return ops::reduce(RONDO_SUM, product.tensor->view, 1, &axis, true, out); });
  };
  Slot s, t;
  RONDO_TRY(dot(dy, &s));
  RONDO_TRY(dot(g, &t));
  Expression e;
  ops::Value in[4];
  for (ops::Value& value : in) value = e.input(y.dtype);  // g, dy, s, t
  const ops::Value factor = e.scalar(compute_dtype(y.dtype));
  const ops::Value first = e.apply(Op::mul, in[0], e.apply(Op::sub, in[1], in[2]));
  const ops::Value change = e.apply(Op::sub, first, e.apply(Op::mul, in[1], in[3]));
  e.output(e.apply(Op::mul, change, factor), y.dtype, false);
  const View along_s = under(s.tensor->view, y.layout), along_t = under(t.tensor->view, y.layout);
  const View* operands[] = {&g, &dy, &along_s, &along_t};
  const Word word = ops::float_word(compute_dtype(y.dtype), scale);
  const size_t input = 0;
  return backward.give_all("softmax_grad_grad", e, operands, &word, {&input, 1});
}

// out = s (dy - exp(y) sum(dy)): s (g - sum(exp(y) g)) for dy, and -s g exp(y) sum(dy) for y.
Status run_log_softmax_grad(const ops::SoftmaxGradCall& call, double scale, Backward& backward) {
  const View &y = backward.input(0), &dy = backward.input(1);
  View g;
  RONDO_TRY(backward.incoming_view(&g));
  const int32_t axis = call.axis;
  Slot shares, product, dot, sum;
  RONDO_TRY(make(&shares, [&](ops::Output& out) { return ops::unary(kFunction, RONDO_EXP, y, 0, nullptr, out); }));
  RONDO_TRY(make(&product, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_MUL, shares.tensor->view, g, 0, nullptr, out);
  }));
  const auto total = [&](const View& of, Slot* to) {
    return make(to, [&](ops::Output& out) { return ops::reduce(RONDO_SUM, of, 1, &axis, true, out); });
  };
  RONDO_TRY(total(product.tensor->view, &dot));
  RONDO_TRY(total(dy, &sum));
  const auto scaled = [&](rondo_binary_op op, const View& a, const View& b, double factor) {
    return [&, op, factor](ops::Output& out) {
      Slot value;
      RONDO_TRY(make(&value, [&](ops::Output& to) { return ops::binary(kFunction, op, a, b, 0, nullptr, to); }));
      return ops::binary_scalar(kFunction, RONDO_MUL, value.tensor->view, ops::Scalar::of(factor), false, out);
    };
  };
  if (backward.wants(1)) RONDO_TRY(backward.give(1, y.layout, scaled(RONDO_SUB, g, dot.tensor->view, scale)));
  if (!backward.wants(0)) return {};
  return backward.give(0, y.layout, scaled(RONDO_MUL, product.tensor->view, sum.tensor->view, -scale));
}

Status run(const ops::SoftmaxGradCall& call, Backward& backward) {
  if (call.lengths) return error(RONDO_UNSUPPORTED, "of rows with lengths there is no second gradient");
  const double scale = (call.op == RONDO_SOFTMIN ? -1 : 1) / call.temperature;
  return call.op == RONDO_LOG_SOFTMAX ? run_log_softmax_grad(call, scale, backward)
                                      : run_softmax_grad(call, scale, backward);
}

// One number per row, under a row's shape.
View per_row(const View& view, const Layout& shape) {
  View column = view;
  column.layout.ndim = 2;
  column.layout.shape[1] = 1;
  column.layout.strides[1] = 0;
  return under(column, shape);
}

Status run(const ops::CrossEntropyCall&, Backward& backward) {
  const View &logits = backward.input(0), &labels = backward.input(1);
  const Value& incoming = backward.incoming();
  if (incoming.uniform)
    return backward.give(0, logits.layout, [&](ops::Output& out) {
      return ops::cross_entropy_grad(logits, labels, incoming.number, out);
    });
  Slot rows;
  {
    ops::Output out(kFunction, &rows.tensor);
    RONDO_TRY(ops::cross_entropy_grad(logits, labels, 1, out));
  }
  const View dy = per_row(incoming.view, logits.layout);
  return backward.give(0, logits.layout, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_MUL, rows.tensor->view, dy, 0, nullptr, out);
  });
}

// out = (softmax(logits) - onehot(labels)) scale, zero in the rows of labels outside.
Status run(const ops::CrossEntropyGradCall& call, Backward& backward) {
  const View &logits = backward.input(0), &labels = backward.input(1);
  View g;
  RONDO_TRY(backward.incoming_view(&g));
  Slot low, high, inside, scale, chosen, softmax;
  RONDO_TRY(make(&low, [&](ops::Output& out) {
    return ops::binary_scalar(kFunction, RONDO_GE, labels, ops::Scalar::of_i64(0), false, out);
  }));
  RONDO_TRY(make(&high, [&](ops::Output& out) {
    return ops::binary_scalar(kFunction, RONDO_LT, labels, ops::Scalar::of_i64(logits.layout.shape[1]), false, out);
  }));
  RONDO_TRY(make(&inside, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_LOGICAL_AND, low.tensor->view, high.tensor->view, 0, nullptr, out);
  }));
  RONDO_TRY(make(&scale, [&](ops::Output& out) { return ops::cast(inside.tensor->view, logits.dtype, out); }));
  RONDO_TRY(make(&chosen, [&](ops::Output& out) {
    return ops::binary(kFunction, RONDO_MUL, g, per_row(scale.tensor->view, logits.layout), 0, nullptr, out);
  }));
  Slot scaled;
  RONDO_TRY(make(&scaled, [&](ops::Output& out) {
    return ops::binary_scalar(kFunction, RONDO_MUL, chosen.tensor->view, ops::Scalar::of(call.scale), false, out);
  }));
  RONDO_TRY(make(&softmax, [&](ops::Output& out) { return ops::softmax(kFunction, false, logits, 1, out); }));
  return backward.give(0, logits.layout, [&](ops::Output& out) {
    return ops::softmax_grad(softmax.tensor->view, scaled.tensor->view, 1, out);
  });
}

}  // namespace

unsigned flowing(const Node& node, unsigned active) {
  if (!node.call) return active;
  return std::visit(Overloaded{
                        [&](const ops::ElementwiseCall& call) { return flowing(call, node, active); },
                        [&](const ops::ReduceCall& call) { return flowing(call, node, active); },
                        [&](const ops::TakeCall&) { return active & 1; },
                        [&](const ops::TakeAlongAxisCall&) { return active & 1; },
                        [&](const ops::PutCall&) { return active & 6; },
                        [&](const ops::CumulativeCall& call) { return flowing(call, active); },
                        [&](const ops::NormCall& call) { return flowing(call, active); },
                        [&](const ops::WindowPickCall&) { return active & 1; },
                        [&](const auto&) { return active; },
                    },
                    node.call->of);
}

Needs needed(const Node& node, unsigned wanted) {
  if (!node.call) return {};
  Needs needs = std::visit(Overloaded{
                               [&](const ops::ElementwiseCall& call) { return needed(call, node, wanted); },
                               [&](const ops::AddNCall&) { return Needs{}; },
                               [&](const ops::WhereCall&) {
                                 return Needs{1, 0};
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
                               [&](const ops::SoftmaxGradCall& call) {
                                 return Needs{call.lengths ? 7u : 3u, 0};
                               },
                               [&](const ops::NormaliseCall& call) { return needed(call, wanted); },
                               [&](const ops::NormCall& call) { return needed(call, wanted); },
                               [&](const ops::WindowCall& call) {
                                 return Needs{0, call.largest ? 2u : 0u};
                               },
                               [&](const ops::WindowGradCall& call) {
                                 return Needs{call.largest ? 2u : 0u, 0};
                               },
                               [&](const ops::WindowPickCall&) {
                                 return Needs{2, 0};
                               },
                               [&](const ops::CumulativeCall& call) { return needed(call); },
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
                           },
                           node.call->of);
  // What was added to a tensor is computed again (result_of).
  if ((needs.outputs & 1) && node.outputs[0].view.accumulate)
    needs = {(1u << node.inputs.size()) - 1, needs.outputs & ~1u};
  return needs;
}

bool makes_last(const Node& node) {
  return node.call && std::holds_alternative<ops::MatmulCall>(node.call->of);
}

Status run_rule(Backward& backward) {
  return std::visit([&](const auto& call) { return run(call, backward); }, backward.node().call->of);
}

}  // namespace rondo::tape
