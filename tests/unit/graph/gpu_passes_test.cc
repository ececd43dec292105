// The passes that work on a GPU alone, over the programs that docs/program.md shows, on the simulated driver.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <typeinfo>
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "ops/invoke/lower.h"
#include "program_fixture.h"

namespace rondo {
namespace {

class GpuPasses : public OnPrograms {
 protected:
  void ones(const std::vector<int64_t>& shape, rondo_tensor** tensor) {
    must(rondo_tensor_create(engine_, {RONDO_CUDA, 0}, RONDO_F32, static_cast<int32_t>(shape.size()), shape.data(),
                             tensor));
    must(rondo_fill(*tensor, 1));
  }
  static std::string text_after(Status (*pass)(ops::Program&, PassReport*), ops::Program& program) {
    PassReport report{};
    const Status status = pass(program, &report);
    EXPECT_TRUE(status.ok()) << status.message();
    return program.text();
  }
};

TEST_F(GpuPasses, PageShowsAReductionFused) {
  Result x, y, out;
  ones({64, 96}, x.slot());
  ones({64, 96}, y.slot());
  ops::Program program = recorded([&] {
    Result product, mean;
    const int32_t axis = 1;
    must(rondo_binary(RONDO_MUL, x, y, product.slot()));
    must(rondo_reduce(RONDO_MEAN, product, 1, &axis, 0, mean.slot()));
    must(rondo_unary(RONDO_SQRT, mean, out.slot()));
  });
  const char* const before =
      // [before
      "0 Elementwise 'mul': %0 (given) f32 [64, 96], %1 (given) f32 [64, 96] -> %2 f32 [64, 96]\n"
      "1 Reduce 'mean': %2 f32 [64, 96] -> %3 f32 [64]\n"
      "2 Elementwise 'sqrt': %3 f32 [64] -> %4 (output) f32 [64]\n";
  // before]
  EXPECT_EQ(program.text(), before);
  const char* const after =
      // [after
      "0 FusedRows 'mul+mean+sqrt': %0 (given) f32 [64, 96], %1 (given) f32 [64, 96] -> %4 (output) f32 [64]\n";
  // after]
  EXPECT_EQ(text_after(fuse_rows, program), after);
}

TEST_F(GpuPasses, ThePageShowsProductsThatAreOne) {
  Result x, weights, first, second;
  ones({16, 16}, x.slot());
  ones({2, 16, 16}, weights.slot());
  ops::Program program = recorded([&] {
    const int64_t shape[] = {16, 16};
    for (int64_t i = 0; i < 2; ++i) {
      Result part, weight, product;
      must(rondo_tensor_slice(weights, 0, i, i + 1, 1, part.slot()));
      must(rondo_tensor_reshape(part, 2, shape, weight.slot()));
      must(rondo_matmul(x, weight, nullptr, product.slot()));
      must(rondo_softmax(product, 1, i ? second.slot() : first.slot()));
    }
  });
  const char* const before =
      // [before
      "0 Matmul 'matmul': %0 (given) f32 [16, 16], %1 (given) f32 [16, 16], bytes 0 to 1024 -> %2 f32 [16, 16]\n"
      "1 Softmax 'softmax': %2 f32 [16, 16] -> %3 (output) f32 [16, 16]\n"
      "2 Matmul 'matmul': %0 (given) f32 [16, 16], %1 (given) f32 [16, 16], bytes 1024 to 2048 -> %4 f32 [16, 16]\n"
      "3 Softmax 'softmax': %4 f32 [16, 16] -> %5 (output) f32 [16, 16]\n";
  // before]
  EXPECT_EQ(program.text(), before);
  const char* const after =
      // [after
      "0 BatchedMatmul 'matmul': %0 (given) f32 [2, 16, 16], %1 (given) f32 [2, 16, 16] -> %6 f32 [2, 16, 16]\n"
      "1 Softmax 'softmax': %6 f32 [16, 16], bytes 0 to 1024 -> %3 (output) f32 [16, 16]\n"
      "2 Softmax 'softmax': %6 f32 [16, 16], bytes 1024 to 2048 -> %5 (output) f32 [16, 16]\n";
  // after]
  EXPECT_EQ(text_after(batch_products, program), after);
}

// A step of two parameters, which `fuse` has made one node each.
TEST_F(GpuPasses, ThePageShowsUpdatesThatShareALaunch) {
  Result weight, bias, of_weight, of_bias;
  ones({30, 2}, weight.slot());
  ones({7}, bias.slot());
  ones({30, 2}, of_weight.slot());
  ones({7}, of_bias.slot());
  ops::Program program = recorded([&] {
    const auto step = [&](rondo_tensor* parameter, rondo_tensor* gradient) {
      Result change;
      must(rondo_binary_scalar(RONDO_MUL, gradient, 0.1, change.slot()));
      must(rondo_binary(RONDO_SUB, parameter, change, &parameter));
    };
    step(weight, of_weight);
    step(bias, of_bias);
  });
  const char* const before =
      // [before
      "0 Fused 'mul+sub': %0 (given) f32 [30, 2], %2 (given) f32 [30, 2] -> %2 (given) f32 [30, 2]\n"
      "1 Fused 'mul+sub': %3 (given) f32 [7], %5 (given) f32 [7] -> %5 (given) f32 [7]\n";
  // before]
  EXPECT_EQ(text_after(fuse, program), before);
  const char* const after =
      // [after
      "0 Group '2 of mul+sub': %0 (given) f32 [30, 2], %2 (given) f32 [30, 2], %3 (given) f32 [7], %5 (given) f32 [7] "
      "-> %2 (given) f32 [30, 2], %5 (given) f32 [7]\n";
  // after]
  EXPECT_EQ(text_after(horizontal_fuse, program), after);
}

// What a program is depends neither on its device nor on its sizes; what runs depends on both.
class LoweredPrograms : public OnPrograms {
 protected:
  struct Lowered {
    ops::Program program;
    std::vector<Ref<ops::OperatorTask>> tasks;
  };
  // A step of a small network on n rows.
  Lowered lowered(rondo_device device, int64_t n) {
    Result x, w, labels;
    const int64_t rows[] = {n, 64}, square[] = {64, 64};
    must(rondo_tensor_create(engine_, device, RONDO_F32, 2, rows, x.slot()));
    must(rondo_tensor_create(engine_, device, RONDO_F32, 2, square, w.slot()));
    must(rondo_tensor_create(engine_, device, RONDO_I64, 1, &n, labels.slot()));
    for (rondo_tensor* each : {x.tensor, w.tensor, labels.tensor}) must(rondo_fill(each, 1));
    Lowered made{recorded([&] {
                   Result y, kept, mask, norm, picked, bent, loss, total;
                   must(rondo_matmul(x, w, nullptr, y.slot()));
                   must(rondo_dropout(y, 0.5, kept.slot(), mask.slot()));
                   must(rondo_layer_norm(kept, 1, nullptr, nullptr, 1e-5, norm.slot()));
                   must(rondo_take(norm, labels, 0, picked.slot()));
                   must(rondo_unary(RONDO_TANH, picked, bent.slot()));
                   must(rondo_cross_entropy(bent, labels, loss.slot()));
                   must(rondo_reduce(RONDO_SUM, loss, 0, nullptr, 0, total.slot()));
                 }),
                 {}};
    const Status status = ops::lower(x.tensor->view.engine(), &made.program, &made.tasks);
    EXPECT_TRUE(status.ok()) << status.message();
    must(rondo_record_abort(engine_));
    return made;
  }
  static void expect_same_nodes(const Lowered& one, const Lowered& other) {
    ASSERT_EQ(one.program.nodes.size(), 7U) << one.program.text();
    ASSERT_EQ(other.program.nodes.size(), 7U) << other.program.text();
    for (size_t i = 0; i < 7; ++i) {
      const ops::ProgramNode &a = one.program.nodes[i], &b = other.program.nodes[i];
      EXPECT_TRUE(same_attributes(*a.call, *b.call)) << one.program.text(a) << other.program.text(b);
      EXPECT_STREQ(a.name, b.name);
      EXPECT_EQ(a.operands.size(), b.operands.size());
      EXPECT_FALSE(a.closure() || b.closure()) << a.name;
    }
  }
};

TEST_F(LoweredPrograms, ProgramsAreTheSameOnEachDevice) {
  const Lowered cpu = lowered({RONDO_CPU, 0}, 8), gpu = lowered({RONDO_CUDA, 0}, 8);
  expect_same_nodes(cpu, gpu);
  const auto is_one_type = [](const ops::OperatorTask& a, const ops::OperatorTask& b) {
    return typeid(a) == typeid(b);
  };
  for (size_t i = 0; i < cpu.tasks.size(); ++i) {
    EXPECT_TRUE(cpu.tasks[i]->device().is_host());
    EXPECT_FALSE(gpu.tasks[i]->device().is_host());
    const bool elementwise = dynamic_cast<const ops::ElementwiseTask*>(cpu.tasks[i].get()) != nullptr;
    EXPECT_EQ(is_one_type(*cpu.tasks[i], *gpu.tasks[i]), elementwise) << cpu.tasks[i]->name();
  }
}

TEST_F(LoweredPrograms, ProgramsAreTheSameAtEachSize) {
  const Lowered few = lowered({RONDO_CUDA, 0}, 8), many = lowered({RONDO_CUDA, 0}, int64_t{1} << 17);
  expect_same_nodes(few, many);
  ASSERT_TRUE(few.tasks[6]->prepare().ok());
  ASSERT_TRUE(many.tasks[6]->prepare().ok());
  EXPECT_EQ(few.tasks[6]->own_kernels(), 1U) << "a sum of few elements is one kernel";
  EXPECT_EQ(many.tasks[6]->own_kernels(), 2U) << "one of many is two";
}

}  // namespace
}  // namespace rondo
