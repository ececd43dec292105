// Sorting on a GPU. A line that fits into a block's shared memory is one kernel, together with its neighbours if it is
// short. A longer one is sorted in tiles, which are merged, two at a time; of the few first elements each tile keeps
// only as many, until what is left of the line fits.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/sort_cuda.h"

#include <bit>
#include <climits>

#include "ops/sort.h"

namespace rondo::ops {

namespace {

using device::SortArguments;

constexpr int kThreads = device::kSortThreads;
constexpr int64_t kBlock = device::kSortBlock;

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
  explicit CudaSort(const SortPlan& plan)
      : Task(plan.name, plan.in.device()),
        plan_(plan),
        passes_(first_pass(plan), plan.in.dtype, plan.lines.count, plan.keep, true) {
    declare_sort(*this, plan);
    workspace_bytes_ = passes_.workspace_bytes();
  }
  Status prepare() override { return passes_.prepare(*this); }
  Status run(const TaskContext& context) override {
    return passes_.run(*this, context, plan_.in.address(), plan_.values.storage ? plan_.values.address() : nullptr,
                       plan_.indices.storage ? plan_.indices.address() : nullptr);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_sort_operands(plan_, list); }

 private:
  static SortArguments first_pass(const SortPlan& plan) {
    SortArguments pass = {};
    static_cast<device::Dims<3>&>(pass.lines) = KernelDims<3>(plan.lines);
    std::copy(plan.step, plan.step + 3, pass.step);
    pass.count = plan.lines.elements();
    pass.length = plan.length;
    pass.descending = plan.descending;
    pass.adds = (plan.values.accumulate ? 1 : 0) | (plan.indices.accumulate ? 2 : 0);
    return pass;
  }

  SortPlan plan_;
  SortPasses passes_;
};

}  // namespace

SortPasses::SortPasses(const SortArguments& first, rondo_dtype dtype, int lines, int64_t keep, bool emits)
    : dtype_(dtype), lines_(lines), emits_(emits) {
  // Merging keeps all; a few can be chosen again and again, each time from at most half as many.
  const bool few = keep <= kBlock / 2;
  SortArguments pass = first;
  pass.first = 1;
  for (bool tiled = true; tiled;) {
    const int64_t tile = std::min(kBlock, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(pass.length))));
    pass.tile = static_cast<int32_t>(std::max<int64_t>(tile, 2));
    pass.tiles = (pass.length + pass.tile - 1) / pass.tile;
    pass.keep = static_cast<int32_t>(few || pass.tiles == 1 ? keep : pass.tile);
    pass.left = (pass.tiles - 1) * pass.keep + std::min<int64_t>(pass.keep, pass.length - (pass.tiles - 1) * pass.tile);
    pass.last = emits && pass.tiles == 1;
    add(kTiles, blocks_for(pass.count * pass.tiles, kBlock / pass.tile), pass);
    if (pass.first) half_ = pass.count * pass.left;
    pass.first = 0;
    pass.length = pass.left;
    tiled = few && pass.tiles > 1;
  }
  if (pass.tiles == 1) return;
  for (pass.run = pass.tile; pass.run < pass.length; pass.run *= 2) {
    pass.last = emits && 2 * pass.run >= pass.length;
    pass.left = keep;
    add(kMerge, blocks_for(pass.count * pass.length, kThreads), pass);
  }
}

size_t SortPasses::workspace_bytes() const {
  if (emits_ && passes_.size() == 1) return 0;
  return static_cast<size_t>(2 * half_ * (key_size() + 4));
}

Status SortPasses::prepare(Task& task) {
  if (passes_.front().arguments.length >= UINT_MAX)
    return error(RONDO_UNSUPPORTED, "%s: a line of %lld elements; a cuda device sorts lines of less than 2^32",
                 task.name(), static_cast<long long>(passes_.front().arguments.length));
  for (const Pass& pass : passes_) {
    const rtc::Kernel*& kernel = kernels_[pass.kernel];
    if (kernel) continue;
    KernelSpec spec(rtc::kSort, 0, true);
    spec.type("M", dtype_).constant("kLines", lines_).constant("kMerges", pass.kernel == kMerge);
    RONDO_TRY(rtc::find_kernel(
        cuda_device(task), spec.signature(), pass.kernel == kMerge ? "sort_merge" : "sort",
        [&] {
          return spec.text({rtc::kSortText, kText});
        },
        &kernel));
  }
  return {};
}

Status SortPasses::run(Task& task, const TaskContext& context, const void* in, void* values, void* indices) {
  RONDO_TRY(prepare(task));  // found already, unless the task came here by another way
  int from = 0;              // which half
  for (const Pass& pass : passes_) {
    SortArguments given = pass.arguments;
    given.in = in;
    given.values = values;
    given.indices = indices;
    if (context.workspace) {
      given.from_keys = key_half(context.workspace, from);
      given.from_places = place_half(context.workspace, from);
      given.to_keys = key_half(context.workspace, 1 - from);
      given.to_places = place_half(context.workspace, 1 - from);
    }
    RONDO_TRY(launch(task, *kernels_[pass.kernel], context, kThreads, pass.blocks, given));
    from = 1 - from;
  }
  return {};
}

Ref<Task> make_cuda_sort(const SortPlan& plan) {
  return make_ref<CudaSort>(plan);
}

}  // namespace rondo::ops
