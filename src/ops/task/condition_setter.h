// Launches the kernel before a conditional node (device.h, Choice): it reads a number on the device and sets the node's
// value. At the end of a loop's body it does so again.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/cuda_device.h"
#include "engine/tasks/task.h"

namespace rondo::ops {

// The state of its run that a captured graph, or a body, keeps at the start of its memory.
struct RunState {
  RandomState numbers;      // where those begin that it draws on the device
  RandomState host_random;  // where those of cpu:0 begin, of which each choice in it takes one
  uint64_t turn;            // of a loop's body
};

// One choice, laid out as the kernel takes it.
struct ConditionSetter {
  const void* number = nullptr;  // bool, i32 or i64; null: nothing is chosen, and the kernel does nothing
  // Which nodes go by it: one by its value, or one by whether it is true and one by whether it is false.
  uint64_t value = 0, opposite = 0;
  uint64_t limit = 0;                  // of a loop: the most turns; 0: none
  RunState* bodies = nullptr;          // what they share, as one of them runs; null: they keep nothing
  const RandomState* drawn = nullptr;  // of the run around, `host_random`; null: the bodies draw nothing
  uint64_t offset = 0;                 // after that, the choice's own
  uint64_t indices = 0;                // bodies that a number chooses among; 0: by true and false
  uint32_t bytes = 1;                  // of the number
  uint32_t has_value = 0;              // whether `value` is a node's
  uint32_t has_opposite = 0;           // the same of `opposite`
  uint32_t again = 0;                  // at the end of a turn
  uint32_t device = 0;                 // as random_of_body numbers them
  uint32_t unused = 0;
};

// Compiles the kernel.
Status prepare_condition_setter(cuda::CudaDevice& device);
// Enqueues it. Prepared before; to be captured.
Status launch_condition_setter(cuda::CudaDevice& device, void* stream, const ConditionSetter& setter);

}  // namespace rondo::ops
