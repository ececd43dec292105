// What the tests of training on several ranks share: ranks with a graph each, means of gradients as one process makes
// them, and what all ranks end with. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "collectives/comm.h"
#include "training/mixed_precision.h"

namespace conformance {

// What the suites about optimizers have, for those that are about ranks too.
struct Shared : OnMixedPrecision {
  using OnMixedPrecision::figures;
  using OnMixedPrecision::Judged;
  using OnMixedPrecision::judged;
  using OnMixedPrecision::scaler_options;
  using OnMixedPrecision::states;
  using OnMixedPrecision::step;
  using OnOptimizer::optimizer;
  using OnOptimizer::state;
  using OnOptimizer::states;
  using OnOptimizer::step;
  using OnOptimizer::write;
};

class OnParallelTraining : public OnGroup {
 protected:
  using Values = std::vector<std::pair<std::string, Array>>;

  // The first rank that is here.
  int32_t own() const {
    int32_t rank = 0;
    while (!here(rank)) ++rank;
    return rank;
  }
  // Whether one process comes to the same bits: on a cpu sums are made in the order of ranks, and the sum of two has
  // one order. NCCL has an order of its own from three ranks on.
  bool exact() const { return !on_cuda() || ranks() == 2; }

  Buckets buckets(int32_t rank, const Tensors& parameters, int64_t bytes) const {
    rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
    options.bucket_bytes = bytes;
    options.sum = old_library();
    rondo_buckets* made = nullptr;
    std::vector<rondo_tensor*> list = handles(parameters);
    must(rondo_buckets_create(comm(rank), static_cast<int32_t>(list.size()), list.data(), &options, &made));
    return Buckets(made);
  }
  static Tensors gradients_of(const Buckets& buckets) {
    rondo_buckets_info info = RONDO_BUCKETS_INFO_INIT;
    must(rondo_buckets_query(buckets.get(), &info));
    Tensors all;
    for (int32_t i = 0; i < info.parameters; ++i) all.push_back(make(rondo_buckets_gradient, buckets.get(), i));
    return all;
  }

  // One process' mean of the gradients of all parts, as docs/collectives.md says: added in the order of ranks, in f32
  // for 16-bit ones, divided, and rounded once. What a library without means has is the sum.
  Tensors mean(const std::vector<Tensors>& parts) const {
    Tensors means;
    for (size_t i = 0; i < parts[0].size(); ++i) {
      const rondo_dtype dtype = query(parts[0][i]).dtype;
      Tensor sum = make(rondo_cast, parts[0][i], RONDO_F32);
      for (size_t part = 1; part < parts.size(); ++part)
        sum = make(rondo_binary, RONDO_ADD, sum, make(rondo_cast, parts[part][i], RONDO_F32));
      if (!old_library()) sum = make(rondo_binary_scalar, RONDO_DIV, sum, static_cast<double>(parts.size()));
      means.push_back(make(rondo_cast, sum, dtype));
    }
    return means;
  }

  static size_t tasks_named(rondo_graph* graph, const std::string& name) {
    const std::string text = written([&](const char* path) { return rondo_graph_dot(graph, path); });
    const std::string label = "[label=\"" + name + "\"";
    size_t found = 0;
    for (size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + 1)) ++found;
    return found;
  }
  // A rank's step as one graph, in which the all-reduce of each bucket is a node.
  Graph recorded(const std::function<void()>& step, const Buckets& buckets) const {
    Graph graph = record(engine(), step);
    rondo_buckets_info of_buckets = RONDO_BUCKETS_INFO_INIT;
    must(rondo_buckets_query(buckets.get(), &of_buckets));
    EXPECT_GE(of_buckets.buckets, 2);
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1) << graph_report(graph.get());
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0) << graph_report(graph.get());
    EXPECT_EQ(tasks_named(graph.get(), "all_reduce"), static_cast<size_t>(of_buckets.buckets));
    return graph;
  }

  static void expect_same(const Values& actual, const Values& expected, const std::string& label) {
    ASSERT_EQ(actual.size(), expected.size()) << label;
    for (size_t i = 0; i < actual.size(); ++i)
      expect_same_bits(actual[i].second, expected[i].second, label + ", " + expected[i].first);
  }
  // To within `share` of the largest number of each tensor.
  static void expect_near(const Values& actual, const Values& expected, Real share, const std::string& label) {
    ASSERT_EQ(actual.size(), expected.size()) << label;
    for (size_t i = 0; i < actual.size(); ++i) {
      Expected near(expected[i].second);
      Real most = 0;
      for (const Real each : near.values) most = std::max(most, std::fabs(each));
      near.absolute.assign(near.values.size(), share * most);
      expect_as(actual[i].second, near, label + ", " + expected[i].first);
    }
  }
  // All ranks have the same bits, which are those of the one process where the order of sums is the same.
  void expect_all(const std::vector<Values>& ranks, const Values& one, Real share, const std::string& label) const {
    const auto first = static_cast<size_t>(own());
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      if (here(static_cast<int32_t>(rank)))
        expect_same(ranks[rank], ranks[first], label + ", rank " + std::to_string(rank));
    if (exact())
      expect_same(ranks[first], one, label + ", one process");
    else
      expect_near(ranks[first], one, share, label + ", one process");
  }
};

}  // namespace conformance
