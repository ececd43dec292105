// Stream capture: which streams are captured into which graph, the rules for what may be called meanwhile, and their
// error codes. All functions need the driver's lock. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <thread>

#include "graph.h"

namespace simcuda {

enum : CUresult {
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_LOSSY_QUERY = 402,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
};

struct Capture {
  std::uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id owner;
  Stream* origin = nullptr;
  std::vector<std::shared_ptr<Stream>> streams;  // all that joined, the origin first
  std::shared_ptr<Graph> graph;
  bool invalid = false, ended = false;
  bool into_given = false;  // the graph was there before
};

void invalidate(Capture& capture);

// For calls that are refused while a capture is under way that concerns the calling thread (allocation, module loading,
// queries, synchronisation): breaks that capture and answers 900.
CUresult check_unsafe();
// For calls on a stream that cannot be captured (query, synchronise): breaks the stream's capture.
CUresult check_not_capturing(Stream& stream);
// The legacy stream may not be used while a blocking stream of its device is captured.
CUresult check_legacy(Stream& stream);

CUresult begin_capture(CUstream handle, CUstreamCaptureMode mode, std::shared_ptr<Graph> graph,
                       std::vector<std::shared_ptr<Node>> frontier);
CUresult capture_work(Stream& stream, WorkRef work);
CUresult capture_wait(const std::shared_ptr<Stream>& stream, Event& event);

}  // namespace simcuda
