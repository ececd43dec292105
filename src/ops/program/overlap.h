// Decides whether two views share memory, for checks of operands and for order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor.h"

namespace rondo::ops {

// True if some byte belongs to an element of both. Views that are interleaved without a common element (x[0::2] and
// x[1::2], columns of a matrix) do not overlap. Exact for all that slices, transposes and reshapes make of a tensor;
// strides from elsewhere may be so tangled that the search ends early, and then they are taken to overlap.
bool overlap(const View& a, const View& b);
// Same storage, offset, dtype and strides.
bool identical(const View& a, const View& b);

}  // namespace rondo::ops
