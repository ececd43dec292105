// Gradients of normalisations. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

Needs needed(const ops::NormalisationCall& call, unsigned wanted);
Status run(const ops::NormalisationCall& call, Backward& backward);
Status run(const ops::NormalisationGradCall& call, Backward& backward);

}  // namespace rondo::tape
