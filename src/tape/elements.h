// Keeps which elements of which storages gradients come to, while one goes over a tape's nodes: backwards from the
// outputs, or forwards from the sources. Elements that a node overwrites are left out, of parts as of whole tensors.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "tape/node.h"
#include "tape/ranges.h"

namespace rondo::tape {

// True if two operands have an element in common.
bool share(const Operand& a, const Operand& b);

class Elements {
 public:
  void add(const Operand& operand) { put(operand, true); }
  void remove(const Operand& operand) { put(operand, false); }
  // True if some element may be among them. Elements that were removed piece by piece are taken to be there.
  bool meet(const Operand& operand) const;

 private:
  struct Change {
    View view;
    bool whole, added;
    uint64_t number;  // of all changes, in their order
  };
  void put(const Operand& operand, bool added);

  std::unordered_map<uint64_t, Ranges<Change, 1>> changes_;  // by storage
  uint64_t count_ = 0;
};

}  // namespace rondo::tape
