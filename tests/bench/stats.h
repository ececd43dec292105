// Medians and spreads of samples.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {

// Linear interpolation between order statistics; share from 0 to 1. `samples` must not be empty.
inline double quantile(std::vector<double> samples, double share) {
  std::sort(samples.begin(), samples.end());
  const double at = share * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
}

struct Summary {
  double median = 0;
  double spread = 0;  // half the distance of the quartiles, as a share of the median
  std::vector<double> samples;
};

inline Summary summarize(std::vector<double> samples) {
  Summary s;
  s.median = quantile(samples, 0.5);
  s.spread = s.median > 0 ? 0.5 * (quantile(samples, 0.75) - quantile(samples, 0.25)) / s.median : 0;
  s.samples = std::move(samples);
  return s;
}

}  // namespace bench
