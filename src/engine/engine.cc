// Ordering: submission, readiness, completion, waiting.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "base/log.h"
#include "engine/thread_state.h"
#include "engine/trace.h"

namespace rondo {

namespace {

constinit thread_local ThreadState thread_state;

int default_workers() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
}

}  // namespace

ThreadState& this_thread() {
  return thread_state;
}

Sink* Engine::thread_sink() {
  return this_thread().sink;
}
void Engine::set_thread_sink(Sink* sink) {
  this_thread().sink = sink;
}
bool Engine::in_task() {
  return this_thread().task_depth > 0;
}

Status Engine::run_body(Task& task, const TaskContext& context) {
  ThreadState& thread = this_thread();
  ++thread.task_depth;
  Status status = task.run(context);
  --thread.task_depth;
  return status;
}

Engine::Engine(const rondo_engine_options& options, rondo_engine_mode mode)
    : mode_(mode),
      compute_streams_(options.streams ? options.streams : 1),
      max_tasks_(options.max_tasks ? options.max_tasks : 4096),
      marker_distance_(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(max_tasks_ / 4, 1)))),
      fork_generation_(current_fork_generation()),
      seed_(options.seed),
      memory_limit_(options.memory_limit),
      workers_wanted_(options.workers ? options.workers : default_workers()) {}

// --- submission ---

void Engine::link(Task& task) {
  task.order_ = ++order_;
  task.waiting_ = 0;
  auto follow = [&task](Task* before) {
    before->successors_.push_back(&task);
    ++task.waiting_;
  };
  for (Access& access : task.accesses_) {
    Variable& variable = *access.variable;
    access.task = &task;
    if (!access.write) {
      if (variable.writer_) follow(variable.writer_);
      access.previous = nullptr;
      access.next = variable.readers_;
      if (access.next) access.next->previous = &access;
      variable.readers_ = &access;
      access.linked = true;
      continue;
    }
    if (variable.writer_) follow(variable.writer_);
    // Later tasks follow this writer, so the readers before it need not be known to them any more.
    for (Access* reader = variable.readers_; reader;) {
      Access* next = reader->next;
      follow(reader->task);
      reader->previous = reader->next = nullptr;
      reader->linked = false;
      reader = next;
    }
    variable.readers_ = nullptr;
    variable.writer_ = &task;
  }
}

void Engine::gather(Task& task) {
  for (const Access& access : task.accesses_) {
    const Variable& variable = *access.variable;
    task.fences_.add(variable.write_fence_);
    if (access.write) task.fences_.add(variable.read_fences_);
    if (access.read && !variable.error_.ok() && task.failure_.ok()) task.failure_ = variable.error_;
  }
}

void Engine::count(Task& task) {
  task.epoch_ = epoch_;
  ++in_epoch_;
  ++pending_;
}

void Engine::uncount(Task& task) {
  --pending_;
  if (task.epoch_ == epoch_) {
    --in_epoch_;
    return;
  }
  --earlier_epochs_[earlier_epochs_.size() - (epoch_ - task.epoch_)];
  while (!earlier_epochs_.empty() && earlier_epochs_.front() == 0) earlier_epochs_.pop_front();
}

bool Engine::enter(Task& task) {
  link(task);
  count(task);
  if (task.waiting_ > 0) return false;
  gather(task);
  return true;
}

Status Engine::submit(Ref<Task>* tasks, size_t count) {
  RONDO_TRY(usable());
  const ThreadState& thread = this_thread();
  Sink* sink = thread.sink && &thread.sink->engine == this ? thread.sink : nullptr;
  for (size_t i = 0; i < count; ++i) {
    Task& task = *tasks[i];
    if (task.kept_) continue;
    for (const Access& access : task.accesses_) {
      Sink* owner = access.variable->owner_.load(std::memory_order_acquire);
      if (owner && owner != sink)
        return error(RONDO_INVALID_STATE, "%s uses a tensor of a recording that is still open; end the recording first",
                     task.name());
    }
    task.fold();
  }
  if (sink) {
    for (size_t i = 0; i < count; ++i) RONDO_TRY(sink->take(std::move(tasks[i])));
    return {};
  }
  for (size_t i = 0; i < count; ++i) {
    DeviceState* state = nullptr;  // where the random numbers of a device are counted
    if (tasks[i]->random_count()) RONDO_TRY(device_state(tasks[i]->device(), &state));
    if (tracing_.load(std::memory_order_relaxed)) tasks[i]->submitted_us_ = Trace::now_us();
  }

  SmallVector<Task*, 4> ready;
  std::unique_lock lock(order_mutex_);
  if (pending_ >= max_tasks_ && thread.task_depth == 0) {
    ++blocked_;
    progress_.wait(lock, [this] { return pending_ < max_tasks_; });
    --blocked_;
  }
  for (size_t i = 0; i < count; ++i) {
    Task& task = *tasks[i];
    if (const uint64_t numbers = task.random_count()) {
      RandomState& random = existing_state(task.device().id())->random;
      task.set_random(random);
      random.offset += numbers;
    }
    if (enter(task)) ready.push_back(&task);
  }
  lock.unlock();

  // finish() releases them.
  if (mode_ != RONDO_ENGINE_NAIVE) {
    for (size_t i = 0; i < count; ++i) tasks[i].leak();
    for (Task* task : ready) dispatch(*task);
    return {};
  }
  Status first;
  for (size_t i = 0; i < count; ++i) {
    Task& task = *tasks[i].leak();
    const Status status = run_naive(task, std::find(ready.begin(), ready.end(), &task) != ready.end());
    if (first.ok()) first = status;
  }
  return first;
}

Status Engine::run_here(Ref<Task> ref) {
  RONDO_TRY(usable());
  Task& task = *ref;
  task.fold();
  task.marker_ = true;
  std::unique_lock lock(order_mutex_);
  const bool ready = enter(task);
  lock.unlock();
  ref.leak();  // released by finish()
  return run_naive(task, ready);
}

// --- running ---

Status Engine::failed(const Task& task, const Status& status) {
  return noted(status.with_context(std::string("task '") + task.name() + "' on " + device_name(task.device().id())));
}

void Engine::dispatch(Task& task) {
  if (mode_ == RONDO_ENGINE_NAIVE || task.marker_) {
    std::unique_lock lock(order_mutex_);
    if (!task.abandoned_) {
      task.signalled_ = true;
      progress_.notify_all();
      return;
    }
    lock.unlock();
    return finish(task, task.failure_, {});
  }
  if (task.device().is_host()) {
    DeviceState* state = nullptr;  // workers start with the cpu's state
    if (Status status = device_state(task.device(), &state); !status.ok())
      return finish(task, failed(task, status), {});
    workers_->push(task, task.priority, task.order_);
    return;
  }
  if (mode_ == RONDO_ENGINE_THREADED) {
    DeviceState* state = nullptr;
    if (Status status = device_state(task.device(), &state); !status.ok())
      return finish(task, failed(task, status), {});
    state->issuer->push(task, task.priority, task.order_);
    return;
  }
  ThreadState& thread = this_thread();
  if (thread.ready) {
    thread.ready->push_back(&task);
    return;
  }
  std::vector<Task*> queue;
  thread.ready = &queue;
  run_device(task);
  for (size_t i = 0; i < queue.size(); ++i) run_device(*queue[i]);
  thread.ready = nullptr;
}

void Engine::run_device(Task& task) {
  Fence fence;
  Status status = task.failure_;
  if (status.ok()) {
    status = issue(task, &fence);
    if (!status.ok()) status = failed(task, status);
  }
  finish(task, status, fence);
}

void Engine::run_host(Task& task) {
  Status status = task.failure_;
  if (status.ok()) {
    status = run_on_host(task);
    if (!status.ok()) status = failed(task, status);
  }
  finish(task, status, {});
}

// Memory for what the task writes first, and its workspace.
Status Engine::take_host_memory(Task& task, DeviceState& state, Block** workspace) {
  for (const Access& access : task.accesses_)
    if (Storage* storage = access.variable->storage(); storage && !storage->address())
      RONDO_TRY(storage->materialise(kNoStream));
  const size_t bytes = task.workspace_bytes();
  return bytes ? state.pool.allocate(bytes, kNoStream, workspace) : Status();
}

Status Engine::run_on_host(Task& task) {
  {
    std::lock_guard lock(order_mutex_);
    running_.push_back(task.order_);
  }
  for (const Fence& fence : task.fences_) RONDO_TRY(fence_wait(fence));
  DeviceState* state = nullptr;
  RONDO_TRY(device_state(task.device(), &state));
  Block* workspace = nullptr;
  Status taken = take_host_memory(task, *state, &workspace);
  if (taken.code() == RONDO_OUT_OF_MEMORY && !in_task()) {
    // Tasks in flight may hold the last references to memory. Waiting only for earlier ones cannot go round in a
    // circle; inside a task, as in naive mode, an earlier one may be this thread's own.
    std::unique_lock lock(order_mutex_);
    ++blocked_;
    progress_.wait(lock, [&] {
      return std::none_of(running_.begin(), running_.end(), [&](uint64_t order) { return order < task.order_; });
    });
    --blocked_;
    lock.unlock();
    taken = take_host_memory(task, *state, &workspace);
  }
  RONDO_TRY(taken);
  TaskContext context;
  context.device = &task.device();
  context.workspace = workspace ? workspace->address : nullptr;
  const Ref<Trace> trace = this->trace();
  const double begin = trace ? Trace::now_us() : 0;
  Status status = run_body(task, context);
  if (trace) trace->host(task.name(), task.submitted_us_, begin, Trace::now_us());
  if (workspace) state->pool.free(workspace, {});
  return status;
}

Status Engine::run_naive(Task& task, bool ready) {
  if (!ready || Stream::issuing_here()) {
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
      if (ready || signalled) finish(task, refused, {});
      return refused;
    }
    wait_until_signalled(task, lock);
  }
  Status status = task.failure_;
  Fence fence;
  if (status.ok()) {
    if (task.device().is_host()) {
      status = run_on_host(task);
    } else {
      status = issue(task, &fence);
      if (status.ok()) status = fence_wait(fence);
    }
    if (!status.ok()) status = failed(task, status);
  }
  // The fence of a task that was issued and could not be waited for still holds its memory.
  finish(task, status, status.ok() ? Fence() : fence);
  return status;
}

// --- completion ---

// Under the order lock: what one access leaves behind on its variable.
void Engine::settle(Task& task, Access& access, const Status& status, Fence fence) {
  Variable& variable = *access.variable;
  if (access.write) {
    if (variable.writer_ == &task) variable.writer_ = nullptr;
    if (status.ok()) {
      variable.error_ = {};
      variable.write_fence_ = fence;
      variable.read_fences_.clear();
      variable.version_.store(variable.version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    } else {
      // What was enqueued before, by others or by a part of this task, still holds the memory.
      variable.error_ = status;
      variable.read_fences_.add(fence);
    }
    return;
  }
  if (access.linked) {
    if (access.previous)
      access.previous->next = access.next;
    else
      variable.readers_ = access.next;
    if (access.next) access.next->previous = access.previous;
    access.linked = false;
  }
  variable.read_fences_.add(fence);
}

void Engine::finish(Task& task, const Status& status, Fence fence) {
  SmallVector<Task*, 4> ready;
  std::unique_lock lock(order_mutex_);
  // References go before anybody can know that the task is done: whoever then destroys a tensor, or waits for memory,
  // has it at once. Last ones are dropped unlocked; nobody else can reach those variables any more.
  bool last = false;
  for (Access& access : task.accesses_) {
    settle(task, access, status, fence);
    if (task.kept_) continue;
    if (access.variable->release_unless_last())
      access.variable = nullptr;
    else
      last = true;
  }
  if (last) {
    lock.unlock();
    task.drop_accesses();
    lock.lock();
  }
  if (task.device().is_host()) std::erase(running_, task.order_);
  for (Task* next : task.successors_)
    if (--next->waiting_ == 0) {
      gather(*next);
      ready.push_back(next);
    }
  task.successors_.clear();
  if (!status.ok() && first_failure_.ok()) first_failure_ = status;
  uncount(task);
  if (blocked_ > 0) progress_.notify_all();
  lock.unlock();
  for (Task* next : ready) dispatch(*next);
  task.release();
}

// --- waiting ---

namespace {

// Stands in a variable's order without reading or writing it: ready when all before it is done.
class Marker final : public Task {
 public:
  explicit Marker(Device& device) : Task("wait", device) {}
  Status run(const TaskContext&) override { return {}; }
};

}  // namespace

void Engine::wait_until_signalled(Task& task, std::unique_lock<std::mutex>& lock) {
  ++blocked_;
  progress_.wait(lock, [&task] { return task.signalled_; });
  --blocked_;
}

Status Engine::wait(Variable& variable) {
  RONDO_TRY(usable());
  if (in_task())
    return error(RONDO_INVALID_STATE,
                 "waiting inside a task is refused: the task may be what it would wait for; wait outside");
  if (owner(variable))
    return error(RONDO_INVALID_STATE,
                 "the tensor belongs to a recording that is still open; it has no value before the graph is launched");
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
    fences.add(variable.write_fence_);
    fences.add(variable.read_fences_);
  }
  for (const Fence& fence : fences) RONDO_TRY(noted(fence_wait(fence)));
  std::lock_guard lock(order_mutex_);
  return variable.error_;
}

void Engine::wait_for_tasks() {
  std::unique_lock lock(order_mutex_);
  ++blocked_;
  progress_.wait(lock, [this] { return pending_ == 0; });
  --blocked_;
}

void Engine::wait_for_earlier_tasks() {
  std::unique_lock lock(order_mutex_);
  if (pending_ == 0) return;
  earlier_epochs_.push_back(in_epoch_);
  in_epoch_ = 0;
  const uint64_t mine = ++epoch_;
  ++blocked_;
  progress_.wait(lock, [&] { return epoch_ - earlier_epochs_.size() >= mine; });
  --blocked_;
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

void Engine::poison(Variable& variable, const Status& error) {
  std::lock_guard lock(order_mutex_);
  variable.error_ = error;
}

void Engine::seed(uint64_t seed) {
  std::lock_guard lock(order_mutex_);
  seed_ = seed;
  for (auto& slot : states_)
    if (DeviceState* state = slot.load()) state->random = {seed, 0};
}

}  // namespace rondo
