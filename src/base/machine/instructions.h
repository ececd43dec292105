// Says which vector instructions the cpu's operators use: the best that the processor has, within the setting
// RONDO_CPU_INSTRUCTIONS. Results do not depend on it, but for matrix products, which have other last bits on the
// baseline.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rondo {

enum class Instructions : uint8_t {
  baseline,  // what the library was compiled for
  avx2,      // AVX2, FMA and F16C
  avx512,    // AVX-512 F, BW, DQ and VL besides
};
inline constexpr int kInstructions = 3;

// The best set that the processor has and the system lets programs use.
Instructions possible_instructions();
// Tells whether the processor also multiplies bytes by AVX-512 VNNI, and all of AVX-512 is possible.
bool possible_vnni();
// Tells whether the setting and the processor have AMX for bytes and the system lets the process use it. The first call
// asks it to; it refuses where a thread's stack for signals is too small for what has to be saved.
bool uses_amx();
// The set that is used, which is decided once.
Instructions instructions();
// "avx2"
const char* instructions_name(Instructions which);

}  // namespace rondo
