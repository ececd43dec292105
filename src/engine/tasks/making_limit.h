// The time and the host's memory that making graphs of a program may take (rondo_program_limit_making and
// rondo_program_limit_host_memory). Who makes something of many nodes asks for each of them whether the time is over,
// takes the bytes before it makes something, and gives up what it has made so far. A kernel that is compiled, and an
// engine of cuDNN that is tried, go on to their end. A kernel's bytes are taken once it is compiled and kept: one that
// is there already takes none.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "engine/tasks/thread_own.h"
#include "engine/tasks/time_limit.h"

namespace rondo {

// A node with so many operands costs as much of the host at most, with all that is made of it: its recording, its
// program, its copy for tapes, its task and its step of a graph. tests/unit/program_files/host_memory_test.cc measures
// it.
inline int64_t node_bytes(size_t operands) {
  constexpr int64_t kNode = 4096, kOperand = 1536;
  return kNode + kOperand * static_cast<int64_t>(operands);
}

// The caller allows as much, each time anew. Any thread.
struct MakingLimits {
  std::atomic<int64_t> most_ms{0};     // 0: any
  std::atomic<int64_t> most_bytes{0};  // 0: what the setting says
};

class MakingLimit {
 public:
  // As bytes, it counts nothing, as what is made is only tried.
  static constexpr int64_t kUncounted = -1;

  // From now on, within that which the calling thread has. milliseconds: 0: any. bytes: 0: what the setting says.
  explicit MakingLimit(int64_t milliseconds, int64_t bytes = 0);
  virtual ~MakingLimit();
  MakingLimit(const MakingLimit&) = delete;
  MakingLimit& operator=(const MakingLimit&) = delete;

  // An error if the time is over of what the calling thread makes, or more was taken than the limit has.
  static Status check() {
    const MakingLimit* const limit = current();
    return limit ? limit->look() : Status();
  }
  // Takes bytes of the host for what is made next. An error if the limit does not have them. Nothing is given back
  // before the end, so it stays one.
  static Status take(int64_t bytes) {
    const MakingLimit* const limit = current();
    return limit ? limit->count(bytes) : Status();
  }
  // The calling thread's; null: it has none.
  static const MakingLimit* current() { return ThreadOwn<const MakingLimit>::now(); }
  // While it lives the thread makes what it makes within this limit; null: within that from before. Threads that help
  // it are given the same.
  using Scope = ThreadOwn<const MakingLimit>::Scope;
  // It asks the outer one too.
  static const MakingLimit* stricter(const MakingLimit*, const MakingLimit* inner) { return inner; }

  int64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  // The same of the calling thread's; 0: it has none.
  static int64_t taken_so_far() {
    const MakingLimit* const limit = current();
    return limit ? limit->taken() : 0;
  }

 protected:
  // A test's is over after so many questions.
  virtual bool over() const;

 private:
  RONDO_COLD Status look() const;
  RONDO_COLD Status count(int64_t bytes) const;

  const MakingLimit* const outer_;
  const int64_t milliseconds_;
  mutable std::atomic<int64_t> most_bytes_;  // 0: what the setting says, which the first count reads
  const TimeLimit limit_;
  mutable std::atomic<int64_t> taken_{0};
};

// A limit as the caller's are now, which is the thread's while it lives.
class MakingScope {
 public:
  explicit MakingScope(const MakingLimits& limits)
      : limit_(limits.most_ms.load(std::memory_order_relaxed), limits.most_bytes.load(std::memory_order_relaxed)),
        scope_(&limit_) {}

 private:
  const MakingLimit limit_;
  const MakingLimit::Scope scope_;
};

}  // namespace rondo
