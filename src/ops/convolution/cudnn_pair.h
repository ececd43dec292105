// Finds whether two plans of cuDNN are faster on one stream or on two, by measuring on scratch memory. Measured once
// per pair of problems, kept for the process and on disk like a choice.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/convolution/cudnn_problem.h"

namespace rondo::ops::dnn {

struct Chosen {
  const Problem& problem;
  const Choice* choice;  // has a plan
};

struct PairTimes {
  float one_by_one_us = 0, side_by_side_us = 0;  // 0: not measured
  const char* why_not = "";
};

// Times the first plan of each, the second one's on the auxiliary stream.
Status time_pair(cuda::CudaDevice& device, const Chosen& first, const Chosen& second, PairTimes* times);

}  // namespace rondo::ops::dnn
