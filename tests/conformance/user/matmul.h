// Products of matrices by hand, in higher precision, for the tests of texts that have one.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "user/user.h"

namespace conformance {

struct Products {
  Shape shape;
  int64_t k = 0;
  Real epsilon = 0;  // of what the operands' dtype is computed in
  std::vector<Real> sums, magnitudes;

  // By how many of those a sum times s may be off.
  Real slack(size_t at, Real s) const { return magnitudes[at] * std::fabs(s) * (3 + std::sqrt(Real(k))); }
};

// Of matrices as they are multiplied, batches broadcast.
inline Products products(const Array& a, const Array& b) {
  const int64_t m = a.shape[a.shape.size() - 2], k = a.shape.back(), n = b.shape.back();
  const Shape batch = broadcast_shape({a.shape.begin(), a.shape.end() - 2}, {b.shape.begin(), b.shape.end() - 2});
  Shape as = batch, bs = batch;
  Products found;
  found.shape = batch;
  found.k = k;
  as.insert(as.end(), {m, k}), bs.insert(bs.end(), {k, n}), found.shape.insert(found.shape.end(), {m, n});
  found.epsilon = std::ldexp(Real(1), a.dtype == RONDO_F64 ? -52 : -23);
  const Array left = host_broadcast(a, as), right = host_broadcast(b, bs);
  for (int64_t g = 0; g < static_cast<int64_t>(count(batch)); ++g)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Real sum = 0, magnitude = 0;
        for (int64_t l = 0; l < k; ++l) {
          const Real term =
              left[static_cast<size_t>((g * m + i) * k + l)] * right[static_cast<size_t>((g * k + l) * n + j)];
          sum += term, magnitude += std::fabs(term);
        }
        found.sums.push_back(sum);
        found.magnitudes.push_back(magnitude);
      }
  return found;
}

}  // namespace conformance
