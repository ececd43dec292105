// rondo.hpp beside what C++20 has: spans of tensors and of elements. Public headers only.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <rondo/rondo.hpp>
#include <span>

namespace {

using rondo::Tensor;
using Floats = std::vector<float>;
constexpr rondo_device kCpu = {RONDO_CPU, 0};

TEST(CppSpans, ListsOfTensorsAreSpans) {
  const rondo::Engine engine;
  const std::vector<Tensor> tensors{engine.from_host<float>(kCpu, {1}), engine.from_host<float>(kCpu, {2}),
                                    engine.from_host<float>(kCpu, {3})};
  EXPECT_EQ(rondo::concat(std::span(tensors).subspan(1)).read<float>(), (Floats{2, 3}));
  const rondo::Tape tape(engine, std::span(tensors).first(2));
  EXPECT_EQ(tape.gradients(tensors[0] * tensors[1], std::span(tensors).first(2))[0].read<float>(), Floats{2});
}

TEST(CppSpans, FunctionsOfCallablesTakeSpans) {
  const rondo::Engine engine;
  const rondo::Callable sums = engine.callable(1, [](std::span<const Tensor> in) { return rondo::add_n(in); });
  const Tensor a = engine.from_host<float>(kCpu, {1, 2});
  EXPECT_EQ(sums(a).read<float>(), (Floats{1, 2}));
  EXPECT_EQ(sums(a, a, a).read<float>(), (Floats{3, 6}));
  const rondo::Callable both =
      engine.callable(2, [](std::span<const Tensor> in) { return std::vector<Tensor>(in.begin(), in.end()); });
  EXPECT_EQ(both.call({a, a + 1})[1].read<float>(), (Floats{2, 3}));
}

TEST(CppSpans, ElementsOfTasksAreSpans) {
  const rondo::Engine engine;
  const Tensor x = engine.from_host<float>(kCpu, {1, 2});
  float sum = 0;
  engine.task("sum").reads(x).submit([&](rondo::TaskContext& task) {
    const std::span<const float> values = task.values<const float>(0);
    for (const float value : values) sum += value;
  });
  engine.wait_all();
  EXPECT_EQ(sum, 3);
}

}  // namespace
