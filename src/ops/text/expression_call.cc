// Poses a call of an expression's text: arguments found by name, shapes, outputs, and the elementwise tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/expression_call.h"

#include <algorithm>
#include <string>

#include "engine/views.h"
#include "ops/program/overlap.h"

namespace rondo::ops {

namespace {

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Status bind(const ExpressionText& text, std::span<const rondo_argument> arguments, SmallVector<Bound, 8>* bound) {
  const std::vector<std::string>& names = text.operands();
  static_assert(ExpressionText::kMaxNames <= 64);
  uint64_t given = 0;  // bit k: names[k]
  for (size_t k = 0; k < names.size(); ++k) bound->push_back({});
  for (size_t i = 0; i < arguments.size(); ++i) {
    const rondo_argument& each = arguments[i];
    size_t k = 0;
    while (k < names.size() && names[k] != each.name) ++k;
    if (k == names.size())
      return error(RONDO_INVALID_ARGUMENT,
                   "arguments[%zu] is named '%s', which is not an operand of '%s'; its "
                   "operands are %s",
                   i, each.name, text.name(), names.empty() ? "none" : list(names).c_str());
    if ((given >> k) & 1) return error(RONDO_INVALID_ARGUMENT, "arguments[%zu] gives '%s' a second time", i, each.name);
    given |= uint64_t{1} << k;
    Bound& to = (*bound)[k];
    switch (each.kind) {
      case RONDO_ARGUMENT_TENSOR: to.view = &each.tensor->view; break;
      case RONDO_ARGUMENT_SCALAR: to.number = Scalar::of(each.scalar); break;
      case RONDO_ARGUMENT_INTEGER: to.number = Scalar::of_i64(each.integer); break;
    }
  }
  for (size_t k = 0; k < names.size(); ++k)
    if (!((given >> k) & 1))
      return error(RONDO_INVALID_ARGUMENT, "operand '%s' of '%s' is not among the arguments; its operands are %s",
                   names[k].c_str(), text.name(), list(names).c_str());
  return {};
}

}  // namespace

ExpressionCall::ExpressionCall(const ExpressionText& text, rondo_tensor** out) : text_(text), out_(out) {
  slots_.assign(out, static_cast<uint32_t>(text.results().size()));
  outputs_.reserve(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) outputs_.emplace_back(&slots_[i], text.results()[i].name.c_str());
}
ExpressionCall::~ExpressionCall() {
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i] != out_[i]) destroy_tensor(slots_[i]);  // made, and not handed over
}

Status ExpressionCall::pose(std::span<const rondo_argument> arguments, const ExpressionCall* like, StagedTasks* parts) {
  RONDO_TRY(bind(text_, arguments, &bound_));
  RONDO_TRY(find_tensors());
  RONDO_TRY(lower_like(like));
  RONDO_TRY(text_.product() ? find_product_shape() : find_shape());
  RONDO_TRY(check_outputs());
  stage(parts);
  return elementwise(parts);
}

// Tensors count by their dtypes, numbers by their values, which stand among the expression's words.
Status ExpressionCall::lower_like(const ExpressionCall* like) {
  const auto alike = [](const Bound& a, const Bound& b) {
    if (a.view || b.view) return a.view && b.view && a.view->dtype == b.view->dtype;
    return a.number.same(b.number);
  };
  if (!like || !std::equal(bound_.begin(), bound_.end(), like->bound_.begin(), alike))
    return lower(text_, bound_, &lowered_);
  lowered_ = like->lowered_;
  return {};
}

void ExpressionCall::commit() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    outputs_[i].commit();
    out_[i] = slots_[i];
  }
}

Status ExpressionCall::find_tensors() {
  SmallVector<NamedView, 8> named;
  for (size_t k = 0; k < bound_.size(); ++k) {
    if (!bound_[k].view) continue;
    tensors_.push_back(bound_[k].view);
    named.push_back({text_.operands()[k].c_str(), bound_[k].view});
  }
  if (tensors_.empty())
    return error(RONDO_INVALID_ARGUMENT,
                 "no argument is a tensor, so the results have neither shape nor device; at least one is needed");
  return check_inputs(named);
}

// The operands that nodes are made of, a bit each. The factors of a product are not among them.
uint64_t ExpressionCall::operands_of(std::vector<bool> wanted) const {
  uint64_t found = 0;
  for (size_t n = wanted.size(); n-- > 0;) {
    const Node& node = text_.nodes()[n];
    if (!wanted[n]) continue;
    if (node.kind == Node::operand) found |= uint64_t{1} << node.index;
    for (int i = 0; i < node.count && node.kind != Node::product; ++i) wanted[node.nodes[i]] = true;
  }
  return found;
}

// The shape that the tensors among operands broadcast to.
Status ExpressionCall::broadcast(uint64_t operands, Layout* shape) const {
  const char* first = nullptr;
  const char* before = "";
  for (size_t k = 0; k < bound_.size(); ++k) {
    if (!bound_[k].view || !((operands >> k) & 1)) continue;
    const char* name = text_.operands()[k].c_str();
    const Layout& layout = bound_[k].view->layout;
    Layout joined;
    if (!first) {
      first = name;
      joined = layout;
    } else if (!broadcast_shapes(*shape, layout, &joined)) {
      return error(RONDO_INVALID_ARGUMENT,
                   "%s of shape %s does not broadcast with %s%s of shape %s; from the last axis on, sizes must be "
                   "equal or 1",
                   name, shape_text(layout).c_str(), first, before, shape_text(*shape).c_str());
    } else {
      before = " and others";
    }
    *shape = joined;
  }
  return {};
}

Status ExpressionCall::find_shape() {
  return broadcast(~uint64_t{0}, &shape_);
}

// A factor that is in memory is multiplied there; a computed one is staged in a temporary, of the shape of its
// operands.
Status ExpressionCall::find_factor(int i) {
  const Node& product = *text_.product();
  const Node& node = text_.nodes()[product.nodes[i]];
  const Lowered::Result& of = lowered_.product.of[i];
  Factor& factor = factors_[i];
  factor.name = node.kind == Node::operand ? text_.operands()[node.index].c_str()
                : i == 0                   ? "the first operand"
                                           : "the second operand";
  if (Expression::is_input(of.value) && tensors_[of.value]->dtype == of.dtype) {
    factor.view = *tensors_[of.value];
    return {};
  }
  if (i == 1 && product.nodes[0] == product.nodes[1]) {
    factor.view = factors_[0].view;
    return {};
  }
  std::vector<bool> wanted(text_.nodes().size());
  wanted[product.nodes[i]] = true;
  Layout shape, possible;
  RONDO_TRY(located(node, broadcast(operands_of(std::move(wanted)), &shape)));
  if (shape.ndim < 2)  // of numbers alone too
    return text_.error_at(RONDO_INVALID_ARGUMENT, node.at, "%s has shape %s; at least 2 axes are needed", factor.name,
                          shape_text(shape).c_str());
  if (Status status = check_shape(shape.ndim, shape.shape, of.dtype, &possible); !status.ok())
    return located(node, status);
  factor.view = make_temporary(engine(), device(), of.dtype, shape, &temporaries_.emplace_front());
  factor.staged = true;
  return {};
}

MatmulOptions ExpressionCall::product_options() const {
  MatmulOptions options;
  options.transpose_a = (text_.product()->index & 1) != 0;
  options.transpose_b = (text_.product()->index & 2) != 0;
  return options;
}

// It is the product's: what stands before that alone has its own.
Status ExpressionCall::find_product_shape() {
  const Node& product = *text_.product();
  for (int i = 0; i < 2; ++i) RONDO_TRY(find_factor(i));
  RONDO_TRY(located(product, matmul_shape(names(), factors_[0].view, factors_[1].view, product_options(), &shape_)));
  std::vector<bool> results(text_.nodes().size());
  for (const ExpressionText::Result& each : text_.results()) results[each.node] = true;
  const uint64_t operands = operands_of(std::move(results));
  for (size_t k = 0; k < bound_.size(); ++k) {
    Layout joined;
    if (!bound_[k].view || !((operands >> k) & 1)) continue;
    if (!broadcast_shapes(shape_, bound_[k].view->layout, &joined) || !joined.same_shape(shape_))
      return error(RONDO_INVALID_ARGUMENT,
                   "%s of shape %s does not broadcast to %s, the shape of the product; from the last axis on, "
                   "sizes must be equal or 1",
                   text_.operands()[k].c_str(), shape_text(bound_[k].view->layout).c_str(), shape_text(shape_).c_str());
  }
  return {};
}

// Checks what resolve() does not see: outputs that share elements with each other, or that a task of its own would
// write over what others read.
Status ExpressionCall::check_outputs() const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i]) continue;
    const View& written = slots_[i]->view;
    for (size_t k = 0; k < i; ++k)
      if (slots_[k] && written.storage == slots_[k]->view.storage && overlap(written, slots_[k]->view))
        return error(RONDO_INVALID_ARGUMENT, "%s shares elements with %s; each result needs a tensor of its own",
                     text_.results()[i].name.c_str(), text_.results()[k].name.c_str());
    if (is_elementwise(i)) continue;
    for (size_t k = 0; k < bound_.size(); ++k)
      if (bound_[k].view && written.storage == bound_[k].view->storage && overlap(written, *bound_[k].view))
        return error(RONDO_INVALID_ARGUMENT,
                     "%s is %s and shares elements with the operand %s; write to another tensor",
                     text_.results()[i].name.c_str(),
                     is_reduction(i)                ? "a reduction"
                     : comes_from(i, Node::product) ? "made of a product"
                                                    : "made of a softmax",
                     text_.operands()[k].c_str());
  }
  return {};
}

// True if a result that is elementwise is written over this operand.
bool ExpressionCall::overwritten(const View& operand) const {
  for (size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i] && slots_[i]->view.storage == operand.storage) return true;
  return false;
}

// The part of an expression that its outputs need, whose inputs are those of the text and stay if they have a bit in
// `given`. The tensors among them are appended.
Expression ExpressionCall::needed(const Expression& expression, unsigned given, Views* inputs) const {
  const Expression alive = expression.without_dead();
  const unsigned kept = alive.used_inputs() | given;
  for (size_t k = 0; k < tensors_.size(); ++k)
    if ((kept >> k) & 1) inputs->push_back(tensors_[k]);
  return alive.without_inputs(~kept);
}

// Adds the steps before the product, if a result comes from it.
void ExpressionCall::stage(StagedTasks* parts) const {
  bool multiplied = false;
  for (size_t i = 0; i < slots_.size(); ++i) multiplied |= comes_from(i, Node::product);
  if (!multiplied) return;
  for (int i = 0; i < 2; ++i) {
    const View& view = factors_[i].view;
    if (!factors_[i].staged || view.elements() == 0) continue;
    Expression expression = lowered_.expression;
    expression.output(lowered_.product.of[i].value, view.dtype, false);
    Views views;
    expression = needed(expression, 0, &views);
    views.push_back(&view);
    parts->before.push_back(make_ref<ElementwiseTask>(text_.name(), device(), expression, view.layout, views.begin(),
                                                      lowered_.words.begin()));
  }
}

// Computes every elementwise result, and the further inputs of reductions, in one task.
Status ExpressionCall::elementwise(StagedTasks* parts) {
  Expression expression = lowered_.expression;
  SmallVector<View, 2> written;
  for (size_t i = 0; i < slots_.size(); ++i) {
    sources_.push_back({});
    if (!is_elementwise(i)) continue;
    const Lowered::Result& result = lowered_.results[i];
    View to;
    RONDO_TRY(outputs_[i].resolve_elementwise(result.dtype, shape_, tensors_, &to));
    expression.output(result.value, to.dtype, to.accumulate);
    written.push_back(to);
    sources_[i] = to;
  }
  for (size_t i = 0; i < slots_.size(); ++i)
    if (is_reduction(i)) RONDO_TRY(find_source(i, &expression, &written));
  if (written.empty()) return {};
  if (expression.overflow())
    return error(RONDO_UNSUPPORTED,
                 "one kernel writes %d results, and '%s' has more; compute some in an "
                 "expression of its own",
                 Expression::kMaxOutputs, text_.name());
  Views views;
  expression = needed(expression, 0, &views);
  for (const View& each : written) views.push_back(&each);
  parts->results.push_back(
      make_ref<ElementwiseTask>(text_.name(), device(), expression, shape_, views.begin(), lowered_.words.begin()));
  return {};
}

// Returns whether reduction i makes the elements that it reduces itself: of operands, none of which a result is written
// over.
bool ExpressionCall::made_within(size_t i) {
  Expression expression = lowered_.expression;
  expression.output(source_of(i).value, source_of(i).dtype, false);
  if (expression.overflow()) return false;
  auto made = std::make_shared<ReducedExpression>();
  Views inputs;
  made->expression = needed(expression, 0, &inputs);
  made->scalars.assign(lowered_.words.begin(), lowered_.words.end());
  if (inputs.empty()) return false;
  for (const View* each : inputs) {
    if (overwritten(*each)) return false;
    View& input = made->inputs.emplace_back(*each);
    input.layout = broadcast_layout(input.layout, shape_);
  }
  made_[i] = std::move(made);
  return true;
}

// Finds the source of reduction i: an equal result or operand, or elements that it makes itself, or else a temporary
// that the task writes too.
Status ExpressionCall::find_source(size_t i, Expression* expression, SmallVector<View, 2>* written) {
  made_.resize(slots_.size());
  const Lowered::Result& wanted = source_of(i);
  View& source = sources_[i];
  for (size_t k = 0; k < slots_.size(); ++k) {
    const Lowered::Result& result = source_of(k);
    if (sources_[k].storage && !sources_[k].accumulate && result.value == wanted.value &&
        result.dtype == wanted.dtype && k != i) {
      source = sources_[k];
      return {};
    }
  }
  const View* operand = operand_of(text_.nodes()[origin_of(i).nodes[0]]);
  if (operand && !overwritten(*operand)) {
    source = *operand;
    source.layout = broadcast_layout(operand->layout, shape_);
    return {};
  }
  Layout possible;
  if (Status status = check_shape(shape_.ndim, shape_.shape, wanted.dtype, &possible); !status.ok()) return status;
  if (made_within(i)) return {};
  source = make_temporary(engine(), device(), wanted.dtype, shape_, &temporaries_.emplace_front());
  expression->output(wanted.value, wanted.dtype, false);
  written->push_back(source);
  return {};
}

}  // namespace rondo::ops
