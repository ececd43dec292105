// Captures while other threads do what a capture of their own would break: allocate, wait, free, create and destroy
// engines, capture as well. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include "graphs/recording.h"

namespace conformance {
namespace {

class CapturesBesideOthers : public OnRecording {
 protected:
  // Two threads record and launch, each its own graph, while `others` are called over and over.
  void beside(const std::vector<std::function<void()>>& others) const {
    const int rounds = quick() ? 4 : 12;
    std::atomic<int> recording{2};
    std::vector<std::thread> threads;
    const auto start = [&](std::function<void()> body) {
      threads.emplace_back([body = std::move(body)] {
        try {
          body();
        } catch (const std::exception& problem) {
          ADD_FAILURE() << problem.what();
        }
      });
    };
    for (int t = 0; t < 2; ++t)
      start([&, t] {
        struct Done {
          std::atomic<int>& count;
          ~Done() { --count; }
        } done{recording};
        const Tensor mine = ones(1000, t);
        // Holds the capture open for a while; on a cpu, and eagerly, it does nothing.
        const auto lingers = [](rondo_task_context* context) {
          if (rondo_task_is_capturing(context)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
          return RONDO_OK;
        };
        const rondo_task_options with = task_options("lingers", device());
        for (int i = 0; i < rounds; ++i) {
          Tensor left, right;
          const Graph graph = record(engine(), [&] {
            const Tensor middle = make(rondo_cumulative, RONDO_MAX, mine, 0, 0);
            must(push(engine(), lingers, {variable_of(middle)}, {variable_of(middle)}, &with));
            left = make(rondo_binary_scalar, RONDO_ADD, middle, double(i));
            right = reduce(RONDO_SUM, middle, {});
          });
          expect_captured(graph.get());
          must(rondo_graph_launch(graph.get()));
          EXPECT_EQ(first(left), t + i);
          EXPECT_EQ(first(right), t * 1000);
        }
      });
    for (const std::function<void()>& other : others)
      start([&] {
        do other();
        while (recording > 0);
      });
    for (std::thread& thread : threads) thread.join();
  }
};
CONFORMANCE_ENGINE_SUITE(CapturesBesideOthers);

TEST_P(CapturesBesideOthers, ThreadsAllocateWaitAndFree) {
  std::atomic<int64_t> size{1};
  const auto work = [&] {
    // Of another size each time, so that the pool must ask the driver.
    const int64_t n = 1000 * (1 + size++ % 40);
    const Tensor a = ones(n, 2);
    const Tensor b = make(rondo_binary, RONDO_MUL, a, a);
    EXPECT_EQ(first(b), 4);
  };
  const auto give_back = [&] {
    must(rondo_memory_trim(engine(), device()));
    must(rondo_engine_wait_all(engine()));
  };
  const auto come_and_go = [&] {
    const Engine other = create_engine(options());
    const Tensor a = upload(other.get(), device(), full(RONDO_F32, {100}, 1));
    Tensor out;
    const Graph graph = record(other.get(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(first(out), -1);
  };
  beside({work, give_back, come_and_go});
}

// As a library does that knows no streams: work on the legacy stream, waited for there. Streams that block with it
// would break captures, and be broken by them.
TEST_P(CapturesBesideOthers, TasksUseTheLegacyStream) {
  if (!on_cuda()) GTEST_SKIP() << "a cpu has no streams";
  std::string missing;
  const Driver& table = driver(&missing);
  if (!table.memset8 || !table.synchronize) GTEST_SKIP() << missing;
  rondo_task_options with = task_options("knows_no_streams", device());
  with.flags = RONDO_TASK_NO_CAPTURE;
  std::atomic<int> ran{0};
  const auto legacy = [&] {
    const Tensor bytes = up(full(RONDO_U8, {256}, 1));
    must(rondo_tensor_wait(bytes));
    const auto fill = [&](rondo_task_context* context) {
      void* address = nullptr;
      if (rondo_task_operand(context, 0, &address, nullptr) != RONDO_OK) return RONDO_USER_ERROR;
      EXPECT_EQ(table.memset8(reinterpret_cast<unsigned long long>(address), 7, 256, nullptr), 0);
      EXPECT_EQ(table.synchronize(nullptr), 0);
      ++ran;
      return RONDO_OK;
    };
    must(push_tensors(engine(), fill, {}, {bytes}, &with));
    EXPECT_EQ(first(bytes), 7);
  };
  beside({legacy, legacy});
  EXPECT_GT(ran, 1);
}

}  // namespace
}  // namespace conformance
