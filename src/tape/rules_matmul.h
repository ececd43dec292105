// The rule of matrix products. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

Needs needed(const ops::MatmulCall& call, const Node& node, unsigned wanted);
Status run(const ops::MatmulCall& call, Backward& backward);

}  // namespace rondo::tape
