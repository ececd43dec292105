// Writes a line for each task that begins and ends into a file that is mapped into memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/last_tasks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "base/file.h"
#include "base/files/asked.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/threads/thread_id.h"
#include "engine/tasks/task.h"

namespace rondo {

namespace {

// Each line begins with one of these, a word long.
constexpr char kRunning[] = "running ", kEnded[] = "ended   ";

uint64_t word(const char* text) {
  uint64_t all = 0;
  std::memcpy(&all, text, sizeof all);
  return all;
}

// How the system knows the calling thread. A child of fork() has another number.
struct Self {
  int process = 0;
  int thread = 0;
  char name[16] = "";
};
constinit thread_local Self self;

// A name is the user's, and the reader may be a terminal.
char printable(char c) {
  return c >= ' ' && c <= '~' ? c : '?';
}

}  // namespace

LastTasks* LastTasks::open() noexcept {
  Line* lines = nullptr;
  constexpr size_t bytes = kLines * sizeof(Line);
  write_asked(Setting::last_tasks, 1, "last-tasks", ".txt", [&](const char* path) -> Status {
    const File file(::open(path, O_RDWR | O_CLOEXEC));
    // Written, so that the disk has room for all that will be in the memory.
    std::string blank(bytes, ' ');
    for (size_t end = sizeof(Line); end <= bytes; end += sizeof(Line)) blank[end - 1] = '\n';
    if (!file || !write_all(file.get(), blank)) return error(file_error(), "it cannot be written: %m");
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) return error(file_error(), "it cannot be mapped: %m");
    lines = static_cast<Line*>(memory);
    return {};
  });
  if (!lines) return nullptr;
  auto* const made = new (std::nothrow) LastTasks(lines, static_cast<int>(getpid()));
  if (!made) log(RONDO_LOG_WARNING, "RONDO_LAST_TASKS: the host has no memory to keep them");
  return made;
}

LastTasks* LastTasks::of_process() noexcept {
  if (!setting_is_set(Setting::last_tasks)) return nullptr;
  static std::mutex mutex;
  static LastTasks* known = nullptr;
  const std::lock_guard lock(mutex);
  if (!known || known->process_ != getpid())
    if (LastTasks* made = open()) known = made;
  return known && known->process_ == getpid() ? known : nullptr;
}

uint64_t LastTasks::begin(const Task& task) noexcept {
  const uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
  Self& here = self;
  if (here.process != process_) {
    here.process = process_;
    here.thread = thread_id();
    pthread_getname_np(pthread_self(), here.name, sizeof here.name);
  }
  const rondo_device device = task.device().id();
  char on[16];
  std::snprintf(on, sizeof on, "%s:%d", device.kind == RONDO_CPU ? "cpu" : "cuda", device.index);
  char text[sizeof(Line) + 1];
  const int length = std::snprintf(text, sizeof text, "%s%10" PRIu64 " %8d %-15s %-7s %s", kRunning, number,
                                   here.thread, here.name, on, task.name());
  for (char& c : text) c = &c - text < length ? printable(c) : ' ';
  text[sizeof(Line) - 1] = '\n';
  Line& mine = line(number);
  for (uint64_t i = 0; i < kWords; ++i)
    mine.words[i].store(word(text + i * sizeof(uint64_t)), std::memory_order_relaxed);
  return number;
}

void LastTasks::end(uint64_t number) noexcept {
  if (next_.load(std::memory_order_relaxed) - number <= kLines)  // else the line is another task's by now
    line(number).words[0].store(word(kEnded), std::memory_order_relaxed);
}

}  // namespace rondo
