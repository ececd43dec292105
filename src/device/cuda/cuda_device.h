// Drives a GPU through the driver API, in its primary context (shared with cudart, PyTorch and other users of the
// process).
//
// Every method but graph_launch makes the context current for the call and restores a foreign one afterwards; a thread
// without any context keeps ours. Streams are non-blocking: the legacy stream of other libraries never orders against
// them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include "device/cuda/collective_gate.h"
#include "device/device.h"
#include "dynlib/cuda_libraries.h"

namespace rondo::cuda {

// Turns a driver's result into a Status: fatal codes become RONDO_DEVICE_LOST, exhaustion RONDO_OUT_OF_MEMORY. `device`
// (may be null) is named in the text.
Status failure(CUresult result, const char* function, const Device* device);
inline Status check(CUresult result, const char* function, const Device* device = nullptr) {
  return result == CUDA_SUCCESS ? Status() : failure(result, function, device);
}

inline CUstream native_stream(void* stream) {
  return static_cast<CUstream>(stream);
}

// Calls a driver function and returns from the enclosing function if it fails.
#define RONDO_CU(call, function) RONDO_TRY(::rondo::cuda::check(::rondo::cuda::driver().call, function))
// The same in a method of CudaDevice, which the error names.
#define RONDO_ON(call, function) RONDO_TRY(check(::rondo::cuda::driver().call, function))

// Programmatic launch needs a driver whose graphs have edges for it, and a device of this capability.
constexpr int kProgrammaticDriver = 12030, kProgrammaticCapability = 90;

class CudaDevice final : public StreamDevice {
 public:
  // Opens the GPU's primary context.
  static Status open(int index, CudaDevice** device);

  // Makes the device's context current while in scope. Without it a call would go to another device, or to none: look
  // at status() before.
  class Current {
   public:
    explicit Current(const CudaDevice& device) : device_(device), status_(device.enter(&previous_)) {}
    ~Current() { device_.leave(previous_); }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    const Status& status() const { return status_; }

   private:
    const CudaDevice& device_;
    void* previous_ = nullptr;
    Status status_;
  };
  // cuda::check with the device's name.
  Status check(CUresult result, const char* function) const { return cuda::check(result, function, this); }
  // For calls that give something back, whose caller cannot do anything about a failure: logs it.
  void report(CUresult result, const char* function) const;

  int capability() const { return capability_; }  // 90 for sm_90
  int multiprocessors() const { return multiprocessors_; }
  int max_shared_bytes() const { return max_shared_bytes_; }
  CUcontext context() const { return context_; }

  struct Launch {
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
    bool waits = false;  // the kernel begins with a wait for those before it: launch_early() may launch it
  };
  // `arguments` is the kernel's one parameter, a struct passed by value.
  RONDO_HOT Status launch(CUfunction function, const Launch& shape, void* stream, const void* arguments);
  // With as many parameters as the kernel has: the address of each.
  Status launch_with(CUfunction function, const Launch& shape, void* stream, void** parameters);
  // The same of a kernel that waits: it may start when all blocks of the kernel before it on the stream have begun.
  // While the stream is captured that makes a programmatic edge, of devices that have them.
  Status launch_early(CUfunction function, const Launch& shape, void* stream, void** parameters);
  bool programmatic_edges() const;
  void module_unload(CUmodule module);
  Status module_function(CUmodule module, const char* name, CUfunction* function);

  Status query(rondo_device_info* info) override;
  Status allocate(size_t bytes, void** address) override;
  void release(void* address) override;
  size_t alignment() const override { return 256; }
  size_t segment_bytes() const override { return size_t{2} << 20; }
  Status allocate_pinned(size_t bytes, void** address) override;
  void release_pinned(void* address) override;
  Status stream_create(bool high_priority, void** stream) override;
  void stream_destroy(void* stream) override;
  Status stream_synchronize(void* stream) override;
  Status stream_wait(void* stream, void* event) override;
  Status event_create(bool timing, void** event) override;
  void event_destroy(void* event) override;
  Status event_record(void* event, void* stream) override;
  Status event_query(void* event, bool* done) override;
  Status event_synchronize(void* event) override;
  Status event_elapsed(void* start, void* end, float* milliseconds) override;
  Status copy(CopyKind kind, void* to, const void* from, size_t bytes, void* stream) override;
  Status copy_peer(void* to, StreamDevice& from_device, const void* from, size_t bytes, void* stream) override;
  Status fill_bytes(void* to, unsigned char value, size_t bytes, void* stream) override;
  Status capture_begin(void* stream) override;
  Status capture_check(void* stream) override;
  Status capture_end(void* stream, bool keep, NativeGraph* graph) override;
  Status graph_instantiate(NativeGraph* graph, void* upload_stream) override;
  RONDO_HOT Status graph_launch(const NativeGraph& graph, void* stream) override;
  RONDO_COLD Status graph_launch_refused(CUresult result, const NativeGraph& graph, void* stream);
  void graph_destroy(NativeGraph* graph) override;
  bool graph_changes(GraphChange change, const char** why) const override;
  Status captured_nodes(void* stream, std::vector<void*>* nodes) override;
  Status last_captured(void* stream, void** node) override;
  Status captured_chain(void* stream, bool* chain) override;
  Status graph_node_switches(void* node, bool* switches) const override;
  Status graph_enable(const NativeGraph& graph, void* node, bool on) override;
  size_t graph_bodies(Choice choice, const char** why) const override;
  Status graph_value(void* stream, unsigned initial, uint64_t* value) override;
  Status graph_choose(void* stream, Choice choice, uint64_t value, size_t n_bodies, void** bodies) override;
  Status body_begin(void* stream, void* body) override;
  Status body_end(void* stream, NativeGraph* body, NativeGraph* whole) override;
  // Gives a kernel's node of a graph another launch, for the launches of the graph to come. It stays the same kernel.
  Status graph_set_kernel(const NativeGraph& graph, void* node, CUfunction function, const Launch& shape,
                          void** parameters);

 protected:
  void relax(int* mode) override;
  Status enter(void** previous) const override {
    CUcontext now = nullptr;
    RONDO_ON(cuCtxGetCurrent(&now), "cuCtxGetCurrent");
    if (now == context_) return {};
    RONDO_ON(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    *previous = now;
    return {};
  }
  void leave(void* previous) const override {
    if (previous) report(driver().cuCtxSetCurrent(static_cast<CUcontext>(previous)), "cuCtxSetCurrent");
  }

 private:
  // Its nodes and edges, and whether they are a chain.
  Status count(NativeGraph* graph) const;
  Status count_edges(CUgraph graph, size_t* edges) const;
  void destroy_now(const NativeGraph& graph);
  // Gives something back by a call for which the driver may wait until GPUs are idle.
  template <class Free>
  void free_apart(void* what, Free) {
    release_apart(
        [](void* device, void* freed) {
          auto& on = *static_cast<CudaDevice*>(device);
          Current current(on);
          Relaxed relaxed(on);
          Free{}(on, freed);
        },
        this, what);
  }
  // Destroys what graph_destroy() has left for later and the device has done by now; how many there were. `ending`: a
  // stream that is about to go, whose graphs are waited for; may be null.
  size_t collect_graphs(void* ending = nullptr);
  // The graph that the stream is captured into, and if `last`, the one node that was captured last on it.
  Status capture_of(void* stream, CUgraph* graph, CUgraphNode* last) const;
  Status list_nodes(CUgraph graph, std::vector<CUgraphNode>* nodes) const;
  CudaDevice(int index, CUdevice handle) : StreamDevice({RONDO_CUDA, index}), handle_(handle) {}

  CUdevice handle_;
  CUcontext context_ = nullptr;
  int capability_ = 0;
  int multiprocessors_ = 1;
  int max_shared_bytes_ = 48 << 10;
  // Graphs that were destroyed while a launch of theirs was in flight, with an event after that launch.
  struct Leaving {
    NativeGraph graph;
    void* event;
  };
  std::mutex leaving_mutex_;
  std::vector<Leaving> leaving_;
};

// Number of GPUs; 0 with the reason when there are none or the driver cannot be used.
int device_count(std::string* reason);
// The driver's first answer when it was asked for its devices; CUDA_SUCCESS also if it was never reached.
CUresult first_answer();
Status get_device(int index, Device** device);

}  // namespace rondo::cuda
