// See elements.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/elements.h"

#include <algorithm>

#include "ops/task/overlap.h"

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
  std::vector<Change>& changes = changes_[operand.number];
  const Change made{placed(operand), fills(operand), added};
  std::erase_if(changes, [&](const Change& each) { return made.whole || contains(made.view, each.view); });
  changes.push_back(made);
}

bool Elements::meet(const Operand& operand) const {
  const auto found = changes_.find(operand.number);
  if (found == changes_.end()) return false;
  const View view = placed(operand);
  for (auto each = found->second.rbegin(); each != found->second.rend(); ++each) {
    if (each->added ? each->whole || ops::overlap(each->view, view) : each->whole || contains(each->view, view))
      return each->added && view.elements() > 0;
  }
  return false;
}

}  // namespace rondo::tape
