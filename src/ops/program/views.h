// Says of which views the operands of a recorded program are, so that a file needs neither strides nor offsets: each
// operand is a value as it was made or given, or a chain of views of that, each with its attributes.
//
// Most views are those that were noted (Program::views). An operator may also repeat an operand up to the shape of its
// result, or give it axes of size 1: these are a Broadcast and a Reshape which no call has made. Tensors from outside
// have no beginning here: the views of them that are not made of others of the program are its inputs, as given.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/program/program.h"

namespace rondo::ops {

class OperandViews {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Node {
    Ref<const Call> call;  // null: the value as it was made or given
    uint32_t value;
    uint32_t from;  // the node that it is a view of, an earlier one; kNone: call is null
    View view;
  };

  // Before passes, which make nodes of other layouts.
  explicit OperandViews(const Program& recorded);

  const std::vector<Node>& nodes() const { return nodes_; }
  // The view that an operand of a node is; kNone: a task uses the storage as a whole, and says nothing of it.
  uint32_t of(size_t node, size_t operand) const { return operands_[node][operand]; }
  // The same of a view of a value, at the end of the program; kNone: no node uses its storage.
  uint32_t of(const View& view);

 private:
  uint32_t find(uint32_t value, const View& view) const;
  uint32_t find_or_derive(uint32_t value, const View& view);
  uint32_t add(Ref<const Call> call, uint32_t value, uint32_t from, const View& view);

  const Program& program_;
  std::vector<Node> nodes_;
  std::vector<std::vector<uint32_t>> of_value_;  // by value: its views
  std::vector<std::vector<uint32_t>> operands_;
};

// The view of another one that a call says; an error if its kind is no view, or the view has no such view.
Status apply_view(const Call& call, const View& from, View* view);

}  // namespace rondo::ops
