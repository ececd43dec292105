// Turns a convolution into products with a gathered matrix, one form for all three ways and both devices
// (rtc/device/convolution.h):
//   forward  one product: m kernels, columns are places of the result, depth is channels and elements of the kernel
//   data     one for each residue of a place of the image by the stride: the elements of the kernel that reach it are
//            every so many, and with them the image is a convolution of the result with stride 1
//   filter   one product in which the image's batch entries are its channels and its channels are batch entries: places
//            are elements of the kernel and taps are places of the result
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/convolution/convolution.h"
#include "rtc/device/convolution.h"

namespace rondo::ops {

struct ConvolutionProduct {
  device::ProductArguments arguments;                         // without addresses
  int64_t a_offset = 0, out_offset = 0, residual_offset = 0;  // elements

  // The largest index or offset that is met.
  int64_t reach() const;
  // Calls to(word, view, bytes) for each word of the arguments that is an address: of which view, and how far after its
  // first element.
  template <class F>
  void place(const Convolution& problem, F&& to);
};

template <class F>
void ConvolutionProduct::place(const Convolution& problem, F&& to) {
  const auto size = static_cast<int64_t>(dtype_size(problem.dtype()));
  to(arguments.a, problem.way == ConvolutionWay::filter ? problem.result : problem.filter, a_offset * size);
  to(arguments.b, problem.way == ConvolutionWay::data ? problem.result : problem.image, 0);
  to(arguments.out, problem.out(), out_offset * size);
  if (problem.scale.storage) to(arguments.scale, problem.scale, 0);
  if (problem.bias.storage) to(arguments.bias, problem.bias, 0);
  if (problem.residual.storage) to(arguments.residual, problem.residual, residual_offset * size);
}

// Makes for way data one product that asks each tap whether it reaches the place, instead of more than `most`.
std::vector<ConvolutionProduct> convolution_products(const Convolution& problem, int64_t most);

}  // namespace rondo::ops
