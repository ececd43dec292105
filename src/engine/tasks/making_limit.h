// The time that making graphs of a program may take (rondo_program_limit_making). Who makes something of many nodes
// asks for each of them whether it is over, and gives up what it has made so far. A kernel that is
// compiled, and an engine of cuDNN that is tried, go on to their end.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "engine/tasks/time_limit.h"

namespace rondo {

class MakingLimit {
 public:
  // From now on; 0: none.
  explicit MakingLimit(int64_t milliseconds)
      : milliseconds_(milliseconds), limit_(milliseconds > 0 ? TimeLimit(milliseconds) : TimeLimit()) {}
  virtual ~MakingLimit();
  MakingLimit(const MakingLimit&) = delete;
  MakingLimit& operator=(const MakingLimit&) = delete;

  // An error if the time is over of what the calling thread makes.
  static Status check() { return current_ ? current_->look() : Status(); }
  // The calling thread's; null: it has none.
  static const MakingLimit* current() { return current_; }
  // While it lives the thread makes what it makes within this limit; null, or none: within that from before. Threads
  // that help it are given the same.
  class Scope {
   public:
    explicit Scope(const MakingLimit* limit)
        : before_(std::exchange(current_, limit && !limit->limit_.none() ? limit : current_)) {}
    ~Scope() { current_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const MakingLimit* const before_;
  };

 protected:
  // A test's is over after so many questions.
  virtual bool over() const;

 private:
  RONDO_COLD Status look() const;

  static constinit thread_local const MakingLimit* current_;
  const int64_t milliseconds_;
  const TimeLimit limit_;
};

}  // namespace rondo
