// Tells the program about a stretch of compiling: its kernels so far, and those ahead.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/progress.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/threads/thread.h"

namespace rondo::rtc {

Progress& Progress::instance() {
  static auto* const instance = new Progress(std::chrono::seconds(1));  // threads may compile while the process exits
  return *instance;
}

void Progress::set(rondo_compile_progress_fn fn, void* arg, void (*destroy)(void*)) {
  void (*old_destroy)(void*) = nullptr;
  void* old_arg = nullptr;
  {
    std::lock_guard calling(calling_);
    std::lock_guard lock(mutex_);
    fn_ = fn;
    old_arg = std::exchange(arg_, arg);
    old_destroy = std::exchange(destroy_, destroy);
    wanted_ = fn != nullptr;
    if (!running_.empty()) start_watching();
    changed_.notify_all();
  }
  if (old_destroy) old_destroy(old_arg);
}

Progress::Compiling::Compiling(Progress& progress, const char* name) : progress_(progress), name_(name) {
  std::lock_guard lock(progress_.mutex_);
  if (progress_.running_.empty() && !progress_.watching_) {
    progress_.begun_ = begun_;
    progress_.compiled_for_ = {};
    progress_.done_ = 0;
  }
  progress_.running_.push_back(&name_);
  progress_.start_watching();
  progress_.changed_.notify_all();
}

Progress::Compiling::~Compiling() {
  std::lock_guard lock(progress_.mutex_);
  auto& running = progress_.running_;
  running.erase(std::find(running.begin(), running.end(), &name_));
  ++progress_.done_;
  progress_.compiled_for_ += Clock::now() - begun_;
  progress_.changed_.notify_all();
}

Progress::Ahead::Ahead(Progress& progress, int64_t tasks) : progress_(progress), tasks_(tasks) {
  std::lock_guard lock(progress_.mutex_);
  progress_.ahead_ += tasks;
}

void Progress::Ahead::one_is_ready() {
  tasks_.fetch_sub(1, std::memory_order_relaxed);
  std::lock_guard lock(progress_.mutex_);
  --progress_.ahead_;
}

Progress::Ahead::~Ahead() {
  std::lock_guard lock(progress_.mutex_);
  progress_.ahead_ -= tasks_.load(std::memory_order_relaxed);
}

// Under mutex_.
void Progress::start_watching() {
  if (!wanted_ || watching_) return;
  try {
    start_thread([this] { watch(); }).detach();
    watching_ = true;
  } catch (const std::exception& problem) {
    log(RONDO_LOG_WARNING, "nobody is told that kernels are compiled: the system starts no thread: %s", problem.what());
  }
}

// By what kernels took so far, one after the other.
bool Progress::much_is_ahead() const {
  const std::chrono::duration<double> so_far = compiled_for_;  // whose multiple no integer may hold
  const auto left = static_cast<double>(ahead_) + static_cast<double>(running_.size());
  return done_ > 0 && so_far / static_cast<double>(done_) * left >= patience_;
}

void Progress::watch() {
  std::unique_lock lock(mutex_);
  Clock::time_point next = begun_ + patience_;
  bool reported = false;
  while (wanted_) {
    // Between two kernels of one stretch is what the program does to come to the next.
    if (!changed_.wait_for(lock, patience_ / 4, [this] { return !running_.empty(); })) {
      if (reported) tell(lock);
      reported = false;
      if (running_.empty()) break;  // none began while that was told
    }
    if (Clock::now() >= next || (!reported && much_is_ahead())) {
      tell(lock);
      reported = true;
      next = Clock::now() + patience_;
    }
    changed_.wait_until(lock, next,
                        [this, reported] { return running_.empty() || !wanted_ || (!reported && much_is_ahead()); });
  }
  watching_ = false;
}

void Progress::tell(std::unique_lock<std::mutex>& lock) {
  std::string name;
  try {
    if (!running_.empty()) name = *running_.front();
  } catch (const std::bad_alloc&) {
    return;  // there is no memory to tell it in
  }
  const int64_t done = done_, known = done + std::max<int64_t>(ahead_, static_cast<int64_t>(running_.size()));
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  lock.unlock();
  {
    std::lock_guard calling(calling_);
    if (fn_) fn_(arg_, name.empty() ? nullptr : name.c_str(), done, known, seconds);
  }
  lock.lock();
}

}  // namespace rondo::rtc
