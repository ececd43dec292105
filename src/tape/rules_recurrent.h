// Gradients of recurrent layers. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

unsigned flowing(const ops::RecurrentCall& call, unsigned active);
Needs needed(const ops::RecurrentCall& call);
Status run(const ops::RecurrentCall& call, Backward& backward);

}  // namespace rondo::tape
