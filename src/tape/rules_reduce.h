// The rules of reductions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

unsigned flowing(const ops::ReduceCall& call, const Node& node, unsigned active);
Needs needed(const ops::ReduceCall& call, const Node& node);
Status run(const ops::ReduceCall& call, Backward& backward);

}  // namespace rondo::tape
