// Places blocks in an arena by best fit, in the order in which tasks first use them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "memory/arena.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace rondo {

namespace {

// The tasks that a task must come after: by branch, the highest place among some tasks.
using Front = std::vector<uint32_t>;

// Returns what every user of a temporary certainly comes after.
Front known_to_all(const Schedule& schedule, const Temporary& temporary) {
  const auto width = static_cast<size_t>(schedule.branches);
  const auto clock = [&](uint32_t user) { return schedule.clock.begin() + static_cast<std::ptrdiff_t>(user * width); };
  Front known(clock(temporary.users.front()), clock(temporary.users.front()) + schedule.branches);
  for (const uint32_t user : temporary.users)
    std::transform(known.begin(), known.end(), clock(user), known.begin(),
                   [](uint32_t a, uint32_t b) { return std::min(a, b); });
  return known;
}

bool covers(const Front& later, const Front& earlier) {
  return std::equal(earlier.begin(), earlier.end(), later.begin(), std::less_equal<>());
}

// The free stretches of the arena and the front of each one's last users.
class FreeList {
 public:
  // The smallest stretch of at least `bytes` whose users all come before this front; a few candidates are enough. Takes
  // its lower part out and returns true if there is one.
  bool take(size_t bytes, const Front& after, size_t* offset) {
    int looked = 0;
    for (auto it = by_size_.lower_bound({bytes, 0}); it != by_size_.end() && looked < 32; ++it, ++looked) {
      const auto found = by_offset_.find(it->second);
      // mutation: temporaries_overlap_between_branches
      if (!covers(after, found->second.front)) continue;
      *offset = found->first;
      Stretch rest = std::move(found->second);
      erase(found);
      rest.bytes -= bytes;
      if (rest.bytes > 0) insert(*offset + bytes, std::move(rest));
      return true;
    }
    return false;
  }

  // Gives a stretch back. It joins a free neighbour when one of the two was used after the other anyway: then the whole
  // is as widely usable as the later part.
  void give(size_t offset, size_t bytes, Front front) {
    Stretch mine{bytes, std::move(front)};
    auto upper = by_offset_.lower_bound(offset);
    if (upper != by_offset_.end() && upper->first == offset + mine.bytes && join(&mine, upper->second)) {
      const auto gone = upper++;
      erase(gone);
    }
    if (upper != by_offset_.begin()) {
      const auto lower = std::prev(upper);
      if (lower->first + lower->second.bytes == offset && join(&mine, lower->second)) {
        offset = lower->first;
        erase(lower);
      }
    }
    insert(offset, std::move(mine));
  }

 private:
  struct Stretch {
    size_t bytes;
    Front front;
  };
  using ByOffset = std::map<size_t, Stretch>;

  static bool join(Stretch* into, const Stretch& other) {
    if (covers(other.front, into->front))
      into->front = other.front;
    else if (!covers(into->front, other.front))
      return false;
    into->bytes += other.bytes;
    return true;
  }
  void insert(size_t offset, Stretch stretch) {
    by_size_.insert({stretch.bytes, offset});
    by_offset_.emplace(offset, std::move(stretch));
  }
  void erase(ByOffset::iterator which) {
    by_size_.erase({which->second.bytes, which->first});
    by_offset_.erase(which);
  }

  ByOffset by_offset_;
  std::set<std::pair<size_t, size_t>> by_size_;  // bytes and offset
};

}  // namespace

size_t plan_arena(const Schedule& schedule, std::vector<Temporary>& temporaries, size_t alignment) {
  std::vector<size_t> order;
  for (size_t i = 0; i < temporaries.size(); ++i) {
    temporaries[i].bytes = (temporaries[i].bytes + alignment - 1) / alignment * alignment;
    if (!temporaries[i].users.empty() && temporaries[i].bytes > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const uint32_t first_a = temporaries[a].users.front();
    const uint32_t first_b = temporaries[b].users.front();
    return first_a != first_b ? first_a < first_b : temporaries[a].bytes > temporaries[b].bytes;
  });
  const auto width = static_cast<size_t>(schedule.branches);
  FreeList free;
  std::multimap<uint32_t, size_t> busy;  // by last user: a later task is the first that may come after it
  size_t top = 0;
  for (const size_t index : order) {
    Temporary& wanted = temporaries[index];
    const uint32_t start = wanted.users.front();
    for (; !busy.empty() && busy.begin()->first < start; busy.erase(busy.begin())) {
      const Temporary& over = temporaries[busy.begin()->second];
      Front front(width, 0);
      for (const uint32_t user : over.users) {
        uint32_t& place = front[static_cast<size_t>(schedule.branch[user])];
        place = std::max(place, schedule.place[user]);
      }
      free.give(over.offset, over.bytes, std::move(front));
    }
    if (!free.take(wanted.bytes, known_to_all(schedule, wanted), &wanted.offset)) {
      wanted.offset = top;
      top += wanted.bytes;
    }
    busy.emplace(wanted.users.back(), index);
  }
  return top;
}

}  // namespace rondo
