// A noted operator: what it was, which storages it read and wrote, and the values that its gradient needs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/tape.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/tensor.h"
#include "ops/program/kinds.h"

namespace rondo::tape {

// A tensor that an operator read or wrote.
struct Operand {
  uint64_t number = 0;  // of its storage
  View view;            // its storage is null unless the value is kept
  Device* device = nullptr;
  size_t bytes = 0;                      // of the storage
  bool active = false;                   // its gradient may be asked for: it depends on a watched tensor
  Ref<Storage> kept;                     // only if the gradient needs the value
  const char* overwritten_by = nullptr;  // the operator that wrote there first after the value was noted

  void keep(Storage& storage) {
    kept = Ref<Storage>::share(&storage);
    view.storage = &storage;
  }
};

// The bit of an operand in masks: operands beyond the last bit share it.
inline unsigned operand_bit(size_t operand) {
  return 1u << std::min<size_t>(operand, 31);
}

// Whose values a gradient needs, as masks.
struct Needs {
  unsigned inputs = 0, outputs = 0;
};

class Backward;

// A piece of work with a gradient that no rule makes.
struct Custom {
  explicit Custom(std::string name) : name(std::move(name)) {}
  Custom(const Custom&) = delete;
  Custom& operator=(const Custom&) = delete;
  virtual ~Custom() = default;
  virtual Needs needs() const { return {}; }
  // Passes on the gradients of the inputs that backward wants.
  virtual Status run(Backward& backward) const = 0;
  const std::string name;
};

struct Node {
  const char* name = nullptr;  // lives as long as the process, or as custom
  Ref<const ops::Call> call;   // neither this nor custom: a task without a gradient
  std::shared_ptr<const Custom> custom;
  const char* why_none = nullptr;  // of a task without a gradient; see OperatorTask::why_no_gradient
  std::vector<Operand> inputs, outputs;
  bool flows = false;  // from its outputs to active inputs
};

}  // namespace rondo::tape
