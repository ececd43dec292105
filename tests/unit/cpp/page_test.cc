// The programs of docs/cpp.md: each block of the page stands here as it does there, and is run. Public headers only.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <iostream>
#include <rondo/rondo.hpp>
#include <thread>

namespace {

using rondo::Slice;
using rondo::Tensor;
using Floats = std::vector<float>;

class CppPage : public ::testing::Test {
 protected:
  const rondo_device cpu = {RONDO_CPU, 0};
  const rondo::Engine engine;
  const Tensor x = engine.from_host<float>(cpu, {{1, 2, 3}, {4, 5, 6}});
  const Tensor w = engine.ones(cpu, RONDO_F32, {3, 2});
};

TEST_F(CppPage, Ownership) {
  Tensor a = engine.zeros(cpu, RONDO_F32, {2, 3});
  Tensor same = a;         // the same handle once more
  Tensor own = a.clone();  // memory of its own
  a += 1;                  // seen through `same`, not through `own`
  EXPECT_EQ(same.sum().item<float>(), 6);
  EXPECT_EQ(own.sum().item<float>(), 0);

  rondo_tensor* handle = own.release();        // now the caller's, to be destroyed
  const Tensor lent(handle, rondo::borrowed);  // stays the caller's
  const Tensor adopted(handle, engine.get());  // destroys it, with its last copy
  const rondo::Engine lent_engine(engine.get(), rondo::borrowed);
  EXPECT_EQ(lent.get(), adopted.get());
  EXPECT_EQ(rondo::zeros_like(adopted).shape(), a.shape());
}

// The lines in C++ of the table of docs/coming-from.md that has PyTorch's everyday ones.
TEST_F(CppPage, EverydayLines) {
  const rondo_device device = cpu;
  EXPECT_EQ(engine.zeros(device, RONDO_F32, {2, 3}).sum().item<float>(), 0);
  Tensor a = engine.from_host<float>(device, {{1, 2}, {3, 4}});
  const Tensor b = a.clone();
  EXPECT_EQ(engine.arange(device, RONDO_I64, 0, 4, 1).sum().item<int64_t>(), 6);
  EXPECT_EQ(rondo::random_normal(engine, device, RONDO_F32, {2, 3}).numel(), 6);
  engine.seed(7);
  EXPECT_EQ((exp(a) - exp(b) + a.tanh() - tanh(b)).sum().item<float>(), 0);
  EXPECT_EQ(matmul(a, b).read<float>(), Floats({7, 10, 15, 22}));
  a.add_(b);
  EXPECT_EQ(a.sum(1, true).read<float>(), Floats({6, 14}));
  EXPECT_EQ(mean(a).item<float>(), 5);
  a = a.sum();
  EXPECT_EQ(a.item<float>(), 20);
  a = b + b;
  EXPECT_EQ(a.t().read<float>(), Floats({2, 6, 4, 8}));
  EXPECT_EQ(a.reshape({1, -1}).read<float>(), Floats({2, 4, 6, 8}));
  EXPECT_EQ(a[0].read<float>(), Floats({2, 4}));
  EXPECT_EQ(a.index({Slice(), Slice(1, 3)}).read<float>(), Floats({4, 8}));
  EXPECT_EQ(rondo::concat({a, b}, 0).shape(), (std::vector<int64_t>{4, 2}));
  const Tensor m = a.gt(2);
  EXPECT_EQ(where(m, a, b).read<float>(), Floats({1, 4, 6, 8}));
  EXPECT_EQ(a.astype(RONDO_F16).dtype(), RONDO_F16);
  EXPECT_EQ(a.dtype(), RONDO_F32);
  {
    rondo::NoGradients unnoted;
    EXPECT_EQ(a.shape(), (std::vector<int64_t>{2, 2}));
  }
  const rondo::Tape tape(engine, {w});
  const Tensor loss = sum(matmul(x, w));
  EXPECT_EQ(tape.gradient(loss, w).read<float>(), Floats({5, 5, 7, 7, 9, 9}));
  engine.wait_all();
}

TEST_F(CppPage, Errors) {
  const Tensor y = engine.ones(cpu, RONDO_F32, {2, 2});
  std::string said;
  try {
    x + y;
  } catch (const rondo::Error& error) {
    said = error.what();  // "RONDO_INVALID_ARGUMENT: " and the message
  }
  EXPECT_EQ(said.find("RONDO_INVALID_ARGUMENT: rondo_binary(add): "), 0u) << said;

  engine.task("save").writes(y).submit(
      [](rondo::TaskContext&) { throw rondo::Error(RONDO_IO_ERROR, "the disk is full"); });
  try {
    y.wait();
  } catch (const rondo::Error& error) {
    said = std::string(error.task()) + ": " + error.message();
  }
  EXPECT_EQ(said, "save: rondo_tensor_wait: task 'save' on cpu:0: the disk is full");
}

TEST_F(CppPage, Threads) {
  std::vector<std::thread> threads;
  std::vector<float> sums(4);
  for (size_t i = 0; i < sums.size(); ++i) threads.emplace_back([&, i] { sums[i] = (x * i).sum().item<float>(); });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(sums, (Floats{0, 21, 42, 63}));

  const Tensor y = matmul(x, w);
  y.notify([](const rondo::Error* error) { std::cout << (error ? error->what() : "done") << std::endl; });
  EXPECT_TRUE(y.wait_for(10'000));  // milliseconds; false where it takes longer
}

TEST_F(CppPage, Tensors) {
  const Tensor a = engine.from_host<float>(cpu, {{1, 2}, {3, 4}});  // a list of lists has its shape
  const Tensor b = engine.from_host<float>(cpu, {2, 2}, Floats{1, 2, 3, 4});
  const Tensor zeros = engine.zeros(cpu, RONDO_F32, {2, 3});
  const Tensor halves = rondo::full(engine, cpu, RONDO_F16, {4}, 0.5);
  const Tensor steps = engine.arange(cpu, RONDO_I64, 0, 10, 2);
  const Tensor noise = rondo::random_normal(engine, cpu, RONDO_F32, {2, 3});
  const Tensor like = rondo::zeros_like(noise);

  std::vector<float> values = a.read<float>();  // waits; the type must be the dtype
  float sum = a.sum().item<float>();            // waits; other types are cast
  std::cout << a << std::endl;                  // [[1.0, 2.0],\n [3.0, 4.0]] f32 [2, 2] on cpu:0
  EXPECT_EQ(values, b.read<float>());
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(zeros.numel() + halves.numel() + steps.numel() + like.numel(), 6 + 4 + 5 + 6);
}

TEST_F(CppPage, Views) {
  Tensor first = x[0];                    // [3], a view
  Tensor column = x.index({Slice(), 1});  // [2]
  Tensor last = x.index({-1, Slice(1)});  // of the last row, from place 1 on
  Tensor back = x.index({rondo::Ellipsis, Slice({}, {}, -1)});
  const Tensor ids = engine.from_host<int64_t>(cpu, {1, 0});
  Tensor rows = x.index({ids});                  // a copy of rows 1 and 0
  x[0] = 0;                                      // writes into the row
  x.index({Slice(), 2}) = first.slice(0, 0, 2);  // and into the column
  EXPECT_EQ(x.read<float>(), (Floats{0, 0, 0, 4, 5, 0}));

  Tensor turned = x.t().reshape({-1});  // copies, because a view cannot have this order
  Tensor flat = x.view({-1});           // never copies: it is refused instead
  EXPECT_EQ(turned.read<float>(), (Floats{0, 4, 0, 5, 0, 0}));
  EXPECT_EQ(column.read<float>(), (Floats{0, 5}));
  EXPECT_EQ(last.read<float>(), (Floats{5, 0}));
  EXPECT_EQ(rows.read<float>(), (Floats{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(back.read<float>()[2] + flat.read<float>()[0], 0);
}

TEST_F(CppPage, Operators) {
  Tensor y = 1.0 - exp(x) * 2 + x.tanh();   // functions and methods have the same names
  Tensor high = maximum(x, 0.5);            // tensors and numbers, on either side
  Tensor rows = x.sum(1, true);             // an axis, and whether it stays with size 1
  Tensor all = rondo::mean(x, {0, 1});      // several axes; without any: all
  Tensor chosen = where(x.gt(2), x, high);  // comparisons have names
  Tensor both = rondo::concat({x, x * 2}, 0);
  Tensor part = rondo::leaky_relu(x, 0.1);  // parameters follow the operands

  Tensor z = x.clone();
  z += rows;  // in place, as z.add_(rows)
  z.mul_(2).clip_(0, 10);
  EXPECT_EQ(z.read<float>(), (Floats{10, 10, 10, 10, 10, 10}));
  EXPECT_EQ(all.item<float>(), 3.5);
  EXPECT_EQ(both.shape(), (rondo::Shape{4, 3}));
  EXPECT_EQ(y.shape(), chosen.shape());
  EXPECT_EQ(part.read<float>(), x.read<float>());
}

TEST_F(CppPage, Tasks) {
  const Tensor y = engine.empty(cpu, RONDO_F32, {2, 3});
  engine.task("tenfold").reads(x).writes(y).submit([](rondo::TaskContext& task) {
    const auto in = task.values<const float>(0);  // reads first, then writes
    const auto out = task.values<float>(1);
    for (size_t i = 0; i < in.size(); ++i) out[i] = 10 * in[i];
  });
  Tensor z = y + 1;  // runs after the task
  EXPECT_EQ(z.read<float>()[0], 11);
}

TEST_F(CppPage, Graphs) {
  const Tensor rate = engine.full(cpu, RONDO_F32, {}, 0.5);
  Tensor p = engine.ones(cpu, RONDO_F32, {3, 2});
  const rondo::Graph step = engine.record([&] {
    const rondo::Tape tape(engine, {p});
    const Tensor loss = rondo::mean(rondo::square(matmul(x, p)));
    p -= rate * tape.gradient(loss, p);
  });
  for (int i = 0; i < 3; ++i) step.launch();
  EXPECT_NE(p.read<float>()[0], 1);
  EXPECT_EQ(step.info().launches, 3);
}

TEST_F(CppPage, Gradients) {
  const auto loss_of = [&](const Tensor& p) { return rondo::mean(rondo::square(matmul(x, p))); };
  const auto [loss, slope] = rondo::value_and_grad(loss_of)(w);
  const Tensor again = rondo::grad(loss_of)(w);

  const rondo::Tape tape(engine, {w});
  const Tensor y = matmul(x, w);
  const Tensor total = y.sum();
  std::vector<Tensor> gradients = tape.gradients(total, {w});
  EXPECT_EQ(gradients[0].read<float>(), (Floats{5, 5, 7, 7, 9, 9}));
  EXPECT_EQ(slope.read<float>(), again.read<float>());
  EXPECT_EQ(loss.item<float>(), (36.0f + 225.0f) / 2);
}

TEST_F(CppPage, CustomGradients) {
  const rondo::Tape tape(engine, {x});
  const Tensor y = rondo::round(x);  // has no gradient of its own
  rondo::Tape::custom("round", {x}, {y}, [](const std::vector<Tensor>& dy) { return dy; });
  EXPECT_EQ(tape.gradient(y.sum(), x).read<float>(), Floats(6, 1));
}

TEST_F(CppPage, Callables) {
  const rondo::Callable layer =
      engine.callable(1, [&](const std::vector<Tensor>& in) { return tanh(matmul(in[0], w)); });
  Tensor y = layer(x);                  // records, for this shape
  Tensor z = layer(x[0].unsqueeze(0));  // records once more
  y = layer(x);                         // calls the graph

  const rondo::Callable parts = engine.callable(2, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] + in[1], in[0] * in[1]};
  });
  std::vector<Tensor> made = parts.call({x, x});
  EXPECT_EQ(layer.info().recordings, 2);
  EXPECT_EQ(y.shape(), (rondo::Shape{2, 2}));
  EXPECT_EQ(z.shape(), (rondo::Shape{1, 2}));
  EXPECT_EQ(made[1].read<float>(), rondo::square(x).read<float>());
}

}  // namespace
