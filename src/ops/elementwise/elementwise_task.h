// Declares the one task of all elementwise operators, fused or not: an expression over strided operands.
//
// All that does not depend on which tensors they are and on the values of scalars is its plan (elementwise_plan.h),
// which it shares with tasks that are alike. run() on a GPU joins that with addresses and launches.
//
// The kernel's argument is one struct of 8-byte words:
//   addresses of the operands: inputs, then outputs
//   scalars, each in its register dtype at the word's start
//   only with generators: the address of a RandomState in device memory or 0; then the seed, and one start per
//   generator
//                         (relative to the RandomState if there is one)
//   the plan's: sizes and strides, which depend on shapes only.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/machine/instructions.h"
#include "ops/elementwise/elementwise_plan.h"
#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"
#include "ops/task/output.h"

namespace rondo::ops {

// Threads of a kernel's block.
constexpr unsigned kElementwiseThreads = 256;
// The limits of a kernel for several tasks at once: packs that a thread takes, and bytes of arguments, as many as every
// version of CUDA passes to a kernel.
constexpr int kGroupRounds = 4;
constexpr int kGroupBytes = 4096;

class ElementwiseTask final : public Computation {
 public:
  struct Operand {
    Storage* storage;
    int64_t offset;  // bytes
  };

  // views: of the inputs, broadcast to shape, then of the outputs, which have that shape; only read here. scalars: a
  // word each (scalar_word). An output's `accumulate` is the expression's, not the view's. The plan is a kept one if
  // there is one.
  ElementwiseTask(const char* name, Device& device, const Expression& expression, const Layout& shape,
                  const View* const* views, const uint64_t* scalars);
  // With the plan of such views.
  RONDO_HOT ElementwiseTask(const char* name, Device& device, Ref<const ElementwisePlan> plan, const View* const* views,
                            const uint64_t* scalars);

  // --- what a graph's passes look at
  const ElementwisePlan& plan() const { return *plan_; }
  const Expression& expression() const { return plan_->expression(); }
  const Operand& operand(int i) const { return operands_[static_cast<uint32_t>(i)]; }
  int operands() const { return static_cast<int>(operands_.size()); }
  char* address(int i) const { return operand(i).storage->address() + operand(i).offset; }
  const Space& space() const { return plan_->space(); }
  // Operand i as it was given, under the task's full shape (strides of 0 where it is broadcast).
  View view(int i) const;
  const Layout& shape() const { return plan_->shape(); }
  const uint64_t* scalars() const { return scalars_.begin(); }
  // Changes a scalar for the runs to come.
  void set_scalar(int i, uint64_t word) { scalars_[static_cast<size_t>(i)] = word; }
  rtc::Signature signature(rtc::Family family) const { return plan_->signature(family); }

  void list_operands(std::vector<TaskOperand>* list) const override;
  bool works_in_place() const override { return expression().outputs() == 1 && !expression().output(0).accumulate; }
  Ref<OperatorTask> without(uint32_t unread) const override;
  Ref<OperatorTask> again(const Rebinding& memory) const override { return moved(memory); }
  Ref<ElementwiseTask> moved(const Rebinding& memory) const;
  Status prepare() override;
  size_t own_kernels() const override { return kernel_ ? 1 : 0; }
  Status run(const TaskContext& context) override;
  void set_random(RandomState own, RandomState) override { random_ = own; }
  void run_on_cpu(const TaskContext& context);

 private:
  RONDO_HOT Status run_on_cuda(const TaskContext& context);

  const Ref<const ElementwisePlan> plan_;
  SmallVector<Operand, 4> operands_;
  SmallVector<uint64_t, 4> scalars_;
  const rtc::Kernel* kernel_ = nullptr;  // once prepared, on a GPU
  RandomState random_;
};

// An operator of the table: its operands, which are broadcast to `shape`, have been checked.
Status run_elementwise(const ElementwiseCall& call, std::span<const View* const> operands, const Layout& shape,
                       Output& out);

// Computes the expression on the host, with such instructions. addresses: of the operands. random: where the numbers
// start.
void evaluate_on_cpu(const Expression& expression, const Space& space, char* const* addresses, const uint64_t* scalars,
                     RandomState random, Instructions which = instructions());

// The cost of an element on the host relative to others, in bytes of memory: an instruction counts as some of them. A
// task that costs kSharedCost is shared among workers, in parts of about kPartCost, which are worth waking a thread
// for.
int64_t cost_on_cpu(const Expression& expression);
constexpr int64_t kPartCost = int64_t{1} << 18, kSharedCost = int64_t{1} << 20;

// The kernel's text for an expression over a space; deterministic. (elementwise_text.cc)
std::string elementwise_text(const Expression& expression, const Space& space);
// The same for several flat spaces at once (elementwise_group.h). Its argument is one struct:
//   word 0                  how many spaces there are
//   word 1 + k              scalar k, which all of them share
//   then for each space     address of each operand, then its number of elements and its first block, 32 bits each
std::string group_text(const Expression& expression, const Space& space);
// How many spaces that is at most.
inline int group_capacity(const Expression& expression) {
  return (kGroupBytes / 8 - 1 - expression.scalars()) / (expression.operands() + 1);
}

// The same on the host: rows of one length and of one kind, for which everything is looked up once. For one thread.
class RowEvaluator {
 public:
  RowEvaluator(const Expression& expression, const uint64_t* scalars);
  ~RowEvaluator();
  RowEvaluator(const RowEvaluator&) = delete;
  RowEvaluator& operator=(const RowEvaluator&) = delete;
  // n elements of the inputs at these addresses and steps, go side by side to `to`.
  void run(char* const* addresses, const int64_t* steps, int64_t n, void* to);

 private:
  struct Row;
  const Expression& expression_;
  const uint64_t* const scalars_;
  std::unique_ptr<Row> rows_[2];  // the last two lengths, in turn
  int last_ = 0;
};

}  // namespace rondo::ops
