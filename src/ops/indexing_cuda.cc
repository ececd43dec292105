// One-hot and gathering rows on a GPU: a lane per element of the result, or per 16 bytes of it where rows are whole.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cuda_kernel.h"
#include "ops/indexing.h"

namespace rondo::ops {

namespace {

constexpr int kThreads = 256;

// Follows definitions of In (indices), Out, kItems.
constexpr const char* kOneHotText = R"(
struct Arguments {
  const void* indices;
  void* out;
  Dims<2> items;
  i64 count, depth, out_step;
  i32 accumulate, unused;
};
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  const Index i = static_cast<Index>(blockIdx.x) * 256 + static_cast<Index>(threadIdx.x);
  if (i >= args.count) return;
  const Index depth = static_cast<Index>(args.depth);
  const Index item = i / depth, j = i - item * depth;
  const i64 index = static_cast<const In*>(args.indices)[offset<kItems>(args.items, 0, item)];
  Out* to = static_cast<Out*>(args.out) + offset<kItems>(args.items, 1, item) + j * static_cast<Index>(args.out_step);
  put(to, static_cast<Register<Out>>(index == j ? 1 : 0), args.accumulate);
}
)";

struct OneHotArguments {
  const void* indices = nullptr;
  void* out = nullptr;
  KernelDims<2> items;
  int64_t count = 0, depth = 0, out_step = 0;
  int32_t accumulate = 0, unused = 0;
};

// Follows definitions of In (indices), Out, kVector, kItems, kRow.
constexpr const char* kGatherText = R"(
struct Arguments {
  const void* table;
  const void* indices;
  void* out;
  Dims<2> items, row;
  i64 count, length, rows, table_step;
  i32 accumulate, unused;
};
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  const Index i = static_cast<Index>(blockIdx.x) * 256 + static_cast<Index>(threadIdx.x);
  if (i >= args.count) return;
  const Index length = static_cast<Index>(args.length) / kVector;
  const Index item = i / length, r = (i - item * length) * kVector;
  i64 index = static_cast<const In*>(args.indices)[offset<kItems>(args.items, 0, item)];
  if (index < 0) index += args.rows;
  const bool inside = index >= 0 && index < args.rows;
  const Out* from = static_cast<const Out*>(args.table);
  if (inside) from += index * args.table_step + offset<kRow>(args.row, 0, r);
  Out* to = static_cast<Out*>(args.out) + offset<kItems>(args.items, 1, item) + offset<kRow>(args.row, 1, r);
  if constexpr (kVector > 1) {
    Pack<Out, kVector> pack;
    if (inside) {
      pack = load_pack<Out, kVector>(from);
    } else {
#pragma unroll
      for (int v = 0; v < kVector; ++v) pack.v[v] = to_memory<Out>(Register<Out>(0));
    }
    store_pack<Out, kVector>(to, pack);
  } else {
    put(to, inside ? from_memory(*from) : Register<Out>(0), args.accumulate);
  }
}
)";

struct GatherArguments {
  const void* table = nullptr;
  const void* indices = nullptr;
  void* out = nullptr;
  KernelDims<2> items, row;
  int64_t count = 0, length = 0, rows = 0, table_step = 0;
  int32_t accumulate = 0, unused = 0;
};

enum Kernel : int { kOneHotKernel, kGatherKernel };

class CudaOneHot final : public Task {
 public:
  explicit CudaOneHot(const OneHotPlan& plan) : Task("one_hot", plan.out.device()), plan_(plan) {
    reads(*plan.indices.storage);
    declare_output(*this, plan.out);
    arguments_.items = KernelDims<2>(plan.items);
    arguments_.count = plan.items.elements() * plan.depth;
    arguments_.depth = plan.depth;
    arguments_.out_step = plan.out_step;
    arguments_.accumulate = plan.out.accumulate;
    wide_ = needs_wide(
        std::max({arguments_.count, plan.items.reach(0), plan.items.reach(1) + plan.depth * std::abs(plan.out_step)}));
  }
  Status prepare() override {
    if (kernel_) return {};
    KernelSpec spec(rtc::kIndexing, kOneHotKernel, wide_);
    spec.type("In", plan_.indices.dtype).type("Out", plan_.out.dtype).constant("kItems", plan_.items.count);
    return rtc::find_kernel(
        cuda_device(*this), spec.signature(), "one_hot", [&] { return spec.text({kOneHotText}); }, &kernel_);
  }
  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    arguments_.indices = plan_.indices.address();
    arguments_.out = plan_.out.address();
    return launch(*this, *kernel_, context, kThreads, blocks_for(arguments_.count, kThreads), arguments_);
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    *list = {{plan_.indices, false}, {plan_.out, true}};
  }

 private:
  OneHotPlan plan_;
  OneHotArguments arguments_;
  bool wide_ = false;
  const rtc::Kernel* kernel_ = nullptr;
};

class CudaGather final : public Task {
 public:
  explicit CudaGather(const GatherPlan& plan) : Task("gather_rows", plan.out.device()), plan_(plan) {
    reads(*plan.table.storage);
    reads(*plan.indices.storage);
    declare_output(*this, plan.out);
    vector_ = widest_vector();
    const int64_t length = plan.row.elements();
    arguments_.items = KernelDims<2>(plan.items);
    arguments_.row = KernelDims<2>(plan.row);
    arguments_.count = plan.items.elements() * (length / vector_);
    arguments_.length = length;
    arguments_.rows = plan.rows;
    arguments_.table_step = plan.table_step;
    arguments_.accumulate = plan.out.accumulate;
    wide_ = needs_wide(
        std::max({arguments_.count, plan.items.reach(0), plan.items.reach(1) + plan.row.reach(1), plan.row.reach(0)}));
  }
  Status prepare() override {
    if (kernel_) return {};
    KernelSpec spec(rtc::kIndexing, kGatherKernel, wide_);
    spec.type("In", plan_.indices.dtype).type("Out", plan_.out.dtype).constant("kVector", vector_);
    spec.constant("kItems", plan_.items.count).constant("kRow", plan_.row.count);
    return rtc::find_kernel(
        cuda_device(*this), spec.signature(), "gather_rows", [&] { return spec.text({kGatherText}); }, &kernel_);
  }
  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    arguments_.table = plan_.table.address();
    arguments_.indices = plan_.indices.address();
    arguments_.out = plan_.out.address();
    return launch(*this, *kernel_, context, kThreads, blocks_for(arguments_.count, kThreads), arguments_);
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    *list = {{plan_.table, false}, {plan_.indices, false}, {plan_.out, true}};
  }

 private:
  // Neighbours copied at once: a row must be contiguous on both sides and every row start at a multiple.
  int widest_vector() const {
    const Dims<2>& row = plan_.row;
    if (plan_.out.accumulate || row.count != 1 || row.stride[0][0] != 1 || row.stride[1][0] != 1) return 1;
    const auto size = static_cast<int64_t>(dtype_size(plan_.out.dtype));
    for (int64_t vector = 16 / size; vector > 1; vector /= 2) {
      bool fits = row.size[0] % vector == 0 && plan_.table_step % vector == 0 &&
                  alignment_of(plan_.table, 16) >= vector * size && alignment_of(plan_.out, 16) >= vector * size;
      for (int d = 0; d < plan_.items.count; ++d) fits &= plan_.items.stride[1][d] % vector == 0;
      if (fits) return static_cast<int>(vector);
    }
    return 1;
  }

  GatherPlan plan_;
  GatherArguments arguments_;
  int vector_ = 1;
  bool wide_ = false;
  const rtc::Kernel* kernel_ = nullptr;
};

}  // namespace

Ref<Task> make_cuda_one_hot(const OneHotPlan& plan) {
  return make_ref<CudaOneHot>(plan);
}
Ref<Task> make_cuda_gather(const GatherPlan& plan) {
  return make_ref<CudaGather>(plan);
}

}  // namespace rondo::ops
