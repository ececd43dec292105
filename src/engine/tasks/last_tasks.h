// Records the last tasks of the process, for people who look at a crash: RONDO_LAST_TASKS names a folder, and a file in
// it has a line for each of the last tasks whose functions were begun, as long as the process runs and after it was
// killed. The file is memory of this process: a line costs no call of the system.
//
// Any thread. Lives as long as the process.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace rondo {

class Task;

class LastTasks {
 public:
  // The file of this process (a child of fork() has its own); null if the setting is empty or the file cannot be had,
  // as the log says.
  static LastTasks* of_process() noexcept;

  // The calling thread begins the task's function; the number of its line.
  uint64_t begin(const Task& task) noexcept;
  void end(uint64_t number) noexcept;

 private:
  static constexpr uint64_t kLines = 128;
  static constexpr uint64_t kWords = 16;
  // Torn by nothing but two tasks of which one began kLines later.
  struct Line {
    std::atomic<uint64_t> words[kWords];
  };
  static_assert(sizeof(Line) == kWords * sizeof(uint64_t) && std::atomic<uint64_t>::is_always_lock_free);

  LastTasks(Line* lines, int process) : lines_(lines), process_(process) {}
  static LastTasks* open() noexcept;
  Line& line(uint64_t number) const { return lines_[number % kLines]; }

  Line* const lines_;
  const int process_;
  std::atomic<uint64_t> next_{1};
};

}  // namespace rondo
