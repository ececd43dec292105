// Applies rotary positions on a GPU: in one launch, a lane takes some pairs of channels of some of the rows that share
// a position.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/attention/rotary.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"

namespace rondo::ops {

using namespace device;

namespace {

constexpr const char* kText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const RotaryArguments args) {
  const Index i = static_cast<Index>(blockIdx.x) * 256 + static_cast<Index>(threadIdx.x);
  if (i < args.count)
    rotary<M, Position, Index, kDims, kPairs, (kApart != 0), (kPacked != 0), (kGiven != 0), (kAdds != 0)>(args, i);
}
)";

class CudaRotary final : public KernelTask {
 public:
  explicit CudaRotary(const RotaryPlan& plan)
      : KernelTask("rotary", plan.out.device()), plan_(plan), arguments_(plan.arguments()) {
    plan.declare(*this);
    const int pairs = pairs_at_once(), most = std::max(pairs, 1);
    const int64_t copied = plan.in_place() ? 0 : plan.kept();
    arguments_.turning = plan.form.channels / 2 / most;
    arguments_.packs = arguments_.turning + (pairs > 0 ? copied / (2 * pairs) : copied);
    arguments_.rows = KernelDims<kRotaryArrays>(plan.rows);
    arguments_.count = plan.rows.elements() * arguments_.packs;
    // Rows that share their angles are taken together, as long as there are lanes enough for a large device.
    constexpr int64_t kLanes = 1 << 18, kLongest = 16, kLayers = 65535;
    const int64_t several = std::clamp<int64_t>(arguments_.count * plan.shared / kLanes, 1, kLongest);
    const int64_t chunk = std::max(several, (plan.shared + kLayers - 1) / kLayers);
    arguments_.chunk = chunk;
    add_launch(kernel(pairs), arguments_, blocks_for(arguments_.count, kThreads), (plan.shared + chunk - 1) / chunk);
    add_address(&arguments_.x, plan.x);
    add_address(&arguments_.out, plan.out);
    if (plan.positions) add_address(&arguments_.positions, *plan.positions);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  bool works_in_place() const override { return !plan_.out.accumulate; }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaRotary>(memory.moved(plan_)); }

 private:
  // As many as 16 bytes hold of each access, if all of them may be moved so; else 0.
  int pairs_at_once() const {
    const auto size = static_cast<int64_t>(dtype_size(plan_.x.dtype));
    const bool apart = !plan_.form.interleaved;
    for (int64_t pairs = apart ? 16 / size : 8 / size; pairs >= 1; pairs /= 2)
      if (may_move(pairs, apart ? pairs : 2 * pairs)) return static_cast<int>(pairs);
    return 0;
  }
  bool may_move(int64_t pairs, int64_t pack) const {
    if (plan_.form.channels % (2 * pairs) != 0 || (!plan_.in_place() && plan_.kept() % (2 * pairs) != 0)) return false;
    for (const int a : {kRotaryX, kRotaryOut})
      if (plan_.shared_step[a] % pack != 0 || !moves_packs(a == kRotaryX ? plan_.x : plan_.out, plan_.rows.count,
                                                           plan_.rows.stride[a], plan_.step[a], pack))
        return false;
    return true;
  }
  int kernel(int pairs) {
    int64_t reach = arguments_.count;
    for (int a = 0; a < kRotaryArrays; ++a) reach = std::max(reach, plan_.rows.reach(a));
    KernelSpec spec(rtc::kRotary, 0, needs_wide(reach), name());
    spec.type("M", plan_.x.dtype).type("Position", plan_.positions ? plan_.positions->dtype : RONDO_I32);
    spec.constant("kDims", plan_.rows.count).constant("kPairs", std::max(pairs, 1));
    spec.constant("kApart", !plan_.form.interleaved).constant("kPacked", pairs > 0);
    spec.constant("kGiven", plan_.positions.has_value()).constant("kAdds", plan_.out.accumulate);
    return add_kernel(spec.text({rtc::kRotaryText, kText}));
  }

  const RotaryPlan plan_;
  RotaryArguments arguments_;
};

}  // namespace

Ref<OperatorTask> make_cuda_rotary(const RotaryPlan& plan) {
  return make_ref<CudaRotary>(plan);
}

}  // namespace rondo::ops
