// Running an expression's text: arguments found by name, outputs resolved, tasks submitted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/expression_call.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/text.h"
#include "engine/views.h"
#include "ops/elementwise_group.h"
#include "ops/matmul.h"
#include "ops/overlap.h"
#include "ops/prepared.h"
#include "ops/reduce.h"
#include "ops/rows.h"

namespace rondo::ops {

using Node = ExpressionText::Node;

namespace {

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Status bind(const char* function, const ExpressionText& text, std::span<const rondo_argument> arguments,
            std::vector<Bound>* bound) {
  const std::vector<std::string>& names = text.operands();
  std::vector<bool> given(names.size());
  bound->resize(names.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const rondo_argument& each = arguments[i];
    size_t k = 0;
    while (k < names.size() && names[k] != each.name) ++k;
    if (k == names.size())
      return error(RONDO_INVALID_ARGUMENT,
                   "%s: arguments[%zu] is named '%s', which is not an operand of '%s'; its "
                   "operands are %s",
                   function, i, each.name, text.name(), names.empty() ? "none" : list(names).c_str());
    if (given[k])
      return error(RONDO_INVALID_ARGUMENT, "%s: arguments[%zu] gives '%s' a second time", function, i, each.name);
    given[k] = true;
    Bound& to = (*bound)[k];
    switch (each.kind) {
      case RONDO_ARGUMENT_TENSOR: to.view = &each.tensor->view; break;
      case RONDO_ARGUMENT_SCALAR: to.number = Scalar::of(each.scalar); break;
      case RONDO_ARGUMENT_INTEGER: to.number = Scalar::of_i64(each.integer); break;
    }
  }
  for (size_t k = 0; k < names.size(); ++k)
    if (!given[k])
      return error(RONDO_INVALID_ARGUMENT, "%s: operand '%s' of '%s' is not among the arguments; its operands are %s",
                   function, names[k].c_str(), text.name(), list(names).c_str());
  return {};
}

// One call. Results go to slots of its own, so that the caller's are untouched unless all went well.
class ExpressionCall {
 public:
  // function: for messages.
  ExpressionCall(const char* function, const ExpressionText& text, rondo_tensor** out)
      : function_(function), text_(text), out_(out), slots_(out, out + text.results().size()) {
    for (size_t i = 0; i < slots_.size(); ++i)
      outputs_.emplace_back(function_, &slots_[i], text.results()[i].name.c_str());
  }
  ~ExpressionCall() {
    for (size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i] != out_[i]) destroy_tensor(slots_[i]);  // made, and not handed over
  }
  ExpressionCall(const ExpressionCall&) = delete;
  ExpressionCall& operator=(const ExpressionCall&) = delete;

  // Checks, and makes the task of all that is elementwise, which the caller submits; null if there is nothing.
  Status pose(std::span<const rondo_argument> arguments, Ref<ElementwiseTask>* task) {
    RONDO_TRY(bind(function_, text_, arguments, &bound_));
    RONDO_TRY(find_shape());
    RONDO_TRY(check_outputs());
    RONDO_TRY(lower(text_, bound_, &lowered_));
    return elementwise(task);
  }
  // In front of it, since it may write over what these read; nobody reads what these write.
  Status row_results() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (comes_from(i, Node::softmax)) RONDO_TRY(softmax_result(i));
      if (comes_from(i, Node::product)) RONDO_TRY(product_result(i));
    }
    return {};
  }
  // Behind it.
  Status reduce_results() {
    for (size_t i = 0; i < slots_.size(); ++i)
      if (is_reduction(i)) RONDO_TRY(reduce_result(i));
    return {};
  }
  // Hands the results over, when nothing can go wrong any more.
  void commit() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      outputs_[i].commit();
      out_[i] = slots_[i];
    }
  }

  Engine& engine() const { return first().engine(); }
  Device& device() const { return first().device(); }
  const char* function() const { return function_; }
  // Calls f(name, view, whether it is written) for the tensors that the caller gave.
  template <class F>
  void each_given(const F& f) const {
    for (size_t k = 0; k < bound_.size(); ++k)
      if (bound_[k].view) f(text_.operands()[k].c_str(), *bound_[k].view, false);
    for (size_t i = 0; i < slots_.size(); ++i)
      if (out_[i]) f(text_.results()[i].name.c_str(), out_[i]->view, true);
  }

 private:
  const Node& node_of(size_t result) const { return text_.nodes()[text_.results()[result].node]; }
  // The reduction, softmax or product that a result comes from.
  const Node& origin_of(size_t result) const {
    return text_.nodes()[static_cast<size_t>(text_.results()[result].origin)];
  }
  bool is_elementwise(size_t result) const { return text_.results()[result].origin < 0; }
  bool comes_from(size_t result, Node::Kind kind) const {
    return !is_elementwise(result) && origin_of(result).kind == kind;
  }
  bool is_reduction(size_t result) const { return comes_from(result, Node::reduce); }
  // What a reduction is of; otherwise what the result is.
  const Lowered::Result& source_of(size_t result) const {
    return is_reduction(result) ? lowered_.reductions[origin_of(result).index].of : lowered_.results[result];
  }
  const View& first() const { return *tensors_[0]; }

  // Whether an operand is only multiplied: its shape is nobody's but the product's.
  bool only_multiplied(size_t operand) const {
    const Node* const product = text_.product();
    const std::vector<Node>& nodes = text_.nodes();
    const auto is = [&](uint16_t node) { return nodes[node].kind == Node::operand && nodes[node].index == operand; };
    if (!product || (!is(product->nodes[0]) && !is(product->nodes[1]))) return false;
    for (const Node& each : nodes)
      for (int i = 0; i < each.count && &each != product; ++i)
        if (is(each.nodes[i])) return false;
    return std::none_of(text_.results().begin(), text_.results().end(),
                        [&](const auto& each) { return is(each.node); });
  }
  // What a text's product is of, and how.
  struct Factors {
    MatmulNames names;
    const View *a, *b;
    MatmulOptions options;
  };
  Factors factors() const {
    const Node& node = *text_.product();
    const Node &a = text_.nodes()[node.nodes[0]], &b = text_.nodes()[node.nodes[1]];
    MatmulOptions options;
    options.transpose_a = (node.index & 1) != 0;
    options.transpose_b = (node.index & 2) != 0;
    return {{function_, text_.operands()[a.index].c_str(), text_.operands()[b.index].c_str()},
            bound_[a.index].view,
            bound_[b.index].view,
            options};
  }
  // The same status, with the place of a node.
  Status told(const Node& node, const Status& status) const {
    return status.ok() ? status : text_.error_at(status.code(), node.at, "%s", status.message());
  }

  // The tensors among the operands, and what they broadcast to: the shape of the product, if there is one.
  Status find_shape() {
    std::vector<NamedView> named;
    const char* before = "";
    for (size_t k = 0; k < bound_.size(); ++k) {
      const View* view = bound_[k].view;
      if (!view) continue;
      const char* name = text_.operands()[k].c_str();
      tensors_.push_back(view);
      named.push_back({name, view});
    }
    if (tensors_.empty())
      return error(RONDO_INVALID_ARGUMENT,
                   "%s: no argument is a tensor, so the results have neither shape nor device; at least one is needed",
                   function_);
    RONDO_TRY(check_inputs(function_, named));
    if (text_.product()) return find_product_shape();
    shape_ = first().layout;
    for (const NamedView& each : named) {
      Layout joined;
      if (!broadcast_shapes(shape_, each.view->layout, &joined))
        return error(
            RONDO_INVALID_ARGUMENT,
            "%s: %s of shape %s does not broadcast with %s%s of shape %s; from the last axis on, sizes must be "
            "equal or 1",
            function_, each.name, shape_text(each.view->layout).c_str(), named[0].name, before,
            shape_text(shape_).c_str());
      shape_ = joined;
      if (&each != named.data()) before = " and others";
    }
    return {};
  }

  Status find_product_shape() {
    const Factors of = factors();
    if (!of.a || !of.b) return {};  // lower() says so
    RONDO_TRY(told(*text_.product(), matmul_shape(of.names, *of.a, *of.b, of.options, &shape_)));
    for (size_t k = 0; k < bound_.size(); ++k) {
      Layout joined;
      if (!bound_[k].view || only_multiplied(k)) continue;
      if (!broadcast_shapes(shape_, bound_[k].view->layout, &joined) || !joined.same_shape(shape_))
        return error(RONDO_INVALID_ARGUMENT,
                     "%s: %s of shape %s does not broadcast to %s, the shape of the product; from the last axis on, "
                     "sizes must be equal or 1",
                     function_, text_.operands()[k].c_str(), shape_text(bound_[k].view->layout).c_str(),
                     shape_text(shape_).c_str());
    }
    return {};
  }

  // What resolve() does not see: outputs that share elements with each other, or that a task of its own would write
  // over what others read.
  Status check_outputs() const {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i]) continue;
      const View& written = slots_[i]->view;
      for (size_t k = 0; k < i; ++k)
        if (slots_[k] && written.storage == slots_[k]->view.storage && overlap(written, slots_[k]->view))
          return error(RONDO_INVALID_ARGUMENT, "%s: %s shares elements with %s; each result needs a tensor of its own",
                       function_, text_.results()[i].name.c_str(), text_.results()[k].name.c_str());
      if (is_elementwise(i)) continue;
      for (size_t k = 0; k < bound_.size(); ++k)
        if (bound_[k].view && written.storage == bound_[k].view->storage && overlap(written, *bound_[k].view))
          return error(RONDO_INVALID_ARGUMENT,
                       "%s: %s is %s and shares elements with the operand %s; write to another tensor", function_,
                       text_.results()[i].name.c_str(),
                       is_reduction(i)                ? "a reduction"
                       : comes_from(i, Node::product) ? "made of a product"
                                                      : "made of a softmax",
                       text_.operands()[k].c_str());
    }
    return {};
  }

  // Whether a result that is elementwise is written over this operand.
  bool overwritten(const View& operand) const {
    for (size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i] && slots_[i]->view.storage == operand.storage) return true;
    return false;
  }
  // The operand that a node is, if it is one that is a tensor.
  const View* operand_of(const Node& node) const {
    return node.kind == Node::operand ? bound_[node.index].view : nullptr;
  }

  // Every result that is elementwise, and what reductions need beside those, in one task.
  Status elementwise(Ref<ElementwiseTask>* task) {
    Expression expression = lowered_.expression;
    std::vector<View> written;
    sources_.resize(slots_.size());
    made_.resize(slots_.size());
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!is_elementwise(i)) continue;
      const Lowered::Result& result = lowered_.results[i];
      View to;
      RONDO_TRY(outputs_[i].resolve(first().engine(), first().device(), result.dtype, shape_, tensors_, true, &to));
      expression.output(result.value, to.dtype, to.accumulate);
      written.push_back(to);
      sources_[i] = to;
    }
    for (size_t i = 0; i < slots_.size(); ++i)
      if (is_reduction(i)) RONDO_TRY(find_source(i, &expression, &written));
    if (written.empty()) return {};
    if (expression.overflow())
      return error(RONDO_UNSUPPORTED,
                   "%s: one kernel writes %d results, and '%s' has more; compute some in an "
                   "expression of its own",
                   function_, Expression::kMaxOutputs, text_.name());
    expression = expression.without_dead();
    const unsigned used = expression.used_inputs();
    std::vector<const View*> views;
    for (size_t k = 0; k < tensors_.size(); ++k)
      if ((used >> k) & 1) views.push_back(tensors_[k]);
    for (const View& each : written) views.push_back(&each);
    const Expression shortened = expression.without_inputs(~used);
    *task = make_ref<ElementwiseTask>(text_.name(), device(), shortened, shape_, views.data(), lowered_.words.data());
    return {};
  }

  // Whether reduction i makes what it reduces itself: of operands, none of which a result is written over.
  bool made_within(size_t i) {
    auto made = std::make_shared<ReducedExpression>();
    Expression& expression = made->expression;
    expression = lowered_.expression;
    expression.output(source_of(i).value, source_of(i).dtype, false);
    expression = expression.without_dead();
    const unsigned used = expression.used_inputs();
    if (used == 0 || expression.overflow()) return false;
    expression = expression.without_inputs(~used);
    made->scalars = lowered_.words;
    for (size_t k = 0; k < tensors_.size(); ++k) {
      if (!((used >> k) & 1)) continue;
      if (overwritten(*tensors_[k])) return false;
      View& input = made->inputs.emplace_back(*tensors_[k]);
      input.layout = broadcast_layout(input.layout, shape_);
    }
    made_[i] = std::move(made);
    return true;
  }

  // What reduction i reads: a result or operand that is the same, or what it makes itself, or else a temporary that the
  // task writes too.
  Status find_source(size_t i, Expression* expression, std::vector<View>* written) {
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
    if (Status status = check_shape(shape_.ndim, shape_.shape, wanted.dtype, &possible); !status.ok())
      return status.with_context(function_);
    if (made_within(i)) return {};
    temporaries_.emplace_back();
    source = make_temporary(first().engine(), first().device(), wanted.dtype, shape_, &temporaries_.back());
    expression->output(wanted.value, wanted.dtype, false);
    written->push_back(source);
    return {};
  }

  // A value of the text as an expression of its own, and its operands; `given` may be among its inputs, as the last.
  bool take_out(Value value, rondo_dtype dtype, const Value* given, RowSide* side) const {
    Expression expression = lowered_.expression;
    expression.output(value, dtype, false);
    expression = expression.without_dead();
    const unsigned kept = expression.used_inputs() | (given ? 1u << *given : 0);
    side->expression = expression.without_inputs(~kept);
    side->scalars = lowered_.words;
    for (size_t k = 0; k < tensors_.size(); ++k) {
      if (!((kept >> k) & 1)) continue;
      View& input = side->inputs.emplace_back(*tensors_[k]);
      input.layout = broadcast_layout(input.layout, shape_);
    }
    return !expression.overflow();
  }

  Status check_float(size_t i, const char* origin) const {
    const rondo_dtype dtype = lowered_.results[i].dtype;
    if (is_float(dtype)) return {};
    return text_.error_at(RONDO_INVALID_ARGUMENT, node_of(i).at,
                          "%s comes from a %s and has dtype %s; a cast such as f32(...) makes it a float",
                          text_.results()[i].name.c_str(), origin, dtype_name(dtype));
  }

  // Of a product, what stands behind it is computed where it stores.
  Status product_result(size_t i) {
    const Factors of = factors();
    const Node& node = *text_.product();
    if (node_of(i).kind == Node::product)
      return told(node, multiply(of.names, *of.a, *of.b, of.options, nullptr, of.a->dtype, outputs_[i]));
    const Lowered::Result& result = lowered_.results[i];
    RONDO_TRY(check_float(i, "product"));
    auto after = std::make_shared<RowSide>();
    if (!take_out(result.value, compute_dtype(result.dtype), &lowered_.product, after.get()))
      return error(RONDO_INTERNAL, "%s: '%s' does not fit", function_, text_.name());
    return told(node, multiply(of.names, *of.a, *of.b, of.options, std::move(after), result.dtype, outputs_[i]));
  }

  // Of a softmax, what stands before and behind it is computed where it loads and where it stores.
  Status softmax_result(size_t i) {
    const Node& node = origin_of(i);
    const ExpressionText::Softmax& softmax = text_.softmaxes()[node.index];
    const View* operand = operand_of(text_.nodes()[node.nodes[0]]);
    if (operand && node_of(i).kind == Node::softmax) {
      View a = *operand;
      a.layout = broadcast_layout(a.layout, shape_);
      return told(node, ops::softmax(function_, SoftmaxOptions{softmax.op}, a, softmax.axis, outputs_[i]));
    }
    const Lowered::Origin& origin = lowered_.softmaxes[node.index];
    const Lowered::Result &of = origin.of, &result = lowered_.results[i];
    RONDO_TRY(check_float(i, "softmax"));
    auto made = std::make_shared<RowExpression>();
    made->dtype = of.dtype;
    made->result = result.dtype;
    const bool fits = take_out(of.value, compute_dtype(of.dtype), nullptr, &made->before) &&
                      take_out(result.value, compute_dtype(result.dtype), &origin.given, &made->after);
    if (!fits) return error(RONDO_INTERNAL, "%s: '%s' does not fit", function_, text_.name());
    if (made->before.inputs.empty())
      return text_.error_at(RONDO_INVALID_ARGUMENT, node.at,
                            "the softmax is of no tensor; its rows would be all alike");
    return told(node, softmax_expression(function_, softmax.op, std::move(made), softmax.axis, outputs_[i]));
  }

  // Of a reduction, what stands behind it is computed where it stores.
  Status reduce_result(size_t i) {
    const Node& node = origin_of(i);
    const ExpressionText::Reduction& reduction = text_.reductions()[node.index];
    const auto count = static_cast<int>(reduction.axes.size());
    const int32_t* const axes = count ? reduction.axes.data() : nullptr;
    std::shared_ptr<ReduceFinish> finish;
    if (node_of(i).kind != Node::reduce) RONDO_TRY(make_finish(i, &finish));
    const Status status = reduce_expression(function_, reduction.op, sources_[i], std::move(made_[i]),
                                            std::move(finish), count, axes, reduction.keep, outputs_[i]);
    return status.ok() ? status : text_.error_at(status.code(), node.at, "%s", status.message());
  }
  Status make_finish(size_t i, std::shared_ptr<ReduceFinish>* finish) const {
    const Lowered::Result& result = lowered_.results[i];
    RowSide side;
    if (!take_out(result.value, compute_dtype(result.dtype), &lowered_.reductions[origin_of(i).index].given, &side))
      return error(RONDO_INTERNAL, "%s: '%s' does not fit", function_, text_.name());
    if (!side.inputs.empty())
      return text_.error_at(RONDO_INVALID_ARGUMENT, node_of(i).at,
                            "%s comes from a reduction, whose result has another shape than the tensors that it meets "
                            "here; with numbers alone it may be computed, so run another expression on it",
                            text_.results()[i].name.c_str());
    *finish = std::make_shared<ReduceFinish>();
    **finish = {side.expression, std::move(side.scalars), result.dtype};
    return {};
  }

  const char* const function_;
  const ExpressionText& text_;
  rondo_tensor** const out_;
  std::vector<rondo_tensor*> slots_;
  std::deque<Output> outputs_;
  std::vector<Bound> bound_;          // by operand
  std::vector<const View*> tensors_;  // of the operands that are: the inputs of the expression
  Layout shape_;
  Lowered lowered_;
  std::vector<View> sources_;                             // by result: where it is, or what a reduction reads
  std::vector<std::shared_ptr<ReducedExpression>> made_;  // by result: what a reduction makes itself
  std::deque<Ref<Storage>> temporaries_;
};

}  // namespace

Status run_expression(const ExpressionText& text, std::span<const rondo_argument> arguments, rondo_tensor** out) {
  ExpressionCall call("rondo_expression_run", text, out);
  Ref<ElementwiseTask> task;
  RONDO_TRY(call.pose(arguments, &task));
  RONDO_TRY(call.row_results());
  if (task) RONDO_TRY(submit_prepared(call.engine(), std::move(task), {}));
  RONDO_TRY(call.reduce_results());
  call.commit();
  return {};
}

namespace {

// Sets of one call, each with a name for messages.
struct Set {
  char function[64];
  std::optional<ExpressionCall> call;
};

// A tensor of a set, by the bytes between its first and last element.
struct Given {
  int64_t begin, end;
  const char* name;
  const View* view;
  bool written;
  const Set* set;
};

// An error if what a set writes is touched by another one. Tensors are sorted, so that each is compared with those
// alone that begin within it.
Status check_apart(const std::deque<Set>& sets) {
  std::vector<Given> all;
  for (const Set& set : sets)
    set.call->each_given([&](const char* name, const View& view, bool written) {
      int64_t low = 0, high = 0;
      view.layout.extent(&low, &high);
      const auto size = static_cast<int64_t>(dtype_size(view.dtype));
      all.push_back({view.offset + low * size, view.offset + high * size, name, &view, written, &set});
    });
  const auto storage = [](const Given& each) -> const Storage* { return each.view->storage; };
  std::sort(all.begin(), all.end(), [&](const Given& a, const Given& b) {
    return storage(a) != storage(b) ? std::less<>()(storage(a), storage(b)) : a.begin < b.begin;
  });
  for (auto a = all.begin(); a != all.end(); ++a)
    for (auto b = a + 1; b != all.end() && storage(*b) == storage(*a) && b->begin < a->end; ++b)
      if (a->set != b->set && (a->written || b->written) && overlap(*a->view, *b->view)) {
        const Given &writes = a->written ? *a : *b, &other = a->written ? *b : *a;
        return error(RONDO_INVALID_ARGUMENT,
                     "%s: %s shares elements with %s of another set; what a set writes, no other may touch",
                     writes.set->function, writes.name, other.name);
      }
  return {};
}

}  // namespace

Status run_expression_each(const ExpressionText& text, size_t count, std::span<const rondo_argument> arguments,
                           rondo_tensor** out) {
  if (count == 0) return {};
  const size_t n_arguments = arguments.size() / count, n_out = text.results().size();
  std::deque<Set> sets;
  std::vector<Ref<ElementwiseTask>> parts;
  for (size_t i = 0; i < count; ++i) {
    Set& set = sets.emplace_back();
    std::snprintf(set.function, sizeof set.function, "rondo_expression_run_each, set %zu", i);
    ExpressionCall& call = set.call.emplace(set.function, text, out + i * n_out);
    Ref<ElementwiseTask> part;
    RONDO_TRY(call.pose(arguments.subspan(i * n_arguments, n_arguments), &part));
    const ExpressionCall& first = *sets[0].call;
    if (&call.engine() != &first.engine())
      return error(RONDO_INVALID_ARGUMENT, "%s: it belongs to another engine than set 0; all must be of one engine",
                   set.function);
    if (&call.device() != &first.device())
      return error(RONDO_INVALID_ARGUMENT, "%s: it is on %s but set 0 is on %s; all must be on one device",
                   set.function, device_name(call.device().id()).c_str(), device_name(first.device().id()).c_str());
    if (part) parts.push_back(std::move(part));
  }
  RONDO_TRY(check_apart(sets));
  for (Set& set : sets) RONDO_TRY(set.call->row_results());
  const ExpressionCall& first = *sets[0].call;
  if (!parts.empty())
    RONDO_TRY(
        submit_prepared(first.engine(), make_ref<ElementwiseGroup>(text.name(), first.device(), std::move(parts)), {}));
  for (Set& set : sets) RONDO_TRY(set.call->reduce_results());
  for (Set& set : sets) set.call->commit();
  return {};
}

}  // namespace rondo::ops
