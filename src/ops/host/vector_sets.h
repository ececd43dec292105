// Declares the loops of each instruction set, which the files vector_<set>.cc define.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/host/elementwise_loops.h"

namespace rondo::ops {

namespace baseline {
extern const Loops kLoops;
}
namespace avx2 {
extern const Loops kLoops;
}
namespace avx512 {
extern const Loops kLoops;
}

}  // namespace rondo::ops
