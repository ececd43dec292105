// Finds what the nodes of a program depend on, by the parts of values that they read and write: which earlier nodes
// each must come after, and which result of which node each operand is. Passes and the schedule of a graph both go by
// it.
//
// The cost is linear in the nodes: of each value the last accesses are kept apart, and older ones make a crowd, which
// the next write comes after as a whole.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "base/small_vector.h"
#include "ops/program/program.h"

namespace rondo::ops {

class Dependences {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // An earlier node that another one must come after.
  struct Before {
    uint32_t node;
    bool elementwise;  // element by element: one task that does both does for each element the one and then the other
  };
  // The result that an operand is, element by element and as it was written: an operand of an earlier node.
  struct Source {
    uint32_t node = kNone, operand = 0;
  };
  struct Operand {
    Source source;
    uint32_t readers = 0;  // how many operands have it as their source
    bool kept = false;     // it must be in memory, for others that look at it there
  };
  struct Node {
    SmallVector<Before, 3> before;  // each once
    Operand* operands;              // as many as the node has
  };

  explicit Dependences(const Program& program);
  Dependences(const Dependences&) = delete;
  Dependences& operator=(const Dependences&) = delete;

  const Node& node(size_t i) const { return nodes_[i]; }
  // By node: the earlier nodes that it comes after directly, ascending.
  std::vector<std::vector<uint32_t>> predecessors() const;
  // How often an access was compared with another one.
  size_t steps() const { return steps_; }

 private:
  static constexpr size_t kApart = 64;
  struct Access {
    uint32_t node, operand;
    bool written;
  };
  // Nodes whose accesses to a value are not kept apart.
  struct Crowd {
    std::vector<uint32_t> writers, readers;
  };
  struct Value {
    SmallVector<Access, 3> last;  // oldest first
    Crowd crowd;
  };

  void read(uint32_t i, uint32_t k);
  void write(uint32_t i, uint32_t k);
  void keep(uint32_t i, uint32_t k);
  void follow(uint32_t i, const Variable& variable, bool writes);
  void depend(uint32_t i, uint32_t on, bool elementwise);
  void read_from(uint32_t i, const Crowd& crowd);
  void write_over(uint32_t i, Crowd* crowd);
  // True if something of what was there may still be there when the node has written.
  bool leaves(uint32_t i, const ProgramOperand& written) const;
  bool switched_together(uint32_t i, uint32_t k) const;
  const ProgramOperand& operand(const Access& access) const {
    return program_.nodes[access.node].operands[access.operand];
  }

  const Program& program_;
  std::vector<Node> nodes_;
  std::vector<Operand> operands_;  // of all nodes
  std::vector<uint32_t> place_;    // by node: where it is among what the node that is looked at must come after
  std::vector<Value> values_;
  std::unordered_map<const Variable*, Crowd> variables_;  // without memory
  size_t steps_ = 0;
};

}  // namespace rondo::ops
