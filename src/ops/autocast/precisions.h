// Tells in which precision each operator computes in an autocast scope: the column of its row.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace rondo::ops {

enum class Precision : uint8_t {
#define RONDO_PRECISION(name, NAME, text) name,
#include "ops/autocast/precisions.def"
#undef RONDO_PRECISION
  row,  // of a kind: its operators are rows of a table of their own, which say it
};

// Finds the precision of an operator of a table ("exp", "sum", "softmin"), or of a function of the C interface without
// rondo_ ("matmul"). False if there is no such name.
bool find_precision(std::string_view name, Precision* precision);

}  // namespace rondo::ops
