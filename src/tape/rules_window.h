// Gradients of pooling and resizing. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

Status run(const ops::WindowCall& call, Backward& backward);
Status run(const ops::WindowGradCall& call, Backward& backward);
Status run(const ops::WindowPickCall& call, Backward& backward);

}  // namespace rondo::tape
