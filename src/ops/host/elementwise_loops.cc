// Chooses among the loops of the instruction sets, once, by what the processor has.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/host/elementwise_loops.h"

#include "ops/host/vector_sets.h"

namespace rondo::ops {

const Loops& loops(Instructions instructions) {
#if defined(__x86_64__)
  if (instructions == Instructions::avx512) return avx512::kLoops;
  if (instructions == Instructions::avx2) return avx2::kLoops;
#else
  (void)instructions;
#endif
  return baseline::kLoops;
}

Loop find_loop(const Expression::Instruction& each, rondo_dtype from) {
  return baseline::kLoops.find(each, from);
}

}  // namespace rondo::ops
