// Runs bags of rows on a GPU: a lane computes some columns of each bag; for gradients places are numbered by their rows
// and sorted, and a lane adds up what comes to some columns of a row.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <deque>

#include "ops/movement/sort_cuda.h"
#include "ops/recommender/bags.h"
#include "ops/task/cuda_kernel.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

using device::BagFacts;
using device::BagTable;

// It follows definitions of M, In, Index, kMost, kVector.
constexpr const char* kSumText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const BagArguments<kMost> args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.facts.count) sum_bag<M, In, Index, kVector>(args, static_cast<Index>(i));
}
)";
// Number.
constexpr const char* kNumberText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const BagArguments<kMost> args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.facts.count) number_place<In, Number>(args, i);
}
)";
constexpr const char* kGradientText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const BagArguments<kMost> args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.facts.count) gradient_of_row<M, In, SortKey<Number>, Index, kVector>(args, static_cast<Index>(i));
}
)";
// Rate.
constexpr const char* kDescendText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const BagArguments<kMost> args) {
  const i64 i = static_cast<i64>(blockIdx.x) * 256 + threadIdx.x;
  if (i < args.facts.count) descend_row<M, In, SortKey<Number>, Rate, Index, kVector>(args, static_cast<Index>(i));
}
)";

enum { kSum, kNumber, kGradient, kDescend };  // kernels of the family

class CudaBags final : public SortingTask {
 public:
  explicit CudaBags(BagPlan plan) : SortingTask(plan.name(), plan.device()), plan_(std::move(plan)) {
    plan_.declare(*this);
    const BagFacts facts = plan_.facts();
    for (size_t begin = 0; begin < plan_.tables.size(); begin += device::kBagMost) add_part(facts, begin);
    number_dtype_ = facts.rows >= INT_MAX ? RONDO_I64 : RONDO_I32;
    if (plan_.what == BagTask::sum)
      sum();
    else
      give_back(facts);
  }
  Status prepare() override {
    if (plan_.offsets && plan_.facts().tables * plan_.facts().batch >= UINT_MAX)
      return error(RONDO_UNSUPPORTED, "%s: 2^32 bags or more; a cuda device takes fewer", name());
    return SortingTask::prepare();
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaBags>(memory.moved(plan_)); }

 private:
  // A launch of some tables: its arguments in words, which stay where they are.
  struct TablesLaunch {
    std::vector<uint64_t> words;
    int most = 0;
    BagFacts& facts() { return *reinterpret_cast<BagFacts*>(words.data()); }
    BagTable* tables() {
      static_assert(sizeof(BagFacts) % sizeof(uint64_t) == 0);
      return reinterpret_cast<BagTable*>(words.data() + sizeof(BagFacts) / sizeof(uint64_t));
    }
  };
  static constexpr int kFew = 8;
  static_assert(sizeof(device::BagArguments<device::kBagMost>) <= 4096);

  TablesLaunch part_of(const BagFacts& facts, size_t begin) const {
    TablesLaunch part;
    const size_t here = std::min<size_t>(device::kBagMost, plan_.tables.size() - begin);
    part.most = here <= kFew ? kFew : device::kBagMost;
    part.words.resize((sizeof(BagFacts) + static_cast<size_t>(part.most) * sizeof(BagTable)) / sizeof(uint64_t));
    part.facts() = facts;
    part.facts().first_table = static_cast<int64_t>(begin);
    part.facts().here = static_cast<int64_t>(here);
    for (size_t i = 0; i < here; ++i) {
      BagTable& table = part.tables()[i];
      const View& view = plan_.tables[begin + i];
      table = {nullptr, plan_.rows[begin + i], plan_.first_row(begin + i), 0, 0};
      if (!view.storage) continue;
      table.stride = view.layout.strides[0];
      table.step = view.layout.strides[1];
    }
    return part;
  }
  void add_part(const BagFacts& facts, size_t begin) { parts_.push_back(part_of(facts, begin)); }

  // The addresses that a launch of a part has.
  void add_places(TablesLaunch& part) {
    BagFacts& facts = part.facts();
    add_address(&facts.indices, plan_.indices);
    if (plan_.offsets) add_address(&facts.offsets, *plan_.offsets);
  }
  void add_rows(TablesLaunch& part) {
    add_address(&part.facts().sums, plan_.sums);
    if (plan_.rate) add_address(&part.facts().rate, *plan_.rate);
    if (plan_.finite) add_address(&part.facts().finite, *plan_.finite);
    if (plan_.scale) add_address(&part.facts().scale, *plan_.scale);
    for (size_t i = 0; i < static_cast<size_t>(part.facts().here); ++i) {
      const View& view = plan_.tables[static_cast<size_t>(part.facts().first_table) + i];
      if (view.storage) add_address(&part.tables()[i].rows, view);
    }
  }

  // How many neighbouring columns a lane moves at once.
  int vector() const {
    int most = static_cast<int>(16 / dtype_size(plan_.sums.dtype));
    const auto fits = [&](const View& view, int rows, const int64_t* strides, int64_t step, int64_t vector) {
      return !view.storage || moves_packs(view, rows, strides, step, vector);
    };
    for (; most > 1; most /= 2) {
      const Layout& to = plan_.sums.layout;
      bool all = to.shape[2] % most == 0 && fits(plan_.sums, 2, to.strides, to.strides[2], most) &&
                 !(plan_.what == BagTask::sum && plan_.sums.accumulate);
      for (const View& table : plan_.tables) all &= fits(table, 1, table.layout.strides, table.layout.strides[1], most);
      if (all) break;
    }
    return most;
  }

  KernelSpec spec(int number, const char* name, const TablesLaunch& part, bool wide) const {
    KernelSpec spec(rtc::kBags, number, wide, name);
    spec.type("In", plan_.indices.dtype).constant("kMost", part.most);
    return spec;
  }
  void launch(KernelSpec spec, TablesLaunch& part, const char* text, int64_t count) {
    part.facts().count = count;
    add_launch(add_kernel(spec.text({rtc::kSortText, rtc::kOptimizerText, rtc::kBagsText, text})), *part.words.data(),
               blocks_for(count, kThreads));
  }

  void sum() {
    const int vector = this->vector();
    for (TablesLaunch& part : parts_) {
      const BagFacts& facts = part.facts();
      const int64_t count = facts.batch * facts.here * (facts.width / vector);
      KernelSpec kernel = spec(kSum, name(), part, needs_wide(count * vector));
      kernel.type("M", plan_.sums.dtype).constant("kVector", vector);
      add_places(part);
      add_rows(part);
      launch(kernel, part, kSumText, count);
    }
  }

  void give_back(const BagFacts& facts) {
    const int64_t places = plan_.places();
    const auto number_bytes = static_cast<int64_t>(dtype_size(number_dtype_));
    const int64_t bags = (places * number_bytes + 255) / 256 * 256;
    if (places > 0) {
      numbering_.resize(parts_.size());
      for (size_t i = 0; i < parts_.size(); ++i) {
        TablesLaunch& part = numbering_[i] = parts_[i];
        add_places(part);
        add_workspace(&part.facts().numbers);
        if (plan_.offsets) add_workspace(&part.facts().bags, bags);
        KernelSpec kernel = spec(kNumber, "number_places", part, true);
        kernel.type("Number", number_dtype_);
        launch(kernel, part, kNumberText, plan_.offsets ? places : part.facts().here * facts.line);
      }
      sort_numbers(facts, plan_.offsets ? bags + places * int64_t{sizeof(uint32_t)} : bags);
    }
    const int vector = this->vector();
    const bool steps = plan_.what == BagTask::descend;
    for (TablesLaunch& part : parts_) {
      BagFacts& own = part.facts();
      const int64_t packs = facts.width / vector;
      const int64_t first = plan_.first_row(static_cast<size_t>(own.first_table));
      const int64_t rows = plan_.first_row(static_cast<size_t>(own.first_table + own.here)) - first;
      const int64_t count = packs * (!steps ? rows : plan_.offsets ? places : own.here * facts.line);
      if (count == 0) continue;
      add_places(part);
      add_rows(part);
      if (places > 0) {
        if (plan_.offsets) add_workspace(&own.bags, bags);
        add_keys(&own.keys);
        SortingTask::add_places(&own.places);
      } else {
        own.line = 0;
      }
      KernelSpec kernel = spec(steps ? kDescend : kGradient, name(), part, needs_wide(count * vector));
      kernel.type("M", plan_.sums.dtype).type("Number", number_dtype_).constant("kVector", vector);
      if (steps) kernel.type("Rate", plan_.rate->dtype);
      launch(kernel, part, steps ? kDescendText : kGradientText, count);
    }
  }
  void sort_numbers(const BagFacts& facts, int64_t bytes) {
    Lines lines = {};
    Dims<3> dims;
    const int64_t count = plan_.offsets ? 1 : facts.tables;
    dims.push(count, {facts.line, 0, 0});
    lines.dims = dims.count;
    lines.keep = facts.line;
    lines.in.dtype = number_dtype_;
    static_cast<device::Dims<3>&>(lines.first.lines) = KernelDims<3>(dims);
    lines.first.step[0] = 1;
    lines.first.count = count;
    lines.first.length = facts.line;
    lines.first.extent = facts.rows;
    sort(lines, bytes);
  }

  BagPlan plan_;
  rondo_dtype number_dtype_ = RONDO_I32;
  std::deque<TablesLaunch> parts_, numbering_;
};

}  // namespace

Ref<OperatorTask> make_cuda_bags(BagPlan plan) {
  return make_ref<CudaBags>(std::move(plan));
}

}  // namespace rondo::ops
