// Gradients of running values. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

unsigned flowing(const ops::CumulativeCall& call, unsigned active);
Needs needed(const ops::CumulativeCall& call);
Status run(const ops::CumulativeCall& call, Backward& backward);

}  // namespace rondo::tape
