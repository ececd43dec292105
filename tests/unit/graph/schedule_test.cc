// From data flow to branches: every order the data needs is kept, by branch or by waits; clocks say exactly what is
// known; no wait is superfluous.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/plan/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "reach.h"

namespace rondo {
namespace {

// What the plan itself orders: branches in sequence, waits, and pieces one after the other.
Edges ordered_by(const BranchPlan& plan, const std::vector<int>& segment) {
  const size_t count = segment.size();
  Edges edges(count);
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t k = 0; k < i; ++k)
      if (segment[k] != segment[i] || plan.schedule.branch[k] == plan.schedule.branch[i]) edges[i].push_back(k);
    edges[i].insert(edges[i].end(), plan.waits[i].begin(), plan.waits[i].end());
    std::sort(edges[i].begin(), edges[i].end());
  }
  return edges;
}

void check_plan(const Edges& before, const std::vector<int>& segment, const std::vector<bool>& parallel,
                const std::vector<bool>& small, int most) {
  const BranchPlan plan = plan_branches(before, segment, parallel, small, most);
  const size_t count = before.size();
  ASSERT_EQ(plan.schedule.branches, most);
  ASSERT_EQ(plan.schedule.branch.size(), count);
  std::vector<uint32_t> length(static_cast<size_t>(most), 0);
  for (size_t i = 0; i < count; ++i) {
    const int branch = plan.schedule.branch[i];
    ASSERT_GE(branch, 0);
    ASSERT_LT(branch, parallel[static_cast<size_t>(segment[i])] ? most : 1);
    ASSERT_EQ(plan.schedule.place[i], ++length[static_cast<size_t>(branch)]) << "places count from 1";
  }
  const Edges edges = ordered_by(plan, segment);
  const Reach known = closure(edges);
  for (uint32_t i = 0; i < count; ++i) {
    for (const uint32_t each : before[i]) ASSERT_TRUE(known[i][each]) << each << " before " << i << " is not kept";
    for (uint32_t k = 0; k < i; ++k) {
      ASSERT_EQ(plan.schedule.before(k, i), known[i][k]) << "clock of " << i << " about " << k;
      ASSERT_FALSE(plan.schedule.before(i, k)) << "clock of " << k << " about " << i;
    }
    for (const uint32_t each : plan.waits[i]) {
      ASSERT_NE(plan.schedule.branch[each], plan.schedule.branch[i]);
      ASSERT_EQ(segment[each], segment[i]);
      ASSERT_TRUE(std::count(before[i].begin(), before[i].end(), each)) << "waits are for predecessors";
      // Without this wait the order would be lost.
      Edges fewer = edges;
      fewer[i].erase(std::find(fewer[i].begin(), fewer[i].end(), each));
      ASSERT_FALSE(closure(fewer)[i][each]) << "the wait of " << i << " for " << each << " is superfluous";
    }
  }
}

TEST(PlanBranches, KeepsEveryOrderOnRandomGraphs) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const size_t count = 1 + random() % 40;
    const int most = 1 + static_cast<int>(random() % 8);
    Edges before(count);
    std::vector<int> segment(count, 0);
    std::vector<bool> parallel{random() % 4 != 0};
    for (uint32_t i = 0; i < count; ++i) {
      std::set<uint32_t> some;
      for (auto n = random() % 4; n > 0 && i > 0; --n)
        some.insert(static_cast<uint32_t>(random() % 2 ? i - 1 - random() % std::min(i, 5u) : random() % i));
      before[i].assign(some.begin(), some.end());
      if (i > 0) segment[i] = segment[i - 1];
      if (i > 0 && random() % 10 == 0) {
        ++segment[i];
        parallel.push_back(random() % 4 != 0);
      }
    }
    std::vector<bool> small(count);
    for (uint32_t i = 0; i < count; ++i) small[i] = seed % 2 && random() % 3;
    check_plan(before, segment, parallel, small, most);
    if (HasFatalFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

int branches_used(const BranchPlan& plan) {
  return static_cast<int>(std::set<int>(plan.schedule.branch.begin(), plan.schedule.branch.end()).size());
}
size_t waits_used(const BranchPlan& plan) {
  return std::accumulate(plan.waits.begin(), plan.waits.end(), size_t{0},
                         [](size_t sum, const auto& each) { return sum + each.size(); });
}
BranchPlan plan_one_piece(const Edges& before, int most) {
  return plan_branches(before, std::vector<int>(before.size(), 0), {true}, std::vector<bool>(before.size(), false),
                       most);
}
// Of tasks all of which are small but these.
BranchPlan plan_small(const Edges& before, const std::set<uint32_t>& large = {}) {
  std::vector<bool> small(before.size(), true);
  for (const uint32_t each : large) small[each] = false;
  return plan_branches(before, std::vector<int>(before.size(), 0), {true}, small, 8);
}

TEST(PlanBranches, AChainIsOneBranch) {
  Edges before(100);
  for (uint32_t i = 1; i < 100; ++i) before[i] = {i - 1};
  const BranchPlan plan = plan_one_piece(before, 8);
  EXPECT_EQ(branches_used(plan), 1);
  EXPECT_EQ(waits_used(plan), 0u);
}

TEST(PlanBranches, EightChainsAreEightBranches) {
  for (const bool interleaved : {true, false}) {
    Edges before(80);
    for (uint32_t i = 0; i < 80; ++i) {
      if (interleaved && i >= 8) before[i] = {i - 8};
      if (!interleaved && i % 10) before[i] = {i - 1};
    }
    const BranchPlan plan = plan_one_piece(before, 8);
    EXPECT_EQ(branches_used(plan), 8);
    EXPECT_EQ(waits_used(plan), 0u);
    for (uint32_t i = 0; i < 80; ++i)
      for (const uint32_t each : before[i]) EXPECT_EQ(plan.schedule.branch[each], plan.schedule.branch[i]);
  }
}

TEST(PlanBranches, ADiamondWaitsOnceEachWay) {
  const BranchPlan plan = plan_one_piece({{}, {0}, {0}, {1, 2}}, 8);
  EXPECT_EQ(branches_used(plan), 2);
  EXPECT_EQ(waits_used(plan), 2u) << "one to fork, one to join";
}

TEST(PlanBranches, RepeatedDiamondsReuseTheirBranches) {
  Edges before = {{}};
  for (int i = 0; i < 10; ++i) {
    const auto fork = static_cast<uint32_t>(before.size()) - 1;
    before.push_back({fork});
    before.push_back({fork});
    before.push_back({fork + 1, fork + 2});
  }
  const BranchPlan plan = plan_one_piece(before, 8);
  EXPECT_EQ(branches_used(plan), 2) << "a branch whose tasks are all before is as good as a fresh one";
}

TEST(PlanBranches, NoMoreBranchesThanAllowed) {
  Edges before(64);
  for (const int most : {1, 2, 3, 32}) EXPECT_EQ(branches_used(plan_one_piece(before, most)), most);
  const BranchPlan plan = plan_one_piece(before, 4);
  std::array<int, 4> load{};
  for (const int branch : plan.schedule.branch) ++load[static_cast<size_t>(branch)];
  for (const int each : load) EXPECT_EQ(each, 16) << "independent tasks are spread evenly";
}

TEST(PlanBranches, SmallTaskJoinedAtOnceHasNoBranch) {
  const Edges diamond = {{}, {0}, {0}, {1, 2}};
  EXPECT_EQ(branches_used(plan_small(diamond)), 1);
  EXPECT_EQ(branches_used(plan_small(diamond, {0, 3})), 1) << "these run alone anyway";
  EXPECT_EQ(branches_used(plan_small(diamond, {1})), 2) << "it would wait for a long one";
  EXPECT_EQ(branches_used(plan_small(diamond, {2})), 2) << "a long one runs beside what is there";
  EXPECT_EQ(branches_used(plan_small({{}, {0}, {0}, {0}, {1, 2, 3}})), 1);
  EXPECT_EQ(branches_used(plan_small({{}, {0}, {0}, {0}, {0}, {1, 2, 3, 4}})), 2) << "three in front cost as much";
}

TEST(PlanBranches, FreeBranchLeavesTaskWithItsProducer) {
  Edges before = {{}, {}, {0, 1}};  // two that come after nothing
  for (uint32_t i = 2; i < 20; i += 3) {
    before.push_back({i});
    before.push_back({i});
    before.push_back({i + 1, i + 2});
  }
  EXPECT_EQ(waits_used(plan_small(before)), 1u) << "of the first pair alone";
}

TEST(PlanBranches, SmallTasksThatGoOnHaveTheirBranches) {
  // Two arms of three tasks, whichever way they were recorded.
  EXPECT_EQ(branches_used(plan_small({{}, {0}, {1}, {2}, {0}, {4}, {5}, {3, 6}})), 2);
  EXPECT_EQ(branches_used(plan_small({{}, {0}, {0}, {1}, {2}, {3}, {4}, {5, 6}})), 2);
  EXPECT_EQ(branches_used(plan_small({{}, {}, {0}, {1}, {2, 3}})), 2) << "nothing is in front of either";
}

TEST(PlanBranches, NothingToPlan) {
  const BranchPlan plan = plan_branches({}, {}, {}, {}, 8);
  EXPECT_TRUE(plan.schedule.branch.empty());
  EXPECT_TRUE(plan.waits.empty());
}

}  // namespace
}  // namespace rondo
