// Putting elements on a GPU: the indices are sorted, then each has a lane for every element that shares it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "ops/put.h"
#include "ops/sort_cuda.h"
#include "rtc/device/put.h"

namespace rondo::ops {

namespace {

constexpr int kThreads = 256;

// Follows kWordText and definitions of In (indices), kSize (of an element; 0: it is added), kLines, kAlong, kColumns.
constexpr const char* kText =
    R"(extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const PutArguments args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.count) put_element<Word<kSize>::type, SortKey<In>, kLines, kAlong, kColumns, kSize == 0>(args, i);
}
)";

class CudaPut final : public Task {
 public:
  explicit CudaPut(const PutPlan& plan)
      : Task(plan.name, plan.out.device()),
        plan_(plan),
        passes_(first_pass(plan), plan.indices.dtype, plan.lines.count, plan.length, false) {
    declare_put(*this, plan);
    workspace_bytes_ = passes_.workspace_bytes();
    static_cast<device::Dims<3>&>(arguments_.lines) = KernelDims<3>(plan.lines);
    static_cast<device::Dims<1>&>(arguments_.along) = KernelDims<1>(plan.along);
    static_cast<device::Dims<2>&>(arguments_.columns) = KernelDims<2>(plan.columns);
    arguments_.length = plan.length;
    arguments_.width = plan.columns.elements();
    arguments_.count = plan.lines.elements() * plan.length * arguments_.width;
    arguments_.step = plan.out_step;
  }
  Status prepare() override {
    if (plan_.indices.dtype == RONDO_I32 && plan_.extent >= UINT_MAX)
      return error(RONDO_UNSUPPORTED, "%s: an axis of %lld elements needs indices of i64 on a cuda device", name(),
                   static_cast<long long>(plan_.extent));
    RONDO_TRY(passes_.prepare(*this));
    if (kernel_) return {};
    const bool adds = plan_.out.accumulate;
    KernelSpec spec(rtc::kPut, 0, true);
    spec.type("Added", adds ? plan_.out.dtype : RONDO_U8).type("In", plan_.indices.dtype);
    spec.constant("kSize", adds ? 0 : static_cast<int>(dtype_size(plan_.out.dtype)));
    spec.constant("kLines", plan_.lines.count).constant("kAlong", plan_.along.count);
    spec.constant("kColumns", plan_.columns.count);
    return rtc::find_kernel(
        cuda_device(*this), spec.signature(), "put",
        [&] {
          return spec.text({rtc::kPutText, kWordText, kText});
        },
        &kernel_);
  }
  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    RONDO_TRY(passes_.run(*this, context, plan_.indices.address(), nullptr, nullptr));
    arguments_.out = plan_.out.address();
    arguments_.values = plan_.values.address();
    arguments_.keys = passes_.keys(context.workspace);
    arguments_.places = passes_.places(context.workspace);
    return launch(*this, *kernel_, context, kThreads, blocks_for(arguments_.count, kThreads), arguments_);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_put_operands(plan_, list); }

 private:
  static device::SortArguments first_pass(const PutPlan& plan) {
    device::SortArguments pass = {};
    static_cast<device::Dims<3>&>(pass.lines) = KernelDims<3>(plan.lines);
    pass.step[0] = plan.index_step;
    pass.count = plan.lines.elements();
    pass.length = plan.length;
    pass.extent = plan.extent;
    return pass;
  }

  PutPlan plan_;
  SortPasses passes_;
  device::PutArguments arguments_ = {};
  const rtc::Kernel* kernel_ = nullptr;
};

}  // namespace

Ref<Task> make_cuda_put(const PutPlan& plan) {
  return make_ref<CudaPut>(plan);
}

}  // namespace rondo::ops
