// Sorting on a GPU. A line that fits into a block's shared memory is one kernel, together with its neighbours if it is
// short. A longer one is sorted in tiles, which are merged, two at a time; of the few first elements each tile keeps
// only as many, until what is left of the line fits.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <climits>

#include "ops/cuda_kernel.h"
#include "ops/sort.h"
#include "rtc/device/sort.h"

namespace rondo::ops {

namespace {

using device::SortArguments;

constexpr int kThreads = device::kSortThreads;
constexpr int64_t kBlock = device::kSortBlock;
enum Kernel : int { kTiles, kMerge };

// Follows definitions of M, Index, kLines (dimensions that number the lines), kMerges.
constexpr const char* kText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const SortArguments args) {
  if constexpr (kMerges)
    sort_merge<M, kLines>(args);
  else
    sort_tiles<M, kLines>(args);
}
)";

class CudaSort final : public Task {
 public:
  explicit CudaSort(const SortPlan& plan) : Task(plan.name, plan.in.device()), plan_(plan) {
    declare_sort(*this, plan);
    SortArguments pass = {};
    static_cast<device::Dims<3>&>(pass.lines) = KernelDims<3>(plan.lines);
    std::copy(plan.step, plan.step + 3, pass.step);
    pass.count = plan.lines.elements();
    pass.length = plan.length;
    pass.first = 1;
    pass.descending = plan.descending;
    pass.adds = (plan.values.accumulate ? 1 : 0) | (plan.indices.accumulate ? 2 : 0);
    plan_passes(pass);
    // Keys, then places, of what comes in and of what goes on.
    half_ = pass.count * passes_.front().arguments.left;
    if (passes_.size() > 1) workspace_bytes_ = static_cast<size_t>(2 * half_) * (key_size() + sizeof(uint32_t));
  }
  Status prepare() override {
    if (plan_.length >= UINT_MAX)
      return error(RONDO_UNSUPPORTED, "%s: a line of %lld elements; a cuda device sorts lines of less than 2^32",
                   name(), static_cast<long long>(plan_.length));
    for (const Pass& pass : passes_) {
      const rtc::Kernel*& kernel = kernels_[pass.kernel];
      if (kernel) continue;
      KernelSpec spec(rtc::kSort, 0, true);
      spec.type("M", plan_.in.dtype).constant("kLines", plan_.lines.count).constant("kMerges", pass.kernel == kMerge);
      RONDO_TRY(rtc::find_kernel(
          cuda_device(*this), spec.signature(), pass.kernel == kMerge ? "sort_merge" : "sort",
          [&] {
            return spec.text({rtc::kSortText, kText});
          },
          &kernel));
    }
    return {};
  }
  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    char* const keys = static_cast<char*>(context.workspace);
    char* const places = keys + 2 * half_ * static_cast<int64_t>(key_size());
    int64_t from = 0;  // which half
    for (const Pass& pass : passes_) {
      SortArguments given = pass.arguments;
      given.in = plan_.in.address();
      given.values = plan_.values.storage ? plan_.values.address() : nullptr;
      given.indices = plan_.indices.storage ? plan_.indices.address() : nullptr;
      if (context.workspace) {
        const int64_t key_half = half_ * static_cast<int64_t>(key_size()), place_half = half_ * 4;
        given.from_keys = keys + from * key_half;
        given.from_places = reinterpret_cast<uint32_t*>(places + from * place_half);
        given.to_keys = keys + (1 - from) * key_half;
        given.to_places = reinterpret_cast<uint32_t*>(places + (1 - from) * place_half);
      }
      RONDO_TRY(launch(*this, *kernels_[pass.kernel], context, kThreads, pass.blocks, given));
      from = 1 - from;
    }
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_sort_operands(plan_, list); }

 private:
  struct Pass {
    Kernel kernel;
    int64_t blocks;
    SortArguments arguments;
  };
  size_t key_size() const { return dtype_size(plan_.in.dtype) == 8 ? 8 : 4; }

  void plan_passes(SortArguments pass) {
    // Merging keeps all; a few can be chosen again and again, each time from at most half as many.
    const bool few = plan_.keep <= kBlock / 2;
    for (;;) {
      const int64_t tile = std::min(kBlock, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(pass.length))));
      pass.tile = static_cast<int32_t>(std::max<int64_t>(tile, 2));
      pass.tiles = (pass.length + pass.tile - 1) / pass.tile;
      pass.keep = static_cast<int32_t>(few ? plan_.keep : pass.tile);
      if (pass.tiles == 1) pass.keep = static_cast<int32_t>(plan_.keep);
      pass.left =
          (pass.tiles - 1) * pass.keep + std::min<int64_t>(pass.keep, pass.length - (pass.tiles - 1) * pass.tile);
      pass.last = pass.tiles == 1;
      passes_.push_back({kTiles, blocks_for(pass.count * pass.tiles, kBlock / pass.tile), pass});
      if (pass.last) return;
      pass.first = 0;
      pass.length = pass.left;
      if (!few) break;
    }
    for (pass.run = pass.tile; !pass.last; pass.run *= 2) {
      pass.last = 2 * pass.run >= pass.length;
      pass.left = plan_.keep;
      passes_.push_back({kMerge, blocks_for(pass.count * pass.length, kThreads), pass});
    }
  }

  SortPlan plan_;
  std::vector<Pass> passes_;
  const rtc::Kernel* kernels_[2] = {};
  int64_t half_ = 0;
};

}  // namespace

Ref<Task> make_cuda_sort(const SortPlan& plan) {
  return make_ref<CudaSort>(plan);
}

}  // namespace rondo::ops
