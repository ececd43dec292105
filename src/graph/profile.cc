// Profiles: the run, and the times of its tasks. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "graph/profile.h"

#include <algorithm>
#include <utility>

#include "base/asked.h"
#include "base/caught.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/written_file.h"
#include "engine/trace.h"
#include "graph/call.h"
#include "graph/control.h"

namespace rondo {

// One segment's part of a profile: of a launch or a call. It is run once.
template <class Run>
class Measured final : public Run {
 public:
  Measured(const char* name, Segment& segment, int auxiliaries, Ref<Profile> profile)
      : Run(name, segment), profile_(std::move(profile)) {
    this->want_auxiliaries(auxiliaries);
  }

  Status run(const TaskContext& context) override {
    return this->run_within(context, nullptr, [&]() -> Status {
      if (!this->whole()) return measured(context, nullptr);
      profile_->begin(this->segment_, context);
      RONDO_TRY(this->run_segment(context, nullptr));
      return profile_->end(this->segment_, context);
    });
  }
  Status resume(const Status& outcome, const TaskContext& context) override {
    return this->run_within(context, &outcome, [&] { return measured(context, &outcome); });
  }
  void failing(const Status& status) noexcept override { profile_->fail(status); }
  const RefCounted& holder() const override { return *this->graph_; }

 protected:
  const RefCounted* park() override { return this; }

 private:
  Status measured(const TaskContext& context, const Status* completed) {
    TaskContext with = context;
    with.profile = profile_.get();
    return this->run_measured(with, completed);
  }

  const Ref<Profile> profile_;
};

// Behind a measured launch that a setting asks for: it fails for nothing.
class ProfileWriter final : public Task {
 public:
  ProfileWriter(Device& host, Graph& graph, Ref<Profile> profile);
  Status run(const TaskContext& context) override;

 private:
  const Ref<Graph> graph_;
  const Ref<Profile> profile_;
};

Status Graph::check_profile() const {
  RONDO_TRY(engine_->usable());
  if (Engine::in_task())
    return error(RONDO_INVALID_STATE, "a profile waits for its run, which a task may not; profile outside of tasks");
  if (Engine::thread_sink())
    return error(RONDO_INVALID_STATE,
                 "a profile waits for its run, which is not recorded; end the thread's recording first "
                 "(rondo_record_end)");
  return {};
}

Status Graph::profile(const char* path) {
  RONDO_TRY(check_profile());
  if (callable_)
    return error(RONDO_INVALID_STATE,
                 "graph '%s' was recorded with RONDO_RECORD_CALLABLE, to be given inputs and outputs by "
                 "rondo_graph_profile_call",
                 name_);
  RONDO_TRY(check_unwritten());
  const Ref<Profile> profile = make_ref<Profile>(*this);
  RONDO_TRY(submit_measured(profile, nullptr));
  return wait_and_keep(*profile, path);
}

Status Graph::profile_call(rondo_tensor* const* inputs, rondo_tensor** outputs, const char* path) {
  RONDO_TRY(check_profile());
  RONDO_TRY(check_tensors(inputs, outputs));
  RONDO_TRY(check_unwritten());
  const Ref<Profile> profile = make_ref<Profile>(*this);
  const std::vector<rondo_tensor*> given(outputs, outputs + info_.outputs);
  RONDO_TRY(submit_call(inputs, outputs, profile, nullptr));
  Status status = caught([&] { return wait_and_keep(*profile, path); });
  if (status.ok()) return {};
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i]) destroy_tensor(std::exchange(outputs[i], nullptr));
  return status;
}

Status Graph::wait_and_keep(Profile& profile, const char* path) {
  for (const Arena& each : arenas_)
    if (each.storage) RONDO_TRY(engine_->wait(*each.storage));
  return keep(profile, path);
}

Ref<Call> Graph::make_measured_call(Segment& segment, const Ref<Profile>& profile) {
  Ref<Measured<Call>> call = make_ref<Measured<Call>>(name_, segment, most_auxiliaries(segment), profile);
  call->begin(*this);
  return call;
}

// Without a wait: a task behind the run writes the file.
Status Graph::launch_measured() {
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  const Ref<Profile> profile = make_ref<Profile>(*this);
  return submit_measured(profile, make_ref<ProfileWriter>(*host, *this, profile));
}

Status Graph::call_measured(rondo_tensor* const* inputs, rondo_tensor** outputs) {
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  const Ref<Profile> profile = make_ref<Profile>(*this);
  return submit_call(inputs, outputs, profile, make_ref<ProfileWriter>(*host, *this, profile));
}

Status Graph::submit_measured(const Ref<Profile>& profile, Ref<Task> then) {
  const LaunchSettings::Words words = settings_->words();
  std::vector<Ref<Task>> tasks;
  tasks.reserve(segments_.size() + 1);
  for (Segment& segment : segments_) {
    auto run = make_ref<Measured<SegmentRun>>(name_, segment, most_auxiliaries(segment), profile);
    run->begin(*this);
    run->set(words);
    tasks.push_back(std::move(run));
  }
  if (then) tasks.push_back(std::move(then));
  launches_.fetch_add(1, std::memory_order_relaxed);
  return tasks.empty() ? Status() : engine_->submit(tasks.data(), tasks.size());
}

// The run is done.
Status Graph::keep(Profile& profile, const char* path) {
  RONDO_TRY(profile.finish());
  std::string text = profile.text();
  if (path) RONDO_TRY(write_file("the file", path, [&](std::FILE* file) { std::fputs(profile.json().c_str(), file); }));
  const std::lock_guard lock(measured_mutex_);
  measured_ = std::move(text);
  return {};
}

ProfileWriter::ProfileWriter(Device& host, Graph& graph, Ref<Profile> profile)
    : Task("profile", host), graph_(Ref<Graph>::share(&graph)), profile_(std::move(profile)) {
  calls_out_ = true;  // the graph may go with it, and tasks of the user's with that
  for (const Arena& each : graph.arenas_)
    if (each.storage) follows(*each.storage);
}

Status ProfileWriter::run(const TaskContext&) {
  write_asked(Setting::graph_profile, graph_->number(), graph_->name(), ".json",
              [this](const char* path) { return graph_->keep(*profile_, path); });
  return {};
}

Profile::Profile(const Graph& graph) : waits_(graph.engine().mode() == RONDO_ENGINE_NAIVE), start_(Trace::now_us()) {
  add(graph, "");
}

Profile::~Profile() {
  drop_events();
}

void Profile::drop_events() noexcept {
  for (const Events& each : events_)
    for (void* event : {each.begin, each.end})
      if (event) each.device->event_destroy(event);
  events_.clear();
  for (const Anchor& each : anchors_)
    if (each.event) each.device->event_destroy(each.event);
  anchors_.clear();
}

void Profile::add(const Graph& graph, const std::string& body) {
  parts_.push_back({&graph, body, std::vector<Times>(graph.tasks_.size()), {}});
  if (body.empty()) parts_.back().segments.resize(graph.segments_.size());
  for (const auto& [task, control] : graph.controls_)
    for (const Body& each : control->bodies())
      if (each.graph)
        add(*each.graph,
            body + (body.empty() ? "" : ", ") + format("task %u '%s', %s", task, control->name(), each.name.c_str()));
  for (uint32_t i = 0; i < graph.tasks_.size(); ++i) {
    const auto* run = dynamic_cast<const SegmentRun*>(graph.tasks_[i].get());
    const auto is = [&](const Part& part) { return part.graph == &run->graph(); };
    if (run && std::none_of(parts_.begin(), parts_.end(), is))
      add(run->graph(), body + (body.empty() ? "" : ", ") + format("task %u '%s'", i, run->name()));
  }
}

Status Profile::run(Task& task, const TaskContext& context) {
  auto* const launched = dynamic_cast<SegmentRun*>(&task);
  return launched ? launched->run_parts(context) : task.run(context);
}

Profile::Times* Profile::find(const Graph& graph, uint32_t task) {
  for (Part& part : parts_)
    if (part.graph == &graph) return &part.tasks[task];
  return nullptr;
}

void Profile::begin(const Graph& graph, uint32_t task, const TaskContext& context) noexcept {
  begin(find(graph, task), context);
}

Status Profile::end(const Graph& graph, uint32_t task, const TaskContext& context) noexcept {
  return end(find(graph, task), context);
}

void Profile::begin(const Segment& segment, const TaskContext& context) noexcept {
  for (size_t s = 0; s < parts_[0].segments.size(); ++s)
    if (&parts_[0].graph->segments_[s] == &segment) begin(&parts_[0].segments[s], context);
}

Status Profile::end(const Segment& segment, const TaskContext& context) noexcept {
  for (size_t s = 0; s < parts_[0].segments.size(); ++s)
    if (&parts_[0].graph->segments_[s] == &segment) return end(&parts_[0].segments[s], context);
  return {};
}

void Profile::fail(const Status& status) noexcept {
  const std::lock_guard lock(mutex_);
  if (failure_.ok()) failure_ = status;
}

void Profile::begin(Times* times, const TaskContext& context) noexcept {
  if (!times) return;
  if (context.stream) {
    if (Status status = caught([&] { return begin_on_device(times, context); }); !status.ok()) fail(status);
    return;
  }
  const double now = Trace::now_us();
  if (times->runs++ == 0) times->begin = now;
  times->us -= now;
}

Status Profile::end(Times* times, const TaskContext& context) noexcept {
  if (!times) return {};
  if (!context.stream) {
    times->us += Trace::now_us();
    return {};
  }
  const auto found = std::find_if(events_.rbegin(), events_.rend(),
                                  [times](const Events& each) { return each.times == times && !each.end; });
  if (found == events_.rend()) return {};  // begin has failed
  Events& events = *found;
  Status status = events.device->event_create(true, &events.end);
  if (status.ok()) status = events.device->event_record(events.end, context.stream);
  if (status.ok() && waits_) return events.device->event_synchronize(events.end);
  if (!status.ok()) fail(status);
  return {};
}

Status Profile::begin_on_device(Times* times, const TaskContext& context) {
  StreamDevice& device = *context.device->streams();
  RONDO_TRY(anchor(device, context.stream));
  Events& events = events_.emplace_back(Events{&device, times, nullptr, nullptr});
  RONDO_TRY(device.event_create(true, &events.begin));
  return device.event_record(events.begin, context.stream);
}

// Waits once for each device.
Status Profile::anchor(StreamDevice& device, void* stream) {
  for (const Anchor& known : anchors_)
    if (known.device == &device) return {};
  Anchor& made = anchors_.emplace_back(Anchor{&device, nullptr, 0});
  RONDO_TRY(device.event_create(true, &made.event));
  RONDO_TRY(device.event_record(made.event, stream));
  RONDO_TRY(device.event_synchronize(made.event));
  made.at = Trace::now_us();
  return {};
}

Status Profile::finish() {
  {
    const std::lock_guard lock(mutex_);
    RONDO_TRY(failure_);
  }
  for (const Events& each : events_) {
    float begin_ms = 0, length_ms = 0;
    double at = 0;
    for (const Anchor& anchor : anchors_)
      if (anchor.device == each.device) {
        RONDO_TRY(each.device->event_elapsed(anchor.event, each.begin, &begin_ms));
        at = anchor.at;
      }
    RONDO_TRY(each.device->event_elapsed(each.begin, each.end, &length_ms));
    if (each.times->runs++ == 0) each.times->begin = at + begin_ms * 1000.0;
    each.times->us += length_ms * 1000.0;
  }
  drop_events();
  return {};
}

double Profile::total() const {
  double us = 0;
  for (const std::vector<Times>* each : {&parts_[0].tasks, &parts_[0].segments})
    for (const Times& times : *each) us += times.us;
  return us;
}

Profile::Path Profile::critical() const {
  const Part& whole = parts_[0];
  const size_t n = whole.tasks.size();
  std::vector<double> until(n);
  std::vector<int64_t> before(n, -1);
  Path path;
  int64_t last = -1;
  for (size_t i = 0; i < n; ++i) {
    for (const uint32_t each : whole.graph->predecessors_[i])
      if (before[i] < 0 || until[each] > until[static_cast<size_t>(before[i])]) before[i] = each;
    until[i] = whole.tasks[i].us + (before[i] < 0 ? 0 : until[static_cast<size_t>(before[i])]);
    if (last < 0 || until[i] > until[static_cast<size_t>(last)]) last = static_cast<int64_t>(i);
  }
  if (last >= 0) path.us = until[static_cast<size_t>(last)];
  for (; last >= 0; last = before[static_cast<size_t>(last)])
    path.tasks.insert(path.tasks.begin(), static_cast<uint32_t>(last));
  return path;
}

}  // namespace rondo
