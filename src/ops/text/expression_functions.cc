// Parses functions in the text of an expression: operators of the table, where, casts, and functions with arguments of
// their own kind: reductions, softmaxes and products.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ops/operators/reductions.h"
#include "ops/text/expression_parser.h"

namespace rondo::ops {

namespace {

const Operator* find_operator(std::string_view name) {
  for (int i = 0; i < kOperators; ++i)
    if (operator_of(static_cast<Op>(i)).name == name) return &operator_of(static_cast<Op>(i));
  return nullptr;
}

bool find_dtype(std::string_view name, rondo_dtype* dtype) {
  for (int i = 0; i < kDtypes; ++i)
    if (dtype_name(static_cast<rondo_dtype>(i)) == name) {
      *dtype = static_cast<rondo_dtype>(i);
      return true;
    }
  return false;
}

bool find_reduction(std::string_view name, rondo_reduce_op* op) {
  for (int i = 0; reduce_name(i); ++i)
    if (reduce_name(i) == name) {
      *op = static_cast<rondo_reduce_op>(i);
      return true;
    }
  return false;
}

bool find_softmax(std::string_view name, rondo_softmax_op* op) {
  for (int i = 0; softmax_name(i); ++i)
    if (softmax_name(i) == name) {
      *op = static_cast<rondo_softmax_op>(i);
      return true;
    }
  return false;
}

}  // namespace

Status ExpressionParser::call(const Token& name, uint16_t* value) {
  rondo_reduce_op reduction = RONDO_SUM;
  if (find_reduction(name.text, &reduction)) return reduce(name, reduction, value);
  rondo_softmax_op kind = RONDO_SOFTMAX;
  if (find_softmax(name.text, &kind)) return softmax(name, kind, value);
  if (name.text == "matmul") return product(name, value);
  uint16_t nodes[3] = {};
  int count = 0;
  advance();  // the parenthesis
  while (!token_.is(")")) {
    if (count == 3) return too_many();
    Status status = conditional(&nodes[count++]);
    if (!status.ok()) return status;
    const bool more = token_.is(",");
    if (more) advance();
    if (more == token_.is(")")) return expected(more ? "an argument" : "',' or ')' behind an argument");
  }
  advance();
  return called(name, nodes, count, value);
}

Status ExpressionParser::too_many() const {
  return refused(token_.at, "no function has more than 3 arguments");
}

// With what it is given.
Status ExpressionParser::called(const Token& name, uint16_t (&nodes)[3], int count, uint16_t* value) {
  if (name.text == "where") {
    if (count != 3) return takes(name, 3, 3, count);
    return choose(name.at, nodes[0], nodes[1], nodes[2], value);
  }
  Node node;
  node.at = name.at;
  if (find_dtype(name.text, &node.dtype)) {
    if (is_f8(node.dtype))
      return refused(name.at, quoted(name.text) + " is no dtype to compute with; cast the result (rondo_cast)");
    if (count != 1) return takes(name, 1, 1, count);
    node.kind = Node::cast;
    node.count = 1;
    node.nodes[0] = nodes[0];
    return add(node, value);
  }
  const Operator* row = find_operator(name.text);
  if (!row)
    return refused(name.at, quoted(name.text) +
                                " is not a function: possible are the operators of docs/operators.md, "
                                "where, dtypes as casts, matmul, softmaxes and reductions");
  int least = row->operands;
  while (least < row->operands + row->parameters && std::isnan(row->defaults[least - row->operands])) ++least;
  const int most = row->operands + row->parameters;
  if (count < least || count > most) return takes(name, least, most, count);
  for (; count < most; ++count)
    RONDO_TRY(number(name.at, Scalar::of(row->defaults[count - row->operands]), &nodes[count]));
  node.kind = Node::apply;
  node.op = row->op;
  node.count = static_cast<uint8_t>(count);
  std::copy_n(nodes, count, node.nodes);
  return add(node, value);
}
Status ExpressionParser::takes(const Token& name, int least, int most, int count) const {
  return refused(name.at,
                 least == most
                     ? format("%s takes %d arguments, not %d", quoted(name.text).c_str(), least, count)
                     : format("%s takes %d to %d arguments, not %d", quoted(name.text).c_str(), least, most, count));
}

// sum(value), sum(value, 0, -1), sum(value, 0, keep)
Status ExpressionParser::reduce(const Token& name, rondo_reduce_op op, uint16_t* value) {
  advance();  // the parenthesis
  Node node;
  node.kind = Node::reduce;
  node.at = name.at;
  node.count = 1;
  ExpressionText::Reduction reduction;
  reduction.op = op;
  RONDO_TRY(conditional(&node.nodes[0]));
  while (token_.is(",")) {
    advance();
    if (token_.kind == Token::name && token_.text == "keep" && !reduction.keep) {
      reduction.keep = true;
      advance();
      continue;
    }
    RONDO_TRY(axis(name.text == "max" || name.text == "min"
                       ? "an axis (a small whole number) or keep; the larger and the smaller of two are "
                         "maximum(a, b) and minimum(a, b)"
                       : "an axis (a small whole number) or keep",
                   &reduction.axes.emplace_back()));
    if (reduction.axes.size() > kMaxDims) return refused(token_.at, "more axes than a tensor has");
  }
  if (!token_.is(")")) return expected("',' or ')'");
  advance();
  node.index = static_cast<uint16_t>(to_.reductions_.size());
  to_.reductions_.push_back(std::move(reduction));
  return add(node, value);
}

// An axis among the arguments: 0, -1, axis = 0. wanted: what may stand there, for messages.
Status ExpressionParser::axis(const char* wanted, int32_t* axis) {
  if (token_.kind == Token::name && token_.text == "axis") {
    advance();
    if (!token_.is("=")) return expected("'=' behind axis");
    advance();
  }
  const bool negative = token_.is("-");
  if (negative) advance();
  if (token_.kind != Token::number || !token_.value.integer || token_.value.i > kMaxDims) return expected(wanted);
  *axis = static_cast<int32_t>(negative ? -token_.value.i : token_.value.i);
  advance();
  return {};
}

// softmax(value), softmax(value, 0)
Status ExpressionParser::softmax(const Token& name, rondo_softmax_op op, uint16_t* value) {
  advance();  // the parenthesis
  Node node;
  node.kind = Node::softmax;
  node.at = name.at;
  node.count = 1;
  ExpressionText::Softmax softmax;
  softmax.op = op;
  RONDO_TRY(conditional(&node.nodes[0]));
  if (token_.is(",")) {
    advance();
    RONDO_TRY(axis("an axis (a small whole number)", &softmax.axis));
  }
  if (!token_.is(")")) return expected("')'");
  advance();
  node.index = static_cast<uint16_t>(to_.softmaxes_.size());
  to_.softmaxes_.push_back(softmax);
  return add(node, value);
}

// matmul(a, b), matmul(a, b, transpose_a, transpose_b)
Status ExpressionParser::product(const Token& name, uint16_t* value) {
  if (to_.product_ >= 0)
    return refused(name.at, "a second product; a text has one, so run another expression on what the first gives");
  advance();  // the parenthesis
  Node node;
  node.kind = Node::product;
  node.at = name.at;
  for (node.count = 0; node.count < 2; ++node.count) {
    if (node.count == 1) {
      if (!token_.is(",")) return expected("',' and the second of the two operands");
      advance();
    }
    RONDO_TRY(conditional(&node.nodes[node.count]));
  }
  while (token_.is(",")) {
    advance();
    const bool word = token_.kind == Token::name && (token_.text == "transpose_a" || token_.text == "transpose_b");
    const unsigned bit = word && token_.text == "transpose_b" ? 2 : 1;
    if (!word || (node.index & bit) != 0) return expected("transpose_a or transpose_b, each once");
    node.index = static_cast<uint16_t>(node.index | bit);
    advance();
  }
  if (!token_.is(")")) return expected("')'");
  advance();
  RONDO_TRY(add(node, value));
  to_.product_ = *value;
  return {};
}

}  // namespace rondo::ops
