// Decides which convolutions on the cpu oneDNN is asked for, and describes them in its terms.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/convolution/convolution.h"

namespace rondo::ops {

// oneDNN's way of a problem; null where the library is absent or has none that is quick.
std::unique_ptr<ConvolutionPlan> find_onednn_plan(const Convolution& problem);

// The same shape with channels last in memory and no gaps.
Layout with_channels_last(Layout layout);

}  // namespace rondo::ops
