// Gradients of normalisations over groups. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/rules.h"

namespace rondo::tape {

unsigned flowing(const ops::BatchNormCall& call, unsigned active);
Needs needed(const ops::BatchNormCall& call, unsigned wanted);
Status run(const ops::BatchNormCall& call, Backward& backward);
Status run(const ops::BatchNormStatisticsCall& call, Backward& backward);
Status run(const ops::BatchNormSumsCall& call, Backward& backward);

}  // namespace rondo::tape
