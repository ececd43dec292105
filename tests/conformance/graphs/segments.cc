// What splits a graph, user tasks inside graphs, and failures of both. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "graphs/recording.h"

namespace conformance {
namespace {

class RecordingSegments : public OnRecording {};
CONFORMANCE_ENGINE_SUITE(RecordingSegments);

TEST_P(RecordingSegments, HostFunctionsSplit) {
  const Tensor a = ones(100);
  Tensor before, after;
  std::atomic<int> ran{0};
  const rondo_task_options with = task_options("my_host_function");
  Graph graph = record(engine(), [&] {
    before = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
    const Variable order(engine());
    must(push(
        engine(),
        [&](rondo_task_context* context) {
          EXPECT_EQ(rondo_task_is_capturing(context), 0);
          ++ran;
          return RONDO_OK;
        },
        {variable_of(before)}, {variable_of(before), order}, &with));
    after = make(rondo_binary_scalar, RONDO_ADD, before, 1.0);
  });
  EXPECT_EQ(ran, 0);
  const std::string report = graph_report(graph.get());
  if (on_cuda()) {
    EXPECT_EQ(graph_info(graph.get()).captured, 2) << report;
    EXPECT_EQ(graph_info(graph.get()).segments, 3) << report;
    EXPECT_NE(report.find("my_host_function"), std::string::npos)
        << "the report does not say what split it: " << report;
  }
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(after), 3);
  EXPECT_EQ(ran, 2);
}

// On the cpu with the operators too.
TEST_P(RecordingSegments, HostFunctionsAreOneSegment) {
  const Tensor a = ones(100);
  Tensor after;
  std::atomic<int> ran{0};
  const Graph graph = record(engine(), [&] {
    const Tensor before = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
    for (int i = 0; i < 3; ++i)
      must(push(engine(),
                [&](rondo_task_context*) {
                  ++ran;
                  return RONDO_OK;
                },
                {variable_of(before)}, {variable_of(before)}));
    after = make(rondo_binary_scalar, RONDO_ADD, before, 1.0);
  });
  EXPECT_EQ(graph_info(graph.get()).segments, on_cuda() ? 3 : 1) << graph_report(graph.get());
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(after), 3);
  EXPECT_EQ(ran, 3);
}

// A host function reads on the host what the device wrote before it, in each launch.
TEST_P(RecordingSegments, HostFunctionsSeeTheirInputs) {
  const Tensor a = ones(10, 0), home = upload(engine(), kCpu, full(RONDO_F32, {10}, -1));
  std::vector<float> seen;
  void* address = nullptr;
  must(rondo_tensor_data(home, &address));
  Graph graph = record(engine(), [&] {
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
    into(home, rondo_copy, a);
    must(push(engine(),
              [&seen, address](rondo_task_context*) {
                seen.push_back(static_cast<float*>(address)[9]);
                return RONDO_OK;
              },
              {variable_of(home)}, {}));
  });
  for (int i = 0; i < 4; ++i) must(rondo_graph_launch(graph.get()));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(seen, (std::vector<float>{1, 2, 3, 4}));
}

TEST_P(RecordingSegments, NoCaptureTasksSplit) {
  if (!on_cuda()) GTEST_SKIP() << "only device tasks can be captured";
  std::string missing;
  const Driver& table = driver(&missing);
  if (!table.memset8) GTEST_SKIP() << missing;
  const Tensor a = up(full(RONDO_U8, {256}, 1));
  void* address = nullptr;
  must(rondo_tensor_data(a, &address));
  const auto bytes = reinterpret_cast<unsigned long long>(address);
  std::atomic<int> capturing{0}, plain{0};
  const auto body = [&, bytes](rondo_task_context* context) {
    (rondo_task_is_capturing(context) ? capturing : plain) += 1;
    return table.memset8(bytes, 7, 256, rondo_task_stream(context)) == 0 ? RONDO_OK : RONDO_DEVICE_ERROR;
  };
  Tensor out;
  for (const bool split : {false, true}) {
    capturing = 0, plain = 0;
    rondo_task_options with = task_options("fill_by_hand", device());
    if (split) with.flags = RONDO_TASK_NO_CAPTURE;
    must(rondo_fill(a, 1));
    Graph graph = record(engine(), [&] {
      into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
      must(push(engine(), body, {variable_of(a)}, {variable_of(a)}, &with));
      out = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
    });
    const rondo_graph_info info = graph_info(graph.get());
    const std::string report = graph_report(graph.get());
    EXPECT_EQ(info.segments, split ? 3 : 1) << report;
    EXPECT_EQ(info.captured, split ? 2 : 1) << report;
    EXPECT_EQ(report.find("fill_by_hand") != std::string::npos, split) << report;
    must(rondo_engine_wait_all(engine()));
    EXPECT_EQ(capturing > 0, !split);
    const int before = plain;
    must(rondo_graph_launch(graph.get()));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(download(out)[255], 8);
    EXPECT_EQ(plain - before, split ? 2 : 0) << "a captured task runs from the graph, another in each launch";
  }
}

TEST_P(RecordingSegments, TaskArgumentsLiveWithTheGraph) {
  std::atomic<int> ran{0}, destroyed{0};
  struct Argument {
    std::atomic<int>&ran, &destroyed;
  };
  Graph graph = record(engine(), [&] {
    const Variable v(engine());
    rondo_variable* const writes[] = {v};
    must(rondo_engine_push(
        engine(),
        [](void* arg, rondo_task_context*) {
          ++static_cast<Argument*>(arg)->ran;
          return RONDO_OK;
        },
        new Argument{ran, destroyed},
        [](void* arg) {
          ++static_cast<Argument*>(arg)->destroyed;
          delete static_cast<Argument*>(arg);
        },
        nullptr, 0, writes, 1, nullptr));
  });
  EXPECT_EQ(destroyed, 0);
  for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
  graph.reset();  // with launches in flight
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(destroyed, 1);
}

// On the cpu, and for host functions anywhere, a failing task fails the launch, not the recording.
TEST_P(RecordingSegments, FailureInALaunchPoisons) {
  const Tensor a = ones(10), flag = ones(10);
  Tensor out;
  std::atomic<bool> broken{false};
  const rondo_task_options with = task_options("sometimes_bad");
  Graph graph = record(engine(), [&] {
    out = make(rondo_unary, RONDO_NEG, a);
    must(push(
        engine(),
        [&](rondo_task_context* context) {
          if (!broken) return RONDO_OK;
          rondo_task_fail(context, "not today");
          return RONDO_USER_ERROR;
        },
        {variable_of(out)}, {variable_of(out)}, &with));
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -1);
  broken = true;
  const rondo_status launched = rondo_graph_launch(graph.get());
  EXPECT_EQ(launched, naive() ? RONDO_USER_ERROR : RONDO_OK);
  EXPECT_EQ(rondo_tensor_wait(out), RONDO_USER_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("sometimes_bad"), std::string::npos) << rondo_last_error();
  EXPECT_NE(std::string(rondo_last_error()).find("not today"), std::string::npos) << rondo_last_error();
  broken = false;
  must(rondo_graph_launch(graph.get()));  // overwrites its output without reading it: well again
  EXPECT_EQ(first(out), -1);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

// The operators of a graph that is launched inside a recording are the recording's, and fused with its own; as it was
// written, or where the graph has what belongs to its launches, it is kept like any task, which splits.
TEST_P(RecordingSegments, LaunchInsideARecordingIsInlined) {
  for (const int way : {0, 1, 2}) {
    const Tensor state = ones(100, 1);
    Graph inner = record(engine(), [&] {
      if (way == 2) {
        const Tensor two = make(rondo_record_parameter, engine(), "two", device(), RONDO_F32, 2.0);
        into(state, rondo_binary, RONDO_MUL, state, two);
      } else {
        into(state, rondo_binary_scalar, RONDO_MUL, state, 2.0);
      }
    });
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = way == 1 ? RONDO_RECORD_AS_WRITTEN : 0;
    Graph outer = record(
        engine(),
        [&] {
          into(state, rondo_binary_scalar, RONDO_ADD, state, 1.0);
          must(rondo_graph_launch(inner.get()));
          into(state, rondo_binary_scalar, RONDO_ADD, state, 1.0);
        },
        &options);
    inner.reset();
    const std::string report = graph_report(outer.get());
    const rondo_graph_info info = graph_info(outer.get());
    EXPECT_EQ(info.tasks, way == 0 ? 1 : 3) << report;
    EXPECT_EQ(info.segments, way != 0 && on_cuda() ? 3 : 1) << report;
    EXPECT_EQ(report.find("which has parameters or sections") != std::string::npos, on_cuda() && way == 2) << report;
    EXPECT_EQ(first(state), 1);
    for (int i = 0; i < 3; ++i) must(rondo_graph_launch(outer.get()));
    EXPECT_EQ(first(state), 29);  // 1 -> 5 -> 13 -> 29
  }
}

// Memory that an inlined graph has for itself is each recording's own; what users hold, and what they gave, is shared.
TEST_P(RecordingSegments, InlinedGraphsShareTheOutside) {
  const Tensor x = up(random_array(RONDO_F32, {40, 30}, 1, -1, 1));
  Tensor y;
  const Graph inner = record(engine(), [&] {
    const Tensor running = make(rondo_cumulative, RONDO_SUM, x, 1, 0);
    y = make(rondo_softmax, running, 0);
  });
  Tensor total[2];
  Graph outer[2];
  for (int k = 0; k < 2; ++k)
    outer[k] = record(engine(), [&] {
      must(rondo_graph_launch(inner.get()));
      total[k] = reduce(k ? RONDO_SUM : RONDO_MAX, y, {0, 1});
      must(rondo_graph_launch(inner.get()));  // nobody reads the first one's results any more but the reduction
    });
  for (uint32_t seed = 2; seed < 5; ++seed) {
    into(x, rondo_copy, up(random_array(RONDO_F32, {40, 30}, seed, -1, 1)));
    for (const Graph& each : outer) must(rondo_graph_launch(each.get()));
    const Tensor expected = make(rondo_softmax, make(rondo_cumulative, RONDO_SUM, x, 1, 0), 0);
    expect_same_bits(download(y), download(expected), "softmax");
    for (int k = 0; k < 2; ++k)
      expect_same_bits(download(total[k]), download(reduce(k ? RONDO_SUM : RONDO_MAX, expected, {0, 1})), "total");
    must(rondo_graph_launch(inner.get()));
    expect_same_bits(download(y), download(expected), "softmax again");
  }
}

// Random numbers are those that the launches would have drawn. A user's function may count on being called by one graph
// at a time: with one the launch stays a launch.
TEST_P(RecordingSegments, InlinedGraphsDrawAsLaunchesDo) {
  for (const bool calls_out : {false, true}) {
    std::atomic<int> calls{0};
    const auto drawn = [&](bool nested) {
      must(rondo_engine_seed(engine(), 7));
      Tensor a, b;
      Graph inner = record(engine(), [&] {
        const int64_t size = 100;
        a = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &size, 0.0, 1.0);
        if (calls_out)
          must(push(engine(), [&](rondo_task_context*) { return ++calls, RONDO_OK; }, {variable_of(a)}, {}));
        const Tensor unread = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &size, 0.0, 1.0);
        b = make(rondo_random_normal, engine(), device(), RONDO_F32, 1, &size, 0.0, 1.0);
      });
      Graph outer = record(engine(), [&] {
        must(rondo_graph_launch(inner.get()));
        must(rondo_graph_launch(inner.get()));
      });
      const std::string report = graph_report(outer.get());
      EXPECT_EQ(report.find("cannot be part of a second one") != std::string::npos, calls_out && on_cuda()) << report;
      if (nested) inner.reset();
      std::vector<Array> bits;
      for (int i = 0; i < 3; ++i) {
        if (nested) {
          must(rondo_graph_launch(outer.get()));
        } else {
          must(rondo_graph_launch(inner.get()));
          must(rondo_graph_launch(inner.get()));
        }
        bits.push_back(download(a));
        bits.push_back(download(b));
      }
      return bits;
    };
    const std::vector<Array> apart = drawn(false), inlined = drawn(true);
    EXPECT_EQ(calls, calls_out ? 12 : 0);
    for (size_t i = 0; i < apart.size(); ++i) expect_same_bits(apart[i], inlined[i], "draw");
  }
}

TEST_P(RecordingSegments, PoisonedInputsSkipALaunch) {
  const Tensor a = ones(10);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  const rondo_task_options with = task_options("spoiler");
  (void)push(
      engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(a)}, &with);
  (void)rondo_graph_launch(graph.get());
  EXPECT_EQ(rondo_tensor_wait(out), RONDO_USER_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("spoiler"), std::string::npos) << rondo_last_error();
  must(rondo_fill(a, 2));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -2);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

// A recording that cannot be compiled: the message names the task; engine and streams are as before.
TEST_P(RecordingSegments, FailedRecordingSparesTheEngine) {
  if (!on_cuda()) GTEST_SKIP() << "only a capture can fail at the end of a recording";
  const Tensor a = ones(10);
  Tensor inside;
  const rondo_task_options with = task_options("bad_task", device());
  for (int i = 0; i < 3; ++i) {
    must(rondo_record_begin(engine(), nullptr));
    inside = make(rondo_unary, RONDO_NEG, a);
    must(push(
        engine(),
        [](rondo_task_context* context) {
          rondo_task_fail(context, "cannot be captured");
          return RONDO_USER_ERROR;
        },
        {variable_of(inside)}, {variable_of(inside)}, &with));
    const Tensor last = make(rondo_unary, RONDO_NEG, inside);
    rondo_graph* graph = nullptr;
    EXPECT_NE(rondo_record_end(engine(), &graph), RONDO_OK);
    EXPECT_EQ(graph, nullptr);
    EXPECT_NE(std::string(rondo_last_error()).find("bad_task"), std::string::npos) << rondo_last_error();
    EXPECT_NE(std::string(rondo_last_error()).find("cannot be captured"), std::string::npos) << rondo_last_error();
    EXPECT_NE(rondo_tensor_wait(inside), RONDO_OK) << "tensors created inside carry the error";
    inside.reset();
    EXPECT_EQ(first(make(rondo_unary, RONDO_NEG, a)), -1) << "no stream is left capturing";
    Tensor out;
    Graph good = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
    must(rondo_graph_launch(good.get()));
    EXPECT_EQ(first(out), -1);
  }
}

}  // namespace
}  // namespace conformance
