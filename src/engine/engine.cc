// Follows a task through the engine: it is submitted, dispatched, run, finished.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "base/caught.h"
#include "base/machine/arithmetic.h"
#include "base/machine/processors.h"
#include "base/settings.h"
#include "engine/completion.h"
#include "engine/tasks/last_tasks.h"
#include "engine/tasks/observer.h"
#include "engine/trace.h"

namespace rondo {

Sink* Engine::thread_sink() {
  return this_thread().sink;
}
void Engine::set_thread_sink(Sink* sink) {
  this_thread().sink = sink;
}
bool Engine::in_task() {
  return this_thread().task_depth > 0;
}

Status Engine::run_body(Task& task, const TaskContext& context, ThreadState& thread) {
  ++thread.task_depth;
  set_default_arithmetic();
  Status status = caught([&] { return task.run(context); });
  --thread.task_depth;
  return status;
}

Engine::Engine(const rondo_engine_options& options, rondo_engine_mode mode)
    : mode_(mode),
      compute_streams_(options.streams ? options.streams : 1),
      max_tasks_(options.max_tasks ? options.max_tasks : 4096),
      checks_indices_(options.check_indices ? options.check_indices > 0 : setting_choice(Setting::check_indices) == 1),
      marker_distance_(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(max_tasks_ / 4, 1)))),
      forks_before_(count_forks()),
      seed_(options.seed),
      memory_limit_(options.memory_limit),
      workers_wanted_(options.workers ? options.workers : usual_threads()),
      last_tasks_(LastTasks::of_process()),
      ranges_(Nvtx::of_process()) {
  observed_ = static_cast<uint8_t>((last_tasks_ ? kByLastTasks : 0) | (ranges_ ? kByRanges : 0));
}

// --- submission ---

Status Engine::admit(Task& task, const Sink* sink) {
  for (const Access& access : task.accesses_) {
    const Owner* owner = access.variable->owner_.load(std::memory_order_acquire);
    if (owner && owner != sink && !(sink && sink->takes_any)) [[unlikely]]
      return error(RONDO_INVALID_STATE, "%s uses a tensor that is %s", task.name(), owner->refusal);
  }
  task.fold();
  return {};
}

Status Engine::make_random_state(Task& task) {
  DeviceState* state = nullptr;  // where the random numbers of a device are counted
  RONDO_TRY(device_state(task.device(), &state));
  if (!task.host_random_count()) return {};
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  return device_state(*host, &state);
}

void Engine::wait_for_room(std::unique_lock<std::mutex>& lock) {
  block_until(lock, [this] { return pending_ < max_tasks_; });
}

// Inlined, as the next one, so that for one task there is no loop.
[[gnu::always_inline]] inline Status Engine::submit_admitted(Ref<Task>* tasks, size_t count, ThreadState& thread) {
  for (size_t i = 0; i < count; ++i) {
    if (tasks[i]->draws()) [[unlikely]]
      RONDO_TRY(make_random_state(*tasks[i]));
    if (observed_.load(std::memory_order_relaxed)) [[unlikely]]
      tasks[i]->submitted_us_ = Trace::now_us();
  }

  TaskQueue ready;
  std::unique_lock lock(order_mutex_);
  if (pending_ >= max_tasks_ && thread.task_depth == 0) [[unlikely]]
    wait_for_room(lock);
  for (size_t i = 0; i < count; ++i)
    if (enter(*tasks[i])) ready.push(*tasks[i]);
  lock.unlock();

  if (mode_ == RONDO_ENGINE_NAIVE) [[unlikely]]
    return run_naive(tasks, count, ready);
  for (size_t i = 0; i < count; ++i) tasks[i].leak();  // finish() releases them
  while (Task* task = ready.pop()) dispatch(*task, thread);
  return {};
}

[[gnu::always_inline]] inline Status Engine::submit_observed(Ref<Task>* tasks, size_t count, Ref<const OpInfo> what,
                                                             ThreadState& thread) {
  RONDO_TRY(usable());
  Sink* const sink = thread.sink && &thread.sink->engine == this ? thread.sink : nullptr;
  for (size_t i = 0; i < count; ++i) {
    if (!tasks[i]->kept_) RONDO_TRY(admit(*tasks[i], sink));
    if (sink && !tasks[i]->observable()) [[unlikely]]
      return error(RONDO_INVALID_STATE,
                   "%s cannot be recorded; do it before the recording begins or after it has ended", tasks[i]->name());
  }
  if (sink) sink->reserve(count);
  if (thread.tapes)
    for (size_t i = 0; i < count; ++i) thread.tapes->submitted(*tasks[i], what);
  if (!sink) return submit_admitted(tasks, count, thread);
  for (size_t i = 0; i + 1 < count; ++i) sink->take(std::move(tasks[i]), what);
  if (count) sink->take(std::move(tasks[count - 1]), std::move(what));
  return {};
}

Status Engine::submit(Ref<Task> task, ThreadState& thread) {
  RONDO_TRY(usable());
  if (thread.observed()) [[unlikely]]
    return submit(std::move(task), {}, thread);
  if (!task->kept_) RONDO_TRY(admit(*task, nullptr));
  return submit_admitted(&task, 1, thread);
}

Status Engine::submit(Ref<Task> task, Ref<const OpInfo> what, ThreadState& thread) {
  return submit_observed(&task, 1, std::move(what), thread);
}

Status Engine::submit(Ref<Task>* tasks, size_t count) {
  return submit_observed(tasks, count, {}, this_thread());
}

Status Engine::run_naive(Ref<Task>* tasks, size_t count, TaskQueue& ready) {
  while (Task* task = ready.pop()) task->signalled_ = true;
  Status first;
  for (size_t i = 0; i < count; ++i) {
    const Status status = run_naive(*tasks[i].leak());
    if (first.ok()) first = status;
  }
  return first;
}

Status Engine::run_here(Ref<Task> ref) {
  RONDO_TRY(usable());
  Task& task = *ref;
  task.fold();
  task.marker_ = true;
  if (observed_.load(std::memory_order_relaxed)) task.submitted_us_ = Trace::now_us();
  std::unique_lock lock(order_mutex_);
  task.signalled_ = enter(task);
  lock.unlock();
  ref.leak();  // released by finish()
  return run_naive(task);
}

// --- running ---

Status Engine::failed(Task& task, const Status& status) noexcept {
  task.failing(status);
  if (const Task::PartialFailure* partial_failure = task.partial_failure();
      partial_failure && partial_failure->reported)
    return status;  // its parts said which of them
  const rondo_device device = task.device().id();
  char on[16] = "cpu:0";
  if (device.kind != RONDO_CPU) std::snprintf(on, sizeof on, "cuda:%d", device.index);
  const Status where = error(status.code(), "task '%s' on %s: %s", task.name(), on, status.message())
                           .with_origin(status.of_task(task.name(), device).origin());
  return noted(where);
}

void Engine::dispatch(Task& task, ThreadState& thread) {
  if (mode_ != RONDO_ENGINE_ASYNC || task.marker_ || task.device().is_host()) [[unlikely]]
    return hand_over(task);
  if (thread.ready) [[unlikely]] {
    task.engine_ = this;
    thread.ready->push(task);
    return;
  }
  TaskQueue queue;
  struct Issuing {
    ThreadState& thread;
    ~Issuing() { thread.ready = nullptr; }
  } const issuing{thread};
  thread.ready = &queue;
  run_device(task);
  while (Task* next = queue.pop()) next->engine_->run_device(*next);
}

void Engine::hand_over(Task& task) {
  if (task.notice_) return announce(task);
  if (mode_ == RONDO_ENGINE_NAIVE || task.marker_) {
    std::unique_lock lock(order_mutex_);
    if (!task.abandoned_) {
      task.signalled_ = true;
      progress_.notify_all();
      if (task.stands_in_) task.release();
      return;
    }
    lock.unlock();
    return finish(task, task.failure_, {});
  }
  DeviceState* state = nullptr;  // with it the device's workers start
  if (Status status = caught([&] { return device_state(task.device(), &state); }); !status.ok())
    return finish(task, failed(task, status), {});
  Workers& workers = task.device().is_host() ? *workers_ : *state->issuer;
  // Refused where another thread destroys the engine meanwhile.
  if (!workers.push(task)) finish(task, failed(task, unusable()), {});
}

void Engine::run_device(Task& task) {
  Fence fence;
  Status status = task.failure_;
  if (status.ok()) [[likely]] {
    status = caught([&] { return issue(task, &fence); });
    if (!status.ok()) [[unlikely]] {
      zero_behind(task, status, fence);  // mutation: failed_task_leaves_memory_as_it_was
      status = failed(task, status);
    }
  }
  finish(task, status, fence);
}

void Engine::run_host(Task& task) {
  Status status = task.failure_;
  bool completed = static_cast<bool>(task.later_);  // handed on by the thread that completed it
  if (!completed && status.ok()) {
    status = caught([&] { return run_on_host(task); });
    if (!status.ok() && !task.later_) {
      zero_behind(task, status, {});
      status = failed(task, status);
    }
  }
  for (; task.later_; completed = false) {
    if (!completed && suspend(task, status)) return;
    status = go_on(task);
    if (!status.ok() && !task.later_) {
      zero_behind(task, status, {});
      status = failed(task, status);
    }
  }
  finish(task, status, {});
}

// Whoever accepts what a task left that failed (rondo_tensor_accept) is not shown what other tensors had there before.
void Engine::zero_behind(Task& task, const Status& status, Fence fence) {
  if (status.code() == RONDO_DEVICE_LOST) return;
  const auto wait_for = [this](const FenceSet& fences) -> Status {
    for (const Fence& each : fences) RONDO_TRY(fence_wait(each));
    return {};
  };
  for (const Access& access : task.accesses_) {
    Storage* const storage = access.write ? access.variable->storage() : nullptr;
    if (!storage || !storage->stale() || task.left_on(*storage, status).ok()) continue;
    const Status zeroed = caught([&]() -> Status {
      if (fence.sequence) RONDO_TRY(fence_wait(fence));
      RONDO_TRY(wait_for(fences(*storage)));
      return storage->device().zero({{{storage->address(), storage->bytes()}}});
    });
    if (zeroed.ok()) {
      storage->mark_clean();
      continue;
    }
    (void)noted(zeroed);
    std::lock_guard lock(order_mutex_);
    storage->given_away_ = true;  // no task uses it any more
  }
}

// Memory for what the task writes first, and its workspace. Memory that it may leave unwritten is zero (see
// take_zeroed()).
Status Engine::take_host_memory(Task& task, DeviceState& state, Block** workspace) {
  for (uint32_t i = task.kept_accesses_; i < task.accesses_.size(); ++i) {
    const Access& access = task.accesses_[i];
    Storage* const storage = access.variable->storage();
    if (!storage || storage->address()) continue;
    const bool gaps = (access.read || task.leaves_gaps_) && !task.covers(*storage);
    RONDO_TRY(gaps ? storage->materialise_zeroed() : storage->materialise(kNoStream));
  }
  const size_t bytes = task.workspace_bytes();
  return bytes ? state.pool.allocate(bytes, kNoStream, workspace) : Status();
}

Status Engine::run_on_host(Task& task) {
  {
    std::lock_guard lock(order_mutex_);
    running_.push_back(task.order_);
  }
  for (const Fence& fence : task.fences_) RONDO_TRY(fence_wait(fence));  // mutation: host_task_before_the_device
  {
    std::lock_guard lock(order_mutex_);
    if (!written_off_.empty()) [[unlikely]]
      RONDO_TRY(written_off(task));
  }
  DeviceState* state = nullptr;
  RONDO_TRY(device_state(task.device(), &state));
  Block* workspace = nullptr;
  Status taken = take_host_memory(task, *state, &workspace);
  if (taken.code() == RONDO_OUT_OF_MEMORY && !in_task()) {
    // Tasks in flight may hold the last references to memory. Waiting only for earlier ones cannot go round in a
    // circle; inside a task, as in naive mode, an earlier one may be this thread's own.
    std::unique_lock lock(order_mutex_);
    block_until(lock, [&] {
      return std::none_of(running_.begin(), running_.end(), [&](uint64_t order) { return order < task.order_; });
    });
    lock.unlock();
    taken = take_host_memory(task, *state, &workspace);
  }
  RONDO_TRY(taken);
  TaskContext context;
  context.device = &task.device();
  context.workspace = workspace ? workspace->address : nullptr;
  context.later = &task.later_;
  const RunObserver observer = this->run_observer();
  const RunObserver::Run run = observer.begin(task);
  Status status = run_body(task, context);
  observer.end(task, task.submitted_us_, run);
  if (workspace) state->pool.free(workspace, {});
  return status;
}

Status Engine::run_naive(Task& task) {
  const Uncancelled uncancelled;  // the thread is a caller's, and the body's code may be a user's
  {
    std::unique_lock lock(order_mutex_);
    if (in_task() && (!task.signalled_ || Stream::issuing_here())) {
      // The task it would wait for, or whose stream it would need, may be the one this thread is in the middle of.
      // Others know of it already, so it stays in its place and fails there.
      Status refused = error(
          RONDO_INVALID_STATE,
          "%s submitted inside a task cannot be finished before the call returns, as naive mode does", task.name());
      task.failure_ = refused;
      task.abandoned_ = true;
      const bool signalled = task.signalled_;
      lock.unlock();
      if (signalled) finish(task, refused, {});
      return refused;
    }
    wait_until_signalled(task, lock);
  }
  Status status = task.failure_;
  Fence fence;
  if (status.ok()) {
    status = caught([&] {
      if (task.device().is_host()) return run_on_host(task);
      RONDO_TRY(issue(task, &fence));
      return fence_wait(fence);
    });
    while (task.later_) {
      if (suspend(task, status)) wait_until_completed(task);
      status = go_on(task);
    }
    if (!status.ok()) {
      zero_behind(task, status, fence);
      status = failed(task, status);
    }
  }
  // The fence of a task that was issued and could not be waited for still holds its memory.
  finish(task, status, status.ok() ? Fence() : fence);
  return status;
}

// --- completion ---

void Engine::finish(Task& task, const Status& status, Fence fence) {
  TaskQueue ready;
  std::unique_lock lock(order_mutex_);
  if (!written_off_.empty()) [[unlikely]]
    retire_with_written_off(task, status, fence);
  else if (status.ok()) [[likely]]
    retire(task, fence);
  else
    retire_failed(task, status, fence);
  if (task.successors_) [[unlikely]]
    release_successors(task, &ready);
  // The task releases what it holds before any thread can know that it is done: a thread that then destroys a tensor,
  // or waits, has the memory back at once. An object that has its last reference here cannot be reached by other
  // threads. A task that is kept may be submitted again from here on.
  const uint64_t epoch = task.epoch_;
  const uint64_t order = task.order_;
  const bool kept = task.returns();
  const bool on_host = task.device().is_host();
  const RefCounted* last = task.release_run();
  if (last) [[unlikely]]
    release_apart(*last, order, lock);
  if (on_host) [[unlikely]]
    std::erase(running_, order);
  uncount(epoch, &ready);
  if (blocked_ > 0) [[unlikely]]
    progress_.notify_all();
  lock.unlock();
  if (!ready.empty()) [[unlikely]] {
    // This thread looks for a task right after, unless it is in the middle of one, or issues something, which may wait
    // for the device.
    ThreadState& thread = this_thread();
    const Workers::LooksNext here(thread.task_depth == 0 && ready.on_host_alone());
    while (Task* next = ready.pop()) dispatch(*next, thread);
  }
  if (!last && !kept) task.release();
}

// The user's code that this may run must not wait: the task it belongs to still counts as under way.
void Engine::release_apart(const RefCounted& last, uint64_t order, std::unique_lock<std::mutex>& lock) {
  Releasing here{order, releasing_};
  releasing_ = &here;
  lock.unlock();
  ThreadState& thread = this_thread();
  ++thread.task_depth;
  last.release();
  --thread.task_depth;
  lock.lock();
  Releasing** each = &releasing_;
  while (*each != &here) each = &(*each)->next;
  *each = here.next;
}

void Engine::poison(Variable& variable, const Status& error) {
  std::lock_guard lock(order_mutex_);
  variable.error_ = error;
}

bool Engine::intact(const Variable& variable) {
  std::lock_guard lock(order_mutex_);
  return variable.error_.ok();
}

void Engine::seed(uint64_t seed) {
  std::lock_guard lock(order_mutex_);
  seed_ = seed;
  for (auto& slot : states_)
    if (DeviceState* state = slot.load()) state->random = {seed, 0};
}

}  // namespace rondo
