// Lines as programs for ATen, MLX and CUDASTF have them, adapted by engine and device alone: each compiles as written
// and gives what it gives there. Public headers only. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <rondo/rondo.hpp>
#include <sstream>

using namespace rondo;

namespace {

using Floats = std::vector<float>;

class CppHabits : public ::testing::Test {
 protected:
  const rondo_device cpu = {RONDO_CPU, 0};
  const Engine e;
  Tensor a = e.from_host<float>(cpu, {{1, 2}, {3, 4}});
  Tensor b = e.from_host<float>(cpu, {{1, 2}, {3, 4}});
};

TEST_F(CppHabits, Making) {
  {
    auto t = e.from_host<float>(cpu, {{1, 2}, {3, 4}});
    EXPECT_EQ(t.read<float>(), (Floats{1, 2, 3, 4}));
    EXPECT_EQ(t.shape(), (Shape{2, 2}));
  }
  {
    auto t = e.zeros(cpu, RONDO_F32, {2, 3});
    EXPECT_EQ(t.read<float>(), Floats(6, 0));
  }
  {
    auto t = rondo::random_normal(e, cpu, RONDO_F32, {2, 3});
    EXPECT_EQ(t.shape(), (Shape{2, 3}));
    EXPECT_NE(t.read<float>()[0], t.read<float>()[1]);
  }
  EXPECT_EQ(rondo::zeros(e, {RONDO_CPU, 0}, RONDO_F32, {2, 3}).read<float>(), Floats(6, 0));
  EXPECT_EQ(e.ones({RONDO_CPU, 0}, RONDO_I32, {2}).read<int32_t>(), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(ones(e, cpu, RONDO_F64, {1}).read<double>(), std::vector<double>{1});
  EXPECT_EQ(full(e, cpu, RONDO_F32, {2}, 0.5).read<float>(), (Floats{0.5, 0.5}));
  EXPECT_EQ(e.full(cpu, RONDO_I64, {}, (int64_t{1} << 60) + 1).item<int64_t>(), (int64_t{1} << 60) + 1);
  EXPECT_EQ(empty(e, cpu, RONDO_F16, {2, 0}).sizes(), (Shape{2, 0}));
  EXPECT_THROW(e.empty(cpu, RONDO_F32, {1}).read<float>(), Error) << "nothing has written it";
  EXPECT_EQ(arange(e, cpu, RONDO_F32, 3).read<float>(), (Floats{0, 1, 2}));
  EXPECT_EQ(e.arange(cpu, RONDO_I64, 5, 1, -2).read<int64_t>(), (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(arange(e, cpu, RONDO_F32, 0, 1, 0.5).read<float>(), (Floats{0, 0.5}));
  EXPECT_EQ(linspace(e, cpu, RONDO_F32, 0, 1, 3).read<float>(), (Floats{0, 0.5, 1}));
  EXPECT_EQ(eye(e, cpu, RONDO_F32, 2, 2).read<float>(), (Floats{1, 0, 0, 1}));
  EXPECT_EQ(zeros_like(a).read<float>(), Floats(4, 0));
  EXPECT_EQ(ones_like(a).dtype(), RONDO_F32);
  EXPECT_EQ(full_like(a, 7).sum().item<float>(), 28);
}

TEST_F(CppHabits, ListsOfListsHaveTheirShape) {
  EXPECT_EQ(e.from_host<float>(cpu, 5).shape(), Shape());
  EXPECT_EQ(e.from_host<float>(cpu, {}).shape(), Shape{0});
  EXPECT_EQ(e.from_host<float>(cpu, {5}).shape(), Shape{1});
  EXPECT_EQ(e.from_host<float>(cpu, {{5}, {6}}).shape(), (Shape{2, 1}));
  EXPECT_EQ(e.from_host<float>(cpu, {{5, 6}}).shape(), (Shape{1, 2}));
  EXPECT_EQ(e.from_host<int64_t>(cpu, {{{1}, {2}, {3}}}).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(e.from_host<bool>(cpu, {true, false}).read<uint8_t>(), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(e.from_host<double>(cpu, {0.1, 2}).read<double>(), (std::vector<double>{0.1, 2}));
  const Floats values{1, 2, 3};
  EXPECT_EQ(e.from_host(cpu, values).read<float>(), values);
  EXPECT_EQ(e.from_host<float>(cpu, values).shape(), Shape{3});
  EXPECT_EQ(e.from_host<float>(cpu, {3, 1}, values).shape(), (Shape{3, 1}));
}

TEST_F(CppHabits, Operators) {
  {
    auto t = a + b;
    EXPECT_EQ(t.read<float>(), (Floats{2, 4, 6, 8}));
  }
  {
    auto t = a * 2.0;
    EXPECT_EQ(t.read<float>(), (Floats{2, 4, 6, 8}));
  }
  {
    auto t = 1.0 - a;
    EXPECT_EQ(t.read<float>(), (Floats{0, -1, -2, -3}));
  }
  {
    auto t = a.exp();
    EXPECT_FLOAT_EQ(t.read<float>()[0], std::exp(1.0f));
  }
  {
    auto t = exp(a);
    EXPECT_FLOAT_EQ(t.read<float>()[0], std::exp(1.0f));
  }
  {
    auto t = rondo::exp(a);
    EXPECT_FLOAT_EQ(t.read<float>()[0], std::exp(1.0f));
  }
  {
    auto t = a.matmul(b);
    EXPECT_EQ(t.read<float>(), (Floats{7, 10, 15, 22}));
  }
  {
    auto t = matmul(a, b);
    EXPECT_EQ(t.read<float>(), (Floats{7, 10, 15, 22}));
  }
  {
    auto t = a.sum(1, true);
    EXPECT_EQ(t.shape(), (Shape{2, 1}));
    EXPECT_EQ(t.read<float>(), (Floats{3, 7}));
  }
  {
    auto t = rondo::sum(a, {1}, true);
    EXPECT_EQ(t.read<float>(), (Floats{3, 7}));
  }
  {
    auto t = rondo::softmax(a, -1);
    EXPECT_EQ(t.shape(), a.shape());
    EXPECT_FLOAT_EQ(t.sum().item<float>(), 2);
    EXPECT_FLOAT_EQ(a.softmax(0).sum(0).read<float>()[1], 1);
  }
  {
    auto t = rondo::concat({a, b}, 0);
    EXPECT_EQ(t.shape(), (Shape{4, 2}));
  }
}

TEST_F(CppHabits, InPlace) {
  a += b;
  EXPECT_EQ(a.read<float>(), (Floats{2, 4, 6, 8}));
  a.add_(b);
  EXPECT_EQ(a.read<float>(), (Floats{3, 6, 9, 12}));
  Tensor x = e.ones(cpu, RONDO_F32, {2});
  const Tensor same = x;
  x += 1.0;
  x *= 3;
  x -= x / 2;
  x /= 0.5;
  EXPECT_EQ(same.read<float>(), (Floats{6, 6})) << "copies share the memory";
  x.mul_(2).sub_(1).neg_();
  EXPECT_EQ(x.read<float>(), (Floats{-11, -11}));
  x.clip_(-1, 1).exp_();
  EXPECT_FLOAT_EQ(x.read<float>()[0], std::exp(-1.0f));
  x.copy_(e.from_host<int32_t>(cpu, 4));
  EXPECT_EQ(x.read<float>(), (Floats{4, 4}));
  x.zero_();
  EXPECT_EQ(x.read<float>(), (Floats{0, 0}));
  Tensor n = e.from_host<int32_t>(cpu, {6, 5});
  n &= 4;
  n |= e.from_host<int32_t>(cpu, 1);
  n ^= 2;
  EXPECT_EQ(n.read<int32_t>(), (std::vector<int32_t>{7, 7}));
  EXPECT_THROW(n += 0.5, Error) << "not a number of the dtype";
  EXPECT_THROW(e.ones(cpu, RONDO_F32, {1}) += a, Error) << "the result has another shape";
}

TEST_F(CppHabits, ReadingAndPrinting) {
  EXPECT_EQ(a.sum().item<float>(), 10);
  float t = a.index({1, 0}).item<float>();
  EXPECT_EQ(t, 3);
  EXPECT_EQ(a.sum().item<int>(), 10);
  EXPECT_EQ(a.sum().item<double>(), 10);
  EXPECT_EQ(a.sum().item<long>(), 10);
  EXPECT_EQ(a.sum().item<long long>(), 10);
  EXPECT_TRUE(a.gt(0).all().item<bool>());
  EXPECT_EQ(a.astype(RONDO_F16).max().item<float>(), 4);
  std::cout << a << std::endl;
  std::cout << rondo::exp(a) << std::endl;
  a.wait();
}

TEST_F(CppHabits, ShapesAndParts) {
  {
    auto t = a.index({0, 1});
    EXPECT_EQ(t.item<float>(), 2);
  }
  {
    auto t = a.index({Slice(), 1});
    EXPECT_EQ(t.read<float>(), (Floats{2, 4}));
  }
  {
    auto t = a[0];
    EXPECT_EQ(t.read<float>(), (Floats{1, 2}));
  }
  {
    auto t = a.sizes();
    EXPECT_EQ(t, (Shape{2, 2}));
  }
  {
    auto t = a.shape();
    EXPECT_EQ(t, (Shape{2, 2}));
  }
  {
    auto t = a.dtype();
    EXPECT_EQ(t, RONDO_F32);
  }
  {
    auto t = a.reshape({-1});
    EXPECT_EQ(t.read<float>(), (Floats{1, 2, 3, 4}));
  }
  {
    auto t = a.astype(RONDO_F16);
    EXPECT_EQ(t.dtype(), RONDO_F16);
  }
  {
    auto t = a.clone();
    t += 1;
    EXPECT_EQ(a.read<float>(), (Floats{1, 2, 3, 4})) << "a clone has memory of its own";
  }
  {
    auto t = a.t();
    EXPECT_EQ(t.read<float>(), (Floats{1, 3, 2, 4}));
  }
  {
    auto t = a.transpose({1, 0});
    EXPECT_EQ(t.read<float>(), (Floats{1, 3, 2, 4}));
    EXPECT_EQ(a.transpose(0, 1).read<float>(), (Floats{1, 3, 2, 4}));
    EXPECT_EQ(a.permute({1, 0}).read<float>(), (Floats{1, 3, 2, 4}));
  }
  EXPECT_EQ(a.size(-1), 2);
  EXPECT_EQ(a.dim(), 2);
  EXPECT_EQ(a.numel(), 4);
  EXPECT_EQ(a.device().kind, RONDO_CPU);
}

TEST_F(CppHabits, TasksGradientsAndCallables) {
  e.task("x").reads(a).writes(b).submit([](auto&) {});
  b.wait();
  auto t = rondo::grad([&](const rondo::Tensor& x) { return rondo::sum(x * x); })(a);
  EXPECT_EQ(t.read<float>(), (Floats{2, 4, 6, 8}));
  auto f = e.callable(1, [&](auto& x) { return std::vector<rondo::Tensor>{x[0] + 1}; });
  EXPECT_EQ(f(a).template read<float>(), (Floats{2, 3, 4, 5}));
  auto none = e.callable(1, [&](auto&) { return std::vector<rondo::Tensor>{}; });
  EXPECT_THROW(none(a), std::length_error);
}

}  // namespace
