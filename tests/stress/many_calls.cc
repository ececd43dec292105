// Calls without end: graphs and callables of many shapes, called from threads that end and are replaced, beside eager
// work and recordings of their own, under a limit of memory. Nothing is more in the end than after the first quarter.
//
// RONDO_TEST_CALLS says how many. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "../faults/simulator.h"
#include "harness.h"

namespace conformance {
namespace {

constexpr int64_t kLimit = 8 << 20;
constexpr int kCallers = 30, kCallsOfAThread = 50;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // which keeps what is freed
#else
constexpr bool kSanitized = false;
#endif

// What there is, when nothing is under way.
struct Held {
  int64_t in_use = 0, heap = 0, resident = 0, threads = 0, files = 0;
  faults::Live driver;
};

int64_t entries(const char* folder) {
  const std::filesystem::directory_iterator all(folder);
  return std::distance(begin(all), end(all));
}

class ManyCalls : public OnEngine {
 protected:
  // A graph of one input.
  Graph model(const Shape& shape, const std::function<Tensor(rondo_tensor*)>& body) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_CALLABLE;
    return record(
        engine(),
        [&] {
          const Tensor x =
              make(rondo_record_input, engine(), device(), RONDO_F32, static_cast<int32_t>(shape.size()), shape.data());
          must(rondo_record_output(engine(), body(x)));
        },
        &options);
  }
  rondo_memory_info memory() const {
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    must(rondo_memory_query(engine(), device(), &info));
    return info;
  }
  bool simulated() const {
    const char* driver = std::getenv("RONDO_CUDA_DRIVER");
    return on_cuda() && driver && std::string(driver).find("simcuda") != std::string::npos;
  }
  int64_t calls() const {
    if (const char* set = std::getenv("RONDO_TEST_CALLS")) return std::atoll(set);
    return simulated() || quick() ? 3000 : 20000;
  }
  Held held() const {
    must(rondo_engine_wait_all(engine()));
    must(rondo_memory_trim(engine(), device()));
    Held now;
    now.in_use = memory().in_use;
    const struct mallinfo2 heap = mallinfo2();
    now.heap = static_cast<int64_t>(heap.uordblks + heap.hblkhd);
    int64_t size = 0;
    std::ifstream("/proc/self/statm") >> size >> now.resident;
    now.resident *= sysconf(_SC_PAGESIZE);
    now.threads = entries("/proc/self/task");
    now.files = entries("/proc/self/fd");
    if (simulated()) now.driver = faults::live();
    now.driver.events = 0;  // an engine keeps some to use again
    return now;
  }
};
CONFORMANCE_ENGINE_SUITE(ManyCalls);

rondo_status doubled_and_one(void*, int32_t, rondo_tensor* const* x, int32_t, rondo_tensor** y) {
  rondo_tensor* twice = nullptr;
  rondo_status status = rondo_binary_scalar(RONDO_MUL, x[0], 2.0, &twice);
  if (status == RONDO_OK) status = rondo_binary_scalar(RONDO_ADD, twice, 1.0, &y[0]);
  rondo_tensor_destroy(twice);
  return status;
}

TEST_P(ManyCalls, EndWhereTheyBegan) {
  rondo_engine_options with = options();
  with.memory_limit = kLimit;
  restart(with);
  const Graph line = model({100}, [](rondo_tensor* x) {
    return make(rondo_binary_scalar, RONDO_ADD, make(rondo_binary_scalar, RONDO_MUL, x, 2.0), 1.0);
  });
  const Graph sums = model({20, 30}, [](rondo_tensor* x) { return reduce(RONDO_SUM, x, {1}); });
  // With a number that is set between the calls, and a task of the program's that splits it.
  const Graph split = model({64}, [this](rondo_tensor* x) {
    const Tensor two = make(rondo_record_parameter, engine(), "two", device(), RONDO_F32, 2.0);
    const Tensor twice = make(rondo_binary, RONDO_MUL, x, two);
    must(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {variable_of(twice)}, {}));
    return make(rondo_binary_scalar, RONDO_ADD, twice, 1.0);
  });
  rondo_callable* callable = nullptr;
  rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
  options.limit_bytes = 256 << 10;  // of about twenty signatures; there are forty
  must(rondo_callable_create(engine(), 1, &options, doubled_and_one, nullptr, nullptr, &callable));
  const std::unique_ptr<rondo_callable, void (*)(rondo_callable*)> owned(callable, rondo_callable_destroy);

  const auto work = [&](uint32_t number) {
    std::mt19937 bits(number);
    for (int i = 0; i < kCallsOfAThread; ++i) {
      const Real value = bits() % 1000;
      const uint32_t what = bits() % 64;
      if (what == 0) {  // a recording of its own
        const Tensor x = up(full(RONDO_F32, {128}, value));
        Tensor y;
        Graph graph = record(engine(), [&] { y = make(rondo_binary_scalar, RONDO_MUL, x, 3.0); });
        must(rondo_graph_launch(graph.get()));
        graph.reset();
        EXPECT_EQ(download(y)[127], 3 * value);
        continue;
      }
      const int64_t size = 16 + 16 * static_cast<int64_t>(bits() % 40);
      const Shape shape = what < 16 ? Shape{100} : what < 32 ? Shape{20, 30} : what < 40 ? Shape{64} : Shape{size};
      Tensor x = up(full(RONDO_F32, shape, value));
      rondo_tensor *in = x, *out = nullptr;
      Tensor given;
      if (what < 16) {
        if (what % 2) out = *(given = empty(RONDO_F32, shape)).slot();
        must(rondo_graph_call(line.get(), 1, &in, 1, &out));
      } else if (what < 32) {
        must(rondo_graph_call(sums.get(), 1, &in, 1, &out));
      } else if (what < 40) {
        must(rondo_graph_set(split.get(), "two", 2));
        must(rondo_graph_call(split.get(), 1, &in, 1, &out));
      } else if (what < 56) {
        must(rondo_callable_call(callable, 1, &in, 1, &out));
      } else {
        must(doubled_and_one(nullptr, 1, &in, 1, &out));
      }
      x.reset();  // with the call under way
      const Tensor y = given ? std::move(given) : Tensor(out);
      if (bits() % 8) continue;  // nor is every answer waited for
      const Array got = download(y);
      const Real expected = what >= 16 && what < 32 ? 30 * value : 2 * value + 1;
      for (size_t k = 0; k < got.size(); ++k) {
        if (got[k] == expected) continue;
        ADD_FAILURE() << "call " << i << " of thread " << number << ", kind " << what << ": " << got[k] << " at " << k
                      << ", expected " << expected;
        return;
      }
    }
  };

  std::atomic<bool> done{false};
  std::atomic<int64_t> most{0};
  std::thread watch([&] {
    while (!done) {
      const rondo_memory_info info = memory();
      most = std::max(most.load(), info.in_use + info.cached);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  // The oldest thread is awaited and replaced, again and again.
  uint32_t number = 0;
  const auto call = [&](int64_t count) {
    std::vector<std::thread> threads(kCallers);
    for (int64_t made = 0; made < count && !HasFailure(); made += kCallsOfAThread) {
      std::thread& next = threads[number % kCallers];
      if (next.joinable()) next.join();
      next = std::thread([&work, number] {
        try {
          work(number);
        } catch (const std::exception& problem) {
          ADD_FAILURE() << problem.what();
        }
      });
      ++number;
    }
    for (std::thread& each : threads)
      if (each.joinable()) each.join();
    must(rondo_callable_clear(callable));
  };
  call(calls() / 4);
  const Held before = held();
  call(calls() - calls() / 4);
  const Held after = held();
  done = true;
  watch.join();

  EXPECT_LE(most, kLimit);
  EXPECT_LE(memory().peak_in_use, kLimit);
  EXPECT_EQ(after.in_use, before.in_use);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.driver, before.driver) << faults::text(after.driver) << " after " << faults::text(before.driver);
  if (!kSanitized && !simulated()) {
    EXPECT_LE(after.heap, before.heap + (256 << 10));
    EXPECT_LE(after.resident, before.resident + (16 << 20));
  }
  std::printf("%lld calls from %u threads: heap %lld and %lld, resident %lld and %lld, at most %lld in the pool\n",
              static_cast<long long>(calls()), number, static_cast<long long>(before.heap),
              static_cast<long long>(after.heap), static_cast<long long>(before.resident),
              static_cast<long long>(after.resident), static_cast<long long>(most.load()));
}

}  // namespace
}  // namespace conformance
