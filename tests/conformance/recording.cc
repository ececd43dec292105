// Recording and replay: what is an output, what an input, what splits a graph, lifetimes, order with eager work, failures.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

class Recording : public OnEngine {
 protected:
  void expect_captured(rondo_graph* graph, int32_t segments = 1) const {
    const rondo_graph_info info = graph_info(graph);
    EXPECT_EQ(info.segments, segments) << graph_report(graph);
    if (on_cuda()) {
      EXPECT_GE(info.captured, 1) << graph_report(graph);
    } else {
      EXPECT_EQ(info.captured, 0) << graph_report(graph);
    }
  }
  Tensor ones(int64_t n, Real value = 1) const { return up(full(RONDO_F32, {n}, value)); }
  Real first(rondo_tensor* tensor) const { return download(tensor)[0]; }
};
CONFORMANCE_ENGINE_SUITE(Recording);

TEST_P(Recording, RecordsWithoutRunning) {
  const Tensor a = ones(100), counter = ones(100, 0);
  Tensor out;
  Graph graph = record(engine(), [&] {
    into(counter, rondo_binary_scalar, RONDO_ADD, counter, 1.0);
    out = make(rondo_binary, RONDO_ADD, a, counter);
  });
  expect_captured(graph.get());
  EXPECT_EQ(first(counter), 0) << "recording or preparing ran a task on the user's tensor";
  for (int i = 1; i <= 3; ++i) {
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(out), 1 + i);
  }
  EXPECT_EQ(first(counter), 3);
}

TEST_P(Recording, TemporariesShareAnArena) {
  const Tensor a = ones(10000);
  Tensor out;
  Graph graph = record(engine(), [&] {
    Tensor value = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
    for (int i = 0; i < 20; ++i) value = reduce(RONDO_SUM, broadcast(reshape(value, {1, 10000}), {2, 10000}), {0});
    out = std::move(value);
  });
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 21);
  EXPECT_GE(info.output_bytes, 40000);
  EXPECT_LE(info.output_bytes, 41000);
  EXPECT_GE(info.temporary_bytes, 20 * 40000);
  EXPECT_GT(info.arena_bytes, 0);
  EXPECT_LE(info.arena_bytes, 200000) << "20 temporaries that never live together more than two at a time";
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), Real(2 << 20));
}

TEST_P(Recording, InputsAreKeptAlive) {
  Tensor a = ones(1000, 5), out;
  Graph graph = record(engine(), [&] { out = make(rondo_binary_scalar, RONDO_MUL, a, 2.0); });
  a.reset();
  std::vector<Tensor> others;  // would take the input's memory
  for (int i = 0; i < 10; ++i) others.push_back(ones(1000, -1));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), 10);
  must(rondo_fill(out, 0));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), 10);
}

TEST_P(Recording, OutputsOutliveTheGraph) {
  const Tensor a = ones(1000, 3);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, a); });
  must(rondo_graph_launch(graph.get()));
  graph.reset();  // right after the launch
  std::vector<Tensor> others;
  for (int i = 0; i < 10; ++i) others.push_back(ones(1000, -1));
  EXPECT_EQ(first(out), 9);
}

// Outputs that the user drops after the recording may still be written by launches.
TEST_P(Recording, DroppedOutputs) {
  const Tensor a = ones(1000, 3);
  Tensor kept, dropped;
  Graph graph = record(engine(), [&] {
    dropped = make(rondo_unary, RONDO_SQUARE, a);
    kept = make(rondo_unary, RONDO_NEG, dropped);
  });
  dropped.reset();
  for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(kept), -9);
}

// Before the first launch, outputs have no value yet; they can still be written by hand.
TEST_P(Recording, OutputsBeforeTheFirstLaunch) {
  const Tensor a = ones(10);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  must(rondo_fill(out, 4));
  EXPECT_EQ(first(out), 4);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -1);
}

TEST_P(Recording, InputsAreReadAtTheLaunch) {
  const Tensor a = ones(1000);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_binary_scalar, RONDO_MUL, a, 10.0); });
  std::vector<Tensor> copies;
  for (int i = 1; i <= 5; ++i) {
    must(rondo_fill(a, i));  // eager work before and after, with no wait in between
    must(rondo_graph_launch(graph.get()));
    copies.push_back(make(rondo_copy, out));
  }
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(first(copies[i]), Real(10 * (i + 1)));
}

// A training loop: parameters and momentum updated in place, dropout, gradients; the replayed one has the bits of the eager one.
TEST_P(Recording, TrainingLoopHasTheSameBits) {
  const Array x = random_array(RONDO_F32, {16, 12}, 1, -1, 1), labels = random_array(RONDO_I64, {16}, 2, 0, 4);
  struct Model {
    Tensor w, b, momentum, input, labels;
  };
  const auto model = [&] {
    return Model{up(random_array(RONDO_F32, {12, 5}, 3, -1, 1)), up(full(RONDO_F32, {5}, 0)), up(full(RONDO_F32, {12, 5}, 0)), up(x),
                 up(labels)};
  };
  const auto step = [&](const Model& m, Tensor* loss) {
    Tensor dropped, mask;
    must(rondo_dropout(m.input, 0.25, dropped.slot(), mask.slot()));
    rondo_matmul_options forward = RONDO_MATMUL_OPTIONS_INIT;
    forward.bias = m.b;
    const Tensor logits = make(rondo_matmul, dropped, m.w, &forward);
    const Tensor mean = reduce(RONDO_MEAN, make(rondo_cross_entropy, logits, m.labels), {});
    if (*loss) {
      into(*loss, rondo_copy, mean);
    } else {
      *loss = make(rondo_copy, mean);
    }
    const Tensor slope = make(rondo_cross_entropy_grad, logits, m.labels, 1.0 / 16);
    rondo_matmul_options backward = RONDO_MATMUL_OPTIONS_INIT;
    backward.transpose_a = 1;
    const Tensor dw = make(rondo_matmul, dropped, slope, &backward);
    into(m.momentum, rondo_binary_scalar, RONDO_MUL, m.momentum, 0.9);
    into(make(rondo_tensor_accumulator, m.momentum), rondo_unary, RONDO_NEG, dw);
    into(m.w, rondo_binary, RONDO_ADD, m.w, make(rondo_binary_scalar, RONDO_MUL, m.momentum, 0.1));
    into(make(rondo_tensor_accumulator, m.b), rondo_binary_scalar, RONDO_MUL, reduce(RONDO_SUM, slope, {0}), -0.1);
  };
  must(rondo_engine_seed(engine(), 42));
  const Model eager = model();
  Tensor eager_loss;
  for (int i = 0; i < 12; ++i) step(eager, &eager_loss);

  must(rondo_engine_seed(engine(), 42));
  const Model replayed = model();
  Tensor loss;
  step(replayed, &loss), step(replayed, &loss);
  Graph graph = record(engine(), [&] { step(replayed, &loss); });
  expect_captured(graph.get());
  for (int i = 0; i < 10; ++i) must(rondo_graph_launch(graph.get()));
  expect_same_bits(download(replayed.w), download(eager.w), "weights");
  expect_same_bits(download(replayed.b), download(eager.b), "bias");
  expect_same_bits(download(replayed.momentum), download(eager.momentum), "momentum");
  expect_same_bits(download(loss), download(eager_loss), "loss");
}

TEST_P(Recording, Branches) {
  const Tensor a = ones(1000);
  Tensor left, right, line;
  Graph two = record(engine(), [&] {
    left = reduce(RONDO_SUM, make(rondo_matmul, reshape(a, {10, 100}), reshape(a, {100, 10}), nullptr), {0});
    right = reduce(RONDO_MAX, make(rondo_matmul, reshape(a, {20, 50}), reshape(a, {50, 20}), nullptr), {0});
  });
  Graph one = record(engine(), [&] {
    const Tensor product = make(rondo_matmul, reshape(a, {10, 100}), reshape(a, {100, 10}), nullptr);
    line = reduce(RONDO_SUM, product, {0});
  });
  expect_captured(two.get());
  expect_captured(one.get());
  EXPECT_EQ(graph_info(two.get()).branches, on_cuda() ? 2 : 0) << graph_report(two.get());
  EXPECT_EQ(graph_info(one.get()).branches, on_cuda() ? 1 : 0) << graph_report(one.get());
  must(rondo_graph_launch(two.get()));
  must(rondo_graph_launch(one.get()));
  EXPECT_EQ(first(left), 1000);
  EXPECT_EQ(first(right), 50);
  EXPECT_EQ(first(line), 1000);
}

TEST_P(Recording, WideGraphs) {
  const Tensor a = ones(257);
  std::vector<Tensor> outs;
  rondo_record_options narrow = RONDO_RECORD_OPTIONS_INIT;
  narrow.max_branches = 3;
  Graph graph = record(engine(), [&] {
    const Tensor start = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
    for (int i = 0; i < 20; ++i) outs.push_back(reduce(RONDO_SUM, make(rondo_binary_scalar, RONDO_MUL, start, double(i)), {}));
    Tensor sum = make(rondo_copy, outs[0]);
    for (size_t i = 1; i < outs.size(); ++i) into(sum, rondo_binary, RONDO_ADD, sum, outs[i]);
    outs.push_back(std::move(sum));
  }, &narrow);
  expect_captured(graph.get());
  const rondo_graph_info info = graph_info(graph.get());
  if (on_cuda()) {
    EXPECT_GE(info.branches, 2) << graph_report(graph.get());
    EXPECT_LE(info.branches, 3) << graph_report(graph.get());
    EXPECT_GE(info.edges, info.nodes - 1);
  }
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(first(outs[i]), Real(514 * i));
  EXPECT_EQ(first(outs[20]), 514 * 190);
}

TEST_P(Recording, HostFunctionsSplit) {
  const Tensor a = ones(100);
  Tensor before, after;
  std::atomic<int> ran{0};
  const rondo_task_options with = task_options("my_host_function");
  Graph graph = record(engine(), [&] {
    before = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
    const Variable order(engine());
    must(push(engine(), [&](rondo_task_context* context) {
      EXPECT_EQ(rondo_task_is_capturing(context), 0);
      ++ran;
      return RONDO_OK;
    }, {variable_of(before)}, {variable_of(before), order}, &with));
    after = make(rondo_binary_scalar, RONDO_ADD, before, 1.0);
  });
  EXPECT_EQ(ran, 0);
  const std::string report = graph_report(graph.get());
  if (on_cuda()) {
    EXPECT_EQ(graph_info(graph.get()).captured, 2) << report;
    EXPECT_GE(graph_info(graph.get()).segments, 3) << report;
  }
  EXPECT_NE(report.find("my_host_function"), std::string::npos) << report;
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(after), 3);
  EXPECT_EQ(ran, 2);
}

// A host function reads on the host what the device wrote before it, in each launch.
TEST_P(Recording, HostFunctionsSeeTheirInputs) {
  const Tensor a = ones(10, 0), home = upload(engine(), kCpu, full(RONDO_F32, {10}, -1));
  std::vector<float> seen;
  void* address = nullptr;
  must(rondo_tensor_data(home, &address));
  Graph graph = record(engine(), [&] {
    into(a, rondo_binary_scalar, RONDO_ADD, a, 1.0);
    into(home, rondo_copy, a);
    must(push(engine(), [&seen, address](rondo_task_context*) {
      seen.push_back(static_cast<float*>(address)[9]);
      return RONDO_OK;
    }, {variable_of(home)}, {}));
  });
  for (int i = 0; i < 4; ++i) must(rondo_graph_launch(graph.get()));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(seen, (std::vector<float>{1, 2, 3, 4}));
}

TEST_P(Recording, NoCaptureTasksSplit) {
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
    EXPECT_EQ(report.find("fill_by_hand") != std::string::npos, true) << report;
    must(rondo_engine_wait_all(engine()));
    EXPECT_EQ(capturing > 0, !split);
    const int before = plain;
    must(rondo_graph_launch(graph.get()));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(download(out)[255], 8);
    EXPECT_EQ(plain - before, split ? 2 : 0) << "a captured task runs from the graph, another in each launch";
  }
}

TEST_P(Recording, ArgumentsOfTasksLiveAsLongAsTheGraph) {
  std::atomic<int> ran{0}, destroyed{0};
  struct Argument {
    std::atomic<int>&ran, &destroyed;
  };
  Graph graph = record(engine(), [&] {
    const Variable v(engine());
    rondo_variable* const writes[] = {v};
    must(rondo_engine_push(
        engine(), [](void* arg, rondo_task_context*) {
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
  EXPECT_TRUE(eventually([&] { return destroyed == 1; }));
}

TEST_P(Recording, NestedBeginIsRefused) {
  const Engine other = create_engine(options());
  must(rondo_record_begin(engine(), nullptr));
  expect_refused(rondo_record_begin(engine(), nullptr), RONDO_INVALID_STATE, "rondo_record_begin", nullptr);
  expect_refused(rondo_record_begin(other.get(), nullptr), RONDO_INVALID_STATE, "rondo_record_begin", nullptr);
  must(rondo_record_abort(engine()));
  EXPECT_EQ(rondo_record_abort(engine()), RONDO_OK) << "dropping the recording, if there is one";
  rondo_graph* graph = nullptr;
  expect_refused(rondo_record_end(engine(), &graph), RONDO_INVALID_STATE, "rondo_record_end", nullptr);
  EXPECT_EQ(graph, nullptr);
  // The other engine's recording is not this one's to end.
  must(rondo_record_begin(other.get(), nullptr));
  EXPECT_EQ(rondo_record_end(engine(), &graph), RONDO_INVALID_STATE);
  must(rondo_record_abort(other.get()));
}

TEST_P(Recording, WhatIsNotAllowedInside) {
  const Tensor a = ones(4);
  Tensor out;
  float data[4] = {};
  must(rondo_record_begin(engine(), nullptr));
  out = make(rondo_unary, RONDO_NEG, a);
  expect_refused(rondo_tensor_read(out, data, sizeof data), RONDO_INVALID_STATE, "rondo_tensor_read", nullptr);
  expect_refused(rondo_tensor_read(a, data, sizeof data), RONDO_INVALID_STATE, "rondo_tensor_read", nullptr);
  expect_refused(rondo_tensor_write(a, data, sizeof data), RONDO_INVALID_STATE, "rondo_tensor_write", nullptr);
  expect_refused(rondo_tensor_wait(out), RONDO_INVALID_STATE, "rondo_tensor_wait", nullptr);
  void* address = nullptr;
  expect_refused(rondo_tensor_data(out, &address), RONDO_INVALID_STATE, "rondo_tensor_data", nullptr);
  // None of that hurts the recording.
  rondo_graph* graph = nullptr;
  must(rondo_record_end(engine(), &graph));
  must(rondo_graph_launch(graph));
  rondo_graph_destroy(graph);
  EXPECT_EQ(first(out), -1);
}

TEST_P(Recording, FromHostInsideIsAnInput) {
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, ones(10, 6)); });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -6);
}

TEST_P(Recording, Abort) {
  const Tensor a = ones(10), counter = ones(10, 0);
  Tensor inside;
  must(rondo_record_begin(engine(), nullptr));
  inside = make(rondo_unary, RONDO_NEG, a);
  into(counter, rondo_binary_scalar, RONDO_ADD, counter, 1.0);
  must(rondo_record_abort(engine()));
  EXPECT_NE(rondo_tensor_wait(inside), RONDO_OK);
  EXPECT_TRUE(has_word(rondo_last_error(), "recording")) << rondo_last_error();
  EXPECT_EQ(first(counter), 0);
  must(rondo_fill(inside, 2));  // until they are written
  EXPECT_EQ(first(inside), 2);
  EXPECT_EQ(first(make(rondo_unary, RONDO_NEG, a)), -1);
}

// A recording that cannot be compiled: the message names the task; engine and streams are as before.
TEST_P(Recording, FailedRecordingLeavesTheEngineUsable) {
  if (!on_cuda()) GTEST_SKIP() << "only a capture can fail at the end of a recording";
  const Tensor a = ones(10);
  Tensor inside;
  const rondo_task_options with = task_options("bad_task", device());
  for (int i = 0; i < 3; ++i) {
    must(rondo_record_begin(engine(), nullptr));
    inside = make(rondo_unary, RONDO_NEG, a);
    must(push(engine(), [](rondo_task_context* context) {
      rondo_task_fail(context, "cannot be captured");
      return RONDO_USER_ERROR;
    }, {variable_of(inside)}, {variable_of(inside)}, &with));
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

// On the cpu, and for host functions anywhere, a failing task fails the launch, not the recording.
TEST_P(Recording, FailureInALaunchPoisons) {
  const Tensor a = ones(10), flag = ones(10);
  Tensor out;
  std::atomic<bool> broken{false};
  const rondo_task_options with = task_options("sometimes_bad");
  Graph graph = record(engine(), [&] {
    out = make(rondo_unary, RONDO_NEG, a);
    must(push(engine(), [&](rondo_task_context* context) {
      if (!broken) return RONDO_OK;
      rondo_task_fail(context, "not today");
      return RONDO_USER_ERROR;
    }, {variable_of(out)}, {variable_of(out)}, &with));
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

TEST_P(Recording, PoisonedInputsSkipALaunch) {
  const Tensor a = ones(10);
  Tensor out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  const rondo_task_options with = task_options("spoiler");
  (void)push(engine(), [](rondo_task_context*) { return RONDO_USER_ERROR; }, {}, {variable_of(a)}, &with);
  (void)rondo_graph_launch(graph.get());
  EXPECT_EQ(rondo_tensor_wait(out), RONDO_USER_ERROR);
  EXPECT_NE(std::string(rondo_last_error()).find("spoiler"), std::string::npos) << rondo_last_error();
  must(rondo_fill(a, 2));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -2);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
}

TEST_P(Recording, TwoGraphsAlternately) {
  const Tensor state = ones(1000, 1);
  Graph doubled = record(engine(), [&] { into(state, rondo_binary_scalar, RONDO_MUL, state, 2.0); });
  Graph increased = record(engine(), [&] { into(state, rondo_binary_scalar, RONDO_ADD, state, 1.0); });
  Real expected = 1;
  for (int i = 0; i < 10; ++i) {
    must(rondo_graph_launch(doubled.get()));
    must(rondo_graph_launch(increased.get()));
    into(state, rondo_binary_scalar, RONDO_SUB, state, 0.5);
    expected = expected * 2 + 0.5L;
  }
  EXPECT_EQ(first(state), expected);
  EXPECT_EQ(graph_info(doubled.get()).launches, 10);
}

// One graph's output is the next one's input, and the arena of neither disturbs the other.
TEST_P(Recording, ChainedGraphs) {
  const Tensor a = ones(5000, 2);
  Tensor middle, out;
  Graph produce = record(engine(), [&] { middle = make(rondo_unary, RONDO_SQUARE, make(rondo_binary_scalar, RONDO_ADD, a, 1.0)); });
  Graph consume = record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, make(rondo_binary_scalar, RONDO_ADD, middle, 1.0)); });
  for (int i = 0; i < 3; ++i) {
    must(rondo_graph_launch(produce.get()));
    must(rondo_graph_launch(consume.get()));
  }
  EXPECT_EQ(first(out), 100);
}

TEST_P(Recording, LaunchesFromSeveralThreads) {
  const Tensor state = ones(1000, 0);
  Graph graph = record(engine(), [&] { into(state, rondo_binary_scalar, RONDO_ADD, state, 1.0); });
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) failed += rondo_graph_launch(graph.get()) != RONDO_OK;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(first(state), 100);
  EXPECT_EQ(graph_info(graph.get()).launches, 100);
}

// While one thread records, others work, record and launch.
TEST_P(Recording, ThreadsRecordIndependently) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      try {
        const Tensor mine = ones(1000, t);
        for (int i = 0; i < 5; ++i) {
          Tensor out;
          Graph graph = record(engine(), [&] {
            out = make(rondo_binary_scalar, RONDO_ADD, mine, 1.0);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            into(out, rondo_binary_scalar, RONDO_ADD, out, 1.0);
          });
          must(rondo_graph_launch(graph.get()));
          if (first(out) != t + 2) ADD_FAILURE() << "thread " << t << " got " << first(out);
          const Tensor other = make(rondo_unary, RONDO_NEG, mine);
          if (first(other) != -t) ADD_FAILURE() << "eager in thread " << t;
        }
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Recording, TemporaryOfAnOpenRecordingInAnotherThread) {
  const Tensor a = ones(10);
  Tensor inside;
  Graph graph = record(engine(), [&] {
    inside = make(rondo_unary, RONDO_NEG, a);
    std::thread([&] {
      Tensor out;
      EXPECT_EQ(rondo_unary(RONDO_NEG, inside, out.slot()), RONDO_INVALID_STATE);
      EXPECT_TRUE(has_word(rondo_last_error(), "recording")) << rondo_last_error();
      EXPECT_EQ(rondo_tensor_wait(inside), RONDO_INVALID_STATE);
    }).join();
  });
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(inside), -1);
}

TEST_P(Recording, Empty) {
  Graph graph = record(engine(), [] {});
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 0);
  EXPECT_EQ(info.nodes, 0);
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(graph_info(graph.get()).launches, 2);
  EXPECT_FALSE(graph_report(graph.get()).empty());
}

TEST_P(Recording, OnlyViews) {
  const Tensor a = ones(12);
  Tensor view;
  Graph graph = record(engine(), [&] { view = transpose(reshape(a, {3, 4}), {1, 0}); });
  EXPECT_EQ(graph_info(graph.get()).tasks, 0);
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(query(view).shape[0], 4);
  EXPECT_EQ(first(view), 1);
}

// Only a view of what was made inside is kept: its storage is the output.
TEST_P(Recording, ViewsAsOutputs) {
  const Array x = range(RONDO_F32, {6, 7});
  const Tensor a = up(x);
  Tensor view;
  Graph graph = record(engine(), [&] { view = slice(transpose(make(rondo_unary, RONDO_NEG, a), {1, 0}), 0, 1, 7, 2); });
  must(rondo_graph_launch(graph.get()));
  Array expected = host_slice(host_transpose(x, {1, 0}), 0, 1, 3, 2);
  for (size_t i = 0; i < expected.size(); ++i) expected.set(i, -expected[i]);
  expect_same_bits(download(view), expected, "view");
}

TEST_P(Recording, ViewsAsInputs) {
  const Array x = range(RONDO_F32, {6, 7});
  Tensor a = up(x), view = slice(a, 1, 1, 6, 2), out;
  Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, view); });
  a.reset(), view.reset();
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), -1);
}

TEST_P(Recording, LongGraph) {
  const Tensor a = ones(64, 0);
  Tensor out;
  const int n = quick() ? 300 : 1000;
  Graph graph = record(engine(), [&] {
    out = make(rondo_copy, a);
    for (int i = 0; i < n; ++i) into(out, rondo_binary_scalar, RONDO_ADD, out, 1.0);
  });
  expect_captured(graph.get());
  EXPECT_EQ(graph_info(graph.get()).tasks, n + 1);
  must(rondo_graph_launch(graph.get()));
  must(rondo_graph_launch(graph.get()));
  EXPECT_EQ(first(out), n);
}

TEST_P(Recording, ManyGraphsLeaveNothingBehind) {
  const Tensor a = ones(1000);
  rondo_memory_info before = RONDO_MEMORY_INFO_INIT, after = RONDO_MEMORY_INFO_INIT;
  for (int i = 0; i < 20; ++i) {
    Tensor out;
    Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, make(rondo_binary_scalar, RONDO_ADD, a, 1.0)); });
    must(rondo_graph_launch(graph.get()));
    graph.reset();
    EXPECT_EQ(first(out), 4);
    out.reset();
    must(rondo_engine_wait_all(engine()));
    if (i == 4) must(rondo_memory_query(engine(), device(), &before));
  }
  EXPECT_TRUE(eventually([&] {
    must(rondo_memory_query(engine(), device(), &after));
    return after.in_use <= before.in_use;
  })) << after.in_use;
  EXPECT_LE(after.in_use + after.cached, before.in_use + before.cached + (1 << 20));
}

TEST_P(Recording, ReportAndDot) {
  const Tensor a = ones(100);
  Tensor out;
  rondo_record_options named = RONDO_RECORD_OPTIONS_INIT;
  named.name = "the name of the graph";
  Graph graph = record(engine(), [&] {
    out = reduce(RONDO_SUM, make(rondo_unary, RONDO_EXP, a), {});
  }, &named);
  must(rondo_graph_launch(graph.get()));
  const rondo_graph_info info = graph_info(graph.get());
  EXPECT_EQ(info.tasks, 2);
  EXPECT_GT(info.record_ms, 0);
  EXPECT_GE(info.prepare_ms, 0);
  EXPECT_GE(info.capture_ms, 0);
  const std::string report = graph_report(graph.get());
  EXPECT_NE(report.find(named.name), std::string::npos) << report;
  EXPECT_EQ(report.back(), '\n');

  size_t length = 0;
  char small[8];
  std::fill(std::begin(small), std::end(small), 'x');
  must(rondo_graph_report(graph.get(), small, 5, &length));
  EXPECT_GE(length, 8u);
  EXPECT_EQ(small[4], '\0') << "cut off, with the final zero";
  EXPECT_EQ(small[5], 'x') << "nothing beyond the capacity";

  char path[] = "/tmp/rondo-test-XXXXXX";
  close(mkstemp(path));
  must(rondo_graph_dot(graph.get(), path));
  std::ifstream stream(path);
  const std::string dot((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::remove(path);
  EXPECT_NE(dot.find("digraph"), std::string::npos) << dot;
  EXPECT_NE(dot.find("->"), std::string::npos) << "no data flow in: " << dot;
  EXPECT_NE(dot.find("exp"), std::string::npos) << dot;
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
  EXPECT_EQ(rondo_graph_dot(graph.get(), "/nonexistent/graph.dot"), RONDO_IO_ERROR);
}

// Launch and destroy in every order, with nothing waited for.
TEST_P(Recording, DestroyInEveryOrder) {
  for (int order = 0; order < 6; ++order) {
    Tensor a = ones(1000, 3), out;
    Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_SQUARE, make(rondo_unary, RONDO_NEG, a)); });
    must(rondo_graph_launch(graph.get()));
    Tensor copy = make(rondo_copy, out);
    const std::function<void()> drops[] = {[&] { a.reset(); }, [&] { out.reset(); }, [&] { graph.reset(); }};
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const int which : orders[order]) drops[which]();
    EXPECT_EQ(first(copy), 9);
  }
}

TEST_P(Recording, EngineDestroyedBeforeTheGraph) {
  Engine other = create_engine(options());
  const Tensor a = upload(other.get(), device(), full(RONDO_F32, {10}, 1));
  Tensor out;
  Graph graph = record(other.get(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  must(rondo_graph_launch(graph.get()));
  other.reset();
  expect_refused(rondo_graph_launch(graph.get()), RONDO_INVALID_STATE, "rondo_graph_launch", nullptr);
}

}  // namespace
}  // namespace conformance
