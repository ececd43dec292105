// Gradients of attention. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

Needs needed(const ops::AttentionCall& call, const Node& node);
Status run(const ops::AttentionCall& call, Backward& backward);

}  // namespace rondo::tape
