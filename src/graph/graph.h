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

#include <array>
#include <atomic>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/auxiliary.h"
#include "engine/engine.h"
#include "graph/passes/passes.h"
#include "graph/plan/schedule.h"
#include "graph/recording.h"
#include "ops/task/party.h"

namespace rondo {

class Launch;
class Call;
class SegmentRun;
template <class Run>
class Measured;
class Profile;
class ProfileWriter;
class Control;
struct Body;
struct BodyCapture;
struct BodyRun;

// What a segment does to a variable that others know too.
struct Use {
  Variable* variable = nullptr;
  bool read = false;
  bool input = false;
  bool write = false;
};

// What a segment of a graph that is called does with one of its bindings.
struct BindingUse {
  uint32_t binding;  // inputs first, then outputs
  bool read = false, input = false, write = false;
  bool fetches = false;   // copies the caller's input into the graph's memory before the first task
  bool delivers = false;  // copies the graph's output into the caller's memory after the last task
};

// What every launch looks at comes first, in few cache lines; in Graph too.
struct Segment {
  enum class Kind { captured, device, host };
  const char* kind_text() const;  // for people
  Kind kind = Kind::host;
  int branches = 0;     // used by the capture
  int auxiliaries = 0;  // of a segment of device tasks: the most that one of them asks for
  Device* device = nullptr;
  std::atomic<Launch*> idle{};  // a launch that is done, for the next to use again
  NativeGraph native;           // captured
  // What a launch draws from one sequence of random numbers.
  struct Drawn {
    uint64_t count = 0;  // Philox counters that it consumes
    uint64_t begin = 0;  // of a body: those that earlier segments consume
    // Guarded by order: what the device-side state will be when the launches so far are done.
    RandomState next;
    bool known = false;
  };
  Drawn numbers;               // of the device's sequence
  Drawn choices;               // of that of cpu:0, for what chooses on a GPU
  bool chooses = false;        // captured: some of its nodes choose (conditional.cc)
  bool keeps_choices = false;  // their bodies draw, from where the choices are, which the device is told
  // Of a captured segment: what of it settings change, and for which word it is as it is.
  struct Changed {
    uint32_t setting;
    uint64_t word;
    bool known;       // else a change has failed half way
    Task* parameter;  // the task whose kernel is changed; null: the nodes are switched
    KernelNodes kernels;
  };
  std::vector<Changed> changed;
  std::unordered_map<uint32_t, size_t> switched;  // by section: which of them its nodes are
  // Of a captured segment: tasks that work on the caller's memory.
  struct Patched {
    Task* task;
    KernelNodes kernels;
    void* workspace;
    std::vector<const Storage*> bound;
  };
  std::vector<Patched> patched;
  // For which addresses of what is bound, of all patched tasks in their order, the nodes of an executable are. Guarded
  // by order.
  using Addresses = std::vector<const char*>;
  Addresses addresses;  // of the one in `native`
  struct Executable {
    NativeGraph native;  // without a template
    Addresses addresses;
  };
  std::vector<Executable> others;        // of the same template, the one that was launched last in front
  std::atomic<uint32_t> executables{1};  // for reports
  std::array<uint64_t, 8> lately{};      // hashes of what calls bound that no executable was for
  uint32_t calls_lately = 0;             // how many there were
  double changed_us = 0;                 // spent on nodes for addresses that came back, since an executable was made
  int64_t shortages = 0;                 // how often the device had no memory left before one was
  std::vector<Task*> guards;             // captured tasks that are asked before each launch
  std::vector<uint32_t> tasks;           // indices into the graph's
  std::vector<Use> uses;                 // of each variable but the temporaries of this segment alone, and bindings
  std::vector<BindingUse> binding_uses;
  std::atomic<Call*> idle_call{};  // as `idle`
  std::string why_split;           // why it is not captured; empty if it is
  bool fell_back = false;          // it was to be captured, and could not
};

class Graph;

namespace ops {
struct RunState;
}

// Whether a tensor begins where kernels count on, so that a call can take it.
bool is_aligned(const View& view);

// The block of one device's temporaries. It starts with a RunState (ops/task/chooser.h).
struct Arena {
  Device* device = nullptr;
  Ref<Storage> storage;     // null: a part of the arena of the graph around
  char* address = nullptr;  // once it is placed
  size_t bytes = 0;
  size_t unshared = 0;  // bytes, if nothing shared them
  int in_place = 0;     // temporaries that took over an operand's memory
  // What lies where, from its start; until it is placed.
  std::vector<std::pair<Storage*, size_t>> storages;
  std::vector<std::pair<uint32_t, size_t>> workspaces;  // by task
  std::vector<std::pair<Graph*, size_t>> bodies;
};

class Graph final : public RefCounted {
 public:
  static Status compile(Recording& recording, Ref<Graph>* graph);
  ~Graph() override;

  Engine& engine() const { return *engine_; }
  const char* name() const { return name_; }
  uint64_t number() const { return number_; }  // of its recording, among all of the process
  const std::unordered_set<const Storage*>& outputs() const { return outputs_; }
  RONDO_HOT Status launch();
  LaunchSettings& settings() { return *settings_; }
  // Whether a call gives so many tensors.
  Status check_call(int32_t n_inputs, int32_t n_outputs) const;
  // A run on the caller's tensors, which are live and as many as there are: call.cc.
  RONDO_HOT Status call(rondo_tensor* const* inputs, rondo_tensor** outputs);

  // Of a graph that is called: the tensors from outside that it uses.
  std::vector<Storage*> outside() const;

  // Where in the program a task was recorded, empty if that was not noted; as a part of a sentence, of bodies' too.
  std::string site(uint32_t task) const;
  std::string recorded_at(const Task& task) const;

  rondo_graph_info query() const;
  std::string report() const;
  Status write_dot(const char* path) const;
  // profile.cc: a launch whose tasks are run one by one and timed. Waits for it. path null: what it says goes to the
  // report alone.
  Status profile(const char* path);
  // The same of a call.
  Status profile_call(rondo_tensor* const* inputs, rondo_tensor** outputs, const char* path);

  // --- replay.cc: of a graph that is called while tapes follow
  // Records it once more, with these inputs, and tells tapes what was recorded. Stores new tensors.
  Status replay(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs) const;
  // Why that cannot be, for people; null: it can.
  const char* why_no_replay() const { return why_no_replay_; }
  bool as_written() const { return as_written_; }
  bool fewer_roundings() const { return fewer_roundings_; }
  // What a call checks before it does anything.
  Status check_tensors(rondo_tensor* const* inputs, rondo_tensor* const* outputs) const;

  // --- inlined.cc: a run inside a recording, as nodes of that
  // What the graph does, on memory that takes the place of some of its own; temporaries are made for it.
  void inline_into(Rebinding* memory, std::vector<Ref<Storage>>* made, std::vector<InlinedNode>* nodes) const;
  // Why that cannot be; null: it can.
  const char* apart() const { return apart_; }
  size_t segments() const { return segments_.size(); }

  // --- body.cc: of a body of control flow
  // Runs the passes over what a body is; it is compiled with the graph around.
  static Status make_body(Recording& recording, ops::Program program, std::vector<Ref<Storage>> storages,
                          Ref<Graph>* body);
  // Whether it does more than write what it lists as written.
  bool opaque() const { return opaque_; }
  // What it does to a variable that others know too; reads are those before it has written that.
  struct Effect {
    bool read = false, input = false, write = false;
  };
  std::vector<std::pair<Variable*, Effect>> effects() const;
  // One run, inside a task on the host. Returns while a device may be at work on it: run says so.
  Status run_body(const TaskContext& context, BodyRun* run, Task::Parts* parts, const Status* completed);

 private:
  Graph(Recording& recording);
  Graph(Recording& recording, ops::Program program, std::vector<Ref<Storage>> storages);  // a body
  void take(ops::Program&& program);

  friend class SegmentRun;
  template <class Run>
  friend class Measured;
  friend class Profile;
  friend class ProfileWriter;
  friend class Launch;
  friend class Call;
  friend struct BodyRun;
  // A launch task for the segment: the idle one, or a new one.
  RONDO_HOT Ref<Launch> take_launch(Segment& segment);
  RONDO_APART Status launch_checked();
  RONDO_APART Status launch_several();  // or with settings
  Ref<Call> take_call(Segment& segment);
  // profile: of a run that is measured, or null; then: a task behind it, or null.
  Status submit_call(rondo_tensor* const* inputs, rondo_tensor** outputs, const Ref<Profile>& profile, Ref<Task> then);
  static void delete_call(Segment& segment);
  // profile.cc
  Status check_profile() const;
  Status submit_measured(const Ref<Profile>& profile, Ref<Task> then);
  Status launch_measured();
  Status call_measured(rondo_tensor* const* inputs, rondo_tensor** outputs);
  Ref<Call> make_measured_call(Segment& segment, const Ref<Profile>& profile);
  Status wait_and_keep(Profile& profile, const char* path);
  Status keep(Profile& profile, const char* path);
  // What its tasks need where they are run one by one.
  int most_auxiliaries(const Segment& segment) const;
  // What the launch task of a segment does.
  RONDO_HOT Status run_captured(Segment& segment, const TaskContext& context, const RandomState& random);
  // Makes a captured segment what the settings of context want.
  RONDO_APART Status change(Segment& segment, const TaskContext& context);
  // Tells the device where the numbers begin that the run draws, if it does not know.
  RONDO_APART Status bring_numbers(Segment& segment, const TaskContext& context, const RandomState& random);
  RONDO_APART static Status ask_guards(const Segment& segment, const TaskContext& context);
  // How far a run of tasks is, one of which may end later than its function.
  struct Progress {
    size_t next = 0;
    Status first;  // failure
  };
  // `completed`: how the task ended at which the run stopped; null: the run begins.
  RONDO_APART Status run_tasks(const Segment& segment, const TaskContext& context, const RandomState& random,
                               Task::Parts* parts, Progress* progress, const Status* completed);

  Status run_on_device(Segment& segment, const TaskContext& context, const RandomState& random, Task::Parts* parts);
  // All that a segment writes, which has failed as a whole.
  void leave_poisoned(const Segment& segment, const Status& status, Task::Parts* parts);

  // The steps of compile(). Those that come to bodies too do so by themselves.
  Status find_depth();
  void keep_written(const ops::Program& program);
  const char* find_why_no_replay() const;
  // Calls visit(task, body) for each body of its tasks, not for those of bodies.
  const char* why_apart() const;
  template <class Visit>
  void for_each_body(const Visit& visit) const;
  std::vector<bool> find_small() const;
  Status lower(const Graph& outermost);
  void spread();
  Status find_bindings(const Recording& recording);
  // Whether a task uses a binding of another device than its own, or one that such a task uses.
  bool bound_elsewhere(const Task& task, const char** why) const;
  bool is_call_input(const Storage& storage) const;
  // What settings change: changed.cc.
  bool is_switched(uint32_t task) const { return !section_of_.empty() && section_of_[task] != ops::kAlways; }
  const char* section_name(uint32_t task) const {
    return is_switched(task) ? settings_->name(section_of_[task]) : nullptr;
  }
  bool is_parameter(uint32_t task) const { return !parameter_of_.empty() && parameter_of_[task] != ops::kAlways; }
  bool changes_in_graph(uint32_t task, const char** why) const;
  bool stays(const Storage& storage) const { return storage.pinned() || kept_.count(&storage); }
  Status zero_own();
  // A task has been captured. kernels: of a parameter's; before: the nodes that there were without the task.
  Status note_changed(Segment& segment, uint32_t task, void* stream, KernelNodes kernels,
                      const std::vector<void*>& before);
  static Status run_on_nodes(Task& task, const Segment& segment, KernelNodes* kernels, TaskContext context);
  // Calls on the caller's memory: patched.cc.
  bool may_be_patched(uint32_t task) const;
  void choose_copied();
  bool is_patched(uint32_t task) const;
  Status note_patched(Segment& segment, uint32_t task, const TaskContext& context, KernelNodes kernels);
  Status patch(Segment& segment, const TaskContext& context);
  void take_executable(Segment& segment, void* stream);
  static bool executable_pays(Segment& segment);
  void make_executable(Segment& segment, void* stream);
  int64_t shortages(const Segment& segment) const;
  void split();
  void number_draws();
  Status check_guards() const;
  Status find_parties();
  void list_tasks(std::vector<Task*>* tasks) const;  // those of bodies too
  Status prepare();
  void make_arenas();
  // Zero is what a task may leave unwritten of a temporary, or of a call's output, that it is the first to write: else
  // whatever reads it would see what others have left in its place.
  void find_zeroed();
  bool is_zeroed(uint32_t task, const Storage* storage) const;
  RONDO_COLD Status zero_first(uint32_t task, const TaskContext& context) const;  // before each run of the task
  Status place_memory();
  Status plan_memory(Arena& arena);  // how large it is, and what lies where
  std::vector<size_t> join_in_place(Arena* arena, std::vector<Temporary>* temporaries) const;
  bool takes_over(uint32_t task, const std::vector<TaskOperand>& operands, const View& operand, const View& result,
                  const Temporary& owner, const Temporary& taken) const;
  int in_place() const;  // temporaries that lie where an operand of their task lay
  Status take_memory(Arena& arena);
  void place(Arena& arena, char* address);
  Status back_bindings();
  void collect_binding_uses();
  void collect_uses();
  Status capture();
  // nodes_failed: what could not be captured was a node that chooses, or in a body of it.
  Status capture_whole(Segment& segment, bool* nodes_failed);
  Status capture_segment(Segment& segment, const std::vector<void*>& streams, bool* nodes_failed);
  // `auxiliaries`: beside the branches' streams, where a task asks for one; they outlive the capture. `bodies`: those
  // of nodes that choose are added, which are to be captured when this capture has ended.
  Status capture_tasks(Segment& segment, const std::vector<void*>& streams, std::vector<Auxiliaries>& auxiliaries,
                       std::vector<BodyCapture>* bodies, bool* nodes_failed);
  Status make_auxiliaries(const Segment& segment, std::vector<Auxiliaries>* auxiliaries) const;
  int count_branches(Segment& segment) const;
  // Nodes that choose: conditional.cc.
  // Of control flow, the GPU in whose graph it is such a node; null: the host decides, or the task is another one.
  Device* decide(uint32_t task);
  // Why the host decides; empty: it need not.
  std::string why_host(const Control& control) const;
  std::string why_not_inside(const Device& device) const;  // a body in a node
  // Whether what is captured of it is one task behind the other: drivers hang over nodes that choose where other work
  // is side by side (docs/driver-faults.md).
  bool in_chain(const Segment& segment) const { return segment.chooses || inside_; }
  // The control flow that a captured task is, or null.
  Control* node(uint32_t task) const;
  int most_branches(Segment& segment) const;  // bodies included
  Status capture_choice(uint32_t task, const Control& control, void* stream, std::vector<BodyCapture>* bodies);
  Status capture_inside(const BodyCapture& of, Device& device, const std::vector<void*>& streams,
                        std::vector<BodyCapture>* bodies, NativeGraph* whole);
  void settle_nodes();
  // The host decides after all, for this reason: segments are made anew.
  void give_up_nodes(const Segment& segment, const Status& why);
  bool draws() const;  // of a body: its tasks, or the bodies of them
  // A segment that could not be captured for this reason will be run task by task.
  void run_as_tasks(Segment& segment, const Status& why);
  Status find_unwritten();
  RONDO_COLD Status check_unwritten();
  // Whether other ranks can still take part.
  RONDO_COLD Status check_parties() const;
  RONDO_COLD Status not_launched() const;
  std::string binding_name(uint32_t binding) const;  // "inputs[1]"
  // The parts of a call.
  Status check_bound(uint32_t binding, const View& view) const;
  Status check_output(uint32_t binding, const View& view, rondo_tensor* const* inputs,
                      rondo_tensor* const* outputs) const;
  std::string report_bindings() const;
  void count(rondo_graph_info* info) const;
  std::string report_pieces(const std::string& indent) const;
  // prefix: of the names of all nodes.
  void draw(std::FILE* file, const std::string& prefix) const;
  static void draw_body(std::FILE* file, const Body& body, const std::string& from, const std::string& prefix);
  Arena* arena(const Device& device);
  const Arena* arena(const Device& device) const { return const_cast<Graph*>(this)->arena(device); }
  ops::RunState* run_state(const Device& device);
  RandomState* device_random(const Device& device);

  Ref<Engine> engine_;
  const char* name_;
  std::atomic<int64_t> launches_{0};
  // Storages that a launch needs contents of and that had none when the graph was made, with the task that needs them.
  struct Unwritten {
    const Storage* storage;
    const Task* task;
  };
  std::vector<Unwritten> unwritten_;
  std::vector<const Party*> parties_;  // one of each end of a group that its tasks need, also of graphs it launches
  std::deque<Segment> segments_;
  int max_branches_;
  std::vector<PassReport> passes_;
  std::vector<Ref<Task>> tasks_;
  std::vector<std::pair<uint32_t, Control*>> controls_;  // those of the tasks that have bodies
  BranchPlan plan_;                                      // while it is compiled
  bool opaque_ = false;                                  // of a body
  const Graph* outermost_ = this;                        // that a body is a part of
  Device* inside_ = nullptr;                             // of a body: the GPU in whose graph it is a node's
  const bool host_decides_;                              // no node chooses
  // By task: where its random numbers begin, from the first that the recording drew on its device; by device: how many
  // it drew, those included of tasks that a pass has left out.
  std::vector<uint64_t> random_offsets_, choice_offsets_;
  std::unordered_map<uint32_t, std::string> operators_;  // of tasks that several operators are
  std::unordered_map<uint32_t, std::string> sites_;      // of tasks of which it was noted
  std::unordered_map<const Device*, uint64_t> random_drawn_;
  std::unique_ptr<LaunchSettings> settings_;
  // By task, if there are settings: the one that switches it, and the one that is the value that it writes.
  std::vector<uint32_t> section_of_, parameter_of_;
  // Made in the recording, and left as they were where a section is off: they have memory of their own.
  std::unordered_set<const Variable*> kept_;
  // Of a graph that is called.
  const bool callable_;
  const bool falls_back_;          // what cannot be captured is run as it is
  bool plain_ = false;             // a launch has nothing to check or to set, and is one task
  std::vector<Binding> bindings_;  // inputs, then outputs
  uint32_t call_inputs_ = 0;       // of which are inputs
  std::unordered_map<const Storage*, uint32_t> binding_of_;
  std::unordered_map<uint32_t, std::vector<const Storage*>> zeroed_;  // by task: see find_zeroed()
  std::vector<bool> elsewhere_;                                       // by binding: used by a task of another device
  std::vector<bool> copied_;  // by binding: through memory of the graph's, because a CUDA graph works on it
  std::unordered_map<const Variable*, bool> known_;  // what else it uses, and whether it writes that
  std::vector<Ref<Storage>> storages_;               // created inside: outputs and temporaries
  std::unordered_set<const Storage*> outputs_;       // those whose contents are the user's after a launch
  std::vector<std::vector<uint32_t>> predecessors_;
  std::vector<int> segment_of_;
  std::vector<int> branch_of_;  // by task
  std::vector<Arena> arenas_;
  const std::shared_ptr<SharedArena> shared_arena_;  // null: the arenas are its own
  std::vector<char*> workspace_;                     // by task, in its device's arena
  rondo_graph_info info_ = RONDO_GRAPH_INFO_INIT;
  // For recordings that it is a part of: by task, what it is; why it stays a launch there.
  std::vector<Ref<const ops::Call>> calls_;
  const char* apart_ = nullptr;
  int depth_ = 0;  // how deep bodies, and launches of other graphs, nest in it
  uint64_t number_ = 0;
  std::atomic<bool> to_measure_{false};  // RONDO_GRAPH_PROFILE asks for a profile that was not made yet
  mutable std::mutex measured_mutex_;
  std::string measured_;  // the last profile, for people; guarded by measured_mutex_
  // For tapes: what was recorded, before passes.
  struct Written {
    Ref<Task> task;
    Ref<const ops::Call> call;
    uint64_t random_offset;
  };
  const Ref<tape::Journal> journal_;  // null: of a graph that is launched, or a callable's
  const bool as_written_, fewer_roundings_;
  std::vector<Written> written_;
  const char* why_no_replay_ = nullptr;
};

}  // namespace rondo
