// Declares the engine: it orders tasks by their variables and sees to it that each is issued or run at the right time
// and place.
//
// Two levels of order. On the host a task waits for predecessors that are not issued (device tasks) or not finished
// (host tasks): counted edges between pending tasks, all under one short lock, the order lock. On devices, order is
// fences: a device task makes its stream wait for the fences of what it depends on, a host task blocks its worker on
// them. A task whose host dependencies are done is issued at once by the thread that made it ready, so a program that
// only uses a GPU never queues anything.
//
// All steps after a task's entry into the order take no memory: order, hand-over, end and giving back cannot fail where
// the host has none left, so no task is lost and no wait goes on for ever. Steps that need memory come before, or
// belong to the task and fail it.
//
// Locks: a stream's lock may be held when the order lock is taken, never the other way round; no thread takes two
// streams' locks. The order lock may be held when that of the workers' queue is taken. The order lock is never held
// while user code runs; a stream's is, while the body of a device task runs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/engine.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/threads/uncancelled.h"
#include "engine/run_observer.h"
#include "engine/tasks/device_state.h"
#include "engine/tasks/observer.h"
#include "engine/tasks/storage.h"
#include "engine/tasks/task.h"
#include "engine/tasks/thread_state.h"
#include "engine/tasks/time_limit.h"
#include "engine/tasks/workers.h"

namespace rondo {

struct View;
struct ViewForm;

// Receives a thread's tasks in place of the engine: a recording.
class Sink : public Owner {
 public:
  Sink(Engine& engine, bool notes_sites)
      : Owner{"part of a recording that is still open; end the recording and launch its graph first"},
        engine(engine),
        notes_sites(notes_sites) {}
  virtual ~Sink() = default;
  // Makes room for tasks that are about to be taken.
  void reserve(size_t count) {
    if (taken_.capacity() - taken_.size() < count) [[unlikely]]
      taken_.reserve(2 * (taken_.size() + count));
  }
  void take(Ref<Task> task, Ref<const OpInfo> what) noexcept {
    taken_.push_back({std::move(task), std::move(what)});
    if (notes_sites) [[unlikely]]
      note_site();
  }
  size_t taken() const { return taken_.size(); }
  const Task& taken(size_t i) const { return *taken_[i].task; }
  virtual void created(Storage& storage) = 0;
  // A view was made (views.h) of another one; or, if both are null, it is how a new storage was made.
  virtual void viewed(const View* from, const ViewForm* form, const View& view) { (void)from, (void)form, (void)view; }
  Engine& engine;
  const bool notes_sites;    // where in the program each task comes from
  bool takes_any = false;    // tasks may use tensors of other recordings and of bodies
  bool takes_steps = false;  // of an operator that is several tasks, these; else one task that says what it is

 protected:
  struct Taken {
    Ref<Task> task;
    Ref<const OpInfo> what;  // null: opaque
  };
  // The last task that was taken comes from where the thread is.
  virtual void note_site() noexcept = 0;
  std::vector<Taken> taken_;
};

// Owns the tensors that only the launches of a graph may use.
inline constexpr Owner kTemporary{
    "a temporary of a graph, whose contents nobody else can have; in the recording, name it "
    "an output with rondo_record_output"};

// Owns the tensors that stand for the arguments of a call.
inline constexpr Owner kBound{
    "an input or output of a graph that is called, and has contents of its own only in the recording; pass tensors to "
    "rondo_graph_call"};

// The event of a variable that is waited for: the last task submitted to write it has done so, and its contents are
// there; or no task uses it any more.
enum class Awaited { contents, uses };

class Completion;
class Notice;

class Engine final : public RefCounted, public FenceOracle {
 public:
  explicit Engine(const rondo_engine_options& options, rondo_engine_mode mode);
  ~Engine() override;

  rondo_engine_mode mode() const { return mode_; }
  // True if an index out of range is a failure.
  bool checks_indices() const { return checks_indices_; }
  // RONDO_OK, or why no call on the engine can work: closed, forked, device lost.
  Status usable() const {
    if (healthy_.load(std::memory_order_acquire) && !forked()) [[likely]]
      return {};
    return unusable();
  }
  bool forked() const { return forks_before_ != forks_.load(std::memory_order_relaxed); }
  // Every failure of a device passes here on its way to the user: a lost device marks the engine, and from then on the
  // first cause is what each call returns. Other failures stay as they are.
  Status noted(const Status& status);
  // The same with the task's name, also for what fails while a task is prepared.
  RONDO_COLD Status failed(Task& task, const Status& status) noexcept;
  // Waits for all work and stops; objects may outlive it.
  void close();

  // Hands a task over. Async and threaded: returns when it is ordered; naive: when it is done, with its status.
  RONDO_HOT Status submit(Ref<Task> task, ThreadState& thread = this_thread());
  // The same, saying what operator it is to who looks on.
  RONDO_APART Status submit(Ref<Task> task, Ref<const OpInfo> what, ThreadState& thread = this_thread());
  // Several in one step: no other thread's tasks come between them. Naive: the status of the first that failed; those
  // after it are submitted all the same, so that they poison what they would have written.
  Status submit(Ref<Task>* tasks, size_t count);
  // Runs a task on the cpu on the calling thread when its turn comes, in every mode; returns its status. Outside tasks.
  Status run_here(Ref<Task> ref);
  // Blocks until what was submitted on the variable is done so far, on the devices too; its error if it is poisoned.
  // Beyond its limit a wait is RONDO_TIMED_OUT and has changed nothing.
  Status wait(Variable& variable, Awaited what = Awaited::uses, const TimeLimit& limit = {});
  Status wait_all(const TimeLimit& limit = {});
  // Calls a function once, with what a wait in its place would return, when that would return; or with why that will
  // never be known. On a worker, or on a thread that is about something else: it must be short and must not wait. The
  // tasks in flight are not one more by it. If the result is an error, the function was destroyed uncalled.
  using Callback = std::function<void(const Status&)>;
  Status notify(Variable& variable, Awaited what, Callback callback);
  Status notify_all(Callback callback);
  void seed(uint64_t seed);
  // Takes one number from a device's sequence, or from what the calling thread has in its place.
  Status draw(Device& device, RandomState* drawn);

  // Memory that will be taken at first use, or be planned by the thread's recording.
  Ref<Storage> new_storage(Device& device, size_t bytes, bool pinned = false);
  // Something to be done later, made early so that nothing can fail then.
  Status make_action(std::function<void()> what, Ref<Task>* action);
  // Does it when the fences are done: now if they are, else on a worker. Never blocks.
  void run_after(const FenceSet& fences, Ref<Task> action);
  // Calls what may destroy objects of the user's: here, or, if the thread is a guest, on another one that it waits for.
  void destroy_apart(std::function<void()> destroy);
  // For a task on the host: the work that the body puts on a stream of the device comes after all that is there.
  // Outside of the locks of streams. Later users of its operands wait for the fence.
  Status issue_within(Device& device, const char* name, int auxiliaries,
                      const std::function<Status(const TaskContext&)>& body, Fence* fence);
  // Makes sure the storage has memory now, for a user who learns its address: new memory is zero.
  Status back(Storage& storage);
  // The same for memory that no user sees before Rondo has written all of it.
  Status back_unseen(Storage& storage);
  // Delivers the end of a task that its function left to a completion; never blocks, and calls neither the user nor a
  // device. RONDO_INVALID_STATE if it has an end already.
  Status complete(Completion& later, Status outcome);
  // Says that it will not be completed any more: unless it was, the task fails.
  void abandon(Completion& later);
  // An error that marks the variable until it is written; for recordings that failed.
  void poison(Variable& variable, const Status& error);
  // True if nothing can have come into the storage yet, not even a failure.
  bool blank(const Storage& storage) { return !storage.has_contents() && intact(storage); }
  // The work on a variable that has been issued.
  FenceSet fences(const Variable& variable);
  // The work that has been issued on each stream by now: a fence for each.
  std::vector<Fence> positions() const;
  // Work that the device will end without having done it: what was issued on `origin` after `since`, and whatever came
  // to wait for that, counts as failed with the cause. Work that was done before stays good, and so does work that does
  // not depend on it and is on streams that did not wait.
  RONDO_COLD void write_off(Stream& origin, const std::vector<Fence>& since, const Status& cause);
  // Takes the memory for that which it must not lack then.
  RONDO_COLD void expect_write_off();
  void set_owner(Variable& variable, const Owner* owner) { variable.owner_.store(owner, std::memory_order_release); }
  static const Owner* owner(const Variable& variable) { return variable.owner_.load(std::memory_order_acquire); }
  // The number of the last task that was submitted to write it; 0: none was.
  uint64_t last_writer(const Variable& variable);
  uint64_t version(const Variable& variable) const { return variable.version_.load(std::memory_order_acquire); }

  Status device_state(Device& device, DeviceState** state) {
    *state = existing_state(device.id());
    return *state ? Status() : make_state(device, state);
  }
  DeviceState* existing_state(rondo_device id) const { return states_[slot_of(id)].load(std::memory_order_acquire); }
  // A compute stream, for graphs and interop.
  Status compute_stream(DeviceState& state, int index, Stream** stream);
  Stream* stream(uint32_t id) const { return streams_[id].load(std::memory_order_acquire); }
  // Makes a foreign native stream wait for, or a variable depend on, what is on the other.
  Status export_to_stream(Variable& variable, Awaited what, void* native_stream);
  Status import_from_stream(Variable& variable, Device& device, void* native_stream);

  // A copy of the text that lives as long as the process.
  static const char* intern(const char* text);
  // The calling thread's recording on any engine; null if none.
  static Sink* thread_sink();
  static void set_thread_sink(Sink* sink);
  // Suspends the thread's recording: what is submitted or created in scope is not recorded.
  class NotRecorded {
   public:
    NotRecorded() : sink_(thread_sink()) { set_thread_sink(nullptr); }
    ~NotRecorded() { set_thread_sink(sink_); }
    NotRecorded(const NotRecorded&) = delete;
    NotRecorded& operator=(const NotRecorded&) = delete;

   private:
    Sink* sink_;
  };
  // True if the calling thread is running a task's body.
  static bool in_task();
  // Runs a task's body on this thread with that mark set.
  RONDO_HOT static Status run_body(Task& task, const TaskContext& context, ThreadState& thread = this_thread());

  // Bytes staged for copies since the host last waited for one.
  std::atomic<int64_t> staged_bytes{0};

  Status trace_begin();
  Status trace_end(const char* path);
  // The observer of tasks at this time; a thread that shows it a task holds it meanwhile.
  RunObserver run_observer() {
    const uint8_t by = observed_.load(std::memory_order_acquire);
    return by ? observer_of(by) : RunObserver();
  }

  bool fence_done(Fence fence) override;
  Status fence_wait(Fence fence) override;

 protected:
  // In a child of fork() the engine is left as it is: its threads do not exist there and could not be joined.
  void dispose() override {
    if (!forked()) delete this;
  }

 private:
  friend class Storage;
  // --- engine.cc: a task's way ---
  // Admitted tasks, one or several.
  Status submit_admitted(Ref<Task>* tasks, size_t count, ThreadState& thread);
  // The same if there may be observers: they are told, and the thread's recording, if it is open, has the tasks.
  Status submit_observed(Ref<Task>* tasks, size_t count, Ref<const OpInfo> what, ThreadState& thread);
  RONDO_HOT Status admit(Task& task, const Sink* sink);  // its variables may be used here; each comes once
  RONDO_APART Status make_random_state(Task& task);
  RONDO_APART void wait_for_room(std::unique_lock<std::mutex>& lock);
  // A ready task: issued now if this thread can, else left to the thread that runs it or waits for it.
  RONDO_HOT void dispatch(Task& task, ThreadState& thread);
  RONDO_APART void hand_over(Task& task);
  void run_host(Task& task);
  RONDO_HOT void run_device(Task& task);
  RONDO_APART Status run_naive(Ref<Task>* tasks, size_t count, TaskQueue& ready);
  Status run_naive(Task& task);
  Status run_on_host(Task& task);
  Status take_host_memory(Task& task, DeviceState& state, Block** workspace);
  RONDO_HOT void finish(Task& task, const Status& status, Fence fence);
  RONDO_APART void release_apart(const RefCounted& last, uint64_t order, std::unique_lock<std::mutex>& lock);

  // Zeroes memory that a failed task took and left as it was, after the work that it has issued.
  RONDO_COLD void zero_behind(Task& task, const Status& status, Fence fence);

  // --- completion.cc: tasks that end later than their function ---
  static Completion& completion_of(const Task& task);
  // The function has returned. Returns whether its completion is still missing: then this thread is done with the task.
  bool suspend(Task& task, const Status& returned);
  // The completion is there: what comes of it, if that is not another one.
  Status go_on(Task& task);
  void wait_until_completed(const Task& task);
  void leave_awaited(Completion& later);
  static void cancel(Completion& later);
  void cancel_completions();
  // Hands the task on to the thread that finishes it. Gives the order lock up.
  void hand_on(Task& task, std::unique_lock<std::mutex>& lock);

  // --- order.cc: under the order lock ---
  RONDO_HOT bool enter(Task& task);  // in its place and pending; whether it is ready
  RONDO_APART void draw_random(Task& task);
  RONDO_HOT void link(Task& task);
  static void follow(Task& task, Edge& edge, Task& before);
  static void unlink(Access& access);
  RONDO_HOT void gather(Task& task);  // fences and poison of a ready task
  RONDO_COLD static void gather_poison(Task& task, const Variable* variable, const Status& error);
  static void retire(Task& task, Access& access, Fence fence);
  RONDO_HOT void retire(Task& task, Fence fence);
  RONDO_COLD void retire_failed(Task& task, const Status& status, Fence fence);
  RONDO_COLD void retire_with_written_off(Task& task, const Status& status, Fence fence);
  RONDO_APART void release_successors(Task& task, TaskQueue* ready);
  void count(Task& task) {  // one more is pending
    task.epoch_ = epoch_;
    ++in_epoch_;
    ++pending_;
  }
  // Tells who waits for an epoch that it is over; notices of it are ready.
  RONDO_HOT void uncount(uint64_t epoch, TaskQueue* ready);

  // --- issue.cc: device tasks ---
  RONDO_HOT Status issue(Task& task, Fence* fence);
  // Its last steps for a task that needs scratch memory or comes after work of other streams.
  RONDO_APART Status issue_apart(Task& task, Stream& stream, DeviceState& state, TaskContext& context, Fence* fence);
  RONDO_HOT Status take_memory(Task& task, Stream& stream);
  RONDO_APART Status take_zeroed(Task& task, Storage& storage, Stream& stream);
  struct Wait {
    Fence fence;
    Ref<Event> event;
  };
  // Events that cover the task's fences on other streams.
  Status find_waits(const Task& task, Stream& stream, std::vector<Wait>* waits);
  RONDO_HOT Status issue_locked(Task& task, Stream& stream, const TaskContext& context, std::span<const Wait> waits,
                                Fence* fence);
  RONDO_APART Status run_observed(Task& task, Stream& stream, const TaskContext& context, Fence* fence);
  RONDO_APART Status bound_run_ahead(Stream& stream, uint64_t sequence);
  RONDO_HOT Status pick_stream(Task& task, DeviceState& state, Stream** stream) {
    if (compute_streams_ > 1 || task.priority > 0 || task.lane != Task::Lane::compute) [[unlikely]]
      return choose_stream(task, state, stream);
    return stream_of(state, state.compute[0], false, stream);
  }
  RONDO_APART Status choose_stream(Task& task, DeviceState& state, Stream** stream);
  Status stream_of(DeviceState& state, std::atomic<Stream*>& slot, bool high, Stream** stream) {
    *stream = slot.load(std::memory_order_acquire);
    return *stream ? Status() : make_stream(state, slot, high, stream);
  }
  RONDO_COLD Status make_stream(DeviceState& state, std::atomic<Stream*>& slot, bool high, Stream** stream);

  RONDO_COLD bool intact(const Variable& variable);  // it has no poison

  // --- written_off.cc: under the order lock ---
  // Why what the variable's last write left is no good; null if it is.
  RONDO_COLD const Status* written_off(const Variable& variable) const;
  // The same for what a task reads.
  RONDO_COLD Status written_off(Task& task) const;

  // --- lifetime.cc ---
  static uint64_t count_forks();
  RONDO_COLD Status unusable() const;
  static int slot_of(rondo_device id) { return id.kind == RONDO_CPU ? 0 : 1 + id.index; }
  RONDO_COLD Status make_state(Device& device, DeviceState** state);

  // --- notice.cc ---
  Status make_notice(Callback callback, Ref<Notice>* notice);
  void announce(Task& notice);  // whose turn has come

  // --- wait.cc ---
  // A wait without a limit, on the stack of its thread, which meanwhile runs what comes before its end: `end` is a task
  // that follows what is awaited; null: every task up to `latest` is. A thread runs that way only tasks that it would
  // have to wait for anyway, so a worker's run could differ in nothing but the thread: see Task::lendable().
  struct Helping {
    const Task* end;
    uint64_t latest;
    uint64_t number = 0;
    Workers::Guest* guest = nullptr;
    Task* given = nullptr;  // by who called
    Helping* next = nullptr;
  };
  // Blocks until the order lock is held and `done` holds, of which progress_ tells: this thread is not counted as
  // blocked. False if the limit is over before that; a wait with a limit does not help.
  bool help_until(std::unique_lock<std::mutex>& lock, const TimeLimit& limit, Helping wait,
                  const std::function<bool()>& done);
  void run_as_guest(Workers::Guest& guest, Task& task);
  // To a worker, which does it when the fences are done.
  void hand_action(Ref<Task> action, const FenceSet& fences);
  void call_guests();  // under the order lock
  static Task* take_for(Helping& wait);
  static bool comes_before(Task& task, const Helping& wait, int& looks);
  static bool leads_to(Task& task, const Helping& wait, int& looks);
  // Until every task, or every one submitted before, has been issued or run, or skipped.
  void wait_for_tasks();
  Status wait_for_earlier_tasks(const TimeLimit& limit);
  Status wait_for_streams(const TimeLimit& limit = {});
  void wait_until_signalled(Task& task, std::unique_lock<std::mutex>& lock);
  // Until the tasks that are awaited have left the host, and have let go of what they held.
  Status wait_on_host(Variable& variable, Awaited what, const TimeLimit& limit, std::unique_lock<std::mutex>& lock);
  // The fences of the issued work that is awaited. Under the order lock.
  static FenceSet awaited(const Variable& variable, Awaited what);
  // Calls visit(fence), or, for one of every stream, that of what is issued on each by now. Ends with the first error.
  template <class Visit>
  Status for_each_fence(Fence fence, Visit visit) const {
    if (fence.stream != kEveryStream) [[likely]]
      return visit(fence);
    const uint32_t count = n_streams_.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count; ++i)
      if (const Stream* each = stream(i)) RONDO_TRY(visit(Fence{i, each->issued()}));
    return {};
  }
  // Blocks until the order lock is held and `done` holds. Progress is signalled only while some thread is counted as
  // blocked.
  template <class Done>
  void block_until(std::unique_lock<std::mutex>& lock, Done done) {
    const Uncancelled uncancelled;
    ++blocked_;
    progress_.wait(lock, done);
    --blocked_;
  }
  // The same; false if the limit is over before that.
  template <class Done>
  bool block_until(std::unique_lock<std::mutex>& lock, const TimeLimit& limit, Done done) {
    const Uncancelled uncancelled;
    ++blocked_;
    const bool holds = limit.wait(progress_, lock, done);
    --blocked_;
    return holds;
  }

  // The fields that every submission reads and writes come first, in few cache lines.
  const rondo_engine_mode mode_;
  const int compute_streams_;
  const int64_t max_tasks_;
  const bool checks_indices_;
  const uint64_t marker_distance_;  // tasks on a stream from one marker to the next; a power of two
  const uint64_t forks_before_;
  static inline std::atomic<uint64_t> forks_{0};  // that made this process, since its first engine
  std::atomic<bool> healthy_{true};
  std::atomic<uint8_t> observed_{0};  // by whom, of those below

  std::mutex order_mutex_;
  uint64_t order_ = 0;
  int64_t pending_ = 0;
  // The same by epoch. A wait for all that came before begins a new one, so that what comes later does not prolong it.
  uint64_t epoch_ = 0;
  int64_t in_epoch_ = 0;
  int64_t blocked_ = 0;  // threads waiting on progress_
  Status first_failure_;
  struct WrittenOff {
    uint32_t stream;
    uint64_t after, up_to;  // sequence numbers
    Status cause;
  };
  std::vector<WrittenOff> written_off_;
  // The state of a wait that is in progress.
  struct Epoch {
    uint64_t number;
    int64_t tasks;
    Epoch* next = nullptr;
    bool on_heap = false;    // else on the stack of who waits
    Task* notice = nullptr;  // that its end is to be told
  };
  Epoch* earlier_epochs_ = nullptr;  // the oldest that has tasks, to the one before epoch_
  std::vector<uint64_t> running_;    // order numbers of host tasks being run
  // A task that has left its variables and is releasing the rest, on the stack of the thread that does so.
  struct Releasing {
    uint64_t order;
    Releasing* next;
  };
  Releasing* releasing_ = nullptr;
  Helping* helping_ = nullptr;  // those that sleep
  uint64_t waits_ = 0;
  std::condition_variable progress_;
  Completion* awaited_ = nullptr;  // the first of those that are
  bool closing_ = false;           // completions are not waited for any more
  uint64_t seed_;

  const int64_t memory_limit_;
  const int workers_wanted_;
  mutable std::mutex health_mutex_;
  bool closed_ = false;
  Status lost_;

  std::mutex states_mutex_;
  static constexpr int kMaxStates = 65;  // cpu, then GPUs
  std::atomic<DeviceState*> states_[kMaxStates] = {};
  static constexpr uint32_t kMaxStreams = 1024;
  std::atomic<Stream*> streams_[kMaxStreams] = {};
  std::atomic<uint32_t> n_streams_{0};
  std::unique_ptr<Workers> workers_;

  static constexpr uint8_t kByTrace = 1, kByLastTasks = 2, kByRanges = 4;
  RONDO_COLD RunObserver observer_of(uint8_t by);
  LastTasks* const last_tasks_;
  const Nvtx* const ranges_;
  std::mutex trace_mutex_;
  Ref<Trace> trace_;
};

}  // namespace rondo
