// Declares tasks, the units that the engine orders. A task names the variables it reads and writes and has a body,
// `run`.
//
// A task is submitted once, or kept by a recording and then run any number of times by a graph, or it is a graph's
// launch (below). It holds references to its variables. Made on the caller's thread, run on whichever thread the engine
// chooses; never run twice at the same time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/device.h"
#include "engine/tasks/variable.h"

namespace rondo {

class Auxiliaries;
class Profile;
class Stream;
struct TaskOperand;

// The start of a random operator's numbers: Philox key and counter.
struct RandomState {
  uint64_t seed = 0;
  uint64_t offset = 0;
};

// The nodes that a task's kernels are in a graph, in the order of its launches. A run that is given them notes each
// kernel's, while it is captured; after that it launches none, but gives each node the arguments that it has now.
struct KernelNodes {
  const NativeGraph* graph = nullptr;  // null: they are being captured
  bool noted = true;                   // by the capture; else no node is asked for
  // While they are captured: whether the next kernel comes after nothing but one of ours, the last on its stream, so
  // that it may start early if it waits. Kept by the launches. null: none starts early.
  bool* chained = nullptr;
  std::vector<void*> nodes;
  size_t next = 0;  // to be changed
};

// The arguments of a run.
struct TaskContext {
  Device* device = nullptr;
  void* stream = nullptr;                      // native stream; null on a cpu
  void* workspace = nullptr;                   // as many bytes as workspace_bytes() asked for, 256-aligned
  Auxiliaries* auxiliaries = nullptr;          // as many as the task asked for; null: none
  Ref<RefCounted>* later = nullptr;            // where a host task puts its completion if it ends later; else null
  bool capturing = false;                      // the run is being captured; nothing is executed now
  const RandomState* random = nullptr;         // graph on a cpu: added to the task's own offset. null: eager
  const RandomState* device_random = nullptr;  // graph on a GPU: the same in device memory
  const RandomState* host_random = nullptr;    // as `random`, of what the task draws from the sequence of cpu:0 besides
  // A graph's run: what was set since it was recorded, a word each; null: as recorded.
  const uint64_t* settings = nullptr;
  KernelNodes* kernels = nullptr;  // see there; null: kernels are launched, and that is all
  Profile* profile = nullptr;      // a graph's run whose tasks are timed one by one; null: any other

  // The first random number of a task that has this state of its own; counted from the state on the device, if there is
  // one.
  RandomState first_number(const RandomState& own) const {
    if (!random || device_random) return own;
    return {random->seed, random->offset + own.offset};
  }
};

// A task that waits for another one, in the list of all that wait for that.
struct Edge {
  Task* task = nullptr;
  Edge* next = nullptr;
};

// Besides what it is named for an access has room for every edge that ordering it can take, so that a task enters the
// order without a failure.
struct Access {
  Variable* variable = nullptr;
  bool write = false;
  bool read = false;    // depends on what was there: comes after it, and is skipped if that failed
  bool input = false;   // what is read are the contents, so there must be some
  bool linked = false;  // in variable->readers_
  Edge after_writer;    // of the access's task, following the variable's writer
  struct Neighbours {
    Access* previous = nullptr;
    Access* next = nullptr;
  };
  union {
    Neighbours readers{};  // while it is linked
    Edge before_writer;    // then: of the next writer, following this access's task
  };
  void join(bool reads, bool inputs, bool writes) {
    read |= reads;
    input |= inputs;
    write |= writes;
  }
};

// Tasks in a row, each in one row at a time.
class TaskQueue {
 public:
  void push(Task& task);
  Task* pop();  // null: it is empty
  bool empty() const { return !first_; }
  bool on_host_alone() const;  // every task of it

 private:
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

class Task : public RefCounted {
 public:
  // `name` must outlive the task (a literal, or interned by the engine).
  Task(const char* name, Device& device) : name_(name), device_(&device) {}
  RONDO_HOT ~Task() override;

  const char* name() const { return name_; }
  void set_name(const char* name) { name_ = name; }
  Device& device() const { return *device_; }

  // Declares accesses. The same variable may come twice and in several roles, until they are folded: at submission at
  // the latest.
  void reads(Variable& variable) { add(variable, true, true, false); }
  // As reads, but the contents are not looked at: a write keeps the elements around it, or a user names a variable for
  // its order.
  void follows(Variable& variable) { add(variable, true, false, false); }
  void writes(Variable& variable) { add(variable, false, false, true); }
  const SmallVector<Access, 4>& accesses() const { return accesses_; }
  // From here on each variable is there once.
  void fold() {
    if (accesses_.size() > kFew) [[unlikely]]
      fold_many();
  }
  // For a task that another one runs as a part of itself, never the engine: the accesses become the other's alone, so
  // that a part keeps nothing that the whole has given up. Before the whole is submitted.
  void hand_accesses_to(Task& whole);
  // The same if the whole has declared them all by itself, or knows that the memory is private to it.
  void leave_accesses() { drop_accesses(); }

  // True if a waiting thread may run it in a worker's place (workers.h). The thread keeps what it holds meanwhile, and
  // its settings count for the task that it runs. So: an operator on the host that only computes. It calls no code of
  // the user's, neither in its body nor when it ends, nor a library that goes by the calling thread, and it waits for
  // no one but a device.
  bool lendable() const { return lendable_; }

  // Scratch memory for one run. Known before the run, because memory is never taken while a stream is locked.
  size_t workspace_bytes() const { return workspace_bytes_; }
  // Called if a run's scratch memory or auxiliary stream could not be had. True: the task takes less from now on, for
  // good, and workspace_bytes() and wants_auxiliaries() say so. Called once it is prepared and while it does not run.
  virtual bool degrade() { return false; }
  // Does the work on the host (cpu), or enqueues it on context.stream.
  virtual Status run(const TaskContext& context) = 0;
  // If run() left its end to a completion, which is there now: returns the result of the task. May leave its end to
  // another one.
  virtual Status resume(const Status& outcome, const TaskContext& context) {
    (void)context;
    return outcome;
  }
  // Keeps the memory that a run works on when the engine has given the task up.
  virtual const RefCounted& holder() const { return *this; }
  // Lists its operands, inputs before outputs, for timelines and for who observes or records it. A task that lists none
  // says nothing of what it works on.
  virtual void list_operands(std::vector<TaskOperand>* operands) const { (void)operands; }
  // True if its results, which it has declared to write in parts, are together all of a storage.
  bool covers(const Storage& storage) const;
  // How many auxiliary streams its runs are given.
  int wants_auxiliaries() const { return wants_auxiliaries_; }
  // True if observers and recordings take it: the floor above says as what (ops/program/operator_task.h).
  bool observable() const { return observable_; }
  // Tells whether it may leave a part of its results unwritten, as a user's task may. Any other task writes each byte
  // of a result that it does not read.
  bool leaves_gaps() const { return leaves_gaps_; }
  // Random numbers one run consumes from the device's sequence, in Philox counters.
  uint64_t random_count() const { return random_count_; }
  // The same from the sequence of cpu:0, in addition to the device's: of control flow on a GPU (if, while).
  uint64_t host_random_count() const { return host_random_count_; }
  // The starts of this run's random numbers, of the device's and of those of cpu:0, relative to the graph's start
  // (recorded) or absolute (eager).
  virtual void set_random(RandomState own, RandomState host_random) { (void)own, (void)host_random; }
  bool draws() const { return (random_count_ | host_random_count_) != 0; }
  // Holds the poisoned variables of a task whose parts have accesses of their own: inputs before the run, and outputs
  // after a run that failed in some of its parts. Null: a task that runs or fails as a whole.
  struct PartialFailure {
    std::unordered_map<const Variable*, Status> poison;
    Status all;             // there was no memory to say which: all of it counts as poisoned, with this cause
    bool reported = false;  // the run has ended and reported what it leaves on its variables
    bool clean() const { return poison.empty() && all.ok(); }
    const Status& cause() const { return all.ok() ? poison.begin()->second : all; }  // unless it is clean
    void mark(const Variable* variable, const Status& error) noexcept;
  };
  virtual PartialFailure* partial_failure() { return nullptr; }
  // It fails, with this cause: in its run, or because it could not be run at all.
  virtual void failing(const Status& status) noexcept { (void)status; }
  // The status that the task, having ended with `status`, leaves on a variable that it writes.
  Status left_on(const Variable& variable, const Status& status);

  int32_t priority = 0;
  int32_t stream_hint = -1;  // compute stream wanted, or -1
  enum class Lane : uint8_t { compute, copy_in, copy_out, communicate } lane = Lane::compute;

 protected:
  // The same task may be submitted again when it is done: the variables declared so far, which have memory and belong
  // to no recording, are held by an owner that outlives its runs. So a submission neither takes nor checks nor gives
  // back any of them. Variables that are declared later belong to one run, and their owner is not checked; one may be
  // among those that are kept if both are only read.
  void keep();
  // Before it is submitted again.
  RONDO_HOT void reset_run();
  // Gives up what belongs to the run that is done. False if some of it would be destroyed by that: then the task holds
  // that still, and is to be destroyed without the lock.
  bool give_up_the_run();
  // For a kept task, under the order lock, when a run is done: makes it ready to be submitted again, and releases what
  // it holds for the run. A last reference is returned, for the engine to release without the lock.
  virtual const RefCounted* recycle() { return nullptr; }

  // In the constructor or in prepare(): runs are given auxiliary streams. Also of workspace, so that they do not go the
  // engine's short way.
  void want_auxiliaries(int count) {
    wants_auxiliaries_ = count;
    if (count > 0 && workspace_bytes_ == 0) workspace_bytes_ = 1;
  }

  size_t workspace_bytes_ = 0;      // set by the constructor or by prepare()
  uint64_t random_count_ = 0;       // set by the constructor
  uint64_t host_random_count_ = 0;  // set by the constructor
  int wants_auxiliaries_ = 0;
  bool calls_out_ = false;    // set by the constructor: its destructor runs code of the user's
  bool lendable_ = false;     // set by the constructor
  bool leaves_gaps_ = false;  // set by the constructor
  bool observable_ = false;   // set by the constructor

 private:
  friend class Engine;
  friend class TaskQueue;
  friend class Workers;
  RONDO_HOT void add(Variable& variable, bool read, bool input, bool write);
  void fold_many();
  // At the end of a run, under the order lock: gives up what the task holds, but for what would destroy more than the
  // task itself. That is returned, for the engine to release without the lock; null if there is none.
  RONDO_HOT const RefCounted* release_run();
  RONDO_HOT void drop_accesses();
  // True if it is ready for another run when this one is done: not if others may still use what belongs to the run.
  bool returns() const { return kept_ && !(cancelled_ && accesses_.size() > kept_accesses_); }

  const char* name_;
  Device* device_;
  // As long as they are few, each variable is there once.
  static constexpr uint32_t kFew = 8;
  SmallVector<Access, 4> accesses_;

  // Below: the engine's, under its order lock until the task is ready, then of the thread that runs it.
  uint32_t waiting_ = 0;            // predecessors not finished, plus one while being submitted
  Edge* successors_ = nullptr;      // in the order in which they came
  Edge* last_successor_ = nullptr;  // if there is any
  Task* next_ = nullptr;            // in a row (TaskQueue), or a sibling in a heap (Workers)
  Task* under_ = nullptr;           // in a heap: the first below
  Engine* engine_ = nullptr;        // in a thread's row of ready tasks
  FenceSet fences_;                 // device work to wait for
  Status failure_;                  // an input's poison
  uint64_t order_ = 0;              // submission number
  uint64_t leads_to_ = 0;           // the last wait whose end was found to come after it
  uint64_t epoch_ = 0;              // what it is counted under while it is pending
  bool marker_ = false;             // run by the thread that waits for its turn: signalled instead of dispatched
  bool stands_in_ = false;          // a wait's: it is never run, and who signals it gives up a reference
  bool notice_ = false;             // Engine::notify's: it is never run, and who makes it ready announces it
  bool abandoned_ = false;          // submitted without a waiter: finished with its failure when ready
  bool signalled_ = false;          // became ready while a thread waits for just that
  bool kept_ = false;               // see keep()
  uint32_t kept_accesses_ = 0;      // the first ones, declared before that
  bool cancelled_ = false;          // its completion keeps what it holds
  Ref<RefCounted> later_;           // the completion that a run has left its end to
  double submitted_us_ = 0;         // only while a trace is on
};

inline void TaskQueue::push(Task& task) {
  task.next_ = nullptr;
  (first_ ? last_->next_ : first_) = &task;
  last_ = &task;
}
inline bool TaskQueue::on_host_alone() const {
  for (const Task* each = first_; each; each = each->next_)
    if (!each->device().is_host()) return false;
  return true;
}
inline Task* TaskQueue::pop() {
  Task* const task = first_;
  if (task) first_ = task->next_;
  return task;
}

}  // namespace rondo
