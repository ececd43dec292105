// Nothing that a stranger's program makes is kept on disk, where it would take the room of others; entries are read.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "base/status.h"
#include "engine/tasks/thread_own.h"

namespace rondo::rtc {

// While it lives, the kernels and choices that the calling thread makes stay in the process's memory, and kernels are
// compiled up to a limit (RONDO_PROGRAM_KERNELS). Threads that it has help it are given its allowance.
class Unkept {
 public:
  class Allowance {
   public:
    Allowance();
    // Takes one kernel that is to be compiled.
    Status take();
    static Allowance* stricter(Allowance* outer, Allowance*) { return outer; }

   private:
    const int64_t most_;
    std::atomic<int64_t> taken_{0};
  };

  // on: false leaves it as it is. Within another it has that one's allowance.
  explicit Unkept(bool on);
  // A helper's, which ends first; null: not on.
  explicit Unkept(Allowance* shared) : scope_(shared) {}
  static bool current() { return allowance() != nullptr; }
  // Null: what the thread makes is kept.
  static Allowance* allowance() { return ThreadOwn<Allowance>::now(); }

 private:
  std::optional<Allowance> own_;
  const ThreadOwn<Allowance>::Scope scope_;
};

}  // namespace rondo::rtc
