// The order of tasks: readers and writers, waits that mean done, streams, priorities, tasks that submit or wait.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

using namespace std::chrono_literals;

class Order : public OnEngine {};
CONFORMANCE_ENGINE_SUITE(Order);

TEST_P(Order, ModeIsTheOneAskedFor) {
  rondo_engine_mode mode = RONDO_ENGINE_DEFAULT;
  must(rondo_engine_get_mode(engine(), &mode));
  EXPECT_EQ(mode, GetParam().mode);
  const Engine other = create_engine(RONDO_ENGINE_OPTIONS_INIT);
  must(rondo_engine_get_mode(other.get(), &mode));
  EXPECT_NE(mode, RONDO_ENGINE_DEFAULT);
}

TEST_P(Order, WritersRunAloneAndInOrder) {
  const Variable v(engine());
  std::vector<int> order;  // no lock: the engine's order is what protects it
  for (int i = 0; i < 200; ++i) {
    must(push(engine(),
              [&order, i](rondo_task_context*) {
                order.push_back(i);
                return RONDO_OK;
              },
              {}, {v}));
  }
  must(rondo_variable_wait(v));
  ASSERT_EQ(order.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST_P(Order, ReadersSeeTheLastWriterAndHoldBackTheNext) {
  const Variable v(engine());
  int value = 0;
  std::atomic<int> wrong{0}, reading{0};
  for (int i = 1; i <= 30; ++i) {
    must(push(engine(),
              [&, i](rondo_task_context*) {
                if (reading != 0) ++wrong;
                value = i;
                return RONDO_OK;
              },
              {}, {v}));
    for (int r = 0; r < 4; ++r) {
      must(push(engine(),
                [&, i](rondo_task_context*) {
                  ++reading;
                  if (value != i) ++wrong;
                  --reading;
                  return RONDO_OK;
                },
                {v}, {}));
    }
  }
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(wrong, 0);
}

TEST_P(Order, ReadersRunTogether) {
  if (naive()) GTEST_SKIP() << "naive mode runs one task at a time by definition";
  const Variable v(engine());
  std::atomic<int> inside{0}, together{0};
  for (int i = 0; i < 2; ++i) {
    must(push(engine(),
              [&](rondo_task_context*) {
                ++inside;
                if (eventually([&] { return inside == 2; })) ++together;
                return RONDO_OK;
              },
              {v}, {}));
  }
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(together, 2) << "two readers did not overlap on two workers";
}

TEST_P(Order, SameVariableTwiceAndAsReadAndWrite) {
  const Variable v(engine()), w(engine());
  int value = 0;
  for (int i = 0; i < 50; ++i) {
    must(push(engine(),
              [&](rondo_task_context*) {
                ++value;
                return RONDO_OK;
              },
              {v, w, v, w}, {v, v}));
  }
  must(rondo_variable_wait(v));
  EXPECT_EQ(value, 50);
  uint64_t version = 0;
  must(rondo_variable_version(v, &version));
  EXPECT_EQ(version, 50u) << "one task is one write";
  must(rondo_variable_version(w, &version));
  EXPECT_EQ(version, 0u) << "reads do not count";
}

TEST_P(Order, NoVariablesAtAll) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 10; ++i) {
    must(push(engine(),
              [&](rondo_task_context*) {
                ++ran;
                return RONDO_OK;
              },
              {}, {}));
  }
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(ran, 10);
}

TEST_P(Order, WaitMeansDone) {
  const Variable v(engine());
  std::atomic<bool> done{false};
  const auto slow = [&](rondo_task_context*) {
    std::this_thread::sleep_for(30ms);
    done = true;
    return RONDO_OK;
  };
  must(push(engine(), slow, {}, {v}));
  must(rondo_variable_wait(v));
  EXPECT_TRUE(done);
  done = false;
  must(push(engine(), slow, {v}, {}));  // a wait covers readers too
  must(rondo_variable_wait(v));
  EXPECT_TRUE(done);
  done = false;
  must(push(engine(), slow, {}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_TRUE(done);
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  done = false;
  must(push(engine(), slow, {}, {variable_of(a)}));
  must(rondo_tensor_wait(a));
  EXPECT_TRUE(done);
}

// The host function runs on the device's stream: a wait that only looked at the issue would return before it.
TEST_P(Order, WaitMeansDoneOnTheDevice) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no streams";
  std::string missing;
  const Driver& table = driver(&missing);
  if (!table.launch_host) GTEST_SKIP() << missing;
  static std::atomic<int> done;
  done = 0;
  const auto slow = [&](rondo_task_context* context) {
    EXPECT_NE(rondo_task_stream(context), nullptr);
    EXPECT_EQ(rondo_task_device(context).kind, RONDO_CUDA);
    EXPECT_EQ(rondo_task_is_capturing(context), 0);
    const auto body = [](void*) {
      std::this_thread::sleep_for(50ms);
      ++done;
    };
    return table.launch_host(rondo_task_stream(context), body, nullptr) == 0 ? RONDO_OK : RONDO_DEVICE_ERROR;
  };
  const rondo_task_options options = task_options("slow", kCuda);
  const Variable v(engine());
  must(push(engine(), slow, {}, {v}, &options));
  if (naive()) {
    EXPECT_EQ(done, 1) << "a naive call returns when the device is done";
  }
  must(rondo_variable_wait(v));
  EXPECT_EQ(done, 1);
  must(push(engine(), slow, {v}, {}, &options));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(done, 2);
  // A host task behind a device task sees the device's result.
  int seen = 0;
  must(push(engine(), slow, {}, {v}, &options));
  must(push(engine(),
            [&](rondo_task_context*) {
              seen = done;
              return RONDO_OK;
            },
            {v}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(seen, 3);
}

// Long chains across streams: events must never be reused while they still mean something to somebody.
TEST_P(Order, ManyCrossStreamDependencies) {
  if (!on_cuda()) GTEST_SKIP() << "the cpu has no streams";
  std::string missing;
  const Driver& table = driver(&missing);
  if (!table.memset8) GTEST_SKIP() << missing;
  rondo_engine_options many = options();
  many.streams = 4;
  restart(many);
  const Tensor a = up(full(RONDO_U8, {4096}, 0)), b = up(full(RONDO_U8, {4096}, 0)), c = empty(RONDO_U8, {4096});
  void* address = nullptr;
  must(rondo_tensor_data(a, &address));
  const auto bytes = reinterpret_cast<unsigned long long>(address);
  for (int i = 0; i < 300; ++i) {
    rondo_task_options where = task_options("set", kCuda);
    where.stream = i % 4;
    must(push(
        engine(),
        [&table, bytes, i](rondo_task_context* context) {
          return table.memset8(bytes, static_cast<unsigned char>(i), 4096, rondo_task_stream(context)) == 0
                     ? RONDO_OK
                     : RONDO_DEVICE_ERROR;
        },
        {}, {variable_of(a)}, &where));
    into(c, rondo_copy, a);  // wherever the engine puts it
    if (i % 100 == 99) expect_same_bits(download(c), full(RONDO_U8, {4096}, i), "after " + std::to_string(i));
  }
}

TEST_P(Order, HighPriorityOvertakes) {
  if (naive()) GTEST_SKIP() << "naive mode has no queue";
  rondo_engine_options single = options();
  single.workers = 1;
  restart(single);
  Gate gate;
  must(push(engine(), waiting(gate), {}, {}));
  ASSERT_TRUE(eventually([&] { return gate.entered.load(); }));
  std::vector<int> order;
  const auto note = [&](int id, int priority) {
    rondo_task_options with = task_options("note", kCpu);
    with.priority = priority;
    must(push(
        engine(),
        [&order, id](rondo_task_context*) {
          order.push_back(id);
          return RONDO_OK;
        },
        {}, {}, &with));
  };
  note(1, 0), note(2, 0), note(3, 1), note(4, 5), note(5, 1);
  gate.open = true;
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(order, (std::vector<int>{4, 3, 5, 1, 2}));
}

// An urgent task cannot overtake what it depends on.
TEST_P(Order, PriorityKeepsTheOrderOfVariables) {
  const Variable v(engine());
  std::vector<int> order;
  for (int i = 0; i < 50; ++i) {
    rondo_task_options with = task_options("note", kCpu);
    with.priority = i;
    must(push(
        engine(),
        [&order, i](rondo_task_context*) {
          order.push_back(i);
          return RONDO_OK;
        },
        {}, {v}, &with));
  }
  must(rondo_engine_wait_all(engine()));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(Order, WaitingInsideATaskIsRefused) {
  const Variable v(engine());
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  std::vector<rondo_status> statuses;
  std::vector<std::string> messages;
  must(push(engine(),
            [&](rondo_task_context*) {
              float data[4];
              rondo_tensor_wait(a);  // first, so that a stale message would show
              for (const auto& call : std::initializer_list<std::function<rondo_status()>>{
                       [&] { return rondo_engine_wait_all(engine()); }, [&] { return rondo_variable_wait(v); },
                       [&] { return rondo_tensor_wait(a); }, [&] { return rondo_tensor_read(a, data, sizeof data); },
                       [&] { return rondo_record_begin(engine(), nullptr); }}) {
                statuses.push_back(call());
                messages.emplace_back(rondo_last_error());
              }
              return RONDO_OK;
            },
            {}, {v}));
  must(rondo_variable_wait(v));
  ASSERT_EQ(statuses.size(), 5u);
  const char* const names[] = {"rondo_engine_wait_all", "rondo_variable_wait", "rondo_tensor_wait", "rondo_tensor_read",
                               "rondo_record_begin"};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(statuses[i], RONDO_INVALID_STATE) << names[i];
    EXPECT_TRUE(has_word(messages[i], names[i])) << messages[i];
    EXPECT_TRUE(has_word(messages[i], "task")) << messages[i];
  }
}

// Tasks may submit more tasks, and use operators.
TEST_P(Order, TasksSubmitTasks) {
  const Variable v(engine()), w(engine());
  std::atomic<int> inner{0};
  for (int i = 0; i < 20; ++i) {
    must(push(engine(),
              [&](rondo_task_context*) {
                return push(engine(),
                            [&](rondo_task_context*) {
                              ++inner;
                              return RONDO_OK;
                            },
                            {}, {w});
              },
              {}, {v}));
  }
  must(rondo_variable_wait(v));
  must(rondo_variable_wait(w));
  EXPECT_EQ(inner, 20);
}

// Waiting for all means what was submitted before, however much is submitted meanwhile.
TEST_P(Order, WaitingForAllEndsThoughTasksKeepComing) {
  if (naive()) GTEST_SKIP() << "each call is done when it returns";
  std::atomic<bool> stop{false};
  std::atomic<int> links{0};
  std::function<rondo_status(rondo_task_context*)> link = [&](rondo_task_context*) {
    ++links;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return stop ? RONDO_OK : push(engine(), link, {}, {});
  };
  must(push(engine(), link, {}, {}));
  std::atomic<int> waits{0};
  std::thread waiting([&] {
    for (int i = 0; i < 3; ++i) waits += rondo_engine_wait_all(engine()) == RONDO_OK;
  });
  EXPECT_TRUE(eventually([&] { return waits == 3; })) << links << " tasks later";
  stop = true;
  waiting.join();
  // The first wait ends what ran when `stop` was set, the second what that submitted in the meantime.
  for (int i = 0; i < 2; ++i) must(rondo_engine_wait_all(engine()));
  EXPECT_GE(links, 3);
}

// A read that another thread's writes overtake sees one of them whole.
TEST_P(Order, ReadsAreNotTorn) {
  rondo_engine_options with = options();
  with.max_tasks = 2;
  restart(with);
  const Tensor a = up(full(RONDO_F32, {1 << 18}, 0));
  std::atomic<bool> stop{false};
  std::atomic<int> failed{0};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) failed += rondo_fill(a, i % 2) != RONDO_OK;
  });
  int torn = 0;
  for (int i = 0; i < (quick() ? 5 : 20); ++i) {
    const Array read = download(a);
    const float* values = reinterpret_cast<const float*>(read.bytes.data());
    torn += std::any_of(values, values + read.size(), [&](float value) { return value != values[0]; });
  }
  stop = true;
  writer.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(failed, 0);
}

TEST_P(Order, HostTaskFacts) {
  const Variable v(engine());
  rondo_device where = {7, 7};
  void* stream = &where;
  int32_t capturing = 7;
  must(push(engine(),
            [&](rondo_task_context* context) {
              where = rondo_task_device(context), stream = rondo_task_stream(context),
              capturing = rondo_task_is_capturing(context);
              return RONDO_OK;
            },
            {}, {v}));
  must(rondo_variable_wait(v));
  EXPECT_EQ(where.kind, RONDO_CPU);
  EXPECT_EQ(where.index, 0);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(capturing, 0);
}

TEST_P(Order, VersionsCountWrites) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  uint64_t before = 0, after = 0;
  must(rondo_tensor_wait(a));
  must(rondo_variable_version(variable_of(a), &before));
  for (int i = 0; i < 3; ++i) into(a, rondo_unary, RONDO_NEG, a);
  (void)download(a);
  must(rondo_tensor_wait(a));
  must(rondo_variable_version(variable_of(a), &after));
  EXPECT_EQ(after - before, 3u);
}

}  // namespace
}  // namespace conformance
