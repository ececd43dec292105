// Entry points: graphs built by hand, conditional nodes, updates of
// executables. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <algorithm>

#include "capture.h"

namespace simcuda {

namespace {

// The nodes a new one depends on; false when one is not of the graph.
bool find_edges(const Graph& graph, const CUgraphNode* dependencies, const CUgraphEdgeData* data, size_t count,
                std::vector<Edge>* edges) {
  for (size_t i = 0; i < count; ++i) {
    std::shared_ptr<Node> from = driver().nodes.find(dependencies[i]);
    if (from == nullptr || from->graph != &graph) return false;
    edges->push_back({from.get(), data != nullptr ? data[i] : CUgraphEdgeData{}});
  }
  return true;
}

// Adds a node of the work that `make` makes, after the arguments all such calls
// share are found good.
template <class Make>
CUresult add(CUgraphNode* node, CUgraph handle, const CUgraphNode* dependencies, const CUgraphEdgeData* data,
             size_t count, Make make) {
  if (node == nullptr || (dependencies == nullptr && count != 0)) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Graph> graph = driver().graphs.find(handle);
  std::vector<Edge> edges;
  if (graph == nullptr || !find_edges(*graph, dependencies, data, count, &edges)) return CUDA_ERROR_INVALID_VALUE;
  WorkRef work;
  if (CUresult error = make(*graph, &work)) return error;
  // A programmatic edge leads from a kernel to a kernel.
  for (const Edge& edge : edges)
    if (edge.data.type != 0 && (edge.data.type != 1 || edge.from->work->type() != CU_GRAPH_NODE_TYPE_KERNEL ||
                                work->type() != CU_GRAPH_NODE_TYPE_KERNEL))
      return CUDA_ERROR_INVALID_VALUE;
  *node = add_node(*graph, std::move(work), edges)->handle;
  return CUDA_SUCCESS;
}

CUresult kernel_work(const CUDA_KERNEL_NODE_PARAMS& p, WorkRef* work) {
  return make_kernel_work(p.func, {p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ},
                          p.sharedMemBytes, p.kernelParams, p.extra, false, work);
}

CUresult conditional_work(Graph& graph, CUDA_CONDITIONAL_NODE_PARAMS& p, WorkRef* result) {
  Driver& d = driver();
  // A handle is of the graph, or of one that it is inside of.
  bool good = false;
  for (const Graph* each = &graph; each != nullptr; each = each->around)
    good = good || std::count(each->conditionals.begin(), each->conditionals.end(), p.handle) != 0;
  if (!good || device_of_context(p.ctx) != graph.device) return CUDA_ERROR_INVALID_VALUE;
  good = false;
  switch (p.type) {
    case CU_GRAPH_COND_TYPE_IF: good = p.size == 1 || (p.size == 2 && kDriverVersion >= 12080); break;
    case CU_GRAPH_COND_TYPE_WHILE: good = p.size == 1; break;
    case CU_GRAPH_COND_TYPE_SWITCH: good = p.size >= 1 && p.size <= 1024 && kDriverVersion >= 12080; break;
  }
  if (!good) return CUDA_ERROR_INVALID_VALUE;
  auto work = std::make_shared<NestedWork>();
  work->node_type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  work->kind = p.type;
  work->condition = p.handle;
  for (unsigned i = 0; i < p.size; ++i) {
    auto body = std::make_shared<Graph>();
    body->device = graph.device;
    body->around = &graph;
    body->handle = d.graphs.add(body);
    work->handles.push_back(body->handle);
    work->graphs.push_back(std::move(body));
  }
  p.phGraph_out = work->handles.data();  // the node's own array
  *result = std::move(work);
  return CUDA_SUCCESS;
}

// A copy of a graph, which a child-graph node keeps: what becomes of the
// original no longer matters.
std::shared_ptr<Graph> clone(const Graph& graph) {
  auto copy = std::make_shared<Graph>();
  copy->device = graph.device;
  std::map<const Node*, Node*> twin;
  for (const auto& node : graph.nodes) twin[node.get()] = add_node(*copy, node->work, {}).get();
  for (const auto& node : graph.nodes)
    for (const Edge& edge : node->dependencies)
      twin.at(node.get())->dependencies.push_back({twin.at(edge.from), edge.data});
  return copy;
}

CUresult update(CUgraphExec exec_handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
  Driver& d = driver();
  *info = {};
  std::shared_ptr<GraphExec> exec = d.execs.find(exec_handle);
  std::shared_ptr<Graph> graph = d.graphs.find(graph_handle);
  if (exec == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GraphExec::Steps steps;
  auto refuse = [&](CUgraphExecUpdateResult why, CUgraphNode node) {
    info->result = why;
    info->errorNode = node;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  };
  if (CUresult error = make_steps(*graph, false, &steps)) return error;
  if (steps.size() != exec->steps.size()) return refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const GraphExec::Step &now = exec->steps[i], &wanted = steps[i];
    if (now.work->type() != wanted.work->type())
      return refuse(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, wanted.source);
    if (now.after != wanted.after) return refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, wanted.source);
    if (!now.bodies.empty()) return refuse(CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, wanted.source);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) exec->steps[i].work = steps[i].work;
  return CUDA_SUCCESS;
}

GraphExec::Step* find_step(CUgraphExec handle, CUgraphNode node) {
  std::shared_ptr<GraphExec> exec = driver().execs.find(handle);
  if (exec == nullptr) return nullptr;
  for (GraphExec::Step& step : exec->steps)
    if (step.source == node) return &step;
  return nullptr;
}

}  // namespace

extern "C" {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS* p) {
  SIM_ENTER(cuGraphAddKernelNode_v2);
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(node, graph, dependencies, nullptr, count, [&](Graph&, WorkRef* work) { return kernel_work(*p, work); });
}

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS* p) {
  SIM_ENTER(cuGraphAddKernelNode);
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(node, graph, dependencies, nullptr, count, [&](Graph&, WorkRef* work) { return kernel_work(*p, work); });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count) {
  SIM_ENTER(cuGraphAddEmptyNode);
  return add(node, graph, dependencies, nullptr, count, [&](Graph&, WorkRef* work) {
    *work = std::make_shared<EmptyWork>();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, size_t count,
                                  CUgraph child_handle) {
  SIM_ENTER(cuGraphAddChildGraphNode);
  return add(node, graph, dependencies, nullptr, count, [&](Graph&, WorkRef* work) -> CUresult {
    std::shared_ptr<Graph> child = driver().graphs.find(child_handle);
    // A graph with conditional nodes cannot be a child, nor can an empty one, over which drivers crash.
    if (child == nullptr || !child->conditionals.empty()) return CUDA_ERROR_INVALID_VALUE;
    if (child->nodes.empty()) report("a child graph without nodes, over which drivers crash");
    auto nested = std::make_shared<NestedWork>();
    nested->graphs.push_back(clone(*child));
    *work = std::move(nested);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData* edges, size_t count, CUgraphNodeParams* p) {
  SIM_ENTER(cuGraphAddNode_v2);
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(node, graph, dependencies, edges, count, [&](Graph& g, WorkRef* work) -> CUresult {
    switch (p->type) {
      case CU_GRAPH_NODE_TYPE_KERNEL: return kernel_work(p->kernel, work);
      case CU_GRAPH_NODE_TYPE_EMPTY: *work = std::make_shared<EmptyWork>(); return CUDA_SUCCESS;
      case CU_GRAPH_NODE_TYPE_CONDITIONAL: return conditional_work(g, p->conditional, work);
      default:
        return 801;  // CUDA_ERROR_NOT_SUPPORTED: the typed calls make
                     // the others
    }
  });
}

CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  SIM_ENTER(cuGraphAddDependencies);
  if (count != 0 && (from == nullptr || to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Graph> graph = d.graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    std::shared_ptr<Node> first = d.nodes.find(from[i]), second = d.nodes.find(to[i]);
    if (first == nullptr || second == nullptr || first->graph != graph.get() || second->graph != graph.get() ||
        first == second)
      return CUDA_ERROR_INVALID_VALUE;
    second->dependencies.push_back({first.get()});
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* result, CUgraph handle, CUcontext context,
                                        unsigned default_value, unsigned flags) {
  SIM_ENTER(cuGraphConditionalHandleCreate);
  if (result == nullptr || flags > 1) return CUDA_ERROR_INVALID_VALUE;
  if (device_of_context(context) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Graph> graph = d.graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *result = next_handle();
  d.conditionals[*result] = {default_value, default_value, flags == 1};
  graph->conditionals.push_back(*result);
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream_handle, CUgraph handle, const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* edges, size_t count, CUstreamCaptureMode mode) {
  SIM_ENTER(cuStreamBeginCaptureToGraph);
  if (count != 0 && dependencies == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Graph> graph = d.graphs.find(handle);
  std::vector<Edge> found;
  if (graph == nullptr || !find_edges(*graph, dependencies, edges, count, &found)) return CUDA_ERROR_INVALID_VALUE;
  std::vector<std::shared_ptr<Node>> frontier;
  for (size_t i = 0; i < count; ++i) frontier.push_back(d.nodes.find(dependencies[i]));
  return begin_capture(stream_handle, mode, graph, std::move(frontier));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  SIM_ENTER(cuGraphExecKernelNodeSetParams_v2);
  return cuGraphExecKernelNodeSetParams(exec, node, p);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* p) {
  SIM_ENTER(cuGraphKernelNodeGetParams_v2);
  if (CUresult error = cuGraphKernelNodeGetParams(node, p)) return error;
  p->kern = nullptr;
  p->ctx = current_device()->context();
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  SIM_ENTER(cuGraphNodeSetEnabled);
  Lock lock(driver().mutex);
  GraphExec::Step* step = find_step(exec, node);
  if (step == nullptr || step->work->type() > CU_GRAPH_NODE_TYPE_MEMSET) return CUDA_ERROR_INVALID_VALUE;
  step->enabled = enabled != 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  SIM_ENTER(cuGraphNodeGetEnabled);
  Lock lock(driver().mutex);
  GraphExec::Step* step = find_step(exec, node);
  if (step == nullptr || enabled == nullptr || step->work->type() > CU_GRAPH_NODE_TYPE_MEMSET)
    return CUDA_ERROR_INVALID_VALUE;
  *enabled = step->enabled;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* error_node, CUgraphExecUpdateResult* result) {
  SIM_ENTER(cuGraphExecUpdate);
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  CUgraphExecUpdateResultInfo info;
  CUresult error = update(exec, graph, &info);
  *result = info.result;
  if (error_node != nullptr) *error_node = info.errorNode;
  return error;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  SIM_ENTER(cuGraphExecUpdate_v2);
  if (info == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  return update(exec, graph, info);
}

}  // extern "C"
}  // namespace simcuda
