// Declares devices. A Device is the process's view of one cpu or GPU: it gives raw memory. A StreamDevice also runs
// work asynchronously on streams; what its methods take and give are native handles (CUstream, CUevent, CUgraphExec) as
// void*.
//
// Devices are made on first use, shared by all engines and never destroyed. All methods are thread-safe; those that use
// a stream leave the order of calls on one stream to the caller (the engine holds the stream's lock).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/device.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace rondo {

class StreamDevice;

class Device {
 public:
  explicit Device(rondo_device id) : id_(id) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  rondo_device id() const { return id_; }
  bool is_host() const { return id_.kind == RONDO_CPU; }
  // null for a cpu, whose tasks run on the engine's workers.
  virtual StreamDevice* streams() { return nullptr; }
  virtual Status query(rondo_device_info* info) = 0;

  // Memory of the system or driver, for the pool: slow. RONDO_OUT_OF_MEMORY when there is none left.
  virtual Status allocate(size_t bytes, void** address) = 0;
  virtual void release(void* address) = 0;
  // Makes memory zero that nothing else is using; done when it returns. It may be called while a stream is captured.
  struct Bytes {
    void* address;
    size_t count;
  };
  virtual Status zero(std::span<const Bytes> memory) = 0;
  // Alignment of every block the pool hands out, and the size it asks for at least.
  virtual size_t alignment() const = 0;
  virtual size_t segment_bytes() const = 0;

 private:
  rondo_device id_;
};

enum class CopyKind { host_to_device, device_to_host, device_to_device };

struct NativeGraph {
  void* exec = nullptr;   // replayable
  void* graph = nullptr;  // its template; kept, because patching a node needs it
  int nodes = 0;
  int edges = 0;
  int programmatic = 0;  // of the edges
  // True if its nodes, and those of each body, follow each other one by one.
  bool chain = true;
  // For a graph with conditional nodes: the stream of its last launch, which must have ended before the driver's graph
  // is destroyed.
  void* awaited = nullptr;
};

// The kind of a conditional node, which holds graphs of its own, its bodies: it runs the first or the second by whether
// its value is zero, the first again and again until its value is zero, or the one whose number its value is.
enum class Choice { condition, loop, index };

// The properties of an existing graph that can be changed for the launches to come.
enum class GraphChange { kernel, enabled };

class StreamDevice : public Device {
 public:
  using Device::Device;
  StreamDevice* streams() override { return this; }
  Status zero(std::span<const Bytes> memory) override;

  // Page-locked host memory that every device can copy from and to.
  virtual Status allocate_pinned(size_t bytes, void** address) = 0;
  virtual void release_pinned(void* address) = 0;

  // high_priority: runs before others where the device can.
  virtual Status stream_create(bool high_priority, void** stream) = 0;
  virtual void stream_destroy(void* stream) = 0;
  virtual Status stream_synchronize(void* stream) = 0;
  virtual Status stream_wait(void* stream, void* event) = 0;

  virtual Status event_create(bool timing, void** event) = 0;
  virtual void event_destroy(void* event) = 0;
  virtual Status event_record(void* event, void* stream) = 0;
  virtual Status event_query(void* event, bool* done) = 0;
  virtual Status event_synchronize(void* event) = 0;
  virtual Status event_elapsed(void* start, void* end, float* milliseconds) = 0;

  virtual Status copy(CopyKind kind, void* to, const void* from, size_t bytes, void* stream) = 0;
  virtual Status copy_peer(void* to, StreamDevice& from_device, const void* from, size_t bytes, void* stream) = 0;
  virtual Status fill_bytes(void* to, unsigned char value, size_t bytes, void* stream) = 0;

  // Capture into a graph, thread-local: other threads of the process are not restricted.
  virtual Status capture_begin(void* stream) = 0;
  // Succeeds if the capture on the stream is still valid; the error says what broke it.
  virtual Status capture_check(void* stream) = 0;
  // Ends the capture. With `keep` false the result is dropped, and only that the stream is free again matters.
  virtual Status capture_end(void* stream, bool keep, NativeGraph* graph) = 0;
  // Makes it replayable. A chain is uploaded on the stream as well, so that no launch pays for that: the first launch
  // of any other graph does, because drivers hang over its upload (docs/driver-faults.md).
  virtual Status graph_instantiate(NativeGraph* graph, void* upload_stream) = 0;
  virtual Status graph_launch(const NativeGraph& graph, void* stream) = 0;
  // Waits for nothing: what the device is still at work on is destroyed by a later call of these, or with the stream.
  virtual void graph_destroy(NativeGraph* graph) = 0;
  // Returns whether it can; if not, *why says so.
  virtual bool graph_changes(GraphChange change, const char** why) const {
    (void)change;
    *why = "is on a device whose graphs stay as they are";
    return false;
  }
  // The nodes so far of the graph that the stream is captured into.
  virtual Status captured_nodes(void* stream, std::vector<void*>* nodes) {
    (void)stream;
    nodes->clear();
    return {};
  }
  // The node that was captured last on the stream.
  virtual Status last_captured(void* stream, void** node) {
    (void)stream;
    *node = nullptr;
    return {};
  }
  // Sets *chain to whether the stream's capture so far is a chain that the stream goes on from.
  virtual Status captured_chain(void* stream, bool* chain) {
    (void)stream;
    *chain = true;
    return {};
  }
  // Sets *switches to whether the node does something that can be switched off; an error if it does something that
  // cannot.
  virtual Status graph_node_switches(void* node, bool* switches) const {
    (void)node;
    *switches = false;
    return {};
  }
  // Switches a node for the launches to come: one that is off does nothing.
  virtual Status graph_enable(const NativeGraph& graph, void* node, bool on) {
    (void)graph, (void)node, (void)on;
    return {};
  }

  // Nodes that choose, in a graph that is being captured. A body is captured when the capture of the graph around it
  // has ended. The most bodies that such a node can have; 0: there are none, and *why says so.
  virtual size_t graph_bodies(Choice choice, const char** why) const {
    (void)choice;
    *why = "its device has no graphs that choose";
    return 0;
  }
  // A value that a kernel sets and a node goes by; `initial` when the graph begins. One node must use it.
  virtual Status graph_value(void* stream, unsigned initial, uint64_t* value) {
    (void)stream, (void)initial, (void)value;
    return error(RONDO_UNSUPPORTED, "the device has no graphs that choose");
  }
  // Adds a node after the one that was captured last on the stream. Its bodies are a part of it.
  virtual Status graph_choose(void* stream, Choice choice, uint64_t value, size_t n_bodies, void** bodies) {
    (void)stream, (void)choice, (void)value, (void)n_bodies, (void)bodies;
    return error(RONDO_UNSUPPORTED, "the device has no graphs that choose");
  }
  // Capture into a body.
  virtual Status body_begin(void* stream, void* body) {
    (void)stream, (void)body;
    return error(RONDO_UNSUPPORTED, "the device has no graphs that choose");
  }
  // An error if it was not sound, or if the body has nodes that it may not have. body: its `graph` is given, its
  // figures are filled in and added to the whole graph's. A failure may leave the whole one without `graph`: it is
  // lost.
  virtual Status body_end(void* stream, NativeGraph* body, NativeGraph* whole) {
    (void)stream, (void)body, (void)whole;
    return error(RONDO_UNSUPPORTED, "the device has no graphs that choose");
  }

  // Lets the calling thread's capture survive calls that a capture forbids (allocation, module loading) while in scope.
  class Relaxed {
   public:
    explicit Relaxed(StreamDevice& device) : device_(device) { device_.relax(&mode_); }
    ~Relaxed() {
      // Unless it was relaxed before, or the exchange failed: another one would relax the thread for good.
      if (mode_ != kRelaxed) device_.relax(&mode_);
    }
    Relaxed(const Relaxed&) = delete;
    Relaxed& operator=(const Relaxed&) = delete;

   private:
    StreamDevice& device_;
    static constexpr int kRelaxed = 2;
    int mode_ = kRelaxed;
  };

  // Makes the device the calling thread's, as its driver understands that (a current context), while in scope: for code
  // that is not Rondo's. Look at status() before. The methods above do not need it.
  class Entered {
   public:
    explicit Entered(StreamDevice& device) : device_(device), status_(device.enter(&previous_)) {}
    ~Entered() { device_.leave(previous_); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    const Status& status() const { return status_; }

   private:
    StreamDevice& device_;
    void* previous_ = nullptr;
    Status status_;
  };

 protected:
  // *previous: what leave() has to restore; null if nothing.
  virtual Status enter(void** previous) const = 0;
  virtual void leave(void* previous) const = 0;
  // Exchanges the calling thread's capture mode; leaves *mode if that fails.
  virtual void relax(int* mode) = 0;
};

// The device, opened on first use. RONDO_NOT_FOUND or RONDO_LIBRARY_MISSING with the reason if there is none.
Status get_device(rondo_device id, Device** device);
// Number of devices of a kind; 0 is no error. *reason (may be null) says why there are no cuda devices.
int device_count(rondo_device_kind kind, std::string* reason = nullptr);

std::string device_name(rondo_device id);  // "cuda:0"
Status parse_device(const char* text, rondo_device* device);

}  // namespace rondo
