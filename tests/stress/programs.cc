// Random task programs: many tasks over many variables from several threads, in every mode, compared exactly with a
// serial execution of the same program.
//
// Every variable holds a number; a task mixes the numbers it reads into the ones it writes, so that any wrong order,
// lost update or torn read changes the result. Each thread owns a share of the variables and submits its own program on
// them. A shared set is read by all and written now and then; such a task is submitted under a lock, which fixes its
// place in the serial program.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

constexpr int kVariables = 100;
constexpr int kShared = 12;
constexpr int kThreads = 4;

struct Step {
  uint64_t salt;
  std::vector<int> reads, writes;  // writes[i] is also read when its bit in `updates` is set
  uint32_t updates;
  int32_t priority, stream;
};

uint64_t mixed(uint64_t state, uint64_t value) {
  state ^= value + 0x9e3779b97f4a7c15ull + (state << 6) + (state >> 2);
  return state * 0xff51afd7ed558ccdull;
}

// What a task does, given the numbers.
void perform(const Step& step, std::vector<uint64_t>& numbers) {
  uint64_t state = step.salt;
  for (const int each : step.reads) state = mixed(state, numbers[static_cast<size_t>(each)]);
  for (size_t i = 0; i < step.writes.size(); ++i) {
    uint64_t& target = numbers[static_cast<size_t>(step.writes[i])];
    target = mixed(step.updates >> i & 1 ? mixed(state, target) : state, i);
  }
}

Step random_step(std::mt19937& bits, int thread, bool shared) {
  const auto below = [&](int n) { return static_cast<int>(bits() % static_cast<uint32_t>(n)); };
  const int own = (kVariables - kShared) / kThreads;
  const auto pick = [&] { return kShared + thread * own + below(own); };
  Step step{bits(), {}, {}, static_cast<uint32_t>(bits()), below(8) == 0 ? below(3) : 0, below(4)};
  const int reads = 2 + below(19), writes = 1 + below(3);
  for (int i = 0; i < reads; ++i) step.reads.push_back(shared && below(3) == 0 ? below(kShared) : pick());
  for (int i = 0; i < writes; ++i) step.writes.push_back(shared && below(8) == 0 ? below(kShared) : pick());
  std::sort(step.writes.begin(), step.writes.end());
  step.writes.erase(std::unique(step.writes.begin(), step.writes.end()), step.writes.end());
  return step;
}

bool touches_shared(const Step& step) {
  const auto is_shared = [](int v) { return v < kShared; };
  return std::any_of(step.reads.begin(), step.reads.end(), is_shared) ||
         std::any_of(step.writes.begin(), step.writes.end(), is_shared);
}

class Programs : public OnEngine {
 protected:
  static int task_count() { return quick() ? 2000 : 10000; }

  void report(const char* what, uint32_t seed, int tasks, std::chrono::steady_clock::time_point begin) const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%s, seed %u: %d tasks in %.2f s, %.1f us each\n", what, seed, tasks, seconds, seconds * 1e6 / tasks);
  }
};
CONFORMANCE_ENGINE_SUITE(Programs);

TEST_P(Programs, HostFunctions) {
  for (const uint32_t seed : quick() ? std::vector<uint32_t>{1, 2} : std::vector<uint32_t>{1, 2, 3, 4}) {
    const auto begin = std::chrono::steady_clock::now();
    const int each = task_count() / kThreads;
    std::vector<uint64_t> numbers(kVariables);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::vector<uint64_t> expected = numbers;
    std::vector<Variable> variables;
    for (int i = 0; i < kVariables; ++i) variables.emplace_back(engine());

    // Two readers at once are fine, anything with a writer is not.
    std::vector<std::atomic<int>> users(kVariables);
    std::atomic<int> collisions{0}, ran{0};
    constexpr int kWriting = 1 << 20;

    std::mutex order_lock;
    std::vector<Step>
        order;  // all steps that touch shared variables, in submission order, with their threads' steps between
    std::vector<std::vector<Step>> private_steps(kThreads);
    const auto submit = [&](const Step& step) {
      std::vector<rondo_variable*> reads, writes;
      for (const int v : step.reads) reads.push_back(variables[static_cast<size_t>(v)]);
      for (size_t i = 0; i < step.writes.size(); ++i) {
        writes.push_back(variables[static_cast<size_t>(step.writes[i])]);
        if (step.updates >> i & 1) reads.push_back(writes.back());
      }
      rondo_task_options with = task_options("step");
      with.priority = step.priority;
      must(push(
          engine(),
          [&, step](rondo_task_context*) {
            std::vector<int> seen = step.reads;
            std::sort(seen.begin(), seen.end());
            seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
            std::erase_if(seen, [&](int v) { return std::binary_search(step.writes.begin(), step.writes.end(), v); });
            for (const int v : seen) collisions += users[static_cast<size_t>(v)].fetch_add(1) >= kWriting;
            for (const int v : step.writes) collisions += users[static_cast<size_t>(v)].fetch_add(kWriting) != 0;
            perform(step, numbers);
            for (const int v : step.writes) users[static_cast<size_t>(v)] -= kWriting;
            for (const int v : seen) --users[static_cast<size_t>(v)];
            ++ran;
            return RONDO_OK;
          },
          reads, writes, &with));
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 bits(seed * 100 + static_cast<uint32_t>(t));
        for (int i = 0; i < each; ++i) {
          const Step step = random_step(bits, t, i % 8 == 0);
          // A thread's own steps stay in its order; their place among other threads' does not matter, they share
          // nothing.
          if (touches_shared(step)) {
            const std::lock_guard lock(order_lock);
            for (Step& mine : private_steps[static_cast<size_t>(t)]) order.push_back(std::move(mine));
            private_steps[static_cast<size_t>(t)].clear();
            order.push_back(step);
            submit(step);
          } else {
            private_steps[static_cast<size_t>(t)].push_back(step);
            submit(step);
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<Step>& rest : private_steps) order.insert(order.end(), rest.begin(), rest.end());
    must(rondo_engine_wait_all(engine()));
    report("host functions", seed, each * kThreads, begin);

    for (const Step& step : order) perform(step, expected);
    EXPECT_EQ(ran, each * kThreads);
    EXPECT_EQ(collisions, 0) << "a writer did not run alone";
    for (size_t i = 0; i < kVariables; ++i) EXPECT_EQ(numbers[i], expected[i]) << "variable " << i << ", seed " << seed;
    for (size_t i = 0; i < kVariables; ++i) {
      uint64_t version = 0;
      must(rondo_variable_version(variables[i], &version));
      const auto writes = std::count_if(order.begin(), order.end(), [&](const Step& step) {
        return std::binary_search(step.writes.begin(), step.writes.end(), static_cast<int>(i));
      });
      EXPECT_EQ(version, static_cast<uint64_t>(writes)) << "version of variable " << i;
    }
  }
}

// Operators on a device, host functions on the same tensors' copies, several streams: exact integer arithmetic against
// the serial result.
TEST_P(Programs, OperatorsAndHostFunctions) {
  constexpr int kTensors = 24;
  static constexpr int64_t kSize = 33;
  for (const uint32_t seed : {11u, 12u}) {
    rondo_engine_options with = options();
    with.streams = 4;
    restart(with);
    const auto begin = std::chrono::steady_clock::now();
    const int tasks = task_count() / (on_cuda() ? 4 : 2) / kThreads;
    std::vector<Tensor> tensors, homes;
    std::vector<std::vector<int64_t>> expected;
    for (int i = 0; i < kTensors; ++i) {
      const Array start = range(RONDO_I64, {kSize}, i + 1);
      tensors.push_back(up(start));
      homes.push_back(upload(engine(), kCpu, start));
      expected.emplace_back();
      for (size_t j = 0; j < kSize; ++j) expected.back().push_back(start.integer(j));
    }
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        try {
          constexpr int own = kTensors / kThreads;
          std::mt19937 bits(seed * 100 + static_cast<uint32_t>(t));
          const auto pick = [&] { return static_cast<size_t>(t * own) + bits() % own; };
          for (int i = 0; i < tasks; ++i) {
            const size_t a = pick(), b = pick(), out = pick();
            auto& target = expected[out];
            switch (bits() % 64) {  // a thread that waits runs what it waits for
              case 0: must(rondo_tensor_wait(tensors[a])); break;
              case 1: must(rondo_variable_wait(variable_of(tensors[b]))); break;
              case 2: must(rondo_engine_wait_all(engine())); break;
              case 3: ASSERT_EQ(download(tensors[a]).raw<int64_t>(5), expected[a][5]); break;
              default: break;
            }
            switch (bits() % 6) {
              case 0:  // out = a + b, perhaps in place
                into(tensors[out], rondo_binary, RONDO_ADD, tensors[a], tensors[b]);
                for (size_t j = 0; j < kSize; ++j) {
                  target[j] = static_cast<int64_t>(uint64_t(expected[a][j]) + uint64_t(expected[b][j]));
                }
                break;
              case 1: {  // out += 3 a
                if (a == out) break;
                into(make(rondo_tensor_accumulator, tensors[out]), rondo_binary_scalar, RONDO_MUL, tensors[a], 3.0);
                for (size_t j = 0; j < kSize; ++j)
                  target[j] = static_cast<int64_t>(uint64_t(target[j]) + 3 * uint64_t(expected[a][j]));
                break;
              }
              case 2: {  // out = a new tensor; the old one goes while it may be in use
                tensors[out] = make(rondo_binary_scalar, RONDO_SUB, tensors[a], 7.0);
                std::vector<int64_t> fresh(kSize);
                for (size_t j = 0; j < kSize; ++j) fresh[j] = static_cast<int64_t>(uint64_t(expected[a][j]) - 7);
                target = fresh;
                break;
              }
              case 3: {  // over the host and back, through a host function
                Tensor home = make(rondo_copy_to, tensors[a], kCpu);
                void* address = nullptr;
                must(rondo_tensor_data(home, &address));
                must(push(engine(),
                          [address](rondo_task_context*) {
                            for (size_t j = 0; j < kSize; ++j) static_cast<uint64_t*>(address)[j] ^= j;
                            return RONDO_OK;
                          },
                          {variable_of(home)}, {variable_of(home)}));
                tensors[out] = make(rondo_copy_to, home, device());
                std::vector<int64_t> fresh(kSize);
                for (size_t j = 0; j < kSize; ++j) fresh[j] = expected[a][j] ^ static_cast<int64_t>(j);
                target = fresh;
                break;
              }
              case 4: {  // half of one into half of another, through views
                into(slice(tensors[out], 0, 0, 16), rondo_copy, slice(tensors[a], 0, 17, 33));
                const std::vector<int64_t> upper(expected[a].begin() + 17, expected[a].end());
                std::copy(upper.begin(), upper.end(), target.begin());
                break;
              }
              default: {  // a user task for the device that only orders; on any stream
                rondo_task_options where = task_options("nothing", device());
                where.stream = static_cast<int32_t>(bits() % 4);
                where.priority = static_cast<int32_t>(bits() % 2);
                must(push(
                    engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable_of(tensors[a])},
                    {variable_of(tensors[a]), variable_of(tensors[out])}, &where));
              }
            }
          }
        } catch (const std::exception& problem) {
          ADD_FAILURE() << problem.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    must(rondo_engine_wait_all(engine()));
    report("operators", seed, tasks * kThreads, begin);
    for (size_t i = 0; i < kTensors; ++i) {
      const Array actual = download(tensors[i]);
      for (size_t j = 0; j < kSize; ++j) {
        ASSERT_EQ(actual.raw<int64_t>(j), expected[i][j]) << "tensor " << i << " element " << j << ", seed " << seed;
      }
    }
  }
}

// Failures in between: everything that does not depend on one is as in the serial execution, everything else reports
// one.
TEST_P(Programs, WithFailures) {
  for (const uint32_t seed : {21u, 22u}) {
    std::mt19937 bits(seed);
    std::vector<uint64_t> numbers(kVariables), expected(kVariables);
    std::vector<Variable> variables;
    std::vector<bool> poisoned(kVariables, false);
    for (int i = 0; i < kVariables; ++i) variables.emplace_back(engine());
    for (int i = 0; i < task_count() / 4; ++i) {
      const Step step = random_step(bits, static_cast<int>(bits() % kThreads), false);
      const bool fails = bits() % 200 == 0;
      std::vector<rondo_variable*> reads, writes;
      bool skipped = false;
      for (const int v : step.reads) {
        reads.push_back(variables[static_cast<size_t>(v)]);
        skipped = skipped || poisoned[static_cast<size_t>(v)];
      }
      for (size_t w = 0; w < step.writes.size(); ++w) {
        writes.push_back(variables[static_cast<size_t>(step.writes[w])]);
        if (!(step.updates >> w & 1)) continue;
        reads.push_back(writes.back());
        skipped = skipped || poisoned[static_cast<size_t>(step.writes[w])];
      }
      const rondo_status status = push(
          engine(),
          [&numbers, step, fails](rondo_task_context*) {
            if (fails) return RONDO_USER_ERROR;
            perform(step, numbers);
            return RONDO_OK;
          },
          reads, writes);
      ASSERT_EQ(status, naive() && (fails || skipped) ? RONDO_USER_ERROR : RONDO_OK);
      if (!fails && !skipped) perform(step, expected);
      for (const int v : step.writes) poisoned[static_cast<size_t>(v)] = fails || skipped;
    }
    EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_USER_ERROR);
    for (size_t i = 0; i < kVariables; ++i) {
      EXPECT_EQ(rondo_variable_wait(variables[i]), poisoned[i] ? RONDO_USER_ERROR : RONDO_OK) << "variable " << i;
      if (poisoned[i]) continue;
      EXPECT_EQ(numbers[i], expected[i]) << "variable " << i << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace conformance
