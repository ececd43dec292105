// What a program in C++ does with an installed Rondo that it is linked with statically: classes of the wrapper, of
// whose names the library has some inside, too. Prints the library's version if all of it is right. Copyright 2026 the
// Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <rondo/rondo.hpp>
#include <vector>

int main() {
  using rondo::Tensor;
  rondo::Engine engine;
  engine.seed(1);
  const Tensor a = engine.from_host<float>({RONDO_CPU, 0}, {4}, {1, 2, 3, 4});
  if ((a * 2.0 + a).read<float>()[3] != 12) return 1;
  { const rondo::Variable variable = engine.variable(); }
  engine.push(
      [](rondo::TaskContext& context) {
        rondo::Completion completion = context.defer();
        completion.complete();
      },
      {}, {});
  engine.wait_all();
  const rondo::Graph graph = engine.record([&] { rondo::binary_into(RONDO_ADD, a, a, a); });
  graph.launch();
  engine.wait_all();
  if (a.read<float>()[0] != 2 || graph.report().empty()) return 2;
  rondo::Callable callable(engine, 1, [](const std::vector<Tensor>& inputs) {
    std::vector<Tensor> outputs;
    outputs.push_back(inputs[0] + 1.0);
    return outputs;
  });
  if (callable(a).read<float>()[0] != 3 || callable.report().empty()) return 3;
  callable.clear();
  std::puts(rondo_version_string());
  return 0;
}
