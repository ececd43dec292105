// The gradients of attention as a graph of cuDNN's operations.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/attention/sdpa_problem.h"

namespace rondo::ops::dnn {

// As many heads of keys as of queries; kSdpaSums is memory for it.
Status compose_gradient(const Sdpa& problem, OperationGraph* graph);

}  // namespace rondo::ops::dnn
