// Composes attention, or its gradients, as a graph of cuDNN's operations for products and elements.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/attention/sdpa_problem.h"

namespace rondo::ops::dnn {

// Gradients need as many heads of keys as of queries, and kSdpaSums is memory for it.
Status compose(const Sdpa& problem, OperationGraph* graph);

}  // namespace rondo::ops::dnn
