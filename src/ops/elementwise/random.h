// Advances a graph's random state: two words in device memory that its kernels start from.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/cuda_device.h"
#include "engine/tasks/task.h"

namespace rondo::ops {

// Compiles the kernel that launch_random_advance needs.
Status prepare_random_advance(cuda::CudaDevice& device);
// Enqueues offset += count. Prepared before; may be captured.
Status launch_random_advance(cuda::CudaDevice& device, void* stream, RandomState* state_on_device, uint64_t count);

}  // namespace rondo::ops
