// State of the simulated driver: devices, handles, streams, events, modules. One lock protects all of it; tasks run
// without it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi.h"
#include "entries.h"
#include "heap/heap.h"
#include "heap/pinned.h"
#include "scheduler.h"

namespace simcuda {

struct Capture;
struct Graph;
struct GraphExec;
struct Node;
struct Stream;
struct Work;

// --- handles --------------------------------------------------------------------------------------------------------
// A handle is a number that is no address and is never used twice: using one after its destroy is an error, not luck.
std::uint64_t next_handle();

template <class T, class Handle>
class Handles {
 public:
  Handle add(std::shared_ptr<T> object) {
    std::uint64_t handle = next_handle();
    objects_[handle] = std::move(object);
    return reinterpret_cast<Handle>(handle);
  }
  std::shared_ptr<T> find(Handle handle) const {
    auto it = objects_.find(reinterpret_cast<std::uint64_t>(handle));
    return it == objects_.end() ? nullptr : it->second;
  }
  std::shared_ptr<T> remove(Handle handle) {
    auto it = objects_.find(reinterpret_cast<std::uint64_t>(handle));
    if (it == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(it->second);
    objects_.erase(it);
    return object;
  }
  std::size_t size() const { return objects_.size(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  std::unordered_map<std::uint64_t, std::shared_ptr<T>> objects_;
};

// --- objects --------------------------------------------------------------------------------------------------------
struct Device {
  Device(int ordinal_, std::size_t memory) : ordinal(ordinal_), heap(memory) {}
  CUcontext context() const { return reinterpret_cast<CUcontext>(0x5000000000000000ull + 16u * (ordinal + 1u)); }

  int ordinal;
  Heap heap;
  std::atomic<int> error{0};  // sticky: every later call answers this
  int retained = 0;           // of the primary context
  bool ever_retained = false;
  std::set<int> peers;
  std::shared_ptr<Stream> legacy_stream;
  CUmemoryPool default_pool = nullptr;
  int loading = 0;  // or freeing, in so many threads: other calls that need the context wait
};

struct Stream {
  Device* device = nullptr;
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  TaskRef tail;                // the last task put in
  std::vector<TaskRef> waits;  // what the next task waits for besides
  std::shared_ptr<Capture> capture;
  std::vector<std::shared_ptr<Node>> frontier;  // what the next captured node depends on
};

struct Event {
  Device* device = nullptr;
  unsigned flags = 0;
  TaskRef task;  // null until recorded
  std::shared_ptr<Capture> capture;
  std::vector<std::shared_ptr<Node>> nodes;
};

struct Module {
  ~Module();
  Device* device = nullptr;
  std::uint64_t id = 0;
  void* loaded = nullptr;
  const SimcudaModule* table = nullptr;
  SimcudaRange image{};
  std::map<std::string, std::size_t> shared;  // bytes of each static shared variable, by its mangled name
  std::uint64_t shared_block_bytes = 0;       // of the thread-local block they and the anchor lie in
  void* (*anchor)() = nullptr;                // the address of the anchor in the calling thread's block
  std::uint64_t anchor_offset = 0;            // in that block
  std::map<std::string, CUfunction> functions;
};

struct Function {
  std::shared_ptr<Module> module;
  const SimcudaKernel* kernel = nullptr;
  int static_shared = 0;
  std::atomic<int> max_dynamic_shared{0};
};

// Shared memory of one block: what every kernel may have, and what one may ask for on a device of this architecture.
inline constexpr int kSharedBytes = 48 << 10;
int shared_bytes_on_request(int arch);
int shared_bytes_per_multiprocessor(int arch);

struct MemoryPool {
  Device* device = nullptr;
  std::uint64_t release_threshold = 0;
};

// The value a kernel sets and a conditional node reads.
struct Conditional {
  unsigned value = 0, default_value = 0;
  bool assign_default = false;  // at every launch
};

struct Fault {
  std::uint64_t call;  // the how-manieth call from now fails; 0: none
  CUresult code;
};

// --- the driver -----------------------------------------------------------------------------------------------------
struct Driver {
  std::mutex mutex;
  Scheduler scheduler{mutex};
  std::condition_variable loaded;  // a device's `loading` has changed
  bool initialised = false;
  std::vector<std::unique_ptr<Device>> devices;
  Handles<Stream, CUstream> streams;
  Handles<Event, CUevent> events;
  Handles<Module, CUmodule> modules;
  Handles<Function, CUfunction> functions;
  Handles<Graph, CUgraph> graphs;
  Handles<Node, CUgraphNode> nodes;
  Handles<GraphExec, CUgraphExec> execs;
  Handles<MemoryPool, CUmemoryPool> pools;
  std::map<std::uint64_t, Conditional> conditionals;  // by handle
  Pinned pinned;                                      // host memory from cuMemHostAlloc
  std::vector<std::shared_ptr<Capture>> captures;     // under way
  std::uint64_t next_id = 1;

  std::atomic<std::uint64_t> calls[static_cast<unsigned>(Entry::count)] = {};
  std::map<unsigned, std::vector<Fault>> faults;
  std::vector<std::string> reports;
  long long early_readers = 0;  // kernels that have read before they waited for those before them

  Device* device_of(std::uint64_t address);  // whose heap holds it, or null
  // Waits for what the device (null: every one) has been given until now; no other call gets into its context
  // meanwhile.
  void wait_for(Device* device, Lock& lock);
};

// Each variant of the library is built with the version it claims.
extern const int kDriverVersion;

// Made on first use, never destroyed.
Driver& driver();

// The calling thread's current device, or null without a context.
Device* current_device();
void set_current_device(Device* device);
Device* device_of_context(CUcontext context);

// Says what a correct program would not have done. Needs the lock.
void report(std::string text);
// A device that failed: `code` becomes the answer to every later call. Needs the lock.
void lose_device(Device& device, CUresult code, const std::string& text);
bool is_sticky(CUresult code);

// The stream behind a handle; null handle: the device's legacy stream. Null when the handle is not one.
std::shared_ptr<Stream> find_stream(CUstream handle);
// The same for calls that put something in a stream: the error of a handle that is none, or of the stream's own device
// when that is lost, which need not be the current one.
CUresult usable_stream(CUstream handle, std::shared_ptr<Stream>* stream);

}  // namespace simcuda
