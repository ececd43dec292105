// Chooses the elements of a convolution's output that a trial looks at, and computes them on the host.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ops/convolution/cudnn_problem.h"

namespace rondo::ops::dnn {

// The first factor's memory holds the numbers of a trial from 0 on, the second one's those from kSecond on.
constexpr int64_t kSecond = 1777;

struct Probe {
  int64_t offset = 0, terms = 0;  // where the element is, and of how many products it is the sum
  double sum = 0;
};

// The first, a middle and the last place of each axis; and where these are made of nothing, between padding and steps,
// the first place of the axis that is not. Large sums get fewer of them, so that the host is soon done.
std::vector<Probe> probes_of(const Problem& problem);

}  // namespace rondo::ops::dnn
