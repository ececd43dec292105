// Random calls of shared graphs from threads, with eager work between them and tensors that go while they are used;
// every thread knows what each of its tensors holds. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

class Calling : public OnEngine {
 protected:
  static constexpr int64_t kSize = 100;
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  Graph graph_of(int inputs, int32_t arenas, const Body& body) const {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_CALLABLE;
    options.arenas = arenas;
    return record(
        engine(),
        [&] {
          std::vector<Tensor> given;
          for (int i = 0; i < inputs; ++i)
            given.push_back(make(rondo_record_input, engine(), device(), RONDO_I64, 1, &kSize));
          for (const Tensor& output : body(given)) must(rondo_record_output(engine(), output));
        },
        &options);
  }
  static std::vector<Tensor> list(Tensor one) {
    std::vector<Tensor> made;
    made.push_back(std::move(one));
    return made;
  }
  // Random calls of graphs with so many arenas.
  void share_graphs(int32_t arenas);
};
CONFORMANCE_ENGINE_SUITE(Calling);

void Calling::share_graphs(int32_t arenas) {
  rondo_engine_options with = options();
  with.streams = 3;
  restart(with);
  const Tensor three = up(full(RONDO_I64, {kSize}, 3));
  struct Shared {
    Graph graph;
    int inputs;
    std::function<int64_t(int64_t, int64_t)> value;
  };
  std::vector<Shared> shared;
  shared.push_back(
      {graph_of(1, arenas, [&](const auto& x) { return list(make(rondo_binary, RONDO_MUL, x[0], three)); }), 1,
       [](int64_t a, int64_t) { return 3 * a; }});
  shared.push_back({graph_of(2, arenas,
                             [&](const auto& x) {
                               const Tensor sum = make(rondo_binary, RONDO_ADD, x[0], x[1]);
                               // A host function: on cuda it splits the graph.
                               must(push_tensors(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {sum}));
                               return list(make(rondo_binary, RONDO_SUB, sum, three));
                             }),
                    2, [](int64_t a, int64_t b) { return a + b - 3; }});
  shared.push_back({graph_of(2, arenas,
                             [&](const auto& x) {
                               const Tensor left = make(rondo_unary, RONDO_NEG, x[0]);
                               const Tensor right = make(rondo_binary, RONDO_ADD, x[1], x[1]);
                               return list(make(rondo_binary, RONDO_MAXIMUM, left, right));
                             }),
                    2, [](int64_t a, int64_t b) { return std::max(-a, 2 * b); }});
  // And one that calls another.
  shared.push_back({graph_of(1, arenas,
                             [&](const auto& x) {
                               rondo_tensor *in = x[0], *out = nullptr;
                               must(rondo_graph_call(shared[0].graph.get(), 1, &in, 1, &out));
                               const Tensor once(out);
                               return list(make(rondo_binary_scalar, RONDO_ADD, once, 1.0));
                             }),
                    1, [](int64_t a, int64_t) { return 3 * a + 1; }});
  for (const Shared& each : shared) EXPECT_EQ(graph_info(each.graph.get()).arenas, arenas);

  const int threads = on_cuda() || quick() ? 4 : 12, steps = on_cuda() || quick() ? 100 : 1500;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      try {
        std::mt19937 bits(static_cast<uint32_t>(t) + 7);
        struct Entry {
          Tensor tensor;
          int64_t value;
        };
        std::vector<Entry> live;
        const auto pick = [&]() -> Entry& { return live[bits() % live.size()]; };
        for (int i = 0; i < steps; ++i) {
          const uint32_t what = bits() % 8;
          if (live.size() < 3 || (what == 0 && live.size() < 12)) {
            const auto value = static_cast<int64_t>(bits() % 1000);
            live.push_back({up(full(RONDO_I64, {kSize}, Real(value))), value});
          } else if (what == 1) {
            live.erase(live.begin() + bits() % live.size());  // with calls in flight
          } else if (what == 2) {
            Entry& entry = pick();
            ASSERT_EQ(download(entry.tensor).bytes, full(RONDO_I64, {kSize}, Real(entry.value)).bytes)
                << "thread " << t << ", step " << i;
          } else if (what == 3) {
            Entry& entry = pick();
            into(entry.tensor, rondo_binary_scalar_i64, RONDO_SUB, entry.tensor, entry.value - 5);
            entry.value = 5;
          } else {
            const Shared& called = shared[bits() % shared.size()];
            const size_t first = bits() % live.size(), second = bits() % live.size();
            rondo_tensor* inputs[] = {live[first].tensor, live[second].tensor};
            const int64_t value = called.value(live[first].value, live[second].value) % 100000;
            const bool exact = value == called.value(live[first].value, live[second].value);
            // Into one that is there, unless the call reads it, or into a new one.
            const size_t target = bits() % live.size();
            const bool given = exact && bits() % 2 && target != first && target != second;
            rondo_tensor* output = given ? static_cast<rondo_tensor*>(live[target].tensor) : nullptr;
            must(rondo_graph_call(called.graph.get(), called.inputs, inputs, 1, &output));
            if (given)
              live[target].value = value;
            else if (!exact || live.size() > 12)
              rondo_tensor_destroy(output);  // under way
            else
              live.push_back({Tensor(output), value});
          }
        }
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
    });
  }
  for (std::thread& each : running) each.join();
}

TEST_P(Calling, SharedGraphsFromThreads) {
  share_graphs(1);
}

TEST_P(Calling, OverlappingGraphsFromThreads) {
  share_graphs(3);
}

}  // namespace
}  // namespace conformance
