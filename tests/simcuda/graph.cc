// Building, instantiating and launching graphs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <algorithm>
#include <set>

namespace simcuda {

Graph::~Graph() {
  for (const auto& node : nodes) driver().nodes.remove(node->handle);
  for (std::uint64_t handle : conditionals) driver().conditionals.erase(handle);
}

NestedWork::~NestedWork() {
  for (CUgraph handle : handles) driver().graphs.remove(handle);
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

namespace {

// What the body of a conditional node cannot hold: host functions, copies from pageable memory, work of another device.
bool refused_in_a_body(const Graph& graph, const Work& work) {
  const auto* copy = dynamic_cast<const CopyWork*>(&work);
  return work.host() || (copy != nullptr && copy->staged != nullptr) ||
         (work.home() != nullptr && work.home() != graph.device);
}

template <class Visit>
void for_each_nested(const Graph& graph, const Visit& visit) {
  for (const auto& node : graph.nodes)
    if (const auto* nested = dynamic_cast<const NestedWork*>(node->work.get())) visit(*nested);
}

// Handles made for a graph and its bodies, and those that nodes go by.
void collect_handles(const Graph& graph, std::vector<std::uint64_t>* made, std::set<std::uint64_t>* used) {
  made->insert(made->end(), graph.conditionals.begin(), graph.conditionals.end());
  for_each_nested(graph, [&](const NestedWork& nested) {
    if (nested.node_type == CU_GRAPH_NODE_TYPE_CONDITIONAL) used->insert(nested.condition);
    for (const auto& inner : nested.graphs) collect_handles(*inner, made, used);
  });
}

bool holds_child_graph(const Graph& graph) {
  bool found = false;
  for_each_nested(graph,
                  [&](const NestedWork& nested) { found = found || nested.node_type == CU_GRAPH_NODE_TYPE_GRAPH; });
  return found;
}

}  // namespace

bool holds_destroyed(const Graph& graph) {
  bool found = graph.destroyed;
  for_each_nested(graph, [&](const NestedWork& nested) {
    for (const auto& inner : nested.graphs) found = found || holds_destroyed(*inner);
  });
  return found;
}

bool is_chain(const Graph& graph) {
  bool chain = true;
  std::set<const Node*> followed;
  std::size_t edges = 0;
  for (const auto& node : graph.nodes)
    for (const Edge& edge : node->dependencies) {
      chain = chain && node->dependencies.size() == 1 && followed.insert(edge.from).second;
      ++edges;
    }
  chain = chain && edges + 1 == std::max<std::size_t>(graph.nodes.size(), 1);
  for_each_nested(graph, [&](const NestedWork& nested) {
    for (const auto& inner : nested.graphs) chain = chain && is_chain(*inner);
  });
  return chain;
}

CUresult make_steps(const Graph& graph, bool body, GraphExec::Steps* steps) {
  std::map<const Node*, std::size_t> index;
  // Edges may be added later than the nodes they join, so the order is found,
  // not given.
  while (steps->size() < graph.nodes.size()) {
    std::size_t before = steps->size();
    for (const auto& node : graph.nodes) {
      if (index.count(node.get()) != 0) continue;
      const auto& edges = node->dependencies;
      if (!std::all_of(edges.begin(), edges.end(), [&](const Edge& edge) { return index.count(edge.from) != 0; }))
        continue;
      // Bodies of conditional nodes hold kernels, copies, fills, empty nodes
      // and graphs; nothing of the host.
      if (body && refused_in_a_body(graph, *node->work)) return CUDA_ERROR_INVALID_VALUE;
      GraphExec::Step step;
      step.source = node->handle;
      step.work = node->work;
      for (const Edge& edge : edges) step.after.push_back(index.at(edge.from));
      step.early = edges.size() == 1 && edges[0].data.type == 1;
      if (const auto* nested = dynamic_cast<const NestedWork*>(node->work.get())) {
        if (kDriverVersion < 13000 && nested->kind == CU_GRAPH_COND_TYPE_IF && nested->graphs.size() == 2 &&
            (holds_child_graph(*nested->graphs[0]) || holds_child_graph(*nested->graphs[1])))
          report("an if with two bodies and a child graph in them, which drivers before CUDA 13.0 confuse");
        for (const auto& inner : nested->graphs) {
          auto inner_steps = std::make_shared<GraphExec::Steps>();
          bool is_body = body || nested->node_type == CU_GRAPH_NODE_TYPE_CONDITIONAL;
          if (CUresult error = make_steps(*inner, is_body, inner_steps.get())) return error;
          step.bodies.push_back(std::move(inner_steps));
        }
      }
      index[node.get()] = steps->size();
      steps->push_back(std::move(step));
    }
    if (steps->size() == before) return CUDA_ERROR_INVALID_VALUE;  // a cycle
  }
  return CUDA_SUCCESS;
}

CUresult instantiate(Graph& graph, CUgraphExec* result) {
  auto exec = std::make_shared<GraphExec>();
  exec->device = graph.device;
  std::set<std::uint64_t> used;
  collect_handles(graph, &exec->conditionals, &used);
  // Conditional values belong to one executable, and each to a node.
  if (!exec->conditionals.empty() && graph.instantiated_with_conditionals) return CUDA_ERROR_INVALID_VALUE;
  for (std::uint64_t handle : exec->conditionals)
    if (used.count(handle) == 0) return CUDA_ERROR_INVALID_VALUE;
  if (graph.around != nullptr || holds_destroyed(graph)) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = make_steps(graph, false, &exec->steps)) return error;
  exec->chain = is_chain(graph);
  // docs/driver-faults.md has what was measured.
  if (!exec->conditionals.empty() && !exec->chain)
    report("a graph with conditional nodes in which work is side by side: drivers hang, or end with 719, over such");
  graph.instantiated_with_conditionals = !exec->conditionals.empty();
  *result = driver().execs.add(std::move(exec));
  return CUDA_SUCCESS;
}

namespace {

std::vector<TaskRef> submit_steps(const GraphExec::Steps& steps, Device& device, const TaskRef& begin);

// Decides what a conditional node does next and completes it when there is
// nothing left. `again`: one round of a while ended.
void decide(const GraphExec::Step& step, Device& device, const TaskRef& node, bool again) {
  Driver& d = driver();
  const auto& nested = static_cast<const NestedWork&>(*step.work);
  std::size_t chosen = 0;
  if (nested.node_type == CU_GRAPH_NODE_TYPE_GRAPH) {
    chosen = again ? step.bodies.size() : 0;
  } else {
    auto value = d.conditionals.find(nested.condition);
    unsigned v = value == d.conditionals.end() ? 0 : value->second.value;
    switch (nested.kind) {
      case CU_GRAPH_COND_TYPE_IF: chosen = again ? step.bodies.size() : v != 0 ? 0 : 1; break;
      case CU_GRAPH_COND_TYPE_WHILE: chosen = v != 0 ? 0 : step.bodies.size(); break;
      default: chosen = again ? step.bodies.size() : v;
    }
  }
  if (chosen >= step.bodies.size() || device.error != 0) return d.scheduler.complete(node);
  if (step.bodies[chosen]->empty() && nested.node_type == CU_GRAPH_NODE_TYPE_CONDITIONAL && kDriverVersion < 12080)
    report("a conditional node runs a body without nodes, in which drivers before CUDA 12.8 hang");
  auto begin = std::make_shared<Task>();
  begin->begins = node->begins;
  d.scheduler.submit(begin, {});
  std::vector<TaskRef> tasks = submit_steps(*step.bodies[chosen], device, begin);
  auto end = std::make_shared<Task>();
  end->stream = node->stream;
  end->run = [step, &device, node](const TaskRef& self) {
    Lock lock(driver().mutex);
    node->begins = std::max(node->begins, self->begins);
    decide(step, device, node, true);
    return true;
  };
  d.scheduler.submit(end, tasks);
}

std::vector<TaskRef> submit_steps(const GraphExec::Steps& steps, Device& device, const TaskRef& begin) {
  Driver& d = driver();
  std::vector<TaskRef> tasks;
  // A kernel that follows another one by a programmatic edge alone begins before that one does, and that one, or what
  // it does behind its own wait, only when the kernel has come to its wait. So what is done without waiting meets
  // memory as it was before. Whether the first kernel would let the second one begin so early is not asked.
  std::vector<TaskRef> parked(steps.size());
  std::vector<std::vector<TaskRef>> followers(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].early || !steps[i].enabled || !steps[steps[i].after[0]].enabled) continue;
    parked[i] = d.scheduler.promise();
    followers[steps[i].after[0]].push_back(parked[i]);
  }
  for (const GraphExec::Step& step : steps) {
    const std::size_t at = tasks.size();
    // Every node has a tempo of its own, as if each ran on its own channel.
    TaskRef task;
    if (step.enabled && dynamic_cast<const NestedWork*>(step.work.get()) != nullptr) {
      task = std::make_shared<Task>();
      task->stream = d.next_id++;
      task->run = [step, &device](const TaskRef& self) {
        Lock lock(driver().mutex);
        decide(step, device, self, false);
        return false;
      };
    } else {
      task = make_task(device, d.next_id++, step.enabled ? step.work : std::make_shared<EmptyWork>());
    }
    std::vector<TaskRef> after{begin};
    for (std::size_t i : parked[at] != nullptr ? steps[step.after[0]].after : step.after) after.push_back(tasks[i]);
    if (parked[at] != nullptr) {
      task->parked = parked[at];
      task->gate = followers[at];
      task->gate.push_back(tasks[step.after[0]]);
    } else {
      after.insert(after.end(), followers[at].begin(), followers[at].end());
    }
    d.scheduler.submit(task, after);
    tasks.push_back(task);
  }
  return tasks;
}

}  // namespace

void launch(GraphExec& exec, Stream& stream) {
  // The launch begins after what is in the stream and after the executable's
  // launch before, and is one link of the stream's chain.
  auto begin = std::make_shared<Task>();
  if (!exec.conditionals.empty()) {
    begin->run = [handles = exec.conditionals](const TaskRef&) {
      Lock lock(driver().mutex);
      for (std::uint64_t handle : handles) {
        auto value = driver().conditionals.find(handle);
        if (value != driver().conditionals.end() && value->second.assign_default)
          value->second.value = value->second.default_value;
      }
      return true;
    };
  }
  if (exec.last != nullptr) stream.waits.push_back(exec.last);
  append(stream, begin);
  std::vector<TaskRef> tasks = submit_steps(exec.steps, *stream.device, begin);
  auto end = std::make_shared<Task>();
  stream.waits.insert(stream.waits.end(), tasks.begin(), tasks.end());
  append(stream, end);
  exec.last = end;
}

void set_conditional(std::uint64_t handle, unsigned value) {
  auto found = driver().conditionals.find(handle);
  if (found == driver().conditionals.end())
    report("cudaGraphSetConditional of a handle that is none");
  else
    found->second.value = value;
}

}  // namespace simcuda
