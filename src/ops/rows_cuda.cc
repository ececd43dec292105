// Row operators on a GPU: which form of the kernel in rtc/device/rows.h, or of those in rtc/device/rows_split.h, and
// how they are launched. Into how many parts rows are cut depends on their shape and layout and on the device's size,
// so results are the same in every run on a device, eager or captured.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cuda_kernel.h"
#include "ops/kernel_task.h"
#include "ops/rows.h"
#include "rtc/device/rows_split.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

constexpr int kMaxElements = 32;  // of a row per lane, in registers

constexpr int kSplitThreads = 256;
constexpr int kMaxParts = 1024;  // of a row: what each block of the second kernel reads in no time

using device::RowsArguments;
using device::RowsSplitArguments;

constexpr const char* kText = R"(
using Kernel = RowsKernel<In, Per, Index, static_cast<RowKind>(kKind), kThreads, kGroup, kBeside, kVector, kItems, kDims,
                          kMasked, kWeighted, kBiased, kFull>;
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks) rondo_kernel(const RowsArguments args) {
  __shared__ Kernel::C shared[Kernel::kShared];
  Kernel(args, shared).run();
}
)";

constexpr const char* kSplitText = R"(
using Kernel = RowsSplit<In, Per, Index, static_cast<RowKind>(kKind), kVector, kAhead, kColumns, kAcross, kDims, kMasked>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const RowsSplitArguments args) {
  __shared__ Kernel::C shared[Kernel::kShared];
  if constexpr (kWrites)
    Kernel(args, shared).write();
  else
    Kernel(args, shared).know();
}
)";

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
    choose_group();
    int64_t reach = std::max<int64_t>(arguments_.count, plan.length);
    for (int i = 0; i < device::kRowArrays; ++i)
      reach = std::max(reach, plan.rows.reach(i) + (i < 3 ? plan.length * std::abs(plan.step[i]) : 0));
    if (plan.weight) arguments_.weight_step = plan.weight->layout.strides[0];
    if (plan.bias) arguments_.bias_step = plan.bias->layout.strides[0];
    reach = std::max<int64_t>(
        {reach, plan.length * std::abs(arguments_.weight_step), plan.length * std::abs(arguments_.bias_step)});
    if (splits()) {
      split(needs_wide(reach));
    } else {
      add_launch(kernel(needs_wide(reach)), arguments_, blocks_for(arguments_.count, threads_ / group_), 1, threads_);
      add_addresses(&arguments_);
    }
  }

  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }

 private:
  int kernel(bool wide) {
    KernelSpec spec(plan_.has_labels() ? rtc::kCrossEntropy : rtc::kSoftmax, 0, wide, name());
    spec.type("In", plan_.x.dtype).type("Per", plan_.per_row ? plan_.per_row->dtype : RONDO_I64);
    spec.constant("kKind", static_cast<int>(plan_.kind)).constant("kThreads", threads_).constant("kGroup", group_);
    spec.constant("kBeside", beside_).constant("kVector", vector_).constant("kItems", items_);
    spec.constant("kDims", plan_.rows.count).constant("kMasked", plan_.masked());
    spec.constant("kWeighted", plan_.weight.has_value()).constant("kBiased", plan_.bias.has_value());
    const int kept = items_ * vector_;
    spec.constant("kFull", items_ > 0 && int64_t{kept} * group_ == plan_.length);
    // Two blocks of a processor take turns at memory, where what they keep leaves them the registers for it.
    const bool light = kept * static_cast<int>(dtype_size(compute_dtype(plan_.x.dtype))) <= 64 && !plan_.other;
    spec.constant("kBlocks", threads_ == 1024 && items_ > 0 && light ? 2 : 1);
    return add_kernel(spec.text({rtc::kRowsText, kText}));
  }

  void add_addresses(RowsArguments* to) {
    add_address(&to->x, plan_.x);
    if (plan_.other) add_address(&to->other, *plan_.other);
    if (plan_.weight) add_address(&to->weight, *plan_.weight);
    if (plan_.bias) add_address(&to->bias, *plan_.bias);
    if (plan_.per_row) add_address(&to->per_row, *plan_.per_row);
    add_address(&to->out, plan_.out);
  }

  // Whether rows of a softmax that no block keeps are shared by blocks: where a block for each leaves processors idle,
  // and side by side, where they are read as packs.
  bool splits() const {
    return plan_.kind <= RowKind::log_softmax_grad && items_ == 0 &&
           (beside_ > 0 || arguments_.count < 2 * cuda_device(*this).multiprocessors());
  }

  void split(bool wide) {
    const bool beside = beside_ > 0;
    const int vector = widest_vector(beside, beside ? 4 : 16), columns = beside ? vector : 1;
    const int across = beside ? power_of_two_up_to(arguments_.count / columns, 32) : 1;
    const int ahead = std::clamp(16 / vector, 4, 8), lanes = kSplitThreads / across;
    const int64_t blocks = blocks_for(arguments_.count, across * columns), packs = plan_.length * columns / vector;
    // As many blocks as a device works on in a few turns, each with enough to do.
    const int64_t turns = 16 * cuda_device(*this).multiprocessors() / blocks;
    const int64_t wanted = std::clamp<int64_t>(turns, 1, kMaxParts);
    split_.packs = std::max<int64_t>((packs + wanted - 1) / wanted, ahead * lanes);
    const int64_t parts = blocks_for(packs, split_.packs);
    split_.rows = arguments_;
    workspace_bytes_ = static_cast<size_t>(2 * parts * arguments_.count) * dtype_size(compute_dtype(plan_.x.dtype));
    for (const bool writes : {false, true}) {
      KernelSpec spec(rtc::kSoftmax, 1, wide, name());
      spec.type("In", plan_.x.dtype).type("Per", plan_.per_row ? plan_.per_row->dtype : RONDO_I64);
      spec.constant("kKind", static_cast<int>(plan_.kind)).constant("kVector", vector).constant("kAhead", ahead);
      spec.constant("kColumns", columns).constant("kAcross", across).constant("kDims", plan_.rows.count);
      spec.constant("kMasked", plan_.masked()).constant("kWrites", writes);
      add_launch(add_kernel(spec.text({rtc::kRowsSplitText, kSplitText})), split_, blocks, parts, kSplitThreads);
    }
    add_addresses(&split_.rows);
    add_workspace(&split_.states);
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
      vector_ = widest_vector(false, 16);
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

  // Neighbours moved at once, `most` of them or less: of a row or of rows side by side, which must be contiguous
  // wherever they are read or written, and start at a multiple.
  int widest_vector(bool beside, int64_t most) const {
    const Dims<device::kRowArrays>& rows = plan_.rows;
    const int inner = rows.count - 1;
    // The result of a loss is one element.
    const View* const views[3] = {&plan_.x, plan_.other ? &*plan_.other : nullptr,
                                  plan_.kind == RowKind::loss ? nullptr : &plan_.out};
    const auto size = static_cast<int64_t>(dtype_size(plan_.x.dtype));
    for (int64_t vector = std::min(16 / size, most); vector > 1; vector /= 2) {
      bool fits = (beside ? rows.size[inner] : plan_.length) % vector == 0;
      for (int a = 0; a < 3; ++a) {
        if (!views[a]) continue;
        fits &= (beside ? rows.stride[a][inner] : plan_.step[a]) == 1 && alignment_of(*views[a], 16) >= vector * size;
        fits &= !beside || plan_.step[a] % vector == 0;
        for (int d = 0; d < rows.count; ++d) fits &= (beside && d == inner) || rows.stride[a][d] % vector == 0;
      }
      if (fits) return static_cast<int>(vector);
    }
    return 1;
  }

  RowPlan plan_;
  RowsArguments arguments_ = {};
  RowsSplitArguments split_ = {};
  int threads_ = 256, group_ = 1, beside_ = 0, vector_ = 1, items_ = 0;
};

}  // namespace

Ref<Task> make_cuda_rows(const RowPlan& plan) {
  return make_ref<CudaRows>(plan);
}

}  // namespace rondo::ops
