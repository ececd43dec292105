// Graphs tell of themselves in these ways, for people and programs: reports, pictures, profiles.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "graph/run/graph.h"
#include "graph/run/profile.h"

namespace rondo {

// For people: segments, what passes did, bodies, settings, bindings, memory, times, the last profile.
std::string report_text(const Graph& graph);

// A picture in the language DOT: tasks in their segments, and on the edges the tensors that go from one to another.
Status write_dot(const GraphFacts& facts, const char* path);

// Launches or calls the graph, each of whose tasks is timed, and waits for that. path null: what the profile says goes
// to the report alone.
Status profile_launch(Graph& graph, const char* path);
Status profile_call(Graph& graph, rondo_tensor* const* inputs, rondo_tensor** outputs, const char* path);

// If RONDO_GRAPH_PROFILE asks for a profile of each graph: what makes it of the second launch or call; else null.
const LaunchInterceptor* asked_profile();

// A profile that is done: for people, and for tests/conformance and `rondo graph`.
std::string profile_text(const Profile& profile);
std::string profile_json(const Profile& profile);

}  // namespace rondo
