// Waiting: for a variable, for everything, for a fence. The host blocks here and nowhere else, but for memory and for
// room among the pending tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/engine.h"

namespace rondo {

namespace {

// Stands in a variable's order without reading or writing it: ready when all before it is done.
class Marker final : public Task {
 public:
  explicit Marker(Device& device) : Task("wait", device) {}
  Status run(const TaskContext&) override { return {}; }
};

}  // namespace

void Engine::wait_until_signalled(Task& task, std::unique_lock<std::mutex>& lock) {
  block_until(lock, [&task] { return task.signalled_; });
}

Status Engine::wait(Variable& variable) {
  RONDO_TRY(usable());
  if (in_task())
    return error(RONDO_INVALID_STATE,
                 "waiting inside a task is refused: the task may be what it would wait for; wait outside");
  if (const Owner* owner = this->owner(variable)) return error(RONDO_INVALID_STATE, "the tensor is %s", owner->refusal);
  FenceSet fences;
  {
    std::unique_lock lock(order_mutex_);
    if (variable.writer_ || variable.readers_) {
      Device* cpu = nullptr;
      RONDO_TRY(get_device({RONDO_CPU, 0}, &cpu));
      Marker marker(*cpu);
      marker.marker_ = true;
      auto follow = [&marker](Task* before) {
        before->successors_.push_back(&marker);
        ++marker.waiting_;
      };
      if (variable.writer_) follow(variable.writer_);
      for (Access* reader = variable.readers_; reader; reader = reader->next) follow(reader->task);
      wait_until_signalled(marker, lock);
    }
    if (!releasing_.empty()) [[unlikely]] {
      const uint64_t latest = order_;
      block_until(lock, [&] {
        return std::none_of(releasing_.begin(), releasing_.end(), [&](uint64_t each) { return each <= latest; });
      });
    }
    fences.add(variable.write_fence_);  // mutation: wait_returns_at_the_launch
    fences.add(variable.read_fences_);
  }
  for (const Fence& fence : fences) RONDO_TRY(noted(fence_wait(fence)));
  std::lock_guard lock(order_mutex_);
  if (!written_off_.empty() && variable.error_.ok()) [[unlikely]]
    if (const Status* cause = written_off(variable)) return *cause;
  return variable.error_;
}

void Engine::wait_for_tasks() {
  std::unique_lock lock(order_mutex_);
  block_until(lock, [this] { return pending_ == 0; });
}

void Engine::wait_for_earlier_tasks() {
  std::unique_lock lock(order_mutex_);
  if (pending_ == 0) return;
  earlier_epochs_.push_back(in_epoch_);
  in_epoch_ = 0;
  const uint64_t mine = ++epoch_;
  block_until(lock, [&] { return epoch_ - earlier_epochs_.size() >= mine; });
}

Status Engine::wait_for_streams() {
  const uint32_t count = n_streams_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    Stream* each = stream(i);
    if (!each) continue;
    RONDO_TRY(noted(each->wait(each->issued())));
  }
  return {};
}

Status Engine::wait_all() {
  RONDO_TRY(usable());
  if (in_task())
    return error(RONDO_INVALID_STATE,
                 "waiting inside a task is refused: the task may be what it would wait for; wait outside");
  wait_for_earlier_tasks();
  RONDO_TRY(wait_for_streams());
  std::lock_guard lock(order_mutex_);
  return std::exchange(first_failure_, {});
}

bool Engine::fence_done(Fence fence) {
  return stream(fence.stream)->poll(fence.sequence);
}
Status Engine::fence_wait(Fence fence) {
  Stream* on = stream(fence.stream);
  return on ? on->wait(fence.sequence) : Status();
}

}  // namespace rondo
