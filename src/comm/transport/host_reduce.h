// Sums and their like of several ranks' elements, on the host: in the order of the ranks, so that every rank that
// computes one gets the same bits.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/ops.h>

#include <span>

namespace rondo::comm {

// output[i] = the reduction of inputs[0][i], inputs[1][i] and so on; output may be one of them. 16-bit floats are
// computed in f32 and rounded once; integers wrap; NaN wins in minima and maxima.
void reduce_on_host(rondo_dtype dtype, rondo_reduce_op op, std::span<const void* const> inputs, void* output,
                    size_t count);

}  // namespace rondo::comm
