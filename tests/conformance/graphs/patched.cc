// Calls that give kernels of CUDA graphs the caller's addresses, instead of copying.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graphs/calls.h"

namespace conformance {
namespace {

class Patched : public OnCalls {
 protected:
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  // One family of operators each, whose kernels are our own: of x [6, 96] and i32 indices [6].
  std::vector<std::pair<const char*, Body>> families() const {
    using X = const std::vector<Tensor>&;
    return {
        {"elementwise", [](X x) { return list(make(rondo_unary, RONDO_TANH, x[0])); }},
        {"broadcast over a transposed view",
         [](X x) {
           return list(make(rondo_binary, RONDO_ADD, transpose(x[0], {1, 0}), reshape(x[1], {6})));
         }},
        {"side by side",
         [](X x) { return list(make(rondo_unary, RONDO_NEG, x[0]), make(rondo_unary, RONDO_ABS, x[1])); }},
        {"sum of rows", [](X x) { return list(reduce(RONDO_SUM, x[0], {1})); }},
        {"sum of all",
         [](X x) {
           return list(reduce(RONDO_SUM, x[0], {0, 1}));
         }},
        {"argmax", [](X x) { return list(reduce(RONDO_ARGMAX, x[0], {0})); }},
        {"softmax of what it makes itself",
         [](X x) { return list(make(rondo_softmax, make(rondo_binary_scalar, RONDO_MUL, x[0], 0.5), 1)); }},
        {"layer norm", [](X x) { return list(make(rondo_layer_norm, x[0], 1, nullptr, nullptr, 1e-5)); }},
        {"running sum", [](X x) { return list(make(rondo_cumulative, RONDO_SUM, x[0], 1, 0)); }},
        {"sort", [](X x) { return list(make(rondo_sort, x[0], 1, 0)); }},
        {"take", [](X x) { return list(make(rondo_take, x[0], x[1], 0)); }},
        {"concat",
         [](X x) {
           rondo_tensor* parts[] = {x[0], x[0]};
           return list(make(rondo_concat, 2, parts, 0));
         }},
        {"cross entropy", [](X x) { return list(make(rondo_cross_entropy, x[0], x[1])); }},
        {"two nodes, the second of which reads both",
         [](X x) {
           const Tensor most = make(rondo_cumulative, RONDO_MAX, x[0], 0, 0);
           return list(make(rondo_cumulative, RONDO_SUM, make(rondo_binary, RONDO_SUB, x[0], most), 0, 0));
         }},
    };
  }
  Tensor values(uint32_t seed) const { return up(random_array(RONDO_F32, {6, 96}, seed, -2, 2)); }
  Tensor indices(uint32_t seed) const { return up(random_array(RONDO_I32, {6}, seed, 0, 5)); }
};
CONFORMANCE_ENGINE_SUITE(Patched);

TEST_P(Patched, FamiliesWorkOnWhatEachCallIsGiven) {
  for (const auto& [name, body] : families()) {
    SCOPED_TRACE(name);
    const Callable graph = callable({{RONDO_F32, {6, 96}}, {RONDO_I32, {6}}}, body);
    expect_captured(graph.get());
    const rondo_graph_info info = graph_info(graph.get());
    if (on_cuda()) {
      EXPECT_EQ(info.call_bytes, 0) << graph_report(graph.get());
      EXPECT_EQ(info.call_kernels, info.nodes) << graph_report(graph.get());
    } else {
      EXPECT_EQ(info.call_kernels, 0);
    }
    std::vector<std::vector<Tensor>> answers, expected, given;
    // Back to back: what an earlier call was given stays its own, and is never looked at again.
    for (uint32_t i = 0; i < 4; ++i) {
      given.push_back(list(values(i), indices(i)));
      expected.push_back(body(given.back()));
    }
    for (const std::vector<Tensor>& x : given)
      answers.push_back(call_all(graph, {x[0], x[1]}, static_cast<size_t>(info.outputs)));
    for (size_t i = 0; i < answers.size(); ++i)
      for (size_t k = 0; k < answers[i].size(); ++k)
        expect_same_bits(download(answers[i][k]), download(expected[i][k]), name);
  }
}

// The memory of a call's tensors is another tensor's by the next call.
TEST_P(Patched, NoAddressIsLeftBehind) {
  for (const auto& [name, body] : families()) {
    SCOPED_TRACE(name);
    const Callable graph = callable({{RONDO_F32, {6, 96}}, {RONDO_I32, {6}}}, body);
    const auto outputs = static_cast<size_t>(graph_info(graph.get()).outputs);
    std::vector<Tensor> others;
    for (uint32_t i = 0; i < 4; ++i) {
      {
        const Tensor x = values(i), y = indices(i);
        for (const Tensor& each : call_all(graph, {x, y}, outputs)) must(rondo_tensor_wait(each));
      }
      for (int k = 0; k < 4; ++k) others.push_back(up(full(RONDO_F32, {6, 96}, -7)));
      others.push_back(up(full(RONDO_I32, {6}, -7)));
    }
    must(rondo_engine_wait_all(engine()));
    for (const Tensor& other : others) expect_all(other, -7);
  }
}

TEST_P(Patched, SameTensorsAgainAndOthersInBetween) {
  const Callable graph = callable({{RONDO_F32, {6, 96}}}, [](const std::vector<Tensor>& x) {
    return list(make(rondo_cumulative, RONDO_SUM, x[0], 1, 0));
  });
  const Tensor a = values(1), b = values(2), to_a = values(3), to_b = values(4);
  const Array sum_a = download(make(rondo_cumulative, RONDO_SUM, a, 1, 0));
  const Array sum_b = download(make(rondo_cumulative, RONDO_SUM, b, 1, 0));
  for (int i = 0; i < 8; ++i) {
    must(rondo_fill(to_a, 0));
    must(rondo_fill(to_b, 0));
    call_into(graph, {a}, {to_a});
    if (i % 3 != 1) call_into(graph, {b}, {to_b});
    expect_same_bits(download(to_a), sum_a, "a");
    if (i % 3 != 1) expect_same_bits(download(to_b), sum_b, "b");
  }
}

// Eight kernels each of which takes an input, with as many sets of inputs in turn.
class InTurn : public Patched {
 protected:
  static constexpr size_t kInputs = 8;
  void SetUp() override {
    Patched::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    graph_ = callable(std::vector<Kind>(kInputs, {RONDO_F32, {6, 96}}), sums);
    for (uint32_t set = 0; set < 6; ++set) {
      std::vector<Tensor>& given = sets_.emplace_back();
      for (uint32_t i = 0; i < kInputs; ++i) given.push_back(values(8 * set + i));
      for (const Tensor& each : sums(given)) expected_[set].push_back(download(each));
      for (uint32_t i = 0; i < kInputs; ++i) results_[set].push_back(values(99));
    }
  }
  static std::vector<Tensor> sums(const std::vector<Tensor>& x) {
    std::vector<Tensor> all;
    for (size_t i = 0; i < x.size(); ++i) all.push_back(make(rondo_cumulative, RONDO_SUM, x[i], 1, i % 2));
    return all;
  }
  void TearDown() override {
    graph_.reset();
    sets_.clear();
    for (std::vector<Tensor>& each : results_) each.clear();
    Patched::TearDown();
  }
  void call_with(size_t set) const {
    call_into(graph_, {sets_[set].begin(), sets_[set].end()}, {results_[set].begin(), results_[set].end()});
  }
  // Every set's results, after as many rounds of calls with these sets, and as many executables as there are then.
  size_t after(int rounds, const std::vector<size_t>& sets) {
    for (int round = 0; round < rounds; ++round)
      for (const size_t set : sets) {
        if (round + 1 == rounds)
          for (const Tensor& each : results_[set]) must(rondo_fill(each, 0));
        call_with(set);
      }
    for (const size_t set : sets)
      for (size_t i = 0; i < kInputs; ++i) expect_same_bits(download(results_[set][i]), expected_[set][i], "sum");
    const std::string report = graph_report(graph_.get());
    const size_t at = report.find(" executables on ");
    return at == std::string::npos ? 1 : static_cast<size_t>(report[at - 1] - '0');
  }

  Callable graph_;
  std::vector<std::vector<Tensor>> sets_;
  std::vector<Tensor> results_[6];
  std::vector<Array> expected_[6];
};
CONFORMANCE_ENGINE_SUITE(InTurn);

TEST_P(InTurn, ReturningAddressesHaveAnExecutable) {
  const auto captured = [&](size_t executables) { return on_cuda() ? executables : 1; };
  EXPECT_EQ(after(5, {0}), 1U);
  EXPECT_EQ(after(20, {0, 1}), captured(2));
  EXPECT_EQ(after(14, {0, 1, 2}), captured(3));
  EXPECT_EQ(after(3, {2, 1, 0, 1, 2}), captured(3));
  // There are never more than four, and five sets go on being changed.
  EXPECT_EQ(after(9, {0, 1, 2, 3, 4}), captured(4));
  EXPECT_EQ(after(3, {5, 0, 5, 1}), captured(4));
}

TEST_P(InTurn, AFewCallsMakeNoExecutable) {
  EXPECT_EQ(after(3, {0, 1, 2}), 1U);
}

TEST_P(InTurn, ExecutablesAreGivenUpWhenMemoryRanOut) {
  const size_t captured = on_cuda() ? 2 : 1;
  EXPECT_EQ(after(20, {0, 1}), captured);
  must(rondo_engine_wait_all(engine()));
  must(rondo_memory_set_limit(engine(), device(), 1));
  const Tensor large = empty(RONDO_U8, {int64_t{1} << 26});
  (void)rondo_fill(large, 1);
  EXPECT_EQ(rondo_tensor_wait(large), RONDO_OUT_OF_MEMORY);
  (void)rondo_engine_wait_all(engine());
  must(rondo_memory_set_limit(engine(), device(), 0));
  EXPECT_EQ(after(1, {1, 0}), 1U);
  EXPECT_EQ(after(20, {0, 1}), captured);
}

TEST_P(InTurn, ExecutablesGoWithTheGraphWhileTheyRun) {
  after(26, {0, 1, 2});
  for (const size_t set : {0, 1, 2}) {
    for (const Tensor& each : results_[set]) must(rondo_fill(each, 0));
    call_with(set);
  }
  graph_.reset();
  for (const size_t set : {0, 1, 2})
    for (size_t i = 0; i < kInputs; ++i) expect_same_bits(download(results_[set][i]), expected_[set][i], "sum");
}

TEST_P(Patched, WhatManyKernelsReadIsCopiedOnce) {
  const Callable graph = callable({{RONDO_F32, {6, 96}}}, [](const std::vector<Tensor>& x) {
    std::vector<Tensor> sums;
    for (int i = 0; i < 16; ++i) {
      const Tensor part = slice(x[0], 1, i, 96 - i);
      sums.push_back(make(rondo_cumulative, RONDO_SUM, part, 1, i % 2));
    }
    return sums;
  });
  const rondo_graph_info info = graph_info(graph.get());
  const std::string report = graph_report(graph.get());
  EXPECT_EQ(info.call_bytes, on_cuda() ? 4 * 6 * 96 : 0) << report;
  EXPECT_EQ(info.call_kernels, on_cuda() ? 16 : 0) << report;
  EXPECT_EQ(report.find("copied") != std::string::npos, on_cuda()) << report;
  for (uint32_t seed = 0; seed < 3; ++seed) {
    const Tensor x = values(seed);
    const std::vector<Tensor> answers = call_all(graph, {x}, 16);
    for (int i = 0; i < 16; ++i) {
      const Tensor part = slice(x, 1, i, 96 - i);
      expect_same_bits(download(answers[static_cast<size_t>(i)]),
                       download(make(rondo_cumulative, RONDO_SUM, part, 1, i % 2)), "sum");
    }
  }
}

TEST_P(Patched, RandomNumbersAndParametersAreTheCalls) {
  const auto noisy = [](rondo_tensor* x, rondo_tensor* factor) {
    Tensor kept, mask;
    must(rondo_dropout(x, 0.5, kept.slot(), mask.slot()));
    return make(rondo_binary, RONDO_MUL, kept, factor);
  };
  const Callable graph = callable({{RONDO_F32, {6, 96}}}, [&](const std::vector<Tensor>& x) {
    const Tensor factor = make(rondo_record_parameter, engine(), "factor", device(), RONDO_F32, 3.0);
    return list(noisy(x[0], factor));
  });
  std::vector<Array> bits[2];
  for (int way = 0; way < 2; ++way) {
    must(rondo_engine_seed(engine(), 11));
    for (uint32_t i = 0; i < 4; ++i) {
      const Tensor x = values(i), factor = up(full(RONDO_F32, {}, 3 + i));
      must(rondo_graph_set(graph.get(), "factor", 3 + i));
      bits[way].push_back(download(way ? noisy(x, factor) : call(graph, {x})));
    }
  }
  for (size_t i = 0; i < bits[0].size(); ++i) expect_same_bits(bits[0][i], bits[1][i], "draw");
}

}  // namespace
}  // namespace conformance
