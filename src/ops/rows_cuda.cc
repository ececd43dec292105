// Row operators on a GPU: one kernel, whose lanes share a row in groups of 1 (rows side by side in memory), 4 to 32
// (a part of a warp) or 256 (a block). A row that fits is read once and kept in registers; a longer one is read again
// for each step.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "ops/cuda_kernel.h"
#include "ops/rows.h"

namespace rondo::ops {

namespace {

constexpr int kThreads = 256;
constexpr int kMaxItems = 32;  // of a row per lane, in registers

// Follows definitions of In, Label, kKind, kGroup, kItems (0: the row is read again), kRows (dimensions that number the
// rows).
constexpr const char* kText = R"(
using C = Register<In>;
enum { kSoftmax, kLogSoftmax, kSoftmaxGrad, kLoss, kLossGrad };
struct Arguments {
  const void* x;
  const void* other;
  void* out;
  Dims<3> rows;
  i64 count, length;
  i64 step[3];
  f64 scale;
  i32 accumulate, unused;
};
struct SumOf {
  RONDO_INLINE static C of(C a, C b) { return a + b; }
};
struct LargestOf {
  RONDO_INLINE static C of(C a, C b) { return a < b ? b : a; }
};
// The value of all lanes of the group, in each of them.
template <class Op>
RONDO_INLINE C together(C value, C* warps) {
  constexpr int width = kGroup < 32 ? kGroup : 32;
#pragma unroll
  for (int delta = width / 2; delta > 0; delta /= 2) value = Op::of(value, __shfl_xor_sync(0xffffffffu, value, delta, width));
  if constexpr (kGroup > 32) {
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
#pragma unroll
    for (int w = 1; w < kGroup / 32; ++w) value = Op::of(value, warps[w]);
  }
  return value;
}
// A sum of what one lane adds. Where a lane has a whole row, what rounding loses is carried along.
struct Adder {
  C sum = 0, lost = 0;
  RONDO_INLINE void add(C value) {
    if constexpr (kGroup > 1) {
      sum += value;
    } else {
      const C corrected = value - lost;
      const C next = sum + corrected;
      lost = (next - sum) - corrected;
      sum = next;
    }
  }
};
// This lane's part of a row: element i is its j-th.
struct Part {
  const In* from;
  Index step;
  C item[kItems > 0 ? kItems : 1];
  RONDO_INLINE C first(int j, Index i) {
    const C value = from_memory(from[i * step]);
    if constexpr (kItems > 0) item[j] = value;
    return value;
  }
  RONDO_INLINE C again(int j, Index i) const {
    if constexpr (kItems > 0)
      return item[j];
    else
      return from_memory(from[i * step]);
  }
};
#define FOR_ROW(j, i) \
  _Pragma("unroll") for (int j = 0; kItems > 0 ? j < kItems : lane + j * Index(kGroup) < length; ++j) \
    if (const Index i = lane + j * Index(kGroup); i < length)

extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  __shared__ C warps[8];
  const Index lane = threadIdx.x % kGroup;
  const Index wanted = static_cast<Index>(blockIdx.x) * (256 / kGroup) + static_cast<Index>(threadIdx.x / kGroup);
  const bool live = wanted < args.count;
  const Index row = live ? wanted : 0;  // lanes without a row go along, and write nothing
  const Index length = static_cast<Index>(args.length);
  Part x;
  x.from = static_cast<const In*>(args.x) + offset<kRows>(args.rows, 0, row);
  x.step = static_cast<Index>(args.step[0]);
  In* const out = static_cast<In*>(args.out) + offset<kRows>(args.rows, 2, row);
  const Index out_step = static_cast<Index>(args.step[2]);

  if constexpr (kKind == kSoftmaxGrad) {
    Part dy;
    dy.from = static_cast<const In*>(args.other) + offset<kRows>(args.rows, 1, row);
    dy.step = static_cast<Index>(args.step[1]);
    Adder adder;
    FOR_ROW(j, i) adder.add(x.first(j, i) * dy.first(j, i));
    const C dot = together<SumOf>(adder.sum, warps);
    if (live) {
      FOR_ROW(j, i) put(out + i * out_step, x.again(j, i) * (dy.again(j, i) - dot), args.accumulate);
    }
  } else {
    i64 label = 0;
    if constexpr (kKind == kLoss || kKind == kLossGrad) label = static_cast<const Label*>(args.other)[offset<kRows>(args.rows, 1, row)];
    C top = -C(1) / C(0);
    FOR_ROW(j, i) top = LargestOf::of(top, x.first(j, i));
    top = together<LargestOf>(top, warps);
    Adder adder;
    FOR_ROW(j, i) adder.add(exp(x.again(j, i) - top));
    const C sum = together<SumOf>(adder.sum, warps);
    if (live) {
      if constexpr (kKind == kSoftmax) {
        FOR_ROW(j, i) put(out + i * out_step, exp(x.again(j, i) - top) / sum, args.accumulate);
      } else if constexpr (kKind == kLogSoftmax) {
        const C log_sum = log(sum);
        FOR_ROW(j, i) put(out + i * out_step, (x.again(j, i) - top) - log_sum, args.accumulate);
      } else {
        const bool counts = label >= 0 && label < args.length;
        if constexpr (kKind == kLoss) {
          if (lane == 0)
            put(out, counts ? log(sum) - (from_memory(x.from[static_cast<Index>(label) * x.step]) - top) : C(0), args.accumulate);
        } else {
          const C scale = static_cast<C>(args.scale);
          FOR_ROW(j, i) put(out + i * out_step,
                            counts ? (exp(x.again(j, i) - top) / sum - (i == label ? C(1) : C(0))) * scale : C(0), args.accumulate);
        }
      }
    }
  }
}
)";

struct Arguments {
  const void* x = nullptr;
  const void* other = nullptr;
  void* out = nullptr;
  KernelDims<3> rows;
  int64_t count = 0, length = 0;
  int64_t step[3] = {};
  double scale = 1;
  int32_t accumulate = 0, unused = 0;
};

class CudaRows final : public Task {
 public:
  CudaRows(const char* function, const RowPlan& plan) : Task(function, plan.out.device()), plan_(plan) {
    reads(*plan.x.storage);
    reads(*plan.other.storage);
    if (plan.out.accumulate) reads(*plan.out.storage);
    declare_output(*this, plan.out);

    arguments_.rows = KernelDims<3>(plan.rows);
    arguments_.count = plan.rows.elements();
    arguments_.length = plan.length;
    for (int i = 0; i < 3; ++i) arguments_.step[i] = plan.step[i];
    arguments_.scale = plan.scale;
    arguments_.accumulate = plan.out.accumulate;
    choose_group();
    int64_t reach = std::max(arguments_.count, plan.length);
    for (int i = 0; i < 3; ++i) reach = std::max(reach, plan.rows.reach(i) + plan.length * std::abs(plan.step[i]));
    wide_ = needs_wide(reach);
  }

  Status prepare() override {
    if (kernel_) return {};
    rtc::Signature signature(plan_.has_labels() ? rtc::kCrossEntropy : rtc::kSoftmax);
    for (const int value : {static_cast<int>(plan_.kind), static_cast<int>(plan_.x.dtype),
                            plan_.has_labels() ? static_cast<int>(plan_.other.dtype) : 0, group_, items_,
                            plan_.rows.count, wide_ ? 1 : 0})
      signature.put(static_cast<int16_t>(value));
    return rtc::find_kernel(
        cuda_device(*this), signature, name() + sizeof "rondo_" - 1, [this] { return text(); }, &kernel_);
  }

  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    arguments_.x = plan_.x.address();
    arguments_.other = plan_.other.address();
    arguments_.out = plan_.out.address();
    cuda::CudaDevice::Launch shape;
    shape.grid[0] = blocks_for(arguments_.count, kThreads / group_);
    shape.block[0] = kThreads;
    return cuda_device(*this).launch(kernel_->function, shape, context.stream, &arguments_);
  }

 private:
  void choose_group() {
    const Dims<3>& rows = plan_.rows;
    const int64_t length = plan_.length;
    const bool beside = rows.count > 0 && std::abs(rows.stride[0][rows.count - 1]) < std::abs(plan_.step[0]);
    if (beside && (arguments_.count >= 1024 || length <= 64)) {
      group_ = 1;
    } else if (length <= 32 * kMaxItems) {
      group_ = 4;
      while (group_ < 32 && group_ < length) group_ *= 2;
    } else {
      group_ = kThreads;
    }
    items_ = 1;
    while (int64_t{items_} * group_ < length && items_ <= kMaxItems) items_ *= 2;
    if (items_ > kMaxItems) items_ = 0;
  }

  std::string text() const {
    return kernel_head(wide_) +
           format("using In = %s;\nusing Label = %s;\n", memory_type(plan_.x.dtype),
                  plan_.other.dtype == RONDO_I32 ? "i32" : "i64") +
           format("constexpr int kKind = %d, kGroup = %d, kItems = %d, kRows = %d;\n", static_cast<int>(plan_.kind),
                  group_, items_, plan_.rows.count) +
           kText;
  }

  RowPlan plan_;
  Arguments arguments_;
  int group_ = 1, items_ = 0;
  bool wide_ = false;
  const rtc::Kernel* kernel_ = nullptr;
};

}  // namespace

Ref<Task> make_cuda_rows(const char* function, const RowPlan& plan) {
  return make_ref<CudaRows>(function, plan);
}

}  // namespace rondo::ops
