// What communicators refuse, each with a status and a text that names the function and the argument.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "collectives/comm.h"

namespace conformance {
namespace {

class CommMisuse : public OnGroup {
 protected:
  Tensor ones(int32_t rank, const Shape& shape = {4}) const { return up(rank, full(RONDO_F32, shape, 1)); }
};
INSTANTIATE_TEST_SUITE_P(Conformance, CommMisuse, testing::ValuesIn(pairs()), group_name);

TEST_P(CommMisuse, Creating) {
  rondo_device devices[2] = {device(0), device(1)};
  rondo_comm* made[2] = {};
  const auto create = [&](const rondo_comm_options* options, int32_t n = 2) {
    return rondo_comm_create_all(engine(), devices, n, options, made);
  };
  constexpr auto kFunction = "rondo_comm_create_all";
  expect_refused(rondo_comm_create_all(nullptr, devices, 2, nullptr, made), RONDO_INVALID_ARGUMENT, kFunction,
                 "engine");
  expect_refused(rondo_comm_create_all(engine(), nullptr, 2, nullptr, made), RONDO_INVALID_ARGUMENT, kFunction,
                 "devices");
  expect_refused(rondo_comm_create_all(engine(), devices, 2, nullptr, nullptr), RONDO_INVALID_ARGUMENT, kFunction,
                 "comms");
  for (const int32_t n : {0, -1, 65}) expect_refused(create(nullptr, n), RONDO_INVALID_ARGUMENT, kFunction, "n");
  rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
  options.time_limit_ms = -2;
  expect_refused(create(&options), RONDO_INVALID_ARGUMENT, kFunction, "time_limit_ms");
  options = RONDO_COMM_OPTIONS_INIT;
  options.max_blocks = 1000;
  expect_refused(create(&options), RONDO_INVALID_ARGUMENT, kFunction, "max_blocks");
  options = RONDO_COMM_OPTIONS_INIT;
  options.ranks = 2;
  expect_refused(create(&options), RONDO_INVALID_ARGUMENT, kFunction, "ranks");
  devices[1] = devices[0];
  expect_refused(create(nullptr), RONDO_INVALID_ARGUMENT, kFunction, "devices");
  devices[1] = kCpu;
  expect_refused(create(nullptr), RONDO_INVALID_ARGUMENT, kFunction, "devices");
  devices[1] = {RONDO_CUDA, 63};
  EXPECT_EQ(create(nullptr), RONDO_NOT_FOUND) << rondo_last_error();
  devices[1] = device(1);
  const Graph graph =
      record(engine(), [&] { expect_failure(create(nullptr), RONDO_INVALID_STATE, "while this thread records"); });
  EXPECT_EQ(made[0], nullptr);
}

// Where other machines could come, somebody must say who is let in.
TEST_P(CommMisuse, MeetingOthersWithoutASecret) {
  rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
  options.rank = 1;
  options.ranks = 2;
  options.address = "192.0.2.1:7";  // of an example: nobody is there
  options.secret = "";
  options.time_limit_ms = 100;
  rondo_comm* made = nullptr;
  expect_failure(rondo_comm_create(engine(), device(0), &options, &made), RONDO_INVALID_ARGUMENT,
                 "RONDO_SECRET=$(openssl rand -hex 16)");
  options.secret = "none";
  expect_failure(rondo_comm_create(engine(), device(0), &options, &made), RONDO_TIMED_OUT, "192.0.2.1:7");
  EXPECT_EQ(made, nullptr);
}

TEST_P(CommMisuse, Handles) {
  const Tensor tensor = ones(0);
  Tensor out;
  expect_refused(rondo_comm_all_reduce(nullptr, tensor, RONDO_SUM, out.slot()), RONDO_INVALID_ARGUMENT,
                 "rondo_comm_all_reduce", "comm");
  expect_refused(rondo_comm_all_reduce(comm(0), nullptr, RONDO_SUM, out.slot()), RONDO_INVALID_ARGUMENT,
                 "rondo_comm_all_reduce", "input");
  expect_refused(rondo_comm_all_reduce(comm(0), tensor, RONDO_SUM, nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_comm_all_reduce", "out");
  expect_refused(rondo_comm_all_gather(comm(0), nullptr, out.slot()), RONDO_INVALID_ARGUMENT, "rondo_comm_all_gather",
                 "input");
  expect_refused(rondo_comm_broadcast(comm(0), nullptr, 0), RONDO_INVALID_ARGUMENT, "rondo_comm_broadcast", "tensor");
  expect_refused(rondo_comm_send(comm(0), nullptr, 1), RONDO_INVALID_ARGUMENT, "rondo_comm_send", "tensor");
  expect_refused(rondo_comm_receive(comm(0), nullptr, 1), RONDO_INVALID_ARGUMENT, "rondo_comm_receive", "tensor");
  expect_refused(rondo_comm_query(comm(0), nullptr), RONDO_INVALID_ARGUMENT, "rondo_comm_query", "info");
  expect_refused(rondo_comm_check(nullptr), RONDO_INVALID_ARGUMENT, "rondo_comm_check", "comm");
  expect_refused(rondo_comm_wait(nullptr), RONDO_INVALID_ARGUMENT, "rondo_comm_wait", "comm");
  expect_refused(rondo_comm_abort(nullptr, nullptr), RONDO_INVALID_ARGUMENT, "rondo_comm_abort", "comm");
  expect_refused(rondo_comm_barrier(nullptr), RONDO_INVALID_ARGUMENT, "rondo_comm_barrier", "comm");
  rondo_comm_destroy(nullptr);
  rondo_comm* gone = comms()[0];
  destroy_group();
  expect_refused(rondo_comm_barrier(gone), RONDO_INVALID_ARGUMENT, "rondo_comm_barrier", "comm");
}

TEST_P(CommMisuse, Operands) {
  const Tensor here = ones(0), there = ones(1), odd = ones(0, {3}), scalar = ones(0, {});
  Tensor out;
  expect_refused(rondo_comm_all_reduce(comm(0), there, RONDO_SUM, out.slot()), RONDO_INVALID_ARGUMENT,
                 "rondo_comm_all_reduce", "input");
  expect_refused(rondo_comm_all_reduce(comm(0), here, RONDO_ARGMAX, out.slot()), RONDO_UNSUPPORTED,
                 "rondo_comm_all_reduce", "argmax");
  expect_refused(rondo_comm_all_reduce(comm(0), here, static_cast<rondo_reduce_op>(99), out.slot()),
                 RONDO_INVALID_ARGUMENT, "rondo_comm_all_reduce", "reduction");
  expect_refused(rondo_comm_all_reduce(comm(0), up(0, full(RONDO_BOOL, {4}, 1)), RONDO_SUM, out.slot()),
                 RONDO_UNSUPPORTED, "rondo_comm_all_reduce", "bool");
  for (const rondo_dtype dtype : {RONDO_F8_E4M3, RONDO_F8_E5M2})
    for (const char* part : {rondo_dtype_name(dtype), "rondo_cast"})
      expect_refused(rondo_comm_all_reduce(comm(0), up(0, full(dtype, {4}, 1)), RONDO_SUM, out.slot()),
                     RONDO_UNSUPPORTED, "rondo_comm_all_reduce", part);
  expect_refused(rondo_comm_all_reduce(comm(0), up(0, full(RONDO_I32, {4}, 1)), RONDO_MEAN, out.slot()),
                 RONDO_UNSUPPORTED, "rondo_comm_all_reduce", "mean");
  for (rondo_tensor* input : {static_cast<rondo_tensor*>(odd), static_cast<rondo_tensor*>(scalar)}) {
    expect_refused(rondo_comm_reduce_scatter(comm(0), input, RONDO_SUM, out.slot()), RONDO_INVALID_ARGUMENT,
                   "rondo_comm_reduce_scatter", "input");
    expect_refused(rondo_comm_all_to_all(comm(0), input, out.slot()), RONDO_INVALID_ARGUMENT, "rondo_comm_all_to_all",
                   "input");
  }
  for (const int32_t rank : {-1, 2}) {
    expect_refused(rondo_comm_broadcast(comm(0), here, rank), RONDO_INVALID_ARGUMENT, "rondo_comm_broadcast", "root");
    expect_refused(rondo_comm_reduce(comm(0), here, RONDO_SUM, rank, out.slot()), RONDO_INVALID_ARGUMENT,
                   "rondo_comm_reduce", "root");
    expect_refused(rondo_comm_send(comm(0), here, rank), RONDO_INVALID_ARGUMENT, "rondo_comm_send", "peer");
    expect_refused(rondo_comm_receive(comm(0), here, rank), RONDO_INVALID_ARGUMENT, "rondo_comm_receive", "peer");
  }
  rondo_tensor* slot = here;
  expect_refused(rondo_comm_all_to_all(comm(0), here, &slot), RONDO_INVALID_ARGUMENT, "rondo_comm_all_to_all", "out");
  slot = odd;
  expect_refused(rondo_comm_all_reduce(comm(0), here, RONDO_SUM, &slot), RONDO_INVALID_ARGUMENT,
                 "rondo_comm_all_reduce", "out");
  expect_refused(rondo_comm_receive(comm(0), broadcast(here, {2, 4}), 1), RONDO_INVALID_ARGUMENT, "rondo_comm_receive",
                 "tensor");
  must(rondo_comm_check(comm(0)));
}

TEST_P(CommMisuse, WhatAnOldLibraryLacks) {
  if (!old_library()) GTEST_SKIP() << "the library has all of it";
  Tensor out;
  expect_refused(rondo_comm_all_reduce(comm(0), up(0, full(RONDO_BF16, {4}, 1)), RONDO_SUM, out.slot()),
                 RONDO_UNSUPPORTED, "rondo_comm_all_reduce", "has not bf16; 2.10 or newer has");
  expect_refused(rondo_comm_all_reduce(comm(0), ones(0), RONDO_MEAN, out.slot()), RONDO_UNSUPPORTED,
                 "rondo_comm_all_reduce", "has not the mean; 2.10 or newer has");
  EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr);
  must(rondo_comm_check(comm(0)));
}

TEST_P(CommMisuse, Groups) {
  expect_failure(rondo_comm_group_end(comm(0)), RONDO_INVALID_STATE, "no group of communicator 'comm' is open");
  must(rondo_comm_group_begin(comm(0)));
  expect_failure(rondo_comm_group_begin(comm(0)), RONDO_INVALID_STATE, "is open on this thread");
  must(rondo_comm_group_end(comm(0)));
  rondo_comm_info before = RONDO_COMM_INFO_INIT;
  must(rondo_comm_query(comm(0), &before));
  // What failed in it is what it gives, and nothing of it is submitted.
  must(rondo_comm_group_begin(comm(0)));
  must(rondo_comm_send(comm(0), ones(0), 1));
  EXPECT_EQ(rondo_comm_send(comm(0), ones(0), 7), RONDO_INVALID_ARGUMENT);
  expect_failure(rondo_comm_group_end(comm(0)), RONDO_INVALID_ARGUMENT, "peer is 7");
  rondo_comm_info info = RONDO_COMM_INFO_INIT;
  must(rondo_comm_query(comm(0), &info));
  EXPECT_EQ(info.submitted, before.submitted);
  EXPECT_EQ(info.rank, 0);
  EXPECT_EQ(info.ranks, 2);
  EXPECT_NE(std::string(info.transport).find("nccl"), std::string::npos) << info.transport;  // maybe behind "peer"
  EXPECT_EQ(info.state, RONDO_COMM_WORKING);
}

TEST_P(CommMisuse, NcclReducesNoShortIntegers) {
  if (library() == 0) GTEST_SKIP() << "NCCL moves nothing here";
  for (const rondo_dtype dtype : {RONDO_I16, RONDO_U16}) {
    const Tensor input = up(0, full(dtype, {4}, 1));
    Tensor out;
    expect_refused(rondo_comm_reduce_scatter(comm(0), input, RONDO_SUM, out.slot()), RONDO_UNSUPPORTED,
                   "rondo_comm_reduce_scatter", rondo_dtype_name(dtype));
  }
}

TEST_P(CommMisuse, TwoRanksInOneRecording) {
  const Tensor a = ones(0), b = ones(1);
  must(rondo_record_begin(engine(), nullptr));
  const Tensor first = make(rondo_comm_all_reduce, comm(0), a, RONDO_SUM);
  const Tensor second = make(rondo_comm_all_reduce, comm(1), b, RONDO_SUM);
  rondo_graph* graph = nullptr;
  expect_failure(rondo_record_end(engine(), &graph), RONDO_INVALID_STATE,
                 "collectives on cuda:0 and on cuda:1, which would wait for each other");
  must(rondo_comm_check(comm(0)));
}

TEST_P(CommMisuse, Ends) {
  const int32_t colours[2] = {0, 0};
  rondo_comm* made[2] = {};
  const std::vector<rondo_comm*> ends = comms();
  rondo_comm* const twice[2] = {ends[0], ends[0]};
  rondo_comm* const one[2] = {ends[0], nullptr};
  expect_refused(rondo_comm_split(twice, 2, colours, nullptr, made), RONDO_INVALID_ARGUMENT, "rondo_comm_split",
                 "comms");
  expect_refused(rondo_comm_split(one, 2, colours, nullptr, made), RONDO_INVALID_ARGUMENT, "rondo_comm_split", "comms");
  expect_refused(rondo_comm_split(ends.data(), 0, colours, nullptr, made), RONDO_INVALID_ARGUMENT, "rondo_comm_split",
                 "n");
  expect_refused(rondo_comm_split(ends.data(), 2, nullptr, nullptr, made), RONDO_INVALID_ARGUMENT, "rondo_comm_split",
                 "colours");
  expect_refused(rondo_comm_split(ends.data(), 2, colours, nullptr, nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_comm_split", "made");
  expect_refused(rondo_comm_reform(ends.data(), 2, nullptr), RONDO_INVALID_ARGUMENT, "rondo_comm_reform", "made");
  expect_failure(rondo_comm_reform(ends.data(), 2, made), RONDO_INVALID_STATE, "works");
}

class CommSplit : public OnGroup {};
INSTANTIATE_TEST_SUITE_P(Conformance, CommSplit, testing::Values(Group{RONDO_CUDA, 4, RONDO_ENGINE_ASYNC, false}),
                         group_name);

// Even and odd ranks, the odd ones the other way round; then one that stays outside.
TEST_P(CommSplit, ByColourAndKey) {
  const int32_t colours[4] = {0, 1, 0, 1}, keys[4] = {0, 5, 0, 3};
  rondo_comm* made[4] = {};
  must(rondo_comm_split(comms().data(), 4, colours, keys, made));
  const int32_t expected[4] = {0, 1, 1, 0};
  std::vector<Comm> parts;
  for (rondo_comm* each : made) parts.emplace_back(each);
  for (size_t i = 0; i < 4; ++i) {
    rondo_comm_info info = RONDO_COMM_INFO_INIT;
    must(rondo_comm_query(made[i], &info));
    EXPECT_EQ(info.rank, expected[i]) << i;
    EXPECT_EQ(info.ranks, 2) << i;
  }
  std::vector<Tensor> sums;
  for (int32_t rank = 0; rank < 4; ++rank)
    sums.push_back(make(rondo_comm_all_reduce, made[rank], up(rank, full(RONDO_F32, {3}, rank + 1)), RONDO_SUM));
  for (size_t i = 0; i < 4; ++i)
    expect_as(download(sums[i]), Expected(full(RONDO_F32, {3}, i % 2 == 0 ? 4 : 6)), "sum");

  const int32_t outside[4] = {-1, 0, 0, 0};
  must(rondo_comm_split(comms().data(), 4, outside, nullptr, made));
  EXPECT_EQ(made[0], nullptr);
  for (int i = 1; i < 4; ++i) {
    ASSERT_NE(made[i], nullptr);
    rondo_comm_destroy(made[i]);
  }
}

}  // namespace
}  // namespace conformance
