// Graphs: nodes of work and the edges between them, and executables made of them. All functions need the driver's lock.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "work.h"

namespace simcuda {

struct Edge {
  Node* from;
  CUgraphEdgeData data{};
};

struct Node {
  Graph* graph = nullptr;
  CUgraphNode handle = nullptr;
  WorkRef work;
  std::vector<Edge> dependencies;
};

struct Graph {
  ~Graph();
  Device* device = nullptr;
  CUgraph handle = nullptr;
  std::vector<std::shared_ptr<Node>> nodes;  // in the order they were added, which is a legal order to run them in
};

struct GraphExec {
  struct Step {
    CUgraphNode source;
    WorkRef work;
    std::vector<std::size_t> after;  // indices of steps
    bool enabled = true;
  };
  Device* device = nullptr;
  std::vector<Step> steps;
  TaskRef last;  // one executable runs once at a time
};

std::shared_ptr<Node> add_node(Graph& graph, WorkRef work, const std::vector<Edge>& dependencies);
CUresult instantiate(const Graph& graph, CUgraphExec* exec);
void launch(GraphExec& exec, Stream& stream);
void set_conditional(std::uint64_t handle, unsigned value);

}  // namespace simcuda
