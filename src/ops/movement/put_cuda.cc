// Puts elements on a GPU: the indices are sorted, then each has a lane for every element that shares it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "ops/movement/put.h"
#include "ops/movement/sort_cuda.h"
#include "ops/task/cuda_kernel.h"
#include "rtc/device/put.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

// Follows kWordText and definitions of In (indices), kSize (of an element; 0: it is added), kLines, kAlong, kColumns.
constexpr const char* kText =
    R"(extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const PutArguments args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.count) put_element<Word<kSize>::type, SortKey<In>, kLines, kAlong, kColumns, kSize == 0>(args, i);
}
)";

class CudaPut final : public SortingTask {
 public:
  explicit CudaPut(const PutPlan& plan) : SortingTask(plan.name, plan.out.device()), plan_(plan) {
    declare_put(*this, plan);
    Lines indices = {{}, plan.indices, plan.lines.count, plan.length};
    static_cast<device::Dims<3>&>(indices.first.lines) = KernelDims<3>(plan.lines);
    indices.first.step[0] = plan.index_step;
    indices.first.count = plan.lines.elements();
    indices.first.length = plan.length;
    indices.first.extent = plan.extent;
    sort(indices);

    static_cast<device::Dims<3>&>(arguments_.lines) = KernelDims<3>(plan.lines);
    static_cast<device::Dims<1>&>(arguments_.along) = KernelDims<1>(plan.along);
    static_cast<device::Dims<2>&>(arguments_.columns) = KernelDims<2>(plan.columns);
    arguments_.length = plan.length;
    arguments_.width = plan.columns.elements();
    arguments_.count = plan.lines.elements() * plan.length * arguments_.width;
    arguments_.step = plan.out_step;
    add_launch(kernel(), arguments_, blocks_for(arguments_.count, kThreads));
    add_address(&arguments_.out, plan.out);
    add_address(&arguments_.values, plan.values);
    add_keys(&arguments_.keys);
    add_places(&arguments_.places);
  }
  Status prepare() override {
    if (plan_.indices.dtype == RONDO_I32 && plan_.extent >= UINT_MAX)
      return error(RONDO_UNSUPPORTED, "%s: an axis of %lld elements needs indices of i64 on a cuda device", name(),
                   static_cast<long long>(plan_.extent));
    return SortingTask::prepare();
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_put_operands(plan_, list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaPut>(memory.moved(plan_)); }

 private:
  int kernel() {
    const bool adds = plan_.out.accumulate;
    KernelSpec spec(rtc::kPut, 0, true, "put");
    spec.type("Added", adds ? plan_.out.dtype : RONDO_U8).type("In", plan_.indices.dtype);
    spec.constant("kSize", adds ? 0 : static_cast<int>(dtype_size(plan_.out.dtype)));
    spec.constant("kLines", plan_.lines.count).constant("kAlong", plan_.along.count);
    spec.constant("kColumns", plan_.columns.count);
    return add_kernel(spec.text({rtc::kPutText, kWordText, kText}));
  }

  PutPlan plan_;
  device::PutArguments arguments_ = {};
};

}  // namespace

Ref<OperatorTask> make_cuda_put(const PutPlan& plan) {
  return make_ref<CudaPut>(plan);
}

}  // namespace rondo::ops
