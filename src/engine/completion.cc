// Takes a task from the return of its function to its completion, which another thread may deliver.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/completion.h"

#include "base/caught.h"

namespace rondo {

Completion& Engine::completion_of(const Task& task) {
  return static_cast<Completion&>(*task.later_);
}

bool Engine::suspend(Task& task, const Status& returned) {
  std::lock_guard lock(order_mutex_);
  Completion& later = completion_of(task);
  later.returned_ = returned;
  if (later.state_ == Completion::State::completed) return false;
  later.task_ = &task;
  if (closing_) {
    cancel(later);
    return false;
  }
  later.state_ = Completion::State::awaited;
  later.next_ = awaited_;
  if (awaited_) awaited_->previous_ = &later;
  awaited_ = &later;
  // Those who wait for memory must not wait for it: what completes it may be waiting for them.
  std::erase(running_, task.order_);
  progress_.notify_all();
  return true;
}

void Engine::wait_until_completed(const Task& task) {
  std::unique_lock lock(order_mutex_);
  block_until(lock, [&task] { return completion_of(task).state_ != Completion::State::awaited; });
}

Status Engine::go_on(Task& task) {
  Status outcome;
  bool cancelled = false;
  {
    std::lock_guard lock(order_mutex_);
    const Completion& later = completion_of(task);
    outcome = later.returned_.ok() ? later.outcome_ : later.returned_;
    cancelled = later.state_ == Completion::State::cancelled;
  }
  task.later_ = nullptr;
  if (cancelled) return outcome;  // others may still use the operands of what would come next
  TaskContext context;
  context.device = &task.device();
  context.later = &task.later_;
  ThreadState& thread = this_thread();
  ++thread.task_depth;
  Status status = caught([&] { return task.resume(outcome, context); });
  --thread.task_depth;
  return status;
}

void Engine::leave_awaited(Completion& later) {
  (later.previous_ ? later.previous_->next_ : awaited_) = later.next_;
  if (later.next_) later.next_->previous_ = later.previous_;
  later.previous_ = later.next_ = nullptr;
}

Status Engine::complete(Completion& later, Status outcome) {
  using State = Completion::State;
  if (forked()) return unusable();
  std::unique_lock lock(order_mutex_);
  if (later.state_ == State::completed)
    return error(RONDO_INVALID_STATE, "task '%s' has been completed already, which is done once", later.name());
  if (later.state_ == State::cancelled)
    return error(RONDO_INVALID_STATE, "the engine was destroyed before task '%s' was completed", later.name());
  later.outcome_ = std::move(outcome);
  const bool awaited = later.state_ == State::awaited;
  later.state_ = State::completed;
  if (!awaited) return {};
  leave_awaited(later);
  hand_on(*later.task_, lock);
  return {};
}

void Engine::abandon(Completion& later) {
  (void)complete(later, error(RONDO_USER_ERROR, "its completion was destroyed without having been completed"));
}

void Engine::cancel(Completion& later) {
  later.state_ = Completion::State::cancelled;
  later.outcome_ = error(RONDO_INVALID_STATE, "the engine was destroyed before the task was completed");
  later.kept_ = Ref<const RefCounted>::share(&later.task_->holder());
  later.task_->cancelled_ = true;
}

void Engine::cancel_completions() {
  std::unique_lock lock(order_mutex_);
  closing_ = true;
  while (Completion* later = awaited_) {
    leave_awaited(*later);
    cancel(*later);
    hand_on(*later->task_, lock);
    lock.lock();
  }
}

// To a worker, not on this thread: it may be one that must not call the driver, or that holds locks of its own.
void Engine::hand_on(Task& task, std::unique_lock<std::mutex>& lock) {
  if (mode_ == RONDO_ENGINE_NAIVE || task.marker_) {
    progress_.notify_all();
    lock.unlock();
    return;
  }
  lock.unlock();
  if (!workers_->push(task)) run_host(task);
}

}  // namespace rondo
