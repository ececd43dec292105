// Tells a waiting user that kernels are being compiled, once that takes long. The report covers a stretch: from the
// first kernel that is compiled until for a while none is. It is made by a thread of its own, which exists only while
// there is a stretch and a function to call.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/cache.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace rondo::rtc {

// Any thread may call anything.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // Nothing is told of what takes less than `patience`, and the next thing after as long again.
  explicit Progress(Clock::duration patience) : patience_(patience) {}
  static Progress& instance();

  // Null: no reports. The former function is not running any more on return, and its argument is destroyed.
  void set(rondo_compile_progress_fn fn, void* arg, void (*destroy)(void*));

  // Lives as long as one kernel is compiled.
  class Compiling {
   public:
    Compiling(Progress& progress, const char* name);
    ~Compiling();
    Compiling(const Compiling&) = delete;
    Compiling& operator=(const Compiling&) = delete;

   private:
    Progress& progress_;
    const std::string name_;
    const Clock::time_point begun_ = Clock::now();
  };

  // Tasks that are about to ask for kernels. Each that has its own counts down; the rest is taken back in the end.
  class Ahead {
   public:
    Ahead(Progress& progress, int64_t tasks);
    ~Ahead();
    void one_is_ready();
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

   private:
    Progress& progress_;
    std::atomic<int64_t> tasks_;
  };

 private:
  void start_watching();
  void watch();
  void tell(std::unique_lock<std::mutex>& lock);
  bool much_is_ahead() const;

  const Clock::duration patience_;
  std::mutex calling_;  // held while the function runs; taken before mutex_
  rondo_compile_progress_fn fn_ = nullptr;
  void* arg_ = nullptr;
  void (*destroy_)(void*) = nullptr;

  std::mutex mutex_;  // what follows
  std::condition_variable changed_;
  bool wanted_ = false;  // there is a function
  bool watching_ = false;
  std::vector<const std::string*> running_;  // kernels, in the order in which they began
  Clock::time_point begun_;
  Clock::duration compiled_for_{};  // of all that are done
  int64_t done_ = 0, ahead_ = 0;
};

}  // namespace rondo::rtc
