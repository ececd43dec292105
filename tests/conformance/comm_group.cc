// The fixture of tests of communicators. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm.h"

namespace conformance {

std::string group_name(const testing::TestParamInfo<Group>& info) {
  const Group& group = info.param;
  return std::string(group.kind == RONDO_CUDA ? "cuda_" : "cpu_") + std::to_string(group.ranks) +
         (group.mode == RONDO_ENGINE_ASYNC ? "_async" : "_threaded") + (group.graph ? "_graph" : "_eager");
}

// A share has one number of ranks, and one mode.
std::vector<Group> groups() {
  std::vector<Group> all;
  for (const rondo_device_kind kind : {RONDO_CPU, RONDO_CUDA})
    for (const int32_t ranks : share() < 0 ? std::vector<int32_t>{2, 3, 4} : std::vector<int32_t>{2 + share() % 3})
      for (const bool graph : {false, true}) all.push_back({kind, ranks, RONDO_ENGINE_ASYNC, graph});
  return all;
}

std::vector<Group> pairs() {
  if (share() >= 0) return {{RONDO_CUDA, 2, share() % 2 == 0 ? RONDO_ENGINE_ASYNC : RONDO_ENGINE_THREADED, false}};
  return {{RONDO_CUDA, 2, RONDO_ENGINE_ASYNC, false}, {RONDO_CUDA, 2, RONDO_ENGINE_THREADED, false}};
}

void OnGroup::SetUp() {
  if (on_cuda() && cuda_devices() < ranks()) {
    if (needs_cuda()) FAIL() << "needs " << ranks() << " cuda devices, there are " << cuda_devices();
    GTEST_SKIP() << "needs " << ranks() << " cuda devices: " << cuda_reason();
  }
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  options.mode = GetParam().mode;
  engine_ = create_engine(options);
  regroup(RONDO_COMM_OPTIONS_INIT);
}

void OnGroup::TearDown() {
  comms_.clear();
  engine_.reset();
}

void OnGroup::regroup(const rondo_comm_options& options) {
  comms_.clear();
  std::vector<rondo_device> devices;
  for (int32_t rank = 0; rank < ranks(); ++rank) devices.push_back(device(rank));
  std::vector<rondo_comm*> made(devices.size());
  must(rondo_comm_create_all(engine(), devices.data(), ranks(), &options, made.data()));
  for (rondo_comm* each : made) comms_.emplace_back(each);
}

std::vector<rondo_comm*> OnGroup::comms() const {
  std::vector<rondo_comm*> all;
  for (const Comm& each : comms_) all.push_back(each.get());
  return all;
}

void OnGroup::run(const RankBody& body) {
  std::vector<Results> eager(static_cast<size_t>(ranks()));
  for (int32_t rank = 0; rank < ranks(); ++rank) body(rank, eager[static_cast<size_t>(rank)]);
  for (int32_t rank = 0; rank < ranks(); ++rank)
    for (const Results::Item& item : eager[static_cast<size_t>(rank)].items())
      expect_as(download(item.tensor), item.expected(), item.label + ", rank " + std::to_string(rank));
  if (!GetParam().graph) return;
  std::vector<Results> recorded(static_cast<size_t>(ranks()));
  std::vector<Graph> graphs;
  for (int32_t rank = 0; rank < ranks(); ++rank)
    graphs.push_back(record(engine(), [&] { body(rank, recorded[static_cast<size_t>(rank)]); }));
  for (int launch = 0; launch < 2; ++launch)
    for (const Graph& graph : graphs) must(rondo_graph_launch(graph.get()));
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    const auto index = static_cast<size_t>(rank);
    for (size_t i = 0; i < eager[index].items().size(); ++i) {
      const Results::Item& item = eager[index].items()[i];
      expect_same_bits(download(recorded[index].items()[i].tensor), download(item.tensor),
                       item.label + ", replayed on rank " + std::to_string(rank));
    }
    const rondo_graph_info info = graph_info(graphs[index].get());
    EXPECT_EQ(info.segments, 1) << graph_report(graphs[index].get());
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0) << graph_report(graphs[index].get());
  }
}

Array rank_values(rondo_dtype dtype, const Shape& shape, int32_t rank) {
  Array values(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i)
    values.set(i, static_cast<Real>(dtype == RONDO_BOOL ? (i + static_cast<size_t>(rank)) % 2
                                                        : (i * 3 + static_cast<size_t>(rank) * 2) % 4 + 1));
  return values;
}

void expect_failure(rondo_status status, rondo_status expected, const std::string& words) {
  EXPECT_EQ(status, expected) << rondo_last_error();
  EXPECT_NE(std::string(rondo_last_error()).find(words), std::string::npos) << rondo_last_error();
}

}  // namespace conformance
