// Recording and graphs. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

#include <algorithm>
#include <cstring>

#include "capi/capi.h"
#include "engine/handle.h"

struct rondo_graph {
  uint32_t magic = 0;
  rondo::Ref<rondo::Graph> graph;
};

using namespace rondo;
using capi::check_engine;
using capi::guard;

namespace {

using Graphs = HandleSlab<rondo_graph, 0x524e4731>;

Status check_graph(const rondo_graph* graph) {
  if (Graphs::alive(graph)) return {};
  return capi::dead_handle("graph", "graph", graph);
}

}  // namespace

extern "C" {

rondo_status rondo_record_begin(rondo_engine* engine, const rondo_record_options* options) {
  return guard("rondo_record_begin", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    const rondo_record_options defaults = RONDO_RECORD_OPTIONS_INIT;
    if (!options) options = &defaults;
    RONDO_TRY(capi::check_size("options", options->size, sizeof defaults));
    return begin_recording(*engine->engine, *options);
  });
}

rondo_status rondo_record_end(rondo_engine* engine, rondo_graph** graph) {
  return guard("rondo_record_end", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(graph);
    Ref<Graph> made;
    RONDO_TRY(end_recording(*engine->engine, &made));
    rondo_graph* handle = Graphs::create();
    handle->graph = std::move(made);
    engine->engine->live_objects.fetch_add(1);
    *graph = handle;
    return {};
  });
}

rondo_status rondo_record_abort(rondo_engine* engine) {
  return guard("rondo_record_abort", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    return abort_recording(*engine->engine);
  });
}

RONDO_HOT rondo_status rondo_graph_launch(rondo_graph* graph) {
  return guard("rondo_graph_launch", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    return graph->graph->launch();
  });
}

void rondo_graph_destroy(rondo_graph* graph) {
  if (!graph) return;
  guard("rondo_graph_destroy", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    Ref<Graph> inner = std::move(graph->graph);
    inner->engine().live_objects.fetch_sub(1);
    Graphs::destroy(graph);
    return {};
  });
}

rondo_status rondo_graph_query(rondo_graph* graph, rondo_graph_info* info) {
  return guard("rondo_graph_query", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    RONDO_NOT_NULL(info);
    RONDO_TRY(capi::check_size("info", info->size, sizeof(rondo_graph_info)));
    RONDO_TRY(graph->graph->engine().usable());
    graph->graph->query(info);
    return {};
  });
}

rondo_status rondo_graph_report(rondo_graph* graph, char* buffer, size_t capacity, size_t* length) {
  return guard("rondo_graph_report", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    RONDO_NOT_NULL(length);
    if (capacity && !buffer) return capi::null_argument("buffer");
    RONDO_TRY(graph->graph->engine().usable());
    const std::string text = graph->graph->report();
    if (capacity) {
      const size_t copied = std::min(capacity - 1, text.size());
      std::memcpy(buffer, text.data(), copied);
      buffer[copied] = '\0';
    }
    *length = text.size();
    return {};
  });
}

rondo_status rondo_graph_dot(rondo_graph* graph, const char* path) {
  return guard("rondo_graph_dot", [&]() -> Status {
    RONDO_TRY(check_graph(graph));
    RONDO_NOT_NULL(path);
    RONDO_TRY(graph->graph->engine().usable());
    return graph->graph->write_dot(path);
  });
}

}  // extern "C"
