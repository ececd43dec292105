// Gradients of rotary positions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

Status run(const ops::RotaryCall& call, Backward& backward);

}  // namespace rondo::tape
