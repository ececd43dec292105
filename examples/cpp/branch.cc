// A training step with a branch in it, as one graph: which of two layers a batch goes through is known on the device
// only. The same function is called eagerly and recorded: to the same bits, and in less time.
//
// usage: branch_cpp [DEVICE]   "cpu" (without an argument) or "cuda:0"
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>
#include <vector>

using rondo::Tensor;
using Clock = std::chrono::steady_clock;

constexpr int kBatch = 8, kWidth = 16, kSteps = 200, kLayers = 3;

struct Network {
  Network(const rondo::Engine& made_by, rondo_device home)
      : engine(made_by),
        device(home),
        x(engine.empty(device, RONDO_F32, {kBatch, kWidth})),
        loss(engine.empty(device, RONDO_F32, {})) {
    for (int i = 0; i < kLayers; ++i) w.push_back(engine.empty(device, RONDO_F32, {kWidth, kWidth}));
  }
  void begin() {
    engine.seed(7);
    for (const Tensor& each : w) each.copy_(engine.normal(device, RONDO_F32, {kWidth, kWidth}, 0, 0.25));
    calls = 0;
  }
  void next_batch() { x.copy_(engine.normal(device, RONDO_F32, {kBatch, kWidth})); }

  // A body: forwards through the first layer and the one given, and back.
  void train(const Tensor& second) {
    ++calls;
    const rondo::Tape tape(engine, {w[0], second});
    const Tensor off = squared_difference(matmul(matmul(x, w[0]), second), tanh(x));
    const Tensor mean = rondo::mean(off);
    const std::vector<Tensor> gradients = tape.gradients(mean, {w[0], second});
    w[0].sub_(gradients[0] * 0.2);
    second.sub_(gradients[1] * 0.2);
    loss.copy_(mean);  // made before the branch, so that it outlives it
  }
  void step() {
    rondo::if_else(
        engine, x.sum().gt(0), [&] { train(w[1]); }, [&] { train(w[2]); });
  }

  const rondo::Engine& engine;
  rondo_device device;
  Tensor x, loss;         // a batch, of which tanh(x) is to come, and how far off it was
  std::vector<Tensor> w;  // of the first layer, and of the two that follow it by turns
  int calls = 0;          // of the functions that issue bodies
};

template <class Step>
std::vector<float> run(Network& network, const char* how, const Step& step) {
  network.begin();
  float first = 0;
  Clock::time_point begin;
  for (int i = 0; i < kSteps; ++i) {
    network.next_batch();
    step();
    if (i == 0) first = network.loss.item<float>();
    if (i == 0) begin = Clock::now();
  }
  const float last = network.loss.item<float>();  // waits
  const std::chrono::duration<double, std::micro> spent = Clock::now() - begin;
  std::printf("%s: loss %.3f at first, %.3f at last; %.0f us a step; functions of bodies were called %d times\n", how,
              first, last, spent.count() / kSteps, network.calls);
  return rondo::concat(network.w).read<float>();
}

int main(int count, char** arguments) try {
  const rondo_device device = rondo::parse_device(count > 1 ? arguments[1] : "cpu");
  const rondo::Engine engine;
  Network network(engine, device);
  network.begin();
  network.next_batch();
  const rondo::Graph graph = engine.record([&] { network.step(); });  // nothing runs; both bodies are kept

  // Eagerly it waits for the number, and calls one of the two functions; the graph decides without this thread.
  const std::vector<float> eager = run(network, "called eagerly", [&] { network.step(); });
  const std::vector<float> launched = run(network, "launched", [&] { graph.launch(); });
  std::puts(graph.info().conditional_nodes ? "the CUDA graph decided" : "the host decided");  // cpu, or an older driver
  std::puts(eager == launched ? "the weights are equal, bit for bit" : "the weights differ");
  return eager == launched ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "branch: %s\n", error.what());
  return 1;
}
