// What tests of passes compare: a body run eagerly, and recorded as a graph of so many tasks.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graphs/recording.h"

namespace conformance {

class OnProgramsByPasses : public OnRecording {
 protected:
  void expect_tasks(rondo_graph* graph, int32_t tasks) const {
    expect_captured(graph);
    const rondo_graph_info info = graph_info(graph);
    EXPECT_EQ(info.tasks, tasks) << graph_report(graph);
    EXPECT_EQ(info.nodes, on_cuda() ? tasks : 0) << graph_report(graph);
  }
  // The body eagerly, and as a graph of so many tasks that is launched once, each on copies of the arrays: what it
  // returns, and what it leaves in the copies, has the same bits.
  using Program = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  Graph compare(const std::vector<Array>& arrays, const Program& body, const std::string& label,
                const rondo_record_options* options = nullptr) const {
    std::vector<Tensor> eager = copies(arrays), recorded = copies(arrays), results;
    for (Tensor& each : body(eager)) eager.push_back(std::move(each));
    Graph graph = record(
        engine(), [&] { results = body(recorded); }, options);
    for (Tensor& each : results) recorded.push_back(std::move(each));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(eager.size(), recorded.size());
    for (size_t i = 0; i < eager.size(); ++i)
      expect_same_bits(numbers(recorded[i]), numbers(eager[i]), label + ", tensor " + std::to_string(i));
    return graph;
  }
  // A tensor with all NaN alike on a GPU, whose instructions and compilers do not say which NaN an operator makes.
  Array numbers(rondo_tensor* tensor) const {
    Array array = download(tensor);
    if (on_cuda()) make_nans_alike(&array);
    return array;
  }
  std::vector<Tensor> copies(const std::vector<Array>& arrays) const {
    std::vector<Tensor> tensors;
    for (const Array& each : arrays) tensors.push_back(up(each));
    return tensors;
  }
  template <class... T>
  static std::vector<Tensor> list(T&&... tensors) {
    std::vector<Tensor> all;
    (all.push_back(std::move(tensors)), ...);
    return all;
  }
};

// Recordings that want fewer roundings.
class WithFewerRoundings : public OnProgramsByPasses {
 protected:
  static rondo_record_options fewer_roundings() {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_FEWER_ROUNDINGS;
    return options;
  }
  // A body as a graph of so many tasks, and what eager calls make of the same arrays, which has the same bits.
  Graph compare_with(const std::vector<Array>& arrays, const Program& recorded, const Program& eager,
                     const std::string& label, int32_t tasks) const {
    const std::vector<Tensor> here = copies(arrays), there = copies(arrays);
    const std::vector<Tensor> expected = eager(there);
    std::vector<Tensor> results;
    const rondo_record_options options = fewer_roundings();
    Graph graph = record(
        engine(), [&] { results = recorded(here); }, &options);
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(results.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      expect_same_bits(numbers(results[i]), numbers(expected[i]), label + ", result " + std::to_string(i));
    expect_captured(graph.get());
    EXPECT_EQ(graph_info(graph.get()).tasks, tasks) << label << "\n" << graph_report(graph.get());
    return graph;
  }
  // A body's graph, whose results, and what it leaves in the arrays, are eager's but for roundings.
  Graph compare_nearly(const std::vector<Array>& arrays, const Program& body, long double bound,
                       const std::string& label) const {
    std::vector<Tensor> here = copies(arrays), there = copies(arrays), results;
    for (Tensor& each : body(there)) there.push_back(std::move(each));
    const rondo_record_options options = fewer_roundings();
    Graph graph = record(
        engine(), [&] { results = body(here); }, &options);
    for (Tensor& each : results) here.push_back(std::move(each));
    must(rondo_graph_launch(graph.get()));
    EXPECT_EQ(here.size(), there.size());
    for (size_t i = 0; i < there.size(); ++i) {
      const Array got = download(here[i]), want = download(there[i]);
      for (size_t k = 0; k < want.size(); ++k)
        EXPECT_LE(std::abs(got[k] - want[k]), bound * (1 + std::abs(want[k])))
            << label << ", tensor " << i << graph_report(graph.get());
    }
    return graph;
  }
};

}  // namespace conformance
