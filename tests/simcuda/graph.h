// Graphs: nodes of work and the edges between them, and executables made of
// them. All functions need the driver's lock. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
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
  std::vector<std::shared_ptr<Node>> nodes;  // in the order they were added
  std::vector<std::uint64_t> conditionals;   // handles made for this graph
  const Graph* around = nullptr;             // of a body of a conditional node
  bool destroyed = false;                    // by a capture into it that failed
  bool instantiated_with_conditionals = false;
};

// A node that holds graphs: a child graph (one, run once), or the bodies of an
// if, while or switch.
struct NestedWork : Work {
  CUgraphNodeType node_type = CU_GRAPH_NODE_TYPE_GRAPH;
  CUgraphConditionalNodeType kind = CU_GRAPH_COND_TYPE_IF;
  std::uint64_t condition = 0;
  std::vector<std::shared_ptr<Graph>> graphs;
  std::vector<CUgraph> handles;

  ~NestedWork() override;
  CUgraphNodeType type() const override { return node_type; }
  std::string name() const override { return node_type == CU_GRAPH_NODE_TYPE_GRAPH ? "child graph" : "conditional"; }
  void run(Device&) const override {}  // the launch expands it
};

struct GraphExec {
  struct Step {
    CUgraphNode source;
    WorkRef work;
    std::vector<std::size_t> after;  // indices of steps
    bool early = false;              // it follows the one there is by a programmatic edge
    std::vector<std::shared_ptr<const std::vector<Step>>> bodies;
    bool enabled = true;
  };
  using Steps = std::vector<Step>;
  Device* device = nullptr;
  Steps steps;
  std::vector<std::uint64_t> conditionals;
  bool chain = true;  // no node, of bodies too, has another one side by side
  TaskRef last;       // one executable runs once at a time
};

std::shared_ptr<Node> add_node(Graph& graph, WorkRef work, const std::vector<Edge>& dependencies);
CUresult instantiate(Graph& graph, CUgraphExec* result);
// Whether a failed capture has destroyed a body of one of its conditional nodes, so that drivers crash over it.
bool holds_destroyed(const Graph& graph);
// The steps of a graph in an order that follows its edges; an error when they
// form a cycle or a body holds what it may not.
CUresult make_steps(const Graph& graph, bool body, GraphExec::Steps* steps);
// Whether all nodes follow each other one by one, those of the graphs in its nodes too.
bool is_chain(const Graph& graph);
void launch(GraphExec& exec, Stream& stream);
void set_conditional(std::uint64_t handle, unsigned value);

}  // namespace simcuda
