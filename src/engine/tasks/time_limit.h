// Limits how long a wait may take, for the waits of the C interface that have a timeout.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cinttypes>
#include <condition_variable>
#include <mutex>
#include <string>

#include "base/status.h"

namespace rondo {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;

  // None: as long as it takes.
  TimeLimit() = default;
  // From now on; below 0: none.
  explicit TimeLimit(int64_t milliseconds) : milliseconds_(milliseconds > kMost ? -1 : milliseconds) {
    if (!none()) at_ = Clock::now() + std::chrono::milliseconds(milliseconds);
  }

  bool none() const { return milliseconds_ < 0; }
  bool over() const { return !none() && Clock::now() >= at_; }
  bool earlier_than(const TimeLimit& other) const { return !none() && (other.none() || at_ < other.at_); }
  // Sleeps, but not beyond the limit.
  void sleep(Clock::duration most) const;
  // Waits until `done` holds, which is asked under the lock; whether it does.
  template <class Done>
  bool wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Done done) const {
    if (!none()) return changed.wait_until(lock, at_, done);
    changed.wait(lock, done);
    return true;
  }
  // "what has not happened" within the limit.
  RONDO_COLD Status exceeded(const std::string& what) const {
    return error(RONDO_TIMED_OUT, "%s within %" PRId64 " ms; it goes on, and may be waited for again", what.c_str(),
                 milliseconds_);
  }

 private:
  static constexpr int64_t kMost = int64_t{1000} * 1000 * 1000 * 1000;  // thirty years: what clocks can add

  int64_t milliseconds_ = -1;
  Clock::time_point at_;
};

}  // namespace rondo
