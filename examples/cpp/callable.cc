// A network that decides by its data which layer comes next, with layers that are graphs: callables under a tape. It is
// trained twice, with layers called eagerly and as callables: to the same bits. What a step takes is printed.
//
// usage: callable_cpp [DEVICE]   "cpu" (without an argument) or "cuda:0"
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>
#include <vector>

using rondo::Tensor;
using Clock = std::chrono::steady_clock;

constexpr int kWidth = 16, kSteps = 200, kLayers = 3;

struct Layer {
  Layer(const rondo::Engine& engine, rondo_device device)
      : w(engine.normal(device, RONDO_F32, {kWidth, kWidth}, 0, 0.25)),
        b(engine.normal(device, RONDO_F32, {kWidth}, 0, 0.25)),
        graphs(engine.callable(1, [this](const std::vector<Tensor>& in) { return run(in[0]); })) {}
  Layer(const Layer&) = delete;  // its function knows where it is
  Layer& operator=(const Layer&) = delete;

  // As a callable it is called once for each size of batch.
  Tensor run(const Tensor& x) {
    ++runs;
    return x + silu(matmul(rms_norm(x), w) + b);
  }
  Tensor operator()(const Tensor& x, bool as_graph) { return as_graph ? graphs(x) : run(x); }

  Tensor w, b;
  int runs = 0;
  rondo::Callable graphs;
};

// The loss of a step: sin(x) is to come of a new batch x. Which layers it goes through is for the host to see.
float step(const rondo::Engine& engine, rondo_device device, Layer* layers, bool as_graphs, int64_t batch) {
  std::vector<Tensor> parameters;
  for (int i = 0; i < kLayers; ++i) parameters.insert(parameters.end(), {layers[i].w, layers[i].b});
  const Tensor x = engine.normal(device, RONDO_F32, {batch, kWidth});
  const rondo::Tape tape(engine, parameters);
  Tensor y = layers[0](x, as_graphs);
  for (int i = 0; i < 3; ++i) y = layers[y.sum().item<float>() > 0 ? 1 : 2](y, as_graphs);
  const Tensor loss = mean(squared_difference(y, sin(x)));
  const std::vector<Tensor> gradients = tape.gradients(loss, parameters);
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i] -= gradients[i] * 0.3;
  return loss.item<float>();
}

std::vector<float> train(const rondo::Engine& engine, rondo_device device, bool as_graphs) {
  engine.seed(7);
  Layer layers[kLayers] = {{engine, device}, {engine, device}, {engine, device}};
  double loss[2] = {0, 0};
  Clock::time_point begin;
  for (int i = 0; i < kSteps; ++i) {
    loss[i / (kSteps / 2)] += step(engine, device, layers, as_graphs, i % 2 ? 8 : 5) * 2 / kSteps;
    if (i == kSteps / 2 - 1) begin = Clock::now();  // all is recorded and compiled
  }
  const std::chrono::duration<double, std::micro> spent = Clock::now() - begin;
  int runs = 0;
  std::vector<Tensor> weights;
  for (const Layer& layer : layers) {
    runs += layer.runs;
    weights.push_back(layer.w);
  }
  std::printf("layers %s: loss %.3f, then %.3f; %.0f us a step; their functions were called %d times\n",
              as_graphs ? "as graphs" : "called eagerly", loss[0], loss[1], spent.count() * 2 / kSteps, runs);
  return rondo::concat(weights).read<float>();
}

int main(int count, char** arguments) try {
  const rondo_device device = rondo::parse_device(count > 1 ? arguments[1] : "cpu");
  const rondo::Engine engine;
  const std::vector<float> eager = train(engine, device, false), graphs = train(engine, device, true);
  std::puts(eager == graphs ? "the weights are equal, bit for bit" : "the weights differ");
  return eager == graphs ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "callable: %s\n", error.what());
  return 1;
}
