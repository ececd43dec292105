// Entry points: graphs and executables.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "capture.h"

namespace simcuda {
namespace {

bool plain(const CUgraphEdgeData& data) {
  return data.from_port == 0 && data.to_port == 0 && data.type == 0;
}

CUresult get_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count,
                   bool with_data) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Graph> graph = driver().graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  size_t total = 0;
  for (const auto& node : graph->nodes) {
    for (const Edge& edge : node->dependencies) {
      if (from != nullptr && !with_data && !plain(edge.data)) return CUDA_ERROR_LOSSY_QUERY;
      if (from != nullptr && to != nullptr && total < *count) {
        from[total] = edge.from->handle;
        to[total] = node->handle;
        if (data != nullptr) data[total] = edge.data;
      }
      ++total;
    }
  }
  if (from != nullptr && to != nullptr) {
    for (size_t i = total; i < *count; ++i) from[i] = to[i] = nullptr;
    *count = std::min(*count, total);
  } else {
    *count = total;
  }
  return CUDA_SUCCESS;
}

CUresult instantiate_handle(CUgraph handle, CUgraphExec* exec) {
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Graph> graph = driver().graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (CUresult refused = check_unsafe()) return refused;
  return instantiate(*graph, exec);
}

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  SIM_ENTER_IF(cuGraphCreate, Need::Init);
  if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  auto made = std::make_shared<Graph>();
  if (current_device() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  made->device = current_device();
  *graph = made->handle = driver().graphs.add(made);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  SIM_ENTER_IF(cuGraphDestroy, Need::Init);
  Lock lock(driver().mutex);
  const std::shared_ptr<Graph> graph = driver().graphs.find(handle);
  // A body goes with its node.
  if (graph == nullptr || graph->around != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (holds_destroyed(*graph))
    report("cuGraphDestroy of a graph with a body that a failed capture has destroyed, over which drivers crash");
  driver().graphs.remove(handle);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  SIM_ENTER_IF(cuGraphGetNodes, Need::Init);
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Graph> graph = driver().graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (nodes == nullptr) {
    *count = graph->nodes.size();
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < *count; ++i) nodes[i] = i < graph->nodes.size() ? graph->nodes[i]->handle : nullptr;
  *count = std::min(*count, graph->nodes.size());
  return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  SIM_ENTER_IF(cuGraphGetEdges, Need::Init);
  return get_edges(graph, from, to, nullptr, count, false);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges, size_t* count) {
  SIM_ENTER_IF(cuGraphGetEdges_v2, Need::Init);
  return get_edges(graph, from, to, edges, count, edges != nullptr || from == nullptr);
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  SIM_ENTER_IF(cuGraphNodeGetType, Need::Init);
  if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Node> node = driver().nodes.find(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = node->work->type();
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  SIM_ENTER(cuGraphInstantiateWithFlags);
  if ((flags & ~15ull) != 0) return CUDA_ERROR_INVALID_VALUE;
  return instantiate_handle(graph, exec);
}

CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node, char* log, size_t log_bytes) {
  SIM_ENTER(cuGraphInstantiate_v2);
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) *log = 0;
  return instantiate_handle(graph, exec);
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  SIM_ENTER(cuGraphUpload);
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> stream = find_stream(stream_handle);
  const std::shared_ptr<GraphExec> exec = driver().execs.find(handle);
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = stream->device->error) return error;
  if (!exec->chain) report("cuGraphUpload of a graph in which work is side by side, over which drivers hang");
  return check_not_capturing(*stream);
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  SIM_ENTER_IF(cuGraphLaunch, Need::Handles);
  Lock lock(driver().mutex);
  std::shared_ptr<GraphExec> exec = driver().execs.find(handle);
  std::shared_ptr<Stream> stream = find_stream(stream_handle);
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = stream->device->error) return error;
  if (CUresult refused = check_not_capturing(*stream)) return refused;
  launch(*exec, *stream);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  SIM_ENTER_IF(cuGraphExecDestroy, Need::Init);
  Lock lock(driver().mutex);
  if (CUresult refused = check_unsafe()) return refused;
  if (driver().execs.remove(handle) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (settings().frees_wait && current_device() != nullptr) driver().wait_for(current_device(), lock);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec handle, CUgraphNode node_handle, const CUDA_KERNEL_NODE_PARAMS* p) {
  SIM_ENTER_IF(cuGraphExecKernelNodeSetParams, Need::Init);
  if (current_device() == nullptr) {
    report("cuGraphExecKernelNodeSetParams on a thread without a current context, where drivers crash");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<GraphExec> exec = driver().execs.find(handle);
  std::shared_ptr<Node> node = driver().nodes.find(node_handle);
  if (exec == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto step =
      std::find_if(exec->steps.begin(), exec->steps.end(), [&](const auto& s) { return s.source == node_handle; });
  if (step == exec->steps.end()) return CUDA_ERROR_INVALID_VALUE;
  const auto* before = dynamic_cast<const KernelWork*>(step->work.get());
  if (before == nullptr) return CUDA_ERROR_INVALID_VALUE;
  WorkRef work;
  if (CUresult error =
          make_kernel_work(p->func, {p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ},
                           p->sharedMemBytes, p->kernelParams, p->extra, before->programmatic, &work))
    return error;
  if (work->home() != step->work->home()) return CUDA_ERROR_INVALID_VALUE;  // a node stays on its device
  step->work = std::move(work);
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS* p) {
  SIM_ENTER_IF(cuGraphKernelNodeGetParams, Need::Init);
  if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Node> node = driver().nodes.find(handle);
  const auto* kernel = node == nullptr ? nullptr : dynamic_cast<const KernelWork*>(node->work.get());
  if (kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;  // another library's tells nobody what it is made of
  const KernelWork& work = *kernel;
  // This version of the call writes the 56 bytes that were there from the start; the arguments stay the node's.
  p->func = work.handle;
  p->gridDimX = work.grid.x;
  p->gridDimY = work.grid.y;
  p->gridDimZ = work.grid.z;
  p->blockDimX = work.block.x;
  p->blockDimY = work.block.y;
  p->blockDimZ = work.block.z;
  p->sharedMemBytes = work.shared_bytes;
  p->kernelParams = const_cast<void**>(work.pointers.data());
  p->extra = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned) {
  SIM_ENTER_IF(cuGraphDebugDotPrint, Need::Init);
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Graph> graph = driver().graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::fprintf(file, "digraph dot {\n");
  std::map<const Node*, std::size_t> index;
  for (const auto& node : graph->nodes) {
    std::size_t i = index.size();
    index[node.get()] = i;
    std::fprintf(file, "  \"%zu\" [label=\"%s\"];\n", i, node->work->name().c_str());
    for (const Edge& edge : node->dependencies)
      std::fprintf(file, "  \"%zu\" -> \"%zu\"%s;\n", index.at(edge.from), i,
                   plain(edge.data) ? "" : " [style=dashed]");
  }
  std::fprintf(file, "}\n");
  std::fclose(file);
  return CUDA_SUCCESS;
}

}  // extern "C"
}  // namespace simcuda
