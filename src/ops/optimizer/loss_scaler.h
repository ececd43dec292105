// Keeps a loss scaler: the scale that losses are multiplied by, whether the steps of this round were taken, and how
// many rounds went well. All of it lies in device memory, and what changes it is elementwise operators over one
// element.
//
// Owned by the user's handle. Used by one thread at a time. Tasks keep what they need themselves.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/mixed_precision.h>

#include <memory>

#include "ops/optimizer/optimizer.h"

namespace rondo::ops {

class LossScaler {
 public:
  static constexpr int kStates = 3;

  static Status create(Engine& engine, Device& device, const rondo_loss_scaler_options& options,
                       std::unique_ptr<LossScaler>* made);
  LossScaler(const LossScaler&) = delete;
  LossScaler& operator=(const LossScaler&) = delete;

  Status scale(const View& loss, Output& out) const;
  Status step(Optimizer& optimizer, std::span<const View> gradients);
  // New tensors: whether all is finite, which this round goes by too, and 1 / the scale.
  Status finite(std::span<const View> gradients, rondo_tensor** finite, rondo_tensor** inverse);
  Status update();
  static const char* state_name(int index);
  // A handle of the caller's.
  rondo_tensor* state(int index) const;
  Engine& engine() const { return state_[0].engine(); }

 private:
  // The states that are saved, in this order, then whether all steps since the last update were taken.
  enum { kScale, kGood, kSkipped, kTaken, kTensors };
  Status judge(const char* name, std::span<const View> gradients, Handle* finite, Handle* inverse);
  explicit LossScaler(const rondo_loss_scaler_options& options) : options_(options) {}

  const rondo_loss_scaler_options options_;
  View state_[kTensors];
  Ref<Storage> kept_[kTensors];
  bool stepped_ = false;  // since the last update
};

}  // namespace rondo::ops
