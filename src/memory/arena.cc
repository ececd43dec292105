// Best-fit placement in order of first use. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "memory/arena.h"

#include <algorithm>
#include <map>

namespace rondo {

namespace {

// A stretch of the arena and who used it last; free for a task that comes after all of them.
struct Stretch {
  size_t bytes;
  std::vector<uint32_t> users;
  uint32_t free_from;  // first task index that may look at it: one past the last user
};

}  // namespace

size_t plan_arena(const Schedule& schedule, std::vector<Temporary>& temporaries, size_t alignment) {
  std::vector<size_t> order;
  for (size_t i = 0; i < temporaries.size(); ++i) {
    temporaries[i].bytes = (temporaries[i].bytes + alignment - 1) / alignment * alignment;
    if (!temporaries[i].users.empty()) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const uint32_t first_a = temporaries[a].users.front();
    const uint32_t first_b = temporaries[b].users.front();
    return first_a != first_b ? first_a < first_b : temporaries[a].bytes > temporaries[b].bytes;
  });
  std::multimap<size_t, std::pair<size_t, Stretch>> free;    // by size: offset and history
  std::multimap<uint32_t, std::pair<size_t, Stretch>> busy;  // by free_from
  size_t top = 0;
  for (const size_t index : order) {
    Temporary& wanted = temporaries[index];
    const uint32_t start = wanted.users.front();
    while (!busy.empty() && busy.begin()->first <= start) {
      auto entry = std::move(busy.begin()->second);
      busy.erase(busy.begin());
      const size_t bytes = entry.second.bytes;
      free.emplace(bytes, std::move(entry));
    }
    // The smallest free stretch whose users all come before the first writer; a few candidates are enough.
    auto found = free.end();
    int looked = 0;
    for (auto it = free.lower_bound(wanted.bytes); it != free.end() && looked < 32; ++it, ++looked) {
      const auto& users = it->second.second.users;
      if (std::all_of(users.begin(), users.end(), [&](uint32_t user) { return schedule.before(user, start); })) {
        found = it;
        break;
      }
    }
    Stretch mine{wanted.bytes, wanted.users, wanted.users.back() + 1};
    if (found == free.end()) {
      wanted.offset = top;
      top += wanted.bytes;
    } else {
      auto [offset, stretch] = std::move(found->second);
      free.erase(found);
      wanted.offset = offset;
      if (stretch.bytes > wanted.bytes) {
        Stretch rest = stretch;
        rest.bytes -= wanted.bytes;
        const size_t bytes = rest.bytes;
        free.emplace(bytes, std::pair{offset + wanted.bytes, std::move(rest)});
      }
    }
    busy.emplace(mine.free_from, std::pair{wanted.offset, mine});
  }
  return top;
}

}  // namespace rondo
