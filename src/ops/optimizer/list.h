// Works on lists of tensors as one task: a step of an optimizer, a norm, whether all is finite, clipping. The tasks of
// both devices are made from this.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/program/operator_task.h"
#include "ops/task/output.h"
#include "rtc/device/optimizer.h"

namespace rondo::ops {

struct StepTensor {
  View weights, gradient;
  int64_t state = 0;  // bytes from the start of each block of state
};

// A step of an optimizer.
struct StepWork {
  static constexpr int kStates = 4;  // device::kStateFirst and so on

  std::vector<StepTensor> tensors;
  std::optional<View> states[kStates];  // whole blocks
  View step, rate;
  std::optional<View> finite, scale;
  device::StepRule rule = device::StepRule::descent;
  device::StepFacts facts = {};

  Engine& engine() const { return step.engine(); }
  Device& device() const { return step.device(); }
  bool clips() const { return facts.max_norm > 0; }
  bool has_master(const View& weights) const { return states[device::kStateMaster] && dtype_size(weights.dtype) == 2; }
  void move_to(const Rebinding& memory);
  void list_operands(std::vector<TaskOperand>* list) const;
  void declare(Task& task) const;
};

enum class Measure : uint8_t { finite, norm, clip };

// Measures all elements of tensors: `out` is the norm or whether they are finite. For clip, they are written too.
struct MeasureWork {
  Measure what = Measure::norm;
  std::vector<View> tensors;
  View out;
  double max_norm = 0;

  const char* name() const;
  void move_to(const Rebinding& memory) { memory.move_all(tensors, out); }
  void list_operands(std::vector<TaskOperand>* list) const;
  void declare(Task& task) const;
};

// Returns whether elements are contiguous in memory, in whatever order of the axes, the first of them lowest; and
// whether those of another tensor are laid out the same way.
bool lies_together(const Layout& layout);
bool lies_alike(const Layout& a, const Layout& b);
// One tensor of a list by dtype and layout: a float of 16 bits or more that lies together.
Status check_listed(const char* name, size_t i, const View& view);
// Tensors of a list: floats of 16 bits or more that lie together, of one engine and device, with contents.
Status check_list(const char* name, std::span<const View> tensors);
// That no two of them share memory.
Status check_apart(const char* name, std::span<const View> tensors);
// Checks that the value on the device for a step of `list`, if it is given, is one element of this dtype on their
// device.
Status check_given(const char* name, const View* given, rondo_dtype dtype, const char* list, const View& first);

Status all_finite(std::span<const View> tensors, Output& out);
Status global_norm(std::span<const View> tensors, Output& out);
Status clip_global_norm(std::span<const View> tensors, double max_norm, Output& out);

Ref<OperatorTask> make_cpu_step(StepWork work);
Ref<OperatorTask> make_cuda_step(StepWork work);
Ref<OperatorTask> make_cpu_measure(MeasureWork work);
Ref<OperatorTask> make_cuda_measure(MeasureWork work);

}  // namespace rondo::ops
