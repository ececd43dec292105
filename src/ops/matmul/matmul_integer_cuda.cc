// Multiplies whole numbers on a GPU, by one kernel of our own.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul_integer.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device/matmul_integer.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

constexpr int64_t kTileLines = 64;  // of the result, per block
constexpr int64_t kMostLayers = 65535;

// A, B, Index, kBatch, kKContiguousA, kKContiguousB.
constexpr const char* kIntegerText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const MatmulIntegerArguments args) {
  using Kernel = IntegerProduct<A, B, Index, kBatch, kKContiguousA, kKContiguousB>;
  __shared__ i32 tiles[Kernel::kShared];
  Kernel{args, tiles}.run();
}
)";

class CudaMatmulInteger final : public KernelTask {
 public:
  explicit CudaMatmulInteger(const IntegerProduct& product)
      : KernelTask("matmul_integer", product.out.device()), product_(product) {
    product.declare(*this);
    const IntegerProduct& p = product_;
    const KernelDims<kIntegerArrays> batch(p.batch);
    std::copy_n(batch.size, kMaxDims, arguments_.batch.size);
    for (int array = 0; array < kIntegerArrays; ++array)
      std::copy_n(batch.stride[array], kMaxDims, arguments_.batch.stride[array]);
    std::copy_n(p.a_step, 2, arguments_.a_step);
    std::copy_n(p.b_step, 2, arguments_.b_step);
    std::copy_n(p.out_step, 2, arguments_.out_step);
    arguments_.a_zero_step = p.a_zero_step;
    arguments_.b_zero_step = p.b_zero_step;
    arguments_.m = p.m;
    arguments_.n = p.n;
    arguments_.k = p.k;
    arguments_.batches = p.batch.elements();
    arguments_.blocks_n = blocks_for(p.n, kTileLines);
    arguments_.accumulate = p.out.accumulate;
    const auto reach = [&](int array, int64_t rows, int64_t row, int64_t columns, int64_t column) {
      return p.batch.reach(array) + rows * std::abs(row) + columns * std::abs(column);
    };
    const int64_t largest = std::max(
        {reach(kIntegerA, p.m, p.a_step[0], p.k, p.a_step[1]), reach(kIntegerB, p.k, p.b_step[0], p.n, p.b_step[1]),
         reach(kIntegerOut, p.m, p.out_step[0], p.n, p.out_step[1]), reach(kIntegerAZero, p.m, p.a_zero_step, 0, 0),
         reach(kIntegerBZero, 0, 0, p.n, p.b_zero_step), p.m, p.n, p.k, p.batch.elements()});
    KernelSpec spec(rtc::kMatmulInteger, 0, needs_wide(largest), name());
    spec.type("A", p.a.dtype).type("B", p.b.dtype).constant("kBatch", p.batch.count);
    spec.constant("kKContiguousA", std::abs(p.a_step[1]) <= std::abs(p.a_step[0]))
        .constant("kKContiguousB", std::abs(p.b_step[0]) < std::abs(p.b_step[1]));
    add_launch(add_kernel(spec.text({rtc::kMatmulIntegerText, kIntegerText})), arguments_,
               blocks_for(p.m, kTileLines) * arguments_.blocks_n, std::min(p.batch.elements(), kMostLayers), kThreads);
    add_address(&arguments_.a, p.a);
    add_address(&arguments_.b, p.b);
    if (p.a_zero.storage) add_address(&arguments_.a_zero, p.a_zero);
    if (p.b_zero.storage) add_address(&arguments_.b_zero, p.b_zero);
    add_address(&arguments_.out, p.out);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { product_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CudaMatmulInteger>(memory.moved(product_));
  }

 private:
  const IntegerProduct product_;
  device::MatmulIntegerArguments arguments_ = {};
};

}  // namespace

Ref<OperatorTask> make_cuda_matmul_integer(const IntegerProduct& product) {
  return make_ref<CudaMatmulInteger>(product);
}

}  // namespace rondo::ops
