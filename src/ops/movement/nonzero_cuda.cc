// Finds where a tensor is not 0 on a GPU: each block counts in its part, one block adds the counts up, and each writes
// the places of its part after those of the parts before. So places are in order without sorting.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/movement/nonzero.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"

namespace rondo::ops {

namespace {

constexpr int64_t kRounds = 16;  // elements of a lane

// Follows definitions of In, kDims (of the elements), kColumns.
constexpr const char* kTextBefore = R"(
struct Arguments {
  const void* in;
  void* places;
  void* count;
  i64* starts;
  Dims<1> elements;
  i64 total, limit, fill, parts, row_step, column_step;
  i64 size[8];
  i32 accumulate_places, accumulate_count;
};
RONDO_INLINE bool found(const Arguments& args, i64 i) {
  return i < args.total && from_memory(static_cast<const In*>(args.in)[offset<kDims>(args.elements, 0, i)]) != Register<In>(0);
}
)";

constexpr const char* kCountText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  const i64 begin = static_cast<i64>(blockIdx.x) * 4096 + threadIdx.x;
  int all = 0;
  for (int round = 0; round < 16; ++round) all += __syncthreads_count(found(args, begin + round * 256));
  if (threadIdx.x == 0) args.starts[blockIdx.x] = all;
}
)";

// Counts become starts, in place.
constexpr const char* kStartsText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  __shared__ i64 sums[256];
  const int lane = static_cast<int>(threadIdx.x);
  i64 before = 0;
  for (i64 first = 0; first < args.parts; first += 256) {
    const i64 part = first + lane;
    const i64 own = part < args.parts ? args.starts[part] : 0;
    sums[lane] = own;
    for (int reach = 1; reach < 256; reach *= 2) {
      __syncthreads();
      const i64 other = lane >= reach ? sums[lane - reach] : 0;
      __syncthreads();
      sums[lane] += other;
    }
    __syncthreads();
    if (part < args.parts) args.starts[part] = before + sums[lane] - own;
    before += sums[255];
    __syncthreads();
  }
  if (lane == 0) {
    args.starts[args.parts] = before;
    put(static_cast<i64*>(args.count), before, args.accumulate_count != 0);
  }
}
)";

constexpr const char* kPlacesText = R"(
RONDO_INLINE void write(const Arguments& args, i64 row, int column, i64 value) {
  put(static_cast<i64*>(args.places) + row * args.row_step + column * args.column_step, value, args.accumulate_places != 0);
}
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  __shared__ int of_warp[8];
  const int lane = static_cast<int>(threadIdx.x), warp = lane / 32;
  if (blockIdx.x < args.parts) {
    i64 row = args.starts[blockIdx.x];
    for (int round = 0; round < 16 && row < args.limit; ++round) {
      i64 element = static_cast<i64>(blockIdx.x) * 4096 + round * 256 + lane;
      const bool mine = found(args, element);
      const u32 all = __ballot_sync(0xffffffffu, mine);
      if (lane % 32 == 0) of_warp[warp] = __popc(all);
      __syncthreads();
      int before = __popc(all & ((1u << (lane % 32)) - 1)), in_round = 0;
      for (int w = 0; w < 8; ++w) {
        before += w < warp ? of_warp[w] : 0;
        in_round += of_warp[w];
      }
      if (mine && row + before < args.limit) {
        for (int column = kColumns - 1; column >= 0; --column) {
          write(args, row + before, column, element % args.size[column]);
          element /= args.size[column];
        }
      }
      row += in_round;
      __syncthreads();
    }
  }
  const i64 step = static_cast<i64>(gridDim.x) * 256;
  for (i64 row = args.starts[args.parts] + static_cast<i64>(blockIdx.x) * 256 + lane; row < args.limit; row += step)
    for (int column = 0; column < kColumns; ++column) write(args, row, column, args.fill);
}
)";

struct Arguments {
  const void* in = nullptr;
  void* places = nullptr;
  void* count = nullptr;
  void* starts = nullptr;
  KernelDims<1> elements;
  int64_t total = 0, limit = 0, fill = 0, parts = 0, row_step = 0, column_step = 0;
  int64_t size[kMaxDims] = {};
  int32_t accumulate_places = 0, accumulate_count = 0;
};

class CudaNonzero final : public KernelTask {
 public:
  explicit CudaNonzero(const NonzeroPlan& plan) : KernelTask(plan.name, plan.in.device()), plan_(plan) {
    plan.declare(*this);
    Arguments& args = arguments_;
    args.elements = KernelDims<1>(plan.elements);
    args.total = plan.total;
    args.limit = plan.limit;
    args.fill = plan.fill;
    args.parts = blocks_for(plan.total, kThreads * kRounds);
    args.row_step = plan.row_step;
    args.column_step = plan.column_step;
    std::copy(std::begin(plan.size), std::end(plan.size), args.size);
    args.accumulate_places = plan.places.accumulate;
    args.accumulate_count = plan.count.accumulate;
    workspace_bytes_ = static_cast<size_t>(args.parts + 1) * sizeof(int64_t);
    if (args.parts > 0) add_launch(kernel(1, "nonzero_count", kCountText), args, args.parts);
    add_launch(kernel(2, "nonzero_starts", kStartsText), args, 1);
    if (plan.limit > 0 && plan.columns > 0) {
      const int64_t for_fill = std::min<int64_t>(blocks_for(plan.limit, kThreads * kRounds), 1024);
      add_launch(kernel(3, "nonzero_places", kPlacesText), args, std::max(args.parts, for_fill));
    }
    add_address(&args.in, plan.in);
    add_address(&args.places, plan.places);
    add_address(&args.count, plan.count);
    add_workspace(&args.starts);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaNonzero>(memory.moved(plan_)); }

 private:
  int kernel(int number, const char* name, const char* text) {
    KernelSpec spec(rtc::kIndexing, number, true, name);
    spec.type("In", plan_.in.dtype).constant("kDims", plan_.elements.count);
    spec.constant("kColumns", number == 3 ? plan_.columns : 0);
    return add_kernel(spec.text({kTextBefore, text}));
  }

  NonzeroPlan plan_;
  Arguments arguments_;
};

}  // namespace

Ref<OperatorTask> make_cuda_nonzero(const NonzeroPlan& plan) {
  return make_ref<CudaNonzero>(plan);
}

}  // namespace rondo::ops
