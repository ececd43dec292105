// Describes what a product or a convolution does with its sums in its own call, for passes that move the following
// steps of a recording into it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/ops.h>

#include "engine/tensor.h"

namespace rondo::ops {

// activation(scale * sum + bias + residual). A view without a storage: none.
struct Epilogue {
  View scale, bias;  // one dimension: a number for each channel
  View residual;     // of the result's shape
  rondo_activation activation = RONDO_ACTIVATION_NONE;
  View to;  // where the results go, laid out as those without an epilogue
};

// A task that may end so.
class TakesEpilogue {
 public:
  // Which dimension of its result has the channels.
  virtual int channels() const = 0;
  // The same task with an epilogue in the place of none; null if it cannot have that one.
  virtual Ref<Task> with(const Epilogue& epilogue) const = 0;

 protected:
  ~TakesEpilogue() = default;
};

}  // namespace rondo::ops
