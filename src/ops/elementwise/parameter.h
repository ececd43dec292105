// Adds a parameter to a recording: a number that each launch of the graph writes into a tensor, as it is then.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor.h"
#include "ops/operators/scalar.h"

namespace rondo::ops {

// Records the task that writes word `number` of the launch's settings to the tensor, or the initial one.
Status write_parameter(const View& tensor, uint32_t number, uint64_t initial);

}  // namespace rondo::ops
