// What the tests of communicators share: an engine, and the ends of a group on so many devices of this process.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.h"

namespace conformance {

struct CommDeleter {
  void operator()(rondo_comm* comm) const { rondo_comm_destroy(comm); }
};
using Comm = std::unique_ptr<rondo_comm, CommDeleter>;

struct Group {
  rondo_device_kind kind;
  int32_t ranks;
  rondo_engine_mode mode;
  bool graph;
};
std::string group_name(const testing::TestParamInfo<Group>& info);  // "cuda_3_async_graph"
// Groups of 2 to 4 ranks, eager and recorded.
std::vector<Group> groups();
// Of two ranks, in each mode in which one thread can drive several ranks; eager.
std::vector<Group> pairs();

class OnGroup : public testing::TestWithParam<Group> {
 protected:
  void SetUp() override;
  void TearDown() override;

  int32_t ranks() const { return GetParam().ranks; }
  bool on_cuda() const { return GetParam().kind == RONDO_CUDA; }
  rondo_device device(int32_t rank) const { return {GetParam().kind, on_cuda() ? rank : 0}; }
  rondo_engine* engine() const { return engine_.get(); }
  rondo_comm* comm(int32_t rank) const { return comms_[static_cast<size_t>(rank)].get(); }
  std::vector<rondo_comm*> comms() const;
  Tensor up(int32_t rank, const Array& array) const { return upload(engine(), device(rank), array); }
  // Makes the group again with other options.
  void regroup(const rondo_comm_options& options);
  void destroy_group() { comms_.clear(); }
  void destroy_end(int32_t rank) { comms_[static_cast<size_t>(rank)].reset(); }

  // What a rank does with its end; its results are kept with their references.
  using RankBody = std::function<void(int32_t rank, Results& results)>;
  // Eager: every rank's results are compared with their references. Graph: the body runs eagerly, is recorded for each
  // rank, and the graphs are launched twice; results must equal the eager bits, and each graph is captured whole.
  void run(const RankBody& body);

 private:
  Engine engine_;
  std::vector<Comm> comms_;
};

// Ranks' inputs: small whole numbers, other ones on each rank, that every dtype holds.
Array rank_values(rondo_dtype dtype, const Shape& shape, int32_t rank);
// A wait, which must fail with that status and a text that has `words`.
void expect_failure(rondo_status status, rondo_status expected, const std::string& words);

}  // namespace conformance
