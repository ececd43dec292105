// Computes products of all pairs of vectors on a GPU: one kernel each way.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/recommender/interaction.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

enum InteractionKernel : int { kPairsKernel, kGradientKernel, kFewKernel, kStagedGradientKernel };

// It follows definitions of M, kStaged.
constexpr const char* kText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const InteractionArguments args) {
  interact<M, kStaged != 0>(args);
}
)";
// M.
constexpr const char* kFewText = R"(
extern "C" __global__ void __launch_bounds__(128) rondo_kernel(const InteractionArguments args) {
  interact_few<M>(args);
}
)";
// M, kRows.
constexpr const char* kStagedGradientText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const InteractionArguments args) {
  interact_back<M, kRows>(args);
}
)";
// M, Index: of many vectors.
constexpr const char* kInteractionGradientText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const InteractionArguments args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= args.samples * args.vectors * args.width) return;
  const Index width = static_cast<Index>(args.width), vectors = static_cast<Index>(args.vectors);
  const Index rest = static_cast<Index>(i) / width, column = static_cast<Index>(i) - rest * width;
  const Index sample = rest / vectors, vector = rest - sample * vectors;
  put(static_cast<M*>(args.out) + sample * args.out_stride[0] + vector * args.out_stride[1] +
          column * args.out_stride[2],
      interaction_gradient<M>(args, sample, vector, column), args.adds != 0);
}
)";

class CudaInteraction final : public KernelTask {
 public:
  explicit CudaInteraction(const InteractionPlan& plan)
      : KernelTask(plan.name(), plan.out().device()), plan_(plan), arguments_(plan.arguments()) {
    plan_.declare(*this);
    constexpr int64_t kMostBlocks = 1 << 20, kMostLayers = 1 << 10;
    const int64_t elements = plan.out().elements(), vectors = arguments_.vectors;
    const bool staged = vectors <= device::kInteractionMost;
    const bool few = !plan.gradient() && vectors <= device::kInteractionFew;
    KernelSpec spec(rtc::kInteraction,
                    plan.gradient() ? (staged ? kStagedGradientKernel : kGradientKernel)
                    : few           ? kFewKernel
                                    : kPairsKernel,
                    plan.gradient() && !staged && needs_wide(elements), name());
    spec.type("M", plan.x.dtype);
    if (plan.gradient()) {
      if (staged) {
        spec.constant("kRows", std::max<int64_t>(blocks_for(vectors, device::kInteractionWarps), 1));
        add_launch(add_kernel(spec.text({rtc::kInteractionText, kStagedGradientText})), arguments_,
                   std::min<int64_t>(arguments_.samples, kMostBlocks));
      } else {
        add_launch(add_kernel(spec.text({rtc::kInteractionText, kInteractionGradientText})), arguments_,
                   blocks_for(elements, kThreads));
      }
      add_address(&arguments_.dy, plan.y);
    } else if (few) {
      add_launch(add_kernel(spec.text({rtc::kInteractionText, kFewText})), arguments_,
                 std::min<int64_t>(blocks_for(arguments_.samples, device::kInteractionFewWarps), kMostBlocks), 1,
                 32 * device::kInteractionFewWarps);
    } else {
      spec.constant("kStaged", staged);
      const int64_t layers = (device::pairs_below(arguments_.vectors) + kThreads - 1) / kThreads;
      add_launch(add_kernel(spec.text({rtc::kInteractionText, kText})), arguments_,
                 std::min<int64_t>(arguments_.samples, kMostBlocks), std::clamp<int64_t>(layers, 1, kMostLayers));
    }
    add_address(&arguments_.x, plan.x);
    add_address(&arguments_.out, plan.out());
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CudaInteraction>(memory.moved(plan_));
  }

 private:
  InteractionPlan plan_;
  device::InteractionArguments arguments_;
};

}  // namespace

Ref<OperatorTask> make_cuda_interaction(const InteractionPlan& plan) {
  return make_ref<CudaInteraction>(plan);
}

}  // namespace rondo::ops
