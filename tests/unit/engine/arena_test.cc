// The arena planner: no two temporaries that may be alive together overlap, memory is really reused, and the cost stays
// near linear, in steps. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "memory/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <random>

namespace rondo {
namespace {

size_t allocations = 0;

constexpr size_t kAlignment = 256;

// A random program on branches: each task comes after the one before it on its branch, and after a few others.
Schedule random_schedule(std::mt19937& random, int tasks, int branches) {
  Schedule schedule;
  schedule.branches = branches;
  std::vector<int> tail(static_cast<size_t>(branches), -1);
  std::vector<uint32_t> length(static_cast<size_t>(branches), 0);
  const auto clock = [&](int task, int branch) -> uint32_t& {
    return schedule.clock[static_cast<size_t>(task) * static_cast<size_t>(branches) + static_cast<size_t>(branch)];
  };
  schedule.clock.assign(static_cast<size_t>(tasks) * static_cast<size_t>(branches), 0);
  for (int i = 0; i < tasks; ++i) {
    const auto branch = static_cast<size_t>(random() % static_cast<unsigned>(branches));
    std::vector<int> before;
    if (tail[branch] >= 0) before.push_back(tail[branch]);
    for (auto n = random() % 3; n > 0 && i > 0; --n)
      before.push_back(static_cast<int>(random() % static_cast<unsigned>(i)));
    for (const int each : before) {
      for (int b = 0; b < branches; ++b) clock(i, b) = std::max(clock(i, b), clock(each, b));
      uint32_t& own = clock(i, schedule.branch[static_cast<size_t>(each)]);
      own = std::max(own, schedule.place[static_cast<size_t>(each)]);
    }
    schedule.branch.push_back(static_cast<int>(branch));
    schedule.place.push_back(++length[branch]);
    tail[branch] = i;
  }
  return schedule;
}

// Written by a task, then read by tasks that come after it.
std::vector<Temporary> random_temporaries(std::mt19937& random, const Schedule& schedule, int count, int reach) {
  const int tasks = static_cast<int>(schedule.branch.size());
  std::vector<Temporary> temporaries;
  for (int i = 0; i < count; ++i) {
    Temporary temporary;
    temporary.bytes = random() % 16 ? random() % 10000 : 0;
    const int first = static_cast<int>(random() % static_cast<unsigned>(tasks));
    temporary.users.push_back(static_cast<uint32_t>(first));
    for (int later = first + 1; later < std::min(first + reach, tasks); ++later)
      if (schedule.before(static_cast<size_t>(first), static_cast<size_t>(later)) && random() % 3 == 0)
        temporary.users.push_back(static_cast<uint32_t>(later));
    temporaries.push_back(std::move(temporary));
  }
  return temporaries;
}

// Whether every use of a certainly ends before the first use of b starts.
bool over_before(const Schedule& schedule, const Temporary& a, const Temporary& b) {
  return std::all_of(a.users.begin(), a.users.end(), [&](uint32_t user) {
    return std::all_of(b.users.begin(), b.users.end(), [&](uint32_t start) { return schedule.before(user, start); });
  });
}

void check(const Schedule& schedule, const std::vector<Temporary>& temporaries, size_t total) {
  for (size_t i = 0; i < temporaries.size(); ++i) {
    const Temporary& a = temporaries[i];
    ASSERT_EQ(a.offset % kAlignment, 0u);
    ASSERT_LE(a.offset + a.bytes, total);
    for (size_t j = 0; j < i; ++j) {
      const Temporary& b = temporaries[j];
      const bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      if (!overlap) continue;
      ASSERT_TRUE(over_before(schedule, a, b) || over_before(schedule, b, a))
          << "temporaries " << j << " and " << i << " may be alive together and overlap";
    }
  }
}

TEST(Arena, NothingAliveTogetherOverlaps) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const int branches = 1 + static_cast<int>(random() % 8);
    const Schedule schedule = random_schedule(random, 5 + static_cast<int>(random() % 80), branches);
    std::vector<Temporary> temporaries = random_temporaries(random, schedule, 60, 30);
    const size_t total = plan_arena(schedule, temporaries, kAlignment);
    check(schedule, temporaries, total);
    if (HasFatalFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

Schedule chain(uint32_t tasks) {
  Schedule schedule;
  for (uint32_t i = 0; i < tasks; ++i) {
    schedule.branch.push_back(0);
    schedule.place.push_back(i + 1);
    schedule.clock.push_back(i);
  }
  return schedule;
}

TEST(Arena, AChainNeedsTwoBuffers) {
  const Schedule schedule = chain(100);
  std::vector<Temporary> temporaries;
  for (uint32_t i = 0; i + 1 < 100; ++i) temporaries.push_back({1000, {i, i + 1}, 0});
  EXPECT_EQ(plan_arena(schedule, temporaries, kAlignment), 2048u) << "one is read while the next is written";
  check(schedule, temporaries, 2048);
}

TEST(Arena, DisjointUsesShareOneBuffer) {
  const Schedule schedule = chain(50);
  std::vector<Temporary> temporaries;
  for (uint32_t i = 0; i < 50; ++i) temporaries.push_back({512, {i}, 0});
  EXPECT_EQ(plan_arena(schedule, temporaries, kAlignment), 512u);
}

TEST(Arena, ALargeHoleIsCutForSmallOnes) {
  const Schedule schedule = chain(3);
  std::vector<Temporary> temporaries = {{1024, {0}, 0}, {256, {1, 2}, 0}, {256, {1, 2}, 0}, {512, {1, 2}, 0}};
  EXPECT_EQ(plan_arena(schedule, temporaries, kAlignment), 1024u);
  check(schedule, temporaries, 1024);
}

TEST(Arena, UnorderedBranchesDoNotShare) {
  // Two branches without an edge between them.
  Schedule schedule;
  schedule.branches = 2;
  schedule.branch = {0, 1, 0, 1};
  schedule.place = {1, 1, 2, 2};
  schedule.clock = {0, 0, 0, 0, 1, 0, 0, 1};
  std::vector<Temporary> temporaries = {{256, {0}, 0}, {256, {3}, 0}, {256, {2}, 0}};
  EXPECT_EQ(plan_arena(schedule, temporaries, kAlignment), 512u) << "each branch reuses its own only";
  check(schedule, temporaries, 512);
  EXPECT_EQ(temporaries[0].offset, temporaries[2].offset);
}

TEST(Arena, NothingToPlace) {
  std::vector<Temporary> none;
  EXPECT_EQ(plan_arena(chain(3), none, kAlignment), 0u);
  std::vector<Temporary> unused = {{1000, {}, 7}};
  EXPECT_EQ(plan_arena(chain(3), unused, kAlignment), 0u);
}

TEST(Arena, CloseToTheBestOnRandomChains) {
  // On one branch the peak of what is alive is a lower bound; the plan stays near it.
  double ratio = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const Schedule schedule = chain(300);
    std::vector<Temporary> temporaries;
    std::vector<size_t> alive(300, 0);
    for (uint32_t i = 0; i < 300; ++i) {
      const uint32_t last = std::min(299u, i + static_cast<uint32_t>(random() % 12));
      const size_t bytes = (1 + random() % 20) * kAlignment;
      temporaries.push_back({bytes, last > i ? std::vector<uint32_t>{i, last} : std::vector<uint32_t>{i}, 0});
      for (uint32_t t = i; t <= last; ++t) alive[t] += bytes;
    }
    const size_t total = plan_arena(schedule, temporaries, kAlignment);
    check(schedule, temporaries, total);
    ratio = std::max(ratio,
                     static_cast<double>(total) / static_cast<double>(*std::max_element(alive.begin(), alive.end())));
  }
  EXPECT_LT(ratio, 2.0);
}

// Of one plan. Whoever looks at all that is free, or copies it, for each task, takes a hundred times as many.
size_t allocations_of_a_plan(int tasks) {
  std::mt19937 random(5);
  const Schedule schedule = random_schedule(random, tasks, 4);
  std::vector<Temporary> temporaries = random_temporaries(random, schedule, tasks, 20);
  const size_t before = allocations;
  plan_arena(schedule, temporaries, kAlignment);
  return allocations - before;
}

TEST(Arena, AllocationsGrowLinearlyWithTasks) {
  const size_t small = allocations_of_a_plan(1000);
  const size_t large = allocations_of_a_plan(10000);
  EXPECT_GT(small, 1000u);
  EXPECT_LT(large, small * 12);
}

// So many stretches that are free for tasks of the first branch alone, among memory that is used for long; then one of
// two units that is free for the second branch, where a unit is wanted. Whether it is found.
bool finds_it_behind(uint32_t unsuitable) {
  Schedule schedule;
  schedule.branches = 2;
  std::vector<Temporary> temporaries;
  const uint32_t over = 2 * unsuitable, held = over + 1, wanted = over + 2, end = over + 3;
  for (uint32_t task = 0; task <= end; ++task) {
    const bool second = task == held || task == wanted;
    schedule.branch.push_back(second ? 1 : 0);
    schedule.place.push_back(second ? task - over : task < held ? task + 1 : task - 1);
    schedule.clock.push_back(second ? 0 : schedule.place.back() - 1);
    schedule.clock.push_back(second ? schedule.place.back() - 1 : 0);
    if (task < over) temporaries.push_back({kAlignment, {task, task % 2 ? end : over}, 0});
  }
  temporaries.push_back({2 * kAlignment, {held}, 0});
  temporaries.push_back({kAlignment, {wanted}, 0});
  check(schedule, temporaries, plan_arena(schedule, temporaries, kAlignment));
  return temporaries[temporaries.size() - 1].offset == temporaries[temporaries.size() - 2].offset;
}

TEST(Arena, LooksAtAFewFreeStretchesAndNoMore) {
  EXPECT_TRUE(finds_it_behind(0));
  EXPECT_TRUE(finds_it_behind(31));
  EXPECT_FALSE(finds_it_behind(32)) << "a look at each would make plans quadratic";
}

}  // namespace
}  // namespace rondo

void* operator new(size_t bytes) {
  ++rondo::allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++rondo::allocations;
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
