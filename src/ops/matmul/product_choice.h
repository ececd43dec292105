// Decides which kernel makes a product on a GPU: once for each problem, by trying those that can, in a chain as a graph
// runs it. The choice holds for the process and is kept on disk. So an eager call and a graph have the same bits.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ops/matmul/product_kernels.h"

namespace rondo::ops {

// A product that a kernel is wanted for.
class ProductQuestion {
 public:
  virtual ~ProductQuestion() = default;
  // Sets *takes to whether the kernel can make it.
  virtual Status takes(ProductKernel kernel, bool* takes) = 0;
  // The one that makes it where nothing is tried.
  virtual Status by_rule(ProductKernel* kernel) = 0;
};

struct ProductChoice {
  ProductKernel kernel;
  std::string times;  // for reports: what those that were tried took; empty if the rule alone has decided
};

// may_try: false while the caller's stream is captured. *choice null: the rule decides, and this time only.
Status find_product_choice(cuda::CudaDevice& device, const Product& product, bool may_try, ProductQuestion& question,
                           const ProductChoice** choice);

// A task whose product that kernel makes, which can.
Ref<OperatorTask> make_cuda_matmul_by(const Product& product, ProductKernel kernel);

}  // namespace rondo::ops
