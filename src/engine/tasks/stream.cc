// Records events on a stream on demand, asks the driver about them, and waits for them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/stream.h"

#include <algorithm>

#include "base/threads/uncancelled.h"
#include "engine/tasks/thread_state.h"

namespace rondo {

Stream::Issue::Issue(Stream& stream)
    : thread(this_thread()), lock_(stream.mutex_), outer_(std::exchange(thread.issuing, &stream)) {}
Stream::Issue::~Issue() {
  thread.issuing = outer_;
}

bool Stream::issuing_here() {
  return this_thread().issuing != nullptr;
}

std::unique_lock<std::mutex> Stream::lock_unless_held() {
  return this_thread().issuing == this ? std::unique_lock<std::mutex>() : std::unique_lock<std::mutex>(mutex_);
}

Stream::~Stream() {
  markers_.clear();
  spare_.clear();
  auxiliaries_.clear();
  device.stream_destroy(native);
}

Status Stream::auxiliaries(int count, Auxiliaries** auxiliaries) {
  const auto lock = lock_unless_held();
  RONDO_TRY(auxiliaries_.make(device, count));
  *auxiliaries = &auxiliaries_;
  return {};
}

Status Stream::wait_for(Fence fence, const Event& event) {
  RONDO_TRY(device.stream_wait(native, event.native));
  if (waited_.size() <= fence.stream) waited_.resize(fence.stream + 1, 0);
  if (waited_[fence.stream] < fence.sequence) waited_[fence.stream] = fence.sequence;
  return {};
}

bool Stream::already_waits(Fence fence) {
  const auto lock = lock_unless_held();
  // mutation: wait_taken_for_an_earlier_one
  return fence.stream < waited_.size() && waited_[fence.stream] >= fence.sequence;
}

Fence Stream::advance(const char* task_name) {
  const uint64_t sequence = issued_.load(std::memory_order_relaxed) + 1;
  recent_[sequence % kRecent].store(task_name, std::memory_order_relaxed);
  issued_.store(sequence, std::memory_order_release);
  return {id, sequence};
}

void Stream::complete_up_to(uint64_t sequence) {
  if (completed_.load(std::memory_order_relaxed) < sequence) completed_.store(sequence, std::memory_order_release);
  while (!markers_.empty() && markers_.front().sequence <= sequence) {
    Ref<Event> event = std::move(markers_.front().event);
    markers_.pop_front();
    if (event->use_count() == 1) spare_.push_back(std::move(event));  // else the last waiter destroys it
  }
}

Status Stream::noted(const Status& status) {
  if (status.code() == RONDO_DEVICE_LOST) lost_.store(true, std::memory_order_release);
  return status;
}

Status Stream::cover(uint64_t sequence, Ref<Event>* event) {
  *event = nullptr;
  if (completed() >= sequence) return {};
  const auto lock = lock_unless_held();
  return cover_locked(sequence, event);
}

void Stream::mark(uint64_t sequence) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  Ref<Event> event;
  if (lock && completed() < sequence && sequence <= issued()) (void)cover_locked(sequence, &event);
}

Status Stream::cover_locked(uint64_t sequence, Ref<Event>* event) {
  for (const Marker& marker : markers_)
    if (marker.sequence >= sequence) {  // mutation: event_too_early
      *event = marker.event;
      return {};
    }
  Ref<Event> fresh;
  if (spare_.empty()) {  // mutation: event_reused_too_soon
    // Room for each event there is, for complete_up_to() must not fail.
    if (const size_t events = markers_.size() + 1; spare_.capacity() < events) spare_.reserve(2 * events);
    fresh = make_ref<Event>(device, nullptr);
    RONDO_TRY(noted(device.event_create(false, &fresh->native)));
  } else {
    fresh = std::move(spare_.back());
    spare_.pop_back();
  }
  RONDO_TRY(noted(device.event_record(fresh->native, native)));
  markers_.push_back({issued(), fresh});
  *event = std::move(fresh);
  return {};
}

bool Stream::poll(uint64_t sequence) {
  if (completed() >= sequence || lost_.load(std::memory_order_acquire)) return true;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  // Else a task is being issued, perhaps by this very thread.
  return lock ? poll_locked(sequence) : completed() >= sequence;
}

bool Stream::poll_waiting(uint64_t sequence) {
  if (completed() >= sequence || lost_.load(std::memory_order_acquire)) return true;
  const auto lock = lock_unless_held();
  return poll_locked(sequence);
}

bool Stream::poll_locked(uint64_t sequence) {
  while (!markers_.empty() && completed() < sequence) {
    bool done = false;
    if (!noted(device.event_query(markers_.front().event->native, &done)).ok() || !done) break;
    complete_up_to(markers_.front().sequence);
  }
  return completed() >= sequence || lost_.load(std::memory_order_acquire);
}

// The driver knows no limit, so with one it is asked again and again, at first often.
Status Stream::wait_for(const Event& event, const TimeLimit& limit) {
  if (limit.none()) return device.event_synchronize(event.native);
  constexpr auto longest = std::chrono::microseconds(1000);
  for (auto pause = std::chrono::microseconds(10);; pause = std::min(2 * pause, longest)) {
    bool done = false;
    RONDO_TRY(device.event_query(event.native, &done));
    if (done) return {};
    if (limit.over()) return limit.exceeded("the device has not done what was issued");
    limit.sleep(pause);
  }
}

Status Stream::wait(uint64_t sequence, const TimeLimit& limit) {
  if (completed() >= sequence) return {};
  const Uncancelled uncancelled;
  Ref<Event> event;
  try {
    RONDO_TRY(cover(sequence, &event));
  } catch (const std::bad_alloc&) {  // no event to be had: then for all that is on the stream
    const uint64_t all = issued();
    RONDO_TRY(noted(device.stream_synchronize(native)));
    const auto lock = lock_unless_held();
    complete_up_to(all);
    return {};
  }
  if (!event) return {};
  Status status = noted(wait_for(*event, limit));
  if (!status.ok())
    return status.code() == RONDO_DEVICE_LOST || status.code() == RONDO_TIMED_OUT
               ? status.with_context("found while waiting on " + device_name(device.id()) +
                                     "; last tasks issued there: " + recent_tasks())
               : status;
  const auto lock = lock_unless_held();
  // The event may have been recorded later than `sequence`; what it covers now is what its marker says.
  for (const Marker& marker : markers_)
    if (marker.event == event) {
      const uint64_t covered = marker.sequence;
      event = nullptr;
      complete_up_to(covered);
      return {};
    }
  complete_up_to(sequence);
  return {};
}

Status Stream::bound(uint64_t sequence, uint64_t limit) {
  Ref<Event> marker;
  RONDO_TRY(cover(sequence, &marker));
  // More than `sequence` may be done: what other threads have issued since.
  return completed() + limit <= sequence ? wait(sequence - limit / 2) : Status();
}

std::string Stream::recent_tasks() const {
  std::string text;
  const uint64_t last = issued();
  for (uint64_t i = 0; i < kRecent && i < last; ++i) {
    const char* name = recent_[(last - i) % kRecent].load(std::memory_order_relaxed);
    if (name) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

}  // namespace rondo
