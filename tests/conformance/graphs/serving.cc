// The ways of docs/serving.md to serve one model to many threads: every thread gets the answers to its own requests.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <thread>

#include "graphs/recording.h"

namespace conformance {
namespace {

class Serving : public OnRecording {
 protected:
  static constexpr int64_t kSize = 257;
  static constexpr int kThreads = 4;

  struct Model {
    Tensor x, y;
    Graph graph;
  };
  // y = (x + 1) w, with a temporary and, on cuda, several nodes. The weights are shared by all.
  Model model(rondo_tensor* weights) const {
    Model made;
    made.x = up(full(RONDO_F32, {kSize}, 0));
    made.graph = record(engine(), [&] {
      const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, made.x, 1.0);
      made.y = make(rondo_binary, RONDO_MUL, sum, weights);
    });
    return made;
  }
  // Many threads, each with requests that no other has. serve(thread, request) gives the answer.
  void all_right(const std::function<Array(int, const Array&)>& serve) const {
    const int requests = on_cuda() || quick() ? 25 : 250;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        try {
          int wrong = 0;
          for (int i = 0; i < requests; ++i) {
            const int number = t * requests + i;
            wrong +=
                serve(t, full(RONDO_F32, {kSize}, number)).bytes != full(RONDO_F32, {kSize}, 2 * (number + 1)).bytes;
          }
          EXPECT_EQ(wrong, 0) << "of " << requests << " answers of thread " << t;
        } catch (const std::exception& problem) {
          ADD_FAILURE() << problem.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  static Array ask(const Model& model, const Array& request) {
    must(rondo_tensor_write(model.x, request.bytes.data(), request.bytes.size()));
    must(rondo_graph_launch(model.graph.get()));
    return download(model.y);
  }
  Tensor weights() const { return up(full(RONDO_F32, {kSize}, 2)); }
};
CONFORMANCE_ENGINE_SUITE(Serving);

TEST_P(Serving, ALockAroundTheSequence) {
  const Tensor w = weights();
  const Model shared = model(w);
  std::mutex mutex;
  all_right([&](int, const Array& request) {
    const std::lock_guard lock(mutex);
    return ask(shared, request);
  });
}

// The lock covers what is submitted, not the wait: each answer is copied to a tensor of its own before the next launch
// is submitted.
TEST_P(Serving, ALockAroundTheSubmissions) {
  const Tensor w = weights();
  const Model shared = model(w);
  std::mutex mutex;
  all_right([&](int, const Array& request) {
    Tensor mine;
    {
      const std::lock_guard lock(mutex);
      must(rondo_tensor_write(shared.x, request.bytes.data(), request.bytes.size()));
      must(rondo_graph_launch(shared.graph.get()));
      mine = make(rondo_copy, shared.y);
    }
    return download(mine);
  });
}

TEST_P(Serving, AGraphPerThread) {
  rondo_engine_options with = options();
  with.streams = kThreads;
  restart(with);
  const Tensor w = weights();
  std::vector<Model> models;
  for (int t = 0; t < kThreads; ++t) models.push_back(model(w));
  all_right([&](int thread, const Array& request) { return ask(models[static_cast<size_t>(thread)], request); });
}

// Fewer graphs than threads: a graph is one thread's from the write to the read.
TEST_P(Serving, AGraphPerSlot) {
  const Tensor w = weights();
  std::vector<Model> slots;
  for (int s = 0; s < 2; ++s) slots.push_back(model(w));
  std::vector<const Model*> idle = {&slots[0], &slots[1]};
  std::mutex mutex;
  all_right([&](int, const Array& request) {
    const Model* mine = nullptr;
    while (!mine) {
      {
        const std::lock_guard lock(mutex);
        if (!idle.empty()) {
          mine = idle.back();
          idle.pop_back();
        }
      }
      if (!mine) std::this_thread::yield();
    }
    const Array answer = ask(*mine, request);
    const std::lock_guard lock(mutex);
    idle.push_back(mine);
    return answer;
  });
}

}  // namespace
}  // namespace conformance
