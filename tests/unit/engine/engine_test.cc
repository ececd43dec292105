// The engine over a fake device that runs work late and in a hostile order: order, events only where needed, bounded
// run-ahead, waits, poison. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <thread>

#include "engine_fixture.h"

namespace rondo {
namespace {

using testing::EngineOverFake;
using testing::make_work;
using testing::message;
using testing::Variables;
using testing::Work;

// --- folding ---

TEST(EngineFold, OneAccessPerVariable) {
  EngineOverFake over;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Variables all;
    for (int i = 0; i < 12; ++i) all.push_back(over.variable());
    std::array<int, 12> roles{};  // bit 1 read, bit 2 write
    Ref<Work> task = make_work("fold", over.device, {}, {}, [](const TaskContext&) { return Status(); });
    for (auto n = random() % 30; n > 0; --n) {
      const auto which = random() % (round % 2 ? 12 : 3);
      if (random() % 2) {
        task->reads(*all[which]);
        roles[which] |= 1;
      } else {
        task->writes(*all[which]);
        roles[which] |= 2;
      }
    }
    testing::Keeper keeper(*over.engine);
    Engine::set_thread_sink(&keeper);
    const Status status = over.engine->submit(task);
    Engine::set_thread_sink(nullptr);
    ASSERT_TRUE(status.ok()) << message(status);
    ASSERT_EQ(keeper.tasks().size(), 1u);
    std::array<int, 12> folded{};
    for (const Access& access : task->accesses())
      for (size_t i = 0; i < all.size(); ++i) {
        if (access.variable != all[i].get()) continue;
        ASSERT_EQ(folded[i], 0) << "the variable comes twice";
        folded[i] = (access.read ? 1 : 0) | (access.write ? 2 : 0);
      }
    ASSERT_EQ(folded, roles);
    task = nullptr;
    keeper.clear();
    for (const Ref<Variable>& each : all) ASSERT_EQ(each->use_count(), 1u) << "references balance";
  }
}

// --- recordings ---

class Private final : public Task {
 public:
  using Task::Task;
  Status run(const TaskContext&) override { return {}; }
};

TEST(EngineRecords, TasksThatObserversKnow) {
  EngineOverFake over;
  testing::Keeper keeper(*over.engine);
  Engine::set_thread_sink(&keeper);
  const Status refused = over.engine->submit(make_ref<Private>("private", over.device));
  const Status taken =
      over.engine->submit(make_work("work", over.device, {}, {}, [](const TaskContext&) { return Status(); }));
  Engine::set_thread_sink(nullptr);
  EXPECT_EQ(refused.code(), RONDO_INVALID_STATE);
  EXPECT_NE(message(refused).find("private cannot be recorded; do it before"), std::string::npos) << message(refused);
  EXPECT_TRUE(taken.ok()) << message(taken);
  EXPECT_EQ(keeper.tasks().size(), 1u);
}

// --- events ---

TEST(EngineEvents, NoneOnOneStream) {
  EngineOverFake over;
  const Ref<Variable> a = over.variable();
  const Ref<Variable> b = over.variable();
  int done = 0;
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(over.kernel({a}, {b}, [&] { ++done; }).ok());
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(over.kernel({b}, {a}, [&] { ++done; }).ok());
  const auto calls = over.device.calls();
  EXPECT_EQ(calls.streams, 1);
  EXPECT_EQ(calls.records, 0);
  EXPECT_EQ(calls.events_created, 0);
  EXPECT_EQ(calls.waits, 0);
  ASSERT_TRUE(over.engine->wait(*a).ok());
  EXPECT_EQ(done, 1000) << "a wait means done";
  EXPECT_EQ(over.device.calls().records, 1) << "one event for the one who waits";
}

TEST(EngineEvents, WaitsAreNotRepeated) {
  EngineOverFake over(RONDO_ENGINE_ASYNC, 2);
  const Ref<Variable> input = over.variable();
  int value = 0;
  ASSERT_TRUE(over.kernel(
                      {}, {input}, [&] { value = 1; }, 0)
                  .ok());
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(over.kernel(
                        {input}, {over.variable()}, [&] { EXPECT_EQ(value, 1); }, 1)
                    .ok());
  EXPECT_EQ(over.device.calls().waits, 1);
  EXPECT_EQ(over.device.calls().records, 1);
  ASSERT_TRUE(over.engine->wait_all().ok());
}

TEST(EngineEvents, ManyTasksBetweenProducerAndConsumer) {
  // More tasks lie between than any ring of events would have places, on three streams.
  EngineOverFake over(RONDO_ENGINE_ASYNC, 3);
  for (int distance : {1, 63, 64, 65, 300}) {
    const Ref<Variable> first = over.variable();
    const Ref<Variable> second = over.variable();
    const Ref<Variable> third = over.variable();
    int value = 0;
    const auto others = [&] {
      for (int i = 0; i < distance; ++i)
        ASSERT_TRUE(over.kernel(
                            {}, {over.variable()}, [] {}, i % 3)
                        .ok());
    };
    ASSERT_TRUE(over.kernel(
                        {}, {first}, [&] { value = 1; }, 0)
                    .ok());
    ASSERT_NO_FATAL_FAILURE(others());
    ASSERT_TRUE(over.kernel(
                        {first}, {second}, [&] { value = value * 10 + 2; }, 1)
                    .ok());
    ASSERT_NO_FATAL_FAILURE(others());
    ASSERT_TRUE(over.kernel(
                        {second, first}, {third}, [&] { value = value * 10 + 3; }, 2)
                    .ok());
    ASSERT_TRUE(over.kernel(
                        {third}, {first}, [&] { value = value * 10 + 4; }, 0)
                    .ok());
    ASSERT_TRUE(over.engine->wait(*first).ok());
    EXPECT_EQ(value, 1234) << distance;
  }
}

// --- order ---

class EngineOrder : public ::testing::TestWithParam<std::tuple<rondo_engine_mode, int>> {};

// Random programs of kernels on random streams and host functions give what serial execution gives.
TEST_P(EngineOrder, RandomProgramsEqualSerialExecution) {
  const auto [mode, seed] = GetParam();
  EngineOverFake over(mode, 3, 64, static_cast<uint64_t>(seed));
  std::mt19937 random(static_cast<unsigned>(seed));
  constexpr size_t kVariables = 12;
  Variables variables;
  std::array<uint64_t, kVariables> values{};
  std::array<uint64_t, kVariables> expected{};
  for (size_t i = 0; i < kVariables; ++i) variables.push_back(over.variable());
  for (uint64_t step = 1; step <= 1500; ++step) {
    std::vector<size_t> from;
    Variables reads;
    for (auto n = random() % 4; n > 0; --n) {
      from.push_back(random() % kVariables);
      reads.push_back(variables[from.back()]);
    }
    const size_t to = random() % kVariables;
    auto apply = [from, to, step](std::array<uint64_t, kVariables>& on) {
      uint64_t sum = step;
      for (const size_t each : from) sum = sum * 31 + on[each];
      on[to] = sum;
    };
    apply(expected);
    auto run = [apply, &values] { apply(values); };
    if (random() % 4 == 0) {
      ASSERT_TRUE(over.host(reads, {variables[to]},
                            [run] {
                              run();
                              return Status();
                            })
                      .ok());
    } else {
      ASSERT_TRUE(over.kernel(reads, {variables[to]}, run, static_cast<int>(random() % 4) - 1).ok());
    }
    if (random() % 200 == 0) {
      const size_t which = random() % kVariables;
      ASSERT_TRUE(over.engine->wait(*variables[which]).ok());
      ASSERT_EQ(values[which], expected[which]) << "after a wait, at step " << step;
    }
  }
  ASSERT_TRUE(over.engine->wait_all().ok());
  EXPECT_EQ(values, expected);
}

INSTANTIATE_TEST_SUITE_P(Modes, EngineOrder,
                         ::testing::Combine(::testing::Values(RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED,
                                                              RONDO_ENGINE_NAIVE),
                                            ::testing::Range(1, 7)));

TEST(EngineOrder, DestroyedTensorsMemoryIsReused) {
  EngineOverFake over(RONDO_ENGINE_ASYNC, 3, 256);
  std::mt19937 random(4);
  for (int i = 0; i < 400; ++i) {
    // Large enough to be reused on another stream.
    const Ref<Storage> storage = over.engine->new_storage(over.device, size_t{1} << 20);
    const int stream = static_cast<int>(random() % 3);
    for (int pass = 0; pass < 2; ++pass) {
      Ref<Work> task = make_work("fill", over.device, {}, {storage}, [&, pass, i](const TaskContext& context) {
        int* data = reinterpret_cast<int*>(storage->address());
        over.device.enqueue(context.stream, [data, i, pass] {
          EXPECT_TRUE(pass == 0 || *data == i) << "somebody else wrote into it";
          *data = i;
        });
        return Status();
      });
      task->stream_hint = pass == 0 ? stream : static_cast<int>(random() % 3);
      ASSERT_TRUE(over.engine->submit(std::move(task)).ok());
    }
  }
  ASSERT_TRUE(over.engine->wait_all().ok());
  EXPECT_LT(over.device.allocated(), size_t{200} << 20) << "memory is reused";
  DeviceState* state = nullptr;
  ASSERT_TRUE(over.engine->device_state(over.device, &state).ok());
  const rondo_memory_info info = state->pool.query();
  EXPECT_GT(info.cross_stream_reuses, 0);
  EXPECT_EQ(info.in_use, 0);
}

// --- run-ahead ---

TEST(EngineRunAhead, DeviceTasksAreBounded) {
  EngineOverFake over(RONDO_ENGINE_ASYNC, 1, 32);
  over.device.hold(true);
  size_t most = 0;
  int done = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(over.kernel({}, {over.variable()}, [&] { ++done; }).ok());
    most = std::max(most, over.device.queued());
  }
  EXPECT_LE(most, 64u) << "32 tasks may be in flight; each quarter adds a marker";
  ASSERT_TRUE(over.engine->wait_all().ok());
  EXPECT_EQ(done, 2000) << "the limit loses nothing";
}

TEST(EngineRunAhead, HostTasksAreBounded) {
  EngineOverFake over(RONDO_ENGINE_ASYNC, 1, 10);
  std::mutex gate;
  gate.lock();
  std::atomic<int> submitted{0};
  std::atomic<int> done{0};
  const Ref<Variable> variable = over.variable();
  std::thread submitter([&] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(over.host({}, {variable},
                            [&] {
                              const std::lock_guard pass(gate);
                              ++done;
                              return Status();
                            })
                      .ok());
      ++submitted;
    }
  });
  while (submitted < 10) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(submitted, 10) << "the eleventh must wait";
  EXPECT_EQ(done, 0);
  gate.unlock();
  submitter.join();
  ASSERT_TRUE(over.engine->wait(*variable).ok());
  EXPECT_EQ(done, 50);
}

// --- waiting ---

TEST(EngineWait, InsideATaskIsAnError) {
  for (const rondo_engine_mode mode : {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE}) {
    EngineOverFake over(mode);
    const Ref<Variable> variable = over.variable();
    std::array<Status, 4> seen;
    ASSERT_TRUE(over.host({}, {variable},
                          [&] {
                            seen[0] = over.engine->wait(*variable);
                            seen[1] = over.engine->wait_all();
                            return Status();
                          })
                    .ok());
    ASSERT_TRUE(over.engine->wait(*variable).ok());
    ASSERT_TRUE(over.engine
                    ->submit(make_work("device", over.device, {variable}, {},
                                       [&](const TaskContext&) {
                                         seen[2] = over.engine->wait(*variable);
                                         seen[3] = over.engine->wait_all();
                                         return Status();
                                       }))
                    .ok());
    ASSERT_TRUE(over.engine->wait(*variable).ok());
    for (const Status& each : seen) {
      EXPECT_EQ(each.code(), RONDO_INVALID_STATE) << mode;
      EXPECT_NE(message(each).find("inside a task"), std::string::npos) << message(each);
    }
  }
}

TEST(EngineWait, ForContentsAsksNoStreamOfReaders) {
  EngineOverFake over(RONDO_ENGINE_ASYNC, 2);
  const Ref<Variable> variable = over.variable();
  void* foreign = nullptr;
  ASSERT_TRUE(over.device.stream_create(false, &foreign).ok());
  ASSERT_TRUE(over.kernel(
                      {}, {variable}, [] {}, 0)
                  .ok());
  ASSERT_TRUE(over.kernel(
                      {variable}, {over.variable()}, [] {}, 1)
                  .ok());
  const int records = over.device.calls().records;  // of the event by which the reader's stream waits for the writer
  const int waits = over.device.calls().waits;
  ASSERT_TRUE(over.engine->export_to_stream(*variable, Awaited::contents, foreign).ok());
  EXPECT_EQ(over.device.calls().waits, waits + 1);
  EXPECT_EQ(over.device.calls().records, records) << "the writer is covered already";
  ASSERT_TRUE(over.engine->export_to_stream(*variable, Awaited::uses, foreign).ok());
  EXPECT_EQ(over.device.calls().waits, waits + 3);
  EXPECT_EQ(over.device.calls().records, records + 1) << "the reader's stream";
  ASSERT_TRUE(over.engine->wait(*variable, Awaited::contents).ok());
  EXPECT_EQ(over.device.calls().synchronises, 1);
  ASSERT_TRUE(over.engine->wait(*variable).ok());
  EXPECT_EQ(over.device.calls().synchronises, 2);
}

TEST(EngineWait, WithALimitEndsThoughTheDeviceDoesNot) {
  EngineOverFake over;
  const Ref<Variable> variable = over.variable();
  int done = 0;
  ASSERT_TRUE(over.kernel({}, {variable}, [&] { ++done; }).ok());
  over.device.hold(true);
  for (const int64_t limit : {0, 2}) {
    const Status waited = over.engine->wait(*variable, Awaited::contents, TimeLimit(limit));
    EXPECT_EQ(waited.code(), RONDO_TIMED_OUT);
    EXPECT_NE(message(waited).find("last tasks issued there: kernel"), std::string::npos) << message(waited);
    EXPECT_EQ(over.engine->wait_all(TimeLimit(limit)).code(), RONDO_TIMED_OUT);
  }
  EXPECT_EQ(done, 0);
  over.device.hold(false);
  EXPECT_TRUE(over.engine->wait(*variable, Awaited::contents, TimeLimit(60000)).ok());
  EXPECT_EQ(done, 1);
  EXPECT_EQ(over.device.calls().synchronises, 0) << "nothing that blocks was called";
}

TEST(EngineWait, ABodyMayTakeMemoryAndLetGoOfIt) {
  EngineOverFake over(RONDO_ENGINE_ASYNC, 1);
  Ref<Storage> other = over.engine->new_storage(over.device, size_t{1} << 20);
  const Ref<Variable> variable = over.variable();
  // A block in flight on the stream is in the pool when the body asks for one.
  ASSERT_TRUE(over.engine
                  ->submit(make_work("fill", over.device, {}, {Ref<Variable>(other)},
                                     [&](const TaskContext& context) {
                                       over.device.enqueue(context.stream, [] {});
                                       return Status();
                                     }))
                  .ok());
  other = nullptr;
  Ref<Storage> wanted = over.engine->new_storage(over.device, size_t{1} << 20);
  ASSERT_TRUE(over.engine
                  ->submit(make_work("asks", over.device, {}, {variable},
                                     [&](const TaskContext&) {
                                       Status status = over.engine->back(*wanted);
                                       wanted = nullptr;
                                       return status;
                                     }))
                  .ok());
  EXPECT_TRUE(over.engine->wait(*variable).ok());
}

TEST(EngineWait, NaiveTasksInsideTasksDoNotHang) {
  EngineOverFake over(RONDO_ENGINE_NAIVE);
  const Ref<Variable> variable = over.variable();
  const Ref<Variable> result = over.variable();
  Status inner;
  const Status outer = over.host({}, {variable}, [&] {
    inner = over.host({variable}, {result}, [] { return Status(); });
    return Status();
  });
  EXPECT_TRUE(outer.ok()) << message(outer);
  EXPECT_EQ(inner.code(), RONDO_INVALID_STATE) << "it needs what the outer one is about to write";
  EXPECT_FALSE(over.engine->wait(*result).ok()) << "the refused task poisons what it would have written";
  EXPECT_TRUE(over.engine->wait(*variable).ok());
  // One that needs nothing of the outer task runs.
  const Ref<Variable> free_one = over.variable();
  int ran = 0;
  ASSERT_TRUE(over.host({}, {variable},
                        [&] {
                          return over.host({}, {free_one}, [&] {
                            ++ran;
                            return Status();
                          });
                        })
                  .ok());
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(over.engine->wait(*free_one).ok());
}

// --- errors ---

class EnginePoison : public ::testing::TestWithParam<rondo_engine_mode> {};

TEST_P(EnginePoison, FirstCauseIsReportedEachTime) {
  EngineOverFake over(GetParam());
  const Ref<Variable> a = over.variable();
  const Ref<Variable> b = over.variable();
  const Ref<Variable> c = over.variable();
  const Ref<Variable> other = over.variable();
  int ran = 0;
  auto submitted = [&](const Status& status) { return GetParam() == RONDO_ENGINE_NAIVE || status.ok(); };
  ASSERT_TRUE(submitted(over.engine->submit(make_work("broken", over.device, {}, {a}, [](const TaskContext&) {
    return Status(RONDO_USER_ERROR, "the first cause");
  }))));
  ASSERT_TRUE(submitted(over.kernel({a}, {b}, [&] { ++ran; })));
  ASSERT_TRUE(submitted(over.host({b}, {c}, [&] {
    ++ran;
    return Status(RONDO_USER_ERROR, "a later cause");
  })));
  ASSERT_TRUE(over.kernel({}, {other}, [&] { ran += 100; }).ok());
  for (int again = 0; again < 3; ++again)
    for (const Ref<Variable>& each : {a, b, c}) {
      const Status status = over.engine->wait(*each);
      EXPECT_EQ(status.code(), RONDO_USER_ERROR);
      EXPECT_NE(message(status).find("the first cause"), std::string::npos) << message(status);
      EXPECT_NE(message(status).find("'broken' on cuda:0"), std::string::npos) << message(status);
    }
  EXPECT_TRUE(over.engine->wait(*other).ok());
  EXPECT_EQ(ran, 100) << "tasks that read poison are skipped, others run";
  EXPECT_EQ(over.engine->version(*a), 0u) << "a write that failed is none";
  const Status all = over.engine->wait_all();
  EXPECT_EQ(all.code(), RONDO_USER_ERROR);
  EXPECT_TRUE(over.engine->wait_all().ok()) << "wait_all reports a failure once";
  // Overwriting without reading clears; reading and writing does not.
  ASSERT_TRUE(submitted(over.kernel({a}, {a}, [&] { ++ran; })));
  EXPECT_FALSE(over.engine->wait(*a).ok());
  ASSERT_TRUE(over.kernel({}, {a}, [] {}).ok());
  EXPECT_TRUE(over.engine->wait(*a).ok());
  EXPECT_FALSE(over.engine->wait(*b).ok()) << "what was derived from it stays poisoned";
  ASSERT_TRUE(over.kernel({a}, {b}, [&] { ++ran; }).ok());
  EXPECT_TRUE(over.engine->wait(*b).ok());
  EXPECT_EQ(ran, 101);
  (void)over.engine->wait_all();
}

INSTANTIATE_TEST_SUITE_P(Modes, EnginePoison,
                         ::testing::Values(RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE));

TEST(EngineErrors, AFatalDeviceErrorMarksTheEngine) {
  EngineOverFake over;
  const Ref<Variable> variable = over.variable();
  ASSERT_TRUE(over.kernel({}, {variable}, [] {}).ok());
  over.device.fail_synchronise(Status(RONDO_DEVICE_LOST, "illegal address"));
  const Status first = over.engine->wait(*variable);
  EXPECT_EQ(first.code(), RONDO_DEVICE_LOST);
  EXPECT_NE(message(first).find("illegal address"), std::string::npos);
  EXPECT_NE(message(first).find("kernel"), std::string::npos) << "names the last tasks: " << message(first);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(message(over.engine->wait(*variable)), message(first));
    EXPECT_EQ(message(over.engine->wait_all()), message(first));
    EXPECT_EQ(message(over.kernel({}, {variable}, [] {})), message(first));
  }
}

TEST(EngineErrors, FailedWaitPoisonsAndStreamGoesOn) {
  EngineOverFake over(RONDO_ENGINE_ASYNC, 2);
  const Ref<Variable> input = over.variable();
  const Ref<Variable> output = over.variable();
  int value = 0;
  ASSERT_TRUE(over.kernel(
                      {}, {input}, [&] { value = 1; }, 0)
                  .ok());
  over.device.fail_wait(Status(RONDO_DEVICE_ERROR, "no wait for you"));
  ASSERT_TRUE(over.kernel(
                      {input}, {output}, [&] { value = 2; }, 1)
                  .ok());
  const Status status = over.engine->wait(*output);
  EXPECT_EQ(status.code(), RONDO_DEVICE_ERROR);
  EXPECT_NE(message(status).find("no wait for you"), std::string::npos) << message(status);
  // The wait that failed must not count as done.
  ASSERT_TRUE(over.kernel(
                      {input}, {output},
                      [&] {
                        EXPECT_EQ(value, 1);
                        value = 3;
                      },
                      1)
                  .ok());
  EXPECT_TRUE(over.engine->wait(*output).ok());
  EXPECT_EQ(value, 3);
  (void)over.engine->wait_all();
}

TEST(EngineErrors, OutOfMemoryPoisonsTheTaskAlone) {
  EngineOverFake over;
  over.device.set_capacity(size_t{4} << 20);
  const Ref<Storage> small = over.engine->new_storage(over.device, size_t{1} << 20);
  const Ref<Storage> huge = over.engine->new_storage(over.device, size_t{64} << 20);
  auto fill = [&](const Ref<Storage>& storage) {
    return over.engine->submit(
        make_work("fill", over.device, {}, {Ref<Variable>(storage)}, [&](const TaskContext& context) {
          over.device.enqueue(context.stream, [] {});
          return Status();
        }));
  };
  ASSERT_TRUE(fill(small).ok());
  ASSERT_TRUE(fill(huge).ok());
  const Status status = over.engine->wait(*huge);
  EXPECT_EQ(status.code(), RONDO_OUT_OF_MEMORY);
  EXPECT_NE(message(status).find("asked 67108864"), std::string::npos) << message(status);
  EXPECT_NE(message(status).find("'fill'"), std::string::npos) << message(status);
  EXPECT_TRUE(over.engine->wait(*small).ok());
  ASSERT_TRUE(fill(small).ok());
  EXPECT_TRUE(over.engine->wait(*small).ok());
  (void)over.engine->wait_all();
}

}  // namespace
}  // namespace rondo
