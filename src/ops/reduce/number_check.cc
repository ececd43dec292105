// Defines the tasks that check numbers, for either kind of device.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/number_check.h"

#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

using device::NumberArguments;

constexpr const char* kCheckText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const NumberArguments args) {
  u64 found[2];
  const i64 step = static_cast<i64>(gridDim.x) * 256;
  find_numbers<Word<kSize>::type, kDims>(args, static_cast<i64>(blockIdx.x) * 256 + threadIdx.x, step, found);
  for (int i = 0; i < 2; ++i)
    if (found[i] != kNotFound) atomicMin(args.found + i, at_turn(*args.turn, found[i]));
}
)";
constexpr const char* kTurnText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const NumberArguments args) {
  if (threadIdx.x == 0) ++*args.turn;
}
)";
constexpr const char* kBeginText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const NumberArguments args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.count) args.found[i] = args.special;
}
)";

// Kernels of the family, by number.
enum class NumberWork { check, turn, begin };

struct SpecialBits {
  uint64_t special, fraction;
};
SpecialBits special_bits(rondo_dtype dtype) {
  switch (dtype) {
    case RONDO_F16: return {0x7c00, 0x03ff};
    case RONDO_BF16: return {0x7f80, 0x007f};
    case RONDO_F32: return {0x7f800000, 0x007fffff};
    case RONDO_F8_E4M3: return {0x7f, 0};
    case RONDO_F8_E5M2: return {0x7c, 0x03};
    default: return {0x7ff0000000000000, 0x000fffffffffffff};
  }
}

class NumberTask final : public KernelTask {
 public:
  // view: of a check; found: of a check, or the record that begins; turn: of a check or a turn.
  NumberTask(NumberWork work, const View& view, const View& found, const View& turn, uint64_t value)
      : KernelTask("check_numbers", (found.storage ? found : turn).device()),
        work_(work),
        view_(view),
        found_(found),
        turn_(turn),
        value_(value) {
    lendable_ = device().is_host();
    if (work == NumberWork::check) {
      reads(*view.storage);
      reads(*turn.storage);
      const auto [special, fraction] = special_bits(view.dtype);
      arguments_.special = special;
      arguments_.fraction = fraction;
      arguments_.count = view.elements();
      lay_out();
    } else if (work == NumberWork::begin) {
      arguments_.special = value;
      arguments_.count = found.elements();
    }
    if (work != NumberWork::turn) declare_output(*this, found);
    if (work == NumberWork::check) reads(*found.storage);
    if (work == NumberWork::turn) reads(*turn.storage), writes(*turn.storage);
    if (!device().is_host()) launch();
  }
  Ref<Task> again(const Rebinding& memory) const override {
    View view = view_, found = found_, turn = turn_;
    memory.move(&view), memory.move(&found), memory.move(&turn);
    return make_ref<NumberTask>(work_, view, found, turn, value_);
  }
  Status run(const TaskContext& context) override {
    if (!device().is_host()) return KernelTask::run(context);
    auto* const words = reinterpret_cast<uint64_t*>(found_.storage ? found_.address() : nullptr);
    auto* const turn = reinterpret_cast<uint64_t*>(turn_.storage ? turn_.address() : nullptr);
    if (work_ == NumberWork::turn) {
      ++*turn;
    } else if (work_ == NumberWork::begin) {
      std::fill_n(words, arguments_.count, value_);
    } else {
      device::u64 found[2];
      arguments_.from = view_.address();
      find(found);
      for (int i = 0; i < 2; ++i)
        if (found[i] != device::kNotFound) words[i] = std::min<uint64_t>(words[i], device::at_turn(*turn, found[i]));
    }
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    if (work_ == NumberWork::check) *list = {{view_, false}, {turn_, false}, {found_, false}, {found_, true}};
    if (work_ == NumberWork::turn) *list = {{turn_, false}, {turn_, true}};
    if (work_ == NumberWork::begin) *list = {{found_, true}};
  }

 private:
  // Axes that lie one within the other are one.
  void lay_out() {
    const Layout& from = view_.layout;
    for (int d = 0; d < from.ndim; ++d) {
      if (from.shape[d] == 1) continue;
      device::Dims<1>& dims = arguments_.dims;
      if (dims_ > 0 && dims.stride[0][dims_ - 1] == from.shape[d] * from.strides[d]) {
        dims.size[dims_ - 1] *= from.shape[d];
        dims.stride[0][dims_ - 1] = from.strides[d];
        continue;
      }
      dims.size[dims_] = from.shape[d];
      dims.stride[0][dims_++] = from.strides[d];
    }
  }
  void launch() {
    constexpr int64_t kMostBlocks = 1024;
    const int64_t count = work_ == NumberWork::turn ? 1 : arguments_.count;
    KernelSpec spec(rtc::kNumbers, static_cast<int>(work_), true, name());
    if (work_ == NumberWork::check)
      spec.type("Added", RONDO_U8)
          .constant("kSize", static_cast<int>(dtype_size(view_.dtype)))
          .constant("kDims", dims_)
          .text({rtc::kNumbersText, kWordText, kCheckText});
    else
      spec.text({rtc::kNumbersText, work_ == NumberWork::turn ? kTurnText : kBeginText});
    const int64_t blocks = blocks_for(count, kThreads);
    add_launch(add_kernel(spec), arguments_, work_ == NumberWork::check ? std::min(blocks, kMostBlocks) : blocks);
    if (view_.storage) add_address(&arguments_.from, view_);
    if (found_.storage) add_address(&arguments_.found, found_);
    if (turn_.storage) add_address(&arguments_.turn, turn_);
  }
  template <class W>
  void find_in(device::u64* found) const {
    if (dims_ < 2)
      device::find_numbers<W, 1>(arguments_, 0, 1, found);
    else
      device::find_numbers<W, kMaxDims>(arguments_, 0, 1, found);
  }
  void find(device::u64* found) {
    device::Dims<1>& dims = arguments_.dims;
    for (int d = dims_; d < kMaxDims; ++d) dims.size[d] = 1;
    switch (dtype_size(view_.dtype)) {
      case 1: return find_in<uint8_t>(found);
      case 2: return find_in<uint16_t>(found);
      case 4: return find_in<uint32_t>(found);
      default: return find_in<uint64_t>(found);
    }
  }

  const NumberWork work_;
  const View view_, found_, turn_;
  const uint64_t value_;
  NumberArguments arguments_ = {};
  int dims_ = 0;
};

}  // namespace

Ref<Task> make_number_check(const View& view, const View& found, const View& turn) {
  return make_ref<NumberTask>(NumberWork::check, view, found, turn, 0);
}
Ref<Task> make_number_turn(const View& turn) {
  return make_ref<NumberTask>(NumberWork::turn, View(), View(), turn, 0);
}
Ref<Task> make_number_begin(const View& record, uint64_t value) {
  return make_ref<NumberTask>(NumberWork::begin, View(), record, View(), value);
}

}  // namespace rondo::ops
