// Moves elements on a GPU: a lane writes each element of the result, or each 16 bytes of it where runs are whole, or
// where the result is large and lies in one piece.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/remap.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

// Follows kWordText and definitions of Index, In (the index tensor), kSize (of an element; 0: it is added), kFeatures,
// kDims, kAxis, kVector, kApart, kSources.
constexpr const char* kRemapText =
    R"(extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const RemapArguments<kSources> args) {
  const Index i = static_cast<Index>(blockIdx.x) * 256 + static_cast<Index>(threadIdx.x);
  if (i < args.count) remap<Word<kSize>::type, In, Index, kFeatures, kDims, kAxis, kVector, (kApart != 0), kSize == 0>(args, i);
}
)";

template <int sources>
class CudaRemap final : public KernelTask {
 public:
  explicit CudaRemap(const RemapPlan& plan) : KernelTask(plan.name, plan.out.device()), plan_(plan) {
    declare_remap(*this, plan);
    const bool wide = needs_wide(plan.reach());
    int vector = widest_vector();
    const bool apart = vector == 1 && writes_packs();
    if (apart) vector = static_cast<int>(16 / dtype_size(plan.out.dtype));
    fill(plan.arguments);
    if (vector > 1) arguments_.dim[plan.dims - 1].size /= vector;
    arguments_.count = plan.elements() / vector;
    add_launch(kernel(wide, vector, apart), arguments_, blocks_for(arguments_.count, kThreads));
    add_address(&arguments_.out, plan.out);
    if (plan.index.storage) add_address(&arguments_.index, plan.index);
    for (size_t s = 0; s < plan.sources.size(); ++s) add_address(&arguments_.source[s].from, plan.sources[s]);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_remap_operands(plan_, list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaRemap>(memory.moved(plan_)); }

 private:
  // Fills in as many sources as there are.
  void fill(const RemapPlan::Arguments& all) {
    std::copy(all.dim, all.dim + kMaxDims, arguments_.dim);
    std::copy(all.source, all.source + sources, arguments_.source);
    arguments_.index_extent = all.index_extent;
    arguments_.index_step = all.index_step;
    arguments_.low = all.low;
    arguments_.high = all.high;
    arguments_.fill = all.fill;
    arguments_.value = all.value;
    arguments_.used = all.used;
  }

  int kernel(bool wide, int vector, bool apart) {
    KernelSpec spec(rtc::kRemap, 0, wide, "remap");
    const rondo_dtype dtype = plan_.out.dtype;
    const bool adds = plan_.out.accumulate;
    spec.type("In", plan_.index.storage ? plan_.index.dtype : RONDO_I64).type("Added", adds ? dtype : RONDO_U8);
    spec.constant("kSize", adds ? 0 : static_cast<int>(dtype_size(dtype))).constant("kFeatures", plan_.features);
    spec.constant("kDims", plan_.dims).constant("kAxis", plan_.axis).constant("kVector", vector);
    spec.constant("kApart", apart).constant("kSources", sources);
    return add_kernel(spec.text({rtc::kRemapText, kWordText, kRemapText}));
  }

  // True if 16 bytes of the result may be written at once though they are not neighbours in a source: of a large one,
  // so that there are lanes enough.
  bool writes_packs() const {
    constexpr int64_t kLarge = 1 << 18;
    const auto size = static_cast<int64_t>(dtype_size(plan_.out.dtype)), vector = 16 / size;
    if (plan_.out.accumulate || plan_.features != device::kRemapShifts || plan_.dims == 0 || vector < 2) return false;
    const int inner = plan_.dims - 1;
    const device::RemapDim& dim = plan_.arguments.dim[inner];
    bool fits = dim.out_stride == 1 && dim.size % vector == 0 && plan_.elements() >= kLarge;
    for (int d = 0; d < inner; ++d) fits &= plan_.arguments.dim[d].out_stride % vector == 0;
    return fits && alignment_of(plan_.out, 16) >= 16;
  }

  // Neighbours moved at once: of the innermost dimension, where each run of the result shows a run of one source, and
  // every run starts at a multiple.
  int widest_vector() const {
    if (plan_.out.accumulate || plan_.dims == 0) return 1;
    const int inner = plan_.dims - 1;
    const device::RemapDim& dim = plan_.arguments.dim[inner];
    const bool runs = dim.repeat == 1 && dim.out_stride == 1 && dim.index_stride == 0 && dim.band == 0 &&
                      (dim.outside == device::kRemapFill || dim.outside == device::kRemapWrap);
    if (!runs) return 1;
    const auto size = static_cast<int64_t>(dtype_size(plan_.out.dtype));
    for (int64_t vector = 16 / size; vector > 1; vector /= 2) {
      bool fits = dim.size % vector == 0 && dim.shift % vector == 0 && dim.extent % vector == 0 &&
                  plan_.arguments.index_step % vector == 0 && alignment_of(plan_.out, 16) >= vector * size;
      for (int d = 0; d < inner; ++d) fits &= plan_.arguments.dim[d].out_stride % vector == 0;
      for (size_t s = 0; s < plan_.sources.size(); ++s) {
        const device::RemapSource& source = plan_.arguments.source[s];
        fits &= source.stride[inner] == 1 && alignment_of(plan_.sources[s], 16) >= vector * size;
        for (int d = 0; d < inner; ++d) fits &= source.stride[d] % vector == 0;
        if (plan_.axis == inner) fits &= source.start % vector == 0;
      }
      if (fits) return static_cast<int>(vector);
    }
    return 1;
  }

  RemapPlan plan_;
  device::RemapArguments<sources> arguments_ = {};
};

}  // namespace

Ref<OperatorTask> make_cuda_remap(const RemapPlan& plan) {
  if (plan.sources.size() > 1) return make_ref<CudaRemap<device::kRemapSources>>(plan);
  return make_ref<CudaRemap<1>>(plan);
}

}  // namespace rondo::ops
