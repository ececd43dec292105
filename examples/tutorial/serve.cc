// Asks the network that train.cc has trained, from four threads at once: a callable is a graph that any thread calls
// with tensors of its own. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>
#include <thread>
#include <vector>

int main() try {
  const rondo_device device = {RONDO_CPU, 0};  // {RONDO_CUDA, 0}: the first GPU
  const rondo::Engine engine;
  const rondo::ModelFile file("xor.safetensors");
  const rondo::Tensor first = file.load("hidden", engine, device), last = file.load("last", engine, device);

  // What the network makes of bits. It is recorded at the first call of a shape.
  const rondo::Callable network(engine, 1, [&](const std::vector<rondo::Tensor>& inputs) {
    const rondo::Tensor hidden = rondo::unary(RONDO_TANH, rondo::matmul(inputs[0], first));
    std::vector<rondo::Tensor> outputs;
    outputs.push_back(rondo::reduce(RONDO_ARGMAX, rondo::matmul(hidden, last), {1}));
    return outputs;
  });

  int64_t answers[4] = {-1, -1, -1, -1};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const std::vector<float> bits = {static_cast<float>(i / 2), static_cast<float>(i % 2), 1};  // 1 for the bias
      const rondo::Tensor x = engine.from_host<float>(device, {1, 3}, bits);
      answers[i] = network(x).read<int64_t>().front();  // waits for this answer alone
    });
  for (int i = 0; i < 4; ++i) {
    threads[i].join();
    std::printf("%d xor %d = %d\n", i / 2, i % 2, static_cast<int>(answers[i]));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "serve: %s\n", error.what());
  return 1;
}
