// Data flow and branches. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/plan/schedule.h"

#include <algorithm>
#include <unordered_map>

namespace rondo {

std::vector<std::vector<uint32_t>> data_flow(const std::vector<Ref<Task>>& tasks) {
  struct State {
    int64_t writer = -1;
    std::vector<uint32_t> readers;
  };
  std::unordered_map<const Variable*, State> states;
  std::vector<std::vector<uint32_t>> predecessors(tasks.size());
  for (uint32_t i = 0; i < tasks.size(); ++i) {
    std::vector<uint32_t>& before = predecessors[i];
    for (const Access& access : tasks[i]->accesses()) {
      State& state = states[access.variable];
      if (!access.write) {
        if (state.writer >= 0) before.push_back(static_cast<uint32_t>(state.writer));
        state.readers.push_back(i);
        continue;
      }
      // Readers come after the writer already, so they alone are enough.
      if (!state.readers.empty())
        // mutation: write_after_read_in_a_graph
        before.insert(before.end(), state.readers.begin(), state.readers.end());
      else if (state.writer >= 0)
        before.push_back(static_cast<uint32_t>(state.writer));
      state.readers.clear();
      state.writer = i;
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
  }
  return predecessors;
}

BranchPlan plan_branches(const std::vector<std::vector<uint32_t>>& predecessors, const std::vector<int>& segment,
                         const std::vector<bool>& parallel, int max_branches) {
  const size_t count = predecessors.size();
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
  int used = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (i == 0 || segment[i] != segment[i - 1]) {
      std::fill(tail.begin(), tail.end(), -1);
      joined = length;
      used = 0;
    }
    const auto index = static_cast<size_t>(segment[i]);
    const int most = parallel[index] ? max_branches : 1;  // mutation: graph_on_one_branch
    uint32_t* clock = &plan.schedule.clock[i * width];
    std::copy(joined.begin(), joined.end(), clock);
    int chosen = -1;
    for (auto it = predecessors[i].rbegin(); it != predecessors[i].rend(); ++it) {
      if (segment[*it] != segment[i]) continue;
      const int branch = plan.schedule.branch[*it];
      if (chosen < 0 && tail[static_cast<size_t>(branch)] == *it)
        chosen = branch;  // continue the latest producer's branch
      const uint32_t* earlier = &plan.schedule.clock[*it * width];
      for (size_t b = 0; b < width; ++b) clock[b] = std::max(clock[b], earlier[b]);
      clock[branch] = std::max(clock[branch], plan.schedule.place[*it]);
    }
    // Next best: a branch whose last task comes before this one anyway, a fresh branch, the shortest one.
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
    // What the branch's last task already comes after need not be waited for again.
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
    tail[own] = i;
  }
  return plan;
}

}  // namespace rondo
