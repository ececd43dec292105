// Tests that calls which may wait for a GPU stay apart from collectives that some ranks of the process have begun.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/cuda/collective_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace rondo::cuda {
namespace {

void count(void* counter, void*) {
  ++*static_cast<std::atomic<int>*>(counter);
}

class CollectiveGate : public ::testing::Test {
 protected:
  void free() { release_apart(count, &freed_, nullptr); }
  GateMember member(uint64_t group, int engine = 0) {
    return {&engines_[engine], group, [this] { return idle_.load(); }};
  }
  char engines_[2];
  std::atomic<int> freed_{0};
  std::atomic<bool> idle_{false};  // whether the device has done all that was begun
};

TEST_F(CollectiveGate, FreeIsPutOffUntilAllRanksIssue) {
  GateMember first = member(7), second = member(7), other = member(8);
  free();
  EXPECT_EQ(freed_, 1);
  first.begin(false);
  free();
  EXPECT_EQ(freed_, 1);
  first.issued(false);
  other.begin(false);
  other.issued(false);
  release_late();
  EXPECT_EQ(freed_, 1);
  second.begin(false);
  release_late();
  EXPECT_EQ(freed_, 1);
  second.issued(false);
  release_late();
  EXPECT_EQ(freed_, 2);
}

TEST_F(CollectiveGate, LoneRankAndDoneWorkPutNothingOff) {
  GateMember lone = member(9);
  lone.begin(false);
  free();
  EXPECT_EQ(freed_, 1);
  lone.issued(false);
  GateMember sender = member(10), idle = member(10);
  sender.begin(false);
  sender.issued(false);
  free();
  EXPECT_EQ(freed_, 1);
  idle_ = true;
  release_late();
  EXPECT_EQ(freed_, 2);
}

TEST_F(CollectiveGate, RankThatLeavesPutsNothingOff) {
  GateMember first = member(11), second = member(11);
  first.begin(false);
  first.issued(false);
  free();
  EXPECT_EQ(freed_, 0);
  second.leave();
  release_late();
  EXPECT_EQ(freed_, 1);
}

TEST_F(CollectiveGate, FirstRankWaitsWhileClosed) {
  GateMember first = member(12), second = member(12);
  std::atomic<bool> begun{false};
  std::thread beginning;
  {
    const GateClosed closed;
    free();
    EXPECT_EQ(freed_, 0);
    beginning = std::thread([&] {
      first.begin(false);
      begun = true;
      first.issued(false);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(begun);
  }
  beginning.join();
  EXPECT_TRUE(begun);
  const auto from = std::chrono::steady_clock::now();
  std::atomic<bool> inside{false};
  std::thread closing([&] {
    const GateClosed closed;  // the first rank has begun: it waits for the second one
    inside = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(inside);
  second.begin(false);
  second.issued(false);
  closing.join();
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::milliseconds(900));
  release_late();
  EXPECT_EQ(freed_, 1);
}

TEST_F(CollectiveGate, FirstRankWaitsForOtherEnginesRanks) {
  GateMember first = member(14), second = member(14), beside = member(15), other = member(16, 1), last = member(16, 1);
  first.begin(false);
  first.issued(false);
  beside.begin(false);  // the engine's own order
  beside.issued(false);
  std::atomic<bool> begun{false};
  std::thread beginning([&] {
    other.begin(false);
    begun = true;
    other.issued(false);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(begun);
  second.begin(false);
  second.issued(false);
  beginning.join();
  EXPECT_TRUE(begun);
  last.begin(false);
  last.issued(false);
}

TEST_F(CollectiveGate, MessagesPutFreesOffWhileInFlight) {
  GateMember sender = member(17), receiver = member(17), other = member(17);
  sender.begin(true);
  sender.issued(true);
  free();
  EXPECT_EQ(freed_, 0);
  other.begin(false);  // no message makes it a rank that follows
  other.issued(false);
  idle_ = true;
  release_late();
  EXPECT_EQ(freed_, 1);
}

TEST_F(CollectiveGate, WorkOfRankThatWentPutsFreesOff) {
  auto first = std::make_unique<GateMember>(&engines_[0], 18, [] { return true; });
  GateMember second = member(18);
  first->begin(false);
  first->issued(false);
  GateMember stands(*first, [this] { return idle_.load(); });
  first.reset();
  free();
  EXPECT_EQ(freed_, 0);
  second.begin(false);
  second.issued(false);
  release_late();
  EXPECT_EQ(freed_, 1);
}

TEST_F(CollectiveGate, RankAheadWaitsForFreesThatWaitLong) {
  GateMember ahead = member(13), behind = member(13);
  ahead.begin(false);
  ahead.issued(false);
  free();
  EXPECT_EQ(freed_, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::atomic<bool> begun{false};
  std::thread beginning([&] {
    ahead.begin(false);
    begun = true;
    ahead.issued(false);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(begun);
  behind.begin(false);
  behind.issued(false);
  release_late();
  beginning.join();
  EXPECT_EQ(freed_, 1);
}

}  // namespace
}  // namespace rondo::cuda
