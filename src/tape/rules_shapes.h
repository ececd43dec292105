// Rules of the operators that move elements (rules.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/backward.h"

namespace rondo::tape {

Status run(const ops::ConcatCall& call, Backward& backward);
Status run(const ops::PadCall& call, Backward& backward);
Status run(const ops::TileCall& call, Backward& backward);
Status run(const ops::RepeatCall& call, Backward& backward);
Status run(const ops::RollCall& call, Backward& backward);
Status run(const ops::TriangleCall& call, Backward& backward);
Status run(const ops::TakeCall& call, Backward& backward);
Status run(const ops::TakeAlongAxisCall& call, Backward& backward);
Status run(const ops::PutCall& call, Backward& backward);
Status run(const ops::SortCall& call, Backward& backward);

}  // namespace rondo::tape
