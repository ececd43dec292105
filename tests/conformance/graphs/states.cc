// What is allowed while a recording is open, and recordings in several threads. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include "graphs/recording.h"

namespace conformance {
namespace {

class RecordingStates : public OnRecording {};
CONFORMANCE_ENGINE_SUITE(RecordingStates);

TEST_P(RecordingStates, NestedBeginIsRefused) {
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

TEST_P(RecordingStates, WhatIsNotAllowedInside) {
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

TEST_P(RecordingStates, Abort) {
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

TEST_P(RecordingStates, TemporaryUsedByAnotherThread) {
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

TEST_P(RecordingStates, LaunchesFromSeveralThreads) {
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

// Nothing comes between the segments of a launch: a second one would change the temporaries that the first still reads,
// another task what the launch is in the middle of.
TEST_P(RecordingStates, SegmentsOfALaunchStayTogether) {
  const Tensor state = ones(1000, 0);
  Graph graph = record(engine(), [&] {
    const Tensor before = make(rondo_copy, state);
    must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {variable_of(before)}));
    into(state, rondo_binary_scalar, RONDO_ADD, before, 1.0);
  });
  EXPECT_EQ(graph_info(graph.get()).segments, on_cuda() ? 3 : 1) << graph_report(graph.get());
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        rondo_tensor* slot = state;
        failed += rondo_graph_launch(graph.get()) != RONDO_OK;
        if (t == 0) failed += rondo_binary_scalar(RONDO_ADD, state, 1.0, &slot) != RONDO_OK;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(first(state), 125);
}

// While one thread records, others work, record and launch.
TEST_P(RecordingStates, ThreadsRecordIndependently) {
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

}  // namespace
}  // namespace conformance
