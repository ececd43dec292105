// Trains a small network to tell exclusive or: ten steps as they are called, then the same step as a graph. The weights
// go to the file xor.safetensors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <memory>
#include <rondo/rondo.hpp>
#include <vector>

namespace {

constexpr rondo_device kDevice = {RONDO_CPU, 0};  // {RONDO_CUDA, 0}: the first GPU

struct Network {
  explicit Network(const rondo::Engine& engine) : engine(engine) {
    x = engine.from_host<float>(kDevice, {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}});  // two bits, and 1 for the bias
    labels = engine.from_host<int64_t>(kDevice, {0, 1, 1, 0});
    weights = {engine.normal(kDevice, RONDO_F32, {3, 8}), engine.normal(kDevice, RONDO_F32, {8, 2})};
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.kind = RONDO_OPTIMIZER_ADAM;
    options.rate = 0.05;
    optimizer = std::make_unique<rondo::Optimizer>(weights, options);
  }

  // One step: forward, gradients, update. Gives the loss.
  rondo::Tensor step() const {
    const rondo::Tape tape(engine, weights);
    const rondo::Tensor hidden = tanh(matmul(x, weights[0]));
    const rondo::Tensor logits = matmul(hidden, weights[1]);
    const rondo::Tensor loss = mean(cross_entropy(logits, labels));
    optimizer->step(tape.gradients(loss, weights));
    return loss;
  }

  const rondo::Engine& engine;
  rondo::Tensor x, labels;
  std::vector<rondo::Tensor> weights;  // of the hidden layer, of the last one
  std::unique_ptr<rondo::Optimizer> optimizer;
};

}  // namespace

int main() try {
  rondo::Engine engine;
  engine.seed(1);
  const Network net(engine);
  rondo::Tensor loss;
  for (int i = 0; i < 10; ++i) loss = net.step();                        // returns before the work is done
  std::printf("after 10 steps the loss is %.4f\n", loss.item<float>());  // waits for the step

  const rondo::Graph graph = engine.record([&] { loss = net.step(); });  // kept, not run
  for (int i = 0; i < 190; ++i) graph.launch();
  std::printf("after 190 launches of the graph it is %.4f\n", loss.item<float>());
  rondo::write_model_file("xor.safetensors", {{"hidden", net.weights[0]}, {"last", net.weights[1]}});
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "train: %s\n", error.what());
  return 1;
}
