// Decides which convolutions cuDNN is asked for, and describes them in cuDNN's terms.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/cuda/cuda_device.h"
#include "ops/convolution/convolution.h"

namespace rondo::ops {

// cuDNN's way of a problem, chosen and tried out on scratch memory; null where the library is absent or has none. An
// error only for what is no matter of this problem.
Status find_cudnn_plan(cuda::CudaDevice& device, const Convolution& problem, std::unique_ptr<ConvolutionPlan>* plan);

// Tells whether both gradients of one convolution are faster on two streams, with the plans that are chosen for each.
// Measured once, kept as choices are.
struct SideBySide {
  bool faster = false;
  float one_by_one_us = 0, side_by_side_us = 0;  // 0: not measured
  const char* why_not = "";                      // of what is not measured
};
Status measure_side_by_side(cuda::CudaDevice& device, const Convolution& data, const Convolution& filter,
                            SideBySide* result);

}  // namespace rondo::ops
