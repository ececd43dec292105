// Random creation and destruction of tensors and views with work in flight, and random programs recorded and replayed
// against eager. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
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

// A random program recorded, with some results kept and the rest temporaries, replayed twice, must give the bits of
// eager.
TEST_P(Lifetimes, RandomRecordings) {
  const int programs = quick() ? 10 : 40;
  int tasks = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int program = 0; program < programs; ++program) {
    std::vector<Tensor> inputs = start();
    const auto body = [&](std::vector<Tensor>& kept, std::vector<Tensor>& state) {
      std::mt19937 bits(1000u + static_cast<uint32_t>(program));
      std::vector<Tensor> live;
      for (const Tensor& input : inputs) live.push_back(make(rondo_unary, RONDO_NEG, input));
      const int n = 5 + static_cast<int>(bits() % 40);
      for (int i = 0; i < n; ++i) {
        Tensor made = random_operator(bits, live);
        const uint32_t fate = bits() % 6;
        if (fate == 0) {
          into(state[bits() % state.size()], rondo_copy, made);
        } else if (fate == 1) {
          into(make(rondo_tensor_accumulator, state[bits() % state.size()]), rondo_unary, RONDO_NEG, made);
        }
        live[bits() % live.size()] = std::move(made);  // the one it replaces is a temporary
      }
      for (Tensor& each : live) kept.push_back(std::move(each));
    };
    std::vector<Tensor> eager_state = start(), state = start(), eager, recorded;
    body(eager, eager_state);
    eager.clear();
    body(eager, eager_state);
    Graph graph = record(engine(), [&] { body(recorded, state); });
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1);
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0);
    tasks += info.tasks;
    must(rondo_graph_launch(graph.get()));
    must(rondo_graph_launch(graph.get()));
    graph.reset();
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
