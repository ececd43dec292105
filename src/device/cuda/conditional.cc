// Adds the conditional nodes of a GPU's graphs: if, while and switch, with their bodies.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "device/cuda/cuda_device.h"

namespace rondo::cuda {

size_t CudaDevice::graph_bodies(Choice choice, const char** why) const {
  const auto& calls = driver();
  const int version = calls.driver_version();
  if (version < 12040 || !calls.cuGraphConditionalHandleCreate || !calls.cuGraphAddNode_v2 ||
      !calls.cuStreamBeginCaptureToGraph) {
    *why = "the driver is older than CUDA 12.4, which has conditional nodes";
    return 0;
  }
  if (choice == Choice::index && version < 12080) {
    *why = "the driver is older than CUDA 12.8, whose conditional nodes choose among several bodies";
    return 0;
  }
  switch (choice) {
    // Drivers for 12.8 and 12.9 give nodes of a second body to another parent.
    case Choice::condition: return version < 13000 ? 1 : 2;
    case Choice::loop: return 1;
    case Choice::index: break;
  }
  return std::numeric_limits<unsigned>::max();
}

Status CudaDevice::graph_value(void* stream, unsigned initial, uint64_t* value) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUgraph graph = nullptr;
  RONDO_TRY(capture_of(stream, &graph, nullptr));
  CUgraphConditionalHandle handle = 0;
  constexpr unsigned kAtEachLaunch = 1;
  RONDO_ON(cuGraphConditionalHandleCreate(&handle, graph, context_, initial, kAtEachLaunch),
           "cuGraphConditionalHandleCreate");
  *value = handle;
  return {};
}

Status CudaDevice::graph_choose(void* stream, Choice choice, uint64_t value, size_t n_bodies, void** bodies) {
  Current current(*this);
  RONDO_TRY(current.status());
  CUgraph graph = nullptr;
  CUgraphNode last = nullptr;
  RONDO_TRY(capture_of(stream, &graph, &last));
  CUgraphNodeParams node = {};
  node.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  node.conditional.handle = value;
  node.conditional.type = choice == Choice::condition ? CU_GRAPH_COND_TYPE_IF
                          : choice == Choice::loop    ? CU_GRAPH_COND_TYPE_WHILE
                                                      : CU_GRAPH_COND_TYPE_SWITCH;
  node.conditional.size = static_cast<unsigned>(n_bodies);
  node.conditional.ctx = context_;
  CUgraphNode added = nullptr;
  RONDO_ON(cuGraphAddNode_v2(&added, graph, &last, nullptr, 1, &node), "cuGraphAddNode");
  // The driver's array.
  for (size_t i = 0; i < n_bodies; ++i) bodies[i] = node.conditional.phGraph_out[i];
  constexpr unsigned kInstead = 1;
  RONDO_ON(cuStreamUpdateCaptureDependencies(static_cast<CUstream>(stream), &added, 1, kInstead),
           "cuStreamUpdateCaptureDependencies");
  return {};
}

Status CudaDevice::body_begin(void* stream, void* body) {
  Current current(*this);
  RONDO_TRY(current.status());
  RONDO_ON(cuStreamBeginCaptureToGraph(static_cast<CUstream>(stream), static_cast<CUgraph>(body), nullptr, nullptr, 0,
                                       CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
           "cuStreamBeginCaptureToGraph");
  return {};
}

Status CudaDevice::body_end(void* stream, NativeGraph* body, NativeGraph* whole) {
  Current current(*this);
  CUgraph captured = nullptr;
  const Status ended =
      check(driver().cuStreamEndCapture(static_cast<CUstream>(stream), &captured), "cuStreamEndCapture");
  if (!ended.ok()) {
    // As in capture_end(). If the capture was over all the same, the driver has destroyed the body with it and would
    // destroy it once more with the graph that holds it, which crashes: that graph is leaked.
    if (driver().cuStreamEndCapture(static_cast<CUstream>(stream), &captured) != CUDA_SUCCESS) whole->graph = nullptr;
    return ended;
  }
  std::vector<CUgraphNode> nodes;
  RONDO_TRY(list_nodes(static_cast<CUgraph>(body->graph), &nodes));
  for (CUgraphNode each : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
    RONDO_ON(cuGraphNodeGetType(each, &type), "cuGraphNodeGetType");
    if (type <= CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH || type == CU_GRAPH_NODE_TYPE_EMPTY ||
        type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
      continue;
    return error(RONDO_UNSUPPORTED,
                 "a library captures a node of type %d, and bodies of conditional nodes hold kernels, copies and fills",
                 type);
  }
  RONDO_TRY(count(body));
  whole->nodes += body->nodes;
  whole->edges += body->edges;
  whole->chain = whole->chain && body->chain;
  return {};
}

}  // namespace rondo::cuda
