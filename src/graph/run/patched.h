// Calls without copies: kernels of captured segments that work on a call's inputs and outputs are given the caller's
// addresses before each launch that has others than the last one. For addresses that come back there are several
// executables of one segment, each for those that it was launched with last.
//
// A part of its segment; guarded by the order of its runs, but for executables().
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "engine/engine.h"

namespace rondo {

class PatchedKernels {
 public:
  bool empty() const { return tasks_.empty(); }
  // How many there are.
  int32_t count() const;
  // Those of a task that has been captured. bound: what stands for inputs and outputs among what it works on.
  void add(Task& task, KernelNodes kernels, void* workspace, std::vector<const Storage*> bound);

  // Has `native` be an executable whose kernels have the addresses of what is bound now. several: there may be more
  // than one. context: as that of the capture.
  Status patch(Engine& engine, Device& device, bool several, NativeGraph* native, const TaskContext& context);
  uint32_t executables() const { return executables_.load(std::memory_order_relaxed); }
  // All but the one in the segment.
  void destroy_others(StreamDevice& streams);

 private:
  struct Patched {
    Task* task;
    KernelNodes kernels;
    void* workspace;
    std::vector<const Storage*> bound;
  };
  // The addresses of all that is bound, by task in their order.
  using Addresses = std::vector<const char*>;
  struct Executable {
    NativeGraph native;  // without a template
    Addresses addresses;
  };
  template <class Visit>
  bool all_bound(const Visit& visit) const;
  bool is_for_what_is_bound(const Addresses& addresses) const;
  template <class Visit>
  Status each_changed(const Visit& visit);
  void take_executable(Engine& engine, Device& device, bool several, NativeGraph* native, void* stream);
  bool executable_pays(const NativeGraph& native, bool several);
  void make_executable(Engine& engine, Device& device, const NativeGraph& native, void* stream);

  std::vector<Patched> tasks_;
  Addresses addresses_;             // of the executable in the segment
  std::vector<Executable> others_;  // of the same template, the one that was launched last in front
  std::atomic<uint32_t> executables_{1};
  std::array<uint64_t, 8> lately_{};  // hashes of what calls bound that no executable was for
  uint32_t calls_lately_ = 0;         // how many there were
  double changed_us_ = 0;             // spent on nodes for addresses that came back, since an executable was made
  int64_t shortages_ = 0;             // how often the device had no memory left before one was
};

// Gives the kernels of a captured task the arguments that a run has now.
Status run_on_nodes(Task& task, const NativeGraph& native, KernelNodes* kernels, TaskContext context);

}  // namespace rondo
