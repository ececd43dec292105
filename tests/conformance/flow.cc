// See flow.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "flow.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <unordered_map>

#include "harness.h"

namespace conformance {
namespace {

// Whether a line's label is of a tensor without elements: "f32 [3, 0]".
bool nothing(const std::string& line) {
  for (const char* size : {"[0]", "[0,", " 0]", " 0,"})
    if (line.find(size) != std::string::npos) return true;
  return false;
}

}  // namespace

std::vector<Piece> pieces_of(const std::string& dot) {
  std::vector<Piece> pieces;
  std::vector<size_t> piece_of;                    // by task
  std::unordered_map<std::string, size_t> number;  // of a task, by its name: t3, and in a body b3_0_t1
  std::vector<std::vector<size_t>> before;
  std::vector<bool> idle;
  bool result_is_nothing = false;
  std::istringstream lines(dot);
  for (std::string line; std::getline(lines, line);) {
    char from[64] = "", to[64] = "";
    const auto task = [&number](const char* name) {
      const auto found = number.find(name);
      return found == number.end() ? -1 : static_cast<int64_t>(found->second);
    };
    const auto result = [](const char* name) {
      const char* const last = std::strrchr(name, '_');
      return (last ? last + 1 : name)[0] == 'o';
    };
    if (line.find("label=\"segment ") != std::string::npos) {
      pieces.emplace_back();
      pieces.back().captured = line.find(": CUDA graph\"") != std::string::npos;
    } else if (line.find("label=\"in a conditional node\"") != std::string::npos) {
      pieces.emplace_back();
      pieces.back().inside = true;
    } else if (std::sscanf(line.c_str(), " %63[a-z0-9_] -> %63[a-z0-9_]", from, to) == 2) {
      if (task(from) < 0) continue;
      const auto earlier = static_cast<size_t>(task(from));
      if (task(to) >= 0) before.at(static_cast<size_t>(task(to))).push_back(earlier);
      if (task(to) >= 0 ? nothing(line) : result(to) && result_is_nothing) idle.at(earlier) = true;
    } else if (std::sscanf(line.c_str(), " %63[a-z0-9_] [shape=ellips%1[e]", to, from) == 2) {
      if (!result(to)) continue;
      result_is_nothing = nothing(line);  // on the next line whose it is
    } else if (line.rfind("    ", 0) == 0 && std::sscanf(line.c_str(), " %63[a-z0-9_] [label", to) == 1) {
      number[to] = piece_of.size();
      piece_of.push_back(pieces.size() - 1);
      before.emplace_back();
      idle.push_back(line.find("\"accept\"") != std::string::npos);
      ++pieces.back().tasks;
    }
  }
  // Pieces run one after the other, so only what goes on inside of one counts. A task comes after those it follows.
  std::vector<size_t> distance(piece_of.size(), 0);
  std::vector<std::vector<int32_t>> at(pieces.size());  // tasks by distance
  for (size_t task = 0; task < piece_of.size(); ++task) {
    pieces[piece_of[task]].idle += idle[task];
    for (const size_t each : before[task])
      if (piece_of[each] == piece_of[task]) distance[task] = std::max(distance[task], distance[each] + 1);
    std::vector<int32_t>& counts = at[piece_of[task]];
    if (counts.size() <= distance[task]) counts.resize(distance[task] + 1);
    pieces[piece_of[task]].abreast = std::max(pieces[piece_of[task]].abreast, ++counts[distance[task]]);
  }
  return pieces;
}

void expect_captured_as_drawn(rondo_graph* graph, int32_t max_branches, int32_t own) {
  const rondo_graph_info info = graph_info(graph);
  const std::string dot = written([&](const char* path) { return rondo_graph_dot(graph, path); });
  const std::vector<Piece> pieces = pieces_of(dot);
  const std::string what = graph_report(graph) + dot;
  int32_t tasks = 0, segments = 0, captured = 0, running = 0, most = 0, abreast = 0;
  for (const Piece& piece : pieces) {
    tasks += piece.tasks;
    segments += !piece.inside;
    if (!piece.captured) continue;
    ++captured;
    running += piece.tasks - piece.idle;
    most = std::max(most, piece.tasks);
    abreast = std::max(abreast, piece.abreast);
  }
  EXPECT_EQ(info.segments, segments) << what;
  EXPECT_EQ(info.tasks, tasks) << what;
  EXPECT_EQ(info.captured, captured) << what;
  EXPECT_GE(info.nodes, running - own) << what;
  // A graph that chooses is a chain, whatever its data flow.
  if (info.conditional_nodes == 0) {
    EXPECT_GE(info.branches, std::min(abreast, max_branches)) << what;
  } else if (segments == 1) {
    EXPECT_EQ(info.branches, 1) << what;
  }
  EXPECT_LE(info.branches, std::min(most, max_branches)) << what;
  if (captured == 0) {
    EXPECT_EQ(info.nodes, 0) << what;
  }
  if (abreast == 1 && info.conditional_nodes == 0) {
    EXPECT_EQ(info.branches, 1) << what;
    EXPECT_GE(info.edges, info.nodes - captured) << what;
  }
}

}  // namespace conformance
