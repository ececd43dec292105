// A StreamDevice in memory, for tests of the engine: streams are queues of work that nothing runs until the host waits
// or asks, and then in an order that is legal but random, so that a missing dependency gives a wrong answer. It counts
// the calls that matter. One lock guards it all. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "device/device.h"

namespace rondo::testing {

class FakeDevice final : public StreamDevice {
 public:
  struct Calls {
    int streams = 0;
    int events_created = 0;
    int events_destroyed = 0;
    int records = 0;
    int waits = 0;
    int synchronises = 0;
  };

  explicit FakeDevice(uint64_t seed = 1, int index = 0) : StreamDevice({RONDO_CUDA, index}), random_(seed) {}
  ~FakeDevice() override {
    for (auto& [address, bytes] : memory_) std::free(address);
    for (auto& [address, bytes] : pinned_) std::free(address);
  }

  // --- for tests ---
  Calls calls() const {
    std::lock_guard lock(mutex_);
    return calls_;
  }
  // What a kernel does, behind everything that is on the stream now.
  void enqueue(void* stream, std::function<void()> work) {
    std::lock_guard lock(mutex_);
    queue(stream)->push_back({nullptr, 0, false, std::move(work)});
  }
  // Runs whatever can run.
  void run_all() {
    std::lock_guard lock(mutex_);
    while (step()) {
    }
  }
  // Operations that no stream has run yet.
  size_t queued() const {
    std::lock_guard lock(mutex_);
    size_t count = 0;
    for (const auto& each : queues_) count += each->size();
    return count;
  }
  // Kinds of trouble.
  void fail_synchronise(Status status) {
    std::lock_guard lock(mutex_);
    synchronise_failure_ = std::move(status);
  }
  void fail_wait(Status status) {
    std::lock_guard lock(mutex_);
    wait_failure_ = std::move(status);
  }
  void set_capacity(size_t bytes) {
    std::lock_guard lock(mutex_);
    capacity_ = bytes;
  }
  size_t allocated() const {
    std::lock_guard lock(mutex_);
    return allocated_;
  }
  // While held, event_query finds nothing done and makes no progress.
  void hold(bool held) {
    std::lock_guard lock(mutex_);
    held_ = held;
  }
  // How often an event was recorded.
  int recorded(void* event) const {
    std::lock_guard lock(mutex_);
    return static_cast<int>(static_cast<Mark*>(event)->recorded);
  }

  // --- Device ---
  Status query(rondo_device_info* info) override {
    std::snprintf(info->name, sizeof info->name, "fake");
    return {};
  }
  Status allocate(size_t bytes, void** address) override {
    std::lock_guard lock(mutex_);
    if (allocated_ + bytes > capacity_) return error(RONDO_OUT_OF_MEMORY, "the fake device is full");
    *address = std::aligned_alloc(alignment(), bytes);
    std::memset(*address, 0xAB, bytes);
    memory_[*address] = bytes;
    allocated_ += bytes;
    return {};
  }
  void release(void* address) override {
    std::lock_guard lock(mutex_);
    allocated_ -= memory_.at(address);
    memory_.erase(address);
    std::free(address);
  }
  size_t alignment() const override { return 256; }
  size_t segment_bytes() const override { return size_t{1} << 20; }

  // --- StreamDevice ---
  Status allocate_pinned(size_t bytes, void** address) override {
    std::lock_guard lock(mutex_);
    *address = std::aligned_alloc(alignment(), bytes);
    pinned_[*address] = bytes;
    return {};
  }
  void release_pinned(void* address) override {
    std::lock_guard lock(mutex_);
    pinned_.erase(address);
    std::free(address);
  }
  Status stream_create(bool, void** stream) override {
    std::lock_guard lock(mutex_);
    ++calls_.streams;
    queues_.push_back(std::make_unique<Queue>());
    *stream = queues_.back().get();
    return {};
  }
  void stream_destroy(void* stream) override {
    std::lock_guard lock(mutex_);
    while (!queue(stream)->empty() && step()) {
    }
    std::erase_if(queues_, [stream](const auto& each) { return each.get() == stream; });
  }
  Status stream_synchronize(void* stream) override {
    std::lock_guard lock(mutex_);
    while (!queue(stream)->empty())
      if (!step()) return error(RONDO_INTERNAL, "the fake device is stuck");
    return {};
  }
  Status stream_wait(void* stream, void* event) override {
    std::lock_guard lock(mutex_);
    if (!wait_failure_.ok()) return std::exchange(wait_failure_, {});
    ++calls_.waits;
    auto* mark = static_cast<Mark*>(event);
    queue(stream)->push_back({mark->state, mark->recorded, false, {}});
    return {};
  }
  Status event_create(bool, void** event) override {
    std::lock_guard lock(mutex_);
    ++calls_.events_created;
    *event = new Mark{std::make_shared<uint64_t>(0), 0};
    return {};
  }
  void event_destroy(void* event) override {
    std::lock_guard lock(mutex_);
    ++calls_.events_destroyed;
    delete static_cast<Mark*>(event);
  }
  Status event_record(void* event, void* stream) override {
    std::lock_guard lock(mutex_);
    ++calls_.records;
    auto* mark = static_cast<Mark*>(event);
    queue(stream)->push_back({mark->state, ++mark->recorded, true, {}});
    return {};
  }
  Status event_query(void* event, bool* done) override {
    std::lock_guard lock(mutex_);
    for (auto steps = random_() % 3; steps > 0 && !held_; --steps) step();
    *done = !held_ && reached(event);
    return {};
  }
  Status event_synchronize(void* event) override {
    std::lock_guard lock(mutex_);
    ++calls_.synchronises;
    if (!synchronise_failure_.ok()) return synchronise_failure_;
    while (!reached(event))
      if (!step()) return error(RONDO_INTERNAL, "the fake device is stuck");
    return {};
  }
  Status event_elapsed(void*, void*, float* milliseconds) override {
    *milliseconds = 0;
    return {};
  }
  Status copy(CopyKind, void* to, const void* from, size_t bytes, void* stream) override {
    enqueue(stream, [=] { std::memcpy(to, from, bytes); });
    return {};
  }
  Status copy_peer(void* to, StreamDevice&, const void* from, size_t bytes, void* stream) override {
    return copy(CopyKind::device_to_device, to, from, bytes, stream);
  }
  Status fill_bytes(void* to, unsigned char value, size_t bytes, void* stream) override {
    enqueue(stream, [=] { std::memset(to, value, bytes); });
    return {};
  }
  Status capture_begin(void*) override { return no_capture(); }
  Status capture_check(void*) override { return no_capture(); }
  Status capture_end(void*, bool, NativeGraph*) override { return no_capture(); }
  Status graph_instantiate(NativeGraph*, void*) override { return no_capture(); }
  Status graph_launch(const NativeGraph&, void*) override { return no_capture(); }
  void graph_destroy(NativeGraph*) override {}

 protected:
  void relax(int*) override {}
  Status enter(void**) const override { return {}; }
  void leave(void*) const override {}

 private:
  struct Operation {
    std::shared_ptr<uint64_t> event;  // null: work
    uint64_t generation;              // of the record
    bool record;                      // else a wait
    std::function<void()> work;
  };
  using Queue = std::deque<Operation>;
  // Each recording of an event is a generation; a wait is for the generation there was when it was asked for.
  struct Mark {
    std::shared_ptr<uint64_t> state;  // highest generation that was reached
    uint64_t recorded;
  };

  static Status no_capture() { return error(RONDO_UNSUPPORTED, "the fake device has no graphs"); }
  static Queue* queue(void* stream) { return static_cast<Queue*>(stream); }
  static bool reached(void* event) {
    const auto* mark = static_cast<Mark*>(event);
    return *mark->state >= mark->recorded;
  }
  // Runs one operation of a random stream that is not blocked; false if there is none.
  bool step() {
    std::vector<Queue*> ready;
    for (const auto& each : queues_) {
      if (each->empty()) continue;
      const Operation& first = each->front();
      if (first.event && !first.record && *first.event < first.generation) continue;
      ready.push_back(each.get());
    }
    if (ready.empty()) return false;
    // Mostly the youngest stream: consumers tend to be ahead of producers.
    Queue* chosen = random_() % 4 ? ready.back() : ready[random_() % ready.size()];
    Operation operation = std::move(chosen->front());
    chosen->pop_front();
    if (operation.work) operation.work();
    if (operation.record && *operation.event < operation.generation) *operation.event = operation.generation;
    return true;
  }

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::map<void*, size_t> memory_;
  std::map<void*, size_t> pinned_;
  size_t allocated_ = 0;
  size_t capacity_ = SIZE_MAX;
  bool held_ = false;
  Calls calls_;
  Status synchronise_failure_;
  Status wait_failure_;
};

}  // namespace rondo::testing
