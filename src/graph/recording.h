// A recording: what one thread submitted between begin and end, not yet run, and the storages it created meanwhile.
// Belongs to its thread; only the owner marks on its storages are read by others.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/graph.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/views.h"
#include "graph/compile/finished_recording.h"
#include "graph/compile/numbers.h"
#include "graph/run/body.h"

namespace rondo {

class Graph;

// A task of a graph that is launched or called in a recording.
struct InlinedNode {
  Ref<ops::OperatorTask> task;
  Ref<const ops::Call> call;
  uint64_t random_offset;  // from the first number that the run draws on the device
  std::string operators, site;
};

class Recording final : public Sink {
 public:
  Recording(Engine& engine, const char* name, const rondo_record_options& options);
  ~Recording() override;

  void created(Storage& storage) override;
  void viewed(const View* from, const ViewForm* form, const View& view) override;
  // Says where the tasks come from that were taken since the last time.
  void say_site(const char* site);

  // A body of control flow: what is submitted and created from its begin to its end. Bodies nest, end() comes to the
  // one begun last.
  struct Body {
    size_t tasks, storages, views;
    int depth;  // bodies that it is in
  };
  Body begin_body();
  // The body as a program of its own, before passes. The storages created in it belong to the body alone.
  BodyProgram end_body(const Body& body);
  // Nothing of it is left. Its storages carry the error.
  void drop_body(const Body& body, const Status& error);
  int bodies() const { return bodies_; }  // open

  // At an end without a graph.
  void abandon();
  // Makes the storages ordinary again; with an error they carry it until they are written.
  void release_storages(const Status& error);
  // The same at a good end: what is not an output is the graph's from now on.
  void hand_over_storages(const GraphFacts& facts);

  const Ref<Engine> keep_engine;
  const char* const name;
  const std::shared_ptr<SharedArena> arena;  // null: the graph's own
  const int max_branches, arenas;
  const bool named_outputs, as_written, callable, fewer_roundings, falls_back;
  bool host_decides;
  // The checks of what operators make; null: nothing is checked.
  const std::shared_ptr<NumberChecks> number_checks;
  const double begun_us;
  // The call of a task that was taken; null: it is opaque.
  const ops::Call* call(size_t taken) const { return static_cast<const ops::Call*>(taken_[taken].what.get()); }
  const ops::OperatorTask& task(size_t taken) const { return *ops::as_operator(*taken_[taken].task); }
  // All that was submitted, as a program: its tasks go over into it. drawn: the numbers that its runs draw, those
  // included that tasks have drawn which were left out of inlined graphs.
  using Drawn = rondo::Drawn;
  ops::Program program(Drawn* drawn);
  // All that a graph is made of: the program and the settings go over into it.
  FinishedRecording finish();
  std::vector<Ref<Storage>> storages;
  std::unordered_set<const Storage*> named;
  std::vector<Binding> call_inputs, call_outputs;  // if it is callable
  // Which of them a storage is.
  struct Bound {
    bool output;
    size_t number;
  };
  std::unordered_map<const Storage*, Bound> bound;
  const uint64_t number;       // of all recordings of the process
  Ref<tape::Journal> journal;  // for tapes that calls are noted by; null: there will be none
  std::unique_ptr<LaunchSettings> settings = std::make_unique<LaunchSettings>();
  std::shared_ptr<Budget::Share> share;  // of a program file's function; else null
  bool unkept;                           // something of it is a stranger's (rtc/unkept.h)
  // Why a graph could not become nodes of the program that was made last: its making had no more time or memory.
  Status not_inlined;

  void begin_section(uint32_t number) {
    ++this_thread().changes;
    sections_.push_back({number, taken_.size(), kOpen});
  }
  void end_section() {
    ++this_thread().changes;
    sections_.back().end = taken_.size();
  }
  // The name of the one that is open, or null.
  const char* open_section() const {
    return sections_.empty() || sections_.back().end != kOpen ? nullptr : settings->name(sections_.back().number);
  }

 protected:
  void note_site() noexcept override;

 private:
  // inlined.cc: by task that was taken, the nodes in its place.
  using Inlined = std::unordered_map<size_t, std::vector<InlinedNode>>;
  Inlined inline_from(size_t first);
  // From a task on to the last; they go over into it.
  ops::Program program_from(const Body& begin, bool of_body, Drawn* drawn);
  void declare_values(const Body& begin, bool of_body, ops::ProgramValues* values) const;
  static constexpr size_t kOpen = SIZE_MAX;
  struct Section {
    uint32_t number;    // of its setting
    size_t begin, end;  // of the tasks that were taken
  };
  std::vector<Section> sections_;  // in order
  std::string site(size_t task) const { return task < sites_.size() ? sites_[task] : std::string(); }
  void drop_from(const Body& begin);
  // A view that was made, after so many tasks.
  struct Viewed {
    size_t tasks;
    Ref<Storage> keep;
    std::optional<View> from;
    std::optional<ViewForm> form;
    View view;
  };
  std::deque<Viewed> views_;        // large: they stay where they are made
  std::vector<std::string> sites_;  // by task that was taken, if they are noted
  size_t located_ = 0;              // tasks of which it has been said where they come from, or need not be
  int bodies_ = 0;
};

// The recording of the calling thread, if it is one of this engine.
Recording* recording_of(const Engine& engine);

// Tells whether there may be so many: options->arenas.
Status check_arenas(int32_t arenas);
// These begin, end and drop the recording of the calling thread.
// journal: tapes may go back through calls of the graph.
Status begin_recording(Engine& engine, const rondo_record_options& options, bool journal = false);
Status end_recording(Engine& engine, Ref<Graph>* graph);
Status abort_recording(Engine& engine);
// The calling thread's recording; an error if there is none of this engine, or if it is in a body: what is to be done
// when that has ended.
Status find_recording(Engine& engine, const char* what, Recording** recording);
// Names an output of the thread's recording.
Status name_output(Engine& engine, const View& view);
// Makes an input of the thread's recording, which is callable.
Status make_input(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, rondo_tensor** input);
// A parameter of the calling thread's recording: a new tensor without axes, which each launch gives its value.
Status record_parameter(Engine& engine, const char* name, Device& device, rondo_dtype dtype, ops::Scalar value,
                        rondo_tensor** parameter);
// All that the calling thread records between them is a section.
Status begin_section(Engine& engine, const char* name, bool on);
Status end_section(Engine& engine);
// From here on nothing that is compiled for the calling thread's recording is kept on disk: what comes is a stranger's.
void keep_nothing(const Engine& engine);
// The host decides all control flow of the calling thread's recording, as with RONDO_RECORD_HOST_DECIDES.
void let_host_decide(const Engine& engine);
// Says where what the thread has recorded since the last time comes from, if it has a recording that notes that; null:
// nothing is said. True if it has one.
bool say_site(const char* site);
// True if the thread records tasks of the engine.
bool is_recording(const Engine& engine);
// Drops the thread's recording if it is the engine's; for the end of the engine or of the thread.
void abandon_recording(Engine& engine);

}  // namespace rondo
