// Makes a thread wait: for a variable, for everything, for a fence. The host blocks here and nowhere else, but for
// memory and for room among the pending tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <thread>

#include "base/caught.h"
#include "base/machine/arithmetic.h"
#include "base/threads/thread.h"
#include "engine/engine.h"

namespace rondo {

namespace {

// Stands in a variable's order without reading or writing it: ready when all before it is done. Whom it is ready for
// and the tasks before it each hold it: a wait may be given up.
class Marker final : public Task {
 public:
  explicit Marker(Device& device) : Task("wait", device) {}
  Status run(const TaskContext&) override { return {}; }
  SmallVector<Edge, 4> edges;  // with room for all before anything refers to one
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
  const auto signalled = [&task] { return task.signalled_; };
  if (mode_ == RONDO_ENGINE_NAIVE || in_task()) return block_until(lock, signalled);
  (void)help_until(lock, {}, {&task, task.order_}, signalled);
}

// --- helping ---

// A task that was found to lead there is marked, so that a chain is followed to its end once. If it is not found within
// so many looks, the task is left to the workers.
bool Engine::leads_to(Task& task, const Helping& wait, int& looks) {
  if (task.leads_to_ == wait.number) return true;
  for (const Edge* edge = task.successors_; edge && looks-- > 0; edge = edge->next) {
    if (edge->task != wait.end && (edge->task->order_ > wait.latest || !leads_to(*edge->task, wait, looks))) continue;
    task.leads_to_ = wait.number;
    return true;
  }
  return false;
}

bool Engine::comes_before(Task& task, const Helping& wait, int& looks) {
  if (task.order_ > wait.latest) return false;
  return !wait.end || leads_to(task, wait, looks);
}

Task* Engine::take_for(Helping& wait) {
  int looks = 512;
  return wait.guest->take([&](Task& task) { return comes_before(task, wait, looks); });
}

bool Engine::help_until(std::unique_lock<std::mutex>& lock, const TimeLimit& limit, Helping wait,
                        const std::function<bool()>& done) {
  const Uncancelled uncancelled;
  const DeviceState* const cpu = existing_state({RONDO_CPU, 0});  // with it the workers are there
  if (!cpu || !limit.none()) return limit.wait(progress_, lock, done);
  Workers::Guest guest(*workers_);
  wait.guest = &guest;
  wait.number = ++waits_;
  while (!done()) {
    if (Task* const task = std::exchange(wait.given, nullptr)) {
      lock.unlock();
      run_as_guest(guest, *task);
      lock.lock();
      continue;
    }
    if ((wait.given = take_for(wait))) continue;
    call_guests();  // there may be some for others
    wait.next = std::exchange(helping_, &wait);
    progress_.wait(lock, [&] { return wait.given || done(); });
    Helping** each = &helping_;
    while (*each != &wait) each = &(*each)->next;
    *each = wait.next;
  }
  guest.leave();
  call_guests();
  return true;
}

// The recording or tapes that the thread has open do not see the task. Device tasks that it makes ready are left to a
// worker: to issue one may take long, and may be the user's function.
void Engine::run_as_guest(Workers::Guest& guest, Task& task) {
  ThreadState& thread = this_thread();
  const ThreadState own = thread;
  TaskQueue on_devices;
  thread.sink = nullptr;
  thread.tapes = nullptr;
  thread.ready = &on_devices;
  thread.guest = true;
  guest.run(task);
  thread = own;
  while (Task* const next = on_devices.pop())
    if (!workers_->push(*next)) finish(*next, failed(*next, unusable()), {});
}

// The thread goes on when it is done: who waits for the task finds that what it held has been given back. Workers may
// all be in functions of the program's that go on when the wait is over, so none of them is asked.
void Engine::destroy_apart(std::function<void()> destroy) {
  if (!this_thread().guest) return destroy();
  const auto apart = [&destroy] {
    pthread_setname_np(pthread_self(), "rondo-release");
    set_default_arithmetic();
    ++this_thread().task_depth;  // it must not wait
    destroy();
  };
  Thread thread{};
  const auto start = [&]() -> Status {
    thread = start_thread(apart);
    return {};
  };
  if (!caught(start).ok()) return destroy();  // the system has none
  thread.join();
}

void Engine::call_guests() {
  bool any = false;
  for (Helping* each = helping_; each; each = each->next) {
    if (each->given) continue;
    each->given = take_for(*each);
    any |= each->given != nullptr;
  }
  if (any) progress_.notify_all();
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
                                                : variable.retired_;
  const auto pending = [&] { return variable.writer_ || (what == Awaited::uses && variable.readers_); };
  const auto released = [&] {
    const Releasing* each = releasing_;
    while (each && each->order > latest) each = each->next;
    return !each;
  };
  if (!pending() && released()) return {};
  if (in_task()) return refused_inside_a_task();
  bool left = true;
  if (pending()) {
    Device* cpu = nullptr;
    RONDO_TRY(get_device({RONDO_CPU, 0}, &cpu));
    const Ref<Marker> marker = make_ref<Marker>(*cpu);
    marker->marker_ = marker->stands_in_ = true;
    Access* const readers = what == Awaited::uses ? variable.readers_ : nullptr;
    uint32_t before = variable.writer_ ? 1 : 0;
    for (const Access* reader = readers; reader; reader = reader->readers.next) ++before;
    marker->edges.reserve(before);
    marker->retain();  // released by who signals it
    if (variable.writer_) follow(*marker, marker->edges.append(), *variable.writer_);
    for (const Access* reader = readers; reader; reader = reader->readers.next)
      follow(*marker, marker->edges.append(), *reader->after_writer.task);
    left = help_until(lock, limit, {marker.get(), latest}, [&marker] { return marker->signalled_; });
  }
  if (left) left = block_until(lock, limit, released);
  if (left) return {};
  const Task* task = variable.writer_    ? variable.writer_
                     : variable.readers_ ? variable.readers_->after_writer.task
                                         : nullptr;
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
  const auto wait_for = [&](Fence each) { return noted(stream(each.stream)->wait(each.sequence, limit)); };
  for (const Fence& fence : fences) RONDO_TRY(for_each_fence(fence, wait_for));
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
  // With a limit the wait may be given up before its epoch is over.
  Epoch here{epoch_, in_epoch_};
  Epoch* const ended = limit.none() ? &here : new Epoch{epoch_, in_epoch_, nullptr, true};
  Epoch** last = &earlier_epochs_;
  while (*last) last = &(*last)->next;
  *last = ended;
  in_epoch_ = 0;
  const uint64_t mine = epoch_++;
  if (help_until(lock, limit, {nullptr, order_}, [&] { return !earlier_epochs_ || earlier_epochs_->number > mine; }))
    return {};
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
  bool done = true;
  const Status all = for_each_fence(fence, [&](Fence each) -> Status {
    done = done && stream(each.stream)->poll(each.sequence);
    return {};
  });
  return done && all.ok();
}
Status Engine::fence_wait(Fence fence) {
  return for_each_fence(fence, [this](Fence each) { return stream(each.stream)->wait(each.sequence); });
}

}  // namespace rondo
