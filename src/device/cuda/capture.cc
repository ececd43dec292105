// Captures streams of a GPU into graphs, instantiates and launches them, and changes their nodes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "base/caught.h"
#include "device/cuda/cuda_device.h"

namespace rondo::cuda {

namespace {
Status not_capturing(CUstreamCaptureStatus state) {
  return error(RONDO_DEVICE_ERROR, "%s",
               state == CU_STREAM_CAPTURE_STATUS_INVALIDATED
                   ? "a call that cannot be captured broke the capture (900 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)"
                   : "the stream is no longer capturing");
}
}  // namespace

void CudaDevice::relax(int* mode) {
  report(driver().cuThreadExchangeStreamCaptureMode(mode), "cuThreadExchangeStreamCaptureMode");
}

Status CudaDevice::capture_begin(void* stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuStreamBeginCapture_v2(native_stream(stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
  return {};
}

Status CudaDevice::capture_check(void* stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
  RONDO_ON(cuStreamIsCapturing(native_stream(stream), &state), "cuStreamIsCapturing");
  return state == CU_STREAM_CAPTURE_STATUS_ACTIVE ? Status() : not_capturing(state);
}

Status CudaDevice::capture_end(void* stream, bool keep, NativeGraph* graph) {
  Current current(*this);
  CUgraph captured = nullptr;
  const Status ended = check(driver().cuStreamEndCapture(native_stream(stream), &captured), "cuStreamEndCapture");
  if (!ended.ok()) {
    // A stream that goes on capturing breaks every call of this thread that a capture forbids. If the capture is over
    // all the same, the second call only says so.
    driver().cuStreamEndCapture(native_stream(stream), &captured);
    keep = false;
  }
  graph->graph = captured;
  Status counted = keep ? count(graph) : ended;
  if (!keep || !counted.ok()) graph_destroy(graph);
  return counted;
}

// The plain query refuses graphs with programmatic edges; drivers that can make such have the second form.
Status CudaDevice::count_edges(CUgraph graph, size_t* edges) const {
  if (driver().cuGraphGetEdges_v2)
    RONDO_ON(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, edges), "cuGraphGetEdges_v2");
  else
    RONDO_ON(cuGraphGetEdges(graph, nullptr, nullptr, edges), "cuGraphGetEdges");
  return {};
}

Status CudaDevice::count(NativeGraph* graph) const {
  auto* captured = static_cast<CUgraph>(graph->graph);
  std::vector<CUgraphNode> nodes;
  size_t edges = 0;
  RONDO_TRY(list_nodes(captured, &nodes));
  RONDO_TRY(count_edges(captured, &edges));
  graph->nodes = static_cast<int>(nodes.size());
  graph->edges = static_cast<int>(edges);
  graph->chain = edges + 1 == std::max<size_t>(nodes.size(), 1);
  // A graph inside a node is a library's, and nothing tells its shape.
  for (CUgraphNode each : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
    RONDO_ON(cuGraphNodeGetType(each, &type), "cuGraphNodeGetType");
    graph->chain = graph->chain && type != CU_GRAPH_NODE_TYPE_GRAPH;
  }
  if (!edges || (!graph->chain && !programmatic_edges())) return {};
  std::vector<CUgraphNode> from(edges), to(edges);
  std::vector<CUgraphEdgeData> data(edges);
  if (driver().cuGraphGetEdges_v2)
    RONDO_ON(cuGraphGetEdges_v2(captured, from.data(), to.data(), data.data(), &edges), "cuGraphGetEdges_v2");
  else
    RONDO_ON(cuGraphGetEdges(captured, from.data(), to.data(), &edges), "cuGraphGetEdges");
  // So many edges without a cycle are one path exactly if no node has two that leave it, or two that lead to it.
  for (std::vector<CUgraphNode>* ends : {&from, &to}) {
    std::sort(ends->begin(), ends->end());
    graph->chain = graph->chain && std::adjacent_find(ends->begin(), ends->end()) == ends->end();
  }
  graph->programmatic = static_cast<int>(std::count_if(data.begin(), data.end(), [](const CUgraphEdgeData& each) {
    return each.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  }));
  return {};
}

Status CudaDevice::captured_chain(void* stream, bool* chain) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph captured = nullptr;
  const CUgraphNode* last = nullptr;
  size_t ends = 0;
  RONDO_ON(cuStreamGetCaptureInfo_v2(native_stream(stream), &state, nullptr, &captured, &last, &ends),
           "cuStreamGetCaptureInfo");
  if (state != CU_STREAM_CAPTURE_STATUS_ACTIVE) return not_capturing(state);
  size_t nodes = 0;
  size_t edges = 0;
  RONDO_ON(cuGraphGetNodes(captured, nullptr, &nodes), "cuGraphGetNodes");
  RONDO_TRY(count_edges(captured, &edges));
  *chain = ends <= 1 && edges + 1 == std::max<size_t>(nodes, 1);
  return {};
}

Status CudaDevice::graph_instantiate(NativeGraph* graph, void* upload_stream) {
  Current current(*this);
  RONDO_TRY(current.status());
  collect_graphs();
  Relaxed relaxed(*this);
  CUgraphExec exec = nullptr;
  auto* captured = static_cast<CUgraph>(graph->graph);
  if (driver().cuGraphInstantiateWithFlags)
    RONDO_ON(cuGraphInstantiateWithFlags(&exec, captured, 0), "cuGraphInstantiateWithFlags");
  else
    RONDO_ON(cuGraphInstantiate_v2(&exec, captured, nullptr, nullptr, 0), "cuGraphInstantiate_v2");
  graph->exec = exec;
  // Without the upload the first launch pays for it.
  if (driver().cuGraphUpload && graph->chain)  // mutation: branches_are_uploaded
    RONDO_ON(cuGraphUpload(exec, native_stream(upload_stream)), "cuGraphUpload");
  return {};
}

Status CudaDevice::graph_launch(const NativeGraph& graph, void* stream) {
  // exec and stream name their context, so the current one does not matter; asking for it would add to each launch.
  const CUresult result = driver().cuGraphLaunch(static_cast<CUgraphExec>(graph.exec), native_stream(stream));
  return result == CUDA_SUCCESS ? Status() : graph_launch_refused(result, graph, stream);
}

// A driver that wants the context current all the same has done nothing yet.
Status CudaDevice::graph_launch_refused(CUresult result, const NativeGraph& graph, void* stream) {
  if (result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE) {
    Current current(*this);
    RONDO_TRY(current.status());
    result = driver().cuGraphLaunch(static_cast<CUgraphExec>(graph.exec), native_stream(stream));
  }
  return check(result, "cuGraphLaunch");
}

bool CudaDevice::graph_changes(GraphChange change, const char** why) const {
  const auto& calls = driver();
  if (!calls.cuStreamGetCaptureInfo_v2) {
    *why = "needs a graph whose nodes are known, and the driver is older than CUDA 11.3";
    return false;
  }
  if (change == GraphChange::enabled && !calls.cuGraphNodeSetEnabled) {
    *why = "is in a section, and the driver is older than CUDA 11.6, which switches nodes";
    return false;
  }
  return true;
}

Status CudaDevice::capture_of(void* stream, CUgraph* graph, CUgraphNode* last) const {
  CUstreamCaptureStatus state = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUgraphNode* nodes = nullptr;
  size_t count = 0;
  RONDO_ON(cuStreamGetCaptureInfo_v2(native_stream(stream), &state, nullptr, graph, last ? &nodes : nullptr,
                                     last ? &count : nullptr),
           "cuStreamGetCaptureInfo");
  if (state != CU_STREAM_CAPTURE_STATUS_ACTIVE) return not_capturing(state);
  if (!last) return {};
  if (count != 1) return error(RONDO_INTERNAL, "%zu nodes are the last that a stream was captured into", count);
  *last = nodes[0];
  return {};
}

Status CudaDevice::list_nodes(CUgraph graph, std::vector<CUgraphNode>* nodes) const {
  size_t count = 0;
  RONDO_ON(cuGraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes");
  nodes->resize(count);
  if (count) RONDO_ON(cuGraphGetNodes(graph, nodes->data(), &count), "cuGraphGetNodes");
  nodes->resize(count);
  return {};
}

Status CudaDevice::captured_nodes(void* stream, std::vector<void*>* nodes) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUgraph graph = nullptr;
  RONDO_TRY(capture_of(stream, &graph, nullptr));
  std::vector<CUgraphNode> listed;
  RONDO_TRY(list_nodes(graph, &listed));
  nodes->assign(listed.begin(), listed.end());
  return {};
}

Status CudaDevice::last_captured(void* stream, void** node) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUgraphNode last = nullptr;
  RONDO_TRY(capture_of(stream, nullptr, &last));
  *node = last;
  return {};
}

Status CudaDevice::graph_node_switches(void* node, bool* switches) const {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  RONDO_ON(cuGraphNodeGetType(static_cast<CUgraphNode>(node), &type), "cuGraphNodeGetType");
  // One that chooses does nothing while the kernel is off that sets its value.
  *switches = type != CU_GRAPH_NODE_TYPE_EMPTY && type != CU_GRAPH_NODE_TYPE_CONDITIONAL;
  if (!*switches || type <= CU_GRAPH_NODE_TYPE_MEMSET) return {};
  return error(RONDO_UNSUPPORTED,
               "it is in a section of the recording, and drivers switch kernels, copies and fills, not a node of type "
               "%d; record it outside the section, or with RONDO_TASK_NO_CAPTURE",
               type);
}

Status CudaDevice::graph_enable(const NativeGraph& graph, void* node, bool on) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuGraphNodeSetEnabled(static_cast<CUgraphExec>(graph.exec), static_cast<CUgraphNode>(node), on ? 1 : 0),
           "cuGraphNodeSetEnabled");
  return {};
}

// Drivers crash here on a thread without a current context.
Status CudaDevice::graph_set_kernel(const NativeGraph& graph, void* node, CUfunction function, const Launch& shape,
                                    void** parameters) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUDA_KERNEL_NODE_PARAMS launch = {};
  launch.func = function;
  launch.gridDimX = shape.grid[0], launch.gridDimY = shape.grid[1], launch.gridDimZ = shape.grid[2];
  launch.blockDimX = shape.block[0], launch.blockDimY = shape.block[1], launch.blockDimZ = shape.block[2];
  launch.sharedMemBytes = shape.shared_bytes;
  launch.kernelParams = parameters;
  RONDO_ON(
      cuGraphExecKernelNodeSetParams(static_cast<CUgraphExec>(graph.exec), static_cast<CUgraphNode>(node), &launch),
      "cuGraphExecKernelNodeSetParams");
  return {};
}

void CudaDevice::destroy_now(const NativeGraph& graph) {
  if (graph.exec)
    free_apart(graph.exec, [](const CudaDevice& on, void* exec) {
      on.report(driver().cuGraphExecDestroy(static_cast<CUgraphExec>(exec)), "cuGraphExecDestroy");
    });
  if (graph.graph)
    free_apart(graph.graph, [](const CudaDevice& on, void* made) {
      on.report(driver().cuGraphDestroy(static_cast<CUgraph>(made)), "cuGraphDestroy");
    });
}

// The values of its conditional nodes are freed with the graph, and kernels in flight may still write to them.
void CudaDevice::graph_destroy(NativeGraph* graph) {
  const NativeGraph leaving = std::exchange(*graph, {});
  Current current(*this);
  Relaxed relaxed(*this);
  void* event = nullptr;
  bool later = false;
  if (leaving.awaited) {
    Status status = event_create(false, &event);
    if (status.ok()) status = event_record(event, leaving.awaited);
    if (status.ok())
      status = caught([&] {
        std::lock_guard lock(leaving_mutex_);
        leaving_.push_back({leaving, event});
        later = true;
        return Status();
      });
    // Nothing is left to note it with: the launch is waited for after all.
    if (!later) report(driver().cuStreamSynchronize(native_stream(leaving.awaited)), "cuStreamSynchronize");
    if (!later && event) event_destroy(event);
  }
  if (!later) destroy_now(leaving);
  collect_graphs();
}

size_t CudaDevice::collect_graphs(void* ending) {
  std::vector<Leaving> done;
  Current current(*this);
  Relaxed relaxed(*this);
  (void)caught([&] {
    std::lock_guard lock(leaving_mutex_);
    done.reserve(leaving_.size());
    const auto is_done = [&](const Leaving& each) {
      auto* const event = static_cast<CUevent>(each.event);
      const bool waits = ending && each.graph.awaited == ending;
      const CUresult result = waits ? driver().cuEventSynchronize(event) : driver().cuEventQuery(event);
      // On a lost device nothing is in flight.
      if (!waits && result != CUDA_SUCCESS && check(result, "cuEventQuery").code() != RONDO_DEVICE_LOST) return false;
      done.push_back(each);
      return true;
    };
    leaving_.erase(std::remove_if(leaving_.begin(), leaving_.end(), is_done), leaving_.end());
    return Status();
  });
  for (const Leaving& each : done) {
    event_destroy(each.event);
    destroy_now(each.graph);
  }
  return done.size();
}

}  // namespace rondo::cuda
