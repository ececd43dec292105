// Applies steps of views, and finds them: a tensor is cut into axes whose pitches are the steps of the wanted view,
// each of these is sliced, and what is left is brought into order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/views.h"

#include <algorithm>
#include <functional>

#include "engine/views.h"

namespace rondo::program_files {

namespace {

ViewStep step_of(ViewKind kind, std::span<const int64_t> numbers) {
  ViewStep step = {kind, static_cast<int>(numbers.size()), {}};
  std::copy(numbers.begin(), numbers.end(), step.numbers);
  return step;
}

// One axis of the wanted view that is longer than 1 and moves.
struct Moving {
  int axis;
  int64_t size, step;  // elements; step > 0
  bool turned;
};

class Steps {
 public:
  Steps(const View& base, const View& wanted, std::vector<ViewStep>* steps)
      : now_(base), wanted_(wanted), steps_(*steps) {}

  bool find(bool keep_pitches) {
    order_base();
    if (wanted_.elements() == 0) return find_empty();
    find_moving();
    return find_pitches(keep_pitches) && cut() && arrange();
  }

 private:
  bool put(const ViewStep& step) {
    View next;
    if (!apply_view(step, now_, &next).ok()) return false;
    steps_.push_back(step);
    now_ = next;
    return true;
  }
  bool put_shape(ViewKind kind, std::span<const int64_t> shape) {
    const Layout& layout = now_.layout;
    if (std::equal(shape.begin(), shape.end(), layout.shape, layout.shape + layout.ndim)) return true;
    return put(step_of(kind, shape));
  }
  // The axes of the whole tensor as they lie.
  void order_base() {
    if (now_.layout.contiguous()) return;
    std::vector<int64_t> order(static_cast<size_t>(now_.layout.ndim));
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return now_.layout.strides[a] > now_.layout.strides[b]; });
    put(step_of(ViewKind::permute, order));
  }
  bool find_empty() {
    const int64_t all[] = {now_.elements()}, none[] = {0, 0, 0, 1};
    return put_shape(ViewKind::reshape, all) && (all[0] == 0 || put(step_of(ViewKind::slice, none))) &&
           put_shape(ViewKind::reshape, {wanted_.layout.shape, static_cast<size_t>(wanted_.layout.ndim)});
  }
  void find_moving() {
    const auto item = static_cast<int64_t>(dtype_size(now_.dtype));
    start_ = (wanted_.offset - now_.offset) / item;
    for (int d = 0; d < wanted_.layout.ndim; ++d) {
      const int64_t size = wanted_.layout.shape[d], step = wanted_.layout.strides[d];
      if (size == 1 || step == 0) continue;
      if (step < 0) start_ += (size - 1) * step;
      moving_.push_back({d, size, std::abs(step), step < 0});
    }
  }
  // The steps between neighbours along the axes that the tensor is cut into, longest first.
  bool find_pitches(bool keep) {
    const int64_t all = now_.elements();
    pitches_ = {1};
    int64_t pitch = 1;
    for (int d = now_.layout.ndim - 1; keep && d > 0; --d) {
      pitch *= now_.layout.shape[d];
      pitches_.push_back(pitch);
    }
    for (const Moving& each : moving_)
      std::erase_if(pitches_, [&](int64_t p) { return p > each.step && p <= (each.size - 1) * each.step; });
    for (const Moving& each : moving_) {
      int64_t above = all, below = 1;
      for (const int64_t p : pitches_) {
        if (p >= each.step) above = std::min(above, p);
        if (p <= each.step) below = std::max(below, p);
      }
      if (each.step % below == 0 && above % each.step == 0) pitches_.push_back(each.step);
    }
    std::sort(pitches_.begin(), pitches_.end(), std::greater<>());
    pitches_.erase(std::unique(pitches_.begin(), pitches_.end()), pitches_.end());
    std::erase_if(pitches_, [all](int64_t p) { return p >= all && p > 1; });
    return pitches_.size() <= kMaxDims && start_ >= 0 && start_ < all;
  }
  bool cut() {
    std::vector<int64_t> sizes;
    int64_t above = now_.elements();
    for (const int64_t p : pitches_) {
      if (above % p != 0) return false;
      sizes.push_back(above / p);
      above = p;
    }
    if (!put_shape(ViewKind::reshape, sizes)) return false;
    used_.assign(sizes.size(), -1);
    for (size_t m = 0; m < moving_.size(); ++m) {
      size_t axis = 0;
      while (axis < pitches_.size() && (pitches_[axis] > moving_[m].step || moving_[m].step % pitches_[axis] != 0))
        ++axis;
      if (axis == pitches_.size() || used_[axis] >= 0) return false;
      used_[axis] = static_cast<int>(m);
    }
    int64_t rest = start_;
    for (size_t axis = 0; axis < pitches_.size(); ++axis) {
      const int64_t first = rest / pitches_[axis];
      rest %= pitches_[axis];
      const Moving* const moves = used_[axis] >= 0 ? &moving_[static_cast<size_t>(used_[axis])] : nullptr;
      const int64_t step = moves ? moves->step / pitches_[axis] : 1;
      const int64_t end = first + (moves ? (moves->size - 1) * step : 0) + 1;
      if (end > sizes[axis]) return false;
      const int64_t slice[] = {static_cast<int64_t>(axis), first, end, step};
      if ((first > 0 || end < sizes[axis] || step > 1) && !put(step_of(ViewKind::slice, slice))) return false;
    }
    return true;
  }
  // Axes in the wanted order, turned around where they run down, those of one element where they are wanted.
  bool arrange() {
    std::vector<int64_t> order, turned, shape;
    for (size_t m = 0; m < moving_.size(); ++m)
      order.push_back(std::find(used_.begin(), used_.end(), static_cast<int>(m)) - used_.begin());
    for (size_t axis = 0; axis < used_.size(); ++axis)
      if (used_[axis] < 0) order.push_back(static_cast<int64_t>(axis));
    if (!std::is_sorted(order.begin(), order.end()) && !put(step_of(ViewKind::permute, order))) return false;
    size_t next = 0;
    for (int d = 0; d < wanted_.layout.ndim; ++d) {
      const bool moves = next < moving_.size() && moving_[next].axis == d;
      if (moves && moving_[next++].turned) turned.push_back(d);
      shape.push_back(moves ? wanted_.layout.shape[d] : 1);
    }
    return put_shape(ViewKind::reshape, shape) && (turned.empty() || put(step_of(ViewKind::flip, turned))) &&
           put_shape(ViewKind::expand, {wanted_.layout.shape, static_cast<size_t>(wanted_.layout.ndim)});
  }

 public:
  bool found() const {
    return now_.layout.same_shape(wanted_.layout) &&
           (wanted_.elements() == 0 || (now_.layout.same_as(wanted_.layout) && now_.offset == wanted_.offset));
  }
  bool accumulate() { return !wanted_.accumulate || put({ViewKind::accumulate}); }

 private:
  View now_;
  const View& wanted_;
  std::vector<ViewStep>& steps_;
  int64_t start_ = 0;
  std::vector<Moving> moving_;
  std::vector<int64_t> pitches_;
  std::vector<int> used_;  // by axis: which of moving_ it is, or -1
};

}  // namespace

Status apply_view(const ViewStep& step, const View& from, View* to) {
  int32_t axes[kMaxDims];
  for (int i = 0; i < step.count; ++i)
    axes[i] = static_cast<int32_t>(std::clamp<int64_t>(step.numbers[i], INT32_MIN, INT32_MAX));
  switch (step.kind) {
    case ViewKind::reshape:
      for (int i = 0; i < step.count; ++i)
        if (step.numbers[i] < 0) return error(RONDO_INVALID_ARGUMENT, "a size below 0");
      return reshape_view(from, step.count, step.numbers, to);
    case ViewKind::permute:
      if (step.count != from.layout.ndim)
        return error(RONDO_INVALID_ARGUMENT, "it names %d axes of %d", step.count, from.layout.ndim);
      return transpose_view(from, axes, to);
    case ViewKind::slice:
      if (step.count != 4) return error(RONDO_INVALID_ARGUMENT, "a slice has an axis, start, stop and step");
      return slice_view(from, axes[0], step.numbers[1], step.numbers[2], step.numbers[3], to);
    case ViewKind::flip:
      if (step.count == 0) return error(RONDO_INVALID_ARGUMENT, "it names no axis");
      return flip_view(from, step.count, axes, to);
    case ViewKind::expand: return broadcast_view(from, step.count, step.numbers, to);
    case ViewKind::accumulate:
      if (step.count != 0) return error(RONDO_INVALID_ARGUMENT, "it has no numbers");
      *to = accumulator_view(from);
      return {};
  }
  return error(RONDO_INTERNAL, "a view of no kind");
}

bool find_view_steps(const View& base, const View& wanted, std::vector<ViewStep>* steps) {
  if (wanted.dtype != base.dtype) return false;
  if (wanted.layout.same_shape(base.layout) && wanted.layout.same_as(base.layout) && wanted.offset == base.offset) {
    if (wanted.accumulate) steps->push_back({ViewKind::accumulate});
    return true;
  }
  for (const bool keep_pitches : {true, false}) {
    std::vector<ViewStep> tried;
    Steps search(base, wanted, &tried);
    if (!search.find(keep_pitches) || !search.found() || !search.accumulate()) continue;
    *steps = std::move(tried);
    return true;
  }
  return false;
}

}  // namespace rondo::program_files
