// Begins, ends and aborts recordings, and keeps the tasks and storages that they take meanwhile.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/recording.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/caller.h"
#include "base/caught.h"
#include "base/room.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/threads/thread_id.h"
#include "base/threads/thread_owned.h"
#include "engine/trace.h"
#include "graph/compile/compiler.h"
#include "graph/run/segment_run.h"
#include "graph/tell/tell.h"
#include "ops/task/output.h"
#include "rtc/unkept.h"

namespace rondo {

namespace {

// Drops the calling thread's recording if its engine can do nothing any more (destroyed by another thread, lost, made
// before a fork): its handle may be gone, so the thread could not end or abort it and never record again. Takes no
// lock, for in a child of fork() no thread would release it; nothing is poisoned, for every call on the tensors fails
// anyway.
void drop_dead_recording() {
  Sink* sink = Engine::thread_sink();
  if (!sink || sink->engine.usable().ok()) return;
  const std::unique_ptr<Recording> recording(static_cast<Recording*>(sink));
  Engine::set_thread_sink(nullptr);
  recording->release_storages({});
}

// The recording of the calling thread; an error if there is none of this engine.
Status find(const Engine& engine, Recording** recording) {
  Sink* sink = Engine::thread_sink();
  if (!sink) return error(RONDO_INVALID_STATE, "no recording is open on this thread; call rondo_record_begin first");
  if (&sink->engine != &engine)
    return error(RONDO_INVALID_STATE, "the recording open on this thread belongs to another engine");
  *recording = static_cast<Recording*>(sink);
  return {};
}

// The same, and it is no body that is recorded.
Status find_outside_bodies(const Engine& engine, const char* what, Recording** recording) {
  RONDO_TRY(find(engine, recording));
  if ((*recording)->bodies() > 0)
    return error(RONDO_INVALID_STATE,
                 "recording '%s' is in a body of control flow; %s when the body's function has returned",
                 (*recording)->name, what);
  return {};
}

// The same, detached from its thread.
Status detach(const Engine& engine, std::unique_ptr<Recording>* recording) {
  Recording* found = nullptr;
  RONDO_TRY(find_outside_bodies(engine, "end or abort it", &found));
  Engine::set_thread_sink(nullptr);
  recording->reset(found);
  if (found->journal) tape::close_journal(*found->journal);
  return {};
}

// Aborts what its thread leaves open: no other thread can end it, and it would keep the engine alive. Not on the main
// thread, whose end is the process's (no device is called then), and not in a forked child.
struct ThreadEnd {
  ~ThreadEnd() {
    Sink* sink = Engine::thread_sink();
    if (sink && !sink->engine.forked() && thread_id() != getpid()) abandon_recording(sink->engine);
  }
};
constinit const ThreadOwned<ThreadEnd> thread_end;

}  // namespace

Recording::Recording(Engine& engine, const char* name, const rondo_record_options& options)
    : Sink(engine, (options.flags & RONDO_RECORD_SITES) != 0 || setting_choice(Setting::record_sites) == 1),
      keep_engine(Ref<Engine>::share(&engine)),
      name(name),
      arena(options.arena ? SharedArena::of(engine, options.arena) : nullptr),
      max_branches(options.max_branches ? options.max_branches : 8),
      arenas(options.arenas ? options.arenas : 1),
      named_outputs((options.flags & RONDO_RECORD_NAMED_OUTPUTS) != 0),
      as_written((options.flags & RONDO_RECORD_AS_WRITTEN) != 0),
      callable((options.flags & RONDO_RECORD_CALLABLE) != 0),
      fewer_roundings((options.flags & RONDO_RECORD_FEWER_ROUNDINGS) != 0),
      falls_back((options.flags & RONDO_RECORD_FALL_BACK) != 0),
      host_decides((options.flags & RONDO_RECORD_HOST_DECIDES) != 0),
      number_checks((options.flags & RONDO_RECORD_CHECK_NUMBERS) != 0 || setting_choice(Setting::check_numbers) == 1
                        ? std::make_shared<NumberChecks>(engine, name)
                        : nullptr),
      begun_us(Trace::now_us()),
      number([] {
        static std::atomic<uint64_t> recordings{0};
        return ++recordings;
      }()),
      unkept(rtc::Unkept::current()) {
  ++this_thread().changes;
}

Recording::~Recording() {
  ++this_thread().changes;
  if (journal) tape::close_journal(*journal);
}

ops::Program Recording::program(Drawn* drawn) {
  return program_from({}, false, drawn);
}

// A launch leaves to the user the storages that were named, or those that are held now.
void Recording::declare_values(const Body& begin, bool of_body, ops::ProgramValues* values) const {
  using ops::ValueRole;
  for (const Binding& input : call_inputs)
    if (!of_body) values->declare(*input.storage, ValueRole::input);
  for (size_t i = begin.storages; i < storages.size(); ++i) {
    const Storage& storage = *storages[i];
    const bool output = !of_body && (named_outputs || callable ? named.count(&storage) : storage.handles.load()) > 0;
    values->declare(storage, output ? ValueRole::output : ValueRole::temporary);
  }
}

FinishedRecording Recording::finish() {
  Drawn drawn;
  ops::Program recorded = program(&drawn);  // which takes over what inlined graphs need
  return {keep_engine,
          name,
          number,
          begun_us,
          max_branches,
          arenas,
          as_written,
          callable,
          fewer_roundings,
          falls_back,
          host_decides,
          unkept,
          std::move(recorded),
          std::move(drawn),
          call_inputs,
          call_outputs,
          std::move(settings),
          arena,
          journal,
          number_checks,
          share};
}

namespace {
void append(ops::Program* program, std::vector<InlinedNode>* nodes, const Recording::Drawn& drawn, uint32_t section,
            const std::string& site) {
  for (InlinedNode& node : *nodes) {
    const auto before = drawn.find(&node.task->device());
    const uint64_t begin = before == drawn.end() ? 0 : before->second;
    program->append(std::move(node.task), std::move(node.call), begin + node.random_offset, section);
    program->nodes.back().operators = std::move(node.operators);
    program->nodes.back().site = node.site.empty() ? site : std::move(node.site);
  }
}
}  // namespace

ops::Program Recording::program_from(const Body& begin, bool of_body, Drawn* numbers) {
  Inlined inlined = inline_from(begin.tasks);
  ops::Program program;
  declare_values(begin, of_body, &program.values);
  Drawn& drawn = *numbers;
  Device* host = nullptr;
  (void)get_device({RONDO_CPU, 0}, &host);  // is always there
  program.nodes.reserve(taken_.size() - begin.tasks);
  auto section = sections_.begin();
  std::vector<uint32_t> before;  // by view: how many nodes
  const auto views_until = [&](size_t task) {
    while (begin.views + before.size() < views_.size() && views_[begin.views + before.size()].tasks <= task)
      before.push_back(static_cast<uint32_t>(program.nodes.size()));
  };
  for (size_t i = begin.tasks; i < taken_.size(); ++i) {
    Taken& each = taken_[i];
    views_until(i);
    while (section != sections_.end() && section->end <= i) ++section;
    const bool within = !of_body && section != sections_.end() && section->begin <= i;
    uint64_t& offset = drawn[&each.task->device()];
    const uint32_t of_section = within ? section->number : ops::kAlways;
    if (const auto found = inlined.find(i); found != inlined.end()) {
      append(&program, &found->second, drawn, of_section, site(i));
      // All tasks of the launch have become these nodes.
      const size_t segments = static_cast<const SegmentRun&>(*each.task).graph().facts().segments.size();
      for (size_t k = 0; k < segments; ++k) {
        const Task& segment = *taken_[i + k].task;
        drawn[&segment.device()] += segment.random_count();
      }
      i += segments - 1;
      continue;
    }
    const uint64_t count = each.task->random_count(), host_random = each.task->host_random_count();
    if (count && dynamic_cast<const Unread*>(each.task.get())) {
      offset += count;
      continue;
    }
    Ref<const ops::Call> call = Ref<const ops::Call>::adopt(static_cast<const ops::Call*>(each.what.leak()));
    if (!call && dynamic_cast<const SegmentRun*>(each.task.get())) call = make_ref<const ops::Call>(ops::LaunchCall{});
    program.append(ops::as_operator(std::move(each.task)), std::move(call), offset, of_section);
    program.nodes.back().site = site(i);
    offset += count;
    if (host_random) {
      program.nodes.back().host_random_offset = drawn[host];
      drawn[host] += host_random;
    }
  }
  views_until(taken_.size());
  for (size_t k = 0; k < before.size(); ++k) {
    const Viewed& each = views_[begin.views + k];
    program.note_view(each.from ? &*each.from : nullptr, each.form ? &*each.form : nullptr, each.view, before[k]);
  }
  for (size_t i = begin.storages; i < storages.size(); ++i) program.values.use(*storages[i]);
  drop_from(begin);
  if (!of_body && !sections_.empty()) program.find_kept();
  return program;
}

namespace {
constexpr Owner kInBody{
    "made in a body of control flow and lives inside it; write what is needed outside into a tensor that was made "
    "before"};
}

Recording::Body Recording::begin_body() {
  ++this_thread().changes;
  return {taken_.size(), storages.size(), views_.size(), bodies_++};
}

BodyProgram Recording::end_body(const Body& body) {
  ++this_thread().changes;
  Drawn drawn;  // after which no later body begins
  ops::Program program = program_from(body, true, &drawn);
  for (size_t i = body.storages; i < storages.size(); ++i) engine.set_owner(*storages[i], &kInBody);
  storages.resize(body.storages);
  --bodies_;
  return {std::move(program), {}, {}};
}

void Recording::drop_body(const Body& body, const Status& error) {
  ++this_thread().changes;
  for (size_t i = body.storages; i < storages.size(); ++i) {
    engine.set_owner(*storages[i], nullptr);
    engine.poison(*storages[i], error);
  }
  storages.resize(body.storages);
  drop_from(body);
  --bodies_;
}

void Recording::drop_from(const Body& begin) {
  taken_.resize(begin.tasks);
  views_.resize(begin.views);
  sites_.resize(std::min(sites_.size(), begin.tasks));
  located_ = std::min(located_, begin.tasks);
}

// A site that cannot be noted for want of memory is not known.
void Recording::note_site() noexcept {
  (void)caught([this]() -> Status {
    sites_.resize(taken_.size());
    sites_.back() = caller();
    return {};
  });
}

void Recording::say_site(const char* site) {
  sites_.resize(taken_.size());
  for (size_t i = located_; i < sites_.size(); ++i) sites_[i] = site;
  located_ = sites_.size();
}

void Recording::created(Storage& storage) {
  engine.set_owner(storage, this);
  storages.push_back(Ref<Storage>::share(&storage));
}

void Recording::viewed(const View* from, const ViewForm* form, const View& view) {
  views_.push_back({taken_.size(), Ref<Storage>::share(view.storage), from ? std::optional(*from) : std::nullopt,
                    form ? std::optional(*form) : std::nullopt, view});
}

void Recording::abandon() {
  release_storages(error(RONDO_INVALID_STATE, "the tensor was made in recording '%s', which was aborted", name));
}

void Recording::release_storages(const Status& error) {
  for (const Ref<Storage>& storage : storages) {
    engine.set_owner(*storage, nullptr);
    if (!error.ok()) engine.poison(*storage, error);
  }
}

void Recording::hand_over_storages(const GraphFacts& facts) {
  for (const Ref<Storage>& storage : storages) engine.set_owner(*storage, &kTemporary);
  for (const Made& each : facts.made)
    if (each.role == ops::ValueRole::output && !callable) engine.set_owner(*each.storage, nullptr);
  for (const auto* bindings : {&call_inputs, &call_outputs})
    for (const Binding& each : *bindings) engine.set_owner(*each.storage, &kBound);
}

Status check_arenas(int32_t arenas) {
  constexpr int kMost = 64;
  if (arenas >= 0 && arenas <= kMost) return {};
  return error(RONDO_INVALID_ARGUMENT, "options->arenas is %d; 0 to %d are possible", arenas, kMost);
}

Status begin_recording(Engine& engine, const rondo_record_options& options, bool journal) {
  RONDO_TRY(engine.usable());
  if (Engine::in_task()) return error(RONDO_INVALID_STATE, "a recording cannot be opened inside a task");
  drop_dead_recording();
  if (Engine::thread_sink())
    return error(RONDO_INVALID_STATE, "a recording is open on this thread already; end or abort it first");
  if (options.max_branches < 0 || options.max_branches > 32)
    return error(RONDO_INVALID_ARGUMENT, "options->max_branches is %d; 0 to 32 are possible", options.max_branches);
  constexpr uint32_t kFlags = RONDO_RECORD_NAMED_OUTPUTS | RONDO_RECORD_AS_WRITTEN | RONDO_RECORD_CALLABLE |
                              RONDO_RECORD_FEWER_ROUNDINGS | RONDO_RECORD_FALL_BACK | RONDO_RECORD_SITES |
                              RONDO_RECORD_HOST_DECIDES | RONDO_RECORD_CHECK_NUMBERS;
  if (options.flags & ~kFlags)
    return error(RONDO_INVALID_ARGUMENT,
                 "options->flags is 0x%x; RONDO_RECORD_NAMED_OUTPUTS (0x%x), RONDO_RECORD_AS_WRITTEN (0x%x), "
                 "RONDO_RECORD_CALLABLE (0x%x), RONDO_RECORD_FEWER_ROUNDINGS (0x%x), RONDO_RECORD_FALL_BACK (0x%x), "
                 "RONDO_RECORD_SITES (0x%x), RONDO_RECORD_HOST_DECIDES (0x%x), RONDO_RECORD_CHECK_NUMBERS (0x%x) are "
                 "possible, and 0",
                 options.flags, RONDO_RECORD_NAMED_OUTPUTS, RONDO_RECORD_AS_WRITTEN, RONDO_RECORD_CALLABLE,
                 RONDO_RECORD_FEWER_ROUNDINGS, RONDO_RECORD_FALL_BACK, RONDO_RECORD_SITES, RONDO_RECORD_HOST_DECIDES,
                 RONDO_RECORD_CHECK_NUMBERS);
  if ((options.flags & RONDO_RECORD_FEWER_ROUNDINGS) && (options.flags & RONDO_RECORD_AS_WRITTEN))
    return error(RONDO_INVALID_ARGUMENT,
                 "options->flags has RONDO_RECORD_AS_WRITTEN and RONDO_RECORD_FEWER_ROUNDINGS; what stays as it was "
                 "written keeps its roundings: give one of the two");
  RONDO_TRY(check_arenas(options.arenas));
  if (options.arenas > 1 && !(options.flags & RONDO_RECORD_CALLABLE))
    return error(
        RONDO_INVALID_ARGUMENT,
        "options->arenas is %d, and launches work on the tensors of the recording, one after the other; 0 or 1 "
        "is possible without RONDO_RECORD_CALLABLE",
        options.arenas);
  if (options.arenas > 1 && options.arena)
    return error(
        RONDO_INVALID_ARGUMENT,
        "options->arenas is %d, and graphs that share the arena '%s' come one after the other; give one of the "
        "two",
        options.arenas, options.arena);
  thread_end.get();
  auto recording = std::make_unique<Recording>(engine, Engine::intern(options.name ? options.name : "graph"), options);
  if (journal) {
    recording->journal = make_ref<tape::Journal>(engine);
    tape::open_journal(*recording->journal);
  }
  Engine::set_thread_sink(recording.release());
  return {};
}

Status end_recording(Engine& engine, Ref<Graph>* graph) {
  drop_dead_recording();
  RONDO_TRY(engine.usable());
  std::unique_ptr<Recording> recording;
  RONDO_TRY(detach(engine, &recording));
  const Status status = caught([&]() -> Status {
    if (const char* open = recording->open_section())
      return error(RONDO_INVALID_STATE,
                   "recording '%s' ends inside its section '%s'; end that first (rondo_record_section_end)",
                   recording->name, open);
    if (recording->journal && recording->journal->missed())
      return error(RONDO_OUT_OF_MEMORY,
                   "the host had no memory left to note for tapes what recording '%s' does; record it again",
                   recording->name);
    FinishedRecording finished = recording->finish();
    const Status made = recording->not_inlined.ok()
                            ? GraphCompiler::compile(std::move(finished), asked_profile(), graph)
                            : recording->not_inlined;
    return made.ok() ? made
                     : engine.noted(error(made.code(), "recording '%s': %s", recording->name, made.message())
                                        .with_origin(made.origin()));
  });
  if (status.ok())
    recording->hand_over_storages((*graph)->facts());
  else
    recording->release_storages(status);
  return status;
}

void keep_nothing(const Engine& engine) {
  if (Recording* const recording = recording_of(engine)) recording->unkept = true;
}

void let_host_decide(const Engine& engine) {
  if (Recording* const recording = recording_of(engine)) recording->host_decides = true;
}

Status abort_recording(Engine& engine) {
  drop_dead_recording();
  RONDO_TRY(engine.usable());
  if (!Engine::thread_sink()) return {};
  std::unique_ptr<Recording> recording;
  RONDO_TRY(detach(engine, &recording));
  recording->abandon();
  return {};
}

namespace {

// Adds an output, in whose place a call can put the caller's memory; an error if the tensor does not allow that.
Status add_call_output(Recording& recording, const View& view) {
  const auto known = recording.bound.find(view.storage);
  const char* why = nullptr;
  std::string which;
  if (Engine::owner(*view.storage) != &recording)
    why = "was not made in the recording";
  else if (known != recording.bound.end())
    why = (which = format(known->second.output ? "shares memory with output %zu" : "is input %zu of the recording",
                          known->second.number))
              .c_str();
  else if (view.accumulate || !view.layout.contiguous() || view.bytes() != view.storage->bytes())
    why = "is a part of a tensor, or not row-major";
  if (why)
    return error(RONDO_INVALID_ARGUMENT,
                 "tensor %s; the output of a call is a whole tensor of its own: name a copy "
                 "(rondo_copy)",
                 why);
  Binding output = {Ref<Storage>::share(view.storage), view.dtype,
                    Layout::row_major(view.layout.ndim, view.layout.shape)};
  make_room(&recording.call_outputs);
  recording.named.insert(view.storage);
  recording.bound.try_emplace(view.storage, Recording::Bound{true, recording.call_outputs.size()});
  recording.call_outputs.push_back(std::move(output));
  return {};
}

}  // namespace

Status find_recording(Engine& engine, const char* what, Recording** recording) {
  drop_dead_recording();
  RONDO_TRY(engine.usable());
  return find_outside_bodies(engine, what, recording);
}

Status name_output(Engine& engine, const View& view) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "name outputs", &recording));
  if (&view.engine() != &engine) return error(RONDO_INVALID_ARGUMENT, "tensor belongs to another engine");
  if (!recording->named_outputs && !recording->callable)
    return error(RONDO_INVALID_STATE,
                 "recording '%s' was begun without RONDO_RECORD_NAMED_OUTPUTS or RONDO_RECORD_CALLABLE: its outputs "
                 "are the tensors still held at its end",
                 recording->name);
  const Owner* owner = Engine::owner(*view.storage);
  if (owner && owner != recording) return error(RONDO_INVALID_STATE, "tensor is %s", owner->refusal);
  if (recording->callable) return add_call_output(*recording, view);
  if (owner) recording->named.insert(view.storage);
  return {};
}

Status make_input(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, rondo_tensor** input) {
  Recording* recording = nullptr;
  RONDO_TRY(find_recording(engine, "make inputs", &recording));
  if (!recording->callable)
    return error(RONDO_INVALID_STATE,
                 "recording '%s' was begun without RONDO_RECORD_CALLABLE: its inputs are the tensors from outside that "
                 "it uses",
                 recording->name);
  std::vector<Binding>& inputs = recording->call_inputs;
  make_room(&inputs);
  ops::Handle made(make_tensor(engine, device, dtype, shape));
  recording->bound.try_emplace(made.tensor->view.storage, Recording::Bound{false, inputs.size()});
  inputs.push_back({made.tensor->storage, dtype, made.tensor->view.layout});
  *input = std::exchange(made.tensor, nullptr);
  return {};
}

bool say_site(const char* site) {
  Sink* const sink = Engine::thread_sink();
  if (!sink || !sink->notes_sites || !sink->engine.usable().ok()) return false;
  if (site) static_cast<Recording*>(sink)->say_site(site);
  return true;
}

bool is_recording(const Engine& engine) {
  return engine.usable().ok() && recording_of(engine);
}

Recording* recording_of(const Engine& engine) {
  Sink* const sink = Engine::thread_sink();
  return sink && &sink->engine == &engine ? static_cast<Recording*>(sink) : nullptr;
}

void abandon_recording(Engine& engine) {
  const Ref<Engine> keep = Ref<Engine>::share(&engine);  // the recording may have been the last to hold it
  const std::unique_ptr<Recording> recording(recording_of(engine));
  if (!recording) return;
  Engine::set_thread_sink(nullptr);
  recording->abandon();
}

}  // namespace rondo
