// Waiting: for a variable, for everything, for a fence. The host blocks here and nowhere else, but for memory and for
// room among the pending tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include "engine/engine.h"

namespace rondo {

namespace {

// Stands in a variable's order without reading or writing it: ready when all before it is done. Whom it is ready for
// and the tasks before it each hold it: a wait may be given up.
class Marker final : public Task {
 public:
  explicit Marker(Device& device) : Task("wait", device) {}
  Status run(const TaskContext&) override { return {}; }
};

// Waiting inside a task is refused, whatever it waits for.
Status refused_inside_a_task() {
  return error(RONDO_INVALID_STATE,
               "waiting inside a task is refused: the task may be what it would wait for; wait outside");
}

}  // namespace

void TimeLimit::sleep(Clock::duration most) const {
  std::this_thread::sleep_for(none() ? most : std::min(most, at_ - Clock::now()));
}

void Engine::wait_until_signalled(Task& task, std::unique_lock<std::mutex>& lock) {
  block_until(lock, [&task] { return task.signalled_; });
}

FenceSet Engine::awaited(const Variable& variable, Awaited what) {
  FenceSet fences;
  fences.add(variable.write_fence_);  // mutation: wait_returns_at_the_launch
  // mutation: uses_without_the_readers
  if (what == Awaited::uses) fences.add(variable.read_fences_);
  return fences;
}

Status Engine::wait_on_host(Variable& variable, Awaited what, const TimeLimit& limit,
                            std::unique_lock<std::mutex>& lock) {
  // Those with these order numbers and lower ones are awaited. Tasks that write a variable leave it in their order, so
  // of the contents the number is enough.
  const uint64_t latest = what == Awaited::uses ? order_
                          : variable.writer_    ? variable.writer_->order_
                                                : variable.settled_;
  const auto pending = [&] { return variable.writer_ || (what == Awaited::uses && variable.readers_); };
  const auto released = [&] {
    return std::none_of(releasing_.begin(), releasing_.end(), [&](uint64_t each) { return each <= latest; });
  };
  if (!pending() && released()) return {};
  if (in_task()) return refused_inside_a_task();
  bool left = true;
  if (pending()) {
    Device* cpu = nullptr;
    RONDO_TRY(get_device({RONDO_CPU, 0}, &cpu));
    const Ref<Marker> marker = make_ref<Marker>(*cpu);
    marker->marker_ = marker->stands_in_ = true;
    auto follow = [&marker](Task* before) {
      before->successors_.push_back(marker.get());
      if (++marker->waiting_ == 1) marker->retain();  // released by who signals it
    };
    if (variable.writer_) follow(variable.writer_);
    for (Access* reader = what == Awaited::uses ? variable.readers_ : nullptr; reader; reader = reader->next)
      follow(reader->task);
    // Not counted as blocked: who signals it tells so, and nobody else has to wake this thread.
    left = limit.wait(progress_, lock, [&marker] { return marker->signalled_; });
  }
  if (left) left = block_until(lock, limit, released);
  if (left) return {};
  const Task* task = variable.writer_ ? variable.writer_ : variable.readers_ ? variable.readers_->task : nullptr;
  return limit.exceeded(task ? std::string("task '") + task->name() + "' has not ended"
                             : "what a task was given has not been destroyed");
}

Status Engine::wait(Variable& variable, Awaited what, const TimeLimit& limit) {
  RONDO_TRY(usable());
  if (in_task()) return refused_inside_a_task();
  if (const Owner* owner = this->owner(variable)) return error(RONDO_INVALID_STATE, "the tensor is %s", owner->refusal);
  FenceSet fences;
  {
    std::unique_lock lock(order_mutex_);
    RONDO_TRY(wait_on_host(variable, what, limit, lock));
    fences = awaited(variable, what);
  }
  for (const Fence& fence : fences)
    if (Stream* on = stream(fence.stream)) RONDO_TRY(noted(on->wait(fence.sequence, limit)));
  std::lock_guard lock(order_mutex_);
  if (!written_off_.empty() && variable.error_.ok()) [[unlikely]]
    if (const Status* cause = written_off(variable)) return *cause;
  return variable.error_;
}

void Engine::wait_for_tasks() {
  std::unique_lock lock(order_mutex_);
  block_until(lock, [this] { return pending_ == 0; });
}

Status Engine::wait_for_earlier_tasks(const TimeLimit& limit) {
  std::unique_lock lock(order_mutex_);
  if (pending_ == 0) return {};
  earlier_epochs_.push_back(in_epoch_);
  in_epoch_ = 0;
  const uint64_t mine = ++epoch_;
  if (block_until(lock, limit, [&] { return epoch_ - earlier_epochs_.size() >= mine; })) return {};
  return limit.exceeded(std::to_string(pending_) + " tasks have been submitted and have not ended");
}

Status Engine::wait_for_streams(const TimeLimit& limit) {
  const uint32_t count = n_streams_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    Stream* each = stream(i);
    if (!each) continue;
    RONDO_TRY(noted(each->wait(each->issued(), limit)));
  }
  return {};
}

Status Engine::wait_all(const TimeLimit& limit) {
  RONDO_TRY(usable());
  if (in_task()) return refused_inside_a_task();
  RONDO_TRY(wait_for_earlier_tasks(limit));
  RONDO_TRY(wait_for_streams(limit));
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
