// Convolutions that Rondo asks cuDNN for, as lines of numbers: the simulated cuDNN writes what it is asked for
// (tests/simcudnn/record.cc), the probe reads it and asks the real one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ops/convolution/cudnn_plan.h"

namespace toolkits {

using rondo::ops::dnn::Problem;

// False if the line is none. What cuDNN is not told, and Rondo picks engines by, is as by default.
bool read_problem(const std::string& line, Problem* problem);
// For people: "forward f16 8x64x56x56 * 64x64x3x3 -> 8x64x56x56 nhwc stride 1 padding 1 + bias relu".
std::string text_of(const Problem& problem);
// Whether channels lie innermost in every operand.
bool channels_last(const Problem& problem);
int64_t groups_of(const Problem& problem);

}  // namespace toolkits
