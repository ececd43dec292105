// Gradients of bags of rows and of products of pairs. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

unsigned flowing(const ops::EmbeddingBagCall& call, unsigned active);
unsigned flowing(const ops::EmbeddingBagGradCall& call, unsigned active);
Needs needed(const ops::EmbeddingBagCall& call);
Needs needed(const ops::EmbeddingBagGradCall& call);
Status run(const ops::EmbeddingBagCall& call, Backward& backward);
Status run(const ops::EmbeddingBagGradCall& call, Backward& backward);
Status run(const ops::DotInteractionCall& call, Backward& backward);

}  // namespace rondo::tape
