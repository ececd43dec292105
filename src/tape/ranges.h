// Things that lie at ranges of bytes of one storage, found by the bytes that they have in common with another range. So
// a write to one part of many is compared with what is at that part, and not with all of it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "engine/tensor.h"

namespace rondo::tape {

// The bytes that a view shows, as far as they are told apart: from the first to the one after the last, and of a view
// with gaps, as each so-manieth column of a matrix is, where in each period they lie. Empty if it has no elements.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t period = 0, width = 0;  // 0: without gaps; else the first `width` bytes from `begin` on, and of each period
  bool empty() const { return begin >= end; }
  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};
inline Range range_of(const View& view) {
  if (view.elements() == 0) return {};
  const Layout& layout = view.layout;
  int64_t low = 0, high = 0;
  layout.extent(&low, &high);
  const auto size = static_cast<int64_t>(dtype_size(view.dtype));
  Range range{view.offset + low * size, view.offset + high * size};
  // From the shortest step on: what is longer than all that the shorter ones reach leaves gaps.
  SmallVector<int, kMaxDims> dims;
  for (int d = 0; d < layout.ndim; ++d)
    if (layout.shape[d] > 1 && layout.strides[d] != 0) dims.push_back(d);
  const auto step = [&](int d) { return std::abs(layout.strides[d]) * size; };
  std::sort(dims.begin(), dims.end(), [&](int a, int b) { return step(a) < step(b); });
  int64_t reach = size, period = 0;
  for (const int d : dims) {
    if (period || step(d) > reach)
      period = std::gcd(period, step(d));
    else
      reach += step(d) * (layout.shape[d] - 1);
  }
  if (period > 0 && range.begin >= 0 && range.begin % period + reach <= period)
    range.period = period, range.width = reach;
  return range;
}

// Few of them are a list, which is gone through. If there are many, those whose lengths differ by less than a factor of
// two are one level, in the order of their beginnings: what meets a range begins within twice the length in front of
// it. Those with gaps of one period are kept so by their places in it. A visited thing may lie between the bytes of the
// range: visit() looks at the views, and may come to one several times.
template <class T, uint32_t N>
class Ranges {
 public:
  bool empty() const { return few_.empty() && levels_.empty() && combs_.empty(); }
  void clear() {
    few_.clear();
    levels_.clear();
    combs_.clear();
  }
  // Nothing is kept of an empty range.
  void add(const Range& range, const T& thing) {
    if (range.empty()) return;
    if (levels_.empty() && combs_.empty() && few_.size() < kFew) return few_.push_back({range, thing});
    for (const Entry& each : few_) put(each.range, each.thing);
    few_.clear();
    put(range, thing);
  }
  // Calls visit(thing) for all that meet a range, in no order. A thing that it returns true for is taken out.
  template <class Visit>
  void each_meeting(const Range& range, const Visit& visit) {
    for (uint32_t i = few_.size(); i-- > 0;)
      if (few_[i].range.meets(range) && visit(few_[i].thing)) few_.erase_unordered(i);
    each_tooth(range, [&](int64_t begin, int64_t end) { take_out(&levels_, begin, end, visit); });
    for (auto comb = combs_.begin(); comb != combs_.end();) {
      places(range, comb->first, [&](int64_t begin, int64_t end) { take_out(&comb->second, begin, end, visit); });
      comb = comb->second.empty() ? combs_.erase(comb) : std::next(comb);
    }
  }
  // The same, and nothing is taken out.
  template <class Visit>
  void each_meeting(const Range& range, const Visit& visit) const {
    for (const Entry& each : few_)
      if (each.range.meets(range)) visit(each.thing);
    each_tooth(range, [&](int64_t begin, int64_t end) { look(levels_, begin, end, visit); });
    for (const auto& [period, levels] : combs_)
      places(range, period, [&, &there = levels](int64_t begin, int64_t end) { look(there, begin, end, visit); });
  }

 private:
  static constexpr uint32_t kFew = 16;
  static constexpr size_t kPeriods = 8;  // told apart; each is looked at for each range
  static constexpr int64_t kTeeth = 64;
  struct Entry {
    Range range;
    T thing;
  };
  using Level = std::map<std::pair<int64_t, int64_t>, std::vector<T>>;  // by beginning and end
  using Levels = std::map<int64_t, Level>;                              // by the power of two that no length passes

  void put(const Range& range, const T& thing) {
    if (range.period && (combs_.size() < kPeriods || combs_.count(range.period))) {
      const int64_t begin = range.begin % range.period;
      return put(&combs_[range.period], begin, begin + range.width, thing);
    }
    put(&levels_, range.begin, range.end, thing);
  }
  static void put(Levels* levels, int64_t begin, int64_t end, const T& thing) {
    int64_t longest = 1;
    while (longest < end - begin && longest <= std::numeric_limits<int64_t>::max() / 4) longest *= 2;
    (*levels)[longest][{begin, end}].push_back(thing);
  }
  // Calls each(begin, end) for what a range has between its gaps, or for all of it if that is much.
  template <class Each>
  static void each_tooth(const Range& range, const Each& each) {
    if (!range.period || (range.end - range.begin) / range.period >= kTeeth) return each(range.begin, range.end);
    for (int64_t begin = range.begin; begin < range.end; begin += range.period) each(begin, begin + range.width);
  }
  // Calls each(begin, end) for where in such a period a range lies.
  template <class Each>
  static void places(const Range& range, int64_t period, const Each& each) {
    const bool even = range.period && range.period % period == 0;
    const int64_t begin = range.begin % period, length = even ? range.width : range.end - range.begin;
    if (range.begin < 0 || length >= period) return each(0, period);
    each(begin, std::min(period, begin + length));
    if (begin + length > period) each(0, begin + length - period);
  }
  template <class Visit>
  static void take_out(Levels* levels, int64_t begin, int64_t end, const Visit& visit) {
    for (auto level = levels->begin(); level != levels->end();) {
      for (auto at = first(*level, begin); at != level->second.end() && at->first.first < end;) {
        if (at->first.second > begin) std::erase_if(at->second, visit);
        at = at->second.empty() ? level->second.erase(at) : std::next(at);
      }
      level = level->second.empty() ? levels->erase(level) : std::next(level);
    }
  }
  template <class Visit>
  static void look(const Levels& levels, int64_t begin, int64_t end, const Visit& visit) {
    for (const auto& level : levels)
      for (auto at = first(level, begin); at != level.second.end() && at->first.first < end; ++at)
        if (at->first.second > begin) std::for_each(at->second.begin(), at->second.end(), visit);
  }
  template <class OneLevel>
  static auto first(OneLevel& level, int64_t begin) {
    return level.second.lower_bound({begin - level.first, 0});
  }

  SmallVector<Entry, N> few_;
  Levels levels_;
  std::map<int64_t, Levels> combs_;  // by period
};

}  // namespace rondo::tape
