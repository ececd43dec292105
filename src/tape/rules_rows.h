// The rules of softmaxes and of cross-entropy, and of their gradients. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/ops.h"
#include "tape/rules.h"

namespace rondo::tape {

// As the caller asked; lengths: the input that says where rows end.
ops::SoftmaxOptions options_of(const ops::SoftmaxCall& call, const Backward& backward, size_t lengths);

Status run(const ops::SoftmaxCall& call, Backward& backward);
Status run(const ops::SoftmaxGradCall& call, Backward& backward);
Status run(const ops::CrossEntropyCall& call, Backward& backward);
Status run(const ops::CrossEntropyGradCall& call, Backward& backward);

}  // namespace rondo::tape
