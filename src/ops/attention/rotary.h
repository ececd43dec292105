// Declares the internals of rotary positions: one plan for all devices. The rotation itself is in rtc/device/rotary.h.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"
#include "rtc/device/attention/rotary.h"

namespace rondo::ops {

// As for rondo_rotary. positions: null, if there are none.
Status rotary(const View& x, const View* positions, const RotaryForm& form, Output& out);

struct RotaryPlan {
  RotaryPlan(const View& x, const View* positions, const RotaryForm& form, const View& out);

  View x, out;
  std::optional<View> positions;  // as they were given
  RotaryForm form;
  Dims<device::kRotaryArrays> rows;
  int64_t shared = 1, shared_step[2] = {};
  int64_t step[2] = {};

  int64_t size() const { return x.layout.shape[x.layout.ndim - 1]; }
  int64_t kept() const { return size() - form.channels; }
  // True if the channels that are not rotated are in the output already.
  bool in_place() const { return x.storage == out.storage && x.offset == out.offset && !out.accumulate; }
  // Without addresses, and for what is turned at once.
  device::RotaryArguments arguments() const;
  void move_to(const Rebinding& memory) { memory.move_all(x, out, positions); }
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

Ref<OperatorTask> make_cpu_rotary(const RotaryPlan& plan);
Ref<OperatorTask> make_cuda_rotary(const RotaryPlan& plan);

}  // namespace rondo::ops
