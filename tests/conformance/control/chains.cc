// The shape in which a driver is given graphs that choose: one node behind the other, whatever a recording's tasks, or
// a library, would put side by side. The simulated driver reports any other, which fails a case. And such a graph goes
// without a wait. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <future>

#include "control/control.h"

namespace conformance {
namespace {

using Simulator = long long (*)(const char* command, const char* argument);

// What forks by itself needs of the driver.
struct Forking {
  int (*stream_create)(void** stream, unsigned flags, int priority) = nullptr;
  int (*stream_destroy)(void* stream) = nullptr;
  int (*event_create)(void** event, unsigned flags) = nullptr;
  int (*event_destroy)(void* event) = nullptr;
  int (*event_record)(void* event, void* stream) = nullptr;
  int (*stream_wait)(void* stream, void* event, unsigned flags) = nullptr;
};
template <class Function>
void find_entry(const char* name, Function* function, std::string* missing) {
  *function = reinterpret_cast<Function>(driver_entry(name, missing));
}

class ControlChains : public OnControl {
 protected:
  void SetUp() override {
    OnControl::SetUp();
    if (IsSkipped()) return;
    int32_t available = 0;
    must(rondo_feature("conditional_nodes", &available, nullptr));
    if (!on_cuda() || !available) GTEST_SKIP() << "no conditional nodes here";
  }
  // One node behind the other: in the graph itself and in each of its bodies.
  static void expect_chain(const Graph& graph, int choices, int bodies) {
    const std::string report = graph_report(graph.get());
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1) << report;
    EXPECT_EQ(info.conditional_nodes, choices) << report;
    EXPECT_EQ(info.branches, 1) << report;
    EXPECT_EQ(info.edges, info.nodes - 1 - bodies) << report;
  }
  static Simulator simulator() {
    std::string missing;
    return reinterpret_cast<Simulator>(driver_entry("simcuda_control", &missing));
  }
};
CONFORMANCE_ENGINE_SUITE(ControlChains);

TEST_P(ControlChains, SideBySideWorkIsPutInAChain) {
  const Setting branches("RONDO_GRAPH_BRANCHES", "all");
  std::vector<Tensor> x;
  for (int i = 0; i < 4; ++i) x.push_back(ones(100000, i + 1));
  const Tensor yes = truth(true);
  const auto apart = [&] {
    for (const Tensor& each : x) into(each, rondo_unary, RONDO_ABS, each);
  };
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_AS_WRITTEN;
  const Graph graph = record(
      engine(),
      [&] {
        apart();
        if_else(yes, [&] {
          apart();
          if_else(yes, [&] {
            for (const Tensor& each : x) add(each, 1);
          });
          apart();
        });
        apart();
      },
      &options);
  expect_chain(graph, 2, 2);
  for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(first(x[static_cast<size_t>(i)]), i + 4);
}

TEST_P(ControlChains, AuxiliaryStreamsAreTheTasksOwn) {
  std::string missing;
  const Driver& table = driver(&missing);
  if (!table.copy) GTEST_SKIP() << missing;
  rondo_task_options with = task_options("side by side", device());
  with.auxiliary_streams = 2;
  const Tensor x = ones(100), y = ones(300, 0), yes = truth(true);
  std::vector<void*> captured;
  const Task copies = [&](rondo_task_context* context) {
    void *from = nullptr, *to = nullptr;
    if (rondo_task_operand(context, 0, &from, nullptr) || rondo_task_operand(context, 1, &to, nullptr))
      return RONDO_INTERNAL;
    for (int i = 0; i < 3; ++i) {
      void* const stream = i < 2 ? rondo_task_auxiliary_stream(context, i) : rondo_task_stream(context);
      if (rondo_task_is_capturing(context)) captured.push_back(stream);
      if (table.copy(reinterpret_cast<uintptr_t>(to) + static_cast<unsigned>(i) * 400,
                     reinterpret_cast<uintptr_t>(from), 400, stream) != 0)
        return RONDO_DEVICE_ERROR;
    }
    return RONDO_OK;
  };
  const Graph graph = record(engine(), [&] {
    must(push_tensors(engine(), copies, {x}, {y}, &with));
    if_else(yes, [&] { add(x, 1); });
  });
  expect_chain(graph, 1, 1);
  ASSERT_EQ(captured.size(), 3U);
  EXPECT_EQ(captured[0], captured[2]);
  EXPECT_EQ(captured[1], captured[2]);
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(x), 3);
  expect_same_bits(download(y), full(RONDO_F32, {300}, 2), "copied one after the other");
}

TEST_P(ControlChains, ForkingTasksAreNamed) {
  std::string missing;
  const Driver& table = driver(&missing);
  Forking calls;
  find_entry("cuStreamCreateWithPriority", &calls.stream_create, &missing);
  find_entry("cuStreamDestroy_v2", &calls.stream_destroy, &missing);
  find_entry("cuEventCreate", &calls.event_create, &missing);
  find_entry("cuEventDestroy_v2", &calls.event_destroy, &missing);
  find_entry("cuEventRecord", &calls.event_record, &missing);
  find_entry("cuStreamWaitEvent", &calls.stream_wait, &missing);
  if (!table.copy || !calls.stream_wait) GTEST_SKIP() << missing;
  const Tensor x = ones(100), y = ones(200, 0), yes = truth(true);
  // Two copies side by side, of which the second one is waited for: no node follows the two.
  const Task forks = [&](rondo_task_context* context) {
    void *from = nullptr, *to = nullptr, *other = nullptr, *events[2] = {}, *const own = rondo_task_stream(context);
    if (rondo_task_operand(context, 0, &from, nullptr) || rondo_task_operand(context, 1, &to, nullptr) ||
        calls.stream_create(&other, 1, 0))
      return RONDO_INTERNAL;
    bool good = true;
    for (void*& each : events) good = good && !calls.event_create(&each, 2);
    good = good && !calls.event_record(events[0], own) && !calls.stream_wait(other, events[0], 0);
    good = good && !table.copy(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from), 400, own);
    good = good && !table.copy(reinterpret_cast<uintptr_t>(to) + 400, reinterpret_cast<uintptr_t>(from), 400, other);
    good = good && !calls.event_record(events[1], other) && !calls.stream_wait(own, events[1], 0);
    for (void* each : events) calls.event_destroy(each);
    calls.stream_destroy(other);
    return good ? RONDO_OK : RONDO_DEVICE_ERROR;
  };
  const rondo_task_options with = task_options("forks", device());
  for (const bool before : {true, false}) {
    const Graph graph = record(engine(), [&] {
      const auto push_it = [&] {
        add(x, 0);
        must(push_tensors(engine(), forks, {x}, {y}, &with));
      };
      if (before) push_it();
      if_else(yes, [&] { add(x, 1); });
      if (!before) push_it();
    });
    const std::string report = graph_report(graph.get());
    EXPECT_EQ(graph_info(graph.get()).conditional_nodes, 0) << report;
    EXPECT_NE(report.find("'forks'"), std::string::npos) << report;
    EXPECT_NE(report.find("several streams"), std::string::npos) << report;
    must(rondo_fill(x, 1));
    must(rondo_graph_launch(graph.get()));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(x), 3);
    expect_same_bits(download(y), full(RONDO_F32, {200}, before ? 2 : 3), "what the task copied");
  }
}

// What nodes go by is the driver's until the last launch has ended.
TEST_P(ControlChains, DestroyWaitsForNothing) {
  const Simulator control = simulator();
  if (!control) GTEST_SKIP() << "needs the simulated driver, whose streams stall on demand";
  if (naive()) GTEST_SKIP() << "a launch waits there itself";
  const long long before = control("live", "execs");
  Tensor x = ones(100, 0);
  rondo_graph* graph = nullptr;
  {
    Graph made = record(engine(), [&] {
      const Tensor going = make(rondo_binary_scalar, RONDO_LT, slice(x, 0, 0, 1), 3.0);
      while_true(going, [&] {
        add(x, 1);
        into(going, rondo_binary_scalar, RONDO_LT, slice(x, 0, 0, 1), 3.0);
      });
    });
    graph = made.release();
  }
  must(rondo_engine_wait_all(engine()));
  control("stall", nullptr);
  must(rondo_graph_launch(graph));
  std::future<void> destroyed = std::async(std::launch::async, [&] { rondo_graph_destroy(graph); });
  EXPECT_EQ(destroyed.wait_for(std::chrono::seconds(20)), std::future_status::ready) << "it waits for the stream";
  EXPECT_EQ(control("live", "execs"), before + 1) << "it is destroyed under a launch";
  control("resume", nullptr);
  destroyed.wait();
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(first(x), 3);
  x = Tensor();
  restart(options());
  EXPECT_EQ(control("live", "execs"), before);
}

}  // namespace
}  // namespace conformance
