// Runs row operators on a GPU: chooses the form of the kernel in rtc/device/rows/rows.h, or of those in
// rtc/device/rows/rows_split.h, and launches them. Into how many parts rows are cut depends on their shape and layout
// and on the device's size, so results are the same in every run on a device, eager or captured.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include "ops/rows/rows.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device/rows/rows_split.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

constexpr int kMaxElements = 32;  // of a row per lane, in registers

constexpr int kSplitThreads = 256;
constexpr int kMaxParts = 1024;  // of a row: what each block of the second kernel reads in no time

using device::RowsArguments;

// Loads and stores the elements.
constexpr const char* kStoredText = R"(
using Arguments = RowsArguments;
using Source = StoredRows<In, Index, kRowX, kDims, kDense>;
using Sink = RowsToMemory<Out, Index, kDims, kDense>;
)";
constexpr const char* kMadeText = R"(
struct Arguments : RowsArguments {
  RowOperands<kBefore, before::Operands> before;
  RowOperands<kAfter, after::Operands> after;
};
using Source = MadeRows<Arguments, Index, kBefore, kDims>;
using Sink = FinishedRows<RowsToMemory<Out, Index, kDims, kDense>, Arguments, Index, kAfter, kDims>;
)";

constexpr const char* kText = R"(
using Kernel = RowsKernel<In, Per, Index, Source, Sink, static_cast<RowKind>(kKind), Formula, kThreads, kGroup, kBeside, kVector,
                          kItems, kDims, kMasked, kWeighted, kBiased, kFull>;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks) rondo_kernel(const Arguments args) {
  __shared__ Kernel::C shared[Kernel::kShared];
  Kernel(args, shared).run();
}
)";

constexpr const char* kSplitText = R"(
using Kernel = RowsSplit<In, Per, Index, Source, Sink, static_cast<RowKind>(kKind), kVector, kAhead, kColumns, kAcross,
                         kDims, kMasked>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  __shared__ Kernel::C shared[Kernel::kShared];
  if constexpr (kWrites)
    Kernel(args, shared).write();
  else
    Kernel(args, shared).know();
}
)";

// An array that is walked, and its steps over rows and along them.
struct Walked {
  const View& view;
  const int64_t* rows;
  int64_t step;
  bool repeats;  // it may, where neighbours are loaded at once
};

class CudaRows final : public KernelTask {
 public:
  explicit CudaRows(const RowPlan& plan) : KernelTask(plan.name(), plan.out.device()), plan_(plan) {
    plan.declare(*this);

    arguments_.rows = KernelDims<device::kRowArrays>(plan.rows);
    arguments_.count = plan.rows.elements();
    arguments_.length = plan.length;
    for (int i = 0; i < 3; ++i) arguments_.step[i] = plan.step[i];
    arguments_.scale = plan.scale;
    arguments_.accumulate = plan.out.accumulate;
    if (plan.weight) arguments_.weight_step = plan.weight->layout.strides[0];
    if (plan.bias) arguments_.bias_step = plan.bias->layout.strides[0];
    choose_group();
    int64_t reach = std::max<int64_t>({arguments_.count, plan.length, plan.rows.reach(device::kRowPer),
                                       plan.length * std::abs(arguments_.weight_step),
                                       plan.length * std::abs(arguments_.bias_step)});
    for (const Walked& each : walked()) reach = std::max(reach, reach_of(each));
    if (splits())
      split(needs_wide(reach));
    else
      whole(needs_wide(reach));
    add_addresses();
  }

  RowTree tree() const {
    return {threads_, group_,       beside_,       split_.ahead ? split_.vector : vector_,
            items_,   split_.ahead, split_.across, split_.ahead ? arguments_.packs : 0};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaRows>(memory.moved(plan_)); }

 private:
  std::vector<Walked> walked() const {
    if (plan_.expression) {
      std::vector<Walked> all = {{plan_.out, plan_.rows.stride[2], plan_.step[2], false}};
      for (const auto* side : {&plan_.expression->before, &plan_.expression->after})
        for (size_t k = 0; k < side->inputs.size(); ++k)
          all.push_back({side->inputs[k], side->rows.stride[k], side->step[k], true});
      return all;
    }
    std::vector<Walked> all = {{plan_.x, plan_.rows.stride[0], plan_.step[0], false}};
    if (plan_.other) all.push_back({*plan_.other, plan_.rows.stride[1], plan_.step[1], false});
    // The result of a loss is one element.
    if (plan_.kind != RowKind::loss) all.push_back({plan_.out, plan_.rows.stride[2], plan_.step[2], false});
    return all;
  }
  int64_t reach_of(const Walked& array) const {
    int64_t sum = plan_.length * std::abs(array.step);
    for (int d = 0; d < plan_.rows.count; ++d) sum += (plan_.rows.size[d] - 1) * std::abs(array.rows[d]);
    return sum;
  }

  // A kernel of these texts and constants, which are not all.
  int add_rows_kernel(KernelSpec spec, bool beside, int vector, const char* rows, const char* text) {
    spec.type("In", plan_.x.dtype).type("Out", plan_.out.dtype);
    spec.type("Per", plan_.per_row ? plan_.per_row->dtype : RONDO_I64);
    spec.constant("kKind", static_cast<int>(plan_.kind)).constant("kVector", vector);
    spec.constant("kDims", plan_.rows.count).constant("kMasked", plan_.masked());
    spec.constant("kDense", !beside && vector > 1);  // as all neighbours are that are moved at once
    const char* const formula = plan_.normalises() ? plan_.normalisation().formula : "void";
    if (!plan_.expression) return add_kernel(spec.text({rows, kStoredText, "using Formula = ", formula, ";\n", text}));
    const RowSide &before = plan_.expression->before, &after = plan_.expression->after;
    spec.constant("kBefore", static_cast<int>(before.arrays()));
    spec.constant("kAfter", static_cast<int>(after.arrays()));
    spec.computing("before", before.expression, repeats(before, beside, vector));
    spec.computing("after", after.expression, repeats(after, beside, vector), after.expression.inputs() - 1);
    return add_kernel(spec.text({rows, rtc::kRowExpressionText, kMadeText, "using Formula = ", formula, ";\n", text}));
  }
  // Inputs that are the same for all elements that are loaded at once.
  unsigned repeats(const RowSide& side, bool beside, int vector) const {
    unsigned bits = 0;
    for (size_t k = 0; k < side.inputs.size() && vector > 1; ++k)
      if ((beside ? side.rows.stride[k][plan_.rows.count - 1] : side.step[k]) == 0) bits |= 1u << k;
    return bits;
  }

  void whole(bool wide) {
    KernelSpec spec(plan_.has_labels() ? rtc::kCrossEntropy : rtc::kSoftmax, plan_.expression ? 2 : 0, wide, name());
    spec.constant("kThreads", threads_).constant("kGroup", group_).constant("kBeside", beside_);
    spec.constant("kItems", items_).constant("kWeighted", plan_.weight.has_value());
    spec.constant("kBiased", plan_.bias.has_value());
    if (plan_.normalises()) spec.constant("kNormalisation", static_cast<int>(plan_.norm));  // tells texts apart
    const int kept = items_ * vector_;
    spec.constant("kFull", items_ > 0 && int64_t{kept} * group_ == plan_.length);
    // Two blocks of a processor take turns at memory, where what they keep leaves them the registers for it.
    const bool light = kept * static_cast<int>(dtype_size(compute_dtype(plan_.x.dtype))) <= 64 && !plan_.other;
    spec.constant("kBlocks", threads_ == 1024 && items_ > 0 && light ? 2 : 1);
    const int kernel = add_rows_kernel(spec, false, vector_, rtc::kRowsText, kText);
    lay_out();
    add_launch(kernel, *arguments(), blocks_for(arguments_.count, threads_ / group_), 1, threads_);
  }

  // Lays out the kernel's Arguments.
  void lay_out() {
    if (!plan_.expression) return;
    words_.resize(sizeof arguments_ / sizeof(uint64_t));
    std::memcpy(words_.data(), &arguments_, sizeof arguments_);
    for (const RowSide* side : {&plan_.expression->before, &plan_.expression->after})
      operands_.push_back(side->lay_out(&words_));
    words_.push_back(0);  // a struct without members has a size all the same
  }
  char* arguments() {
    return reinterpret_cast<char*>(plan_.expression ? static_cast<void*>(words_.data()) : &arguments_);
  }

  void add_addresses() {
    add_address(arguments() + offsetof(RowsArguments, out), plan_.out);
    if (workspace_bytes_) add_workspace(arguments() + offsetof(RowsArguments, states));
    if (plan_.expression) {
      size_t at = 0;
      for (const auto* side : {&plan_.expression->before, &plan_.expression->after}) {
        for (size_t k = 0; k < side->inputs.size(); ++k) add_address(&words_[operands_[at] + k], side->inputs[k]);
        ++at;
      }
    } else {
      add_address(&arguments_.x, plan_.x);
    }
    const auto add = [&](size_t place, const std::optional<View>& view) {
      if (view) add_address(arguments() + place, *view);
    };
    add(offsetof(RowsArguments, other), plan_.other);
    add(offsetof(RowsArguments, weight), plan_.weight);
    add(offsetof(RowsArguments, bias), plan_.bias);
    add(offsetof(RowsArguments, per_row), plan_.per_row);
  }

  // True if rows of a softmax that no block keeps are shared by blocks: if a block for each would leave processors
  // idle, and next to each other, if they are read as packs.
  bool splits() const {
    return plan_.is_softmax() && items_ == 0 &&
           (beside_ > 0 || arguments_.count < 2 * cuda_device(*this).multiprocessors());
  }

  void split(bool wide) {
    const bool beside = beside_ > 0;
    const int vector = widest_vector(beside, beside ? 4 : 8), columns = beside ? vector : 1;
    const int across = beside ? power_of_two_up_to(arguments_.count / columns, 32) : 1;
    // As much on the way as registers hold.
    const auto inputs = static_cast<int>(plan_.expression ? plan_.expression->before.inputs.size() : 1);
    const int ahead = std::max(std::clamp(16 / vector, 4, 8) / inputs, 1), lanes = kSplitThreads / across;
    const int64_t blocks = blocks_for(arguments_.count, across * columns), packs = plan_.length * columns / vector;
    // As many blocks as a device works on in a few turns, each with enough to do.
    const int64_t turns = 16 * cuda_device(*this).multiprocessors() / blocks;
    const int64_t wanted = std::clamp<int64_t>(turns, 1, kMaxParts);
    arguments_.packs = std::max<int64_t>((packs + wanted - 1) / wanted, ahead * lanes);
    const int64_t parts = blocks_for(packs, arguments_.packs);
    workspace_bytes_ = static_cast<size_t>(2 * parts * arguments_.count) * dtype_size(compute_dtype(plan_.x.dtype));
    split_ = {vector, ahead, across};
    lay_out();
    for (const bool writes : {false, true}) {
      KernelSpec spec(rtc::kSoftmax, plan_.expression ? 3 : 1, wide, name());
      spec.constant("kAhead", ahead).constant("kColumns", columns).constant("kAcross", across);
      spec.constant("kWrites", writes);
      const int kernel = add_rows_kernel(spec, beside, vector, rtc::kRowsSplitText, kSplitText);
      add_launch(kernel, *arguments(), blocks, parts, kSplitThreads);
    }
  }

  void choose_group() {
    const Dims<device::kRowArrays>& rows = plan_.rows;
    const int64_t length = plan_.length, count = arguments_.count;
    const int64_t row_step = rows.count > 0 ? std::abs(rows.stride[0][rows.count - 1]) : INT64_MAX;
    if (row_step < std::abs(plan_.step[0]) && count > 1) {
      beside_ = 2;
      while (beside_ < 32 && beside_ < count) beside_ *= 2;
      group_ = threads_ / beside_;
    } else {
      vector_ = widest_vector(false, 8);
      const int64_t loads = (length + vector_ - 1) / vector_;
      if (length <= 1024) {
        const int64_t lanes = count < 4096 ? loads : (loads + 1) / 2;
        group_ = 1;
        while (group_ < 32 && group_ < lanes) group_ *= 2;
        // Few rows leave most lanes of a device without work: each has more of them then, and is done in fewer steps.
        if (count <= int64_t{threads_ / group_} * cuda_device(*this).multiprocessors()) {
          while (group_ < 128 && group_ < loads) group_ *= 2;
          if (group_ > 32) threads_ = group_;
        }
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

  // Neighbours moved at once, `most` of them or less: of a row or of rows side by side, which must be contiguous
  // wherever they are read or written, and start at a multiple; or all the same, where that is possible.
  int widest_vector(bool beside, int64_t most) const {
    const Dims<device::kRowArrays>& rows = plan_.rows;
    const int inner = rows.count - 1;
    const std::vector<Walked> arrays = walked();
    const auto fits = [&](const Walked& array, int64_t vector) {
      const int64_t step = beside ? array.rows[inner] : array.step;
      if (step == 0 && array.repeats) return true;
      return moves_packs(array.view, beside ? inner : rows.count, array.rows, step, vector) &&
             (!beside || array.step % vector == 0);
    };
    for (int64_t vector = std::min<int64_t>(8, most); vector > 1; vector /= 2)
      if ((beside ? rows.size[inner] : plan_.length) % vector == 0 &&
          std::all_of(arrays.begin(), arrays.end(), [&](const Walked& each) { return fits(each, vector); }))
        return static_cast<int>(vector);
    return 1;
  }

  RowPlan plan_;
  RowsArguments arguments_ = {};
  // Holds for an expression the words that the kernels take instead, and in them where the addresses of each side are.
  std::vector<uint64_t> words_;
  std::vector<size_t> operands_;
  int threads_ = 256, group_ = 1, beside_ = 0, vector_ = 1, items_ = 0;
  struct {
    int vector = 1, ahead = 0, across = 0;
  } split_;  // of rows that blocks share
};

}  // namespace

Ref<OperatorTask> make_cuda_rows(const RowPlan& plan) {
  return make_ref<CudaRows>(plan);
}

RowTree cuda_row_tree(const RowPlan& plan) {
  return CudaRows(plan).tree();
}

}  // namespace rondo::ops
