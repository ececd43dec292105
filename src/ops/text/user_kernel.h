// Holds modules of CUDA C++: their kernels are found by name, and a launch is a task.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/user.h>

#include <span>
#include <string>
#include <vector>

#include "engine/tensor.h"
#include "ops/text/kernel_declaration.h"
#include "rtc/user_module.h"

namespace rondo::ops {

// A text compiled for one device. Immutable; owned by reference count (the user's handle). Its code stays loaded
// whatever becomes of it, so tasks hold nothing of it.
class Module final : public RefCounted {
 public:
  // Blocks while the text is compiled. name, options (both may be null): as in rondo_module_options.
  static Status create(Engine& engine, Device& device, const char* text, const char* kernels, const char* name,
                       const char* options, Ref<Module>* made);

  Engine& engine() const { return *engine_; }
  Device& device() const { return *device_; }
  const char* name() const { return name_; }
  // Tensors among the arguments have been checked to be alive.
  Status launch(const char* kernel, std::span<const rondo_argument> arguments,
                const rondo_launch_options& options) const;

 private:
  struct Kernel {
    KernelDeclaration declaration;
    const char* task_name;  // interned
    const rtc::UserKernel* code;
  };

  Ref<Engine> engine_;
  Device* device_ = nullptr;
  const char* name_ = nullptr;
  std::vector<Kernel> kernels_;
};

}  // namespace rondo::ops
