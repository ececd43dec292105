// The transport with kernels of Rondo's own, on simulated devices: that all ranks go the same way, that sums are right,
// in graphs too, and that a rank which does not come, or a device out of reach, ends in a status.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/peer_transport.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "comm/rendezvous/local_group.h"
#include "device/cuda/cuda_device.h"
#include "engine/tasks/task.h"

namespace rondo::comm {
namespace {

constexpr size_t kElements = 1003;
const Status kMissing(RONDO_LIBRARY_MISSING, "NCCL is not installed");

// What stands behind: says what it was given, and does nothing.
class Behind final : public Transport {
 public:
  const char* name() const override { return "behind"; }
  Status supports(const Operation&) const override { return {}; }
  Status run(std::span<const Operation> operations, const TaskContext&) override {
    for (const Operation& each : operations) kinds.push_back(each.kind);
    return {};
  }
  bool capturable(const char**) const override { return true; }
  void refuse(const Status&) override { refused = true; }
  std::vector<Kind> kinds;
  bool refused = false;
};

void fault(const char* text) {
  static void* library = dlopen(std::getenv("RONDO_CUDA_DRIVER"), RTLD_NOW);
  const auto control =
      reinterpret_cast<long long (*)(const char*, const char*)>(dlsym(library, "simcuda_control"));  // NOLINT
  ASSERT_GE(control(text ? "fault" : "clear-faults", text ? text : ""), 0);
}

// A device with a stream and memory for two vectors.
struct Rank {
  StreamDevice* device = nullptr;
  void* stream = nullptr;
  float* in = nullptr;
  float* out = nullptr;
  std::vector<float> host = std::vector<float>(kElements);
  std::unique_ptr<Transport> transport;
  Behind* behind = nullptr;  // owned by the transport
  Status made;

  explicit Rank(int index) {
    Device* found = nullptr;
    EXPECT_TRUE(get_device({RONDO_CUDA, index}, &found).ok());
    device = found->streams();
    EXPECT_TRUE(device->stream_create(false, &stream).ok());
    for (float** memory : {&in, &out}) {
      void* address = nullptr;
      EXPECT_TRUE(device->allocate(kElements * sizeof(float), &address).ok());
      *memory = static_cast<float*>(address);
    }
  }
  ~Rank() {
    (void)device->stream_synchronize(stream);
    transport.reset();
    device->release(in);
    device->release(out);
    device->stream_destroy(stream);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void give(float first) {
    for (size_t i = 0; i < kElements; ++i) host[i] = first + static_cast<float>(i % 17);
    ASSERT_TRUE(device->copy(CopyKind::host_to_device, in, host.data(), kElements * sizeof(float), stream).ok());
    ASSERT_TRUE(device->stream_synchronize(stream).ok());
  }
  void take(const float* from) {
    ASSERT_TRUE(device->copy(CopyKind::device_to_host, host.data(), from, kElements * sizeof(float), stream).ok());
    ASSERT_TRUE(device->stream_synchronize(stream).ok());
  }
  TaskContext context() const {
    TaskContext context;
    context.device = device;
    context.stream = stream;
    return context;
  }
  Operation all_reduce(rondo_reduce_op reduction = RONDO_SUM) const {
    Operation operation;
    operation.kind = Kind::all_reduce;
    operation.dtype = RONDO_F32;
    operation.reduction = reduction;
    operation.count = kElements;
    operation.input = in;
    operation.output = out;
    return operation;
  }
  Status run(const Operation& operation) const {
    RONDO_TRY(transport->supports(operation));
    return transport->run({&operation, 1}, context());
  }
};

class PeerTransport : public ::testing::Test {
 protected:
  void SetUp() override { setenv("RONDO_COMM_PEER", "on", 1); }
  void TearDown() override { fault(nullptr); }

  // Ranks on the first devices; `behind`: with a transport behind.
  void make(int ranks, bool behind, const PeerOptions& options = {60000, 0}) {
    sessions_ = make_local_group(ranks, 60000);
    for (int r = 0; r < ranks; ++r) ranks_.push_back(std::make_unique<Rank>(r));
    everywhere([&](Rank& rank, int r) {
      auto next = behind ? std::make_unique<Behind>() : nullptr;
      rank.behind = next.get();
      rank.made = make_peer_transport(*rank.device, *sessions_[static_cast<size_t>(r)], options, std::move(next),
                                      behind ? Status() : kMissing, &rank.transport);
    });
  }
  void expect_made(const char* name) {
    for (const auto& rank : ranks_) {
      ASSERT_TRUE(rank->made.ok()) << rank->made.message();
      EXPECT_STREQ(rank->transport->name(), name);
    }
  }
  void everywhere(const std::function<void(Rank&, int)>& body) {
    std::vector<std::thread> threads;
    for (size_t r = 0; r < ranks_.size(); ++r) threads.emplace_back([&, r] { body(*ranks_[r], static_cast<int>(r)); });
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<std::shared_ptr<Session>> sessions_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

TEST_F(PeerTransport, ServesAllReduceWithoutTheLibrary) {
  make(2, false);
  expect_made("peer");
  everywhere([](Rank& rank, int r) {
    rank.give(static_cast<float>(r));
    ASSERT_TRUE(rank.run(rank.all_reduce()).ok());
    Operation in_place = rank.all_reduce(RONDO_MAX);
    in_place.output = rank.in;
    ASSERT_TRUE(rank.run(in_place).ok());
    rank.take(rank.out);
    for (size_t i = 0; i < kElements; ++i) ASSERT_EQ(rank.host[i], 1.0F + 2 * static_cast<float>(i % 17));
    rank.take(rank.in);
    for (size_t i = 0; i < kElements; ++i) ASSERT_EQ(rank.host[i], 1.0F + static_cast<float>(i % 17));
    EXPECT_TRUE(rank.transport->poll().ok());
    Operation gather = rank.all_reduce();
    gather.kind = Kind::all_gather;
    EXPECT_EQ(rank.run(gather).code(), RONDO_LIBRARY_MISSING);
    Operation flags = rank.all_reduce();
    flags.dtype = RONDO_BOOL;
    EXPECT_EQ(rank.run(flags).code(), RONDO_LIBRARY_MISSING);
  });
}

TEST_F(PeerTransport, GraphsReplay) {
  make(2, false);
  expect_made("peer");
  everywhere([](Rank& rank, int r) {
    rank.give(static_cast<float>(r));
    Operation again = rank.all_reduce();
    again.input = rank.out;
    const Operation both[] = {rank.all_reduce(), again};
    ASSERT_TRUE(rank.transport->supports(both[0]).ok());
    TaskContext context = rank.context();
    context.capturing = true;
    NativeGraph graph;
    ASSERT_TRUE(rank.device->capture_begin(rank.stream).ok());
    ASSERT_TRUE(rank.transport->run(both, context).ok());  // a group
    ASSERT_TRUE(rank.device->capture_end(rank.stream, true, &graph).ok());
    ASSERT_TRUE(rank.device->graph_instantiate(&graph, rank.stream).ok());
    EXPECT_EQ(graph.nodes, 2);
    for (int launch = 0; launch < 5; ++launch) {
      rank.give(static_cast<float>(r + launch));
      ASSERT_TRUE(rank.device->graph_launch(graph, rank.stream).ok());
      ASSERT_TRUE(rank.device->graph_launch(graph, rank.stream).ok());
      rank.take(rank.out);
      for (size_t i = 0; i < kElements; ++i)
        ASSERT_EQ(rank.host[i], 2 * (static_cast<float>(2 * launch + 1) + 2 * static_cast<float>(i % 17)));
    }
    rank.device->graph_destroy(&graph);
  });
}

TEST_F(PeerTransport, ForwardsEverythingElse) {
  make(2, true);
  expect_made("peer, nccl");
  everywhere([](Rank& rank, int) {
    Operation gather = rank.all_reduce();
    gather.kind = Kind::all_gather;
    ASSERT_TRUE(rank.run(gather).ok());
    const Operation mixed[] = {rank.all_reduce(), gather};
    ASSERT_TRUE(rank.transport->run(mixed, rank.context()).ok());
    EXPECT_EQ(rank.behind->kinds, (std::vector<Kind>{Kind::all_gather, Kind::all_reduce, Kind::all_gather}));
  });
}

// What stands behind takes no time at all here, so it is faster at every size.
TEST_F(PeerTransport, MeasuringFindsTheFaster) {
  setenv("RONDO_COMM_PEER", "measured", 1);
  make(2, true);
  expect_made("behind");
}

TEST_F(PeerTransport, ASettingSwitchesItOff) {
  setenv("RONDO_COMM_PEER", "off", 1);
  make(2, true);
  expect_made("behind");
}

TEST_F(PeerTransport, AWrongSettingIsNamed) {
  setenv("RONDO_COMM_PEER", "perhaps", 1);
  make(2, true);
  for (const auto& rank : ranks_) {
    EXPECT_EQ(rank->made.code(), RONDO_INVALID_ARGUMENT);
    EXPECT_NE(std::string(rank->made.message()).find("RONDO_COMM_PEER=perhaps"), std::string::npos);
  }
}

// One rank cannot; none of them does, and each says why.
TEST_F(PeerTransport, WhatFailsOnOneRankHoldsForAll) {
  for (const char* each : {"cuDeviceCanAccessPeer:1:101", "cuCtxEnablePeerAccess:1:217", "cuMemAlloc_v2:5:2",
                           "cuMemHostAlloc:1:2", "cuMemsetD8Async:1:1", "cuLaunchKernel:1:1"}) {
    for (const bool behind : {true, false}) {
      if (!behind && std::string(each).starts_with("cuLaunchKernel")) continue;  // the other waits for it in vain
      ranks_.clear();
      fault(each);
      make(2, behind);
      fault(nullptr);
      if (behind) {
        expect_made("behind");
        continue;
      }
      for (const auto& rank : ranks_) {
        EXPECT_EQ(rank->made.code(), RONDO_LIBRARY_MISSING) << each;
        EXPECT_NE(std::string(rank->made.message()).find("NCCL is not installed"), std::string::npos);
        EXPECT_NE(std::string(rank->made.message()).find("rank "), std::string::npos) << rank->made.message();
      }
    }
  }
}

TEST_F(PeerTransport, ARankThatDoesNotComeIsNamed) {
  make(2, true, {300, 0});
  expect_made("peer, nccl");
  Rank& rank = *ranks_[0];
  rank.give(1);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(rank.run(rank.all_reduce()).ok());
  ASSERT_TRUE(rank.device->stream_synchronize(rank.stream).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));  // of a machine that may be busy
  const Status late = rank.transport->poll();
  EXPECT_EQ(late.code(), RONDO_TIMED_OUT);
  EXPECT_NE(std::string(late.message()).find("rank 1"), std::string::npos) << late.message();
}

TEST_F(PeerTransport, TheEndEndsWhatWaits) {
  make(2, true, {-1, 0});
  expect_made("peer, nccl");
  Rank& rank = *ranks_[0];
  rank.give(1);
  ASSERT_TRUE(rank.run(rank.all_reduce()).ok());
  rank.transport->refuse(error(RONDO_RANK_LOST, "rank 1 died"));
  EXPECT_TRUE(rank.behind->refused);
  rank.transport->abort();
  ASSERT_TRUE(rank.device->stream_synchronize(rank.stream).ok());
  EXPECT_EQ(rank.run(rank.all_reduce()).code(), RONDO_RANK_LOST);
  EXPECT_TRUE(rank.transport->poll().ok());
}

TEST_F(PeerTransport, EndsMayGoInAnyOrder) {
  make(2, false);
  expect_made("peer");
  everywhere([](Rank& rank, int r) {
    rank.give(static_cast<float>(r));
    ASSERT_TRUE(rank.run(rank.all_reduce()).ok());
  });
  ranks_.erase(ranks_.begin());
  sessions_.clear();
}

}  // namespace
}  // namespace rondo::comm
