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

// Tells whether a new result has channels last, however x lies: of f32 with several channels a group, if the library is
// there. It is a rule of the operator, by the operands alone, so that eager and recorded calls agree.
bool onednn_leaves_channels_last(const View& x, const View& w, int64_t groups);

}  // namespace rondo::ops
