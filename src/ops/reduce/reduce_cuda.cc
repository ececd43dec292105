// Reduces on a GPU: chooses among the kernels in rtc/device/reduce.h, and launches them. If there are too few results
// to fill the device, the reduced range is split over blocks, whose partial results a second pass joins. How elements
// are combined depends on shape and layout alone, so results are the same in every run, eager or captured.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include "ops/operators/reductions.h"
#include "ops/reduce/reduce.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device/reduce.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

constexpr int kBlock = 256;  // threads

using device::ReduceArguments;

// Around what the reduction is made of, what it reduces and where results go.
constexpr const char* kOpText = "\nusing Op = Reduction<true, Element, ";
constexpr const char* kArgumentsText = R"(>;
struct Arguments {
  ReduceArguments reduce;
)";
constexpr const char* kStoredText = R"(};
using Source = Stored<typename Choose<kJoins, typename Op::Acc, Element>::type, Arguments, Index, kKept, kReduced, kDense>;
)";
constexpr const char* kMadeFields = R"(
  Dims<kOperands> kept, reduced;
  before::Operands operands;
)";
constexpr const char* kMadeText = R"(};
using Source = Made<Arguments, Index, kKept, kReduced, kOperands>;
)";
constexpr const char* kPlainText = "using Sink = ResultToMemory<Out, Arguments>;\n";
constexpr const char* kFinishField = "  after::Operands finish;\n";
constexpr const char* kFinishText = "using Sink = FinishedResult<Out, Arguments>;\n";
constexpr const char* kPassText = R"(
using Pass = ReducePass<Op, Index, Source, Sink, kJoins, kFinal, kColumns, kVector, kAhead, kGroup, kKept>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  __shared__ __align__(16) unsigned char memory[Pass::kMemory];
  Pass{args.reduce, Source{args}, Sink{args}, memory}.run();
}
)";

// The properties that tell the kernels of a pass apart.
struct Variant {
  ReduceOp op = ReduceOp::sum;
  rondo_dtype in = RONDO_F32, out = RONDO_F32;
  bool columns = false;
  bool joins = false;    // the input is partial results
  bool partial = false;  // the output is
  bool dense = false;    // what is reduced lies side by side
  bool wide = false;
  int vector = 1, ahead = 4, group = 32, kept = 0, reduced = 0;
  unsigned repeats = 0;  // inputs of an expression that are the same for neighbours

  unsigned blocks(int64_t outputs) const { return blocks_for(outputs, columns ? group * vector : kBlock / group); }
  // Over an expression, if there is one, and with what is computed of results.
  KernelSpec spec(const Expression* made, const Expression* finish) const {
    KernelSpec spec(rtc::kReduce, columns ? 1 : 0, wide,
                    made      ? "reduce_expression"
                    : columns ? "reduce_columns"
                              : "reduce_rows");
    spec.type("Element", in).type("Out", out).constant("kOp", static_cast<int>(op)).constant("kJoins", joins);
    spec.constant("kFinal", !partial).constant("kColumns", columns).constant("kVector", vector);
    spec.constant("kAhead", ahead).constant("kGroup", group).constant("kKept", kept).constant("kReduced", reduced);
    spec.constant("kDense", dense).constant("kOperands", made ? made->inputs() : 0);
    spec.constant("kFinishes", finish != nullptr);
    if (made) spec.computing("before", *made, repeats);
    if (finish) spec.computing("after", *finish, 0, 0);
    constexpr const char* kNone = "";
    return spec.text({rtc::kReduceText, made ? rtc::kReduceExpressionText : kNone,
                      finish ? rtc::kReduceFinishText : kNone, kOpText, reduction_row(op).parts, kArgumentsText,
                      made ? kMadeFields : kNone, finish ? kFinishField : kNone, made ? kMadeText : kStoredText,
                      finish ? kFinishText : kPlainText, kPassText});
  }
};

// Lanes side by side over results: up to a warp. The rest of the block shares the reduced range.
int column_lanes(int64_t outputs, int vector) {
  return power_of_two_up_to((outputs + vector - 1) / vector, 32);
}

// Lanes that share a result: a block where results are few, otherwise so many that each has up to eight loads.
int row_lanes(int64_t outputs, int64_t length, int vector) {
  if (length > 256 && outputs < 1024) return kBlock;
  const int64_t loads = (length + vector - 1) / vector;
  if (length <= 2048 && outputs < 4096) return power_of_two_up_to(loads, 32);
  return std::max(power_of_two_up_to((loads + 7) / 8, kBlock), power_of_two_up_to((loads + 3) / 4, 16));
}

// An array that is walked, and its steps over results and over what is reduced.
struct Walked {
  const View& view;
  const int64_t* kept;
  const int64_t* reduced;
};

class CudaReduction final : public KernelTask {
 public:
  explicit CudaReduction(const ReducePlan& given) : KernelTask(given.name(), given.out.device()), plan_(given) {
    given.declare(*this);
    plan();
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  const ReduceTree& tree() const { return tree_; }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CudaReduction>(memory.moved(plan_));
  }

 private:
  void plan();
  std::vector<Walked> walked() const;
  // Step of an array between neighbours that a lane loads at once.
  int64_t inner_step(const Walked& array, bool columns) const {
    const int dims = columns ? plan_.kept.count : plan_.reduced.count;
    return dims == 0 ? 0 : (columns ? array.kept : array.reduced)[dims - 1];
  }
  int widest_vector(bool columns) const;
  bool fits(const Walked& array, int64_t vector, bool columns) const;
  // The arguments of a kernel: the struct, or that followed by the rest of Arguments.
  struct Given {
    ReduceArguments reduce = {};
    std::vector<uint64_t> words;
    char* begin() { return reinterpret_cast<char*>(words.empty() ? static_cast<void*>(&reduce) : words.data()); }
  };
  // Launches a pass with what its kernel is given; the first one reduces what the plan does.
  void add_pass(const Variant& variant, Given& given, int64_t splits, bool first);

  ReducePlan plan_;
  ReduceTree tree_ = {};
  Given first_, second_;
};

std::vector<Walked> CudaReduction::walked() const {
  if (!plan_.expression) return {{plan_.in, plan_.kept.stride[0], plan_.reduced.stride[0]}};
  const ReducedExpression& made = *plan_.expression;
  std::vector<Walked> all;
  for (size_t k = 0; k < made.inputs.size(); ++k)
    all.push_back({made.inputs[k], made.kept.stride[k], made.reduced.stride[k]});
  return all;
}

// True if so many neighbours of an array can be loaded at once: they are contiguous and begin at a multiple, or are all
// the same element.
bool CudaReduction::fits(const Walked& array, int64_t vector, bool columns) const {
  const int64_t step = inner_step(array, columns);
  if (step == 0) return true;
  const auto size = static_cast<int64_t>(dtype_size(array.view.dtype));
  bool fits = step == 1 && vector * size <= 16 && alignment_of(array.view, 16) >= vector * size;
  for (int d = 0; d < plan_.kept.count; ++d)
    fits &= (columns && d == plan_.kept.count - 1) || array.kept[d] % vector == 0;
  for (int d = 0; d < plan_.reduced.count; ++d)
    fits &= (!columns && d == plan_.reduced.count - 1) || array.reduced[d] % vector == 0;
  return fits;
}

// How many neighbours are loaded at once: along the innermost kept (columns) or reduced dimension (rows).
int CudaReduction::widest_vector(bool columns) const {
  const Dims<2>& kept = plan_.kept;
  const Dims<1>& reduced = plan_.reduced;
  const std::vector<Walked> arrays = walked();
  if (std::all_of(arrays.begin(), arrays.end(), [&](const Walked& each) { return inner_step(each, columns) == 0; }))
    return 1;
  // Columns have an accumulator for each neighbour.
  const int most = columns && partial_bytes(plan_.op, plan_.in.dtype) > 8 ? 4 : 8;
  for (int vector = most; vector > 1; vector /= 2) {
    // A row that is one run may end anywhere.
    const bool whole = columns              ? kept.size[kept.count - 1] % vector == 0
                       : reduced.count == 1 ? true
                                            : reduced.size[reduced.count - 1] % vector == 0;
    if (whole &&
        std::all_of(arrays.begin(), arrays.end(), [&](const Walked& each) { return fits(each, vector, columns); }))
      return vector;
  }
  return 1;
}

void CudaReduction::add_pass(const Variant& variant, Given& given, int64_t splits, bool first) {
  const ReducedExpression* const made = first ? plan_.expression.get() : nullptr;
  const ReduceFinish* const finish = variant.partial ? nullptr : plan_.finish.get();
  std::vector<uint64_t>& words = given.words;
  const auto put = [&words](const void* from, size_t count) {
    words.resize(words.size() + count);
    if (count > 0) std::memcpy(words.data() + words.size() - count, from, count * sizeof(uint64_t));
  };
  size_t inputs = 0;
  if (made || finish) put(&given.reduce, sizeof given.reduce / sizeof(uint64_t));
  if (made) {
    for (const auto& dims : {made->kept, made->reduced}) {
      put(dims.size, kMaxDims);
      for (size_t k = 0; k < made->inputs.size(); ++k) put(dims.stride[k], kMaxDims);
    }
    inputs = words.size();
    words.resize(inputs + made->inputs.size());
    put(made->scalars.data(), made->scalars.size());
  }
  if (finish) {
    put(finish->scalars.data(), finish->scalars.size());
    words.push_back(0);  // a struct without members has a size all the same
  }
  add_launch(add_kernel(variant.spec(made ? &made->expression : nullptr, finish ? &finish->expression : nullptr)),
             *given.begin(), variant.blocks(given.reduce.outputs), splits);
  for (size_t k = 0; made && k < made->inputs.size(); ++k) add_address(&words[inputs + k], made->inputs[k]);
  char* const in = given.begin() + offsetof(ReduceArguments, in);
  if (!first)
    add_workspace(in);
  else if (!made)
    add_address(in, plan_.in);
  char* const out = given.begin() + offsetof(ReduceArguments, out);
  if (variant.partial)
    add_workspace(out);
  else
    add_address(out, plan_.out);
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
  variant.out = plan_.out.dtype;
  variant.columns = outputs > 1 && kept_step < reduced_step;
  variant.kept = kept.count;
  variant.reduced = reduced.count;
  variant.vector = widest_vector(variant.columns);
  variant.dense = reduced.count == 1 && reduced.stride[0][0] == 1;
  const std::vector<Walked> arrays = walked();
  variant.ahead = arrays.size() <= 2 ? 4 : arrays.size() <= 4 ? 2 : 1;  // by the registers that what is fetched takes
  for (size_t k = 0; k < arrays.size() && variant.vector > 1; ++k)
    if (inner_step(arrays[k], variant.columns) == 0) variant.repeats |= 1u << k;
  variant.group = variant.columns ? column_lanes(outputs, variant.vector) : row_lanes(outputs, length, variant.vector);

  // Splits: enough blocks to fill a large device, each with enough to do.
  const int64_t blocks = variant.columns ? blocks_for(outputs, variant.group * variant.vector) : outputs;
  const int64_t least = variant.columns ? kBlock / variant.group * 16 : 2048 * variant.vector;
  const int64_t most = variant.columns ? 512 : 2048;  // blocks: those of rows are quick to join
  int64_t splits = 1;
  if ((variant.columns || variant.group == kBlock) && blocks < most / 2 && length >= 2 * least)
    splits = std::min(most / blocks, (length + least - 1) / least);
  const int64_t vector = variant.columns ? 1 : variant.vector;
  const int64_t chunk = ((length + splits - 1) / splits + vector - 1) / vector * vector;
  if (chunk > 0) splits = (length + chunk - 1) / chunk;

  splits = std::max<int64_t>(splits, 1);
  // Rows are walked in one order however far ahead they are fetched.
  tree_ = {variant.columns, variant.vector, variant.group, variant.columns ? variant.ahead : 0, splits, chunk};

  ReduceArguments& arguments = first_.reduce;
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
  if (splits == 1) return add_pass(variant, first_, 1, true);

  workspace_bytes_ = static_cast<size_t>(outputs * splits) * partial_bytes(plan_.op, plan_.in.dtype);
  variant.partial = true;
  add_pass(variant, first_, splits, true);
  Variant joining;
  joining.op = plan_.op;
  joining.in = plan_.in.dtype;
  joining.out = plan_.out.dtype;
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
  joining.dense = outputs == 1;
  second_.reduce = arguments;
  second_.reduce.kept = KernelDims<2>(partial);
  second_.reduce.reduced = KernelDims<1>(parts);
  second_.reduce.length = splits;
  second_.reduce.chunk = splits;
  add_pass(joining, second_, 1, false);
}

}  // namespace

Ref<OperatorTask> make_cuda_reduction(const ReducePlan& plan) {
  return make_ref<CudaReduction>(plan);
}

ReduceTree cuda_reduction_tree(const ReducePlan& plan) {
  return CudaReduction(plan).tree();
}

}  // namespace rondo::ops
