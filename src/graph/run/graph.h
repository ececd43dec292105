// A graph: a compiled recording, as it is run. Its segments run one after the other; a launch or a call submits one
// engine task per segment, all in one step.
//
// Owned by reference count (the user's handle, launches in flight). Immutable, but for what its runs leave in its
// segments, which their order guards, and for what is atomic or has a lock.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/graph.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/plan/shared_arena.h"
#include "graph/run/bindings.h"
#include "graph/run/budget.h"
#include "graph/run/facts.h"
#include "graph/run/launch_settings.h"
#include "graph/run/recorded_program.h"
#include "graph/run/segment.h"
#include "ops/task/party.h"

namespace rondo {

class CallRun;
class Graph;
class LaunchRun;
class Profile;
class RunLimit;

// Each launch makes these checks first.
struct LaunchChecks {
  // Storages that a launch needs contents of and that had none when the graph was made, with the task that needs them.
  struct Unwritten {
    const Storage* storage;
    const Task* task;
  };
  std::vector<Unwritten> unwritten;
  std::vector<const Party*> parties;  // one of each end of a group that its tasks need, also of graphs it launches

  bool empty() const { return unwritten.empty() && parties.empty(); }
  RONDO_COLD Status check_unwritten(Engine& engine, const char* graph) const;
  // Tells whether other ranks can still take part.
  RONDO_COLD Status check_parties() const;
};

// Takes the place of one launch or call, which comes after another one and is not recorded.
class LaunchInterceptor {
 public:
  virtual Status launch(Graph& graph) const = 0;
  virtual Status call(Graph& graph, rondo_tensor* const* inputs, rondo_tensor** outputs) const = 0;

 protected:
  ~LaunchInterceptor() = default;
};

// All that runs of a graph work on one after the other: the same steps on memory that no other replica has. A graph has
// one replica; one whose calls may overlap has several.
struct Replica {
  std::unique_ptr<const GraphFacts> facts;
  Bindings bindings;
  std::vector<Ref<Storage>> arenas;  // a block for each device, which every segment writes
  Segments segments;                 // those of the facts, in their order
};

class Graph final : public RefCounted {
 public:
  // A compiler makes these parts of a graph.
  struct Compiled {
    Ref<Engine> engine;
    std::unique_ptr<LaunchSettings> settings;
    std::shared_ptr<const RecordedProgram> recorded;
    LaunchChecks checks;
    std::shared_ptr<SharedArena> shared_arena;
    std::shared_ptr<Budget::Share> share;
    Replica first;
    std::vector<Replica> others;
  };
  // interceptor: of the second launch or call; may be null.
  Graph(Compiled&& compiled, const LaunchInterceptor* interceptor);
  ~Graph() override;

  Engine& engine() const { return *engine_; }
  const char* name() const { return facts().name; }
  const GraphFacts& facts() const { return *first_.facts; }
  const Bindings& bindings() const { return first_.bindings; }
  size_t replicas() const { return 1 + others_.size(); }
  // The first is that of launches, of profiles, and of all that a recording makes of the graph.
  const Replica& replica(size_t number) const { return number == 0 ? first_ : others_[number - 1]; }
  const LaunchChecks& checks() const { return checks_; }
  LaunchSettings& settings() const { return *settings_; }
  // It has run for the last time: its share of a budget is free from now on.
  void give_back() const {
    if (share_) share_->give_back();
  }
  // The limits of making something of its nodes; null: none.
  const MakingLimits* making() const { return share_ ? share_->budget().making() : nullptr; }
  // The program that can be recorded again for tapes; null: there is none.
  const RecordedProgram* recorded() const { return recorded_.get(); }
  rondo_graph_info query() const;

  RONDO_HOT Status launch();
  // Tells whether a call gives so many tensors.
  Status check_call(int32_t n_inputs, int32_t n_outputs) const;
  // A run on the caller's tensors, which are live and as many as there are.
  RONDO_HOT Status call(rondo_tensor* const* inputs, rondo_tensor** outputs, const RunLimit* limit = nullptr);

  // The same while each task is timed (profile.h), after the checks. then: a task that comes after the run, or null.
  Status launch_measured(const Ref<Profile>& profile, Ref<Task> then);
  Status call_measured(rondo_tensor* const* inputs, rondo_tensor** outputs, const Ref<Profile>& profile,
                       Ref<Task> then);
  // The last profile, for people.
  void keep_profile(std::string text);
  std::string last_profile() const;

 protected:
  // It may hold what is the user's to destroy, which a thread that runs tasks while it waits must not do.
  void dispose() override;

 private:
  RONDO_APART Status launch_checked();
  RONDO_APART Status launch_several();  // or with settings
  // The segment's task for a run: the idle one, or a new one.
  RONDO_HOT Ref<LaunchRun> take_launch(Segment& segment);
  Ref<CallRun> take_call(Segment& segment);
  // The replica of the next call: each has its turn. A recording takes the first, whose steps it may make its own.
  const Replica& take_replica() {
    if (others_.empty() || Engine::thread_sink()) [[likely]]
      return first_;
    return replica(calls_.fetch_add(1, std::memory_order_relaxed) % replicas());
  }
  // take: makes the task of a segment's part.
  template <class Take>
  Status submit_call(const Replica& replica, rondo_tensor* const* inputs, rondo_tensor** outputs, const Take& take,
                     Ref<Task> then);
  // The interceptor, if it is to take this run.
  const LaunchInterceptor* intercepting();

  const std::shared_ptr<Budget::Share> share_;  // goes back last; null: there is no budget
  const Ref<Engine> engine_;
  const std::unique_ptr<LaunchSettings> settings_;
  const std::shared_ptr<const RecordedProgram> recorded_;
  const LaunchChecks checks_;
  const std::shared_ptr<SharedArena> shared_arena_;  // kept for those who ask for it by name; null: there is none
  const Replica first_;
  const std::vector<Replica> others_;
  std::atomic<uint32_t> calls_{0};  // that had a turn
  std::atomic<int64_t> launches_{0};
  std::atomic<const LaunchInterceptor*> interceptor_;
  const bool fast_path_;  // a launch has nothing to check or to set, and is one task
  mutable std::mutex profile_mutex_;
  std::string profile_;  // guarded by profile_mutex_
};

}  // namespace rondo
