// Threads that run tasks: a queue ordered by priority, then by submission.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "engine/task.h"

namespace rondo {

class Workers {
 public:
  // `body` runs one task; it is called from the threads, one task at a time each. Where the system refuses some of the
  // threads there are fewer; std::system_error if it refuses all.
  Workers(std::string name, int threads, std::function<void(Task&)> body);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False once they stop: nobody will run the task.
  [[nodiscard]] bool push(Task& task, int32_t priority, uint64_t order);
  // Finishes what is queued, then joins.
  void stop();

  // While in scope, the calling thread's task waits for something that another task may have to bring about: meanwhile
  // a thread more runs tasks in its place. Does nothing on threads that are not of Workers.
  class Blocking {
   public:
    Blocking();
    ~Blocking();
    Blocking(const Blocking&) = delete;
    Blocking& operator=(const Blocking&) = delete;

   private:
    Workers* const workers_;
  };

 private:
  struct Item {
    Task* task;
    int32_t priority;
    uint64_t order;
    bool operator<(const Item& other) const {
      return priority != other.priority ? priority < other.priority : order > other.order;
    }
  };
  void loop();

  const std::string name_;
  const std::function<void(Task&)> body_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::priority_queue<Item> queue_;
  int idle_ = 0;
  int blocked_ = 0;  // threads whose task waits
  bool stopping_ = false;
  int wanted_ = 0;  // threads that run tasks
  int count_ = 0;   // threads
  std::vector<std::thread> threads_;
};

}  // namespace rondo
