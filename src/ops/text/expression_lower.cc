// Lowers a parsed text to an expression over operands of known dtypes, by the rules that operators have: operands are
// promoted, a number takes the dtype of what it meets, 16-bit floats are computed in float.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/expression_lower.h"

#include <string>

#include "ops/operators/reductions.h"
#include "ops/operators/scalar.h"
#include "ops/text/expression_numbers.h"

namespace rondo::ops {

using Node = ExpressionText::Node;

namespace {

// A node in a call: a number, or a value of the expression with the dtype that it would have in memory.
struct Typed {
  bool number = false;
  bool constant = false;  // the number is the same in every call
  Scalar scalar;
  Value value = 0;
  rondo_dtype dtype = RONDO_BOOL;
};

class Lowering {
 public:
  Lowering(const ExpressionText& text, std::span<const Bound> bound, Lowered& to)
      : text_(text), bound_(bound), to_(to), e_(to.expression) {}

  Status run() {
    for (const Bound& each : bound_) inputs_.push_back(each.view ? e_.input(each.view->dtype) : Value{0});
    typed_.reserve(static_cast<uint32_t>(text_.nodes().size()));
    for (const Node& node : text_.nodes()) {
      Typed typed;
      RONDO_TRY(one(node, &typed));
      typed_.push_back(typed);
      if (e_.overflow())
        return text_.error_at(RONDO_UNSUPPORTED, node.at,
                              "one kernel takes %d tensors, %d numbers and %d operations, and here are more; compute "
                              "a part in an expression of its own",
                              Expression::kMaxInputs, Expression::kMaxScalars, Expression::kMaxInstructions);
    }
    for (const ExpressionText::Result& result : text_.results()) {
      const Typed& typed = typed_[result.node];
      if (typed.number) return without_dtype(text_.nodes()[result.node].at, result.name.c_str());
      to_.results.push_back({typed.value, typed.dtype});
    }
    return {};
  }

 private:
  const Typed& of(const Node& node, int i) const { return typed_[node.nodes[i]]; }

  Status without_dtype(uint32_t at, const char* what) const {
    return text_.error_at(RONDO_INVALID_ARGUMENT, at,
                          "%s is made of numbers only, which have no dtype; a cast such as f32(...) gives one", what);
  }

  Status one(const Node& node, Typed* typed) {
    switch (node.kind) {
      case Node::operand: {
        const Bound& bound = bound_[node.index];
        *typed = {!bound.view, false, bound.number, inputs_[node.index], bound.view ? bound.view->dtype : RONDO_BOOL};
        return {};
      }
      case Node::number: *typed = {true, true, node.value, 0, RONDO_BOOL}; return {};
      case Node::apply: return apply(node, typed);
      case Node::where: return where(node, typed);
      case Node::cast: {
        const Typed& from = of(node, 0);
        Value value = 0;
        if (from.number) {
          value = scalar(node.nodes[0], node.dtype, cast_word(from.scalar, node.dtype));
        } else {
          value = e_.cast(from.value, node.dtype);
          if (is_half(node.dtype)) value = e_.round(value, node.dtype);
        }
        *typed = tensor(value, node.dtype);
        return {};
      }
      case Node::softmax: return softmax(node, typed);
      case Node::product: return product(node, typed);
      case Node::reduce: return reduce(node, typed);
    }
    return {};
  }

  Status softmax(const Node& node, Typed* typed) {
    const Typed& from = of(node, 0);
    if (from.number) return without_dtype(node.at, "what the softmax is of");
    if (!is_float(from.dtype))
      return text_.error_at(RONDO_INVALID_ARGUMENT, node.at,
                            "a softmax is of floats, and the dtype here is %s; a cast such as f32(...) gives them",
                            dtype_name(from.dtype));
    to_.softmaxes.push_back({{from.value, from.dtype}, e_.input(compute_dtype(from.dtype))});
    *typed = tensor(to_.softmaxes.back().given, from.dtype);
    return {};
  }
  Status reduce(const Node& node, Typed* typed) {
    const Typed& from = of(node, 0);
    if (from.number) return without_dtype(node.at, "what is reduced");
    const ExpressionText::Reduction& reduction = text_.reductions()[node.index];
    const rondo_dtype dtype = reduced_dtype(find_reduction(reduction.op)->op, from.dtype);
    to_.reductions.push_back({{from.value, from.dtype}, reduction.finished ? e_.input(compute_dtype(dtype)) : Value{}});
    *typed = tensor(to_.reductions.back().given, dtype);
    return {};
  }

  Status product(const Node& node, Typed* typed) {
    for (int i = 0; i < 2; ++i)
      if (of(node, i).number)
        return text_.error_at(RONDO_INVALID_ARGUMENT, text_.nodes()[node.nodes[i]].at,
                              "a product is of two tensors, and this is a number");
    const Typed &a = of(node, 0), &b = of(node, 1);
    to_.product = {{{a.value, a.dtype}, {b.value, b.dtype}}, e_.input(compute_dtype(a.dtype))};
    *typed = tensor(to_.product.given, a.dtype);
    return {};
  }

  static Typed tensor(Value value, rondo_dtype dtype) { return {false, false, {}, value, dtype}; }

  // The scalar of a node that is a number. Nodes share one if they are the same, or the same in every call: what the
  // expression is made of must not depend on the values of arguments.
  Value scalar(uint16_t node, rondo_dtype dtype, uint64_t word) {
    const bool constant = typed_[node].constant;
    for (const Shared& each : scalars_)
      if (each.dtype == dtype && (each.node == node || (constant && each.constant && each.word == word)))
        return each.value;
    const Value value = e_.scalar(compute_dtype(dtype));
    to_.words.push_back(word);
    scalars_.push_back({node, dtype, constant, word, value});
    return value;
  }
  // A value as an operand among others whose common dtype this is. Small integers are exact in a 16-bit float.
  Value promoted(const Typed& from, rondo_dtype dtype) {
    if (from.dtype == dtype) return from.value;
    const Value value = e_.cast(from.value, dtype);
    return is_half(dtype) && !exact_in_half(from.dtype) ? e_.round(value, dtype) : value;
  }
  // An operand of an operator that computes in `dtype`.
  Status operand(const Node& node, int i, rondo_dtype dtype, Value* value) {
    const Typed& typed = of(node, i);
    if (!typed.number) {
      *value = promoted(typed, dtype);
      return {};
    }
    uint64_t word = 0;
    if (Status status = scalar_word("a number", typed.scalar, dtype, &word); !status.ok())
      return text_.error_at(status.code(), text_.nodes()[node.nodes[i]].at, "%s", status.message());
    *value = scalar(node.nodes[i], dtype, word);
    return {};
  }

  Status apply(const Node& node, Typed* typed) {
    const Operator& row = operator_of(node.op);
    Scalar numbers[3];
    bool all_numbers = true;
    bool constant = true;
    rondo_dtype common = RONDO_BOOL;
    for (int i = 0; i < node.count; ++i) {
      const Typed& each = of(node, i);
      numbers[i] = each.scalar;
      constant &= each.constant;
      if (each.number) continue;
      common = all_numbers ? each.dtype : promote(common, each.dtype);
      all_numbers = false;
    }
    if (all_numbers) {
      typed->number = true;
      typed->constant = constant;
      if (fold(node.op, numbers, &typed->scalar)) return {};
      return text_.error_at(RONDO_INVALID_ARGUMENT, node.at,
                            "%s is for integers and bool, and one of its operands is "
                            "not a whole number",
                            row.name);
    }
    if (row.domain == Domain::whole && is_float(common))
      return text_.error_at(RONDO_INVALID_ARGUMENT, node.at,
                            "%s is for integers and bool, and the operands' dtype is %s; a cast such as i32(...) gives "
                            "integers",
                            row.name, dtype_name(common));
    const rondo_dtype computed = row.computed(common);
    Value values[3] = {};
    for (int i = 0; i < node.count; ++i)
      RONDO_TRY(operand(node, i, i < row.operands ? computed : compute_dtype(computed), &values[i]));
    *typed = tensor(e_.apply(node.op, values[0], values[1], values[2]), row.boolean ? RONDO_BOOL : computed);
    return {};
  }

  Status where(const Node& node, Typed* typed) {
    const Typed& condition = of(node, 0);
    const Typed& a = of(node, 1);
    const Typed& b = of(node, 2);
    if (a.number && b.number) {
      if (!condition.number) return without_dtype(node.at, "what is chosen from");
      const bool chosen = condition.scalar.integer ? condition.scalar.i != 0 : condition.scalar.f != 0;
      *typed = chosen ? a : b;
      typed->constant = condition.constant && a.constant && b.constant;
      return {};
    }
    const rondo_dtype common = a.number ? b.dtype : b.number ? a.dtype : promote(a.dtype, b.dtype);
    const Value c = condition.number ? scalar(node.nodes[0], RONDO_BOOL, cast_word(condition.scalar, RONDO_BOOL))
                                     : e_.cast(condition.value, RONDO_BOOL);
    Value x = 0;
    Value y = 0;
    RONDO_TRY(operand(node, 1, common, &x));
    RONDO_TRY(operand(node, 2, common, &y));
    *typed = tensor(e_.where(c, x, y), common);
    return {};
  }

  const ExpressionText& text_;
  const std::span<const Bound> bound_;
  Lowered& to_;
  Expression& e_;
  struct Shared {
    uint16_t node;
    rondo_dtype dtype;
    bool constant;
    uint64_t word;
    Value value;
  };
  SmallVector<Shared, 8> scalars_;
  SmallVector<Value, 8> inputs_;  // by operand
  SmallVector<Typed, 16> typed_;  // by node
};

}  // namespace

Status lower(const ExpressionText& text, std::span<const Bound> bound, Lowered* lowered) {
  return Lowering(text, bound, *lowered).run();
}

}  // namespace rondo::ops
