// Tells the number by which the system knows the calling thread.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace rondo {

// The C library has a function for it since glibc 2.30 only.
inline int thread_id() {
  return static_cast<int>(syscall(SYS_gettid));
}

}  // namespace rondo
