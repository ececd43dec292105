// The rules of stream capture.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <algorithm>
#include <set>

namespace simcuda {
namespace {

thread_local CUstreamCaptureMode t_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

void add_unique(std::vector<std::shared_ptr<Node>>& nodes, const std::shared_ptr<Node>& node) {
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

// Ends the capture for all its streams.
void finish(Capture& capture) {
  capture.ended = true;
  for (const auto& stream : capture.streams) {
    stream->capture = nullptr;
    stream->frontier.clear();
  }
  capture.streams.clear();
  auto& captures = driver().captures;
  std::erase_if(captures, [&](const auto& other) { return other.get() == &capture; });
}

// Does every node lead to the origin's frontier, that is, was every forked stream joined again?
bool joined(const Capture& capture) {
  std::set<const Node*> reached;
  std::vector<const Node*> pending;
  for (const auto& node : capture.origin->frontier) pending.push_back(node.get());
  while (!pending.empty()) {
    const Node* node = pending.back();
    pending.pop_back();
    if (!reached.insert(node).second) continue;
    for (const Edge& edge : node->dependencies) pending.push_back(edge.from);
  }
  for (const auto& stream : capture.streams)
    for (const auto& node : stream->frontier)
      if (reached.count(node.get()) == 0) return false;
  return true;
}

// The capture that keeps the legacy stream from being used: one of a blocking stream of its device.
Capture* blocked_by_capture(const Stream& stream) {
  if (&stream != stream.device->legacy_stream.get()) return nullptr;
  for (const auto& capture : driver().captures)
    for (const auto& other : capture->streams)
      if (other->device == stream.device && (other->flags & CU_STREAM_NON_BLOCKING) == 0) return capture.get();
  return nullptr;
}

}  // namespace

void invalidate(Capture& capture) {
  capture.invalid = true;
}

CUresult check_unsafe() {
  if (t_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  bool refused = false;
  for (const auto& capture : driver().captures) {
    bool own = capture->owner == std::this_thread::get_id() && capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    bool other = t_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!own && !other) continue;
    invalidate(*capture);
    refused = true;
  }
  return refused ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult check_not_capturing(Stream& stream) {
  if (stream.capture == nullptr) return check_legacy(stream);
  invalidate(*stream.capture);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult check_legacy(Stream& stream) {
  Capture* capture = blocked_by_capture(stream);
  if (capture == nullptr) return CUDA_SUCCESS;
  invalidate(*capture);
  return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

CUresult capture_work(Stream& stream, WorkRef work) {
  Capture& capture = *stream.capture;
  if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  const auto* kernel = dynamic_cast<const KernelWork*>(work.get());
  std::vector<Edge> edges;
  for (const auto& node : stream.frontier) {
    Edge edge{node.get()};
    if (kernel != nullptr && kernel->programmatic && node->work->type() == CU_GRAPH_NODE_TYPE_KERNEL) {
      edge.data.from_port = 1;  // the kernel's programmatic trigger
      edge.data.type = 1;
    }
    edges.push_back(edge);
  }
  stream.frontier = {add_node(*capture.graph, std::move(work), edges)};
  return CUDA_SUCCESS;
}

CUresult capture_wait(const std::shared_ptr<Stream>& stream, Event& event) {
  if (event.capture == nullptr) {
    if (stream->capture == nullptr) return CUDA_SUCCESS;
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    invalidate(*stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  Capture& capture = *event.capture;
  if (capture.ended) {
    if (stream->capture != nullptr) invalidate(*stream->capture);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (stream->capture != nullptr && stream->capture != event.capture) {
    invalidate(*stream->capture);
    invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (capture.invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream->capture == nullptr) {
    if (stream == stream->device->legacy_stream) {
      invalidate(capture);
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    stream->capture = event.capture;
    stream->frontier.clear();
    capture.streams.push_back(stream);
  }
  for (const auto& node : event.nodes) add_unique(stream->frontier, node);
  return CUDA_SUCCESS;
}

CUresult begin_capture(CUstream handle, CUstreamCaptureMode mode, std::shared_ptr<Graph> graph,
                       std::vector<std::shared_ptr<Node>> frontier) {
  Driver& d = driver();
  std::shared_ptr<Stream> stream = d.streams.find(handle);
  if (handle == nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // the legacy stream cannot be captured
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = stream->device->error) return error;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->id = d.next_id++;
  capture->mode = mode;
  capture->owner = std::this_thread::get_id();
  capture->origin = stream.get();
  capture->into_given = graph != nullptr;
  if (graph == nullptr) {
    graph = std::make_shared<Graph>();
    graph->device = stream->device;
    // A handle from the start, for capture-info queries; the graph is the user's once the capture ended well.
    graph->handle = d.graphs.add(graph);
  }
  capture->graph = std::move(graph);
  capture->streams = {stream};
  stream->capture = capture;
  stream->frontier = std::move(frontier);
  d.captures.push_back(capture);
  return CUDA_SUCCESS;
}

namespace {

// The graph of a capture that failed goes, also one that was given: as drivers do, who do not ask whose it is.
void drop_graph(const Capture& capture) {
  capture.graph->destroyed = capture.into_given;
  driver().graphs.remove(capture.graph->handle);
}

CUresult end_capture(CUstream handle, CUgraph* graph) {
  Driver& d = driver();
  std::shared_ptr<Stream> stream = d.streams.find(handle);
  *graph = nullptr;
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Capture> capture = stream->capture;
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream.get()) {
    invalidate(*capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->owner != std::this_thread::get_id()) {
    // Refused, and over all the same.
    finish(*capture);
    drop_graph(*capture);
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  CUresult result = CUDA_SUCCESS;
  if (capture->invalid)
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else if (!joined(*capture))
    result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  finish(*capture);
  if (holds_destroyed(*capture->graph))
    report("the end of a capture around a body that a failed capture has destroyed, over which drivers crash");
  if (result == CUDA_SUCCESS)
    *graph = capture->graph->handle;
  else
    drop_graph(*capture);
  return result;
}

// What the three versions of cuStreamGetCaptureInfo share. The arrays live as long as nothing is captured on this
// thread.
CUresult capture_info(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                      const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
  static thread_local std::vector<CUgraphNode> t_nodes;
  static thread_local std::vector<CUgraphEdgeData> t_edges;
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(handle, &stream)) return error;
  if (blocked_by_capture(*stream) != nullptr) {
    *status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  const Capture* capture = stream->capture.get();
  *status = capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                               : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  t_nodes.clear();
  for (const auto& node : stream->frontier) t_nodes.push_back(node->handle);
  t_edges.assign(t_nodes.size(), {});
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph->handle;
  if (dependencies != nullptr) *dependencies = t_nodes.data();
  if (edges != nullptr) *edges = t_edges.data();
  if (count != nullptr) *count = t_nodes.size();
  return CUDA_SUCCESS;
}

}  // namespace

// --- entry points ---------------------------------------------------------------------------------------------------
extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  SIM_ENTER(cuStreamBeginCapture_v2);
  Lock lock(driver().mutex);
  return begin_capture(stream, mode, nullptr, {});
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  SIM_ENTER_IF(cuStreamEndCapture, Need::Init);
  if (current_device() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> found = driver().streams.find(stream);
  CUresult result = end_capture(stream, graph);
  CUresult lost = current_device()->error;
  if (lost == CUDA_SUCCESS && found != nullptr) lost = found->device->error;
  if (lost != CUDA_SUCCESS) {
    if (result == CUDA_SUCCESS) driver().graphs.remove(*graph);
    *graph = nullptr;
    return lost;
  }
  return result;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  SIM_ENTER(cuStreamIsCapturing);
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  return capture_info(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  SIM_ENTER_IF(cuThreadExchangeStreamCaptureMode, Need::Init);
  if (mode == nullptr || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(t_mode, *mode);
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** dependencies, size_t* n_dependencies) {
  SIM_ENTER(cuStreamGetCaptureInfo_v2);
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  return capture_info(stream, status, id, graph, dependencies, nullptr, n_dependencies);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** dependencies, const CUgraphEdgeData** edges,
                                   size_t* n_dependencies) {
  SIM_ENTER(cuStreamGetCaptureInfo_v3);
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  return capture_info(stream, status, id, graph, dependencies, edges, n_dependencies);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* dependencies, size_t n_dependencies,
                                           unsigned flags) {
  SIM_ENTER(cuStreamUpdateCaptureDependencies);
  if (flags > 1 || (dependencies == nullptr && n_dependencies != 0)) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(handle, &stream)) return error;
  if (stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  std::vector<std::shared_ptr<Node>> nodes;
  for (size_t i = 0; i < n_dependencies; ++i) {
    std::shared_ptr<Node> node = d.nodes.find(dependencies[i]);
    if (node == nullptr || node->graph != stream->capture->graph.get()) return CUDA_ERROR_INVALID_VALUE;
    nodes.push_back(node);
  }
  if (flags == 1) stream->frontier.clear();
  for (const auto& node : nodes) add_unique(stream->frontier, node);
  return CUDA_SUCCESS;
}

}  // extern "C"
}  // namespace simcuda
