// Writes the log: it has one process-wide sink, a callback of the user or stderr. Costs one relaxed load when the level
// is off. If the host has no memory for a message, the message is lost and its caller goes on.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/status.h>

#include <atomic>

namespace rondo {

namespace log_detail {
extern std::atomic<int> level;  // -1: not read from the settings yet
int read_level();
}  // namespace log_detail

inline bool log_enabled(rondo_log_level level) {
  int current = log_detail::level.load(std::memory_order_relaxed);
  if (current < 0) current = log_detail::read_level();
  return level <= current;
}
[[gnu::format(printf, 2, 3)]] void log(rondo_log_level level, const char* format, ...);
// A warning that is shown unless the log was set to off: of what was asked for and cannot be had.
[[gnu::format(printf, 1, 2)]] void log_unless_off(const char* format, ...);
void set_log(rondo_log_fn fn, void* arg, void (*destroy)(void*), rondo_log_level level);

}  // namespace rondo
