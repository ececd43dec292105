// Shows a program as values and nodes that a term is compared with (terms/match.h): elementwise nodes as the operators
// of their expressions, however many of them a node is made of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/elementwise/form.h"
#include "ops/program/program.h"
#include "terms/match.h"

namespace rondo {

// Makes of a view that repeats a number for each place of an axis everywhere those numbers; false: it is none.
bool to_axis(View* view, int axis);

class ValueGraph {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // An operand that a node reads, or a value of a node's expression.
  struct Value {
    uint32_t node = kNone;
    uint32_t operand = kNone;  // kNone: a value of the expression
    ops::Value inner = 0;
    const ops::ProgramOperand* memory = nullptr;  // of an operand
    bool operator==(const Value& other) const;
  };
  // A node of the program, or an instruction of its expression.
  struct Node {
    uint32_t node = kNone;
    int instruction = -1;  // -1: the node is not elementwise
    auto operator<=>(const Node&) const = default;
  };
  using Matched = TermMatch<ValueGraph>;

  explicit ValueGraph(const ops::Program& program);

  bool given(const Value& value) const { return value.node != kNone; }
  bool number(const Value& value, double* number, int* bits) const;
  bool is_constant(const Value& value) const;
  bool makes(const Value& value, std::string_view type, Node* made) const;
  // A text has the image alone of what a convolution and a batch normalisation read.
  size_t inputs(const Node& of) const;
  Value input(const Node& of, size_t i) const;

  // A term describes all that leads to a node's only result from where it begins, and nothing else reads what is made
  // on the way. *nodes: those of the program, in its order.
  bool matches(const Term& term, uint32_t node, Matched* found, std::vector<uint32_t>* nodes) const;

 private:
  // The program's only writer of a temporary value.
  struct Writer {
    uint32_t node = kNone, operand = 0;
    bool only = true;
    size_t readers = 0;
  };
  Value result_of(uint32_t node) const;
  Value inside(uint32_t node, ops::Value inner) const;
  std::optional<Node> stored(const Value& value) const;
  const Writer* writer_of(const Value& value) const;
  bool is_inner(uint32_t node, const std::vector<uint32_t>& nodes, uint32_t last) const;
  bool is_covered(uint32_t node, const Matched& found) const;

  const ops::Program& program_;
  std::vector<std::optional<ops::Fused>> forms_;  // of elementwise nodes with one result
  std::vector<Writer> writers_;                   // by value
};

}  // namespace rondo
