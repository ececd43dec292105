// A graph: a compiled recording. Segments run one after the other; a segment is a captured CUDA graph, or tasks that
// run as they are (host functions, cpu operators, device tasks that cannot be captured). A launch submits one engine
// task per segment, all in one step.
//
// Owned by reference count (the user's handle, launches in flight). Immutable after compile(), except what `guarded by
// order` says: launches of one graph are ordered by its arenas' variables, so their run() calls never overlap.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/graph.h>

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "graph/recording.h"
#include "graph/schedule.h"

namespace rondo {

class Launch;

// What every launch looks at comes first, in few cache lines; in Graph too.
struct Segment {
  enum class Kind { captured, device, host };
  Kind kind = Kind::host;
  int branches = 0;  // used by the capture
  Device* device = nullptr;
  std::atomic<Launch*> idle{};  // a launch that is done, for the next to use again
  NativeGraph native;           // captured
  uint64_t random_count = 0;    // Philox counters one launch consumes
  // Guarded by order: what the device-side random state will be when the launches so far are done.
  RandomState random_next;
  bool random_known = false;
  std::vector<uint32_t> tasks;   // indices into the graph's
  std::vector<Variable*> reads;  // external variables
  std::vector<Variable*> writes;
  std::string why_split;  // why it is not captured; empty if it is
};

// The block of one device's temporaries. It starts with the device's RandomState.
struct Arena {
  Device* device;
  Ref<Storage> storage;
  size_t bytes = 0;
};

class Graph final : public RefCounted {
 public:
  static Status compile(Recording& recording, Ref<Graph>* graph);
  ~Graph() override;

  Engine& engine() const { return *engine_; }
  RONDO_HOT Status launch();
  // What the launch task of a segment does; called by the engine.
  RONDO_HOT Status run_segment(Segment& segment, const TaskContext& context, const RandomState& random);

  void query(rondo_graph_info* info) const;
  std::string report() const;
  Status write_dot(const char* path) const;

 private:
  Graph(Recording& recording);

  friend class Launch;
  // A launch task for the segment: the idle one, or a new one.
  RONDO_HOT Ref<Task> take_launch(Segment& segment);
  RONDO_COLD Status launch_several();
  RONDO_APART Status run_tasks(Segment& segment, const TaskContext& context, const RandomState& random);

  // The steps of compile().
  void split();
  Status prepare();
  Status place_memory(const Recording& recording, const BranchPlan& plan);
  void collect_externals();
  Status capture(const BranchPlan& plan);
  Status capture_segment(Segment& segment, const BranchPlan& plan, const std::vector<void*>& streams);
  Status capture_tasks(Segment& segment, const BranchPlan& plan, const std::vector<void*>& streams);
  Arena* arena(const Device& device);
  RandomState* device_random(const Device& device);

  Ref<Engine> engine_;
  const char* name_;
  std::atomic<int64_t> launches_{0};
  std::deque<Segment> segments_;
  int max_branches_;
  std::vector<Ref<Task>> tasks_;
  std::vector<Ref<Storage>> storages_;  // created inside: outputs and temporaries
  std::vector<std::vector<uint32_t>> predecessors_;
  std::vector<int> segment_of_;
  std::vector<Arena> arenas_;
  std::vector<char*> workspace_;  // by task, in its device's arena
  rondo_graph_info info_ = RONDO_GRAPH_INFO_INIT;
};

}  // namespace rondo
