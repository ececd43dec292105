// Launches and calls graphs: checks what the caller gives, and pushes a task for each segment.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/graph.h"

#include <utility>

#include "graph/run/call.h"
#include "graph/run/profile.h"

namespace rondo {

// When it is done the segment keeps it for the next run, so that its accesses are put together and counted once. Keeps
// the graph while it is under way.
class LaunchRun final : public SegmentRun {
 public:
  using SegmentRun::SegmentRun;

  RONDO_HOT Status run(const TaskContext& context) override { return run_segment(context, nullptr); }
  Status resume(const Status& outcome, const TaskContext& context) override { return run_segment(context, &outcome); }
  const RefCounted& holder() const override { return *graph_; }

 protected:
  // The graph goes last, for the segment is the graph's.
  RONDO_HOT const RefCounted* recycle() override { return leave_to(segment_.idle); }
  void dispose() override {
    resurrect();
    if (const RefCounted* graph = recycle()) graph->release();
  }
};

// The task of a segment whose run is timed: of a launch or a call. It is run once.
template <class Run>
class Measured final : public Run {
 public:
  Measured(const char* name, Segment& segment, Ref<Profile> profile)
      : Run(name, segment), profile_(std::move(profile)) {
    this->want_auxiliaries(segment.most_auxiliaries());
  }

  Status run(const TaskContext& context) override {
    return this->run_within(context, nullptr, [&]() -> Status {
      if (!this->segment_.measured_whole()) return measured(context, nullptr);
      profile_->begin(this->segment_.facts(), context);
      RONDO_TRY(this->run_segment(context, nullptr));
      return profile_->end(this->segment_.facts(), context);
    });
  }
  Status resume(const Status& outcome, const TaskContext& context) override {
    return this->run_within(context, &outcome, [&] { return measured(context, &outcome); });
  }
  void failing(const Status& status) noexcept override { profile_->fail(status); }
  const RefCounted& holder() const override { return *this->graph_; }

 protected:
  const RefCounted* recycle() override { return this; }

 private:
  Status measured(const TaskContext& context, const Status* completed) {
    TaskContext with = context;
    with.profile = profile_.get();
    return this->run_measured(with, completed);
  }

  const Ref<Profile> profile_;
};

Status LaunchChecks::check_unwritten(Engine& engine, const char* graph) const {
  const Sink* sink = Engine::thread_sink();
  if (sink && &sink->engine == &engine) return {};  // to be run by another graph, whose launch counts
  for (const Unwritten& each : unwritten)
    if (engine.blank(*each.storage))
      return error(RONDO_INVALID_STATE,
                   "task '%s' of graph '%s' reads a tensor of %zu bytes on %s that was never written; write to it "
                   "before the launch, or accept what is in its memory with rondo_tensor_accept",
                   each.task->name(), graph, each.storage->bytes(), device_name(each.storage->device().id()).c_str());
  return {};
}

Status LaunchChecks::check_parties() const {
  for (const Party* each : parties) RONDO_TRY(each->possible());
  return {};
}

Graph::Graph(Compiled&& compiled, const LaunchInterceptor* interceptor)
    : share_(std::move(compiled.share)),
      engine_(std::move(compiled.engine)),
      settings_(std::move(compiled.settings)),
      recorded_(std::move(compiled.recorded)),
      checks_(std::move(compiled.checks)),
      shared_arena_(std::move(compiled.shared_arena)),
      first_(std::move(compiled.first)),
      others_(std::move(compiled.others)),
      interceptor_(interceptor),
      fast_path_(!facts().callable && checks_.empty() && first_.segments.size() == 1 && settings_->empty() &&
                 !interceptor) {}

Graph::~Graph() = default;

void Graph::dispose() {
  const Ref<Engine> engine = engine_;
  engine->destroy_apart([this] { delete this; });
}

rondo_graph_info Graph::query() const {
  rondo_graph_info info = facts().info;
  info.launches = launches_.load();
  return info;
}

const LaunchInterceptor* Graph::intercepting() {
  if (!interceptor_ || launches_ < 1 || Engine::thread_sink()) [[likely]]
    return nullptr;
  return interceptor_.exchange(nullptr);
}

// Most graphs are one segment, of which nothing is to be checked or set: their launch is the path that counts.
Status Graph::launch() {
  if (!fast_path_) [[unlikely]]
    return launch_checked();
  launches_.fetch_add(1, std::memory_order_relaxed);
  return engine_->submit(take_launch(*first_.segments.front()));
}

Status Graph::launch_checked() {
  RONDO_TRY(engine_->usable());
  if (facts().callable)
    return error(RONDO_INVALID_STATE,
                 "graph '%s' was recorded with RONDO_RECORD_CALLABLE, to be given inputs and outputs by "
                 "rondo_graph_call",
                 name());
  RONDO_TRY(checks_.check_unwritten(*engine_, name()));
  RONDO_TRY(checks_.check_parties());
  if (const LaunchInterceptor* const interceptor = intercepting()) return interceptor->launch(*this);
  launches_.fetch_add(1, std::memory_order_relaxed);
  return launch_several();
}

// In one step: another launch of this graph, or another task, between two segments would change what the later one
// reads.
Status Graph::launch_several() {
  const LaunchSettings::Words words = settings_->words();
  const auto take = [&](Segment& segment) -> Ref<Task> {
    Ref<LaunchRun> launch = take_launch(segment);
    launch->set(words);
    return launch;
  };
  const Segments& segments = first_.segments;
  if (segments.size() == 1) return engine_->submit(take(*segments.front()));
  std::vector<Ref<Task>> tasks;
  tasks.reserve(segments.size());
  for (const std::unique_ptr<Segment>& segment : segments) tasks.push_back(take(*segment));
  return engine_->submit(tasks.data(), tasks.size());
}

Ref<LaunchRun> Graph::take_launch(Segment& segment) {
  Ref<LaunchRun> launch =
      Ref<LaunchRun>::adopt(static_cast<LaunchRun*>(segment.idle.exchange(nullptr, std::memory_order_acq_rel)));
  if (!launch) launch = make_ref<LaunchRun>(name(), segment);
  launch->begin(*this);
  return launch;
}

Ref<CallRun> Graph::take_call(Segment& segment) {
  Ref<CallRun> call =
      Ref<CallRun>::adopt(static_cast<CallRun*>(segment.idle_call.exchange(nullptr, std::memory_order_acq_rel)));
  if (!call) call = make_ref<CallRun>(name(), segment);
  call->begin(*this);
  return call;
}

Status Graph::check_call(int32_t n_inputs, int32_t n_outputs) const {
  RONDO_TRY(engine_->usable());
  if (!facts().callable)
    return error(RONDO_INVALID_STATE,
                 "graph '%s' was recorded without RONDO_RECORD_CALLABLE, to be launched (rondo_graph_launch) on the "
                 "tensors of its recording",
                 name());
  const auto check = [&](const char* argument, int32_t given, uint32_t taken) -> Status {
    if (given == static_cast<int32_t>(taken)) return {};
    return error(RONDO_INVALID_ARGUMENT, "%s is %d; graph '%s' has %u", argument, given, name(), taken);
  };
  RONDO_TRY(check("n_inputs", n_inputs, bindings().inputs()));
  return check("n_outputs", n_outputs, bindings().size() - bindings().inputs());
}

// The tensors that are given fit.
template <class Take>
Status Graph::submit_call(const Replica& replica, rondo_tensor* const* inputs, rondo_tensor** outputs,
                          const Take& take_one, Ref<Task> then) {
  const uint32_t all = replica.bindings.size(), first_output = replica.bindings.inputs();
  // New outputs are the caller's only when all has gone well.
  struct Tensors {
    SmallVector<rondo_tensor*, 16> all;
    SmallVector<rondo_tensor*, 8> made;
    ~Tensors() {
      for (rondo_tensor* each : made) destroy_tensor(each);
    }
  } tensors;
  tensors.all.reserve(all);
  tensors.made.reserve(all);
  for (uint32_t i = 0; i < all; ++i) {
    rondo_tensor* given = i < first_output ? inputs[i] : outputs[i - first_output];
    if (!given) {
      const Binding& output = replica.bindings[i];
      given = make_tensor(*engine_, output.storage->device(), output.dtype, output.layout);
      tensors.made.push_back(given);
    }
    tensors.all.push_back(given);
  }
  LaunchSettings::Words words;
  if (!settings_->empty()) [[unlikely]]
    words = settings_->words();
  const auto take = [&](Segment& segment) -> Ref<Task> {
    Ref<CallRun> call = take_one(segment);
    if (!words.empty()) [[unlikely]]
      call->set(words);
    call->bind(replica.bindings, tensors.all.begin());
    return call;
  };
  launches_.fetch_add(1, std::memory_order_relaxed);
  if (replica.segments.size() == 1 && !then) {
    RONDO_TRY(engine_->submit(take(*replica.segments.front())));
  } else {
    std::vector<Ref<Task>> tasks;
    tasks.reserve(replica.segments.size() + 1);
    for (const std::unique_ptr<Segment>& segment : replica.segments) tasks.push_back(take(*segment));
    if (then) tasks.push_back(std::move(then));
    RONDO_TRY(engine_->submit(tasks.data(), tasks.size()));
  }
  for (uint32_t i = first_output; i < all; ++i) outputs[i - first_output] = tensors.all[i];
  tensors.made.clear();
  return {};
}

Status Graph::call(rondo_tensor* const* inputs, rondo_tensor** outputs, const RunLimit* limit) {
  RONDO_TRY(bindings().check(*engine_, name(), inputs, outputs));
  if (!checks_.empty()) [[unlikely]] {
    RONDO_TRY(checks_.check_unwritten(*engine_, name()));
    RONDO_TRY(checks_.check_parties());
  }
  if (!limit)  // which the interceptor does not know
    if (const LaunchInterceptor* const interceptor = intercepting()) [[unlikely]]
      return interceptor->call(*this, inputs, outputs);
  const auto take = [&](Segment& segment) {
    Ref<CallRun> call = take_call(segment);
    if (limit) [[unlikely]]
      call->limit(*limit);
    return call;
  };
  return submit_call(take_replica(), inputs, outputs, take, nullptr);
}

Status Graph::launch_measured(const Ref<Profile>& profile, Ref<Task> then) {
  const LaunchSettings::Words words = settings_->words();
  std::vector<Ref<Task>> tasks;
  tasks.reserve(first_.segments.size() + 1);
  for (const std::unique_ptr<Segment>& segment : first_.segments) {
    auto run = make_ref<Measured<SegmentRun>>(name(), *segment, profile);
    run->begin(*this);
    run->set(words);
    tasks.push_back(std::move(run));
  }
  if (then) tasks.push_back(std::move(then));
  launches_.fetch_add(1, std::memory_order_relaxed);
  return tasks.empty() ? Status() : engine_->submit(tasks.data(), tasks.size());
}

Status Graph::call_measured(rondo_tensor* const* inputs, rondo_tensor** outputs, const Ref<Profile>& profile,
                            Ref<Task> then) {
  const auto take = [&](Segment& segment) -> Ref<CallRun> {
    auto call = make_ref<Measured<CallRun>>(name(), segment, profile);
    call->begin(*this);
    return call;
  };
  return submit_call(first_, inputs, outputs, take, std::move(then));
}

void Graph::keep_profile(std::string text) {
  const std::lock_guard lock(profile_mutex_);
  profile_ = std::move(text);
}

std::string Graph::last_profile() const {
  const std::lock_guard lock(profile_mutex_);
  return profile_;
}

}  // namespace rondo
