// What the tests of communicators share: an engine, and the ends of a group on so many devices of this process.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/launch.h>

#include "harness.h"

namespace conformance {

struct CommDeleter {
  void operator()(rondo_comm* comm) const { rondo_comm_destroy(comm); }
};
using Comm = std::unique_ptr<rondo_comm, CommDeleter>;

struct BucketsDeleter {
  void operator()(rondo_buckets* buckets) const { rondo_buckets_destroy(buckets); }
};
using Buckets = std::unique_ptr<rondo_buckets, BucketsDeleter>;

struct Group {
  rondo_device_kind kind;
  int32_t ranks;
  rondo_engine_mode mode;
  bool graph;
};
std::string group_name(const testing::TestParamInfo<Group>& info);  // "cuda_3_async_graph"
// RONDO_TEST_PROCESSES=1: ranks are processes, which `rondo launch` has started, each with this program; otherwise all
// are here.
bool here(int32_t rank);
// Groups of 2 to 4 ranks, eager and recorded.
std::vector<Group> groups();
// Of two ranks, in each mode in which one thread can drive several ranks; eager.
std::vector<Group> pairs();

// A group that is made when it is first asked for. One that is well at the end of a case is kept for the next with the
// same ranks and mode: making one takes NCCL up to a second. A case that takes too long (RONDO_TEST_CASE_S, 240
// seconds) fails with its name: the group is aborted under it, and if that does not end it, the program ends.
class OnGroup : public testing::TestWithParam<Group> {
 protected:
  OnGroup();
  ~OnGroup() override;
  void SetUp() override;
  void TearDown() override;

  int32_t ranks() const { return GetParam().ranks; }
  bool on_cuda() const { return GetParam().kind == RONDO_CUDA; }
  rondo_device device(int32_t rank) const { return {GetParam().kind, on_cuda() ? rank : 0}; }
  rondo_engine* engine() const;
  rondo_comm* comm(int32_t rank) const { return comms()[static_cast<size_t>(rank)]; }
  // Null for ranks that are not here.
  std::vector<rondo_comm*> comms() const;
  // The version of NCCL; 0 where none moves the data.
  int32_t library() const;
  // Whether what moves the data has bf16 and means.
  bool old_library() const { return library() != 0 && library() < 21000; }
  Tensor up(int32_t rank, const Array& array) const { return upload(engine(), device(rank), array); }
  // From here on the case has a group of its own: a new one with these options, or none.
  void regroup(const rondo_comm_options& options);
  void destroy_group();
  void destroy_end(int32_t rank);
  // All groups, those too that other cases left: whoever watches them calls the library, at any time.
  void destroy_every_group();

  // Calls it for all ranks that are here, on a thread for each: a driver may let the thread of one rank wait until what
  // runs on its device is done, and that waits for the other ranks. Throws what the first has thrown.
  void each_rank(const std::function<void(int32_t rank)>& body) const;
  // What a rank does with its end; its results are kept with their references.
  using RankBody = std::function<void(int32_t rank, Results& results)>;
  // Eager: every rank's results are compared with their references. Graph: the body runs eagerly, is recorded for each
  // rank, and the graphs are launched twice; results must equal the eager bits, and each graph is captured whole.
  void run(const RankBody& body);

 private:
  struct Held;
  class Limit;
  std::unique_ptr<Held> held_;
  std::unique_ptr<Limit> limit_;
};

// Ranks' inputs: small whole numbers, other ones on each rank, that every dtype holds.
Array rank_values(rondo_dtype dtype, const Shape& shape, int32_t rank);
// A wait, which must fail with that status and a text that has `words`.
void expect_failure(rondo_status status, rondo_status expected, const std::string& words);

}  // namespace conformance
