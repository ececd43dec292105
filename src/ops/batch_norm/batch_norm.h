// Declares normalisations over groups of elements that may lie anywhere: statistics of groups, and the sums that
// gradients are made of (rtc/device/rows/norm.h). Each element is then normalised by an expression.
//
// Operands stand under one layout, that of the elements, in which channels may be two dimensions, of groups and within
// them; statistics and weights have stride 0 in the dimensions that they do not have.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ops/operators/element.h"
#include "ops/ops.h"
#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"
#include "rtc/device/rows/norm.h"

namespace rondo::ops {

using device::NormKind;

struct NormPlan {
  const char* name = nullptr;
  NormKind kind = NormKind::moments;
  std::optional<View> in[device::kNormInputs];
  std::optional<View> out[device::kNormArrays - device::kNormInputs];
  Dims<device::kNormArrays> kept;
  Dims<device::kNormInputs> reduced;
  unsigned axes = 0;  // which dimensions of x are within a group
  double epsilon = 0, momentum = 0;

  const View& x() const { return *in[device::kNormX]; }
  const std::optional<View>& result(int array) const { return out[array - device::kNormInputs]; }
  int64_t groups() const { return kept.elements(); }
  int64_t length() const { return reduced.elements(); }
  bool tracks() const { return result(device::kNormRunningMean).has_value(); }
  // Mean and inverse are the group's own.
  bool fixed() const {
    for (const int array : {device::kNormMean, device::kNormInverse, device::kNormRest})
      for (int d = 0; d < reduced.count; ++d)
        if (reduced.stride[array][d] != 0) return false;
    return true;
  }
  // After the operands.
  void arrange(unsigned axes);
  void move_to(const Rebinding& memory) {
    for (std::optional<View>& each : in) memory.move(&each);
    for (std::optional<View>& each : out) memory.move(&each);
  }
  Call call() const;
  void declare(Task& task) const;
  void list_operands(std::vector<TaskOperand>* list) const;
};

void norm_on_cpu(const NormPlan& plan);
Ref<OperatorTask> make_cuda_norm(const NormPlan& plan);
// Submits the plan's task on its device.
Status submit_norm(const NormPlan& plan);

// The statistics of groups over `axes`. Results: [..., 1, ...] under x's dimensions, of the dtype that x is computed
// in. The mean, 1 / sqrt(variance + epsilon), and what rounding took from the mean.
Status norm_moments(const View& x, unsigned axes, double epsilon, rondo_tensor** mean, rondo_tensor** inverse,
                    rondo_tensor** rest);
// The same with all attributes, into tensors as they stand under x: mean, inverse, rest, and running ones if there are
// any.
Status norm_statistics(const BatchNormStatisticsCall& call, const char* name, const View& x,
                       std::span<const View> results);
// The elements by statistics, into a tensor; inputs: those of the row, as they stand under them.
Status norm_elements(const BatchNormCall& call, const char* name, std::span<const View> inputs, const View& out);
// The sums of g and g * (x - mean - rest) * inverse, g being dy * weight (null: dy), or 0 where y (null: nowhere) is
// not positive; rest null: 0. mean, inverse and rest: under x's dimensions, also along `axes`.
Status norm_sums(const View& x, const View& dy, const View* y, const View& mean, const View& inverse, const View* rest,
                 const View* weight, unsigned axes, rondo_tensor** sum, rondo_tensor** dot);

// The same into tensors as they stand under x.
Status norm_sums(const BatchNormSumsCall& call, const View& x, const View& dy, const View* y, const View& mean,
                 const View& inverse, const View* rest, const View* weight, std::span<const View> results);

struct NormOptions {
  const View *weight = nullptr, *bias = nullptr, *residual = nullptr;
  double epsilon = 0;
  rondo_activation activation = RONDO_ACTIVATION_NONE;
};
// Statistics given.
Status batch_norm(const View& a, const View& mean, const View& variance, const NormOptions& options, Output& out);
// Running statistics: both or neither. mean and inverse: where the batch's go, or null.
struct BatchNormTraining {
  const View *running_mean = nullptr, *running_variance = nullptr;
  double momentum = 0;
};
Status batch_norm_training(const View& a, const NormOptions& options, const BatchNormTraining& training, Output& out,
                           Output* mean, Output* inverse);
Status group_norm(const View& a, int64_t groups, const NormOptions& options, Output& out);

}  // namespace rondo::ops
