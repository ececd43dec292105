// Files that settings ask for: reports and pictures of graphs, traces of engines. What cannot be written is a line in
// the log and no failure. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>

#include "folder.h"
#include "harness.h"

namespace conformance {
namespace {

// What the log says meanwhile.
class Log {
 public:
  Log() {
    rondo_set_log(
        [](void* arg, rondo_log_level, const char* message) {
          Log* log = static_cast<Log*>(arg);
          const std::lock_guard lock(log->mutex_);
          log->text_ += std::string(message) + "\n";
        },
        this, nullptr, RONDO_LOG_WARNING);
  }
  ~Log() { rondo_set_log(nullptr, nullptr, nullptr, RONDO_LOG_OFF); }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

class Asked : public OnEngine {
 protected:
  Graph record_named(const char* name) const {
    const Tensor a = up(full(RONDO_F32, {4}, 1));
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.name = name;
    Tensor out;
    return record(
        engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); }, &options);
  }
  static std::string start() { return "rondo-" + std::to_string(getpid()) + "-"; }
  // An engine that is made, works and is destroyed.
  void work(const std::function<void(rondo_engine*)>& more = nullptr) const {
    const Engine made = create_engine(options());
    {
      const Tensor a = upload(made.get(), device(), full(RONDO_F32, {4}, 1)), b = make(rondo_unary, RONDO_NEG, a);
      if (more) more(made.get());
      must(rondo_tensor_wait(b));
    }
  }
  static bool has_span(const std::string& trace, const std::string& name) {
    const auto events = nlohmann::json::parse(trace)["traceEvents"];
    return std::any_of(events.begin(), events.end(), [&](const auto& each) { return each["name"] == name; });
  }
};
CONFORMANCE_ENGINE_SUITE(Asked);

TEST_P(Asked, GraphsAreReportedAndDrawn) {
  const Folder folder;
  const Setting reports("RONDO_GRAPH_REPORT", folder.path()), pictures("RONDO_GRAPH_DOT", folder.path());
  const Graph graph = record_named("step");
  const std::vector<std::string> names = folder.names();
  ASSERT_EQ(names.size(), 2u);
  const std::string stem = names[0].substr(0, names[0].size() - 4);
  EXPECT_EQ(stem.substr(0, start().size()), start());
  EXPECT_EQ(stem.substr(stem.size() - 5), "-step");
  EXPECT_EQ(names, (std::vector<std::string>{stem + ".dot", stem + ".txt"}));
  EXPECT_EQ(folder.text(names[1]), graph_report(graph.get()));
  EXPECT_EQ(folder.text(names[0]), written([&](const char* path) { return rondo_graph_dot(graph.get(), path); }));
}

TEST_P(Asked, SecondLaunchIsProfiled) {
  const Folder folder;
  const Tensor x = up(full(RONDO_F32, {4}, 1));
  {
    const Setting profiles("RONDO_GRAPH_PROFILE", folder.path());
    const Graph graph = record(engine(), [&] { into(x, rondo_binary_scalar, RONDO_ADD, x, 1.0); });
    must(rondo_graph_launch(graph.get()));
    must(rondo_engine_wait_all(engine()));
    EXPECT_TRUE(folder.names().empty()) << "the first one is as it is";
    for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
    must(rondo_engine_wait_all(engine()));
    EXPECT_EQ(download(x)[0], 5);
    EXPECT_EQ(graph_info(graph.get()).launches, 4);
    EXPECT_NE(graph_report(graph.get()).find("profile: 1 task"), std::string::npos) << graph_report(graph.get());
  }
  const std::vector<std::string> names = folder.names();
  EXPECT_EQ(names.size(), 1u);
  if (names.size() != 1) return;
  EXPECT_EQ(names[0].substr(names[0].size() - 11), "-graph.json");
  const nlohmann::json profile = nlohmann::json::parse(folder.text(names[0]));
  EXPECT_EQ(profile.at("tasks").size(), 1u) << profile.dump(1);
  EXPECT_EQ(profile.at("tasks").at(0).at("runs"), 1) << profile.dump(1);
}

TEST_P(Asked, HostileNamesStayInTheFolder) {
  const Folder folder;
  const Setting reports("RONDO_GRAPH_REPORT", folder.path());
  const std::string longest(5000, 'a');
  const Graph one = record_named("../../etc/x\n\x1b[31m;$(rm)\xc3\xbc"), two = record_named(longest.c_str());
  const std::vector<std::string> names = folder.names();
  ASSERT_EQ(names.size(), 2u);
  bool harmless = false, cut = false;
  for (const std::string& name : names) {
    for (const char c : name)
      EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_');
    harmless |= name.find("-.._.._etc_x___31m___rm___") != std::string::npos;
    cut |= name.find("-" + std::string(80, 'a') + ".txt") != std::string::npos;
  }
  EXPECT_TRUE(harmless && cut) << names[0] << " " << names[1];
}

TEST_P(Asked, WhatCannotBeWrittenIsLogged) {
  const Folder folder;
  const std::string file = folder.path() + "/file";
  std::ofstream(file) << "x";
  for (const std::string& place : {folder.path() + "/missing/folder", file, std::string("/proc/self/nowhere")}) {
    const Setting reports("RONDO_GRAPH_REPORT", place), pictures("RONDO_GRAPH_DOT", place),
        traces("RONDO_TRACE", place);
    Log log;
    const Setting profiles("RONDO_GRAPH_PROFILE", place);
    {
      const Graph graph = record_named("step");
      for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
      must(rondo_engine_wait_all(engine()));
    }
    work();
    for (const char* setting : {"RONDO_GRAPH_REPORT", "RONDO_GRAPH_DOT", "RONDO_GRAPH_PROFILE", "RONDO_TRACE"})
      EXPECT_TRUE(has_word(log.text(), setting)) << place << ": " << log.text();
    EXPECT_NE(log.text().find(place), std::string::npos) << log.text();
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
  EXPECT_EQ(folder.text("file"), "x");
}

TEST_P(Asked, EnginesAreTracedUntilTheyEnd) {
  const Folder folder;
  {
    const Setting traces("RONDO_TRACE", folder.path());
    work();
    work();
  }
  const std::vector<std::string> names = folder.names();
  ASSERT_EQ(names.size(), 2u);
  for (const std::string& name : names) {
    EXPECT_EQ(name.substr(0, start().size()), start());
    EXPECT_TRUE(has_span(folder.text(name), "neg")) << folder.text(name);
  }
}

TEST_P(Asked, TheProgramsOwnTraceGoesBefore) {
  const Folder folder;
  const Setting traces("RONDO_TRACE", folder.path());
  work([&](rondo_engine* made) {
    EXPECT_EQ(rondo_trace_end(made, nullptr), RONDO_INVALID_STATE) << "the program has none on";
    must(rondo_trace_begin(made));
    ASSERT_EQ(folder.names().size(), 1u) << "what was asked for ends here";
    EXPECT_EQ(rondo_trace_begin(made), RONDO_INVALID_STATE) << "its own is on";
    const Tensor a = upload(made, device(), full(RONDO_F32, {4}, 1)), b = make(rondo_unary, RONDO_EXP, a);
    const std::string own = written([&](const char* path) { return rondo_trace_end(made, path); });
    EXPECT_TRUE(has_span(own, "exp") && !has_span(own, "neg")) << own;
  });
  ASSERT_EQ(folder.names().size(), 1u);
  const std::string asked = folder.text(folder.names()[0]);
  EXPECT_TRUE(has_span(asked, "neg") && !has_span(asked, "exp")) << asked;
}

// In a process of its own, which ends with an engine that nobody destroys.
TEST_P(Asked, ProcessesThatEndWriteTheirTraces) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const char* const given = std::getenv("RONDO_TEST_ASKED");
  std::unique_ptr<Folder> folder;
  if (!given) {
    folder = std::make_unique<Folder>();
    setenv("RONDO_TEST_ASKED", folder->path().c_str(), 1);
  }
  EXPECT_EXIT(
      {
        const Setting traces("RONDO_TRACE", std::getenv("RONDO_TEST_ASKED"));
        // Static, so that a leak checker still reaches what nobody destroys.
        static rondo_engine* made = create_engine(options()).release();
        static rondo_tensor* ones = upload(made, device(), full(RONDO_F32, {4}, 1)).release();
        static rondo_tensor* left = nullptr;
        must(rondo_unary(RONDO_NEG, ones, &left));
        must(rondo_tensor_wait(left));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  if (given) return;
  unsetenv("RONDO_TEST_ASKED");
  ASSERT_EQ(folder->names().size(), 1u);
  const std::string trace = folder->text(folder->names()[0]);
  EXPECT_TRUE(has_span(trace, "neg")) << trace;
}

}  // namespace
}  // namespace conformance
