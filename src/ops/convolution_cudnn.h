// Convolutions by cuDNN: which of them it is asked for, and how they read in its words.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/cuda/cuda_device.h"
#include "ops/convolution.h"

namespace rondo::ops {

// cuDNN's way of a problem, chosen and tried out on scratch memory; null where the library is absent or has none. An
// error only for what is no matter of this problem.
Status find_cudnn_plan(cuda::CudaDevice& device, const Convolution& problem, std::unique_ptr<ConvolutionPlan>* plan);

}  // namespace rondo::ops
