// Random creation and destruction of tensors and views with work in flight, and random programs recorded and replayed
// against eager. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

class Lifetimes : public OnEngine {
 protected:
  // A random operator over live tensors of one shape and dtype; the same sequence of bits gives the same program.
  static Tensor random_operator(std::mt19937& bits, const std::vector<Tensor>& live) {
    const auto pick = [&]() -> const Tensor& { return live[bits() % live.size()]; };
    const Tensor& a = pick();
    switch (bits() % 5) {
      case 0: return make(rondo_binary, RONDO_ADD, a, pick());
      case 1: return make(rondo_binary_scalar, RONDO_MUL, a, double(bits() % 5));
      case 2: return make(rondo_copy, transpose(a, {1, 0}));
      case 3: return make(rondo_binary, RONDO_SUB, a, slice(pick(), 0, 3, 4));
      default: return make(rondo_binary, RONDO_MAXIMUM, a, transpose(pick(), {1, 0}));
    }
  }
  std::vector<Tensor> start() const {
    std::vector<Tensor> live;
    for (uint32_t i = 0; i < 4; ++i) live.push_back(up(random_array(RONDO_I64, {12, 12}, i, -1000, 1000)));
    return live;
  }
  // What is done next with the tensor is done on this stream.
  void move_to_stream(const Tensor& tensor, int64_t stream) const {
    rondo_task_options where = task_options("move", device());
    where.stream = static_cast<int32_t>(stream % 4);
    rondo_variable* const variable = variable_of(tensor);
    must(push(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable}, {variable}, &where));
  }
  // Adds one to each tensor, on a stream of its own: whatever uses them all next has waits to get right.
  void stir(const std::vector<Tensor>& tensors) const {
    for (size_t i = 0; i < tensors.size(); ++i) {
      move_to_stream(tensors[i], static_cast<int64_t>(i));
      into(tensors[i], rondo_binary_scalar, RONDO_ADD, tensors[i], 1.0);
    }
  }
  void use_streams(int32_t count) {
    rondo_engine_options with = options();
    with.streams = count;
    restart(with);
  }
};
CONFORMANCE_ENGINE_SUITE(Lifetimes);

TEST_P(Lifetimes, TensorsComeAndGo) {
  const auto begin = std::chrono::steady_clock::now();
  const int steps = quick() ? 400 : 2000;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      try {
        std::mt19937 bits(t + 31);
        struct Entry {
          Tensor tensor;
          std::vector<int64_t> expected;
        };
        std::vector<Entry> live;
        for (int i = 0; i < steps; ++i) {
          const uint32_t what = bits() % 6;
          if (live.empty() || (what == 0 && live.size() < 30)) {
            const int64_t size = 1 + bits() % 3000, value = int64_t(bits() % 1000);
            live.push_back({up(full(RONDO_I64, {size}, Real(value))), std::vector<int64_t>(size_t(size), value)});
          } else if (what == 1) {
            live.erase(live.begin() + bits() % live.size());  // with work in flight
          } else if (what == 2) {
            Entry& entry = live[bits() % live.size()];
            into(entry.tensor, rondo_binary_scalar, RONDO_ADD, entry.tensor, double(i));
            for (int64_t& value : entry.expected) value += i;
          } else if (what == 3 && live.size() < 30) {
            const Entry& entry = live[bits() % live.size()];
            const auto size = int64_t(entry.expected.size()), first = int64_t(bits() % uint64_t(size));
            Entry part{make(rondo_binary_scalar, RONDO_SUB, slice(entry.tensor, 0, first, size, 2), 1.0), {}};
            for (int64_t j = first; j < size; j += 2) part.expected.push_back(entry.expected[size_t(j)] - 1);
            live.push_back(std::move(part));
          } else if (what == 4) {
            const Entry& entry = live[bits() % live.size()];
            const Array actual = download(entry.tensor);
            for (size_t j = 0; j < entry.expected.size(); ++j) {
              if (actual.raw<int64_t>(j) == entry.expected[j]) continue;
              ADD_FAILURE() << "thread " << t << " step " << i << " element " << j << " is " << actual.raw<int64_t>(j)
                            << ", expected " << entry.expected[j];
              return;
            }
          } else {
            (void)reduce(RONDO_SUM, live[bits() % live.size()].tensor, {});  // dropped at once
          }
        }
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d steps in %.2f s\n", 3 * steps,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

// Blocks of memory that are dear enough to be handed from one stream to another while they are in use.
TEST_P(Lifetimes, LargeTensorsChangeStreams) {
  constexpr int64_t kElements = 160000;
  const int rounds = quick() ? 6 : 20;
  use_streams(4);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      try {
        std::vector<Tensor> sums;
        for (int64_t i = 0; i < rounds; ++i) {
          const Tensor made = empty(RONDO_I64, {kElements});
          move_to_stream(made, t + i);
          must(rondo_fill(made, static_cast<double>(100 * t + i)));
          const Tensor more = make(rondo_binary_scalar, RONDO_ADD, made, 7.0);
          sums.push_back(reduce(RONDO_SUM, more, {}));
        }
        for (int64_t i = 0; i < rounds; ++i) {
          EXPECT_EQ(download(sums[size_t(i)]).raw<int64_t>(0), kElements * (100 * t + i + 7)) << "thread " << t;
        }
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Tasks with workspaces side by side: each needs its own until the device is done with it.
TEST_P(Lifetimes, WorkspacesOnSeveralStreams) {
  constexpr int64_t kElements = 20000;  // a reduction of so many has two passes
  use_streams(4);
  std::vector<Tensor> tensors, sums;
  for (int64_t i = 0; i < 4; ++i) tensors.push_back(up(full(RONDO_I64, {kElements}, Real(i))));
  for (int round = 0; round < 8; ++round) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      move_to_stream(tensors[i], static_cast<int64_t>(i));
      sums.push_back(reduce(RONDO_SUM, tensors[i], {}));
    }
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(download(sums[i]).raw<int64_t>(0), kElements * static_cast<int64_t>(i % 4)) << "sum " << i;
  }
}

// The engine goes while threads are inside calls with its tensors: each call does its work or is refused, and nothing
// is used that is gone.
TEST_P(Lifetimes, EngineGoesWhileThreadsCall) {
  const int rounds = quick() ? 10 : 60;
  for (int round = 0; round < rounds; ++round) {
    rondo_engine* other = create_engine(options()).release();
    const int64_t shape[1] = {64};
    std::vector<rondo_tensor*> tensors(3);
    for (rondo_tensor*& tensor : tensors) {
      must(rondo_tensor_create(other, device(), RONDO_I64, 1, shape, &tensor));
      must(rondo_fill(tensor, 1));
    }
    std::atomic<int> started{0};
    std::vector<std::thread> threads;
    for (rondo_tensor* tensor : tensors) {
      threads.emplace_back([&started, tensor] {
        rondo_tensor* out = tensor;
        rondo_status status = RONDO_OK;
        for (int i = 0; status == RONDO_OK; ++i) {
          status = rondo_binary_scalar(RONDO_ADD, tensor, 1.0, &out);
          if (i == 3) ++started;
        }
        EXPECT_EQ(status, RONDO_INVALID_STATE) << rondo_last_error();
      });
    }
    while (started < static_cast<int>(tensors.size())) std::this_thread::yield();
    rondo_engine_destroy(other);
    for (std::thread& thread : threads) thread.join();
    for (rondo_tensor* tensor : tensors) rondo_tensor_destroy(tensor);
  }
}

// After a wait nothing holds what the user let go of: not a launch, its graph, its arena, not the argument of a task.
TEST_P(Lifetimes, MemoryIsBackAfterEveryWait) {
  const int rounds = quick() ? 200 : 3000;
  const int64_t one = 1000;
  const auto in_use = [&] {
    int64_t bytes = 0;
    for (const rondo_device where : {kCpu, device()}) {
      rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
      must(rondo_memory_query(engine(), where, &info));
      bytes += info.in_use;
    }
    return bytes;
  };
  for (int round = 0; round < rounds; ++round) {
    Tensor a = make(rondo_tensor_create, engine(), device(), RONDO_F32, 1, &one), out;
    must(rondo_fill(a, 1));
    Graph graph = record(engine(), [&] {
      out = make(rondo_unary, RONDO_NEG, make(rondo_binary_scalar, RONDO_ADD, a, 1.0));
      if (round % 3 == 0) must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable_of(out)}, {}));
    });
    for (int launch = 0; launch <= round % 4; ++launch) must(rondo_graph_launch(graph.get()));
    // A task whose argument holds a tensor until it is destroyed.
    Tensor held = make(rondo_tensor_create, engine(), kCpu, RONDO_F32, 1, &one);
    must(rondo_fill(held, 2));
    must(rondo_tensor_wait(held));  // else its own fill may still hold it
    const Variable done(engine());
    rondo_variable* const writes[] = {done};
    must(rondo_engine_push(
        engine(), [](void*, rondo_task_context*) { return RONDO_OK; }, held.release(),
        [](void* tensor) { rondo_tensor_destroy(static_cast<rondo_tensor*>(tensor)); }, nullptr, 0, writes, 1,
        nullptr));
    if (round % 2 == 0) {
      a.reset();
      out.reset();
      graph.reset();
      must(rondo_engine_wait_all(engine()));
    } else {
      must(rondo_variable_wait(done));
      graph.reset();
      must(rondo_variable_wait(variable_of(out)));  // all uses: a wait for the contents leaves readers alone
      must(rondo_variable_wait(variable_of(a)));
      a.reset();
      out.reset();
    }
    ASSERT_EQ(in_use(), 0) << "round " << round;
  }
}

// A random program recorded, with some results kept and the rest temporaries, replayed twice with changing inputs, must
// give the bits of eager. When its last launch is under way, all that only the graph holds goes. Three of four are as
// written: fused, few tasks are left to be ordered.
TEST_P(Lifetimes, RandomRecordings) {
  use_streams(4);
  const int programs = quick() ? 10 : 40;
  int tasks = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int program = 0; program < programs; ++program) {
    const auto body = [&](std::vector<Tensor>& kept, const std::vector<Tensor>& inputs, std::vector<Tensor>& state) {
      std::mt19937 bits(1000u + static_cast<uint32_t>(program));
      std::vector<Tensor> live;
      for (const Tensor& input : inputs) live.push_back(make(rondo_unary, RONDO_NEG, input));
      const int n = 5 + static_cast<int>(bits() % 40);
      for (int i = 0; i < n; ++i) {
        Tensor made = random_operator(bits, live);
        const uint32_t fate = bits() % 6;
        Tensor& old = state[bits() % state.size()];
        if (fate == 0) {
          into(old, rondo_copy, made);
        } else if (fate == 1) {
          into(make(rondo_tensor_accumulator, old), rondo_unary, RONDO_NEG, made);
        } else if (fate == 2) {
          made = make(rondo_binary, RONDO_SUB, made, old);  // and a later task may overwrite it
        }
        live[bits() % live.size()] = std::move(made);  // the one it replaces is a temporary
      }
      for (Tensor& each : live) kept.push_back(std::move(each));
    };
    std::vector<Tensor> eager_inputs = start(), eager_state = start(), eager;
    std::vector<Tensor> inputs = start(), state = start(), recorded;
    stir(eager_inputs);
    body(eager, eager_inputs, eager_state);
    eager.clear();
    stir(eager_inputs);
    body(eager, eager_inputs, eager_state);
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    if (program % 4 != 3) options.flags |= RONDO_RECORD_AS_WRITTEN;
    Graph graph = record(
        engine(), [&] { body(recorded, inputs, state); }, &options);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1);
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0);
    tasks += info.tasks;
    stir(inputs);
    must(rondo_graph_launch(graph.get()));
    stir(inputs);
    must(rondo_graph_launch(graph.get()));
    graph.reset();
    inputs.clear();
    const Tensor other = empty(RONDO_I64, {info.arena_bytes / 8});  // fits where the arena is, when that is free
    move_to_stream(other, program);
    must(rondo_fill(other, -1));
    for (size_t i = 0; i < eager.size(); ++i) {
      expect_same_bits(download(recorded[i]), download(eager[i]),
                       "program " + std::to_string(program) + " result " + std::to_string(i));
    }
    for (size_t i = 0; i < state.size(); ++i) {
      expect_same_bits(download(state[i]), download(eager_state[i]),
                       "program " + std::to_string(program) + " state " + std::to_string(i));
    }
    if (HasFailure()) break;
  }
  std::printf("%d programs, %d tasks in %.2f s\n", programs, tasks,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

// Threads record and launch random programs at once, while others run eagerly.
TEST_P(Lifetimes, RecordingsInSeveralThreads) {
  use_streams(4);
  const int rounds = quick() ? 4 : 15;
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      try {
        for (int round = 0; round < rounds; ++round) {
          std::vector<Tensor> inputs = start();
          const auto body = [&]() -> Tensor {
            std::mt19937 bits(t * 100 + static_cast<uint32_t>(round));
            std::vector<Tensor> live;
            for (const Tensor& input : inputs) live.push_back(make(rondo_copy, input));
            for (int i = 0; i < 12; ++i) live[bits() % live.size()] = random_operator(bits, live);
            return make(rondo_binary, RONDO_ADD, live[0], live[1]);
          };
          const Tensor expected = body();
          Tensor out;
          Graph graph = record(engine(), [&] { out = body(); });
          for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
          graph.reset();
          inputs.clear();
          expect_same_bits(download(out), download(expected),
                           "thread " + std::to_string(t) + " round " + std::to_string(round));
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
