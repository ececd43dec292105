// A graph's profile: a launch, with its bits, that says of each task when it ran and for how long, inside CUDA graphs
// and bodies of control flow too. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "control/control.h"

namespace conformance {
namespace {

using nlohmann::json;

class Profile : public OnControl {
 protected:
  static json profile(const Graph& graph) {
    return json::parse(written([&](const char* path) { return rondo_graph_profile(graph.get(), path); }));
  }
  // The tasks of a name.
  static std::vector<json> named(const json& profile, const std::string& name) {
    std::vector<json> found;
    for (const json& each : profile.at("tasks"))
      if (each.at("name") == name) found.push_back(each);
    return found;
  }
  static rondo_record_options as_written(uint32_t flags = 0) {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_AS_WRITTEN | flags;
    return options;
  }
  // That a host's task takes, at least.
  static constexpr int kSleepMs = 5;
  void sleeping(rondo_tensor* reads, rondo_tensor* writes) const {
    const rondo_task_options with = task_options("sleeping");
    must(push_tensors(
        engine(),
        [](rondo_task_context*) {
          std::this_thread::sleep_for(std::chrono::milliseconds(kSleepMs));
          return RONDO_OK;
        },
        {reads}, {writes}, &with));
  }
};
CONFORMANCE_ENGINE_SUITE(Profile);

TEST_P(Profile, HasTheBitsOfALaunch) {
  const Shape shape = {3, 5};
  std::vector<Array> runs[2];
  for (const bool profiled : {false, true}) {
    must(rondo_engine_seed(engine(), 7));
    const Tensor x = up(full(RONDO_F32, shape, 0.5)), w = up(full(RONDO_F32, {5, 5}, 0.25));
    Tensor noise, product, later;
    const Graph graph = record(engine(), [&] {
      noise = make(rondo_random_normal, engine(), device(), RONDO_F32, 2, shape.data(), 0.0, 1.0);
      into(x, rondo_binary, RONDO_ADD, x, noise);
      product = make(rondo_matmul, x, w, nullptr);
      later = make(rondo_unary, RONDO_TANH, product);
    });
    for (int i = 0; i < 4; ++i) {
      if (profiled && i % 2 == 1)
        must(rondo_graph_profile(graph.get(), nullptr));
      else
        must(rondo_graph_launch(graph.get()));
      for (rondo_tensor* each : std::vector<rondo_tensor*>{noise, x, product, later})
        runs[profiled].push_back(download(each));
    }
    EXPECT_EQ(graph_info(graph.get()).launches, 4);
    runs[profiled].push_back(
        download(make(rondo_random_uniform, engine(), device(), RONDO_F32, 2, shape.data(), 0., 1.)));
  }
  EXPECT_EQ(runs[0].size(), runs[1].size());
  for (size_t i = 0; i < runs[0].size() && i < runs[1].size(); ++i)
    expect_same_bits(runs[1][i], runs[0][i], "result " + std::to_string(i));
}

TEST_P(Profile, SaysOfEachTaskHowLongItTook) {
  const Tensor x = ones(4);
  Tensor b, c, d;
  const rondo_record_options options = as_written();
  const Graph graph = record(
      engine(),
      [&] {
        b = make(rondo_unary, RONDO_NEG, x);
        c = make(rondo_unary, RONDO_EXP, x);
        d = make(rondo_binary, RONDO_ADD, b, c);
      },
      &options);
  expect_captured(graph.get());
  const json all = profile(graph);
  EXPECT_EQ(all.at("graph"), "graph");
  const json& tasks = all.at("tasks");
  EXPECT_EQ(tasks.size(), 3u) << all.dump(1);
  double sum = 0, shares = 0;
  for (const json& each : tasks) {
    EXPECT_EQ(each.at("runs"), 1);
    EXPECT_GE(each.at("us").get<double>(), 0);
    EXPECT_GE(each.at("start_us").get<double>(), 0);
    EXPECT_EQ(each.at("device"), on_cuda() ? "cuda:0" : "cpu:0");
    EXPECT_EQ(each.at("segment"), 0);
    EXPECT_EQ(each.contains("kernels"), on_cuda());
    sum += each.at("us").get<double>();
    shares += each.at("share").get<double>();
  }
  EXPECT_NEAR(sum, all.at("total_us").get<double>(), 0.01);
  EXPECT_NEAR(shares, sum > 0 ? 1 : 0, 0.001);
  EXPECT_LE(all.at("critical_us").get<double>(), all.at("total_us").get<double>() + 0.01);
  const json path = all.at("critical_path");
  EXPECT_EQ(path.size(), 2u) << all.dump(1);
  EXPECT_EQ(path.back(), 2);
  EXPECT_EQ(named(all, "neg").at(0).at("operands"), "f32 [4] -> f32 [4]");
  EXPECT_EQ(named(all, "neg").at(0).at("bytes"), 32);
  EXPECT_EQ(named(all, "add").at(0).at("bytes"), 48);
  EXPECT_EQ(named(all, "add").at(0).at("after"), json({0, 1}));
  const std::string report = graph_report(graph.get());
  EXPECT_NE(report.find("profile: 3 tasks one after the other took"), std::string::npos) << report;
  EXPECT_NE(report.find("critical path"), std::string::npos) << report;
  EXPECT_NE(report.find("task 2 'add' on"), std::string::npos) << report;
}

TEST_P(Profile, CriticalPathGoesThroughTheLongestTask) {
  const Tensor x = up(full(RONDO_F32, {4}, 1)), quick = ones(4), slow = ones(4);
  const rondo_record_options options = as_written();
  const Graph graph = record(
      engine(),
      [&] {
        add(quick, 1);
        sleeping(x, slow);
        add(slow, 1);
      },
      &options);
  json all = profile(graph);
  // On a busy machine the first may be kept from a processor for longer than the second sleeps.
  for (int again = 0; again < 20 && all.at("critical_path") == json({0}); ++again) all = profile(graph);
  const double us = named(all, "sleeping").at(0).at("us");
  EXPECT_GE(us, kSleepMs * 1000);
  EXPECT_GE(all.at("critical_us").get<double>(), us);
  EXPECT_EQ(all.at("critical_path"), json({1, 2})) << all.dump(1);
  const std::string report = graph_report(graph.get());
  EXPECT_LT(report.find("'sleeping' on cpu:0"), report.find("task 2 'add'")) << "the longest comes first: " << report;
}

TEST_P(Profile, BodiesAreMeasuredAsOftenAsTheyRun) {
  const Tensor x = ones(4), y = ones(4), go_on = truth(true), left = ones(1, 3);
  const Graph graph = record_for_host([&] {
    if_else(
        go_on, [&] { add(x, 1); }, [&] { multiply(x, 7); });
    while_true(go_on, [&] {
      add(left, -1);
      add(y, 1);
      into(go_on, rondo_binary_scalar, RONDO_GT, reshape(left, {}), 0.0);
    });
  });
  const json all = profile(graph);
  EXPECT_EQ(first(x), 2);
  EXPECT_EQ(first(y), 4);
  int64_t then = 0, other = 0, turns = 0;
  for (const json& each : all.at("tasks")) {
    if (!each.contains("body")) continue;
    const std::string body = each.at("body");
    (body.find("'while'") != std::string::npos ? turns
     : body.find("then") != std::string::npos  ? then
                                               : other) += each.at("runs").get<int64_t>();
  }
  EXPECT_EQ(then, 1) << all.dump(1);
  EXPECT_EQ(other, 0) << all.dump(1);
  EXPECT_GE(turns, 3) << all.dump(1);
  EXPECT_EQ(turns % 3, 0) << all.dump(1);
}

TEST_P(Profile, RunsWithWhatWasSet) {
  const Tensor x = ones(4);
  Tensor rate;
  const rondo_record_options options = as_written();
  const Graph graph = record(
      engine(),
      [&] {
        must(rondo_record_parameter(engine(), "rate", device(), RONDO_F32, 2, rate.slot()));
        into(x, rondo_binary, RONDO_MUL, x, rate);
        must(rondo_record_section_begin(engine(), "more", 0));
        add(x, 100);
        must(rondo_record_section_end(engine()));
      },
      &options);
  must(rondo_graph_set(graph.get(), "rate", 3));
  const json off = profile(graph);
  EXPECT_EQ(first(x), 3);
  EXPECT_EQ(named(off, "add").at(0).at("runs"), 0);
  EXPECT_FALSE(named(off, "add").at(0).contains("us"));
  must(rondo_graph_enable(graph.get(), "more", 1));
  const json on = profile(graph);
  EXPECT_EQ(first(x), 109);
  EXPECT_EQ(named(on, "add").at(0).at("runs"), 1);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 427) << "a launch after profiles has the same settings";
}

TEST_P(Profile, FailureIsToldAndTheNextRunIsGood) {
  const Tensor x = ones(4), y = ones(4);
  std::atomic<bool> bad{true};
  const Graph graph = record(engine(), [&] {
    const rondo_task_options with = task_options("moody");
    must(push_tensors(
        engine(), [&bad](rondo_task_context*) { return bad ? RONDO_IO_ERROR : RONDO_OK; }, {x}, {y}, &with));
  });
  EXPECT_EQ(rondo_graph_profile(graph.get(), nullptr), RONDO_IO_ERROR);
  const std::string message = rondo_last_error();
  EXPECT_TRUE(has_word(message, "moody") && has_word(message, "rondo_graph_profile")) << message;
  EXPECT_EQ(graph_report(graph.get()).find("profile:"), std::string::npos);
  (void)rondo_engine_wait_all(engine());
  bad = false;
  EXPECT_EQ(named(profile(graph), "moody").size(), 1u);
  must(rondo_tensor_wait(y));
}

TEST_P(Profile, FailureInALaunchNamesTaskAndShapes) {
  const Tensor x = up(full(RONDO_F32, {2, 3}, 1)), y = ones(4);
  const Graph graph = record(engine(), [&] {
    const rondo_task_options with = task_options("moody");
    must(push_tensors(
        engine(), [](rondo_task_context*) { return RONDO_IO_ERROR; }, {x}, {y}, &with));
  });
  (void)rondo_graph_launch(graph.get());
  EXPECT_EQ(rondo_tensor_wait(y), RONDO_IO_ERROR);
  const std::string message = rondo_last_error();
  EXPECT_NE(message.find("graph 'graph': task 'moody' on cpu:0"), std::string::npos) << message;
  EXPECT_NE(message.find("(task 0 of the graph, on f32 [2, 3] -> f32 [4])"), std::string::npos) << message;
  EXPECT_STREQ(rondo_last_error_operator(nullptr), "moody");
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Profile, PoisonedInputIsTold) {
  const Tensor x = ones(4), y = ones(4);
  const Graph graph = record(engine(), [&] { add(x, 1); });
  (void)push_tensors(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {y}, {x});
  EXPECT_EQ(rondo_graph_profile(graph.get(), nullptr), RONDO_USER_ERROR);
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Profile, WhatCannotBeMeasuredIsRefused) {
  const Tensor x = ones(4), blank = empty(RONDO_F32, {4});
  Tensor y;
  const Graph graph = record(engine(), [&] { add(x, 1); });
  const rondo_record_options callable = as_written(RONDO_RECORD_CALLABLE);
  const Shape shape = {4};
  const Graph called = record(
      engine(),
      [&] {
        const Tensor in = make(rondo_record_input, engine(), device(), RONDO_F32, 1, shape.data());
        must(rondo_record_output(engine(), make(rondo_unary, RONDO_NEG, in)));
      },
      &callable);
  expect_refused(rondo_graph_profile(called.get(), nullptr), RONDO_INVALID_STATE, "rondo_graph_profile",
                 "rondo_graph_profile_call");
  const Graph outer = record(engine(), [&] {
    expect_refused(rondo_graph_profile(graph.get(), nullptr), RONDO_INVALID_STATE, "rondo_graph_profile", "recording");
    add(x, 1);
  });
  rondo_status inside = RONDO_OK;
  must(push_tensors(engine(),
                    [&](rondo_task_context*) {
                      inside = rondo_graph_profile(graph.get(), nullptr);
                      return RONDO_OK;
                    },
                    {}, {x}));
  must(rondo_tensor_accept(x));
  must(rondo_tensor_wait(x));
  EXPECT_EQ(inside, RONDO_INVALID_STATE);
  const Graph reads = record(engine(), [&] { y = make(rondo_unary, RONDO_NEG, blank); });
  expect_refused(rondo_graph_profile(reads.get(), nullptr), RONDO_INVALID_STATE, "rondo_graph_profile", nullptr);
  EXPECT_TRUE(std::strstr(rondo_last_error(), "never written")) << rondo_last_error();
  EXPECT_EQ(first(x), 1) << "nothing of what was refused has run";
  expect_refused(rondo_graph_profile(graph.get(), "/proc/self/nowhere/file"), RONDO_IO_ERROR, "rondo_graph_profile",
                 nullptr);
  EXPECT_EQ(first(x), 2) << "the run took place";
}

TEST_P(Profile, EmptyGraphHasNone) {
  const Graph graph = record(engine(), [] {});
  const json all = profile(graph);
  EXPECT_EQ(all.at("tasks"), json::array());
  EXPECT_EQ(all.at("critical_path"), json::array());
}

}  // namespace
}  // namespace conformance
