// Failures of a group within one process: what is under way ends with the cause, the rest keeps its contents, and a new
// group can be formed.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>

#include "collectives/comm.h"

namespace conformance {
namespace {

class CommFailures : public OnGroup {
 protected:
  // Forming a group is within it: the thread sanitizer takes seconds for that on a busy machine.
  static std::chrono::milliseconds soon() { return std::chrono::seconds(thread_checked() ? 10 : 2); }
  // A group whose limit is soon over. What making one needs for the first time is there by then: that may take longer.
  void soon_over() {
    (void)comms();
    rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
    options.time_limit_ms = soon().count();
    options.name = "pair";
    regroup(options);
  }
  Tensor ones(int32_t rank) const { return up(rank, full(RONDO_F32, {100}, 1)); }
  // Rank 0's part of a collective to which nobody else comes.
  Tensor alone() const { return make(rondo_comm_all_reduce, comm(0), ones(0), RONDO_SUM); }
  void expect_failed(rondo_status status, const std::string& words) const {
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      EXPECT_TRUE(eventually([&] { return rondo_comm_check(comm(rank)) != RONDO_OK; })) << "rank " << rank;
      expect_failure(rondo_comm_check(comm(rank)), status, words);
      rondo_comm_info info = RONDO_COMM_INFO_INIT;
      must(rondo_comm_query(comm(rank), &info));
      EXPECT_EQ(info.state, RONDO_COMM_FAILED);
    }
  }
};
std::vector<Group> on_hosts_too() {
  std::vector<Group> all = pairs();
  if (share() < 0) all.push_back({RONDO_CPU, 2, RONDO_ENGINE_ASYNC, false});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Conformance, CommFailures, testing::ValuesIn(on_hosts_too()), group_name);

TEST_P(CommFailures, Abort) {
  const Tensor before = ones(0);
  must(rondo_tensor_wait(before));
  const Tensor out = alone();
  must(rondo_comm_abort(comm(1), "enough of it"));
  expect_failure(rondo_tensor_wait(out), RONDO_RANK_LOST, "enough of it");
  expect_failure(rondo_comm_wait(comm(0)), RONDO_RANK_LOST, "enough of it");
  expect_failed(RONDO_RANK_LOST, "enough of it");
  expect_as(download(before), Expected(full(RONDO_F32, {100}, 1)), "what was there before");
  rondo_tensor* none = nullptr;
  expect_failure(rondo_comm_all_reduce(comm(0), before, RONDO_SUM, &none), RONDO_RANK_LOST, "enough of it");
  EXPECT_EQ(none, nullptr);
}

TEST_P(CommFailures, NobodyComes) {
  soon_over();
  const auto begun = std::chrono::steady_clock::now();
  const Tensor out = alone();
  expect_failure(rondo_tensor_wait(out), RONDO_TIMED_OUT, "all_reduce of communicator 'pair' is not done on rank 0");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10 * soon());
  expect_failed(RONDO_TIMED_OUT, "rank 0");
}

// What was computed from it fails with it, what was there before is kept, and what is written anew is good.
TEST_P(CommFailures, WhatDependsOnItFailsToo) {
  soon_over();
  const Tensor kept = ones(0), parameter = ones(0);
  const Tensor out = alone();
  const Tensor more = make(rondo_binary, RONDO_ADD, out, kept);
  into(parameter, rondo_binary, RONDO_SUB, parameter, more);
  expect_failure(rondo_tensor_wait(more), RONDO_TIMED_OUT, "all_reduce");
  expect_failure(rondo_tensor_wait(parameter), RONDO_TIMED_OUT, "all_reduce");
  expect_failure(rondo_tensor_wait(make(rondo_unary, RONDO_NEG, out)), RONDO_TIMED_OUT, "all_reduce");
  expect_as(download(kept), Expected(full(RONDO_F32, {100}, 1)), "kept");
  must(rondo_fill(parameter, 5));
  expect_as(download(parameter), Expected(full(RONDO_F32, {100}, 5)), "written anew");
  const Tensor sum = make(rondo_binary, RONDO_ADD, kept, parameter);
  expect_as(download(sum), Expected(full(RONDO_F32, {100}, 6)), "computed anew");
}

// A collective whose input failed on one rank would be missed by the others.
TEST_P(CommFailures, APoisonedInputIsTold) {
  const Tensor input = ones(1);
  (void)push_tensors(engine(),
                     [](rondo_task_context* context) {
                       rondo_task_fail(context, "no data today");
                       return RONDO_USER_ERROR;
                     },
                     {}, {input});
  const Tensor out = alone();
  rondo_tensor* other = nullptr;
  (void)rondo_comm_all_reduce(comm(1), input, RONDO_SUM, &other);
  const Tensor owned(other);
  expect_failure(rondo_tensor_wait(out), RONDO_RANK_LOST,
                 "rank 1 of communicator 'comm' cannot take part in all_reduce");
  expect_failure(rondo_tensor_wait(out), RONDO_RANK_LOST, "no data today");
}

TEST_P(CommFailures, AGraphWhosePoisonedInputIsTold) {
  (void)comms();  // none can be made while something is recorded
  std::vector<Tensor> inputs, outs(static_cast<size_t>(ranks()));
  for (int32_t rank = 0; rank < ranks(); ++rank) inputs.push_back(ones(rank));
  std::vector<Graph> graphs;
  for (int32_t rank = 0; rank < ranks(); ++rank)
    graphs.push_back(record(engine(), [&] {
      const auto index = static_cast<size_t>(rank);
      outs[index] = make(rondo_comm_all_reduce, comm(rank), inputs[index], RONDO_SUM);
    }));
  (void)push_tensors(engine(),
                     [](rondo_task_context* context) {
                       rondo_task_fail(context, "no data today");
                       return RONDO_USER_ERROR;
                     },
                     {}, {inputs[1]});
  for (const Graph& graph : graphs) (void)rondo_graph_launch(graph.get());
  expect_failure(rondo_tensor_wait(outs[0]), RONDO_RANK_LOST, "no data today");
  expect_failure(rondo_tensor_wait(outs[1]), RONDO_USER_ERROR, "no data today");
}

TEST_P(CommFailures, AGraphThatOneRankLaunches) {
  soon_over();
  std::vector<Tensor> tensors;
  for (int32_t rank = 0; rank < ranks(); ++rank) tensors.push_back(ones(rank));
  const Tensor kept = ones(0);
  must(rondo_tensor_wait(kept));
  std::vector<Graph> graphs;
  for (int32_t rank = 0; rank < ranks(); ++rank)
    graphs.push_back(record(engine(), [&] {
      rondo_tensor* tensor = tensors[static_cast<size_t>(rank)];
      into(tensor, rondo_comm_all_reduce, comm(rank), tensor, RONDO_SUM);
    }));
  must(rondo_graph_launch(graphs[0].get()));
  expect_failure(rondo_tensor_wait(tensors[0]), RONDO_TIMED_OUT, "all_reduce");
  expect_failed(RONDO_TIMED_OUT, "all_reduce");
  expect_failure(rondo_graph_launch(graphs[1].get()), RONDO_TIMED_OUT, "all_reduce");
  expect_as(download(tensors[1]), Expected(full(RONDO_F32, {100}, 1)), "what no graph has written");
  expect_as(download(kept), Expected(full(RONDO_F32, {100}, 1)), "kept");
}

// The new group has the old one's time limit, so what ends the old one is not its limit: a busy machine needs its time.
TEST_P(CommFailures, ANewGroupOfThoseLeft) {
  const Tensor out = alone();
  must(rondo_comm_abort(comm(1), "enough of it"));
  expect_failure(rondo_tensor_wait(out), RONDO_RANK_LOST, "enough of it");
  expect_failed(RONDO_RANK_LOST, "enough of it");
  std::vector<rondo_comm*> made(static_cast<size_t>(ranks()));
  must(rondo_comm_reform(comms().data(), ranks(), made.data()));
  std::vector<Comm> again;
  for (rondo_comm* each : made) again.emplace_back(each);
  std::vector<Tensor> sums;
  for (int32_t rank = 0; rank < ranks(); ++rank)
    sums.push_back(make(rondo_comm_all_reduce, again[static_cast<size_t>(rank)].get(), ones(rank), RONDO_SUM));
  for (const Tensor& sum : sums) expect_as(download(sum), Expected(full(RONDO_F32, {100}, ranks())), "again");
}

// A rank that has left in order: what it took part in is good, what others begin then is not.
TEST_P(CommFailures, ARankLeaves) {
  const Tensor a = make(rondo_comm_all_reduce, comm(0), ones(0), RONDO_SUM);
  const Tensor b = make(rondo_comm_all_reduce, comm(1), ones(1), RONDO_SUM);
  must(rondo_comm_wait(comm(1)));
  destroy_end(1);
  expect_as(download(a), Expected(full(RONDO_F32, {100}, 2)), "a");
  expect_as(download(b), Expected(full(RONDO_F32, {100}, 2)), "b");
  ASSERT_TRUE(eventually([&] {
    const Tensor late = alone();
    return rondo_tensor_wait(late) == RONDO_RANK_LOST;
  }));
  EXPECT_NE(std::string(rondo_last_error()).find("rank 1 has left"), std::string::npos) << rondo_last_error();
}

using Control = long long (*)(const char*, const char*);
Control simulated_library() {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
  return library ? reinterpret_cast<Control>(dlsym(library, "simnccl_control")) : nullptr;
}

// A call of the library that fails on one rank, whichever it is: all ranks have a status, soon, and their data.
TEST_P(CommFailures, ACallOfTheLibraryThatFails) {
  if (!on_cuda()) GTEST_SKIP() << "no library moves the data of hosts";
  (void)comms();  // opens the library
  const Control control = simulated_library();
  if (!control) GTEST_SKIP() << "needs the simulated NCCL";
  destroy_every_group();  // or what is to fail for this case could fail for one of those
  const Tensor kept = ones(0);
  must(rondo_tensor_wait(kept));
  rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
  options.time_limit_ms = 200000;
  const rondo_device devices[2] = {device(0), device(1)};
  int told = 0;
  for (const char* entry : {"ncclGetUniqueId", "ncclCommInitRank", "ncclCommInitRankConfig", "ncclCommGetAsyncError",
                            "ncclGroupStart", "ncclAllReduce", "ncclAllGather", "ncclGroupEnd"})
    for (const int call : {1, 2, 9, 21}) {
      const std::string fault = std::string(entry) + ":" + std::to_string(call) + ":3";
      const auto begun = std::chrono::steady_clock::now();
      ASSERT_EQ(control("fault", fault.c_str()), 0);
      rondo_comm* made[2] = {};
      rondo_status status = rondo_comm_create_all(engine(), devices, 2, &options, made);
      const Comm ends[2] = {Comm(made[0]), Comm(made[1])};
      std::vector<Tensor> outs(2);
      if (status == RONDO_OK) {
        for (int i = 0; i < 3; ++i)
          each_rank([&](int32_t rank) {
            const auto index = static_cast<size_t>(rank);
            outs[index].reset();
            if (rondo_comm_all_reduce(ends[index].get(), ones(rank), RONDO_SUM, outs[index].slot()) == RONDO_OK)
              (void)rondo_tensor_wait(outs[index]);
          });
        // Whoever has heard of nothing does so in time.
        if (rondo_comm_check(ends[0].get()) != RONDO_OK || rondo_comm_check(ends[1].get()) != RONDO_OK) {
          for (const Comm& each : ends)
            EXPECT_TRUE(eventually([&] { return rondo_comm_check(each.get()) != RONDO_OK; })) << fault;
          status = rondo_comm_check(ends[0].get());
        }
      }
      if (status != RONDO_OK) {
        ++told;
        EXPECT_TRUE(status == RONDO_DEVICE_ERROR || status == RONDO_RANK_LOST) << fault << ": " << rondo_last_error();
        EXPECT_NE(std::string(rondo_last_error()).find("failed with 3"), std::string::npos) << rondo_last_error();
      }
      EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(100)) << fault;
      (void)control("clear-faults", nullptr);
      expect_as(download(kept), Expected(full(RONDO_F32, {100}, 1)), fault);
    }
  EXPECT_GE(told, 12);
}

// An error that the library has between calls is found by who watches, not by a call.
TEST_P(CommFailures, AnErrorBetweenCalls) {
  if (!on_cuda()) GTEST_SKIP() << "no library moves the data of hosts";
  (void)comms();  // opens the library
  const Control control = simulated_library();
  if (!control) GTEST_SKIP() << "needs the simulated NCCL";
  for (const auto& [code, status] : {std::pair{"6", RONDO_RANK_LOST}, {"2", RONDO_DEVICE_ERROR}}) {
    regroup(RONDO_COMM_OPTIONS_INIT);
    const Tensor kept = make(rondo_comm_all_reduce, comm(0), ones(0), RONDO_SUM);
    const Tensor other = make(rondo_comm_all_reduce, comm(1), ones(1), RONDO_SUM);
    must(rondo_tensor_wait(kept));
    must(rondo_comm_wait(comm(1)));
    const long long calls = control("calls", "ncclAllReduce");
    ASSERT_EQ(control("error", (std::string(code) + " 2").c_str()), 0);  // of the two newest
    expect_failed(status, std::string("a collective failed with ") + code);
    EXPECT_EQ(control("calls", "ncclAllReduce"), calls);
    expect_as(download(kept), Expected(full(RONDO_F32, {100}, 2)), "what was done before");
  }
}

// Each rank is in another group's collective, and waits for the other one: the time limit ends one of them, and says
// so.
TEST_P(CommFailures, AnotherOrderOnAnotherRank) {
  if (!on_cuda()) GTEST_SKIP() << "groups of hosts run beside each other";
  soon_over();
  const int32_t colours[2] = {0, 0};
  rondo_comm* made[2] = {};
  must(rondo_comm_split(comms().data(), 2, colours, nullptr, made));
  const Comm others[2] = {Comm(made[0]), Comm(made[1])};
  std::vector<Tensor> outs(4);
  for (int32_t rank = 0; rank < 2; ++rank)
    for (int32_t i = 0; i < 2; ++i)
      outs[static_cast<size_t>(2 * rank + i)] =
          make(rondo_comm_all_reduce, (rank + i) % 2 == 0 ? comm(rank) : others[rank].get(), ones(rank), RONDO_SUM);
  int ended = 0;
  for (const Tensor& out : outs)
    if (const rondo_status status = rondo_tensor_wait(out); status != RONDO_OK) {
      expect_failure(status, RONDO_TIMED_OUT, "all_reduce of communicator 'pair' is not done on rank");
      ++ended;
    }
  EXPECT_GE(ended, 2);
}

class CommChecked : public CommFailures {
 protected:
  void SetUp() override {
    CommFailures::SetUp();
    (void)setenv("RONDO_COMM_CHECK", "on", 1);
    if (!IsSkipped() && !HasFatalFailure()) regroup(RONDO_COMM_OPTIONS_INIT);
  }
  void TearDown() override {
    (void)unsetenv("RONDO_COMM_CHECK");
    CommFailures::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(Conformance, CommChecked, testing::ValuesIn(on_hosts_too()), group_name);

TEST_P(CommChecked, ADifferenceIsNamed) {
  const struct {
    const char* words[2];
    std::function<rondo_status(rondo_comm*, int32_t, rondo_tensor**)> call;
  } differences[] = {
      {{"'all_reduce sum f32 100'", "'all_reduce max f32 100'"},
       [&](rondo_comm* end, int32_t rank, rondo_tensor** out) {
         return rondo_comm_all_reduce(end, ones(rank), rank == 0 ? RONDO_SUM : RONDO_MAX, out);
       }},
      {{"'all_gather f32 100'", "'all_reduce sum f32 100'"},
       [&](rondo_comm* end, int32_t rank, rondo_tensor** out) {
         return rank == 0 ? rondo_comm_all_gather(end, ones(rank), out)
                          : rondo_comm_all_reduce(end, ones(rank), RONDO_SUM, out);
       }},
      {{"'all_gather f32 100'", "'all_gather i32 100'"},
       [&](rondo_comm* end, int32_t rank, rondo_tensor** out) {
         return rondo_comm_all_gather(end, up(rank, full(rank == 0 ? RONDO_F32 : RONDO_I32, {100}, 1)), out);
       }},
      {{"'all_gather f32 100'", "'all_gather f32 99'"},
       [&](rondo_comm* end, int32_t rank, rondo_tensor** out) {
         return rondo_comm_all_gather(end, up(rank, full(RONDO_F32, {100 - rank}, 1)), out);
       }},
  };
  for (const auto& difference : differences) {
    regroup(RONDO_COMM_OPTIONS_INIT);
    std::vector<Tensor> outs(2);
    must(difference.call(comm(0), 0, outs[0].slot()));
    expect_failure(difference.call(comm(1), 1, outs[1].slot()), RONDO_INVALID_STATE, "the ranks differ: step 0");
    for (const char* words : difference.words) expect_failed(RONDO_INVALID_STATE, words);
    expect_failure(rondo_tensor_wait(outs[0]), RONDO_INVALID_STATE, "the ranks differ");
  }
}

TEST_P(CommChecked, EagerAgainstRecorded) {
  Tensor outs[2];
  const Tensor input = ones(1);
  outs[0] = alone();
  must(rondo_record_begin(engine(), nullptr));
  expect_failure(rondo_comm_all_reduce(comm(1), input, RONDO_SUM, outs[1].slot()), RONDO_INVALID_STATE,
                 "'recorded all_reduce sum f32 100' on rank 1");
  must(rondo_record_abort(engine()));
  expect_failed(RONDO_INVALID_STATE, "the ranks differ");
}

TEST_P(CommChecked, TheSameIsWell) {
  for (int i = 0; i < 20; ++i) {
    std::vector<Tensor> sums;
    for (int32_t rank = 0; rank < ranks(); ++rank)
      sums.push_back(make(rondo_comm_all_reduce, comm(rank), ones(rank), RONDO_SUM));
    for (const Tensor& sum : sums) expect_as(download(sum), Expected(full(RONDO_F32, {100}, ranks())), "sum");
  }
}

}  // namespace
}  // namespace conformance
