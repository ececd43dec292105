// Reducing as the simulated library does: in the order of ranks, in double (integers exactly), rounded once.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace simnccl {

std::size_t element_bytes(int dtype);  // 0: no dtype of the simulated version
// `inputs`: of each rank. The average multiplies each input by 1/n in its own dtype first, as NCCL does.
void reduce(int dtype, int op, const std::vector<const void*>& inputs, void* output, std::size_t count);

}  // namespace simnccl
