// From what was recorded to a graph: passes, data flow, segments, branches, memory, captures. There is a compiler for
// the graph and one for each body of its control flow, which goes with that around it; what they find out is in the
// graph's facts. They die when the graph is there.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/tasks/auxiliary.h"
#include "graph/compile/finished_recording.h"
#include "graph/plan/schedule.h"
#include "graph/run/captured_segment.h"
#include "graph/run/control.h"
#include "graph/run/graph.h"

namespace rondo {

class GraphCompiler {
 public:
  // interceptor: of the graph's second launch or call; may be null.
  static Status compile(FinishedRecording&& recorded, const LaunchInterceptor* interceptor, Ref<Graph>* graph);

 private:
  GraphCompiler(FinishedRecording& recorded, GraphFacts& facts);
  GraphCompiler(GraphCompiler& around, GraphFacts& facts);  // of a body
  void take(ops::Program&& program, std::vector<Ref<ops::OperatorTask>>&& tasks);
  void take_bodies(uint32_t step, Control& control);

  // A body of one of its steps.
  struct Inner {
    uint32_t step;
    Body* body;
    std::unique_ptr<GraphCompiler> compiler;
  };
  // The block of one device's temporaries. It starts with a RunState (ops/task/condition_setter.h).
  struct Arena {
    Device* device = nullptr;
    Ref<Storage> storage;     // null: a part of the arena of the graph around
    char* address = nullptr;  // once it is placed
    size_t bytes = 0;
    size_t unshared = 0;  // bytes, if nothing shared them
    int in_place = 0;     // temporaries that took over an operand's memory
    // All that lies in it, with offsets from its start; emptied once it is placed.
    std::vector<std::pair<Storage*, size_t>> storages;
    std::vector<std::pair<uint32_t, size_t>> workspaces;  // by step
    std::vector<std::pair<GraphCompiler*, size_t>> bodies;
    std::vector<Storage*> own;  // have memory of their own; those of bodies too
  };
  // A body of a node that chooses, which is to be captured.
  struct BodyCapture {
    GraphCompiler* body;
    void* native;                 // the node's graph for it
    ops::ConditionSetter at_end;  // of a loop: what decides whether there is another turn
  };

  // By section: which of a segment's changes its nodes are.
  using Switched = std::unordered_map<uint32_t, size_t>;

  // --- compiler.cc. A function that comes to bodies too does so by itself.
  Status find_depth();
  Status place_and_capture();
  void hand_over_bodies();
  void list_made();
  const char* why_not_inlinable() const;
  const char* why_no_replay(const RecordedProgram* program) const;
  void list_steps(std::vector<const Step*>* steps) const;  // of bodies too
  Status prepare();
  void count(rondo_graph_info* info) const;
  SegmentOwner owner() const { return {*recorded_.engine, *recorded_.settings, facts_}; }
  ops::OperatorTask& task_of(size_t step) const { return *facts_.steps[step].task; }

  // --- capture.cc: the kernels that capturing makes, where nothing will be captured
  Status prepare_captures() const;

  // --- replicas.cc
  // All that it has compiled goes over into the graph.
  Replica hand_over(std::unique_ptr<const GraphFacts> facts);
  // Why calls of the graph cannot overlap, as the end of a sentence; empty: they can.
  std::string why_serial() const;
  void take_again(const GraphCompiler& first);
  // Further replicas, on which calls overlap with those of this one.
  Status add_replicas(std::vector<Replica>* replicas) const;

  // --- segments.cc
  Status lower();
  void split();
  void number_draws();
  Status check_guards() const;
  Status find_parties();
  Status find_unwritten();
  // Captured tasks that are asked before each launch.
  std::vector<ops::OperatorTask*> prelaunch_checks(const SegmentFacts& segment) const;
  bool draws() const;  // of a body: its tasks, or the bodies of them
  std::vector<bool> find_small() const;
  void spread();
  void keep_branches();
  void collect_uses();
  void collect_binding_uses();

  // --- bindings.cc
  Status find_bindings();
  bool is_call_input(const Storage& storage) const;
  // True if a task uses a binding of another device than its own, or one that such a task uses.
  bool bound_elsewhere(const ops::OperatorTask& task, const char** why) const;
  bool may_be_patched(uint32_t step) const;
  void choose_copied();
  std::vector<const Storage*> bound(uint32_t step) const;
  Status back_bindings();

  // --- changed.cc: what settings change
  bool changes_in_graph(uint32_t step, const char** why) const;
  bool is_kept(const Variable* variable) const {
    const ops::ProgramValue* const value = values_.value_of(variable);
    return value && value->kept;
  }
  // Made in the recording, with memory of its own: what is left to the user, or to the next run.
  static bool stays(const ops::ProgramValue& value) {
    return value.role == ops::ValueRole::output || value.kept || value.storage->pinned();
  }
  // A task has been captured. kernels: of a parameter's; before: the nodes that there were without the task.
  Status note_changed(CapturedSegment* segment, const Step& of, void* stream, KernelNodes kernels,
                      const std::vector<void*>& before, Switched* switched) const;

  // --- memory.cc
  Arena* arena(const Device& device);
  ops::RunState* run_state(const Device& device);
  void make_arenas();
  // A task may leave unwritten a part of a temporary, or of a call's output, that it is the first to write. That is
  // zeroed, or its readers would see what others have left in its place.
  void find_zeroed();
  bool is_zeroed(uint32_t step, const Variable* storage) const;
  Status zero_own();
  Status place_memory();
  void plan_memory(Arena& arena);  // how large it is, and what lies where
  Status take_share() const;       // of what the graph will take
  std::vector<size_t> join_in_place(Arena* arena, std::vector<Temporary>* temporaries) const;
  bool takes_over(uint32_t step, const std::vector<TaskOperand>& operands, const View& operand, const View& result,
                  const Temporary& owner, const Temporary& taken) const;
  Status take_memory(Arena& arena);
  void place(Arena& arena, char* address);
  int in_place() const;  // temporaries that lie where an operand of their task lay

  // --- packed.cc
  void pack_weights();

  // --- capture.cc
  Status capture();
  // nodes_failed: what could not be captured was a node that chooses, or in a body of it.
  Status capture_whole(SegmentFacts& facts, CapturedSegment* segment, bool* nodes_failed);
  Status capture_segment(const SegmentFacts& facts, CapturedSegment* segment, const std::vector<void*>& streams,
                         bool* nodes_failed);
  // segment: null in a body of a node. auxiliaries: besides the branches' streams, where a task asks for one; they
  // outlive the capture. bodies: those of nodes that choose are added, which are to be captured when this capture has
  // ended.
  Status capture_tasks(const SegmentFacts& facts, CapturedSegment* segment, const std::vector<void*>& streams,
                       std::vector<Auxiliaries>& auxiliaries, std::vector<BodyCapture>* bodies, bool* nodes_failed);
  Status make_auxiliaries(const SegmentFacts& facts, std::vector<Auxiliaries>* auxiliaries) const;

  // --- conditional.cc: nodes that choose
  // Of control flow, the GPU in whose graph it is such a node; null: the host decides, or the task is another one.
  Device* decide(uint32_t step);
  // Why the host decides; empty: it need not.
  std::string why_host(uint32_t step, const Control& control) const;
  std::string why_not_inside(const Device& device) const;  // a body in a node
  // True if its captured tasks come one after the other: drivers hang over nodes that choose where other work is side
  // by side (docs/driver-faults.md).
  bool in_chain(const SegmentFacts& segment) const { return segment.conditional || inside_; }
  // The control flow that a step is, or null; the same if it is captured as a node.
  Control* control(uint32_t step) const;
  Control* node(uint32_t step) const;
  std::span<const Inner> bodies_of(uint32_t step) const;
  int most_branches(SegmentFacts& segment) const;  // bodies included
  Status capture_conditional(uint32_t step, const Control& control, void* stream, std::vector<BodyCapture>* bodies);
  Status capture_inside(const BodyCapture& of, Device& device, const std::vector<void*>& streams,
                        std::vector<BodyCapture>* bodies, NativeGraph* whole);
  void finalise_nodes();
  // The host decides after all, for this reason: segments are made anew.
  void give_up_nodes(const SegmentFacts& segment, const Status& why);

  FinishedRecording& recorded_;  // of the whole graph
  GraphCompiler& outermost_;
  GraphFacts& facts_;
  std::vector<std::pair<uint32_t, Control*>> controls_;  // those of the steps that have bodies
  std::vector<Inner> bodies_;                            // of all of these, in order
  Device* inside_ = nullptr;                             // of a body: the GPU in whose graph it is a node's
  Bindings bindings_;
  std::vector<bool> elsewhere_;  // by binding: used by a task of another device
  LaunchChecks checks_;
  ops::ProgramValues values_;
  BranchPlan plan_;
  std::vector<Arena> arenas_;
  Segments segments_;
};

}  // namespace rondo
