// Computes one-hot on a GPU: a lane computes each element of the result.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/indexing.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"

namespace rondo::ops {

namespace {

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

class CudaOneHot final : public KernelTask {
 public:
  explicit CudaOneHot(const OneHotPlan& plan) : KernelTask("one_hot", plan.out.device()), plan_(plan) {
    reads(*plan.indices.storage);
    if (plan.checked) follows(*plan.checked);
    declare_output(*this, plan.out);
    arguments_.items = KernelDims<2>(plan.items);
    arguments_.count = plan.items.elements() * plan.depth;
    arguments_.depth = plan.depth;
    arguments_.out_step = plan.out_step;
    arguments_.accumulate = plan.out.accumulate;
    const bool wide = needs_wide(
        std::max({arguments_.count, plan.items.reach(0), plan.items.reach(1) + plan.depth * std::abs(plan.out_step)}));
    KernelSpec spec(rtc::kIndexing, 0, wide, "one_hot");
    spec.type("In", plan_.indices.dtype).type("Out", plan_.out.dtype).constant("kItems", plan_.items.count);
    add_launch(add_kernel(spec.text({kOneHotText})), arguments_, blocks_for(arguments_.count, kThreads));
    add_address(&arguments_.indices, plan.indices);
    add_address(&arguments_.out, plan.out);
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    *list = {{plan_.indices, false}, {plan_.out, true}};
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaOneHot>(memory.moved(plan_)); }

 private:
  OneHotPlan plan_;
  OneHotArguments arguments_;
};

}  // namespace

Ref<OperatorTask> make_cuda_one_hot(const OneHotPlan& plan) {
  return make_ref<CudaOneHot>(plan);
}

}  // namespace rondo::ops
