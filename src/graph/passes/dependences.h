// What the nodes of a program depend on, by the parts of values that they read and write: which earlier nodes each must
// come after, and which result of which node each operand is. Linear in the nodes: of each value the last accesses are
// kept apart, and what is older counts as one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/program/program.h"

namespace rondo {

class Dependences {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // An earlier node that another one must come after.
  struct Before {
    uint32_t node;
    bool elementwise;  // element by element: whoever does both does for each element the one and then the other
  };
  // The result that an operand is, element by element and as it was written: an operand of an earlier node.
  struct Source {
    uint32_t node = kNone, operand = 0;
  };
  struct Node {
    std::vector<Before> before;     // each once
    uint32_t all_before = 0;        // besides, every node before this number may have to come first
    std::vector<Source> sources;    // by operand
    std::vector<uint32_t> readers;  // by operand: how many operands have it as their source
    std::vector<bool> kept;         // by operand: somebody else may look at it in memory
  };

  explicit Dependences(const ops::Program& program);

  const Node& node(size_t i) const { return nodes_[i]; }
  // How often an access was compared with another one.
  size_t steps() const { return steps_; }

 private:
  static constexpr size_t kApart = 64;
  struct Access {
    uint32_t node, operand;
    bool written;
  };
  struct Value {
    std::vector<Access> last;                     // oldest first
    uint32_t any_before = 0, written_before = 0;  // nodes before these have accesses that are not kept apart
  };

  void read(uint32_t i, uint32_t k);
  void write(uint32_t i, uint32_t k);
  void keep(uint32_t i, uint32_t k);
  void depend(uint32_t i, uint32_t on, bool elementwise);
  // Whether something of what was there may still be there when the node has written.
  bool leaves(uint32_t i, const ops::ProgramOperand& written) const;
  bool switched_together(uint32_t i, uint32_t k) const;
  const ops::ProgramOperand& operand(const Access& access) const {
    return program_.nodes[access.node].operands[access.operand];
  }

  const ops::Program& program_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> place_;  // by node: where it is among what the node that is looked at must come after
  std::vector<Value> values_;
  size_t steps_ = 0;
};

}  // namespace rondo
