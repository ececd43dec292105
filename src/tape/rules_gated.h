// Gradients of gated activations. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

unsigned flowing(const ops::GatedCall& call, unsigned active);
Status run(const ops::GatedCall& call, Backward& backward);

}  // namespace rondo::tape
