// A thread that runs what it is handed, in order: the plainest hand-off there is, a floor for work that leaves the
// caller. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace bench {

class HandOff {
 public:
  HandOff();
  ~HandOff();  // runs what is queued first
  HandOff(const HandOff&) = delete;
  HandOff& operator=(const HandOff&) = delete;

  void push(std::function<void()> work);
  void wait();  // until the queue is empty and nothing runs

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable some_, idle_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace bench
