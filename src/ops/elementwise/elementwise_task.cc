// Joins the operands of an elementwise task with its plan, and runs it on the host or a GPU.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise_task.h"

#include "ops/elementwise/plan_table.h"

namespace rondo::ops {

namespace {

Ref<const ElementwisePlan> plan_of(Device& device, const Expression& expression, const Layout& shape,
                                   const View* const* views) {
  const PlanKey key(device, expression, shape, views);
  if (Ref<const ElementwisePlan> kept = plan_table().find(key)) [[likely]]
    return kept;
  return plan_table().keep(key, make_ref<ElementwisePlan>(device, key, expression, shape, views));
}

}  // namespace

ElementwiseTask::ElementwiseTask(const char* name, Device& device, const Expression& expression, const Layout& shape,
                                 const View* const* views, const uint64_t* scalars)
    : ElementwiseTask(name, device, plan_of(device, expression, shape, views), views, scalars) {}

ElementwiseTask::ElementwiseTask(const char* name, Device& device, Ref<const ElementwisePlan> plan,
                                 const View* const* views, const uint64_t* scalars)
    : Computation(name, device), plan_(std::move(plan)) {
  const Expression& expression = this->expression();
  const int inputs = expression.inputs(), operands = expression.operands();
  Operand* const placed = operands_.extend(static_cast<uint32_t>(operands));
  for (int k = 0; k < operands; ++k) {
    const View& view = *views[k];
    placed[k] = {view.storage, view.offset};
    const bool written = k >= inputs;
    if (!written || expression.output(k - inputs).accumulate) reads(*view.storage);
    if (written) declare_output(*this, view);
  }
  for (int k = 0; k < expression.scalars(); ++k) scalars_.push_back(scalars[k]);
  random_count_ = plan_->random_count();
}

View ElementwiseTask::view(int i) const {
  const Expression& expression = this->expression();
  View view;
  view.storage = operand(i).storage;
  view.offset = operand(i).offset;
  view.dtype = expression.operand_dtype(i);
  view.accumulate = i >= expression.inputs() && expression.output(i - expression.inputs()).accumulate;
  view.layout = plan_->layout(i);
  return view;
}

void ElementwiseTask::list_operands(std::vector<TaskOperand>* list) const {
  list->reserve(list->size() + static_cast<size_t>(operands()));
  for (int k = 0; k < operands(); ++k) list->push_back({view(k), k >= expression().inputs()});
}

Ref<ElementwiseTask> ElementwiseTask::moved(const Rebinding& memory) const {
  std::vector<View> views;
  std::vector<const View*> list;
  for (int k = 0; k < operands(); ++k) memory.move(&views.emplace_back(view(k)));
  for (const View& each : views) list.push_back(&each);
  return make_ref<ElementwiseTask>(name(), device(), expression(), shape(), list.data(), scalars());
}

Ref<OperatorTask> ElementwiseTask::without(uint32_t unread) const {
  Expression less = expression().without_outputs(unread).without_dead();
  const unsigned used = less.used_inputs();
  std::vector<View> views;
  for (int k = 0; k < operands(); ++k) {
    const int output = k - expression().inputs();
    if (output < 0 ? (used >> k) & 1 : !((unread >> output) & 1)) views.push_back(view(k));
  }
  less = less.without_inputs(~used & ((1u << less.inputs()) - 1));
  std::vector<const View*> list;
  for (const View& each : views) list.push_back(&each);
  return make_ref<ElementwiseTask>(name(), device(), less, shape(), list.data(), scalars());
}

Status ElementwiseTask::prepare() {
  if (device().is_host() || space().elements == 0 || kernel_) return {};
  return plan_->find_kernel(name(), &kernel_);
}

Status ElementwiseTask::run(const TaskContext& context) {
  if (space().elements == 0) return {};
  if (!device().is_host()) return run_on_cuda(context);
  run_on_cpu(context);
  return {};
}

void ElementwiseTask::run_on_cpu(const TaskContext& context) {
  char* addresses[Expression::kMaxInputs + Expression::kMaxOutputs];
  for (int k = 0; k < operands(); ++k) addresses[k] = address(k);
  evaluate_on_cpu(plan_->computed(), space(), addresses, scalars(), context.first_number(random_));
}

}  // namespace rondo::ops
