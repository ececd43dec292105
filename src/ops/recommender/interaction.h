// Declares the plan of products of all pairs of vectors, and its tasks (rtc/device/interaction.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/program/operator_task.h"
#include "ops/task/output.h"
#include "rtc/device/interaction.h"

namespace rondo::ops {

struct InteractionPlan {
  View x;
  View y;   // the result, or its gradient
  View dx;  // of the gradient alone; else without storage
  bool kept = false;

  bool gradient() const { return dx.storage != nullptr; }
  const View& out() const { return gradient() ? dx : y; }
  const char* name() const { return gradient() ? "dot_interaction_grad" : "dot_interaction"; }
  device::InteractionArguments arguments() const;  // but for addresses
  void move_to(const Rebinding& memory) { memory.move_all(x, y, dx); }
  void list_operands(std::vector<TaskOperand>* list) const;
  void declare(Task& task) const;
};

Status dot_interaction(const View& x, bool keep_first, Output& out);
Status dot_interaction_grad(const View& x, const View& dy, bool keep_first, Output& out);

Ref<OperatorTask> make_cpu_interaction(const InteractionPlan& plan);
Ref<OperatorTask> make_cuda_interaction(const InteractionPlan& plan);

}  // namespace rondo::ops
