// The sizes for which convolutions of whole numbers are products of these.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rondo_onnx {

// Numbers that a result is the sum of, from which on a product is quicker.
inline constexpr int64_t kLeastDepth = 16;
// Sums of so many products of 8 bits are less than 2^31, which longer ones may exceed: 255 * 255 * 33025.
inline constexpr int64_t kMostExact = 33025;
// Places of a filter, each of which is a slice.
inline constexpr int64_t kMostOffsets = 128;

}  // namespace rondo_onnx
