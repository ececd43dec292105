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
  const rondo::Callable network = engine.callable(1, [&](const std::vector<rondo::Tensor>& inputs) {
    const rondo::Tensor hidden = tanh(matmul(inputs[0], first));
    return argmax(matmul(hidden, last), 1);
  });

  int64_t answers[4] = {-1, -1, -1, -1};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const rondo::Tensor x = engine.from_host<float>(device, {{i / 2, i % 2, 1}});  // 1 for the bias
      answers[i] = network(x).item<int64_t>();                                       // waits for this answer alone
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
