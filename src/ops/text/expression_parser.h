// Parses an expression's text: recursive descent with precedence climbing, names resolved to nodes on the way.
// Statements and names are in expression_text.cc, values in expression_values.cc, functions in expression_functions.cc.
//
// A parser is used once, by the thread that makes it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "ops/text/expression_lexer.h"
#include "ops/text/expression_text.h"

namespace rondo::ops {

class ExpressionParser {
 public:
  explicit ExpressionParser(ExpressionText& to) : to_(to), text_(to.text_) { advance(); }

  Status parse();

 private:
  using Node = ExpressionText::Node;

  void advance() { token_ = next_token(text_, &at_); }
  Status expected(const char* what) const;
  Status refused(uint32_t at, const std::string& why) const;

  // --- nodes
  Status add(const Node& node, uint16_t* index);
  static bool is_origin(const Node& node) {
    return node.kind == Node::reduce || node.kind == Node::softmax || node.kind == Node::product;
  }
  Status find_origin(const Node& node, int* origin) const;
  bool is_reduction(int origin) const { return to_.nodes_[static_cast<size_t>(origin)].kind == Node::reduce; }
  const char* name_of(int origin) const;
  Status number(uint32_t at, const Scalar& number, uint16_t* value);
  Status apply(uint32_t at, Op op, std::initializer_list<uint16_t> nodes, uint16_t* value);
  Status choose(uint32_t at, uint16_t condition, uint16_t yes, uint16_t no, uint16_t* value);

  // --- statements and names
  struct Definition {
    std::string_view name;
    uint16_t node;
    bool local;
  };
  Definition* find(std::string_view name);
  Status statement();
  Status define(const Token& name, bool local, uint16_t node);
  Status named(const Token& name, uint16_t* value);

  // --- values
  Status check_depth() const;
  // Nested values call these again: each of them keeps little on the stack.
  Status conditional(uint16_t* value);
  RONDO_APART Status choice(uint16_t* value);
  Status infix(int level, uint16_t* value);
  RONDO_APART Status joined(uint32_t at, Op op, uint16_t right, uint16_t* value);
  RONDO_APART Status chained() const;
  Status unary(uint16_t* value);
  RONDO_APART Status signed_value(uint16_t* value);
  RONDO_APART Status power(uint16_t* value);
  RONDO_APART Status leaf(uint16_t* value);

  // --- functions: the tables' operators, where, casts, reductions, softmaxes, products
  Status call(const Token& name, uint16_t* value);
  RONDO_APART Status too_many() const;
  RONDO_APART Status called(const Token& name, uint16_t (&nodes)[3], int count, uint16_t* value);
  Status takes(const Token& name, int least, int most, int count) const;
  Status reduce(const Token& name, rondo_reduce_op op, uint16_t* value);
  Status axis(const char* wanted, int32_t* axis);
  Status softmax(const Token& name, rondo_softmax_op op, uint16_t* value);
  Status product(const Token& name, uint16_t* value);

  ExpressionText& to_;
  const std::string_view text_;
  uint32_t at_ = 0;
  Token token_;
  int depth_ = 0;
  std::vector<Definition> definitions_;
  std::vector<int> origins_;  // by node: the origin that it is or comes from, -1: none
};

// As messages show it: quoted, and not longer than a glance.
std::string quoted(std::string_view text);

}  // namespace rondo::ops
