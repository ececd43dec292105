// Sorts a handful of items in place, those that are equal in the order that they have: axes, for example. The standard
// library's sort that keeps that order takes memory and five kilobytes of code for each type and comparison.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace rondo {

// less(a, b): a comes before b. Takes count * count steps.
template <class Item, class Less>
void sort_few(Item* items, int count, const Less& less) {
  for (int i = 1; i < count; ++i)
    for (int k = i; k > 0 && less(items[k], items[k - 1]); --k) std::swap(items[k], items[k - 1]);
}

}  // namespace rondo
