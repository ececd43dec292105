// References of the activations that products and convolutions end with, with their error bounds.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference.h"

namespace conformance {

inline constexpr rondo_activation kActivations[] = {
    RONDO_ACTIVATION_NONE, RONDO_ACTIVATION_RELU,       RONDO_ACTIVATION_GELU,    RONDO_ACTIVATION_RELU6,
    RONDO_ACTIVATION_SILU, RONDO_ACTIVATION_HARD_SWISH, RONDO_ACTIVATION_GELU_ERF};

inline Real gelu_argument(Real x) {
  return std::sqrt(8 / std::acos(Real(-1))) * (x + 0.044715L * x * x * x);
}

// What x is multiplied by.
inline Real gate_of(rondo_activation activation, Real x) {
  switch (activation) {
    case RONDO_ACTIVATION_GELU: return 1 / (1 + std::exp(-gelu_argument(x)));
    case RONDO_ACTIVATION_SILU: return 1 / (1 + std::exp(-x));
    case RONDO_ACTIVATION_HARD_SWISH: return std::clamp<Real>(x / 6 + 0.5L, 0, 1);
    default: return std::erfc(x * -std::sqrt(0.5L)) / 2;
  }
}

inline Real activated(rondo_activation activation, Real x) {
  if (activation == RONDO_ACTIVATION_NONE || std::isnan(x)) return x;
  if (activation == RONDO_ACTIVATION_RELU) return std::max<Real>(x, 0);
  if (activation == RONDO_ACTIVATION_RELU6) return std::clamp<Real>(x, 0, 6);
  const Real gate = gate_of(activation, x);
  return gate == 0 ? -Real(0) : x * gate;
}

// The bound of an activation's relative error for a given x, in units; 0: it has none.
inline Real bound_of(rondo_activation activation, Real x) {
  if (activation == RONDO_ACTIVATION_GELU) return 8 * (1 + std::fabs(gelu_argument(x)));
  if (activation == RONDO_ACTIVATION_HARD_SWISH) return x > -3 ? 48 / std::min<Real>(x + 3, 6) : 8;
  return activation == RONDO_ACTIVATION_SILU || activation == RONDO_ACTIVATION_GELU_ERF ? 8 : 0;
}

// Below it an activation may give 0 instead of a number.
inline Real least_of(rondo_activation activation, rondo_dtype dtype) {
  return activation == RONDO_ACTIVATION_GELU_ERF && dtype != RONDO_F64 ? 0x1p-126L : 0;
}

}  // namespace conformance
