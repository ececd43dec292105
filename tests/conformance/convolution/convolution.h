// What the tests of convolutions share: a problem, its sums written as one loop over all that meet, layouts.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.h"

namespace conformance {

struct Convolution {
  Shape image, filter;  // [n, c, spatial...], [k, c / groups, kernel...]
  Shape stride = {1, 1, 1}, before = {0, 0, 0}, after = {0, 0, 0}, dilation = {1, 1, 1};
  int64_t groups = 1;

  size_t spatial() const { return image.size() - 2; }
  // Of the result of the convolution with this image.
  Shape result() const;
  rondo_convolution_options options() const;
  // The same for the transposed one that makes the image of the result.
  rondo_convolution_options transposed_options() const;
  std::string name() const;
};

enum class Way { forward, data, filter };

// The sum that a way is. The operands: image or result, filter or result, as the way reads them. `inner` rounds as
// finely as sums are kept; magnitudes are returned by `bound`.
Expected expect_convolution(const Convolution& problem, Way way, const Array& first, const Array& second);

// The same elements with channels innermost in memory.
Tensor with_channels_last(rondo_tensor* tensor);
bool has_channels_last(rondo_tensor* tensor);

// Problems of one to three dimensions, with everything that a convolution may have; small.
std::vector<Convolution> convolution_problems();
// Others, by chance.
std::vector<Convolution> random_convolutions(size_t count, uint32_t seed);

}  // namespace conformance
