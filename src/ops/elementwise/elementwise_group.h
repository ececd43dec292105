// Joins several elementwise tasks to one, which the engine orders, captures and reports as one. None of them may write
// what another reads or writes; they draw no random numbers.
//
// On a GPU tasks with the same kernel and scalars are one launch, as many as its arguments hold: a table with the
// addresses and the length of each, in which a block finds its own. Those whose operands are not dense, or reach beyond
// 31 bits, are launched as they would be alone. On the host a worker that has nothing else to do takes some.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

class ElementwiseGroup final : public Computation {
 public:
  // Tasks of one device, at least one, that were not submitted: from here on they are parts of this one.
  ElementwiseGroup(const char* name, Device& device, std::vector<Ref<ElementwiseTask>> parts);

  void list_operands(std::vector<TaskOperand>* list) const override;
  Ref<OperatorTask> again(const Rebinding& memory) const override;
  Status prepare() override;
  size_t own_kernels() const override { return launches_.size() + alone_.size(); }
  Status run(const TaskContext& context) override;

 private:
  // Parts that one launch does.
  struct Launch {
    rtc::Signature signature;
    std::vector<const ElementwiseTask*> parts;
    unsigned blocks = 0;
    const rtc::Kernel* kernel = nullptr;
    bool takes(const ElementwiseTask& part, const rtc::Signature& of_part) const;
  };
  void plan_launches();
  void run_on_cpu(const TaskContext& context);
  Status launch(const Launch& launch, const TaskContext& context);

  std::vector<Ref<ElementwiseTask>> parts_;
  std::vector<ElementwiseTask*> alone_;  // on a GPU: with a launch of their own
  std::vector<Launch> launches_;
};

}  // namespace rondo::ops
