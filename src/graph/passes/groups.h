// Nodes of a program that are to become one, and where in its order. Each node, and each group of them, has a place in
// an order that keeps to all dependences. A group moves down to the newest of its nodes where nothing that comes after
// it is in between, or the new node moves up to the group where nothing that comes before it is.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/program/dependences.h"

namespace rondo {

using ops::Dependences;

class Groups {
 public:
  // Groups, each by the number of its first node there was.
  using Some = std::vector<uint32_t>;

  explicit Groups(const ops::Program& program)
      : program_(program), dependences_(program), groups_(program.nodes.size()), group_of_(program.nodes.size()) {}

  // Each node in the program's order: begins as a group of its own, may join others, and is then seen by those it
  // comes after.
  void begin(uint32_t i);
  void end(uint32_t i);
  // The place at which node i and these groups, the latest of which comes first, may be one: none of what has to come
  // first is after it, and nothing that comes after them before it. All are of one section, or of none.
  std::optional<uint32_t> place_for(uint32_t i, const Some& groups);
  // Makes one of them and i.
  void join(uint32_t i, const Some& groups, uint32_t place);
  // The nodes of groups, and i, in the order of the program.
  std::vector<uint32_t> nodes_with(uint32_t i, const Some& groups) const;

  const Dependences& dependences() const { return dependences_; }
  uint32_t of(uint32_t node) const { return group_of_[node]; }
  uint32_t place(uint32_t group) const { return groups_[group].place; }
  const std::vector<uint32_t>& nodes(uint32_t group) const { return groups_[group].nodes; }
  // True if a group is there, and nodes may join it yet.
  bool open(uint32_t group) const { return !groups_[group].nodes.empty() && groups_[group].nodes.front() >= closed_; }
  bool among(uint32_t node, const Some& groups) const;
  // The operators of nodes that became one, "mul, tanh", and what a report says of them, "one of 0 'mul', 1 'tanh'".
  std::string operators(const std::vector<uint32_t>& nodes) const;
  std::string line(const std::vector<uint32_t>& nodes) const;
  // The first of them, " 0 'mul', 1 'tanh' and 7 more".
  std::string some(const std::vector<uint32_t>& nodes) const;
  // The places where they were recorded, "train.c:42, train.c:44".
  std::string sites(const std::vector<uint32_t>& nodes) const;
  // Puts the program in its new order; made(nodes, before): the node that several are, and others that come before it.
  template <class F>
  void rewrite(ops::Program* program, const F& made) const {
    if (!joined_) return;
    std::vector<ops::ProgramNode> nodes;
    nodes.reserve(program->nodes.size());
    for (const uint32_t each : in_order()) {
      const std::vector<uint32_t>& of = this->nodes(each);
      if (of.size() == 1) {
        nodes.push_back(std::move(program->nodes[of[0]]));
      } else {
        std::string sites = this->sites(of);
        ops::ProgramNode whole = made(of, &nodes);
        nodes.push_back(std::move(whole));
        nodes.back().site = std::move(sites);
      }
    }
    program->nodes = std::move(nodes);
  }
  size_t steps() const { return steps_ + dependences_.steps(); }
  void step() { ++steps_; }

 private:
  static constexpr size_t kMostAfter = 16;  // nodes that come after a group, that are kept apart
  struct Group {
    uint32_t place = 0;              // the number of one of its nodes
    std::vector<uint32_t> nodes;     // in the order of the program; empty: it has gone into another one
    SmallVector<uint32_t, 4> after;  // nodes outside that come after some of it
    bool many_after = false;         // more than those
  };
  bool allowed(uint32_t i, const Some& groups, uint32_t place);
  std::vector<uint32_t> in_order() const;

  const ops::Program& program_;
  const Dependences dependences_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // by node
  bool joined_ = false;             // there is a group of several
  uint32_t closed_ = 0;             // groups with a node before this one stay as they are
  size_t steps_ = 0;
};

}  // namespace rondo
