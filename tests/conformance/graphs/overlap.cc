// Graphs whose calls overlap: as many at once as the recording was given arenas, each with the bits that it has alone.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>

#include "graphs/calls.h"

namespace conformance {
namespace {

class Overlap : public OnCalls {
 protected:
  static constexpr int64_t kSize = 257;
  using Outputs = std::vector<Tensor>;
  using MadeOf = std::function<Outputs(const std::vector<Tensor>&)>;

  void SetUp() override {
    OnCalls::SetUp();
    if (IsSkipped()) return;
    rondo_engine_options with = options();
    with.workers = 4;
    with.streams = 3;
    restart(with);
  }
  Graph with_arenas(int32_t arenas, size_t inputs, const MadeOf& body, uint32_t flags = 0) const {
    rondo_record_options options = for_calls("overlapping");
    options.flags |= flags;
    options.arenas = arenas;
    return record(
        engine(),
        [&] {
          std::vector<Tensor> x;
          while (x.size() < inputs) x.push_back(input({RONDO_F32, {kSize}}));
          for (const Tensor& output : body(x)) must(rondo_record_output(engine(), output));
        },
        &options);
  }
  // A task of the graph's in which so many calls are at once before any of them goes on.
  struct Meeting {
    explicit Meeting(int wanted) : wanted(wanted) {}
    rondo_status come() {
      std::unique_lock lock(mutex);
      most = std::max(most, ++there);
      if (there >= wanted) met = true;
      all.notify_all();
      const bool came = all.wait_for(lock, std::chrono::seconds(30), [&] { return met; });
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // another one may come meanwhile
      lock.lock();
      --there;
      return came ? RONDO_OK : RONDO_USER_ERROR;
    }
    const int wanted;
    std::mutex mutex;
    std::condition_variable all;
    int there = 0, most = 0;
    bool met = false;
  };
  // y = (x + 1) w, with a task in the middle that the product waits for.
  Graph meets(int32_t arenas, rondo_tensor* weights, Meeting& meeting) const {
    return with_arenas(arenas, 1, [&](const std::vector<Tensor>& x) {
      const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
      must(push_tensors(engine(), [&meeting](rondo_task_context*) { return meeting.come(); }, {}, {sum}));
      return list(make(rondo_binary, RONDO_MUL, sum, weights));
    });
  }
  // Calls from so many threads at once, one each; in naive mode a call is done on its caller's thread.
  void call_at_once(const Graph& graph, int calls) const {
    from_threads(calls, 1, [&](int number) {
      const Tensor x = ones(kSize, number);
      expect_all(call(graph, {x}), 2 * (number + 1));
    });
  }
  void expect_serial(rondo_graph* graph, const std::string& why) const {
    const std::string report = graph_report(graph);
    EXPECT_EQ(graph_info(graph).arenas, 1) << report;
    EXPECT_NE(report.find("call: 1 arena, so that calls come one after the other: " + why), std::string::npos)
        << report;
  }
};
CONFORMANCE_ENGINE_SUITE(Overlap);

// Each waits in its middle for the others, which one after the other they would do for ever.
TEST_P(Overlap, CallsMeetInTheirMiddle) {
  const Tensor w = ones(kSize, 2);
  for (const int arenas : {2, 3}) {
    Meeting meeting(arenas);
    const Graph graph = meets(arenas, w, meeting);
    for (int round = 0; round < 3; ++round) {
      meeting.met = false;
      call_at_once(graph, arenas);
      must(rondo_engine_wait_all(engine()));
    }
    EXPECT_EQ(meeting.most, arenas);
    EXPECT_EQ(graph_info(graph.get()).launches, 3 * arenas);
  }
}

TEST_P(Overlap, NoMoreCallsThanArenas) {
  const Tensor w = ones(kSize, 2);
  for (const int arenas : {0, 1, 2}) {
    Meeting meeting(1);
    const Graph graph = meets(arenas, w, meeting);
    from_threads(4, quick() ? 5 : 25, [&](int number) {
      const Tensor x = ones(kSize, number);
      expect_all(call(graph, {x}), 2 * (number + 1));
    });
    EXPECT_LE(meeting.most, std::max(arenas, 1));
  }
}

TEST_P(Overlap, EachArenaTakesItsMemory) {
  const Tensor w = ones(kSize, 2);
  const auto model = [&](int32_t arenas) {
    return with_arenas(arenas, 1, [&](const std::vector<Tensor>& x) {
      const Tensor columns = broadcast(reshape(x[0], {kSize, 1}), {kSize, kSize});
      return list(make(rondo_binary, RONDO_MUL, reduce(RONDO_SUM, make(rondo_copy, columns), {0}), w));
    });
  };
  const auto in_use = [&] {
    must(rondo_engine_wait_all(engine()));
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info.in_use;
  };
  const int64_t before = in_use();
  const Graph one = model(1);
  const int64_t of_one = in_use() - before;
  const Graph two = model(2);
  const int64_t of_two = in_use() - before - of_one;
  const rondo_graph_info a = graph_info(one.get()), b = graph_info(two.get());
  EXPECT_EQ(a.arenas, 1);
  EXPECT_EQ(b.arenas, 2);
  EXPECT_GT(a.arena_bytes, kSize * 4);
  EXPECT_EQ(b.arena_bytes, 2 * a.arena_bytes);
  EXPECT_EQ(b.temporary_bytes, 2 * a.temporary_bytes);
  EXPECT_EQ(b.call_bytes, 2 * a.call_bytes);
  EXPECT_EQ(of_two, 2 * of_one);
  EXPECT_EQ(b.tasks, a.tasks);
  EXPECT_EQ(b.segments, a.segments);
  EXPECT_EQ(b.nodes, a.nodes);
  const std::string report = graph_report(two.get());
  EXPECT_NE(report.find("call: 2 arenas, so that 2 calls may overlap"), std::string::npos) << report;
  EXPECT_NE(report.find("in 2 arenas of " + std::to_string(b.arena_bytes)), std::string::npos) << report;
  for (int i = 0; i < 4; ++i) {
    const Tensor x = ones(kSize, i);
    expect_all(call(two, {x}), Real(i) * kSize * 2);
  }
}

TEST_P(Overlap, RandomNumbersInTheOrderOfSubmission) {
  const auto noisy = [&](rondo_tensor* x) {
    const Tensor noise = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &kSize, 0.0, 1.0);
    return make(rondo_binary, RONDO_ADD, noise, x);
  };
  const auto drawn = [&](const std::function<Tensor(rondo_tensor*)>& body) {
    must(rondo_engine_seed(engine(), 5));
    const Tensor x = ones(kSize, 2);
    std::vector<Tensor> made;
    for (int i = 0; i < 8; ++i) made.push_back(i == 3 ? noisy(x) : body(x));
    std::vector<Array> bits;
    for (const Tensor& each : made) bits.push_back(download(each));
    return bits;
  };
  const std::vector<Array> eager = drawn(noisy);
  for (const int32_t arenas : {1, 2, 3}) {
    const Graph graph = with_arenas(arenas, 1, [&](const std::vector<Tensor>& x) { return list(noisy(x[0])); });
    EXPECT_EQ(graph_info(graph.get()).arenas, arenas);
    const std::vector<Array> called = drawn([&](rondo_tensor* x) { return call(graph, {x}); });
    for (size_t i = 0; i < called.size(); ++i) expect_same_bits(called[i], eager[i], "draw " + std::to_string(i));
  }
}

// A counter in memory from outside: overlapping calls would lose turns.
TEST_P(Overlap, WritersOfOuterTensorsStaySerial) {
  const Tensor counter = ones(kSize, 0);
  const Graph graph = with_arenas(3, 1, [&](const std::vector<Tensor>& x) {
    into(counter, rondo_binary, RONDO_ADD, counter, x[0]);
    return list(make(rondo_binary_scalar, RONDO_MUL, counter, 2.0));
  });
  expect_serial(graph.get(), "its task 'add+mul' writes a tensor from outside");
  const Tensor one = ones(kSize);
  Tensor last;
  for (int i = 0; i < 20; ++i) last = call(graph, {one});
  expect_all(last, 40);
  from_threads(4, 10, [&](int) { (void)call(graph, {one}); });
  expect_all(counter, 60);
}

// Of many operands, too, which a task that was made again has as often as it lists them.
TEST_P(Overlap, PartsThatNobodyWritesAreZeroInEachArena) {
  constexpr int32_t kParts = 13;
  const Graph graph = with_arenas(2, 1, [&](const std::vector<Tensor>& x) {
    Tensor whole;
    const int64_t size = 2 * kParts * kSize;
    must(rondo_tensor_create(engine(), device(), RONDO_F32, 1, &size, whole.slot()));
    std::vector<rondo_tensor*> parts(kParts, x[0]);
    rondo_tensor* half = slice(whole, 0, 0, kParts * kSize).release();
    const Tensor into_half(half);
    must(rondo_concat(kParts, parts.data(), 0, &half));
    return list(std::move(whole));
  });
  EXPECT_EQ(graph_info(graph.get()).arenas, 2);
  for (int i = 0; i < 6; ++i) {
    expect_all(ones(64 * kSize, 7), 7);  // memory that comes back
    const Array got = download(call(graph, {ones(kSize, i)}));
    EXPECT_EQ(got[0], i);
    EXPECT_EQ(got[kParts * kSize], 0) << "call " << i;
    EXPECT_EQ(got[got.size() - 1], 0) << "call " << i;
  }
}

TEST_P(Overlap, WhatIsThereOnceKeepsCallsSerial) {
  const Tensor w = ones(kSize, 2);
  const Variable order(engine());
  const auto nothing = [](rondo_task_context*) { return RONDO_OK; };
  const auto doubled = [&](const std::vector<Tensor>& x) { return list(make(rondo_binary, RONDO_MUL, x[0], w)); };
  expect_serial(with_arenas(2, 1,
                            [&](const std::vector<Tensor>& x) {
                              must(push(engine(), nothing, {}, {}));
                              return doubled(x);
                            })
                    .get(),
                "its task 'user' says nothing of what it touches");
  expect_serial(with_arenas(2, 1,
                            [&](const std::vector<Tensor>& x) {
                              must(push(engine(), nothing, {}, {order}));
                              return doubled(x);
                            })
                    .get(),
                "its task 'user' writes a variable from outside");
  expect_serial(with_arenas(2, 1,
                            [&](const std::vector<Tensor>& x) {
                              must(push(engine(), nothing, {variable_of(x[0])}, {}));
                              return doubled(x);
                            })
                    .get(),
                "its task 'user' cannot be made for other memory; one that rondo_engine_push_tensors tells");
  expect_serial(with_arenas(2, 1,
                            [&](const std::vector<Tensor>& x) {
                              Tensor kept = make(rondo_copy, x[0]);
                              must(rondo_record_section_begin(engine(), "sometimes", 1));
                              into(kept, rondo_binary_scalar, RONDO_ADD, kept, 1.0);
                              must(rondo_record_section_end(engine()));
                              return list(make(rondo_binary, RONDO_MUL, kept, w));
                            })
                    .get(),
                "its sections keep from call to call what they write");
  expect_serial(with_arenas(2, 1, doubled, RONDO_RECORD_CHECK_NUMBERS).get(), "it checks the numbers that it makes");
  const Graph inner = with_arenas(2, 1, doubled, RONDO_RECORD_AS_WRITTEN);
  EXPECT_EQ(graph_info(inner.get()).arenas, 2);
  expect_serial(
      with_arenas(
          2, 1, [&](const std::vector<Tensor>& x) { return list(call(inner, {x[0]})); }, RONDO_RECORD_AS_WRITTEN)
          .get(),
      "its task 'overlapping' is a launch of another graph");
}

TEST_P(Overlap, CallsInARecordingAreKeptByIt) {
  const Tensor w = ones(kSize, 2);
  const Graph inner =
      with_arenas(3, 1, [&](const std::vector<Tensor>& x) { return list(make(rondo_binary, RONDO_MUL, x[0], w)); });
  const Tensor before = ones(kSize, 1);
  expect_all(call(inner, {before}), 2);  // so that it is another arena's turn
  const Graph outer = with_arenas(2, 1, [&](const std::vector<Tensor>& x) {
    const Tensor once = call(inner, {x[0]});
    return list(call(inner, {once}));
  });
  EXPECT_EQ(graph_info(outer.get()).arenas, 2) << graph_report(outer.get());
  for (int i = 0; i < 5; ++i) {
    const Tensor x = ones(kSize, i);
    expect_all(call(outer, {x}), 4 * i);
    expect_all(call(inner, {x}), 2 * i);
  }
}

TEST_P(Overlap, FailuresStayInTheirCall) {
  const Tensor w = ones(kSize, 2);
  std::atomic<int> calls{0};
  const Graph graph = with_arenas(2, 1, [&](const std::vector<Tensor>& x) {
    const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
    must(push_tensors(engine(), [&calls](rondo_task_context*) { return ++calls == 2 ? RONDO_USER_ERROR : RONDO_OK; },
                      {}, {sum}));
    return list(make(rondo_binary, RONDO_MUL, sum, w));
  });
  int failed = 0;
  std::vector<Tensor> given, answers;
  for (int i = 0; i < 6; ++i) {
    given.push_back(ones(kSize, i));
    rondo_tensor *x = given.back(), *y = nullptr;
    const rondo_status status = rondo_graph_call(graph.get(), 1, &x, 1, &y);
    if (naive() && status != RONDO_OK) {
      ++failed;
      y = ones(1).release();
    }
    answers.emplace_back(y);
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    std::vector<float> got(kSize);
    if (query(answers[i]).shape[0] == 1) continue;
    if (rondo_tensor_read(answers[i], got.data(), got.size() * sizeof(float)) != RONDO_OK)
      ++failed;
    else
      EXPECT_EQ(got[7], 2 * (static_cast<float>(i) + 1));
  }
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);  // says it once
}

TEST_P(Overlap, GraphsGoWhileTheirCallsRun) {
  const Tensor w = ones(kSize, 2);
  std::vector<Tensor> answers;
  {
    Gate gate;
    const Task wait = waiting(gate);
    Graph graph = with_arenas(2, 1, [&](const std::vector<Tensor>& x) {
      const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
      must(push_tensors(engine(), wait, {}, {sum}));
      return list(make(rondo_binary, RONDO_MUL, sum, w));
    });
    for (int i = 0; i < 6; ++i) {
      const Tensor x = ones(kSize, i);
      answers.push_back(call(graph, {x}));
    }
    graph.reset();
    gate.open = true;
    must(rondo_engine_wait_all(engine()));
  }
  for (int i = 0; i < 6; ++i) expect_all(answers[static_cast<size_t>(i)], 2 * (i + 1));
}

// Random programs of operators, tasks of the host and random numbers: whatever overlaps, each call has the bits that
// the same work has eagerly.
TEST_P(Overlap, RandomProgramsHaveTheBitsOfEagerWork) {
  const int programs = sparing() ? 2 : 6, calls = quick() ? 12 : 40;
  for (int program = 0; program < programs; ++program) {
    const auto seed = static_cast<unsigned>(1000 + program + 31 * std::max(share(), 0));
    const Tensor w = up(range(RONDO_F32, {kSize}));
    // The same for each call: what is made of two inputs.
    const auto body = [&](rondo_tensor* a, rondo_tensor* b) {
      std::mt19937 random(seed);
      std::vector<Tensor> made = list(make(rondo_copy, a), make(rondo_copy, b), make(rondo_copy, w));
      const auto any = [&]() -> rondo_tensor* { return made[random() % made.size()]; };
      for (int i = 0; i < 16; ++i) {
        switch (random() % 6) {
          case 0: made.push_back(make(rondo_unary, RONDO_TANH, any())); break;
          case 1: {
            rondo_tensor* const left = any();
            made.push_back(make(rondo_binary, RONDO_ADD, left, any()));
            break;
          }
          case 2: into(any(), rondo_unary, RONDO_NEG, any()); break;
          case 3: made.push_back(make(rondo_binary_scalar, RONDO_MUL, any(), 0.5)); break;
          case 4: made.push_back(make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, &kSize, 0.0, 1.0)); break;
          default: {
            rondo_tensor* const both = any();
            must(push_tensors(engine(),
                              [](rondo_task_context*) {
                                std::this_thread::yield();
                                return RONDO_OK;
                              },
                              {both}, {both}));
          }
        }
      }
      return make(rondo_binary, RONDO_SUB, any(), made.back());
    };
    std::vector<Tensor> given;
    for (int i = 0; i < calls + 1; ++i) given.push_back(ones(kSize, Real(i) / 8));
    const auto all = [&](const std::function<Tensor(rondo_tensor*, rondo_tensor*)>& once) {
      must(rondo_engine_seed(engine(), 7));
      std::vector<Tensor> answers;
      for (size_t i = 0; i + 1 < given.size(); ++i) answers.push_back(once(given[i], given[i + 1]));
      std::vector<Array> bits;
      for (const Tensor& each : answers) bits.push_back(download(each));
      return bits;
    };
    const std::vector<Array> eager = all(body);
    for (const int32_t arenas : {1, 3}) {
      const Graph graph = with_arenas(arenas, 2, [&](const std::vector<Tensor>& x) { return list(body(x[0], x[1])); });
      EXPECT_EQ(graph_info(graph.get()).arenas, arenas) << graph_report(graph.get());
      const std::vector<Array> called = all([&](rondo_tensor* a, rondo_tensor* b) { return call(graph, {a, b}); });
      for (size_t i = 0; i < called.size() && !HasFailure(); ++i)
        expect_same_bits(called[i], eager[i], "program " + std::to_string(seed) + ", call " + std::to_string(i));
    }
  }
}

TEST_P(Overlap, RefusedRecordings) {
  rondo_record_options options = for_calls();
  const auto refused = [&](const std::vector<std::string>& words) {
    expect_refused(rondo_record_begin(engine(), &options), RONDO_INVALID_ARGUMENT, "rondo_record_begin", "arenas");
    const std::string message = rondo_last_error();
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  };
  for (const int32_t arenas : {-1, 65}) {
    options.arenas = arenas;
    refused({std::to_string(arenas), "0 to 64"});
  }
  options.arenas = 2;
  options.arena = "shared";
  refused({"'shared'", "one after the other"});
  options.arena = nullptr;
  options.flags = RONDO_RECORD_DEFAULT;
  refused({"RONDO_RECORD_CALLABLE"});
  options.arenas = 1;
  must(rondo_record_begin(engine(), &options));
  must(rondo_record_abort(engine()));
  options.reserved = 1;
  expect_refused(rondo_record_begin(engine(), &options), RONDO_INVALID_ARGUMENT, "rondo_record_begin", "reserved");
}

}  // namespace
}  // namespace conformance
