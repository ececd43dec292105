// Keeps which elements of which storages gradients come to, and tells whether an operand meets them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/elements.h"

#include <algorithm>

#include "ops/program/overlap.h"

namespace rondo::tape {

namespace {

// All views of one storage have the same one here: none.
View placed(const Operand& operand) {
  View view = operand.view;
  view.storage = nullptr;
  return view;
}

bool fills(const Operand& operand) {
  const View& view = operand.view;
  return !view.layout.repeats() &&
         static_cast<size_t>(view.layout.elements()) * dtype_size(view.dtype) >= operand.bytes;
}

bool contains(const View& outer, const View& inner) {
  if (ops::identical(outer, inner)) return true;
  return outer.layout.contiguous() && inner.layout.contiguous() && outer.offset <= inner.offset &&
         inner.offset + inner.bytes() <= outer.offset + outer.bytes();
}

}  // namespace

bool share(const Operand& a, const Operand& b) {
  return a.number == b.number && ops::overlap(placed(a), placed(b));
}

void Elements::put(const Operand& operand, bool added) {
  Ranges<Change, 1>& changes = changes_[operand.number];
  const Change made{placed(operand), fills(operand), added, count_++};
  const Range range = range_of(made.view);
  if (made.whole)
    changes.clear();
  else
    changes.each_meeting(range, [&](const Change& each) { return contains(made.view, each.view); });
  changes.add(range, made);
}

bool Elements::meet(const Operand& operand) const {
  const auto found = changes_.find(operand.number);
  if (found == changes_.end()) return false;
  const View view = placed(operand);
  // The last change counts that has to do with all of it, or adds some of it.
  bool among = false;
  uint64_t last = 0;
  found->second.each_meeting(range_of(view), [&](const Change& each) {
    const bool counts = each.whole || (each.added ? ops::overlap(each.view, view) : contains(each.view, view));
    if (!counts || each.number < last) return;
    last = each.number;
    among = each.added;
  });
  return among;
}

}  // namespace rondo::tape
