// Sorts on a GPU. A line that fits into a block's shared memory is one kernel, together with its neighbours if it is
// short. A longer one is sorted in tiles, which are merged, two at a time; if only the first few elements are wanted,
// each tile keeps only as many, until the rest of the line fits.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/sort_cuda.h"

#include <bit>
#include <climits>

#include "ops/movement/sort.h"
#include "ops/task/cuda_kernel.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

using device::SortArguments;

constexpr int64_t kBlock = device::kSortBlock;

// Follows definitions of M, Index, kLines (dimensions that number the lines), kMerges.
constexpr const char* kSortText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const SortArguments args) {
  if constexpr (kMerges)
    sort_merge<M, kLines>(args);
  else
    sort_tiles<M, kLines>(args);
}
)";

class CudaSort final : public SortingTask {
 public:
  explicit CudaSort(const SortPlan& plan) : SortingTask(plan.name, plan.in.device()), plan_(plan) {
    declare_sort(*this, plan);
    Lines lines = {{}, plan.in, plan.lines.count, plan.keep, &plan.values, &plan.indices};
    SortArguments& first = lines.first;
    static_cast<device::Dims<3>&>(first.lines) = KernelDims<3>(plan.lines);
    std::copy(plan.step, plan.step + 3, first.step);
    first.count = plan.lines.elements();
    first.length = plan.length;
    first.descending = plan.descending;
    first.adds = (plan.values.accumulate ? 1 : 0) | (plan.indices.accumulate ? 2 : 0);
    sort(lines);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { list_sort_operands(plan_, list); }
  Ref<OperatorTask> without(uint32_t unread) const override { return make_cuda_sort(plan_.without(unread)); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaSort>(memory.moved(plan_)); }

 private:
  SortPlan plan_;
};

}  // namespace

void SortingTask::plan(SortArguments pass, int64_t keep, bool emits) {
  // Merging keeps all; a few can be chosen again and again, each time from at most half as many.
  const bool few = keep <= kBlock / 2;
  pass.first = 1;
  for (bool tiled = true; tiled;) {
    const int64_t tile = std::min(kBlock, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(pass.length))));
    pass.tile = static_cast<int32_t>(std::max<int64_t>(tile, 2));
    pass.tiles = (pass.length + pass.tile - 1) / pass.tile;
    pass.keep = static_cast<int32_t>(few || pass.tiles == 1 ? keep : pass.tile);
    pass.left = (pass.tiles - 1) * pass.keep + std::min<int64_t>(pass.keep, pass.length - (pass.tiles - 1) * pass.tile);
    pass.last = emits && pass.tiles == 1;
    passes_.push_back({false, blocks_for(pass.count * pass.tiles, kBlock / pass.tile), pass});
    if (pass.first) half_ = pass.count * pass.left;
    pass.first = 0;
    pass.length = pass.left;
    tiled = few && pass.tiles > 1;
  }
  if (pass.tiles == 1) return;
  for (pass.run = pass.tile; pass.run < pass.length; pass.run *= 2) {
    pass.last = emits && 2 * pass.run >= pass.length;
    pass.left = keep;
    passes_.push_back({true, blocks_for(pass.count * pass.length, kThreads), pass});
  }
}

void SortingTask::sort(const Lines& lines, int64_t own_bytes) {
  begin_ = (own_bytes + 255) / 256 * 256;
  plan(lines.first, lines.keep, lines.values || lines.indices);
  key_size_ = dtype_size(lines.in.dtype) == 8 ? 8 : 4;
  const bool stays = !lines.values && !lines.indices;
  const bool works = stays || passes_.size() > 1;
  if (works) workspace_bytes_ = static_cast<size_t>(begin_ + 2 * half_ * (key_size_ + 4));
  int kernels[2] = {-1, -1};
  int64_t from = 0;  // which half
  for (Pass& pass : passes_) {
    int& kernel = kernels[pass.merges];
    if (kernel < 0) {
      KernelSpec spec(rtc::kSort, 0, true, pass.merges ? "sort_merge" : "sort");
      spec.type("M", lines.in.dtype).constant("kLines", lines.dims).constant("kMerges", pass.merges);
      kernel = add_kernel(spec.text({rtc::kSortText, kSortText}));
    }
    SortArguments& arguments = pass.arguments;
    add_launch(kernel, arguments, pass.blocks);
    if (lines.in.storage)
      add_address(&arguments.in, lines.in);
    else
      add_workspace(&arguments.in);
    if (lines.values && lines.values->storage) add_address(&arguments.values, *lines.values);
    if (lines.indices && lines.indices->storage) add_address(&arguments.indices, *lines.indices);
    if (works) {
      add_workspace(&arguments.from_keys, key_half(from));
      add_workspace(&arguments.from_places, place_half(from));
      add_workspace(&arguments.to_keys, key_half(1 - from));
      add_workspace(&arguments.to_places, place_half(1 - from));
    }
    from = 1 - from;
  }
}

Status SortingTask::prepare() {
  if (const int64_t length = passes_.empty() ? 0 : passes_.front().arguments.length; length >= UINT_MAX)
    return error(RONDO_UNSUPPORTED, "%s: a line of %lld elements; a cuda device sorts lines of less than 2^32", name(),
                 static_cast<long long>(length));
  return KernelTask::prepare();
}

Ref<OperatorTask> make_cuda_sort(const SortPlan& plan) {
  return make_ref<CudaSort>(plan);
}

}  // namespace rondo::ops
