// The passes that work on a GPU alone, over the programs that docs/program.md shows, on the simulated driver.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <vector>

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
      "0 Around 'mul+mean+sqrt': %0 (given) f32 [64, 96], %1 (given) f32 [64, 96] -> %4 (output) f32 [64]\n";
  // after]
  EXPECT_EQ(text_after(around, program), after);
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
      "0 Matmul 'matmul': %0 (given) f32 [2, 16, 16], %1 (given) f32 [2, 16, 16] -> %6 f32 [2, 16, 16]\n"
      "1 Softmax 'softmax': %6 f32 [16, 16], bytes 0 to 1024 -> %3 (output) f32 [16, 16]\n"
      "2 Softmax 'softmax': %6 f32 [16, 16], bytes 1024 to 2048 -> %5 (output) f32 [16, 16]\n";
  // after]
  EXPECT_EQ(text_after(stack, program), after);
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
  EXPECT_EQ(text_after(side_by_side, program), after);
}

}  // namespace
}  // namespace rondo
