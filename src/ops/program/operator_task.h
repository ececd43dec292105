// Declares what a node of a program does when it runs: an operator, a user's function, a collective, control flow, or
// the launch of another graph, as a task. Tapes, recordings, passes and graphs ask it what the engine need not know.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/tensor.h"

namespace rondo {

// The memory that a task is made again for (OperatorTask::again): what takes the place of which storage. The rest
// stays.
class Rebinding {
 public:
  // `bytes`: of `instead`, where what took the place of the storage's first byte is.
  void put(const Storage& storage, Storage& instead, int64_t bytes = 0) { moved_[&storage] = {&instead, bytes}; }
  bool moves(const Storage& storage) const { return moved_.count(&storage) > 0; }
  void move(Storage** storage, int64_t* offset) const {
    if (const auto found = moved_.find(*storage); found != moved_.end()) {
      *storage = found->second.storage;
      *offset += found->second.bytes;
    }
  }
  // Moves views, those that there are; one without a storage stays.
  void move(View* view) const { move(&view->storage, &view->offset); }
  void move(std::optional<View>* view) const {
    if (*view) move(&**view);
  }
  void move(std::vector<View>* views) const {
    for (View& each : *views) move(&each);
  }
  template <class... V>
  void move_all(V&... views) const {
    (move(&views), ...);
  }
  // A copy of what has `move_to`.
  template <class Plan>
  Plan moved(Plan plan) const {
    plan.move_to(*this);
    return plan;
  }

 private:
  struct Place {
    Storage* storage;
    int64_t bytes;
  };
  std::unordered_map<const Storage*, Place> moved_;
};

namespace ops {

class OperatorTask : public Task {
 public:
  OperatorTask(const char* name, Device& device) : Task(name, device) { observable_ = true; }

  // Makes sure that run() neither compiles, loads, allocates nor tunes: kernels are compiled and loaded, library
  // algorithms chosen and tried on scratch memory. Called without locks, once or more, from any thread; must not touch
  // user data.
  virtual Status prepare() { return {}; }
  // Returns whether run() may be captured into a CUDA graph; if not, *why says so.
  virtual bool capturable(const char** why) const {
    if (device().is_host()) {
      *why = "runs on the host";
      return false;
    }
    return true;
  }
  // For a prepared task: the number of kernels of a captured run, if it is nothing else and heeds context.kernels; else
  // 0.
  virtual size_t own_kernels() const { return 0; }
  // For a captured task: a graph that holds it is about to be launched on context.stream. An error keeps it from that.
  // Asked only if wants_before_launch().
  virtual Status before_launch(const TaskContext& context) {
    (void)context;
    return {};
  }
  // Follows before_launch(), unless that failed: the graph has been launched, or could not be.
  virtual void after_launch() noexcept {}
  virtual bool wants_before_launch() const { return false; }
  // True if it has one result, the last of its operands, and reads each element of the others before it writes that
  // element: so the result may take an operand's memory, if their elements are laid out alike.
  virtual bool works_in_place() const { return false; }
  // A task that does the same except for results that no task reads: of the written operands, in the order of
  // list_operands, those with a bit in `unread`. Before it is prepared. Null: it makes all of them or none.
  virtual Ref<OperatorTask> without(uint32_t unread) const {
    (void)unread;
    return {};
  }
  // A task that does the same on other memory, and draws as many random numbers. Null: there is none. Every operator's
  // can be made again.
  virtual Ref<OperatorTask> again(const Rebinding& memory) const {
    (void)memory;
    return {};
  }
  // For a task that does not say what operator it is: says why no gradient goes through it, for people, if there is
  // more to say than that. Lives as long as the process.
  virtual const char* why_no_gradient() const { return nullptr; }
  // The decisions of prepare() that people may want to know, for reports; empty: none.
  virtual std::string remark() const { return {}; }
};

// Looks at a task that observers or recordings may be given (Task::observable) as what it is; null: another task.
inline const OperatorTask* as_operator(const Task& task) {
  return task.observable() ? static_cast<const OperatorTask*>(&task) : nullptr;
}
// The same of a task that a recording has taken, which takes no others.
inline Ref<OperatorTask> as_operator(Ref<Task>&& taken) {
  return Ref<OperatorTask>::adopt(static_cast<OperatorTask*>(taken.leak()));
}

// An operator of Rondo's: on the host it only computes.
class Computation : public OperatorTask {
 protected:
  Computation(const char* name, Device& device) : OperatorTask(name, device) { lendable_ = device.is_host(); }

 public:
  Ref<OperatorTask> again(const Rebinding& memory) const override = 0;
};

}  // namespace ops
}  // namespace rondo
