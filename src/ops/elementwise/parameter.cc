// Makes the task that writes a parameter's number into its tensor at each launch.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/parameter.h"

#include "ops/elementwise/elementwise_task.h"
#include "ops/elementwise/form.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// A fill whose number is another one in each run. Captured, it is one kernel, whose argument is changed.
class ParameterTask final : public Computation {
 public:
  ParameterTask(Ref<ElementwiseTask> fill, uint32_t number, uint64_t initial)
      : Computation("parameter", fill->device()), fill_(std::move(fill)), number_(number), initial_(initial) {
    fill_->hand_accesses_to(*this);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { fill_->list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<ParameterTask>(fill_->moved(memory), number_, initial_);
  }
  Status prepare() override { return fill_->prepare(); }
  size_t own_kernels() const override { return fill_->own_kernels(); }
  Status run(const TaskContext& context) override {
    fill_->set_scalar(0, context.settings ? context.settings[number_] : initial_);
    return fill_->run(context);
  }

 private:
  const Ref<ElementwiseTask> fill_;
  const uint32_t number_;
  const uint64_t initial_;
};

}  // namespace

Status write_parameter(const View& tensor, uint32_t number, uint64_t initial) {
  const View* const views[] = {&tensor};
  auto fill = make_ref<ElementwiseTask>("parameter", tensor.device(), expression_of(FillCall{initial}, {}, tensor),
                                        tensor.layout, views, &initial);
  return submit_prepared(tensor.engine(), make_ref<ParameterTask>(std::move(fill), number, initial), {}, [=] {
    return Call{ParameterCall{number, initial}};
  });
}

}  // namespace rondo::ops
