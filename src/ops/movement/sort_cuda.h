// Declares the base of tasks that sort lines on a GPU, whatever they do with them then.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/task/kernel_task.h"
#include "rtc/device/sort.h"

namespace rondo::ops {

class SortingTask : public KernelTask {
 public:
  Status prepare() override;

 protected:
  using KernelTask::KernelTask;

  struct Lines {
    device::SortArguments first;  // what comes in, as the kernels take it; without addresses
    View in;                      // without storage: made by launches in front, at the start of the workspace
    int dims;                     // that number the lines
    int64_t keep;                 // the first so many of each line are wanted
    // The destination, as values and indices, without storage if not wanted. Null: as keys and places to the workspace.
    const View* values = nullptr;
    const View* indices = nullptr;
  };
  // Adds the launches, and takes the workspace, of which so many bytes in front are the caller's.
  void sort(const Lines& lines, int64_t own_bytes = 0);
  // Called after a sort() into the workspace: the words of arguments get the addresses of the sorted keys and places.
  void add_keys(void* word) { add_workspace(word, key_half(last_half())); }
  void add_places(void* word) { add_workspace(word, place_half(last_half())); }

 private:
  struct Pass {
    bool merges;
    int64_t blocks;
    device::SortArguments arguments;
  };
  void plan(device::SortArguments pass, int64_t keep, bool emits);
  // Bytes into the workspace: keys, then places, of what comes in and of what goes on.
  int64_t key_half(int64_t half) const { return begin_ + half * half_ * key_size_; }
  int64_t place_half(int64_t half) const { return key_half(2) + half * half_ * int64_t{sizeof(uint32_t)}; }
  int64_t last_half() const { return static_cast<int64_t>(passes_.size() % 2); }

  std::vector<Pass> passes_;
  int64_t begin_ = 0, half_ = 0, key_size_ = 4;
};

}  // namespace rondo::ops
