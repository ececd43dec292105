// Everything the simulated devices do is a task in one graph of tasks: a stream is a chain, an event is a task to
// depend on, a launched graph is its nodes. Worker threads run what is ready, in any order the dependencies allow: with
// a seed that order is hostile on purpose. All functions need the driver's lock, except where said. Copyright 2026 the
// Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "settings.h"

namespace simcuda {

using Lock = std::unique_lock<std::mutex>;
using Clock = std::chrono::steady_clock;

struct Task;
using TaskRef = std::shared_ptr<Task>;

struct Task {
  // Runs without the lock on a worker; null for a mark that only carries order. Returns false when the task goes on
  // after it returned and Scheduler::complete will be called for it.
  std::function<bool(const TaskRef&)> run;
  std::uint64_t stream = 0;                // whose tempo it follows, and which stall holds it
  bool host = false;                       // a host function: runs on the thread of host functions
  const std::atomic<int>* lost = nullptr;  // not 0: the device is lost, no stall holds the task any more
  bool done = false;
  Clock::time_point finished{};
  Clock::time_point begins{};  // with told time: when the last of those it follows has ended
  Clock::duration takes{};     // with told time
  // Of a kernel that follows another one by a programmatic edge: what must be done before it goes on behind its wait,
  // and a mark that is complete when it has come there, or has ended.
  std::vector<TaskRef> gate;
  TaskRef parked;

  // The scheduler's own.
  int pending = 0;
  Clock::time_point not_before{};
  std::vector<TaskRef> successors;
};

class Scheduler {
 public:
  explicit Scheduler(std::mutex& mutex) : mutex_(mutex) {}

  void submit(const TaskRef& task, const std::vector<TaskRef>& after);
  void complete(const TaskRef& task);
  // A mark that somebody completes, instead of being submitted.
  TaskRef promise();
  // Called by a task that has come to its wait. While it waits for its gate another worker is there for the rest.
  void pass_gate(Lock& lock, Task& task);
  void wait(Lock& lock, const TaskRef& task);
  void wait_idle(Lock& lock);
  // Until nothing of a device is being run; what is queued stays queued.
  void wait_running(Lock& lock);

  // Tasks of a stalled stream do not start until the stream is resumed. 0 stands for every stream.
  void stall(std::uint64_t stream);
  void resume(std::uint64_t stream);
  // Looks again at what is stalled: a device was lost.
  void let_go() { ready_changed_.notify_all(); }
  void reseed(std::uint64_t seed);

  // Adds to what the task that the calling thread runs takes, where time is told. Needs no lock.
  static void takes(Clock::duration more);

  // Is the calling thread running a host function?
  static bool in_host_function();

 private:
  void make_ready(const TaskRef& first);
  void start_threads();
  void add_thread();
  void work(bool host);
  bool stalled(const Task& task) const;
  Clock::duration tempo(const Task& task);

  std::mutex& mutex_;
  std::condition_variable ready_changed_, task_done_;
  std::vector<TaskRef> ready_[2];  // device tasks, host functions
  std::unordered_set<std::uint64_t> stalled_;
  std::uint64_t unfinished_ = 0, running_ = 0, tempo_draws_ = 0;
  std::uint64_t paused_ = 0, threads_ = 0;  // of those running; of device work
  std::uint64_t seed_ = settings().seed;
  Random random_{settings().seed};
  bool started_ = false;
};

}  // namespace simcuda
