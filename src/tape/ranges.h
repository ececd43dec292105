// Things that lie at ranges of bytes of one storage, found by the bytes that they have in common with another range. So
// a write to one part of many is compared with what is at that part, and not with all of it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "engine/tensor.h"

namespace rondo::tape {

// From the first byte that a view shows to the one after the last. Empty if it has no elements.
struct Range {
  int64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};
inline Range range_of(const View& view) {
  if (view.elements() == 0) return {};
  int64_t low = 0, high = 0;
  view.layout.extent(&low, &high);
  const auto size = static_cast<int64_t>(dtype_size(view.dtype));
  return {view.offset + low * size, view.offset + high * size};
}

// Few of them are a list, which is gone through. If there are many, those whose lengths differ by less than a factor of
// two are one level, in the order of their beginnings: what meets a range begins within twice the length in front of
// it.
template <class T, uint32_t N>
class Ranges {
 public:
  bool empty() const { return few_.empty() && levels_.empty(); }
  void clear() {
    few_.clear();
    levels_.clear();
  }
  // Nothing is kept of an empty range.
  void add(const Range& range, const T& thing) {
    if (range.empty()) return;
    if (levels_.empty() && few_.size() < kFew) return few_.push_back({range, thing});
    for (const Entry& each : few_) put(each.range, each.thing);
    few_.clear();
    put(range, thing);
  }
  // Calls visit(thing) for all that meet a range, in no order. A thing that it returns true for is taken out.
  template <class Visit>
  void each_meeting(const Range& range, const Visit& visit) {
    for (uint32_t i = few_.size(); i-- > 0;)
      if (few_[i].range.meets(range) && visit(few_[i].thing)) few_.erase_unordered(i);
    for (auto level = levels_.begin(); level != levels_.end();) {
      for (auto at = first(*level, range); at != level->second.end() && at->first.first < range.end;) {
        if (at->first.second > range.begin) std::erase_if(at->second, visit);
        at = at->second.empty() ? level->second.erase(at) : std::next(at);
      }
      level = level->second.empty() ? levels_.erase(level) : std::next(level);
    }
  }
  // The same, and nothing is taken out.
  template <class Visit>
  void each_meeting(const Range& range, const Visit& visit) const {
    for (const Entry& each : few_)
      if (each.range.meets(range)) visit(each.thing);
    for (const auto& level : levels_)
      for (auto at = first(level, range); at != level.second.end() && at->first.first < range.end; ++at)
        if (at->first.second > range.begin) std::for_each(at->second.begin(), at->second.end(), visit);
  }

 private:
  static constexpr uint32_t kFew = 16;
  struct Entry {
    Range range;
    T thing;
  };
  using Level = std::map<std::pair<int64_t, int64_t>, std::vector<T>>;  // by beginning and end
  using Levels = std::map<int64_t, Level>;                              // by the power of two that no length passes

  void put(const Range& range, const T& thing) {
    int64_t longest = 1;
    while (longest < range.end - range.begin && longest <= std::numeric_limits<int64_t>::max() / 4) longest *= 2;
    levels_[longest][{range.begin, range.end}].push_back(thing);
  }
  template <class OneLevel>
  static auto first(OneLevel& level, const Range& range) {
    return level.second.lower_bound({range.begin - level.first, 0});
  }

  SmallVector<Entry, N> few_;
  Levels levels_;
};

}  // namespace rondo::tape
