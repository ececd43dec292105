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
  const NumberItem& item = args.items[blockIdx.y];
  u64 found[2];
  const i64 step = static_cast<i64>(gridDim.x) * 256;
  find_numbers<Word<kSize>::type, kDims>(item, static_cast<i64>(blockIdx.x) * 256 + threadIdx.x, step, found);
  for (int i = 0; i < 2; ++i)
    if (found[i] != kNotFound) atomicMin(item.found + i, at_turn(*args.turn, found[i]));
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
  if (i < args.count) args.words[i] = args.value;
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

// Axes that lie one within the other are one. Returns how many there are.
int lay_out(const Layout& from, device::Dims<1>* dims) {
  int count = 0;
  for (int d = 0; d < from.ndim; ++d) {
    if (from.shape[d] == 1) continue;
    if (count > 0 && dims->stride[0][count - 1] == from.shape[d] * from.strides[d]) {
      dims->size[count - 1] *= from.shape[d];
      dims->stride[0][count - 1] = from.strides[d];
      continue;
    }
    dims->size[count] = from.shape[d];
    dims->stride[0][count++] = from.strides[d];
  }
  for (int d = count; d < kMaxDims; ++d) dims->size[d] = 1;
  return count;
}

template <class W>
void find_on_host(const device::NumberItem& item, int dims, device::u64* found) {
  if (dims < 2)
    device::find_numbers<W, 1>(item, 0, 1, found);
  else
    device::find_numbers<W, kMaxDims>(item, 0, 1, found);
}

Ref<OperatorTask> make_number_task(NumberWork work, std::vector<NumberItem> items, const View& words, uint64_t value);

class NumberTask final : public KernelTask {
 public:
  // items: of a check; words: of a record that begins, or else the turn.
  NumberTask(NumberWork work, std::vector<NumberItem> items, const View& words, uint64_t value)
      : KernelTask("check_numbers", words.device()),
        work_(work),
        items_(std::move(items)),
        words_(words),
        value_(value) {
    lendable_ = device().is_host();
    if (work != NumberWork::begin) reads(*words.storage);
    if (work != NumberWork::check) declare_output(*this, words);
    for (size_t i = 0; i < items_.size(); ++i) {
      const NumberItem& from = items_[i];
      reads(*from.view.storage);
      reads(*from.found.storage);
      declare_output(*this, from.found);
      device::NumberItem& to = arguments_.items[i];
      const auto [special, fraction] = special_bits(from.view.dtype);
      to.special = special;
      to.fraction = fraction;
      to.count = from.view.elements();
      dims_ = lay_out(from.view.layout, &to.dims);
    }
    arguments_.count = words.elements();
    arguments_.value = value;
    if (!device().is_host()) launch();
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    std::vector<NumberItem> items = items_;
    for (NumberItem& each : items) memory.move(&each.view), memory.move(&each.found);
    View words = words_;
    memory.move(&words);
    return make_number_task(work_, std::move(items), words, value_);
  }
  Status run(const TaskContext& context) override {
    if (!device().is_host()) return KernelTask::run(context);
    auto* const words = reinterpret_cast<uint64_t*>(words_.address());
    if (work_ == NumberWork::turn) ++*words;
    if (work_ == NumberWork::begin) std::fill_n(words, arguments_.count, value_);
    for (size_t i = 0; i < items_.size(); ++i) look(items_[i], *words, &arguments_.items[i]);
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    for (const NumberItem& each : items_) list->push_back({each.view, false});
    if (work_ != NumberWork::begin) list->push_back({words_, false});
    for (const NumberItem& each : items_) list->push_back({each.found, false});
    for (const NumberItem& each : items_) list->push_back({each.found, true});
    if (work_ != NumberWork::check) list->push_back({words_, true});
  }

 private:
  void look(const NumberItem& from, uint64_t turn, device::NumberItem* item) const {
    device::u64 found[2];
    item->from = from.view.address();
    switch (dtype_size(from.view.dtype)) {
      case 1: find_on_host<uint8_t>(*item, dims_, found); break;
      case 2: find_on_host<uint16_t>(*item, dims_, found); break;
      case 4: find_on_host<uint32_t>(*item, dims_, found); break;
      default: find_on_host<uint64_t>(*item, dims_, found);
    }
    auto* const to = reinterpret_cast<uint64_t*>(from.found.address());
    for (int i = 0; i < 2; ++i)
      if (found[i] != device::kNotFound) to[i] = std::min<uint64_t>(to[i], device::at_turn(turn, found[i]));
  }
  void launch() {
    constexpr int64_t kMostBlocks = 1024;
    KernelSpec spec(rtc::kNumbers, static_cast<int>(work_), true, name());
    if (work_ == NumberWork::check) {
      spec.type("Added", RONDO_U8)
          .constant("kSize", static_cast<int>(dtype_size(items_[0].view.dtype)))
          .constant("kDims", dims_);
      int64_t most = 1;
      for (size_t i = 0; i < items_.size(); ++i) {
        device::NumberItem& item = arguments_.items[i];
        add_address(&item.from, items_[i].view);
        add_address(&item.found, items_[i].found);
        most = std::max<int64_t>(most, item.count);
      }
      add_address(&arguments_.turn, words_);
      add_launch(add_kernel(spec.text({rtc::kNumbersText, kWordText, kCheckText})), arguments_,
                 std::min<int64_t>(blocks_for(most, kThreads), kMostBlocks), static_cast<int64_t>(items_.size()));
      return;
    }
    const bool turn = work_ == NumberWork::turn;
    add_address(turn ? &arguments_.turn : &arguments_.words, words_);
    add_launch(add_kernel(spec.text({rtc::kNumbersText, turn ? kTurnText : kBeginText})), arguments_,
               blocks_for(arguments_.count, kThreads));
  }

  const NumberWork work_;
  const std::vector<NumberItem> items_;
  const View words_;
  const uint64_t value_;
  NumberArguments arguments_ = {};
  int dims_ = 0;  // of each item
};

Ref<OperatorTask> make_number_task(NumberWork work, std::vector<NumberItem> items, const View& words, uint64_t value) {
  return make_ref<NumberTask>(work, std::move(items), words, value);
}

}  // namespace

int number_form(const View& view) {
  device::Dims<1> dims = {};
  return lay_out(view.layout, &dims) * 16 + static_cast<int>(dtype_size(view.dtype));
}
Ref<OperatorTask> make_number_check(std::vector<NumberItem> items, const View& turn) {
  return make_number_task(NumberWork::check, std::move(items), turn, 0);
}
Ref<OperatorTask> make_number_turn(const View& turn) {
  return make_number_task(NumberWork::turn, {}, turn, 0);
}
Ref<OperatorTask> make_number_begin(const View& record, uint64_t value) {
  return make_number_task(NumberWork::begin, {}, record, value);
}

}  // namespace rondo::ops
