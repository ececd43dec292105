// The rules of convolutions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

Needs needed(const ops::ConvolutionCall& call, const Node& node, unsigned wanted);
Status run(const ops::ConvolutionCall& call, Backward& backward);
Needs needed(const ops::ConvolutionFilterGradCall& call, unsigned wanted);
Status run(const ops::ConvolutionFilterGradCall& call, Backward& backward);

}  // namespace rondo::tape
