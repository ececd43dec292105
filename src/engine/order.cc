// Decides which tasks follow which, and what a task leaves on its variables. All of it is under the order lock.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/random_scope.h"

namespace rondo {

void Engine::follow(Task& task, Edge& edge, Task& before) {
  edge = {&task, nullptr};
  (before.successors_ ? before.last_successor_->next : before.successors_) = &edge;
  before.last_successor_ = &edge;
  ++task.waiting_;
}

void Engine::link(Task& task) {
  task.order_ = ++order_;
  task.waiting_ = 0;
  for (Access& access : task.accesses_) {
    Variable& variable = *access.variable;
    access.after_writer.task = &task;
    if (variable.writer_) [[unlikely]]
      follow(task, access.after_writer, *variable.writer_);
    if (!access.write) {
      access.readers = {nullptr, variable.readers_};
      if (variable.readers_) variable.readers_->readers.previous = &access;
      variable.readers_ = &access;
      access.linked = true;
      continue;
    }
    // Later tasks follow this writer, so the readers before it need not be known to them any more.
    for (Access* reader = variable.readers_; reader;) {
      Access* next = reader->readers.next;
      reader->linked = false;
      // mutation: write_after_read_on_the_host
      follow(task, reader->before_writer, *reader->after_writer.task);
      reader = next;
    }
    variable.readers_ = nullptr;
    variable.writer_ = &task;
    variable.mark_written(task.name_);
  }
}

// A reader is no more among those its variable knows.
inline void Engine::unlink(Access& access) {
  if (!access.linked) return;
  const auto [previous, next] = access.readers;
  if (previous) [[unlikely]]
    previous->readers.next = next;
  else
    access.variable->readers_ = next;
  if (next) [[unlikely]]
    next->readers.previous = previous;
  access.linked = false;
}

void Engine::gather(Task& task) {
  for (const Access& access : task.accesses_) {
    const Variable& variable = *access.variable;
    task.fences_.add(variable.write_fence_);
    if (access.write) task.fences_.add(variable.read_fences_);  // mutation: write_after_read_on_the_device
    if (variable.given_away_) [[unlikely]]
      task.failure_ = variable.error_;  // as a whole: none of its parts may run
    // mutation: poison_stops
    if (!variable.error_.ok() && access.read) [[unlikely]]
      gather_poison(task, access.variable, variable.error_);
    if (!written_off_.empty() && access.read) [[unlikely]]
      if (const Status* cause = written_off(variable)) gather_poison(task, access.variable, *cause);
  }
}

void Engine::gather_poison(Task& task, const Variable* variable, const Status& error) {
  if (Task::PartialFailure* partial_failure = task.partial_failure())
    partial_failure->mark(variable, error);
  else if (task.failure_.ok())
    task.failure_ = error;
}

void Engine::uncount(uint64_t epoch, TaskQueue* ready) {
  --pending_;
  if (epoch == epoch_) [[likely]] {
    --in_epoch_;
    return;
  }
  Epoch* each = earlier_epochs_;
  while (each->number != epoch) each = each->next;
  --each->tasks;
  if (earlier_epochs_->tasks == 0) progress_.notify_all();
  while (earlier_epochs_ && earlier_epochs_->tasks == 0) {
    const Epoch* first = std::exchange(earlier_epochs_, earlier_epochs_->next);
    if (first->notice) ready->push(*first->notice);
    if (first->on_heap) delete first;
  }
}

uint64_t Engine::last_writer(const Variable& variable) {
  std::lock_guard lock(order_mutex_);
  return variable.writer_ ? variable.writer_->order_ : variable.retired_;
}

bool Engine::enter(Task& task) {
  if (task.draws()) [[unlikely]]
    draw_random(task);
  link(task);
  count(task);
  if (task.waiting_ > 0) return false;
  gather(task);
  return true;
}

void Engine::draw_random(Task& task) {
  const auto sequence = [this](rondo_device device) -> RandomState& {
    return RandomScope::of(*this, device, existing_state(device)->random);
  };
  const auto draw = [&sequence](rondo_device device, uint64_t count) {
    if (!count) return RandomState();
    RandomState& next = sequence(device);
    const RandomState begin = next;
    next.offset += count;
    return begin;
  };
  const RandomState own = draw(task.device().id(), task.random_count());
  task.set_random(own, draw({RONDO_CPU, 0}, task.host_random_count()));
}

// Records an access that succeeded on its variable.
[[gnu::always_inline]] inline void Engine::retire(Task& task, Access& access, Fence fence) {
  Variable& variable = *access.variable;
  if (!access.write) {
    unlink(access);
    variable.read_fences_.add(fence);  // mutation: readers_forgotten
    return;
  }
  if (variable.writer_ == &task) variable.writer_ = nullptr;
  variable.retired_ = task.order_;
  if (!variable.error_.ok()) [[unlikely]]
    variable.error_ = {};
  variable.write_fence_ = fence;
  variable.read_fences_.clear();
  variable.version_.store(variable.version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void Engine::retire(Task& task, Fence fence) {
  for (Access& access : task.accesses_) retire(task, access, fence);
}

// The same of a task that failed, or of which parts did. Work that was enqueued before, by others or by a part of this
// task, still holds the memory.
void Engine::retire_failed(Task& task, const Status& status, Fence fence) {
  for (Access& access : task.accesses_) {
    Variable& variable = *access.variable;
    // The code that should have completed the task may still be at work on its inputs, too.
    Status left = task.cancelled_ ? status : access.write ? task.left_on(variable, status) : Status();
    if (left.ok()) {
      retire(task, access, fence);
      continue;
    }
    variable.given_away_ |= task.cancelled_;
    if (access.write) {
      if (variable.writer_ == &task) variable.writer_ = nullptr;
      variable.retired_ = task.order_;
    } else {
      unlink(access);
    }
    variable.error_ = std::move(left);
    variable.read_fences_.add(fence);
  }
  if (first_failure_.ok()) first_failure_ = status;
}

// Those that waited for this task only.
void Engine::release_successors(Task& task, TaskQueue* ready) {
  for (const Edge* edge = std::exchange(task.successors_, nullptr); edge; edge = edge->next)
    if (Task& next = *edge->task; --next.waiting_ == 0) {
      gather(next);
      ready->push(next);
    }
}

}  // namespace rondo
