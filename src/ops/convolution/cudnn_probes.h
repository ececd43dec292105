// Elements of a convolution's output that a trial looks at, and what the host makes of them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ops/convolution/cudnn_plan.h"

namespace rondo::ops::dnn {

// What the operands of a trial hold: at element i of the first the number i, of the second the number i + kSecond.
// Numbers are positive, so that no sum hides that a term is missing, differ, so that none hides that it has another,
// are exact in every dtype, and begin again after kNumbers elements, which is no multiple of any stride.
constexpr int64_t kNumbers = 4093, kSecond = 1777;
double trial_number(int64_t i);

struct Probe {
  int64_t offset = 0, terms = 0;  // where the element is, and of how many products it is the sum
  double sum = 0;
};

// The first, a middle and the last place of each axis; and where these are made of nothing, between padding and steps,
// the first place of the axis that is not. Of large sums fewer, so that the host is soon done with them.
std::vector<Probe> probes_of(const Problem& problem);

}  // namespace rondo::ops::dnn
