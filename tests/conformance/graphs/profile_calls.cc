// Profiles of graphs that are called, and of graphs that a recording launches. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <nlohmann/json.hpp>

#include "folder.h"
#include "graphs/calls.h"

namespace conformance {
namespace {

using nlohmann::json;

class ProfileOfCalls : public OnCalls {
 protected:
  static rondo_status profile(const Callable& graph, std::vector<rondo_tensor*> inputs,
                              std::vector<rondo_tensor*>* outputs, const char* path) {
    return rondo_graph_profile_call(graph.get(), path, static_cast<int32_t>(inputs.size()), inputs.data(),
                                    static_cast<int32_t>(outputs->size()), outputs->data());
  }
  static const json* find(const json& profile, const std::string& name) {
    for (const json& each : profile.at("tasks"))
      if (each.at("name") == name) return &each;
    return nullptr;
  }
  // Sums each row of what it is given, times two, through a product that a library may do on a GPU.
  Callable rows() const {
    return callable({{RONDO_F32, {3, 4}}, {RONDO_F32, {4, 1}}}, [](const std::vector<Tensor>& in) {
      return list(make(rondo_binary_scalar, RONDO_MUL, make(rondo_matmul, in[0], in[1], nullptr), 2.0));
    });
  }
};
CONFORMANCE_ENGINE_SUITE(ProfileOfCalls);

TEST_P(ProfileOfCalls, HasTheBitsOfACall) {
  const Callable graph = rows();
  const Tensor ones_of = up(full(RONDO_F32, {4, 1}, 1));
  for (int i = 1; i <= 4; ++i) {
    const Tensor x = up(full(RONDO_F32, {3, 4}, i));
    std::vector<rondo_tensor*> made(1, nullptr);
    json all;
    if (i % 2)
      must(rondo_graph_call(graph.get(), 2, std::vector<rondo_tensor*>{x, ones_of}.data(), 1, made.data()));
    else
      all = json::parse(written([&](const char* path) { return profile(graph, {x, ones_of}, &made, path); }));
    const Tensor y(made[0]);
    expect_all(y, 8 * i);
    if (i % 2) continue;
    EXPECT_GE(all.at("tasks").size(), 1u);
    for (const json& each : all.at("tasks")) EXPECT_EQ(each.at("runs"), 1) << all.dump(1);
    EXPECT_NE(graph_report(graph.get()).find("critical path"), std::string::npos);
  }
  EXPECT_EQ(graph_info(graph.get()).launches, 4);
}

TEST_P(ProfileOfCalls, GivenOutputsAreWritten) {
  const Callable graph = rows();
  const Tensor x = up(full(RONDO_F32, {3, 4}, 2)), w = up(full(RONDO_F32, {4, 1}, 1)),
               y = up(full(RONDO_F32, {3, 1}, -1));
  std::vector<rondo_tensor*> outputs = {y};
  must(profile(graph, {x, w}, &outputs, nullptr));
  EXPECT_EQ(outputs[0], static_cast<rondo_tensor*>(y));
  expect_all(y, 16);
  // The next call finds nothing of that left.
  const Tensor other = up(full(RONDO_F32, {3, 4}, 3));
  expect_all(call(graph, {other, w}), 24);
  expect_all(y, 16);
}

TEST_P(ProfileOfCalls, FailureLeavesTheSlots) {
  std::atomic<bool> bad{true};
  const Callable graph = callable({{RONDO_F32, {4}}}, [&](const std::vector<Tensor>& in) {
    Tensor out = make(rondo_unary, RONDO_ABS, in[0]);
    const rondo_task_options with = task_options("moody");
    must(push_tensors(
        engine(), [&bad](rondo_task_context*) { return bad ? RONDO_IO_ERROR : RONDO_OK; }, {in[0]}, {out}, &with));
    return list(make(rondo_unary, RONDO_NEG, out));
  });
  const Tensor x = ones(4);
  std::vector<rondo_tensor*> outputs(1, nullptr);
  EXPECT_EQ(profile(graph, {x}, &outputs, nullptr), RONDO_IO_ERROR);
  EXPECT_TRUE(has_word(rondo_last_error(), "moody") && has_word(rondo_last_error(), "rondo_graph_profile_call"))
      << rondo_last_error();
  EXPECT_EQ(outputs[0], nullptr);
  (void)rondo_engine_wait_all(engine());
  bad = false;
  EXPECT_EQ(profile(graph, {x}, &outputs, "/proc/self/nowhere/file"), RONDO_IO_ERROR);
  EXPECT_EQ(outputs[0], nullptr) << "the run took place, and its results are gone";
  must(profile(graph, {x}, &outputs, nullptr));
  const Tensor y(outputs[0]);
  must(rondo_tensor_wait(y));
}

TEST_P(ProfileOfCalls, WhatDoesNotFitIsRefused) {
  const Callable graph = rows();
  const Tensor x = up(full(RONDO_F32, {3, 4}, 1)), w = up(full(RONDO_F32, {4, 1}, 1)), blank = empty(RONDO_F32, {3, 4});
  const Graph launched = record(engine(), [&] { into(x, rondo_binary_scalar, RONDO_ADD, x, 1.0); });
  std::vector<rondo_tensor*> outputs(1, nullptr), none;
  const char* const name = "rondo_graph_profile_call";
  expect_refused(profile(graph, {x}, &outputs, nullptr), RONDO_INVALID_ARGUMENT, name, "n_inputs");
  expect_refused(profile(graph, {x, w}, &none, nullptr), RONDO_INVALID_ARGUMENT, name, "n_outputs");
  expect_refused(profile(graph, {w, x}, &outputs, nullptr), RONDO_INVALID_ARGUMENT, name, "inputs[0]");
  expect_refused(profile(graph, {blank, w}, &outputs, nullptr), RONDO_INVALID_STATE, name, "inputs[0]");
  expect_refused(profile(launched, {}, &none, nullptr), RONDO_INVALID_STATE, name, "rondo_graph_launch");
  std::vector<rondo_tensor*> inputs = {x, w};
  expect_refused(rondo_graph_profile_call(graph.get(), nullptr, 2, nullptr, 1, outputs.data()), RONDO_INVALID_ARGUMENT,
                 name, "inputs");
  expect_refused(rondo_graph_profile_call(graph.get(), nullptr, 2, inputs.data(), 1, nullptr), RONDO_INVALID_ARGUMENT,
                 name, "outputs");
  const Graph outer = record(engine(), [&] {
    expect_refused(profile(graph, {x, w}, &outputs, nullptr), RONDO_INVALID_STATE, name, "recording");
  });
  EXPECT_EQ(outputs[0], nullptr);
  EXPECT_EQ(graph_info(graph.get()).launches, 0);
}

TEST_P(ProfileOfCalls, SettingAsksForTheSecondCall) {
  const Folder folder;
  setenv("RONDO_GRAPH_PROFILE", folder.path().c_str(), 1);
  const Callable graph = rows();
  const Tensor w = up(full(RONDO_F32, {4, 1}, 1));
  for (int i = 1; i <= 3; ++i) {
    const Tensor x = up(full(RONDO_F32, {3, 4}, i));
    expect_all(call(graph, {x, w}), 8 * i);
    must(rondo_engine_wait_all(engine()));
    EXPECT_EQ(folder.names().size(), i > 1 ? 1u : 0u) << "call " << i;
  }
  unsetenv("RONDO_GRAPH_PROFILE");
}

TEST_P(ProfileOfCalls, RecordedLaunchesAreMeasuredByTask) {
  const Tensor x = ones(4);
  // A section keeps the inner graph a launch.
  const rondo_record_options options = [] {
    rondo_record_options with = RONDO_RECORD_OPTIONS_INIT;
    with.name = "block";
    with.flags = RONDO_RECORD_AS_WRITTEN;
    return with;
  }();
  Tensor noise;
  const Shape shape = {4};
  const Graph block = record(
      engine(),
      [&] {
        must(rondo_record_section_begin(engine(), "twice", 1));
        into(x, rondo_binary_scalar, RONDO_MUL, x, 2.0);
        must(rondo_record_section_end(engine()));
        noise = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0);
        into(x, rondo_binary, RONDO_ADD, x, noise);
      },
      &options);
  const Graph whole = record(engine(), [&] {
    into(x, rondo_binary_scalar, RONDO_ADD, x, 1.0);
    must(rondo_graph_launch(block.get()));
    must(rondo_graph_launch(block.get()));
  });
  Array results[2];
  for (const bool profiled : {false, true}) {
    must(rondo_engine_seed(engine(), 3));
    must(rondo_fill(x, 1.0));
    if (!profiled) {
      for (int i = 0; i < 3; ++i) must(rondo_graph_launch(whole.get()));
    } else {
      must(rondo_graph_launch(whole.get()));
      const json all = json::parse(written([&](const char* path) { return rondo_graph_profile(whole.get(), path); }));
      const json* mul = find(all, "mul_scalar");
      if (!mul) mul = find(all, "mul");
      EXPECT_NE(mul, nullptr) << all.dump(1);
      if (mul) {
        EXPECT_EQ(mul->at("runs"), 2) << all.dump(1);
        EXPECT_EQ(mul->at("body"), "task 1 'block'") << all.dump(1);
      }
      EXPECT_EQ(all.at("critical_path"), json({0, 1, 2})) << all.dump(1);
      must(rondo_graph_launch(whole.get()));
    }
    results[profiled] = download(x);
  }
  expect_same_bits(results[1], results[0], "after a profile between two launches");
}

}  // namespace
}  // namespace conformance
