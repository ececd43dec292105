// Cumulative reductions: checks, the loop of the cpu, and the kernel's launch on a GPU.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "engine/views.h"
#include "ops/cuda_kernel.h"
#include "ops/node.h"
#include "ops/prepared.h"
#include "ops/reductions.h"
#include "rtc/device/cumulate.h"

namespace rondo::ops {

namespace {

using device::CumulateArguments;

struct CumulatePlan {
  ReduceOp op = ReduceOp::sum;
  View in, out;
  Dims<2> rows;  // arrays: in, out
  int64_t length = 0;
  int64_t step[2] = {};   // along a row
  int64_t start[2] = {};  // offset of a row's first element in the order of the operator

  device::ReduceFacts facts() const { return {length, reduction_row(op).parameter}; }
};

// Results computed side by side where rows are closer together than the elements of a row.
constexpr int64_t kTogether = 64;

// Sums are a device's, compensated ones for f32: a prefix has no tree to be short in.
template <class T, class Op>
void run(const CumulatePlan& plan) {
  using Out = typename Op::Result;
  const T* in = reinterpret_cast<const T*>(plan.in.address()) + plan.start[0];
  Out* out = reinterpret_cast<Out*>(plan.out.address()) + plan.start[1];
  const device::ReduceFacts facts = plan.facts();
  const Dims<2>& rows = plan.rows;
  const int inner = rows.count - 1;
  const int64_t inner_size = inner >= 0 ? rows.size[inner] : 1;
  const int64_t in_step = inner >= 0 ? rows.stride[0][inner] : 0, out_step = inner >= 0 ? rows.stride[1][inner] : 0;
  const int64_t together = std::abs(in_step) < std::abs(plan.step[0]) ? kTogether : 1;
  const int64_t count = rows.elements();
  for (int64_t row = 0; row < count;) {
    const int64_t n = std::min(together, inner_size - row % inner_size);
    const T* from = in + rows.offset(0, row);
    Out* to = out + rows.offset(1, row);
    typename Op::Acc acc[kTogether];
    std::fill(acc, acc + n, Op::identity());
    for (int64_t i = 0; i < plan.length; ++i) {
      for (int64_t k = 0; k < n; ++k) {
        Op::take(acc[k], from[i * plan.step[0] + k * in_step], i, facts);
        put(to + i * plan.step[1] + k * out_step, Op::result(acc[k], facts), plan.out.accumulate);
      }
    }
    row += n;
  }
}

class Cumulate : public Task {
 public:
  explicit Cumulate(const CumulatePlan& plan) : Task(task_name(plan.op), plan.out.device()), plan_(plan) {
    reads(*plan.in.storage);
    declare_output(*this, plan.out);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { *list = {{plan_.in, false}, {plan_.out, true}}; }

 protected:
  static const char* task_name(ReduceOp op) {
    switch (op) {
#define REDUCTION(ID, name, ...) \
  case ReduceOp::name:           \
    return "cumulative_" #name;
#include "ops/reductions.def"
#undef REDUCTION
    }
    __builtin_unreachable();  // the compiler warns of an enumerator without a case
  }
  CumulatePlan plan_;
};

class CpuCumulate final : public Cumulate {
 public:
  using Cumulate::Cumulate;
  Status run(const TaskContext&) override {
    with_reduction(plan_.op, [this]<class Parts>() {
      with_element(plan_.in.dtype, [this]<class T>(T*) { ops::run<T, typename Parts::template Of<true, T>>(plan_); });
    });
    return {};
  }
};

class CudaCumulate final : public Cumulate {
 public:
  explicit CudaCumulate(const CumulatePlan& plan) : Cumulate(plan) {
    const Dims<2>& rows = plan.rows;
    arguments_.rows = KernelDims<2>(rows);
    arguments_.count = rows.elements();
    arguments_.length = plan.length;
    arguments_.facts = plan.facts();
    arguments_.accumulate = plan.out.accumulate;
    int64_t reach = std::max<int64_t>(arguments_.count, plan.length);
    for (int i = 0; i < 2; ++i) {
      arguments_.step[i] = plan.step[i];
      reach = std::max(reach, rows.reach(i) + plan.length * std::abs(plan.step[i]));
    }
    wide_ = needs_wide(reach);
    const int64_t row_step = rows.count > 0 ? std::abs(rows.stride[0][rows.count - 1]) : INT64_MAX;
    const bool beside = row_step < std::abs(plan.step[0]);
    group_ = plan.length <= 8 || (beside && arguments_.count >= 32) ? 1 : 256;
  }

  Status prepare() override {
    if (kernel_) return {};
    KernelSpec spec(rtc::kCumulate, 0, wide_);
    spec.type("Element", plan_.in.dtype).constant("kOp", static_cast<int>(plan_.op)).constant("kGroup", group_);
    spec.constant("kDims", plan_.rows.count);
    return rtc::find_kernel(
        cuda_device(*this), spec.signature(), name(),
        [&] {
          const std::string kernel = format(R"(
using Kernel = CumulateKernel<Reduction<true, Element, %s>, Index, kGroup, kGroup == 1 ? 1 : 4, kDims>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const CumulateArguments args) {
  __shared__ __align__(16) unsigned char memory[Kernel::kShared];
  Kernel{args, memory}.run();
}
)",
                                            reduction_row(plan_.op).parts);
          return spec.text({rtc::kCumulateText, kernel.c_str()});
        },
        &kernel_);
  }

  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    const auto in_size = static_cast<int64_t>(dtype_size(plan_.in.dtype));
    const auto out_size = static_cast<int64_t>(dtype_size(plan_.out.dtype));
    arguments_.in = plan_.in.address() + plan_.start[0] * in_size;
    arguments_.out = plan_.out.address() + plan_.start[1] * out_size;
    return launch(*this, *kernel_, context, 256, blocks_for(arguments_.count, 256 / group_), arguments_);
  }

 private:
  CumulateArguments arguments_ = {};
  int group_ = 1;
  bool wide_ = false;
  const rtc::Kernel* kernel_ = nullptr;
};

}  // namespace

Status cumulative(rondo_reduce_op op, const View& a, int axis, bool reverse, Output& out) {
  constexpr const char* function = "rondo_cumulative";
  const ReductionRow* row = find_reduction(op);
  if (!row)
    return error(RONDO_INVALID_ARGUMENT, "%s: op is %d; RONDO_SUM (%d) to RONDO_NANPROD (%d) are possible", function,
                 op, RONDO_SUM, RONDO_NANPROD);
  if (!row->cumulative) {
    std::string possible;
    for (int i = 0; i < kReductions; ++i)
      if (const ReductionRow& each = reduction_row(static_cast<ReduceOp>(i)); each.cumulative)
        possible += std::string(possible.empty() ? "" : ", ") + each.name;
    return error(RONDO_INVALID_ARGUMENT, "%s: op is %s, which is no running value; possible are %s", function,
                 row->name, possible.c_str());
  }
  RONDO_TRY(check_inputs(function, {{"a", &a}}));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), reduced_dtype(row->op, a.dtype), a.layout, {&a}, false, &to));
  if (to.elements() == 0) {
    out.commit();
    return {};
  }
  CumulatePlan plan;
  plan.op = row->op;
  plan.in = a;
  plan.out = to;
  plan.length = a.layout.shape[axis];
  const int64_t steps[] = {a.layout.strides[axis], to.layout.strides[axis]};
  for (int i = 0; i < 2; ++i) {
    plan.step[i] = reverse ? -steps[i] : steps[i];
    plan.start[i] = reverse ? (plan.length - 1) * steps[i] : 0;
  }
  for (int d = 0; d < a.layout.ndim; ++d)
    if (d != axis) plan.rows.push(a.layout.shape[d], {a.layout.strides[d], to.layout.strides[d]});
  plan.rows = plan.rows.by_stride();
  const auto describe = [&] { return Call{CumulativeCall{row->op, axis, reverse}}; };
  return a.device().is_host() ? submit(a.engine(), make_ref<CpuCumulate>(plan), {&out}, describe)
                              : submit_prepared(a.engine(), make_ref<CudaCumulate>(plan), {&out}, describe);
}

}  // namespace rondo::ops
