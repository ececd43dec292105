// The caching pool, with a fake source of memory and fake fences: cutting, merging, waits across streams, limits, the
// path when memory runs out, and a long random run against a model. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "memory/pool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <thread>
#include <unordered_map>
#include <utility>

#include "fences.h"
#include "memory/reclaim.h"

namespace rondo {
namespace {

constexpr size_t kPoolAlignment = 256;
constexpr size_t kSegment = 64 * 1024;

class FakeSource final : public SegmentSource {
 public:
  ~FakeSource() override {
    for (auto& [address, bytes] : segments) std::free(address);
  }
  Status allocate(size_t bytes, void** address) override {
    if (!failure.ok()) return failure;
    if (held + bytes > capacity) return error(RONDO_OUT_OF_MEMORY, "the fake source is empty");
    *address = std::aligned_alloc(kPoolAlignment, bytes);
    segments[static_cast<char*>(*address)] = bytes;
    held += bytes;
    ++allocations;
    return {};
  }
  void release(void* address) override {
    auto* start = static_cast<char*>(address);
    ASSERT_TRUE(segments.count(start)) << "released what was not allocated";
    if (on_release) on_release(start, segments[start]);
    held -= segments[start];
    segments.erase(start);
    std::free(address);
  }
  // The segment that holds [address, address + bytes); false if none does.
  bool holds(const char* address, size_t bytes) const {
    auto next = segments.upper_bound(const_cast<char*>(address));
    if (next == segments.begin()) return false;
    --next;
    return address + bytes <= next->first + next->second;
  }
  std::map<char*, size_t> segments;
  size_t held = 0;
  size_t capacity = SIZE_MAX;
  int allocations = 0;
  Status failure;
  std::function<void(char*, size_t)> on_release;
};

class FakeOracle final : public FenceOracle {
 public:
  bool fence_done(Fence fence) override { return completed[fence.stream] >= fence.sequence; }
  Status fence_wait(Fence fence) override {
    ++waits;
    if (!failure.ok()) return failure;
    completed[fence.stream] = std::max(completed[fence.stream], fence.sequence);
    return {};
  }
  std::map<uint32_t, uint64_t> completed;
  int waits = 0;
  Status failure;
};

// Whether whoever got the block for `stream` would wait for the fence.
bool covered(const Block& block, uint32_t stream, Fence fence) {
  if (fence.stream == stream) return true;
  for (const Fence& each : block.fences)
    if (each.stream == fence.stream && each.sequence >= fence.sequence) return true;
  return false;
}

bool waits_for_others(const Block& block, uint32_t stream) {
  for (const Fence& each : block.fences)
    if (each.stream != stream) return true;
  return false;
}

class PoolTest : public ::testing::Test {
 protected:
  Block* take(size_t bytes, uint32_t stream = 0) {
    Block* block = nullptr;
    const Status status = pool.allocate(bytes, stream, &block);
    EXPECT_TRUE(status.ok()) << status.message();
    return block;
  }
  rondo_memory_info info() { return pool.query(); }
  FakeSource source;
  FakeOracle oracle;
  Pool pool{"fake:0", source, oracle, kPoolAlignment, kSegment};
};

TEST_F(PoolTest, CutsOneSegmentIntoAlignedBlocks) {
  std::vector<Block*> blocks;
  for (const size_t bytes : {1u, 256u, 257u, 1000u, 4096u, 0u}) blocks.push_back(take(bytes));
  EXPECT_EQ(source.allocations, 1);
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks[i]->address) % kPoolAlignment, 0u);
    for (size_t j = 0; j < i; ++j)
      EXPECT_TRUE(blocks[i]->address >= blocks[j]->address + blocks[j]->bytes ||
                  blocks[j]->address >= blocks[i]->address + blocks[i]->bytes);
  }
  EXPECT_EQ(blocks[0]->bytes, 256u);
  EXPECT_EQ(blocks[2]->bytes, 512u);
  EXPECT_EQ(blocks[5]->bytes, 256u) << "an empty request has an address of its own";
  EXPECT_EQ(info().in_use, 256 + 256 + 512 + 1024 + 4096 + 256);
  EXPECT_EQ(info().in_use + info().cached, static_cast<int64_t>(kSegment));
  for (Block* block : blocks) pool.free(block, {});
}

TEST_F(PoolTest, MergesNeighboursInAnyOrderOfRelease) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<Block*> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(take(kSegment / 8));
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (Block* block : blocks) pool.free(block, {});
    EXPECT_EQ(source.allocations, 1) << "the pieces became one block again";
  }
  pool.trim();
  EXPECT_EQ(source.held, 0u) << "a merged segment can go back";
  EXPECT_EQ(info().cached, 0);
}

TEST_F(PoolTest, SameStreamReusesAtOnce) {
  Block* block = take(1000, 4);
  char* address = block->address;
  pool.free(block, fences({{4, 10}}));
  block = take(1000, 4);
  EXPECT_EQ(block->address, address);
  EXPECT_FALSE(waits_for_others(*block, 4));
  EXPECT_EQ(oracle.waits, 0);
  EXPECT_EQ(info().cross_stream_reuses, 0);
  pool.free(block, {});
}

TEST_F(PoolTest, AnotherStreamWaitsOnTheDevice) {
  Block* block = take(kSegment, 1);
  char* address = block->address;
  pool.free(block, fences({{1, 10}, {2, 20}}));
  block = take(kSegment, 3);
  ASSERT_EQ(block->address, address);
  EXPECT_TRUE(covered(*block, 3, {1, 10}));
  EXPECT_TRUE(covered(*block, 3, {2, 20}));
  EXPECT_EQ(oracle.waits, 0) << "never on the host";
  EXPECT_EQ(info().cross_stream_reuses, 1);
  pool.free(block, fences({{3, 1}}));
  // Stream 3 waited for the others before its own use, so its fence says it all.
  block = take(kSegment, 3);
  EXPECT_FALSE(waits_for_others(*block, 3));
  pool.free(block, {});
}

TEST_F(PoolTest, FencesThatAreDoneNeedNoWait) {
  Block* block = take(kSegment, 1);
  pool.free(block, fences({{1, 10}}));
  oracle.completed[1] = 10;
  block = take(kSegment, 3);
  EXPECT_FALSE(waits_for_others(*block, 3));
  EXPECT_EQ(info().cross_stream_reuses, 0);
  EXPECT_EQ(source.allocations, 1);
  pool.free(block, {});
}

TEST_F(PoolTest, SmallBlocksPreferANewSegmentToAWait) {
  Block* block = take(256, 1);
  Block* rest = take(kSegment / 2 - 256, 1);
  Block* half = take(kSegment / 2, 1);
  for (Block* each : {block, rest, half}) pool.free(each, fences({{1, 5}}));
  Block* other = take(256, 2);
  EXPECT_FALSE(waits_for_others(*other, 2));
  EXPECT_EQ(source.allocations, 2);
  pool.free(other, {});
}

// What is left of the segment is nobody's: others need not wait for it, nor take another segment.
TEST_F(PoolTest, ABlockInFlightDoesNotTakeItsSegmentAlong) {
  for (uint64_t i = 1; i <= 200; ++i) {
    Block* const block = take(256, kNoStream);
    EXPECT_FALSE(waits_for_others(*block, kNoStream));
    pool.free(block, fences({{1, i}}));
  }
  EXPECT_EQ(source.allocations, 1);
  oracle.completed[1] = 200;
  Block* const whole = take(kSegment / 2, kNoStream);
  EXPECT_EQ(source.allocations, 1) << "blocks that are done are joined again";
  pool.free(whole, {});
  pool.trim();
  EXPECT_EQ(source.held, 0U);
}

TEST_F(PoolTest, AllNeighboursAreJoinedOnceTheyAreDone) {
  Block* blocks[4];
  for (size_t i = 0; i < 4; ++i) blocks[i] = take(std::vector<size_t>{5888, 512, 2560, 512}[i], 1);
  for (uint32_t i = 0; i < 4; ++i) pool.free(blocks[i], i % 2 ? fences({{i, 1}}) : fences({}));
  oracle.completed = {{1, 1}, {3, 1}};
  pool.trim();
  EXPECT_EQ(source.held, 0U);
}

// What has a segment of its own is all there for whoever may use the busier part.
TEST_F(PoolTest, LargeNeighboursInFlightAreJoined) {
  pool.free(take(4 * kSegment, 1), {});
  Block* const lower = take(2 * kSegment, 1);
  Block* const upper = take(2 * kSegment, 1);
  pool.free(lower, fences({{1, 1}}));
  oracle.completed[1] = 1;
  pool.free(upper, fences({{1, 2}}));
  Block* const whole = take(4 * kSegment, 1);
  EXPECT_EQ(source.allocations, 1);
  pool.free(whole, {});
}

TEST_F(PoolTest, ABlockGivenBackUnusedKeepsItsHistory) {
  // Stream 1 used the memory; then a task of stream 1 got it and failed before it was issued; then stream 2 gets it.
  Block* block = take(kSegment, 1);
  pool.free(block, fences({{1, 10}}));
  block = take(kSegment, 1);
  pool.free(block, {});
  block = take(kSegment, 2);
  EXPECT_TRUE(covered(*block, 2, {1, 10})) << "stream 2 must not touch it before stream 1 is done";
  pool.free(block, {});
  block = take(kSegment, 3);
  EXPECT_TRUE(covered(*block, 3, {1, 10}));
  pool.free(block, {});
}

TEST_F(PoolTest, TheHostGetsOnlyWhatIsDone) {
  Block* block = take(kSegment, 1);
  char* address = block->address;
  pool.free(block, fences({{1, 10}}));
  block = take(kSegment, kNoStream);
  EXPECT_NE(block->address, address);
  EXPECT_TRUE(block->fences.empty());
  pool.free(block, fences({{1, 11}}));
  oracle.completed[1] = 11;
  block = take(kSegment, kNoStream);
  EXPECT_TRUE(block->fences.empty());
  EXPECT_EQ(source.allocations, 2);
  pool.free(block, {});
}

TEST_F(PoolTest, AtTheLimitTheHostWaitsForAPieceInFlight) {
  pool.set_limit(kSegment);
  Block* kept = take(256, kNoStream);
  Block* half = take(kSegment / 2, kNoStream);
  pool.free(half, fences({{1, 7}}));
  Block* again = take(kSegment / 2, kNoStream);  // only this piece is there, and the device still reads it
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(again->fences.empty());
  EXPECT_GE(oracle.completed[1], 7u);
  EXPECT_GE(info().retries, 1);
  pool.free(again, {});
  pool.free(kept, {});
}

TEST_F(PoolTest, ExhaustionReturnsIdleSegmentsFirst) {
  source.capacity = 4 * kSegment;
  Block* idle = take(2 * kSegment, 0);
  Block* busy = take(2 * kSegment, 1);
  pool.free(idle, {});
  // Three segments do not fit beside the two in use: nothing can be done.
  Block* block = nullptr;
  Status status = pool.allocate(3 * kSegment, 0, &block);
  EXPECT_EQ(status.code(), RONDO_OUT_OF_MEMORY);
  EXPECT_EQ(block, nullptr);
  EXPECT_EQ(oracle.waits, 0) << "nothing was in flight";
  // One segment does, once the idle two are gone (they are more than twice too large to be taken).
  block = take(kSegment / 2 + 1, 0);
  EXPECT_NE(block, nullptr);
  pool.free(block, {});
  pool.free(busy, {});
}

TEST_F(PoolTest, ExhaustionTakesABlockInFlightFirst) {
  source.capacity = kSegment;
  Block* block = take(kSegment, 1);
  pool.free(block, fences({{1, 10}}));
  block = take(kSegment, 2);
  EXPECT_TRUE(covered(*block, 2, {1, 10}));
  EXPECT_EQ(oracle.waits, 0) << "the device waits, not the host";
  pool.free(block, {});
}

TEST_F(PoolTest, ExhaustionWaitsForWhatIsInFlightLast) {
  source.capacity = 4 * kSegment;
  Block* block = take(4 * kSegment, 1);
  pool.free(block, fences({{1, 10}}));
  Block* small = take(1000, 1);  // four segments in flight must go before a small one can come
  EXPECT_NE(small, nullptr);
  EXPECT_GE(oracle.waits, 1);
  EXPECT_EQ(info().retries, 2);
  EXPECT_EQ(source.segments.size(), 1u);
  pool.free(small, {});
}

TEST_F(PoolTest, AtTheLimitAPartOfAMuchLargerBlockWillDo) {
  pool.set_limit(10 * kSegment);
  Block* first = take(10 * kSegment, 0);
  pool.free(first, {});
  Block* most = take(6 * kSegment, 0);  // cut from it
  Block* part = take(kSegment, 0);      // the rest has four segments, more than twice what is asked
  ASSERT_NE(part, nullptr) << "three segments' worth is free";
  EXPECT_EQ(source.allocations, 1);
  pool.free(most, {});
  pool.free(part, {});
}

TEST_F(PoolTest, ExhaustionAsksTheProgramBeforeItFails) {
  struct Program {
    Pool& pool;
    Block* held = nullptr;
    std::vector<std::pair<int64_t, int>> asked;
    int destroyed = 0;
  } program{pool, nullptr, {}, 0};
  set_reclaim(
      [](void* arg, int64_t bytes, int32_t attempt) {
        auto& self = *static_cast<Program*>(arg);
        self.asked.emplace_back(bytes, attempt);
        if (attempt == 1) self.pool.free(std::exchange(self.held, nullptr), {});
        return attempt < 2 ? 1 : 0;
      },
      &program, [](void* arg) { ++static_cast<Program*>(arg)->destroyed; }, 0);
  pool.set_limit(3 * kSegment);
  Block* block = nullptr;
  ASSERT_TRUE(pool.allocate(2 * kSegment, 0, &program.held).ok());
  EXPECT_TRUE(pool.allocate(3 * kSegment, 0, &block).ok()) << "given back at the second time of asking";
  using Asked = std::vector<std::pair<int64_t, int>>;
  EXPECT_EQ(std::exchange(program.asked, {}), (Asked{{3 * kSegment, 0}, {3 * kSegment, 1}}));
  Block* none = nullptr;
  EXPECT_EQ(pool.allocate(4 * kSegment, 0, &none).code(), RONDO_OUT_OF_MEMORY);
  EXPECT_TRUE(program.asked.empty()) << "nothing helps what is larger than the limit";
  program.held = block;
  set_reclaim(nullptr, nullptr, nullptr, 0);
  EXPECT_EQ(program.destroyed, 1);
  EXPECT_EQ(pool.allocate(kSegment, 0, &none).code(), RONDO_OUT_OF_MEMORY) << "nobody is asked";
  pool.free(block, {});
}

TEST_F(PoolTest, FailureTellsFiguresAndPoolStaysUsable) {
  pool.set_limit(3 * kSegment);
  Block* used = take(2 * kSegment, 0);
  Block* block = nullptr;
  const Status status = pool.allocate(2 * kSegment, 0, &block);
  EXPECT_EQ(status.code(), RONDO_OUT_OF_MEMORY);
  const std::string text = status.message();
  for (const std::string& part :
       {std::string("fake:0"), "asked " + std::to_string(2 * kSegment), "in use " + std::to_string(2 * kSegment),
        std::string("cached 0"), "limit " + std::to_string(3 * kSegment)})
    EXPECT_NE(text.find(part), std::string::npos) << text << " lacks " << part;
  Block* fits = take(kSegment, 0);
  EXPECT_EQ(info().in_use, static_cast<int64_t>(3 * kSegment));
  pool.free(fits, {});
  pool.free(used, {});
}

TEST_F(PoolTest, AbsurdSizesFailWithOrWithoutALimit) {
  Block* block = nullptr;
  source.capacity = 1 << 30;
  for (const int64_t limit : {int64_t{0}, int64_t{1} << 20})
    for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 100, size_t{1} << 63, (size_t{1} << 63) - 1, size_t{1} << 62}) {
      pool.set_limit(limit);
      EXPECT_EQ(pool.allocate(bytes, 0, &block).code(), RONDO_OUT_OF_MEMORY) << bytes << " limit " << limit;
      EXPECT_EQ(block, nullptr);
    }
}

TEST_F(PoolTest, OtherFailuresOfTheSourceAreNotRetried) {
  source.failure = Status(RONDO_DEVICE_LOST, "gone");
  Block* block = nullptr;
  EXPECT_EQ(pool.allocate(100, 0, &block).code(), RONDO_DEVICE_LOST);
  EXPECT_EQ(info().retries, 0);
}

TEST_F(PoolTest, LimitIsNeverExceeded) {
  pool.set_limit(5 * kSegment / 2);
  std::vector<Block*> blocks;
  for (;;) {
    Block* block = nullptr;
    if (!pool.allocate(3000, 0, &block).ok()) break;
    blocks.push_back(block);
    ASSERT_LE(source.held, 5 * kSegment / 2);
  }
  EXPECT_GE(blocks.size(), 50u) << "nearly all of the limit can be used";
  for (Block* block : blocks) pool.free(block, {});
  pool.set_limit(0);
  Block* large = take(10 * kSegment);
  pool.free(large, {});
}

TEST_F(PoolTest, TrimKeepsWhatIsInUseOrInFlight) {
  Block* used = take(kSegment, 0);
  Block* flight = take(kSegment, 0);
  Block* idle = take(kSegment, 0);
  pool.free(flight, fences({{0, 5}}));
  pool.free(idle, {});
  pool.trim();
  EXPECT_EQ(source.segments.size(), 2u);
  oracle.completed[0] = 5;
  pool.trim();
  EXPECT_EQ(source.segments.size(), 1u);
  EXPECT_EQ(oracle.waits, 0);
  pool.free(used, {});
}

TEST_F(PoolTest, PeakAndCountsAreKept) {
  Block* a = take(1000);
  Block* b = take(1000);
  pool.free(a, {});
  pool.free(b, {});
  EXPECT_EQ(info().peak_in_use, 2048);
  EXPECT_EQ(info().in_use, 0);
  EXPECT_EQ(info().allocations, 2);
  EXPECT_EQ(info().system_allocations, 1);
}

TEST(PoolDestruction, WaitsAndReturnsEverything) {
  FakeSource source;
  FakeOracle oracle;
  {
    Pool pool("fake:0", source, oracle, kPoolAlignment, kSegment);
    Block* block = nullptr;
    ASSERT_TRUE(pool.allocate(3 * kSegment, 1, &block).ok());
    pool.free(block, fences({{1, 3}}));
    source.on_release = [&](char*, size_t) { EXPECT_GE(oracle.completed[1], 3u) << "released while in flight"; };
  }
  EXPECT_EQ(source.held, 0u);
}

// 100,000 random requests and releases on five streams, checked granule by granule: nothing overlaps, nobody gets
// memory whose earlier uses it would not wait for, and no segment goes back while one is in flight.
class PoolModel : public ::testing::TestWithParam<int> {};

TEST_P(PoolModel, RandomRun) {
  FakeSource source;
  FakeOracle oracle;
  Pool pool("fake:0", source, oracle, kPoolAlignment, kSegment);
  std::mt19937_64 random(static_cast<uint64_t>(GetParam()));
  if (GetParam() % 2) source.capacity = 40 * kSegment;
  std::unordered_map<uintptr_t, std::vector<Fence>> history;  // by granule: uses not known to be done
  auto granules = [&](const char* address, size_t bytes, auto&& visit) {
    const auto first = reinterpret_cast<uintptr_t>(address) / kPoolAlignment;
    for (uintptr_t g = first; g < first + bytes / kPoolAlignment; ++g) visit(history[g]);
  };
  source.on_release = [&](char* address, size_t bytes) {
    granules(address, bytes, [&](std::vector<Fence>& uses) {
      for (const Fence& use : uses) ASSERT_TRUE(oracle.fence_done(use)) << "a segment in flight was released";
      uses.clear();
    });
  };
  struct Live {
    Block* block;
    size_t bytes;
    uint32_t stream;
  };
  std::vector<Live> live;
  std::map<char*, char*> ranges;  // of live blocks
  std::map<uint32_t, uint64_t> issued;
  int64_t in_use = 0;
  int64_t served = 0;
  int failures = 0;
  for (int step = 0; step < 100000; ++step) {
    const auto pick = static_cast<uint32_t>(random() % 6);
    if (live.size() < 100 && random() % 2 == 0) {
      const uint32_t stream = pick == 5 ? kNoStream : pick;
      const size_t bytes = random() % 8 ? random() % 4000 : random() % (3 * kSegment);
      Block* block = nullptr;
      const Status status = pool.allocate(bytes, stream, &block);
      ++served;
      if (!status.ok()) {
        ASSERT_EQ(status.code(), RONDO_OUT_OF_MEMORY);
        ++failures;
        continue;
      }
      ASSERT_GE(block->bytes, bytes);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(block->address) % kPoolAlignment, 0u);
      ASSERT_TRUE(source.holds(block->address, block->bytes));
      auto next = ranges.lower_bound(block->address);
      ASSERT_TRUE(next == ranges.end() || block->address + block->bytes <= next->first) << "overlaps the next block";
      ASSERT_TRUE(next == ranges.begin() || std::prev(next)->second <= block->address) << "overlaps the one before";
      ranges[block->address] = block->address + block->bytes;
      granules(block->address, block->bytes, [&](std::vector<Fence>& uses) {
        for (const Fence& use : uses)
          ASSERT_TRUE(oracle.fence_done(use) || covered(*block, stream, use))
              << "stream " << stream << " got memory that stream " << use.stream << " still uses";
      });
      ASSERT_TRUE(stream != kNoStream || block->fences.empty());
      in_use += static_cast<int64_t>(block->bytes);
      live.push_back({block, bytes, stream});
    } else if (!live.empty()) {
      const size_t which = random() % live.size();
      const Live gone = live[which];
      live[which] = live.back();
      live.pop_back();
      FenceSet used;
      // A third is given back unused, with or without what it should have waited for.
      if (random() % 3) {
        const uint32_t stream = gone.stream == kNoStream ? pick % 5 : gone.stream;
        used.add({stream, ++issued[stream]});
        granules(gone.block->address, gone.block->bytes,
                 [&](std::vector<Fence>& uses) { uses.assign(1, *used.begin()); });
      } else if (random() % 2) {
        used = gone.block->fences;
      }
      in_use -= static_cast<int64_t>(gone.block->bytes);
      ranges.erase(gone.block->address);
      pool.free(gone.block, used);
    }
    if (random() % 16 == 0) {
      const auto stream = static_cast<uint32_t>(random() % 5);
      uint64_t& completed = oracle.completed[stream];
      if (completed < issued[stream]) completed += 1 + random() % (issued[stream] - completed);
    }
    if (random() % 1000 == 0) pool.trim();
    if (step % 100 == 0) {
      const rondo_memory_info info = pool.query();
      ASSERT_EQ(info.in_use, in_use);
      ASSERT_EQ(info.in_use + info.cached, static_cast<int64_t>(source.held));
      ASSERT_EQ(info.allocations, served);
      ASSERT_GE(info.peak_in_use, info.in_use);
    }
  }
  for (const Live& each : live) pool.free(each.block, {});
  const rondo_memory_info info = pool.query();
  EXPECT_EQ(info.in_use, 0);
  EXPECT_GT(info.cross_stream_reuses, 100) << "the run must reach reuse across streams";
  EXPECT_LT(source.allocations, info.allocations / 10) << "most requests must be served from the cache";
  if (GetParam() % 2) {
    EXPECT_GT(info.retries, 0) << "the run must reach exhaustion";
  } else {
    EXPECT_EQ(failures, 0);
  }
  for (auto& [stream, sequence] : issued) oracle.completed[stream] = sequence;
  pool.trim();
  EXPECT_EQ(source.held, 0u) << "every piece was merged again";
}

INSTANTIATE_TEST_SUITE_P(Seeds, PoolModel, ::testing::Range(1, 5));

TEST(PoolThreads, ManyThreadsShareIt) {
  // The fakes are not thread-safe; here none of their state changes.
  struct Source final : SegmentSource {
    Status allocate(size_t bytes, void** address) override {
      *address = std::aligned_alloc(kPoolAlignment, bytes);
      return {};
    }
    void release(void* address) override { std::free(address); }
  } source;
  struct Oracle final : FenceOracle {
    bool fence_done(Fence) override { return true; }
    Status fence_wait(Fence) override { return {}; }
  } oracle;
  Pool pool("fake:0", source, oracle, kPoolAlignment, kSegment);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&pool, t] {
      std::mt19937 random(t);
      std::vector<std::pair<Block*, char>> mine;
      for (int i = 0; i < 5000; ++i) {
        if (mine.size() < 20) {
          Block* block = nullptr;
          ASSERT_TRUE(pool.allocate(random() % 5000 + 1, t, &block).ok());
          const char mark = static_cast<char>(random());
          block->address[0] = block->address[block->bytes - 1] = mark;
          mine.emplace_back(block, mark);
        } else {
          std::swap(mine[random() % mine.size()], mine.back());
          const auto [block, mark] = mine.back();
          mine.pop_back();
          ASSERT_EQ(block->address[0], mark) << "somebody else wrote into the block";
          ASSERT_EQ(block->address[block->bytes - 1], mark);
          pool.free(block, {});
        }
      }
      for (const auto& [block, mark] : mine) pool.free(block, {});
    });
  for (std::thread& thread : threads) thread.join();
  const rondo_memory_info info = pool.query();
  EXPECT_EQ(info.in_use, 0);
}

}  // namespace
}  // namespace rondo
