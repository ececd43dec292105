// Nothing that a stranger's program makes is kept on disk, where it would take the room of others; entries are read.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "base/status.h"

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

   private:
    const int64_t most_;
    std::atomic<int64_t> taken_{0};
  };

  // on: false leaves it as it is. Within another it has that one's allowance.
  explicit Unkept(bool on);
  // A helper's, which ends first; null: not on.
  explicit Unkept(Allowance* shared) : before_(std::exchange(current_, shared ? shared : current_)) {}
  ~Unkept();
  Unkept(const Unkept&) = delete;
  Unkept& operator=(const Unkept&) = delete;
  static bool current() { return current_ != nullptr; }
  // Null: what the thread makes is kept.
  static Allowance* allowance() { return current_; }

 private:
  static constinit thread_local Allowance* current_;
  std::optional<Allowance> own_;
  Allowance* const before_;
};

}  // namespace rondo::rtc
