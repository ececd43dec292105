// Spreading the tasks of a graph over branches, so that an edge between two of them is worth what it costs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/plan/schedule.h"

#include <algorithm>

namespace rondo {

namespace {

// How many small tasks may stand between a small task and its producer on one branch: two edges between branches cost
// as much.
constexpr uint32_t kMostBetween = 2;

// True for each task whose followers in its piece would wait for others as well: a branch for it alone is joined right
// after it.
std::vector<bool> find_joined(const std::vector<std::vector<uint32_t>>& predecessors, const std::vector<int>& segment) {
  std::vector<bool> joined(predecessors.size(), true);
  for (size_t i = 0; i < predecessors.size(); ++i) {
    const auto inside = [&](uint32_t each) { return segment[each] == segment[i]; };
    if (std::count_if(predecessors[i].begin(), predecessors[i].end(), inside) != 1) continue;
    joined[*std::find_if(predecessors[i].begin(), predecessors[i].end(), inside)] = false;
  }
  return joined;
}

}  // namespace

BranchPlan plan_branches(const std::vector<std::vector<uint32_t>>& predecessors, const std::vector<int>& segment,
                         const std::vector<bool>& parallel, const std::vector<bool>& small, int max_branches) {
  const size_t count = predecessors.size();
  const std::vector<bool> joined_after = find_joined(predecessors, segment);
  const auto width = static_cast<size_t>(max_branches);
  BranchPlan plan;
  plan.schedule.branches = max_branches;
  plan.schedule.branch.assign(count, 0);
  plan.schedule.place.assign(count, 0);
  plan.schedule.clock.assign(count * width, 0);
  plan.waits.resize(count);
  std::vector<uint32_t> length(width, 0);  // tasks placed on each branch so far, over all segments
  std::vector<int64_t> tail(width, -1);    // last task of each branch in this segment
  std::vector<uint32_t> joined(width, 0);  // what every task of this segment comes after
  // Tasks at the end of each branch that are small, one after the other.
  std::vector<uint32_t> small_at_end(width, 0);
  int used = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (i == 0 || segment[i] != segment[i - 1]) {
      std::fill(tail.begin(), tail.end(), -1);
      joined = length;
      std::fill(small_at_end.begin(), small_at_end.end(), 0);
      used = 0;
    }
    const auto index = static_cast<size_t>(segment[i]);
    const int most = parallel[index] ? max_branches : 1;  // mutation: graph_on_one_branch
    uint32_t* clock = &plan.schedule.clock[i * width];
    std::copy(joined.begin(), joined.end(), clock);
    int chosen = -1, near = -1;
    for (auto it = predecessors[i].rbegin(); it != predecessors[i].rend(); ++it) {
      if (segment[*it] != segment[i]) continue;
      const int branch = plan.schedule.branch[*it];
      if (chosen < 0 && tail[static_cast<size_t>(branch)] == *it)
        chosen = branch;  // continue the latest producer's branch
      const uint32_t between = length[static_cast<size_t>(branch)] - plan.schedule.place[*it];
      if (near < 0 && between <= std::min(kMostBetween, small_at_end[static_cast<size_t>(branch)])) near = branch;
      const uint32_t* earlier = &plan.schedule.clock[*it * width];
      for (size_t b = 0; b < width; ++b) clock[b] = std::max(clock[b], earlier[b]);
      clock[branch] = std::max(clock[branch], plan.schedule.place[*it]);
    }
    // Next best: after a producer, if to wait there costs less than an edge between branches, a branch whose last task
    // comes before this one anyway, a fresh branch, the shortest one.
    if (chosen < 0 && small[i] && joined_after[i]) chosen = near;  // mutation: no_cost_of_branches
    for (int b = 0; b < used && chosen < 0; ++b)
      if (clock[b] >= plan.schedule.place[static_cast<size_t>(tail[static_cast<size_t>(b)])]) chosen = b;
    if (chosen < 0 && used < most) chosen = used;
    if (chosen < 0) {
      chosen = 0;
      for (int b = 1; b < most; ++b)
        if (length[static_cast<size_t>(b)] < length[static_cast<size_t>(chosen)]) chosen = b;
    }
    const auto own = static_cast<size_t>(chosen);
    used = std::max(used, chosen + 1);
    // Tasks that the branch's last task already comes after need not be waited for again.
    std::vector<uint32_t> known = joined;
    if (tail[own] >= 0) {
      const uint32_t* last = &plan.schedule.clock[static_cast<size_t>(tail[own]) * width];
      for (size_t b = 0; b < width; ++b) known[b] = std::max(known[b], last[b]);
      known[own] = length[own];
    }
    for (auto it = predecessors[i].rbegin(); it != predecessors[i].rend(); ++it) {
      if (segment[*it] != segment[i]) continue;
      const auto branch = static_cast<size_t>(plan.schedule.branch[*it]);
      if (branch == own || known[branch] >= plan.schedule.place[*it]) continue;
      plan.waits[i].push_back(*it);
      const uint32_t* earlier = &plan.schedule.clock[*it * width];
      for (size_t b = 0; b < width; ++b) known[b] = std::max(known[b], earlier[b]);
      known[branch] = std::max(known[branch], plan.schedule.place[*it]);
    }
    for (size_t b = 0; b < width; ++b) clock[b] = std::max(clock[b], known[b]);
    plan.schedule.branch[i] = chosen;
    plan.schedule.place[i] = ++length[own];
    small_at_end[own] = small[i] ? small_at_end[own] + 1 : 0;
    tail[own] = i;
  }
  return plan;
}

}  // namespace rondo
