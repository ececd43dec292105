// Tensors in C++ beyond single lines: views and copies, indices, parts that are assigned to, text, tasks, gradients of
// functions, and operators beside <cmath>. Public headers only.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <numeric>
#include <rondo/rondo.hpp>
#include <sstream>

namespace {

using rondo::Shape;
using rondo::Slice;
using rondo::Tensor;
using Floats = std::vector<float>;
constexpr rondo_device kCpu = {RONDO_CPU, 0};

template <class... Manipulators>
std::string text_of(const Tensor& tensor, Manipulators... manipulators) {
  std::ostringstream stream;
  (stream << ... << manipulators) << tensor;
  return stream.str();
}

TEST(CppTensors, ReshapeCopiesWhereItMustAndViewRefuses) {
  const rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {{1, 2, 3}, {4, 5, 6}});
  const Tensor same = a.reshape({3, -1});
  a.index({0, 0}).fill(9);
  EXPECT_EQ(same.read<float>()[0], 9) << "a view where that is possible";
  EXPECT_EQ(a.t().reshape({-1}).read<float>(), (Floats{9, 4, 2, 5, 3, 6}));
  EXPECT_EQ(a.t().flatten().read<float>(), (Floats{9, 4, 2, 5, 3, 6}));
  EXPECT_THROW(a.t().view({-1}), rondo::Error);
  EXPECT_THROW(a.t().reshape({5}), rondo::Error);
  EXPECT_THROW(a.t().reshape({-1, 4}), rondo::Error);
  EXPECT_THROW(a.t().reshape({-1, -1}), rondo::Error);
  EXPECT_THROW(Tensor().reshape({1}), rondo::Error);
  EXPECT_EQ(a.unsqueeze(-1).unsqueeze(0).shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(a.unsqueeze(0).squeeze(0).shape(), a.shape());
  EXPECT_EQ(a.squeeze(0).shape(), a.shape()) << "an axis of another size stays";
  const rondo::Tape tape(engine, {a});
  const Tensor gradient = tape.gradient((a.t().reshape({-1}) * 2).sum(), a);
  EXPECT_EQ(gradient.read<float>(), Floats(6, 2)) << "the copy has a gradient";
}

TEST(CppTensors, ViewsAreMethodsAndFunctions) {
  const rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(reshape(a, {3, -1}).shape(), (Shape{3, 2}));
  EXPECT_EQ(flatten(transpose(a)).read<float>(), (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(transpose(a, {1, 0}).shape(), (Shape{3, 2}));
  EXPECT_EQ(squeeze(unsqueeze(unsqueeze(a, 0), -1)).shape(), a.shape());
  EXPECT_EQ(squeeze(unsqueeze(a, 0), 0).shape(), a.shape());
  EXPECT_EQ(broadcast(a[0], {2, 3}).read<float>(), (Floats{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(a[0].expand({2, 3}).ndim(), 2);
  EXPECT_EQ(a.narrow(1, 1, 2).read<float>(), (Floats{2, 3, 5, 6}));
  EXPECT_EQ(a.narrow(-1, -1, 1).read<float>(), (Floats{3, 6}));
  EXPECT_THROW(a.narrow(1, 2, 2), std::out_of_range);
  EXPECT_THROW(a.narrow(2, 0, 1), std::out_of_range);
  EXPECT_TRUE(a.t().contiguous().is_contiguous());
  EXPECT_EQ(a.contiguous().get(), a.get());
  a.wait();
  EXPECT_EQ(a.data<float>()[5], 6);
  EXPECT_EQ(a.data<const float>()[0], 1);
  EXPECT_THROW(a.data<double>(), std::invalid_argument);
  EXPECT_EQ(astype(a, RONDO_I32).dtype(), RONDO_I32);
  EXPECT_EQ(cumsum(a, 1).read<float>(), (Floats{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(cumprod(a, 0).read<float>(), (Floats{1, 2, 3, 4, 10, 18}));
}

TEST(CppTensors, EqualAndAllcloseCompareWholeTensors) {
  const rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {1, INFINITY}), nan = engine.from_host<float>(kCpu, NAN);
  EXPECT_TRUE(equal(a, a.clone()));
  EXPECT_FALSE(equal(a, a + 1));
  EXPECT_FALSE(equal(a, a[0]));
  EXPECT_FALSE(equal(a, a.astype(RONDO_F64)));
  EXPECT_FALSE(equal(nan, nan));
  EXPECT_TRUE(allclose(a, a * 1.000001));
  EXPECT_FALSE(allclose(a, a * 1.001));
  EXPECT_TRUE(allclose(a, a * 1.001, 0.01));
  EXPECT_TRUE(allclose(a[0], a[0] + 1, 0, 1));
  EXPECT_FALSE(allclose(nan, nan));
  const Tensor n = engine.from_host<uint8_t>(kCpu, {1, 2});
  EXPECT_TRUE(allclose(n, n));
  EXPECT_FALSE(allclose(n, n.flip()));
}

TEST(CppTensors, IndicesTakeSlicesAndTensors) {
  const rondo::Engine engine;
  const Tensor x = engine.arange(kCpu, RONDO_I64, 24).reshape({2, 3, 4});
  const auto read = [](const Tensor& t) { return t.read<int64_t>(); };
  using Whole = std::vector<int64_t>;
  EXPECT_EQ(read(x[1][2]), (Whole{20, 21, 22, 23}));
  EXPECT_EQ(read(x[-1][-1][-1]), Whole{23});
  EXPECT_EQ(read(x.index({rondo::Ellipsis, 1})), (Whole{1, 5, 9, 13, 17, 21}));
  EXPECT_EQ(read(x.index({0, Slice(1), Slice({}, 2)})), (Whole{4, 5, 8, 9}));
  EXPECT_EQ(read(x.index({0, 0, Slice({}, {}, -1)})), (Whole{3, 2, 1, 0}));
  EXPECT_EQ(read(x.index({0, 0, Slice(1, -1)})), (Whole{1, 2}));
  EXPECT_EQ(read(x.index({0, 0, Slice(0, 4, 3)})), (Whole{0, 3}));
  EXPECT_EQ(x.index({rondo::NewAxis, 0, rondo::Ellipsis}).shape(), (Shape{1, 3, 4}));
  EXPECT_EQ(x.index({}).shape(), x.shape());
  const Tensor ids = engine.from_host<int64_t>(kCpu, {1, 0});
  EXPECT_EQ(read(x.index({ids, 0, 0})), (Whole{12, 0}));
  EXPECT_EQ(x.index({0, engine.from_host<int64_t>(kCpu, {{1, 0}}), 2}).shape(), (Shape{1, 2}));
  EXPECT_THROW(x[3], std::out_of_range);
  EXPECT_THROW(x.index({rondo::Ellipsis, rondo::Ellipsis}), std::out_of_range);
  EXPECT_THROW(engine.from_host<float>(kCpu, 1)[0], std::out_of_range);
}

TEST(CppTensors, AssigningToAPartWritesIntoIt) {
  const rondo::Engine engine;
  const Tensor x = engine.zeros(kCpu, RONDO_F32, {2, 2});
  x[0] = 5;
  x[1] = engine.from_host<int32_t>(kCpu, {7, 8});
  EXPECT_EQ(x.read<float>(), (Floats{5, 5, 7, 8}));
  x.index({Slice(), 0}) = 0.5;
  x[1] += 1;
  EXPECT_EQ(x.read<float>(), (Floats{0.5, 5, 1.5, 9}));
  Tensor row = x[0];
  row = x[1];  // another tensor for the name, as for any object
  EXPECT_EQ(x.read<float>()[0], 0.5);
  EXPECT_EQ(row.read<float>(), (Floats{1.5, 9}));
}

TEST(CppTensors, TextHasValuesDtypeShapeAndDevice) {
  const rondo::Engine engine;
  const Tensor a = engine.from_host<float>(kCpu, {{1, -2.5}, {3, 10}});
  EXPECT_EQ(text_of(a), "[[ 1.0, -2.5],\n [ 3.0, 10.0]] f32 [2, 2] on cpu:0");
  EXPECT_EQ(text_of(a, std::fixed, std::setprecision(2)), "[[ 1.00, -2.50],\n [ 3.00, 10.00]] f32 [2, 2] on cpu:0");
  EXPECT_EQ(text_of(engine.from_host<float>(kCpu, {0.1f, 1e30f})), "[  0.1, 1e+30] f32 [2] on cpu:0");
  EXPECT_EQ(text_of(engine.from_host<double>(kCpu, {0.1, 1. / 3})),
            "[               0.1, 0.3333333333333333] f64 [2] on cpu:0");
  EXPECT_EQ(text_of(engine.from_host<float>(kCpu, {NAN, -INFINITY})), "[ nan, -inf] f32 [2] on cpu:0");
  EXPECT_EQ(text_of(a.gt(2)), "[[false, false],\n [ true,  true]] bool [2, 2] on cpu:0");
  EXPECT_EQ(text_of(engine.from_host<uint64_t>(kCpu, UINT64_MAX)), "18446744073709551615 u64 [] on cpu:0");
  EXPECT_EQ(text_of(a.astype(RONDO_BF16)[0]), "[ 1.0, -2.5] bf16 [2] on cpu:0");
  EXPECT_EQ(text_of(engine.zeros(kCpu, RONDO_I8, {0, 3})), "[] i8 [0, 3] on cpu:0");
  EXPECT_EQ(text_of(engine.arange(kCpu, RONDO_I32, 8).reshape({2, 2, 2})),
            "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]] i32 [2, 2, 2] on cpu:0");
  EXPECT_EQ(text_of(engine.arange(kCpu, RONDO_I32, 1001)),
            "[   0,    1,    2, ...,  998,  999, 1000] i32 [1001] on cpu:0");
  EXPECT_EQ(text_of(Tensor()), "Tensor()");
  EXPECT_EQ(text_of(engine.from_host<double>(kCpu, {0, -0.0, 5e-324, 1e16, 123456789, 0.00002})),
            "[        0.0,        -0.0,      5e-324,       1e+16, 123456789.0,     0.00002] f64 [6] on cpu:0");
}

TEST(CppTensors, TextOfWhatCannotBeReadSaysWhy) {
  const rondo::Engine engine;
  EXPECT_NE(text_of(engine.empty(kCpu, RONDO_F32, {1})).find("Tensor(RONDO_INVALID_STATE: "), std::string::npos);
  const Tensor a = engine.ones(kCpu, RONDO_F32, {2});
  std::string text;
  const auto tasks_of = [&](bool prints) {
    const rondo::Graph graph = engine.record([&] {
      const Tensor b = a + a;
      if (prints) text = text_of(b);
      a.copy_(b);
    });
    return graph.info().tasks;
  };
  EXPECT_EQ(tasks_of(true), tasks_of(false)) << "printing records nothing";
  EXPECT_EQ(text, "Tensor of a recording: f32 [2] on cpu:0");
  const rondo::Tape tape(engine, {a});
  const Tensor b = a + a;
  const int32_t nodes = tape.info().nodes;
  text_of(b.astype(RONDO_F64));
  EXPECT_EQ(tape.info().nodes, nodes + 1) << "printing is not noted, astype is";
}

TEST(CppTensors, TasksHaveTheirOperandsAsSpans) {
  const rondo::Engine engine;
  const Tensor x = engine.from_host<float>(kCpu, {1, 2, 3}), y = engine.empty(kCpu, RONDO_F32, {3});
  engine.task("tenfold").reads(x).writes(y).submit([](rondo::TaskContext& task) {
    const auto in = task.values<const float>(0);
    const auto out = task.values<float>(1);
    std::transform(in.begin(), in.end(), out.begin(), [](float value) { return 10 * value; });
  });
  EXPECT_EQ(y.read<float>(), (Floats{10, 20, 30}));
  const rondo::Variable file = engine.variable();
  int ran = 0;
  engine.task("ordered").reads(x, y).writes(file).priority(1).submit([&](rondo::TaskContext&) { ++ran; });
  engine.task("again").reads(std::vector<Tensor>{x, y}).writes(file).submit([&](auto&) { ++ran; });
  file.wait();
  EXPECT_EQ(ran, 2);
  engine.task("failing").writes(y).submit([](auto&) { throw std::runtime_error("no"); });
  EXPECT_THROW(y.wait(), rondo::Error);
  engine.task("gaps").reads(x.slice(0, 0, 3, 2)).submit([](rondo::TaskContext& task) { task.values<float>(0); });
  EXPECT_THROW(engine.wait_all(), rondo::Error);
}

TEST(CppTensors, ParametersOfGraphsTakeNumbersAsTheyAre) {
  const rondo::Engine engine;
  const Tensor rate = engine.zeros(kCpu, RONDO_F32, {}), step = engine.zeros(kCpu, RONDO_I64, {});
  const rondo::Graph graph = engine.record([&] {
    rate.copy_(engine.record_parameter("rate", kCpu, RONDO_F32, 1));
    step.copy_(engine.record_parameter("step", kCpu, RONDO_I64, 1));
  });
  graph.set("rate", 2.5);
  graph.set("step", (int64_t{1} << 60) + 1);
  graph.launch();
  EXPECT_EQ(rate.item<float>(), 2.5);
  EXPECT_EQ(step.item<int64_t>(), (int64_t{1} << 60) + 1);
  graph.set("rate", 3);
  graph.launch();
  EXPECT_EQ(rate.item<float>(), 3);
  EXPECT_THROW(graph.set("step", 0.5), rondo::Error);
  EXPECT_THROW(graph.set("step", UINT64_MAX), std::out_of_range);
}

TEST(CppTensors, FunctionsHaveGradientsOfAnyOrder) {
  const rondo::Engine engine;
  const Tensor x = engine.from_host<float>(kCpu, {1, 2});
  const auto cubes = [](const Tensor& t) { return rondo::sum(t * t * t); };
  const auto [value, gradient] = rondo::value_and_grad(cubes)(x);
  EXPECT_EQ(value.item<float>(), 9);
  EXPECT_EQ(gradient.read<float>(), (Floats{3, 12}));
  const auto slopes = [&](const Tensor& t) { return rondo::sum(rondo::grad(cubes)(t)); };
  EXPECT_EQ(rondo::grad(slopes)(x).read<float>(), (Floats{6, 12}));
  const std::vector<Tensor> both{x, engine.from_host<float>(kCpu, 3)};
  const auto scaled = [](const std::vector<Tensor>& t) { return rondo::sum(t[0] * t[1]); };
  const auto [product, parts] = rondo::value_and_grad(scaled)(both);
  EXPECT_EQ(product.item<float>(), 9);
  EXPECT_EQ(parts[0].read<float>(), (Floats{3, 3}));
  EXPECT_EQ(parts[1].item<float>(), 3);
  EXPECT_THROW(rondo::grad([](const Tensor& t) { return t * t; })(x), rondo::Error) << "more than one element";
  EXPECT_THROW(rondo::grad(cubes)(Tensor()), std::invalid_argument);
  const rondo::Callable graph = engine.callable(1, [&](auto& in) { return rondo::grad(cubes)(in[0]); });
  EXPECT_EQ(graph(x).read<float>(), (Floats{3, 12})) << "in a recording too";
}

TEST(CppTensors, OperatorsWithParametersTakeThem) {
  const rondo::Engine engine;
  const Tensor x = engine.from_host<float>(kCpu, {-1, 0.25, 4});
  EXPECT_EQ(rondo::clip(x, 0, 1).read<float>(), (Floats{0, 0.25, 1}));
  EXPECT_EQ(rondo::clamp(x, 0, 1).read<float>(), (Floats{0, 0.25, 1}));
  EXPECT_EQ(x.leaky_relu(0.5).read<float>(), (Floats{-0.5, 0.25, 4}));
  EXPECT_EQ(rondo::leaky_relu(x).read<float>()[0], -0.01f);
  EXPECT_EQ(x.hard_sigmoid().read<float>(), rondo::unary(RONDO_HARD_SIGMOID, x).read<float>())
      << "defaults of the table";
  EXPECT_EQ(x.smooth_l1(x + 1, 2).read<float>(), rondo::binary(RONDO_SMOOTH_L1, x, x + 1, {2}).read<float>());
  EXPECT_FLOAT_EQ(x.var(0, false, 1).item<float>(), rondo::reduce_with(RONDO_VAR, x, {1}).item<float>());
  EXPECT_FLOAT_EQ(x.std().item<float>(), std::sqrt(x.var().item<float>()));
  EXPECT_EQ(rondo::lp_norm(x, {}, false, 1).item<float>(), rondo::l1_norm(x).item<float>());
  EXPECT_EQ(rondo::fma(x, x, x).read<float>()[2], 20);
  EXPECT_EQ(x.sum({0}, true).shape(), Shape{1});
  EXPECT_EQ(x.sum(std::vector<int32_t>{-1}).shape(), Shape());
  EXPECT_FALSE((std::is_constructible_v<rondo::Axes, bool>)) << "sum(true) forgot the axes";
  EXPECT_FALSE((std::is_convertible_v<double, Tensor>)) << "or exp(1.0) would be ours";
}

}  // namespace

// Names that <cmath>, <numeric> and <algorithm> have as well, found where both namespaces are open.
namespace traps {

using namespace std;
using namespace rondo;

TEST(CppTensors, OperatorsCoexistWithTheStandardOnes) {
  const Engine engine;
  const Tensor x = engine.from_host<float>(kCpu, {1, 4}), n = engine.from_host<int32_t>(kCpu, {4, 6});
  EXPECT_FLOAT_EQ(exp(x).read<float>()[0], exp(1.0f));
  EXPECT_EQ(sqrt(x).read<float>()[1], sqrt(4.0));
  EXPECT_EQ(pow(x, 2).read<float>()[1], pow(4, 2));
  EXPECT_EQ(pow(2, x).read<float>()[1], pow(2, 4));
  EXPECT_EQ(pow(x, x).read<float>()[1], 256);
  EXPECT_EQ(abs(-x).read<float>()[0], abs(-1));
  EXPECT_EQ(round(x).read<float>()[0], round(1.0));
  EXPECT_EQ(fmod(x, 3).read<float>()[1], fmod(4, 3));
  EXPECT_EQ(fmax(x, 2).read<float>()[0], fmax(1, 2));
  EXPECT_EQ(hypot(x, x).read<float>().size(), 2u);
  EXPECT_FALSE(isnan(x).any().item<bool>() || isnan(1.0));
  EXPECT_TRUE(isfinite(x).all().item<bool>() && isfinite(1.0));
  EXPECT_EQ(gcd(n, 4).read<int32_t>()[1], gcd(6, 4));
  EXPECT_EQ(gcd(n, n).read<int32_t>()[1], 6);
  EXPECT_EQ(lcm(n, 4).read<int32_t>()[1], lcm(6, 4));
  EXPECT_EQ(max(x).item<float>(), max(1.0f, 4.0f));
  EXPECT_EQ(min(x, 0).item<float>(), min(1, 4));
  EXPECT_EQ(clamp(x, x, x).read<float>()[1], clamp(4, 4, 4));
  EXPECT_EQ(fma(x, x, x).read<float>()[1], fma(4, 4, 4));
  EXPECT_EQ(copysign(x, -1).read<float>()[0], copysign(1, -1));
  EXPECT_EQ(log2(x).read<float>()[1], log2(4));
  EXPECT_EQ(rondo::any(x).item<bool>(), true) << "std::any is a class, so the name is qualified";
  EXPECT_EQ(sort(x, 0, true).read<float>(), (vector<float>{4, 1}));
  EXPECT_EQ(copy(x).read<float>(), x.read<float>());
  EXPECT_EQ(empty(engine, kCpu, RONDO_F32, {3}).numel(), 3);
}

}  // namespace traps
