// Counts which collectives are half begun in this process, and keeps the releases that must wait for them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/cuda/collective_gate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

namespace rondo::cuda {

namespace {

using Clock = std::chrono::steady_clock;

// How long a thread waits here for collectives, and for a call that waits for GPUs: these may be busy with the work of
// other processes in between.
constexpr auto kLongest = std::chrono::seconds(1), kLongestFree = std::chrono::seconds(60);
constexpr auto kRound = std::chrono::milliseconds(1);
// How long calls wait for collectives before these wait for them.
constexpr auto kPatient = std::chrono::milliseconds(100);

}  // namespace

class Gate {
 public:
  struct Late {
    void (*release)(void*, void*);
    void* device;
    void* what;
  };
  // Takes no memory, as threads come here that may find none. Never destroyed: threads may release memory while the
  // process ends.
  static Gate& one() {
    alignas(Gate) static unsigned char place[sizeof(Gate)];
    static auto* const gate = new (place) Gate;
    return *gate;
  }

  void join(GateMember& member) {
    const std::lock_guard lock(mutex_);
    members_.push_back(&member);
  }
  void leave(GateMember& member) {
    const std::lock_guard lock(mutex_);
    std::erase(members_, &member);
    changed_.notify_all();
  }

  void take_over(GateMember& member, GateMember& left) {
    const std::lock_guard lock(mutex_);
    member.begun_ = left.begun_;
    member.issued_ = left.issued_;
    member.messages_ = left.messages_;
    members_.push_back(&member);
    std::erase(members_, &left);
  }

  void begin(GateMember& member, bool messages) {
    std::unique_lock lock(mutex_);
    const auto from = Clock::now();
    // A rank that follows another one must not wait: what waits may wait for it.
    const auto waits = [&] {
      if (!messages && !first(member)) return false;
      const auto waited = Clock::now() - from;
      return (waited < kLongest && (overdue() || half_begun(member.engine_))) ||
             (waited < kLongestFree && releasing_ > 0);
    };
    // Devices tell no one here what they have done, so they are asked again and again.
    while (waits()) changed_.wait_for(lock, kRound);
    if (messages) member.messages_ = true;
    member.begun_ += !messages;
    changed_.notify_all();  // others of its group follow it now
  }
  void issued(GateMember& member, bool messages) {
    const std::lock_guard lock(mutex_);
    member.issued_ += !messages;
    changed_.notify_all();
  }

  bool enter_release(const Late& call) {
    std::unique_lock lock(mutex_);
    if (half_begun() || closed_ > 0) {
      try {
        if (put_off_.empty()) since_ = Clock::now();
        put_off_.push_back(call);
        late_.store(true, std::memory_order_release);
        return false;
      } catch (const std::exception&) {  // there is no memory to note it: it is called as it would be without a gate
      }
    }
    ++releasing_;
    return true;
  }
  void leave_release() {
    const std::lock_guard lock(mutex_);
    --releasing_;
    changed_.notify_all();
  }

  bool puts_off() const { return late_.load(std::memory_order_acquire); }
  bool release_late() {
    if (!puts_off()) return false;
    std::vector<Late> calls;
    {
      const std::lock_guard lock(mutex_);
      if (half_begun() || closed_ > 0) return true;
      calls.swap(put_off_);
      late_.store(false, std::memory_order_release);
      ++releasing_;
    }
    for (const Late& call : calls) call.release(call.device, call.what);
    leave_release();
    return false;
  }

  void close() {
    std::unique_lock lock(mutex_);
    const auto end = Clock::now() + kLongest;
    while (closed_ > 0 || ((releasing_ > 0 || half_begun()) && Clock::now() < end)) changed_.wait_for(lock, kRound);
    ++closed_;
    ++releasing_;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    --closed_;
    --releasing_;
    changed_.notify_all();
  }

 private:
  // No other rank of its group is further than this one, which has begun nothing that another one has not.
  bool first(const GateMember& member) const {
    return std::none_of(members_.begin(), members_.end(), [&](const GateMember* each) {
      return each != &member && each->group_ == member.group_ && each->begun_ > member.begun_;
    });
  }
  // A rank that is always ahead of another one would keep memory from being freed for ever.
  bool overdue() const { return !put_off_.empty() && Clock::now() - since_ > kPatient; }
  // Looks at all engines but `but_of`.
  bool half_begun(const void* but_of = nullptr) const {
    for (const GateMember* each : members_)
      for (const GateMember* other : members_) {
        if (other == each || other->group_ != each->group_ || each->engine_ == but_of) continue;
        const bool whole =
            each->begun_ == each->issued_ && other->begun_ == other->issued_ && each->begun_ == other->begun_;
        if (whole && !each->messages_) continue;
        if (!each->idle_() || !other->idle_()) return true;
      }
    return false;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<GateMember*> members_;
  std::vector<Late> put_off_;
  Clock::time_point since_;  // when the first of them was put off
  int releasing_ = 0;        // calls that may wait for a GPU
  int closed_ = 0;
  std::atomic<bool> late_{false};
};

GateMember::GateMember(const void* engine, uint64_t group, std::function<bool()> idle)
    : engine_(engine), group_(group), idle_(std::move(idle)) {
  Gate::one().join(*this);
}
GateMember::~GateMember() {
  leave();
}
GateMember::GateMember(GateMember& left, std::function<bool()> idle)
    : engine_(left.engine_), group_(left.group_), idle_(std::move(idle)) {
  Gate::one().take_over(*this, left);
}
void GateMember::begin(bool messages) {
  Gate::one().begin(*this, messages);
}
void GateMember::issued(bool messages) {
  Gate::one().issued(*this, messages);
}
void GateMember::leave() noexcept {
  Gate::one().leave(*this);
}

void release_apart(void (*release)(void*, void*), void* device, void* what) {
  if (!Gate::one().enter_release({release, device, what})) return;
  release(device, what);
  Gate::one().leave_release();
  Gate::one().release_late();
}

bool release_late() {
  return Gate::one().release_late();
}

bool frees_are_put_off() {
  return Gate::one().puts_off();
}

GateClosed::GateClosed() {
  Gate::one().close();
}
GateClosed::~GateClosed() {
  Gate::one().open();
  Gate::one().release_late();
}

}  // namespace rondo::cuda
