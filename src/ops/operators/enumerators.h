// The names of reductions and normalisations as enumerators, for code that only passes them on. The headers
// reductions.h and normalisations.h say what each computes, with loops that few files need.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rondo::ops {

enum class ReduceOp : uint8_t {
#define REDUCTION(ID, name, ...) name,
#include "ops/operators/reductions.def"
#undef REDUCTION
};
#define REDUCTION(...) +1
inline constexpr int kReductions = 0
#include "ops/operators/reductions.def"
    ;
#undef REDUCTION

enum class Normalisation : uint8_t {
#define NORMALISATION(name, ...) name,
#include "ops/operators/normalisations.def"
#undef NORMALISATION
};

}  // namespace rondo::ops
