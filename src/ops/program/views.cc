// Follows the views of a recorded program from its operands back to the values.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/views.h"

#include "engine/views.h"

namespace rondo::ops {

namespace {

bool same_elements(const View& a, const View& b) {
  return a.dtype == b.dtype && a.offset == b.offset && a.layout.same_as(b.layout);
}
bool same(const View& a, const View& b) {
  return a.accumulate == b.accumulate && same_elements(a, b);
}

// Leaves out what is repeated: where an axis repeats it has size 1, and the outer ones of these are gone.
View without_repeats(const View& view) {
  const Layout& from = view.layout;
  View once = view;
  once.layout.ndim = 0;
  for (int d = 0; d < from.ndim; ++d) {
    const bool repeats = from.shape[d] > 1 && from.strides[d] == 0;
    if (repeats && once.layout.ndim == 0) continue;
    once.layout.shape[once.layout.ndim] = repeats ? 1 : from.shape[d];
    once.layout.strides[once.layout.ndim++] = from.strides[d];
  }
  return once;
}

std::vector<int64_t> shape_of(const View& view) {
  return {view.layout.shape, view.layout.shape + view.layout.ndim};
}

bool begin_alike(const View& from, const View& view) {
  return !from.accumulate && from.dtype == view.dtype && from.offset == view.offset;
}
bool broadcasts_to(const View& from, const View& view) {
  Layout joined;
  return begin_alike(from, view) && broadcast_shapes(from.layout, view.layout, &joined) &&
         joined.same_shape(view.layout) && broadcast_layout(from.layout, view.layout).same_as(view.layout);
}

bool reshapes_to(const View& from, const View& view) {
  View made;
  return begin_alike(from, view) && from.elements() == view.elements() &&
         reshape_view(from, view.layout.ndim, view.layout.shape, &made).ok() && made.layout.same_as(view.layout);
}

}  // namespace

OperandViews::OperandViews(const Program& recorded) : program_(recorded), of_value_(recorded.values.size()) {
  auto noted = recorded.views.begin();
  operands_.reserve(recorded.nodes.size());
  for (uint32_t i = 0; i < recorded.values.size(); ++i)
    if (const ProgramValue& value = recorded.values[i]; value.type == ProgramValue::Type::made)
      add({}, i, kNone, value.view());
  for (uint32_t i = 0; i < recorded.nodes.size(); ++i) {
    for (; noted != recorded.views.end() && noted->before <= i; ++noted)
      add(noted->call, noted->value, find_or_derive(noted->value, noted->from), noted->view);
    std::vector<uint32_t>& operands = operands_.emplace_back();
    for (const ProgramOperand& each : recorded.nodes[i].operands)
      operands.push_back(each.known ? find_or_derive(each.value, each.view) : kNone);
  }
}

uint32_t OperandViews::of(const View& view) {
  const uint32_t* const value = program_.values.find(view.storage);
  return value ? find_or_derive(*value, view) : kNone;
}

uint32_t OperandViews::add(Ref<const Call> call, uint32_t value, uint32_t from, const View& view) {
  const auto number = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({std::move(call), value, from, view});
  of_value_[value].push_back(number);
  return number;
}

// The newest one, which is what a program has meant if two views of different kinds are the same elements.
uint32_t OperandViews::find(uint32_t value, const View& view) const {
  const std::vector<uint32_t>& known = of_value_[value];
  for (size_t i = known.size(); i-- > 0;)
    if (same(nodes_[known[i]].view, view)) return known[i];
  return kNone;
}

uint32_t OperandViews::find_or_derive(uint32_t value, const View& view) {
  if (const uint32_t found = find(value, view); found != kNone) return found;
  if (view.accumulate) {
    View plain = view;
    plain.accumulate = false;
    return add(make_ref<const Call>(AccumulatorCall{}), value, find_or_derive(value, plain), view);
  }
  const auto derived = [&](auto call, uint32_t from) {
    return add(make_ref<const Call>(std::move(call)), value, from, view);
  };
  const std::vector<uint32_t>& known = of_value_[value];
  for (size_t i = known.size(); i-- > 0;)
    if (broadcasts_to(nodes_[known[i]].view, view)) return derived(BroadcastCall{shape_of(view)}, known[i]);
  if (const View once = without_repeats(view); !once.layout.same_shape(view.layout))
    return derived(BroadcastCall{shape_of(view)}, find_or_derive(value, once));
  for (size_t i = known.size(); i-- > 0;)
    if (reshapes_to(nodes_[known[i]].view, view)) return derived(ReshapeCall{shape_of(view)}, known[i]);
  return add({}, value, kNone, view);
}

Status apply_view(const Call& call, const View& from, View* view) {
  return std::visit(
      [&](const auto& how) -> Status {
        if constexpr (std::is_constructible_v<decltype(ViewForm::of), decltype(how)>)
          return rondo::apply_view(ViewForm{how}, from, view);
        else
          return error(RONDO_INVALID_ARGUMENT, "a node of the kind %s is no view", row_of(call).name);
      },
      call.of);
}

}  // namespace rondo::ops
