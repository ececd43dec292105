// Declares what a tape needs of normalisations besides the operators of ops.h.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/ops.h"

namespace rondo::ops {

// out = the gradient of a for the gradient dy of normalise(a, axis, weight), which has a's shape. The row's statistics
// are computed again: it is read anyway.
Status normalise_grad(Normalisation op, const View& a, const View& dy, int axis, const View* weight, double epsilon,
                      Output& out);

}  // namespace rondo::ops
