// Keeps an optimizer: parameters, their state from step to step, and the rule of a step.
//
// Owned by the user's handle. Used by one thread at a time. Each kind of state is one block of memory, in which a
// parameter's part begins at the same place in all of them; what tasks need they keep themselves.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/optimizer.h>

#include <memory>
#include <string>

#include "ops/optimizer/list.h"
#include "ops/program/kinds.h"

namespace rondo::ops {

// One step by what it is as data: parameters, gradients, states, the number of steps, the rate, and whether all is
// finite and a scale if it has them.
Status step_once(const OptimizerStepCall& call, std::span<const View> operands);

class Optimizer {
 public:
  static Status create(std::span<const View> parameters, const rondo_optimizer_options& options,
                       std::unique_ptr<Optimizer>* made);
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Succeeds if step() takes these gradients.
  Status check(std::span<const View> gradients) const;
  // finite, scale: null if there is none.
  Status step(std::span<const View> gradients, const View* finite, const View* scale);
  Status set_rate(double rate);
  size_t states() const { return named_.size(); }
  const char* state_name(size_t index) const { return named_[index].name.c_str(); }
  // A handle of the caller's.
  rondo_tensor* state(size_t index) const;
  Engine& engine() const { return work_.engine(); }
  Device& device() const { return work_.device(); }
  void describe(rondo_optimizer_info* info) const;

 private:
  struct Named {
    std::string name;
    View view;
  };
  Optimizer() = default;
  Status make_state(const rondo_optimizer_options& options);
  View make_block(rondo_dtype dtype, const Layout& layout);

  StepWork work_;  // without gradients
  OptimizerStepCall call_ = {};
  std::vector<View> parameters_;
  std::vector<Ref<Storage>> kept_;  // the parameters', then the state's
  std::vector<Named> named_;
  int64_t bytes_ = 0;
};

}  // namespace rondo::ops
