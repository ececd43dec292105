// Picking and running tasks; the hostile tempo of each stream.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "scheduler.h"

#include <algorithm>
#include <thread>

namespace simcuda {
namespace {
thread_local bool t_in_host_function = false;
thread_local Clock::duration t_takes{};
}  // namespace

bool Scheduler::in_host_function() {
  return t_in_host_function;
}

void Scheduler::takes(Clock::duration more) {
  t_takes += more;
}

void Scheduler::submit(const TaskRef& task, const std::vector<TaskRef>& after) {
  start_threads();
  ++unfinished_;
  for (const TaskRef& other : after) {
    if (other == nullptr) continue;
    if (other->done) {
      task->begins = std::max(task->begins, other->finished);
      continue;
    }
    ++task->pending;
    other->successors.push_back(task);
  }
  if (task->pending == 0) make_ready(task);
}

// Marks complete on the spot, and with them the marks that waited only for them: a loop, not a recursion, for chains
// are long.
void Scheduler::make_ready(const TaskRef& first) {
  std::vector<TaskRef> pending{first};
  while (!pending.empty()) {
    TaskRef task = std::move(pending.back());
    pending.pop_back();
    if (task->run != nullptr) {
      if (seed_ != 0) task->not_before = Clock::now() + tempo(*task);
      ready_[task->host].push_back(std::move(task));
      ready_changed_.notify_all();
      continue;
    }
    task->done = true;
    task->finished = settings().told_time ? task->begins + task->takes : Clock::now();
    --unfinished_;
    for (TaskRef& next : task->successors) {
      next->begins = std::max(next->begins, task->finished);
      if (--next->pending == 0) pending.push_back(std::move(next));
    }
    task->successors.clear();
    task_done_.notify_all();
  }
}

void Scheduler::complete(const TaskRef& task) {
  task->run = nullptr;
  make_ready(task);
}

TaskRef Scheduler::promise() {
  ++unfinished_;
  return std::make_shared<Task>();
}

void Scheduler::pass_gate(Lock& lock, Task& task) {
  if (task.parked != nullptr && !task.parked->done) complete(task.parked);
  ++paused_;
  if (threads_ - paused_ < static_cast<std::uint64_t>(settings().workers)) add_thread();
  ready_changed_.notify_all();
  task_done_.wait(lock, [&] {
    return std::all_of(task.gate.begin(), task.gate.end(), [](const TaskRef& each) { return each->done; });
  });
  --paused_;
}

// Streams differ in character: prompt, jittery, or starved, drawn anew every few tasks. A consumer on a prompt stream
// that forgot to wait for a producer on a starved one reads too early, and in any program of some length every pair of
// streams meets that.
Clock::duration Scheduler::tempo(const Task& task) {
  using std::chrono::microseconds;
  std::uint64_t epoch = tempo_draws_++ / 8;
  switch (Random(seed_ * 1000003 + task.stream * 8191 + epoch).below(3)) {
    case 0: return Clock::duration::zero();
    case 1: return microseconds(random_.below(100));
    default: return microseconds(random_.one_in(2) ? 200 + random_.below(1300) : random_.below(50));
  }
}

bool Scheduler::stalled(const Task& task) const {
  if (stalled_.empty() || (task.lost != nullptr && *task.lost != 0)) return false;
  return stalled_.count(0) != 0 || stalled_.count(task.stream) != 0;
}

void Scheduler::start_threads() {
  if (started_) return;
  started_ = true;
  // Detached: they live as long as the process, and the driver they use is never destroyed.
  for (int i = 0; i < settings().workers; ++i) add_thread();
  std::thread([this] { work(true); }).detach();
}

void Scheduler::add_thread() {
  ++threads_;
  std::thread([this] { work(false); }).detach();
}

void Scheduler::work(bool host) {
  t_in_host_function = host;
  Lock lock(mutex_);
  std::vector<TaskRef>& ready = ready_[host];
  for (;;) {
    auto now = Clock::now();
    auto earliest = Clock::time_point::max();
    std::vector<std::size_t> eligible;
    // Workers that have taken the place of paused ones do not add to how many run at once.
    const bool enough = !host && running_ - paused_ >= static_cast<std::uint64_t>(settings().workers);
    for (std::size_t i = 0; i < ready.size() && !enough; ++i) {
      if (stalled(*ready[i])) continue;
      if (ready[i]->not_before <= now) {
        eligible.push_back(i);
        if (seed_ == 0) break;
      } else {
        earliest = std::min(earliest, ready[i]->not_before);
      }
    }
    if (eligible.empty()) {
      if (earliest == Clock::time_point::max())
        ready_changed_.wait(lock);
      else
        ready_changed_.wait_until(lock, earliest);
      continue;
    }
    std::size_t chosen = eligible[seed_ == 0 ? 0 : random_.below(eligible.size())];
    TaskRef task = std::move(ready[chosen]);
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
    // Moved out: the task may be completed, by another thread or by itself, while this runs. What it holds goes under
    // the lock.
    std::function<bool(const TaskRef&)> run;
    run.swap(task->run);
    if (!host) ++running_;
    task->takes = std::chrono::microseconds(1);
    t_takes = {};
    lock.unlock();
    bool finished = run(task);
    lock.lock();
    task->takes += t_takes;
    if (!host && --running_ == 0) task_done_.notify_all();
    if (task->parked != nullptr && !task->parked->done) complete(task->parked);
    task->gate.clear();
    if (finished) complete(task);
  }
}

void Scheduler::wait(Lock& lock, const TaskRef& task) {
  if (task == nullptr) return;
  task_done_.wait(lock, [&] { return task->done; });
}

void Scheduler::wait_idle(Lock& lock) {
  task_done_.wait(lock, [&] { return unfinished_ == 0; });
}

void Scheduler::wait_running(Lock& lock) {
  task_done_.wait(lock, [&] { return running_ == 0; });
}

void Scheduler::stall(std::uint64_t stream) {
  stalled_.insert(stream);
}

void Scheduler::resume(std::uint64_t stream) {
  if (stream == 0)
    stalled_.clear();
  else
    stalled_.erase(stream);
  ready_changed_.notify_all();
}

void Scheduler::reseed(std::uint64_t seed) {
  seed_ = seed;
  random_ = Random(seed);
}

}  // namespace simcuda
