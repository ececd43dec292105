// Finds the views that lead to a part of a tensor: the whole is cut into axes whose steps are those of the part, each
// of these is shortened, and what is left is brought into order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/views.h"

#include <algorithm>

#include "base/sort_few.h"
#include "ops/program/views.h"

namespace rondo::program_files {

namespace {

// Makes views of a view, one of the other.
struct Chain {
  View now;
  std::vector<Ref<const ops::Call>>* views;
  template <class Kind>
  bool add(Kind kind) {
    return add(make_ref<const ops::Call>(std::move(kind)));
  }
  bool add(Ref<const ops::Call> call) {
    const View from = now;
    views->push_back(std::move(call));
    return ops::apply_view(*views->back(), from, &now).ok();
  }
  bool reshape(std::vector<int64_t> shape) {
    const Layout& layout = now.layout;
    return std::equal(shape.begin(), shape.end(), layout.shape, layout.shape + layout.ndim) ||
           add(ops::ReshapeCall{std::move(shape)});
  }
};

// Axes from the longest step to the shortest.
std::vector<int64_t> order_of(const Layout& layout, bool all) {
  std::vector<int64_t> order;
  for (int d = 0; d < layout.ndim; ++d)
    if (all || (layout.shape[d] > 1 && layout.strides[d] != 0)) order.push_back(d);
  sort_few(order.data(), static_cast<int>(order.size()),
           [&](int64_t a, int64_t b) { return layout.strides[a] > layout.strides[b]; });
  return order;
}

bool cut(const View& whole, const View& part, Chain* chain) {
  const Layout& wanted = part.layout;
  const std::vector<int64_t> axes = order_of(wanted, false);
  std::vector<int64_t> steps, sizes, place(axes.size()), shape;
  for (const int64_t d : axes) steps.push_back(wanted.strides[d]);
  if (steps.empty() || steps.back() != 1) steps.push_back(1);
  int64_t above = chain->now.elements(),
          at = (part.offset - whole.offset) / static_cast<int64_t>(dtype_size(part.dtype));
  for (const int64_t step : steps) {
    if (step < 1 || above % step != 0) return false;
    sizes.push_back(above / step);
    above = step;
  }
  if (!chain->reshape(sizes)) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t first = at / steps[i], end = first + (i < axes.size() ? wanted.shape[axes[i]] : 1);
    at %= steps[i];
    if (first < 0 || end > sizes[i]) return false;
    if (end - first < sizes[i] && !chain->add(ops::SliceCall{static_cast<int>(i), first, end, 1})) return false;
  }
  std::vector<int64_t> order;
  for (int d = 0; d < wanted.ndim; ++d) {
    const auto found = std::find(axes.begin(), axes.end(), d);
    if (found != axes.end()) order.push_back(found - axes.begin());
    shape.push_back(found != axes.end() ? wanted.shape[d] : 1);
  }
  if (sizes.size() > axes.size()) order.push_back(static_cast<int64_t>(axes.size()));
  return (std::is_sorted(order.begin(), order.end()) || chain->add(ops::TransposeCall{std::move(order)})) &&
         chain->reshape(std::move(shape)) &&
         (chain->now.layout.same_shape(wanted) ||
          chain->add(ops::BroadcastCall{{wanted.shape, wanted.shape + wanted.ndim}}));
}

}  // namespace

bool find_views(const View& whole, const View& part, std::vector<Ref<const ops::Call>>* views) {
  Chain chain{whole, views};
  if (part.dtype != whole.dtype) return false;
  if (const int64_t all = whole.elements(); part.elements() == 0)
    return chain.reshape({all}) && (all == 0 || chain.add(ops::SliceCall{0, 0, 0, 1})) &&
           chain.reshape({part.layout.shape, part.layout.shape + part.layout.ndim});
  if (!whole.layout.contiguous() && !chain.add(ops::TransposeCall{order_of(whole.layout, true)})) return false;
  if (!cut(whole, part, &chain) || (part.accumulate && !chain.add(ops::AccumulatorCall{}))) return false;
  return chain.now.offset == part.offset && chain.now.layout.same_as(part.layout);
}

}  // namespace rondo::program_files
