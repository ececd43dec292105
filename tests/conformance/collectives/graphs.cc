// Collectives in graphs: nodes and branches, several graphs and communicators, eager between replays, the end in any
// order. The names in comments are those of the tests of PyTorch and of torchcomms that ask the same.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "collectives/comm.h"

namespace conformance {
namespace {

class CommGraphs : public OnGroup {
 protected:
  // No group can be made while something is recorded.
  void SetUp() override {
    OnGroup::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) (void)comms();
  }
  std::vector<Tensor> everywhere(Real value, int64_t n = 64) const {
    std::vector<Tensor> tensors;
    for (int32_t rank = 0; rank < ranks(); ++rank) tensors.push_back(up(rank, full(RONDO_F32, {n}, value)));
    return tensors;
  }
  using OnRank = std::function<void(int32_t rank)>;
  std::vector<Graph> recorded(const OnRank& body) const {
    std::vector<Graph> graphs;
    for (int32_t rank = 0; rank < ranks(); ++rank) graphs.push_back(record(engine(), [&] { body(rank); }));
    return graphs;
  }
  void launch(const std::vector<Graph>& graphs) const {
    each_rank([&](int32_t rank) { must(rondo_graph_launch(graphs[static_cast<size_t>(rank)].get())); });
  }
  void expect_all(const std::vector<Tensor>& tensors, Real value, const std::string& label) const {
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      rondo_tensor* tensor = tensors[static_cast<size_t>(rank)];
      expect_as(download(tensor), Expected(full(RONDO_F32, {query(tensor).elements}, value)),
                label + ", rank " + std::to_string(rank));
    }
  }
  // The simulated library forks while it is captured, as the real one may: two nodes behind one.
  static bool forks() {
    std::string missing;
    return driver_entry("simcuda_control", &missing) != nullptr;
  }
  // Of so many collectives, one behind the other.
  static int32_t edges_of(int32_t count) { return forks() ? 2 * count + 2 * (count - 1) : count - 1; }
  void sum(int32_t rank, rondo_tensor* tensor) const {
    into(tensor, rondo_comm_all_reduce, comm(rank), tensor, RONDO_SUM);
  }
};
std::vector<Group> recorded_groups() {
  return {{RONDO_CUDA, 2, RONDO_ENGINE_ASYNC, true},
          {RONDO_CUDA, 3, RONDO_ENGINE_ASYNC, true},
          {RONDO_CUDA, 2, RONDO_ENGINE_THREADED, true}};
}
INSTANTIATE_TEST_SUITE_P(Conformance, CommGraphs, testing::ValuesIn(recorded_groups()), group_name);

// PyTorch test_allreduce_in_cudagraph: recording changes nothing, each launch multiplies; recorded twice.
TEST_P(CommGraphs, EachLaunchMultiplies) {
  const std::vector<Tensor> tensors = everywhere(1);
  Real value = 1;
  for (int round = 0; round < 2; ++round) {
    const std::vector<Graph> graphs = recorded([&](int32_t rank) { sum(rank, tensors[static_cast<size_t>(rank)]); });
    expect_all(tensors, value, "after recording");
    for (int i = 0; i < 3; ++i) {
      launch(graphs);
      value *= ranks();
      expect_all(tensors, value, "after a launch");
    }
  }
}

// torchcomms test_single_allreduce: one node for one collective.
TEST_P(CommGraphs, OneNodeEach) {
  const std::vector<Tensor> tensors = everywhere(1);
  for (const int32_t count : {1, 3}) {  // test_multiple_allreduce
    const std::vector<Graph> graphs = recorded([&](int32_t rank) {
      for (int32_t i = 0; i < count; ++i) sum(rank, tensors[static_cast<size_t>(rank)]);
    });
    for (const Graph& graph : graphs) {
      const rondo_graph_info info = graph_info(graph.get());
      EXPECT_EQ(info.tasks, count);
      EXPECT_EQ(info.captured, 1) << graph_report(graph.get());
      EXPECT_EQ(info.nodes, forks() ? 3 * count : count) << graph_report(graph.get());
      EXPECT_EQ(info.edges, edges_of(count)) << graph_report(graph.get());
    }
  }
}

// Whoever decides, a collective is a node on every rank, and the ranks agree.
TEST_P(CommGraphs, ChoiceAfterAForkIsTheHosts) {
  const std::vector<Tensor> tensors = everywhere(1), conditions = everywhere(1, 1);
  const std::vector<Graph> graphs = recorded([&](int32_t rank) {
    const auto index = static_cast<size_t>(rank);
    rondo_tensor* const tensor = tensors[index];
    sum(rank, conditions[index]);
    const Tensor yes = make(rondo_binary_scalar, RONDO_GT, conditions[index], 0.0);
    must(rondo_if(
        engine(), yes,
        [](void* of) {
          auto* x = static_cast<rondo_tensor*>(of);
          return rondo_binary_scalar(RONDO_ADD, x, 1.0, &x);
        },
        nullptr, tensor));
    sum(rank, tensor);
  });
  for (const Graph& graph : graphs) {
    const std::string report = graph_report(graph.get());
    if (forks()) {
      EXPECT_EQ(graph_info(graph.get()).conditional_nodes, 0) << report;
      EXPECT_NE(report.find("several streams"), std::string::npos) << report;
      EXPECT_GE(graph_info(graph.get()).captured, 2) << report;
    }
  }
  Real value = 1;
  for (int i = 0; i < 3; ++i) {
    launch(graphs);
    value = (value + 1) * ranks();
    expect_all(tensors, value, "after launch " + std::to_string(i));
  }
}

// torchcomms test_allreduce_async_wait_at_end: computing goes on beside the collective, and both join.
TEST_P(CommGraphs, ABranchBesideComputing) {
  const std::vector<Tensor> gradients = everywhere(2), states = everywhere(3);
  std::vector<Tensor> results(static_cast<size_t>(ranks()));
  const std::vector<Graph> graphs = recorded([&](int32_t rank) {
    const auto index = static_cast<size_t>(rank);
    sum(rank, gradients[index]);
    Tensor state = make(rondo_matmul, reshape(states[index], {8, 8}), reshape(states[index], {8, 8}), nullptr);
    state = make(rondo_matmul, state, state, nullptr);
    results[index] = make(rondo_binary, RONDO_ADD, reshape(gradients[index], {8, 8}), state);
  });
  for (const Graph& graph : graphs) {
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1) << graph_report(graph.get());
    EXPECT_EQ(info.branches, 2) << graph_report(graph.get());
  }
  launch(graphs);
  // 3 * 3 * 8 = 72 in the first product, 72 * 72 * 8 in the second.
  for (int32_t rank = 0; rank < ranks(); ++rank)
    expect_as(download(results[static_cast<size_t>(rank)]),
              Expected(full(RONDO_F32, {8, 8}, 2 * ranks() + 72 * 72 * 8)), "rank " + std::to_string(rank));
}

// torchcomms test_multiple_streams_single_comm: collectives that the data flow leaves independent follow each other.
TEST_P(CommGraphs, CollectivesOfOneGroupFollowEachOther) {
  std::vector<std::vector<Tensor>> tensors;
  for (int i = 0; i < 4; ++i) tensors.push_back(everywhere(static_cast<Real>(i + 1)));
  const std::vector<Graph> graphs = recorded([&](int32_t rank) {
    for (const std::vector<Tensor>& each : tensors) sum(rank, each[static_cast<size_t>(rank)]);
  });
  for (const Graph& graph : graphs) EXPECT_EQ(graph_info(graph.get()).edges, edges_of(4)) << graph_report(graph.get());
  launch(graphs);
  for (size_t i = 0; i < tensors.size(); ++i)
    expect_all(tensors[i], static_cast<Real>(i + 1) * ranks(), "tensor " + std::to_string(i));
}

// torchcomms test_two_streams_two_comms_with_dependency.
TEST_P(CommGraphs, TwoGroups) {
  const std::vector<int32_t> colours(static_cast<size_t>(ranks()), 0);
  std::vector<rondo_comm*> made(static_cast<size_t>(ranks()));
  must(rondo_comm_split(comms().data(), ranks(), colours.data(), nullptr, made.data()));
  std::vector<Comm> others;
  for (rondo_comm* each : made) others.emplace_back(each);
  const std::vector<Tensor> a = everywhere(1), b = everywhere(2);
  const std::vector<Graph> graphs = recorded([&](int32_t rank) {
    const auto index = static_cast<size_t>(rank);
    sum(rank, a[index]);
    into(b[index], rondo_comm_all_reduce, others[index].get(), b[index], RONDO_SUM);
    into(a[index], rondo_comm_all_reduce, others[index].get(), a[index], RONDO_SUM);
  });
  launch(graphs);
  expect_all(a, ranks() * ranks(), "a");
  expect_all(b, 2 * ranks(), "b");
}

// torchcomms test_multiple_graphs_serial; many alternating replays without a wait between.
TEST_P(CommGraphs, TwoGraphsInTurn) {
  const std::vector<Tensor> total = everywhere(0), ones = everywhere(1), twos = everywhere(2);
  auto adding = [&](const std::vector<Tensor>& what) {
    return recorded([&](int32_t rank) {
      const auto index = static_cast<size_t>(rank);
      const Tensor all = make(rondo_comm_all_reduce, comm(rank), what[index], RONDO_SUM);
      into(total[index], rondo_binary, RONDO_ADD, total[index], all);
    });
  };
  const std::vector<Graph> first = adding(ones), second = adding(twos);
  constexpr int kRounds = 50;
  each_rank([&](int32_t rank) {
    for (int i = 0; i < kRounds; ++i)
      for (const std::vector<Graph>* graphs : {&first, &second})
        must(rondo_graph_launch((*graphs)[static_cast<size_t>(rank)].get()));
  });
  expect_all(total, kRounds * 3 * ranks(), "total");
}

// PyTorch test_nccl_watchdog_cudagraph: eager collectives pending, some recorded, many replays, eager between them.
TEST_P(CommGraphs, EagerAndReplayed) {
  const std::vector<Tensor> tensors = everywhere(1), few = everywhere(1, 3);
  each_rank([&](int32_t rank) {
    for (int i = 0; i < 30; ++i)
      into(few[static_cast<size_t>(rank)], rondo_comm_all_reduce, comm(rank), few[static_cast<size_t>(rank)],
           RONDO_MAX);
  });
  const std::vector<Graph> graphs = recorded([&](int32_t rank) {
    for (int i = 0; i < 3; ++i)
      into(tensors[static_cast<size_t>(rank)], rondo_comm_all_reduce, comm(rank), tensors[static_cast<size_t>(rank)],
           RONDO_MAX);
  });
  each_rank([&](int32_t rank) {
    for (int i = 0; i < 30; ++i) {
      must(rondo_graph_launch(graphs[static_cast<size_t>(rank)].get()));
      into(tensors[static_cast<size_t>(rank)], rondo_comm_all_reduce, comm(rank), tensors[static_cast<size_t>(rank)],
           RONDO_MIN);
    }
  });
  expect_all(tensors, 1, "tensors");
  expect_all(few, 1, "few");
}

// PyTorch #115388: the library waits for graphs when a communicator is destroyed. Here the last of both takes the
// other.
TEST_P(CommGraphs, DestroyedInAnyOrder) {
  for (int order = 0; order < 3; ++order) {
    regroup(RONDO_COMM_OPTIONS_INIT);
    const std::vector<Tensor> tensors = everywhere(1);
    std::vector<Graph> graphs = recorded([&](int32_t rank) { sum(rank, tensors[static_cast<size_t>(rank)]); });
    launch(graphs);
    if (order == 0) {  // communicators first, and the graphs go on
      destroy_group();
      launch(graphs);
      expect_all(tensors, ranks() * ranks(), "without handles");
    }
    if (order == 1) graphs.clear();  // with work in flight
    destroy_group();
    if (order == 2) launch(graphs);
    graphs.clear();
  }
}

}  // namespace
}  // namespace conformance
