// Checks cumulative reductions, runs their loop on the cpu, and launches their kernel on a GPU.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "engine/tasks/workers.h"
#include "engine/views.h"
#include "ops/host/reduction_values.h"
#include "ops/operators/reductions.h"
#include "ops/program/infer.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"
#include "rtc/device/cumulate.h"
#include "rtc/device_text.h"

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
  void move_to(const Rebinding& memory) { memory.move_all(in, out); }
  void declare(Task& task) const {
    task.reads(*in.storage);
    declare_output(task, out);
  }
  void list_operands(std::vector<TaskOperand>* list) const { *list = {{in, false}, {out, true}}; }
};

constexpr int64_t kPart = 1 << 15;  // elements that are worth handing to another thread, of so many in all
constexpr int64_t kShared = 1 << 17;

// The loops of a reduction over values. Sums of f32 are kept in f64: a prefix has no tree to be short in.
struct CumulateLoops : ValueSteps {
  // Takes n values and gives a result after each: neighbours in a row to one accumulator, or one to each of n.
  void (*along)(void* to, const void* values, void* results, int64_t n, const device::ReduceFacts& facts);
  void (*across)(void* to, const void* values, void* results, int64_t n, const device::ReduceFacts& facts);
};

template <class Op>
struct StepsOf : ValueLoops<Op> {
  using typename ValueLoops<Op>::Acc;
  using typename ValueLoops<Op>::V;
  using typename ValueLoops<Op>::Result;

  // None of these asks for positions.
  static void along(void* to, const void* values, void* results, int64_t n, const device::ReduceFacts& facts) {
    Acc acc = *static_cast<Acc*>(to);  // in a register
    for (int64_t i = 0; i < n; ++i) {
      Op::take(acc, static_cast<const V*>(values)[i], 0, facts);
      static_cast<Result*>(results)[i] = Op::result(acc, facts);
    }
    *static_cast<Acc*>(to) = acc;
  }
  static void across(void* to, const void* values, void* results, int64_t n, const device::ReduceFacts& facts) {
    Acc* acc = static_cast<Acc*>(to);
    for (int64_t i = 0; i < n; ++i) {
      Op::take(acc[i], static_cast<const V*>(values)[i], 0, facts);
      static_cast<Result*>(results)[i] = Op::result(acc[i], facts);
    }
  }
  static constexpr CumulateLoops steps = {ValueLoops<Op>::steps, along, across};
};

// As the table's column: the accumulator is the result.
template <class Op>
constexpr bool kCumulative = false;
template <bool on_device, class M, class Domain, class Before, template <class, bool> class Accumulator>
constexpr bool kCumulative<device::Reduction<on_device, M, Domain, Before, Accumulator, device::AsIs>> =
    !std::is_same_v<Domain, device::Position>;

// Null for what is no running value.
const CumulateLoops* steps_of(ReduceOp op, rondo_dtype dtype) {
  return with_reduction(op, [dtype]<class Parts>() -> const CumulateLoops* {
    if constexpr (kCumulative<typename Parts::template Of<false, float>>) {
      return with_reduction_value<Parts, false>(dtype, []<class V>(V*) -> const CumulateLoops* {
        return &StepsOf<typename Parts::template Of<false, V>>::steps;
      });
    } else {
      return nullptr;
    }
  });
}

struct Cumulator : ValueRun<CumulatePlan, CumulateLoops> {
  explicit Cumulator(const CumulatePlan& plan) : ValueRun(plan, *steps_of(plan.op, plan.in.dtype), plan.rows) {}

  // Rows [i, end).
  void rows(int64_t i, int64_t end) const {
    while (i < end) {
      const int64_t n = std::min(row.together(i, plan.step[0], kMostValues), end - i);
      const char* from = plan.in.address() + (plan.start[0] + plan.rows.offset(0, i)) * in_size;
      char* to = plan.out.address() + (plan.start[1] + plan.rows.offset(1, i)) * out_size;
      n == 1 ? along(from, to) : across(from, to, n);
      i += n;
    }
  }

 private:
  void along(const char* from, char* to) const {
    ValueBlock values, results;
    Accumulators<1> acc;
    steps.clear(acc.bytes, 1);
    for (int64_t i = 0; i < plan.length; i += kMostValues) {
      const int64_t n = std::min(plan.length - i, kMostValues);
      steps.along(acc.bytes, reader.read(from + i * plan.step[0] * in_size, plan.step[0], n, &values), results.bytes, n,
                  facts);
      writer.write(to + i * plan.step[1] * out_size, plan.step[1], results.bytes, n);
    }
  }
  void across(const char* from, char* to, int64_t n) const {
    ValueBlock values, results;
    Accumulators<kMostValues> acc;
    steps.clear(acc.bytes, n);
    for (int64_t i = 0; i < plan.length; ++i) {
      steps.across(acc.bytes, reader.read(from, row.in_step, n, &values), results.bytes, n, facts);
      writer.write(to, row.out_step, results.bytes, n);
      from += plan.step[0] * in_size;
      to += plan.step[1] * out_size;
    }
  }
};

void cumulate(const CumulatePlan& plan) {
  const Cumulator cumulator(plan);
  const int64_t count = plan.rows.elements();
  // Several threads for what is large; each row is one thread's.
  if (count * plan.length < kShared) return cumulator.rows(0, count);
  const int64_t part = std::max(kPart / plan.length, cumulator.row.together(0, plan.step[0], kMostValues));
  Workers::share((count + part - 1) / part,
                 [&](int64_t number) { cumulator.rows(number * part, std::min((number + 1) * part, count)); });
}

const char* task_name(ReduceOp op) {
  switch (op) {
#define REDUCTION(ID, name, ...) \
  case ReduceOp::name:           \
    return "cumulative_" #name;
#include "ops/operators/reductions.def"
#undef REDUCTION
  }
  __builtin_unreachable();  // the compiler warns of an enumerator without a case
}

class CpuCumulate final : public Computation {
 public:
  explicit CpuCumulate(const CumulatePlan& plan) : Computation(task_name(plan.op), plan.out.device()), plan_(plan) {
    plan.declare(*this);
  }
  Status run(const TaskContext&) override {
    cumulate(plan_);
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuCumulate>(memory.moved(plan_)); }

 private:
  CumulatePlan plan_;
};

// Around what the reduction is made of.
constexpr const char* kTextBefore = R"(
using Kernel = CumulateKernel<Reduction<true, Element, )";
constexpr const char* kTextBehind = R"(>, Index, kGroup, kGroup == 1 ? 1 : 4, kDims>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const CumulateArguments args) {
  __shared__ __align__(16) unsigned char memory[Kernel::kShared];
  Kernel{args, memory}.run();
}
)";

class CudaCumulate final : public KernelTask {
 public:
  explicit CudaCumulate(const CumulatePlan& plan) : KernelTask(task_name(plan.op), plan.out.device()), plan_(plan) {
    plan.declare(*this);
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
    const int64_t row_step = rows.count > 0 ? std::abs(rows.stride[0][rows.count - 1]) : INT64_MAX;
    const bool beside = row_step < std::abs(plan.step[0]);
    const int group = plan.length <= 8 || (beside && arguments_.count >= 32) ? 1 : kThreads;

    KernelSpec spec(rtc::kCumulate, 0, needs_wide(reach), name());
    spec.type("Element", plan.in.dtype).constant("kOp", static_cast<int>(plan.op)).constant("kGroup", group);
    spec.constant("kDims", rows.count);
    spec.text({rtc::kCumulateText, kTextBefore, reduction_row(plan.op).parts, kTextBehind});
    add_launch(add_kernel(spec), arguments_, blocks_for(arguments_.count, kThreads / group));
    add_address(&arguments_.in, plan.in, plan.start[0] * static_cast<int64_t>(dtype_size(plan.in.dtype)));
    add_address(&arguments_.out, plan.out, plan.start[1] * static_cast<int64_t>(dtype_size(plan.out.dtype)));
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CudaCumulate>(memory.moved(plan_));
  }

 private:
  CumulatePlan plan_;
  CumulateArguments arguments_ = {};
};

}  // namespace

Status infer(const CumulativeCall& call, InputTypes inputs, ResultTypes results) {
  RONDO_TRY(check_reduction_attribute(call.op));
  const ReductionRow& row = reduction_row(call.op);
  if (!row.cumulative) {
    std::string possible;
    for (int i = 0; i < kReductions; ++i)
      if (const ReductionRow& each = reduction_row(static_cast<ReduceOp>(i)); each.cumulative)
        possible += std::string(possible.empty() ? "" : ", ") + each.name;
    return error(RONDO_INVALID_ARGUMENT, "op is %s, which is no running value; possible are %s", row.name,
                 possible.c_str());
  }
  const View& a = *inputs[0];
  RONDO_TRY(check_computed("a", a.dtype));
  RONDO_TRY(check_axis_attribute(call.axis, a));
  results[0].set(reduced_dtype(call.op, a.dtype), a.layout);
  return {};
}

Status cumulative(rondo_reduce_op op, const View& a, int axis, bool reverse, Output& out) {
  const ReductionRow* row = find_reduction(op);
  if (!row)
    return error(RONDO_INVALID_ARGUMENT, "op is %d; RONDO_SUM (%d) to RONDO_NANPROD (%d) are possible", op, RONDO_SUM,
                 RONDO_NANPROD);
  RONDO_TRY(check_inputs({{"a", &a}}));
  RONDO_TRY(check_axis(axis, a.layout.ndim, "axis", "a", &axis));
  const CumulativeCall call{row->op, axis, reverse};
  const View* const inputs[] = {&a};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  View to;
  RONDO_TRY(out.resolve(a.engine(), a.device(), made.dtype, made.shape, inputs, false, &to));
  CumulatePlan plan;
  plan.op = row->op;
  plan.in = a;
  plan.out = to;
  const auto describe = [&] { return Call{call}; };
  if (to.elements() == 0) return submit_nothing(row->name, plan, {&out}, describe);
  plan.length = a.layout.shape[axis];
  const int64_t steps[] = {a.layout.strides[axis], to.layout.strides[axis]};
  for (int i = 0; i < 2; ++i) {
    plan.step[i] = reverse ? -steps[i] : steps[i];
    plan.start[i] = reverse ? (plan.length - 1) * steps[i] : 0;
  }
  for (int d = 0; d < a.layout.ndim; ++d)
    if (d != axis) plan.rows.push(a.layout.shape[d], {a.layout.strides[d], to.layout.strides[d]});
  plan.rows = plan.rows.by_stride();
  return a.device().is_host() ? submit(a.engine(), make_ref<CpuCumulate>(plan), {&out}, describe)
                              : submit_prepared(a.engine(), make_ref<CudaCumulate>(plan), {&out}, describe);
}

}  // namespace rondo::ops
