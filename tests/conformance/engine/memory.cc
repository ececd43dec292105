// The pool: statistics, reuse, limits, the exhaustion path, trimming. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "harness.h"

namespace conformance {
namespace {

constexpr int64_t kMiB = 1 << 20;

class Memory : public OnEngine {
 protected:
  rondo_memory_info facts() const {
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info;
  }
  // The value of every byte of a tensor that filled() made, or NaN if they differ. A run that takes a share of the
  // values looks at the last part: it has been written as far as there.
  static Real value(rondo_tensor* tensor) {
    const int64_t bytes = query(tensor).bytes, from = share() < 0 ? 0 : bytes - std::min(bytes, kMiB / 4);
    const Tensor part = slice(tensor, 0, from, bytes);
    const Real least = download(reduce(RONDO_MIN, part, {}))[0], most = download(reduce(RONDO_MAX, part, {}))[0];
    return least == most ? least : NAN;
  }
  Tensor filled(int64_t bytes, double value) const {
    Tensor tensor = empty(RONDO_U8, {bytes});
    must(rondo_fill(tensor, value));
    return tensor;
  }
  void limited(int64_t bytes) {
    rondo_engine_options with = options();
    with.memory_limit = bytes;
    restart(with);
  }
  // Submits what needs more memory than there is; returns the status wherever it appears: at the call or at the wait.
  rondo_status exhaust(int64_t bytes) {
    const Tensor big = empty(RONDO_U8, {bytes});
    rondo_status status = rondo_fill(big, 1);
    if (status == RONDO_OK) status = rondo_tensor_wait(big);
    return status;
  }
};
CONFORMANCE_ENGINE_SUITE(Memory);

TEST_P(Memory, UnusedDeviceHasNone) {
  const rondo_memory_info info = facts();
  EXPECT_EQ(info.in_use, 0);
  EXPECT_EQ(info.peak_in_use, 0);
  EXPECT_EQ(info.allocations, 0);
}

TEST_P(Memory, CreateTakesNoMemory) {
  const Tensor a = empty(RONDO_F32, {1 << 20});
  EXPECT_EQ(facts().in_use, 0) << "memory is taken at the first write";
  must(rondo_fill(a, 1));
  must(rondo_tensor_wait(a));
  EXPECT_GE(facts().in_use, 4 * kMiB);
  EXPECT_LE(facts().in_use, 8 * kMiB);
}

TEST_P(Memory, BlocksAreReused) {
  for (int i = 0; i < 20; ++i) {
    const Tensor a = filled(3 * kMiB, i);
    if (i == 0) must(rondo_tensor_wait(a));
  }
  must(rondo_engine_wait_all(engine()));
  const rondo_memory_info info = facts();
  EXPECT_GE(info.allocations, 20);
  EXPECT_LE(info.system_allocations, 8) << "the pool went to the system for blocks it had";
  EXPECT_GE(info.peak_in_use, 3 * kMiB);
}

TEST_P(Memory, FreedMemoryIsCachedAndTrimmed) {
  {
    const Tensor a = filled(5 * kMiB, 1);
    must(rondo_tensor_wait(a));
  }
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(facts().in_use, 0);
  EXPECT_GE(facts().cached, 5 * kMiB);
  must(rondo_memory_trim(engine(), device()));
  EXPECT_EQ(facts().cached, 0);
  // And it still works.
  EXPECT_EQ(download(slice(filled(kMiB, 7), 0, 0, 1))[0], 7);
}

TEST_P(Memory, LimitIsReportedAndChanged) {
  limited(64 * kMiB);
  (void)download(filled(16, 1));
  EXPECT_EQ(facts().limit, 64 * kMiB);
  must(rondo_memory_set_limit(engine(), device(), 8 * kMiB));
  EXPECT_EQ(facts().limit, 8 * kMiB);
  EXPECT_EQ(exhaust(16 * kMiB), RONDO_OUT_OF_MEMORY);
  must(rondo_memory_set_limit(engine(), device(), 0));
  EXPECT_EQ(facts().limit, 0);
  EXPECT_EQ(exhaust(16 * kMiB), RONDO_OK) << rondo_last_error();
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Memory, ExhaustionSaysWhatItAsked) {
  limited(32 * kMiB);
  const Tensor kept = filled(20 * kMiB, 9);
  must(rondo_tensor_wait(kept));  // independent tasks take their memory in any order
  EXPECT_EQ(exhaust(24 * kMiB), RONDO_OUT_OF_MEMORY);
  const std::string message = rondo_last_error();
  for (const char* word : {"asked", "free", "cached"}) EXPECT_TRUE(has_word(message, word)) << message;
  EXPECT_TRUE(message.find("in use") != std::string::npos || message.find("in-use") != std::string::npos) << message;
  EXPECT_NE(message.find(on_cuda() ? "cuda:0" : "cpu"), std::string::npos) << message;
  // What was there is intact, and there is room again when something goes.
  EXPECT_EQ(value(kept), 9);
  EXPECT_EQ(exhaust(8 * kMiB), RONDO_OK) << rondo_last_error();
  EXPECT_EQ(exhaust(24 * kMiB), RONDO_OUT_OF_MEMORY);
  (void)rondo_engine_wait_all(engine());
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK);
}

// What a program holds and does not need, as a garbage collector finds it, makes room before a request fails.
TEST_P(Memory, ReclaimedBeforeARequestFails) {
  limited(16 * kMiB);
  struct Garbage {
    std::mutex mutex;
    std::vector<Tensor> tensors;
    int times = 0;
  } garbage;
  const auto reclaim = [](void* arg, int64_t, int32_t attempt) -> int32_t {
    auto& self = *static_cast<Garbage*>(arg);
    std::lock_guard lock(self.mutex);
    ++self.times;
    self.tensors.clear();
    std::this_thread::sleep_for(std::chrono::milliseconds(attempt));  // tasks in flight may hold the last references
    return attempt < 100;
  };
  must(rondo_set_reclaim(reclaim, &garbage, nullptr, 0));
  for (int i = 0; i < 30; ++i) {
    Tensor made = filled(2 * kMiB, i);
    must(rondo_tensor_wait(made));
    EXPECT_EQ(value(made), i);
    std::lock_guard lock(garbage.mutex);
    garbage.tensors.push_back(std::move(made));
  }
  must(rondo_set_reclaim(nullptr, nullptr, nullptr, 0));
  must(rondo_engine_wait_all(engine()));
  EXPECT_GE(garbage.times, 3);
  EXPECT_EQ(rondo_set_reclaim(nullptr, nullptr, nullptr, -1), RONDO_INVALID_ARGUMENT);
  EXPECT_TRUE(has_word(rondo_last_error(), "host_limit")) << rondo_last_error();
}

// Pools of the cpu begin with the limit that comes with the function, unless their engine has one.
TEST_P(Memory, ReclaimingLimitsTheHost) {
  must(rondo_set_reclaim([](void*, int64_t, int32_t) -> int32_t { return 0; }, nullptr, nullptr, 48 * kMiB));
  restart(options());
  (void)download(filled(16, 1));
  EXPECT_EQ(facts().limit, on_cuda() ? 0 : 48 * kMiB);
  limited(64 * kMiB);
  (void)download(filled(16, 1));
  EXPECT_EQ(facts().limit, 64 * kMiB);
  must(rondo_set_reclaim(nullptr, nullptr, nullptr, 0));
}

// A task that asks for too much is told so at once: what it could wait for may be itself.
TEST_P(Memory, ExhaustedInsideATask) {
  limited(kMiB);
  rondo_status inside = RONDO_OK;
  const Variable done(engine());
  must(push(engine(),
            [&](rondo_task_context*) {
              const Tensor big = empty(RONDO_U8, {64 * kMiB});
              inside = rondo_fill(big, 1);
              return RONDO_OK;
            },
            {}, {done}));
  must(rondo_variable_wait(done));
  const rondo_status later = rondo_engine_wait_all(engine());
  EXPECT_EQ(inside == RONDO_OK ? later : inside, RONDO_OUT_OF_MEMORY);
  EXPECT_EQ(value(filled(kMiB / 2, 5)), 5) << "the engine goes on";
}

TEST_P(Memory, WorksAgainAfterFreeing) {
  limited(32 * kMiB);
  Tensor first = filled(24 * kMiB, 1);
  must(rondo_tensor_wait(first));
  EXPECT_EQ(exhaust(24 * kMiB), RONDO_OUT_OF_MEMORY);
  first.reset();
  EXPECT_EQ(exhaust(24 * kMiB), RONDO_OK) << rondo_last_error();
  (void)rondo_engine_wait_all(engine());
}

// Cached blocks of other sizes are given back before the pool gives up.
TEST_P(Memory, CacheIsReturnedOnExhaustion) {
  limited(24 * kMiB);
  for (const int64_t size : {3, 5, 6, 7}) (void)filled(size * kMiB, 1);
  must(rondo_engine_wait_all(engine()));
  const Tensor large = filled(20 * kMiB, 2);
  EXPECT_EQ(rondo_tensor_wait(large), RONDO_OK) << rondo_last_error();
  EXPECT_LE(facts().in_use + facts().cached, 24 * kMiB);
  EXPECT_EQ(value(large), 2);
}

// Blocks in flight are waited for before the pool gives up: a loop that frees what it made always fits.
TEST_P(Memory, BlocksInFlightAreWaitedFor) {
  limited(32 * kMiB);
  for (int i = 0; i < (quick() ? 8 : 40); ++i) {  // 60 or 320 MiB in all; of what is under way a task has 10
    const Tensor a = filled((3 + i % 3) * kMiB, i);
    const Tensor b = make(rondo_binary_scalar, RONDO_ADD, a, 1.0);
  }
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OK) << rondo_last_error();
  EXPECT_LE(facts().peak_in_use, 32 * kMiB);
}

// A tensor that could not get memory is poisoned, not lost: smaller work with it is skipped, and says why.
TEST_P(Memory, ExhaustionPoisonsTheResult) {
  if (naive()) GTEST_SKIP() << "naive mode reports at the call: there is no result to poison";
  limited(16 * kMiB);
  const Tensor big = empty(RONDO_U8, {20 * kMiB});
  rondo_status status = rondo_fill(big, 1);
  if (status != RONDO_OK) {
    EXPECT_EQ(status, RONDO_OUT_OF_MEMORY);
    return;
  }
  const Tensor sum = reduce(RONDO_SUM, big, {});
  EXPECT_EQ(rondo_tensor_wait(sum), RONDO_OUT_OF_MEMORY);
  EXPECT_TRUE(has_word(rondo_last_error(), "asked")) << rondo_last_error();
  (void)rondo_engine_wait_all(engine());
}

TEST_P(Memory, RecordingOverTheLimit) {
  limited(16 * kMiB);
  const Tensor a = filled(4 * kMiB, 3);
  must(rondo_record_begin(engine(), nullptr));
  Tensor left = make(rondo_tensor_create, engine(), device(), RONDO_U8, 1, std::array<int64_t, 1>{12 * kMiB}.data());
  Tensor right = make(rondo_tensor_create, engine(), device(), RONDO_U8, 1, std::array<int64_t, 1>{12 * kMiB}.data());
  must(rondo_fill(left, 1));
  must(rondo_fill(right, 2));
  rondo_graph* graph = nullptr;
  rondo_status status = rondo_record_end(engine(), &graph);
  if (status == RONDO_OK) {  // memory may also be taken at the first launch
    status = rondo_graph_launch(graph);
    if (status == RONDO_OK) status = rondo_tensor_wait(right);
    if (status == RONDO_OK) status = rondo_tensor_wait(left);
  }
  EXPECT_EQ(status, RONDO_OUT_OF_MEMORY) << rondo_status_name(status) << ": " << rondo_last_error();
  rondo_graph_destroy(graph);
  left.reset(), right.reset();
  (void)rondo_engine_wait_all(engine());
  EXPECT_EQ(value(a), 3) << "what was there is intact";
  EXPECT_EQ(value(filled(8 * kMiB, 5)), 5) << "the engine goes on";
}

// A host that writes faster than its writes can be done waits, before it has filled the memory.
TEST_P(Memory, StagedWritesAreBounded) {
  if (naive()) GTEST_SKIP() << "each call is done when it returns";
  if (share() % 5 > 0) GTEST_SKIP() << "384 MiB of copies: under every fifth order of the simulated driver";
  constexpr int kWrites = 24;
  const Tensor a = filled(16 * kMiB, 1);
  const std::vector<unsigned char> data(16 * kMiB, 7);
  Gate gate;
  must(push(engine(), waiting(gate), {}, {variable_of(a)}));
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 0; i < kWrites; ++i) written += rondo_tensor_write(a, data.data(), data.size()) == RONDO_OK;
  });
  EXPECT_TRUE(eventually([&] { return written > 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(written, 20) << "384 MiB are not staged at once";
  gate.open = true;
  writer.join();
  EXPECT_EQ(written, kWrites);
  EXPECT_EQ(value(a), 7);
}

TEST_P(Memory, ThreadsShareThePool) {
  limited(256 * kMiB);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const Tensor a = filled(64 * 1024 + i * 4096, t);
        if (download(slice(a, 0, 100, 101))[0] != t) ADD_FAILURE() << "thread " << t << " saw another's data";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(facts().allocations, 80);
}

}  // namespace
}  // namespace conformance
