// Multiplies packed panels on the host, of which matrix products and convolutions consist there: by a BLAS library, or
// by loops of our own, which give the same bits on every processor.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rondo::ops {

bool have_blas();

// out += a b: m x k by k x n, all row-major and without gaps.
void multiply_panels(int64_t m, int64_t n, int64_t k, const float* a, const float* b, float* out);
void multiply_panels(int64_t m, int64_t n, int64_t k, const double* a, const double* b, double* out);

}  // namespace rondo::ops
