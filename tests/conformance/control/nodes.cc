// Control flow that CUDA graphs decide themselves: one segment, no host, and the bits of eager calls and of the host's
// decisions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "control/control.h"

namespace conformance {
namespace {

class ControlNodes : public OnControl {
 protected:
  // Whether the driver has conditional nodes.
  bool chooses() const {
    int32_t available = 0;
    must(rondo_feature("conditional_nodes", &available, nullptr));
    return on_cuda() && available;
  }
  void expect_nodes(const Graph& graph, int nodes) const {
    if (!chooses()) return;
    const std::string report = graph_report(graph.get());
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1) << report;
    EXPECT_EQ(info.captured, 1) << report;
    EXPECT_EQ(info.conditional_nodes, nodes) << report;
  }
};
CONFORMANCE_ENGINE_SUITE(ControlNodes);

TEST_P(ControlNodes, IfElseIsOneGraph) {
  const Tensor x = ones(64), y = ones(64, 5);
  const auto program = [&] {
    add(y, 1);
    if_else(
        positive(x), [&] { multiply(y, 2); }, [&] { add(y, 100); });
    add(y, 1);
  };
  const Graph graph = record(engine(), program), host = record_for_host(program);
  expect_nodes(graph, 1);
  EXPECT_EQ(graph_info(host.get()).conditional_nodes, 0);
  for (const Graph* each : {&graph, &host}) {
    must(rondo_fill(y, 5));
    must(rondo_fill(x, 1));
    for (int i = 0; i < 3; ++i) must(rondo_graph_launch(each->get()));
    EXPECT_EQ(first(y), 61);
    must(rondo_fill(x, -1));
    must(rondo_graph_launch(each->get()));
    EXPECT_EQ(first(y), 163);
  }
}

TEST_P(ControlNodes, WhileIsOneGraph) {
  const Tensor x = ones(33), turns = ones(1, 0);
  const Graph graph = record(engine(), [&] {
    const Tensor condition = make(rondo_binary_scalar, RONDO_LT, slice(x, 0, 0, 1), 1000.0);
    while_true(
        condition,
        [&] {
          multiply(x, 2);
          add(turns, 1);
          into(condition, rondo_binary_scalar, RONDO_LT, slice(x, 0, 0, 1), 1000.0);
        },
        9);
  });
  expect_nodes(graph, 1);
  for (const Real start : {1, 500, 2000}) {
    must(rondo_fill(x, start));
    must(rondo_fill(turns, 0));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(x), start == 1 ? 512 : start == 500 ? 1000 : 2000);
    EXPECT_EQ(first(turns), start == 1 ? 9 : start == 500 ? 1 : 0);
  }
}

TEST_P(ControlNodes, SwitchIsOneGraphAndBodiesMayBeEmpty) {
  const Tensor index = up(full(RONDO_I32, {1}, 0)), x = ones(9, 0);
  const Graph graph = record(engine(), [&] {
    choose(index, {[&] { add(x, 1); }, [] {}, [&] { add(x, 100); }});
    add(x, 1000);
  });
  // Drivers for 12.4 to 12.7 have no such nodes with several bodies.
  if (graph_report(graph.get()).find("older than CUDA 12.8") == std::string::npos) expect_nodes(graph, 1);
  Real expected = 0;
  for (const int64_t i : {0, 1, 2, -1, 3, 2}) {
    must(rondo_fill_i64(index, i));
    must(rondo_graph_launch(graph.get()));
    expected += 1000 + (i == 0 ? 1 : i == 2 ? 100 : 0);
  }
  EXPECT_EQ(first(x), expected);
}

TEST_P(ControlNodes, NestedRandomNumbersAreEagerOnes) {
  const Tensor condition = truth(true), turns = ones(1, 3), out = ones(50, 0);
  const Shape shape = {50};
  const auto draw = [&] {
    into(out, rondo_binary, RONDO_ADD, out,
         make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0));
  };
  const auto program = [&] {
    draw();
    const Tensor going = make(rondo_binary_scalar, RONDO_GT, turns, 0.0);
    while_true(going, [&] {
      multiply(out, 0.5);
      draw();
      if_else(
          condition, [&] { draw(); },
          [&] {
            draw();
            draw();
          });
      add(turns, -1);
      into(going, rondo_binary_scalar, RONDO_GT, turns, 0.0);
    });
    if_else(condition, draw);
    draw();
  };
  const Graph graph = record(engine(), program), host = record_for_host(program);
  expect_nodes(graph, 3);
  Array results[3];
  for (const int way : {0, 1, 2}) {
    must(rondo_engine_seed(engine(), 77));
    must(rondo_fill(out, 0));
    for (int i = 0; i < 4; ++i) {
      must(rondo_fill(condition, i % 2));
      must(rondo_fill(turns, i));
      if (way == 0)
        program();
      else
        must(rondo_graph_launch(way == 1 ? graph.get() : host.get()));
    }
    // What comes later on the host has the same numbers too.
    const Tensor home = make(rondo_random_normal, engine(), kCpu, RONDO_F32, 1, shape.data(), 0.0, 1.0);
    into(out, rondo_binary, RONDO_ADD, out, upload(engine(), device(), download(home)));
    results[way] = download(out);
  }
  expect_same_bits(results[1], results[0], "a conditional node");
  expect_same_bits(results[2], results[0], "decided by the host");
}

TEST_P(ControlNodes, UserTasksStayWithTheHost) {
  const Tensor x = ones(8), condition = truth(true);
  rondo_task_options own = task_options("own", device());
  const Graph graph = record(engine(), [&] {
    if_else(condition, [&] {
      must(push(
          engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {variable_of(x)}, &own));
      add(x, 1);
    });
  });
  const std::string report = graph_report(graph.get());
  EXPECT_EQ(graph_info(graph.get()).conditional_nodes, 0) << report;
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 2);
}

TEST_P(ControlNodes, SectionsSwitchThem) {
  const Tensor x = ones(8, 0), condition = truth(false);
  const Graph graph = record(engine(), [&] {
    must(rondo_record_section_begin(engine(), "part", 1));
    if_else(
        condition, [&] { add(x, 1); }, [&] { add(x, 10); });
    must(rondo_record_section_end(engine()));
    add(x, 100);
  });
  expect_nodes(graph, 1);
  Real expected = 0;
  for (const int on : {1, 0, 1, 0}) {
    must(rondo_graph_enable(graph.get(), "part", on));
    must(rondo_graph_launch(graph.get()));
    expected += 100 + 10 * on;
  }
  EXPECT_EQ(first(x), expected);
}

// Each call that makes a node fails once: so does the recording, unless it may fall back.
TEST_P(ControlNodes, FailedNodesAreLeftToTheHost) {
  if (!chooses()) GTEST_SKIP() << "no conditional nodes here";
  std::string missing;
  const auto simulator =
      reinterpret_cast<long long (*)(const char*, const char*)>(driver_entry("simcuda_control", &missing));
  if (!simulator) GTEST_SKIP() << "needs the simulated driver, whose calls can be made to fail";
  const Tensor x = ones(8), y = ones(8, 0), turns = ones(1, 0);
  const auto program = [&] {
    add(y, 1);
    if_else(
        positive(x),
        [&] {
          const Tensor going = make(rondo_binary_scalar, RONDO_LT, turns, 3.0);
          while_true(going, [&] {
            add(y, 10);
            add(turns, 1);
            into(going, rondo_binary_scalar, RONDO_LT, turns, 3.0);
          });
        },
        [&] { multiply(y, 2); });
    must(rondo_fill(turns, 0));
  };
  rondo_record_options falls_back = RONDO_RECORD_OPTIONS_INIT;
  falls_back.flags = RONDO_RECORD_FALL_BACK;
  for (const char* call :
       {"cuGraphConditionalHandleCreate:1", "cuGraphConditionalHandleCreate:2", "cuGraphAddNode_v2:1",
        "cuGraphAddNode_v2:2", "cuStreamUpdateCaptureDependencies:1", "cuStreamBeginCaptureToGraph:1",
        "cuStreamBeginCaptureToGraph:2", "cuGraphNodeGetType:1", "cuGraphInstantiateWithFlags:1"}) {
    SCOPED_TRACE(call);
    simulator("fault", (std::string(call) + ":1").c_str());
    rondo_graph* none = nullptr;
    must(rondo_record_begin(engine(), nullptr));
    program();
    expect_refused(rondo_record_end(engine(), &none), RONDO_DEVICE_ERROR, "rondo_record_end",
                   std::string(call, std::strcspn(call, "_:")).c_str());
    simulator("clear-faults", nullptr);
    simulator("fault", (std::string(call) + ":1").c_str());
    const Graph graph = record(engine(), program, &falls_back);
    simulator("clear-faults", nullptr);
    const std::string report = graph_report(graph.get());
    EXPECT_LT(graph_info(graph.get()).conditional_nodes, 2) << report;
    EXPECT_NE(report.find("a node could not be made"), std::string::npos) << report;
    must(rondo_fill(y, 0));
    must(rondo_graph_launch(graph.get()));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(y), 62) << report;
  }
}

}  // namespace
}  // namespace conformance
