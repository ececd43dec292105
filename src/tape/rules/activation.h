// Tells what an activation does to the gradient that comes through it, for the operators that end with one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tape/rules.h"

namespace rondo::tape {

// True if the node's result tells what the activation did: a ReLU, limited or not, leaves a limit where it passed
// nothing, unless the result was added to a tensor.
bool tells_from_result(rondo_activation activation, const Node& node);

// dz = the gradient of what the activation was applied to, from that of the result, dy. If the result does not tell,
// `again` computes it once more, because the operator left it nowhere.
Status before_activation(rondo_activation activation, Backward& backward, const View& dy,
                         const std::function<Status(OwnedTensor* z)>& again, OwnedTensor* dz);

}  // namespace rondo::tape
