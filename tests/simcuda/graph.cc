// Building, instantiating and launching graphs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <algorithm>

namespace simcuda {

Graph::~Graph() {
  for (const auto& node : nodes) driver().nodes.remove(node->handle);
}

std::shared_ptr<Node> add_node(Graph& graph, WorkRef work, const std::vector<Edge>& dependencies) {
  auto node = std::make_shared<Node>();
  node->graph = &graph;
  node->work = std::move(work);
  for (const Edge& edge : dependencies) {
    bool known = std::any_of(node->dependencies.begin(), node->dependencies.end(),
                             [&](const Edge& other) { return other.from == edge.from; });
    if (!known) node->dependencies.push_back(edge);
  }
  node->handle = driver().nodes.add(node);
  graph.nodes.push_back(node);
  return node;
}

CUresult instantiate(const Graph& graph, CUgraphExec* result) {
  auto exec = std::make_shared<GraphExec>();
  exec->device = graph.device;
  std::map<const Node*, std::size_t> index;
  for (const auto& node : graph.nodes) {
    GraphExec::Step step;
    step.source = node->handle;
    step.work = node->work;
    for (const Edge& edge : node->dependencies) step.after.push_back(index.at(edge.from));
    index[node.get()] = exec->steps.size();
    exec->steps.push_back(std::move(step));
  }
  *result = driver().execs.add(std::move(exec));
  return CUDA_SUCCESS;
}

void launch(GraphExec& exec, Stream& stream) {
  Driver& d = driver();
  // The launch begins after what is in the stream and after the executable's launch before, and is one link of the stream's chain.
  auto begin = std::make_shared<Task>();
  begin->stream = stream.id;
  if (exec.last != nullptr) stream.waits.push_back(exec.last);
  append(stream, begin);
  std::vector<TaskRef> tasks, all;
  for (const GraphExec::Step& step : exec.steps) {
    // Every node has a tempo of its own, as if each ran on its own channel.
    TaskRef task = make_task(*stream.device, d.next_id++, step.enabled ? step.work : std::make_shared<EmptyWork>());
    std::vector<TaskRef> after{begin};
    for (std::size_t i : step.after) after.push_back(tasks[i]);
    d.scheduler.submit(task, after);
    tasks.push_back(task);
  }
  auto end = std::make_shared<Task>();
  end->stream = stream.id;
  stream.waits.insert(stream.waits.end(), tasks.begin(), tasks.end());
  append(stream, end);
  exec.last = end;
}

void set_conditional(std::uint64_t, unsigned) {}

}  // namespace simcuda
