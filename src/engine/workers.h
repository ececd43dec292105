// Threads that run tasks: a queue ordered by priority, then by submission. What a task shares is done by those that
// have nothing else to do.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
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

  // False once they stop: nobody will run the task. Takes no memory.
  [[nodiscard]] bool push(Task& task);
  // Finishes what is queued, then joins.
  void stop();

  // Calls body(part) once for each of the parts and returns when all are done: on this thread, and, if it is one of
  // Workers, on others of them that find no task to run. Which thread does which part, nobody knows. The body must not
  // wait for a task. What it throws, the first of it, is thrown here once nobody is at it any more; parts not begun are
  // left out then.
  static void share(int64_t parts, const std::function<void(int64_t)>& body);

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
  // The tasks that wait, by priority, then by order, as a pairing heap (Fredman et al. 1986) whose nodes they are.
  class Heap {
   public:
    bool empty() const { return !top_; }
    void push(Task& task);
    Task& pop();

   private:
    static Task* meld(Task* a, Task* b);
    Task* top_ = nullptr;
  };
  // What a task shares: on its stack until nobody is at it any more.
  struct Shared {
    const std::function<void(int64_t)>& body;
    const int64_t parts;
    std::atomic<int64_t> next{0};
    int helpers = 0;  // under the mutex
    std::atomic<bool> failed{false};
    std::exception_ptr thrown = nullptr;  // of whoever set `failed`
    void work() noexcept;
  };
  void loop();
  void share_out(Shared& shared);
  void help(std::unique_lock<std::mutex>& lock);

  const std::string name_;
  const std::function<void(Task&)> body_;
  std::mutex mutex_;
  std::condition_variable work_;
  Heap queue_;
  std::vector<Shared*> shared_;  // that may have parts left
  std::condition_variable helped_;
  int idle_ = 0;
  int blocked_ = 0;  // threads whose task waits
  bool stopping_ = false;
  int wanted_ = 0;  // threads that run tasks
  int count_ = 0;   // threads
  std::vector<std::thread> threads_;
};

}  // namespace rondo
