// Runs tasks on threads: a queue ordered by priority, then by submission. The parts that a task shares are run by
// threads that have nothing else to do. Threads that wait may help.
//
// To wake a thread takes a call of the system, and then longer than many a task. So it is left out where it has turned
// out to be in vain: a thread of the program that waits right after each push runs what it has pushed itself, and parts
// that are done before another thread is there gain nothing.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/threads/thread.h"
#include "engine/tasks/task.h"

namespace rondo {

class Workers {
 public:
  // `body` runs one task; it is called from the threads, one task at a time each. If the system refuses some of the
  // threads there are fewer; std::system_error if it refuses all. `call` is called, from any thread and without the
  // lock, where a guest should look for a task.
  Workers(std::string name, int threads, std::function<void(Task&)> body, std::function<void()> call = {});
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False once they stop: the task will not be run. Takes no memory.
  [[nodiscard]] bool push(Task& task);
  // Finishes what is queued, then joins.
  void stop();

  // While in scope, a thread of Workers looks for the tasks that it pushes itself right after, so that no other thread
  // has to be woken for them: a chain of tasks stays on one thread.
  class LooksNext {
   public:
    explicit LooksNext(bool does);
    ~LooksNext();
    LooksNext(const LooksNext&) = delete;
    LooksNext& operator=(const LooksNext&) = delete;

   private:
    const bool before_;
  };

  // Calls body(part) once for each of the parts and returns when all are done: on this thread, and, if it is one of
  // Workers, on others of them that find no task to run. It is not defined which thread does which part. The body must
  // not wait for a task; what it shares itself it does alone. The first exception of a part is thrown here once no
  // thread is in one any more; parts not begun are left out then.
  static void share(int64_t parts, const std::function<void(int64_t)>& body);

  // While in scope, what the thread shares is summed up: `took` becomes the nanoseconds that it would take one thread.
  // If they were few the last time, no thread is woken for it; those that are awake take parts. Within another one it
  // is a part of that.
  class Shares {
   public:
    explicit Shares(std::atomic<uint32_t>& took);
    ~Shares();
    Shares(const Shares&) = delete;
    Shares& operator=(const Shares&) = delete;
    bool worth_waking() const { return worth_waking_; }
    void add(std::chrono::nanoseconds time) { sum_ += time.count(); }

   private:
    std::atomic<uint32_t>* const took_;  // null: within another one
    const bool worth_waking_;
    int64_t sum_ = 0;
  };

  // How often a thread was woken for a task or for parts.
  uint64_t wakes() const { return wakes_.load(std::memory_order_relaxed); }

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

  // A thread that waits, and may run tasks meanwhile that are lendable. It does so only while fewer threads compute
  // than there are workers: it takes the place of one that sleeps, or that runs what does not compute.
  class Guest {
   public:
    explicit Guest(Workers& workers);
    Guest(const Guest&) = delete;
    Guest& operator=(const Guest&) = delete;
    // Takes such a task out of the queue, one that is wanted; null: there is no such task near its front, or no place.
    // Others may do this for the thread. run() runs the task that was taken.
    Task* take(const std::function<bool(Task&)>& wanted);
    // As a worker would: tasks that it makes ready wait for the next take() or the end, and parts are shared.
    void run(Task& task);
    // Its last call.
    void leave();

   private:
    Workers& workers_;
  };

 private:
  // The tasks that wait, by priority, then by order, as a pairing heap (Fredman et al. 1986) whose nodes they are.
  class Heap {
   public:
    static bool comes_first(const Task& a, const Task& b);
    bool empty() const { return !top_; }
    Task* top() const { return top_; }
    void push(Task& task);
    Task& pop() { return take(&top_); }
    // The first in the heap's own order, so not by priority alone, that is wanted; null if there is none among so many.
    Task* take(const std::function<bool(Task&)>& wanted, int looks);

   private:
    static Task* meld(Task* a, Task* b);
    static Task** find(Task** link, const std::function<bool(Task&)>& wanted, int& looks);
    Task& take(Task** link);  // the one that it leads to
    Task* top_ = nullptr;
  };
  // The parts that a task shares, on its stack until no thread is in one any more.
  struct Shared {
    const std::function<void(int64_t)>& body;
    const int64_t parts;
    std::atomic<int64_t> next{0};
    std::atomic<int> helpers{0};  // changed under the mutex
    int joined = 1;               // threads that took part; under the mutex
    std::atomic<bool> failed{false};
    std::exception_ptr thrown = nullptr;  // from the thread that set `failed`
    void work() noexcept;
  };
  void loop();
  void wake() {
    wakes_.fetch_add(1, std::memory_order_relaxed);
    work_.notify_one();
  }
  // Below: under the mutex.
  bool empty() const { return lendable_.empty() && others_.empty(); }
  Task& pop();
  void wake_for_what_is_left();
  bool leaves_it_to_the_waiter(const Task& task);
  void sleep(std::unique_lock<std::mutex>& lock);
  bool calls_guests() const;
  void share_out(Shared& shared);
  void help(std::unique_lock<std::mutex>& lock);
  void look(std::unique_lock<std::mutex>& lock, std::chrono::microseconds& patience);

  const std::string name_;
  const std::function<void(Task&)> body_;
  const std::function<void()> call_;
  std::mutex mutex_;
  std::condition_variable work_;
  Heap lendable_, others_;       // the queue
  std::vector<Shared*> shared_;  // that may have parts left
  std::condition_variable helped_;
  int idle_ = 0;
  int blocked_ = 0;    // threads whose task waits
  int computing_ = 0;  // threads, of guests too, that run what is lendable or help with it
  int guests_ = 0;
  int looking_ = 0;           // threads that watch for work before they sleep
  bool waiters_run_ = false;  // a thread runs what it pushes itself when it waits
  bool glances_ = false;      // a thread sleeps for a short time only, and looks then whether that has stayed so
  uint64_t left_ = 0;         // tasks for which no thread was woken
  std::atomic<uint64_t> wakes_{0};
  alignas(64) std::atomic<uint64_t> offers_{0};  // how often there was some work; read again and again
  alignas(64) const int processors_;
  bool stopping_ = false;
  int wanted_ = 0;  // threads that run tasks
  int count_ = 0;   // threads
  std::vector<Thread> threads_;
};

}  // namespace rondo
