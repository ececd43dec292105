// Records graphs, and launches, calls, changes, describes and destroys them, after checking their handles.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"
#include "graph/recording.h"

#include "base/file.h"
#include "base/files/asked.h"
#include "capi/graph.h"
#include "capi/operators.h"
#include "capi/structs.h"
#include "engine/handle.h"
#include "graph/tell/tell.h"

using namespace rondo;
using capi::check_engine;
using capi::guard;
using capi::guard_whole;

namespace {

using Graphs = HandleSlab<rondo_graph, HandleKind::graph>;

Status check_graph(const rondo_graph* graph) {
  return capi::check_graph(graph, "graph");
}

Status check_name(const char* name) {
  RONDO_NOT_NULL(name);
  if (*name) return {};
  return error(RONDO_INVALID_ARGUMENT, "name is empty; give it one to call it by");
}

[[gnu::always_inline]] inline Status check_tensors(const Graph& graph, int32_t n_inputs, rondo_tensor* const* inputs,
                                                   int32_t n_outputs, rondo_tensor* const* outputs) {
  RONDO_TRY(graph.check_call(n_inputs, n_outputs));
  if (n_inputs) RONDO_NOT_NULL(inputs);
  if (n_outputs) RONDO_NOT_NULL(outputs);
  for (int32_t i = 0; i < n_inputs; ++i) RONDO_TRY(capi::check_each(inputs, static_cast<size_t>(i), "inputs"));
  for (int32_t i = 0; i < n_outputs; ++i)
    if (outputs[i]) RONDO_TRY(capi::check_each(outputs, static_cast<size_t>(i), "outputs"));
  return {};
}

[[gnu::always_inline]] inline Status check_call(const rondo_graph* graph, int32_t n_inputs, rondo_tensor* const* inputs,
                                                int32_t n_outputs, rondo_tensor* const* outputs) {
  RONDO_TRY(check_graph(graph));
  return check_tensors(*graph->graph, n_inputs, inputs, n_outputs, outputs);
}

Status check_switch(int32_t on) {
  if (on == 0 || on == 1) return {};
  return error(RONDO_INVALID_ARGUMENT, "on is %d; 0 and 1 are possible", on);
}

Status set(rondo_graph* graph, const char* name, ops::Scalar value) {
  RONDO_TRY(check_graph(graph));
  RONDO_TRY(check_name(name));
  RONDO_TRY(graph->graph->engine().usable());
  return graph->graph->settings().set_parameter(graph->graph->name(), name, value);
}

Status write_text(const char* path, const std::string& text) {
  File file(open(path, O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (file && write_all(file.get(), text) && file.close()) return {};
  return error(RONDO_IO_ERROR, "writing '%s' failed: %m", path);
}

void write_asked_files(const Graph& graph) {
  write_asked(Setting::graph_report, graph.facts().number, graph.name(), ".txt",
              [&graph](const char* path) { return write_text(path, report_text(graph)); });
  write_asked(Setting::graph_dot, graph.facts().number, graph.name(), ".dot",
              [&graph](const char* path) { return write_dot(graph.facts(), path); });
}

}  // namespace

void capi::list_live_graphs(const Engine& engine, std::vector<std::string>* objects) {
  Graphs::for_each([&](const rondo_graph& each) {
    if (&each.graph->engine() == &engine) objects->push_back(std::string("graph '") + each.graph->name() + "'");
  });
}

namespace rondo::capi {

Status check_graph(const rondo_graph* graph, const char* name) {
  if (Graphs::alive(graph)) return {};
  return dead_handle(name, "graph", graph);
}

rondo_graph* make_graph(Ref<Graph> graph, Ref<FollowedGraph> followed) {
  return Graphs::create([&](rondo_graph& handle) {
    handle.graph = std::move(graph);
    handle.followed = std::move(followed);
  });
}

Status call_graph(Graph& graph, FollowedGraph& followed, int32_t n_inputs, rondo_tensor* const* inputs,
                  int32_t n_outputs, rondo_tensor** outputs, const RunLimit* limit) {
  RONDO_TRY(check_tensors(graph, n_inputs, inputs, n_outputs, outputs));
  return this_thread().tapes ? followed.call(inputs, outputs) : graph.call(inputs, outputs, limit);
}

}  // namespace rondo::capi

extern "C" {

rondo_status rondo_record_begin(rondo_engine* engine, const rondo_record_options* options) {
  return guard("rondo_record_begin", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    rondo_record_options chosen = RONDO_RECORD_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &chosen));
    return begin_recording(*engine->engine, chosen, (chosen.flags & RONDO_RECORD_CALLABLE) != 0);
  });
}

rondo_status rondo_record_end(rondo_engine* engine, rondo_graph** graph) {
  return guard_whole("rondo_record_end", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(graph);
    Ref<Graph> made;
    RONDO_TRY(end_recording(*engine->engine, &made));
    Ref<FollowedGraph> followed = make_ref<FollowedGraph>(made);
    *graph = capi::make_graph(std::move(made), std::move(followed));
    write_asked_files(*(*graph)->graph);
    return {};
  });
}

rondo_status rondo_record_abort(rondo_engine* engine) {
  return guard("rondo_record_abort", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    return abort_recording(*engine->engine);
  });
}

rondo_status rondo_record_output(rondo_engine* engine, rondo_tensor* tensor) {
  return guard("rondo_record_output", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(capi::check_tensor(tensor, "tensor"));
    return name_output(*engine->engine, tensor->view);
  });
}

rondo_status rondo_record_input(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                const int64_t* shape, rondo_tensor** input) {
  return guard("rondo_record_input", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(input);
    RONDO_TRY(engine->engine->usable());
    Layout layout;
    RONDO_TRY(check_shape(ndim, shape, dtype, &layout));
    Device* where = nullptr;
    RONDO_TRY(get_device(device, &where));
    return make_input(*engine->engine, *where, dtype, layout, input);
  });
}

rondo_status rondo_record_parameter(rondo_engine* engine, const char* name, rondo_device device, rondo_dtype dtype,
                                    double value, rondo_tensor** parameter) {
  return guard("rondo_record_parameter", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(check_name(name));
    RONDO_NOT_NULL(parameter);
    RONDO_TRY(engine->engine->usable());
    RONDO_TRY(check_dtype(dtype));
    Device* where = nullptr;
    RONDO_TRY(get_device(device, &where));
    return record_parameter(*engine->engine, name, *where, dtype, ops::Scalar::of(value), parameter);
  });
}

rondo_status rondo_record_section_begin(rondo_engine* engine, const char* name, int32_t on) {
  return guard("rondo_record_section_begin", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(check_name(name));
    RONDO_TRY(check_switch(on));
    return begin_section(*engine->engine, name, on != 0);
  });
}

rondo_status rondo_record_section_end(rondo_engine* engine) {
  return guard("rondo_record_section_end", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    return end_section(*engine->engine);
  });
}

rondo_status rondo_record_site(const char* site, int32_t* notes) {
  return guard("rondo_record_site", [&]() -> Status {
    if (!site && !notes)
      return error(RONDO_INVALID_ARGUMENT,
                   "site and notes are NULL; say where it was recorded, or ask whether that is "
                   "noted");
    if (site && !*site)
      return error(RONDO_INVALID_ARGUMENT, "site is empty; say where it was recorded, \"train.c:42\"");
    const bool noted = say_site(site);
    if (notes) *notes = noted;
    return {};
  });
}

rondo_status rondo_graph_set(rondo_graph* graph, const char* name, double value) {
  return guard("rondo_graph_set", [&]() -> Status { return set(graph, name, ops::Scalar::of(value)); });
}

rondo_status rondo_graph_set_i64(rondo_graph* graph, const char* name, int64_t value) {
  return guard("rondo_graph_set_i64", [&]() -> Status { return set(graph, name, ops::Scalar::of_i64(value)); });
}

rondo_status rondo_graph_enable(rondo_graph* graph, const char* name, int32_t on) {
  return guard("rondo_graph_enable", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    RONDO_TRY(check_name(name));
    RONDO_TRY(check_switch(on));
    RONDO_TRY(graph->graph->engine().usable());
    return graph->graph->settings().set_section(graph->graph->name(), name, on != 0);
  });
}

rondo_status rondo_record_is_open(rondo_engine* engine, int32_t* open) {
  return guard("rondo_record_is_open", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(open);
    RONDO_TRY(engine->engine->usable());
    *open = is_recording(*engine->engine);
    return {};
  });
}

RONDO_HOT rondo_status rondo_graph_launch(rondo_graph* graph) {
  return guard("rondo_graph_launch", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    return graph->graph->launch();
  });
}

RONDO_HOT rondo_status rondo_graph_call(rondo_graph* graph, int32_t n_inputs, rondo_tensor* const* inputs,
                                        int32_t n_outputs, rondo_tensor** outputs) {
  return guard("rondo_graph_call", [&]() -> Status {
    RONDO_TRY(check_call(graph, n_inputs, inputs, n_outputs, outputs));
    if (this_thread().tapes) [[unlikely]]
      return graph->followed->call(inputs, outputs);
    return graph->graph->call(inputs, outputs);
  });
}

void rondo_graph_destroy(rondo_graph* graph) {
  if (!graph) return;
  guard_whole("rondo_graph_destroy", [&]() -> Status {
    Ref<Graph> inner;
    Ref<FollowedGraph> followed;
    return capi::destroy<Graphs>(graph, "graph", "graph", [&](rondo_graph& each) {
      inner = std::move(each.graph);
      followed = std::move(each.followed);
    });
  });
}

rondo_status rondo_graph_query(rondo_graph* graph, rondo_graph_info* info) {
  return guard("rondo_graph_query", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    RONDO_TRY(graph->graph->engine().usable());
    return capi::write_info("info", info, graph->graph->query());
  });
}

rondo_status rondo_graph_report(rondo_graph* graph, char* buffer, size_t capacity, size_t* length) {
  return guard("rondo_graph_report", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    RONDO_NOT_NULL(length);
    if (capacity && !buffer) return capi::null_argument("buffer");
    RONDO_TRY(graph->graph->engine().usable());
    return capi::hand_out(report_text(*graph->graph), buffer, capacity, length);
  });
}

rondo_status rondo_graph_dot(rondo_graph* graph, const char* path) {
  return guard_whole("rondo_graph_dot", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    RONDO_NOT_NULL(path);
    RONDO_TRY(graph->graph->engine().usable());
    return write_dot(graph->graph->facts(), path);
  });
}

rondo_status rondo_graph_profile(rondo_graph* graph, const char* path) {
  return guard_whole("rondo_graph_profile", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    const Ref<Graph> kept = graph->graph;  // another thread may destroy the handle meanwhile
    return profile_launch(*kept, path);
  });
}

rondo_status rondo_graph_profile_call(rondo_graph* graph, const char* path, int32_t n_inputs,
                                      rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs) {
  return guard_whole("rondo_graph_profile_call", [&]() -> Status {
    RONDO_TRY(check_call(graph, n_inputs, inputs, n_outputs, outputs));
    const Ref<Graph> kept = graph->graph;  // another thread may destroy the handle meanwhile
    return profile_call(*kept, inputs, outputs, path);
  });
}

}  // extern "C"
