// Reductions on a GPU: which of the kernels in rtc/device/reduce.h, and how it is launched. Where there are too few
// results to fill the device, the reduced range is split over blocks, whose partial results a second pass joins. How
// elements are combined depends on shape and layout alone, so results are the same in every run, eager or captured.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cuda_kernel.h"
#include "ops/kernel_task.h"
#include "ops/reduce.h"
#include "rtc/device/reduce.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

constexpr int kBlock = 256;  // threads

using device::ReduceArguments;

// Around what the reduction is made of, and the memory and the way of a pass.
constexpr const char* kTextBefore = R"(
using Pass = ReducePass<Reduction<true, Element, )";
constexpr const char* kTextBehindParts = R"(>, Index, kJoins, kFinal, kVector, kGroup, kKept, kReduced>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const ReduceArguments args) {
  __shared__ __align__(16) unsigned char memory[Pass::)";
constexpr const char* kTextBetween = R"(];
  Pass{args, memory}.)";
constexpr const char* kTextBehind = R"(();
}
)";

// What tells the kernels of a pass apart.
struct Variant {
  ReduceOp op = ReduceOp::sum;
  rondo_dtype in = RONDO_F32;
  bool columns = false;
  bool joins = false;    // the input is partial results
  bool partial = false;  // the output is
  bool wide = false;
  int vector = 1, group = 32, kept = 0, reduced = 0;

  KernelSpec spec() const {
    KernelSpec spec(rtc::kReduce, columns ? 1 : 0, wide, columns ? "reduce_columns" : "reduce_rows");
    spec.type("Element", in).constant("kOp", static_cast<int>(op)).constant("kJoins", joins);
    spec.constant("kFinal", !partial).constant("kVector", vector).constant("kGroup", group).constant("kKept", kept);
    spec.constant("kReduced", reduced);
    return spec.text({rtc::kReduceText, kTextBefore, reduction_row(op).parts, kTextBehindParts,
                      columns ? "kColumnsMemory" : "kRowsMemory", kTextBetween, columns ? "columns" : "rows",
                      kTextBehind});
  }
};

// Lanes side by side over results: up to a warp. The rest of the block shares the reduced range.
int column_lanes(int64_t outputs, int vector) {
  return power_of_two_up_to((outputs + vector - 1) / vector, 32);
}

// Lanes that share a result: a block where the range is long or results are few, otherwise so many that each has a few
// loads.
int row_lanes(int64_t outputs, int64_t length, int vector) {
  if (length > 2048 || (length > 256 && outputs < 1024)) return kBlock;
  const int64_t loads = (length + vector - 1) / vector;
  return power_of_two_up_to(outputs < 4096 ? loads : (loads + 3) / 4, 32);
}

class CudaReduction final : public KernelTask {
 public:
  explicit CudaReduction(const ReducePlan& given) : KernelTask(given.name(), given.out.device()), plan_(given) {
    reads(*given.in.storage);
    declare_output(*this, given.out);
    plan();
  }
  void list_operands(std::vector<TaskOperand>* list) const override { *list = {{plan_.in, false}, {plan_.out, true}}; }

 private:
  void plan();
  int widest_vector(const Dims<2>& kept, bool columns) const;
  void add_pass(const Variant& variant, ReduceArguments& arguments, int64_t splits);

  ReducePlan plan_;
  ReduceArguments first_ = {}, second_ = {};
};

// How many neighbours may be loaded at once: along the innermost kept (columns) or reduced dimension (rows), which must
// be contiguous and start every run at a multiple.
int CudaReduction::widest_vector(const Dims<2>& kept, bool columns) const {
  const Dims<1>& reduced = plan_.reduced;
  const auto size = static_cast<int64_t>(dtype_size(plan_.in.dtype));
  for (int64_t vector = std::min<int64_t>(16 / size, columns ? 4 : 8); vector > 1; vector /= 2) {
    bool fits = alignment_of(plan_.in, 16) >= vector * size;
    for (int d = 0; d < kept.count; ++d)
      fits &= columns && d == kept.count - 1 ? kept.stride[0][d] == 1 && kept.size[d] % vector == 0
                                             : kept.stride[0][d] % vector == 0;
    for (int d = 0; d < reduced.count; ++d) {
      const bool inner = !columns && d == reduced.count - 1;
      fits &= inner ? reduced.stride[0][d] == 1 && (reduced.count == 1 || reduced.size[d] % vector == 0)
                    : reduced.stride[0][d] % vector == 0;
    }
    fits &= (columns ? kept.count : reduced.count) > 0;
    if (fits) return static_cast<int>(vector);
  }
  return 1;
}

void CudaReduction::add_pass(const Variant& variant, ReduceArguments& arguments, int64_t splits) {
  const int64_t together = variant.columns ? variant.group * variant.vector : kBlock / variant.group;
  add_launch(add_kernel(variant.spec()), arguments, blocks_for(arguments.outputs, together), splits);
}

void CudaReduction::plan() {
  const Dims<2>& kept = plan_.kept;
  const Dims<1>& reduced = plan_.reduced;
  const int64_t outputs = plan_.outputs(), length = plan_.length();
  const int64_t kept_step = kept.count ? std::abs(kept.stride[0][kept.count - 1]) : INT64_MAX;
  const int64_t reduced_step = reduced.count ? std::abs(reduced.stride[0][reduced.count - 1]) : 0;

  Variant variant;
  variant.op = plan_.op;
  variant.in = plan_.in.dtype;
  variant.columns = outputs > 1 && kept_step < reduced_step;
  variant.kept = kept.count;
  variant.reduced = reduced.count;
  variant.vector = widest_vector(kept, variant.columns);
  variant.group = variant.columns ? column_lanes(outputs, variant.vector) : row_lanes(outputs, length, variant.vector);

  // Splits: enough blocks to fill a large device, each with enough to do.
  const int64_t blocks = variant.columns ? blocks_for(outputs, variant.group * variant.vector) : outputs;
  const int64_t least = variant.columns ? kBlock / variant.group * 16 : 8192;
  int64_t splits = 1;
  if ((variant.columns || variant.group == kBlock) && blocks < 256 && length >= 2 * least)
    splits = std::min(512 / blocks, (length + least - 1) / least);
  const int64_t vector = variant.columns ? 1 : variant.vector;
  const int64_t chunk = ((length + splits - 1) / splits + vector - 1) / vector * vector;
  if (chunk > 0) splits = (length + chunk - 1) / chunk;

  splits = std::max<int64_t>(splits, 1);

  ReduceArguments& arguments = first_;
  arguments.kept = KernelDims<2>(kept);
  arguments.reduced = KernelDims<1>(reduced);
  arguments.outputs = outputs;
  arguments.length = length;
  arguments.chunk = chunk;
  arguments.facts = plan_.facts();
  arguments.accumulate = plan_.out.accumulate;
  variant.wide = needs_wide(std::max({kept.reach(0) + reduced.reach(0), kept.reach(1), outputs * splits, length}));
  add_address(&first_.in, plan_.in);
  if (splits == 1) {
    add_address(&first_.out, plan_.out);
    return add_pass(variant, first_, splits);
  }

  workspace_bytes_ = static_cast<size_t>(outputs * splits) * partial_bytes(plan_.op, plan_.in.dtype);
  add_workspace(&first_.out);
  variant.partial = true;
  add_pass(variant, first_, splits);
  Variant joining;
  joining.op = plan_.op;
  joining.in = plan_.in.dtype;
  joining.joins = true;
  joining.columns = outputs > 1;
  joining.group = joining.columns ? column_lanes(outputs, 1) : kBlock;
  joining.wide = variant.wide;
  joining.kept = kept.count;
  joining.reduced = 1;
  Dims<2> partial = kept;  // numbered in row-major order
  int64_t step = 1;
  for (int d = partial.count - 1; d >= 0; --d) {
    partial.stride[0][d] = step;
    step *= partial.size[d];
  }
  Dims<1> parts;
  parts.push(splits, {outputs});
  second_ = arguments;
  second_.kept = KernelDims<2>(partial);
  second_.reduced = KernelDims<1>(parts);
  second_.length = splits;
  second_.chunk = splits;
  add_workspace(&second_.in);
  add_address(&second_.out, plan_.out);
  add_pass(joining, second_, 1);
}

}  // namespace

Ref<Task> make_cuda_reduction(const ReducePlan& plan) {
  return make_ref<CudaReduction>(plan);
}

}  // namespace rondo::ops
