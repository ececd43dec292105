// Works on lists of tensors on a GPU: with tables of addresses in the kernels' arguments, a launch for all tensors of
// the same dtypes as far as its arguments have room. Which block does what depends on the tensors' sizes alone, so sums
// have the same bits in every run.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <deque>

#include "ops/optimizer/list.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

using device::ListedTensor;
using device::ListFacts;

constexpr const char* kStepText = R"(
using C = Register<W>;
extern "C" __global__ void __launch_bounds__(kListThreads) rondo_kernel(const ListArguments<kMost> args) {
  __shared__ f64 shared[kListThreads];
  step_list<W, G, C, static_cast<StepRule>(kRule), kMaster != 0, kVector>(args, shared);
}
)";
constexpr const char* kRatioText = R"(
extern "C" __global__ void __launch_bounds__(kListThreads) rondo_kernel(const ListArguments<kMost> args) {
  __shared__ f64 shared[kListThreads];
  ratio_list(args, shared);
}
)";
constexpr const char* kMeasureText = R"(
extern "C" __global__ void __launch_bounds__(kListThreads) rondo_kernel(const ListArguments<kMost> args) {
  __shared__ f64 shared[kListThreads];
  measure_list<G, kSquares != 0, kVector>(args, shared);
}
)";
constexpr const char* kClipText = R"(
extern "C" __global__ void __launch_bounds__(kListThreads) rondo_kernel(const ListArguments<kMost> args) {
  clip_list<G, kVector>(args);
}
)";
constexpr const char* kTotalText = R"(
extern "C" __global__ void __launch_bounds__(kListThreads) rondo_kernel(const ListTotal args) {
  __shared__ f64 shared[kListThreads];
  total_list<static_cast<TotalOf>(kOf)>(args, shared);
}
)";

// Kernels of the family, by number.
enum { kStep, kRatio, kMeasure, kClip, kTotal };

int64_t blocks_of(const View& view) {
  return blocks_for(view.elements(), device::kListChunk);
}

class ListTask : public KernelTask {
 protected:
  using KernelTask::KernelTask;

  // Tensors of one launch or of several with the same table: the arguments in words, which stay where they are.
  struct Table {
    std::vector<uint64_t> words;
    std::vector<View> weights, gradients;
    std::vector<int64_t> states;
    int most = 0;
    int64_t blocks = 0, tensors = 0, first_block = 0, first_tensor = 0;
    ListFacts& facts() { return *reinterpret_cast<ListFacts*>(words.data()); }
    ListedTensor& tensor(size_t i) {
      return *reinterpret_cast<ListedTensor*>(words.data() + sizeof(ListFacts) / sizeof(uint64_t) +
                                              i * (sizeof(ListedTensor) / sizeof(uint64_t)));
    }
  };

  // Adds a tensor to the last table of these dtypes, or to a new one.
  void add_tensor(const View& weights, const View& gradient, int64_t state) {
    if (gradient.elements() == 0) return;
    Table* table = nullptr;
    for (Table& each : tables_)
      if (each.weights[0].dtype == weights.dtype && each.gradients[0].dtype == gradient.dtype &&
          each.gradients.size() < device::kListMost)
        table = &each;
    if (!table) table = &tables_.emplace_back();
    table->weights.push_back(weights);
    table->gradients.push_back(gradient);
    table->states.push_back(state);
  }
  // When all are there. Blocks and tensors are numbered from one table to the next.
  void lay_out() {
    for (Table& table : tables_) {
      table.tensors = static_cast<int64_t>(table.gradients.size());
      table.most = table.tensors <= kFew ? kFew : device::kListMost;
      table.words.resize((sizeof(ListFacts) + static_cast<size_t>(table.most) * sizeof(ListedTensor)) /
                         sizeof(uint64_t));
      table.facts().count = table.tensors;
      table.first_block = blocks_;
      table.first_tensor = tensors_;
      for (size_t i = 0; i < table.gradients.size(); ++i) {
        ListedTensor& entry = table.tensor(i);
        entry.state = table.states[i];
        entry.elements = table.gradients[i].elements();
        entry.first = table.blocks;
        table.blocks += blocks_of(table.gradients[i]);
        add_address(&entry.weights, table.weights[i]);
        add_address(&entry.gradient, table.gradients[i]);
      }
      blocks_ += table.blocks;
      tensors_ += table.tensors;
    }
  }

  KernelSpec spec(int number, const Table& table) const {
    KernelSpec spec(rtc::kLists, number, false, name());
    spec.type("W", table.weights[0].dtype).type("G", table.gradients[0].dtype);
    return spec.constant("kMost", table.most);
  }
  static int vector_of(rondo_dtype dtype) { return dtype == RONDO_F64 ? 2 : 4; }
  void launch(const KernelSpec& spec, Table& table, int64_t blocks) {
    add_launch(add_kernel(spec), *table.words.data(), blocks, 1, device::kListThreads);
  }
  void measure(bool squares, int64_t measures) {
    for (Table& table : tables_) {
      add_workspace(&table.facts().measures, measures + table.first_block * int64_t{sizeof(double)});
      KernelSpec kernel = spec(kMeasure, table);
      kernel.constant("kSquares", squares).constant("kVector", vector_of(table.gradients[0].dtype));
      launch(kernel.text({rtc::kOptimizerText, kMeasureText}), table, table.blocks);
    }
  }
  void total(device::TotalOf of, int64_t measures, bool measured) {
    total_.count = measured ? blocks_ : 0;
    add_workspace(&total_.partials, measures);
    KernelSpec kernel(rtc::kLists, kTotal, false, name());
    kernel.constant("kOf", static_cast<int>(of)).text({rtc::kOptimizerText, kTotalText});
    add_launch(add_kernel(kernel), total_, 1, 1, device::kListThreads);
  }

  static constexpr int kFew = 8;
  std::deque<Table> tables_;
  device::ListTotal total_ = {};
  int64_t blocks_ = 0, tensors_ = 0;
};

class CudaStep final : public ListTask {
 public:
  explicit CudaStep(StepWork work) : ListTask("optimizer_step", work.device()), work_(std::move(work)) {
    using device::StepRule;
    work_.declare(*this);
    for (const StepTensor& each : work_.tensors) add_tensor(each.weights, each.gradient, each.state);
    lay_out();
    // The plan, a number for each tensor, one for each block of what gradients are measured by, two for LAMB.
    constexpr int64_t kNumber = sizeof(double), sums = 256;
    static_assert(sizeof(device::StepPlan) <= 256);
    const bool measures_weights = work_.rule == StepRule::lamb;
    const int64_t measures = sums + (measures_weights ? tensors_ * kNumber : 0);
    const int64_t partials = measures + (work_.clips() ? blocks_ * kNumber : 0);
    workspace_bytes_ = static_cast<size_t>(partials + (measures_weights ? 2 * blocks_ * kNumber : 0));
    for (Table& table : tables_) {
      ListFacts& facts = table.facts();
      add_workspace(&facts.plan);
      if (measures_weights) {
        add_workspace(&facts.sums, sums + table.first_tensor * kNumber);
        add_workspace(&facts.partials, partials + 2 * table.first_block * kNumber);
      }
      for (int i = 0; i < StepWork::kStates; ++i)
        if (work_.states[i]) add_address(&facts.states[i], *work_.states[i]);
    }
    if (work_.clips()) measure(true, measures);
    total_.facts = work_.facts;
    add_workspace(&total_.plan);
    add_address(&total_.step, work_.step);
    add_address(&total_.rate, work_.rate);
    if (work_.finite) add_address(&total_.finite, *work_.finite);
    if (work_.scale) add_address(&total_.scale, *work_.scale);
    total(device::TotalOf::step, measures, work_.clips());
    if (measures_weights) {
      step_all(StepRule::lamb_measure);
      for (Table& table : tables_)
        launch(spec(kRatio, table).text({rtc::kOptimizerText, kRatioText}), table, table.tensors);
    }
    step_all(work_.rule);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { work_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaStep>(memory.moved(work_)); }

 private:
  void step_all(device::StepRule rule) {
    for (Table& table : tables_) {
      KernelSpec kernel = spec(kStep, table);
      kernel.constant("kRule", static_cast<int>(rule)).constant("kMaster", work_.has_master(table.weights[0]));
      kernel.constant("kVector", vector_of(table.weights[0].dtype));
      launch(kernel.text({rtc::kOptimizerText, kStepText}), table, table.blocks);
    }
  }
  StepWork work_;
};

class CudaMeasure final : public ListTask {
 public:
  explicit CudaMeasure(MeasureWork work) : ListTask(work.name(), work.out.device()), work_(std::move(work)) {
    work_.declare(*this);
    for (const View& each : work_.tensors) add_tensor(each, each, 0);
    lay_out();
    constexpr int64_t kNumber = sizeof(double);
    workspace_bytes_ = static_cast<size_t>((1 + blocks_) * kNumber);
    const bool squares = work_.what != Measure::finite;
    measure(squares, kNumber);
    add_workspace(&total_.sum);
    add_address(&total_.out, work_.out);
    total(squares ? device::TotalOf::norm : device::TotalOf::finite, kNumber, true);
    if (work_.what != Measure::clip) return;
    for (Table& table : tables_) {
      table.facts().max_norm = work_.max_norm;
      add_workspace(&table.facts().sums);
      KernelSpec kernel = spec(kClip, table);
      kernel.constant("kVector", vector_of(table.gradients[0].dtype));
      launch(kernel.text({rtc::kOptimizerText, kClipText}), table, table.blocks);
    }
  }
  void list_operands(std::vector<TaskOperand>* list) const override { work_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaMeasure>(memory.moved(work_)); }

 private:
  MeasureWork work_;
};

}  // namespace

Ref<OperatorTask> make_cuda_step(StepWork work) {
  return make_ref<CudaStep>(std::move(work));
}
Ref<OperatorTask> make_cuda_measure(MeasureWork work) {
  return make_ref<CudaMeasure>(std::move(work));
}

}  // namespace rondo::ops
