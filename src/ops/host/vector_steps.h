// Defines the loops of optimizers' steps, for the .cc file of each instruction set, as the loops of vector_loops.h.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/host/elementwise_loops.h"

namespace rondo::ops::RONDO_VECTOR_SET {

namespace {

template <device::StepRule rule>
RONDO_VECTOR void step_row(const device::StepNumbers<float>& given, float ratio, float* weights, const float* gradient,
                           float* first, float* second, float* largest, float* direction, int64_t n) {
  using namespace device;
  const StepNumbers<float> numbers = given;  // in registers
  RONDO_APART
  for (int64_t i = 0; i < n; ++i) {
    float p = weights[i], g = 0, m = 0, v = 0, x = 0;
    if constexpr (kTakesGradient<rule>) g = gradient[i];
    if constexpr (kHasFirst<rule>) m = first[i];
    if constexpr (kHasSecond<rule>) v = second[i];
    if constexpr (kHasLargest<rule>) x = largest[i];
    step_element<rule, float>(numbers, ratio, p, g, m, v, x);
    if constexpr (kWritesState<rule>) {
      first[i] = m;
      if constexpr (kHasSecond<rule>) second[i] = v;
      if constexpr (kHasLargest<rule>) largest[i] = x;
    }
    if constexpr (rule == StepRule::lamb_measure)
      direction[i] = g;
    else
      weights[i] = p;
  }
}

StepLoop step(device::StepRule rule) {
  using device::StepRule;
  switch (rule) {
    case StepRule::descent: return step_row<StepRule::descent>;
    case StepRule::momentum: return step_row<StepRule::momentum>;
    case StepRule::nesterov: return step_row<StepRule::nesterov>;
    case StepRule::adam: return step_row<StepRule::adam>;
    case StepRule::amsgrad: return step_row<StepRule::amsgrad>;
    case StepRule::lamb_measure: return step_row<StepRule::lamb_measure>;
    case StepRule::lamb: break;
  }
  return step_row<StepRule::lamb>;
}

}  // namespace

}  // namespace rondo::ops::RONDO_VECTOR_SET
