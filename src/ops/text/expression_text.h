// Holds the parsed text of an expression: a graph of nodes in the order of their computation, operands before users,
// without dtypes, which depend on the arguments of a call (expression_lower.h). Immutable, so any thread may use it.
//
// Grammar, loosest first; precedence as in C, and ** between a sign and its operand:
//   text       statement (";" statement)* [";"]
//   statement  ["let"] NAME ("=" | "+=" | "-=" | "*=" | "/=") value
//   value      or ["?" value ":" value]
//   or ... || && | ^ & (== !=) (< <= > >=) (<< >>) (+ -) (* / %)
//   unary      ("-" | "+" | "!" | "~") unary | power
//   power      primary ["**" unary]
//   primary    NUMBER | NAME | NAME "(" value ("," value)* ")" | "(" value ")"
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "base/shape.h"
#include "base/status.h"
#include "ops/operators/operators.h"
#include "ops/ops.h"

namespace rondo::ops {

class ExpressionText final : public RefCounted {
 public:
  static constexpr size_t kMaxBytes = 16384;
  static constexpr int kMaxDepth = 100;
  static constexpr size_t kMaxNodes = 1024;
  static constexpr size_t kMaxNames = 64;  // operands, and results

  struct Node {
    enum Kind : uint8_t {
      operand,  // of the call: `index`
      number,   // `value`
      apply,    // `op` of the table over nodes, parameters included
      where,    // condition and two nodes
      cast,     // of a node to `dtype`
      reduce,   // of a node, `index` in reductions()
      softmax,  // of a node, `index` in softmaxes()
      product   // of two nodes; bit k of `index`: that one is transposed; one in a text
    } kind = number;
    Op op = Op::add;
    rondo_dtype dtype = RONDO_F32;
    uint8_t count = 0;  // of nodes
    uint32_t at = 0;    // byte in the text, for messages
    uint16_t index = 0;
    uint16_t nodes[3] = {};
    Scalar value;
  };
  struct Reduction {
    rondo_reduce_op op = RONDO_SUM;
    std::vector<int32_t> axes;  // none: all
    bool keep = false;
    bool finished = false;  // something is computed of what it gives
  };
  struct Softmax {
    rondo_softmax_op op = RONDO_SOFTMAX;
    int32_t axis = -1;
  };
  struct Result {
    std::string name;
    uint16_t node = 0;
    uint32_t at = 0;
    int origin = -1;  // the reduction, softmax or product that it is or comes from: one at most
  };

  // `name` is a copy that lives as long as the process.
  static Status parse(std::string_view text, const char* name, Ref<ExpressionText>* parsed);

  const char* name() const { return name_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::string>& operands() const { return operands_; }
  const std::vector<Result>& results() const { return results_; }
  const std::vector<Reduction>& reductions() const { return reductions_; }
  const std::vector<Softmax>& softmaxes() const { return softmaxes_; }
  const Node* product() const { return product_ < 0 ? nullptr : &nodes_[static_cast<size_t>(product_)]; }

  // "2:14: message", and below it the line of the text with a caret under the place.
  [[gnu::format(printf, 4, 5)]] Status error_at(rondo_status code, uint32_t at, const char* pattern, ...) const;

 private:
  friend class ExpressionParser;
  std::string text_;
  const char* name_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<std::string> operands_;
  std::vector<Result> results_;
  std::vector<Reduction> reductions_;
  std::vector<Softmax> softmaxes_;
  int product_ = -1;  // among the nodes
};

}  // namespace rondo::ops
