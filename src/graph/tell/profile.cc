// Makes a profile of the graph, which runs once more for it, for the caller to read.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "base/caught.h"
#include "base/files/asked.h"
#include "base/files/written_file.h"
#include "base/settings.h"
#include "graph/tell/tell.h"

namespace rondo {

namespace {

Ref<Profile> make_profile(const Graph& graph) {
  return make_ref<Profile>(graph.facts(), graph.engine().mode() == RONDO_ENGINE_NAIVE);
}

Status check_profile(const Graph& graph) {
  RONDO_TRY(graph.engine().usable());
  if (Engine::in_task())
    return error(RONDO_INVALID_STATE, "a profile waits for its run, which a task may not; profile outside of tasks");
  if (Engine::thread_sink())
    return error(RONDO_INVALID_STATE,
                 "a profile waits for its run, which is not recorded; end the thread's recording first "
                 "(rondo_record_end)");
  return {};
}

// The run is done.
Status finish(Graph& graph, Profile& profile, const char* path) {
  RONDO_TRY(profile.finish());
  std::string text = profile_text(profile);
  if (path)
    RONDO_TRY(write_file("the file", path, [&](std::FILE* file) { std::fputs(profile_json(profile).c_str(), file); }));
  graph.keep_profile(std::move(text));
  return {};
}

Status wait_and_finish(Graph& graph, Profile& profile, const char* path) {
  for (const Ref<Storage>& arena : graph.replica(0).arenas) RONDO_TRY(graph.engine().wait(*arena));
  return finish(graph, profile, path);
}

// Comes after a measured launch that a setting asks for, and writes the file: it fails for nothing.
class ProfileWriter final : public Task {
 public:
  ProfileWriter(Device& host, Graph& graph, Ref<Profile> profile)
      : Task("profile", host), graph_(Ref<Graph>::share(&graph)), profile_(std::move(profile)) {
    calls_out_ = true;  // the graph may go with it, and tasks of the user's with that
    for (const Ref<Storage>& arena : graph.replica(0).arenas) follows(*arena);
  }
  Status run(const TaskContext&) override {
    write_asked(Setting::graph_profile, graph_->facts().number, graph_->name(), ".json",
                [this](const char* path) { return finish(*graph_, *profile_, path); });
    return {};
  }

 private:
  const Ref<Graph> graph_;
  const Ref<Profile> profile_;
};

// Without a wait.
class AskedProfile final : public LaunchInterceptor {
 public:
  Status launch(Graph& graph) const override {
    Device* host = nullptr;
    RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
    const Ref<Profile> profile = make_profile(graph);
    return graph.launch_measured(profile, make_ref<ProfileWriter>(*host, graph, profile));
  }
  Status call(Graph& graph, rondo_tensor* const* inputs, rondo_tensor** outputs) const override {
    Device* host = nullptr;
    RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
    const Ref<Profile> profile = make_profile(graph);
    return graph.call_measured(inputs, outputs, profile, make_ref<ProfileWriter>(*host, graph, profile));
  }
};

}  // namespace

const LaunchInterceptor* asked_profile() {
  static constexpr AskedProfile made;
  return setting_is_set(Setting::graph_profile) ? &made : nullptr;
}

Status profile_launch(Graph& graph, const char* path) {
  RONDO_TRY(check_profile(graph));
  if (graph.facts().callable)
    return error(RONDO_INVALID_STATE,
                 "graph '%s' was recorded with RONDO_RECORD_CALLABLE, to be given inputs and outputs by "
                 "rondo_graph_profile_call",
                 graph.name());
  RONDO_TRY(graph.checks().check_unwritten(graph.engine(), graph.name()));
  const Ref<Profile> profile = make_profile(graph);
  RONDO_TRY(graph.launch_measured(profile, nullptr));
  return wait_and_finish(graph, *profile, path);
}

Status profile_call(Graph& graph, rondo_tensor* const* inputs, rondo_tensor** outputs, const char* path) {
  RONDO_TRY(check_profile(graph));
  RONDO_TRY(graph.bindings().check(graph.engine(), graph.name(), inputs, outputs));
  RONDO_TRY(graph.checks().check_unwritten(graph.engine(), graph.name()));
  const Ref<Profile> profile = make_profile(graph);
  const std::vector<rondo_tensor*> given(outputs, outputs + graph.bindings().size() - graph.bindings().inputs());
  RONDO_TRY(graph.call_measured(inputs, outputs, profile, nullptr));
  Status status = caught([&] { return wait_and_finish(graph, *profile, path); });
  if (status.ok()) return {};
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i]) destroy_tensor(std::exchange(outputs[i], nullptr));
  return status;
}

}  // namespace rondo
