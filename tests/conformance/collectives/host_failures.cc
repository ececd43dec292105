// Groups of cpu ranks fail as those of GPUs do: for good, on every rank, and soon. No case waits for a limit but those
// whose subject is one.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "collectives/comm.h"

namespace conformance {
namespace {

constexpr int64_t kLong = 60000, kShort = 300;  // limits, ms

class HostGroup : public testing::Test {
 protected:
  using Ends = std::vector<Comm>;

  void make_engine(rondo_engine_mode mode = RONDO_ENGINE_ASYNC, int32_t workers = 0) {
    rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
    options.mode = mode;
    options.workers = workers;
    engine_ = create_engine(options);
  }
  Ends make_ends(int32_t ranks, int64_t limit_ms) const {
    rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
    options.time_limit_ms = limit_ms;
    const std::vector<rondo_device> devices(static_cast<size_t>(ranks), kCpu);
    std::vector<rondo_comm*> made(devices.size());
    must(rondo_comm_create_all(engine_.get(), devices.data(), ranks, &options, made.data()));
    Ends ends;
    for (rondo_comm* each : made) ends.emplace_back(each);
    return ends;
  }
  Tensor ones() const { return upload(engine_.get(), kCpu, full(RONDO_F32, {8}, 1)); }
  Tensor sum(const Comm& end) const { return make(rondo_comm_all_reduce, end.get(), ones(), RONDO_SUM); }
  Tensor poisoned() const {
    Tensor tensor = ones();
    (void)push_tensors(engine_.get(),
                       [](rondo_task_context* context) {
                         rondo_task_fail(context, "no data today");
                         return RONDO_USER_ERROR;
                       },
                       {}, {tensor});
    return tensor;
  }

  Engine engine_;
};

// A rank gives up its end while another one's next collective begins: whichever comes first, that fails.
TEST_F(HostGroup, WhatIsBegunWithoutARankThatHasLeftFails) {
  for (const int32_t workers : {1, 4})
    for (const bool done : {false, true}) {
      make_engine(RONDO_ENGINE_ASYNC, workers);
      for (int i = 0; i < 40; ++i) {
        Ends ends = make_ends(2, kLong);
        const Tensor first = sum(ends[0]), second = sum(ends[1]);
        must(rondo_tensor_wait(first));
        if (done) {
          must(rondo_tensor_wait(second));
          must(rondo_comm_wait(ends[1].get()));
        }
        ends[1].reset();
        Tensor late;
        rondo_status status = rondo_comm_all_reduce(ends[0].get(), first, RONDO_SUM, late.slot());
        if (status == RONDO_OK) status = rondo_tensor_wait(late);
        expect_failure(status, RONDO_RANK_LOST, "rank 1 has left");
        expect_failure(rondo_comm_check(ends[0].get()), RONDO_RANK_LOST, "rank 1 has left");
        must(rondo_tensor_wait(second));
      }
    }
}

// Of three ranks one leaves without a part in what the others are in: both end.
TEST_F(HostGroup, LeavingRankEndsWhatOthersAreIn) {
  make_engine();
  for (const int32_t root : {0, 1, 2}) {
    Ends ends = make_ends(3, kLong);
    const Tensor tensors[2] = {ones(), ones()};
    must(rondo_comm_broadcast(ends[0].get(), tensors[0], root));
    must(rondo_comm_barrier(ends[0].get()));
    must(rondo_comm_broadcast(ends[1].get(), tensors[1], root));
    must(rondo_comm_barrier(ends[1].get()));
    ends[2].reset();
    for (int rank = 0; rank < 2; ++rank)
      expect_failure(rondo_comm_wait(ends[static_cast<size_t>(rank)].get()), RONDO_RANK_LOST, "rank 2 has left");
  }
}

// One that comes too late has not done what the other one has failed in.
TEST_F(HostGroup, ALateCollectiveFailsOnEveryRank) {
  make_engine();
  const Ends ends = make_ends(2, kShort);
  expect_failure(rondo_tensor_wait(sum(ends[0])), RONDO_TIMED_OUT,
                 "all_reduce of communicator 'comm' is not done on rank 0");
  for (const Comm& end : ends) {
    expect_failure(rondo_comm_check(end.get()), RONDO_TIMED_OUT, "is not done on rank 0");
    rondo_tensor* out = nullptr;
    expect_failure(rondo_comm_all_reduce(end.get(), ones(), RONDO_SUM, &out), RONDO_TIMED_OUT, "is not done on rank 0");
    EXPECT_EQ(out, nullptr);
  }
}

// Two ranks that differ: both hear of it, for good.
TEST_F(HostGroup, ADifferenceEndsTheGroup) {
  make_engine();
  const Ends ends = make_ends(2, kLong);
  const Tensor first = sum(ends[0]), second = make(rondo_comm_all_gather, ends[1].get(), ones());
  EXPECT_NE(rondo_tensor_wait(first), RONDO_OK);
  EXPECT_NE(rondo_tensor_wait(second), RONDO_OK);
  for (const Comm& end : ends)
    expect_failure(rondo_comm_check(end.get()), RONDO_INVALID_STATE, "is at another collective");
}

// Whatever has ended a group: every rank knows when the first one's wait returns, and those left form another.
TEST_F(HostGroup, AFailedGroupIsFormedAgain) {
  make_engine();
  for (const char* const how : {"limit", "poison", "abort"}) {
    const Ends ends = make_ends(2, how == std::string("limit") ? kShort : kLong);
    if (how == std::string("limit")) {
      EXPECT_EQ(rondo_tensor_wait(sum(ends[0])), RONDO_TIMED_OUT);
    } else if (how == std::string("poison")) {
      rondo_tensor* none = nullptr;
      (void)rondo_comm_all_reduce(ends[0].get(), poisoned(), RONDO_SUM, &none);
      const Tensor owned(none);
      EXPECT_NE(rondo_comm_wait(ends[0].get()), RONDO_OK);
    } else {
      must(rondo_comm_abort(ends[1].get(), "enough"));
    }
    for (const Comm& end : ends) EXPECT_NE(rondo_comm_check(end.get()), RONDO_OK) << how;
    rondo_comm* const old[2] = {ends[0].get(), ends[1].get()};
    rondo_comm* made[2] = {};
    must(rondo_comm_reform(old, 2, made));
    const Comm again[2] = {Comm(made[0]), Comm(made[1])};
    const Tensor sums[2] = {sum(again[0]), sum(again[1])};
    for (const Tensor& each : sums) expect_as(download(each), Expected(full(RONDO_F32, {8}, 2)), how);
  }
}

// Tasks of one graph run one after the other, so that the second rank's would never come.
TEST_F(HostGroup, ARecordingOfTwoRanksIsRefused) {
  make_engine();
  const Ends ends = make_ends(2, kLong), others = make_ends(2, kLong);
  const char* const words = "the ranks 0 and 1 of one group";
  rondo_graph* graph = nullptr;
  must(rondo_record_begin(engine_.get(), nullptr));
  Tensor outs[2] = {sum(ends[0]), sum(ends[1])};
  expect_failure(rondo_record_end(engine_.get(), &graph), RONDO_INVALID_STATE, words);
  // Nor by graphs of each.
  std::vector<Graph> graphs;
  for (const Comm& end : ends) {
    const Tensor tensor = ones();
    graphs.push_back(record(engine_.get(), [&] { into(tensor, rondo_comm_all_reduce, end.get(), tensor, RONDO_SUM); }));
  }
  must(rondo_record_begin(engine_.get(), nullptr));
  for (const Graph& each : graphs) must(rondo_graph_launch(each.get()));
  expect_failure(rondo_record_end(engine_.get(), &graph), RONDO_INVALID_STATE, words);
  // A rank of each of two groups is one process's part in both.
  for (size_t rank = 0; rank < 2; ++rank)
    graphs[rank] = record(engine_.get(), [&] {
      outs[rank] = make(rondo_comm_all_reduce, others[rank].get(), sum(ends[rank]), RONDO_SUM);
    });
  for (const Graph& each : graphs) must(rondo_graph_launch(each.get()));
  for (const Tensor& each : outs) expect_as(download(each), Expected(full(RONDO_F32, {8}, 4)), "of both groups");
}

TEST_F(HostGroup, AGraphOfAFailedGroupIsNotLaunched) {
  for (const rondo_engine_mode mode : {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE}) {
    make_engine(mode);
    const Ends ends = make_ends(2, kLong);
    const Tensor input = ones();
    Tensor out;
    rondo_tensor* bound = input;
    const Graph graph =
        record(engine_.get(), [&] { out = make(rondo_comm_all_reduce, ends[0].get(), input, RONDO_SUM); });
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_CALLABLE;
    const Graph callee = record(
        engine_.get(),
        [&] {
          const int64_t count = 8;
          Tensor given;
          must(rondo_record_input(engine_.get(), kCpu, RONDO_F32, 1, &count, given.slot()));
          const Tensor sum = make(rondo_comm_all_reduce, ends[0].get(), given, RONDO_SUM);
          must(rondo_record_output(engine_.get(), sum));
        },
        &options);
    must(rondo_comm_abort(ends[1].get(), "enough"));
    for (int i = 0; i < 3; ++i) {
      expect_failure(rondo_graph_launch(graph.get()), RONDO_RANK_LOST, "enough");
      rondo_tensor* result = nullptr;
      expect_failure(rondo_graph_call(callee.get(), 1, &bound, 1, &result), RONDO_RANK_LOST, "enough");
      EXPECT_EQ(result, nullptr);
    }
    expect_as(download(input), Expected(full(RONDO_F32, {8}, 1)), "the input");
  }
}

// What holds of a group that works: the wait for another rank holds no worker up.
TEST_F(HostGroup, ACollectiveThatWaitsHoldsNoWorkerUp) {
  make_engine(RONDO_ENGINE_ASYNC, 1);
  const Ends ends = make_ends(2, kLong);
  const Tensor first = sum(ends[0]);
  must(rondo_tensor_wait(make(rondo_unary, RONDO_EXP, ones())));
  const Tensor second = sum(ends[1]);
  must(rondo_tensor_wait(first));
  must(rondo_tensor_wait(second));
}

}  // namespace
}  // namespace conformance
