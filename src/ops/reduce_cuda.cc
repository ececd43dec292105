// Reductions on a GPU: which of the kernels in rtc/device/reduce.h, and how it is launched. Where there are too few
// results to fill the device, the reduced range is split over blocks, whose partial results a second pass joins. How
// elements are combined depends on shape and layout alone, so results are the same in every run, eager or captured.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

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

// The same of a pass over what an expression makes.
constexpr const char* kExpressionTextBefore = R"(
struct Arguments {
  ReduceArguments reduce;
  Dims<kOperands> kept, reduced;
  Operands operands;
};
using Pass = ReduceExpressionPass<Reduction<true, Element, )";
constexpr const char* kExpressionTextBehind =
    R"(>, Arguments, Index, kFinal, kColumns, kGroup, kKept, kReduced, kOperands>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  __shared__ __align__(16) unsigned char memory[Pass::kMemory];
  Pass{args, memory}.run();
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

  unsigned blocks(int64_t outputs) const { return blocks_for(outputs, columns ? group * vector : kBlock / group); }
  KernelSpec spec() const {
    KernelSpec spec(rtc::kReduce, columns ? 1 : 0, wide, columns ? "reduce_columns" : "reduce_rows");
    spec.type("Element", in).constant("kOp", static_cast<int>(op)).constant("kJoins", joins);
    spec.constant("kFinal", !partial).constant("kVector", vector).constant("kGroup", group).constant("kKept", kept);
    spec.constant("kReduced", reduced);
    return spec.text({rtc::kReduceText, kTextBefore, reduction_row(op).parts, kTextBehindParts,
                      columns ? "kColumnsMemory" : "kRowsMemory", kTextBetween, columns ? "columns" : "rows",
                      kTextBehind});
  }
  KernelSpec spec(const Expression& expression) const {
    KernelSpec spec(rtc::kReduce, 2, wide, "reduce_expression");
    spec.type("Element", in).constant("kOp", static_cast<int>(op)).constant("kFinal", !partial);
    spec.constant("kColumns", columns).constant("kGroup", group).constant("kKept", kept).constant("kReduced", reduced);
    spec.constant("kOperands", expression.inputs()).computing(expression);
    return spec.text({rtc::kReduceText, rtc::kReduceExpressionText, kExpressionTextBefore, reduction_row(op).parts,
                      kExpressionTextBehind});
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
    given.declare(*this);
    plan();
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }

 private:
  void plan();
  int widest_vector(const Dims<2>& kept, bool columns) const;
  void lay_out_expression();
  // to_workspace: the results are partial ones.
  void add_first_pass(const Variant& variant, int64_t splits, bool to_workspace);

  ReducePlan plan_;
  std::vector<uint64_t> words_;  // the first pass's, if it is over an expression
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

// What the kernel's Arguments are.
void CudaReduction::lay_out_expression() {
  const ReducedExpression& made = *plan_.expression;
  const auto copy = [this](const void* from, size_t bytes) {
    const size_t at = words_.size();
    words_.resize(at + bytes / sizeof(uint64_t));
    std::memcpy(words_.data() + at, from, bytes);
  };
  copy(&first_, sizeof first_);
  for (const auto& dims : {made.kept, made.reduced}) {
    copy(dims.size, sizeof dims.size);
    for (size_t k = 0; k < made.inputs.size(); ++k) copy(dims.stride[k], sizeof dims.stride[k]);
  }
  const size_t inputs = words_.size();
  words_.resize(inputs + made.inputs.size());
  words_.insert(words_.end(), made.scalars.begin(), made.scalars.end());
  for (size_t k = 0; k < made.inputs.size(); ++k) add_address(&words_[inputs + k], made.inputs[k]);
}

void CudaReduction::add_first_pass(const Variant& variant, int64_t splits, bool to_workspace) {
  void* to = &first_.out;
  const unsigned blocks = variant.blocks(first_.outputs);
  if (plan_.expression) {
    lay_out_expression();
    to = &words_[offsetof(ReduceArguments, out) / sizeof(uint64_t)];
    add_launch(add_kernel(variant.spec(plan_.expression->expression)), *words_.data(), blocks, splits);
  } else {
    add_launch(add_kernel(variant.spec()), first_, blocks, splits);
    add_address(&first_.in, plan_.in);
  }
  if (to_workspace)
    add_workspace(to);
  else
    add_address(to, plan_.out);
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
  variant.vector = plan_.expression ? 1 : widest_vector(kept, variant.columns);
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
  int64_t reach = std::max({kept.reach(0) + reduced.reach(0), kept.reach(1), outputs * splits, length});
  for (size_t k = 0; plan_.expression && k < plan_.expression->inputs.size(); ++k) {
    const int array = static_cast<int>(k);
    reach = std::max(reach, plan_.expression->kept.reach(array) + plan_.expression->reduced.reach(array));
  }
  variant.wide = needs_wide(reach);
  if (splits == 1) return add_first_pass(variant, 1, false);

  workspace_bytes_ = static_cast<size_t>(outputs * splits) * partial_bytes(plan_.op, plan_.in.dtype);
  variant.partial = true;
  add_first_pass(variant, splits, true);
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
  add_launch(add_kernel(joining.spec()), second_, joining.blocks(outputs));
}

}  // namespace

Ref<Task> make_cuda_reduction(const ReducePlan& plan) {
  return make_ref<CudaReduction>(plan);
}

}  // namespace rondo::ops
