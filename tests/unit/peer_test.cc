// Kernels of the all-reduce between devices, as their host twin: a thread is a block, a rank launches one kernel after
// the other, and nobody waits for anybody but through the pads. Under the thread sanitizer this is the proof that the
// slots are enough and that every flag covers its data.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/device/peer/peer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace rondo::device;
using Clock = std::chrono::steady_clock;

struct FreePad {
  void operator()(u8* pad) const { std::free(pad); }
};

template <int kRanks>
class Pads {
 public:
  explicit Pads(u64 limit_ns = 20000000000) : limit_(limit_ns) {
    for (auto& pad : pads_) {
      const size_t bytes = peer_pad_bytes(kRanks);
      pad.reset(static_cast<u8*>(std::aligned_alloc(128, (bytes + 127) / 128 * 128)));
      std::memset(pad.get(), 0, bytes);
    }
  }
  PeerPad& pad(int rank) { return *reinterpret_cast<PeerPad*>(pads_[rank].get()); }
  PeerControl& control(int rank) { return controls_[rank]; }

  // One launch on a rank; returns when it is over.
  template <class M, int kMethod, int kOperation>
  void launch(int rank, int blocks, const M* in, M* out, size_t count, bool reach = true) {
    PeerArguments args = {};
    args.in = in;
    args.out = out;
    args.count = static_cast<i64>(count);
    args.rank = rank;
    args.within_reach = reach;
    args.limit = limit_;
    args.control = &controls_[rank];
    for (int r = 0; r < kRanks; ++r) args.pads[r] = pads_[r].get();
    std::vector<std::thread> threads;
    for (int b = 0; b < blocks; ++b)
      threads.emplace_back([=] { peer_all_reduce<M, kMethod, kOperation, kRanks>(args, PeerLane{0, 1, b, blocks}); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  const u64 limit_;
  std::unique_ptr<u8, FreePad> pads_[kRanks];
  PeerControl controls_[kRanks] = {};
};

template <int kRanks>
void on_every_rank(const std::function<void(int rank)>& body) {
  std::vector<std::thread> threads;
  for (int r = 0; r < kRanks; ++r) threads.emplace_back([&body, r] { body(r); });
  for (std::thread& thread : threads) thread.join();
}

// Not exact in sums, so that another order would show.
template <class M>
M sample(size_t i, int rank) {
  const auto x = static_cast<i32>((i * 2654435761u + static_cast<size_t>(rank) * 40503u) >> 7 & 0xfff) - 2048;
  if constexpr (is_floating<Register<M>>)
    return to_memory<M>(static_cast<Register<M>>(x) / Register<M>(7));
  else
    return static_cast<M>(x);
}

template <class M, int kOperation, int kRanks>
M reference(size_t i) {
  Pack<M, 1> given[kRanks];
  for (int r = 0; r < kRanks; ++r) given[r].v[0] = sample<M>(i, r);
  return peer_reduce<M, 1, kOperation, kRanks>(given).v[0];
}

template <class M>
bool same(M a, M b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Every count, aligned or not, in place or not.
template <class M, int kMethod, int kOperation, int kRanks>
void compare() {
  Pads<kRanks> pads;
  for (const size_t count : {size_t{1}, size_t{3}, size_t{64}, size_t{1003}}) {
    for (const int shift : {0, 1}) {
      for (const bool in_place : {false, true}) {
        on_every_rank<kRanks>([&](int rank) {
          std::vector<M> in(count + 16);
          std::vector<M> other(count + 16);
          const size_t at = rank == 0 ? static_cast<size_t>(shift) : 0;
          for (size_t i = 0; i < count; ++i) in[at + i] = sample<M>(i, rank);
          std::vector<M>& out = in_place ? in : other;
          pads.template launch<M, kMethod, kOperation>(rank, 3, in.data() + at, out.data() + at, count);
          for (size_t i = 0; i < count; ++i)
            ASSERT_TRUE(same(out[at + i], reference<M, kOperation, kRanks>(i))) << "rank " << rank << ", element " << i;
          for (size_t i = at + count; i < out.size(); ++i) ASSERT_TRUE(same(out[i], M())) << "written past the end";
        });
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  for (int r = 0; r < kRanks; ++r) EXPECT_EQ(pads.control(r).report, 0u);
}

TEST(Peer, RanksAddInTheirOrderAndHaveTheSameBits) {
  compare<f32, kPeerPush, kPeerSum, 2>();
  compare<f32, kPeerStage, kPeerSum, 2>();
  compare<f32, kPeerPull, kPeerSum, 2>();
  compare<f32, kPeerExchange, kPeerSum, 2>();
}

TEST(Peer, ThreeRanks) {
  compare<f32, kPeerPush, kPeerMean, 3>();
  compare<f32, kPeerStage, kPeerMean, 3>();
  compare<f32, kPeerPull, kPeerSum, 3>();
  compare<f32, kPeerExchange, kPeerSum, 3>();
}

TEST(Peer, EveryKindOfElement) {
  compare<f16, kPeerPush, kPeerMean, 2>();
  compare<bf16, kPeerStage, kPeerSum, 2>();
  compare<f64, kPeerPush, kPeerProd, 2>();
  compare<i8, kPeerExchange, kPeerMax, 2>();
  compare<u8, kPeerPush, kPeerMin, 2>();
  compare<i32, kPeerStage, kPeerProd, 2>();
  compare<i64, kPeerPull, kPeerSum, 2>();
}

// Each rank runs ahead as far as it can: kernels of all ways and sizes one after the other, with no wait in between but
// those of the kernels. What a slot holds is overwritten too early only if three are not enough.
template <int kRanks>
void run_ahead(int launches, u32 first_step) {
  struct Step {
    int method;
    int blocks;
    size_t count;
  };
  std::vector<Step> steps;
  std::mt19937 random(7);
  for (int i = 0; i < launches; ++i) {
    const size_t counts[] = {1, 2, 5, 40, 133};
    steps.push_back({static_cast<int>(random() % 4), static_cast<int>(random() % 3 + 1), counts[random() % 5]});
  }
  Pads<kRanks> pads;
  for (int r = 0; r < kRanks; ++r)
    for (u32& step : pads.pad(r).steps) step = first_step;
  on_every_rank<kRanks>([&](int rank) {
    std::mt19937 pause(static_cast<unsigned>(rank) + 1);
    for (size_t s = 0; s < steps.size(); ++s) {
      const Step& step = steps[s];
      std::vector<i32> in(step.count);
      std::vector<i32> out(step.count, -1);
      i32 sum = 0;
      for (int r = 0; r < kRanks; ++r) sum += static_cast<i32>(s) * (r + 1);
      for (size_t i = 0; i < step.count; ++i) in[i] = static_cast<i32>(s) * (rank + 1) + static_cast<i32>(i);
      switch (step.method) {
        case 0:
          pads.template launch<i32, kPeerPush, kPeerSum>(rank, step.blocks, in.data(), out.data(), step.count);
          break;
        case 1:
          pads.template launch<i32, kPeerStage, kPeerSum>(rank, step.blocks, in.data(), out.data(), step.count);
          break;
        case 2:
          pads.template launch<i32, kPeerPull, kPeerSum>(rank, step.blocks, in.data(), out.data(), step.count);
          break;
        default:
          pads.template launch<i32, kPeerExchange, kPeerSum>(rank, step.blocks, in.data(), out.data(), step.count);
      }
      for (size_t i = 0; i < step.count; ++i)
        ASSERT_EQ(out[i], sum + kRanks * static_cast<i32>(i))
            << "launch " << s << ", rank " << rank << ", element " << i;
      if (pause() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(pause() % 300));
    }
  });
  for (int r = 0; r < kRanks; ++r) EXPECT_EQ(pads.control(r).report, 0u);
}

TEST(Peer, NobodyOverwritesWhatIsNotReadYet) {
  run_ahead<2>(400, 0);
}
TEST(Peer, NobodyOverwritesWhatIsNotReadYetAmongThree) {
  run_ahead<3>(150, 0);
}
TEST(Peer, StepsBeginAgainBehindTheirLargest) {
  run_ahead<2>(40, 0xffffffffu - 9);
}

TEST(Peer, WhereOneCannotBeReachedAllGoThroughSlots) {
  Pads<2> pads;
  constexpr size_t count = 1003;
  on_every_rank<2>([&](int rank) {
    for (int again = 0; again < 5; ++again) {
      std::vector<f32> in(count);
      std::vector<f32> out(count);
      for (size_t i = 0; i < count; ++i) in[i] = sample<f32>(i, rank);
      pads.launch<f32, kPeerExchange, kPeerSum>(rank, 2, in.data(), out.data(), count, rank == 0);
      for (size_t i = 0; i < count; ++i) ASSERT_TRUE(same(out[i], (reference<f32, kPeerSum, 2>(i))));
    }
  });
}

template <int kMethod>
void alone(u64 limit_ns, const std::function<void(Pads<2>&)>& meanwhile, u32 report) {
  Pads<2> pads(limit_ns);
  std::vector<f32> in(300, 1.0F);
  std::vector<f32> out(300);
  std::thread other([&] { meanwhile(pads); });
  const auto begin = Clock::now();
  pads.launch<f32, kMethod, kPeerSum>(0, 2, in.data(), out.data(), in.size());
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(60));  // of a machine that may be busy
  other.join();
  EXPECT_EQ(pads.control(0).report, report);
}

TEST(Peer, ARankThatDoesNotComeIsNamedInTime) {
  const auto nothing = [](Pads<2>&) {};
  alone<kPeerPush>(20000000, nothing, 2);
  alone<kPeerStage>(20000000, nothing, 2);
  alone<kPeerPull>(20000000, nothing, 2);
  alone<kPeerExchange>(20000000, nothing, 2);
}

TEST(Peer, TheHostEndsTheWaiting) {
  const auto abort = [](Pads<2>& pads) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    __atomic_store_n(&pads.control(0).abort, 1u, __ATOMIC_RELAXED);
  };
  alone<kPeerPush>(0, abort, 0);
  alone<kPeerStage>(0, abort, 0);
  alone<kPeerPull>(0, abort, 0);
  alone<kPeerExchange>(0, abort, 0);
}

}  // namespace
