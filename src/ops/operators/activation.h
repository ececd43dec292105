// Finds an activation among the operators of the table, for uses outside of the kernels that end with one
// (rtc/device/activations.h): a pass of its own, a gradient.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/operators/operators.h"

namespace rondo::ops {

inline constexpr rondo_activation kActivations[] = {RONDO_ACTIVATION_RELU,       RONDO_ACTIVATION_GELU,
                                                    RONDO_ACTIVATION_RELU6,      RONDO_ACTIVATION_SILU,
                                                    RONDO_ACTIVATION_HARD_SWISH, RONDO_ACTIVATION_GELU_ERF};

struct ActivationOperator {
  Op op;
  const char* name;
  const char* gradient;  // the name of its gradient
  int parameters = 0;
  double parameter[2] = {};
};

// The activation must do something: it is not RONDO_ACTIVATION_NONE.
inline const ActivationOperator& operator_of(rondo_activation activation) {
  static const ActivationOperator operators[] = {{Op::relu, "relu", "relu_grad"},
                                                 {Op::gelu_tanh, "gelu", "gelu_grad"},
                                                 {Op::hard_tanh, "relu6", "relu6_grad", 2, {0, 6}},
                                                 {Op::silu, "silu", "silu_grad"},
                                                 {Op::hard_swish, "hard_swish", "hard_swish_grad"},
                                                 {Op::gelu, "gelu_erf", "gelu_erf_grad"}};
  return operators[activation - RONDO_ACTIVATION_RELU];
}

// True if it limits numbers: it keeps one, or puts a limit in its place, which every dtype holds. So it gives the same
// before and after rounding, and its result tells what it did.
inline bool only_limits(rondo_activation activation) {
  return activation == RONDO_ACTIVATION_RELU || activation == RONDO_ACTIVATION_RELU6;
}

// True if cuDNN's convolution can end so, by itself or followed by a kernel, with one rounding. added: a bias or a
// residual.
inline bool library_may_end_with(bool scale, bool added, rondo_activation activation, rondo_dtype dtype) {
  if (dtype == RONDO_F32) return true;
  if (dtype == RONDO_F64) return !scale && !added && activation == RONDO_ACTIVATION_NONE;
  return !scale && (activation == RONDO_ACTIVATION_NONE || only_limits(activation));
}

}  // namespace rondo::ops
