// Keeps the traces that RONDO_TRACE asks for, one for each engine, and writes those that are left when the process
// ends.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/asked_trace.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "base/files/asked.h"
#include "base/log.h"
#include "base/room.h"
#include "base/settings.h"
#include "base/threads/thread.h"

namespace rondo {

namespace {

// Work that never ends must not keep the process from ending.
constexpr std::chrono::seconds kTraceTimeout{5};

struct Asked {
  Engine* engine;
  uint64_t number;
};
// They live in static memory and as long as the process, longer than anything else that ends with it.
std::mutex& mutex() {
  alignas(std::mutex) static unsigned char room[sizeof(std::mutex)];
  static auto* made = new (room) std::mutex;
  return *made;
}
std::vector<Asked>& engines() {
  alignas(std::vector<Asked>) static unsigned char room[sizeof(std::vector<Asked>)];
  static auto* made = new (room) std::vector<Asked>;
  return *made;
}

// Takes an engine off the list; 0 if it is not there.
uint64_t take(const Engine& engine) {
  std::lock_guard lock(mutex());
  const auto found =
      std::find_if(engines().begin(), engines().end(), [&](const Asked& each) { return each.engine == &engine; });
  if (found == engines().end()) return 0;
  const uint64_t number = found->number;
  engines().erase(found);
  return number;
}

void write(Engine& engine, uint64_t number) noexcept {
  write_asked(Setting::trace, number, "engine", ".json", [&](const char* path) { return engine.trace_end(path); });
  if (engine.run_observer().trace) (void)engine.trace_end(nullptr);  // there is no file
}

struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

// On a thread of its own, since the program may have left tasks that wait for what will not come.
void write_all() {
  std::vector<Asked> left;
  {
    std::lock_guard lock(mutex());
    left.swap(engines());
  }
  left.erase(std::remove_if(left.begin(), left.end(), [](const Asked& each) { return each.engine->forked(); }),
             left.end());
  if (left.empty()) return;
  try {
    const auto progress = std::make_shared<Progress>();  // the thread's as much as ours
    start_thread([progress, left] {
      for (const Asked& each : left) write(*each.engine, each.number);
      std::lock_guard lock(progress->mutex);
      progress->done = true;
      progress->changed.notify_one();
    }).detach();
    std::unique_lock lock(progress->mutex);
    if (!progress->changed.wait_for(lock, kTraceTimeout, [progress] { return progress->done; }))
      log(RONDO_LOG_WARNING,
          "RONDO_TRACE: the process ends while tasks are in flight; what they belong to is not written");
  } catch (const std::exception& problem) {
    log(RONDO_LOG_WARNING, "RONDO_TRACE: nothing is written at the end of the process: %s", problem.what());
  }
}

}  // namespace

void begin_asked_trace(Engine& engine) noexcept {
  if (!setting_is_set(Setting::trace)) return;
  static uint64_t numbers = 0;
  try {
    std::lock_guard lock(mutex());
    make_room(&engines());
    static const bool at_end = std::atexit(write_all) == 0;
    if (!at_end) log(RONDO_LOG_WARNING, "RONDO_TRACE: traces are written only where engines are destroyed");
    if (engine.trace_begin().ok()) engines().push_back({&engine, ++numbers});
  } catch (const std::exception& problem) {
    log(RONDO_LOG_WARNING, "RONDO_TRACE: an engine is not traced: %s", problem.what());
  }
}

bool traced_as_asked(const Engine& engine) {
  std::lock_guard lock(mutex());
  return std::any_of(engines().begin(), engines().end(), [&](const Asked& each) { return each.engine == &engine; });
}

void end_asked_trace(Engine& engine) noexcept {
  if (const uint64_t number = take(engine); number && !engine.forked()) write(engine, number);
}

}  // namespace rondo
