// Row operators on a GPU: one kernel. The lanes of a row are a part of a warp (short rows), a block (long rows) or,
// where rows lie side by side in memory, lanes of different warps, so that neighbouring lanes are on neighbouring rows.
// A row that fits is read once and kept in registers; a longer one is read again for each step.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cuda_kernel.h"
#include "ops/rows.h"

namespace rondo::ops {

namespace {

constexpr int kMaxElements = 32;  // of a row per lane, in registers

// Follows definitions of In, Label, kKind, kThreads, kGroup (lanes of a row), kBeside (rows side by side; 0: lanes of a
// row are), kVector (neighbours moved at once), kItems (vectors per lane; 0: the row is read again) and kRows
// (dimensions that number the rows).
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
// Rounding to 16 bits hides what the quick forms lose.
constexpr bool kQuick = sizeof(In) == 2;
RONDO_INLINE C exponential(C x) {
  if constexpr (kQuick)
    return __expf(x);
  else
    return exp(x);
}
struct SumOf {
  RONDO_INLINE static C of(C a, C b) { return a + b; }
};
struct LargestOf {
  RONDO_INLINE static C of(C a, C b) { return a < b ? b : a; }
};
// The value of all lanes of the row, in each of them.
template <class Op>
RONDO_INLINE C together(C value, C* shared) {
  if constexpr (kBeside > 0) {
    const int x = threadIdx.x % kBeside;
    __syncthreads();
    shared[threadIdx.x] = value;
    __syncthreads();
    value = shared[x];
#pragma unroll 4
    for (int lane = 1; lane < kGroup; ++lane) value = Op::of(value, shared[lane * kBeside + x]);
  } else {
    constexpr int width = kGroup < 32 ? kGroup : 32;
#pragma unroll
    for (int delta = width / 2; delta > 0; delta /= 2) value = Op::of(value, __shfl_xor_sync(0xffffffffu, value, delta, width));
    if constexpr (kGroup > 32) {
      __syncthreads();
      if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
      __syncthreads();
      value = shared[0];
#pragma unroll
      for (int w = 1; w < kGroup / 32; ++w) value = Op::of(value, shared[w]);
    }
  }
  return value;
}
// A sum of what one lane adds. Where that may be much, what rounding loses is carried along.
struct Adder {
  C sum = 0, lost = 0;
  RONDO_INLINE void add(C value) {
    if constexpr (kItems > 0 || kQuick) {
      sum += value;
    } else {
      const C corrected = value - lost;
      const C next = sum + corrected;
      lost = (next - sum) - corrected;
      sum = next;
    }
  }
};
// This lane's part of a row: vector j of it begins at element i.
struct Part {
  const In* from;
  Index step;
  C item[kItems > 0 ? kItems : 1][kVector];
  RONDO_INLINE C* fetch(int j, Index i) {
    C* const to = item[kItems > 0 ? j : 0];
    if constexpr (kVector == 1) {
      to[0] = from_memory(from[i * step]);
    } else {
      const Pack<In, kVector> pack = load_pack<In, kVector>(from + i);
#pragma unroll
      for (int v = 0; v < kVector; ++v) to[v] = from_memory(pack.v[v]);
    }
    return to;
  }
  RONDO_INLINE C* again(int j, Index i) {
    if constexpr (kItems > 0)
      return item[j];
    else
      return fetch(j, i);
  }
};
RONDO_INLINE void write(In* out, Index i, Index step, const C* values, int accumulate) {
  if constexpr (kVector > 1) {
    if (!accumulate) {
      Pack<In, kVector> pack;
#pragma unroll
      for (int v = 0; v < kVector; ++v) pack.v[v] = to_memory<In>(values[v]);
      store_pack<In, kVector>(out + i, pack);
      return;
    }
  }
#pragma unroll
  for (int v = 0; v < kVector; ++v) put(out + (i + v) * step, values[v], accumulate);
}
#define FOR_ROW(j, i) \
  _Pragma("unroll") for (int j = 0; kItems > 0 ? j < kItems : (lane + j * Index(kGroup)) * kVector < length; ++j) \
    if (const Index i = (lane + j * Index(kGroup)) * kVector; i < length)
#define FOR_VECTOR(v) _Pragma("unroll") for (int v = 0; v < kVector; ++v)

extern "C" __global__ void __launch_bounds__(kThreads) rondo_kernel(const Arguments args) {
  constexpr int kPerBlock = kThreads / kGroup;
  __shared__ C shared[kBeside > 0 ? kThreads : 32];
  const Index lane = kBeside > 0 ? threadIdx.x / kPerBlock : threadIdx.x % kGroup;
  const int place = kBeside > 0 ? threadIdx.x % kPerBlock : threadIdx.x / kGroup;
  const Index wanted = static_cast<Index>(blockIdx.x) * kPerBlock + static_cast<Index>(place);
  const bool live = wanted < args.count;
  const Index row = live ? wanted : 0;  // lanes without a row go along, and write nothing
  const Index length = static_cast<Index>(args.length);
  Part x;
  x.from = static_cast<const In*>(args.x) + offset<kRows>(args.rows, 0, row);
  x.step = static_cast<Index>(args.step[0]);
  In* const out = static_cast<In*>(args.out) + offset<kRows>(args.rows, 2, row);
  const Index out_step = static_cast<Index>(args.step[2]);
  C result[kVector];

  if constexpr (kKind == kSoftmaxGrad) {
    Part dy;
    dy.from = static_cast<const In*>(args.other) + offset<kRows>(args.rows, 1, row);
    dy.step = static_cast<Index>(args.step[1]);
    Adder adder;
    FOR_ROW(j, i) {
      const C* y = x.fetch(j, i);
      const C* change = dy.fetch(j, i);
      FOR_VECTOR(v) adder.add(y[v] * change[v]);
    }
    const C dot = together<SumOf>(adder.sum, shared);
    if (live) {
      FOR_ROW(j, i) {
        const C* y = x.again(j, i);
        const C* change = dy.again(j, i);
        FOR_VECTOR(v) result[v] = y[v] * (change[v] - dot);
        write(out, i, out_step, result, args.accumulate);
      }
    }
  } else {
    i64 label = 0;
    if constexpr (kKind == kLoss || kKind == kLossGrad)
      label = static_cast<const Label*>(args.other)[offset<kRows>(args.rows, 1, row)];
    constexpr bool keeps = kItems > 0 && (kKind == kSoftmax || kKind == kLossGrad);  // the exponentials
    C top = static_cast<C>(bits_as<f32>(0xff800000u));
    FOR_ROW(j, i) {
      const C* values = x.fetch(j, i);
      FOR_VECTOR(v) top = LargestOf::of(top, values[v]);
    }
    top = together<LargestOf>(top, shared);
    Adder adder;
    FOR_ROW(j, i) {
      C* values = x.again(j, i);
      FOR_VECTOR(v) {
        const C value = exponential(values[v] - top);
        if (keeps) values[v] = value;
        adder.add(value);
      }
    }
    const C sum = together<SumOf>(adder.sum, shared);
    if (live) {
      if constexpr (kKind == kLoss) {
        const bool counts = label >= 0 && label < args.length;
        if (lane == 0)
          put(out, counts ? log(sum) - (from_memory(x.from[static_cast<Index>(label) * x.step]) - top) : C(0), args.accumulate);
      } else if constexpr (kKind == kLogSoftmax) {
        const C log_sum = log(sum);
        FOR_ROW(j, i) {
          const C* values = x.again(j, i);
          FOR_VECTOR(v) result[v] = (values[v] - top) - log_sum;
          write(out, i, out_step, result, args.accumulate);
        }
      } else {
        const bool counts = kKind == kSoftmax || (label >= 0 && label < args.length);
        const C scale = static_cast<C>(args.scale), inverse = C(1) / sum;
        FOR_ROW(j, i) {
          const C* values = x.again(j, i);
          FOR_VECTOR(v) {
            const C value = keeps ? values[v] : exponential(values[v] - top);
            result[v] = kQuick ? value * inverse : value / sum;
            if (kKind == kLossGrad) result[v] = counts ? (result[v] - (i + v == label ? C(1) : C(0))) * scale : C(0);
          }
          write(out, i, out_step, result, args.accumulate);
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
  explicit CudaRows(const RowPlan& plan) : Task(plan.name(), plan.out.device()), plan_(plan) {
    reads(*plan.x.storage);
    reads(*plan.other.storage);
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
    KernelSpec spec(plan_.has_labels() ? rtc::kCrossEntropy : rtc::kSoftmax, 0, wide_);
    spec.type("In", plan_.x.dtype).type("Label", plan_.has_labels() ? plan_.other.dtype : RONDO_I64);
    spec.constant("kKind", static_cast<int>(plan_.kind)).constant("kThreads", threads_).constant("kGroup", group_);
    spec.constant("kBeside", beside_)
        .constant("kVector", vector_)
        .constant("kItems", items_)
        .constant("kRows", plan_.rows.count);
    return rtc::find_kernel(
        cuda_device(*this), spec.signature(), name(), [&] { return spec.text({kText}); }, &kernel_);
  }

  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    arguments_.x = plan_.x.address();
    arguments_.other = plan_.other.address();
    arguments_.out = plan_.out.address();
    return launch(*this, *kernel_, context, threads_, blocks_for(arguments_.count, threads_ / group_), arguments_);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }

 private:
  void choose_group() {
    const Dims<3>& rows = plan_.rows;
    const int64_t length = plan_.length, count = arguments_.count;
    const int64_t row_step = rows.count > 0 ? std::abs(rows.stride[0][rows.count - 1]) : INT64_MAX;
    if (row_step < std::abs(plan_.step[0]) && count > 1) {
      beside_ = 2;
      while (beside_ < 32 && beside_ < count) beside_ *= 2;
      group_ = threads_ / beside_;
    } else {
      vector_ = widest_vector();
      const int64_t loads = (length + vector_ - 1) / vector_;
      if (length <= 1024) {
        const int64_t lanes = count < 4096 ? loads : (loads + 1) / 2;
        group_ = 1;
        while (group_ < 32 && group_ < lanes) group_ *= 2;
      } else {
        if (length > 256 * kMaxElements) threads_ = 1024;
        group_ = threads_;
      }
    }
    const int most = threads_ == 1024 ? kMaxElements / 2 : kMaxElements;
    items_ = 1;
    while (int64_t{items_} * group_ * vector_ < length && items_ * vector_ <= most) items_ *= 2;
    if (items_ * vector_ > most) items_ = 0;
  }

  // Neighbours of a row moved at once: the row must be contiguous wherever it is read or written, and start at a
  // multiple.
  int widest_vector() const {
    const bool uses[3] = {true, plan_.kind == RowKind::softmax_grad, plan_.kind != RowKind::loss};
    const View* const views[3] = {&plan_.x, &plan_.other, &plan_.out};
    const auto size = static_cast<int64_t>(dtype_size(plan_.x.dtype));
    for (int64_t vector = 16 / size; vector > 1; vector /= 2) {
      bool fits = plan_.length % vector == 0;
      for (int a = 0; a < 3; ++a) {
        if (!uses[a]) continue;
        fits &= plan_.step[a] == 1 && alignment_of(*views[a], 16) >= vector * size;
        for (int d = 0; d < plan_.rows.count; ++d) fits &= plan_.rows.stride[a][d] % vector == 0;
      }
      if (fits) return static_cast<int>(vector);
    }
    return 1;
  }

  RowPlan plan_;
  Arguments arguments_;
  int threads_ = 256, group_ = 1, beside_ = 0, vector_ = 1, items_ = 0;
  bool wide_ = false;
  const rtc::Kernel* kernel_ = nullptr;
};

}  // namespace

Ref<Task> make_cuda_rows(const RowPlan& plan) {
  return make_ref<CudaRows>(plan);
}

}  // namespace rondo::ops
