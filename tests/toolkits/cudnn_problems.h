// Convolutions, and attention, that Rondo asks cuDNN for, as lines of numbers. Of convolutions the simulated cuDNN
// writes what it is asked for (tests/simcudnn/record.cc); the probe reads them and asks the real one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ops/attention/sdpa_problem.h"
#include "ops/convolution/cudnn_problem.h"

namespace toolkits {

using rondo::ops::dnn::Problem;
using rondo::ops::dnn::Sdpa;

// False if the line is none. What cuDNN is not told, and Rondo picks engines by, is as by default.
bool read_problem(const std::string& line, Problem* problem);
// "attention", whether it is a gradient, cuDNN's data type, batch, heads, heads of keys, queries, keys, size; shift,
// before and after of its band; how rows lie: 0 places in heads, 1 heads in places, 2 those within one of three parts.
bool read_attention(const std::string& line, Sdpa* problem);
// For people: "forward f16 8x64x56x56 * 64x64x3x3 -> 8x64x56x56 nhwc stride 1 padding 1 + bias relu".
std::string text_of(const Problem& problem);
// Whether channels lie innermost in every operand.
bool channels_last(const Problem& problem);
int64_t groups_of(const Problem& problem);

}  // namespace toolkits
