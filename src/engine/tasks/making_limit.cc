// Looks whether the time is over, or the bytes are taken, that making graphs of a program may take.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/making_limit.h"

#include "base/settings.h"
#include "base/text.h"

namespace rondo {

MakingLimit::MakingLimit(int64_t milliseconds, int64_t bytes)
    : outer_(current()),
      milliseconds_(milliseconds),
      most_bytes_(bytes),
      limit_(milliseconds > 0 ? TimeLimit(milliseconds) : TimeLimit()) {}

MakingLimit::~MakingLimit() = default;

bool MakingLimit::over() const {
  return limit_.over();
}

Status MakingLimit::look() const {
  for (const MakingLimit* each = this; each; each = each->outer_)
    if (each->over())  // mutation: making_without_an_end
      return error(RONDO_TIMED_OUT, "making it has had %lld ms, and is given up (rondo_program_limit_making)",
                   printable(each->milliseconds_));
  return count(0);
}

Status MakingLimit::count(int64_t bytes) const {
  for (const MakingLimit* each = this; each && each->most_bytes_ != kUncounted; each = each->outer_) {
    if (each->most_bytes_ == 0) each->most_bytes_ = setting_number(Setting::program_host_mb) << 20;
    const int64_t taken = each->taken_.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes > each->most_bytes_ - taken)  // mutation: host_memory_without_an_end
      return error(
          RONDO_OUT_OF_MEMORY,
          "making it takes more of the host's memory than %lld bytes, and is given up: %lld are taken, and the "
          "next part needs %lld; rondo_program_limit_host_memory or RONDO_PROGRAM_HOST_MB allow more",
          printable(each->most_bytes_), printable(taken), printable(bytes));
  }
  return {};
}

}  // namespace rondo
