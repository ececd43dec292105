// Worker threads. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/workers.h"

#include <pthread.h>

#include <system_error>

namespace rondo {

Workers::Workers(std::string name, int threads, std::function<void(Task&)> body)
    : name_(std::move(name)), body_(std::move(body)) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // with fewer than wished for the work gets done too
  }
}

Workers::~Workers() {
  stop();
}

void Workers::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool Workers::push(Task& task, int32_t priority, uint64_t order) {
  bool wake;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    queue_.push({&task, priority, order});
    wake = idle_ > 0;
  }
  if (wake) work_.notify_one();
  return true;
}

void Workers::loop() {
  pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
  std::unique_lock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !stopping_) {
      ++idle_;
      work_.wait(lock);
      --idle_;
    }
    if (queue_.empty()) return;
    Task& task = *queue_.top().task;
    queue_.pop();
    lock.unlock();
    body_(task);
    lock.lock();
  }
}

}  // namespace rondo
