// The rule of an expression in one task (rules.h). Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

unsigned flowing(const ops::FusedCall& call, unsigned active);
Status run(const ops::FusedCall& call, Backward& backward);

}  // namespace rondo::tape
