// Work of other simulated libraries: checked as kernels are, by whole ranges.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "libraries/library_call.h"

#include <thread>

#include "capture.h"

namespace simcuda {
namespace {

struct LibraryWork : Work {
  ~LibraryWork() override { destroy(argument); }
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_KERNEL; }
  std::string name() const override { return title; }

  // False when the device is lost.
  bool check(Device& device) const {
    Driver& d = driver();
    Lock lock(d.mutex);
    for (const SimcudaLibraryRange& each : ranges) {
      Device* owner = d.device_of(each.address);
      const bool reachable = owner == &device || (owner != nullptr && device.peers.count(owner->ordinal) != 0);
      if (!reachable || !owner->heap.inside(each.address, each.bytes)) {
        std::uint64_t bad = each.address;
        while (reachable && owner->heap.inside(bad, 1)) ++bad;
        lose_device(device, CUDA_ERROR_ILLEGAL_ADDRESS,
                    "kernel '" + title + "': uses " + std::to_string(each.bytes) +
                        " bytes: " + (reachable ? owner->heap.describe(bad) : std::string("not memory of the device")));
        return false;
      }
      if (each.kind == SIMCUDA_STORE) continue;
      if (const std::size_t unwritten = owner->heap.first_unwritten(each.address, each.bytes); unwritten != each.bytes)
        report("kernel '" + title + "': reads device memory that was never written, " +
               owner->heap.describe(each.address + unwritten));
    }
    return true;
  }
  void run(Device& device) const override {
    if (!check(device)) return;
    function(argument);
    if (settings().told_time)
      Scheduler::takes(std::chrono::microseconds(microseconds));
    else if (microseconds > 0)
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    for (const SimcudaLibraryRange& each : ranges)
      if (each.kind != SIMCUDA_LOAD) driver().device_of(each.address)->heap.mark_written(each.address, each.bytes);
  }

  std::string title;
  void (*function)(void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void* argument = nullptr;
  std::vector<SimcudaLibraryRange> ranges;
  int microseconds = 0;
};

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int simcuda_library_call(void* handle, const SimcudaLibraryCall* call) {
  auto work = std::make_shared<LibraryWork>();
  work->title = call->name;
  work->function = call->run;
  work->destroy = call->destroy;
  work->argument = call->argument;
  work->ranges.assign(call->ranges, call->ranges + call->n_ranges);
  work->microseconds = call->microseconds;
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(static_cast<CUstream>(handle), &stream)) return error;
  return enqueue(stream, std::move(work));
}

__attribute__((visibility("default"))) void simcuda_library_report(const char* text) {
  Lock lock(driver().mutex);
  report(text);
}

}  // extern "C"
}  // namespace simcuda
