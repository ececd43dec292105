// The program of examples/c/hello.c in C++: handles own, failures throw, a recording is a lambda.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>

int main() try {
  const rondo_device device = {RONDO_CPU, 0};  // {RONDO_CUDA, 0}: the first GPU; nothing else changes
  rondo::Engine engine;
  const rondo::Tensor a = engine.from_host<float>(device, {4}, {1, 1, 1, 1});
  const rondo::Tensor b = engine.from_host<float>(device, {4}, {0, 1, 2, 3});
  rondo::Tensor c = a + b;  // returns before the work is done

  const rondo::Graph graph = engine.record([&] { rondo::binary_into(RONDO_ADD, c, b, c); });  // kept, not run
  graph.launch();  // ordered after the first addition, because it reads and writes c
  graph.launch();

  for (const float value : c.read<float>()) std::printf("%g ", value);  // waits for whatever writes c: 1 + 3 b
  std::printf("\n");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "hello: %s\n", error.what());
  return 1;
}
