// Makes a call of an expression's text: dtypes and shapes deduced from the arguments, one elementwise task for all that
// is elementwise, which several calls may share, a softmax or a product with what is around it for each result that
// comes from one, and a reduction for each result that is one, which makes its elements itself if nothing else needs
// them.
//
// A call belongs to the thread that makes it, and is used once: posed, its parts submitted in order, committed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/user.h>

#include <forward_list>
#include <memory>
#include <span>
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "ops/elementwise/row_side.h"
#include "ops/matmul/matmul.h"
#include "ops/reduce/reduce.h"
#include "ops/task/output.h"
#include "ops/text/expression_lower.h"

namespace rondo::ops {

// Results go to slots of its own, so that the caller's are untouched unless all went well.
class ExpressionCall {
 public:
  // function: for messages.
  ExpressionCall(const ExpressionText& text, rondo_tensor** out);
  ~ExpressionCall();
  ExpressionCall(const ExpressionCall&) = delete;
  ExpressionCall& operator=(const ExpressionCall&) = delete;

  // Tasks that the caller submits: those before row_results(), and those between that and reduce_results(). Within each
  // kind no task writes what another one touches.
  struct StagedTasks {
    std::vector<Ref<ElementwiseTask>> before, results;
  };
  // Checks, and appends the tasks of all that is elementwise. like: another call of the text, posed before, whose
  // expression serves this one too if their arguments are alike; or null.
  Status pose(std::span<const rondo_argument> arguments, const ExpressionCall* like, StagedTasks* parts);
  // Before the elementwise results, which may be written over the operands of these; no other task reads the results of
  // these.
  Status row_results();
  Status reduce_results();
  // Hands the results over, when nothing can go wrong any more.
  void commit();

  Engine& engine() const { return first().engine(); }
  Device& device() const { return first().device(); }
  // Calls f(name, view, whether it is written) for the tensors that the caller gave.
  template <class F>
  void each_given(const F& f) const {
    for (size_t k = 0; k < bound_.size(); ++k)
      if (bound_[k].view) f(text_.operands()[k].c_str(), *bound_[k].view, false);
    for (size_t i = 0; i < slots_.size(); ++i)
      if (out_[i]) f(text_.results()[i].name.c_str(), out_[i]->view, true);
  }

 private:
  using Node = ExpressionText::Node;
  using Views = SmallVector<const View*, 8>;
  // A factor of a text's product.
  struct Factor {
    const char* name = nullptr;  // for messages
    View view;
    bool staged = false;  // computed, and so a temporary
  };

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
  // The source of a reduction; otherwise the result itself.
  const Lowered::Result& source_of(size_t result) const {
    return is_reduction(result) ? lowered_.reductions[origin_of(result).index].of : lowered_.results[result];
  }
  const View& first() const { return *tensors_[0]; }
  // The same status, with the place of a node.
  Status located(const Node& node, const Status& status) const {
    return status.ok() ? status : text_.error_at(status.code(), node.at, "%s", status.message());
  }
  // The operand that a node is, if it is one that is a tensor.
  const View* operand_of(const Node& node) const {
    return node.kind == Node::operand ? bound_[node.index].view : nullptr;
  }

  Status lower_like(const ExpressionCall* like);

  // --- shapes
  Status find_tensors();
  uint64_t operands_of(std::vector<bool> wanted) const;
  Status broadcast(uint64_t operands, Layout* shape) const;
  Status find_shape();
  Status find_factor(int i);
  Status find_product_shape();
  MatmulNames names() const { return {factors_[0].name, factors_[1].name}; }
  MatmulOptions product_options() const;

  // --- elementwise parts
  Status check_outputs() const;
  bool overwritten(const View& operand) const;
  Expression needed(const Expression& expression, unsigned given, Views* inputs) const;
  void stage(StagedTasks* parts) const;
  Status elementwise(StagedTasks* parts);
  bool made_within(size_t result);
  Status find_source(size_t result, Expression* expression, SmallVector<View, 2>* written);

  // --- results that come from something (expression_results.cc)
  bool take_out(Value value, rondo_dtype dtype, const Value* given, RowSide* side) const;
  Status check_float(size_t result, const char* origin) const;
  Status product_result(size_t result);
  Status softmax_result(size_t result);
  Status reduce_result(size_t result);
  Status make_finish(size_t result, std::shared_ptr<ReduceFinish>* finish) const;

  const ExpressionText& text_;
  rondo_tensor** const out_;
  SmallVector<rondo_tensor*, 4> slots_;
  std::vector<Output> outputs_;
  SmallVector<Bound, 8> bound_;  // by operand
  Views tensors_;                // of the operands that are: the inputs of the expression
  Layout shape_;
  Lowered lowered_;
  Factor factors_[2];
  SmallVector<View, 2> sources_;                          // by result: where it is, or what a reduction reads
  std::vector<std::shared_ptr<ReducedExpression>> made_;  // by result, if one is a reduction: what it makes itself
  std::forward_list<Ref<Storage>> temporaries_;
};

}  // namespace rondo::ops
