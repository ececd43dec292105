// Times kernels of a product where a graph would have them: in a chain, by turns with another kernel of Rondo's.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/matmul/product_choice.h"
#include "rtc/kernel.h"

namespace rondo::ops {

struct ProductTime {
  ProductKernel kernel;
  float microseconds;     // of the product and the kernel after it
  bool in_chain = false;  // else of one alone: it was too slow for a chain
};

// Times those kernels, all of which can make it, for about as many microseconds. One that fails is left out.
Status time_products(cuda::CudaDevice& device, const Product& product, const std::vector<ProductKernel>& kernels,
                     long long budget_us, std::vector<ProductTime>* times);

// The kernel between products of a chain.
Status find_trial_kernel(cuda::CudaDevice& device, const rtc::Kernel** kernel);

}  // namespace rondo::ops
