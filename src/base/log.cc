// Holds the one sink of the log, the level that it is set to, and the functions that write to it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"
#include "base/machine/arithmetic.h"
#include "base/settings.h"
#include "base/text.h"

namespace rondo {

namespace {

struct Sink {
  std::mutex mutex;
  bool set = false;  // by the program
  rondo_log_fn fn = nullptr;
  void* arg = nullptr;
  void (*destroy)(void*) = nullptr;
};

// Never destroyed: threads may log while the process exits.
Sink& sink() {
  alignas(Sink) static unsigned char room[sizeof(Sink)];
  static Sink* const instance = new (room) Sink;
  return *instance;
}

}  // namespace

std::atomic<int> log_detail::level{-1};

int log_detail::read_level() {
  int value = setting_choice(Setting::log);  // its names are in the order of rondo_log_level
  // A user who sets the log, even to an unknown value, wants to see messages.
  const bool unknown = value < 0;
  if (unknown) value = RONDO_LOG_WARNING;
  int expected = -1;
  if (level.compare_exchange_strong(expected, value) && unknown)
    log(RONDO_LOG_WARNING, "setting RONDO_LOG=%s is %s; using warning", setting(Setting::log).c_str(),
        setting_problem(Setting::log).c_str());
  return level.load();
}

// Writes the message if `wanted` returns true; without memory for it, the message is lost.
template <class Wanted>
static void write(rondo_log_level level, const char* format, va_list arguments, const Wanted& wanted) {
  std::string text;
  try {
    if (!wanted()) return;
    text = plain(vformat(format, arguments));
  } catch (const std::bad_alloc&) {
    return;
  }
  Sink& to = sink();
  std::lock_guard lock(to.mutex);
  const KeptArithmetic arithmetic;
  if (to.fn)
    to.fn(to.arg, level, text.c_str());
  else if (!above_file_limit(STDERR_FILENO, text.size() + 8))
    std::fprintf(stderr, "rondo: %s\n", text.c_str());
}

void log(rondo_log_level level, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write(level, format, arguments, [level] { return log_enabled(level); });
  va_end(arguments);
}

void log_unless_off(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write(RONDO_LOG_WARNING, format, arguments, [] {
    if (log_enabled(RONDO_LOG_ERROR)) return true;
    Sink& to = sink();
    const std::lock_guard lock(to.mutex);
    return !to.set && !setting_is_set(Setting::log);  // then off is only the default
  });
  va_end(arguments);
}

void set_log(rondo_log_fn fn, void* arg, void (*destroy)(void*), rondo_log_level level) {
  Sink& to = sink();
  void (*old_destroy)(void*) = nullptr;
  void* old_arg = nullptr;
  {
    std::lock_guard lock(to.mutex);
    old_destroy = std::exchange(to.destroy, destroy);
    old_arg = std::exchange(to.arg, arg);
    to.fn = fn;
    to.set = true;
    log_detail::level.store(level);
  }
  if (old_destroy) old_destroy(old_arg);
}

}  // namespace rondo
