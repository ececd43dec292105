// Defines a stream of an engine: a native stream plus the count of what was issued on it. The count makes every task's
// end a fence without recording anything; an event is recorded only when there is a waiter, and then covers all that
// was issued up to then.
//
// The stream's lock is held while a task is issued, so that the order of waits, launches and counts is one order.
// A thread that holds it must not take another stream's lock.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "device/device.h"
#include "engine/tasks/auxiliary.h"
#include "engine/tasks/time_limit.h"
#include "memory/fence.h"

namespace rondo {

// An event with an owner count: it goes back to the pool of events only when the last waiter has released it, so it is
// never recorded anew while a waiter still relies on what it meant.
class Event final : public RefCounted {
 public:
  Event(StreamDevice& device, void* native) : device(device), native(native) {}
  ~Event() override {
    if (native) device.event_destroy(native);
  }
  StreamDevice& device;
  void* native;  // null: it could not be made
};

struct ThreadState;

class Stream {
 public:
  Stream(StreamDevice& device, uint32_t id, void* native, std::string name = "stream")
      : device(device), id(id), native(native), name(std::move(name)) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  StreamDevice& device;
  const uint32_t id;  // index in the engine's table; fences name it
  void* const native;
  const std::string name;  // for timelines

  // The stream's lock, held while something is issued on it.
  class Issue {
   public:
    RONDO_HOT explicit Issue(Stream& stream);
    RONDO_HOT ~Issue();

    ThreadState& thread;  // the calling thread's

   private:
    std::lock_guard<std::mutex> lock_;
    const Stream* outer_;
  };
  // True if the calling thread holds the lock of some stream: it is in the body of a device task.
  static bool issuing_here();

  // --- under an Issue ---
  // Makes the stream wait, on the device, for an event that covers `fence` of another stream.
  Status wait_for(Fence fence, const Event& event);
  // Counts one issued task and returns its fence.
  RONDO_HOT Fence advance(const char* task_name);

  // --- any time ---
  // So many auxiliary streams of this one, made when they are first asked for.
  Status auxiliaries(int count, Auxiliaries** auxiliaries);
  // True if a device-side wait for the fence was already issued on this stream.
  bool already_waits(Fence fence);
  uint64_t issued() const { return issued_.load(std::memory_order_acquire); }
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  // An event that covers the sequence number: a recorded one if there is, else one recorded now. Null if it is already
  // done.
  Status cover(uint64_t sequence, Ref<Event>* event);
  // Sees to it that poll() will know when the sequence number is done, if the stream's lock is free and it was issued.
  void mark(uint64_t sequence);
  // Asks the device about recorded events, without blocking. On a lost device nothing will run any more, so its memory
  // may be reused as if the work were done.
  bool poll(uint64_t sequence);
  // The same; waits for the lock of the stream, while poll() says no where another thread has it.
  bool poll_waiting(uint64_t sequence);
  // Blocks the host until the sequence number is done.
  Status wait(uint64_t sequence, const TimeLimit& limit = {});
  // Blocks the host while `limit` or more tasks up to the sequence number are not done, until half of them are. Called
  // every quarter of the limit or sooner it leaves markers, so that the host waits for the middle of the queue, not its
  // end.
  Status bound(uint64_t sequence, uint64_t limit);
  // Names of the last tasks issued, newest first, for reports of device faults.
  std::string recent_tasks() const;

 private:
  struct Marker {
    uint64_t sequence;
    Ref<Event> event;
  };
  static constexpr int kRecent = 8;

  // Under mutex_.
  Status cover_locked(uint64_t sequence, Ref<Event>* event);
  bool poll_locked(uint64_t sequence);
  void complete_up_to(uint64_t sequence);
  // Blocks the host until the event has happened.
  Status wait_for(const Event& event, const TimeLimit& limit);
  Status noted(const Status& status);  // remembers that the device is lost
  std::unique_lock<std::mutex> lock_unless_held();

  std::mutex mutex_;
  std::atomic<uint64_t> issued_{0};
  std::atomic<uint64_t> completed_{0};
  std::atomic<bool> lost_{false};
  std::atomic<const char*> recent_[kRecent] = {};
  Auxiliaries auxiliaries_;
  std::deque<Marker> markers_;     // ascending
  std::vector<Ref<Event>> spare_;  // events without waiters
  std::vector<uint64_t> waited_;   // by stream id: highest sequence waited for
};

}  // namespace rondo
