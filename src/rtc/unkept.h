// Nothing that a stranger's program makes is kept on disk, where it would take the room of others; entries are read.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace rondo::rtc {

// While it lives, the kernels and choices that the calling thread makes stay in the process's memory. Threads that it
// has help it are told by it.
class Unkept {
 public:
  // on: false leaves it as it is.
  explicit Unkept(bool on) : before_(std::exchange(current_, current_ || on)) {}
  ~Unkept();
  Unkept(const Unkept&) = delete;
  Unkept& operator=(const Unkept&) = delete;
  static bool current() { return current_; }

 private:
  static constinit thread_local bool current_;
  const bool before_;
};

}  // namespace rondo::rtc
