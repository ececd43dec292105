// Memory and a stream of a trial's own, and graphs that are timed there.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "device/cuda/cuda_device.h"

namespace rondo::ops {

// Gives all of it back at the end.
class TrialMemory {
 public:
  using Body = std::function<Status(void* stream)>;

  explicit TrialMemory(cuda::CudaDevice& device) : device_(device) {}
  virtual ~TrialMemory();
  TrialMemory(const TrialMemory&) = delete;
  TrialMemory& operator=(const TrialMemory&) = delete;

  // Makes the stream and the events.
  Status open();
  // Makes sure of as many bytes of workspace.
  Status take_workspace(size_t bytes);
  void* workspace() const { return workspace_; }
  // Memory that holds the same byte, with a margin of it on both sides. RONDO_OUT_OF_MEMORY if there is none.
  Status take_filled(unsigned char byte, size_t bytes, size_t margin, void** address);
  Status synchronize() { return device_.stream_synchronize(stream_); }
  void* stream() const { return stream_; }

  // Captures what `body` enqueues on a stream. The graph is the caller's.
  Status capture(const Body& body, NativeGraph* graph);
  // Sets *microseconds to those of so many launches of it, one after the other.
  Status time(const NativeGraph& graph, int launches, float* microseconds);
  // The time of one launch of what `body` enqueues, after another one.
  Status time_graph(const Body& body, float* microseconds);

 protected:
  cuda::CudaDevice& device_;
  void* stream_ = nullptr;
  size_t workspace_bytes_ = 0;

 private:
  std::vector<void*> taken_;
  void* workspace_ = nullptr;
  void* begin_ = nullptr;
  void* end_ = nullptr;
};

}  // namespace rondo::ops
