// Checks arange and linspace, and defines one task for either kind of device.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/device/sequence.h"

#include <cinttypes>
#include <cmath>

#include "ops/movement/shapes.h"
#include "ops/operators/scalar.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "ops/task/submit.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

using device::SequenceArguments;

constexpr const char* kText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const SequenceArguments args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.count) sequence_element<M>(args, i);
}
)";

class Sequence final : public KernelTask {
 public:
  Sequence(const char* name, const View& out, SequenceArguments arguments)
      : KernelTask(name, out.device()), out_(out), arguments_(arguments) {
    declare_output(*this, out);
    arguments_.count = out.layout.shape[0];
    arguments_.stride = out.layout.strides[0];
    arguments_.adds = out.accumulate;
    if (device().is_host()) return;
    KernelSpec spec(rtc::kSequence, 0, true, "sequence");
    spec.type("M", out.dtype).text({rtc::kSequenceText, kText});
    add_launch(add_kernel(spec), arguments_, blocks_for(arguments_.count, kThreads));
    add_address(&arguments_.out, out);
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    View out = out_;
    memory.move(&out);
    return make_ref<Sequence>(name(), out, arguments_);
  }
  Status run(const TaskContext& context) override {
    if (!device().is_host()) return KernelTask::run(context);
    arguments_.out = out_.address();
    with_element(out_.dtype, [&]<class M>(M*) {
      for (int64_t i = 0; i < arguments_.count; ++i) device::sequence_element<M>(arguments_, i);
    });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { *list = {{out_, true}}; }

 private:
  View out_;
  SequenceArguments arguments_;
};

Status submit_sequence(const char* name, const NewTensor& made, int64_t count, const SequenceArguments& arguments,
                       Output& out) {
  View to;
  RONDO_TRY(out.resolve(*made.engine, *made.device, made.dtype, Layout::row_major(1, &count), {}, false, &to));
  if (count == 0) {
    out.commit();
    return {};
  }
  return submit_prepared(*made.engine, make_ref<Sequence>(name, to, arguments), {&out}, [&] {
    return Call{SequenceCall{arguments.whole != 0, arguments.ends != 0, arguments.whole_start, arguments.whole_step,
                             arguments.start, arguments.step, arguments.last}};
  });
}

// How many steps lead from start to below stop; false if there is no such number.
bool steps(Scalar start, Scalar stop, Scalar step, int64_t* count) {
  if (start.integer) {
    const __int128 distance = static_cast<__int128>(stop.i) - start.i, by = step.i;
    const __int128 up = by > 0 ? (distance + by - 1) / by : (distance + by + 1) / by;
    *count = up > 0 ? static_cast<int64_t>(std::min<__int128>(up, INT64_MAX)) : 0;
    return true;
  }
  const double number = std::ceil((stop.f - start.f) / step.f);
  if (!(number < 0x1p62)) return false;  // NaN as well
  *count = number > 0 ? static_cast<int64_t>(number) : 0;
  return true;
}

}  // namespace

Status sequence(const char* name, const NewTensor& made, const SequenceCall& call, Output& out) {
  RONDO_TRY(check_computed("the result", made.dtype));
  if (made.shape.ndim != 1)
    return error(RONDO_INVALID_ARGUMENT, "the result has %d dimensions; 1 is needed", made.shape.ndim);
  if (!is_float(made.dtype) && !(std::isfinite(call.start) && std::isfinite(call.step) && std::isfinite(call.last)))
    return error(RONDO_INVALID_ARGUMENT, "start is %g and step %g; %s holds finite numbers", call.start, call.step,
                 dtype_name(made.dtype));
  SequenceArguments arguments = {};
  arguments.whole = call.whole;
  arguments.ends = call.ends;
  arguments.whole_start = call.whole_start;
  arguments.whole_step = call.whole_step;
  arguments.start = call.start;
  arguments.step = call.step;
  arguments.last = call.last;
  return submit_sequence(name, made, made.shape.shape[0], arguments, out);
}

Status arange(const NewTensor& made, Scalar start, Scalar stop, Scalar step, Output& out) {
  RONDO_TRY(check_computed("the result", made.dtype));
  uint64_t word = 0;
  const bool floats = is_float(made.dtype);
  if (!floats && !start.integer) {
    RONDO_TRY(scalar_word("start", start, RONDO_I64, &word));
    RONDO_TRY(scalar_word("stop", stop, RONDO_I64, &word));
    RONDO_TRY(scalar_word("step", step, RONDO_I64, &word));
    start = Scalar::of_i64(static_cast<int64_t>(start.f));
    stop = Scalar::of_i64(static_cast<int64_t>(stop.f));
    step = Scalar::of_i64(static_cast<int64_t>(step.f));
  }
  int64_t count = 0;
  if (step.f == 0 || !steps(start, stop, step, &count))
    return error(RONDO_INVALID_ARGUMENT, "step is %g; from start %g to stop %g it needs a finite number of steps",
                 step.f, start.f, stop.f);
  SequenceArguments arguments = {};
  arguments.whole = start.integer;
  arguments.whole_start = start.i;
  arguments.whole_step = step.i;
  arguments.start = start.f;
  arguments.step = step.f;
  if (count > 0 && !floats) {
    RONDO_TRY(scalar_word("start", start, made.dtype, &word));
    const auto distance = static_cast<uint64_t>(count - 1) * static_cast<uint64_t>(step.i);
    const auto last = static_cast<int64_t>(static_cast<uint64_t>(start.i) + distance);
    RONDO_TRY(scalar_word("the last element before stop", Scalar::of_i64(last), made.dtype, &word));
  }
  return submit_sequence("arange", made, count, arguments, out);
}

Status linspace(const NewTensor& made, double start, double stop, int64_t count, bool endpoint, Output& out) {
  RONDO_TRY(check_computed("the result", made.dtype));
  if (count < 0) return error(RONDO_INVALID_ARGUMENT, "count is %" PRId64 "; 0 or more is needed", count);
  if (!is_float(made.dtype) && !(std::isfinite(start) && std::isfinite(stop)))
    return error(RONDO_INVALID_ARGUMENT, "%s is %g; %s holds finite numbers", std::isfinite(start) ? "stop" : "start",
                 std::isfinite(start) ? stop : start, dtype_name(made.dtype));
  const int64_t gaps = endpoint ? count - 1 : count;
  SequenceArguments arguments = {};
  arguments.start = start;
  arguments.step = gaps > 0 ? (stop - start) / static_cast<double>(gaps) : 0;
  arguments.last = stop;
  arguments.ends = endpoint && count > 1;
  return submit_sequence("linspace", made, count, arguments, out);
}

}  // namespace rondo::ops
