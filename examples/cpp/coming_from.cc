// The programs in C++ that docs/coming-from.md shows beside PyTorch's and MXNet's, each compared with what eager calls
// leave. coming_from_cpp [DEVICE]. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <rondo/rondo.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int64_t kBatch = 8, kInputs = 12, kClasses = 4;
constexpr int kSteps = 10;

struct Network {
  Network(const rondo::Engine& engine, rondo_device device)
      : engine(engine), device(device), scaler(engine, device), ranks(rondo::Comm::create_all(engine, {device})) {
    x = engine.normal(device, RONDO_F32, {kBatch, kInputs});
    labels = engine.from_host<int64_t>(device, {kBatch}, {0, 1, 2, 3, 3, 2, 1, 0});
    weights.push_back(engine.normal(device, RONDO_F32, {kInputs, kClasses}));
    rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
    options.kind = RONDO_OPTIMIZER_ADAMW;
    options.rate = 0.01;
    optimizer = std::make_unique<rondo::Optimizer>(weights, options);
  }

  const rondo::Engine& engine;
  rondo_device device;
  rondo::Tensor x, labels;
  std::vector<rondo::Tensor> weights;
  std::unique_ptr<rondo::Optimizer> optimizer;
  rondo::LossScaler scaler;
  rondo::Comm::Ends ranks;
};

rondo::Tensor train(const Network& net) {
  const rondo::Tensor& w = net.weights[0];
  rondo::Tape tape(net.engine, {w});
  rondo::Tensor loss = mean(cross_entropy(matmul(net.x, w), net.labels));
  net.optimizer->step(tape.gradients(loss, {w}));
  return loss;
}

rondo::Tensor train_on_ranks(const Network& net) {
  const rondo::Tensor& w = net.weights[0];
  rondo::Tape tape(net.engine, {w});
  rondo::Tensor loss = mean(cross_entropy(matmul(net.x, w), net.labels));
  const std::vector<rondo::Tensor> gradients = tape.gradients(loss, {w});
  net.ranks[0].all_reduce_into(gradients[0], RONDO_MEAN, gradients[0]);
  net.optimizer->step(gradients);
  return loss;
}

rondo::Tensor loss_in_half(const Network& net) {
  const rondo::Autocast half(net.engine, RONDO_F16);
  return mean(cross_entropy(matmul(net.x, net.weights[0]), net.labels));
}

rondo::Tensor train_in_half(const Network& net) {
  const rondo::Tensor& w = net.weights[0];
  rondo::Tape tape(net.engine, {w});
  rondo::Tensor loss = loss_in_half(net);
  net.scaler.step(*net.optimizer, tape.gradients(net.scaler.scale(loss), {w}));
  net.scaler.update();
  return loss;
}

std::vector<float> losses_of_launches(const Network& net, rondo::Tensor (*step)(const Network&)) {
  rondo::Tensor loss;
  const rondo::Graph graph = net.engine.record([&] { loss = step(net); });
  std::vector<float> losses;
  for (int i = 0; i < kSteps; ++i) {
    net.x.copy_(net.engine.normal(net.device, RONDO_F32, {kBatch, kInputs}));
    graph.launch();
    losses.push_back(loss.read<float>()[0]);
  }
  return losses;
}

std::vector<float> losses_of_eager_steps(const Network& net, rondo::Tensor (*step)(const Network&)) {
  std::vector<float> losses;
  for (int i = 0; i < kSteps; ++i) {
    net.x.copy_(net.engine.normal(net.device, RONDO_F32, {kBatch, kInputs}));
    losses.push_back(step(net).read<float>()[0]);
  }
  return losses;
}

// Steps eagerly and from a graph, and what is left in the end.
void compare(const char* name, rondo::Engine& engine, rondo_device device, rondo::Tensor (*step)(const Network&)) {
  engine.seed(7);
  const Network eager(engine, device);
  const std::vector<float> expected = losses_of_eager_steps(eager, step);
  engine.seed(7);
  const Network net(engine, device);
  const std::vector<float> found = losses_of_launches(net, step);
  if (found != expected || net.weights[0].read<float>() != eager.weights[0].read<float>())
    throw std::runtime_error(std::string(name) + ": losses or weights differ");
  std::printf("%s: %d launches leave the bits of eager steps\n", name, kSteps);
}

rondo::Tensor gradient_of_parts(const rondo::Engine& engine, const rondo::Tensor& x, const rondo::Tensor& w) {
  const rondo::Callable part =
      engine.callable(1, [&](const std::vector<rondo::Tensor>& in) { return tanh(matmul(in[0], w)); });
  rondo::Tape tape(engine, {w});
  const rondo::Tensor y = part(x);  // the first call of a shape records it, others run the graph
  return tape.gradient(sum(y), w);  // backward is a graph as well
}

rondo::Graph for_batches_of(int64_t batch, const Network& net) {
  rondo_record_options options = rondo::record_defaults();
  options.flags = RONDO_RECORD_CALLABLE;
  options.arena = "batches";
  return net.engine.record(
      [&] {
        const rondo::Tensor x = net.engine.record_input(net.device, RONDO_F32, {batch, kInputs});
        net.engine.record_output(softmax(matmul(x, net.weights[0])));
      },
      options);
}

void shared_memory(const Network& net) {
  const std::vector<int64_t> batches = {32, 16, 8};  // the largest first
  std::vector<rondo::Graph> graphs;
  for (const int64_t batch : batches) graphs.push_back(for_batches_of(batch, net));
  for (size_t i = graphs.size(); i-- > 0;) {  // in any order
    const rondo::Tensor x = net.engine.normal(net.device, RONDO_F32, {batches[i], kInputs});
    const std::vector<rondo::Tensor> y = graphs[i].call({x});  // the caller's; no later call overwrites it
    y[0].wait();
  }
}

int engine_calls(const rondo::Engine& engine, const rondo::Tensor& x) {
  std::atomic<int> counted{0};
  const rondo::Variable written = engine.variable();
  for (int i = 0; i < kSteps; ++i)
    engine.task("count").reads(x).writes(written).submit([&](rondo::TaskContext&) { ++counted; });
  written.wait();
  return counted;
}

}  // namespace

int main(int argc, char** argv) try {
  rondo::Engine engine;
  const rondo_device device = rondo::parse_device(argc > 1 ? argv[1] : "cpu");
  compare("a whole step", engine, device, train);
  compare("collectives inside", engine, device, train_on_ranks);
  compare("mixed precision inside", engine, device, train_in_half);

  const Network net(engine, device);
  const rondo::Tensor& w = net.weights[0];
  rondo::Tape tape(engine, {w});
  const rondo::Tensor y = tanh(matmul(net.x, w));
  const rondo::Tensor eager = tape.gradient(sum(y), w);
  if (gradient_of_parts(engine, net.x, w).read<float>() != eager.read<float>())
    throw std::runtime_error("graphed parts: the gradients differ");
  std::printf("graphed parts: the bits of eager gradients\n");
  shared_memory(net);
  std::printf("graphs for three sizes share their memory\n");
  if (engine_calls(engine, net.x) != kSteps) throw std::runtime_error("tasks were lost");
  std::printf("%d tasks of the program's own, in order\n", kSteps);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "coming_from_cpp: %s\n", error.what());
  return 1;
}
