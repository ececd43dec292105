// Reads what rows of the tables of operators say of gradients: a formula, or that there is none, and in the next column
// what the gradient is at edges where slopes have no limit.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace rondo::ops {

// No gradient flows.
struct None {};
inline constexpr None NONE;
// At edges it is NaN.
struct Limit {};
inline constexpr Limit LIMIT;

// True if a column of this type says what a gradient is at edges: NaN, a number, or a formula.
template <class Column, class Formula>
inline constexpr bool kTellsEdges = std::is_same_v<std::remove_const_t<Column>, Limit> ||
                                    std::is_same_v<Column, double> || std::is_same_v<Column, Formula>;

}  // namespace rondo::ops
