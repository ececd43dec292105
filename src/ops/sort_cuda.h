// The passes that sort lines on a GPU, for the tasks that need lines sorted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/cuda_kernel.h"
#include "rtc/device/sort.h"

namespace rondo::ops {

class SortPasses {
 public:
  // `first`: what comes in, as the kernels take it. keep: the first so many of each line are wanted. emits: they go
  // out as values and indices; otherwise as keys and places in the workspace.
  SortPasses(const device::SortArguments& first, rondo_dtype dtype, int lines, int64_t keep, bool emits);

  size_t workspace_bytes() const;
  Status prepare(Task& task);
  Status run(Task& task, const TaskContext& context, const void* in, void* values, void* indices);
  // Uses the context's workspace.
  // Where the sorted keys and places are, after a run that did not emit.
  const void* keys(void* workspace) const { return key_half(workspace, last_half()); }
  const uint32_t* places(void* workspace) const { return place_half(workspace, last_half()); }

 private:
  enum Kernel : int { kTiles, kMerge };
  struct Pass {
    Kernel kernel;
    int64_t blocks;
    device::SortArguments arguments;
  };
  void add(Kernel kernel, int64_t blocks, const device::SortArguments& arguments) {
    passes_.push_back({kernel, blocks, arguments});
  }
  int64_t key_size() const { return dtype_size(dtype_) == 8 ? 8 : 4; }
  // Keys, then places, of what comes in and of what goes on.
  char* key_half(void* workspace, int half) const { return static_cast<char*>(workspace) + half * half_ * key_size(); }
  uint32_t* place_half(void* workspace, int half) const {
    return reinterpret_cast<uint32_t*>(key_half(workspace, 2)) + half * half_;
  }
  int last_half() const { return static_cast<int>(passes_.size() % 2); }

  std::vector<Pass> passes_;
  rondo_dtype dtype_;
  int lines_;
  bool emits_;
  int64_t half_ = 0;
  const rtc::Kernel* kernels_[2] = {};
};

}  // namespace rondo::ops
