// Where in the program the tasks of a recording come from: failures, profiles and pictures of its graph say it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <nlohmann/json.hpp>

#include "control/control.h"

namespace conformance {
namespace {

class Sites : public OnControl {
 protected:
  static rondo_record_options noting(uint32_t flags = RONDO_RECORD_AS_WRITTEN) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = flags | RONDO_RECORD_SITES;
    return options;
  }
  static bool notes() {
    int32_t notes = -1;
    must(rondo_record_site(nullptr, &notes));
    return notes == 1;
  }
  static void say(const char* site) { must(rondo_record_site(site, nullptr)); }
  void moody(rondo_tensor* reads, rondo_tensor* writes) const {
    const rondo_task_options with = task_options("moody");
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_IO_ERROR; }, {reads}, {writes}, &with));
  }
  static std::string failure(const Graph& graph, rondo_tensor* of) {
    (void)rondo_graph_launch(graph.get());
    EXPECT_EQ(rondo_tensor_wait(of), RONDO_IO_ERROR);
    return rondo_last_error();
  }
  // Of the tasks, in the order of their numbers.
  static std::vector<std::string> sites(const Graph& graph) {
    const std::string text = written([&](const char* path) { return rondo_graph_profile(graph.get(), path); });
    const nlohmann::json profile = nlohmann::json::parse(text);
    std::vector<std::string> found;
    for (const nlohmann::json& each : profile.at("tasks")) found.push_back(each.value("site", std::string()));
    return found;
  }
};
CONFORMANCE_ENGINE_SUITE(Sites);

TEST_P(Sites, FailureInALaunchSaysWhereTheTaskWasRecorded) {
  const Tensor x = ones(4), y = ones(4);
  const rondo_record_options options = noting();
  const Graph graph = record(
      engine(),
      [&] {
        EXPECT_TRUE(notes());
        add(x, 1);
        say("model.txt:1");
        moody(x, y);
        say("model.txt:2");
        add(x, 1);
      },
      &options);
  const std::string message = failure(graph, y);
  EXPECT_NE(message.find(", recorded at model.txt:2)"), std::string::npos) << message;
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Sites, WhatNobodySaysHasTheCaller) {
  const Tensor x = ones(4), y = ones(4);
  const rondo_record_options options = noting();
  const Graph graph = record(
      engine(), [&] { moody(x, y); }, &options);
  const std::string message = failure(graph, y);
  // This program, and a place in it.
  EXPECT_NE(message.find(", recorded at "), std::string::npos) << message;
  EXPECT_NE(message.find("conformance_recording+0x"), std::string::npos) << message;
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Sites, NothingIsNotedUnlessARecordingAsks) {
  const Tensor x = ones(4), y = ones(4);
  EXPECT_FALSE(notes());
  say("nowhere:1");
  const Graph graph = record(engine(), [&] {
    EXPECT_FALSE(notes());
    moody(x, y);
    say("model.txt:2");
  });
  const std::string message = failure(graph, y);
  EXPECT_EQ(message.find("recorded at"), std::string::npos) << message;
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Sites, SettingAsksForAllRecordings) {
  const Tensor x = ones(4);
  setenv("RONDO_RECORD_SITES", "on", 1);
  Graph graph = record(engine(), [&] {
    EXPECT_TRUE(notes());
    add(x, 1);
    say("model.txt:7");
  });
  unsetenv("RONDO_RECORD_SITES");
  EXPECT_EQ(sites(graph), std::vector<std::string>{"model.txt:7"});
}

TEST_P(Sites, ProfilesReportsAndPicturesHaveThem) {
  const Tensor x = ones(4);
  const rondo_record_options options = noting();
  const Graph graph = record(
      engine(),
      [&] {
        add(x, 1);
        say("a.c:1");
        add(x, 1);
        add(x, 1);
        say("a.c:2");
      },
      &options);
  EXPECT_EQ(sites(graph), (std::vector<std::string>{"a.c:1", "a.c:2", "a.c:2"}));
  const std::string report = graph_report(graph.get());
  EXPECT_NE(report.find(", recorded at a.c:1\n"), std::string::npos) << report;
  const std::string picture = written([&](const char* path) { return rondo_graph_dot(graph.get(), path); });
  EXPECT_NE(picture.find("\\na.c:2\""), std::string::npos) << picture;
}

TEST_P(Sites, WhatPassesMadeOfSeveralHasAllOfTheirs) {
  const Tensor x = ones(4);
  Tensor y;
  const rondo_record_options options = noting(0);
  const Graph graph = record(
      engine(),
      [&] {
        Tensor a = make(rondo_unary, RONDO_EXP, x);
        say("a.c:1");
        Tensor b = make(rondo_unary, RONDO_TANH, a);
        say("a.c:2");
        Tensor c = make(rondo_unary, RONDO_EXP, b);
        say("a.c:1");
        y = make(rondo_binary, RONDO_ADD, c, a);
        say("a.c:4");
      },
      &options);
  EXPECT_EQ(sites(graph), std::vector<std::string>{"a.c:1, a.c:2, a.c:4"}) << graph_report(graph.get());
}

TEST_P(Sites, BodiesAndInlinedGraphsKeepTheirs) {
  const Tensor x = ones(4), y = ones(4), yes = truth(true);
  const rondo_record_options options = noting();
  const Graph inner = record(
      engine(),
      [&] {
        add(x, 1);
        say("inner.c:1");
      },
      &options);
  const rondo_record_options with_passes = noting(0);
  const Graph outer = record(
      engine(),
      [&] {
        must(rondo_graph_launch(inner.get()));
        say("outer.c:1");
        if_else(
            yes,
            [&] {
              moody(x, y);
              say("outer.c:2");
            },
            [] {});
        say("outer.c:3");
      },
      &with_passes);
  const std::string message = failure(outer, y);
  EXPECT_NE(message.find(", recorded at outer.c:2)"), std::string::npos) << message;
  const std::string picture = written([&](const char* path) { return rondo_graph_dot(outer.get(), path); });
  EXPECT_NE(picture.find("inner.c:1"), std::string::npos) << picture;
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Sites, WhatSaysNothingIsRefused) {
  int32_t notes = 7;
  expect_refused(rondo_record_site("", &notes), RONDO_INVALID_ARGUMENT, "rondo_record_site", "site");
  expect_refused(rondo_record_site(nullptr, nullptr), RONDO_INVALID_ARGUMENT, "rondo_record_site", "notes");
  EXPECT_EQ(notes, 7);
}

}  // namespace
}  // namespace conformance
