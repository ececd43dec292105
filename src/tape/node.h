// A noted operator: what it was, which storages it read and wrote, and the values that its gradient needs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/tape.h>

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

// A gradient that the user defined: three as every function of the user.
struct Custom {
  Custom(std::string name, rondo_gradient_fn gradient, void* arg, void (*destroy)(void*))
      : name(std::move(name)), gradient(gradient), arg(arg), destroy(destroy) {}
  Custom(const Custom&) = delete;
  Custom& operator=(const Custom&) = delete;
  ~Custom() {
    if (destroy) destroy(arg);
  }
  const std::string name;
  rondo_gradient_fn const gradient;
  void* const arg;
  void (*const destroy)(void*);
};

struct Node {
  const char* name = nullptr;  // lives as long as the process, or as custom
  Ref<const ops::Call> call;   // neither this nor custom: a task without a gradient
  std::shared_ptr<const Custom> custom;
  std::vector<Operand> inputs, outputs;
  bool flows = false;  // from its outputs to active inputs
};

}  // namespace rondo::tape
